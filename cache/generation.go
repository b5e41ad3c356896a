package cache

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"github.com/dgraph-io/badger/v4"
	"github.com/dgraph-io/badger/v4/options"
)

// Sizes of badger's files. Small: they bound what a mapped write can ask of a full disk, and what an open costs.
const (
	memTableSize = 8 << 20
	valueLogSize = 32 << 20
)

// generation is one badger database. It is written while it is the young one, read while it is the old one, and then thrown
// away as a whole, so that nothing depends on the garbage collection of value logs.
type generation struct {
	dir string
	id  os.FileInfo // of dir, to notice that it was replaced

	mu     sync.RWMutex // held for reading during each use of db
	db     *badger.DB
	closed bool
}

var errClosed = errors.New("cache: closed")

// openGeneration opens or makes the database in dir. A failure, panics of badger included, is an error; the caller sets the
// directory aside.
func openGeneration(dir string, schema uint32, log *slog.Logger) (g *generation, err error) {
	defer guard(&err)()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	if err := precheck(dir); err != nil {
		return nil, err
	}
	o := badger.DefaultOptions(dir)
	o.Logger = badgerLog{log}
	o.ExternalMagicVersion = uint16(schema) ^ uint16(schema>>16)
	o.MemTableSize = memTableSize
	o.NumMemtables = 2
	o.ValueLogFileSize = valueLogSize
	o.ValueThreshold = 32 << 10
	o.BlockCacheSize = 16 << 20
	o.IndexCacheSize = 8 << 20 // 0 would be unlimited
	o.NumCompactors = 2
	o.NumGoroutines = 2
	o.DetectConflicts = false
	o.CompactL0OnClose = false // a generation is thrown away, not tidied
	o.MetricsEnabled = false
	o.Compression = options.None
	// The mode that also checks tables at open dies in a goroutine of badger on the first damaged one.
	o.ChecksumVerificationMode = options.OnBlockRead
	o.VerifyValueChecksum = true
	db, err := badger.Open(o)
	if err != nil {
		return nil, err
	}
	id, err := os.Stat(dir)
	if err != nil {
		_ = db.Close() // the error of Stat says more
		return nil, err
	}
	return &generation{dir: dir, id: id, db: db}, nil
}

// guard turns a panic of this goroutine into an error, that of a fault in a mapped file included: a table that somebody cut
// short, or a bad sector. Use: defer guard(&err)().
func guard(err *error) func() {
	old := debug.SetPanicOnFault(true)
	return func() {
		debug.SetPanicOnFault(old)
		if p := recover(); p != nil {
			*err = fmt.Errorf("%w: %v", errCorrupt, p)
		}
	}
}

func chunkKey(k Key, index uint32) []byte {
	return binary.BigEndian.AppendUint32(k[:len(k):len(k)], index)
}

// get returns the value, badger.ErrKeyNotFound, errCorrupt, or another failure.
func (g *generation) get(k Key, schema uint32) (v []byte, err error) {
	g.mu.RLock()
	defer g.mu.RUnlock()
	if g.closed {
		return nil, errClosed
	}
	defer guard(&err)()
	txn := g.db.NewTransaction(false)
	defer txn.Discard()
	return join(k, schema, func(i uint32, use func([]byte) error) error {
		item, err := txn.Get(chunkKey(k, i))
		if err != nil {
			if i > 0 && errors.Is(err, badger.ErrKeyNotFound) {
				return errCorrupt
			}
			return err
		}
		return item.Value(use)
	})
}

func (g *generation) has(k Key) (ok bool) {
	g.mu.RLock()
	defer g.mu.RUnlock()
	if g.closed {
		return false
	}
	var err error
	defer guard(&err)()
	txn := g.db.NewTransaction(false)
	defer txn.Discard()
	_, err = txn.Get(chunkKey(k, 0))
	return err == nil
}

// put writes the chunks, each in its own transaction: a batch would hold copies of all, and a transaction is bounded. The
// first chunk goes last, so that a value cut off by a crash is not found at all. before is asked ahead of each chunk.
func (g *generation) put(k Key, schema uint32, v []byte, before func(bytes int64) error) (err error) {
	g.mu.RLock()
	defer g.mu.RUnlock()
	if g.closed {
		return errClosed
	}
	defer guard(&err)()
	h := newHeader(k, schema, v)
	for n := h.count; n > 0; n-- {
		b := h.chunk(n-1, v)
		if err := before(int64(len(b))); err != nil {
			return err
		}
		if err := g.db.Update(func(txn *badger.Txn) error { return txn.Set(chunkKey(k, n-1), b) }); err != nil {
			return err
		}
	}
	return nil
}

// remove hides the value; the chunks go with the generation.
func (g *generation) remove(k Key) (err error) {
	g.mu.RLock()
	defer g.mu.RUnlock()
	if g.closed {
		return errClosed
	}
	defer guard(&err)()
	return g.db.Update(func(txn *badger.Txn) error { return txn.Delete(chunkKey(k, 0)) })
}

// lost says that the directory is no longer the one that was opened.
func (g *generation) lost() bool {
	now, err := os.Stat(g.dir)
	return err != nil || !os.SameFile(now, g.id)
}

// closeLimit bounds the wait for badger, which tries for ever to write its last table.
const closeLimit = 10 * time.Second

// close ends the database. A lost directory is made again first, because badger would try for ever to write into it; without
// free space the database is abandoned, because closing writes through mapped files: its goroutines stay until the process
// ends, the log of what was written stays for the next open.
func (g *generation) close(free bool) error {
	g.mu.Lock()
	if g.closed {
		g.mu.Unlock()
		return nil
	}
	g.closed = true
	g.mu.Unlock()
	if !free {
		return errors.New("cache: not closed for lack of space")
	}
	if g.lost() {
		if err := os.MkdirAll(g.dir, 0o700); err != nil {
			return fmt.Errorf("cache: not closed, its directory is gone: %w", err)
		}
	}
	done := make(chan error, 1)
	go func() {
		var err error
		defer func() { done <- err }()
		defer guard(&err)()
		err = g.db.Close()
	}()
	limit := time.NewTimer(closeLimit)
	defer limit.Stop()
	select {
	case err := <-done:
		return err
	case <-limit.C:
		return fmt.Errorf("cache: badger did not close within %v", closeLimit)
	}
}

// diskUsage counts the blocks of the files under dir. Badger's logs are sparse: their sizes say nothing.
func diskUsage(dir string) int64 {
	var sum int64
	_ = filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error { // what vanished meanwhile takes no space
		if err != nil || e.IsDir() {
			return nil
		}
		if info, err := e.Info(); err == nil {
			sum += allocated(info)
		}
		return nil
	})
	return sum
}

// badgerLog sends badger's messages to ours. Its information is of interest for debugging only.
type badgerLog struct{ log *slog.Logger }

func (l badgerLog) Errorf(f string, a ...any)   { l.log.Error(badgerText(f, a)) }
func (l badgerLog) Warningf(f string, a ...any) { l.log.Warn(badgerText(f, a)) }
func (l badgerLog) Infof(f string, a ...any)    { l.log.Debug(badgerText(f, a)) }
func (l badgerLog) Debugf(string, ...any)       {}

func badgerText(f string, a []any) string {
	return "badger: " + strings.TrimSpace(fmt.Sprintf(f, a...))
}
