package daemon

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/wattd/wattd/rpc"
	"github.com/wattd/wattd/rpc/api"
)

// question is a request whose answer is known.
type question struct{ method, params string }

var questions = []question{
	{"net/activity", `{}`},
	{"net/activity", `{"sort":"glitch","limit":7}`},
	{"net/activity", `{"names":["par_*","clk"]}`},
	{"net/activity", `{"names":["u_*"],"from":1000,"to":200000}`},
	{"net/waveform", `{"names":["par_1*"],"limit":50}`},
	{"net/drivers", `{"net":"par_16"}`},
	{"net/loads", `{"net":"clk","limit":5}`},
	{"glitch/top", `{"limit":10}`},
	{"glitch/top", `{"by":"source","limit":10}`},
	{"names/resolve", `{"names":["*1*"],"kind":"instance"}`},
	{"net/drivers", `{"net":"no_such_net"}`},
	{"net/activity", `{"names":["("],"regexp":true}`},
}

// state is what all answers must be while the delays are certain ones: by question, without what differs from answer to answer.
type state []string

// bare is an answer without what depends on the server: meta, and the snapshot in cursors. delays is the hash of the delays it rests on.
func bare(result json.RawMessage, e *api.Error) (text, delays string) {
	if e != nil {
		return "error " + string(e.Kind()) + " " + e.Message, ""
	}
	var m map[string]json.RawMessage
	if err := json.Unmarshal(result, &m); err != nil {
		return fmt.Sprintf("%v in %.100s", err, result), ""
	}
	var meta api.Meta
	if err := json.Unmarshal(m["meta"], &meta); err != nil {
		return fmt.Sprintf("%v in %.100s", err, m["meta"]), ""
	}
	for _, in := range meta.Inputs {
		if strings.HasSuffix(in.Path, ".sdf") {
			delays = in.Blake3
		}
	}
	delete(m, "meta")
	for k, v := range m {
		var t map[string]json.RawMessage
		if json.Unmarshal(v, &t) == nil && t["cursor"] != nil {
			t["cursor"] = nil
			m[k], _ = json.Marshal(t)
		}
	}
	b, err := json.Marshal(m)
	if err != nil {
		return err.Error(), ""
	}
	return string(b), delays
}

// storm is many clients of one server, who know what the answers are.
type storm struct {
	t       *testing.T
	e       Endpoint
	answers map[string]state // by the hash of the delays
	errs    state            // of questions that are wrong in every state

	right, cancelled, busy, lost atomic.Int64
	mu                           sync.Mutex
	took                         []time.Duration
	faults                       []string
}

func (s *storm) fault(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.faults) < 20 {
		s.faults = append(s.faults, fmt.Sprintf(format, args...))
	}
}

// check compares an answer.
func (s *storm) check(q int, result json.RawMessage, e *api.Error) {
	if e != nil {
		switch e.Kind() {
		case api.Cancelled:
			s.cancelled.Add(1)
			return
		case api.Busy:
			s.busy.Add(1)
			return
		}
	}
	text, delays := bare(result, e)
	want := s.errs[q]
	if e == nil {
		st, ok := s.answers[delays]
		if !ok {
			s.fault("%s %s rests on delays %q", questions[q].method, questions[q].params, delays)
			return
		}
		want = st[q]
	}
	if text != want {
		s.fault("%s %s: %.200s\n  not %.200s", questions[q].method, questions[q].params, text, want)
		return
	}
	s.right.Add(1)
}

// learn asks a server within the test, which starts cold, for all answers to come.
func (s *storm) learn(dir string, delays [][]byte) {
	s.answers, s.errs = map[string]state{}, make(state, len(questions))
	for _, b := range delays {
		if err := os.WriteFile(filepath.Join(dir, "delays.sdf"), b, 0o644); err != nil {
			s.t.Fatal(err)
		}
		cl, _, err := InProcess(soon(s.t), Options{})
		if err != nil {
			s.t.Fatal(err)
		}
		open(s.t, cl, dir)
		all, key := make(state, len(questions)), ""
		for i, q := range questions {
			var r json.RawMessage
			var e *api.Error
			if err := cl.Call(soon(s.t), q.method, json.RawMessage(q.params), &r); errors.As(err, &e) {
				s.errs[i], _ = bare(nil, e)
			} else {
				all[i], key = bare(r, nil)
			}
		}
		cl.Close()
		s.answers[key] = all
	}
	if len(s.answers) != len(delays) {
		s.t.Fatalf("%d states of %d", len(s.answers), len(delays))
	}
}

// polite asks n questions over some goroutines and takes some of them back.
func (s *storm) polite(r *rand.Rand, n int) {
	cl, _, err := (&Client{Endpoint: s.e}).Connect(soon(s.t))
	if err != nil {
		s.fault("connect: %v", err)
		return
	}
	defer cl.Close()
	var wg sync.WaitGroup
	const lanes = 4
	for lane := range lanes {
		r := rand.New(rand.NewPCG(r.Uint64(), 1))
		wg.Go(func() {
			for range (n + lane) / lanes {
				q := r.IntN(len(questions))
				ctx, cancel := context.WithTimeout(context.Background(), patience)
				start := time.Now()
				var result json.RawMessage
				back := r.IntN(8) == 0
				if back {
					go cancel()
				}
				err := cl.Call(ctx, questions[q].method, json.RawMessage(questions[q].params), &result)
				took := time.Since(start)
				cancel()
				var e *api.Error
				if err != nil && !errors.As(err, &e) {
					s.fault("%v", err)
				}
				s.check(q, result, e)
				if !back {
					s.mu.Lock()
					s.took = append(s.took, took)
					s.mu.Unlock()
				}
			}
		})
	}
	wg.Wait()
}

// raw is a connection whose bytes are the client's own.
type raw struct {
	s    *storm
	c    *net.UnixConn
	in   *bufio.Reader
	next int
	sent map[int]int // question by id
}

const opening = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}` + "\n"

func (s *storm) raw() *raw {
	c, err := net.DialUnix("unix", nil, &net.UnixAddr{Name: s.e.Socket, Net: "unix"})
	if err != nil {
		s.fault("connect: %v", err)
		return nil
	}
	_ = c.SetDeadline(time.Now().Add(4 * patience))
	x := &raw{s: s, c: c, in: bufio.NewReader(c), next: 1, sent: map[int]int{}}
	if _, err := io.WriteString(c, opening); err != nil {
		s.fault("%v", err)
	}
	return x
}

// ask encodes a request.
func (x *raw) ask(q int) string {
	id := x.next
	x.next++
	x.sent[id] = q
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`+"\n", id, questions[q].method, questions[q].params)
}

// reads takes what comes until all that was asked is answered, or the end of it. It returns how many had no id.
func (x *raw) reads(in io.Reader) (nameless int, err error) {
	dec := json.NewDecoder(in)
	for len(x.sent) > 0 {
		var many []json.RawMessage
		var one json.RawMessage
		if err := dec.Decode(&one); err != nil {
			return nameless, err
		}
		if json.Unmarshal(one, &many) != nil {
			many = []json.RawMessage{one}
		}
		for _, m := range many {
			var a struct {
				ID     *int            `json:"id"`
				Result json.RawMessage `json:"result"`
				Error  *api.Error      `json:"error"`
			}
			if err := json.Unmarshal(m, &a); err != nil {
				return nameless, fmt.Errorf("%w: %.100s", err, m)
			}
			if a.ID == nil {
				nameless++
				continue
			}
			if *a.ID == 0 {
				continue
			}
			q, ok := x.sent[*a.ID]
			if !ok {
				return nameless, fmt.Errorf("an answer to %d, which was not asked or is answered", *a.ID)
			}
			delete(x.sent, *a.ID)
			x.s.check(q, a.Result, a.Error)
		}
	}
	return nameless, nil
}

// halfClosed sends all its questions and closes that direction; all of them are answered.
func (s *storm) halfClosed(r *rand.Rand, n int) {
	for n > 0 {
		x := s.raw()
		if x == nil {
			return
		}
		var b strings.Builder
		for range min(n, 20) {
			b.WriteString(x.ask(r.IntN(len(questions))))
		}
		n -= 20
		_, err := io.WriteString(x.c, b.String())
		if err == nil {
			err = x.c.CloseWrite()
		}
		if err == nil {
			_, err = x.reads(x.in)
		}
		if err != nil {
			s.fault("half-closed: %v", err)
		}
		x.c.Close()
	}
}

// noise is what no client should send.
var noise = []string{"{]\n", "nonsense\n", "{\"jsonrpc\":\"2.0\"}\n", "[]\n", "[1,2]\n", "\xff\xfe\x00\n", "{\"jsonrpc\":\"2.0\",\"id\":-1,\"method\":\"x\"}\n", "{\"id\":1.5,\"method\":\"x\",\"jsonrpc\":\"2.0\"}\n", "\"" + strings.Repeat("a", 5000) + "\"\n"}

// noisy sends garbage between its questions, which are answered all the same.
func (s *storm) noisy(r *rand.Rand, n int) {
	for n > 0 {
		x := s.raw()
		if x == nil {
			return
		}
		var b strings.Builder
		for range min(n, 20) {
			if r.IntN(2) == 0 {
				b.WriteString(noise[r.IntN(len(noise))])
			}
			b.WriteString(x.ask(r.IntN(len(questions))))
		}
		n -= 20
		_, err := io.WriteString(x.c, b.String())
		if err == nil {
			_, err = x.reads(x.in)
		}
		if err != nil {
			s.fault("noisy: %v", err)
		}
		x.c.Close()
	}
}

// slowReader reads a little at a time, in batches, behind its own questions.
func (s *storm) slowReader(r *rand.Rand, n int) {
	for n > 0 {
		x := s.raw()
		if x == nil {
			return
		}
		size := 64 + r.IntN(512)
		var batch []string
		for range min(n, 20) {
			batch = append(batch, strings.TrimSpace(x.ask(r.IntN(4)))) // the large ones
		}
		n -= 20
		_, err := io.WriteString(x.c, "["+strings.Join(batch, ",")+"]\n")
		if err == nil {
			_, err = x.reads(bufio.NewReaderSize(little{x.c, size}, 16))
		}
		if err != nil {
			s.fault("slow reader: %v", err)
		}
		x.c.Close()
	}
}

type little struct {
	r io.Reader
	n int
}

func (l little) Read(p []byte) (int, error) { return l.r.Read(p[:min(len(p), l.n)]) }

// rude asks, sometimes for the half of a message, reads nothing or a part, and is gone.
func (s *storm) rude(r *rand.Rand, n int) {
	for n > 0 {
		x := s.raw()
		if x == nil {
			return
		}
		var b bytes.Buffer
		for range min(n, 20) {
			b.WriteString(x.ask(r.IntN(len(questions))))
		}
		n -= 20
		_, _ = x.c.Write(b.Bytes()[:b.Len()-r.IntN(100)]) // it may be hung up on
		if r.IntN(2) == 0 {
			_, _ = io.CopyN(io.Discard, x.c, int64(r.IntN(5000)))
		}
		x.c.Close()
		s.lost.Add(1)
	}
}

// TestStorm: 64 clients of every kind at once, while the delays are edited. Every answer is right for the files that it says it rests
// on, or a clean error; afterwards the server is as before.
func TestStorm(t *testing.T) {
	e := endpoint(t)
	dir := mac(t)
	delays := [][]byte{slower(t, 1), slower(t, 2), slower(t, 3)}
	s := &storm{t: t, e: e}
	s.learn(dir, delays)
	c := starter(t, e, "1")
	keeper := connect(t, c)
	open(t, keeper, dir)
	pid := int(statusOf(t, keeper).Pid)
	before := take(t, e, pid)

	each := soaking(40, 10_000)
	quit := make(chan struct{})
	var editor, clients sync.WaitGroup
	editor.Go(func() {
		for i := 0; ; i++ {
			if err := writers["rename"](filepath.Join(dir, "delays.sdf"), delays[i%len(delays)]); err != nil {
				s.fault("%v", err)
			}
			select {
			case <-quit:
				return
			case <-time.After(20 * time.Millisecond): // a pace, not a wait
			}
		}
	})
	const seed = 7
	for i := range 64 {
		r := rand.New(rand.NewPCG(seed, uint64(i)))
		kind := []func(*rand.Rand, int){s.polite, s.polite, s.polite, s.polite, s.halfClosed, s.noisy, s.slowReader, s.rude}[i%8]
		clients.Go(func() { kind(r, each) })
	}
	clients.Wait()
	close(quit)
	editor.Wait()
	for _, f := range s.faults {
		t.Error(f)
	}
	slices.Sort(s.took)
	at := func(p float64) time.Duration { return s.took[int(p*float64(len(s.took)-1))] }
	t.Logf("%d answers right, %d cancelled, %d busy, %d connections dropped by clients; of %d timed p50 %s p99 %s max %s",
		s.right.Load(), s.cancelled.Load(), s.busy.Load(), s.lost.Load(), len(s.took), at(.5), at(.99), at(1))
	if s.right.Load() == 0 || s.cancelled.Load() == 0 {
		t.Error("nothing was answered, or nothing cancelled")
	}
	for ctx := soon(t); len(statusOf(t, keeper).Sessions) > 1; { // those that were hung up on end by themselves
		if ctx.Err() != nil {
			t.Fatal("sessions of clients that are gone stay")
		}
	}
	after := take(t, e, pid)
	if after.Goroutines > before.Goroutines+8 || after.FDs > before.FDs+4 {
		t.Errorf("before %+v, after %+v", before, after)
	}
	if _, err := rpc.Do(soon(t), keeper, api.DesignStatus, api.DesignParams{}); err != nil {
		t.Error(err)
	}
}
