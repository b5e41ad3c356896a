package watch

import (
	"path/filepath"
	"sync"

	"github.com/fsnotify/fsnotify"
)

// inotify turns fsnotify's events into hints. One goroutine does nothing but read: Errors is unbuffered, and a reader that
// also adds watches can wait for itself.
type inotify struct {
	w    *fsnotify.Watcher
	read sync.WaitGroup
}

func notify(h *hints) (notifier, error) {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, err
	}
	n := &inotify{w: w}
	n.read.Go(func() { n.drain(h) })
	return n, nil
}

const moves = fsnotify.Create | fsnotify.Remove | fsnotify.Rename

func (n *inotify) drain(h *hints) {
	for {
		select {
		case e, ok := <-n.w.Events:
			if !ok {
				return
			}
			if e.Op != fsnotify.Chmod {
				h.add(filepath.Clean(e.Name), e.Op&moves != 0)
			}
		case _, ok := <-n.w.Errors:
			if !ok {
				return
			}
			h.overflow() // whatever the error is, events may be missing
		}
	}
}

func (n *inotify) add(dir string) error { return n.w.Add(dir) }

// remove ends a watch; one that the kernel has ended already is no matter.
func (n *inotify) remove(dir string) { _ = n.w.Remove(dir) }

func (n *inotify) close() {
	_ = n.w.Close() // nothing is left to be done about it
	n.read.Wait()
}
