package daemon

import (
	"errors"
	"fmt"
	"os"
	"sync"
)

// maxLog is the size at which a log is begun anew; the one before is kept, so that the two take twice of it.
const maxLog = 10 << 20

// LogFile is a log that does not grow without bound. It takes the place of standard error too, where the Go runtime writes when the
// process dies.
type LogFile struct {
	path string
	max  int64

	mu   sync.Mutex
	f    *os.File
	size int64
}

// OpenLog opens the log of an endpoint, whose folder is there, to append to it.
func OpenLog(e Endpoint) (*LogFile, error) {
	l := &LogFile{path: e.Log, max: maxLog}
	if err := l.open(); err != nil {
		return nil, fmt.Errorf("daemon: %w", err)
	}
	return l, nil
}

func (l *LogFile) open() error {
	f, err := os.OpenFile(l.path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	st, err := f.Stat()
	if err != nil {
		return errors.Join(err, f.Close())
	}
	if l.f != nil {
		_ = l.f.Close() // what was written is written
	}
	l.f, l.size = f, st.Size()
	asStderr(f)
	return nil
}

// Write implements io.Writer. A log that cannot be begun anew is appended to.
func (l *LogFile) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.size+int64(len(p)) > l.max && l.size > 0 {
		if os.Rename(l.path, l.path+".old") != nil || l.open() != nil {
			l.size = 0 // try again after as much
		}
	}
	n, err := l.f.Write(p)
	l.size += int64(n)
	return n, err
}

// Close ends the log.
func (l *LogFile) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.f.Close()
}
