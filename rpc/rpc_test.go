package rpc

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"math"
	"net"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/wattd/wattd/rpc/api"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// patience bounds what a test waits for that must happen; it is no measure of anything.
const patience = 20 * time.Second

func quiet() *slog.Logger { return slog.New(slog.NewTextHandler(io.Discard, nil)) }

// handlers are the methods of the tests.
type handlers map[string]func(context.Context, *Request) (any, error)

func (h handlers) Handle(ctx context.Context, req *Request) (any, error) {
	if fn := h[req.Method]; fn != nil {
		return fn(ctx, req)
	}
	return nil, api.Errorf(api.MethodNotFound, "no method %q", req.Method)
}

var echo = handlers{
	"echo":  func(_ context.Context, req *Request) (any, error) { return req.Params, nil },
	"nan":   func(context.Context, *Request) (any, error) { return math.NaN(), nil },
	"panic": func(context.Context, *Request) (any, error) { panic("oh") },
	"plain": func(context.Context, *Request) (any, error) { return nil, errors.New("unclassified") },
	"fail": func(context.Context, *Request) (any, error) {
		return nil, api.Errorf(api.NameNotFound, "no net <x>").WithCandidates("y")
	},
	"hang": func(ctx context.Context, _ *Request) (any, error) { <-ctx.Done(); return nil, ctx.Err() },
}

// session serves one end of a Unix socket and gives the test the other.
func session(t *testing.T, h Handler, opt Options) (*net.UnixConn, *Server) {
	t.Helper()
	if opt.Log == nil {
		opt.Log = quiet()
	}
	a, b := socketPair(t)
	s := NewServer(h, opt)
	var wg sync.WaitGroup
	wg.Go(func() { _ = s.Serve(context.Background(), b) })
	t.Cleanup(func() { a.Close(); wg.Wait() })
	return a, s
}

func socketPair(t testing.TB) (a, b *net.UnixConn) {
	t.Helper()
	addr := &net.UnixAddr{Name: filepath.Join(t.TempDir(), "s"), Net: "unix"}
	l, err := net.ListenUnix("unix", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if a, err = net.DialUnix("unix", nil, addr); err != nil {
		t.Fatal(err)
	}
	if b, err = l.AcceptUnix(); err != nil {
		t.Fatal(err)
	}
	_ = a.SetDeadline(time.Now().Add(patience))
	return a, b
}

// client serves one end and makes a Client of the other.
func client(t *testing.T, h Handler, opt Options) (*Client, *Server) {
	t.Helper()
	conn, s := session(t, h, opt)
	_ = conn.SetDeadline(time.Time{})
	cl := NewClient(conn, Options{Log: quiet()})
	t.Cleanup(cl.Close)
	return cl, s
}

func soon(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	t.Cleanup(cancel)
	return ctx
}

// kindOf is the kind of an error, or the text of one that has none.
func kindOf(err error) string {
	var e *api.Error
	switch {
	case err == nil:
		return "ok"
	case errors.As(err, &e):
		return string(e.Kind())
	}
	return err.Error()
}

// brief puts an answer in a form for tables: its id and its result, or the kind of its error.
func brief(line []byte) string {
	if line = bytes.TrimSpace(line); len(line) > 0 && line[0] == '[' {
		var all []json.RawMessage
		if err := json.Unmarshal(line, &all); err != nil {
			return err.Error()
		}
		var out []string
		for _, a := range all {
			out = append(out, brief(a))
		}
		return "[" + strings.Join(out, " ") + "]"
	}
	var a struct {
		JSONRPC string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Result  json.RawMessage `json:"result"`
		Error   *api.Error      `json:"error"`
	}
	if err := json.Unmarshal(line, &a); err != nil || a.JSONRPC != "2.0" {
		return "not an answer: " + string(line)
	}
	if a.Error != nil {
		return string(a.ID) + ":" + string(a.Error.Kind())
	}
	return string(a.ID) + "=" + string(a.Result)
}

// answers reads n answers in lines.
func answers(t *testing.T, conn io.Reader, n int) []string {
	t.Helper()
	var out []string
	r := bufio.NewReader(conn)
	for range n {
		line, err := r.ReadBytes('\n')
		if err != nil {
			t.Fatalf("after %q: %v", out, err)
		}
		out = append(out, brief(line))
	}
	return out
}

func send(t *testing.T, w io.Writer, text string) {
	t.Helper()
	if _, err := io.WriteString(w, text); err != nil {
		t.Fatal(err)
	}
}

const ping = `{"jsonrpc":"2.0","id":"ping","method":"echo","params":{"a":1}}`

const pong = `"ping"={"a":1}`
