package activity

import "slices"

// again lists the nets whose counts may differ from those of an earlier version; false when all are to be counted.
func (c *counter) again(p *Prev) (nets []int32, some bool) {
	if p == nil || p.Table.From != c.from || p.Table.To != c.to || p.Table.Excluded != 0 || p.Table.Split != c.t.Split {
		return nil, false
	}
	old, now := p.Table.Clocks, c.t.Clocks
	if old != now && !slices.EqualFunc(old.List, now.List, sameClock) {
		return nil, false
	}
	named := int32(len(c.d.Netlist.Nets))
	had := int32(len(p.Table.Nets))
	for _, n := range p.Nets {
		if n < named {
			nets = append(nets, n)
		}
	}
	for _, x := range c.d.Tristate { // counted with its helpers
		nets = append(nets, x.Net)
	}
	if !p.SameLogic {
		for n := range min(named, had) {
			if c.d.NetClass[n] != p.Design.NetClass[n] || c.d.Netlist.IsHole(n) != p.Design.Netlist.IsHole(n) || old != now && (old.OfNet[n] != now.OfNet[n] || old.Network[n] != now.Network[n]) {
				nets = append(nets, n)
			}
		}
		for _, x := range p.Design.Tristate {
			nets = append(nets, x.Net)
		}
	}
	for n := had; n < named; n++ {
		nets = append(nets, n)
	}
	slices.Sort(nets)
	return slices.Compact(nets), true
}

func sameClock(a, b Clock) bool {
	return a.Net == b.Net && a.Name == b.Name && slices.Equal(a.rises, b.rises) && slices.Equal(a.phases, b.phases)
}

// recount counts the nets listed, ascending, and takes the others over.
func (c *counter) recount(nets []int32, old *Table) {
	c.t.Nets = append(make([]Net, 0, len(c.d.Netlist.Nets)), old.Nets...)[:len(c.d.Netlist.Nets)]
	for _, n := range nets {
		c.t.Nets[n] = Net{}
		c.net(n, nil)
	}
	c.collapsed(func(n int32) bool {
		_, hit := slices.BinarySearch(nets, n)
		return hit
	})
}
