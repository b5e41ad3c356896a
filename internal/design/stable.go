package design

// helperKey names a net that has no name by the net that it helps to compute.
type helperKey struct {
	net   int32
	index int32
}

// reserveSlots makes a hole of every gate slot of the earlier version.
func (b *builder) reserveSlots() {
	if b.opt.Prev == nil {
		return
	}
	b.gates = make([]buildGate, len(b.opt.Prev.Gates))
	for i := range b.gates {
		b.gates[i] = buildGate{out: None, tri: None, kind: gateHelper}
	}
}

// slotOf is the slot of the gate that computes a net: that of the earlier version when it had one, else a new one at the end.
func (b *builder) slotOf(net int32) int32 {
	if b.sub != nil { // numbered within the patch
		b.gates = append(b.gates, buildGate{})
		return int32(len(b.gates) - 1)
	}
	if p := b.opt.Prev; p != nil && int(net) < len(p.NetGate) {
		if g := p.NetGate[net]; g != None && b.gates[g].out == None {
			return g
		}
	}
	b.gates = append(b.gates, buildGate{})
	return int32(len(b.gates) - 1)
}

// hiddenNet makes the index-th helper net of a net, under the number of the earlier version when that had it.
func (b *builder) hiddenNet(net, index int32) int32 {
	k := helperKey{net, index}
	if b.d.helpers == nil {
		b.d.helpers = map[helperKey]int32{}
	}
	n := int32(len(b.d.NetClass))
	if p := b.opt.Prev; p != nil {
		if old, ok := p.helpers[k]; ok && int(old) < len(b.d.NetClass) && b.free(old) {
			n = old
		}
	}
	if int(n) == len(b.d.NetClass) {
		b.d.NetClass = append(b.d.NetClass, ClassComputed)
	}
	b.d.NetClass[n] = ClassComputed
	b.d.helpers[k] = n
	return n
}

// free says whether a number belongs to no net of the netlist.
func (b *builder) free(n int32) bool {
	return int(n) >= len(b.nl.Nets) || b.nl.IsHole(n)
}
