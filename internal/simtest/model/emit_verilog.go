package model

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// Verilog is the netlist as text.
func (c *Circuit) Verilog() string {
	v := &verilogWriter{c: c, r: rand.New(rand.NewPCG(c.Seed, 2))}
	v.printf("`timescale %s/%s\n", c.Unit(3), c.Unit(0))
	for s := len(c.Scopes) - 1; s >= 0; s-- {
		v.module(s)
	}
	return v.b.String()
}

type verilogWriter struct {
	c *Circuit
	r *rand.Rand
	b strings.Builder
}

func (v *verilogWriter) printf(f string, args ...any) { fmt.Fprintf(&v.b, f, args...) }

// id writes an identifier, escaped where it must be.
func id(s string) string {
	for i := range len(s) {
		ch := s[i]
		letter := ch == '_' || ch|32 >= 'a' && ch|32 <= 'z'
		if !letter && (i == 0 || ch != '$' && (ch < '0' || ch > '9')) {
			return `\` + s + " "
		}
	}
	return s
}

// ref is a net as seen in a scope.
func (v *verilogWriter) ref(net, scope int) string {
	switch net {
	case Const0, Const1:
		return fmt.Sprintf("1'b%d", net&1)
	}
	n := v.c.Nets[net]
	if scope != n.Scope {
		return id(n.Local[scope])
	}
	if n.Bit >= 0 {
		return fmt.Sprintf("%s[%d]", id(n.Name), n.Bit)
	}
	if len(n.Aliases) > 0 && v.r.IntN(2) == 0 {
		return id(n.Aliases[v.r.IntN(len(n.Aliases))].Name)
	}
	return id(n.Name)
}

// target is a net as the left side of an assignment: by its name, since an alias, assigned twice, would not be one.
func (v *verilogWriter) target(net, scope int) string {
	n := v.c.Nets[net]
	if scope == n.Scope && n.Bit < 0 {
		return id(n.Name)
	}
	return v.ref(net, scope)
}

// port is a port of a module: a scalar, or a vector of nets, msb first.
type port struct {
	dir, name string
	nets      []int
	bits      []int
	alias     bool
}

// ports lists the ports of a scope.
func (v *verilogWriter) ports(s int) []port {
	var ps []port
	if s > 0 {
		for net, n := range v.c.Nets {
			if name, ok := n.Local[s]; ok {
				ps = append(ps, port{dir: v.direction(net, s), name: name, nets: []int{net}})
			}
		}
		return ps
	}
	for net, n := range v.c.Nets {
		dir := ""
		switch {
		case n.Scope != 0:
			continue
		case n.Input:
			dir = "input"
		case n.Output:
			dir = "output"
		}
		if dir != "" {
			i := slices.IndexFunc(ps, func(p port) bool { return p.name == n.Name })
			if i < 0 {
				ps = append(ps, port{dir: dir, name: n.Name})
				i = len(ps) - 1
			}
			ps[i].nets = append(ps[i].nets, net)
			ps[i].bits = append(ps[i].bits, n.Bit)
		}
		for _, a := range n.Aliases {
			if a.Output {
				ps = append(ps, port{dir: "output", name: a.Name, nets: []int{net}, bits: []int{-1}, alias: true})
			}
		}
	}
	return ps
}

// direction of the port of a net at a scope: drivers inside, outside or both.
func (v *verilogWriter) direction(net, s int) string {
	inside, outside := false, v.c.Nets[net].Input
	drive := func(scope int) {
		if v.c.Within(scope, s) {
			inside = true
		} else {
			outside = true
		}
	}
	for _, in := range v.c.Insts {
		for _, o := range in.Cell.Out() {
			if in.Conn[o] == net {
				drive(in.Scope)
			}
		}
	}
	for _, p := range v.c.Prims {
		if p.Out == net {
			drive(p.Scope)
		}
	}
	switch {
	case inside && outside:
		return "inout"
	case inside:
		return "output"
	}
	return "input"
}

// span is the range of a vector: now and then ascending.
func (v *verilogWriter) span(name string) string {
	lo, hi := v.c.Range(name)
	if v.c.Ascending(name) {
		return fmt.Sprintf("[%d:%d] ", lo, hi)
	}
	return fmt.Sprintf("[%d:%d] ", hi, lo)
}

// Range is the smallest and greatest bit of a vector.
func (c *Circuit) Range(name string) (lo, hi int) {
	lo, hi = 1<<30, -1
	for _, n := range c.Nets {
		if n.Bit >= 0 && n.Name == name {
			lo, hi = min(lo, n.Bit), max(hi, n.Bit)
		}
	}
	return lo, hi
}

// Ascending says whether a vector is declared [lo:hi].
func (c *Circuit) Ascending(name string) bool { return (c.Seed+uint64(name[len(name)-1]))%5 == 0 }

func (v *verilogWriter) module(s int) {
	c := v.c
	ports := v.ports(s)
	ansi := v.r.IntN(3) > 0
	var head, decl []string
	declared := map[string]bool{}
	for _, p := range ports {
		d := p.dir + " "
		if len(p.bits) > 0 && p.bits[0] >= 0 {
			d += v.span(p.name)
		}
		d += id(p.name)
		declared[p.name] = true
		if ansi {
			head = append(head, d)
		} else {
			head = append(head, id(p.name))
			decl = append(decl, d)
		}
	}
	v.printf("module %s (%s);\n", c.Scopes[s].Module, strings.Join(head, ", "))
	for _, d := range decl {
		v.printf("  %s;\n", d)
	}
	v.wires(s, declared)
	for t, sc := range c.Scopes {
		if t > 0 && sc.Parent == s {
			v.scope(t, s)
		}
	}
	for _, in := range c.Insts {
		if in.Scope == s {
			v.inst(in)
		}
	}
	for _, p := range c.Prims {
		if p.Scope == s {
			v.prim(p)
		}
	}
	v.printf("endmodule\n\n")
}

// wires declares nets and joins aliases.
func (v *verilogWriter) wires(s int, declared map[string]bool) {
	for _, n := range v.c.Nets {
		if n.Scope != s {
			continue
		}
		if !declared[n.Name] {
			declared[n.Name] = true
			switch {
			case n.Bit >= 0:
				v.printf("  wire %s%s;\n", v.span(n.Name), id(n.Name))
			case n.Delay != nil:
				v.printf("  wire %s%s;\n", hash(n.Delay), id(n.Name))
			default:
				v.printf("  wire %s;\n", id(n.Name))
			}
		}
		name := id(n.Name)
		if n.Bit >= 0 {
			name = fmt.Sprintf("%s[%d]", name, n.Bit)
		}
		for _, a := range n.Aliases {
			if !a.Output {
				v.printf("  wire %s;\n", id(a.Name))
			}
			v.printf("  assign %s = %s;\n", id(a.Name), name)
		}
	}
}

// hash is #delay.
func hash(d []Triple) string {
	var vs []string
	for _, t := range d {
		if t.Single {
			vs = append(vs, t.V[0])
		} else {
			vs = append(vs, strings.Join(t.V[:], ":"))
		}
	}
	return "#(" + strings.Join(vs, ",") + ") "
}

func (v *verilogWriter) scope(t, s int) {
	var cs []string
	for _, p := range v.ports(t) {
		cs = append(cs, fmt.Sprintf(".%s(%s)", id(p.name), v.ref(p.nets[0], s)))
	}
	v.printf("  %s %s (%s);\n", v.c.Scopes[t].Module, id(v.c.Scopes[t].Name), strings.Join(cs, ", "))
}

func (v *verilogWriter) inst(in *Inst) {
	var cs []string
	ordered := v.r.IntN(10) == 0 && !in.Cell.Black // the pins of a black box have names only here
	for i, p := range in.Cell.Pins {
		if p.Dir == Internal {
			ordered = false
			continue
		}
		text := ""
		if in.Conn[i] != Open {
			text = v.ref(in.Conn[i], in.Scope)
		}
		if ordered {
			cs = append(cs, text)
			continue
		}
		if in.Conn[i] == Open && v.r.IntN(2) == 0 {
			continue
		}
		cs = append(cs, fmt.Sprintf(".%s(%s)", p.Name, text))
	}
	if ordered {
		// An internal pin behind some ordered ones would have mixed the two forms: then all are named.
		if slices.ContainsFunc(in.Cell.Pins, func(p Pin) bool { return p.Dir == Internal }) {
			ordered = false
		}
	}
	if !ordered {
		cs = cs[:0]
		for i, p := range in.Cell.Pins {
			if p.Dir == Internal || in.Conn[i] == Open && v.r.IntN(2) == 0 {
				continue
			}
			text := ""
			if in.Conn[i] != Open {
				text = v.ref(in.Conn[i], in.Scope)
			}
			cs = append(cs, fmt.Sprintf(".%s(%s)", p.Name, text))
		}
		v.r.Shuffle(len(cs), func(i, j int) { cs[i], cs[j] = cs[j], cs[i] })
	}
	v.printf("  %s %s (%s);\n", in.Cell.Name, id(in.Name), strings.Join(cs, ", "))
}

func (v *verilogWriter) prim(p *Prim) {
	d := ""
	if p.Delay != nil {
		d = hash(p.Delay)
	}
	if p.Op == "assign" {
		text := p.Fn.Text(Verilog, v.r, func(name string) string {
			var i int
			fmt.Sscanf(name, "i%d", &i)
			return v.ref(p.In[i], p.Scope)
		})
		v.printf("  assign %s%s = %s;\n", d, v.target(p.Out, p.Scope), text)
		return
	}
	cs := []string{v.ref(p.Out, p.Scope)}
	for _, n := range p.In {
		cs = append(cs, v.ref(n, p.Scope))
	}
	v.printf("  %s %s%s (%s);\n", p.Op, d, id(p.Name), strings.Join(cs, ", "))
}
