package edittest

import (
	"fmt"
	"slices"
	"strings"
)

// netlists writes the modules of each file, those of the top last.
func (d *Design) netlists() []string {
	n := 1
	if d.split {
		n = 2
	}
	texts := make([]strings.Builder, n)
	for i := range texts {
		texts[i].WriteString("`timescale 1ns/1ps\n")
	}
	for i := len(d.mods) - 1; i >= 0; i-- {
		m := d.mods[i]
		m.write(&texts[min(m.file, n-1)])
	}
	out := make([]string, n)
	for i := range texts {
		out[i] = texts[i].String()
	}
	return out
}

// busWidth is the width of the one bus w that a module may have.
const busWidth = 8

func (m *module) write(b *strings.Builder) {
	p := func(f string, args ...any) { fmt.Fprintf(b, f, args...) }
	for _, c := range m.head {
		p("// %s\n", c)
	}
	p("module %s (", m.name)
	for i, x := range m.ports {
		if i > 0 {
			p(", ")
		}
		p("%s", x.name)
	}
	p(");\n")
	tab := "  "
	if m.tabs {
		tab = "\t "
	}
	for _, x := range m.ports {
		if x.width > 0 {
			p("%s%s [%d:0] %s;\n", tab, x.dir, x.width-1, x.name)
		} else {
			p("%s%s %s;\n", tab, x.dir, x.name)
		}
	}
	bus := false
	for _, n := range m.nets {
		switch {
		case n.port || n.implicit:
		case strings.HasPrefix(n.name, "w["):
			if !bus {
				p("%swire [%d:0] w;\n", tab, busWidth-1)
			}
			bus = true
		default:
			p("%swire %s;\n", tab, n.name)
		}
	}
	for _, it := range m.items {
		p("%s", tab)
		it.write(b)
	}
	p("endmodule\n")
}

func (it *item) write(b *strings.Builder) {
	p := func(f string, args ...any) { fmt.Fprintf(b, f, args...) }
	switch it.kind {
	case commentItem:
		p("/* %s */\n", it.text)
		return
	case assignItem:
		p("assign %s = ", it.conn[0].nets[0])
		for i, c := range it.conn[1:] {
			if i > 0 {
				p(" %s ", it.text)
			}
			p("%s", c.nets[0])
		}
		p(";\n")
		return
	case primItem:
		p("%s %s (", it.text, it.name)
		for i, c := range it.conn {
			if i > 0 {
				p(", ")
			}
			p("%s", c.nets[0])
		}
		p(");\n")
		return
	case subItem:
		p("%s", it.sub.name)
	default:
		p("%s", it.cell.name)
	}
	p(" %s (", it.name)
	for i, c := range it.conn {
		if i > 0 {
			p(", ")
		}
		if len(c.nets) > 1 {
			p(".%s({%s})", c.pin, strings.Join(c.nets, ", "))
		} else {
			p(".%s(%s)", c.pin, c.nets[0])
		}
	}
	p(");\n")
}

// rank of a net; constants have the lowest.
func (m *module) rank(name string) float64 {
	if i := slices.IndexFunc(m.nets, func(n net) bool { return n.name == name }); i >= 0 {
		return m.nets[i].rank
	}
	return -1
}

// below lists the nets of a lower rank.
func (m *module) below(rank float64) []string {
	var s []string
	for _, n := range m.nets {
		if n.rank < rank {
			s = append(s, n.name)
		}
	}
	return s
}

// outputs lists the nets that an item drives.
func (it *item) outputs() []*conn {
	var out []*conn
	switch it.kind {
	case cellItem:
		for _, o := range it.cell.out {
			if c := it.at(o.pin); c != nil {
				out = append(out, c)
			}
		}
	case subItem:
		for _, p := range it.sub.ports {
			if c := it.at(p.name); p.dir == "output" && c != nil {
				out = append(out, c)
			}
		}
	case assignItem, primItem:
		out = append(out, &it.conn[0])
	}
	return out
}

// inputs lists what an item reads.
func (it *item) inputs() []*conn {
	out := it.outputs()
	var in []*conn
	for i := range it.conn {
		if !slices.Contains(out, &it.conn[i]) {
			in = append(in, &it.conn[i])
		}
	}
	return in
}

// newNet declares a net: plain, escaped, or a bit of the bus.
func (d *Design) newNet(m *module, rank float64) string {
	n := net{name: d.name("n"), rank: rank}
	switch {
	case d.p(12):
		n.name = "\\" + n.name + ".q/$x "
	case d.p(15):
		for bit := range busWidth {
			s := fmt.Sprintf("w[%d]", bit)
			if !slices.ContainsFunc(m.nets, func(x net) bool { return x.name == s }) {
				n.name = s
				break
			}
		}
	case d.p(10):
		n.implicit = true
	}
	m.nets = append(m.nets, n)
	return n.name
}

// bare is a name without the marks of an escaped one.
func bare(name string) string { return strings.TrimSuffix(strings.TrimPrefix(name, "\\"), " ") }
