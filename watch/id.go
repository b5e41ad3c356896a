package watch

import (
	"os"
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
}

// IDOf returns the ID of an open file. A reader that takes it before it reads, and again after, knows what it has read.
// An open file that was removed meanwhile is an error.
func IDOf(f *os.File) (ID, error) { return idOfFile(f) }

// timeGrain is more than the coarsest step of file times in use (1 s on old servers, 2 s on FAT), and leaves room for a
// clock that differs.
const timeGrain = 3 * time.Second

// Settled says that a change of the file after the moment at must show in its ID. It need not when the times of the file
// are as recent as their own step: a second write within the step leaves size and times as they are. A file read while it
// was not settled is to be hashed again by the next question.
func (id ID) Settled(at time.Time) bool {
	return max(id.Mtime, id.Ctime) < at.Add(-timeGrain).UnixNano()
}
