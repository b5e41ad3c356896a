//go:build unix

package cache

import (
	"errors"
	"fmt"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// lockFile takes the lock that makes this process the owner of a directory. It dies with the process. The lock is on a
// regular file: directories of some file systems cannot be locked.
func lockFile(name string) (*os.File, error) {
	for range 10 {
		f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0o600)
		if err != nil {
			return nil, err
		}
		if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
			_ = f.Close() // the error below says more
			return nil, fmt.Errorf("cache: %s is not a regular file", name)
		}
		if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
			_ = f.Close() // the error below says more
			if errors.Is(err, unix.EWOULDBLOCK) {
				return nil, fmt.Errorf("cache: another process uses it (%s is locked)", name)
			}
			return nil, fmt.Errorf("cache: cannot lock %s: %w", name, err)
		}
		if sameFile(f) {
			return f, nil
		}
		_ = f.Close() // it was removed before it was locked: again
	}
	return nil, fmt.Errorf("cache: %s is removed again and again", name)
}

// checkOwner refuses a directory that others may change.
func checkOwner(dir string) error {
	info, err := os.Stat(dir)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return fmt.Errorf("cache: %s is not a directory", dir)
	}
	if st, ok := info.Sys().(*syscall.Stat_t); ok && int(st.Uid) != os.Geteuid() {
		return fmt.Errorf("cache: %s belongs to another user (uid %d)", dir, st.Uid)
	}
	if info.Mode().Perm()&0o022 != 0 {
		return fmt.Errorf("cache: %s may be written by others (mode %04o); chmod go-w makes it fit", dir, info.Mode().Perm())
	}
	return nil
}

// allocated is what a file takes on disk.
func allocated(info os.FileInfo) int64 {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return st.Blocks * 512
	}
	return info.Size()
}

// mapFile maps the first size bytes of f.
func mapFile(f *os.File, size int64) ([]byte, error) {
	return unix.Mmap(int(f.Fd()), 0, int(size), unix.PROT_READ, unix.MAP_SHARED)
}

func unmapFile(b []byte) error { return unix.Munmap(b) }
