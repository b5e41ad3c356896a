package kernel

import (
	"fmt"
	"slices"
)

// Dirty says how the program of a Rerun differs from the one that the previous result was made of. Both have the same gate and net
// slots; slots may have been added at the end, a gate slot may have become a hole (or a hole a gate), a net may have
// become a source or computed.
//
// Changed sources, start values and state bits need not be told: the jobs are compared. Both have the same cuts and
// kind. Sources that are the same memory in both jobs are taken as equal unread.
type Dirty struct {
	// Gates are the gates whose function, arcs, limits, wires or inputs changed: they are run in all windows. New gates and gates
	// that drive another net than before need not be listed. A changed gate that is not listed makes the result wrong.
	Gates []int32
}

// Work is what a rerun did. A pair is a (gate, window).
type Work struct {
	PairsRun     int64
	PairsTotal   int64
	CutOffs      int64 // pairs that were run and whose row stayed equal
	RowsCompared int64 // new rows, of gates and sources, compared with old ones
	GatesRun     int64 // gates with a pair that was run
	Evaluations  int64 // in the pairs that were run

	// Rows that may be new: those that were run, and those of changed sources. The windows of net Nets[i] are the set bits of
	// Windows[i*n : (i+1)*n], n words of 64 windows. All others are, with their counters, as they were.
	Nets    []int32
	Windows []uint64
}

// CheckRerun is Check for a Rerun.
func (c *JobChecker) CheckRerun(j *Job, prev *Result, d *Dirty) error {
	if prev == nil || prev.Kept == nil || prev.Waves == nil || d == nil {
		return fmt.Errorf("%w: a rerun needs a kept result", ErrJob)
	}
	old := prev.Kept.Job
	switch {
	case j.Variant != Base:
		return fmt.Errorf("%w: variant %d cannot rerun", ErrJob, j.Variant)
	case j.Kind != old.Kind:
		return fmt.Errorf("%w: kind %d after kind %d", ErrJob, j.Kind, old.Kind)
	case !slices.Equal(j.Cuts, old.Cuts):
		return fmt.Errorf("%w: other cuts than those of the previous result", ErrJob)
	case c.p.NNet < prev.Kept.Program.NNet || len(c.p.GateOut) < len(prev.Kept.Program.GateOut):
		return fmt.Errorf("%w: slots of the previous result are missing in the program", ErrJob)
	}
	for _, g := range d.Gates {
		if g < 0 || int(g) >= len(c.p.GateOut) {
			return fmt.Errorf("%w: dirty gate %d of %d", ErrJob, g, len(c.p.GateOut))
		}
	}
	return c.check(j, old)
}

// compactSlabs is the number of slabs of waves that are worth a Compact whatever they hold.
const compactSlabs = 1 << 12

// Added notes bytes of slabs that a rerun added. It is for engines.
func (w *Waves) Added(before *Waves, bytes int64) { w.added = before.added + bytes }

// Sparse says whether reruns added so much that Compact should follow: more than all the rest, or very many slabs. So
// memory stays within about three times what is live, and the cost of compacting within that of what was run.
func (w *Waves) Sparse() bool {
	return w.added > max(1<<20, w.Size()-w.added) || len(w.Slabs)+len(w.BlockSlabs)+len(w.RowSlabs)+len(w.Sides) > compactSlabs
}

// Compact copies kept waves to slabs that hold nothing else.
func (w *Waves) Compact() *Waves {
	c := &Waves{Cuts: w.Cuts, Dir: make([]uint64, len(w.Dir)), Sides: [][]uint32{{0}}}
	nEvent, nSide := int64(0), int64(0)
	for net := range int32(w.Nets()) {
		nEvent += w.Count(net)
		for b := range w.Blocks() {
			if n := len(w.SideWords(net, b)); n > 0 {
				nSide += 1 + int64(n)
			}
		}
	}
	blocks := make([]Block, len(w.Dir)*w.Blocks())
	rows := make([]Row, 0, w.Nets()*w.Windows())
	events, sides := packer[int32]{left: nEvent}, packer[uint32]{left: nSide, slabs: c.Sides}
	for net := range int32(w.Nets()) {
		c.Dir[net] = uint64(int(net) * w.Blocks())
		for b := range w.Blocks() {
			d := &blocks[int(net)*w.Blocks()+b]
			d.Row = uint64(len(rows)) // in one slab: kept rows are fewer than 2^32
			for k := range w.BlockLen(b) {
				row := *w.At(net, b*BlockRows+k)
				row.Off = events.add(w.Events(&row))
				rows = append(rows, row)
			}
			if words := w.SideWords(net, b); len(words) > 0 {
				d.Side = sides.add([]uint32{uint32(len(words))}, words)
			}
		}
	}
	c.BlockSlabs, c.RowSlabs, c.Slabs, c.Sides = [][]Block{blocks}, [][]Row{rows}, events.slabs, sides.slabs
	return c
}

// packer fills slabs of a known total. The lists of one add lie behind each other in a slab.
type packer[T any] struct {
	slabs [][]T
	left  int64 // values still to come
	open  bool
}

func (p *packer[T]) add(lists ...[]T) uint64 {
	n := 0
	for _, l := range lists {
		n += len(l)
	}
	if n == 0 {
		return 0
	}
	if last := len(p.slabs) - 1; !p.open || cap(p.slabs[last])-len(p.slabs[last]) < n {
		p.slabs = append(p.slabs, make([]T, 0, max(int64(n), min(p.left, 1<<24))))
		p.open = true
	}
	last := len(p.slabs) - 1
	at := len(p.slabs[last])
	for _, l := range lists {
		p.slabs[last] = append(p.slabs[last], l...)
	}
	p.left -= int64(n)
	return uint64(last)<<32 | uint64(at)
}
