package cache

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
	"unsafe"
)

func putBlob(t *testing.T, s *Store, i, size int) {
	t.Helper()
	if err := s.PutBlob(key(i), bytes.NewReader(value(i, size))); err != nil {
		t.Fatal(err)
	}
}

func blobIs(s *Store, i, size int) (found, right bool) {
	v, release, ok := s.MapBlob(key(i))
	if !ok {
		return false, false
	}
	defer release()
	return true, bytes.Equal(v, value(i, size))
}

func TestBlobsComeBack(t *testing.T) {
	dir := private(t)
	for _, d := range []string{dir, ""} {
		s := open(t, d, testOptions(t))
		for i, n := range []int{0, 1, 4096, 1 << 20} {
			putBlob(t, s, i, n)
			putBlob(t, s, i, n) // again: no matter
		}
		for round := range 2 {
			for i, n := range []int{0, 1, 4096, 1 << 20} {
				if found, right := blobIs(s, i, n); !found || !right {
					t.Errorf("round %d, %d bytes: found %v, right %v", round, n, found, right)
				}
			}
			if d != "" {
				_ = s.Close()
				s = openOnDisk(t, d, testOptions(t))
			}
		}
		s.Delete(key(1))
		if found, _ := blobIs(s, 1, 1); found {
			t.Error("found after Delete")
		}
	}
}

func TestBlobOutlivesItsEntry(t *testing.T) {
	s := openOnDisk(t, private(t), testOptions(t))
	putBlob(t, s, 0, 1<<20)
	a, releaseA, _ := s.MapBlob(key(0))
	b, releaseB, _ := s.MapBlob(key(0))
	if unsafe.SliceData(a) != unsafe.SliceData(b) {
		t.Error("mapped twice")
	}
	if uintptr(unsafe.Pointer(unsafe.SliceData(a)))%4096 != 0 {
		t.Error("not at a page boundary")
	}
	releaseA()
	releaseA() // again: no matter
	s.Delete(key(0))
	_ = s.Close()
	if !bytes.Equal(b, value(0, 1<<20)) {
		t.Error("changed after Delete and Close")
	}
	releaseB()
}

func TestBlobBudget(t *testing.T) {
	opt := testOptions(t)
	opt.BlobBudget = 1 << 20
	dir := private(t)
	s := openOnDisk(t, dir, opt)
	for i := range 30 {
		putBlob(t, s, i, 100<<10)
		if found, right := blobIs(s, 0, 100<<10); !found || !right {
			t.Fatalf("the blob in use is gone after %d", i)
		}
	}
	if err := s.PutBlob(key(99), bytes.NewReader(make([]byte, 2<<20))); !errors.Is(err, errTooLarge) {
		t.Errorf("a blob beyond the budget: %v", err)
	}
	check := func(s *Store, budget int64) {
		t.Helper()
		files, _ := filepath.Glob(filepath.Join(dir, "wattd-v3", "blobs", "*", "*"))
		var sum int64
		for _, f := range files {
			info, err := os.Stat(f)
			if err != nil {
				t.Fatal(err)
			}
			sum += info.Size()
		}
		if st := s.Stats(); sum != st.Blobs || sum > budget || sum < budget/2 {
			t.Errorf("%d bytes in files, %d counted, budget %d", sum, st.Blobs, budget)
		}
	}
	check(s, opt.BlobBudget)
	if found, _ := blobIs(s, 1, 100<<10); found {
		t.Error("the oldest is still there")
	}
	_ = s.Close()
	opt.BlobBudget /= 2
	check(openOnDisk(t, dir, opt), opt.BlobBudget)
}

type failing struct{}

func (failing) WriteTo(w io.Writer) (int64, error) {
	_, _ = w.Write(make([]byte, 1000))
	return 1000, io.ErrUnexpectedEOF
}

func TestBlobWriterThatFails(t *testing.T) {
	for _, dir := range []string{private(t), ""} {
		s := open(t, dir, testOptions(t))
		if err := s.PutBlob(key(0), failing{}); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("error %v", err)
		}
		if found, _ := blobIs(s, 0, 1000); found {
			t.Error("half a blob is found")
		}
		files, _ := filepath.Glob(filepath.Join(dir, "wattd-v3", "blobs", "*", "*"))
		if dir != "" && len(files) != 0 {
			t.Errorf("left: %v", files)
		}
	}
}

func TestDamagedBlobs(t *testing.T) {
	const size = 300 << 10
	for _, tc := range []struct {
		name string
		do   func(path, other string) error
	}{
		{"last byte", func(p, _ string) error { return overwrite(p, blobHeader+size-1, []byte{0x55}) }},
		{"magic", func(p, _ string) error { return overwrite(p, 0, []byte("x")) }},
		{"schema", func(p, _ string) error { return overwrite(p, 8, []byte{9}) }},
		{"length", func(p, _ string) error { return overwrite(p, 17, []byte{9}) }},
		{"hash", func(p, _ string) error { return overwrite(p, 30, []byte{9, 9}) }},
		{"cut", func(p, _ string) error { return os.Truncate(p, size) }},
		{"cut in the header", func(p, _ string) error { return os.Truncate(p, 100) }},
		{"empty", func(p, _ string) error { return os.Truncate(p, 0) }},
		{"longer", func(p, _ string) error { return os.Truncate(p, 1<<20) }},
		{"another blob", func(p, other string) error { return os.Rename(other, p) }},
		{"a directory", func(p, _ string) error { return errors.Join(os.Remove(p), os.Mkdir(p, 0o700)) }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			for _, before := range []bool{false, true} { // the blob was verified before it was damaged
				s := openOnDisk(t, private(t), testOptions(t))
				putBlob(t, s, 0, size)
				putBlob(t, s, 1, size)
				if before {
					if found, right := blobIs(s, 0, size); !found || !right {
						t.Fatal("not stored")
					}
				}
				b := s.disk.Load().blobs
				if err := tc.do(b.path(key(0)), b.path(key(1))); err != nil {
					t.Fatal(err)
				}
				if found, _ := blobIs(s, 0, size); found {
					t.Errorf("verified before %v: found", before)
				}
				if s.Stats().Corrupt != 1 {
					t.Errorf("not counted: %+v", s.Stats())
				}
				putBlob(t, s, 0, size)
				if found, right := blobIs(s, 0, size); !found || !right {
					t.Errorf("put again: found %v, right %v", found, right)
				}
			}
		})
	}
}
