package daemon

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/wattd/wattd/internal/testenv"
	"github.com/wattd/wattd/rpc"
	"github.com/wattd/wattd/rpc/api"
)

// busyWriting makes a server write all it writes: logs, exports and whatever it keeps, until the connection breaks.
func busyWriting(cl *rpc.Client, dir string, sdf [][]byte) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	for i := 0; ; i++ {
		if writers["rename"](filepath.Join(dir, "delays.sdf"), sdf[i%len(sdf)]) != nil {
			return
		}
		for _, m := range []string{api.ExportCSV.Name(), api.ExportSAIF.Name(), api.ExportVCD.Name()} {
			out := map[string]any{"path": filepath.Join(dir, "out."+filepath.Base(m)), "overwrite": true}
			if cl.Call(ctx, m, out, nil) != nil {
				return
			}
		}
	}
}

// TestKilledWhileItWrites: whenever the server is killed, the next one starts at once and answers rightly, and what it had exported is
// whole.
func TestKilledWhileItWrites(t *testing.T) {
	e := endpoint(t)
	c := starter(t, e, "1")
	dir := mac(t)
	sdf := [][]byte{slower(t, 1), slower(t, 2)}
	want, whole := map[string]map[string]count{}, map[string][][]byte{}
	for _, b := range sdf { // what a server that is not killed writes
		if err := os.WriteFile(filepath.Join(dir, "delays.sdf"), b, 0o644); err != nil {
			t.Fatal(err)
		}
		want[string(b)] = cold(t, dir)
		cl := connect(t, c)
		open(t, cl, dir)
		for _, m := range []string{"export/csv", "export/saif", "export/vcd"} {
			out := filepath.Join(dir, "out."+filepath.Base(m))
			if err := cl.Call(soon(t), m, map[string]any{"path": out, "overwrite": true}, nil); err != nil {
				t.Fatal(err)
			}
			text, err := os.ReadFile(out)
			if err != nil {
				t.Fatal(err)
			}
			whole[out] = append(whole[out], text)
		}
	}
	r := rand.New(rand.NewPCG(3, 1))
	rounds := soaking(100, 2000)
	for round := range rounds {
		cl, _, err := c.Connect(soon(t))
		if err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		open(t, cl, dir)
		got, _ := asked(t, cl)
		now, err := os.ReadFile(filepath.Join(dir, "delays.sdf"))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want[string(now)], got); diff != "" {
			t.Fatalf("round %d: %s", round, diff)
		}
		for out, texts := range whole {
			text, err := os.ReadFile(out)
			if err != nil {
				t.Fatal(err)
			}
			if dated(text) != dated(texts[0]) && dated(text) != dated(texts[1]) {
				t.Errorf("round %d: %s is not whole", round, out)
			}
		}
		pid := int(statusOf(t, cl).Pid)
		var work sync.WaitGroup
		work.Go(func() { busyWriting(cl, dir, sdf) })
		time.Sleep(time.Duration(r.IntN(60_000)) * time.Microsecond) // the random point
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		work.Wait()
		cl.Close()
	}
	left, err := filepath.Glob(filepath.Join(dir, ".out.*"))
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d kills; %d unfinished exports are left under temporary names", rounds, len(left))
}

// dated is an export without the lines that tell when it was made.
func dated(b []byte) string {
	var keep []string
	for l := range strings.Lines(string(b)) {
		if !strings.Contains(l, "DATE") && !strings.Contains(l, "$date") {
			keep = append(keep, l)
		}
	}
	return strings.Join(keep, "")
}

// TestStartsAtOnce: of twenty servers that are started at a time, right after one was killed, one serves and the others say so.
func TestStartsAtOnce(t *testing.T) {
	e := endpoint(t)
	c := starter(t, e, "1")
	for round := range soaking(5, 50) {
		cl := connect(t, c)
		pid := int(statusOf(t, cl).Pid)
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		<-cl.Done()
		var wg sync.WaitGroup
		errs := make([]error, 20)
		for i := range errs {
			wg.Go(func() { errs[i] = c.start(soon(t)) })
		}
		wg.Wait()
		serving := 0
		for _, err := range errs {
			switch {
			case err == nil:
				serving++
			case !errors.Is(err, ErrRunning):
				t.Errorf("round %d: %v", round, err)
			}
		}
		if serving != 1 {
			t.Errorf("round %d: %d servers", round, serving)
		}
	}
}

// TestStaleLock: a lock file that nobody holds is no lock, whatever it names, and nobody is killed for it.
func TestStaleLock(t *testing.T) {
	e := endpoint(t)
	victim := exec.Command("/bin/cat") // as a process that got the number of a server that died
	in, err := victim.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := victim.Start(); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"", "junk", "1\n", "999999999\n", string(rune(victim.Process.Pid))} {
		if err := os.WriteFile(e.Lock, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := Stop(soon(t), e); !errors.Is(err, ErrNone) {
			t.Errorf("%q: %v", text, err)
		}
		stop := serve(t, e, Options{NoWatch: true})
		statusOf(t, connect(t, &Client{Endpoint: e}))
		if err := stop(); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
	in.Close()
	if err := victim.Wait(); err != nil {
		t.Errorf("the other process: %v", err)
	}
}

// TestDiskFull: exports to a full disk fail by name, leave nothing and harm nothing; a server whose folder is on one says so.
func TestDiskFull(t *testing.T) {
	disk := testenv.SmallDisk(t, "64k")
	e := endpoint(t)
	c := starter(t, e, "1")
	dir := mac(t)
	cl := connect(t, c)
	open(t, cl, dir)
	want, _ := asked(t, cl)
	if err := os.WriteFile(filepath.Join(disk, "old.vcd"), []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	fill(t, filepath.Join(disk, "ballast"))
	for _, name := range []string{"new.vcd", "old.vcd"} {
		err := cl.Call(soon(t), "export/vcd", map[string]any{"path": filepath.Join(disk, name), "overwrite": true}, nil)
		if !errors.Is(err, api.Errorf(api.FileError, "")) || !strings.Contains(err.Error(), "no space left") {
			t.Errorf("%s: %v", name, err)
		}
	}
	names, err := os.ReadDir(disk)
	if err != nil || len(names) != 2 {
		t.Errorf("%v, %v", names, err)
	}
	if b, err := os.ReadFile(filepath.Join(disk, "old.vcd")); err != nil || string(b) != "old" {
		t.Errorf("%q, %v", b, err)
	}
	if got, _ := asked(t, cl); !cmp.Equal(want, got) {
		t.Error("the next answer is another one")
	}

	t.Setenv("WATTD_RUNTIME_DIR", filepath.Join(disk, "run"))
	full, err := Find()
	if err != nil {
		t.Fatal(err)
	}
	other := starter(t, full, "1")
	cl, _, err = other.Connect(soon(t))
	if err != nil {
		if n := strings.Count(err.Error(), "no space left"); n != 1 || !strings.Contains(err.Error(), full.Dir) {
			t.Errorf("a server on a full disk: %v", err)
		}
		return
	}
	defer cl.Close() // it needs no blocks there, only names
	open(t, cl, dir)
	if got, _ := asked(t, cl); !cmp.Equal(want, got) {
		t.Error("the answer of a server on a full disk is another one")
	}
}

// fill takes all that is free.
func fill(t *testing.T, path string) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	for size := 4096; size > 0; {
		if _, err := f.Write(bytes.Repeat([]byte{1}, size)); err != nil {
			size /= 2
		}
	}
	f.Close() // what could be written is
}

// TestSurroundings: a server answers wherever it finds itself, or its client says in one line what is wrong.
func TestSurroundings(t *testing.T) {
	dir := mac(t)
	want := cold(t, dir)
	for name, tc := range map[string]struct {
		prepare func(t *testing.T)
		fails   string // in the error; "": it works
	}{
		"read-only home": {func(t *testing.T) {
			t.Setenv("HOME", testenv.ReadOnlyDisk(t))
			t.Setenv("XDG_CACHE_HOME", "")
			t.Setenv("WATTD_CACHE_DIR", "")
		}, ""},
		"no home": {func(t *testing.T) {
			os.Unsetenv("HOME")
			t.Setenv("XDG_CACHE_HOME", "")
			t.Setenv("WATTD_CACHE_DIR", "")
		}, ""},
		"long TMPDIR":       {func(t *testing.T) { t.Setenv("TMPDIR", filepath.Join(t.TempDir(), strings.Repeat("long/", 30))) }, ""},
		"no runtime folder": {func(t *testing.T) { t.Setenv("WATTD_RUNTIME_DIR", filepath.Join(short(t), "a", "b")) }, ""},
		"runtime folder, open": {func(t *testing.T) {
			d := short(t)
			if err := os.Chmod(d, 0o777); err != nil {
				t.Fatal(err)
			}
			t.Setenv("WATTD_RUNTIME_DIR", d)
		}, "chmod 700"},
		"runtime folder of another": {func(t *testing.T) {
			d := short(t)
			if os.Geteuid() != 0 {
				d = "/" // anybody's but ours
			} else if err := os.Chown(d, 12345, -1); err != nil {
				t.Fatal(err)
			}
			t.Setenv("WATTD_RUNTIME_DIR", d)
		}, "another user"},
		"runtime folder, read-only": {func(t *testing.T) { t.Setenv("WATTD_RUNTIME_DIR", testenv.ReadOnlyDisk(t)) }, "read-only file system"},
		"runtime folder in a read-only one": {func(t *testing.T) {
			t.Setenv("WATTD_RUNTIME_DIR", filepath.Join(testenv.ReadOnlyDisk(t), "x"))
		}, "read-only file system"},
		"runtime folder is a file": {func(t *testing.T) {
			f := filepath.Join(short(t), "f")
			if err := os.WriteFile(f, nil, 0o600); err != nil {
				t.Fatal(err)
			}
			t.Setenv("WATTD_RUNTIME_DIR", f)
		}, "not a folder"},
	} {
		t.Run(name, func(t *testing.T) {
			endpoint(t)
			home, set := os.LookupEnv("HOME")
			defer func() {
				if set {
					os.Setenv("HOME", home)
				}
			}()
			tc.prepare(t)
			e, err := Find()
			if err != nil {
				t.Fatal(err)
			}
			if tc.fails != "" {
				exe, err := os.Executable()
				if err != nil {
					t.Fatal(err)
				}
				_, _, err = (&Client{Endpoint: e, Version: "1", Start: []string{exe, "serve-for-test", "1"}}).Connect(soon(t))
				if err == nil || !strings.Contains(err.Error(), tc.fails) || strings.Contains(err.Error(), "\n") {
					t.Errorf("%v", err)
				}
				return
			}
			cl := connect(t, starter(t, e, "1"))
			open(t, cl, dir)
			if got, _ := asked(t, cl); !cmp.Equal(want, got) {
				t.Error("another answer")
			}
		})
	}
}

// short makes a folder whose path leaves room for a socket.
func short(t *testing.T) string {
	t.Helper()
	d, err := os.MkdirTemp("/tmp", "wd")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(d) })
	return d
}
