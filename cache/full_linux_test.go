package cache

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// TestDiskFull fills a small file system of its own, in a child, because the database kills its process when it writes there.
func TestDiskFull(t *testing.T) {
	mount := t.TempDir()
	if err := unix.Mount("tmpfs", mount, "tmpfs", 0, "size=64m,mode=0700"); err != nil {
		if os.Getenv("WATTD_REQUIRE") == "all" {
			t.Fatalf("cannot mount a tmpfs (%v), and WATTD_REQUIRE=all", err)
		}
		t.Skipf("a small tmpfs cannot be mounted: %v", err)
	}
	defer func() {
		if err := unix.Unmount(mount, unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
	}()
	if s := open(t, filepath.Join(mount, "small"), Options{}); s.Stats().MemoryOnly == "" {
		t.Error("64 MiB are enough for the default margin")
	}
	if out, err := childCommand(t, childFull, filepath.Join(mount, "cache")).CombinedOutput(); err != nil {
		t.Errorf("%v\n%.3000s", err, out)
	}
}

func fillDisk(dir string) error {
	opt := Options{MinFree: 16 << 20, BlobBudget: 20 << 20, Budget: 1 << 30}
	s, err := Open(context.Background(), dir, opt)
	if err != nil || s.Stats().MemoryOnly != "" {
		return fmt.Errorf("open: %v %+v", err, s.Stats())
	}
	check := func(s *Store, least int) error {
		found := 0
		for i := range 1000 {
			if v, ok := s.Get(key(i)); ok {
				found++
				if !bytes.Equal(v, value(i, 64<<10)) {
					return fmt.Errorf("wrong value %d", i)
				}
			}
			if v, release, ok := s.MapBlob(key(-1 - i)); ok {
				right := bytes.Equal(v, value(-1-i, 64<<10))
				release()
				if !right {
					return fmt.Errorf("wrong blob %d", i)
				}
			}
		}
		if found < least {
			return fmt.Errorf("%d values found, want %d: %+v", found, least, s.Stats())
		}
		return nil
	}
	put := func(i int) {
		s.Put(key(i), value(i, 64<<10))
		if i%4 == 0 {
			_ = s.PutBlob(key(-1-i), bytes.NewReader(value(-1-i, 64<<10)))
		}
		_ = s.Flush(context.Background())
	}
	for i := range 1000 {
		put(i)
	}
	st := s.Stats()
	if st.Dropped < 100 || st.MemoryOnly != "" || st.Reopened != 0 {
		return fmt.Errorf("after filling: %+v", st)
	}
	// Another process takes the rest, down to the last block.
	rest := filepath.Join(filepath.Dir(dir), "rest")
	f, err := os.Create(rest)
	if err != nil {
		return err
	}
	for err == nil {
		_, err = f.Write(make([]byte, 4096))
	}
	if !errors.Is(err, unix.ENOSPC) {
		return err
	}
	_ = f.Close()
	for i := range 50 {
		put(2000 + i)
		s.Delete(key(3000 + i))
	}
	if err := check(s, 100); err != nil {
		return fmt.Errorf("on a full disk: %w", err)
	}
	_ = s.Clear(context.Background())
	_ = s.Close()
	if s, err = Open(context.Background(), dir, opt); err != nil || s.Stats().MemoryOnly == "" {
		return fmt.Errorf("opened on a full disk: %v %+v", err, s.Stats())
	}
	_ = s.Close()
	return os.Remove(rest)
}
