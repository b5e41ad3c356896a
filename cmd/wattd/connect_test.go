package main

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/wattd/wattd/daemon"
)

// TestConnectTCP: standard input and output are joined to a server on the loopback, in both forms; without its token they are not.
func TestConnectTCP(t *testing.T) {
	dir, err := os.MkdirTemp("/tmp", "wd") // short enough for a socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	t.Setenv("WATTD_RUNTIME_DIR", dir)
	t.Setenv("WATTD_CACHE_DIR", dir+"/cache")
	e, err := daemon.Find()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 60*time.Second)
	defer cancel()
	up, ended := make(chan struct{}), make(chan error, 1)
	var serving bytes.Buffer // the address stands in the log
	log := slog.New(slog.NewTextHandler(&serving, nil))
	go func() {
		ended <- daemon.Serve(ctx, e, daemon.Options{NoWatch: true, TCP: "127.0.0.1:0", Log: log, Ready: func() { close(up) }})
	}()
	select {
	case <-up:
	case err := <-ended:
		t.Fatal(err)
	}
	_, address, _ := strings.Cut(serving.String(), "tcp=")
	address = strings.TrimSpace(address)
	run := func(in string, args ...string) (string, error) {
		var out bytes.Buffer
		c := newRoot()
		c.SetArgs(append([]string{"connect", "--stdio"}, args...))
		c.SetIn(strings.NewReader(in))
		c.SetOut(&out)
		err := c.ExecuteContext(ctx)
		return out.String(), err
	}
	hello := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}` + "\n"
	if out, err := run(hello, "--tcp", address, "--token", e.Token); err != nil || !strings.Contains(out, `"serverInfo"`) {
		t.Errorf("json: %q, %v", out, err)
	}
	if out, err := run("design/list {}\n", "--format", "tcl", "--tcp", address, "--token", e.Token); err != nil || !strings.HasPrefix(out, "ok ") {
		t.Errorf("tcl: %q, %v", out, err)
	}
	if _, err := run(hello, "--tcp", address, "--token", dir+"/none"); err == nil || !strings.Contains(err.Error(), "the token") {
		t.Error(err)
	}
	if _, err := run(hello, "--tcp", address); err == nil || !strings.Contains(err.Error(), "go together") {
		t.Error(err)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
