package edittest

import (
	"fmt"
	"strings"
)

// sdfFile is one SDF file. Values are in ps.
type sdfFile struct {
	mount   string // @INSTANCE, or ""
	divider byte
	ns      bool // TIMESCALE 1ns, else 1ps
	comment string
	entries []*sdfEntry
}

type sdfEntry struct {
	cell  string
	path  []string // nil: the top
	wild  bool     // every instance of the cell
	stmts []sdfStmt
}

// sdfStmt is a path of a cell, or with dst a wire, or with only dst a PORT.
type sdfStmt struct {
	cond, edge, in, out string
	src, dst            []string
	vals                []triple
	inc                 bool
}

type triple [3]int

func (f *sdfFile) text() string {
	var b strings.Builder
	p := func(s string, args ...any) { fmt.Fprintf(&b, s, args...) }
	p("(DELAYFILE\n  (SDFVERSION \"3.0\")\n  (DESIGN \"top\")\n  (DIVIDER %c)\n", f.divider)
	unit := "1ps"
	if f.ns {
		unit = "1ns"
	}
	p("  (TIMESCALE %s)\n", unit)
	if f.comment != "" {
		p("  // %s\n", f.comment)
	}
	for _, e := range f.entries {
		inst := f.path(e.path)
		if e.wild {
			inst = "*"
		}
		p("  (CELL (CELLTYPE \"%s\") (INSTANCE %s)\n", e.cell, inst)
		for i := 0; i < len(e.stmts); {
			inc := e.stmts[i].inc
			word := "ABSOLUTE"
			if inc {
				word = "INCREMENT"
			}
			p("    (DELAY (%s\n", word)
			for ; i < len(e.stmts) && e.stmts[i].inc == inc; i++ {
				p("      %s\n", f.stmt(&e.stmts[i]))
			}
			p("    ))\n")
		}
		p("  )\n")
	}
	p(")\n")
	return b.String()
}

func (f *sdfFile) path(names []string) string {
	var b strings.Builder
	for i, n := range names {
		if i > 0 {
			b.WriteByte(f.divider)
		}
		n = bare(n)
		bit := ""
		if k := strings.IndexByte(n, '['); k > 0 { // the bits of buses and their ports
			n, bit = n[:k], n[k:]
		}
		for j := range len(n) {
			c := n[j]
			if c != '_' && (c < '0' || c > '9') && (c|32 < 'a' || c|32 > 'z') {
				b.WriteByte('\\')
			}
			b.WriteByte(c)
		}
		b.WriteString(bit)
	}
	return b.String()
}

func (f *sdfFile) stmt(s *sdfStmt) string {
	var vals []string
	for _, v := range s.vals {
		vals = append(vals, f.triple(v))
	}
	v := strings.Join(vals, " ")
	switch {
	case len(s.dst) > 0 && len(s.src) > 0:
		return fmt.Sprintf("(INTERCONNECT %s %s %s)", f.path(s.src), f.path(s.dst), v)
	case len(s.dst) > 0:
		return fmt.Sprintf("(PORT %s %s)", f.path(s.dst), v)
	}
	in := s.in
	if s.edge != "" {
		in = "(" + s.edge + " " + in + ")"
	}
	t := fmt.Sprintf("(IOPATH %s %s %s)", in, s.out, v)
	switch s.cond {
	case "":
		return t
	case "else":
		return "(CONDELSE " + t + ")"
	}
	return "(COND " + s.cond + " " + t + ")"
}

func (f *sdfFile) triple(v triple) string {
	if v == (triple{-1, -1, -1}) {
		return "()"
	}
	n := func(x int) string {
		if f.ns {
			return fmt.Sprintf("%d.%03d", x/1000, x%1000)
		}
		return fmt.Sprint(x)
	}
	if v[0] == v[1] && v[1] == v[2] {
		return "(" + n(v[0]) + ")"
	}
	return "(" + n(v[0]) + ":" + n(v[1]) + ":" + n(v[2]) + ")"
}

func (d *Design) delay(most int) triple {
	t := 1 + d.r.IntN(most)
	if d.p(60) {
		return triple{t, t, t}
	}
	return triple{max(1, t-d.r.IntN(5)), t, t + d.r.IntN(9)}
}

func (d *Design) delays(most int) []triple {
	if d.p(20) {
		return []triple{d.delay(most)}
	}
	return []triple{d.delay(most), d.delay(most)}
}

// arcs are the statements of one instance.
func (d *Design) arcs(l *leaf) []sdfStmt {
	var s []sdfStmt
	for _, o := range l.in.cell.out {
		for _, in := range l.in.cell.in {
			x := sdfStmt{in: in, out: o.pin, vals: d.delays(60)}
			if d.p(6) {
				continue
			}
			if (in == "CK" || in == "G") && l.in.cell.kind == "ff" {
				x.edge = "posedge"
			}
			s = append(s, x)
			for n := d.r.IntN(3); n > 0 && len(l.in.cell.in) > 1 && d.p(40); n-- {
				s = append(s, d.condition(l.in.cell, in, o.pin))
			}
		}
	}
	return s
}

// condition is a statement that holds in a state of another pin.
func (d *Design) condition(c *cell, in, out string) sdfStmt {
	other := in
	for other == in {
		other = pick(d.r, c.in)
	}
	s := sdfStmt{in: in, out: out, vals: d.delays(60)}
	s.cond = fmt.Sprintf(pick(d.r, []string{"%s==1'b1", "%s===1'b0", "~%s", "%s"}), other)
	if d.p(10) {
		s.cond = "else"
	}
	if d.p(15) {
		s.edge = pick(d.r, []string{"posedge", "negedge"})
	}
	return s
}

// wires are statements for the pins of the flat design, to be held by one CELL.
func (d *Design) wires(all []leaf, percent int) []sdfStmt {
	driver := map[string][]string{} // by net
	for _, n := range d.mods[0].nets {
		if n.port {
			driver[n.name] = []string{n.name}
		}
	}
	for _, l := range all {
		for _, o := range l.in.cell.out {
			if n, ok := l.net[o.pin]; ok {
				driver[n] = append(append([]string(nil), l.path...), o.pin)
			}
		}
	}
	var s []sdfStmt
	for _, l := range all {
		for _, in := range l.in.cell.in {
			src, ok := driver[l.net[in]]
			if !ok || !d.p(percent) {
				continue
			}
			dst := append(append([]string(nil), l.path...), in)
			x := sdfStmt{src: src, dst: dst, vals: d.delays(25)}
			if d.p(8) {
				x.src = nil // a PORT
			}
			x.inc = d.p(4)
			s = append(s, x)
		}
	}
	return s
}

// annotate makes the SDF files anew.
func (d *Design) annotate() {
	all := d.leaves()
	for i, f := range d.sdf {
		f.entries = nil
		if i == 1 { // some more, that act after the first
			for range 1 + d.r.IntN(4) {
				l := pick(d.r, all)
				f.entries = append(f.entries, &sdfEntry{cell: l.in.cell.name, path: f.below(l.path), stmts: d.arcs(&l)})
			}
			if f.mount != "" {
				f.entries = keepBelow(f.entries)
			} else if d.p(50) {
				f.entries = append(f.entries, &sdfEntry{cell: "top", stmts: d.wires(all, 10)})
			}
			continue
		}
		f.entries = append(f.entries, &sdfEntry{cell: "top", stmts: d.wires(all, 70)})
		if d.p(20) {
			c := pick(d.r, cells[:16])
			f.entries = append(f.entries, &sdfEntry{cell: c.name, wild: true, stmts: d.arcs(&leaf{in: &item{cell: c}})})
		}
		for k := range all {
			if d.p(90) {
				f.entries = append(f.entries, &sdfEntry{cell: all[k].in.cell.name, path: all[k].path, stmts: d.arcs(&all[k])})
			}
		}
	}
}

// below is a path as a mounted file names it; nil when the file cannot.
func (f *sdfFile) below(path []string) []string {
	if f.mount == "" {
		return path
	}
	if path[0] == f.mount[1:] && len(path) > 1 {
		return path[1:]
	}
	return nil
}

func keepBelow(es []*sdfEntry) (kept []*sdfEntry) {
	for _, e := range es {
		if e.path != nil {
			kept = append(kept, e)
		}
	}
	return kept
}
