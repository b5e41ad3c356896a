package oracle

import (
	"slices"
	"strings"
)

// openLoops makes sources of nets until no computed net depends on itself, then orders the gates.
func (b *builder) openLoops() {
	for {
		comp := b.components()
		if len(comp) == 0 {
			break
		}
		for _, nets := range comp {
			b.open(nets)
		}
	}
	b.sort()
}

// open breaks one component for good: first the outputs of its state gates, then, while something is still cyclic, the
// first net in name order that lies on a cycle.
func (b *builder) open(nets []int) {
	cut := func(net int) {
		b.isSrc[net] = true
		b.res.Opened = append(b.res.Opened, net)
		b.stat("loop opened")
		b.gate = slices.DeleteFunc(b.gate, func(g *gate) bool { return g.out == net })
	}
	for _, n := range nets {
		for _, g := range b.gate {
			if g.out == n && len(g.bits) > 0 {
				cut(n)
				break
			}
		}
	}
	in := map[int]bool{}
	for _, n := range nets {
		in[n] = true
	}
	for {
		var cyc []int
		for _, c := range b.components() {
			for _, n := range c {
				if in[n] {
					cyc = append(cyc, n)
				}
			}
		}
		if len(cyc) == 0 {
			return
		}
		cut(slices.MinFunc(cyc, b.netOrder))
	}
}

// netOrder is bytewise by hierarchy component, then the bit as a number.
func (b *builder) netOrder(x, y int) int {
	nx, bx := b.identity(x)
	ny, by := b.identity(y)
	px, py := append(b.c.Path(b.c.Nets[x].Scope), nx), append(b.c.Path(b.c.Nets[y].Scope), ny)
	if d := slices.CompareFunc(px, py, strings.Compare); d != 0 {
		return d
	}
	return bx - by
}

// identity is the name of a net and its bit: of its names where it is declared, which is the highest place, the bytewise
// smallest.
func (b *builder) identity(net int) (name string, bit int) {
	n := b.c.Nets[net]
	name, bit = n.Name, n.Bit
	for _, a := range n.Aliases {
		if a.Name < name {
			name, bit = a.Name, -1
		}
	}
	return name, bit
}

// components lists the strongly connected components of computed nets that are cyclic.
func (b *builder) components() [][]int {
	gateOf := map[int]*gate{}
	for _, g := range b.gate {
		gateOf[g.out] = g
	}
	reach := map[int]map[int]bool{}
	for _, g := range b.gate {
		seen := map[int]bool{}
		var walk func(g *gate)
		walk = func(g *gate) {
			for _, p := range g.pins {
				if f := gateOf[p.net]; f != nil && !seen[p.net] {
					seen[p.net] = true
					walk(f)
				}
			}
		}
		walk(g)
		reach[g.out] = seen
	}
	var comps [][]int
	done := map[int]bool{}
	for _, g := range b.gate {
		if n := g.out; !done[n] && reach[n][n] {
			var comp []int
			for _, h := range b.gate {
				if m := h.out; reach[n][m] && reach[m][n] {
					comp = append(comp, m)
					done[m] = true
				}
			}
			comps = append(comps, comp)
		}
	}
	return comps
}

// sort orders the gates so that each stands behind those it reads.
func (b *builder) sort() {
	gateOf := map[int]*gate{}
	for _, g := range b.gate {
		gateOf[g.out] = g
	}
	var order []*gate
	state := map[*gate]int{}
	var visit func(g *gate)
	visit = func(g *gate) {
		if state[g] != 0 {
			return
		}
		state[g] = 1
		for _, p := range g.pins {
			if f := gateOf[p.net]; f != nil {
				visit(f)
			}
		}
		order = append(order, g)
	}
	for _, g := range b.gate {
		visit(g)
	}
	b.gate = order
}
