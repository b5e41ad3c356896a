package model

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// SDFTexts is the annotation as text: one file, or two to be read in order.
func (c *Circuit) SDFTexts() []string {
	if c.SDFCut == 0 || c.SDFCut >= len(c.SDF) {
		return []string{c.sdf(c.SDF)}
	}
	return []string{c.sdf(c.SDF[:c.SDFCut]), c.sdf(c.SDF[c.SDFCut:])}
}

func (c *Circuit) sdf(stmts []Stmt) string {
	w := &sdfWriter{c: c, r: rand.New(rand.NewPCG(c.Seed, 4))}
	unit := c.Unit(c.Timescale)
	w.printf("(DELAYFILE\n  (SDFVERSION \"3.0\")\n  (DESIGN \"top\")\n  (DIVIDER %c)\n", c.Divider)
	if unit != "1ns" || c.Seed%2 == 0 {
		w.printf("  (TIMESCALE %s)\n", unit)
	}
	for i := range stmts {
		w.stmt(&stmts[i])
	}
	w.close()
	w.printf(")\n")
	return w.b.String()
}

type sdfWriter struct {
	c *Circuit
	r *rand.Rand
	b strings.Builder

	entry string // the header of the open CELL entry
	group string // ABSOLUTE or INCREMENT, if one is open
}

func (w *sdfWriter) printf(f string, args ...any) { fmt.Fprintf(&w.b, f, args...) }

func (w *sdfWriter) closeGroup() {
	if w.group != "" {
		w.printf("    )\n")
		w.group = ""
	}
}

func (w *sdfWriter) close() {
	w.closeGroup()
	if w.entry != "" {
		w.printf("  ))\n")
		w.entry = ""
	}
}

// path joins names with the divider; what is not a letter, digit, _ or $ is escaped.
func (w *sdfWriter) path(names ...string) string {
	var b strings.Builder
	for i, n := range names {
		if i > 0 {
			b.WriteByte(w.c.Divider)
		}
		for j := range len(n) {
			ch := n[j]
			if ch != '_' && ch != '$' && (ch < '0' || ch > '9') && (ch|32 < 'a' || ch|32 > 'z') {
				b.WriteByte('\\')
			}
			b.WriteByte(ch)
		}
	}
	return b.String()
}

// below is the path of a scope as seen from another that holds it.
func (w *sdfWriter) below(scope, from int) []string {
	return w.c.Path(scope)[len(w.c.Path(from)):]
}

func (w *sdfWriter) header(st *Stmt) string {
	c := w.c
	cell := func(typ string, path string) string {
		return fmt.Sprintf("  (CELL (CELLTYPE \"%s\") (INSTANCE %s)", typ, path)
	}
	switch {
	case st.All:
		return cell(st.Cell.Name, "*")
	case st.Inst >= 0:
		in := c.Insts[st.Inst]
		return cell(in.Cell.Name, w.path(append(c.Path(in.Scope), in.Name)...))
	case st.Prim >= 0:
		p := c.Prims[st.Prim]
		return cell(p.Op, w.path(append(c.Path(p.Scope), p.Name)...))
	case st.Context.Inst >= 0:
		in := c.Insts[st.Context.Inst]
		return cell(in.Cell.Name, w.path(append(c.Path(in.Scope), in.Name)...))
	}
	return cell(c.Scopes[st.Context.Scope].Module, w.path(c.Path(st.Context.Scope)...))
}

func (w *sdfWriter) stmt(st *Stmt) {
	if h := w.header(st); h != w.entry || st.NewCell {
		w.close()
		w.printf("%s\n  (DELAY\n", h)
		w.entry = h
	}
	if st.Kind == PathPulse || st.Kind == PathPulsePercent {
		w.closeGroup()
		word := "PATHPULSE"
		if st.Kind == PathPulsePercent {
			word = "PATHPULSEPERCENT"
		}
		ports := ""
		if st.Out >= 0 {
			cell := w.c.Insts[st.Inst].Cell
			ports = cell.Pins[st.In].Name + " " + cell.Pins[st.Out].Name + " "
		}
		w.printf("    (%s %s%s)\n", word, ports, triples(st.Lims))
		return
	}
	group := "ABSOLUTE"
	if st.Inc {
		group = "INCREMENT"
	}
	if w.group != group {
		w.closeGroup()
		w.printf("    (%s\n", group)
		w.group = group
	}
	w.printf("      %s\n", w.body(st))
}

func (w *sdfWriter) body(st *Stmt) string {
	vs := values(st.Vals)
	switch st.Kind {
	case Device:
		if st.Prim >= 0 || st.Out < 0 {
			return fmt.Sprintf("(DEVICE %s)", vs)
		}
		return fmt.Sprintf("(DEVICE %s %s)", w.c.Insts[st.Inst].Cell.Pins[st.Out].Name, vs)
	case Interconnect:
		return fmt.Sprintf("(INTERCONNECT %s %s %s)", w.end(st.Src, st.Context), w.end(st.Dst, st.Context), vs)
	case Port:
		return fmt.Sprintf("(PORT %s %s)", w.end(st.Dst, st.Context), vs)
	case NetDelay:
		if st.ByPin {
			return fmt.Sprintf("(NETDELAY %s %s)", w.end(st.Src, st.Context), vs)
		}
		n := w.c.Nets[st.Net]
		return fmt.Sprintf("(NETDELAY %s %s)", w.netName(n, w.below(n.Scope, st.Context.Scope)), vs)
	}
	cell := st.Cell
	if !st.All {
		cell = w.c.Insts[st.Inst].Cell
	}
	in := cell.Pins[st.In].Name
	switch st.Edge {
	case Pos:
		in = []string{"(posedge " + in + ")", "(01 " + in + ")"}[w.r.IntN(2)]
	case Neg:
		in = []string{"(negedge " + in + ")", "(10 " + in + ")"}[w.r.IntN(2)]
	}
	p := fmt.Sprintf("(IOPATH %s %s %s)", in, cell.Pins[st.Out].Name, vs)
	switch st.CondKind {
	case Cond:
		return fmt.Sprintf("(COND %s %s)", st.Cond.Text(SDF, w.r, nil), p)
	case CondElse:
		return fmt.Sprintf("(CONDELSE %s)", p)
	}
	return p
}

// netName writes a net; the bit of a vector keeps its brackets.
func (w *sdfWriter) netName(n *Net, prefix []string) string {
	s := w.path(append(append([]string(nil), prefix...), n.Name)...)
	if n.Bit >= 0 {
		s += fmt.Sprintf("[%d]", n.Bit)
	}
	return s
}

func (w *sdfWriter) end(e End, ctx Context) string {
	c := w.c
	switch e.Kind {
	case EndTop:
		return w.netName(c.Nets[e.Net], nil)
	case EndPort:
		return w.path(append(w.below(e.Scope, ctx.Scope), c.Nets[e.Net].Local[e.Scope])...)
	}
	in := c.Insts[e.Inst]
	if ctx.Inst >= 0 {
		return in.Cell.Pins[e.Pin].Name
	}
	return w.path(append(append(w.below(in.Scope, ctx.Scope), in.Name), in.Cell.Pins[e.Pin].Name)...)
}

func values(vs []Val) string {
	var out []string
	for _, v := range vs {
		s := triple(v.D)
		switch v.NLim {
		case 1:
			s = "(" + s + " " + triple(v.R) + ")"
		case 2:
			s = "(" + s + " " + triple(v.R) + " " + triple(v.E) + ")"
		}
		out = append(out, s)
	}
	return strings.Join(out, " ")
}

func triples(ts []Triple) string {
	var out []string
	for _, t := range ts {
		out = append(out, triple(t))
	}
	return strings.Join(out, " ")
}

func triple(t Triple) string {
	switch {
	case t.Single:
		return "(" + t.V[0] + ")"
	case t.Empty():
		return "()"
	}
	return "(" + strings.Join(t.V[:], ":") + ")"
}
