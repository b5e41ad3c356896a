package verilog

import (
	"github.com/wattd/wattd/internal/diag"
)

// maxWidth bounds a vector, an array of instances, a constant and a replication.
const maxWidth = 1 << 24

// shape is what a declaration says about all its names.
type shape struct {
	msb, lsb int32
	delay    int32
	vector   bool
	signed   bool
	typed    bool // a net type was written
	dir      Dir
	kind     NetKind
}

// header reads `#(...) (ports);`.
func (p *parser) header() bool {
	if p.kind == '#' {
		p.next()
		if !p.expect('(', "before the parameters") || !p.headerParams() {
			return false
		}
	}
	if p.kind == '(' {
		p.next()
		switch {
		case p.kind == ')':
			p.next()
		case p.word().class() == isDir:
			if !p.ansiPorts() {
				return false
			}
		default:
			if !p.portList() {
				return false
			}
		}
	}
	return p.endItem("the module header")
}

// ansiPorts reads ports with their directions.
func (p *parser) ansiPorts() bool {
	var s shape
	for {
		if p.word().class() == isDir {
			var ok bool
			if s, ok = p.shape(); !ok {
				return false
			}
		}
		at := p.pos()
		id, ok := p.name("a port name")
		if !ok {
			return false
		}
		p.m.Ports = append(p.m.Ports, Port{Name: id, Expr: None})
		p.declare(id, at, s)
		if !p.dimensions(at) || !p.initialValue(at, s) {
			return false
		}
		if p.kind == ',' {
			p.next()
			continue
		}
		return p.expect(')', "after the ports")
	}
}

// portList reads ports without directions: names, expressions and .name(expression).
func (p *parser) portList() bool {
	for {
		port := Port{Expr: None}
		switch p.kind {
		case ',', ')':
			port.Expr = p.nothing()
		case '.':
			p.next()
			id, ok := p.name("a port name")
			if !ok || !p.expect('(', "after the port name") {
				return false
			}
			port.Name = id
			if p.kind == ')' {
				port.Expr = p.nothing()
			} else if port.Expr, ok = p.target("a port expression"); !ok {
				return false
			}
			if !p.expect(')', "after the port expression") {
				return false
			}
		default:
			e, ok := p.target("a port")
			if !ok {
				return false
			}
			if x := p.m.Exprs[e]; x.Op == Ref {
				port.Name = x.A
				p.m.Exprs = p.m.Exprs[:e]
			} else {
				port.Expr = e
			}
		}
		p.m.Ports = append(p.m.Ports, port)
		if p.kind == ',' {
			p.next()
			continue
		}
		return p.expect(')', "after the ports")
	}
}

// nothing is the expression of a port without inside.
func (p *parser) nothing() int32 {
	return p.node(Concat, int32(len(p.m.Lists)), 0, 0)
}

// shape reads a declaration up to its names: direction, net type, strengths, sign, range and delay.
func (p *parser) shape() (shape, bool) {
	s := shape{delay: None}
	for {
		w := p.word()
		switch w {
		case kwInput:
			s.dir = Input
		case kwOutput:
			s.dir = Output
		case kwInout:
			s.dir = Inout
		case kwWire, kwTri:
			s.kind, s.typed = Wire, true
		case kwWand, kwTriand:
			s.kind, s.typed = Wand, true
		case kwWor, kwTrior:
			s.kind, s.typed = Wor, true
		case kwTri0:
			s.kind, s.typed = Tri0, true
		case kwTri1:
			s.kind, s.typed = Tri1, true
		case kwSupply0:
			s.kind, s.typed = Supply0, true
		case kwSupply1:
			s.kind, s.typed = Supply1, true
		case kwReg, kwLogic:
			s.kind, s.typed = Reg, true
		case kwTrireg:
			s.kind, s.typed = Wire, true
			p.report(diag.VerilogTrireg, p.pos(), "trireg is read as wire")
		case kwSigned:
			s.signed = true
		case kwUnsigned, kwVectored, kwScalared:
		case kwVariable: // input integer
			p.behavioural(p.pos(), string(p.text))
		default:
			switch p.kind {
			case '(':
				if !p.strength() {
					return s, false
				}
				continue
			case '[':
				if s.vector {
					p.behavioural(p.pos(), "a vector of vectors")
				}
				var ok bool
				if s.msb, s.lsb, ok = p.rangeOf(); !ok {
					return s, false
				}
				s.vector = true
				continue
			case '#':
				var ok bool
				s.delay, ok = p.delay()
				return s, ok
			}
			return s, true
		}
		p.next()
	}
}

// declaration reads a port or net declaration.
func (p *parser) declaration() bool {
	s, ok := p.shape()
	if !ok {
		return false
	}
	for {
		at := p.pos()
		id, ok := p.name("a name to declare")
		if !ok {
			return false
		}
		one := s
		if p.kind == '=' && s.kind != Reg {
			one.delay = None // it is that of the assignment
		}
		p.declare(id, at, one)
		if !p.dimensions(at) {
			return false
		}
		if p.kind == '=' {
			if s.kind == Reg {
				if !p.initialValue(at, s) {
					return false
				}
			} else {
				p.next()
				rhs, ok := p.expr()
				if !ok {
					return false
				}
				lhs := p.node(Ref, id, 0, 0)
				p.m.Assigns = append(p.m.Assigns, Assign{LHS: lhs, RHS: rhs, Delay: s.delay, Pos: at})
			}
		}
		if p.kind == ',' {
			p.next()
			continue
		}
		return p.endItem("a declaration")
	}
}

// dimensions skips the ranges of a memory.
func (p *parser) dimensions(at Pos) bool {
	for p.kind == '[' {
		p.behavioural(at, "an array of nets")
		if !p.skipParens() {
			return false
		}
	}
	return true
}

// initialValue skips `= value` of a variable.
func (p *parser) initialValue(at Pos, s shape) bool {
	if p.kind != '=' {
		return true
	}
	p.behavioural(at, "a variable with an initial value")
	p.next()
	_, ok := p.expr()
	return ok
}

// net is the index of a declared name, or None. A stale entry of netOf does not have the name.
func (p *parser) net(id int32) int32 {
	if int(id) < len(p.netOf) {
		if n := p.netOf[id]; int(n) < len(p.m.Nets) && p.m.Nets[n].Name == id {
			return n
		}
	}
	return None
}

// declare adds a net, or completes what an earlier declaration of the name left open.
func (p *parser) declare(id int32, at Pos, s shape) {
	m := p.m
	i := p.net(id)
	if i == None {
		if int(id) >= len(p.netOf) {
			n := max(p.names.Len(), 2*len(p.netOf))
			p.netOf = append(p.netOf, make([]int32, n-len(p.netOf))...)
		}
		p.netOf[id] = int32(len(m.Nets))
		m.Nets = append(m.Nets, Net{
			Name: id, Msb: s.msb, Lsb: s.lsb, Delay: s.delay, Vector: s.vector, Signed: s.signed,
			Dir: s.dir, Kind: s.kind, Pos: at,
		})
		return
	}
	n := &m.Nets[i]
	if p.track != nil {
		p.track.rest(p.netHash(&Net{Name: id, Msb: s.msb, Lsb: s.lsb, Delay: s.delay, Vector: s.vector, Signed: s.signed, Dir: s.dir, Kind: s.kind}))
	}
	again := s.dir == DirNone && n.Dir == DirNone || s.dir != DirNone && n.Dir != DirNone
	switch {
	case n.Vector != s.vector || n.Msb != s.msb || n.Lsb != s.lsb:
		p.report(diag.VerilogDeclConflict, at, "%s has another range in line %d", p.names.Bytes(id), n.Pos.Line)
		return
	case s.dir != DirNone && n.Dir != DirNone && s.dir != n.Dir, again && s.kind != n.Kind:
		p.report(diag.VerilogDeclConflict, at, "%s is something else in line %d", p.names.Bytes(id), n.Pos.Line)
		return
	case again:
		p.report(diag.VerilogDeclTwice, at, "%s is declared in line %d already", p.names.Bytes(id), n.Pos.Line)
	}
	if s.dir != DirNone {
		n.Dir = s.dir
	}
	if s.typed {
		n.Kind = s.kind
	}
	if s.delay != None {
		n.Delay = s.delay
	}
	n.Signed = n.Signed || s.signed
}

// rangeOf reads [msb:lsb] with constant bounds.
func (p *parser) rangeOf() (msb, lsb int32, ok bool) {
	at := p.pos()
	p.next()
	m, ok1 := p.constant()
	if !ok1 || !p.expect(':', "in a range") {
		return 0, 0, false
	}
	l, ok1 := p.constant()
	if !ok1 || !p.expect(']', "after a range") {
		return 0, 0, false
	}
	if !m.known || !l.known {
		p.behavioural(at, "a range that is not constant")
		return 0, 0, true
	}
	if w := m.v - l.v; m.v != int64(int32(m.v)) || l.v != int64(int32(l.v)) || w >= maxWidth || w <= -maxWidth {
		p.report(diag.VerilogTooWide, at, "range [%d:%d]", m.v, l.v)
		return 0, 0, true
	}
	return int32(m.v), int32(l.v), true
}

// strength skips (strong0, pull1) and the like.
func (p *parser) strength() bool {
	p.next()
	return p.strengths()
}

// strengths is strength from behind the opening parenthesis.
func (p *parser) strengths() bool {
	at := p.pos()
	for {
		switch p.word() {
		case kwStrength, kwSupply0, kwSupply1:
			p.next()
		default:
			p.unexpected("a strength")
			return false
		}
		if p.kind == ',' {
			p.next()
			continue
		}
		break
	}
	p.report(diag.VerilogStrength, at, "drive strength is ignored")
	return p.expect(')', "after the strength")
}
