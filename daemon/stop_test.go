package daemon

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/wattd/wattd/rpc"
	"github.com/wattd/wattd/rpc/api"
)

// stuck asks for a design whose netlist is a pipe that nobody writes to. It returns once the server reads it; end ends the reading.
func stuck(t *testing.T, ask func(p api.DesignOpenParams)) (p api.DesignOpenParams, end func()) {
	t.Helper()
	dir := mac(t)
	pipe := filepath.Join(dir, "slow.v")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	p = api.DesignOpenParams{Project: filepath.Join(dir, "wattd.toml"), Netlist: []string{pipe}}
	go ask(p)
	w, err := os.OpenFile(pipe, os.O_WRONLY, 0) // returns when the server reads
	if err != nil {
		t.Fatal(err)
	}
	return p, func() { fmt.Fprintln(w, "module m; endmodule"); w.Close() }
}

// asking is a request whose error comes on the channel.
func asking[P, R any](ctx context.Context, cl *rpc.Client, m api.Method[P, R], p P) <-chan error {
	err := make(chan error, 1)
	go func() { _, e := rpc.Do(ctx, cl, m, p); err <- e }()
	return err
}

// TestStopUnderLoad: what is in flight when the server is told to end is finished; then the server ends.
func TestStopUnderLoad(t *testing.T) {
	e := endpoint(t)
	stop := serve(t, e, Options{NoWatch: true})
	cl := connect(t, &Client{Endpoint: e})
	opening := make(chan error, 1)
	_, end := stuck(t, func(p api.DesignOpenParams) { _, err := rpc.Do(soon(t), cl, api.DesignOpen, p); opening <- err })
	stopped := make(chan error, 1)
	go func() { stopped <- stop() }()
	for !errors.Is(<-asking(soon(t), cl, api.DesignList, api.Empty{}), api.Errorf(api.ShuttingDown, "")) { // until it has begun to end
	}
	end()
	if err := <-opening; !errors.Is(err, api.Errorf(api.InputError, "")) { // the answer of a server that goes on
		t.Errorf("in flight: %v", err)
	}
	if err := <-stopped; err != nil {
		t.Error(err)
	}
}

// TestStopIsBounded: what does not end in time is cancelled, and answered so.
func TestStopIsBounded(t *testing.T) {
	e := endpoint(t)
	stop := serve(t, e, Options{NoWatch: true, drain: 1, cancel: 1})
	cl := connect(t, &Client{Endpoint: e})
	opening := make(chan error, 1)
	p, end := stuck(t, func(p api.DesignOpenParams) { _, err := rpc.Do(soon(t), cl, api.DesignOpen, p); opening <- err })
	waiting := asking(soon(t), cl, api.DesignOpen, p)
	running(t, cl, 3)
	if err := stop(); err != nil {
		t.Error(err)
	}
	for _, err := range []error{<-opening, <-waiting} {
		if !errors.Is(err, api.Errorf(api.ShuttingDown, "")) {
			t.Errorf("in flight: %v", err)
		}
	}
	end()
	if err := <-asking(soon(t), cl, api.DesignList, api.Empty{}); !errors.Is(err, api.Errorf(api.ConnectionLost, "")) {
		t.Errorf("after it: %v", err)
	}
}

// running waits until the server runs so many requests of a client, the question included.
func running(t *testing.T, cl *rpc.Client, n int64) {
	t.Helper()
	for ctx := soon(t); ctx.Err() == nil; {
		if statusOf(t, cl).Sessions[0].Running >= n {
			return
		}
	}
	t.Fatal("the requests do not run")
}
