// Package kerneltest makes random programs and jobs for tests of engines: numbers without a design behind them, but with every
// feature of the contract, settled start values and plenty of pulses near the delays.
package kerneltest

import (
	"math/rand/v2"
	"slices"

	"github.com/wattd/wattd/kernel"
)

// Config says what to make. The zero value of a share turns a feature off.
type Config struct {
	Seed    uint64
	Sources int
	Gates   int
	Reach   int   // a gate reads the last Reach nets before it; 0: any
	Fast    bool  // plain gates of 1 to 4 pins with full dense maps only
	Cells   bool  // the common cells of a library, one arc per pin and edge, every sink with a wire
	Length  int64 // ticks of a job
	Changes int   // mean changes of a source
	Delay   int32 // greatest delay
}

// Random makes a program and a job of one window.
func Random(c Config) (*kernel.Program, *kernel.Job) {
	m := &maker{Config: c, r: rand.New(rand.NewPCG(c.Seed, 99)), p: &kernel.Program{}}
	m.wires()
	if m.Cells {
		m.cells()
	}
	for range 12 {
		if !m.Cells {
			m.fn()
		}
	}
	m.netlist()
	return m.p, m.job()
}

type maker struct {
	Config
	r *rand.Rand
	p *kernel.Program

	shapeOf map[int32][]int32 // per function its shapes
}

func (m *maker) one(in int) bool { return m.r.IntN(in) == 0 }

// delay is often small and often repeated, so that ticks meet.
func (m *maker) delay() int32 {
	switch m.r.IntN(4) {
	case 0:
		return m.r.Int32N(4)
	case 1:
		return m.r.Int32N(1+m.Delay/8) + m.Delay/8
	}
	return m.r.Int32N(m.Delay + 1)
}

func (m *maker) limit(d int32) int32 {
	switch m.r.IntN(3) {
	case 0:
		return 0
	case 1:
		return d
	}
	return m.r.Int32N(d + 1)
}

func (m *maker) wires() {
	m.p.Wires = []kernel.Wire{{}}
	for i := range 20 {
		w := kernel.Wire{Rise: m.delay(), Fall: m.delay()}
		w.RejRise, w.RejFall, w.ErrRise, w.ErrFall = w.Rise, w.Fall, w.Rise, w.Fall
		if i%4 == 0 && !m.Fast {
			w.RejRise, w.RejFall = m.limit(w.Rise), m.limit(w.Fall)
		}
		m.p.Wires = append(m.p.Wires, w)
	}
}

// fn adds a function with some shapes.
func (m *maker) fn() {
	p := m.p
	f := kernel.Fn{NPin: uint8(1 + m.r.IntN(4))}
	if !m.Fast {
		switch m.r.IntN(6) {
		case 0:
			f.NPin = uint8(5 + m.r.IntN(4))
		case 1, 2:
			f.NPin, f.NBit = uint8(2+m.r.IntN(3)), uint8(1+m.r.IntN(2))
		case 3:
			f.NPin = uint8(13 + m.r.IntN(8))
		}
		if m.one(3) {
			f.NObs = uint8(1 + m.r.IntN(2))
		}
	}
	if int(f.NPin)+int(f.NBit) <= kernel.TableVars {
		m.table(&f)
	} else {
		m.code(&f)
	}
	p.Fns = append(p.Fns, f)
	if m.shapeOf == nil {
		m.shapeOf = map[int32][]int32{}
	}
	id := int32(len(p.Fns) - 1)
	for range 3 {
		m.shapeOf[id] = append(m.shapeOf[id], m.shape(&f))
	}
}

// cells adds functions of usual cells, the common ones more than once.
func (m *maker) cells() {
	m.shapeOf = map[int32][]int32{}
	for _, c := range []struct {
		pins  uint8
		table uint64
	}{
		{1, 0x1},
		{1, 0x1},
		{1, 0x2},
		{2, 0x7},
		{2, 0x7},
		{2, 0x7},
		{2, 0x1},
		{2, 0x1},
		{2, 0x8},
		{2, 0xe},
		{2, 0x6},
		{3, 0x7f},
		{3, 0x1f},
		{3, 0x1f},
		{3, 0x57},
		{3, 0xca},
		{4, 0x7fff},
		{4, 0x0777},
	} {
		p := m.p
		f := kernel.Fn{NPin: c.pins, Out: int32(len(p.Words))}
		p.Words = append(p.Words, c.table)
		s := kernel.Shape{NSlot: 2 * int32(f.NPin), Fall: int32(len(p.SlotMap))}
		for i := range 2 * f.NPin {
			p.SlotMap = append(p.SlotMap, int16(i))
		}
		s.Map = int32(len(p.SlotMap))
		for pin := range int(f.NPin) {
			for state := range 1 << f.NPin {
				p.SlotMap = append(p.SlotMap, int16(2*pin)+int16(c.table>>state&1))
			}
		}
		m.shapeOf[int32(len(p.Fns))] = []int32{int32(len(p.Shapes))}
		p.Fns, p.Shapes = append(p.Fns, f), append(p.Shapes, s)
	}
}

func (m *maker) table(f *kernel.Fn) {
	p := m.p
	n := int(f.NPin) + int(f.NBit)
	words := f.TableWords()
	mask := ^uint64(0)
	if n < 6 {
		mask = 1<<(1<<n) - 1
	}
	f.Out = int32(len(p.Words))
	for range words {
		p.Words = append(p.Words, m.r.Uint64()&mask)
	}
	if f.NBit == 0 {
		return
	}
	f.Next = int32(len(p.Words))
	trans := f.Next + int32(words*int(f.NBit))
	f.Trans = trans
	p.Words = append(p.Words, make([]uint64, 2*words*int(f.NBit))...)
	for b := range int(f.NBit) {
		open, data := m.r.Uint64(), m.r.Uint64()
		slave := b > 0 && m.one(2)
		for s := range 1 << n {
			pins := s & (1<<f.NPin - 1)
			t, d := open>>(pins&63)&1, data>>(pins&63)&1
			if slave {
				d = uint64(s>>int(f.NPin)) & 1
			}
			next := uint64(s>>(int(f.NPin)+b)) & 1
			if t != 0 {
				next = d
			}
			p.Words[int(f.Next)+b*words+s>>6] |= next << (s & 63)
			p.Words[int(f.Trans)+b*words+s>>6] |= t << (s & 63)
		}
	}
}

func op(o kernel.CodeOp, arg int) uint32 { return uint32(o)<<24 | uint32(arg) }

// expression adds code over n variables.
func (m *maker) expression(n int) int32 {
	at := int32(len(m.p.Code))
	m.p.Code = append(m.p.Code, op(kernel.CodeVar, m.r.IntN(n)))
	for range 1 + m.r.IntN(n) {
		m.p.Code = append(m.p.Code, op(kernel.CodeVar, m.r.IntN(n)))
		if m.one(3) {
			m.p.Code = append(m.p.Code, op(kernel.CodeNot, 0))
		}
		m.p.Code = append(m.p.Code, op(kernel.CodeAnd+kernel.CodeOp(m.r.IntN(3)), 0))
	}
	m.p.Code = append(m.p.Code, op(kernel.CodeEnd, 0))
	return at
}

func (m *maker) code(f *kernel.Fn) {
	f.Form = kernel.FormCode
	f.Out = m.expression(int(f.NPin))
}

func (m *maker) shape(f *kernel.Fn) int32 {
	p := m.p
	vars := int(f.NPin) + int(f.NBit) + int(f.NObs)
	s := kernel.Shape{NSlot: 1 + m.r.Int32N(12)}
	slot := func() int16 {
		if !m.Fast && m.one(6) {
			return kernel.NoSlot
		}
		return int16(m.r.Int32N(s.NSlot))
	}
	s.Fall = int32(len(p.SlotMap))
	for range 2 * f.NPin {
		p.SlotMap = append(p.SlotMap, slot())
	}
	if vars > kernel.DenseVars || !m.Fast && m.one(4) {
		s.List = true
		m.list(f, &s, vars)
	} else {
		s.Map = int32(len(p.SlotMap))
		for range int(f.NPin) << vars {
			p.SlotMap = append(p.SlotMap, slot())
		}
	}
	p.Shapes = append(p.Shapes, s)
	return int32(len(p.Shapes) - 1)
}

func (m *maker) list(f *kernel.Fn, s *kernel.Shape, vars int) {
	p := m.p
	s.Map = int32(len(p.ListOff))
	for range 4 * f.NPin {
		p.ListOff = append(p.ListOff, int32(len(p.Cands)))
		for range m.r.IntN(4) {
			p.Cands = append(p.Cands, kernel.Cand{Cond: m.expression(vars), Slot: m.r.Int32N(s.NSlot)})
		}
		if m.one(2) {
			p.Cands = append(p.Cands, kernel.Cand{Cond: -1, Slot: m.r.Int32N(s.NSlot)})
		}
	}
	p.ListOff = append(p.ListOff, int32(len(p.Cands)))
}

// netlist adds gates in a random numbering with holes.
func (m *maker) netlist() {
	p := m.p
	p.NNet = int32(m.Sources + m.Gates)
	slots := m.Gates + m.Gates/8
	slotOf := m.r.Perm(slots)
	netOf := m.r.Perm(int(p.NNet))
	fill := func(v int32) []int32 { return slices.Repeat([]int32{v}, slots) }
	p.GateOut, p.GateFn, p.GateShape = fill(-1), fill(0), fill(-1)
	p.GatePin, p.GateArc, p.GateLimit = fill(0), fill(0), fill(-1)
	level := make([]int, p.NNet) // by position before netOf
	var byLevel [][]int32
	for i := range m.Gates {
		g := slotOf[i]
		at := m.Sources + i
		fn := m.r.Int32N(int32(len(p.Fns)))
		f := &p.Fns[fn]
		p.GateOut[g], p.GateFn[g] = int32(netOf[at]), fn
		p.GatePin[g] = int32(len(p.PinNet))
		l := 0
		for k := range int(f.NPin) + int(f.NObs) {
			lo := 0
			if m.Reach > 0 {
				lo = max(0, at-m.Reach)
			}
			from := lo + m.r.IntN(at-lo)
			l = max(l, level[from])
			p.PinNet = append(p.PinNet, int32(netOf[from]))
			wire := int32(0)
			if k < int(f.NPin) && (m.Cells || m.one(2)) {
				wire = m.r.Int32N(int32(len(p.Wires)))
			}
			p.PinWire = append(p.PinWire, wire)
		}
		level[at] = l + 1
		for len(byLevel) <= l {
			byLevel = append(byLevel, nil)
		}
		byLevel[l] = append(byLevel[l], int32(g))
		m.arcs(g, fn)
	}
	p.LevelStart = []int32{0}
	for _, gates := range byLevel {
		p.Order = append(p.Order, gates...)
		p.LevelStart = append(p.LevelStart, int32(len(p.Order)))
	}
}

func (m *maker) arcs(g int, fn int32) {
	p := m.p
	if !m.Cells && m.one(10) {
		return
	}
	shapes := m.shapeOf[fn]
	p.GateShape[g] = shapes[m.r.IntN(len(shapes))]
	n := p.Shapes[p.GateShape[g]].NSlot
	p.GateArc[g] = int32(len(p.ArcDelay))
	limits := !m.Fast && m.one(4)
	if limits {
		p.GateLimit[g] = int32(len(p.ArcReject))
	}
	for range n {
		d := m.delay()
		p.ArcDelay = append(p.ArcDelay, d)
		if limits {
			r := m.limit(d)
			p.ArcReject = append(p.ArcReject, r)
			p.ArcError = append(p.ArcError, r+m.r.Int32N(d-r+1))
		}
	}
}

// job makes a stimulus of bursts and settles the program.
func (m *maker) job() *kernel.Job {
	p := m.p
	from := int64(1_000_000_007)
	j := &kernel.Job{Cuts: []int64{from, from + m.Length}, Start: make([]uint64, (p.NNet+63)/64), StartBits: make([]uint32, len(p.GateOut)), SrcOff: []int64{0}}
	driven := make([]bool, p.NNet)
	for _, n := range p.GateOut {
		if n >= 0 {
			driven[n] = true
		}
	}
	for n := range p.NNet {
		if driven[n] {
			continue
		}
		if m.one(2) {
			j.Start[n>>6] |= 1 << (n & 63)
		}
		if m.one(16) {
			continue // quiet and not listed
		}
		j.SrcNet = append(j.SrcNet, n)
		mean := max(1, m.Length/int64(m.Changes))
		for t := from + 1 + m.r.Int64N(mean); t < from+m.Length; {
			j.SrcTick = append(j.SrcTick, t)
			switch m.r.IntN(3) {
			case 0:
				t += 1 + m.r.Int64N(max(1, mean/8))
			default:
				t += 1 + m.r.Int64N(2*mean)
			}
			if m.one(4) {
				t += -t % 16 & 15 // let sources meet
			}
		}
		j.SrcOff = append(j.SrcOff, int64(len(j.SrcTick)))
	}
	m.settle(j)
	return j
}

func (m *maker) settle(j *kernel.Job) {
	p := m.p
	for _, g := range p.Order {
		f := &p.Fns[p.GateFn[g]]
		state := uint64(0)
		for i, n := range p.PinNet[p.GatePin[g] : p.GatePin[g]+int32(f.NPin)] {
			state |= j.Start[n>>6] >> (n & 63) & 1 << i
		}
		state |= uint64(m.r.Uint32()) & (1<<f.NBit - 1) << f.NPin
		for range int(f.NBit) + 1 {
			for b := range int32(f.NBit) {
				at := uint(f.NPin) + uint(b)
				state = state&^(1<<at) | Value(p, f, f.Next, b, state)<<at
			}
		}
		j.StartBits[g] = uint32(state >> f.NPin)
		if Value(p, f, f.Out, 0, state) != 0 {
			n := p.GateOut[g]
			j.Start[n>>6] |= 1 << (n & 63)
		}
	}
}

// Value evaluates function k of the group at an offset in a state of pins and bits, as plainly as the contract says it.
func Value(p *kernel.Program, f *kernel.Fn, at, k int32, state uint64) uint64 {
	if f.Form == kernel.FormTable {
		return p.Words[at+k*int32(f.TableWords())+int32(state>>6)] >> (state & 63) & 1
	}
	if at != f.Out {
		at = int32(p.Code[at+k])
	}
	return Code(p, at, state)
}

// Code evaluates code in a state.
func Code(p *kernel.Program, at int32, state uint64) uint64 {
	var st []uint64
	for ; ; at++ {
		arg := p.Code[at] & (1<<24 - 1)
		o := kernel.CodeOp(p.Code[at] >> 24)
		n := len(st)
		switch o {
		case kernel.CodeEnd:
			return st[n-1]
		case kernel.CodeConst:
			st = append(st, uint64(arg))
		case kernel.CodeVar:
			st = append(st, state>>arg&1)
		case kernel.CodeNot:
			st[n-1] ^= 1
		case kernel.CodeAnd:
			st = append(st[:n-2], st[n-2]&st[n-1])
		case kernel.CodeOr:
			st = append(st[:n-2], st[n-2]|st[n-1])
		case kernel.CodeXor:
			st = append(st[:n-2], st[n-2]^st[n-1])
		}
	}
}

// Cut gives a copy of the job with other windows: n of equal length, or, negative, -n at random ticks.
func Cut(j *kernel.Job, n int, seed uint64) *kernel.Job {
	c := *j
	first, last := j.Cuts[0], j.Cuts[len(j.Cuts)-1]
	c.Cuts = []int64{first}
	if n >= 0 {
		for i := 1; i < n; i++ {
			c.Cuts = append(c.Cuts, first+(last-first)*int64(i)/int64(n))
		}
	} else {
		r := rand.New(rand.NewPCG(seed, 7))
		for range -n {
			t := first + 1 + r.Int64N(last-first-1)
			if len(j.SrcTick) > 0 && r.IntN(2) == 0 {
				t = j.SrcTick[r.IntN(len(j.SrcTick))] // where a source changes
			}
			c.Cuts = append(c.Cuts, t)
		}
		slices.Sort(c.Cuts)
	}
	c.Cuts = slices.Compact(append(c.Cuts, last))
	return &c
}
