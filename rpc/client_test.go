package rpc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/wattd/wattd/rpc/api"
)

func TestMux(t *testing.T) {
	mux := NewMux()
	told := make(chan bool, 1)
	Register(mux, api.NetActivity, func(_ context.Context, p api.NetActivityParams) (api.NetActivityResult, error) {
		r := api.NetActivityResult{From: *p.From, To: p.Snapshot}
		r.Nets.Rows = []api.ActivityRow{{Net: p.Names[0]}}
		return r, nil
	})
	Register(mux, api.Initialize, func(_ context.Context, p api.InitializeParams) (api.InitializeResult, error) {
		return api.InitializeResult{ServerInfo: p.ClientInfo, Protocol: api.Protocol}, nil
	})
	Register(mux, api.DesignClose, func(ctx context.Context, p api.DesignParams) (api.Empty, error) {
		return api.Empty{}, fmt.Errorf("closing: %w", api.Errorf(api.DesignNotFound, "no design %q", p.Design))
	})
	RegisterNote(mux, api.Exit, func(context.Context, api.Empty) error { told <- true; return nil })
	cl, _ := client(t, mux, Options{})
	ctx := soon(t)
	from := int64(1) << 62
	p := api.NetActivityParams{Selection: api.Selection{Names: []string{"<a>"}}}
	p.From, p.Snapshot = &from, 9
	r, err := Do(ctx, cl, api.NetActivity, p)
	if err != nil || r.From != from || r.To != 9 || r.Nets.Rows[0].Net != "<a>" {
		t.Errorf("%+v, %v", r, err)
	}
	if _, err := Do(ctx, cl, api.DesignClose, api.DesignParams{}); kindOf(err) != string(api.DesignNotFound) {
		t.Error(err)
	}
	if err := Tell(cl, api.Exit, api.Empty{}); err != nil || !<-told {
		t.Error(err)
	}
	for _, tc := range []struct{ method, params, want string }{
		{"net/activity", `{"nmaes":["a"]}`, `there is no param "nmaes"`},
		{"net/activity", `{"names":"a"}`, "names is a string, where the method takes array"},
		{"net/activity", `{"limit":1.5}`, "limit is a number 1.5, where the method takes integer"},
		{"net/activity", `{"limit":-3}`, "limit is -3"},
		{"net/activity", `[1]`, "params are an object"},
		{"net/waveform", `{}`, `no method "net/waveform"`},
	} {
		err := cl.Call(ctx, tc.method, json.RawMessage(tc.params), nil)
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s %s: %v", tc.method, tc.params, err)
		}
	}
	var e *api.Error
	if err := cl.Call(ctx, "power/activity", nil, nil); !errors.As(err, &e) || !slices.Contains(e.Data.Candidates, "net/activity") {
		t.Errorf("candidates: %v", e)
	}
	// LSP clients send more to initialize than we know
	var init api.InitializeResult
	if err := cl.Call(ctx, "initialize", json.RawMessage(`{"clientInfo":{"name":"vi"},"rootUri":null,"capabilities":{}}`), &init); err != nil || init.ServerInfo.Name != "vi" {
		t.Errorf("%+v, %v", init, err)
	}
	if diff := cmp.Diff([]string{"design/close", "exit", "initialize", "net/activity"}, mux.Methods()); diff != "" {
		t.Error(diff)
	}
}

// TestDeadlineOfClient: a call that its client gives up is cancelled at the server.
func TestDeadlineOfClient(t *testing.T) {
	running := make(chan struct{})
	cancelled := make(chan error, 1)
	cl, _ := client(t, handlers{"hang": func(ctx context.Context, _ *Request) (any, error) {
		close(running)
		<-ctx.Done()
		cancelled <- context.Cause(ctx)
		return nil, ctx.Err()
	}}, Options{})
	ctx, cancel := context.WithCancel(context.Background())
	go func() { <-running; cancel() }()
	if err := cl.Call(ctx, "hang", nil, nil); kindOf(err) != string(api.Cancelled) {
		t.Error(err)
	}
	if err := <-cancelled; err != errCancel {
		t.Errorf("cancelled by %v", err)
	}
	if err := cl.Call(ctx, "hang", nil, nil); kindOf(err) != string(api.Cancelled) {
		t.Errorf("with a context that is over: %v", err)
	}
}

func TestLostServer(t *testing.T) {
	running := make(chan struct{})
	cl, s := client(t, handlers{"hang": func(ctx context.Context, _ *Request) (any, error) {
		close(running)
		<-ctx.Done()
		return nil, ctx.Err()
	}}, Options{})
	go func() { <-running; s.Conns()[0].Close() }()
	if err := cl.Call(soon(t), "hang", nil, nil); kindOf(err) != string(api.ConnectionLost) {
		t.Error(err)
	}
	<-cl.Done()
	if err := cl.Call(soon(t), "hang", nil, nil); kindOf(err) != string(api.ConnectionLost) {
		t.Error(err)
	}
}

func TestProgress(t *testing.T) {
	h := handlers{"work": func(ctx context.Context, _ *Request) (any, error) {
		p := StartProgress(ctx, "working")
		p.Report(10, "first")
		p.Report(20, "comes too fast")
		p.mu.Lock()
		p.last = p.last.Add(-time.Hour)
		p.mu.Unlock()
		p.Report(5, "goes back")
		p.End("done")
		p.Report(99, "late")
		return 7, nil
	}}
	cl, _ := client(t, h, Options{})
	var got []string
	report := func(v api.ProgressValue) {
		at := -1
		if v.Percentage != nil {
			at = *v.Percentage
		}
		got = append(got, fmt.Sprint(v.Kind, " ", v.Title, v.Message, " ", at))
	}
	var n int
	if err := cl.CallWithProgress(soon(t), "work", map[string]int{"x": 1}, &n, report); err != nil || n != 7 {
		t.Error(n, err)
	}
	if diff := cmp.Diff([]string{"begin working -1", "report first 10", "report goes back 10", "end done -1"}, got); diff != "" {
		t.Error(diff)
	}
	if err := cl.Call(soon(t), "work", nil, &n); err != nil || n != 7 {
		t.Errorf("without a token: %v", err)
	}
	if err := cl.CallWithProgress(soon(t), "work", []int{1}, &n, report); err == nil {
		t.Error("params that are no object are accepted")
	}
	p := StartProgress(context.Background(), "outside of a request")
	p.Report(1, "")
	p.End("")
}

// TestNotificationsOfClient: those that nobody takes are dropped, oldest first, and the next one says so.
func TestNotificationsOfClient(t *testing.T) {
	const n = notifications + 10
	h := handlers{"go": func(_ context.Context, req *Request) (any, error) {
		for i := range n {
			if err := req.Conn.Notify("n", []int{i}); err != nil {
				return nil, err
			}
		}
		return nil, nil
	}}
	cl, _ := client(t, h, Options{})
	if err := cl.Call(soon(t), "go", nil, nil); err != nil {
		t.Fatal(err)
	}
	var last, overflows int
	for i := range notifications {
		note := <-cl.Notifications()
		if err := json.Unmarshal(note.Params, &[]*int{&last}); err != nil || last != i+10 {
			t.Fatalf("number %d is %s", i, note.Params)
		}
		if note.Overflow {
			overflows++
		}
	}
	if overflows != 10 || last != n-1 {
		t.Errorf("%d overflows, the last is %d", overflows, last)
	}
}

// TestCallsToClients: a server may ask its client; ours says that it answers nothing.
func TestCallsToClients(t *testing.T) {
	h := handlers{"ask": func(ctx context.Context, req *Request) (any, error) {
		return nil, req.Conn.Call(ctx, "workspace/configuration", nil, nil)
	}}
	cl, _ := client(t, h, Options{})
	if err := cl.Call(soon(t), "ask", nil, nil); kindOf(err) != string(api.MethodNotFound) {
		t.Error(err)
	}
}

// TestLargeMessages pass whole in both directions, and are refused above the limit.
func TestLargeMessages(t *testing.T) {
	cl, _ := client(t, handlers{
		"echo": echo["echo"],
		"more": func(context.Context, *Request) (any, error) { return strings.Repeat("x", 3<<20), nil },
	}, Options{MaxMessage: 2 << 20, QueueBytes: 1 << 20})
	in := []string{strings.Repeat("ä<\\", 256<<10)}
	var out []string
	if err := cl.Call(soon(t), "echo", in, &out); err != nil || !slices.Equal(in, out) {
		t.Errorf("%d bytes come back as %v, %v", len(in[0]), len(out), err)
	}
	if err := cl.Call(soon(t), "more", nil, nil); kindOf(err) != string(api.TooLarge) {
		t.Error(err)
	}
}

func TestOptions(t *testing.T) {
	l := Options{MaxBatch: 7}.Limits()
	if diff := cmp.Diff(api.Limits{MessageBytes: 256 << 20, Batch: 7, Concurrent: 8, Waiting: 1024, PageRows: api.MaxLimit}, l); diff != "" {
		t.Error(diff)
	}
}

func TestOpened(t *testing.T) {
	type name struct{}
	h := handlers{"who": func(ctx context.Context, _ *Request) (any, error) { return ctx.Value(name{}), nil }}
	var n atomic.Int64
	opt := Options{Opened: func(ctx context.Context, _ *Conn) context.Context { return context.WithValue(ctx, name{}, n.Add(1)) }}
	cl, _ := client(t, h, opt)
	var got int
	if err := cl.Call(soon(t), "who", nil, &got); err != nil || got != 1 {
		t.Error(got, err)
	}
}

func TestDialFails(t *testing.T) {
	if _, err := Dial(soon(t), "unix", t.TempDir()+"/nobody", Options{}); err == nil {
		t.Error("dialled nobody")
	}
}

// BenchmarkEcho is a round trip through a socket, and the throughput of large params.
func BenchmarkEcho(b *testing.B) {
	for _, size := range []int{16, 1 << 20} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			a, c := socketPair(b)
			_ = a.SetDeadline(time.Time{})
			done := make(chan struct{})
			go func() { _ = Serve(context.Background(), c, echo, Options{Log: quiet()}); close(done) }()
			cl := NewClient(a, Options{Log: quiet()})
			params := json.RawMessage(`["` + strings.Repeat("x", size) + `"]`)
			b.SetBytes(int64(2 * size))
			for b.Loop() {
				if err := cl.Call(context.Background(), "echo", params, nil); err != nil {
					b.Fatal(err)
				}
			}
			cl.Close()
			<-done
		})
	}
}
