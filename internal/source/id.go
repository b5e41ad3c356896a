package source

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// ID tells one state of a file from another, without its contents. IDs are compared with ==; the zero ID is that of a file
// that does not exist.
type ID struct {
	Exists       bool
	Device       uint64
	Inode        uint64
	Size         int64
	Mtime, Ctime int64 // nanoseconds since 1970; no Ctime where the system has none
	Fine         bool  // the times are of this host's clock and step by milliseconds
}

// IDOf returns the ID of an open file. A reader that takes it before it reads, and again after, knows what it has read.
// An open file that was removed meanwhile is an error.
func IDOf(f *os.File) (ID, error) { return idOfFile(f) }

// coarseGrain is more than the coarsest step of file times in use (1 s on old servers, 2 s on FAT), and leaves room for a clock that
// differs. fineGrain is more than a tick of the kernel, by which the times of local file systems step.
const (
	coarseGrain = 3 * time.Second
	fineGrain   = 50 * time.Millisecond
)

// Settled says that a change of the file after the moment at must show in its ID. It need not when the times of the file
// are as recent as their own step: a second write within the step leaves size and times as they are. A file read while it
// was not settled is to be hashed again by the next question.
func (id ID) Settled(at time.Time) bool {
	grain := coarseGrain
	if id.Fine {
		grain = fineGrain
	}
	return max(id.Mtime, id.Ctime) < at.Add(-grain).UnixNano()
}

// Probe opens and stats: on a network file system the open makes the client ask the server, where a stat may answer from
// what it remembers. For the same reason the directory is opened first there. A client that still takes the name for a file
// that is gone is asked until it knows better.
func Probe(path string, remote bool) (ID, error) {
	if remote {
		if dir, err := os.Open(filepath.Dir(path)); err == nil {
			_ = dir.Close() // only read from
		}
	}
	for end := time.Now().Add(staleFor); ; time.Sleep(staleStep) {
		id, err := openID(path)
		if !stale(err) || time.Now().After(end) {
			return id, err
		}
	}
}

func openID(path string) (ID, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|openFlags, 0)
	switch {
	case err == nil:
		defer f.Close()
		return IDOf(f)
	case errors.Is(err, fs.ErrNotExist) || notDirectory(err):
		return ID{}, nil
	}
	// It may not be opened, but its change can still be seen.
	id, statErr := idOfPath(path)
	if statErr != nil {
		return ID{}, err
	}
	return id, err
}
