package model

import "fmt"

// names decides where nets are declared and what they are called.
func (g *gen) names() {
	c := g.c
	for net, n := range c.Nets {
		n.Name, n.Local = "", map[int]string{}
		if n.Input || n.Output {
			n.Scope = 0
			continue
		}
		first := true
		g.conns(func(m, scope int) {
			if m != net {
				return
			}
			if first {
				n.Scope, first = scope, false
			}
			for !c.Within(scope, n.Scope) {
				n.Scope = c.Scopes[n.Scope].Parent
			}
		})
		if n.Scope > 0 && g.p(10) {
			n.Scope = c.Scopes[n.Scope].Parent // declared higher than need be
		}
	}
	g.buses()
	for net, n := range c.Nets {
		if n.Name != "" {
			continue
		}
		switch g.r.IntN(15) {
		case 0:
			n.Name = fmt.Sprintf("w$%d.q[%d]", net, net)
		case 1:
			n.Name = fmt.Sprintf("x/n%d", net)
		default:
			n.Name = fmt.Sprintf("n%d", net)
		}
		if g.driven[net] != -2 && g.p(10) {
			n.Aliases = append(n.Aliases, Alias{Name: fmt.Sprintf("al%d", net)})
		}
		if n.Scope == 0 && g.driven[net] != -2 && g.p(8) {
			n.Aliases = append(n.Aliases, Alias{Name: fmt.Sprintf("po%d", net), Output: true})
		}
		if !n.Input && !n.Output && g.driven[net] >= 0 && g.p(4) {
			n.Delay = g.hashDelay()
			if len(n.Delay) > 2 {
				n.Delay = n.Delay[:2]
			}
		}
	}
	for net, n := range c.Nets {
		for s := range c.Scopes {
			if s == n.Scope || !c.Within(s, n.Scope) || !g.reaches(net, s) {
				continue
			}
			n.Local[s] = fmt.Sprintf("p%d", net)
			if g.p(10) {
				n.Local[s] = fmt.Sprintf("p.%d[%d]", net, s)
			}
		}
	}
}

// reaches says whether a net has a connection in a scope or below.
func (g *gen) reaches(net, s int) bool {
	found := false
	g.conns(func(m, scope int) { found = found || m == net && g.c.Within(scope, s) })
	return found
}

// buses makes bits of vectors of some nets that are declared together.
func (g *gen) buses() {
	for k := range 3 {
		if !g.p(40) {
			continue
		}
		var bits []int
		kind := g.r.IntN(3)
		scope := 0
		if kind == 2 {
			scope = g.r.IntN(len(g.c.Scopes))
		}
		for net, n := range g.c.Nets {
			if n.Name == "" && n.Scope == scope && n.Input == (kind == 0) && n.Output == (kind == 1) && g.driven[net] != -2 && g.p(60) {
				bits = append(bits, net)
			}
		}
		if len(bits) < 2 {
			continue
		}
		lo := pick(g, 0, 0, 0, 3, 9)
		for i, net := range bits {
			g.c.Nets[net].Name, g.c.Nets[net].Bit = fmt.Sprintf("b%d", k), lo+i
		}
	}
}
