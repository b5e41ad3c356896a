// Package source reads one version of an input file once: decompressed, recognised by its content, and hashed while
// it is read.
//
// Contract: a File is a stream of the decompressed bytes of a path or buffer. What it is made of (gzip, zstd, xz) and
// what it holds (Kind) are told from the bytes, never from the suffix; a suffix is looked at only to name which
// proprietary binary format a file is that is refused anyway. Decompression and hashing run beside the reader, in two
// goroutines with a fixed number of buffers, and end with Close. A stream that is damaged or cut short ends in
// ErrDamaged, never in io.EOF, and has no Sum. The package interprets no format and keeps no file content.
package source

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"

	"github.com/wattd/wattd/internal/diag"
)

var (
	// ErrDamaged marks compressed data that is corrupt or cut short. The bag given to Open has the message already:
	// the caller stops reading.
	ErrDamaged = errors.New("compressed data is damaged or cut short")
	// ErrDirectory is returned by Read of a directory; Expect tells the user.
	ErrDirectory = errors.New("is a directory")
	// ErrIncomplete is returned by Sum when the file was closed before it was read to its end: open it again.
	ErrIncomplete = errors.New("file was not read to its end")
)

// Sum identifies a file version by its decompressed bytes.
type Sum struct {
	Hash    [32]byte // blake3
	Size    int64    // decompressed
	RawSize int64    // as stored
	// Chunks cover the bytes in order, without gaps. They are nil above MaxChunks: such a file is compared as a whole.
	Chunks []Chunk
}

// File is an open input. Read, Kind, Expect and Sum belong to one goroutine; Progress and Close may be called from any.
type File struct {
	name string
	bag  *diag.Bag
	ctx  context.Context

	raw    *rawReader
	isDir  bool
	blocks <-chan block // from the hashing goroutine, closed after the last
	free   chan<- []byte

	cur  block // block being read
	pos  int   // read up to here in cur.buf
	kind Kind
	seen bool // kind is known
	sum  *Sum

	cancel context.CancelFunc
	wg     sync.WaitGroup
	once   sync.Once
	closed atomic.Bool
}

// Open opens a file. Faults of the operating system are errors; what is wrong with the content shows in Expect and
// Read. The bag takes the message about damaged data; nil drops it.
func Open(ctx context.Context, path string, bag *diag.Bag) (*File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	st, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, err
	}
	if st.IsDir() {
		f.Close()
		return &File{name: path, ctx: ctx, isDir: true, kind: dirKind(path), seen: true, cancel: func() {}}, nil
	}
	var size int64
	if st.Mode().IsRegular() {
		size = st.Size()
	}
	return start(ctx, path, f, size, bag), nil
}

// OpenBytes is Open of a buffer, which must not change while it is read.
func OpenBytes(name string, b []byte) *File {
	return start(context.Background(), name, newBytesReader(b), int64(len(b)), nil)
}

// Name is the path or the name given to OpenBytes.
func (f *File) Name() string { return f.name }

// Read implements io.Reader. After the context is done it returns its error.
func (f *File) Read(p []byte) (int, error) {
	if f.isDir {
		return 0, &os.PathError{Op: "read", Path: f.name, Err: ErrDirectory}
	}
	if err := f.ctx.Err(); err != nil {
		return 0, err
	}
	if len(p) == 0 {
		return 0, nil
	}
	if !f.more() {
		return 0, f.cur.err
	}
	n := copy(p, f.cur.buf[f.pos:])
	f.pos += n
	return n, nil
}

// more makes cur hold an unread byte; false at the end, with the reason in cur.err.
func (f *File) more() bool {
	for f.pos == len(f.cur.buf) {
		if f.cur.err != nil {
			return false
		}
		if f.closed.Load() {
			f.cur = block{err: os.ErrClosed}
			return false
		}
		if f.cur.buf != nil {
			f.free <- f.cur.buf[:cap(f.cur.buf)] // never blocks: there is room for every buffer
			f.cur, f.pos = block{}, 0
		}
		select {
		case b, ok := <-f.blocks:
			if !ok { // the goroutines stopped because of Close or the context
				b.err = f.ctx.Err()
				if b.err == nil {
					b.err = os.ErrClosed
				}
			}
			f.take(b)
		case <-f.ctx.Done():
			f.cur.err = f.ctx.Err()
		}
	}
	return true
}

// take makes b the current block; the last one brings the sum or the fault.
func (f *File) take(b block) {
	f.cur, f.pos = b, 0
	if b.sum != nil {
		f.sum = b.sum
	}
	if errors.Is(b.err, ErrDamaged) {
		f.cur.err = fmt.Errorf("%s: %w", f.name, b.err)
		if f.bag != nil {
			f.bag.Add(diag.SourceDamaged, diag.Pos{File: f.name, Line: b.line}, "%v", b.err)
		}
	}
}

// Sum reads what is left and returns the identity of the file.
func (f *File) Sum() (Sum, error) {
	if f.isDir {
		return Sum{}, &os.PathError{Op: "read", Path: f.name, Err: ErrDirectory}
	}
	for f.sum == nil {
		if f.closed.Load() {
			return Sum{}, fmt.Errorf("%s: %w", f.name, ErrIncomplete)
		}
		f.pos = len(f.cur.buf)
		if !f.more() && f.cur.err != io.EOF {
			return Sum{}, f.cur.err
		}
	}
	return *f.sum, nil
}

// Progress returns how many stored bytes have been taken in, and their total, 0 if not known (a pipe).
func (f *File) Progress() (done, total int64) {
	if f.isDir {
		return 0, 0
	}
	return f.raw.n.Load(), f.raw.size
}

// Close stops the goroutines and waits for them. What was read stays valid, the Sum too if the end was reached.
func (f *File) Close() error {
	var err error
	f.once.Do(func() {
		f.closed.Store(true)
		f.cancel()
		if f.raw != nil {
			err = f.raw.Close() // frees a goroutine that waits for a pipe
		}
		f.wg.Wait()
	})
	return err
}
