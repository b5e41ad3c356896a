package design

import (
	"github.com/wattd/wattd/internal/diag"
)

// PinsOf gives the cell pin of each pin of a gate, in the order of GateInputs. It is nil for gates that are not one output of one
// instance: primitives, helpers and three-state nets.
func (d *Design) PinsOf(g int32) []int32 {
	nl, x := d.Netlist, d.Gates[g]
	if x.Inst < 0 || int(d.Program.GateOut[g]) >= len(nl.Nets) {
		return nil
	}
	if st := d.StateOf(g); st != nil && st.Tristate {
		return nil
	}
	in := &nl.Insts[x.Inst]
	m := modeler{nl: nl, bag: &diag.Bag{}}
	cm := m.model(&nl.Cells[in.Cell])
	if int(x.Pin) >= len(cm.byPin) || cm.byPin[x.Pin] < 0 {
		return nil
	}
	o := &cm.outs[cm.byPin[x.Pin]]
	nets := d.GateInputs(g)
	for _, at := range [][]int32{o.at, o.all} {
		if len(at) != len(nets) {
			continue
		}
		same := true
		for i, k := range at {
			same = same && max(nl.PinNet[in.Pin0+k], 0) == nets[i]
		}
		if same {
			return at
		}
	}
	return nil
}
