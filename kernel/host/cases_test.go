package host

import (
	"slices"
	"testing"

	"github.com/wattd/wattd/kernel"
)

// one is a program of one gate on nets 0..n-1 with output n, with a delay per (pin, output edge) and the given wire at every pin.
type one struct {
	pins   int
	table  uint64
	rise   []int32 // per pin
	fall   []int32
	wire   kernel.Wire
	reject []int32 // per slot, slots are 2*pin + edge
	errs   []int32
}

func (o one) program() *kernel.Program {
	p := &kernel.Program{NNet: int32(o.pins) + 1, Wires: []kernel.Wire{{}, o.wire}, Words: []uint64{o.table}}
	p.GateOut, p.GateFn, p.GateShape = []int32{int32(o.pins)}, []int32{0}, []int32{0}
	p.GatePin, p.GateArc, p.GateLimit = []int32{0}, []int32{0}, []int32{-1}
	p.Fns = []kernel.Fn{{NPin: uint8(o.pins)}}
	s := kernel.Shape{NSlot: int32(2 * o.pins)}
	for pin := range o.pins {
		p.PinNet = append(p.PinNet, int32(pin))
		p.PinWire = append(p.PinWire, 1)
		p.ArcDelay = append(p.ArcDelay, o.fall[pin], o.rise[pin])
		p.SlotMap = append(p.SlotMap, int16(2*pin), int16(2*pin+1))
	}
	s.Map = int32(len(p.SlotMap))
	for pin := range o.pins {
		for state := range 1 << o.pins {
			p.SlotMap = append(p.SlotMap, int16(2*pin)+int16(o.table>>state&1))
		}
	}
	if o.reject != nil {
		p.GateLimit[0] = 0
		p.ArcReject, p.ArcError = o.reject, o.errs
	}
	p.Shapes = []kernel.Shape{s}
	p.Order, p.LevelStart = []int32{0}, []int32{0, 1}
	return p
}

func jobOf(p *kernel.Program, end int64, start uint64, ticks ...[]int64) *kernel.Job {
	j := &kernel.Job{Cuts: []int64{0, end}, Start: []uint64{start}, SrcOff: []int64{0}, Workers: 1}
	for n, t := range ticks {
		j.SrcNet = append(j.SrcNet, int32(n))
		j.SrcTick = append(j.SrcTick, t...)
		j.SrcOff = append(j.SrcOff, int64(len(j.SrcTick)))
	}
	return j
}

func TestHandMade(t *testing.T) {
	buffer := func(d int32) one { return one{pins: 1, table: 2, rise: []int32{d}, fall: []int32{d}} }
	and := one{pins: 2, table: 8, rise: []int32{10, 20}, fall: []int32{10, 20}}
	for _, c := range []struct {
		name     string
		gate     one
		start    uint64
		ticks    [][]int64
		want     []int64
		filtered int64
		wired    uint32
		errs     uint32
	}{
		{name: "delay", gate: buffer(10), ticks: [][]int64{{100, 200}}, want: []int64{110, 210}},
		{name: "a pulse as wide as the delay survives", gate: buffer(10), ticks: [][]int64{{100, 110}}, want: []int64{110, 120}},
		{name: "a narrower one does not", gate: buffer(10), ticks: [][]int64{{100, 109}}, filtered: 1},
		{name: "the faster edge would overtake", gate: one{pins: 1, table: 2, rise: []int32{20}, fall: []int32{5}}, ticks: [][]int64{{100, 115}}, filtered: 1},
		{name: "it would arrive at the same tick", gate: one{pins: 1, table: 2, rise: []int32{10}, fall: []int32{0}}, ticks: [][]int64{{100, 110}}, filtered: 1},
		{name: "pins that meet are applied together", gate: and, start: 1, ticks: [][]int64{{100}, {100}}},
		{name: "the smallest delay of those that switched", gate: and, ticks: [][]int64{{100}, {100}}, want: []int64{110}},
		{name: "the delay of the pin that switched last", gate: and, ticks: [][]int64{{100}, {105}}, want: []int64{125}},
		{name: "pending beyond the end is dropped", gate: buffer(10), ticks: [][]int64{{100, 995}}, want: []int64{110}},
		{name: "an event at the end is not written", gate: buffer(10), ticks: [][]int64{{100, 990}}, want: []int64{110}},
		{name: "an event just before the end is", gate: buffer(10), ticks: [][]int64{{100, 989}}, want: []int64{110, 999}},
		{name: "a pulse cancelled before the end counts", gate: buffer(10), ticks: [][]int64{{995, 998}}, filtered: 1},
		{
			name: "a wire filters", gate: one{pins: 1, table: 2, rise: []int32{1}, fall: []int32{1}, wire: kernel.Wire{Rise: 7, Fall: 7, RejRise: 7, RejFall: 7}},
			ticks: [][]int64{{100, 106, 200, 207}}, want: []int64{208, 215}, wired: 1,
		},
		{
			name: "a wire longer than the run of changes", gate: one{pins: 1, table: 2, rise: []int32{0}, fall: []int32{0}, wire: kernel.Wire{Rise: 500, Fall: 500}},
			ticks: [][]int64{{100, 110, 120}}, want: []int64{600, 610, 620},
		},
		{
			name: "reject 0 keeps a pulse", gate: one{pins: 1, table: 2, rise: []int32{10}, fall: []int32{10}, reject: []int32{0, 0}, errs: []int32{10, 10}},
			ticks: [][]int64{{100, 101, 102, 300}}, want: []int64{110, 111, 112, 310}, errs: 2,
		},
		{
			name: "between reject and error limit", gate: one{pins: 1, table: 2, rise: []int32{10}, fall: []int32{10}, reject: []int32{4, 4}, errs: []int32{8, 8}},
			ticks: [][]int64{{100, 103, 200, 204, 300, 307, 400, 408}}, want: []int64{210, 214, 310, 317, 410, 418}, filtered: 1, errs: 2,
		},
		{
			name: "after a drop the one before is last again", gate: one{pins: 1, table: 2, rise: []int32{10}, fall: []int32{10}, reject: []int32{4, 4}, errs: []int32{4, 4}},
			ticks: [][]int64{{100, 104, 107, 109}}, want: []int64{110, 119}, filtered: 1,
		},
	} {
		p := c.gate.program()
		y := c.gate.table >> (c.start & (1<<c.gate.pins - 1)) & 1
		base := jobOf(p, 1000, c.start|y<<c.gate.pins, c.ticks...)
		for _, general := range []bool{false, true} {
			for _, cuts := range [][]int64{{0, 1000}, {0, 100, 101, 104, 105, 110, 111, 115, 990, 998, 999, 1000}, every(1000)} {
				j := *base
				j.Cuts = cuts
				res := mustRun(t, &engine{open: openHeap, slab: 1, general: general}, p, &j)
				var got []int64
				res.Waves.Each(int32(c.gate.pins), func(t int64, _ bool) { got = append(got, t) })
				if !slices.Equal(got, c.want) || res.Stats.Filtered != c.filtered || res.WireFiltered()[0] != c.wired || res.Gates()[0].ErrorPulses != c.errs {
					t.Errorf("%s (%d windows, general %v): %v, filtered %d, wire %d, errors %d", c.name, len(cuts)-1, general, got, res.Stats.Filtered, res.WireFiltered()[0], res.Gates()[0].ErrorPulses)
				}
			}
		}
	}
}

func every(end int64) []int64 {
	var c []int64
	for t := range end + 1 {
		c = append(c, t)
	}
	return c
}

// A latch: the closing edge wins a tie with its data, and such a tie is a race.
func TestLatchRace(t *testing.T) {
	// Pins: 0 data, 1 enable; variable 2 is the bit. Next = enable ? data : bit, output = bit.
	next, trans := uint64(0), uint64(0)
	for s := range uint64(8) {
		d, en, q := s&1, s>>1&1, s>>2&1
		if en == 1 {
			q = d
		}
		next |= q << s
		trans |= en << s
	}
	p := &kernel.Program{
		NNet: 3, Wires: []kernel.Wire{{}}, Words: []uint64{0xf0, next, trans},
		GateOut: []int32{2}, GateFn: []int32{0}, GateShape: []int32{-1}, GatePin: []int32{0}, GateArc: []int32{0}, GateLimit: []int32{-1},
		PinNet: []int32{0, 1}, PinWire: []int32{0, 0}, Fns: []kernel.Fn{{NPin: 2, NBit: 1, Next: 1, Trans: 2}},
		Order: []int32{0}, LevelStart: []int32{0, 1},
	}
	// Open with data 0; at 100 data rises as the latch closes; at 200 it opens; at 300 it closes alone; at 400 data moves alone.
	j := jobOf(p, 1000, 0b010, []int64{100, 400}, []int64{100, 200, 300})
	j.StartBits = []uint32{0}
	for _, cuts := range [][]int64{{0, 1000}, {0, 100, 1000}, {0, 101, 250, 1000}} {
		j.Cuts = cuts
		res := mustRun(t, New(), p, j)
		var got []int64
		res.Waves.Each(2, func(t int64, _ bool) { got = append(got, t) })
		if !slices.Equal(got, []int64{200}) || res.Gates()[0].Races != 1 || res.Stats.Races != 1 {
			t.Errorf("cuts %v: events %v, races %d", cuts, got, res.Gates()[0].Races)
		}
	}
}
