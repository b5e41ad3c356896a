package api

import (
	"encoding/json"
	"fmt"
	"slices"
)

// Kind names a kind of error. It is stable; messages are for people and may change.
type Kind string

// Errors of the protocol itself.
const (
	ParseError      Kind = "parse-error"
	InvalidRequest  Kind = "invalid-request"
	MethodNotFound  Kind = "method-not-found"
	BadRequest      Kind = "bad-request"
	Internal        Kind = "internal"
	NotInitialized  Kind = "not-initialized"
	VersionMismatch Kind = "version-mismatch"
	Busy            Kind = "busy"
	ShuttingDown    Kind = "shutting-down"
	Cancelled       Kind = "cancelled"
	TimedOut        Kind = "timed-out"
	TooLarge        Kind = "too-large"
	ConnectionLost  Kind = "connection-lost"
	NotAuthorized   Kind = "not-authorized"
)

// Errors of what was asked for.
const (
	NotReady            Kind = "not-ready"
	DesignNotFound      Kind = "design-not-found"
	StimulusNotFound    Kind = "stimulus-not-found"
	OverlayNotFound     Kind = "overlay-not-found"
	NameNotFound        Kind = "name-not-found"
	AmbiguousName       Kind = "ambiguous-name"
	InputError          Kind = "input-error"
	FileError           Kind = "file-error"
	EmptyWindow         Kind = "empty-window"
	ClockPeriodMismatch Kind = "clock-period-mismatch"
	SDFEmptyCorner      Kind = "sdf-empty-corner"
	NoFunction          Kind = "no-function"
	UnmappedSources     Kind = "unmapped-sources"
	StaleSnapshot       Kind = "stale-snapshot"
	BudgetExceeded      Kind = "budget-exceeded"
)

// KindInfo describes a kind: one row of the table in docs/protocol.md.
type KindInfo struct {
	Kind  Kind
	Code  int64
	Cause string
	Cure  string
}

// The codes below -32000 are those of JSON-RPC and LSP; ours count from 1001 and are never used again for something else.
var kinds = []KindInfo{
	{ParseError, -32700, "the bytes are no JSON, no UTF-8, or not framed", "send one JSON object a line, or each with a Content-Length header"},
	{InvalidRequest, -32600, "the JSON is no request: no method, an id that is null, fractional, negative or in use, an empty batch", "send `jsonrpc`, `method` and an id that is a string or an integer"},
	{MethodNotFound, -32601, "the server has no such method", "compare with the methods that `initialize` lists"},
	{BadRequest, -32602, "params do not fit the method: unknown, missing, of another type, or out of range", "compare with the method in this document"},
	{Internal, -32603, "a fault of the server; the log has the details under `incident`", "report it with that part of the log"},
	{NotInitialized, -32002, "a request came before `initialize`", "send `initialize` first"},
	{Busy, -32000, "the connection has too many requests waiting", "wait for `retryAfterMs`, or for answers, and send again"},
	{Cancelled, -32800, "the client cancelled the request, or went away", ""},
	{TimedOut, 1001, "the time that the request allowed has passed", "allow more with `timeoutMs`"},
	{TooLarge, 1002, "a message, batch or result is above the limit", "page with `limit` and `cursor`, or narrow the request"},
	{ShuttingDown, 1003, "the server finishes what it has begun and takes nothing new", "connect again; a new server starts"},
	{VersionMismatch, 1004, "client and server speak different majors of the protocol", "use the client of the same installation, or stop the older server"},
	{ConnectionLost, 1005, "the connection broke before the answer came", "connect again; whether the request was carried out is not known"},
	{NotAuthorized, 1006, "the first line of a connection over TCP did not bring the token of the server", "read the token again, each server makes another; a client of the same host and user needs none at the socket"},
	{NotReady, 1101, "something that the answer needs is not there: no stimulus, no library, or the design is still being read", "do what the message names first"},
	{DesignNotFound, 1102, "no open design has this name, or several are open and none was named", "open it, or name one of the candidates"},
	{StimulusNotFound, 1103, "the design has no stimulus of this name, or several and none was named", "load it, or name one of the candidates"},
	{OverlayNotFound, 1104, "no what-if overlay has this id", "begin a new one; overlays end with their connection"},
	{NameNotFound, 1105, "no object of the design has this name", "choose one of the candidates; names/explain says what was tried"},
	{AmbiguousName, 1106, "several objects have this name", "choose one of the candidates"},
	{InputError, 1107, "an input file has errors that would make results wrong", "correct what the diagnostics name"},
	{FileError, 1108, "a file could not be read or written", "see the message of the system"},
	{EmptyWindow, 1109, "the interval has no duration", "choose `from` before `to`, inside the stimulus"},
	{ClockPeriodMismatch, 1110, "the stimulus runs a clock at another period than the one that was declared", "correct the one that is wrong"},
	{SDFEmptyCorner, 1111, "the SDF has no value in the chosen column", "choose another corner, or set cornerFallback"},
	{NoFunction, 1112, "a cell that has to be simulated has no function", "add the library that defines it, or cover its outputs by the stimulus"},
	{UnmappedSources, 1113, "sources have no stimulus", "extend the stimulus, map the names, or choose an `unmapped` policy"},
	{StaleSnapshot, 1114, "the snapshot is no longer kept, or is not of this design", "ask without `snapshot`, or pin it in time"},
	{BudgetExceeded, 1115, "the answer would need more memory than the budget allows", "narrow the request, or raise the budget"},
}

// Kinds lists all kinds in the order of the document.
func Kinds() []KindInfo { return slices.Clone(kinds) }

// Code is the number of a kind.
func (k Kind) Code() int64 {
	if i := slices.IndexFunc(kinds, func(in KindInfo) bool { return in.Kind == k }); i >= 0 {
		return kinds[i].Code
	}
	return Internal.Code()
}

// Error is the answer to a request that failed. Handlers return it; clients get it back from their calls.
type Error struct {
	Code    int64     `json:"code"`
	Message string    `json:"message"`
	Data    ErrorData `json:"data"`
}

// ErrorData says more about an error.
type ErrorData struct {
	Kind         Kind         `json:"kind"`                   // the kind, from the table
	Hint         string       `json:"hint,omitempty"`         // what to do
	Path         string       `json:"path,omitempty"`         // the file that is meant
	Line         int          `json:"line,omitempty"`         // its line, from 1
	Col          int          `json:"col,omitempty"`          // its column in bytes, from 1
	Candidates   []string     `json:"candidates,omitempty"`   // names close to the one that was not found, nearest first
	Diagnostics  []Diagnostic `json:"diagnostics,omitempty"`  // the errors of the input, the first of each code
	RetryAfterMs int64        `json:"retryAfterMs,omitempty"` // busy: when to try again, in milliseconds
	Incident     string       `json:"incident,omitempty"`     // internal: the id to look for in the log of the server
}

// Errorf makes an error of a kind, with the cure of the kind as hint.
func Errorf(kind Kind, format string, args ...any) *Error {
	e := &Error{Code: kind.Code(), Message: fmt.Sprintf(format, args...), Data: ErrorData{Kind: kind}}
	if i := slices.IndexFunc(kinds, func(in KindInfo) bool { return in.Kind == kind }); i >= 0 {
		e.Data.Hint = kinds[i].Cure
	}
	return e
}

// WithCandidates adds the names that may have been meant.
func (e *Error) WithCandidates(names ...string) *Error {
	e.Data.Candidates = append(e.Data.Candidates, names...)
	return e
}

// Kind is the kind of the error.
func (e *Error) Kind() Kind { return e.Data.Kind }

func (e *Error) Error() string { return fmt.Sprintf("%s: %s", e.Data.Kind, e.Message) }

// Is makes errors.Is(err, api.Errorf(kind, "")) compare by kind.
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && t.Data.Kind == e.Data.Kind
}

// UnmarshalJSON also takes errors of servers that send no data, or data of another shape: their kind follows from the code.
func (e *Error) UnmarshalJSON(b []byte) error {
	var w struct {
		Code    int64           `json:"code"`
		Message string          `json:"message"`
		Data    json.RawMessage `json:"data"`
	}
	if err := json.Unmarshal(b, &w); err != nil {
		return err
	}
	*e = Error{Code: w.Code, Message: w.Message}
	if json.Unmarshal(w.Data, &e.Data) != nil || e.Data.Kind == "" {
		e.Data = ErrorData{Kind: Internal}
		if i := slices.IndexFunc(kinds, func(in KindInfo) bool { return in.Code == w.Code }); i >= 0 {
			e.Data.Kind = kinds[i].Kind
		}
	}
	return nil
}
