package rpc

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/wattd/wattd/rpc/api"
)

// TestOrder: requests are admitted, and notifications applied, in the order in which they came, while they are answered as
// they get ready.
func TestOrder(t *testing.T) {
	state := 0 // of the reading goroutine
	type snapshot struct{}
	var mu sync.Mutex
	ran := 0
	last := make(chan struct{})
	const n = 500
	h := handlers{
		"set": func(_ context.Context, req *Request) (any, error) {
			return nil, json.Unmarshal(req.Params, &[]*int{&state})
		},
		"get": func(ctx context.Context, req *Request) (any, error) {
			mu.Lock()
			if ran++; ran == n {
				close(last)
			}
			mu.Unlock()
			if req.ID == "0" { // the first one waits for all others
				<-last
			}
			return ctx.Value(snapshot{}), nil
		},
	}
	released := atomic.Int64{}
	conn, _ := session(t, h, Options{Admit: func(ctx context.Context, req *Request) (context.Context, func(), error) {
		return context.WithValue(ctx, snapshot{}, state), func() { released.Add(1) }, nil
	}})
	go func() {
		for i := range n {
			fmt.Fprintf(conn, `{"jsonrpc":"2.0","method":"set","params":[%d]}`+"\n", i)
			fmt.Fprintf(conn, `{"jsonrpc":"2.0","id":%d,"method":"get"}`+"\n", i)
		}
	}()
	got := answers(t, conn, n)
	seen := map[string]bool{}
	for i := range n {
		seen[fmt.Sprintf("%d=%d", i, i)] = true
	}
	for _, a := range got {
		if !seen[a] {
			t.Fatalf("answer %s", a)
		}
		delete(seen, a)
	}
	if at := slices.Index(got, "0=0"); at < n-8 { // those that run beside it may be answered later
		t.Errorf("the first request was answered as number %d", at)
	}
	conn.Close()
	eventually(t, "all snapshots to be released", func() bool { return released.Load() == n })
}

// eventually waits for what has to come.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !ok(); {
		if time.Now().After(end) {
			t.Fatal("waited in vain for " + what)
		}
		time.Sleep(time.Millisecond)
	}
}

func TestAdmitRefuses(t *testing.T) {
	conn, _ := session(t, echo, Options{Admit: func(_ context.Context, req *Request) (context.Context, func(), error) {
		switch req.ID {
		case "1":
			return nil, nil, api.Errorf(api.StaleSnapshot, "gone")
		case "2":
			return nil, nil, errors.New("unclassified")
		}
		panic("oh")
	}})
	send(t, conn, request("1", "echo", "{}")+"\n"+request("2", "echo", "{}")+"\n"+request("3", "echo", "{}")+"\n")
	if diff := cmp.Diff([]string{"1:stale-snapshot", "2:internal", "3:internal"}, answers(t, conn, 3)); diff != "" {
		t.Error(diff)
	}
}

// TestCancel: by id, of either type, waiting or running; the id is free afterwards.
func TestCancel(t *testing.T) {
	conn, s := session(t, echo, Options{Concurrent: 1})
	send(t, conn, request(`"a"`, "hang", "{}")+"\n"+request("1", "echo", "{}")+"\n"+request(`"1"`, "echo", "{}")+"\n")
	send(t, conn, `{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":1}}`+"\n")
	r := bufio.NewReader(conn)
	next := func() string {
		line, err := r.ReadBytes('\n')
		if err != nil {
			t.Fatal(err)
		}
		return brief(line)
	}
	if got := next(); got != "1:cancelled" {
		t.Errorf("cancelled while it waits: %s", got)
	}
	send(t, conn, request(`"a"`, "echo", "{}")+"\n")
	if got := next(); got != `"a":invalid-request` {
		t.Errorf("an id in use: %s", got)
	}
	send(t, conn, `{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":"\u0061"}}`+"\n")
	if got := next(); got != `"a":cancelled` {
		t.Errorf("cancelled while it runs: %s", got)
	}
	if got := next(); got != `"1"={}` {
		t.Errorf("behind it: %s", got)
	}
	send(t, conn, request(`"a"`, "echo", "{}")+"\n")
	if got := next(); got != `"a"={}` {
		t.Errorf("the id again: %s", got)
	}
	if st := s.Conns()[0].Stats(); st.Waiting != 0 || st.BytesIn == 0 || st.BytesOut == 0 {
		t.Errorf("%+v", st)
	}
}

func TestDeadlines(t *testing.T) {
	conn, _ := session(t, echo, Options{Concurrent: 1, MaxTimeout: 50 * time.Millisecond})
	send(t, conn, request("1", "hang", "{}")+"\n") // cut by MaxTimeout
	send(t, conn, request("2", "echo", `{"timeoutMs":1}`)+"\n")
	send(t, conn, request("3", "hang", `{"timeoutMs":9000000000000000000}`)+"\n")
	got := answers(t, conn, 3)
	slices.Sort(got[1:]) // both have the longest time that there is
	if diff := cmp.Diff([]string{"2:timed-out", "1:timed-out", "3:timed-out"}, got); diff != "" {
		t.Error(diff)
	}
	conn, _ = session(t, echo, Options{DefaultTimeout: time.Millisecond})
	send(t, conn, request("1", "hang", "{}")+"\n")
	if got = answers(t, conn, 1); got[0] != "1:timed-out" {
		t.Error(got)
	}
}

func TestBusy(t *testing.T) {
	conn, s := session(t, echo, Options{Concurrent: 1, Waiting: 2, Total: 1})
	send(t, conn, request("0", "hang", "{}")+"\n")
	eventually(t, "the request to run", func() bool {
		return len(s.Conns()) == 1 && s.Conns()[0].Stats().Running == 1 && s.Conns()[0].Stats().Waiting == 0
	})
	var all strings.Builder
	for i := range 10 {
		all.WriteString(request(fmt.Sprint(i+1), "echo", "{}") + "\n")
	}
	send(t, conn, all.String())
	busy := answers(t, conn, 8)
	for _, a := range busy {
		if !strings.HasSuffix(a, ":busy") {
			t.Errorf("answer %s", a)
		}
	}
	send(t, conn, `{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":0}}`+"\n")
	if diff := cmp.Diff([]string{"0:cancelled", "1={}", "2={}"}, answers(t, conn, 3)); diff != "" {
		t.Error(diff)
	}
}

// TestSlowReader: a peer that does not read holds up nobody but itself, and is cut off.
func TestSlowReader(t *testing.T) {
	a, b := net.Pipe()
	big := strings.Repeat("x", 1<<20)
	var mu sync.Mutex
	answered := 0
	h := handlers{"big": func(context.Context, *Request) (any, error) {
		mu.Lock()
		defer mu.Unlock()
		answered++
		return big, nil
	}}
	done := make(chan error, 1)
	go func() {
		done <- Serve(context.Background(), b, h, Options{Log: quiet(), QueueBytes: 2 << 20, WriteTimeout: 50 * time.Millisecond})
	}()
	for i := range 20 {
		fmt.Fprintln(a, request(fmt.Sprint(i), "big", "{}"))
	}
	select {
	case err := <-done:
		if err != errSlow {
			t.Errorf("ended by %v", err)
		}
	case <-time.After(patience):
		t.Fatal("is not cut off")
	}
	if answered > 12 { // 2 in the queue, and 8 that wait for room
		t.Errorf("%d answers were made for a peer that does not read", answered)
	}
	a.Close()
}

// TestOverflow: notifications that a peer does not read are dropped, oldest first, by key, and the next one says so. What may
// not be dropped is not.
func TestOverflow(t *testing.T) {
	a, b := net.Pipe()
	s := NewServer(echo, Options{Log: quiet(), Notifications: 3})
	served := make(chan struct{})
	go func() { _ = s.Serve(context.Background(), b); close(served) }()
	eventually(t, "the connection", func() bool { return len(s.Conns()) == 1 })
	c := s.Conns()[0]
	if err := c.Notify("first", map[string]int{}); err != nil { // is being written, as nobody reads
		t.Fatal(err)
	}
	eventually(t, "the first to be taken", func() bool {
		c.stream.writer.mu.Lock()
		defer c.stream.writer.mu.Unlock()
		return len(c.stream.writer.queue) == 0
	})
	for i := range 5 {
		if err := c.Publish("x", "x", map[string]int{"i": i}); err != nil {
			t.Fatal(err)
		}
		if err := c.Notify("kept", []int{i}); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Publish("y", "y", struct{}{}); err != nil {
		t.Fatal(err)
	}
	if err := c.Publish("y", "y", []int{1}); err == nil {
		t.Error("params that are no object are accepted")
	}
	if n := c.Stats().Dropped; n != 3 {
		t.Errorf("%d dropped", n)
	}
	r := bufio.NewReader(a)
	var got []string
	for range 9 {
		line, err := r.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		var n struct {
			Method string
			Params json.RawMessage
		}
		if err := json.Unmarshal([]byte(line), &n); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		got = append(got, n.Method+string(n.Params))
	}
	want := []string{"first{}", "kept[0]", "kept[1]", "kept[2]", `x{"overflow":true,"i":3}`, "kept[3]", `x{"i":4}`, "kept[4]", `y{}`}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	a.Close()
	<-served
	if err := c.Notify("late", nil); err == nil {
		t.Error("a closed connection takes notifications")
	}
}

// TestOverflowOfEmptyParams: the mark makes valid JSON of empty params too, in both framings.
func TestOverflowOfEmptyParams(t *testing.T) {
	for _, framing := range []Framing{Lines, Headers} {
		w := &writer{lost: map[string]bool{"k": true}, loose: 2, framing: new(atomic.Int32)}
		w.framing.Store(int32(framing))
		for _, params := range []string{`{}`, `{"a":1}`} {
			w.lost["k"] = true
			b := w.encode(nil, &frame{body: []byte(`{"params":`), params: []byte(params), key: "k", droppable: true})
			f := frames{max: 1000, r: bufio.NewReader(bytes.NewReader(b))}
			body, err := f.next()
			var v struct{ Params struct{ Overflow bool } }
			if err != nil || json.Unmarshal(body, &v) != nil || !v.Params.Overflow {
				t.Errorf("%q: %v", b, err)
			}
		}
	}
}

// TestHalfClose: what was asked before the peer stopped sending is answered.
func TestHalfClose(t *testing.T) {
	gate := make(chan struct{})
	h := handlers{"wait": func(context.Context, *Request) (any, error) { <-gate; return "done", nil }}
	conn, s := session(t, h, Options{Linger: time.Nanosecond})
	send(t, conn, request("1", "wait", "{}"))
	if err := conn.CloseWrite(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the request to run", func() bool { return len(s.Conns()) == 1 && s.Conns()[0].Stats().Running == 1 })
	close(gate)
	all, err := io.ReadAll(conn)
	if err != nil || brief(all) != `1="done"` {
		t.Errorf("%q, %v", all, err)
	}
}

// TestHangUp: what a peer that is gone has asked is cancelled.
func TestHangUp(t *testing.T) {
	for name, dial := range map[string]func() (net.Conn, net.Conn){
		"unix": func() (net.Conn, net.Conn) { a, b := socketPair(t); return a, b },
		"pipe": func() (net.Conn, net.Conn) { return net.Pipe() },
	} {
		t.Run(name, func(t *testing.T) {
			a, b := dial()
			running := make(chan struct{})
			h := handlers{"hang": func(ctx context.Context, _ *Request) (any, error) {
				close(running)
				<-ctx.Done()
				return nil, ctx.Err()
			}}
			done := make(chan error, 1)
			go func() {
				done <- Serve(context.Background(), b, h, Options{Log: quiet(), Linger: 10 * time.Millisecond})
			}()
			fmt.Fprintln(a, request("1", "hang", "{}"))
			<-running
			a.Close()
			select {
			case <-done:
			case <-time.After(patience):
				t.Fatal("the request goes on")
			}
		})
	}
}

// TestStalledMessage: a message that has begun must go on; silence between messages is fine.
func TestStalledMessage(t *testing.T) {
	a, b := socketPair(t)
	done := make(chan error, 1)
	go func() {
		done <- Serve(context.Background(), b, echo, Options{Log: quiet(), ReadTimeout: 30 * time.Millisecond})
	}()
	send(t, a, headed(ping)+"\n")
	readHeaded(t, bufio.NewReader(a))
	select {
	case err := <-done:
		t.Fatalf("silence ended the connection: %v", err)
	case <-time.After(100 * time.Millisecond):
	}
	send(t, a, "Content-Le")
	if err := <-done; err != errStalled {
		t.Errorf("ended by %v", err)
	}
	a.Close()
}

func TestShutdown(t *testing.T) {
	gate, running := make(chan struct{}), make(chan struct{})
	h := handlers{"wait": func(context.Context, *Request) (any, error) { close(running); <-gate; return "done", nil }}
	conn, s := session(t, h, Options{})
	send(t, conn, request("1", "wait", "{}")+"\n")
	<-running
	down := make(chan struct{})
	go func() { s.Shutdown(soon(t)); close(down) }()
	eventually(t, "the drain", func() bool {
		c := s.Conns()[0]
		c.mu.Lock()
		defer c.mu.Unlock()
		return c.draining
	})
	send(t, conn, request("2", "wait", "{}")+"\n")
	if got := answers(t, conn, 1); got[0] != "2:shutting-down" {
		t.Error(got)
	}
	close(gate)
	if got := answers(t, conn, 1); got[0] != `1="done"` {
		t.Error(got)
	}
	<-down
	if _, err := conn.Read(make([]byte, 1)); err != io.EOF {
		t.Errorf("after the shutdown: %v", err)
	}
	a, b := socketPair(t)
	defer a.Close()
	if err := s.Serve(context.Background(), b); kindOf(err) != string(api.ShuttingDown) {
		t.Errorf("a new connection: %v", err)
	}
}

// TestShutdownIsBounded: requests that do not end are cancelled when the time is over.
func TestShutdownIsBounded(t *testing.T) {
	conn, s := session(t, echo, Options{})
	send(t, conn, request("1", "hang", "{}")+"\n")
	eventually(t, "the request to run", func() bool { return len(s.Conns()) == 1 && s.Conns()[0].Stats().Running == 1 })
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
	defer cancel()
	s.Shutdown(ctx)
	eventually(t, "the connection to end", func() bool { return len(s.Conns()) == 0 })
}

func TestContextEndsServe(t *testing.T) {
	a, b := socketPair(t)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- Serve(ctx, b, echo, Options{Log: quiet()}) }()
	send(t, a, request("1", "hang", "{}")+"\n")
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
	a.Close()
}

// TestPanicsAreLogged: the client gets an id under which the log has the stack.
func TestPanicsAreLogged(t *testing.T) {
	var log bytes.Buffer
	cl, _ := client(t, echo, Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
	err := cl.Call(soon(t), "panic", nil, nil)
	var e *api.Error
	if !errors.As(err, &e) || e.Kind() != api.Internal || e.Data.Incident == "" {
		t.Fatalf("%v", err)
	}
	if text := log.String(); !strings.Contains(text, e.Data.Incident) || !strings.Contains(text, "rpc_test.go") {
		t.Errorf("the log has no stack under %s: %s", e.Data.Incident, text)
	}
}

type explosive struct{}

func (explosive) MarshalJSON() ([]byte, error) { panic("oh") }

// TestPanicsOutsideOfHandlers: in the encoding of a result, and in the release of what Admit took.
func TestPanicsOutsideOfHandlers(t *testing.T) {
	conn, _ := session(t, handlers{
		"encode": func(context.Context, *Request) (any, error) { return explosive{}, nil },
		"refuse": func(_ context.Context, req *Request) (any, error) { req.Conn.Refuse(); return 1, nil },
		"echo":   echo["echo"],
	}, Options{Admit: func(ctx context.Context, _ *Request) (context.Context, func(), error) {
		return ctx, func() { panic("oh") }, nil
	}})
	for in, want := range map[string]string{"encode": "1:internal", "echo": "1={}"} {
		send(t, conn, request("1", in, "{}")+"\n")
		if got := answers(t, conn, 1); got[0] != want {
			t.Errorf("%s: %s", in, got[0])
		}
	}
	send(t, conn, request("1", "refuse", "{}")+"\n")
	if got := answers(t, conn, 1); got[0] != "1=1" {
		t.Error(got)
	}
	send(t, conn, request("1", "echo", "{}")+"\n")
	if got := answers(t, conn, 1); got[0] != "1:shutting-down" {
		t.Error(got)
	}
}

// TestManyClients: 64 connections with mixed requests, cancels and half-closed ends; each answer is right or a clean error.
func TestManyClients(t *testing.T) {
	h := handlers{
		"echo": echo["echo"], "fail": echo["fail"], "panic": echo["panic"], "hang": echo["hang"],
		"tell": func(_ context.Context, req *Request) (any, error) {
			return nil, req.Conn.Publish("t", "told", map[string]string{"id": req.ID})
		},
	}
	requests := 80
	if testing.Short() {
		requests = 20
	}
	s := NewServer(h, Options{Log: quiet(), Total: 16, Waiting: 64})
	var served, clients sync.WaitGroup
	var busy, right atomic.Int64
	for n := range 64 {
		a, b := socketPair(t)
		_ = a.SetDeadline(time.Time{})
		served.Go(func() { _ = s.Serve(context.Background(), b) })
		clients.Go(func() {
			rng := rand.New(rand.NewPCG(1, uint64(n)))
			framing := []Framing{Lines, Headers}[n%2]
			cl := NewClient(a, Options{Log: quiet(), Framing: framing})
			defer cl.Close()
			var calls sync.WaitGroup
			for i := range requests {
				what := rng.IntN(20)
				early := time.Duration(rng.IntN(2000)) * time.Microsecond
				calls.Go(func() {
					ctx := soon(t)
					method, want := "echo", "ok"
					var got []int
					switch {
					case what == 0:
						method, want = "fail", string(api.NameNotFound)
					case what == 1:
						method, want = "panic", string(api.Internal)
					case what == 2:
						method = "tell"
					case what < 6:
						var stop context.CancelFunc
						ctx, stop = context.WithTimeout(ctx, early)
						defer stop()
						method, want = "hang", string(api.TimedOut)
					}
					var err error
					if method == "echo" {
						err = cl.Call(ctx, method, []int{n, i}, &got)
					} else {
						err = cl.Call(ctx, method, nil, nil)
					}
					switch kind := kindOf(err); {
					case kind == string(api.Busy):
						busy.Add(1)
					case kind != want:
						t.Errorf("client %d, request %d: %s gives %v", n, i, method, err)
					case method == "echo" && (len(got) != 2 || got[0] != n || got[1] != i):
						t.Errorf("client %d, request %d: answer %v", n, i, got)
					default:
						right.Add(1)
					}
				})
				if n%8 == 0 && i == requests/2 { // gone in the middle
					calls.Wait()
					_ = a.CloseWrite()
					<-cl.Done()
					return
				}
			}
			calls.Wait()
		})
	}
	clients.Wait()
	s.Shutdown(soon(t))
	served.Wait()
	t.Logf("%d right, %d busy", right.Load(), busy.Load())
	if right.Load() == 0 {
		t.Error("nothing was answered")
	}
}
