package design

import (
	"slices"

	"github.com/wattd/wattd/internal/diag"
	"github.com/wattd/wattd/internal/logic"
	"github.com/wattd/wattd/internal/netlist"
)

// indexGates fills gateOf.
func (b *builder) indexGates() {
	b.gateOf = make([]int32, len(b.d.NetClass))
	for i := range b.gateOf {
		b.gateOf[i] = None
	}
	for i := range b.gates {
		if g := &b.gates[i]; g.out >= 0 {
			b.gateOf[g.out] = int32(i)
		}
	}
}

func (b *builder) gatePins(g int32) []int32 {
	x := &b.gates[g]
	return b.pinNet[x.pin0 : x.pin0+x.npin]
}

// openLoops cuts every strongly connected component of computed gates: the outputs of its state gates become sources; while
// something is still cyclic, the first net in name order that lies on a cycle, again until none is left.
func (b *builder) openLoops() {
	b.indexGates()
	all := make([]int32, len(b.gates))
	for i := range all {
		all[i] = int32(i)
	}
	work := b.components(all)
	first := true
	for len(work) > 0 {
		var again []int32
		for _, c := range work {
			cut := 0
			if first {
				for _, g := range c {
					if b.isState(g) {
						b.cut(g)
						cut++
					}
				}
			}
			if cut == 0 {
				b.cut(b.firstInNameOrder(c))
			}
			again = append(again, c...)
		}
		first = false
		work = b.components(again)
	}
	slices.Sort(b.d.Report.Loops)
}

// firstInNameOrder picks the gate whose net has the first name. Every cycle holds a named net: hidden ones are inner
// nodes of trees whose root is named.
func (b *builder) firstInNameOrder(c []int32) int32 {
	best := None
	for _, g := range c {
		if n := b.gates[g].out; !b.hidden(n) && (best < 0 || b.nl.CompareNetNames(n, b.gates[best].out) < 0) {
			best = g
		}
	}
	return best
}

func (b *builder) isState(g int32) bool { return b.prog.Fns[b.gates[g].fn].NBit > 0 }

func (b *builder) cut(g int32) {
	x := &b.gates[g]
	n := x.out
	b.d.NetClass[n] = ClassLoop
	b.gateOf[n] = None
	if x.kind == gatePrim {
		b.primAt[^x.inst] = None
	}
	if x.kind == gateTri { // its Z and B still tell TZ and TB, but a source has its own values
		t := b.tris[x.tri]
		for _, h := range []int32{t.z, t.b} {
			b.gates[b.gateOf[h]].out = None
			b.gateOf[h] = None
		}
		b.tris[x.tri] = nil
	}
	b.noteCutState(x)
	x.out = None
	name := b.nl.NetName(n)
	b.d.Report.Loops = append(b.d.Report.Loops, name)
	b.say(diag.DesignLoop, n, None, "net %s was cut out of a loop", name)
}

// noteCutState keeps what a cut output says of the state of its cell, when it simply is it.
func (b *builder) noteCutState(x *buildGate) {
	if x.kind != gateCell {
		return
	}
	o := b.output(driver{x.out, x.inst, x.pin})
	e, inv := o.expr, false
	for e.Op == logic.Not {
		e, inv = e.Kids[0], !inv
	}
	if e.Op == logic.Var && slices.Contains(o.fn.bits, e.Name) {
		b.d.Cut = append(b.d.Cut, CutState{Inst: x.inst, Pin: x.pin, Net: x.out, Bit: e.Name, Inverted: inv})
	}
}

// components returns the strongly connected components of the given gates that hold a cycle (Tarjan, without recursion).
func (b *builder) components(gates []int32) [][]int32 {
	const unseen, outside = int32(-1), int32(-2)
	if b.sccNum == nil {
		b.sccNum = make([]int32, len(b.gates))
		for i := range b.sccNum {
			b.sccNum[i] = outside
		}
	}
	num := b.sccNum // by gate: its number in this search
	for _, g := range gates {
		num[g] = unseen
	}
	defer func() {
		for _, g := range gates {
			num[g] = outside
		}
	}()
	var low []int32 // by number
	var stack, order []int32
	var onStack []bool // by number
	type frame struct {
		gate, num int32
		next      int32
	}
	var frames []frame
	var out [][]int32
	visit := func(g int32) {
		n := int32(len(order))
		num[g] = n
		order = append(order, g)
		low = append(low, n)
		onStack = append(onStack, true)
		stack = append(stack, g)
		frames = append(frames, frame{g, n, 0})
	}
	for _, root := range gates {
		if b.gates[root].out < 0 || num[root] != unseen {
			continue
		}
		visit(root)
		for len(frames) > 0 {
			f := &frames[len(frames)-1]
			pins := b.gatePins(f.gate)
			if int(f.next) < len(pins) {
				p := b.gateOf[pins[f.next]]
				f.next++
				if p < 0 || num[p] == outside {
					continue
				}
				if v := num[p]; v == unseen {
					visit(p)
				} else if onStack[v] {
					low[f.num] = min(low[f.num], v)
				}
				continue
			}
			if low[f.num] == f.num && stack[len(stack)-1] == f.gate && !slices.Contains(pins, b.gates[f.gate].out) {
				stack = stack[:len(stack)-1] // alone, as almost all are
				onStack[f.num] = false
			} else if low[f.num] == f.num {
				var c []int32
				for {
					g := stack[len(stack)-1]
					stack = stack[:len(stack)-1]
					onStack[num[g]] = false
					c = append(c, g)
					if g == f.gate {
						break
					}
				}
				slices.Sort(c)
				out = append(out, c)
			}
			done := *f
			frames = frames[:len(frames)-1]
			if len(frames) > 0 {
				up := &frames[len(frames)-1]
				low[up.num] = min(low[up.num], low[done.num])
			}
		}
	}
	return out
}

// levelize orders the gate slots by level: a gate comes behind those of its pins, which may be more than its function reads where a condition
// names others, and of the nets that it observes (obs). It returns false when that is not possible.
func (b *builder) levelize(obs map[int32][]int32) bool {
	p := b.prog
	n := len(b.gates)
	level := make([]int32, n)
	indeg := make([]int32, n)
	start := make([]int32, n+1)
	each := func(g int32, f func(from int32)) {
		pin0 := p.GatePin[g]
		for _, net := range p.PinNet[pin0 : pin0+int32(p.Fns[p.GateFn[g]].NPin)] {
			if from := b.gateOf[net]; from >= 0 {
				f(from)
			}
		}
		for _, net := range obs[g] {
			if from := b.gateOf[net]; from >= 0 {
				f(from)
			}
		}
	}
	for g := range int32(n) {
		if b.gates[g].out >= 0 {
			each(g, func(from int32) { start[from+1]++; indeg[g]++ })
		}
	}
	for i := range n {
		start[i+1] += start[i]
	}
	succ := make([]int32, start[n])
	fill := slices.Clone(start[:n])
	for g := range int32(n) {
		if b.gates[g].out >= 0 {
			each(g, func(from int32) { succ[fill[from]] = g; fill[from]++ })
		}
	}
	var queue []int32
	live := 0
	for g := range int32(n) {
		if b.gates[g].out >= 0 {
			live++
			if indeg[g] == 0 {
				queue = append(queue, g)
			}
		}
	}
	top := int32(0)
	for i := 0; i < len(queue); i++ {
		g := queue[i]
		top = max(top, level[g])
		for _, s := range succ[start[g]:start[g+1]] {
			level[s] = max(level[s], level[g]+1)
			if indeg[s]--; indeg[s] == 0 {
				queue = append(queue, s)
			}
		}
	}
	if len(queue) < live {
		return false
	}
	if live == 0 {
		p.Order, p.LevelStart = nil, []int32{0}
		return true
	}
	p.LevelStart = make([]int32, top+2)
	for _, g := range queue {
		p.LevelStart[level[g]+1]++
	}
	for l := range top + 1 {
		p.LevelStart[l+1] += p.LevelStart[l]
	}
	at := slices.Clone(p.LevelStart)
	p.Order = make([]int32, live)
	for g := range int32(n) {
		if b.gates[g].out >= 0 {
			p.Order[at[level[g]]] = g
			at[level[g]]++
		}
	}
	b.d.Report.Levels = int(top) + 1
	if b.keep != nil {
		b.keep.level = level
	}
	return true
}

// hidden says whether a net has no name of its own.
func (b *builder) hidden(n int32) bool {
	return int(n) >= len(b.nl.Nets) || b.nl.Nets[n].Flags&netlist.NetHidden != 0
}
