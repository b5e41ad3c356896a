package model

import "slices"

// wireStmts makes INTERCONNECT, PORT and NETDELAY.
//
// Left open by the semantics, and so not made: a statement that covers a part only of what an earlier one covers; limits
// for a sum of segments; segments that leave a hole; different wires from several drivers of one three-state net.
func (g *gen) wireStmts() []Stmt {
	var out []Stmt
	for net := range g.c.Nets {
		if !g.p(45) {
			continue
		}
		out = append(out, g.netStmts(net)...)
	}
	return out
}

// covered is what the statements of one pin cover so far, by edge.
type covered [2][]span

type span struct{ from, to int }

// reader is a pin that reads a net.
type reader struct {
	way []End
	cov covered
}

func (g *gen) netStmts(net int) []Stmt {
	drivers, scopes := g.drivers(net)
	var rs []*reader
	for i, in := range g.c.Insts {
		for p, n := range in.Conn {
			if n == net && in.Cell.Pins[p].Dir == In {
				rs = append(rs, &reader{way: g.c.Way(net, drivers[0], scopes[0], End{Kind: EndPin, Inst: i, Pin: p}, in.Scope)})
			}
		}
	}
	if len(rs) == 0 {
		return nil
	}
	if g.c.Nets[net].Delay != nil {
		for _, r := range rs {
			r.cov[0] = []span{{0, len(r.way) - 1}}
			r.cov[1] = r.cov[0]
		}
	}
	// The pins of primitives have no names: a hole before one could not be filled.
	whole := slices.ContainsFunc(g.c.Prims, func(p *Prim) bool { return slices.Contains(p.In, net) })
	segmented := !whole && g.p(40)
	var out []Stmt
	for range len(rs) + g.r.IntN(4) {
		r := rs[g.r.IntN(len(rs))]
		end := len(r.way) - 1
		st := Stmt{Kind: Interconnect, Inst: -1, Prim: -1, In: -1, Out: -1, Vals: g.vals(false), Inc: g.p(20), Src: r.way[0], Dst: r.way[end]}
		switch x := g.r.IntN(100); {
		case segmented && end > 1 && x < 80:
			from := g.r.IntN(end)
			to := from + 1 + g.r.IntN(end-from)
			st.Src, st.Dst = r.way[from], r.way[to]
		case x < 12:
			st.Kind = Port
			if down := g.firstDown(r.way); down < end && !whole && g.p(30) {
				st.Dst = r.way[down]
			}
		case x < 20:
			st.Kind, st.Net = NetDelay, net
			st.ByPin = st.Src.Kind == EndPin && st.Src.Inst >= 0 && g.p(30)
		case x < 25:
			st.Src = g.wrongSource(net)
		case x < 28 && g.c.Nets[net].Output:
			st.Dst = End{Kind: EndTop, Net: net} // no pin there: dropped
		}
		out = append(out, g.accept(st, net, rs, drivers)...)
	}
	return append(out, g.fillHoles(net, rs, drivers)...)
}

// drivers lists the pins that drive a net, those of primitives as ends without a name, with their scopes.
func (g *gen) drivers(net int) ([]End, []int) {
	if g.c.Nets[net].Input {
		return []End{{Kind: EndTop, Net: net}}, []int{-1}
	}
	var ends []End
	var scopes []int
	for i, in := range g.c.Insts {
		for p, n := range in.Conn {
			if n == net && in.Cell.Pins[p].Dir == Out {
				ends, scopes = append(ends, End{Kind: EndPin, Inst: i, Pin: p}), append(scopes, in.Scope)
			}
		}
	}
	for _, p := range g.c.Prims {
		if p.Out == net {
			ends, scopes = append(ends, End{Kind: EndPin, Inst: -1}), append(scopes, p.Scope)
		}
	}
	if len(ends) == 0 {
		return []End{{Kind: EndPin, Inst: -1}}, []int{g.c.Nets[net].Scope}
	}
	return ends, scopes
}

// firstDown is the position of the first port that the signal enters, or of the sink.
func (g *gen) firstDown(way []End) int {
	for i := 1; i < len(way)-1; i++ {
		if g.c.Within(g.sinkScope(way), way[i].Scope) {
			return i
		}
	}
	return len(way) - 1
}

func (g *gen) sinkScope(way []End) int { return g.c.Insts[way[len(way)-1].Inst].Scope }

// wrongSource is an output pin that does not drive the net; the statement is then taken as from all sources.
func (g *gen) wrongSource(net int) End {
	for range 10 {
		i := g.r.IntN(len(g.c.Insts))
		in := g.c.Insts[i]
		for _, o := range in.Cell.Out() {
			if in.Conn[o] != net && (in.Conn[o] >= 0 || !in.Cell.Black) {
				return End{Kind: EndPin, Inst: i, Pin: o}
			}
		}
	}
	ends, _ := g.drivers(net)
	return ends[0]
}

// accept returns the statement, for several drivers one each, if its meaning is settled; else nothing.
func (g *gen) accept(st Stmt, net int, rs []*reader, drivers []End) []Stmt {
	if st.Kind == Interconnect && st.Src.Kind == EndPin && st.Src.Inst < 0 {
		return nil // a primitive has no pin names
	}
	if len(drivers) > 1 && st.Kind == Interconnect {
		if st.Dst.Kind != EndPin || st.Src.Kind != EndPin {
			return nil
		}
		for _, d := range drivers {
			if d.Inst < 0 {
				return nil
			}
		}
		st.Inc = false
	}
	try := make([]covered, len(rs))
	for i, r := range rs {
		try[i] = covered{append([]span(nil), r.cov[0]...), append([]span(nil), r.cov[1]...)}
		s, ok := g.spanOf(st, r)
		if !ok {
			continue
		}
		for e := range 2 {
			v := st.Vals[0]
			if e == 0 && len(st.Vals) > 1 {
				v = st.Vals[1]
			}
			if v.D.Empty() {
				continue
			}
			var keep []span
			n, same := 0, false
			for _, x := range try[i][e] {
				switch {
				case s.from <= x.from && x.to <= s.to:
					n++
					same = x == s
				case x.to <= s.from || s.to <= x.from:
					keep = append(keep, x)
				default:
					return nil
				}
			}
			if st.Inc && n > 0 && !(n == 1 && same) {
				return nil
			}
			if v.NLim > 0 && v.R.Empty() && n > 0 && !(n == 1 && same) {
				return nil
			}
			try[i][e] = append(keep, s)
		}
	}
	for i, r := range rs {
		r.cov = try[i]
	}
	st.Context = g.context(st, net)
	if len(drivers) == 1 || st.Kind != Interconnect {
		return []Stmt{st}
	}
	var out []Stmt
	for _, d := range drivers {
		st.Src = d
		st.Context = g.context(st, net)
		out = append(out, st)
	}
	return out
}

// spanOf is what a statement covers of the way to a reader; ok is false when it does not concern it.
func (g *gen) spanOf(st Stmt, r *reader) (span, bool) {
	end := len(r.way) - 1
	at := func(e End) int {
		for i, x := range r.way {
			if x == e {
				return i
			}
		}
		return -1
	}
	switch st.Kind {
	case NetDelay:
		return span{0, end}, true
	case Port:
		return span{0, at(st.Dst)}, at(st.Dst) > 0
	}
	from, to := at(st.Src), at(st.Dst)
	if to <= 0 {
		return span{}, false
	}
	if from < 0 {
		if st.Src.Kind == EndPort {
			return span{}, false
		}
		from = 0
	}
	return span{from, to}, from < to
}

// fillHoles covers anew the wires whose segments do not meet.
func (g *gen) fillHoles(net int, rs []*reader, drivers []End) []Stmt {
	var out []Stmt
	for _, r := range rs {
		hole := false
		for e := range 2 {
			n := 0
			lo, hi := len(r.way), 0
			for _, x := range r.cov[e] {
				n += x.to - x.from
				lo, hi = min(lo, x.from), max(hi, x.to)
			}
			hole = hole || n > 0 && n != hi-lo
		}
		if hole {
			t := Val{D: g.triple(g.tenths())}
			st := Stmt{Kind: Port, Inst: -1, Prim: -1, In: -1, Out: -1, Vals: []Val{t}, Dst: r.way[len(r.way)-1]}
			out = append(out, g.accept(st, net, rs, drivers)...)
		}
	}
	return out
}

// context picks the CELL entry that a statement stands in: a scope that holds both ends, or the instance of a PORT.
func (g *gen) context(st Stmt, net int) Context {
	scopes := []int{}
	add := func(e End) {
		switch e.Kind {
		case EndPin:
			scopes = append(scopes, g.c.Insts[e.Inst].Scope)
		case EndPort:
			scopes = append(scopes, e.Scope)
		default:
			scopes = append(scopes, 0)
		}
	}
	switch st.Kind {
	case NetDelay:
		if st.ByPin {
			add(st.Src)
		} else {
			scopes = append(scopes, g.c.Nets[net].Scope)
		}
	case Port:
		if st.Dst.Kind == EndPin && g.p(30) {
			return Context{Scope: -1, Inst: st.Dst.Inst}
		}
		add(st.Dst)
	default:
		add(st.Src)
		add(st.Dst)
	}
	var ok []int
	for s := range g.c.Scopes {
		all := true
		for _, t := range scopes {
			all = all && g.c.Within(t, s)
		}
		if all {
			ok = append(ok, s)
		}
	}
	if g.p(60) {
		return Context{Scope: 0, Inst: -1}
	}
	return Context{Scope: ok[g.r.IntN(len(ok))], Inst: -1}
}
