package cache

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if job := os.Getenv("WATTD_CACHE_CHILD"); job != "" {
		os.Exit(child(job))
	}
	goleak.VerifyTestMain(m,
		goleak.IgnoreTopFunction("github.com/dgraph-io/badger/v4.(*DB).flushMemtable"))
}

func testOptions(t testing.TB) Options {
	return Options{Schema: 3, MinFree: 1, Log: slog.New(slog.NewTextHandler(testWriter{t}, nil))}
}

type testWriter struct{ t testing.TB }

func (w testWriter) Write(p []byte) (int, error) {
	w.t.Log(strings.TrimSpace(string(p)))
	return len(p), nil
}

func open(t testing.TB, dir string, opt Options) *Store {
	t.Helper()
	s, err := Open(context.Background(), dir, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func openOnDisk(t testing.TB, dir string, opt Options) *Store {
	t.Helper()
	s := open(t, dir, opt)
	if st := s.Stats(); st.MemoryOnly != "" {
		t.Fatalf("memory only: %s", st.MemoryOnly)
	}
	return s
}

func private(t testing.TB) string {
	dir := filepath.Join(t.TempDir(), "cache")
	return dir
}

func flush(t testing.TB, s *Store) {
	t.Helper()
	if err := s.Flush(context.Background()); err != nil {
		t.Fatal(err)
	}
}

// key and value number i. The value says which it is, so that any wrong answer shows.
func key(i int) Key { return KeyOf("test", binary.AppendVarint(nil, int64(i))) }

func value(i, size int) []byte {
	var seed [32]byte
	binary.LittleEndian.PutUint64(seed[:], uint64(i))
	b := make([]byte, size)
	_, _ = rand.NewChaCha8(seed).Read(b) // never fails
	return b
}

var sizes = []int{0, 1, 100, 32 << 10, chunkSize - 1, chunkSize, chunkSize + 1, 3*chunkSize + 5}

func TestValuesComeBack(t *testing.T) {
	for _, mode := range []string{"disk", "memory"} {
		t.Run(mode, func(t *testing.T) {
			dir := ""
			if mode == "disk" {
				dir = private(t)
			}
			s := open(t, dir, testOptions(t))
			check := func(when string) {
				t.Helper()
				for i, n := range sizes {
					v, ok := s.Get(key(i))
					if !ok || !bytes.Equal(v, value(i, n)) || !s.Has(key(i)) {
						t.Errorf("%s: value %d of %d bytes: found %v, has %v", when, i, n, ok, s.Has(key(i)))
					}
				}
				if _, ok := s.Get(key(len(sizes))); ok || s.Has(key(len(sizes))) {
					t.Errorf("%s: found what was never put", when)
				}
			}
			for i, n := range sizes {
				s.Put(key(i), value(i, n))
			}
			check("pending")
			flush(t, s)
			check("flushed")
			if mode == "disk" {
				_ = s.Close()
				if _, ok := s.Get(key(0)); ok {
					t.Error("found after Close")
				}
				s = openOnDisk(t, dir, testOptions(t))
				check("reopened")
			}
			s.Delete(key(1))
			if _, ok := s.Get(key(1)); ok || s.Has(key(1)) {
				t.Error("found after Delete")
			}
			flush(t, s)
			if _, ok := s.Get(key(1)); ok || s.Has(key(1)) {
				t.Error("found after Delete and Flush")
			}
			s.Put(key(1), value(1, sizes[1]))
			flush(t, s)
			check("put again")
			if err := s.Clear(context.Background()); err != nil {
				t.Fatal(err)
			}
			for i := range sizes {
				if _, ok := s.Get(key(i)); ok {
					t.Errorf("value %d found after Clear", i)
				}
			}
			s.Put(key(0), value(0, 10))
			flush(t, s)
			if _, ok := s.Get(key(0)); !ok {
				t.Error("nothing is stored after Clear")
			}
		})
	}
}

func TestTooLargeIsDropped(t *testing.T) {
	s := open(t, private(t), testOptions(t))
	s.Put(key(0), make([]byte, MaxValue+1))
	if st := s.Stats(); s.Has(key(0)) || st.Dropped != 1 {
		t.Errorf("stored, or not counted: %+v", st)
	}
}

func TestSchemasAreApart(t *testing.T) {
	dir := private(t)
	opt := testOptions(t)
	s := openOnDisk(t, dir, opt)
	s.Put(key(0), value(0, 10))
	_ = s.Close()
	opt.Schema++
	s = openOnDisk(t, dir, opt)
	if _, ok := s.Get(key(0)); ok {
		t.Error("found under another schema")
	}
	flush(t, s) // the writer first removes what other schemas left
	if _, err := os.Stat(filepath.Join(dir, "wattd-v3")); !os.IsNotExist(err) {
		t.Errorf("the old schema is still there: %v", err)
	}
}

func TestOneProcessOwnsIt(t *testing.T) {
	dir := private(t)
	first := openOnDisk(t, dir, testOptions(t))
	second := open(t, dir, testOptions(t))
	if st := second.Stats(); !strings.Contains(st.MemoryOnly, "another process") {
		t.Errorf("second open: %+v", st)
	}
	second.Put(key(0), []byte("second"))
	if v, ok := second.Get(key(0)); !ok || string(v) != "second" {
		t.Error("the second store does not work in memory")
	}
	if first.Has(key(0)) {
		t.Error("the first sees what the second put")
	}
	_ = first.Close()
	third := openOnDisk(t, dir, testOptions(t))
	third.Put(key(1), []byte("third"))
}

func TestPlacesThatAreRefused(t *testing.T) {
	opt := testOptions(t)
	on := func(v volume) Options {
		o := opt
		o.MinFree = 0
		o.volume = func(string) (volume, error) { return v, nil }
		return o
	}
	wide := private(t)
	if err := os.Mkdir(wide, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(wide, 0o777); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	locked := private(t)
	if err := os.MkdirAll(filepath.Join(locked, "lock"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		name, dir, why string
		opt            Options
	}{
		{"no directory", "", "no directory", opt},
		{"network", private(t), "local disk", on(volume{free: 1 << 40, network: "NFS"})},
		{"no space", private(t), "MiB free", on(volume{free: minFree - 1})},
		{"others may write", wide, "written by others", opt},
		{"a file", file, "not a directory", opt},
		{"below a file", filepath.Join(file, "x"), "not a directory", opt},
		{"the lock is a directory", locked, "is a directory", opt},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := open(t, tc.dir, tc.opt)
			if st := s.Stats(); !strings.Contains(st.MemoryOnly, tc.why) || st.Dir != "" {
				t.Errorf("why %q, want %q; dir %q", st.MemoryOnly, tc.why, st.Dir)
			}
			s.Put(key(0), value(0, 10))
			if v, ok := s.Get(key(0)); !ok || !bytes.Equal(v, value(0, 10)) {
				t.Error("does not work in memory")
			}
		})
	}
}

func TestOptionsAndContext(t *testing.T) {
	if _, err := Open(context.Background(), "", Options{Budget: -1}); err == nil {
		t.Error("a negative budget passes")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if s, err := Open(ctx, "", Options{}); err == nil {
		t.Errorf("opened although cancelled: %v", s)
	}
}

func TestDefaultDir(t *testing.T) {
	user := func() (string, error) { return "/home/u/.cache", nil }
	none := func() (string, error) { return "", fmt.Errorf("no home") }
	on := func(network string) func(string) (volume, error) {
		return func(dir string) (volume, error) {
			if dir != "/home" {
				return volume{}, os.ErrNotExist
			}
			return volume{network: network}, nil
		}
	}
	tmp := fmt.Sprintf("/var/tmp/wattd-%d", os.Getuid())
	for _, tc := range []struct {
		name, chosen, want string
		user               func() (string, error)
		stat               func(string) (volume, error)
	}{
		{"chosen", "/x", "/x", user, on("")},
		{"home is local", "", "/home/u/.cache/wattd", user, on("")},
		{"home is on NFS", "", tmp, user, on("NFS")},
		{"no home", "", tmp, none, on("")},
	} {
		if got := defaultDir(tc.chosen, tc.user, tc.stat); got != tc.want {
			t.Errorf("%s: %s, want %s", tc.name, got, tc.want)
		}
	}
}

func TestKeysDoNotRunTogether(t *testing.T) {
	a, b := KeyOf("k", []byte("ab"), []byte("c")), KeyOf("k", []byte("a"), []byte("bc"))
	if a == b || a == KeyOf("ka", []byte("b"), []byte("c")) || a != KeyOf("k", []byte("ab"), []byte("c")) {
		t.Error("keys of different parts are equal, or those of equal parts differ")
	}
}

func TestBudgetAndRecency(t *testing.T) {
	opt := testOptions(t)
	opt.Budget = 8 << 20
	s := openOnDisk(t, private(t), opt)
	const size = 100 << 10
	for i := range 300 { // 30 MB
		s.Put(key(i), value(i, size))
		flush(t, s)
		if v, ok := s.Get(key(0)); !ok || !bytes.Equal(v, value(0, size)) {
			t.Fatalf("the entry that is used all the time is gone after %d", i)
		}
	}
	st := s.Stats()
	if st.Rotations < 4 || st.Values > opt.Budget+opt.Budget/2 {
		t.Errorf("%d bytes of %d, %d rotations", st.Values, opt.Budget, st.Rotations)
	}
	if s.Has(key(1)) || !s.Has(key(299)) {
		t.Error("the oldest is there, or the newest is not")
	}
	dirs, _ := filepath.Glob(filepath.Join(st.Dir, "wattd-v3", "values", "*"))
	if len(dirs) != 2 {
		t.Errorf("generations: %v", dirs)
	}
}

func TestMemoryBudget(t *testing.T) {
	s := open(t, "", Options{MemoryBudget: 100 << 10})
	for i := range 50 {
		s.Put(key(i), value(i, 10<<10))
		s.Get(key(0))
	}
	if st := s.Stats(); st.Values > 100<<10 || st.Evicted == 0 || !s.Has(key(0)) || s.Has(key(1)) || !s.Has(key(49)) {
		t.Errorf("%+v", st)
	}
	if err := s.PutBlob(key(100), bytes.NewReader(make([]byte, 200<<10))); err == nil {
		t.Error("a blob beyond the budget is stored")
	}
}

func TestPendingIsBounded(t *testing.T) {
	opt := testOptions(t)
	opt.MemoryBudget = 1 << 20
	s := openOnDisk(t, private(t), opt)
	hold, release := make(chan struct{}), make(chan struct{})
	go func() { _ = s.disk.Load().do(context.Background(), func() { close(hold); <-release }) }()
	<-hold // the writer is busy now
	for i := range 30 {
		s.Put(key(i), value(i, 100<<10))
	}
	st := s.Stats()
	if st.Pending > opt.MemoryBudget || st.Dropped == 0 || st.Puts+st.Dropped != 30 {
		t.Errorf("%+v", st)
	}
	close(release)
	flush(t, s)
	if st := s.Stats(); st.Pending != 0 {
		t.Errorf("%d bytes pending after Flush", st.Pending)
	}
}

func TestConcurrentUse(t *testing.T) {
	opt := testOptions(t)
	opt.Budget, opt.BlobBudget = 4<<20, 2<<20
	s := openOnDisk(t, private(t), opt)
	var wg sync.WaitGroup
	for w := range 8 {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(uint64(w), 1))
			for range 150 {
				i := r.IntN(60)
				n := 1000 + i*1000
				switch op := r.IntN(20); {
				case op < 8:
					s.Put(key(i), value(i, n))
				case op < 14:
					if v, ok := s.Get(key(i)); ok && !bytes.Equal(v, value(i, n)) {
						t.Errorf("wrong value %d", i)
					}
				case op == 14:
					s.Delete(key(i))
				case op == 15:
					s.Has(key(i))
					s.Stats()
				case op < 18:
					_ = s.PutBlob(key(1000+i), bytes.NewReader(value(i, n)))
				default:
					if v, release, ok := s.MapBlob(key(1000 + i)); ok {
						if !bytes.Equal(v, value(i, n)) {
							t.Errorf("wrong blob %d", i)
						}
						release()
					}
				}
				if w == 0 && r.IntN(70) == 0 {
					_ = s.Clear(context.Background())
				}
			}
		})
	}
	wg.Wait()
	if st := s.Stats(); st.Corrupt != 0 || st.Reopened != 0 || st.MemoryOnly != "" {
		t.Errorf("%+v", st)
	}
}
