package source

import (
	"bytes"

	"github.com/zeebo/blake3"
)

// The bounds of a chunk. They, the gear table and the cut condition decide chunk borders and so are part of the cache
// format.
const (
	minChunk = 16 << 10
	maxChunk = 256 << 10
	// MaxChunks bounds the memory of the list (64 GiB of text, 32 MiB of list).
	MaxChunks = 1 << 20
)

// A border may follow where the rolling hash of the last 64 bytes is below this: on average 48 KiB after the minimum.
const cutBelow = 1 << 48 / 48 << 6 // 2^64 / (48 * 1024)

// Chunk is a piece of the text. Borders depend on the bytes around them only, so an edit changes the chunks it touches
// and their neighbours; they follow a newline, except where none came within maxChunk.
type Chunk struct {
	Offset int64
	Len    int32
	Hash   [16]byte // blake3, cut
}

// gear is the table of the rolling hash: fixed pseudo-random words (splitmix64 of the byte).
var gear = func() (t [256]uint64) {
	x := uint64(0)
	for i := range t {
		x += 0x9e3779b97f4a7c15
		z := x
		z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
		z = (z ^ z>>27) * 0x94d049bb133111eb
		t[i] = z ^ z>>31
	}
	return t
}()

type chunker struct {
	chunks   []Chunk
	overflow bool
	offset   int64  // of the current chunk
	n        int    // its bytes so far
	h        uint64 // rolling hash
	armed    bool   // condition met, waiting for a newline
	part     *blake3.Hasher
	partial  bool // part holds bytes of the current chunk
}

func (c *chunker) write(b []byte) {
	for len(b) > 0 {
		n, cut := c.scan(b)
		c.n += n
		if !cut {
			if c.part == nil {
				c.part = blake3.New()
			}
			c.part.Write(b[:n])
			c.partial = true
		} else {
			c.emit(b[:n])
		}
		b = b[n:]
	}
}

// scan returns how many bytes of b belong to the current chunk and whether it ends there.
func (c *chunker) scan(b []byte) (int, bool) {
	lim := min(len(b), maxChunk-c.n)
	i := 0
	if !c.armed {
		if skip := minChunk - 64 - c.n; skip > 0 { // bytes that no border decision depends on
			if skip >= lim {
				return lim, false
			}
			i = skip
		}
		h := c.h
		for first := minChunk - c.n; i < lim; {
			h = h<<1 + gear[b[i]]
			i++
			if h < cutBelow && i >= first {
				c.armed = true
				i-- // the byte just taken may be the newline itself
				break
			}
		}
		c.h = h
	}
	if c.armed {
		if j := bytes.IndexByte(b[i:lim], '\n'); j >= 0 {
			return i + j + 1, true
		}
	}
	return lim, c.n+lim == maxChunk
}

// emit ends the current chunk with its last bytes.
func (c *chunker) emit(tail []byte) {
	ch := Chunk{Offset: c.offset, Len: int32(c.n)}
	if c.partial {
		c.part.Write(tail)
		c.part.Digest().Read(ch.Hash[:])
		c.part.Reset()
	} else {
		sum := blake3.Sum256(tail)
		copy(ch.Hash[:], sum[:])
	}
	if len(c.chunks) == MaxChunks {
		c.chunks, c.overflow = nil, true
	}
	if !c.overflow {
		c.chunks = append(c.chunks, ch)
	}
	c.offset += int64(c.n)
	c.n, c.h, c.armed, c.partial = 0, 0, false, false
}

func (c *chunker) finish() []Chunk {
	if c.n > 0 {
		c.emit(nil)
	}
	return c.chunks
}
