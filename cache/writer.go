package cache

import (
	"errors"
	"os"
	"path/filepath"
	"time"
)

const (
	// maxFailures bounds how often failing values are begun anew before the store gives up its disk.
	maxFailures = 3
	// wellAfter is the time after which a process that then dies is no longer counted as one that the values killed.
	wellAfter = 10 * time.Minute
	// drainLimit bounds the writing of what is pending at close, stopLimit the whole close.
	drainLimit = 5 * time.Second
	stopLimit  = drainLimit + 2*closeLimit + 5*time.Second
)

func (d *disk) start() { go d.write() }

// write is the one goroutine that changes values.
func (d *disk) write() {
	defer close(d.done)
	d.removeOtherSchemas()
	well := time.NewTimer(wellAfter)
	defer well.Stop()
	for {
		select {
		case <-d.wake:
			d.drain(time.Time{})
		case c := <-d.commands:
			d.drain(time.Time{})
			c.run()
			close(c.done)
		case <-well.C:
			if err := writeBoot(d.home, bootRunning, 0); err != nil {
				d.log.Debug("cache: cannot note that all is well", "err", err)
			}
		case <-d.quit:
			d.drain(time.Now().Add(drainLimit))
			d.stop()
			return
		}
		if d.failures > maxFailures {
			if d.why == "" {
				d.why = "writing to " + d.root + " fails again and again"
			}
			d.s.memoryOnly(d.why)
			d.stop()
			return
		}
	}
}

// drain writes what is queued until the deadline, if there is one.
func (d *disk) drain(deadline time.Time) {
	for {
		d.mu.Lock()
		if len(d.queue) == 0 {
			d.queue = nil // frees the array
			d.mu.Unlock()
			return
		}
		k := d.queue[0]
		d.queue = d.queue[1:]
		w := d.pending[k]
		d.mu.Unlock()
		if w == nil {
			continue // queued twice
		}
		if d.failures > maxFailures || !deadline.IsZero() && time.Now().After(deadline) {
			d.s.n.dropped.Add(1)
		} else {
			d.store(k, w)
		}
		d.mu.Lock()
		if d.pending[k] == w {
			delete(d.pending, k)
			d.pendingBytes -= w.cost()
		}
		d.mu.Unlock()
	}
}

// store carries out one write. After a failure the values are begun anew, and the entry is dropped.
func (d *disk) store(k Key, w *write) {
	if d.lost() {
		d.reopen(errors.New("the directory was removed"))
	}
	young, old := d.generations()
	if young == nil {
		d.s.n.dropped.Add(1)
		return
	}
	if w.remove {
		err := d.room(chunkSize)
		for _, g := range []*generation{young, old} {
			if g != nil && err == nil {
				err = g.remove(k)
			}
		}
		if err != nil && !errors.Is(err, errNoSpace) { // a damaged entry that stays is found damaged again
			d.fail(err)
		}
		return
	}
	if !w.force && young.has(k) {
		return
	}
	err := young.put(k, d.s.opt.Schema, w.value, func(bytes int64) error {
		d.written += bytes
		return d.room(bytes)
	})
	switch {
	case err == nil:
		d.rotateIfFull()
	case errors.Is(err, errNoSpace):
		d.s.n.dropped.Add(1)
	default:
		d.s.n.dropped.Add(1)
		d.fail(err)
	}
}

// fail answers a write that went wrong although there was space.
func (d *disk) fail(err error) {
	if !d.lost() {
		d.failures++
	}
	d.reopen(err)
}

// rotateIfFull starts a new generation when the young one takes half of the budget, and drops the old one.
func (d *disk) rotateIfFull() {
	half := d.s.opt.Budget / 2
	if d.written < half {
		return
	}
	young, old := d.generations()
	if d.written = diskUsage(young.dir); d.written < half-half/16 {
		return
	}
	if d.room(minFreeRotate) != nil {
		return // nothing is written meanwhile
	}
	next, err := openGeneration(d.newGenerationDir(), d.s.opt.Schema, d.log)
	if err != nil {
		d.fail(err)
		return
	}
	d.mu.Lock()
	d.young, d.old = next, young
	d.mu.Unlock()
	d.written = 0
	d.s.n.rotations.Add(1)
	if old != nil {
		if err := old.close(true); err != nil {
			d.log.Warn("cache: the oldest values did not close", "err", err)
		}
		removeAll(old.dir, d.log)
	}
}

// minFreeRotate is what the files of a new generation may take before the first write.
const minFreeRotate = 1 << 20

// lost says that the files in use are not those under the directory any more.
func (d *disk) lost() bool {
	young, old := d.generations()
	return !sameFile(d.lock) || young != nil && young.lost() || old != nil && old.lost()
}

// sameFile says that the path of f still leads to f.
func sameFile(f *os.File) bool {
	have, err := f.Stat()
	if err != nil {
		return false
	}
	there, err := os.Lstat(f.Name())
	return err == nil && os.SameFile(have, there)
}

// reopen begins anew after the values were lost or failed. What is left of failing values is set aside; of lost ones
// nothing is left but what closing them wrote.
func (d *disk) reopen(why error) {
	d.s.n.reopened.Add(1)
	d.log.Warn("cache: begun anew", "why", why)
	lost, dirs := d.lost(), d.generationDirs()
	if err := d.closeGenerations(); err != nil {
		d.log.Warn("cache: values did not close", "err", err)
	}
	if lost {
		for _, dir := range dirs {
			removeAll(dir, d.log)
		}
	}
	if err := d.relock(); err != nil {
		d.giveUp(err)
		return
	}
	if !lost {
		d.setAside(why)
	}
	if err := d.openAll(); err != nil {
		d.giveUp(err)
	}
}

// relock takes the lock again if its file was removed.
func (d *disk) relock() error {
	if sameFile(d.lock) {
		return nil
	}
	_ = d.lock.Close() // of a file that is gone
	if err := checkRoot(d.root, &d.s.opt); err != nil {
		return err
	}
	lock, err := lockFile(filepath.Join(d.root, "lock"))
	if err == nil {
		d.lock = lock
	}
	return err
}

func (d *disk) generationDirs() (dirs []string) {
	young, old := d.generations()
	for _, g := range []*generation{young, old} {
		if g != nil {
			dirs = append(dirs, g.dir)
		}
	}
	return dirs
}

// giveUp makes the writer end and the store live in memory.
func (d *disk) giveUp(err error) {
	d.failures = maxFailures + 1
	d.why = err.Error()
}

// clear removes values and blobs.
func (d *disk) clear() {
	if d.room(0) != nil { // closing would write
		d.log.Warn("cache: only blobs are removed, the disk is nearly full")
		d.blobs.clear()
		return
	}
	if err := d.closeGenerations(); err != nil {
		d.log.Warn("cache: values did not close", "err", err)
	}
	removeAll(d.values(), d.log)
	d.blobs.clear()
	if err := d.openGenerations(); err != nil {
		d.giveUp(err)
	}
}

// stop closes everything; nothing is queued from now on.
func (d *disk) stop() {
	d.mu.Lock()
	d.closing = true
	clear(d.pending)
	d.queue, d.pendingBytes = nil, 0
	d.mu.Unlock()
	lost, dirs := d.lost(), d.generationDirs()
	err := d.closeGenerations()
	if lost { // closing made them again
		for _, dir := range dirs {
			removeAll(dir, d.log)
		}
		for dir := d.values(); dir != filepath.Dir(d.root); dir = filepath.Dir(dir) {
			if os.Remove(dir) != nil { // not empty, or gone
				break
			}
		}
	} else if err == nil {
		err = os.Remove(filepath.Join(d.home, bootName))
	}
	if err != nil {
		d.log.Warn("cache: not closed cleanly", "err", err)
	}
	_ = d.lock.Close() // nothing was written to it
}

// close ends the writer and waits for it, for a while.
func (d *disk) close() {
	d.ending.Do(func() { close(d.quit) })
	limit := time.NewTimer(stopLimit)
	defer limit.Stop()
	select {
	case <-d.done:
	case <-limit.C:
		d.log.Warn("cache: the disk does not answer; the rest ends with the process")
	}
}
