// Package watch says which paths may have changed, on any file system. It is the only user of fsnotify.
//
// Contract: a Change is a hint to look again; it never says what a file holds. It comes once the files are quiet, so that a
// file is not reported half-written, and every change that lasts is reported in the end: where the kernel tells nothing
// (network file systems, exhausted limits, lost events) files are polled. Barrier asks the file system itself, so an answer
// that follows a Barrier is not older than the question, whatever the events did. Whether contents differ is the caller's
// to decide, by hash.
//
// A path is watched by what it leads to: every symlink on the way, and every directory, so that retargeted links, replaced
// directories and files that do not exist yet are all seen.
//
// Limits: a change that keeps size, inode and both times cannot be told from none; see ID.Settled. Data written through a
// mapping shows when the kernel updates the times of the file. Other than on Linux everything is polled.
package watch

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"path/filepath"
	"slices"
	"sync"
	"time"
)

// Options of a Watcher. The zero value works.
type Options struct {
	Settle    time.Duration // a file is reported when it was quiet for so long; default 400 ms
	MaxSettle time.Duration // a report waits no longer for other files, nor a hint for an incomplete one; default 5 s
	PollMin   time.Duration // polled files are looked at this often after a change or a question; default 1 s
	PollMax   time.Duration // and, idle, this often; files with events too, for safety; default 30 s

	// Complete says whether a quiet file can be read: a netlist that ends in endmodule, say. It may be called at any time
	// from several goroutines. Default: a file with at least one byte is complete.
	Complete func(path string) bool
	Log      *slog.Logger // default: nothing is logged

	system system // tests stand in for the kernel
}

// EnsureDefaults fills in what is zero.
func (o *Options) EnsureDefaults() {
	set := func(d *time.Duration, to time.Duration) {
		if *d == 0 {
			*d = to
		}
	}
	set(&o.Settle, 400*time.Millisecond)
	set(&o.MaxSettle, 5*time.Second)
	set(&o.PollMin, time.Second)
	set(&o.PollMax, 30*time.Second)
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.system.look == nil {
		o.system = realSystem()
	}
}

// Validate refuses times that make no sense.
func (o *Options) Validate() error {
	if o.Settle < 0 || o.MaxSettle < o.Settle || o.PollMin <= 0 || o.PollMax < o.PollMin {
		return errors.New("watch: want 0 < Settle <= MaxSettle and 0 < PollMin <= PollMax")
	}
	return nil
}

// Change names watched paths that may have changed, in order, spelled as they were given to Set, but absolute and clean.
type Change struct {
	Paths      []string // quiet now; a path that is gone is among them
	Incomplete []string // quiet or not for MaxSettle, but not to be read yet; told once, then reported in Paths when complete
	Rescan     bool     // events were lost: Paths holds what is seen to differ, but every file deserves a look at its contents
}

func (c *Change) empty() bool { return len(c.Paths) == 0 && len(c.Incomplete) == 0 && !c.Rescan }

// File is what Barrier found.
type File struct {
	Path     string
	ID       ID
	Settling bool  // it changed a moment ago and may still be being written
	Err      error // why it cannot be opened, other than that it does not exist
}

// Status is for people and for tests.
type Status struct {
	Files     int
	Watched   []string // directories with events
	Polled    []Polled
	Events    uint64 // events that concerned a watched path
	Overflows uint64 // times events were lost
	NoEvents  string // why there are no events at all
	PollEvery time.Duration
	Looking   int // looks under way; ones that stay mean a file server that does not answer
}

// Polled is a file that is polled, and why.
type Polled struct{ Path, Why string }

// Watcher is safe for concurrent use.
type Watcher struct {
	opt    Options
	hints  *hints
	events chan Change
	sets   chan setting
	asks   chan chan Status
	quit   chan struct{}
	done   chan struct{}
	shut   sync.Once
	looks  sync.WaitGroup
	remote chan struct{} // slots for Barrier on file systems that may hang

	mu    sync.Mutex
	state map[string]state // of watched files, for Barrier
}

// state is what the loop lets Barrier know of a file.
type state struct {
	id       ID // as last reported
	local    bool
	settling bool
}

type setting struct {
	paths []string
	ready chan struct{} // closed when all have been looked at
}

// New starts a watcher of nothing.
func New(opt Options) (*Watcher, error) {
	opt.EnsureDefaults()
	if err := opt.Validate(); err != nil {
		return nil, err
	}
	w := &Watcher{
		opt: opt, hints: newHints(), events: make(chan Change), sets: make(chan setting), asks: make(chan chan Status),
		quit: make(chan struct{}), done: make(chan struct{}), remote: make(chan struct{}, remoteSlots), state: map[string]state{},
	}
	l := newLoop(w)
	go l.run()
	return w, nil
}

var errClosed = errors.New("watch: closed")

// Set makes paths the watched ones, instead of those before. They need not exist. It returns when each was looked at; from
// then on changes are reported. Read files after Set, or ask Barrier after it. When ctx ends before, the paths are watched
// all the same.
func (w *Watcher) Set(ctx context.Context, paths []string) error {
	s := setting{ready: make(chan struct{})}
	for _, p := range paths {
		abs, err := filepath.Abs(p)
		if err != nil {
			return err
		}
		s.paths = append(s.paths, abs)
	}
	slices.Sort(s.paths)
	s.paths = slices.Compact(s.paths)
	select {
	case w.sets <- s:
	case <-ctx.Done():
		return ctx.Err()
	case <-w.done:
		return errClosed
	}
	select {
	case <-s.ready:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-w.done:
		return errClosed
	}
}

// Events delivers changes until Close, which closes it. A slow reader loses nothing: changes gather into one.
func (w *Watcher) Events() <-chan Change { return w.events }

// Barrier opens and stats the paths now, or all watched ones when none are given, and returns what it found in their order
// (all: sorted). Compare with the ID of what was read before (IDOf the open file): equal and settled then means unchanged.
// On a network file system the open is what makes the client ask the server. Of a server that does not answer ctx is the
// limit.
func (w *Watcher) Barrier(ctx context.Context, paths ...string) ([]File, error) {
	w.mu.Lock()
	if len(paths) == 0 {
		paths = slices.Sorted(maps.Keys(w.state))
	}
	files := make([]File, len(paths))
	known := make([]state, len(paths))
	for i, p := range paths {
		abs, err := filepath.Abs(p)
		if err != nil {
			w.mu.Unlock()
			return nil, err
		}
		files[i].Path, known[i] = abs, w.state[abs]
		files[i].Settling = known[i].settling
	}
	w.mu.Unlock()

	type answer struct {
		i   int
		id  ID
		err error
	}
	answers := make(chan answer, len(files))
	waiting := 0
	for i := range files {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if known[i].local {
			files[i].ID, files[i].Err = w.opt.system.probe(files[i].Path, false)
			continue
		}
		select {
		case w.remote <- struct{}{}:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		waiting++
		path := files[i].Path
		go func() { // ends with the call to the file server, which ctx cannot end
			defer func() { <-w.remote }()
			id, err := w.opt.system.probe(path, true)
			answers <- answer{i, id, err}
		}()
	}
	for ; waiting > 0; waiting-- {
		select {
		case a := <-answers:
			files[a.i].ID, files[a.i].Err = a.id, a.err
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for i := range files {
		if s, ok := w.state[files[i].Path]; ok && s.id != files[i].ID {
			files[i].Settling = files[i].Settling || s.id == known[i].id
			w.hints.poke(files[i].Path)
		}
	}
	return files, nil
}

// Status says how the files are watched.
func (w *Watcher) Status() Status {
	ask := make(chan Status, 1)
	select {
	case w.asks <- ask:
		return <-ask
	case <-w.done:
		return Status{}
	}
}

// stuckLimit bounds the wait for looks at a file server that does not answer; they end with it, or with the process.
const stuckLimit = 2 * time.Second

// Close ends the watcher and its goroutines.
func (w *Watcher) Close() error {
	w.shut.Do(func() { close(w.quit) })
	<-w.done
	ended := make(chan struct{})
	go func() {
		w.looks.Wait()
		close(ended)
	}()
	limit := time.NewTimer(stuckLimit)
	defer limit.Stop()
	select {
	case <-ended:
	case <-limit.C:
	}
	return nil
}
