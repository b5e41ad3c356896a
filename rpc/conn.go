package rpc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sourcegraph/jsonrpc2"

	"github.com/wattd/wattd/rpc/api"
)

// Conn is a connection, seen from either end. Its methods are safe for concurrent use.
type Conn struct {
	opt     *Options
	handler Handler
	limit   chan struct{} // of all connections of a server; nil for clients
	stream  *stream
	rpc     *jsonrpc2.Conn
	ctx     context.Context // of all requests
	cancel  context.CancelCauseFunc
	calls   atomic.Uint64 // ids of our own calls

	mu           sync.Mutex
	jobs         map[string]*job // by id: waiting or running
	waiting      []*job
	waitingBytes int64
	running      int
	open         int // requests that have not ended
	draining     bool
	settled      []chan struct{} // closed when no request is open
	working      sync.WaitGroup  // goroutines that run jobs, and jobs
}

// Request is what a Handler answers.
type Request struct {
	Method       string
	Params       json.RawMessage // nil: none
	ID           string          // for messages; empty: a notification
	Conn         *Conn
	token        json.RawMessage
	notification bool
}

// Notification says that no answer is expected.
func (r *Request) Notification() bool { return r.notification }

// Handler answers requests. It is called on many goroutines for requests, and on the reading goroutine of the connection for
// notifications.
type Handler interface {
	Handle(ctx context.Context, req *Request) (any, error)
}

var (
	errPeerGone = errors.New("the client is gone")
	errCancel   = errors.New("the client cancelled the request")
)

// newConn makes a connection that is not yet read.
func newConn(ctx context.Context, rwc io.ReadWriteCloser, h Handler, opt *Options, server bool) *Conn {
	c := &Conn{opt: opt, handler: h, jobs: map[string]*job{}}
	c.ctx, c.cancel = context.WithCancelCause(ctx)
	c.stream = newStream(rwc, opt, server, c.cancel)
	c.stream.atEnd = c.endOfInput
	c.stream.onFault = func(f *fault) { opt.Log.Debug("unreadable message", "err", f.err) }
	if opt.Opened != nil {
		c.ctx = opt.Opened(c.ctx, c)
	}
	return c
}

// start begins to read. The life of the jsonrpc2 connection hangs on Close, not on a context, so that a drain can finish.
func (c *Conn) start() {
	c.rpc = jsonrpc2.NewConn(context.WithoutCancel(c.ctx), c.stream, libraryHandler{c},
		jsonrpc2.SetLogger(libraryLog{c}), jsonrpc2.OnRecv(c.received), jsonrpc2.OnSend(c.stream.sends))
	close(c.stream.started)
}

// received puts the members of an answer back in that the library did not get to see.
func (c *Conn) received(_ *jsonrpc2.Request, resp *jsonrpc2.Response) {
	if resp == nil {
		return
	}
	m := c.stream.current // a copy: the caller reads it while the next message comes
	if resp.Error == nil {
		resp.Result = &m.result
		return
	}
	e := decodeError(m.failure)
	resp.Error.Code, resp.Error.Message = e.Code, e.Message
	if data, err := json.Marshal(e.Data); err == nil {
		resp.Error.Data = (*json.RawMessage)(&data)
	}
}

func decodeError(raw json.RawMessage) *api.Error {
	e := new(api.Error)
	if err := json.Unmarshal(raw, e); err != nil {
		return api.Errorf(api.Internal, "the peer sent an error that is none: %v", err)
	}
	return e
}

type libraryLog struct{ c *Conn }

func (l libraryLog) Printf(format string, v ...any) {
	l.c.opt.Log.Debug("jsonrpc2", "text", fmt.Sprintf(format, v...))
}

// libraryHandler is called on the reading goroutine.
type libraryHandler struct{ c *Conn }

func (h libraryHandler) Handle(_ context.Context, _ *jsonrpc2.Conn, _ *jsonrpc2.Request) {
	h.c.receive(h.c.stream.current)
}

// Notify sends a notification that is not dropped. It waits for room in the queue.
func (c *Conn) Notify(method string, params any) error {
	head, body, err := notification(method, params)
	if err != nil {
		return err
	}
	return c.stream.writer.send(append(append(head, body...), '}'))
}

// Publish sends a notification that may be dropped, and never waits. When the queue is full the oldest one goes, of the same
// key before others; the next one of a key that lost some has "overflow":true among its params, which are an object.
func (c *Conn) Publish(key, method string, params any) error {
	head, body, err := notification(method, params)
	if err != nil {
		return err
	}
	if body[0] != '{' {
		return fmt.Errorf("rpc: params of %s are no object", method)
	}
	return c.stream.writer.publish(key, head, body)
}

// notification encodes a message but for its last brace.
func notification(method string, params any) (head, body []byte, err error) {
	name, err := json.Marshal(method)
	if err != nil {
		return nil, nil, err
	}
	if body, err = encode(params); err != nil {
		return nil, nil, fmt.Errorf("rpc: params of %s: %w", method, err)
	}
	if c := body[0]; c != '{' && c != '[' && c != 'n' {
		return nil, nil, fmt.Errorf("rpc: params of %s are neither an object nor an array", method)
	}
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","method":%s,"params":`, name), body, nil
}

// Call sends a request to the peer and waits for the answer. When ctx ends first the request is cancelled there. It must not be
// called on the reading goroutine, that is not from Admit nor from the handler of a notification.
func (c *Conn) Call(ctx context.Context, method string, params, result any) error {
	if err := ctx.Err(); err != nil {
		return toError(ctx, err)
	}
	head, body, err := notification(method, params)
	if err != nil {
		return err
	}
	id := c.calls.Add(1)
	// The library numbers and remembers the call; the bytes go past it, because it would encode them several times.
	c.stream.outgoing.Store(id, fmt.Appendf(append(head, body...), `,"id":%d}`, id))
	call, err := c.rpc.DispatchCall(ctx, method, nil, jsonrpc2.PickID(jsonrpc2.ID{Num: id}))
	c.stream.outgoing.Delete(id)
	if err != nil {
		return c.callError(method, err)
	}
	var raw json.RawMessage
	err = call.Wait(ctx, &raw)
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		_ = c.Publish("$/cancelRequest", "$/cancelRequest", map[string]uint64{"id": id})
		return toError(ctx, err)
	}
	if err != nil {
		return c.callError(method, err)
	}
	if result == nil {
		return nil
	}
	if err := json.Unmarshal(raw, result); err != nil {
		return api.Errorf(api.Internal, "the result of %s is not what the protocol says: %v", method, err)
	}
	return nil
}

func (c *Conn) callError(method string, err error) error {
	var e *jsonrpc2.Error
	if errors.As(err, &e) {
		out := &api.Error{Code: e.Code, Message: e.Message}
		if e.Data != nil {
			_ = json.Unmarshal(*e.Data, &out.Data) // made by received
		}
		return out
	}
	if why := c.failure(); why != nil {
		err = why
	}
	return api.Errorf(api.ConnectionLost, "%s: %v", method, err)
}

// failure is what ended the connection, nil for an orderly end.
func (c *Conn) failure() error {
	err := c.stream.writer.failure()
	if err != nil && err != errClosed {
		return err
	}
	if why := c.stream.cause.Load(); why != nil && *why != io.EOF {
		return *why
	}
	return nil
}

// Refuse lets no further request begin; they are answered by the error shutting-down.
func (c *Conn) Refuse() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.draining = true
}

// Close ends the connection at once. What runs is cancelled.
func (c *Conn) Close() {
	_ = c.rpc.Close() // it may be closed already; first, so that nobody is told that what he asked was cancelled
	c.cancel(errPeerGone)
}

// Done is closed when the connection has ended.
func (c *Conn) Done() <-chan struct{} { return c.rpc.DisconnectNotify() }

// Stats are the counters of a connection.
type Stats struct {
	Running, Waiting  int
	BytesIn, BytesOut int64
	Dropped           int64 // notifications that the peer did not read in time
}

// Stats returns the counters.
func (c *Conn) Stats() Stats {
	c.mu.Lock()
	s := Stats{Running: c.running, Waiting: len(c.waiting)}
	c.mu.Unlock()
	w := c.stream.writer
	s.BytesIn, s.BytesOut = c.stream.bytesIn.Load(), w.bytesOut.Load()
	w.mu.Lock()
	s.Dropped = w.dropped
	w.mu.Unlock()
	return s
}

// endOfInput lets what has begun finish when the peer has stopped sending but may still read, as a pipe does whose producer is
// done. A peer that closed both directions is found out where the system tells; elsewhere it has the linger time.
func (c *Conn) endOfInput() {
	settled := c.whenSettled()
	tells := canTellHangUp(c.stream.rwc)
	deadline := time.NewTimer(c.opt.Linger)
	defer deadline.Stop()
	look := time.NewTicker(50 * time.Millisecond)
	defer look.Stop()
	for waiting := true; waiting; {
		select {
		case <-settled:
			waiting = false
		case <-look.C:
			if c.stream.writer.failure() != nil || tells && hungUp(c.stream.rwc) {
				c.cancel(errPeerGone)
				waiting = false
			}
		case <-deadline.C:
			if !tells {
				c.cancel(errPeerGone)
				waiting = false
			}
		case <-c.ctx.Done():
			waiting = false
		}
	}
	if c.ctx.Err() == nil {
		c.stream.writer.flush()
	}
}

// drain refuses new requests, waits for those that are there, writes their answers, and closes. When ctx ends before, they are
// cancelled, and answered so if they end within the grace time.
func (c *Conn) drain(ctx context.Context) {
	c.Refuse()
	settled := c.whenSettled()
	select {
	case <-settled:
		c.flushed(ctx)
	case <-c.Done():
	case <-ctx.Done():
		c.cancel(api.Errorf(api.ShuttingDown, "the server went down before the request was done"))
		grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), graceTime)
		defer cancel()
		select {
		case <-settled:
			c.flushed(grace)
		case <-c.Done():
		case <-grace.Done():
		}
	}
	c.Close()
}

// graceTime is what cancelled requests have for their end, and their peer for reading that.
const graceTime = time.Second

// flushed waits until all is written, or ctx ends.
func (c *Conn) flushed(ctx context.Context) {
	all := make(chan struct{})
	go func() { c.stream.writer.flush(); close(all) }()
	select {
	case <-all:
	case <-ctx.Done():
	}
}

// whenSettled returns a channel that is closed once no request waits or runs.
func (c *Conn) whenSettled() <-chan struct{} {
	ch := make(chan struct{})
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.open == 0 {
		close(ch)
	} else {
		c.settled = append(c.settled, ch)
	}
	return ch
}

// wait returns when the connection has ended and nothing of it runs any more.
func (c *Conn) wait() {
	<-c.Done()
	c.Refuse()           // what the reader still holds is not begun
	_ = c.stream.Close() // which the library may not have done yet
	c.cancel(errPeerGone)
	c.working.Wait()
	<-c.stream.writer.done
}
