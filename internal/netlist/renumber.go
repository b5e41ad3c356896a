package netlist

import "slices"

// Stabilize gives the nets of nl the numbers that nets of the same identity have in old; others get numbers from free on, which is at
// least len(old.Nets). Numbers that are not used are NetHole. An edit thus moves no number but those of what it made. It must be
// called before nl is used, and takes time in proportion to the design, not to the edit.
func (nl *Netlist) Stabilize(old *Netlist, free int32) {
	to := nl.match(old)
	next := max(free, int32(len(old.Nets)))
	for n := range to {
		if to[n] == None {
			to[n] = next
			next++
		}
	}
	nl.renumber(to, int(next))
}

// match finds for every net the number of the net of the same identity in old, None where there is none.
func (nl *Netlist) match(old *Netlist) []int32 {
	scope := make([]int32, len(nl.Scopes)) // the same scope in old
	for i := range nl.Scopes {
		switch s := &nl.Scopes[i]; {
		case s.Parent == None:
			scope[i] = 0
		case scope[s.Parent] == None:
			scope[i] = None
		default:
			scope[i] = old.ChildScope(scope[s.Parent], nl.Names.Bytes(s.Name))
		}
	}
	type hiddenKey struct{ scope, number int32 }
	hidden := map[hiddenKey]int32{}
	for n := int32(2); int(n) < len(old.Nets); n++ {
		if x := &old.Nets[n]; x.Flags&NetHidden != 0 && x.Flags&NetHole == 0 {
			hidden[hiddenKey{x.Scope, x.Bit}] = n
		}
	}
	to := make([]int32, len(nl.Nets))
	for n := range int32(len(nl.Nets)) {
		to[n] = None
		x := &nl.Nets[n]
		switch {
		case n <= Const1:
			to[n] = n
			continue
		case x.Flags&NetHidden != 0:
			if s := scope[x.Scope]; s != None {
				if o, ok := hidden[hiddenKey{s, x.Bit}]; ok {
					to[n] = o
				}
			}
			continue
		}
		id := nl.identity(n)
		s := scope[id.Scope]
		if s == None {
			continue
		}
		o := old.FindNet(s, nl.Names.Bytes(id.Name), id.Bit)
		if o == None {
			continue
		}
		// the name must be the identity there too, or two nets of a design that was joined would claim one number
		if was := old.identity(o); was.Scope == s && was.Bit == id.Bit && string(old.Names.Bytes(was.Name)) == string(nl.Names.Bytes(id.Name)) {
			to[n] = o
		}
	}
	return to
}

// renumber moves net n to to[n]; to is injective and below size.
func (nl *Netlist) renumber(to []int32, size int) {
	move := func(p *int32) {
		if *p >= 0 {
			*p = to[*p]
		}
	}
	nets := make([]Net, size)
	for i := range nets {
		nets[i] = Net{Scope: None, Flags: NetHidden | NetHole}
	}
	for n := range nl.Nets {
		nets[to[n]] = nl.Nets[n]
	}
	start := make([]int32, size+1)
	for n := range nl.Nets {
		start[to[n]+1] = nl.alias.start[n+1] - nl.alias.start[n]
	}
	for i := range size {
		start[i+1] += start[i]
	}
	list := make([]int32, len(nl.alias.list))
	for n := range nl.Nets {
		copy(list[start[to[n]]:], nl.alias.list[nl.alias.start[n]:nl.alias.start[n+1]])
	}
	nl.Nets, nl.alias = nets, aliases{start, list}
	for _, s := range [][]int32{nl.PinNet, nl.PrimIn, nl.lookup.net} {
		for i := range s {
			move(&s[i])
		}
	}
	for i := range nl.Prims {
		move(&nl.Prims[i].Out)
	}
	for i := range nl.Ports {
		move(&nl.Ports[i].Net)
	}
	for i := range nl.NetDelay {
		move(&nl.NetDelay[i].Net)
	}
	slices.SortStableFunc(nl.NetDelay, func(a, b NetDelay) int { return int(a.Net) - int(b.Net) })
}

// IsHole says whether a number belongs to no net.
func (nl *Netlist) IsHole(n int32) bool { return nl.Nets[n].Flags&NetHole != 0 }

// IsHidden says whether a net has no name of its own: a helper, or a number that is not used.
func (nl *Netlist) IsHidden(n int32) bool { return nl.Nets[n].Flags&NetHidden != 0 }
