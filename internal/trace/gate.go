package trace

import (
	"math"
	"math/bits"
	"sort"

	"github.com/wattd/wattd/kernel"
)

const forever = int64(math.MaxInt64)

// mostScheduled is how many output events are kept before those that have passed are let go; more than that may be pending.
const mostScheduled = 4096

// gate runs a gate from the start up to a tick and finds its output event there.
func (x *replay) gate(g int32, until int64) (scheduled, bool) {
	p, w := x.run.Program, x.run.Waves
	fn := &p.Fns[p.GateFn[g]]
	pin0, nIn, nObs := p.GatePin[g], int(fn.NPin), int(fn.NObs)
	state := uint64(0)
	for len(x.pins) < nIn+nObs {
		x.pins = append(x.pins, nil)
	}
	set := func(i int, v bool) {
		if v {
			state |= 1 << i
		}
	}
	for i := range nIn {
		net := p.PinNet[pin0+int32(i)]
		x.pins[i] = x.wire(x.pins[i][:0], net, until, &p.Wires[p.PinWire[pin0+int32(i)]])
		set(i, w.StartValue(net))
	}
	if fn.NBit > 0 {
		state |= uint64(x.run.StartBits[g]) << nIn
	}
	at := make([]int, nIn+nObs)
	for i := range nObs { // other outputs, as last emitted
		net := p.PinNet[pin0+int32(nIn+i)]
		l := x.pins[nIn+i][:0]
		x.each(net, until, func(t int64) { l = append(l, behind{t, t}) })
		x.pins[nIn+i] = l
		set(nIn+int(fn.NBit)+i, w.StartValue(net))
	}
	y := w.StartValue(p.GateOut[g])
	x.out = x.out[:0]
	for {
		t := forever
		for i := range nIn {
			if at[i] < len(x.pins[i]) {
				t = min(t, x.pins[i][at[i]].at)
			}
		}
		if t > until {
			break
		}
		switched := uint64(0)
		for i := range nIn {
			if at[i] < len(x.pins[i]) && x.pins[i][at[i]].at == t {
				at[i]++
				switched |= 1 << i
			}
		}
		state = settle(p, fn, state^switched)
		v := p.Value(fn, fn.Out, state)
		if v == y {
			continue
		}
		y = v
		for i := nIn; i < nIn+nObs; i++ {
			for at[i] < len(x.pins[i]) && x.pins[i][at[i]].at < t {
				at[i]++
				state ^= 1 << (i + int(fn.NBit))
			}
		}
		s := scheduled{eval: t, switched: switched, state: state}
		delay, reject := choose(p, g, fn, &s, v)
		s.at = t + delay
		if n := len(x.out); n > 0 && s.at-x.out[n-1].at < max(reject, 1) {
			x.out = x.out[:n-1]
			continue
		}
		if len(x.out) >= mostScheduled && len(x.out)%mostScheduled == 0 { // those that have passed are of no use but for the last
			first := sort.Search(len(x.out), func(i int) bool { return x.out[i].at >= t })
			x.out = x.out[:copy(x.out, x.out[max(first-1, 0):])]
		}
		x.out = append(x.out, s)
	}
	for i := len(x.out) - 1; i >= 0 && x.out[i].at >= until; i-- {
		if x.out[i].at == until {
			return x.out[i], true
		}
	}
	return scheduled{}, false
}

// choose finds the arc of an evaluation: the pin and slot go into s.
func choose(p *kernel.Program, g int32, fn *kernel.Fn, s *scheduled, v bool) (delay, reject int64) {
	s.slot, s.pin = -1, bits.TrailingZeros64(s.switched)
	if p.GateShape[g] < 0 {
		return 0, 0
	}
	shape, arcs := &p.Shapes[p.GateShape[g]], p.ArcDelay[p.GateArc[g]:]
	for _, fall := range []bool{false, true} {
		for rest := s.switched; rest != 0; rest &= rest - 1 {
			pin := bits.TrailingZeros64(rest)
			k := -1
			if fall {
				k = int(p.SlotMap[int(shape.Fall)+2*pin+edge(v)])
			} else {
				k = slot(p, fn, shape, arcs, pin, s.state, v)
			}
			if k >= 0 && (s.slot < 0 || arcs[k] < arcs[s.slot]) {
				s.slot, s.pin = k, pin
			}
		}
		if s.slot >= 0 {
			s.fallback = fall
			break
		}
	}
	if s.slot < 0 {
		return 0, 0
	}
	delay = int64(arcs[s.slot])
	if l := p.GateLimit[g]; l >= 0 {
		return delay, int64(p.ArcReject[int(l)+s.slot])
	}
	return delay, delay
}

// slot is the arc of a pin that switched, or negative.
func slot(p *kernel.Program, fn *kernel.Fn, shape *kernel.Shape, arcs []int32, pin int, state uint64, v bool) int {
	if !shape.List {
		return int(p.SlotMap[uint64(shape.Map)+(uint64(pin)<<vars(fn)|state)])
	}
	best, rest := -1, -1
	for _, c := range candidates(p, shape, pin, state, v) {
		switch k := int(c.Slot); {
		case c.Cond < 0:
			if rest < 0 || arcs[k] < arcs[rest] {
				rest = k
			}
		case p.Holds(c.Cond, state) && (best < 0 || arcs[k] < arcs[best]):
			best = k
		}
	}
	if best < 0 {
		return rest
	}
	return best
}

func candidates(p *kernel.Program, shape *kernel.Shape, pin int, state uint64, v bool) []kernel.Cand {
	list := int(shape.Map) + 4*pin + 2*int(state>>pin&1) + edge(v)
	return p.Cands[p.ListOff[list]:p.ListOff[list+1]]
}

func vars(fn *kernel.Fn) int { return int(fn.NPin) + int(fn.NBit) + int(fn.NObs) }

func edge(v bool) int {
	if v {
		return 1
	}
	return 0
}

// settle computes the state bits in order until none changes.
func settle(p *kernel.Program, fn *kernel.Fn, state uint64) uint64 {
	for range int(fn.NBit) + 1 {
		before := state
		for b := range int(fn.NBit) {
			at := fn.Next
			if fn.Form == kernel.FormTable {
				at += int32(b * max(1, 1<<(int(fn.NPin)+int(fn.NBit))/64))
			} else {
				at = int32(p.Code[int(fn.Next)+b])
			}
			mask := uint64(1) << (int(fn.NPin) + b)
			if v := p.Value(fn, at, state); v != (state&mask != 0) {
				state ^= mask
			}
		}
		if state == before {
			break
		}
	}
	return state
}
