package source

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync/atomic"

	"github.com/zeebo/blake3"

	"github.com/wattd/wattd/internal/diag"
)

const (
	blockSize = 256 << 10
	nBlocks   = 4 // one with each goroutine, one under way on either side of the hashing
)

// block is a buffer on its way from the decompressor through the hashing to the reader. The last one of a stream has
// err set (io.EOF for a proper end) and may hold bytes too.
type block struct {
	buf  []byte
	err  error
	line int  // with ErrDamaged: the line in which the text ends
	sum  *Sum // with io.EOF

	chunks []Chunk // those that are complete with this block
}

// start makes a File over raw bytes and sets its goroutines going.
func start(ctx context.Context, name string, r io.ReadCloser, size int64, bag *diag.Bag) *File {
	pctx, cancel := context.WithCancel(ctx)
	raw := &rawReader{r: r, size: size}
	filled := make(chan block, nBlocks)
	hashed := make(chan block, nBlocks)
	free := make(chan []byte, nBlocks)
	f := &File{name: name, bag: bag, ctx: ctx, raw: raw, blocks: hashed, free: free, cancel: cancel}
	f.wg.Go(func() {
		defer close(filled)
		produce(pctx, raw, free, filled)
	})
	f.wg.Go(func() {
		defer close(hashed)
		hash(pctx, raw, filled, hashed)
	})
	return f
}

// produce decompresses into buffers until the stream ends or the context is done.
func produce(ctx context.Context, raw *rawReader, free <-chan []byte, out chan<- block) {
	send := func(b block) bool {
		select {
		case out <- b:
			return true
		case <-ctx.Done():
			return false
		}
	}
	r, err := decompress(ctx, raw)
	if err != nil {
		send(block{err: raw.blame(err)})
		return
	}
	defer r.Close()
	for made := 0; ; {
		var buf []byte
		select {
		case buf = <-free:
		default:
			if made < nBlocks { // small files never need the second
				buf = make([]byte, blockSize)
				made++
				break
			}
			select {
			case buf = <-free:
			case <-ctx.Done():
				return
			}
		}
		n, err := readFull(r, buf)
		if err != nil && err != io.EOF {
			err = raw.blame(err)
		}
		if !send(block{buf: buf[:n], err: err}) || err != nil {
			return
		}
	}
}

// readFull fills buf unless the stream ends.
func readFull(r io.Reader, buf []byte) (n int, err error) {
	defer recoverDecoder(&err)
	for empty := 0; n < len(buf) && err == nil; {
		var k int
		k, err = r.Read(buf[n:])
		n += k
		if k == 0 && err == nil {
			if empty++; empty > 100 {
				err = io.ErrNoProgress
			}
		}
	}
	return n, err
}

// hash passes blocks on and computes the sum. It works on a block before the reader sees it, so that no buffer is
// shared between the two.
func hash(ctx context.Context, raw *rawReader, in <-chan block, out chan<- block) {
	whole := blake3.New()
	var ch chunker
	var size int64
	line := 1
	for b := range in {
		whole.Write(b.buf)
		ch.write(b.buf)
		b.chunks = ch.chunks[:len(ch.chunks):len(ch.chunks)]
		size += int64(len(b.buf))
		line += bytes.Count(b.buf, []byte{'\n'})
		switch {
		case b.err == io.EOF:
			s := &Sum{Size: size, RawSize: raw.n.Load(), Chunks: ch.finish()}
			whole.Digest().Read(s.Hash[:])
			b.sum = s
		case errors.Is(b.err, ErrDamaged):
			b.line = line
			b.err = fmt.Errorf("%w: near byte %d of the file as stored, after %d bytes (%d lines) of text", b.err, raw.n.Load(), size, line-1)
		}
		select {
		case out <- b:
		case <-ctx.Done():
			return
		}
	}
}

// rawReader counts the stored bytes and remembers a fault of the operating system, so that it is not taken for damage.
type rawReader struct {
	r    io.ReadCloser
	size int64
	n    atomic.Int64
	err  atomic.Pointer[error]
}

func (r *rawReader) Read(p []byte) (int, error) {
	n, err := r.r.Read(p)
	r.n.Add(int64(n))
	if err != nil && err != io.EOF {
		r.err.Store(&err)
	}
	return n, err
}

func (r *rawReader) Close() error { return r.r.Close() }

// blame says whose fault a failed read of the decompressed stream is.
func (r *rawReader) blame(err error) error {
	if p := r.err.Load(); p != nil {
		return *p
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, errTool) {
		return err
	}
	if err == io.ErrUnexpectedEOF || err == io.EOF {
		return fmt.Errorf("%w (unexpected end)", ErrDamaged)
	}
	return fmt.Errorf("%w (%v)", ErrDamaged, err)
}

type bytesReader struct{ bytes.Reader }

func newBytesReader(b []byte) io.ReadCloser {
	r := new(bytesReader)
	r.Reset(b)
	return r
}

func (*bytesReader) Close() error { return nil }
