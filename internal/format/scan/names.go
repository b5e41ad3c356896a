package scan

import (
	"hash/maphash"
)

// Names interns byte strings: one int32 for each distinct string, 0 for the empty one. Bytes lie in one arena.
// It is not safe for concurrent writers.
type Names struct {
	arena []byte
	start []uint32 // start[i]..start[i+1] is string i
	table []int32  // open addressing, id+1
	seed  maphash.Seed
}

// NewNames returns a table that holds the empty string as 0.
func NewNames() *Names {
	return &Names{start: []uint32{0, 0}, table: make([]int32, 1024), seed: maphash.MakeSeed()}
}

// Len is the number of strings, the empty one included.
func (n *Names) Len() int { return len(n.start) - 1 }

// Size is the memory in bytes.
func (n *Names) Size() int64 { return int64(cap(n.arena)) + 4*int64(cap(n.start)+cap(n.table)) }

func (n *Names) slot(b []byte) (int, int32) {
	mask := len(n.table) - 1
	for h := int(maphash.Bytes(n.seed, b)) & mask; ; h = (h + 1) & mask {
		id := n.table[h] - 1
		if id < 0 || string(n.bytes(id)) == string(b) {
			return h, id
		}
	}
}

func (n *Names) bytes(id int32) []byte { return n.arena[n.start[id]:n.start[id+1]] }

// Intern returns the id of b, adding it if need be.
func (n *Names) Intern(b []byte) int32 {
	if len(b) == 0 {
		return 0
	}
	h, id := n.slot(b)
	if id >= 0 {
		return id
	}
	if len(n.arena)+len(b) > 1<<32-1 || len(n.start) > 1<<31-2 {
		panic("scan: name table over 4 GiB")
	}
	id = int32(n.Len())
	n.arena = append(n.arena, b...)
	n.start = append(n.start, uint32(len(n.arena)))
	n.table[h] = id + 1
	if 2*n.Len() > len(n.table) {
		old := n.table
		n.table = make([]int32, 2*len(old))
		for _, v := range old {
			if v > 0 {
				h, _ := n.slot(n.bytes(v - 1))
				n.table[h] = v
			}
		}
	}
	return id
}

// InternString is Intern of a string.
func (n *Names) InternString(s string) int32 { return n.Intern([]byte(s)) }

// Find returns the id of b, or -1.
func (n *Names) Find(b []byte) int32 {
	if len(b) == 0 {
		return 0
	}
	_, id := n.slot(b)
	return id
}

// Bytes returns string id; the caller must not change it.
func (n *Names) Bytes(id int32) []byte { return n.bytes(id) }

// String returns string id as a new string.
func (n *Names) String(id int32) string { return string(n.bytes(id)) }
