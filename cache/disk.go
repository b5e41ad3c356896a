package cache

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/dgraph-io/badger/v4"
)

// disk is the store on a local directory:
//
//	DIR/lock                        held by the one process that may use the rest
//	DIR/wattd-v<schema>/boot        says how the last process fared, see boot.go
//	DIR/wattd-v<schema>/values/     up to two generations, each a badger database
//	DIR/wattd-v<schema>/blobs/      content-addressed files
//	DIR/wattd-v<schema>/bad-<time>/ values that could not be opened; the last such directory is kept
//
// One goroutine writes, rotates and reopens; readers take the generations under mu. Values on their way are in pending and
// are found there.
type disk struct {
	s     *Store
	root  string
	home  string
	lock  *os.File
	blobs *blobs
	log   *slog.Logger

	mu           sync.Mutex
	young, old   *generation // old may be nil
	pending      map[Key]*write
	queue        []Key
	pendingBytes int64
	closing      bool

	wake     chan struct{} // something is queued
	commands chan command
	quit     chan struct{}
	done     chan struct{}

	// Of the writer alone.
	seq      int   // number of the newest generation
	written  int64 // estimate of what young takes
	failures int
	why      string // the disk was given up
	ending   sync.Once
}

// write is a value to be stored, or a key to be removed.
type write struct {
	value  []byte
	remove bool
	force  bool // what is on disk under the key is bad
}

type command struct {
	run  func()
	done chan struct{}
}

func openDisk(dir string, s *Store) (d *disk, err error) {
	dir, err = filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if err := checkRoot(dir, &s.opt); err != nil {
		return nil, err
	}
	d = &disk{
		s: s, root: dir, home: filepath.Join(dir, fmt.Sprintf("wattd-v%d", s.opt.Schema)), log: s.opt.Log,
		pending: map[Key]*write{}, wake: make(chan struct{}, 1), commands: make(chan command), quit: make(chan struct{}), done: make(chan struct{}),
	}
	if d.lock, err = lockFile(filepath.Join(dir, "lock")); err != nil {
		return nil, err
	}
	if err := d.openAll(); err != nil {
		_ = d.lock.Close() // the error above says more
		return nil, err
	}
	return d, nil
}

// checkRoot makes the directory and refuses one that the database could not live in.
func checkRoot(dir string, opt *Options) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	if err := checkOwner(dir); err != nil {
		return err
	}
	vol, err := opt.volume(dir)
	switch {
	case err != nil:
		return err
	case vol.network != "":
		return fmt.Errorf("cache: %s is on %s; the cache needs a local disk", dir, vol.network)
	case vol.free < opt.MinFree:
		return fmt.Errorf("cache: %s has %d MiB free; the cache needs %d", dir, vol.free>>20, opt.MinFree>>20)
	}
	return nil
}

// openAll opens generations and blobs. Values that do not open are set aside, once.
func (d *disk) openAll() error {
	if err := os.MkdirAll(d.home, 0o700); err != nil {
		return err
	}
	if why := crashed(d.home); why != "" {
		d.setAside(errors.New(why))
	}
	if err := writeBoot(d.home, bootOpening, bootCount(d.home)); err != nil {
		return err
	}
	if err := d.openGenerations(); err != nil {
		d.setAside(err)
		if err := d.openGenerations(); err != nil {
			return fmt.Errorf("cache: values do not open, nor do new ones: %w", err)
		}
	}
	if err := writeBoot(d.home, bootRunning, bootCount(d.home)+1); err != nil {
		return errors.Join(err, d.closeGenerations())
	}
	if d.blobs == nil {
		d.blobs = newBlobs(filepath.Join(d.home, "blobs"), d.s)
	}
	d.blobs.scan()
	return nil
}

func (d *disk) values() string { return filepath.Join(d.home, "values") }

func (d *disk) newGenerationDir() string {
	d.seq++
	// Random, so that no other process ever writes into the same path, even if the directory was deleted under this one.
	return filepath.Join(d.values(), fmt.Sprintf("gen-%08d-%s", d.seq, randomName()))
}

func (d *disk) openGenerations() error {
	if err := os.MkdirAll(d.values(), 0o700); err != nil {
		return err
	}
	entries, err := os.ReadDir(d.values()) // in order of name, thus of age
	if err != nil {
		return err
	}
	var dirs []string
	for _, e := range entries {
		var seq int
		if _, err := fmt.Sscanf(e.Name(), "gen-%08d-", &seq); err == nil && e.IsDir() {
			d.seq = max(d.seq, seq)
			dirs = append(dirs, filepath.Join(d.values(), e.Name()))
		}
	}
	for len(dirs) > 2 {
		removeAll(dirs[0], d.log)
		dirs = dirs[1:]
	}
	if len(dirs) == 0 {
		dirs = []string{d.newGenerationDir()}
	}
	var opened [2]*generation
	var errs [2]error
	var wg sync.WaitGroup
	for i, dir := range dirs {
		wg.Go(func() { opened[i], errs[i] = openGeneration(dir, d.s.opt.Schema, d.log) })
	}
	wg.Wait()
	young, old := opened[len(dirs)-1], (*generation)(nil)
	if len(dirs) == 2 {
		old = opened[0]
	}
	d.mu.Lock()
	d.young, d.old = young, old
	d.mu.Unlock()
	if err := errors.Join(errs[:]...); err != nil {
		return errors.Join(err, d.closeGenerations())
	}
	d.written = diskUsage(young.dir)
	return nil
}

// closeGenerations leaves no generation.
func (d *disk) closeGenerations() error {
	d.mu.Lock()
	young, old := d.young, d.old
	d.young, d.old = nil, nil
	d.mu.Unlock()
	free := d.room(0) == nil
	var err error
	for _, g := range []*generation{young, old} {
		if g != nil {
			err = errors.Join(err, g.close(free))
		}
	}
	return err
}

// setAside renames the values and keeps only the last such directory.
func (d *disk) setAside(why error) {
	if _, err := os.Lstat(d.values()); err != nil {
		return
	}
	d.s.n.corrupt.Add(1)
	old, _ := filepath.Glob(filepath.Join(d.home, "bad-*")) // the pattern is right
	for _, dir := range old {
		removeAll(dir, d.log)
	}
	bad := filepath.Join(d.home, "bad-"+time.Now().UTC().Format("20060102T150405.000000000"))
	if err := os.Rename(d.values(), bad); err != nil {
		d.log.Warn("cache: values are removed, they cannot be set aside", "why", why, "err", err)
		removeAll(d.values(), d.log)
		return
	}
	d.log.Warn("cache: values are set aside and begun anew", "why", why, "dir", bad)
}

func removeAll(dir string, log *slog.Logger) {
	if err := os.RemoveAll(dir); err != nil {
		log.Warn("cache: cannot remove", "dir", dir, "err", err)
	}
}

// removeOtherSchemas frees what other versions left.
func (d *disk) removeOtherSchemas() {
	homes, _ := filepath.Glob(filepath.Join(d.root, "wattd-v*")) // the pattern is right
	for _, dir := range homes {
		if n := strings.TrimPrefix(filepath.Base(dir), "wattd-v"); dir != d.home && strings.Trim(n, "0123456789") == "" {
			removeAll(dir, d.log)
		}
	}
}

var errNoSpace = errors.New("cache: the disk is nearly full")

// room is the gate before each write.
func (d *disk) room(bytes int64) error {
	vol, err := nearestVolume(d.root, d.s.opt.volume)
	if err != nil {
		return err
	}
	if vol.free-bytes < d.s.opt.MinFree {
		return errNoSpace
	}
	return nil
}

func (d *disk) generations() (young, old *generation) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.young, d.old
}

func (d *disk) get(k Key) ([]byte, bool) {
	d.mu.Lock()
	w := d.pending[k]
	young, old := d.young, d.old
	d.mu.Unlock()
	if w != nil {
		return w.value, !w.remove
	}
	for _, g := range []*generation{young, old} {
		if g == nil {
			continue
		}
		v, err := g.get(k, d.s.opt.Schema)
		switch {
		case err == nil:
			if g == old {
				d.enqueue(k, &write{value: v}, d.s.opt.MemoryBudget/2) // what is used moves to the young half
			}
			return v, true
		case errors.Is(err, badger.ErrKeyNotFound), errors.Is(err, errClosed):
		default:
			d.s.n.corrupt.Add(1)
			d.log.Warn("cache: an entry is damaged and removed", "key", k, "err", err)
			d.remove(k)
			return nil, false
		}
	}
	return nil, false
}

func (d *disk) has(k Key) bool {
	d.mu.Lock()
	w := d.pending[k]
	young, old := d.young, d.old
	d.mu.Unlock()
	if w != nil {
		return !w.remove
	}
	return young != nil && young.has(k) || old != nil && old.has(k)
}

func (d *disk) put(k Key, v []byte) bool {
	return d.enqueue(k, &write{value: append([]byte(nil), v...)}, d.s.opt.MemoryBudget)
}

func (d *disk) remove(k Key) { d.enqueue(k, &write{remove: true}, 0) }

// enqueue queues w unless more than budget bytes are then on their way; removals always go.
func (d *disk) enqueue(k Key, w *write, budget int64) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closing {
		return false
	}
	was := d.pending[k]
	if was != nil && was.remove == w.remove {
		return true
	}
	if !w.remove && d.pendingBytes+w.cost() > budget {
		return false
	}
	if was != nil {
		d.pendingBytes -= was.cost()
		w.force = true
	}
	d.pending[k] = w
	d.pendingBytes += w.cost()
	d.queue = append(d.queue, k)
	select {
	case d.wake <- struct{}{}:
	default:
	}
	return true
}

func (w *write) cost() int64 { return int64(len(w.value)) + entryOverhead }

// size returns the bytes of values on disk and of those on their way.
func (d *disk) size() (values, pending int64) {
	young, old := d.generations()
	for _, g := range []*generation{young, old} {
		if g != nil {
			values += diskUsage(g.dir)
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return values, d.pendingBytes
}

// do runs f in the writer after all that was queued before.
func (d *disk) do(ctx context.Context, f func()) error {
	c := command{f, make(chan struct{})}
	select {
	case d.commands <- c:
	case <-d.done:
		return errClosed
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case <-c.done:
		return nil
	case <-d.done:
		return errClosed
	case <-ctx.Done():
		return ctx.Err()
	}
}
