package design

import (
	"slices"

	"github.com/wattd/wattd/kernel"
)

// Delta is what changed from one version of a design to the next, both with the same numbering (Options.Prev).
type Delta struct {
	// Gates are the slots of the newer version whose gate is new or computes, connects or delays in another way, ascending.
	Gates []int32
	// Added and Removed count gates; NewFunction, NewInputs and NewDelays count reasons of gates that stayed.
	Added, Removed                    int
	NewFunction, NewInputs, NewDelays int
	// NewSources are the sources that were none before, ascending: they may have no stimulus.
	NewSources []int32
}

// Empty says whether nothing that a simulation could see has changed.
func (d *Delta) Empty() bool { return len(d.Gates) == 0 && d.Removed == 0 && len(d.NewSources) == 0 }

// Diff compares two versions. Gates are equal when function, nets of the pins, wires, delays and limits are, whatever the
// tables in which the programs keep them.
func Diff(old, now *Design) *Delta {
	c := newComparer(old, now)
	d := &Delta{}
	for g := range int32(len(c.b.GateOut)) {
		if c.b.GateOut[g] >= 0 {
			d.gate(c, g)
		} else if int(g) < len(c.a.GateOut) && c.a.GateOut[g] >= 0 {
			d.Removed++
		}
	}
	for _, n := range now.Sources {
		if _, was := slices.BinarySearch(old.Sources, n); !was {
			d.NewSources = append(d.NewSources, n)
		}
	}
	return d
}

// gate counts what became of a gate that is there.
func (d *Delta) gate(c *comparer, g int32) {
	switch {
	case int(g) >= len(c.a.GateOut) || c.a.GateOut[g] < 0:
		d.Added++
	case c.a.GateOut[g] != c.b.GateOut[g] || !c.function(g, g):
		d.NewFunction++
	case !c.inputs(g, g):
		d.NewInputs++
	case !c.delays(g, g):
		d.NewDelays++
	default:
		return
	}
	d.Gates = append(d.Gates, g)
}

// comparer compares gates of two programs; functions and shapes are compared once a pair.
type comparer struct {
	a, b  *kernel.Program
	fns   map[[2]int32]bool
	slots map[[2]int32][][2]int32 // by shapes, see sameArcs
	same  func(x, y int32) bool   // nets; nil: by number
}

func newComparer(a, b *Design) *comparer {
	return &comparer{a: a.Program, b: b.Program, fns: map[[2]int32]bool{}, slots: map[[2]int32][][2]int32{}}
}

func cached(m map[[2]int32]bool, a, b int32, f func() bool) bool {
	k := [2]int32{a, b}
	v, ok := m[k]
	if !ok {
		v = f()
		m[k] = v
	}
	return v
}

func (c *comparer) function(g, h int32) bool {
	x, y := c.a.GateFn[g], c.b.GateFn[h]
	return cached(c.fns, x, y, func() bool { return sameFn(c.a, &c.a.Fns[x], c.b, &c.b.Fns[y]) })
}

func sameFn(a *kernel.Program, x *kernel.Fn, b *kernel.Program, y *kernel.Fn) bool {
	if x.NPin != y.NPin || x.NBit != y.NBit || x.NObs != y.NObs || x.Form != y.Form {
		return false
	}
	if x.Form == kernel.FormTable {
		size := int32(max(1, 1<<(x.NPin+x.NBit)/64))
		return slices.Equal(a.Words[x.Out:x.Out+size], b.Words[y.Out:y.Out+size]) &&
			slices.Equal(a.Words[x.Next:x.Next+size*int32(x.NBit)], b.Words[y.Next:y.Next+size*int32(x.NBit)])
	}
	if !sameCode(a, x.Out, b, y.Out) {
		return false
	}
	for k := range int32(x.NBit) {
		if !sameCode(a, int32(a.Code[x.Next+k]), b, int32(b.Code[y.Next+k])) {
			return false
		}
	}
	return true
}

// sameCode compares the code of two functions up to its end.
func sameCode(a *kernel.Program, x int32, b *kernel.Program, y int32) bool {
	for a.Code[x] == b.Code[y] {
		if kernel.CodeOp(a.Code[x]>>24) == kernel.CodeEnd {
			return true
		}
		x, y = x+1, y+1
	}
	return false
}

func pins(p *kernel.Program, g int32) (from, to int32) {
	f := &p.Fns[p.GateFn[g]]
	return p.GatePin[g], p.GatePin[g] + int32(f.NPin) + int32(f.NObs)
}

func (c *comparer) inputs(g, h int32) bool {
	x, xe := pins(c.a, g)
	y, ye := pins(c.b, h)
	if c.same != nil {
		return slices.EqualFunc(c.a.PinNet[x:xe], c.b.PinNet[y:ye], c.same)
	}
	return slices.Equal(c.a.PinNet[x:xe], c.b.PinNet[y:ye])
}

// delays compares gates of the same function.
func (c *comparer) delays(g, h int32) bool {
	x, xe := pins(c.a, g)
	y, _ := pins(c.b, h)
	for k := range xe - x {
		if c.a.Wires[c.a.PinWire[x+k]] != c.b.Wires[c.b.PinWire[y+k]] {
			return false
		}
	}
	s, t := c.a.GateShape[g], c.b.GateShape[h]
	if s < 0 || t < 0 {
		return s < 0 && t < 0
	}
	fn := c.a.Fns[c.a.GateFn[g]]
	k := [2]int32{s, t}
	pairs, ok := c.slots[k]
	if !ok {
		pairs = sameArcs(c.a, &c.a.Shapes[s], c.b, &c.b.Shapes[t], &fn)
		c.slots[k] = pairs
	}
	if pairs == nil {
		return false
	}
	for _, x := range pairs {
		if arcAt(c.a, g, x[0]) != arcAt(c.b, h, x[1]) {
			return false
		}
	}
	return true
}

// arcAt is the delay of a slot of a gate with its limits.
func arcAt(p *kernel.Program, g, slot int32) [3]int32 {
	d := p.ArcDelay[p.GateArc[g]+slot]
	if l := p.GateLimit[g]; l >= 0 {
		return [3]int32{d, p.ArcReject[l+slot], p.ArcError[l+slot]}
	}
	return [3]int32{d, d, d}
}

// sameArcs lists the slots of two shapes that are used in the same place, each pair once; nil when one of them has an arc where the
// other has none. The same arcs may be kept in other slots: a statement that others replaced leaves its trace there.
func sameArcs(a *kernel.Program, x *kernel.Shape, b *kernel.Program, y *kernel.Shape, fn *kernel.Fn) [][2]int32 {
	if x.List != y.List {
		return nil
	}
	pairs := [][2]int32{}
	seen := map[[2]int32]bool{}
	add := func(s, t int32) bool {
		if k := [2]int32{s, t}; s >= 0 && !seen[k] {
			seen[k] = true
			pairs = append(pairs, k)
		}
		return (s < 0) == (t < 0)
	}
	maps := func(from, to, n int32) bool {
		for k := range n {
			if !add(int32(a.SlotMap[from+k]), int32(b.SlotMap[to+k])) {
				return false
			}
		}
		return true
	}
	np := int32(fn.NPin)
	if !maps(x.Fall, y.Fall, 2*np) {
		return nil
	}
	if !x.List {
		if !maps(x.Map, y.Map, np<<(fn.NPin+fn.NBit+fn.NObs)) {
			return nil
		}
		return pairs
	}
	for k := range 4 * np {
		p, q := a.Cands[a.ListOff[x.Map+k]:a.ListOff[x.Map+k+1]], b.Cands[b.ListOff[y.Map+k]:b.ListOff[y.Map+k+1]]
		if !slices.EqualFunc(p, q, func(m, n kernel.Cand) bool {
			return add(m.Slot, n.Slot) && (m.Cond < 0) == (n.Cond < 0) && (m.Cond < 0 || sameCode(a, m.Cond, b, n.Cond))
		}) {
			return nil
		}
	}
	return pairs
}
