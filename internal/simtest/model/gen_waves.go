package model

import "slices"

// waves makes the stimulus: of inputs, registers and fighting nets always; of others now and then, which must change
// nothing but the state at the start; and of all nets where loops may have to be opened.
func (g *gen) waves() {
	c := g.c
	three := map[int]bool{} // nets with a three-state driver
	drivers := map[int]int{}
	state := map[int]bool{}
	must := map[int]bool{}
	for _, in := range c.Insts {
		outs := 0
		for _, o := range in.Cell.Out() {
			n := in.Conn[o]
			if n < 0 {
				continue
			}
			drivers[n]++
			if in.Cell.Pins[o].Tri != nil {
				three[n] = true
			}
			if in.Cell.Black {
				must[n] = true
			}
			if in.Cell.FF != nil && (outs == 0 || g.p(60)) {
				must[n] = true
				outs++
			}
			state[n] = state[n] || in.Cell.Latch != nil || in.Cell.Table != nil
		}
	}
	for _, p := range c.Prims {
		drivers[p.Out]++
		if len(p.Op) > 5 && p.Op != "assign" {
			three[p.Out] = true
		}
	}
	for net, n := range c.Nets {
		name := n.Input || must[net] || drivers[net] > 1 && !three[net]
		switch {
		case name:
		case three[net]:
			name = g.p(12) || g.loops
		case state[net]:
			name = g.p(40) || g.loops
		case drivers[net] > 0:
			name = g.p(3) || g.loops
		}
		if !name {
			continue
		}
		w := Wave{Net: net, Alias: -1, Changes: g.wave(net)}
		if len(n.Aliases) > 0 && g.p(50) {
			w.Alias = g.r.IntN(len(n.Aliases))
		}
		c.Waves = append(c.Waves, w)
	}
}

// wave is the record of one net.
func (g *gen) wave(net int) []Change {
	c := g.c
	v := byte('0' + g.r.IntN(2))
	w := []Change{{0, v}}
	flip := func(t int64) {
		v ^= 1
		w = append(w, Change{t, v})
	}
	steps := (c.To - c.From) / g.grid
	at := func() int64 { return c.From + g.grid*g.r.Int64N(steps+1) }
	if c.From > 0 {
		for range g.r.IntN(3) {
			flip(g.grid * (1 + g.r.Int64N(c.From/g.grid)))
			slices.SortFunc(w, func(x, y Change) int { return int(x.T - y.T) })
		}
		for i := range w {
			w[i].V = '0' + byte(i)&1 ^ w[0].V&1
		}
		v = w[len(w)-1].V
	}
	if net == g.clock {
		half := g.grid * (2 + g.r.Int64N(8))
		for t := c.From + half; t < c.To; t += half {
			flip(t)
		}
		return w
	}
	var ts []int64
	switch g.r.IntN(4) {
	case 0:
		for range g.r.IntN(4) {
			ts = append(ts, at())
		}
	case 1: // bursts
		t := at()
		for range g.r.IntN(20) {
			ts = append(ts, t)
			t += g.grid * int64(1+g.r.IntN(2))
		}
	default:
		for range g.r.IntN(25) {
			ts = append(ts, at())
		}
	}
	slices.Sort(ts)
	again := g.p(5)
	if !again {
		ts = slices.Compact(ts)
	}
	for _, t := range ts {
		if t < c.To+g.grid && t > w[len(w)-1].T || again && t == w[len(w)-1].T && t > 0 {
			flip(t)
		}
	}
	if g.p(8) {
		g.unknown(w)
	}
	return w
}

// unknown makes some values x or z. A value that is known comes before the end, or never does: what lies behind the end
// is not read by all.
func (g *gen) unknown(w []Change) {
	for i := range w {
		if g.p(30) {
			w[i].V = pick[byte](g, 'x', 'x', 'z')
		}
	}
	first := -1
	for i := range w {
		if w[i].V == '0' || w[i].V == '1' {
			first = i
			break
		}
	}
	if first < 0 || w[first].T < g.c.To && w[0].V == w[first].V {
		return
	}
	if first > 0 && w[first].T >= g.c.To {
		w[0].V = '0'
	}
	if g.p(10) {
		for i := range w {
			w[i].V = 'x'
		}
	}
}
