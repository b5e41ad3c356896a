package sim

import (
	"cmp"
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
		if eval(p, fn, fn.Out, state) {
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
			v, ok := s.hint(d, st, g, info, siblings, pins, k)
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
		one := eval(p, fn, fn.Out, state|1<<(int(fn.NPin)+kk))
		zero := eval(p, fn, fn.Out, state)
		if one != zero {
			return shown == one, true
		}
	}
	return false, false
}

// firstTransparent is the first tick by which every listed gate has been transparent.
func firstTransparent(d *design.Design, w *kernel.Waves, gates []int32) (int64, bool) {
	p := d.Program
	latest := int64(0)
	seen := map[int32]bool{}
	for _, g := range gates {
		if seen[g] {
			continue
		}
		seen[g] = true
		fn := &p.Fns[p.GateFn[g]]
		pins := p.PinNet[p.GatePin[g] : p.GatePin[g]+int32(fn.NPin)]
		t, ok := firstOf(w, pins, func(state uint64) bool {
			for k := range int(fn.NBit) {
				if !transparent(p, fn, state, k) {
					return false
				}
			}
			return true
		})
		if !ok {
			return 0, false
		}
		latest = max(latest, t)
	}
	return latest, true
}

// firstOf merges the waves of nets and returns the first tick at which f holds.
func firstOf(w *kernel.Waves, nets []int32, f func(state uint64) bool) (int64, bool) {
	state := uint64(0)
	for i, n := range nets {
		if w.StartValue(n) {
			state |= 1 << i
		}
	}
	for k := range w.Windows() {
		rows := make([][]int32, len(nets))
		for i, n := range nets {
			_, rows[i] = w.Row(n, k)
		}
		for {
			t := int32(1<<31 - 1)
			for _, r := range rows {
				if len(r) > 0 {
					t = min(t, r[0])
				}
			}
			if t == 1<<31-1 {
				break
			}
			for i, r := range rows {
				if len(r) > 0 && r[0] == t {
					state ^= 1 << i
					rows[i] = r[1:]
				}
			}
			if f(state) {
				return w.Cuts[k] + int64(t), true
			}
		}
	}
	return 0, false
}
