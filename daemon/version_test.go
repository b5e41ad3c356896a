package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"strings"
	"sync"
	"testing"

	"github.com/wattd/wattd/rpc"
	"github.com/wattd/wattd/rpc/api"
)

func TestNewer(t *testing.T) {
	for _, tc := range []struct {
		client, server string
		want           bool
	}{
		{"v1.2.3", "v1.2.3", false},
		{"v1.2.4", "v1.2.3", true},
		{"v1.2.3", "v1.2.4", false},
		{"v1.10.0", "v1.9.9", true},
		{"2", "1.9.9", true},
		{"v1.2", "v1.2.0", false},
		{"v1.2.3-4-gabc", "v1.2.3", true},
		{"v1.2.3", "v1.2.3-4-gabc", false},
		{"v1.2.3-10-gabc", "v1.2.3-9-gabc", true},
		{"devel", "devel", false},
		{"devel", "v1.2.3", true},
		{"v1.2.3", "0123abc-dirty", true},
		{"v99999999999999999999", "v1", true},
	} {
		if got := newer(tc.client, tc.server); got != tc.want {
			t.Errorf("newer(%s, %s) = %v", tc.client, tc.server, got)
		}
	}
}

// otherServer answers initialize at an endpoint as a server of another version would, and nothing else.
func otherServer(t *testing.T, e Endpoint, hello string) {
	t.Helper()
	l, _, err := listen(e.Socket)
	if err != nil {
		t.Fatal(err)
	}
	mux := rpc.NewMux()
	mux.HandleFunc("initialize", func(context.Context, *rpc.Request) (any, error) { return json.RawMessage(hello), nil })
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			wg.Go(func() { _ = rpc.Serve(ctx, c, mux, rpc.Options{}) })
		}
	})
	t.Cleanup(func() { l.Close(); cancel(); wg.Wait() })
}

// TestServerOfAnotherMajor: the client goes no further, and names both.
func TestServerOfAnotherMajor(t *testing.T) {
	e := endpoint(t)
	otherServer(t, e, `{"serverInfo":{"name":"wattd","version":"v7.0.1"},"protocol":{"major":9,"minor":2},"capabilities":{}}`)
	_, _, err := (&Client{Endpoint: e, Version: "v1.2.3"}).Connect(soon(t))
	if !errors.Is(err, api.Errorf(api.VersionMismatch, "")) {
		t.Fatal(err)
	}
	for _, want := range []string{"v7.0.1", "9.2", "v1.2.3"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("no %s in: %v", want, err)
		}
	}
}

// TestServerOfAnotherMinor: one that knows less, or more, is used; one that does not tell what it holds is not sent away.
func TestServerOfAnotherMinor(t *testing.T) {
	for _, hello := range []string{
		`{"serverInfo":{"name":"wattd","version":"v0.9.0"},"protocol":{"major":1,"minor":0},"capabilities":{}}`,
		`{"serverInfo":{"name":"wattd","version":"v9.9.9","more":{"a":[1]}},"protocol":{"major":1,"minor":88,"x":1},"capabilities":{"experimental":{"wattd":{"later":true}}},"news":[]}`,
	} {
		e := endpoint(t)
		otherServer(t, e, hello)
		cl, got, err := (&Client{Endpoint: e, Version: "v1.2.3", Start: []string{"/bin/false"}}).Connect(soon(t))
		if err != nil {
			t.Fatal(err)
		}
		cl.Close()
		if v := got.ServerInfo.Version; v != "v0.9.0" && v != "v9.9.9" {
			t.Errorf("version %q", v)
		}
	}
}

// TestClientOfAnotherVersion: of another major it is refused by name; of another minor its new fields are passed over.
func TestClientOfAnotherVersion(t *testing.T) {
	e := endpoint(t)
	serve(t, e, Options{NoWatch: true, Version: "v1.2.3"})
	ask := func(params string) (string, error) {
		c, err := net.Dial("unix", e.Socket)
		if err != nil {
			t.Fatal(err)
		}
		cl := rpc.NewClient(c, rpc.Options{})
		defer cl.Close()
		var r json.RawMessage
		err = cl.Call(soon(t), "initialize", json.RawMessage(params), &r)
		return string(r), err
	}
	_, err := ask(`{"clientInfo":{"name":"nvim","version":"v8"},"protocol":{"major":9,"minor":2}}`)
	if !errors.Is(err, api.Errorf(api.VersionMismatch, "")) {
		t.Fatal(err)
	}
	for _, want := range []string{"nvim v8", "9.2", "wattd v1.2.3"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("no %s in: %v", want, err)
		}
	}
	for _, params := range []string{`{}`, `{"protocol":{"major":1,"minor":77},"telepathy":{"on":true}}`} {
		if r, err := ask(params); err != nil || !strings.Contains(r, `"version":"v1.2.3"`) {
			t.Errorf("%s: %s, %v", params, r, err)
		}
	}
}

// TestOlderClient: it uses the newer server, and does not send it away though it is idle.
func TestOlderClient(t *testing.T) {
	e := endpoint(t)
	first := connect(t, starter(t, e, "v2.0.0"))
	pid := statusOf(t, first).Pid
	first.Close()
	for range 3 {
		cl, hello, err := starter(t, e, "v1.0.0").Connect(soon(t))
		if err != nil {
			t.Fatal(err)
		}
		if got := statusOf(t, cl).Pid; got != pid || hello.ServerInfo.Version != "v2.0.0" {
			t.Errorf("process %d of version %s", got, hello.ServerInfo.Version)
		}
		cl.Close()
	}
}
