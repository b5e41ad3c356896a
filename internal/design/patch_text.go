package design

import (
	"bytes"
	"slices"

	"github.com/wattd/wattd/internal/diag"
	"github.com/wattd/wattd/internal/format/sdf"
)

// region is a piece of an SDF file whose text changed, between two places where parts of the old text begin.
type region struct {
	file     int
	from, to int // parts [from, to) in the order of the old file
	offset   int64
	text     []byte
	added    []int32 // the parts of the new text
}

// maxParsed bounds the text that a patch reads: beyond it a full compile is about as fast.
const maxParsed = 32 << 20

// compareTexts finds what changed in the SDF files and what the changed text mentions, before and now.
func (x *patcher) compareTexts() error {
	if len(x.patch.SDF) == 0 {
		return nil
	}
	if len(x.patch.SDF) != len(x.k.files) {
		return &Refusal{"other SDF files"}
	}
	for f := range x.patch.SDF {
		if x.patch.SDF[f].Chunks != nil {
			if err := x.compareText(f); err != nil {
				return err
			}
		}
	}
	for i := range x.regions {
		r := &x.regions[i]
		for _, id := range x.old.kept.files[r.file].order[r.from:r.to] {
			x.gone[id] = true
		}
	}
	return nil
}

// hunk is a range of bytes that differs.
type hunk struct{ oldFrom, oldTo, newFrom, newTo int64 }

// hunks compares two lists of chunks.
func hunks(a, c []Chunk) []hunk {
	at := make(map[[16]byte][]int32, len(a))
	for i := range a {
		at[a[i].Hash] = append(at[a[i].Hash], int32(i))
	}
	var hs []hunk
	i, j, oi, oj := 0, 0, int64(0), int64(0)
	for i < len(a) || j < len(c) {
		if i < len(a) && j < len(c) && a[i] == c[j] {
			oi, oj = oi+int64(a[i].Len), oj+int64(c[j].Len)
			i, j = i+1, j+1
			continue
		}
		h := hunk{oi, oi, oj, oj}
		for ; j < len(c); j++ { // the next new chunk that the old text has ahead
			if next := slices.IndexFunc(at[c[j].Hash], func(k int32) bool { return int(k) >= i && a[k] == c[j] }); next >= 0 {
				for k := int(at[c[j].Hash][next]); i < k; i++ {
					oi += int64(a[i].Len)
				}
				break
			}
			oj += int64(c[j].Len)
		}
		if j == len(c) {
			for ; i < len(a); i++ {
				oi += int64(a[i].Len)
			}
		}
		h.oldTo, h.newTo = oi, oj
		hs = append(hs, h)
	}
	return hs
}

// compareText cuts the parts of one file anew where its text changed.
func (x *patcher) compareText(file int) error {
	of := &x.old.kept.files[file]
	text := &x.patch.SDF[file]
	if of.chunks == nil || of.dead {
		return &Refusal{"an SDF file without pieces"}
	}
	hs := hunks(of.chunks, text.Chunks)
	if len(hs) == 0 {
		return nil
	}
	own(x, &x.k.files, 0)
	own(x, &x.k.parts, 64)
	parts := x.old.kept.parts
	order := of.order
	startOf := func(i int) int64 {
		if i < len(order) {
			return parts[order[i]].from.Offset
		}
		return of.size
	}
	var rs []region
	for _, h := range hs {
		from, _ := slices.BinarySearchFunc(order, h.oldFrom+1, func(id int32, off int64) int { return int(min(max(parts[id].from.Offset-off, -1), 1)) })
		from = max(from-1, 0)
		to := from + 1
		for to < len(order) && startOf(to) < h.oldTo {
			to++
		}
		if n := len(rs); n > 0 && rs[n-1].to > from {
			rs[n-1].to = max(rs[n-1].to, to)
			continue
		}
		rs = append(rs, region{file: file, from: from, to: to})
	}
	size := int64(0)
	for i := range text.Chunks {
		size += int64(text.Chunks[i].Len)
	}
	// Where an old offset, at which the texts are the same, lies now.
	moved := func(off int64) int64 {
		if off == 0 {
			return 0
		}
		if off == of.size {
			return size
		}
		d := int64(0)
		for _, h := range hs {
			if h.oldTo <= off && h.oldFrom < off {
				d = h.newTo - h.oldTo
			}
		}
		return off + d
	}
	f := &x.k.files[file]
	f.chunks, f.size, f.order = text.Chunks, size, nil
	lines := 0 // that the text so far moved down
	done := 0
	keep := func(to int) {
		for _, id := range order[done:to] {
			p := &x.k.parts[id]
			p.from.Offset = moved(p.from.Offset)
			p.from.Line += lines
		}
		f.order = append(f.order, order[done:to]...)
		done = to
	}
	for i := range rs {
		r := &rs[i]
		keep(r.from)
		first := x.k.parts[order[r.from]].from
		first.Offset, first.Line = moved(first.Offset), first.Line+lines
		r.offset = first.Offset
		end := moved(startOf(r.to))
		n := end - r.offset
		if n < 0 || n > maxParsed {
			return &Refusal{"much of an SDF file changed"}
		}
		var err error
		if r.text, err = text.Read(x.ctx, r.offset, int(n)); err != nil {
			return err
		}
		if int64(len(r.text)) != n {
			return &Refusal{"an SDF file changed while it was read"}
		}
		lines, err = x.cut(r, first, order, lines)
		if err != nil {
			return err
		}
		f.order = append(f.order, r.added...)
		done = r.to
		x.regions = append(x.regions, *r)
	}
	keep(len(order))
	return nil
}

// cut reads the new text of a region to find its parts and what they mention. lines is by how many lines the text before moved down;
// that of the text behind is returned.
func (x *patcher) cut(r *region, first sdf.Mark, order []int32, lines int) (int, error) {
	f := &x.k.files[r.file]
	end := sdf.Place{At: sdf.AtEnd}
	endLine := 0
	if r.to < len(order) {
		m := &x.k.parts[order[r.to]].from
		end, endLine = m.Place, m.Line
	}
	c := &cutter{x: x, r: r, free: slices.Clone(order[r.from:r.to]), annotator: x.annotator(r.file)}
	c.start(first)
	bag := x.b.bag
	x.b.bag = &diag.Bag{}
	x.resume(c.annotator, &first.Place)
	place, _, err := sdf.ReadPart(x.ctx, r.text, f.name, first, &f.head, c, x.b.bag)
	x.b.bag = bag
	if err != nil {
		return 0, err
	}
	if place != end {
		return 0, &Refusal{"the structure of an SDF file changed"}
	}
	if first.Place.At == sdf.AtStart {
		if h := &c.annotator.head; h.Timescale != f.head.Timescale || h.Divider != f.head.Divider {
			return 0, &Refusal{"the header of an SDF file changed"}
		}
		f.head = c.annotator.head
	}
	if r.to < len(order) {
		m := &x.k.parts[order[r.to]].from
		if at := bytes.LastIndexByte(r.text, '\n'); at >= 0 {
			m.Col = len(r.text) - at
		} else {
			m.Col = first.Col + len(r.text)
		}
		lines = first.Line + bytes.Count(r.text, []byte("\n")) - endLine
	}
	return lines, nil
}

// cutter is the annotator of a first reading: it cuts the text into parts, under the numbers of those that it replaces, and files no
// statement.
type cutter struct {
	*annotator
	x    *patcher
	r    *region
	free []int32
}

func (c *cutter) start(m sdf.Mark) {
	k := c.x.b.keep
	p := part{from: m, line: m.Line}
	if len(c.free) > 0 {
		k.cur, c.free = c.free[0], c.free[1:]
		k.parts[k.cur] = p
	} else {
		k.parts = append(k.parts, p)
		k.cur = int32(len(k.parts) - 1)
	}
	c.r.added = append(c.r.added, k.cur)
	c.x.newPart[k.cur], c.x.read[k.cur] = true, true
}

// Mark implements the marks of sdf.ReadPart.
func (c *cutter) Mark(m sdf.Mark, _ *sdf.Stats) {
	c.start(m)
	if m.Place.At == sdf.AtEntry {
		c.x.b.keep.inst2(c.annotator)
	}
}

// annotator makes one for a file of the design.
func (x *patcher) annotator(file int) *annotator {
	f := &x.k.files[file]
	a := &annotator{b: x.b, ctx: x.ctx, file: f.name, scope: None}
	a.Header(&f.head)
	a.mountAt(f.mount)
	a.prim = None
	a.scope = a.mount
	return a
}

// resume makes an annotator stand in the entry in which a text begins.
func (x *patcher) resume(a *annotator, p *sdf.Place) {
	x.b.keep.muted = false
	if p.At != sdf.AtEntry {
		return
	}
	bag, rep := x.b.bag, a.rep
	x.b.bag = &diag.Bag{}
	a.Cell([]byte(p.CellType), []byte(p.Inst), p.HasInstance, diag.Pos{})
	x.b.bag, a.rep = bag, rep
	x.b.keep.inst2(a)
}
