package verilog

import (
	"github.com/wattd/wattd/internal/diag"
	"github.com/wattd/wattd/internal/format/scan"
)

// instances reads `cell #(...) name [range] (connections), ...;`.
func (p *parser) instances() bool {
	src := p.src
	p.src = 0
	proto := Inst{Delay: None}
	at := p.pos()
	var ok bool
	if proto.Cell, ok = p.name("a module or cell name"); !ok {
		return false
	}
	if p.kind == '#' {
		p.report(diag.VerilogOverride, at, "parameters of an instance of %s are ignored", p.names.Bytes(proto.Cell))
		proto.Params = true
		if p.next(); p.kind == '(' {
			if !p.skipParens() {
				return false
			}
		} else {
			p.next()
		}
	}
	return p.instanceList(proto, at, src)
}

// primitives reads instances of a gate primitive.
func (p *parser) primitives(w keyword) bool {
	src := p.src
	p.src = 0
	at := p.pos()
	proto := Inst{Delay: None, Prim: And + Prim(w-kwAnd)}
	p.next()
	ok := true
	if p.kind == '#' {
		if proto.Delay, ok = p.delay(); !ok {
			return false
		}
	}
	// A strength and the terminals of an unnamed gate both begin with a parenthesis; see instance.
	return p.instanceList(proto, at, src)
}

func (p *parser) instanceList(proto Inst, at Pos, src int32) bool {
	for {
		if !p.instance(&proto, at, src) {
			return false
		}
		if p.kind == ',' {
			p.next()
			at = p.pos()
			continue
		}
		return p.endItem("an instance")
	}
}

// instance reads one instance from its name on.
func (p *parser) instance(proto *Inst, at Pos, src int32) bool {
	in := *proto
	in.Pos = at
	named := p.kind == tIdent || p.kind == tEscaped
	for !named {
		if p.kind != '(' {
			p.unexpected("an instance name")
			return false
		}
		p.next()
		if w := p.word(); w != kwStrength && w != kwSupply0 && w != kwSupply1 {
			break // the terminals of an unnamed one
		}
		if !p.strengths() {
			return false
		}
		if p.kind == '#' {
			d, ok := p.delay()
			if !ok {
				return false
			}
			if in.Prim != PrimNone {
				in.Delay, proto.Delay = d, d
			}
		}
		named = p.kind == tIdent || p.kind == tEscaped
	}
	if named {
		in.Pos = p.pos()
		var ok bool
		if in.Name, ok = p.name("an instance name"); !ok {
			return false
		}
		if p.kind == '[' {
			if in.Msb, in.Lsb, ok = p.rangeOf(); !ok {
				return false
			}
			in.Array = true
		}
		if !p.expect('(', "before the connections") {
			return false
		}
	}
	in.Conn = int32(len(p.m.Conns))
	if !p.connections() {
		return false
	}
	in.NConn = int32(len(p.m.Conns)) - in.Conn
	if src != 0 {
		if p.m.Src == nil {
			p.m.Src = map[int32]int32{}
		}
		p.m.Src[int32(len(p.m.Insts))] = src
	}
	p.m.Insts = append(p.m.Insts, in)
	return true
}

// connections reads from behind the opening to behind the closing parenthesis.
func (p *parser) connections() bool {
	m := p.m
	if p.kind == ')' {
		p.next()
		return true
	}
	for {
		switch p.kind {
		case '.': // current; the text goes on behind it
			if p.plainLinks() {
				p.next()
				return true
			}
			p.next()
			if p.kind == '*' {
				p.report(diag.VerilogSyntax, p.pos(), "the connection .* is not Verilog: a netlist names its connections")
				return false
			}
			port, ok := p.name("a port name")
			if !ok {
				return false
			}
			c := Conn{Port: port, Expr: None}
			if p.kind != '(' { // .name stands for .name(name)
				c.Expr = p.node(Ref, port, 0, 0)
			} else {
				p.next()
				if p.kind != ')' {
					if c.Expr, ok = p.expr(); !ok {
						return false
					}
				}
				if !p.expect(')', "after the connection") {
					return false
				}
			}
			m.Conns = append(m.Conns, c)
		case ',', ')':
			m.Conns = append(m.Conns, Conn{Expr: None})
		default:
			e, ok := p.expr()
			if !ok {
				return false
			}
			m.Conns = append(m.Conns, Conn{Expr: e})
		}
		switch p.kind {
		case ',':
			p.next()
		case ')':
			p.next()
			return true
		default:
			p.unexpected("',' or ')' after a connection")
			return false
		}
	}
}

// assigns reads `assign #delay lhs = rhs, ...;`.
func (p *parser) assigns() bool {
	p.next()
	delay := None
	ok := true
	if p.kind == '(' && !p.strength() {
		return false
	}
	if p.kind == '#' {
		if delay, ok = p.delay(); !ok {
			return false
		}
	}
	for {
		a := Assign{Delay: delay, Pos: p.pos()}
		if a.LHS, ok = p.target("the target of an assign"); !ok {
			return false
		}
		if !p.expect('=', "after the target of an assign") {
			return false
		}
		if a.RHS, ok = p.expr(); !ok {
			return false
		}
		p.m.Assigns = append(p.m.Assigns, a)
		if p.kind == ',' {
			p.next()
			continue
		}
		return p.endItem("an assign")
	}
}

// delay reads `#d` or `#(d, d, d)` with values or min:typ:max.
func (p *parser) delay() (int32, bool) {
	at := p.pos()
	p.next()
	var d Delay
	if p.kind != '(' {
		v, ok := p.delayValue(at)
		if !ok {
			return None, false
		}
		d.N, d.V[0] = 1, [3]scan.Decimal{v, v, v}
		return p.addDelay(d), true
	}
	p.next()
	for {
		if d.N == 3 {
			p.unexpected("')' after three delays")
			return None, false
		}
		v, ok := p.delayExpr(at)
		if !ok {
			return None, false
		}
		t := [3]scan.Decimal{v, v, v}
		if p.kind == ':' {
			for i := 1; i < 3; i++ {
				if !p.expect(':', "in min:typ:max") {
					return None, false
				}
				if t[i], ok = p.delayExpr(at); !ok {
					return None, false
				}
			}
		}
		d.V[d.N] = t
		d.N++
		if p.kind == ',' {
			p.next()
			continue
		}
		return p.addDelay(d), p.expect(')', "after the delays")
	}
}

func (p *parser) addDelay(d Delay) int32 {
	p.m.Delay = append(p.m.Delay, d)
	return int32(len(p.m.Delay) - 1)
}

// delayValue reads the number or name of a delay without parentheses.
func (p *parser) delayValue(at Pos) (scan.Decimal, bool) {
	if p.kind != tNumber && p.kind != tIdent && p.kind != tEscaped {
		p.unexpected("a delay")
		return scan.Decimal{}, false
	}
	m := p.here()
	e, ok := p.operand()
	return p.delayOf(e, at, ok, m)
}

func (p *parser) delayExpr(at Pos) (scan.Decimal, bool) {
	m := p.here()
	e, ok := p.conditional()
	return p.delayOf(e, at, ok, m)
}

// delayOf takes the value of an expression and forgets its nodes.
func (p *parser) delayOf(e int32, at Pos, ok bool, m mark) (scan.Decimal, bool) {
	if !ok {
		return scan.Decimal{}, false
	}
	defer p.cut(m)
	if x := p.m.Exprs[e]; x.Op == opReal {
		return p.reals[x.A], true
	}
	if v := p.eval(e); v.known && v.v >= 0 {
		return scan.Decimal{Coef: v.v}, true
	}
	p.behavioural(at, "a delay that is not a constant")
	return scan.Decimal{}, true
}
