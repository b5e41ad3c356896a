package rpc

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"sync"
	"sync/atomic"

	"github.com/wattd/wattd/rpc/api"
)

// Notification is a message from the server that no call waits for.
type Notification struct {
	Method   string
	Params   json.RawMessage
	Overflow bool // older ones were dropped, because nobody took them
}

// notifications is how many a Client holds for its owner.
const notifications = 1024

// Client is the calling end of a connection.
type Client struct {
	conn   *Conn
	notes  chan Notification
	tokens atomic.Uint64

	mu       sync.Mutex
	progress map[string]func(api.ProgressValue)
}

// Dial connects to a server.
func Dial(ctx context.Context, network, address string, opt Options) (*Client, error) {
	var d net.Dialer
	conn, err := d.DialContext(ctx, network, address)
	if err != nil {
		return nil, fmt.Errorf("rpc: %w", err)
	}
	return NewClient(conn, opt), nil
}

// NewClient makes calls over a connection, which it owns from now on.
func NewClient(conn io.ReadWriteCloser, opt Options) *Client {
	cl := &Client{notes: make(chan Notification, notifications), progress: map[string]func(api.ProgressValue){}}
	cl.conn = newConn(context.Background(), conn, clientHandler{cl}, opt.withDefaults(), false)
	cl.conn.start()
	return cl
}

// Notifications brings what the server sends by itself. When nobody reads, the oldest are dropped. It is not closed; see Done.
func (cl *Client) Notifications() <-chan Notification { return cl.notes }

// Done is closed when the connection has ended.
func (cl *Client) Done() <-chan struct{} { return cl.conn.Done() }

// Close ends the connection and waits until nothing of it runs.
func (cl *Client) Close() {
	cl.conn.Close()
	cl.conn.wait()
}

// Call calls a method by name. The error is an *api.Error. When ctx ends first, the request is cancelled at the server.
func (cl *Client) Call(ctx context.Context, method string, params, result any) error {
	return cl.conn.Call(ctx, method, params, result)
}

// Notify sends a notification.
func (cl *Client) Notify(method string, params any) error { return cl.conn.Notify(method, params) }

// CallWithProgress is Call for long requests: report is called, on the reading goroutine, for each step. It must be cheap.
func (cl *Client) CallWithProgress(ctx context.Context, method string, params, result any, report func(api.ProgressValue)) error {
	body := []byte("{}")
	if params != nil {
		var err error
		if body, err = encode(params); err != nil {
			return fmt.Errorf("rpc: params of %s: %w", method, err)
		}
	}
	if body[0] != '{' {
		return fmt.Errorf("rpc: params of %s are no object", method)
	}
	token := fmt.Sprintf(`"p%d"`, cl.tokens.Add(1))
	var with map[string]json.RawMessage
	if err := json.Unmarshal(body, &with); err != nil {
		return fmt.Errorf("rpc: params of %s: %w", method, err)
	}
	with["workDoneToken"] = json.RawMessage(token)
	cl.mu.Lock()
	cl.progress[token] = report
	cl.mu.Unlock()
	defer func() {
		cl.mu.Lock()
		defer cl.mu.Unlock()
		delete(cl.progress, token)
	}()
	return cl.Call(ctx, method, with, result)
}

// Do calls a method of the protocol.
func Do[P, R any](ctx context.Context, cl *Client, method api.Method[P, R], params P) (R, error) {
	var r R
	err := cl.Call(ctx, method.Name(), params, &r)
	return r, err
}

// Tell sends a notification of the protocol.
func Tell[P any](cl *Client, note api.Note[P], params P) error { return cl.Notify(note.Name(), params) }

type clientHandler struct{ cl *Client }

// Handle takes what the server sends by itself. It asks nothing of clients.
func (h clientHandler) Handle(_ context.Context, req *Request) (any, error) {
	if !req.Notification() {
		return nil, api.Errorf(api.MethodNotFound, "a client answers no %q", req.Method)
	}
	cl := h.cl
	if req.Method == api.Progress.Name() {
		var p api.ProgressParams
		if json.Unmarshal(req.Params, &p) == nil {
			cl.mu.Lock()
			report := cl.progress[string(p.Token)]
			cl.mu.Unlock()
			if report != nil {
				report(p.Value)
				return nil, nil
			}
		}
	}
	n := Notification{Method: req.Method, Params: req.Params}
	for {
		select {
		case cl.notes <- n:
			return nil, nil
		default:
		}
		select {
		case <-cl.notes:
			n.Overflow = true
		default:
		}
	}
}
