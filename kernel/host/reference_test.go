package host

import (
	"fmt"
	"math/bits"
	"slices"
	"testing"

	"github.com/wattd/wattd/kernel"
	"github.com/wattd/wattd/kernel/kerneltest"
)

// The rules once more, event by event in absolute time with explicit queues of pending events, as the semantics tell them: the
// slowest program that could be right.

type pendingQueue struct {
	y       uint64
	pending []int64
	passed  []int64
	dropped []int64 // ticks of cancelling evaluations
	errors  uint32
}

// change offers value v at tick t with delay d, reject limit r, error limit e.
func (q *pendingQueue) change(t int64, v uint64, d, r, e int64) {
	q.y = v
	if n := len(q.pending); n > 0 {
		p := q.pending[n-1]
		if t+d-p < r || t+d <= p {
			q.pending = q.pending[:n-1]
			q.dropped = append(q.dropped, t)
			return
		}
		if t+d-p < e {
			q.errors++
		}
	}
	q.pending = append(q.pending, t+d)
}

// pass ends a tick: what is pending at or before it is final.
func (q *pendingQueue) pass(t int64) {
	for len(q.pending) > 0 && q.pending[0] <= t {
		q.passed = append(q.passed, q.pending[0])
		q.pending = q.pending[1:]
	}
}

type referenceNet struct {
	start  uint64
	events []int64
	drops  []int64
}

// before is the value just before tick t.
func (n *referenceNet) before(t int64) uint64 {
	i, _ := slices.BinarySearch(n.events, t)
	return n.start ^ uint64(i)&1
}

type reference struct {
	p     *kernel.Program
	j     *kernel.Job
	nets  []referenceNet
	gates []kernel.GateCount
	wires []uint32
}

func newReference(p *kernel.Program, j *kernel.Job) *reference {
	r := &reference{p: p, j: j, nets: make([]referenceNet, p.NNet), gates: make([]kernel.GateCount, len(p.GateOut)), wires: make([]uint32, len(p.PinNet))}
	for n := range r.nets {
		r.nets[n].start = j.Start[n>>6] >> (n & 63) & 1
	}
	for i, n := range j.SrcNet {
		r.nets[n].events = j.SrcTick[j.SrcOff[i]:j.SrcOff[i+1]]
	}
	for _, g := range p.Order {
		r.gate(g)
	}
	return r
}

func (r *reference) wire(entry int32, end int64) (events []int64, errors uint32) {
	net := &r.nets[r.p.PinNet[entry]]
	w := r.p.Wires[r.p.PinWire[entry]]
	if r.j.Kind == kernel.Cycle {
		w = kernel.Wire{}
	}
	q := pendingQueue{y: net.start}
	for _, t := range net.events {
		v := q.y ^ 1
		if v == 1 {
			q.change(t, v, int64(w.Rise), int64(w.RejRise), int64(w.ErrRise))
		} else {
			q.change(t, v, int64(w.Fall), int64(w.RejFall), int64(w.ErrFall))
		}
		if w.Plain() {
			q.errors = 0 // no limits beside the delay
		}
		q.pass(t)
	}
	q.pass(end - 1)
	r.wires[entry] += uint32(len(q.dropped))
	return q.passed, q.errors
}

func (r *reference) gate(g int32) {
	p, end := r.p, r.j.Cuts[len(r.j.Cuts)-1]
	f := &p.Fns[p.GateFn[g]]
	pins := make([][]int64, f.NPin)
	var ticks []int64
	state := uint64(0)
	for i := range pins {
		entry := p.GatePin[g] + int32(i)
		errs := uint32(0)
		pins[i], errs = r.wire(entry, end)
		r.gates[g].ErrorPulses += errs
		ticks = append(ticks, pins[i]...)
		state |= r.nets[p.PinNet[entry]].start << i
	}
	slices.Sort(ticks)
	if f.NBit > 0 {
		state |= uint64(r.j.StartBits[g]) << f.NPin
	}
	out := &r.nets[p.GateOut[g]]
	q := pendingQueue{y: out.start}
	for _, t := range slices.Compact(ticks) {
		if t >= end {
			break
		}
		switched := uint64(0)
		for i := range pins {
			if _, ok := slices.BinarySearch(pins[i], t); ok {
				switched |= 1 << i
			}
		}
		state ^= switched
		r.bits(g, f, &state, switched)
		v := kerneltest.Value(p, f, f.Out, 0, state)
		if v != q.y {
			all := state
			for i := range int(f.NObs) {
				all |= r.nets[p.PinNet[int(p.GatePin[g])+int(f.NPin)+i]].before(t) << (int(f.NPin) + int(f.NBit) + i)
			}
			d, rej, lim := r.delay(g, f, switched, all, v)
			q.change(t, v, d, rej, lim)
		}
		q.pass(t)
	}
	q.pass(end - 1)
	out.events, out.drops = q.passed, q.dropped
	r.gates[g].ErrorPulses += q.errors
}

func (r *reference) bits(g int32, f *kernel.Fn, state *uint64, switched uint64) {
	for range int(f.NBit) + 1 {
		for b := range int32(f.NBit) {
			at := int32(f.NPin) + b
			*state = *state&^(1<<at) | kerneltest.Value(r.p, f, f.Next, b, *state)<<at
		}
	}
	for b := range int32(f.NBit) {
		if kerneltest.Value(r.p, f, f.Trans, b, *state) == 1 {
			continue
		}
		raced := false
		for q := range int(f.NPin) {
			if switched>>q&1 == 1 {
				old := *state ^ 1<<q
				raced = raced || kerneltest.Value(r.p, f, f.Trans, b, old) == 1 && kerneltest.Value(r.p, f, f.Next, b, old) != *state>>(int32(f.NPin)+b)&1
			}
		}
		if raced {
			r.gates[g].Races++
		}
	}
}

func (r *reference) delay(g int32, f *kernel.Fn, switched, state, v uint64) (d, rej, lim int64) {
	p := r.p
	if p.GateShape[g] < 0 || r.j.Kind == kernel.Cycle {
		return 0, 0, 0
	}
	s := &p.Shapes[p.GateShape[g]]
	arc := func(slot int32) int64 { return int64(p.ArcDelay[p.GateArc[g]+slot]) }
	best := int32(-1)
	choose := func(slot int32) {
		if slot >= 0 && (best < 0 || arc(slot) < arc(best)) {
			best = slot
		}
	}
	for w := switched; w != 0; w &= w - 1 {
		pin := int32(bits.TrailingZeros64(w))
		if !s.List {
			choose(int32(p.SlotMap[s.Map+(pin<<(f.NPin+f.NBit+f.NObs)|int32(state))]))
			continue
		}
		at := s.Map + 4*pin + 2*int32(state>>pin&1) + int32(v)
		cands := p.Cands[p.ListOff[at]:p.ListOff[at+1]]
		taken := int32(-1)
		for _, wantDefault := range []bool{false, true} {
			for _, c := range cands {
				if (c.Cond < 0) == wantDefault && (wantDefault || kerneltest.Code(p, c.Cond, state) == 1) && (taken < 0 || arc(c.Slot) < arc(taken)) {
					taken = c.Slot
				}
			}
			if taken >= 0 {
				break
			}
		}
		choose(taken)
	}
	if best < 0 {
		r.gates[g].Unannotated++
		for w := switched; w != 0; w &= w - 1 {
			choose(int32(p.SlotMap[s.Fall+2*int32(bits.TrailingZeros64(w))+int32(v)]))
		}
		if best < 0 {
			return 0, 0, 0
		}
	}
	if p.GateLimit[g] < 0 {
		return arc(best), arc(best), 0
	}
	return arc(best), int64(p.ArcReject[p.GateLimit[g]+best]), int64(p.ArcError[p.GateLimit[g]+best])
}

func (r *reference) compare(t *testing.T, what string, got *kernel.Result) {
	t.Helper()
	for n := range r.nets {
		var ticks []int64
		got.Waves.Each(int32(n), func(t int64, _ bool) { ticks = append(ticks, t) })
		if !slices.Equal(ticks, r.nets[n].events) {
			t.Fatalf("%s: net %d: %v, want %v", what, n, ticks, r.nets[n].events)
		}
		cuts := got.Waves.Cuts
		for w := range got.Waves.Windows() {
			from, _ := slices.BinarySearch(r.nets[n].drops, cuts[w])
			to, _ := slices.BinarySearch(r.nets[n].drops, cuts[w+1])
			if f := got.Waves.Filtered(int32(n), w); f != int64(to-from) {
				t.Fatalf("%s: net %d window %d: filtered %d, want %d", what, n, w, f, to-from)
			}
			if start, _ := got.Waves.Row(int32(n), w); start != (r.nets[n].before(cuts[w]) == 1) {
				t.Fatalf("%s: net %d window %d starts at %v", what, n, w, start)
			}
		}
	}
	gates := got.Gates()
	for g := range r.gates {
		if gates[g] != r.gates[g] {
			t.Fatalf("%s: gate %d: %+v, want %+v", what, g, gates[g], r.gates[g])
		}
	}
	if !slices.Equal(got.WireFiltered(), r.wires) {
		t.Fatalf("%s: wire filtered %v, want %v", what, got.WireFiltered(), r.wires)
	}
}

func TestAgainstReference(t *testing.T) {
	var sum kernel.Stats
	for seed := range uint64(300) {
		c := small(1000 + seed)
		c.Fast = seed%6 == 0
		p, j := kerneltest.Random(c)
		if seed%7 == 0 {
			j.Kind = kernel.Cycle
		}
		r := newReference(p, j)
		for i, n := range []int{1, -3, 50} {
			cut := kerneltest.Cut(j, n, seed)
			cut.Workers = 1 + i%2
			got := mustRun(t, New(), p, cut)
			r.compare(t, fmt.Sprintf("seed %d, cut %d", seed, n), got)
			sum.Filtered += got.Stats.Filtered
			sum.WireFiltered += got.Stats.WireFiltered
			sum.Races += got.Stats.Races
			sum.ErrorPulses += got.Stats.ErrorPulses
			sum.Unannotated += got.Stats.Unannotated
		}
	}
	t.Logf("%+v", sum)
	if sum.Filtered == 0 || sum.WireFiltered == 0 || sum.Races == 0 || sum.ErrorPulses == 0 || sum.Unannotated == 0 {
		t.Errorf("the random programs leave something out: %+v", sum)
	}
}

// FuzzRun tries random programs under random cuts against the reference.
func FuzzRun(f *testing.F) {
	f.Add(uint64(1), int16(-3), uint8(1), false)
	f.Add(uint64(2), int16(200), uint8(2), true)
	f.Add(uint64(77), int16(-60), uint8(3), false)
	f.Fuzz(func(t *testing.T, seed uint64, cuts int16, workers uint8, cycle bool) {
		c := small(seed)
		c.Delay = int32(1 + seed%500)
		c.Reach = int(seed / 7 % 40)
		p, j := kerneltest.Random(c)
		if cycle {
			j.Kind = kernel.Cycle
		}
		if cuts == 0 {
			cuts = 1
		}
		r := newReference(p, j)
		cut := kerneltest.Cut(j, int(cuts%1000), seed)
		cut.Workers = 1 + int(workers%3)
		r.compare(t, "fuzz", mustRun(t, New(), p, cut))
	})
}
