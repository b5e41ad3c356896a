package daemon

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/wattd/wattd/rpc"
	"github.com/wattd/wattd/rpc/api"
)

// starter is a client that starts this test program as server.
func starter(t *testing.T, e Endpoint, version string) *Client {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := Stop(soon(t), e); err != nil && !errors.Is(err, ErrNone) {
			t.Error(err)
		}
		innocent(t, e)
	})
	return &Client{Endpoint: e, Version: version, Start: []string{exe, "serve-for-test", version}}
}

// innocent looks for faults of our own in the log of a server.
func innocent(t *testing.T, e Endpoint) {
	t.Helper()
	b, err := os.ReadFile(e.Log)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	for _, sign := range []string{"DATA RACE", "panic: ", "fatal error: ", "internal error"} {
		if at := strings.Index(string(b), sign); at >= 0 {
			t.Errorf("the log of the server: %.4000s", b[at:])
		}
	}
}

func statusOf(t *testing.T, cl *rpc.Client) api.ServerStatusResult {
	t.Helper()
	r, err := rpc.Do(soon(t), cl, api.ServerStatus, api.Empty{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestManyStarts: of twenty clients that find no server all get the same one.
func TestManyStarts(t *testing.T) {
	e := endpoint(t)
	c := starter(t, e, "1")
	pids := make([]int64, 20)
	var wg sync.WaitGroup
	for i := range pids {
		wg.Go(func() {
			cl, _, err := c.Connect(soon(t))
			if err != nil {
				t.Error(err)
				return
			}
			defer cl.Close()
			r, err := rpc.Do(soon(t), cl, api.ServerStatus, api.Empty{})
			if err != nil {
				t.Error(err)
			}
			pids[i] = r.Pid
		})
	}
	wg.Wait()
	for _, p := range pids {
		if p != pids[0] || p == 0 {
			t.Fatalf("servers: %v", pids)
		}
	}
	if err := Serve(soon(t), e, Options{}); !errors.Is(err, ErrRunning) {
		t.Errorf("another one: %v", err)
	}
}

// TestKilledServer: the next client gets another one, which answers from the files.
func TestKilledServer(t *testing.T) {
	e := endpoint(t)
	c := starter(t, e, "1")
	dir := mac(t)
	cl := connect(t, c)
	open(t, cl, dir)
	want, _ := asked(t, cl)
	pid := statusOf(t, cl).Pid
	if err := syscall.Kill(int(pid), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	<-cl.Done()
	if _, err := os.Stat(e.Socket); err != nil {
		t.Errorf("a killed server leaves its socket: %v", err)
	}
	cl = connect(t, c)
	if again := statusOf(t, cl).Pid; again == pid {
		t.Error("the same process")
	}
	open(t, cl, dir)
	got, _ := asked(t, cl)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestOtherVersion: a server of another version that holds nothing makes way; one that is in use stays.
func TestOtherVersion(t *testing.T) {
	e := endpoint(t)
	old := connect(t, starter(t, e, "1"))
	cl, hello, err := starter(t, e, "2").Connect(soon(t))
	if err != nil || hello.ServerInfo.Version != "1" {
		t.Errorf("beside another client: version %s, %v", hello.ServerInfo.Version, err)
	}
	cl.Close()
	old.Close()
	deadline := time.Now().Add(patience)
	for { // until the server knows that the other client is gone
		cl, hello, err = starter(t, e, "2").Connect(soon(t))
		if err != nil {
			t.Fatal(err)
		}
		if cl.Close(); hello.ServerInfo.Version == "2" {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the old server stays")
		}
	}
}

// TestServerThatFails: the client says why.
func TestServerThatFails(t *testing.T) {
	e := endpoint(t)
	c := &Client{Endpoint: e, Start: []string{"/bin/sh", "-c", "echo no luck today >&2; exit 1"}}
	if _, err := c.Dial(soon(t)); err == nil || !strings.Contains(err.Error(), "no luck today") {
		t.Error(err)
	}
	c.Start = nil
	if _, err := c.Dial(soon(t)); !errors.Is(err, ErrNone) {
		t.Error(err)
	}
	if err := Stop(soon(t), e); !errors.Is(err, ErrNone) {
		t.Error(err)
	}
}

// TestStaleSocket: one that nobody listens at is replaced, a file that is none is not.
func TestStaleSocket(t *testing.T) {
	e := endpoint(t)
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: e.Socket, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	l.SetUnlinkOnClose(false)
	l.Close()
	stop := serve(t, e, Options{})
	statusOf(t, connect(t, &Client{Endpoint: e}))
	if err := stop(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(e.Socket); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the socket stays: %v", err)
	}
	if err := os.WriteFile(e.Socket, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Serve(soon(t), e, Options{}); err == nil || !strings.Contains(err.Error(), "is no socket") {
		t.Error(err)
	}
}

// TestForeignFolders: where others could listen in our name, nobody serves and nobody connects.
func TestForeignFolders(t *testing.T) {
	e := endpoint(t)
	if err := os.Chmod(e.Dir, 0o755); err != nil {
		t.Fatal(err)
	}
	check := func(what string) {
		t.Helper()
		if err := Serve(soon(t), e, Options{}); !errors.Is(err, ErrForeign) {
			t.Errorf("%s: %v", what, err)
		}
		if _, err := (&Client{Endpoint: e}).Dial(soon(t)); !errors.Is(err, ErrForeign) {
			t.Errorf("%s: %v", what, err)
		}
	}
	check("open to others")
	if err := os.Remove(e.Dir); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(t.TempDir(), e.Dir); err != nil {
		t.Fatal(err)
	}
	check("a link")
}

func TestFind(t *testing.T) {
	host := func() (string, error) { return "node7.cluster.example", nil }
	for _, tc := range []struct {
		env        map[string]string
		want, fail string
	}{
		{map[string]string{"WATTD_RUNTIME_DIR": "/run/w", "XDG_RUNTIME_DIR": "/run/user/7"}, "/run/w/p1-node7.sock", ""},
		{map[string]string{"XDG_RUNTIME_DIR": "/run/user/7"}, "/run/user/7/wattd/p1-node7.sock", ""},
		{nil, "/tmp/wattd-7/p1-node7.sock", ""},
		{map[string]string{"WATTD_RUNTIME_DIR": "here"}, "", "not an absolute path"},
		{map[string]string{"WATTD_RUNTIME_DIR": "/" + strings.Repeat("long/", 20)}, "", "set WATTD_RUNTIME_DIR to a shorter folder"},
	} {
		e, err := find(func(k string) string { return tc.env[k] }, 7, host)
		switch {
		case tc.fail == "" && (err != nil || e.Socket != tc.want):
			t.Errorf("%v: %s, %v", tc.env, e.Socket, err)
		case tc.fail != "" && (err == nil || !strings.Contains(err.Error(), tc.fail)):
			t.Errorf("%v: %v", tc.env, err)
		}
	}
}

// TestTwoClients: they share a design; each hears of an edit, and closing it by one leaves it to the other.
func TestTwoClients(t *testing.T) {
	e := endpoint(t)
	serve(t, e, Options{})
	dir := mac(t)
	a, b := connect(t, &Client{Endpoint: e}), connect(t, &Client{Endpoint: e})
	open(t, a, dir)
	if r := open(t, b, dir); r.Meta.Snapshot != 1 || r.Meta.Work != (api.Work{}) {
		t.Errorf("opened twice: %+v", r.Meta)
	}
	if _, err := rpc.Do(soon(t), b, api.Subscribe, api.SubscribeParams{Topic: "design"}); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "delays.sdf"), slower(t, 2), 0o644); err != nil {
		t.Fatal(err)
	}
	// nobody asks: the watcher finds it
	select {
	case n := <-b.Notifications():
		if n.Method != api.DesignDidUpdate.Name() || !strings.Contains(string(n.Params), `"delays":1`) || !strings.Contains(string(n.Params), "delays.sdf") {
			t.Errorf("%s %s", n.Method, n.Params)
		}
	case <-soon(t).Done():
		t.Fatal("no update came")
	}
	ctx := soon(t)
	if _, err := rpc.Do(ctx, a, api.DesignClose, api.DesignParams{}); err != nil {
		t.Fatal(err)
	}
	if n := len(statusOf(t, b).Designs.Rows); n != 1 {
		t.Errorf("%d designs after one of two has closed it", n)
	}
	if _, err := rpc.Do(ctx, b, api.DesignClose, api.DesignParams{}); err != nil {
		t.Fatal(err)
	}
	if _, err := rpc.Do(ctx, b, api.NetActivity, api.NetActivityParams{}); !errors.Is(err, api.Errorf(api.DesignNotFound, "")) {
		t.Errorf("after both have: %v", err)
	}
}

// TestCancel: who waits for a design that another opens can give up.
func TestCancel(t *testing.T) {
	e := endpoint(t)
	serve(t, e, Options{NoWatch: true})
	dir := mac(t)
	pipe := filepath.Join(dir, "slow.v")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	cl := connect(t, &Client{Endpoint: e})
	p := api.DesignOpenParams{Project: filepath.Join(dir, "wattd.toml"), Netlist: []string{pipe}}
	first, cancelFirst := context.WithCancel(soon(t))
	defer cancelFirst()
	errs := make(chan error, 2)
	go func() { _, err := rpc.Do(first, cl, api.DesignOpen, p); errs <- err }()
	w, err := os.OpenFile(pipe, os.O_WRONLY, 0) // returns when the server reads
	if err != nil {
		t.Fatal(err)
	}
	second, cancel := context.WithCancel(soon(t))
	go func() { _, err := rpc.Do(second, cl, api.DesignOpen, p); errs <- err }()
	cancel()
	if err := <-errs; !errors.Is(err, api.Errorf(api.Cancelled, "")) {
		t.Error(err)
	}
	hasty := p
	hasty.TimeoutMs = 1
	if _, err := rpc.Do(soon(t), cl, api.DesignOpen, hasty); !errors.Is(err, api.Errorf(api.TimedOut, "")) {
		t.Error(err)
	}
	if n := len(statusOf(t, cl).Designs.Rows); n != 0 {
		t.Errorf("%d designs", n)
	}
	cancelFirst()
	fmt.Fprintln(w, "module m; endmodule")
	w.Close()
	if err := <-errs; err == nil {
		t.Error("opened after it was cancelled")
	}
}

// TestIdle: the server leaves when nothing was asked for its time, unless a client keeps it.
func TestIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var held atomic.Bool
		var left atomic.Pointer[time.Time]
		held.Store(true)
		start := time.Now()
		i := newIdle(time.Minute, held.Load, func() { now := time.Now(); left.Store(&now) })
		i.start()
		ended := i.began()
		time.Sleep(10 * time.Minute)
		synctest.Wait()
		ended()
		time.Sleep(59 * time.Second)
		i.began()() // at 10:59
		time.Sleep(59 * time.Second)
		synctest.Wait()
		if left.Load() != nil {
			t.Fatal("left with a request within the time")
		}
		time.Sleep(2 * time.Second) // at 11:59 it is held
		synctest.Wait()
		held.Store(false)
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		if left.Load() == nil {
			t.Fatal("stays")
		}
		if d := left.Load().Sub(start); d != 12*time.Minute+59*time.Second {
			t.Errorf("left after %s", d)
		}
		i.stop()
	})
	e := endpoint(t)
	if err := Serve(soon(t), e, Options{IdleExit: 10 * time.Millisecond, NoWatch: true}); err != nil {
		t.Error(err)
	}
}

// TestBatch: no server is started in a batch job.
func TestBatch(t *testing.T) {
	for _, name := range []string{"WATTD_NO_DAEMON", "LSB_JOBID", "SLURM_JOB_ID", "PBS_JOBID", "JOB_ID"} {
		t.Setenv(name, "")
	}
	if may, _ := MayStart(); !may {
		t.Error("may not start")
	}
	t.Setenv("SLURM_JOB_ID", "1")
	if may, why := MayStart(); may || why != "SLURM_JOB_ID" {
		t.Error("may start in a batch job")
	}
	cl, _, err := InProcess(soon(t), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer cl.Close()
	dir := mac(t)
	open(t, cl, dir)
	got, _ := asked(t, cl)
	if diff := cmp.Diff(cold(t, dir), got); diff != "" {
		t.Error(diff)
	}
}

// TestInitializeTellsTheTruth: what it lists is answered, and nothing before it.
func TestInitializeTellsTheTruth(t *testing.T) {
	e := endpoint(t)
	serve(t, e, Options{NoWatch: true})
	conn, err := (&Client{Endpoint: e}).Dial(soon(t))
	if err != nil {
		t.Fatal(err)
	}
	cl := rpc.NewClient(conn, rpc.Options{})
	defer cl.Close()
	if _, err := rpc.Do(soon(t), cl, api.DesignList, api.Empty{}); !errors.Is(err, api.Errorf(api.NotInitialized, "")) {
		t.Error(err)
	}
	if _, err := rpc.Do(soon(t), cl, api.Initialize, api.InitializeParams{Protocol: &api.Version{Major: 9}}); !errors.Is(err, api.Errorf(api.VersionMismatch, "")) {
		t.Error(err)
	}
	hello, err := rpc.Do(soon(t), cl, api.Initialize, api.InitializeParams{Protocol: &api.Protocol})
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]bool{}
	for _, m := range hello.Capabilities.Experimental.Wattd.Methods {
		listed[m] = true
	}
	for _, in := range api.Messages() {
		if in.Shape != api.Request || in.Name == api.Shutdown.Name() || in.Name == api.Initialize.Name() {
			continue
		}
		err := cl.Call(soon(t), in.Name, map[string]any{}, nil)
		if missing := errors.Is(err, api.Errorf(api.MethodNotFound, "")); missing == listed[in.Name] {
			t.Errorf("%s: listed %v, %v", in.Name, listed[in.Name], err)
		}
	}
	if _, err := rpc.Do(soon(t), cl, api.Shutdown, api.Empty{}); err != nil {
		t.Error(err)
	}
	if _, err := rpc.Do(soon(t), cl, api.DesignList, api.Empty{}); !errors.Is(err, api.Errorf(api.ShuttingDown, "")) {
		t.Error(err)
	}
	if err := rpc.Tell(cl, api.Exit, api.Empty{}); err != nil {
		t.Error(err)
	}
	<-cl.Done()
}
