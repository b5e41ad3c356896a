package netlist

// nameTab maps name ids to dense indices in order of insertion: 4 bytes a name plus 8 to 16 for the slots.
type nameTab struct {
	slot []int32 // open addressing, index+1
	key  []int32 // name id of each entry
}

// spread scrambles the dense ids of a name table.
func spread(id uint32) uint32 {
	id *= 0x9e3779b1
	return id ^ id>>15
}

// find returns the index of a name, or None.
func (t *nameTab) find(name int32) int32 {
	if len(t.slot) == 0 {
		return None
	}
	mask := uint32(len(t.slot) - 1)
	for h := spread(uint32(name)) & mask; ; h = (h + 1) & mask {
		i := t.slot[h] - 1
		if i < 0 || t.key[i] == name {
			return i
		}
	}
}

// add appends a name; isNew is false when it was there, and then i is its old index.
func (t *nameTab) add(name int32) (i int32, isNew bool) {
	if 2*(len(t.key)+1) > len(t.slot) {
		t.grow(2 * len(t.slot))
	}
	mask := uint32(len(t.slot) - 1)
	h := spread(uint32(name)) & mask
	for ; t.slot[h] != 0; h = (h + 1) & mask {
		if i := t.slot[h] - 1; t.key[i] == name {
			return i, false
		}
	}
	t.key = append(t.key, name)
	t.slot[h] = int32(len(t.key))
	return t.slot[h] - 1, true
}

// reserve makes room for n names in all.
func (t *nameTab) reserve(n int) {
	size := 8
	for size < 2*n+2 {
		size *= 2
	}
	if size > len(t.slot) {
		t.grow(size)
	}
	if cap(t.key) < n {
		t.key = append(make([]int32, 0, n), t.key...)
	}
}

func (t *nameTab) grow(size int) {
	t.slot = make([]int32, max(size, 8))
	mask := uint32(len(t.slot) - 1)
	for i, k := range t.key {
		h := spread(uint32(k)) & mask
		for t.slot[h] != 0 {
			h = (h + 1) & mask
		}
		t.slot[h] = int32(i) + 1
	}
}

// pairTab maps (cell, pin name) to a pin code. It is small: as many entries as the cell types in use have pins.
type pairTab struct {
	key []uint64 // cell<<32 | name, plus 1
	val []int32
	n   int
}

func pairKey(a, b int32) uint64 { return uint64(uint32(a))<<32 | uint64(uint32(b)) + 1 }

func (t *pairTab) at(k uint64) uint32 {
	mask := uint32(len(t.key) - 1)
	h := spread(uint32(k)^spread(uint32(k>>32))) & mask
	for t.key[h] != 0 && t.key[h] != k {
		h = (h + 1) & mask
	}
	return h
}

func (t *pairTab) get(a, b int32) (int32, bool) {
	if t.n == 0 {
		return 0, false
	}
	h := t.at(pairKey(a, b))
	return t.val[h], t.key[h] != 0
}

func (t *pairTab) put(a, b, v int32) {
	if 2*(t.n+1) > len(t.key) {
		old := *t
		size := max(64, 2*len(old.key))
		t.key, t.val = make([]uint64, size), make([]int32, size)
		for i, k := range old.key {
			if k != 0 {
				h := t.at(k)
				t.key[h], t.val[h] = k, old.val[i]
			}
		}
	}
	k := pairKey(a, b)
	h := t.at(k)
	if t.key[h] == 0 {
		t.n++
	}
	t.key[h], t.val[h] = k, v
}
