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
		cm := b.modelOf(in.Cell)
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
	d.passes = passing(d.Program)
	slices.Sort(d.ClockPins)
	d.ClockPins = slices.Compact(d.ClockPins)
}

// ClockSources returns the source nets whose edges can reach any of the given nets through the pins by which gates pass a clock.
// Ascending.
func (d *Design) ClockSources(nets []int32) []int32 {
	seen := make([]bool, len(d.NetClass))
	var stack, src []int32
	push := func(n int32) {
		if !seen[n] {
			seen[n] = true
			stack = append(stack, n)
		}
	}
	for _, n := range nets {
		push(n)
	}
	for len(stack) > 0 {
		n := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if d.NetClass[n].Source() {
			src = append(src, n)
			continue
		}
		if g := d.NetGate[n]; g >= 0 {
			for i, in := range d.GateInputs(g) {
				if d.PassesClock(g, i) {
					push(in)
				}
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

// PassesClock says whether an edge at pin i of a gate can pass through it as a clock does: every pin of a plain gate; of a
// gate with state those that make a bit transparent and those that its output reads beside the bits (the clock of a
// clock gate, not its enable; the enable of a latch, not its data); every pin of a three-state net.
func (d *Design) PassesClock(g int32, i int) bool {
	p := d.Program
	fn := p.GateFn[g]
	if p.Fns[fn].NBit == 0 || i >= 64 {
		return true
	}
	if s := d.StateOf(g); s != nil && s.Tristate {
		return true
	}
	return d.passes[fn]>>i&1 != 0
}

// passing tabulates, by function, the pins that pass a clock.
func passing(p *kernel.Program) []uint64 {
	m := make([]uint64, len(p.Fns))
	for f := range p.Fns {
		fn := &p.Fns[f]
		if fn.NBit == 0 || fn.Form != kernel.FormTable {
			m[f] = 1<<64 - 1
			continue
		}
		n := int(fn.NPin) + int(fn.NBit)
		size := max(1, 1<<n/64)
		for i := range int(fn.NPin) {
			reads := func(at int) bool {
				for s := range 1 << n {
					o := s ^ 1<<i
					if p.Words[at+s>>6]>>(s&63)&1 != p.Words[at+o>>6]>>(o&63)&1 {
						return true
					}
				}
				return false
			}
			pass := reads(int(fn.Out))
			for k := range int(fn.NBit) {
				pass = pass || reads(int(fn.Trans)+k*size)
			}
			if pass {
				m[f] |= 1 << i
			}
		}
	}
	return m
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
}
