package netlist

import (
	"github.com/wattd/wattd/internal/diag"
	"github.com/wattd/wattd/internal/format/verilog"
)

// maxNesting bounds the depth of an expression.
const maxNesting = 10000

// binder turns the expressions of one module into refs, most significant bit first, and operators into gates.
type binder struct {
	l     *linker
	m     *module
	pos   verilog.Pos // of the statement, for messages
	depth int
	full  bool  // too many gates, diagnosed
	buf   []ref // reused by callers
}

func (b *binder) err(code diag.Code, format string, args ...any) {
	b.l.bag.Add(code, b.l.pos(b.pos), format, args...)
}

// operands is the number of sub-expressions of an operator; 0 for what a behavioural module may hold besides.
func operands(op verilog.Op) int {
	if op > verilog.RedXnor {
		return 0
	}
	switch op {
	case verilog.OpNot, verilog.OpLNot, verilog.RedAnd, verilog.RedOr, verilog.RedXor, verilog.RedNand, verilog.RedNor, verilog.RedXnor:
		return 1
	case verilog.OpCond:
		return 3
	case verilog.Ref, verilog.Select, verilog.Part, verilog.Const, verilog.Concat, verilog.Repl:
		return 0
	}
	return 2
}

func (b *binder) enter() bool {
	if b.depth++; b.depth > maxNesting {
		b.err(diag.NetlistExpression, "expression nested deeper than %d", maxNesting)
		return false
	}
	return true
}

// width is the self-determined width of an expression, cut to maxWidth+1; it adds no messages but for nesting.
func (b *binder) width(e int32) int64 {
	defer func() { b.depth-- }()
	if !b.enter() {
		return 1
	}
	x := b.m.src.Exprs[e]
	w := int64(1)
	switch x.Op {
	case verilog.Ref:
		if d := b.l.find(b.m, x.A); d != None {
			w = int64(b.m.decls[d].width())
		}
	case verilog.Part:
		w = max(int64(x.B)-int64(x.C), int64(x.C)-int64(x.B)) + 1
	case verilog.Const:
		w = int64(x.B)
	case verilog.Concat:
		w = 0
		for _, k := range b.m.src.Lists[x.A : x.A+x.B] {
			w = min(w+b.width(k), maxWidth+1)
		}
	case verilog.Repl:
		w = min(max(int64(x.A), 0)*b.width(x.B), maxWidth+1)
	case verilog.OpNot:
		w = b.width(x.A)
	case verilog.OpAnd, verilog.OpOr, verilog.OpXor, verilog.OpXnor:
		w = max(b.width(x.A), b.width(x.B))
	case verilog.OpCond:
		w = max(b.width(x.B), b.width(x.C))
	}
	return min(w, maxWidth+1)
}

// isNet says that an expression is a net or constants, without operators.
func (b *binder) isNet(e int32) bool {
	switch x := b.m.src.Exprs[e]; x.Op {
	case verilog.Ref, verilog.Select, verilog.Part, verilog.Const:
		return true
	case verilog.Concat:
		if b.depth++; b.depth > maxNesting {
			b.depth--
			return true // diagnosed by bits
		}
		defer func() { b.depth-- }()
		for _, k := range b.m.src.Lists[x.A : x.A+x.B] {
			if !b.isNet(k) {
				return false
			}
		}
		return true
	case verilog.Repl:
		return b.isNet(x.B)
	}
	return false
}

// unsized says that an expression is a constant without a written size, which fits any width.
func (b *binder) unsized(e int32) bool {
	x := b.m.src.Exprs[e]
	return x.Op == verilog.Const && x.C == 0
}

// bits appends the self-determined value of an expression.
func (b *binder) bits(e int32, dst []ref) []ref {
	w := b.width(e)
	if w > maxWidth {
		b.err(diag.NetlistTooWide, "expression wider than %d bits", maxWidth)
		return append(dst, refZero)
	}
	x := b.m.src.Exprs[e]
	m := b.m
	switch x.Op {
	case verilog.Ref:
		d := b.l.find(m, x.A)
		if d == None {
			b.err(diag.NetlistUndeclared, "net %s is not declared", b.l.str(x.A))
			return append(dst, refZero)
		}
		for k := range m.decls[d].width() {
			dst = append(dst, m.decls[d].off+k)
		}
	case verilog.Select:
		dst = append(dst, b.selected(x.A, x.B))
	case verilog.Part:
		step := int32(1)
		if x.B >= x.C {
			step = -1
		}
		for i, n := x.B, w; n > 0; i, n = i+step, n-1 {
			dst = append(dst, b.partBit(x, i))
		}
	case verilog.Const:
		unknown := false
		for _, c := range m.src.Bits[x.A : x.A+x.B] {
			r := refZero
			if c == '1' {
				r = refOne
			} else if c != '0' {
				unknown = true
			}
			dst = append(dst, r)
		}
		if unknown {
			b.err(diag.NetlistUnknownConst, "constant %d'b%.64s reads as 0 where it is x or z", x.B, m.src.Bits[x.A:x.A+x.B])
		}
	case verilog.Concat:
		for _, k := range m.src.Lists[x.A : x.A+x.B] {
			dst = b.nested(k, dst)
		}
	case verilog.Repl:
		at := len(dst)
		if x.A > 0 {
			dst = b.nested(x.B, dst)
			one := dst[at:]
			for range x.A - 1 {
				dst = append(dst, one...)
			}
		}
	default:
		if operands(x.Op) == 0 {
			b.err(diag.NetlistExpression, "an expression that is not structural")
			return append(dst, refZero)
		}
		v, _ := b.value(e, int(w), nil, None)
		dst = append(dst, v...)
	}
	return dst
}

func (b *binder) nested(e int32, dst []ref) []ref {
	if b.enter() {
		dst = b.bits(e, dst)
	}
	b.depth--
	return dst
}

// selected is bit i of a net.
func (b *binder) selected(name, i int32) ref {
	d := b.l.find(b.m, name)
	if d == None {
		b.err(diag.NetlistUndeclared, "net %s is not declared as a vector", b.l.str(name))
		return refZero
	}
	dc := &b.m.decls[d]
	k := dc.at(i)
	switch {
	case !dc.vector() && i == 0:
		b.err(diag.NetlistSelectScalar, "%s[0] is selected of a scalar", b.l.str(name))
		k = 0
	case !dc.vector():
		b.err(diag.NetlistSelectRange, "%s[%d] is selected of a scalar", b.l.str(name), i)
		return refZero
	case k == None:
		b.err(diag.NetlistSelectRange, "%s[%d] lies outside [%d:%d]", b.l.str(name), i, dc.msb, dc.lsb)
		return refZero
	}
	return dc.off + k
}

// partBit is bit i of a part select, whose range must run in the direction of the declaration.
func (b *binder) partBit(x verilog.Expr, i int32) ref {
	if d := b.l.find(b.m, x.A); d != None && i == x.B && x.B != x.C {
		if dc := &b.m.decls[d]; dc.vector() && dc.msb != dc.lsb && (dc.msb > dc.lsb) != (x.B > x.C) {
			b.err(diag.NetlistSelectRange, "%s[%d:%d] runs against [%d:%d]", b.l.str(x.A), x.B, x.C, dc.msb, dc.lsb)
		}
	}
	return b.selected(x.A, i)
}

// lvalue appends the bits of something that can be driven.
func (b *binder) lvalue(e int32, dst []ref) []ref {
	at := len(dst)
	if !b.isNet(e) {
		b.err(diag.NetlistNotNet, "an expression cannot be driven")
		for range min(b.width(e), maxWidth) {
			dst = append(dst, refOpen)
		}
		return dst
	}
	dst = b.bits(e, dst)
	for i, r := range dst[at:] {
		if r == refZero || r == refOne {
			b.err(diag.NetlistConstOutput, "a constant cannot be driven")
			dst[at+i] = refOpen
		}
	}
	return dst
}

// fit extends by zero or cuts v, which starts at index at of dst, to w bits.
func fit(dst []ref, at, w int, fill ref) []ref {
	n := len(dst) - at
	if n > w {
		copy(dst[at:], dst[len(dst)-w:])
		return dst[:at+w]
	}
	for range w - n {
		dst = append(dst, fill)
	}
	copy(dst[at+w-n:], dst[at:at+n])
	for i := range w - n {
		dst[at+i] = fill
	}
	return dst
}

// value evaluates an expression in a context of w bits. With out, the last operator drives out with the delay and
// driven is true; an expression without operators returns its bits and leaves out alone.
func (b *binder) value(e int32, w int, out []ref, delay int32) (v []ref, driven bool) {
	defer func() { b.depth-- }()
	if !b.enter() {
		return fit(nil, 0, w, refZero), false
	}
	x := b.m.src.Exprs[e]
	one := func(op PrimOp, in []ref) []ref { // a one-bit result, extended by zeros
		if out != nil {
			for _, o := range out[:w-1] {
				b.gate(PrimConst0, o, delay)
			}
			return fit([]ref{b.gate(op, out[w-1], delay, in...)}, 0, w, refZero)
		}
		return fit([]ref{b.gate(op, refOpen, None, in...)}, 0, w, refZero)
	}
	each := func(f func(i int, o ref) ref) []ref {
		v := make([]ref, w)
		for i := range v {
			o := refOpen
			if out != nil {
				o = out[i]
			}
			v[i] = f(i, o)
		}
		return v
	}
	switch x.Op {
	case verilog.OpNot:
		a, _ := b.value(x.A, w, nil, None)
		return each(func(i int, o ref) ref { return b.gate(PrimNot, o, delay, a[i]) }), out != nil
	case verilog.OpAnd, verilog.OpOr, verilog.OpXor, verilog.OpXnor:
		p, _ := b.value(x.A, w, nil, None)
		q, _ := b.value(x.B, w, nil, None)
		op := [...]PrimOp{PrimAnd, PrimOr, PrimXor, PrimXnor}[x.Op-verilog.OpAnd]
		return each(func(i int, o ref) ref { return b.gate(op, o, delay, p[i], q[i]) }), out != nil
	case verilog.OpCond:
		s := b.boolean(x.A)
		p, _ := b.value(x.B, w, nil, None)
		q, _ := b.value(x.C, w, nil, None)
		return each(func(i int, o ref) ref { return b.gate(PrimMux, o, delay, s, p[i], q[i]) }), out != nil
	case verilog.RedAnd, verilog.RedOr, verilog.RedXor, verilog.RedNand, verilog.RedNor, verilog.RedXnor:
		op := [...]PrimOp{PrimAnd, PrimOr, PrimXor, PrimNand, PrimNor, PrimXnor}[x.Op-verilog.RedAnd]
		return one(op, b.bits(x.A, nil)), out != nil
	case verilog.OpLNot:
		return one(PrimNor, b.bits(x.A, nil)), out != nil
	case verilog.OpLAnd:
		return one(PrimAnd, []ref{b.boolean(x.A), b.boolean(x.B)}), out != nil
	case verilog.OpLOr:
		return one(PrimOr, []ref{b.boolean(x.A), b.boolean(x.B)}), out != nil
	case verilog.OpEq, verilog.OpNe:
		n := int(min(max(b.width(x.A), b.width(x.B), 1), maxWidth))
		p, _ := b.value(x.A, n, nil, None)
		q, _ := b.value(x.B, n, nil, None)
		bitOp, all := PrimXnor, PrimAnd
		if x.Op == verilog.OpNe {
			bitOp, all = PrimXor, PrimOr
		}
		if n == 1 {
			return one(bitOp, []ref{p[0], q[0]}), out != nil
		}
		in := make([]ref, n)
		for i := range in {
			in[i] = b.gate(bitOp, refOpen, None, p[i], q[i])
		}
		return one(all, in), out != nil
	}
	return fit(b.bits(e, nil), 0, w, refZero), false
}

// boolean is the truth of an expression: whether any bit is 1.
func (b *binder) boolean(e int32) ref {
	v := b.bits(e, nil)
	if len(v) == 1 {
		return v[0]
	}
	return b.gate(PrimOr, refOpen, None, v...)
}

// gate adds a gate; without an output it drives a new hidden net. A reduction of one bit becomes a buffer.
func (b *binder) gate(op PrimOp, out ref, delay int32, in ...ref) ref {
	if int64(len(b.m.gates)+len(b.m.gateIn)) > b.l.in.MaxObjects {
		if !b.full {
			b.err(diag.NetlistTooLarge, "the expressions of module %s make more than %d gates", b.l.str(b.m.src.Name), b.l.in.MaxObjects)
		}
		b.full = true
		return refZero
	}
	if out == refOpen {
		out = b.hidden()
	}
	if len(in) == 1 {
		switch op {
		case PrimAnd, PrimOr, PrimXor:
			op = PrimBuf
		case PrimNand, PrimNor, PrimXnor:
			op = PrimNot
		}
	}
	if len(in) == 0 {
		in = []ref{refZero} // a reduction of nothing
	}
	m := b.m
	m.gates = append(m.gates, gate{op: op, out: out, in0: int32(len(m.gateIn)), n: int32(len(in)), delay: delay, pos: b.pos})
	m.gateIn = append(m.gateIn, in...)
	return out
}

// hidden makes a net without a name.
func (b *binder) hidden() ref {
	b.m.hidden++
	return b.m.named + b.m.hidden - 1
}
