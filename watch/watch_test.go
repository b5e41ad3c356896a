package watch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/wattd/wattd/internal/testenv"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// patience ends a test that would wait for ever. Nothing is timed by it.
const patience = 20 * time.Second

// start watches with short times. Polling is off unless a test asks for it, so that events alone are put to the test.
func start(t *testing.T, opt Options) *Watcher {
	t.Helper()
	if opt.Settle == 0 {
		opt.Settle = 20 * time.Millisecond
	}
	if opt.PollMin == 0 {
		opt.PollMin, opt.PollMax = time.Hour, time.Hour
	}
	w, err := New(opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Close() })
	return w
}

// polling is a watcher that gets no events.
func polling() Options {
	sys := realSystem()
	sys.notify = func(*hints) (notifier, error) { return nil, errors.New("none in this test") }
	return Options{PollMin: 5 * time.Millisecond, PollMax: 10 * time.Millisecond, system: sys}
}

func set(t *testing.T, w *Watcher, paths ...string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := w.Set(ctx, paths); err != nil {
		t.Fatal(err)
	}
}

func next(t *testing.T, w *Watcher) Change {
	t.Helper()
	limit := time.NewTimer(patience)
	defer limit.Stop()
	select {
	case c := <-w.Events():
		return c
	case <-limit.C:
		t.Fatalf("nothing was reported: %+v", w.Status())
		return Change{}
	}
}

func barrier(t *testing.T, w *Watcher, paths ...string) []File {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	files, err := w.Barrier(ctx, paths...)
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func do(t *testing.T, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

func write(path, text string) error { return os.WriteFile(path, []byte(text), 0o600) }

// changes are what tools and people do to a file. Each begins in an empty directory; the watched path is in/a.v.
var changes = []struct {
	name    string
	prepare func(dir string) error
	act     func(dir string) error
}{
	{"written in place", plain, func(d string) error { return write(d+"/in/a.v", "new") }},
	{"appended", plain, func(d string) error {
		f, err := os.OpenFile(d+"/in/a.v", os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		_, err = f.WriteString("more")
		return errors.Join(err, f.Close())
	}},
	{"same size, mtime kept", plain, func(d string) error {
		info, err := os.Stat(d + "/in/a.v")
		if err != nil {
			return err
		}
		return errors.Join(write(d+"/in/a.v", "OLD"), os.Chtimes(d+"/in/a.v", info.ModTime(), info.ModTime()))
	}},
	{"renamed over", plain, func(d string) error {
		return errors.Join(write(d+"/in/tmp", "new"), os.Rename(d+"/in/tmp", d+"/in/a.v"))
	}},
	{"renamed over, mtime kept", plain, func(d string) error {
		info, err := os.Stat(d + "/in/a.v")
		if err != nil {
			return err
		}
		return errors.Join(write(d+"/in/tmp", "NEW"), os.Chtimes(d+"/in/tmp", info.ModTime(), info.ModTime()), os.Rename(d+"/in/tmp", d+"/in/a.v"))
	}},
	{"moved in from elsewhere", plain, func(d string) error {
		return errors.Join(write(d+"/tmp", "new"), os.Rename(d+"/tmp", d+"/in/a.v"))
	}},
	{"backup and new file", plain, func(d string) error {
		return errors.Join(os.Rename(d+"/in/a.v", d+"/in/a.v~"), write(d+"/in/a.v", "new"))
	}},
	{"truncated and written", plain, func(d string) error {
		return errors.Join(os.Truncate(d+"/in/a.v", 0), write(d+"/in/a.v", "new"))
	}},
	{"removed", plain, func(d string) error { return os.Remove(d + "/in/a.v") }},
	{"removed and back", plain, func(d string) error {
		return errors.Join(os.Remove(d+"/in/a.v"), write(d+"/in/a.v", "new"))
	}},
	{"made", func(d string) error { return os.Mkdir(d+"/in", 0o700) }, func(d string) error { return write(d+"/in/a.v", "new") }},
	{"made with its directory", func(string) error { return nil }, plain},
	{"directory removed", plain, func(d string) error { return os.RemoveAll(d + "/in") }},
	{"directory removed and back", plain, func(d string) error {
		return errors.Join(os.RemoveAll(d+"/in"), os.Mkdir(d+"/in", 0o700), write(d+"/in/a.v", "new"))
	}},
	{"directory replaced", plain, func(d string) error {
		return errors.Join(os.Mkdir(d+"/other", 0o700), write(d+"/other/a.v", "new"), os.Rename(d+"/in", d+"/old"), os.Rename(d+"/other", d+"/in"))
	}},
	{"symlink retargeted", linked, func(d string) error {
		return errors.Join(write(d+"/b.v", "new"), os.Symlink("../b.v", d+"/in/tmp"), os.Rename(d+"/in/tmp", d+"/in/a.v"))
	}},
	{"target of a symlink written", linked, func(d string) error { return write(d+"/real/a.v", "new") }},
	{"target of a symlink renamed over", linked, func(d string) error {
		return errors.Join(write(d+"/real/tmp", "new"), os.Rename(d+"/real/tmp", d+"/real/a.v"))
	}},
	{"symlinked directory retargeted", linkedDir, func(d string) error {
		return errors.Join(os.Mkdir(d+"/run2", 0o700), write(d+"/run2/a.v", "new"), os.Symlink("run2", d+"/tmp"), os.Rename(d+"/tmp", d+"/in"))
	}},
	{"written behind a symlinked directory", linkedDir, func(d string) error { return write(d+"/run1/a.v", "new") }},
	{"dangling symlink finds its target", func(d string) error {
		return errors.Join(os.Mkdir(d+"/in", 0o700), os.Symlink("../real/a.v", d+"/in/a.v"))
	}, func(d string) error { return errors.Join(os.Mkdir(d+"/real", 0o700), write(d+"/real/a.v", "new")) }},
	{"another kind of thing", plain, func(d string) error {
		return errors.Join(os.Remove(d+"/in/a.v"), os.Mkdir(d+"/in/a.v", 0o700))
	}},
}

func plain(d string) error {
	return errors.Join(os.Mkdir(d+"/in", 0o700), write(d+"/in/a.v", "old"))
}

func linked(d string) error {
	return errors.Join(os.Mkdir(d+"/in", 0o700), os.Mkdir(d+"/real", 0o700), write(d+"/real/a.v", "old"), os.Symlink("../real/a.v", d+"/in/a.v"))
}

func linkedDir(d string) error {
	return errors.Join(os.Mkdir(d+"/run1", 0o700), write(d+"/run1/a.v", "old"), os.Symlink("run1", d+"/in"))
}

func TestChangesAreReported(t *testing.T) {
	for _, mode := range []string{"events", "polling"} {
		for _, tc := range changes {
			t.Run(mode+"/"+tc.name, func(t *testing.T) {
				t.Parallel()
				opt := Options{}
				if mode == "polling" {
					opt = polling()
				} else if w := start(t, opt); w.Status().NoEvents != "" {
					t.Skip(w.Status().NoEvents)
				}
				dir := t.TempDir()
				path := filepath.Join(dir, "in/a.v")
				do(t, tc.prepare(dir))
				w := start(t, opt)
				set(t, w, path, filepath.Join(dir, "elsewhere/b.v"))
				before := barrier(t, w, path)[0]
				do(t, tc.act(dir))
				after := barrier(t, w, path)[0]
				if before.ID == after.ID {
					t.Errorf("Barrier does not see it: %+v", after)
				}
				for { // signs of the act may come before and after its end
					c := next(t, w)
					if !slices.Equal(c.Paths, []string{path}) && !slices.Equal(c.Incomplete, []string{path}) || c.Rescan {
						t.Fatalf("%+v", c)
					}
					w.mu.Lock()
					id := w.state[path].id
					w.mu.Unlock()
					if id == after.ID {
						break
					}
				}
				// What was done once is still watched.
				do(t, os.RemoveAll(filepath.Join(dir, "in")), plain(dir))
				if c := next(t, w); !slices.Contains(c.Paths, path) {
					t.Errorf("later: %+v", c)
				}
			})
		}
	}
}

func TestPathsAreThoseGiven(t *testing.T) {
	dir := t.TempDir()
	do(t, linked(dir))
	t.Chdir(dir)
	w := start(t, polling())
	set(t, w, "in/a.v", "./in//a.v", "real/a.v")
	files := barrier(t, w)
	if len(files) != 2 || files[0].Path != filepath.Join(dir, "in/a.v") || files[1].Path != filepath.Join(dir, "real/a.v") {
		t.Errorf("%+v", files)
	}
	do(t, write("real/a.v", "new"))
	if c := next(t, w); !slices.Equal(c.Paths, []string{files[0].Path, files[1].Path}) {
		t.Errorf("%+v", c)
	}
	set(t, w, "real/a.v")
	do(t, write("real/a.v", "newer"))
	if c := next(t, w); !slices.Equal(c.Paths, []string{files[1].Path}) {
		t.Errorf("after Set: %+v", c)
	}
}

func TestManyWrites(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.v")
	do(t, write(path, ""))
	w := start(t, Options{MaxSettle: 50 * time.Millisecond, PollMin: 10 * time.Millisecond, PollMax: 100 * time.Millisecond})
	set(t, w, path)
	written := make(chan error, 1)
	go func() {
		f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			written <- err
			return
		}
		for i := range 20_000 {
			if _, err := f.WriteString("line\n"); err != nil {
				written <- err
				return
			}
			if i%4 == 0 { // a noisy neighbour
				other := filepath.Join(dir, fmt.Sprint("other", i))
				if err := errors.Join(write(other, "x"), os.Remove(other)); err != nil {
					written <- err
					return
				}
			}
		}
		written <- f.Close()
	}()
	last := int64(-1)
	for done := false; !done; {
		select {
		case err := <-written:
			do(t, err)
			done = true
		case <-w.Events():
		default:
			if f := barrier(t, w)[0]; f.ID.Size < last {
				t.Fatalf("an older answer: %d after %d bytes", f.ID.Size, last)
			} else {
				last = f.ID.Size
			}
		}
	}
	want := barrier(t, w)[0].ID
	if want.Size != 100_000 {
		t.Fatalf("%+v", want)
	}
	for {
		w.mu.Lock()
		id := w.state[path].id
		w.mu.Unlock()
		if id == want {
			return
		}
		next(t, w)
	}
}

func TestUnreadable(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "pipe")
	if out, err := exec.Command("mkfifo", path).CombinedOutput(); err != nil {
		t.Skipf("%v %s", err, out)
	}
	w := start(t, polling())
	set(t, w, path, filepath.Join(dir, strings.Repeat("x", 300)), filepath.Join(dir, "pipe", "below"))
	files := barrier(t, w) // does not wait for a writer
	if !files[0].ID.Exists || files[1].ID.Exists || files[2].ID.Exists || files[2].Err == nil {
		t.Errorf("%+v", files)
	}
	loop := filepath.Join(dir, "loop")
	do(t, os.Symlink("loop", loop))
	set(t, w, loop)
	if files := barrier(t, w); files[0].ID.Exists || files[0].Err == nil {
		t.Errorf("a symlink to itself: %+v", files)
	}
}

func TestClose(t *testing.T) {
	w := start(t, Options{})
	set(t, w, filepath.Join(t.TempDir(), "a.v"))
	do(t, w.Close(), w.Close())
	if _, ok := <-w.Events(); ok {
		t.Error("Events is not closed")
	}
	if err := w.Set(context.Background(), nil); !errors.Is(err, errClosed) {
		t.Errorf("Set after Close: %v", err)
	}
	if st := w.Status(); st.Files != 0 {
		t.Errorf("%+v", st)
	}
	if _, err := New(Options{Settle: time.Second, MaxSettle: time.Millisecond}); err == nil {
		t.Error("MaxSettle below Settle passes")
	}
}

// TestBehindAMount changes a file where no event tells it: behind a FUSE mount, as another host does behind NFS.
func TestBehindAMount(t *testing.T) {
	bindfs := testenv.Require(t, "bindfs")
	behind, mount := t.TempDir(), t.TempDir()
	do(t, plain(behind))
	if out, err := exec.Command(bindfs, behind, mount).CombinedOutput(); err != nil {
		if os.Getenv("WATTD_REQUIRE") == "all" {
			t.Fatalf("bindfs: %v %s", err, out)
		}
		t.Skipf("bindfs: %v %s", err, out)
	}
	defer func() {
		if out, err := exec.Command("fusermount", "-u", "-z", mount).CombinedOutput(); err != nil {
			t.Errorf("%v %s", err, out)
		}
	}()
	w := start(t, Options{PollMin: 10 * time.Millisecond, PollMax: 50 * time.Millisecond})
	path := filepath.Join(mount, "in/a.v")
	set(t, w, path)
	if st := w.Status(); len(st.Polled) != 1 || !strings.Contains(st.Polled[0].Why, "FUSE") {
		t.Errorf("%+v", st)
	}
	for i := range 5 {
		text := strings.Repeat("x", i+10)
		do(t, write(behind+"/in/tmp", text), os.Rename(behind+"/in/tmp", behind+"/in/a.v"))
		if f := barrier(t, w)[0]; f.ID.Size != int64(len(text)) {
			t.Errorf("Barrier is stale: %+v", f)
		}
		if c := next(t, w); !slices.Equal(c.Paths, []string{path}) {
			t.Errorf("%+v", c)
		}
	}
	_ = w.Close() // before the mount goes
}
