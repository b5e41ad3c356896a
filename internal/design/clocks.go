package design

import (
	"slices"

	"github.com/wattd/wattd/internal/netlist"
	"github.com/wattd/wattd/kernel"
)

// findClocks lists registers and the nets of clock pins.
func (b *builder) findClocks() {
	nl, d := b.nl, b.d
	for i := range nl.Insts {
		in := &nl.Insts[i]
		cm := b.models[in.Cell]
		for _, k := range cm.clockPins {
			if n := nl.PinNet[in.Pin0+k]; n > netlist.Const1 {
				d.ClockPins = append(d.ClockPins, n)
			}
		}
		for _, o := range cm.outs {
			n := nl.PinNet[in.Pin0+o.pin]
			if o.kind != outSource || o.class != ClassRegister || n <= netlist.Const1 {
				continue
			}
			r := Register{Inst: int32(i), Pin: o.pin, Net: n, State: o.regs.state, Inverted: o.regs.inverted, ClockNet: None, Falling: o.regs.falling}
			if o.regs.clock >= 0 {
				r.ClockNet = nl.PinNet[in.Pin0+o.regs.clock]
			}
			d.Registers = append(d.Registers, r)
		}
	}
	slices.Sort(d.ClockPins)
	d.ClockPins = slices.Compact(d.ClockPins)
}

// ClockSources returns, for a net, the source nets whose edges can reach it through the pins by which gates pass a clock:
// every pin of a plain gate, the clock pins of latches and clock gates. Ascending; nil for constants.
func (d *Design) ClockSources(net int32) []int32 {
	return d.clockWalk(net, nil)
}

// ClockCone calls visit for every net on the way from the sources to net, net included.
func (d *Design) ClockCone(net int32, visit func(net int32)) { d.clockWalk(net, visit) }

func (d *Design) clockWalk(net int32, visit func(int32)) []int32 {
	seen := map[int32]bool{net: true}
	stack := []int32{net}
	var src []int32
	for len(stack) > 0 {
		n := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if visit != nil {
			visit(n)
		}
		if d.NetClass[n].Source() {
			src = append(src, n)
			continue
		}
		g := d.NetGate[n]
		if g < 0 {
			continue
		}
		for i, in := range d.GateInputs(g) {
			if !seen[in] && d.PassesClock(g, i) {
				seen[in] = true
				stack = append(stack, in)
			}
		}
	}
	slices.Sort(src)
	return src
}

// GateInputs returns the nets of a gate's pins.
func (d *Design) GateInputs(g int32) []int32 {
	p := d.Program
	fn := &p.Fns[p.GateFn[g]]
	return p.PinNet[p.GatePin[g] : p.GatePin[g]+int32(fn.NPin)]
}

// PassesClock says whether a change of pin i of a gate with state can itself change its output whatever the state was: for gates
// with state only the pins that the transparency of a bit depends on; for others every pin.
func (d *Design) PassesClock(g int32, i int) bool {
	p := d.Program
	fn := &p.Fns[p.GateFn[g]]
	if fn.NBit == 0 || fn.Form != kernel.FormTable {
		return true
	}
	n := int(fn.NPin) + int(fn.NBit)
	size := max(1, 1<<n/64)
	for k := range int(fn.NBit) {
		at := int(fn.Trans) + k*size
		for s := 0; s < 1<<n; s++ {
			o := s ^ 1<<i
			if p.Words[at+s>>6]>>(s&63)&1 != p.Words[at+o>>6]>>(o&63)&1 {
				return true
			}
		}
	}
	return false
}

// account fills Report.Memory.
func (b *builder) account() {
	p, r := b.prog, &b.d.Report
	r.Memory = Memory{
		Gates:     int64(len(p.GateOut)) * (6*4 + 8 + 4), // arrays, Design.Gates, Order
		Pins:      int64(len(p.PinNet)+len(p.PinWire)) * 4,
		Arcs:      int64(len(p.ArcDelay)+len(p.ArcReject)+len(p.ArcError)) * 4,
		Functions: int64(len(p.Words))*8 + int64(len(p.Code))*4 + int64(len(p.SlotMap))*2 + int64(len(p.Fns))*16 + int64(len(p.Shapes))*16 + int64(len(p.Wires))*24,
		Names:     b.nl.Names.Size(),
		Nets:      int64(len(b.nl.Nets)) * 24,
		Positions: int64(len(b.nl.Insts)) * 8,
	}
	b.d.Report.OpenPins = b.open
}
