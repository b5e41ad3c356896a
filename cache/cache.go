// Package cache keeps byte strings that can be computed again: parsed files, results, compiled designs, waves. It is a
// verified, budgeted, disposable store on a local disk, and the only user of badger.
//
// Contract: an entry may vanish at any time, and any failure is a miss. What comes back is what was put under the key, byte
// for byte: every entry carries its own hash, bound to key and schema, because the database below returns damaged values
// without an error. Equal keys stand for equal bytes, so an entry is never overwritten. Open always gives a usable store:
// where the disk cannot be used (network file system, no space, another process, another owner, damage twice) it lives in
// memory and Stats says why. The directory may be deleted at any moment, also while it is open.
//
// Limits: badger writes through mapped files and is killed by SIGBUS when the disk fills. The store therefore stops writing
// while MinFree is still there; a foreign process that takes all of that between a check and the write that follows is not
// survived, nor is one that cuts open database files short. After such a death the next Open sets the directory aside.
// A blob that is mapped must not be cut short by others either: reading beyond the cut faults in the reader.
package cache

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"sync/atomic"
)

// Options of a Store. The zero value works.
type Options struct {
	Schema       uint32       // version of what callers store; another version is another store
	Budget       int64        // bytes on disk for values; default 1 GiB
	BlobBudget   int64        // bytes on disk for blobs; default 8 GiB
	MemoryBudget int64        // bytes in memory: values on their way to the disk, or everything in memory-only mode; default 64 MiB
	MinFree      int64        // space that is left free on the disk, never below what the database may take at once; default 352 MiB
	Log          *slog.Logger // default: nothing is logged

	volume func(dir string) (volume, error) // tests stand in for statfs
}

// minFree is what one generation may map at once (two value logs, two write-ahead logs of twice their table), and a margin.
const minFree = 2*valueLogSize + 2*2*memTableSize + 256<<20

// EnsureDefaults fills in what is zero.
func (o *Options) EnsureDefaults() {
	if o.Budget == 0 {
		o.Budget = 1 << 30
	}
	if o.BlobBudget == 0 {
		o.BlobBudget = 8 << 30
	}
	if o.MemoryBudget == 0 {
		o.MemoryBudget = 64 << 20
	}
	if o.MinFree == 0 {
		o.MinFree = minFree
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.volume == nil {
		o.volume = statVolume
	}
}

// Validate refuses budgets that make no sense.
func (o *Options) Validate() error {
	if o.Budget < 0 || o.BlobBudget < 0 || o.MemoryBudget < 0 || o.MinFree < 0 {
		return fmt.Errorf("cache: a budget is negative: values %d, blobs %d, memory %d, free %d", o.Budget, o.BlobBudget, o.MemoryBudget, o.MinFree)
	}
	return nil
}

// Stats is a snapshot of what a store holds and did.
type Stats struct {
	Dir        string // "" in memory-only mode
	MemoryOnly string // why nothing goes to disk; "" when it does
	Values     int64  // bytes of values: on disk, as the file system counts them, or in memory
	Blobs      int64  // bytes of blob files
	Entries    int64  // blob files, or values in memory; values on disk are not counted
	Budget     int64  // most bytes of values and blobs
	Pending    int64  // bytes on their way to the disk

	Hits, Misses uint64
	Puts         uint64 // entries accepted
	Dropped      uint64 // entries not stored: no room, no space, too large, or a failed write
	Corrupt      uint64 // entries or files that failed their check
	Evicted      uint64 // blobs and memory entries removed for the budget; values go by generations, see Rotations
	Rotations    uint64 // times the older half of the values was dropped
	Reopened     uint64 // times the files were gone or failing and a new directory was begun
}

// Store is safe for concurrent use.
type Store struct {
	opt  Options
	mem  *memory
	disk atomic.Pointer[disk] // nil in memory-only mode
	why  atomic.Pointer[string]
	n    counters
	shut sync.Once
	used *disk // the disk of Open, even when the store has given it up
}

type counters struct {
	hits, misses, puts, dropped, corrupt, evicted, rotations, reopened atomic.Uint64
}

// Open opens the store in dir, which it makes if need be; dir "" asks for memory only. The error is that of ctx or of the
// options; whatever is wrong with the disk leads to memory-only mode instead. ctx bounds the opening alone.
func Open(ctx context.Context, dir string, opt Options) (*Store, error) {
	opt.EnsureDefaults()
	if err := opt.Validate(); err != nil {
		return nil, err
	}
	s := &Store{opt: opt}
	s.mem = newMemory(opt.MemoryBudget, &s.n.evicted)
	if dir == "" {
		s.memoryOnly("no directory was given")
		return s, ctx.Err()
	}
	type result struct {
		d   *disk
		err error
	}
	done := make(chan result, 1)
	go func() {
		d, err := openDisk(dir, s)
		done <- result{d, err}
	}()
	select {
	case <-ctx.Done():
		go func() { // a disk that hangs is closed when it comes back
			if r := <-done; r.d != nil {
				r.d.start()
				r.d.close()
			}
		}()
		return nil, ctx.Err()
	case r := <-done:
		if r.err != nil {
			s.memoryOnly(r.err.Error())
			return s, nil
		}
		s.used = r.d
		s.disk.Store(r.d)
		r.d.start()
		return s, nil
	}
}

// memoryOnly makes the store forget its disk, if it has one.
func (s *Store) memoryOnly(why string) {
	s.why.Store(&why)
	s.disk.Store(nil)
	s.opt.Log.Warn("cache: nothing is kept on disk", "why", why)
}

// Get returns what was put under k. The bytes are shared and must not be changed.
func (s *Store) Get(k Key) ([]byte, bool) {
	v, ok := []byte(nil), false
	if d := s.disk.Load(); d != nil {
		v, ok = d.get(k)
	} else {
		v, ok = s.mem.get(k)
	}
	if ok {
		s.n.hits.Add(1)
	} else {
		s.n.misses.Add(1)
	}
	return v, ok
}

// Has says whether Get is likely to find k; it verifies nothing and counts nothing.
func (s *Store) Has(k Key) bool {
	if d := s.disk.Load(); d != nil {
		return d.has(k)
	}
	return s.mem.has(k)
}

// Put stores a copy of v under k, if k is not there already. It does not wait for the disk: when too much is on its way, or
// the disk has no space, or v is above MaxValue (use PutBlob), the entry is dropped and counted.
func (s *Store) Put(k Key, v []byte) {
	if len(v) > MaxValue {
		s.n.dropped.Add(1)
		return
	}
	ok := false
	if d := s.disk.Load(); d != nil {
		ok = d.put(k, v)
	} else {
		ok = s.mem.put(k, append([]byte(nil), v...))
	}
	if ok {
		s.n.puts.Add(1)
	} else {
		s.n.dropped.Add(1)
	}
}

// Delete removes the value and the blob under k.
func (s *Store) Delete(k Key) {
	s.mem.remove(k)
	if d := s.disk.Load(); d != nil {
		d.remove(k)
		d.blobs.remove(k)
	}
}

// PutBlob stores what w writes under k, if k is not there already. Unlike Put it works at once and may take as long as the
// disk does. An error says why nothing was stored; it needs no reaction.
func (s *Store) PutBlob(k Key, w io.WriterTo) error {
	var err error
	if d := s.disk.Load(); d != nil {
		err = d.blobs.put(k, w)
	} else {
		err = s.mem.putFrom(k, w)
	}
	if err != nil {
		s.n.dropped.Add(1)
		return err
	}
	s.n.puts.Add(1)
	return nil
}

// MapBlob returns the blob under k, read-only, starting at a page boundary. It is verified by its hash the first time. The
// bytes stay valid until release is called, whatever happens to the entry or to the store meanwhile.
func (s *Store) MapBlob(k Key) (data []byte, release func(), ok bool) {
	if d := s.disk.Load(); d != nil {
		data, release, ok = d.blobs.get(k)
	} else if data, ok = s.mem.get(k); ok {
		release = func() {}
	}
	if ok {
		s.n.hits.Add(1)
	} else {
		s.n.misses.Add(1)
	}
	return data, release, ok
}

// Flush waits until everything that was put before is written or dropped.
func (s *Store) Flush(ctx context.Context) error {
	if d := s.disk.Load(); d != nil {
		return d.do(ctx, func() {})
	}
	return ctx.Err()
}

// Clear removes everything. What is put meanwhile may go too.
func (s *Store) Clear(ctx context.Context) error {
	s.mem.clear()
	if d := s.disk.Load(); d != nil {
		return d.do(ctx, d.clear)
	}
	return ctx.Err()
}

// Stats returns the present figures.
func (s *Store) Stats() Stats {
	st := Stats{
		Hits: s.n.hits.Load(), Misses: s.n.misses.Load(), Puts: s.n.puts.Load(), Dropped: s.n.dropped.Load(), Corrupt: s.n.corrupt.Load(),
		Evicted: s.n.evicted.Load(), Rotations: s.n.rotations.Load(), Reopened: s.n.reopened.Load(),
	}
	if d := s.disk.Load(); d != nil {
		st.Dir = d.root
		st.Values, st.Pending = d.size()
		st.Blobs, st.Entries = d.blobs.size()
		st.Budget = s.opt.Budget + s.opt.BlobBudget
		return st
	}
	if why := s.why.Load(); why != nil {
		st.MemoryOnly = *why
	}
	st.Values, st.Entries = s.mem.size()
	st.Budget = s.opt.MemoryBudget
	return st
}

// Close writes what is pending, within a time limit, and lets go of the directory. The store stays usable and finds
// nothing. Blobs that are still mapped stay so.
func (s *Store) Close() error {
	s.shut.Do(func() {
		if s.used != nil {
			s.used.close()
		}
		why := "closed"
		s.why.Store(&why)
		s.disk.Store(nil)
		s.mem.shut()
	})
	return nil
}
