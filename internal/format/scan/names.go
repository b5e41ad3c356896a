package scan

import (
	"encoding/binary"
	"hash/maphash"
	"math/bits"
	"slices"
)

// Names interns byte strings: one int32 for each distinct string, 0 for the empty one. Bytes lie in one arena.
// It is not safe for concurrent writers.
type Names struct {
	arena  []byte
	start  []uint32     // start[i]..start[i+1] is string i
	table  []uint64     `image:"-"` // open addressing: upper half of the hash and id+1, so that a probe that fails stays in the table
	seed   maphash.Seed `image:"-"` // of this process
	k0, k1 uint64       `image:"-"`
	shared bool         // the table is that of the names that were extended
}

// Extend returns a table that holds the same names under the same ids and can take more of them. n must not change after that; it
// may be read at the same time.
func (n *Names) Extend() *Names {
	m := *n
	m.arena, m.start, m.shared = n.arena[:len(n.arena):len(n.arena)], n.start[:len(n.start):len(n.start)], true
	return &m
}

// NewNames returns a table that holds the empty string as 0.
func NewNames() *Names {
	n := &Names{start: []uint32{0, 0}, table: make([]uint64, 1024)}
	n.reseed()
	return n
}

// Len is the number of strings, the empty one included.
func (n *Names) Len() int { return len(n.start) - 1 }

// Size is the memory in bytes.
func (n *Names) Size() int64 {
	return int64(cap(n.arena)) + 4*int64(cap(n.start)) + 8*int64(cap(n.table))
}

// hash is one multiplication for the short names that netlists are full of.
func (n *Names) hash(b []byte) uint64 {
	var x, y uint64
	switch k := len(b); {
	case k > 16:
		return maphash.Bytes(n.seed, b)
	case k >= 8:
		x, y = binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[k-8:])
	case k >= 4:
		x, y = uint64(binary.LittleEndian.Uint32(b)), uint64(binary.LittleEndian.Uint32(b[k-4:]))
	default:
		x, y = uint64(b[0])|uint64(b[k>>1])<<8|uint64(b[k-1])<<16, 0
	}
	hi, lo := bits.Mul64(x^n.k0, y^n.k1^uint64(len(b))<<56)
	return hi ^ lo
}

const tagMask = 0xffffffff << 32

// find returns the slot of b, which has hash h, and its id, or -1 and the slot where it belongs.
func (n *Names) find(b []byte, h uint64) (int, int32) {
	for i := slot(h, len(n.table)); ; {
		e := n.table[i]
		if e == 0 {
			return i, -1
		}
		if (e^h)&tagMask == 0 {
			id := int32(uint32(e)) - 1
			if string(n.bytes(id)) == string(b) {
				return i, id
			}
		}
		if i++; i == len(n.table) {
			i = 0
		}
	}
}

// slot is where the search for a hash begins in a table of any size: its lower half, scaled; the upper one is the tag.
func slot(h uint64, size int) int { return int(h & 0xffffffff * uint64(size) >> 32) }

func (n *Names) bytes(id int32) []byte { return n.arena[n.start[id]:n.start[id+1]] }

// Intern returns the id of b, adding it if need be.
func (n *Names) Intern(b []byte) int32 {
	if len(b) == 0 {
		return 0
	}
	h := n.hash(b)
	i, id := n.find(b, h)
	if id >= 0 {
		return id
	}
	if len(n.arena)+len(b) > 1<<32-1 || len(n.start) > 1<<31-2 {
		panic("scan: name table over 4 GiB")
	}
	if n.shared {
		n.table, n.shared = slices.Clone(n.table), false
	}
	id = int32(n.Len())
	n.arena = append(n.arena, b...)
	n.start = append(n.start, uint32(len(n.arena)))
	n.table[i] = h&tagMask | uint64(id+1)
	if 2*n.Len() > len(n.table) {
		n.grow()
	}
	return id
}

// grow doubles the table. Strings are placed in order of their ids, so that their bytes are read in order.
func (n *Names) grow() {
	n.rebuild(2 * len(n.table))
}

func (n *Names) rebuild(size int) {
	n.table, n.shared = make([]uint64, size), false
	for id := int32(1); int(id) < n.Len(); id++ {
		h := n.hash(n.bytes(id))
		i := slot(h, size)
		for n.table[i] != 0 {
			if i++; i == size {
				i = 0
			}
		}
		n.table[i] = h&tagMask | uint64(id+1)
	}
}

// Rehash makes the table of names that were read from an image: the hash is that of a process.
func (n *Names) Rehash() {
	n.reseed()
	n.rebuild(max(1024, n.Len()*5/4))
}

func (n *Names) reseed() {
	n.seed = maphash.MakeSeed()
	n.k0, n.k1 = maphash.String(n.seed, "0"), maphash.String(n.seed, "1")
}

// Trim gives back memory that only further names would need: what is left is the text and about 14 bytes a name.
func (n *Names) Trim() {
	n.arena = append(make([]byte, 0, len(n.arena)), n.arena...)
	n.start = append(make([]uint32, 0, len(n.start)), n.start...)
	n.rebuild(max(1024, n.Len()*5/4))
}

// InternString is Intern of a string.
func (n *Names) InternString(s string) int32 { return n.Intern([]byte(s)) }

// Find returns the id of b, or -1.
func (n *Names) Find(b []byte) int32 {
	if len(b) == 0 {
		return 0
	}
	_, id := n.find(b, n.hash(b))
	return id
}

// Bytes returns string id; the caller must not change it.
func (n *Names) Bytes(id int32) []byte { return n.bytes(id) }

// String returns string id as a new string.
func (n *Names) String(id int32) string { return string(n.bytes(id)) }

// Span is a piece of a text and the id of its name.
type Span struct{ From, To, ID int32 }

// maxBatch is how many names InternAll looks up at a time.
const maxBatch = 32

// InternAll sets the ids of spans of text, in order, as Intern would. The look-ups of a batch do not wait for each
// other, so that in a table larger than the processor's caches their memory accesses overlap.
func (n *Names) InternAll(text []byte, spans []Span) {
	var hash, entry [maxBatch]uint64
	var from, to [maxBatch]uint32
	for len(spans) > 0 {
		batch := spans[:min(len(spans), maxBatch)]
		spans = spans[len(batch):]
		for i, s := range batch {
			hash[i] = 0
			if s.To > s.From {
				hash[i] = n.hash(text[s.From:s.To])
			}
		}
		for i := range batch {
			entry[i] = n.table[slot(hash[i], len(n.table))]
		}
		for i := range batch {
			id := max(uint32(entry[i]), 1) - 1
			from[i], to[i] = n.start[id], n.start[id+1]
		}
		for i := range batch {
			s := &batch[i]
			b := text[s.From:s.To]
			if (entry[i]^hash[i])&tagMask == 0 && string(n.arena[from[i]:to[i]]) == string(b) {
				s.ID = max(int32(uint32(entry[i])), 1) - 1
			} else {
				s.ID = n.Intern(b)
			}
		}
	}
}
