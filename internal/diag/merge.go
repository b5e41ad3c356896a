package diag

import (
	"maps"
	"slices"
)

// Merge adds the messages of o to b, as if they were reported again.
func (b *Bag) Merge(o *Bag) {
	for _, t := range o.Totals() {
		kept := o.Kept(t.Code)
		left := t.N
		for _, d := range kept {
			b.AddN(d.Code, d.N, d.Pos, "%s", d.Msg)
			left -= d.N
		}
		if left > 0 {
			b.count1(t.Code, left)
		}
	}
}

// count1 adds to the count of a code that b has messages of.
func (b *Bag) count1(code Code, n int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.count == nil {
		b.count, b.kept = map[Code]int64{}, map[Code][]Diag{}
	}
	b.count[code] += n
	if Lookup(code).Severity == Error {
		b.nErr += n
	}
}

// AddCounts adds to the counts of codes, without a text.
func (b *Bag) AddCounts(n map[Code]int64) {
	for c, k := range n {
		if k > 0 {
			b.count1(c, k)
		}
	}
}

// Moved is a copy whose messages stand at other places.
func (b *Bag) Moved(at func(Pos) Pos) *Bag {
	b.mu.Lock()
	defer b.mu.Unlock()
	m := &Bag{count: maps.Clone(b.count), kept: map[Code][]Diag{}, nErr: b.nErr}
	for c, ds := range b.kept {
		ds = slices.Clone(ds)
		for i := range ds {
			ds[i].Pos = at(ds[i].Pos)
		}
		m.kept[c] = ds
	}
	if m.count == nil {
		m.count = map[Code]int64{}
	}
	return m
}
