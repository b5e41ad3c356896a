package watch

import (
	"context"
	"errors"
	"reflect"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// world stands in for the kernel: files by name, and events only when a test sends them. With synctest its clock is exact.
type world struct {
	mu    sync.Mutex
	ids   map[string]ID
	kinds map[string]kind
	hang  map[string]chan struct{} // looks at the path wait for it
	looks map[string]int
	fail  error // of adding watches
	hints *hints
}

func newWorld() *world {
	return &world{ids: map[string]ID{}, kinds: map[string]kind{}, hang: map[string]chan struct{}{}, looks: map[string]int{}}
}

func (w *world) at(path string) (ID, kind) {
	w.mu.Lock()
	hang := w.hang[path]
	w.mu.Unlock()
	if hang != nil {
		<-hang
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.looks[path]++
	return w.ids[path], w.kinds[path]
}

func (w *world) system() system {
	return system{
		look: func(path string) look {
			id, kind := w.at(path)
			return look{id: id, route: []string{path}, kind: kind, where: "a test"}
		},
		probe:  func(path string, _ bool) (ID, error) { id, _ := w.at(path); return id, nil },
		notify: func(h *hints) (notifier, error) { w.hints = h; return w, nil },
	}
}

func (w *world) count(path string) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.looks[path]
}

func (w *world) add(string) error { return w.fail }
func (w *world) remove(string)    {}
func (w *world) close()           {}

// put changes a file, with an event or without.
func (w *world) put(path string, size int64, event bool) {
	w.mu.Lock()
	w.ids[path] = ID{Exists: true, Size: size, Mtime: size, Ctime: size}
	w.mu.Unlock()
	if event {
		w.hints.add(path, false)
	}
}

// inWorld runs f in a bubble, with files a, b and c watched.
func inWorld(t *testing.T, opt Options, f func(w *world, x *Watcher)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		for _, p := range []string{"/a", "/b", "/c"} {
			w.ids[p] = ID{Exists: true, Size: 1}
		}
		opt.system = w.system()
		x, err := New(opt)
		if err != nil {
			t.Fatal(err)
		}
		defer x.Close()
		if err := x.Set(context.Background(), []string{"/a", "/b", "/c"}); err != nil {
			t.Fatal(err)
		}
		f(w, x)
	})
}

// reported waits for d and returns what was reported meanwhile, with the time that it took.
func reported(x *Watcher, d time.Duration) (Change, time.Duration, bool) {
	began := time.Now()
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case c := <-x.Events():
		return c, time.Since(began), true
	case <-timer.C:
		return Change{}, d, false
	}
}

func expect(t *testing.T, x *Watcher, within time.Duration, want Change) time.Duration {
	t.Helper()
	c, took, ok := reported(x, within)
	if !ok {
		t.Fatalf("nothing within %v, want %+v", within, want)
	}
	if !reflect.DeepEqual(c, want) {
		t.Fatalf("after %v: %+v, want %+v", took, c, want)
	}
	return took
}

func expectNothing(t *testing.T, x *Watcher, within time.Duration) {
	t.Helper()
	if c, took, ok := reported(x, within); ok {
		t.Fatalf("after %v: %+v", took, c)
	}
}

func TestQuietFileIsReported(t *testing.T) {
	inWorld(t, Options{}, func(w *world, x *Watcher) {
		w.put("/a", 2, true)
		if took := expect(t, x, time.Second, Change{Paths: []string{"/a"}}); took != 400*time.Millisecond {
			t.Errorf("took %v", took)
		}
		expectNothing(t, x, time.Hour)
		w.hints.add("/a", false) // an event without a change
		expectNothing(t, x, time.Hour)
	})
}

func TestGrowingFileIsNotReported(t *testing.T) {
	inWorld(t, Options{}, func(w *world, x *Watcher) {
		began, size := time.Now(), int64(2)
		for told := false; !told; size++ {
			w.put("/a", size, true)
			c, _, ok := reported(x, 100*time.Millisecond)
			if told = ok; ok && !reflect.DeepEqual(c, Change{Incomplete: []string{"/a"}}) {
				t.Fatalf("%+v", c)
			}
		}
		if took := time.Since(began); took < 5*time.Second || took > 5500*time.Millisecond {
			t.Errorf("told after %v", took)
		}
		for range 100 {
			size++
			w.put("/a", size, size%3 == 0) // also where events are rare
			expectNothing(t, x, 100*time.Millisecond)
		}
		w.put("/b", 2, true) // one that grows does not hold up others for ever
		if took := expect(t, x, time.Second, Change{Paths: []string{"/a", "/b"}}); took != 400*time.Millisecond {
			t.Errorf("took %v", took)
		}
	})
}

func TestFilesAreReportedTogether(t *testing.T) {
	inWorld(t, Options{}, func(w *world, x *Watcher) {
		w.put("/b", 2, true)
		expectNothing(t, x, 300*time.Millisecond)
		w.put("/a", 2, true)
		if took := expect(t, x, time.Second, Change{Paths: []string{"/a", "/b"}}); took != 400*time.Millisecond {
			t.Errorf("took %v", took)
		}
		// But not for ever: c is written for long.
		w.put("/a", 3, true)
		for i := range 30 {
			w.put("/c", int64(2+i), true)
			expectNothing(t, x, 100*time.Millisecond)
		}
		c, _, _ := reported(x, 10*time.Second)
		if !reflect.DeepEqual(c.Paths, []string{"/a", "/c"}) {
			t.Errorf("%+v", c)
		}
	})
}

func TestEventsWithoutEndDoNotStarve(t *testing.T) {
	inWorld(t, Options{}, func(w *world, x *Watcher) {
		w.put("/a", 2, true)
		for i := range 200 {
			if c, _, ok := reported(x, 50*time.Millisecond); ok {
				if i < 90 || i > 110 || len(c.Paths) != 1 {
					t.Errorf("after %d events: %+v", i, c)
				}
				return
			}
			w.hints.add("/a", false)
		}
		t.Error("never reported")
	})
}

func TestIncompleteFile(t *testing.T) {
	var whole atomic.Bool
	inWorld(t, Options{Complete: func(string) bool { return whole.Load() }}, func(w *world, x *Watcher) {
		w.put("/a", 2, true)
		if took := expect(t, x, time.Minute, Change{Incomplete: []string{"/a"}}); took != 5*time.Second {
			t.Errorf("took %v", took)
		}
		expectNothing(t, x, time.Hour) // told once
		whole.Store(true)
		w.put("/a", 3, true)
		expect(t, x, time.Second, Change{Paths: []string{"/a"}})
	})
}

func TestEmptyAndGone(t *testing.T) {
	inWorld(t, Options{}, func(w *world, x *Watcher) {
		w.put("/a", 0, true) // truncated, to be written
		expectNothing(t, x, time.Second)
		w.put("/a", 5, true)
		expect(t, x, time.Second, Change{Paths: []string{"/a"}})
		w.mu.Lock()
		delete(w.ids, "/a")
		w.mu.Unlock()
		w.hints.add("/a", true)
		expectNothing(t, x, 100*time.Millisecond) // it may be back at once
		expect(t, x, time.Second, Change{Paths: []string{"/a"}})
	})
}

func TestOverflow(t *testing.T) {
	inWorld(t, Options{}, func(w *world, x *Watcher) {
		w.put("/b", 2, false)
		w.hints.overflow()
		expect(t, x, 10*time.Second, Change{Paths: []string{"/b"}, Rescan: true})
		w.hints.overflow()
		expect(t, x, 10*time.Second, Change{Rescan: true})
		if st := x.Status(); st.Overflows != 2 {
			t.Errorf("%+v", st)
		}
	})
}

func TestSlowReaderLosesNothing(t *testing.T) {
	inWorld(t, Options{}, func(w *world, x *Watcher) {
		for i, p := range []string{"/c", "/a", "/b", "/a"} {
			w.put(p, int64(10+i), true)
			time.Sleep(time.Second) // of the bubble: nobody reads
			synctest.Wait()
		}
		expect(t, x, time.Second, Change{Paths: []string{"/a", "/b", "/c"}})
		expectNothing(t, x, time.Hour)
	})
}

// TestRecentTimes is a write within the step of the file's times: an event, and the same ID.
func TestRecentTimes(t *testing.T) {
	inWorld(t, Options{}, func(w *world, x *Watcher) {
		now := time.Now().UnixNano()
		w.mu.Lock()
		w.ids["/a"] = ID{Exists: true, Size: 2, Mtime: now, Ctime: now}
		w.mu.Unlock()
		w.hints.add("/a", false)
		expect(t, x, time.Second, Change{Paths: []string{"/a"}})
		w.hints.add("/a", false)
		expect(t, x, time.Second, Change{Paths: []string{"/a"}})
		time.Sleep(time.Minute)
		w.hints.add("/a", false)
		expect(t, x, time.Second, Change{Paths: []string{"/a"}}) // the last report still was of a recent state
		w.hints.add("/a", false)
		expectNothing(t, x, time.Hour)
	})
}

func TestPolling(t *testing.T) {
	for _, tc := range []struct {
		name string
		make func(w *world)
	}{
		{"network", func(w *world) { w.kinds["/a"] = poll }},
		{"unknown file system", func(w *world) { w.kinds["/a"] = both }},
		{"no watches left", func(w *world) { w.fail = errors.New("no space left on device") }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld()
				tc.make(w)
				x, err := New(Options{system: w.system()})
				if err != nil {
					t.Fatal(err)
				}
				defer x.Close()
				if err := x.Set(context.Background(), []string{"/a"}); err != nil {
					t.Fatal(err)
				}
				if st := x.Status(); len(st.Polled) != 1 || st.Polled[0].Why == "" {
					t.Errorf("%+v", st)
				}
				w.put("/a", 2, false)
				if took := expect(t, x, time.Minute, Change{Paths: []string{"/a"}}); took > 1500*time.Millisecond {
					t.Errorf("soon after a change a change took %v", took)
				}
				before := w.count("/a")
				expectNothing(t, x, time.Hour)
				if n := w.count("/a") - before; n < 100 || n > 260 { // one or two each 30 s
					t.Errorf("%d looks in an idle hour", n)
				}
				w.put("/a", 3, false)
				if took := expect(t, x, time.Minute, Change{Paths: []string{"/a"}}); took > 31*time.Second {
					t.Errorf("idle, a change took %v", took)
				}
				expectNothing(t, x, time.Hour)
				w.put("/a", 4, false)
				if f, err := x.Barrier(context.Background()); err != nil || f[0].ID.Size != 4 || !f[0].Settling {
					t.Errorf("Barrier: %+v %v", f, err)
				}
				if took := expect(t, x, time.Minute, Change{Paths: []string{"/a"}}); took > 500*time.Millisecond {
					t.Errorf("after Barrier saw it a change took %v", took)
				}
			})
		})
	}
}

// TestMissedEvent: files with events are looked at now and then all the same.
func TestMissedEvent(t *testing.T) {
	inWorld(t, Options{}, func(w *world, x *Watcher) {
		w.put("/a", 2, false)
		if took := expect(t, x, time.Minute, Change{Paths: []string{"/a"}}); took > 31*time.Second {
			t.Errorf("took %v", took)
		}
	})
}

func TestDeadServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		w.kinds["/nfs"] = poll
		back := make(chan struct{})
		w.hang["/nfs"] = back
		x, err := New(Options{system: w.system()})
		if err != nil {
			t.Fatal(err)
		}
		defer x.Close()
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		if err := x.Set(ctx, []string{"/a", "/nfs"}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Set: %v", err)
		}
		w.put("/a", 2, true)
		expect(t, x, time.Second, Change{Paths: []string{"/a"}})
		for range 2 * remoteSlots { // never more calls under way than there are slots
			ctx, cancel := context.WithTimeout(context.Background(), time.Second)
			if _, err := x.Barrier(ctx, "/nfs"); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("Barrier: %v", err)
			}
			cancel()
		}
		if f, err := x.Barrier(context.Background(), "/a"); err != nil || f[0].ID.Size != 2 {
			t.Errorf("a local file: %+v %v", f, err)
		}
		close(back)
		if _, err := x.Barrier(context.Background()); err != nil {
			t.Error(err)
		}
	})
}
