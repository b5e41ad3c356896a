package host

import (
	"math/rand/v2"
	"slices"

	"github.com/wattd/wattd/kernel"
	"github.com/wattd/wattd/kernel/kerneltest"
)

// editor changes a program and its job the way edits of a design do. Both are copied before a change.
type editor struct {
	r     *rand.Rand
	p     *kernel.Program
	j     *kernel.Job
	dirty []int32
}

func newEditor(seed uint64, p *kernel.Program, j *kernel.Job) *editor {
	return &editor{r: rand.New(rand.NewPCG(seed, 5)), p: p, j: j}
}

// step makes n random edits.
func (e *editor) step(n int) {
	p, j := *e.p, *e.j
	if e.r.IntN(4) == 0 { // delays alone: the arrays of the structure stay
		p.PinWire, p.ArcDelay, p.ArcReject, p.ArcError = slices.Clone(p.PinWire), slices.Clone(p.ArcDelay), slices.Clone(p.ArcReject), slices.Clone(p.ArcError)
		e.p, e.dirty = &p, nil
		for range n {
			e.arcs()
			e.wire()
		}
		slices.Sort(e.dirty)
		e.dirty = slices.Compact(e.dirty)
		return
	}
	for _, s := range []*[]int32{&p.GateOut, &p.GateFn, &p.GateShape, &p.GatePin, &p.GateArc, &p.GateLimit, &p.PinNet, &p.PinWire, &p.ArcDelay, &p.ArcReject, &p.ArcError} {
		*s = slices.Clone(*s)
	}
	j.Start, j.StartBits = slices.Clone(j.Start), slices.Clone(j.StartBits)
	e.p, e.j, e.dirty = &p, &j, nil
	for range n {
		switch e.r.IntN(14) {
		case 0, 1:
			e.swap()
		case 2, 3:
			e.arcs()
		case 4:
			e.wire()
		case 5:
			e.rewire(e.gate())
		case 6:
			e.remove()
		case 7:
			e.add()
		case 8:
			e.grow()
		case 9, 10:
			e.source()
		case 11:
			e.start()
		case 12:
			e.move()
		case 13:
			e.settle()
		}
	}
	slices.Sort(e.dirty)
	e.dirty = slices.Compact(e.dirty)
}

func (e *editor) gate() int32 { return e.p.Order[e.r.IntN(len(e.p.Order))] }

func (e *editor) changed(g int32) { e.dirty = append(e.dirty, g) }

// swap gives a gate another function with the same delays.
func (e *editor) swap() {
	p, g := e.p, e.gate()
	f := p.Fns[p.GateFn[g]]
	for range 50 {
		id := e.r.IntN(len(p.Fns))
		if x := p.Fns[id]; x.NPin == f.NPin && x.NBit == f.NBit && x.NObs == f.NObs {
			p.GateFn[g] = int32(id)
			break
		}
	}
	e.changed(g) // or not: then the rows stay as they are
}

func (e *editor) arcs() {
	p, g := e.p, e.gate()
	if p.GateShape[g] < 0 {
		return
	}
	slot := e.r.Int32N(p.Shapes[p.GateShape[g]].NSlot)
	d := e.r.Int32N(100)
	p.ArcDelay[p.GateArc[g]+slot] = d
	if at := p.GateLimit[g]; at >= 0 {
		p.ArcReject[at+slot] = e.r.Int32N(d + 1)
		p.ArcError[at+slot] = d
	}
	e.changed(g)
}

func (e *editor) wire() {
	p, g := e.p, e.gate()
	p.PinWire[p.GatePin[g]+e.r.Int32N(int32(p.Fns[p.GateFn[g]].NPin))] = e.r.Int32N(int32(len(p.Wires)))
	e.changed(g)
}

func (e *editor) pins(g int32) []int32 {
	f := &e.p.Fns[e.p.GateFn[g]]
	return e.p.PinNet[e.p.GatePin[g] : e.p.GatePin[g]+int32(f.NPin)+int32(f.NObs)]
}

func (e *editor) rewire(g int32) {
	pins := e.pins(g)
	i := e.r.IntN(len(pins))
	was := pins[i]
	pins[i] = e.r.Int32N(e.p.NNet)
	if !e.relevel() {
		pins[i] = was
		return
	}
	e.changed(g)
}

// remove makes a hole of a gate; its net keeps its value or becomes a source with events.
func (e *editor) remove() {
	p, g := e.p, e.gate()
	if len(p.Order) < 4 {
		return
	}
	n := p.GateOut[g]
	p.GateOut[g] = -1
	e.relevel()
	if e.r.IntN(2) == 0 {
		e.list(n, e.ticks())
	}
	if e.r.IntN(2) == 0 {
		e.changed(g)
	}
}

// add puts a gate with the function of another one before a net that is a source.
func (e *editor) add() {
	var holes []int32
	for g, n := range e.p.GateOut {
		if n < 0 {
			holes = append(holes, int32(g))
		}
	}
	n := e.r.Int32N(e.p.NNet)
	if len(holes) == 0 || slices.Contains(e.p.GateOut, n) {
		return
	}
	e.build(holes[e.r.IntN(len(holes))], n)
}

// build makes gate g drive net n.
func (e *editor) build(g, n int32) {
	p, like := e.p, e.gate()
	p.GateFn[g], p.GateShape[g], p.GateArc[g], p.GateLimit[g] = p.GateFn[like], p.GateShape[like], int32(len(p.ArcDelay)), -1
	if s := p.GateShape[g]; s >= 0 {
		for range p.Shapes[s].NSlot {
			p.ArcDelay = append(p.ArcDelay, e.r.Int32N(60))
		}
	}
	p.GatePin[g] = int32(len(p.PinNet))
	for range e.pins(like) {
		p.PinNet, p.PinWire = append(p.PinNet, 0), append(p.PinWire, 0)
	}
	p.GateOut[g] = n
	for range 20 {
		for i := range e.pins(g) {
			e.pins(g)[i] = e.r.Int32N(p.NNet)
		}
		if e.relevel() {
			e.unlist(n)
			e.j.StartBits[g] = 0
			return
		}
	}
	p.GateOut[g] = -1
	e.relevel()
}

// grow appends a net and a gate, and lets another gate read it.
func (e *editor) grow() {
	p := e.p
	n, g := p.NNet, int32(len(p.GateOut))
	p.NNet++
	if int(p.NNet+63)/64 > len(e.j.Start) {
		e.j.Start = append(e.j.Start, 0)
	}
	for _, s := range []*[]int32{&p.GateOut, &p.GateFn, &p.GateShape, &p.GatePin, &p.GateArc, &p.GateLimit} {
		*s = append(*s, -1)
	}
	p.GateFn[g], p.GatePin[g] = 0, 0
	e.j.StartBits = append(e.j.StartBits, 0)
	if e.r.IntN(4) == 0 {
		e.list(n, e.ticks()) // a source
		return
	}
	e.build(g, n)
	if x := e.gate(); x != g {
		pins := e.pins(x)
		was := pins[0]
		pins[0] = n
		if !e.relevel() {
			pins[0] = was
			e.relevel()
		} else {
			e.changed(x)
		}
	}
}

func (e *editor) ticks() []int64 {
	from, to := e.j.Cuts[0], e.j.Cuts[len(e.j.Cuts)-1]
	var t []int64
	for range e.r.IntN(30) {
		t = append(t, from+1+e.r.Int64N(to-from-1))
	}
	slices.Sort(t)
	return slices.Compact(t)
}

// sources gives the sources one by one to f and rebuilds the lists from what it returns.
func (e *editor) sources(f func(n int32, t []int64) ([]int64, bool)) {
	j := *e.j
	j.SrcNet, j.SrcOff, j.SrcTick = nil, []int64{0}, nil
	for i, n := range e.j.SrcNet {
		if t, ok := f(n, e.j.SrcTick[e.j.SrcOff[i]:e.j.SrcOff[i+1]]); ok {
			j.SrcNet = append(j.SrcNet, n)
			j.SrcTick = append(j.SrcTick, t...)
			j.SrcOff = append(j.SrcOff, int64(len(j.SrcTick)))
		}
	}
	*e.j = j
}

func (e *editor) list(n int32, t []int64) {
	e.unlist(n)
	e.j.SrcNet = append(e.j.SrcNet, n)
	e.j.SrcTick = append(e.j.SrcTick, t...)
	e.j.SrcOff = append(e.j.SrcOff, int64(len(e.j.SrcTick)))
}

func (e *editor) unlist(n int32) {
	e.sources(func(x int32, t []int64) ([]int64, bool) { return t, x != n })
}

// source changes some events of a source, one that stops among them.
func (e *editor) source() {
	if len(e.j.SrcNet) == 0 {
		return
	}
	pick := e.j.SrcNet[e.r.IntN(len(e.j.SrcNet))]
	e.sources(func(n int32, t []int64) ([]int64, bool) {
		if n != pick {
			return t, true
		}
		t = slices.Clone(t)
		switch e.r.IntN(4) {
		case 0:
			return t[:e.r.IntN(len(t)+1)], true
		case 1:
			return e.ticks(), true
		}
		more := append(t, e.ticks()[:]...)
		if len(t) > 2 && e.r.IntN(2) == 0 {
			i := e.r.IntN(len(t) - 1)
			more = slices.Delete(t, i, i+1+e.r.IntN(2))
		}
		slices.Sort(more)
		return slices.Compact(more), true
	})
}

func (e *editor) start() {
	n := e.r.Int32N(e.p.NNet)
	e.j.Start[n>>6] ^= 1 << (n & 63)
	g := e.gate()
	e.j.StartBits[g] ^= e.r.Uint32() & (1<<e.p.Fns[e.p.GateFn[g]].NBit - 1)
}

// settle gives every computed net the value of its gate.
func (e *editor) settle() {
	p, j := e.p, e.j
	for _, g := range p.Order {
		f := &p.Fns[p.GateFn[g]]
		state := uint64(j.StartBits[g]) << f.NPin
		for i, n := range e.pins(g)[:f.NPin] {
			state |= j.Start[n>>6] >> (n & 63) & 1 << i
		}
		n := p.GateOut[g]
		j.Start[n>>6] = j.Start[n>>6]&^(1<<(n&63)) | kerneltest.Value(p, f, f.Out, 0, state)<<(n&63)
	}
}

// move puts the pins of a gate elsewhere, as a compiler may; that changes nothing.
func (e *editor) move() {
	p, g := e.p, e.gate()
	f := &p.Fns[p.GateFn[g]]
	at, n := p.GatePin[g], int32(f.NPin)+int32(f.NObs)
	p.GatePin[g] = int32(len(p.PinNet))
	p.PinNet = append(p.PinNet, p.PinNet[at:at+n]...)
	p.PinWire = append(p.PinWire, p.PinWire[at:at+n]...)
}

// relevel makes the order of the gates again. It says false when they form a loop, and then changes nothing.
func (e *editor) relevel() bool {
	p := e.p
	driver := make([]int32, p.NNet)
	for n := range driver {
		driver[n] = -1
	}
	for g, n := range p.GateOut {
		if n >= 0 {
			driver[n] = int32(g)
		}
	}
	level := make([]int32, len(p.GateOut)) // 0: not seen, -1: being seen
	var visit func(g int32) bool
	visit = func(g int32) bool {
		if level[g] != 0 {
			return level[g] > 0
		}
		level[g] = -1
		l := int32(0)
		for _, n := range e.pins(g) {
			if d := driver[n]; d >= 0 {
				if !visit(d) {
					return false
				}
				l = max(l, level[d])
			}
		}
		level[g] = l + 1
		return true
	}
	var order, starts []int32
	for g, n := range p.GateOut {
		if n >= 0 {
			if !visit(int32(g)) {
				return false
			}
			order = append(order, int32(g))
		}
	}
	slices.SortStableFunc(order, func(a, b int32) int { return int(level[a] - level[b]) })
	for i, g := range order {
		for int(level[g]) > len(starts) {
			starts = append(starts, int32(i))
		}
	}
	p.Order, p.LevelStart = order, append(starts, int32(len(order)))
	return true
}
