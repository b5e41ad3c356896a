package verilog

import (
	"github.com/wattd/wattd/internal/diag"
	"github.com/wattd/wattd/internal/format/scan"
)

// Operators that only constant expressions may have. A node of these that is left in an expression makes the module
// behavioural.
const (
	opAdd Op = 128 + iota // A, B e
	opSub
	opMul
	opDiv
	opMod
	opPow
	opShl
	opShr
	opLt
	opLe
	opGt
	opGe
	opNeg    // A e
	opClog2  // A e
	opReal   // A index in parser.reals
	opText   // a string
	opCall   // a function, system or not
	opHier   // a hierarchical name
	opSelect // a variable index, or a second one
)

var opWhat = [...]string{
	"operator +", "operator -", "operator *", "operator /", "operator %", "operator **", "operator <<", "operator >>",
	"operator <", "operator <=", "operator >", "operator >=", "operator -", "$clog2", "a real number", "a string",
	"a function call", "a hierarchical name", "an index that is not constant",
}

// Bounds on expressions; deeper ones are no netlists and would exhaust the stack.
const (
	maxNesting = 1000
	maxChain   = 1 << 16 // operators of one level in a row
)

// binary lists the binary operators; a higher level binds tighter.
var binary = [256]struct {
	level uint8
	op    Op
}{
	tLOr: {1, OpLOr}, tLAnd: {2, OpLAnd}, '|': {3, OpOr}, '^': {4, OpXor}, tXnor: {4, OpXnor}, '&': {5, OpAnd},
	tEq: {6, OpEq}, tNe: {6, OpNe}, '<': {7, opLt}, '>': {7, opGt}, tLe: {7, opLe}, tGe: {7, opGe},
	tShl: {8, opShl}, tShr: {8, opShr}, '+': {9, opAdd}, '-': {9, opSub}, '*': {10, opMul}, '/': {10, opDiv},
	'%': {10, opMod}, tPow: {11, opPow},
}

var unary = [256]struct {
	is bool
	op Op
}{
	'~': {true, OpNot}, '!': {true, OpLNot}, '&': {true, RedAnd}, '|': {true, RedOr}, '^': {true, RedXor},
	tNand: {true, RedNand}, tNor: {true, RedNor}, tXnor: {true, RedXnor}, '-': {true, opNeg}, '+': {true, opAdd},
}

// mark is a place in the arrays that expressions grow.
type mark struct{ exprs, lists, bits, reals int }

func (p *parser) here() mark {
	return mark{len(p.m.Exprs), len(p.m.Lists), len(p.m.Bits), len(p.reals)}
}

// cut forgets the expressions read since m.
func (p *parser) cut(m mark) {
	p.m.Exprs, p.m.Lists, p.m.Bits = p.m.Exprs[:m.exprs], p.m.Lists[:m.lists], p.m.Bits[:m.bits]
	p.reals = p.reals[:m.reals]
}

func (p *parser) node(op Op, a, b, c int32) int32 {
	p.m.Exprs = append(p.m.Exprs, Expr{op, a, b, c})
	return int32(len(p.m.Exprs) - 1)
}

// expr reads an expression.
func (p *parser) expr() (int32, bool) {
	from, at := len(p.m.Exprs), Pos{}
	if p.kind != tIdent && p.kind != tEscaped {
		at = p.pos() // names, the common case, need none unless they turn out to be more
	}
	e, ok := p.conditional()
	if len(p.m.Exprs) > from+1 || len(p.m.Exprs) > from && p.m.Exprs[from].Op >= opAdd {
		p.checkOps(from, at)
	}
	return e, ok
}

// checkOps marks the module when an operator since from is none of a netlist.
func (p *parser) checkOps(from int, at Pos) {
	for _, x := range p.m.Exprs[from:] {
		if x.Op >= opAdd {
			if at.Line == 0 {
				at = p.pos()
			}
			p.behavioural(at, opWhat[x.Op-opAdd])
			return
		}
	}
}

// target reads what can be assigned: a name, a select or a concatenation of them.
func (p *parser) target(what string) (int32, bool) {
	if p.kind != tIdent && p.kind != tEscaped && p.kind != '{' {
		p.unexpected(what)
		return None, false
	}
	from, at := len(p.m.Exprs), p.pos()
	e, ok := p.operand()
	if !ok {
		return None, false
	}
	p.checkOps(from, at)
	for _, x := range p.m.Exprs[from:] {
		switch x.Op {
		case Ref, Select, Part, Concat:
		default:
			if x.Op < opAdd {
				p.failed = true
				p.report(diag.VerilogSyntax, at, "%s must be a net or a concatenation of nets", what)
				return None, false
			}
		}
	}
	return e, true
}

func (p *parser) conditional() (int32, bool) {
	a, ok := p.binary(1)
	if !ok || p.kind != '?' {
		return a, ok
	}
	if p.depth++; p.depth > maxNesting {
		return None, p.tooDeep()
	}
	p.next()
	b, ok := p.conditional()
	if ok = ok && p.expect(':', "after the first choice"); !ok {
		p.depth--
		return None, false
	}
	c, ok := p.conditional()
	p.depth--
	if !ok {
		return None, false
	}
	return p.node(OpCond, a, b, c), true
}

// tooDeep reports it and is false.
func (p *parser) tooDeep() bool {
	p.depth--
	p.failed = true
	p.report(diag.VerilogTooDeep, p.pos(), "an expression with more than %d levels or %d operators in a row", maxNesting, maxChain)
	return false
}

// binary reads operators of a level and above.
func (p *parser) binary(level uint8) (int32, bool) {
	a, ok := p.unary()
	for n := 0; ok; n++ {
		o := binary[p.kind]
		if o.level < level || o.level == 0 {
			return a, true
		}
		if p.depth++; p.depth > maxNesting || n > maxChain {
			return None, p.tooDeep()
		}
		p.next()
		var b int32
		b, ok = p.binary(o.level + 1)
		p.depth--
		if ok {
			a = p.node(o.op, a, b, 0)
		}
	}
	return None, false
}

func (p *parser) unary() (int32, bool) {
	u := unary[p.kind]
	if !u.is {
		return p.operand()
	}
	if p.depth++; p.depth > maxNesting {
		return None, p.tooDeep()
	}
	p.next()
	e, ok := p.unary()
	p.depth--
	if ok && u.op != opAdd {
		e = p.node(u.op, e, 0, 0)
	}
	return e, ok
}

// operand reads a name with selects, a constant, a concatenation or an expression in parentheses.
func (p *parser) operand() (int32, bool) {
	switch p.kind {
	case tIdent, tEscaped:
		id, ok := p.name("an expression")
		if !ok {
			return None, false
		}
		switch p.kind {
		case '[', '.', '(':
			return p.selected(id)
		}
		if len(p.params) > 0 {
			if v, is := p.params[id]; is {
				return p.parameter(v), true
			}
		}
		return p.node(Ref, id, 0, 0), true
	case tNumber, tBased:
		return p.number()
	case '(', '{':
		if p.depth++; p.depth > maxNesting {
			return None, p.tooDeep()
		}
		group := p.kind == '('
		p.next()
		var e int32
		var ok bool
		if group {
			e, ok = p.conditional()
			ok = ok && p.expect(')', "after an expression")
		} else {
			e, ok = p.concat()
		}
		p.depth--
		return e, ok
	case tString:
		p.next()
		return p.node(opText, 0, 0, 0), true
	case tSystem:
		return p.system()
	}
	p.unexpected("an expression")
	return None, false
}

// system reads a call of a system function, of which only $clog2 has a constant value here.
func (p *parser) system() (int32, bool) {
	op := opCall
	if string(p.text) == "$clog2" {
		op = opClog2
	}
	p.next()
	if p.kind != '(' {
		return p.node(opCall, 0, 0, 0), true
	}
	if op == opCall {
		ok := p.skipParens()
		return p.node(opCall, 0, 0, 0), ok
	}
	if p.depth++; p.depth > maxNesting {
		return None, p.tooDeep()
	}
	p.next()
	e, ok := p.conditional()
	p.depth--
	if !ok || !p.expect(')', "after $clog2") {
		return None, false
	}
	return p.node(op, e, 0, 0), true
}

// selected reads what follows the name of an operand: a bit or part select, and what no netlist has.
func (p *parser) selected(id int32) (int32, bool) {
	x := Expr{Ref, id, 0, 0}
	if _, is := p.params[id]; is {
		x.Op = opSelect
	}
	for {
		switch p.kind {
		case '[':
			again := x.Op != Ref
			if p.depth++; p.depth > maxNesting {
				return None, p.tooDeep()
			}
			ok := p.index(&x)
			p.depth--
			if !ok {
				return None, false
			}
			if again {
				x.Op = opSelect
			}
		case '.':
			p.next()
			if _, ok := p.name("a name after '.'"); !ok {
				return None, false
			}
			x.Op = opHier
		case '(':
			if !p.skipParens() {
				return None, false
			}
			x.Op = opCall
		default:
			return p.node(x.Op, x.A, x.B, x.C), true
		}
	}
}

// index reads [i], [msb:lsb], [base +: width] or [base -: width].
func (p *parser) index(x *Expr) bool {
	p.next()
	a, ok := p.constant()
	if !ok {
		return false
	}
	x.Op = Select
	b := a
	k := p.kind
	if k == ':' || k == tPlusColon || k == tMinusColon {
		p.next()
		if b, ok = p.constant(); !ok {
			return false
		}
		x.Op = Part
	}
	if !p.expect(']', "after an index") {
		return false
	}
	if k == tPlusColon || k == tMinusColon {
		a, b = p.indexed(x.A, a, b, k == tPlusColon)
	}
	if !a.known || !b.known {
		x.Op = opSelect
		return true
	}
	x.B, x.C = int32(a.v), 0
	if x.Op == Part {
		x.C = int32(b.v)
	}
	if int64(int32(a.v)) != a.v || int64(int32(b.v)) != b.v {
		p.report(diag.VerilogTooWide, p.pos(), "an index of more than 32 bits")
	}
	return true
}

// indexed turns base and width of an indexed part select into its bounds, which needs the direction of the vector.
func (p *parser) indexed(name int32, base, width value, up bool) (msb, lsb value) {
	n := p.net(name)
	if n == None || !base.known || !width.known || width.v < 1 || width.v > maxWidth {
		return value{}, value{}
	}
	lo, hi := base.v, base.v+width.v-1
	if !up {
		lo, hi = base.v-width.v+1, base.v
	}
	if p.m.Nets[n].Msb < p.m.Nets[n].Lsb {
		lo, hi = hi, lo
	}
	return value{hi, true}, value{lo, true}
}

// concat reads from behind the opening brace: a concatenation or a replication. A replication of 0, which only an
// operand of another concatenation may be, is None.
func (p *parser) concat() (int32, bool) {
	inner := p.inner
	m, at := p.here(), p.pos()
	e, ok := p.concatOperand()
	if !ok {
		return None, false
	}
	if p.kind == '{' {
		n := p.eval(e)
		p.cut(m)
		at := p.pos()
		p.next()
		p.inner = false
		if e, ok = p.concat(); !ok || !p.expect('}', "after a replication") {
			return None, false
		}
		switch {
		case !n.known:
			return p.node(opSelect, 0, 0, 0), true
		case n.v == 0 && inner && (p.kind == ',' || p.kind == '}'):
			return None, true
		case n.v < 1 || n.v > maxWidth:
			p.report(diag.VerilogTooWide, at, "a replication of %d", n.v)
			n.v = 1
		}
		return p.node(Repl, int32(n.v), e, 0), true
	}
	// Operands may hold lists of their own, so those of this one are put down when all are known.
	base := len(p.operands)
	if e != None {
		p.operands = append(p.operands, e)
	}
	for p.kind == ',' {
		p.next()
		if e, ok = p.concatOperand(); !ok {
			p.operands = p.operands[:base]
			return None, false
		}
		if e != None {
			p.operands = append(p.operands, e)
		}
	}
	if len(p.operands) == base {
		p.report(diag.VerilogTooWide, at, "a concatenation of no bits")
	}
	ops := p.operands[base:]
	first := int32(len(p.m.Lists))
	p.m.Lists = append(p.m.Lists, ops...)
	p.operands = p.operands[:base]
	if !p.expect('}', "after a concatenation") {
		return None, false
	}
	return p.node(Concat, first, int32(len(ops)), 0), true
}

// concatOperand reads an operand of a concatenation: None for a replication of 0.
func (p *parser) concatOperand() (int32, bool) {
	p.inner = p.kind == '{'
	return p.conditional()
}

// parameter puts the value of a parameter in place of its name.
func (p *parser) parameter(v param) int32 {
	p.m.Shaped = true
	switch {
	case v.real:
		p.reals = append(p.reals, v.dec)
		return p.node(opReal, int32(len(p.reals)-1), 0, 0)
	case !v.known:
		return p.node(opText, 0, 0, 0)
	}
	return p.constantNode(v.bits, v.sized)
}

// constantNode adds a constant.
func (p *parser) constantNode(bits []byte, sized bool) int32 {
	at := int32(len(p.m.Bits))
	p.m.Bits = append(p.m.Bits, bits...)
	c := int32(0)
	if sized {
		c = 1
	}
	return p.node(Const, at, int32(len(bits)), c)
}

// real adds a real number.
func (p *parser) real(text []byte) (int32, bool) {
	d, ok := scan.ParseDecimal(text)
	if !ok {
		p.failed = true
		p.report(diag.VerilogSyntax, p.pos(), "the number %q has more than 18 digits or an exponent beyond 99", text)
		return None, false
	}
	p.reals = append(p.reals, d)
	return p.node(opReal, int32(len(p.reals)-1), 0, 0), true
}
