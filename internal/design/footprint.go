package design

import (
	"github.com/wattd/wattd/internal/footprint"
	"github.com/wattd/wattd/kernel"
)

// Footprint counts the arrays of a design and its program, and what Patch needs of it, without its netlist.
func (d *Design) Footprint(t *footprint.Tally) {
	programFootprint(t, d.Program)
	footprint.Slice(t, d.NetClass)
	footprint.Slice(t, d.NetGate)
	footprint.Slice(t, d.Gates)
	footprint.Slice(t, d.Sources)
	footprint.Slice(t, d.Spare)
	footprint.Slice(t, d.Tristate)
	footprint.Slice(t, d.Floating)
	if footprint.Slice(t, d.States) {
		for i := range d.States {
			footprint.Slice(t, d.States[i].Bits)
		}
	}
	footprint.Slice(t, d.Cut)
	footprint.Slice(t, d.Registers)
	footprint.Slice(t, d.ClockPins)
	footprint.Map(t, d.helpers)
	footprint.Slice(t, d.passes)
	if d.kept != nil {
		d.kept.footprint(t)
	}
}

func programFootprint(t *footprint.Tally, p *kernel.Program) {
	for _, a := range [][]int32{
		p.GateOut, p.GateFn, p.GateShape, p.GatePin, p.GateArc, p.GateLimit, p.PinNet, p.PinWire, p.ArcDelay, p.ArcReject, p.ArcError,
		p.ListOff, p.Order, p.LevelStart,
	} {
		footprint.Slice(t, a)
	}
	footprint.Slice(t, p.Wires)
	footprint.Slice(t, p.Fns)
	footprint.Slice(t, p.Words)
	footprint.Slice(t, p.Code)
	footprint.Slice(t, p.Shapes)
	footprint.Slice(t, p.SlotMap)
	footprint.Slice(t, p.Cands)
}

func (k *kept) footprint(t *footprint.Tally) {
	if footprint.Slice(t, k.files) {
		for i := range k.files {
			footprint.Slice(t, k.files[i].chunks)
			footprint.Slice(t, k.files[i].order)
		}
	}
	footprint.Slice(t, k.parts)
	for _, a := range [][]int32{k.instPart, k.sinkPart, k.netInst, k.loads, k.cellUse, k.level, k.pinSink, k.gateTally} {
		footprint.Slice(t, a)
	}
	for _, m := range []map[int32][]int32{k.instParts, k.sinkParts, k.strangers, k.netParts} {
		if footprint.Map(t, m) {
			for _, list := range m {
				footprint.Slice(t, list)
			}
		}
	}
	footprint.Map(t, k.multi)
	footprint.Map(t, k.undirected)
	footprint.Slice(t, k.pinNote)
	footprint.Slice(t, k.tallies)
	footprint.Map(t, k.tallyID)
	footprint.Map(t, k.fixed)
	footprint.Map(t, k.late)
	footprint.Slice(t, k.notes)
	footprint.Map(t, k.cellNotes)
	if k.readers != nil {
		t.Once(k.readers, k.readers.Size())
	}
	footprint.Map(t, k.fnSeen)
	footprint.Slice(t, k.fnInfo)
	footprint.Map(t, k.variants)
	footprint.Map(t, k.shapeSeen)
	footprint.Slice(t, k.conds)
	footprint.Map(t, k.condText)
	footprint.Map(t, k.condTable)
}
