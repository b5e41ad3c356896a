package verilog

import (
	"fmt"
	"io"
	"strings"

	"github.com/wattd/wattd/internal/format/scan"
)

// dumper prints modules compactly, one declaration or instance a line.
type dumper struct {
	w     io.Writer
	names *scan.Names
	m     *Module
}

func dump(w io.Writer, names *scan.Names, ms []*Module) {
	for _, m := range ms {
		d := dumper{w, names, m}
		d.module()
	}
}

func (d *dumper) name(id int32) string {
	if id == 0 {
		return "-"
	}
	return fmt.Sprintf("%q", d.names.Bytes(id))
}

func (d *dumper) module() {
	m := d.m
	fmt.Fprintf(d.w, "module %s %s unit=%d%s%s%s%s\n", d.name(m.Name), at(m.Pos), m.UnitExp,
		opt(m.Celldefine, "celldefine"), opt(m.NoImplicit, "noimplicit"), opt(m.Shaped, "shaped"), opt(m.Overrides, "overrides"))
	if m.Behavioural {
		fmt.Fprintf(d.w, "  behavioural %s %s\n", m.BehavWhat, at(m.BehavPos))
	}
	for _, p := range m.Ports {
		fmt.Fprintf(d.w, "  port %s", d.name(p.Name))
		if p.Expr != None {
			fmt.Fprintf(d.w, " = %s", d.expr(p.Expr))
		}
		fmt.Fprintln(d.w)
	}
	for _, n := range m.Nets {
		fmt.Fprintf(d.w, "  net %s%s %s%s%s", [...]string{"", "input ", "output ", "inout "}[n.Dir],
			[...]string{"wire", "wand", "wor", "tri0", "tri1", "supply0", "supply1", "reg"}[n.Kind], d.name(n.Name),
			d.rng(n.Vector, n.Msb, n.Lsb), opt(n.Signed, "signed"))
		fmt.Fprintf(d.w, "%s %s\n", d.delay(n.Delay), at(n.Pos))
	}
	for i, in := range m.Insts {
		cell := d.name(in.Cell)
		if in.Prim != PrimNone {
			cell = [...]string{"", "and", "nand", "or", "nor", "xor", "xnor", "buf", "not", "bufif0", "bufif1", "notif0", "notif1", "pullup", "pulldown", "tran"}[in.Prim]
		}
		fmt.Fprintf(d.w, "  inst %s %s%s%s%s (", cell, d.name(in.Name), d.rng(in.Array, in.Msb, in.Lsb), opt(in.Params, "params"), d.delay(in.Delay))
		for k, c := range m.Conns[in.Conn : in.Conn+in.NConn] {
			if k > 0 {
				fmt.Fprint(d.w, ", ")
			}
			if c.Port != 0 {
				fmt.Fprintf(d.w, "%s: ", d.name(c.Port))
			}
			if c.Expr == None {
				fmt.Fprint(d.w, "open")
			} else {
				fmt.Fprint(d.w, d.expr(c.Expr))
			}
		}
		fmt.Fprintf(d.w, ") %s", at(in.Pos))
		if s, ok := m.Src[int32(i)]; ok {
			fmt.Fprintf(d.w, " src=%s", d.name(s))
		}
		fmt.Fprintln(d.w)
	}
	for _, a := range m.Assigns {
		fmt.Fprintf(d.w, "  assign %s = %s%s %s\n", d.expr(a.LHS), d.expr(a.RHS), d.delay(a.Delay), at(a.Pos))
	}
}

func at(p Pos) string {
	if p.File != 0 {
		return fmt.Sprintf("@%d:%d:%d", p.File, p.Line, p.Col)
	}
	return fmt.Sprintf("@%d:%d", p.Line, p.Col)
}

func opt(b bool, s string) string {
	if b {
		return " " + s
	}
	return ""
}

func (d *dumper) rng(is bool, msb, lsb int32) string {
	if !is {
		return ""
	}
	return fmt.Sprintf("[%d:%d]", msb, lsb)
}

func (d *dumper) delay(i int32) string {
	if i == None {
		return ""
	}
	x := d.m.Delay[i]
	var s []string
	for _, v := range x.V[:x.N] {
		var t []string
		for _, c := range v {
			t = append(t, fmt.Sprintf("%de%d", c.Coef, c.Exp))
		}
		if t[0] == t[1] && t[1] == t[2] {
			t = t[:1]
		}
		s = append(s, strings.Join(t, ":"))
	}
	return " #(" + strings.Join(s, ",") + ")"
}

func (d *dumper) expr(e int32) string {
	x := d.m.Exprs[e]
	list := func(op string, es ...int32) string {
		var s []string
		for _, o := range es {
			s = append(s, d.expr(o))
		}
		return "(" + op + " " + strings.Join(s, " ") + ")"
	}
	switch x.Op {
	case Ref:
		return d.name(x.A)
	case Select:
		return fmt.Sprintf("%s[%d]", d.name(x.A), x.B)
	case Part:
		return fmt.Sprintf("%s[%d:%d]", d.name(x.A), x.B, x.C)
	case Const:
		size := "?"
		if x.C == 1 {
			size = fmt.Sprint(x.B)
		}
		return size + "'b" + string(d.m.Bits[x.A:x.A+x.B])
	case Concat:
		return "{" + strings.Trim(list("", d.m.Lists[x.A:x.A+x.B]...), "() ") + "}"
	case Repl:
		return fmt.Sprintf("{%dx %s}", x.A, d.expr(x.B))
	case OpCond:
		return list("?", x.A, x.B, x.C)
	}
	if x.Op >= opAdd {
		return "(" + opWhat[x.Op-opAdd] + ")"
	}
	un := map[Op]string{OpNot: "~", OpLNot: "!", RedAnd: "&1", RedOr: "|1", RedXor: "^1", RedNand: "~&1", RedNor: "~|1", RedXnor: "~^1"}
	if s, ok := un[x.Op]; ok {
		return list(s, x.A)
	}
	bin := map[Op]string{OpAnd: "&", OpOr: "|", OpXor: "^", OpXnor: "~^", OpLAnd: "&&", OpLOr: "||", OpEq: "==", OpNe: "!="}
	return list(bin[x.Op], x.A, x.B)
}
