package model

import (
	"slices"
	"strconv"
	"strings"
)

// sdf makes the annotation: statements of cells and of wires, each in an order of its own, interleaved at random.
// Statements whose meaning the semantics leave open are not made; the comments say which.
func (g *gen) sdf() {
	var cells, wires []Stmt
	if !g.p(4) { // a circuit without annotation now and then
		cells = g.cellStmts()
		wires = g.wireStmts()
	}
	for len(cells)+len(wires) > 0 {
		from := &cells
		if len(cells) == 0 || len(wires) > 0 && g.p(30) {
			from = &wires
		}
		n := min(len(*from), 1+g.r.IntN(4))
		g.c.SDF = append(g.c.SDF, (*from)[:n]...)
		*from = (*from)[n:]
	}
	for i := range g.c.SDF {
		g.c.SDF[i].NewCell = g.p(10)
	}
	if n := len(g.c.SDF); n > 1 && g.p(10) {
		g.c.SDFCut = 1 + g.r.IntN(n-1)
	}
}

// cellStmts makes statements per instance and joins them so that those of one instance keep their order but may lie in
// several CELL entries.
func (g *gen) cellStmts() []Stmt {
	var lists [][]Stmt
	for i, in := range g.c.Insts {
		if g.p(8) {
			continue // not annotated
		}
		var l []Stmt
		for _, o := range in.Cell.Out() {
			for _, p := range in.Cell.In() {
				rd := slices.Contains(reads(in.Cell, o), in.Cell.Pins[p].Name)
				switch {
				case rd && g.p(90):
					l = append(l, g.pairStmts(i, o, p)...)
				case !rd && !g.loops && in.Cell.Pins[o].Tri == nil && g.p(5):
					// An arc from a pin that the function does not read; with all values, as nothing says what a missing one is.
					l = append(l, Stmt{Kind: IOPath, Inst: i, Prim: -1, In: p, Out: o, Vals: []Val{{D: g.triple(g.tenths())}}})
				}
			}
			if len(reads(in.Cell, o)) > 0 && g.p(6) {
				st := Stmt{Kind: Device, Inst: i, Prim: -1, In: -1, Out: o, Inc: g.p(30), Vals: g.vals(false)}
				if len(in.Cell.Out()) == 1 && g.p(30) {
					st.Out = -1 // no port: of a cell with one output no question
				}
				l = append(l, st)
			}
		}
		if g.p(8) {
			l = append(l, g.pulse(i, -1, -1))
			if g.p(50) {
				l[0], l[len(l)-1] = l[len(l)-1], l[0]
			}
		}
		if len(l) > 0 {
			lists = append(lists, l)
		}
	}
	for i, p := range g.c.Prims {
		if p.Name != "" && p.Op != "assign" && g.p(25) {
			st := Stmt{Kind: Device, Inst: -1, Prim: i, In: -1, Out: -1, Inc: g.p(30), Vals: g.vals(false)}
			for k := range st.Vals {
				st.Vals[k].NLim = 0
			}
			lists = append(lists, []Stmt{st})
		}
	}
	for _, c := range g.c.Cells {
		if g.p(6) && len(c.Out()) > 0 && len(c.In()) > 0 && c.FF == nil {
			o := c.Out()[0]
			if rd := reads(c, o); len(rd) > 0 {
				lists = append(lists, []Stmt{{Kind: IOPath, Inst: -1, Prim: -1, Cell: c, All: true, In: c.Pin(rd[0]), Out: o, Inc: g.p(40), Vals: g.vals(false)}})
			}
		}
	}
	var out []Stmt
	for len(lists) > 0 {
		k := g.r.IntN(len(lists))
		n := len(lists[k])
		if g.p(25) {
			n = 1 + g.r.IntN(n)
		}
		out = append(out, lists[k][:n]...)
		if lists[k] = lists[k][n:]; len(lists[k]) == 0 {
			lists = slices.Delete(lists, k, k+1)
		}
	}
	return out
}

// reads lists the inputs that an output reads: for others no arcs are written.
func reads(c *Cell, o int) []string {
	var names []string
	add := func(es ...*Expr) {
		for _, e := range es {
			if e != nil {
				names = append(names, e.Vars()...)
			}
		}
	}
	add(c.Pins[o].Fn, c.Pins[o].Tri)
	switch {
	case c.Latch != nil:
		add(c.Latch.Enable, c.Latch.Data, c.Latch.Clear, c.Latch.Preset)
	case c.Table != nil:
		names = append(names, c.Table.Inputs...)
	case c.FF != nil:
		names = append(names, "CK")
	}
	if c.Black {
		names = append(names, c.names()...)
	}
	var r []string
	for _, n := range c.names() {
		if slices.Contains(names, n) {
			r = append(r, n)
		}
	}
	return r
}

// pairStmts makes the statements of one (input, output).
func (g *gen) pairStmts(i, o, p int) []Stmt {
	base := Stmt{Kind: IOPath, Inst: i, Prim: -1, In: p, Out: o}
	var l []Stmt
	add := func(kind CondKind, edge Edge, inc bool) {
		st := base
		st.CondKind, st.Edge, st.Inc = kind, edge, inc
		st.Vals = g.vals(len(l) == 0)
		if kind == Cond {
			st.Cond = g.cond(g.c.Insts[i], o, p)
			if st.Cond == nil {
				st.CondKind = Uncond
			}
		}
		l = append(l, st)
	}
	switch x := g.r.IntN(100); {
	case x < 50:
		add(Uncond, AnyEdge, false)
	case x < 58:
		add(Uncond, Pos, false)
		add(Uncond, Neg, false)
	case x < 64:
		add(Uncond, pick(g, Pos, Neg), false)
	case x < 90:
		if g.p(60) && !g.ties {
			add(pick(g, Uncond, CondElse), AnyEdge, false)
		}
		for range 1 + g.r.IntN(3) {
			edge := pick(g, AnyEdge, AnyEdge, Pos, Neg)
			if g.ties {
				edge = pick(g, AnyEdge, Pos, Neg)
			}
			add(Cond, edge, false)
		}
	}
	if len(l) == 0 {
		return l
	}
	for g.p(25) {
		switch x := g.r.IntN(100); {
		case x < 30:
			add(Uncond, AnyEdge, true)
		case x < 45:
			add(Cond, AnyEdge, true)
		case x < 60:
			add(CondElse, AnyEdge, g.p(30))
		case x < 75:
			add(Uncond, pick(g, AnyEdge, Pos, Neg), false)
		default:
			l = append(l, g.pulse(i, o, p))
		}
	}
	return l
}

// cond makes a condition over the other pins, state bits and outputs that come earlier (the other way round would be a
// loop of outputs that no rule orders). Now and then it names something unknown.
func (g *gen) cond(in *Inst, o, p int) *Expr {
	var vars []string
	rd := reads(in.Cell, o)
	for _, i := range in.Cell.In() {
		// Where loops are made a condition must not make another: loops are opened before conditions are known.
		if (i != p || g.p(10)) && (!g.loops || slices.Contains(rd, in.Cell.Pins[i].Name)) {
			vars = append(vars, in.Cell.Pins[i].Name)
		}
	}
	if in.Cell.FF == nil && !in.Cell.Black && !g.loops && g.p(25) {
		for _, q := range in.Cell.Out() {
			if q < o && in.Conn[q] >= 0 {
				vars = []string{in.Cell.Pins[q].Name}
			}
		}
	}
	switch {
	case g.p(2):
		vars = append(vars, "ZZ")
	case in.Cell.Latch != nil && g.p(30) && slices.Contains(in.Cell.Pins[o].Fn.Vars(), "IQ"):
		vars = append(vars, "IQ")
	case in.Cell.Table != nil && g.p(30):
		vars = append(vars, "M")
	}
	if len(vars) == 0 {
		return nil
	}
	g.r.Shuffle(len(vars), func(i, j int) { vars[i], vars[j] = vars[j], vars[i] })
	vars = vars[:1+g.r.IntN(min(2, len(vars)))]
	if len(vars) == 1 {
		return pick(g, V(vars[0]), Not(V(vars[0])))
	}
	return g.expr(vars)
}

// pulse makes PATHPULSE or PATHPULSEPERCENT; without ports it is for all pairs.
func (g *gen) pulse(i, o, p int) Stmt {
	st := Stmt{Kind: PathPulse, Inst: i, Prim: -1, In: p, Out: o}
	one := func() Triple { return g.triple(g.ticks(0) * 10) }
	if g.p(40) {
		st.Kind = PathPulsePercent
		one = func() Triple {
			return Triple{Single: true, V: [3]string{pick(g, "0", "7", "33", "50", "50.5", "75", "100", "120")}}
		}
	}
	for range 1 + g.r.IntN(2) {
		st.Lims = append(st.Lims, one())
	}
	return st
}

// ticks is a delay in ticks: of the size of the grid, so that pulses are filtered.
func (g *gen) ticks(least int64) int64 {
	if g.ties {
		return max(least, g.grid*int64(g.r.IntN(5))/pick[int64](g, 1, 1, 2))
	}
	switch x := g.r.IntN(10); {
	case x < 1 && least == 0:
		return 0
	case x < 6:
		return max(least, g.grid*int64(g.r.IntN(4)))
	case x < 7:
		return least + g.r.Int64N(40*g.grid)
	}
	return least + g.r.Int64N(4*g.grid)
}

// vals is a list of delay values. full avoids () for the first statement of a pair in most cases.
func (g *gen) vals(full bool) []Val {
	n := pick(g, 1, 1, 2, 2, 2, 2, 3, 6)
	var vs []Val
	for range n {
		v := Val{D: g.triple(g.tenths())}
		if g.p(8) || g.ties && g.p(60) {
			v.NLim = pick(g, 1, 2, 2)
			v.R = g.triple(g.ticks(0) * 10)
			v.E = v.R
			if v.NLim == 2 && g.p(50) {
				v.E = g.triple(g.ticks(0) * 10)
			}
			if v.NLim == 2 && g.p(15) {
				v.R, v.E = Triple{}, Triple{} // keeps the limits
			}
		}
		vs = append(vs, v)
	}
	if n > 1 && g.p(8) {
		vs[g.r.IntN(2)] = Val{}
	}
	return vs
}

// tenths is a delay in tenths of a tick: fractions test rounding, now and then it is negative. It never rounds to 0
// without being 0, which a run may refuse.
func (g *gen) tenths() int64 {
	t := g.ticks(0) * 10
	switch x := g.r.IntN(100); {
	case x < 10 && t > 0 && !g.ties:
		t += pick[int64](g, 1, 4, 5, 6, 9)
	case x < 14:
		t = -t - 10
	}
	return t
}

// triple writes tenths of a tick: one number, or min:typ:max where the columns that do not count are others or absent.
func (g *gen) triple(tenths int64) Triple {
	text := decimal(tenths, -1-g.c.Timescale, g.p(5))
	if g.p(60) {
		return Triple{V: [3]string{text}, Single: true}
	}
	var t Triple
	for i := range t.V {
		if g.p(70) {
			t.V[i] = decimal(g.ticks(1)*10, -1-g.c.Timescale, false)
		}
	}
	t.V[g.c.Corner] = text
	return t
}

// hashDelay is a # delay in nanoseconds, of one or two values.
func (g *gen) hashDelay() []Triple {
	var ts []Triple
	for range pick(g, 1, 2) {
		t := Triple{V: [3]string{decimal(g.ticks(0), -3, false)}, Single: true}
		if g.p(20) {
			t = Triple{V: [3]string{"0.9", "0.9", "0.9"}}
			t.V[g.c.Corner] = decimal(g.ticks(0), -3, false)
		}
		ts = append(ts, t)
	}
	return ts
}

// decimal writes mant x 10^exp, plainly or with an exponent.
func decimal(mant int64, exp int, sci bool) string {
	if sci {
		return strconv.FormatInt(mant, 10) + "e" + strconv.Itoa(exp)
	}
	neg := mant < 0
	if neg {
		mant = -mant
	}
	s := strconv.FormatInt(mant, 10)
	if exp < 0 {
		if len(s) <= -exp {
			s = strings.Repeat("0", -exp-len(s)+1) + s
		}
		s = s[:len(s)+exp] + "." + s[len(s)+exp:]
		s = strings.TrimRight(s, "0")
		s = strings.TrimSuffix(s, ".")
	} else {
		s += strings.Repeat("0", exp)
	}
	if neg {
		s = "-" + s
	}
	return s
}
