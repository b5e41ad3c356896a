package netlist

import "github.com/wattd/wattd/internal/footprint"

// Footprint counts the arrays of a netlist, its names and the index of them, without its libraries and what is made on demand.
func (nl *Netlist) Footprint(t *footprint.Tally) {
	nl.Names.Footprint(t)
	footprint.Slice(t, nl.Files)
	footprint.Slice(t, nl.Scopes)
	footprint.Slice(t, nl.Cells)
	footprint.Slice(t, nl.Insts)
	footprint.Slice(t, nl.PinNet)
	footprint.Slice(t, nl.Prims)
	footprint.Slice(t, nl.PrimIn)
	footprint.Slice(t, nl.Nets)
	footprint.Slice(t, nl.Ports)
	footprint.Slice(t, nl.NetDelay)
	footprint.Slice(t, nl.alias.start)
	footprint.Slice(t, nl.alias.list)
	l := &nl.lookup
	footprint.Slice(t, l.scopes)
	footprint.Slice(t, l.net)
	footprint.Slice(t, l.pins.key)
	footprint.Slice(t, l.pins.val)
	footprint.Slice(t, l.modules)
	footprint.Slice(t, l.later)
	if !footprint.Slice(t, l.mods) {
		return
	}
	for i := range l.mods {
		m := &l.mods[i]
		for _, x := range []*nameTab{&m.nets, &m.objs} {
			footprint.Slice(t, x.slot)
			footprint.Slice(t, x.key)
		}
		footprint.Slice(t, m.decls)
		footprint.Slice(t, m.objOf)
		footprint.Slice(t, m.exprPorts)
		footprint.Slice(t, m.portBits)
	}
}
