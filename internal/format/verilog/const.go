package verilog

import (
	"math/big"
	"math/bits"

	"github.com/wattd/wattd/internal/format/scan"
)

// value is a constant integer, known unless something in it was not constant.
type value struct {
	v     int64
	known bool
}

// param is a parameter with its default.
type param struct {
	bits  []byte
	sized bool
	known bool
	real  bool
	dec   scan.Decimal
}

// constant reads an expression and evaluates it; it leaves no nodes.
func (p *parser) constant() (value, bool) {
	// [31:0], almost always. Peek would move the buffer under p.text.
	if w := p.s.Window(); p.kind == tNumber && len(p.text) < 10 && len(w) > 0 && (w[0] == ']' || w[0] == ':') {
		v := int64(0)
		for _, c := range p.text {
			if v = 10*v + int64(c-'0'); c-'0' > 9 {
				v = -1
				break
			}
		}
		if v >= 0 {
			p.next()
			return value{v, true}, true
		}
	}
	m := p.here()
	e, ok := p.conditional()
	if !ok {
		return value{}, false
	}
	v := p.eval(e)
	p.cut(m)
	return v, true
}

// headerParams reads the parameters of a header, from behind the parenthesis.
func (p *parser) headerParams() bool {
	if p.kind != ')' && !p.paramList() {
		return false
	}
	return p.expect(')', "after the parameters")
}

// parameters reads a parameter declaration.
func (p *parser) parameters() bool {
	if p.word() == kwSpecparam {
		return p.skipItem()
	}
	return p.paramList() && p.endItem("a parameter")
}

func (p *parser) paramList() bool {
	shaped := p.m.Shaped // use of one parameter by another shapes nothing yet
	defer func() { p.m.Shaped = shaped }()
	width := 0
	for {
		if p.word() == kwParameter {
			p.next()
			width = 0
		}
		for w := p.word(); w == kwSigned || w == kwUnsigned || w == kwVariable || w == kwReg || w == kwLogic; w = p.word() {
			p.next()
		}
		if p.kind == '[' {
			msb, lsb, ok := p.rangeOf()
			if !ok {
				return false
			}
			width = int(max(msb, lsb) - min(msb, lsb) + 1)
		}
		id, ok := p.name("a parameter name")
		if ok && (p.kind == tIdent || p.kind == tEscaped) { // a type went before: parameter int W
			id, ok = p.name("a parameter name")
		}
		if !ok || !p.expect('=', "after a parameter name") {
			return false
		}
		m := p.here()
		e, ok := p.conditional()
		if !ok {
			return false
		}
		if p.params == nil {
			p.params = map[int32]param{}
		}
		p.params[id] = p.paramOf(e, width)
		p.cut(m)
		for p.kind == ':' { // min:typ:max
			p.next()
			if _, ok := p.constant(); !ok {
				return false
			}
		}
		if p.kind != ',' {
			return true
		}
		p.next()
	}
}

// paramOf keeps the value of an expression; width is that of a declared range or 0.
func (p *parser) paramOf(e int32, width int) param {
	x := p.m.Exprs[e]
	switch {
	case x.Op == opReal:
		return param{real: true, dec: p.reals[x.A]}
	case x.Op == Const && width == 0:
		return param{known: true, sized: x.C == 1, bits: append([]byte(nil), p.m.Bits[x.A:x.A+x.B]...)}
	}
	v := p.eval(e)
	if !v.known {
		return param{}
	}
	n := width
	if n == 0 {
		if n = 32; v.v != int64(int32(v.v)) {
			n = 64
		}
	}
	b := make([]byte, n)
	for i := range b {
		b[n-1-i] = byte('0' + v.v>>min(i, 63)&1)
	}
	return param{known: true, sized: width > 0, bits: b}
}

// eval computes a constant expression in 64 bits.
func (p *parser) eval(e int32) value {
	x := p.m.Exprs[e]
	switch x.Op {
	case Const:
		return constValue(p.m.Bits[x.A:x.A+x.B], x.C == 0)
	case OpCond:
		a := p.eval(x.A)
		switch {
		case !a.known:
			return value{}
		case a.v != 0:
			return p.eval(x.B)
		}
		return p.eval(x.C)
	case OpNot, OpLNot, opNeg, opClog2:
		a := p.eval(x.A)
		switch x.Op {
		case OpNot:
			a.v = ^a.v
		case OpLNot:
			a.v = truth(a.v == 0)
		case opNeg:
			a.v = -a.v
		default:
			a.v = int64(bits.Len64(uint64(max(a.v, 1) - 1)))
		}
		return a
	case OpAnd, OpOr, OpXor, OpXnor, OpLAnd, OpLOr, OpEq, OpNe, opAdd, opSub, opMul, opDiv, opMod, opPow, opShl,
		opShr, opLt, opLe, opGt, opGe:
		a, b := p.eval(x.A), p.eval(x.B)
		if a.known && b.known {
			v, ok := compute(x.Op, a.v, b.v)
			return value{v, ok}
		}
	}
	return value{}
}

func compute(op Op, a, b int64) (int64, bool) {
	switch op {
	case OpAnd:
		return a & b, true
	case OpOr:
		return a | b, true
	case OpXor:
		return a ^ b, true
	case OpXnor:
		return ^(a ^ b), true
	case OpLAnd:
		return truth(a != 0 && b != 0), true
	case OpLOr:
		return truth(a != 0 || b != 0), true
	case OpEq:
		return truth(a == b), true
	case OpNe:
		return truth(a != b), true
	case opAdd:
		return a + b, true
	case opSub:
		return a - b, true
	case opMul:
		return a * b, true
	case opDiv:
		if b == 0 {
			return 0, false
		}
		return a / b, true
	case opMod:
		if b == 0 {
			return 0, false
		}
		return a % b, true
	case opPow:
		if b < 0 || b > 63 {
			return 0, false
		}
		v := new(big.Int).Exp(big.NewInt(a), big.NewInt(b), nil)
		return v.Int64(), v.IsInt64()
	case opShl:
		if b < 0 || b > 62 {
			return 0, false
		}
		return a << b, true
	case opShr:
		if b < 0 || b > 63 {
			return 0, false
		}
		return a >> b, true
	case opLt:
		return truth(a < b), true
	case opLe:
		return truth(a <= b), true
	case opGt:
		return truth(a > b), true
	}
	return truth(a >= b), true
}

func truth(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// constValue is the value of bits without x and z. What was written without a size is signed.
func constValue(b []byte, signed bool) value {
	v := int64(0)
	for i, c := range b {
		if c != '0' && c != '1' || len(b)-i > 64 && c == '1' {
			return value{}
		}
		v = v<<1 | int64(c&1)
	}
	if signed && b[0] == '1' && len(b) < 64 {
		v -= 1 << len(b)
	}
	return value{v, true}
}
