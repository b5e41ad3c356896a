package daemon

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/wattd/wattd/internal/diag"
	"github.com/wattd/wattd/internal/project"
	"github.com/wattd/wattd/rpc"
	"github.com/wattd/wattd/rpc/api"
)

// TestMain is also the server that clients start.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == "log-for-test" {
		if err := logForTest(); err != nil {
			panic(err)
		}
		return
	}
	if len(os.Args) == 3 && os.Args[1] == "serve-for-test" {
		ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
		e, err := Find()
		said := os.NewFile(3, "starter")
		ready := false
		if err == nil {
			err = Serve(ctx, e, Options{Version: os.Args[2], IdleExit: time.Minute, Ready: func() { ready = true; Announce(said, nil) }})
		}
		if err != nil && !ready {
			Announce(said, err)
		}
		stop()
		return
	}
	goleak.VerifyTestMain(m)
}

// patience bounds what a test waits for that must happen; it is no measure of anything.
const patience = 30 * time.Second

func soon(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	t.Cleanup(cancel)
	return ctx
}

// endpoint makes one in a folder whose name is short.
func endpoint(t *testing.T) Endpoint {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "wd") // TMPDIR may be too long for a socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	t.Setenv("WATTD_RUNTIME_DIR", dir)
	t.Setenv("WATTD_CACHE_DIR", filepath.Join(dir, "cache"))
	e, err := Find()
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// serve serves within the test.
func serve(t *testing.T, e Endpoint, opt Options) (stop func() error) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	up := make(chan struct{})
	var err error
	opt.Ready = func() { close(up) }
	if opt.Log == nil {
		opt.Log = slog.New(slog.NewTextHandler(io.Discard, nil))
	}
	ended := make(chan struct{})
	wg.Go(func() { err = Serve(ctx, e, opt); close(ended) })
	select {
	case <-up:
	case <-ended:
		cancel()
		t.Fatal(err)
	}
	stop = sync.OnceValue(func() error { cancel(); wg.Wait(); return err })
	t.Cleanup(func() { _ = stop() })
	return stop
}

func connect(t *testing.T, c *Client) *rpc.Client {
	t.Helper()
	cl, _, err := c.Connect(soon(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cl.Close)
	return cl
}

// mac is a copy of the example design.
func mac(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("..", "examples", "mac"))); err != nil {
		t.Fatal(err)
	}
	return dir
}

func open(t *testing.T, cl *rpc.Client, dir string) api.DesignStatusResult {
	t.Helper()
	r, err := rpc.Do(soon(t), cl, api.DesignOpen, api.DesignOpenParams{Project: filepath.Join(dir, "wattd.toml")})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// count is what is compared of a net.
type count struct{ TC, T1, Glitch, Filtered int64 }

// asked queries all nets.
func asked(t *testing.T, cl *rpc.Client) (map[string]count, api.Meta) {
	t.Helper()
	r, err := rpc.Do(soon(t), cl, api.NetActivity, api.NetActivityParams{})
	if err != nil {
		t.Fatal(err)
	}
	m := map[string]count{}
	for _, n := range r.Nets.Rows {
		m[n.Net] = count{n.TC, n.T1, *n.Glitch, *n.Filtered}
	}
	return m, r.Meta
}

// cold is what a run of the files gives.
func cold(t *testing.T, dir string) map[string]count {
	t.Helper()
	bag := &diag.Bag{}
	cfg, err := project.LoadConfig(filepath.Join(dir, "wattd.toml"), bag)
	if err != nil {
		t.Fatal(err)
	}
	s, err := project.NewSession(*cfg, bag, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Run(context.Background()); err != nil || s.Failed() {
		t.Fatal(err, bag.Totals())
	}
	m := map[string]count{}
	for n := int32(2); int(n) < len(s.Netlist.Nets); n++ {
		x := &s.Table.Nets[n]
		m[s.Netlist.NetName(n)] = count{x.TC, x.T1, x.Glitch, x.Filtered}
	}
	return m
}

// slower gives the buffer of a parity gate other delays of the same length, another one each time.
func slower(t *testing.T, step int) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("..", "examples", "mac", "delays.sdf"))
	if err != nil {
		t.Fatal(err)
	}
	at := bytes.Index(b, []byte("(INSTANCE u_par_16)"))
	end := at + bytes.Index(b[at:], []byte("\n    ))\n"))
	cell := bytes.ReplaceAll(b[at:end], []byte(":0.0"), []byte(":0."+string(rune('1'+step))))
	return append(append(append([]byte{}, b[:at]...), cell...), b[end:]...)
}

// writers are the ways in which tools write a file.
var writers = map[string]func(path string, b []byte) error{
	"rename": func(path string, b []byte) error {
		if err := os.WriteFile(path+".new", b, 0o644); err != nil {
			return err
		}
		return os.Rename(path+".new", path)
	},
	"copy over": func(path string, b []byte) error { return os.WriteFile(path, b, 0o644) },
	"in place": func(path string, b []byte) error {
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		_, err = f.WriteAt(b, 0)
		return errors.Join(err, f.Close())
	},
	"in place, with the time kept": func(path string, b []byte) error {
		st, err := os.Stat(path)
		if err != nil {
			return err
		}
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		_, err = f.WriteAt(b, 0)
		return errors.Join(err, f.Close(), os.Chtimes(path, st.ModTime(), st.ModTime()))
	},
}

// TestEdits: however a delay is edited, the next query answers with the counts of the new files.
func TestEdits(t *testing.T) {
	for _, watched := range []bool{false, true} {
		e := endpoint(t)
		stop := serve(t, e, Options{NoWatch: !watched})
		dir := mac(t)
		cl := connect(t, &Client{Endpoint: e})
		open(t, cl, dir)
		before, meta := asked(t, cl)
		if diff := cmp.Diff(cold(t, dir), before); diff != "" {
			t.Fatal(diff)
		}
		if meta.Work != (api.Work{}) {
			t.Errorf("a query of what was opened did %+v", meta.Work)
		}
		step := 0
		for name, write := range writers {
			step++
			if err := write(filepath.Join(dir, "delays.sdf"), slower(t, step)); err != nil {
				t.Fatal(err)
			}
			got, now := asked(t, cl)
			if diff := cmp.Diff(cold(t, dir), got); diff != "" {
				t.Errorf("%s: the answer is not that of a run: %s", name, diff)
			}
			if cmp.Equal(got, before) || now.Snapshot <= meta.Snapshot {
				t.Errorf("%s: nothing changed; snapshot %d", name, now.Snapshot)
			}
			before, meta = got, now
		}
		cl.Close()
		if err := stop(); err != nil {
			t.Error(err)
		}
	}
}

// TestMixed: a netlist that is newer than its delays is said to be.
func TestMixed(t *testing.T) {
	e := endpoint(t)
	serve(t, e, Options{NoWatch: true})
	dir := mac(t)
	cl := connect(t, &Client{Endpoint: e})
	open(t, cl, dir)
	netlist, sdf := filepath.Join(dir, "netlist.v"), filepath.Join(dir, "delays.sdf")
	b, err := os.ReadFile(netlist)
	if err != nil {
		t.Fatal(err)
	}
	write := func(path string, b []byte) {
		if err := os.WriteFile(path, b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	mixed := func() []string { _, m := asked(t, cl); return m.Mixed }
	write(netlist, append(b, "\n// a new netlist\n"...))
	if got := mixed(); !cmp.Equal(got, []string{sdf}) {
		t.Errorf("after the netlist: %v", got)
	}
	write(sdf, slower(t, 3))
	if got := mixed(); got != nil {
		t.Errorf("after both: %v", got)
	}
	write(netlist, append(b, "\n// another netlist\n"...))
	if got := mixed(); len(got) != 1 {
		t.Errorf("after the netlist: %v", got)
	}
	// told, not written; the query goes out before the answer comes
	told := make(chan error, 1)
	go func() {
		r, err := rpc.Do(soon(t), cl, api.WorkspaceChanged, api.ChangedParams{Paths: []string{sdf, "/nowhere"}, Wait: true})
		if err == nil && (!cmp.Equal(r.Designs, []string{"mac"}) || !cmp.Equal(r.Unused, []string{"/nowhere"}) || len(r.Changed) != 0) {
			err = errors.New("changed says " + strings.Join(append(r.Designs, r.Unused...), " "))
		}
		told <- err
	}()
	if err := <-told; err != nil {
		t.Error(err)
	}
	if got := mixed(); got != nil {
		t.Errorf("after it was told: %v", got)
	}
}
