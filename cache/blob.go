package cache

import (
	"bytes"
	"container/list"
	"crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"sync"
	"time"

	"github.com/zeebo/blake3"
)

// A blob is a file: one page of header, then the bytes, so that a mapping begins at a page. It is written under a temporary
// name, synced and renamed; it never changes after that. Recency outlives the process as the time of modification.
const (
	blobHeader   = 4096
	blobSuffix   = ".blob"
	tempPrefix   = "tmp-"
	blobRecheck  = 64 << 20 // bytes between two looks at the free space
	staleTempAge = time.Hour
)

var blobMagic = [8]byte{'W', 'D', 'b', 'l', 'o', 'b', '0', '1'}

type blobs struct {
	dir string
	s   *Store

	mu      sync.Mutex
	entries map[Key]*list.Element
	order   list.List // front: used last
	used    int64
}

type blobEntry struct {
	key      Key
	size     int64   // of the file
	verified blobID  // the file as it was when its hash was right
	mapped   *mapped // nil when nobody uses it
}

// blobID tells whether a file changed since it was verified.
type blobID struct {
	info  os.FileInfo
	size  int64
	mtime time.Time
}

func (a blobID) equal(b blobID) bool {
	return a.info != nil && b.info != nil && os.SameFile(a.info, b.info) && a.size == b.size && a.mtime.Equal(b.mtime)
}

type mapped struct {
	all  []byte
	refs int
}

func newBlobs(dir string, s *Store) *blobs {
	return &blobs{dir: dir, s: s, entries: map[Key]*list.Element{}}
}

func (b *blobs) path(k Key) string {
	name := k.String()
	return filepath.Join(b.dir, name[:2], name+blobSuffix)
}

// scan learns what is there, oldest first, and removes what nobody finishes any more.
func (b *blobs) scan() {
	type found struct {
		key  Key
		info os.FileInfo
	}
	var all []found
	_ = filepath.WalkDir(b.dir, func(path string, e fs.DirEntry, err error) error { // what cannot be read is not there
		if err != nil || e.IsDir() {
			return nil
		}
		info, err := e.Info()
		if err != nil || !info.Mode().IsRegular() {
			return nil
		}
		raw, err := hex.DecodeString(strings.TrimSuffix(e.Name(), blobSuffix))
		switch {
		case strings.HasSuffix(path, blobSuffix) && err == nil && len(raw) == len(Key{}):
			all = append(all, found{Key(raw), info})
		case strings.HasPrefix(e.Name(), tempPrefix) && time.Since(info.ModTime()) > staleTempAge:
			_ = os.Remove(path) // left by a process that died; tried again at the next open
		}
		return nil
	})
	sort.Slice(all, func(i, j int) bool { return all[i].info.ModTime().Before(all[j].info.ModTime()) })
	b.mu.Lock()
	defer b.mu.Unlock()
	clear(b.entries)
	b.order.Init()
	b.used = 0
	for _, f := range all {
		b.add(f.key, f.info.Size())
	}
	b.evict()
}

// add and evict are called with mu held.
func (b *blobs) add(k Key, size int64) *blobEntry {
	if e, ok := b.entries[k]; ok {
		entry := e.Value.(*blobEntry)
		b.used += size - entry.size
		entry.size = size
		b.order.MoveToFront(e)
		return entry
	}
	entry := &blobEntry{key: k, size: size}
	b.entries[k] = b.order.PushFront(entry)
	b.used += size
	return entry
}

func (b *blobs) evict() {
	for b.used > b.s.opt.BlobBudget && b.order.Len() > 0 {
		b.drop(b.order.Back().Value.(*blobEntry).key)
		b.s.n.evicted.Add(1)
	}
}

// drop forgets and removes a blob; mappings of it stay. Called with mu held.
func (b *blobs) drop(k Key) {
	if e, ok := b.entries[k]; ok {
		b.used -= b.order.Remove(e).(*blobEntry).size
		delete(b.entries, k)
	}
	if err := os.Remove(b.path(k)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		b.s.opt.Log.Warn("cache: cannot remove a blob", "err", err)
	}
}

func (b *blobs) remove(k Key) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.drop(k)
}

func (b *blobs) clear() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for k := range b.entries {
		b.drop(k)
	}
}

func (b *blobs) size() (bytes, files int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.used, int64(len(b.entries))
}

// put writes the blob. Files are written with write calls, so a full disk is an error here.
func (b *blobs) put(k Key, w io.WriterTo) (err error) {
	path := b.path(k)
	if info, err := os.Lstat(path); err == nil && info.Mode().IsRegular() {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	temp := filepath.Join(filepath.Dir(path), tempPrefix+randomName())
	f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o400)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(temp))
		}
	}()
	size, err := b.fill(f, k, w)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := os.Rename(temp, path); err != nil {
		return err
	}
	b.add(k, size)
	b.evict()
	return nil
}

// fill writes header and bytes and returns the size of the file.
func (b *blobs) fill(f *os.File, k Key, w io.WriterTo) (int64, error) {
	if _, err := f.Seek(blobHeader, io.SeekStart); err != nil {
		return 0, err
	}
	h := blobHash(k, b.s.opt.Schema)
	out := &blobWriter{f: f, hash: h, left: b.s.opt.BlobBudget - blobHeader, room: b.room}
	if _, err := w.WriteTo(out); err != nil {
		return 0, err
	}
	head := make([]byte, blobHeader)
	copy(head, blobMagic[:])
	binary.LittleEndian.PutUint32(head[8:], b.s.opt.Schema)
	binary.LittleEndian.PutUint64(head[16:], uint64(out.n))
	h.Sum(head[24:24])
	if _, err := f.WriteAt(head, 0); err != nil {
		return 0, err
	}
	return blobHeader + out.n, nil
}

// blobHash starts the hash over a blob's bytes; the key and the schema are part of it.
func blobHash(k Key, schema uint32) *blake3.Hasher {
	h := blake3.New()
	_, _ = h.Write(blobMagic[:]) // a hash does not fail
	_, _ = h.Write(binary.LittleEndian.AppendUint32(nil, schema))
	_, _ = h.Write(k[:])
	return h
}

func (b *blobs) room() error {
	vol, err := nearestVolume(b.dir, b.s.opt.volume)
	if err != nil {
		return err
	}
	if vol.free < b.s.opt.MinFree {
		return errNoSpace
	}
	return nil
}

// blobWriter hashes what it writes and stops at the budget or when the disk is nearly full.
type blobWriter struct {
	f       *os.File
	hash    *blake3.Hasher
	n, left int64
	checked int64 // n at the next look at the free space
	room    func() error
}

func (w *blobWriter) Write(p []byte) (done int, err error) {
	for len(p) > 0 {
		if w.n >= w.checked {
			if err := w.room(); err != nil {
				return done, err
			}
			w.checked = w.n + blobRecheck
		}
		part := p[:min(len(p), blobRecheck)]
		if int64(len(part)) > w.left {
			return done, errTooLarge
		}
		n, err := w.f.Write(part)
		_, _ = w.hash.Write(part[:n]) // a hash does not fail
		w.n, w.left, done = w.n+int64(n), w.left-int64(n), done+n
		if err != nil {
			return done, err
		}
		p = p[n:]
	}
	return done, nil
}

// get maps the blob. Each call looks at the file again, so that one that was replaced or cut short is not handed out.
func (b *blobs) get(k Key) ([]byte, func(), bool) {
	f, err := os.Open(b.path(k))
	if err != nil {
		b.mu.Lock()
		if _, ok := b.entries[k]; ok && errors.Is(err, fs.ErrNotExist) {
			b.drop(k)
		}
		b.mu.Unlock()
		return nil, nil, false
	}
	defer f.Close()
	b.mu.Lock()
	defer b.mu.Unlock()
	m, err := b.open(f, k)
	if err != nil {
		b.s.n.corrupt.Add(1)
		b.s.opt.Log.Warn("cache: a blob is damaged and removed", "key", k, "err", err)
		b.drop(k)
		return nil, nil, false
	}
	m.refs++
	return m.all[blobHeader:len(m.all):len(m.all)], sync.OnceFunc(func() { b.release(k, m) }), true
}

// open verifies f unless it is as it was when it was verified before, and maps it. Called with mu held: two users of a blob
// verify it once.
func (b *blobs) open(f *os.File, k Key) (*mapped, error) {
	id, err := identify(f)
	if err != nil {
		return nil, err
	}
	entry := b.add(k, id.size)
	if entry.mapped != nil && entry.verified.equal(id) {
		return entry.mapped, nil
	}
	head := make([]byte, blobHeader)
	if _, err := f.ReadAt(head, 0); err != nil {
		return nil, fmt.Errorf("%w: %w", errCorrupt, err)
	}
	if !bytes.Equal(head[:8], blobMagic[:]) || binary.LittleEndian.Uint32(head[8:]) != b.s.opt.Schema ||
		binary.LittleEndian.Uint64(head[16:]) != uint64(id.size-blobHeader) {
		return nil, errCorrupt
	}
	all, err := mapFile(f, id.size)
	if err != nil {
		return nil, err
	}
	if !entry.verified.equal(id) {
		now := time.Now()
		_ = os.Chtimes(f.Name(), now, now) // used now; without it the order at the next start is that of writing
		if id, err = identify(f); err == nil {
			err = verify(all, k, b.s.opt.Schema)
		}
		if err != nil {
			return nil, errors.Join(err, unmapFile(all))
		}
		entry.verified = id
	}
	entry.mapped = &mapped{all: all} // one that was mapped before the file was replaced ends with its users
	return entry.mapped, nil
}

func identify(f *os.File) (blobID, error) {
	info, err := f.Stat()
	if err != nil {
		return blobID{}, err
	}
	if !info.Mode().IsRegular() || info.Size() < blobHeader || int64(int(info.Size())) != info.Size() {
		return blobID{}, errCorrupt
	}
	return blobID{info, info.Size(), info.ModTime()}, nil
}

func verify(all []byte, k Key, schema uint32) (err error) {
	defer guard(&err)() // somebody may cut the file short just now
	h := blobHash(k, schema)
	_, _ = h.Write(all[blobHeader:]) // a hash does not fail
	var sum [32]byte
	h.Sum(sum[:0])
	if !bytes.Equal(sum[:], all[24:24+len(sum)]) {
		return errCorrupt
	}
	return nil
}

func (b *blobs) release(k Key, m *mapped) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if m.refs--; m.refs > 0 {
		return
	}
	if e, ok := b.entries[k]; ok && e.Value.(*blobEntry).mapped == m {
		e.Value.(*blobEntry).mapped = nil
	}
	if err := unmapFile(m.all); err != nil {
		b.s.opt.Log.Warn("cache: cannot unmap", "err", err)
	}
}

// randomName is unlike any other name.
func randomName() string {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}
