package daemon

import (
	"context"
	"errors"
	"testing"

	"github.com/wattd/wattd/rpc"
	"github.com/wattd/wattd/rpc/api"
)

// holdingHandler answers design/list when the test says so, or when the request is cancelled, and server/metrics only when the test says so.
type holdingHandler struct {
	rpc.Handler
	begun, goOn chan struct{}
}

func (h *holdingHandler) Handle(ctx context.Context, req *rpc.Request) (any, error) {
	cancelled := ctx.Done()
	switch req.Method {
	case api.ServerMetrics.Name():
		cancelled = nil
	case api.DesignList.Name():
	default:
		return h.Handler.Handle(ctx, req)
	}
	h.begun <- struct{}{}
	select {
	case <-h.goOn:
		return struct{}{}, nil
	case <-cancelled:
		return nil, ctx.Err()
	}
}

func holding(opt Options) (Options, *holdingHandler) {
	h := &holdingHandler{begun: make(chan struct{}), goOn: make(chan struct{})}
	opt.NoWatch = true
	opt.between = func(inner rpc.Handler) rpc.Handler { h.Handler = inner; return h }
	return opt, h
}

// asking is a request whose error comes on the channel.
func asking(t *testing.T, cl *rpc.Client, method string) <-chan error {
	t.Helper()
	ctx := soon(t)
	err := make(chan error, 1)
	go func() { err <- cl.Call(ctx, method, nil, nil) }()
	return err
}

// TestStopUnderLoad: what is in flight when the server is told to end is finished; then the server ends.
func TestStopUnderLoad(t *testing.T) {
	e := endpoint(t)
	opt, h := holding(Options{})
	stop := serve(t, e, opt)
	clients := make([]*rpc.Client, 4)
	var flying []<-chan error
	for i := range clients {
		clients[i] = connect(t, &Client{Endpoint: e})
		for range 5 {
			flying = append(flying, asking(t, clients[i], api.DesignList.Name()))
			<-h.begun
		}
	}
	stopped := make(chan error, 1)
	go func() { stopped <- stop() }()
	for _, cl := range clients { // until it has begun to end, and takes nothing new
		for !errors.Is(<-asking(t, cl, api.ServerStatus.Name()), api.Errorf(api.ShuttingDown, "")) {
		}
	}
	close(h.goOn)
	for _, err := range flying {
		if err := <-err; err != nil {
			t.Errorf("in flight: %v", err)
		}
	}
	if err := <-stopped; err != nil {
		t.Error(err)
	}
	if _, err := (&Client{Endpoint: e}).Dial(soon(t)); !errors.Is(err, ErrNone) {
		t.Error(err)
	}
}

// TestStopIsBounded: what does not end in time is cancelled, and answered so. What does not even heed that is left behind.
func TestStopIsBounded(t *testing.T) {
	e := endpoint(t)
	opt, h := holding(Options{drain: 1, cancel: 1})
	stop := serve(t, e, opt)
	a, b := connect(t, &Client{Endpoint: e}), connect(t, &Client{Endpoint: e})
	heeds := asking(t, a, api.DesignList.Name())
	<-h.begun
	deaf := asking(t, b, api.ServerMetrics.Name())
	<-h.begun
	if err := stop(); err != nil {
		t.Error(err)
	}
	if err := <-heeds; !errors.Is(err, api.Errorf(api.ShuttingDown, "")) {
		t.Errorf("what heeds it: %v", err)
	}
	if err := <-deaf; !errors.Is(err, api.Errorf(api.ConnectionLost, "")) {
		t.Errorf("what does not: %v", err)
	}
	close(h.goOn)
}

// TestServerThatEnds: who connects to a server that is about to be gone gets the next one.
func TestServerThatEnds(t *testing.T) {
	e := endpoint(t)
	if err := e.prepare(); err != nil {
		t.Fatal(err)
	}
	l, ino, err := listen(e.Socket)
	if err != nil {
		t.Fatal(err)
	}
	gone := make(chan struct{})
	go func() { // takes one client and dies
		defer close(gone)
		if c, err := l.Accept(); err == nil {
			c.Close()
		}
		l.Close()
		removeOurs(e.Socket, ino)
	}()
	cl := connect(t, starter(t, e, "1"))
	<-gone
	statusOf(t, cl)
}
