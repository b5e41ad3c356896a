package rpc

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"sync/atomic"
	"time"

	"github.com/wattd/wattd/rpc/api"
)

// job is a request from its arrival to its answer. Whoever moves it on from waiting answers it: the goroutine that runs it, or
// the end of its context.
type job struct {
	conn    *Conn
	req     *Request
	id      json.RawMessage
	key     string
	batch   *batch
	ctx     context.Context
	cancel  context.CancelCauseFunc
	arrived time.Time
	release func()
	unwatch func() bool
	claimed atomic.Bool
}

// envelope is what rpc itself reads of params.
type envelope struct {
	TimeoutMs     int64           `json:"timeoutMs"`
	WorkDoneToken json.RawMessage `json:"workDoneToken"`
}

// receive takes a request or notification on the reading goroutine.
func (c *Conn) receive(m message) {
	req := &Request{Method: m.method, Params: m.params, ID: string(m.id), Conn: c, notification: m.id == nil}
	if req.notification {
		c.notified(req)
		return
	}
	if err := c.admit(req, m); err != nil {
		c.answered(req.Method, 0, err)
		_ = answer(c.stream.writer, m.batch, failure(m.id, err)) // a lost peer shows in reading
	}
}

func (c *Conn) notified(req *Request) {
	if req.Method == api.Cancel.Name() {
		var p api.CancelParams
		if json.Unmarshal(req.Params, &p) == nil {
			c.cancelJob(key(p.ID))
		}
		return
	}
	if _, err := c.call(withRequest(c.ctx, req), req); err != nil {
		c.opt.Log.Warn("notification", "method", req.Method, "err", err)
	}
}

func (c *Conn) cancelJob(key string) {
	c.mu.Lock()
	j := c.jobs[key]
	c.mu.Unlock()
	if j != nil {
		j.cancel(errCancel)
	}
}

// admit puts a request in the queue, or says why not.
func (c *Conn) admit(req *Request, m message) *api.Error {
	var env envelope
	if len(req.Params) > 0 && req.Params[0] == '{' {
		if err := json.Unmarshal(req.Params, &env); err != nil {
			return api.Errorf(api.BadRequest, "%s: timeoutMs is not an integer", req.Method)
		}
	}
	if env.TimeoutMs < 0 {
		return api.Errorf(api.BadRequest, "timeoutMs is %d", env.TimeoutMs)
	}
	if t := env.WorkDoneToken; len(t) > 0 && validID(t) {
		req.token = t
	}
	j := &job{conn: c, req: req, id: m.id, key: key(m.id), batch: m.batch, arrived: time.Now(), release: func() {}}
	if err := c.register(j); err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(c.ctx)
	j.cancel = cancel
	if d := c.timeout(env.TimeoutMs); d > 0 {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeout(ctx, d)
		j.cancel = func(cause error) { cancel(cause); stop() }
	}
	ctx = withRequest(ctx, req)
	j.ctx = ctx
	if c.opt.Admit != nil {
		admitted, release, err := c.admitted(ctx, req)
		if release != nil {
			j.release = release
		}
		if err != nil {
			j.reply(nil, err)
			return nil
		}
		ctx = admitted
	}
	j.ctx = ctx
	j.unwatch = context.AfterFunc(ctx, j.expired)
	c.mu.Lock()
	defer c.mu.Unlock()
	if j.claimed.Load() { // expired in the meantime
		return nil
	}
	c.waiting = append(c.waiting, j)
	c.waitingBytes += int64(len(req.Params))
	if c.running < c.opt.Concurrent {
		c.running++
		c.working.Go(c.work)
	}
	return nil
}

// admitted calls the hook and contains its panics.
func (c *Conn) admitted(ctx context.Context, req *Request) (_ context.Context, release func(), err error) {
	defer c.contain(req, &err)
	return c.opt.Admit(ctx, req)
}

// register enters a request among those of the connection.
func (c *Conn) register(j *job) *api.Error {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.draining:
		return api.Errorf(api.ShuttingDown, "the server is going down")
	case c.jobs[j.key] != nil:
		return api.Errorf(api.InvalidRequest, "the id %.40s is in use", j.id)
	case len(c.waiting) >= c.opt.Waiting, c.waitingBytes > c.opt.MaxMessage:
		e := api.Errorf(api.Busy, "%d requests are waiting", len(c.waiting))
		e.Data.RetryAfterMs = 100
		return e
	}
	c.jobs[j.key] = j
	c.open++
	c.working.Add(1)
	j.cancel = func(error) {}
	return nil
}

func (c *Conn) timeout(ms int64) time.Duration {
	d := c.opt.DefaultTimeout
	if ms > 0 {
		d = time.Duration(min(ms, int64(time.Duration(1<<62)/time.Millisecond))) * time.Millisecond
	}
	if longest := c.opt.MaxTimeout; longest > 0 && (d == 0 || d > longest) {
		d = longest
	}
	return d
}

// work runs requests until none waits.
func (c *Conn) work() {
	for {
		c.mu.Lock()
		if len(c.waiting) == 0 {
			c.running--
			c.mu.Unlock()
			return
		}
		j := c.waiting[0]
		c.waiting[0] = nil
		c.waiting = c.waiting[1:]
		c.waitingBytes -= int64(len(j.req.Params))
		c.mu.Unlock()
		j.run()
	}
}

func (j *job) run() {
	c := j.conn
	if c.limit != nil {
		select {
		case c.limit <- struct{}{}:
			defer func() { <-c.limit }()
		case <-j.ctx.Done():
			return // expired answers
		}
	}
	if j.ctx.Err() != nil || !j.claimed.CompareAndSwap(false, true) {
		return
	}
	j.unwatch()
	result, err := c.call(j.ctx, j.req)
	j.reply(result, err)
}

// expired answers a request that is cancelled, or out of time, before it ran.
func (j *job) expired() {
	if !j.claimed.CompareAndSwap(false, true) {
		return
	}
	c := j.conn
	c.mu.Lock()
	if i := slices.Index(c.waiting, j); i >= 0 {
		c.waiting = slices.Delete(c.waiting, i, i+1)
		c.waitingBytes -= int64(len(j.req.Params))
	}
	c.mu.Unlock()
	j.reply(nil, j.ctx.Err())
}

func (j *job) reply(result any, err error) {
	c := j.conn
	var body []byte
	var e *api.Error
	if err == nil {
		if body, err = c.encodeResult(j.req, result); err == nil && int64(len(body)) > c.opt.MaxMessage {
			err = api.Errorf(api.TooLarge, "the result of %s has %d bytes; the limit is %d", j.req.Method, len(body), c.opt.MaxMessage)
		}
	}
	if err != nil {
		if e = toError(j.ctx, err); e == nil {
			e = c.incident(j.req, err, nil)
		}
		body = failure(j.id, e)
	} else {
		body = success(j.id, body)
	}
	c.forget(j) // before the answer: the peer may use the id again
	c.answered(j.req.Method, time.Since(j.arrived), e)
	if err := answer(c.stream.writer, j.batch, body); err != nil {
		c.opt.Log.Debug("answer not sent", "method", j.req.Method, "err", err)
	}
	j.end()
}

// answered tells whoever counts.
func (c *Conn) answered(method string, took time.Duration, e *api.Error) {
	if c.opt.Answered == nil {
		return
	}
	var kind api.Kind
	if e != nil {
		kind = e.Kind()
	}
	c.opt.Answered(method, took, kind)
}

// forget frees the id.
func (c *Conn) forget(j *job) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.jobs[j.key] == j {
		delete(c.jobs, j.key)
	}
}

// end gives back what the request held. The connection has settled when the last one has ended, its answer queued.
func (j *job) end() {
	c := j.conn
	c.forget(j)
	j.cancel(nil)
	c.released(j)
	c.working.Done()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.open--; c.open == 0 {
		for _, ch := range c.settled {
			close(ch)
		}
		c.settled = nil
	}
}

// released calls the release of Admit and contains its panics.
func (c *Conn) released(j *job) {
	var err error
	defer c.contain(j.req, &err)
	j.release()
}

// encodeResult encodes what a handler returned, and contains the panics of its types.
func (c *Conn) encodeResult(req *Request, result any) (body []byte, err error) {
	defer c.contain(req, &err)
	if body, err = encode(result); err != nil {
		return nil, c.incident(req, fmt.Errorf("the result cannot be encoded: %w", err), nil)
	}
	return body, nil
}

// call calls the handler and contains its panics.
func (c *Conn) call(ctx context.Context, req *Request) (result any, err error) {
	defer c.contain(req, &err)
	if c.handler == nil {
		return nil, api.Errorf(api.MethodNotFound, "no method %q", req.Method)
	}
	return c.handler.Handle(ctx, req)
}

// contain turns a panic into an error of kind internal.
func (c *Conn) contain(req *Request, err *error) {
	if p := recover(); p != nil {
		*err = c.incident(req, fmt.Errorf("panic: %v", p), debug.Stack())
	}
}

// incident logs a fault of ours under an id that the client gets to see.
func (c *Conn) incident(req *Request, err error, stack []byte) *api.Error {
	id := rand.Text()[:12]
	c.opt.Log.Error("internal error", "incident", id, "method", req.Method, "err", err, "stack", string(stack))
	e := api.Errorf(api.Internal, "%s: %v", req.Method, err)
	e.Data.Incident = id
	return e
}

// toError is the error that a client sees, nil for one that nobody classified.
func toError(ctx context.Context, err error) *api.Error {
	var e *api.Error
	switch {
	case errors.As(err, &e):
		return e
	case errors.Is(err, context.DeadlineExceeded):
		return api.Errorf(api.TimedOut, "the time allowed has passed")
	case errors.Is(err, context.Canceled):
		if errors.As(context.Cause(ctx), &e) {
			return e
		}
		if cause := context.Cause(ctx); cause != nil && cause != context.Canceled {
			return api.Errorf(api.Cancelled, "%v", cause)
		}
		return api.Errorf(api.Cancelled, "the request was cancelled")
	}
	return nil
}

type requestKey struct{}

func withRequest(ctx context.Context, req *Request) context.Context {
	return context.WithValue(ctx, requestKey{}, req)
}

// RequestOf is the request that a handler answers, nil elsewhere.
func RequestOf(ctx context.Context) *Request {
	req, _ := ctx.Value(requestKey{}).(*Request)
	return req
}
