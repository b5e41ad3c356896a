package sim

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/wattd/wattd/internal/design"
	"github.com/wattd/wattd/internal/diag"
	"github.com/wattd/wattd/internal/wave"
	"github.com/wattd/wattd/kernel"
)

// Start is the settled state of a design at the start of a run.
type Start struct {
	Nets       []uint64 // bit set of nets that are 1
	Bits       []uint32 // by gate: state bits
	Defaulted  int64    // state bits that nothing tells, taken as 0
	ClockGates int64    // of these, in clock gates

	defaulted []int32 // gates of defaulted clock gates
}

func (s *Start) get(n int32) uint64 { return s.Nets[n>>6] >> (n & 63) & 1 }

func (s *Start) set(n int32) { s.Nets[n>>6] |= 1 << (n & 63) }

// Settle computes every net from the values of the sources at the start. State bits: clear and preset apply and transparent
// bits take their data; a bit that keeps takes what the dump shows of the outputs of its cell, else 0.
func Settle(d *design.Design, st *wave.Stimulus, bag *diag.Bag) *Start {
	p := d.Program
	s := &Start{Nets: make([]uint64, (p.NNet+63)/64)}
	for n, c := range d.NetClass {
		if c == design.ClassConst1 {
			s.set(int32(n))
		}
	}
	for i, n := range st.Net {
		if st.Start[i] {
			s.set(n)
		}
	}
	if len(d.States) > 0 {
		s.Bits = make([]uint32, len(p.GateOut))
	}
	byGate := map[int32]*design.State{}
	byInst := map[int32][]outlet{} // outputs with state of one instance, in pin order
	for i := range d.States {
		g := d.States[i].Gate
		byGate[g] = &d.States[i]
		byInst[d.Gates[g].Inst] = append(byInst[d.Gates[g].Inst], outlet{pin: d.Gates[g].Pin, gate: g})
	}
	for i := range d.Cut {
		c := &d.Cut[i]
		byInst[c.Inst] = append(byInst[c.Inst], outlet{pin: c.Pin, cut: c})
	}
	for _, outs := range byInst {
		slices.SortFunc(outs, func(a, b outlet) int { return cmp.Compare(a.pin, b.pin) })
	}
	for _, g := range p.Order {
		fn := &p.Fns[p.GateFn[g]]
		state := uint64(0)
		for i, n := range p.PinNet[p.GatePin[g] : p.GatePin[g]+int32(fn.NPin)] {
			state |= s.get(n) << i
		}
		if fn.NBit > 0 {
			state = s.bits(d, st, g, byGate[g], byInst[d.Gates[g].Inst], state)
		}
		if p.Value(fn, fn.Out, state) {
			s.set(p.GateOut[g])
		}
	}
	return s
}

// outlet is an output of a cell with state: a gate, or one that was cut out of a loop.
type outlet struct {
	pin, gate int32
	cut       *design.CutState
}

// bits finds the state bits of gate g with the pins in state.
func (s *Start) bits(d *design.Design, st *wave.Stimulus, g int32, info *design.State, siblings []outlet, pins uint64) uint64 {
	p := d.Program
	fn := &p.Fns[p.GateFn[g]]
	np := int(fn.NPin)
	state := pins
	for k := range int(fn.NBit) {
		if kept(p, fn, pins, k) {
			v, ok := s.hint(d, st, g, info, siblings, state, k)
			if !ok {
				s.Defaulted++
				if info.ClockGate {
					s.ClockGates++
					s.defaulted = append(s.defaulted, g)
				}
			}
			if v {
				state |= 1 << (np + k)
			}
		}
	}
	state = settleBits(p, fn, state)
	s.Bits[g] = uint32(state >> np & (1<<fn.NBit - 1))
	return state
}

// kept says whether bit k keeps its value with these pins.
func kept(p *kernel.Program, fn *kernel.Fn, pins uint64, k int) bool {
	return !transparent(p, fn, pins, k)
}

// hint looks for an output of the cell in the dump that tells bit k of gate g.
func (s *Start) hint(d *design.Design, st *wave.Stimulus, g int32, info *design.State, siblings []outlet, pins uint64, k int) (value, ok bool) {
	p := d.Program
	for _, out := range siblings {
		if c := out.cut; c != nil {
			if shown, there := st.Initial[c.Net]; there && c.Bit == info.Bits[k] {
				return shown != c.Inverted, true
			}
			continue
		}
		o := out.gate
		fn := &p.Fns[p.GateFn[o]]
		kk := k
		state := pins
		if o != g {
			// the same bit in another output's gate: by its name; the pins by theirs
			kk = -1
			for i, name := range d.StateOf(o).Bits {
				if name == info.Bits[k] {
					kk = i
				}
			}
			if kk < 0 {
				continue
			}
			state = 0
			for i, n := range p.PinNet[p.GatePin[o] : p.GatePin[o]+int32(fn.NPin)] {
				state |= s.get(n) << i
			}
		}
		shown, there := st.Initial[p.GateOut[o]]
		if !there {
			continue
		}
		one := p.Value(fn, fn.Out, state|1<<(int(fn.NPin)+kk))
		zero := p.Value(fn, fn.Out, state)
		if one != zero {
			return shown == one, true
		}
	}
	return false, false
}

// firstTransparent is the first tick behind the start at which all listed gates are transparent at once.
func firstTransparent(d *design.Design, w *kernel.Waves, gates []int32) (int64, bool) {
	var all []*opening
	seen := map[string]bool{}
	for _, g := range gates {
		o := newOpening(d, w, g)
		if k := o.key(); !seen[k] { // most clock gates share their clock
			seen[k] = true
			all = append(all, o)
		}
	}
	t := w.Cuts[0]
	for agreed := 0; agreed < len(all); {
		agreed = 0
		for _, o := range all {
			at, ok := o.next(t)
			if !ok {
				return 0, false
			}
			if at > t {
				t, agreed = at, 0
			}
			agreed++
		}
	}
	return t, true
}

// opening follows the pins that decide when a gate is transparent.
type opening struct {
	w     *kernel.Waves
	open  func(state uint64) bool
	fn    int32
	nets  []int32
	state uint64
	at    int64 // state holds from here
	until int64 // to here
	win   int
	rows  [][]int32 // what is left of the rows of window win
}

func newOpening(d *design.Design, w *kernel.Waves, g int32) *opening {
	p := d.Program
	o := &opening{w: w, fn: p.GateFn[g], at: w.Cuts[0], until: w.Cuts[0], win: -1}
	fn := &p.Fns[o.fn]
	pins := p.PinNet[p.GatePin[g] : p.GatePin[g]+int32(fn.NPin)]
	var place []int
	for i, n := range pins {
		if d.PassesClock(g, i) { // data pins do not matter
			o.nets, place = append(o.nets, n), append(place, i)
		}
	}
	for i, n := range o.nets {
		if w.StartValue(n) {
			o.state |= 1 << i
		}
	}
	o.open = func(state uint64) bool {
		s := uint64(0)
		for i, pin := range place {
			s |= state >> i & 1 << pin
		}
		for k := range int(fn.NBit) {
			if !transparent(p, fn, s, k) {
				return false
			}
		}
		return true
	}
	o.rows = make([][]int32, len(o.nets))
	o.advance()
	return o
}

func (o *opening) key() string { return fmt.Sprint(o.fn, o.nets) }

// next is the first tick at or after t at which the gate is transparent.
func (o *opening) next(t int64) (int64, bool) {
	for {
		if o.until > t && o.open(o.state) {
			return max(t, o.at), true
		}
		if !o.step() {
			return 0, false
		}
	}
}

// step goes to the next tick at which a pin changes; false at the end of the run.
func (o *opening) step() bool {
	if o.win >= o.w.Windows() {
		return false
	}
	o.at = o.until
	for i, r := range o.rows {
		if len(r) > 0 && o.w.Cuts[o.win]+int64(r[0]) == o.at {
			o.state ^= 1 << i
			o.rows[i] = r[1:]
		}
	}
	o.advance()
	return o.at < o.until || o.win < o.w.Windows()
}

// advance finds the next change of a pin.
func (o *opening) advance() {
	for {
		best := int64(-1)
		for _, r := range o.rows {
			if len(r) > 0 {
				if t := o.w.Cuts[o.win] + int64(r[0]); best < 0 || t < best {
					best = t
				}
			}
		}
		if best >= 0 {
			o.until = best
			return
		}
		if o.win++; o.win >= o.w.Windows() {
			o.until = o.w.Cuts[o.w.Windows()]
			return
		}
		for i, n := range o.nets {
			_, o.rows[i] = o.w.Row(n, o.win)
		}
	}
}
