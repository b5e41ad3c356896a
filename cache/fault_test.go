package cache

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// killWriter lets a child write until it has printed n lines, and kills it with signal 9.
func killWriter(t *testing.T, dir string, n int) {
	t.Helper()
	cmd := childCommand(t, childWrite, dir)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for i := 0; i < n && lines.Scan(); i++ {
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Error(err)
	}
	_ = cmd.Wait() // killed
}

func TestKilledWriter(t *testing.T) {
	dir := private(t)
	r := rand.New(rand.NewPCG(1, 2))
	for round := range 8 {
		killWriter(t, dir, r.IntN(60))
		if round%4 == 3 { // several in a row, then one that looks
			found, onDisk := checkInChild(t, dir)
			if !onDisk {
				t.Errorf("round %d: memory only", round)
			}
			t.Logf("round %d: %d entries", round, found)
		}
	}
	killWriter(t, dir, 60)
	if found, _ := checkInChild(t, dir); found < 30 {
		t.Errorf("%d entries after one kill, of about 60 that were written", found)
	}
}

// template makes a directory with two generations and blobs, closed cleanly or not.
func template(t *testing.T, clean bool) string {
	t.Helper()
	dir := private(t)
	killWriter(t, dir, 45)
	if clean {
		checkInChild(t, dir)
	}
	return dir
}

func copyTree(t *testing.T, from, to string) {
	t.Helper()
	err := filepath.WalkDir(from, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(from, path)
		if e.IsDir() {
			return os.MkdirAll(filepath.Join(to, rel), 0o700)
		}
		return copySparse(path, filepath.Join(to, rel))
	})
	if err != nil {
		t.Fatal(err)
	}
}

// copySparse leaves holes for zeros: badger's logs are mostly that.
func copySparse(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	defer out.Close()
	zeros, buf := make([]byte, 1<<20), make([]byte, 1<<20)
	var at int64
	for {
		n, err := io.ReadFull(in, buf)
		if n > 0 && !bytes.Equal(buf[:n], zeros[:n]) {
			if _, err := out.WriteAt(buf[:n], at); err != nil {
				return err
			}
		}
		at += int64(n)
		if err != nil {
			return out.Truncate(at)
		}
	}
}

// damages are what may happen to a file. r gives the places.
var damages = []struct {
	name string
	do   func(path string, size int64, r *rand.Rand) error
}{
	{"removed", func(path string, _ int64, _ *rand.Rand) error { return os.Remove(path) }},
	{"empty", func(path string, _ int64, _ *rand.Rand) error { return os.Truncate(path, 0) }},
	{"short header", func(path string, size int64, _ *rand.Rand) error { return os.Truncate(path, min(size, 7)) }},
	{"cut in the middle", func(path string, size int64, r *rand.Rand) error { return os.Truncate(path, r.Int64N(size+1)) }},
	{"last byte cut", func(path string, size int64, _ *rand.Rand) error { return os.Truncate(path, max(0, size-1)) }},
	{"longer", func(path string, size int64, _ *rand.Rand) error { return overwrite(path, size, []byte("more")) }},
	{"start overwritten", func(path string, _ int64, r *rand.Rand) error { return overwrite(path, 0, noise(r, 16)) }},
	{"end overwritten", func(path string, size int64, r *rand.Rand) error {
		return overwrite(path, max(0, size-16), noise(r, 16))
	}},
	{"8 bytes overwritten", func(path string, size int64, r *rand.Rand) error {
		return overwrite(path, r.Int64N(max(1, size-8)), noise(r, 8))
	}},
	{"some bytes of the first 200 KB", func(path string, size int64, r *rand.Rand) error {
		for range 40 {
			if err := overwrite(path, r.Int64N(max(1, min(size, 200<<10))), noise(r, 1)); err != nil {
				return err
			}
		}
		return nil
	}},
	{"foreign", func(path string, size int64, r *rand.Rand) error {
		return os.WriteFile(path, noise(r, int(min(size+100, 1<<20))), 0o600)
	}},
	{"zeros", func(path string, size int64, _ *rand.Rand) error {
		return os.WriteFile(path, make([]byte, min(size, 1<<20)), 0o600)
	}},
	{"a directory", func(path string, _ int64, _ *rand.Rand) error {
		return errors.Join(os.Remove(path), os.Mkdir(path, 0o700))
	}},
}

func noise(r *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

func overwrite(path string, at int64, b []byte) error {
	if err := os.Chmod(path, 0o600); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteAt(b, at)
	return errors.Join(err, f.Close())
}

// filesOf lists the files, one of each kind and generation, for blobs one.
func filesOf(t *testing.T, dir string) (files []string) {
	t.Helper()
	kinds := map[string]bool{}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		kind := filepath.Base(path)
		if ext := filepath.Ext(path); ext != "" {
			kind = ext
		}
		if strings.Contains(path, "/values/") {
			kind = filepath.Dir(path) + " " + kind
		}
		if !kinds[kind] {
			kinds[kind] = true
			rel, _ := filepath.Rel(dir, path)
			files = append(files, rel)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// TestDamagedFiles hurts each file in each way. With WATTD_SOAK set it does so for many more places.
func TestDamagedFiles(t *testing.T) {
	rounds := 1
	if os.Getenv("WATTD_SOAK") != "" {
		rounds = 20
	}
	for _, clean := range []bool{true, false} {
		whole := template(t, clean)
		files := filesOf(t, whole)
		if len(files) < 9 {
			t.Fatalf("only %v", files)
		}
		for i, file := range files {
			for j, damage := range damages {
				if every := map[bool]int{true: 6, false: 9}[clean]; rounds == 1 && (i+j)%every != 0 {
					continue // each file and each damage, not each pair
				}
				for round := range rounds {
					t.Run(fmt.Sprintf("clean %v/%s/%s/%d", clean, file, damage.name, round), func(t *testing.T) {
						t.Parallel()
						dir := private(t)
						copyTree(t, whole, dir)
						path := filepath.Join(dir, file)
						info, err := os.Stat(path)
						if err != nil {
							t.Fatal(err)
						}
						if err := damage.do(path, info.Size(), rand.New(rand.NewPCG(uint64(i*100+j), uint64(round)))); err != nil {
							t.Fatal(err)
						}
						found, onDisk := checkInChild(t, dir)
						t.Logf("%d found, on disk %v", found, onDisk)
						if !onDisk && filepath.Base(file) != "lock" {
							t.Error("memory only")
						}
						_ = os.RemoveAll(dir) // tidied here to bound what the test takes
					})
				}
			}
		}
	}
}

// TestDamageWhileOpen changes files under a store that has them mapped.
func TestDamageWhileOpen(t *testing.T) {
	dir := template(t, true)
	s := openOnDisk(t, dir, testOptions(t))
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || filepath.Ext(path) != ".sst" && filepath.Ext(path) != ".blob" {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		return os.Truncate(path, info.Size()/2)
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := checkAll(s, 200); err != nil {
		t.Error(err)
	}
	if st := s.Stats(); st.Corrupt == 0 {
		t.Errorf("nothing was noticed: %+v", st)
	}
}

func TestDirectoryRemovedWhileOpen(t *testing.T) {
	for _, part := range []string{".", "wattd-v3", "wattd-v3/values", "wattd-v3/blobs", "lock"} {
		t.Run(part, func(t *testing.T) {
			dir := private(t)
			s := openOnDisk(t, dir, testOptions(t))
			for i := range 20 {
				s.Put(key(i), value(i, childSize(i)))
				if err := s.PutBlob(key(-1-i), bytes.NewReader(value(-1-i, 100<<10))); err != nil {
					t.Fatal(err)
				}
			}
			flush(t, s)
			blob, release, ok := s.MapBlob(key(-1))
			if !ok {
				t.Fatal("no blob")
			}
			if err := os.RemoveAll(filepath.Join(dir, part)); err != nil {
				t.Fatal(err)
			}
			if _, err := checkAll(s, 20); err != nil {
				t.Error(err)
			}
			if !bytes.Equal(blob, value(-1, 100<<10)) {
				t.Error("a mapped blob changed")
			}
			release()
			for i := range 20 {
				s.Put(key(100+i), value(100+i, childSize(100+i)))
				if err := s.PutBlob(key(-101-i), bytes.NewReader(value(-101-i, 100<<10))); err != nil {
					t.Error(err)
				}
			}
			flush(t, s)
			if found, err := checkAll(s, 200); err != nil || found < 40 {
				t.Errorf("%d found, %v", found, err)
			}
			_ = s.Close()
			s = openOnDisk(t, dir, testOptions(t))
			if found, err := checkAll(s, 200); err != nil || found < 40 {
				t.Errorf("%d found after opening again, %v", found, err)
			}
		})
	}
}

func TestRemovedAndClosed(t *testing.T) {
	dir := private(t)
	s := openOnDisk(t, dir, testOptions(t))
	s.Put(key(0), value(0, 100))
	flush(t, s)
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	_ = s.Close()
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("Close left something of a directory that was removed: %v", err)
	}
}

func TestTakenOverByAnother(t *testing.T) {
	dir := private(t)
	first := openOnDisk(t, dir, testOptions(t))
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	second := openOnDisk(t, dir, testOptions(t))
	second.Put(key(1), value(1, 100))
	flush(t, second)
	first.Put(key(0), value(0, 100))
	_ = first.Flush(context.Background()) // it may end because the writer does
	first.Put(key(2), value(2, 100))
	_ = first.Flush(context.Background())
	if st := first.Stats(); st.MemoryOnly == "" {
		t.Errorf("two stores use one directory: %+v", st)
	}
	_ = first.Close()
	if v, ok := second.Get(key(1)); !ok || !bytes.Equal(v, value(1, 100)) {
		t.Error("the new owner lost its entry")
	}
}

func TestCrashNotes(t *testing.T) {
	for _, tc := range []struct {
		note  string
		found bool
	}{
		{"running 1\n", true},
		{"running 4\n", true},
		{"running 5\n", false},
		{"opening 0\n", false},
		{"open", false},
	} {
		dir := private(t)
		s := openOnDisk(t, dir, testOptions(t))
		s.Put(key(0), value(0, 100))
		flush(t, s)
		_ = s.Close()
		home := filepath.Join(dir, "wattd-v3")
		if _, err := os.Stat(filepath.Join(home, bootName)); !os.IsNotExist(err) {
			t.Errorf("a clean end leaves a note: %v", err)
		}
		if err := os.WriteFile(filepath.Join(home, bootName), []byte(tc.note), 0o600); err != nil {
			t.Fatal(err)
		}
		s = openOnDisk(t, dir, testOptions(t))
		bad, _ := filepath.Glob(filepath.Join(home, "bad-*"))
		if _, ok := s.Get(key(0)); ok != tc.found || (len(bad) == 0) != tc.found {
			t.Errorf("%q: found %v, set aside %v", tc.note, ok, bad)
		}
		_ = s.Close()
	}
}

// TestNoSpaceLeft uses a stand-in for the free space: writing stops and goes on with it.
func TestNoSpaceLeft(t *testing.T) {
	opt := testOptions(t)
	free := make(chan int64, 1)
	free <- 1 << 40
	opt.MinFree = 1 << 20
	opt.volume = func(string) (volume, error) {
		f := <-free
		free <- f
		return volume{free: f}, nil
	}
	set := func(f int64) { <-free; free <- f }
	s := openOnDisk(t, private(t), opt)
	s.Put(key(0), value(0, 1000))
	flush(t, s)
	set(1<<20 + 10)
	s.Put(key(1), value(1, 1000))
	flush(t, s)
	if err := s.PutBlob(key(2), bytes.NewReader(value(2, 10))); err != nil {
		t.Errorf("a blob with just enough space: %v", err)
	}
	set(1<<20 - 1)
	if err := s.PutBlob(key(3), bytes.NewReader(value(3, 10))); !errors.Is(err, errNoSpace) {
		t.Errorf("a blob without space: %v", err)
	}
	if temps, _ := filepath.Glob(filepath.Join(s.Stats().Dir, "*", "blobs", "*", tempPrefix+"*")); len(temps) != 0 {
		t.Errorf("left: %v", temps)
	}
	if !s.Has(key(0)) || s.Has(key(1)) || s.Stats().Dropped != 2 {
		t.Errorf("has %v %v, %+v", s.Has(key(0)), s.Has(key(1)), s.Stats())
	}
	set(1 << 40)
	s.Put(key(1), value(1, 1000))
	flush(t, s)
	if !s.Has(key(1)) {
		t.Error("writing does not go on")
	}
}
