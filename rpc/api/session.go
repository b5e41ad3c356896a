package api

import "encoding/json"

// Requests and notifications of the session.
var (
	Initialize = method[InitializeParams, InitializeResult]("initialize", "Opens the session: versions, capabilities and limits. The first request of a connection.", lenient)
	Shutdown   = method[Empty, Empty]("shutdown", "Ends the session: what is running is finished, nothing new is taken. The server itself goes on.")
	Keep       = method[KeepParams, Empty]("session/keep", "Says that the server must not exit for being idle while this connection is open.")
	Exit       = note[Empty]("exit", FromClient, "Closes the connection after `shutdown`.", inOrder)
	Cancel     = note[CancelParams]("$/cancelRequest", FromClient, "Cancels a request, waiting or running. It is answered by the error `cancelled`, or by its result when that was ready.", inOrder)
	Progress   = note[ProgressParams]("$/progress", FromServer, "How far a request is that carries a `workDoneToken`. Reports in between may be dropped, begin and end are not.")
)

// InitializeParams tell who the client is.
type InitializeParams struct {
	ClientInfo Software `json:"clientInfo"` // name and version of the client
	ProcessID  *int64   `json:"processId"`  // process of the client; null: not known
	Protocol   *Version `json:"protocol"`   // version of this protocol that the client speaks; absent: a client of LSP alone
	Cwd        string   `json:"cwd"`        // folder that relative paths of this session are relative to
}

// Software is a program.
type Software struct {
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
}

// InitializeResult tells what the server can do.
type InitializeResult struct {
	ServerInfo   Software     `json:"serverInfo"`   // name and version of the server
	Protocol     Version      `json:"protocol"`     // version of this protocol
	Capabilities Capabilities `json:"capabilities"` // what LSP calls so
}

// Capabilities has the native ones where LSP leaves room for them.
type Capabilities struct {
	Experimental struct {
		Wattd Native `json:"wattd"`
	} `json:"experimental"`
}

// Native is what the server offers beyond LSP.
type Native struct {
	Methods []string `json:"methods"` // requests that this server answers, sorted
	Topics  []string `json:"topics"`  // of subscribe
	Devices []Device `json:"devices"` // that simulate
	Limits  Limits   `json:"limits"`  // of this connection
}

// Device is an engine and what it runs on.
type Device struct {
	Engine string `json:"engine"` // host, cuda
	Name   string `json:"name"`   // model
	Cores  int    `json:"cores,omitempty"`
	Memory int64  `json:"memory,omitempty"` // bytes that wattd may use of it
}

// Limits of a connection.
type Limits struct {
	MessageBytes int64 `json:"messageBytes"` // largest message that is accepted
	Batch        int   `json:"batch"`        // most requests in a batch
	Concurrent   int   `json:"concurrent"`   // requests that run at a time
	Waiting      int   `json:"waiting"`      // requests that may wait; more are answered by the error busy
	PageRows     int   `json:"pageRows"`     // most rows of a page
}

// KeepParams switch the hold on or off.
type KeepParams struct {
	Keep bool `json:"keep"`
}

// CancelParams name the request.
type CancelParams struct {
	ID json.RawMessage `json:"id"` // as it was sent
}

// ProgressParams are one step of a request.
type ProgressParams struct {
	Token json.RawMessage `json:"token"` // workDoneToken of the request
	Value ProgressValue   `json:"value"`
}

// ProgressValue is what LSP calls WorkDoneProgress.
type ProgressValue struct {
	Kind       string `json:"kind"`                 // begin, report, end
	Title      string `json:"title,omitempty"`      // begin: what is done
	Message    string `json:"message,omitempty"`    // the step
	Percentage *int   `json:"percentage,omitempty"` // 0 to 100, never less than before; absent: not known
}
