package source

import (
	"context"
	"errors"
	"io"

	"github.com/wattd/wattd/internal/diag"
)

// ErrManyChanges says that so much of a file differs that comparing it is not worth while: it is to be read whole.
var ErrManyChanges = errors.New("too much of the file changed")

// maxKept bounds the text that a comparison keeps.
const maxKept = 32 << 20

// Range is a range of bytes of a text.
type Range struct{ From, To int64 }

// Change is a run of chunks that gave way to another one. Either may be empty.
type Change struct{ Old, New Range }

// Changes compares the chunks of two versions of a text: what is outside the changes is the same, byte for byte. They ascend in both.
func Changes(old, now []Chunk) []Change {
	at := make(map[[16]byte][]int32, len(old)) // where a chunk stands, ascending
	for i := range old {
		at[old[i].Hash] = append(at[old[i].Hash], int32(i))
	}
	var list []Change
	end := func(c []Chunk, i int) int64 { // where chunk i begins
		if i < len(c) {
			return c[i].Offset
		}
		if i == 0 {
			return 0
		}
		return c[i-1].Offset + int64(c[i-1].Len)
	}
	i, j := 0, 0 // compared so far
	differ := func(a, b int) {
		if a > i || b > j {
			list = append(list, Change{Range{end(old, i), end(old, a)}, Range{end(now, j), end(now, b)}})
		}
	}
	for b := range now {
		if b < j {
			continue
		}
		// The next chunk of the old text goes first: chunks that come several times must not make the comparison jump.
		a := -1
		if i < len(old) && old[i].Hash == now[b].Hash {
			a = i
		} else {
			places := at[now[b].Hash]
			for len(places) > 0 && int(places[0]) < i {
				places = places[1:]
			}
			at[now[b].Hash] = places
			if len(places) > 0 {
				a = int(places[0])
			}
		}
		if a < 0 || old[a].Len != now[b].Len {
			continue
		}
		differ(a, b)
		i, j = a+1, b+1
	}
	differ(len(old), len(now))
	return list
}

// Changed is a new version of a text beside an old one.
type Changed struct {
	Sum     Sum
	Changes []Change
	parts   []part
}

// part is a kept piece of the text.
type part struct {
	from int64
	text []byte
}

// Text returns a range of the new text, nil where it was not kept. Kept are the changes and a chunk on either side.
func (c *Changed) Text(r Range) []byte {
	for _, p := range c.parts {
		if r.From >= p.from && r.To <= p.from+int64(len(p.text)) {
			return p.text[r.From-p.from : r.To-p.from]
		}
	}
	return nil
}

// Kept is how many bytes of text are kept.
func (c *Changed) Kept() (n int64) {
	for _, p := range c.parts {
		n += int64(len(p.text))
	}
	return n
}

// Compare reads a file once and says where it differs from a version with the chunks old, compressed or not. The error is
// ErrManyChanges, ErrDamaged, or a fault of the system.
func Compare(ctx context.Context, path string, old []Chunk, bag *diag.Bag) (*Changed, error) {
	f, err := Open(ctx, path, bag)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.compare(old)
}

// CompareBytes is Compare of a buffer.
func CompareBytes(name string, b []byte, old []Chunk) (*Changed, error) {
	f := OpenBytes(name, b)
	defer f.Close()
	return f.compare(old)
}

func (f *File) compare(old []Chunk) (*Changed, error) {
	if f.isDir {
		_, err := f.Sum()
		return nil, err
	}
	if len(old) == 0 {
		return nil, ErrManyChanges
	}
	k := keeper{known: make(map[[16]byte]struct{}, len(old))}
	for i := range old {
		k.known[old[i].Hash] = struct{}{}
	}
	for f.more() {
		if !k.take(f.cur.buf, f.cur.chunks) {
			return nil, ErrManyChanges
		}
		f.pos = len(f.cur.buf)
	}
	if f.cur.err != io.EOF {
		return nil, f.cur.err
	}
	sum, err := f.Sum()
	if err != nil {
		return nil, err
	}
	if len(sum.Chunks) == 0 {
		return nil, ErrManyChanges
	}
	if !k.take(nil, sum.Chunks) {
		return nil, ErrManyChanges
	}
	c := &Changed{Sum: sum, Changes: Changes(old, sum.Chunks), parts: k.parts}
	return c, nil
}

// keeper keeps the text of unknown chunks and of those beside them.
type keeper struct {
	known  map[[16]byte]struct{}
	buf    []byte // the text from the chunk before the next one on
	from   int64  // where buf begins
	last   Range  // the chunk before the next one
	next   int    // chunks seen
	wanted bool   // the chunk before the next one is unknown
	parts  []part
	kept   int
}

// take adds text and the chunks that are complete with it; false when too much had to be kept.
func (k *keeper) take(b []byte, chunks []Chunk) bool {
	k.buf = append(k.buf, b...)
	for ; k.next < len(chunks); k.next++ {
		c := &chunks[k.next]
		r := Range{c.Offset, c.Offset + int64(c.Len)}
		_, known := k.known[c.Hash]
		if !known {
			k.keep(k.last)
		}
		if !known || k.wanted {
			k.keep(r)
		}
		k.last, k.wanted = r, !known
		if k.kept > maxKept {
			return false
		}
	}
	if n := k.last.From - k.from; n > 1<<20 { // seldom, so that the rest is not moved for every chunk
		k.buf = append(k.buf[:0], k.buf[n:]...)
		k.from = k.last.From
	}
	return true
}

func (k *keeper) keep(r Range) {
	if r.From == r.To {
		return
	}
	text := k.buf[r.From-k.from : r.To-k.from]
	if n := len(k.parts); n > 0 {
		p := &k.parts[n-1]
		end := p.from + int64(len(p.text))
		if r.From < end {
			return // it was the neighbour of the one before
		}
		if r.From == end {
			p.text = append(p.text, text...)
			k.kept += len(text)
			return
		}
	}
	k.parts = append(k.parts, part{r.From, append([]byte(nil), text...)})
	k.kept += len(text)
}
