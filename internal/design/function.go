package design

import (
	"encoding/binary"
	"fmt"

	"github.com/wattd/wattd/internal/logic"
	"github.com/wattd/wattd/kernel"
)

// function is what a gate computes, over named variables: pins first, then state bits, then observed nets.
type function struct {
	pins, bits, obs []string
	out             *logic.Expr
	next            []*logic.Expr // per bit
}

func (f *function) nvar() int { return len(f.pins) + len(f.bits) + len(f.obs) }

// index maps a variable name to its number, -1 when unknown.
func (f *function) index(name string) int {
	for i, p := range f.pins {
		if p == name {
			return i
		}
	}
	for i, b := range f.bits {
		if b == name {
			return len(f.pins) + i
		}
	}
	for i, b := range f.obs {
		if b == name {
			return len(f.pins) + len(f.bits) + i
		}
	}
	return -1
}

// fnTable interns functions and code into a program.
type fnTable struct {
	prog *kernel.Program
	seen overlay[string, int32]
	info []fnInfo
}

type fnInfo struct {
	table []uint64 // output over pins and bits, Table form only
}

func newFnTable(p *kernel.Program) *fnTable { return &fnTable{prog: p} }

// add returns the index of f in Program.Fns.
func (t *fnTable) add(f *function) (int32, error) {
	n := len(f.pins) + len(f.bits)
	if f.nvar() > kernel.MaxVars {
		return 0, fmt.Errorf("%d variables; at most %d can be simulated", f.nvar(), kernel.MaxVars)
	}
	fn := kernel.Fn{NPin: uint8(len(f.pins)), NBit: uint8(len(f.bits)), NObs: uint8(len(f.obs))}
	if n > kernel.TableVars {
		fn.Form = kernel.FormCode
		return t.addCode(f, fn)
	}
	out, err := logic.Tabulate(f.out, n, f.index)
	if err != nil {
		return 0, err
	}
	key := []byte{fn.NPin, fn.NBit, fn.NObs}
	key = appendWords(key, out)
	var next, trans [][]uint64
	for k, e := range f.next {
		w, err := logic.Tabulate(e, n, f.index)
		if err != nil {
			return 0, err
		}
		next = append(next, w)
		trans = append(trans, transparency(w, n, len(f.pins)+k))
		key = appendWords(key, w)
	}
	if i, ok := lookup(&t.seen, key); ok {
		return i, nil
	}
	fn.Out = int32(len(t.prog.Words))
	t.prog.Words = append(t.prog.Words, out...)
	fn.Next = int32(len(t.prog.Words))
	for _, w := range next {
		t.prog.Words = append(t.prog.Words, w...)
	}
	fn.Trans = int32(len(t.prog.Words))
	for _, w := range trans {
		t.prog.Words = append(t.prog.Words, w...)
	}
	return t.put(string(key), fn, fnInfo{table: out}), nil
}

func (t *fnTable) put(key string, fn kernel.Fn, in fnInfo) int32 {
	i := int32(len(t.prog.Fns))
	t.prog.Fns = append(t.prog.Fns, fn)
	t.info = append(t.info, in)
	t.seen.put(key, i)
	return i
}

// transparency tabulates where the next value of variable v does not depend on v.
func transparency(next []uint64, n, v int) []uint64 {
	w := make([]uint64, len(next))
	for s := 0; s < 1<<n; s++ {
		a, b := s&^(1<<v), s|1<<v
		if next[a>>6]>>(a&63)&1 == next[b>>6]>>(b&63)&1 {
			w[s>>6] |= 1 << (s & 63)
		}
	}
	return w
}

func appendWords(b []byte, w []uint64) []byte {
	for _, x := range w {
		b = binary.LittleEndian.AppendUint64(b, x)
	}
	return b
}

func (t *fnTable) addCode(f *function, fn kernel.Fn) (int32, error) {
	key := []byte{'C', fn.NPin, fn.NBit, fn.NObs}
	codes := make([][]uint32, 0, 1+2*len(f.bits))
	add := func(e *logic.Expr) error {
		c, err := assemble(e, f.index)
		if err != nil {
			return err
		}
		codes = append(codes, c)
		for _, x := range c {
			key = binary.LittleEndian.AppendUint32(key, x)
		}
		return nil
	}
	if err := add(f.out); err != nil {
		return 0, err
	}
	for _, e := range f.next {
		if err := add(e); err != nil {
			return 0, err
		}
	}
	for k, e := range f.next {
		v := f.bits[k]
		if err := add(exprNot(exprXor(substitute(e, v, exprConst(false)), substitute(e, v, exprConst(true))))); err != nil {
			return 0, err
		}
	}
	if i, ok := lookup(&t.seen, key); ok {
		return i, nil
	}
	at := make([]uint32, len(codes))
	for i, c := range codes {
		at[i] = uint32(len(t.prog.Code))
		t.prog.Code = append(t.prog.Code, c...)
	}
	fn.Out = int32(at[0])
	fn.Next = int32(len(t.prog.Code))
	t.prog.Code = append(t.prog.Code, at[1:]...)
	fn.Trans = fn.Next + int32(len(f.bits))
	return t.put(string(key), fn, fnInfo{}), nil
}

// code interns the code of a condition and returns its offset.
func (t *fnTable) code(e *logic.Expr, index func(string) int) (int32, error) {
	c, err := assemble(e, index)
	if err != nil {
		return 0, err
	}
	key := []byte{'c'}
	for _, x := range c {
		key = binary.LittleEndian.AppendUint32(key, x)
	}
	if i, ok := lookup(&t.seen, key); ok {
		return i, nil
	}
	at := int32(len(t.prog.Code))
	t.prog.Code = append(t.prog.Code, c...)
	t.seen.put(string(key), at)
	return at, nil
}

// assemble turns an expression into stack code of bounded depth.
func assemble(e *logic.Expr, index func(string) int) ([]uint32, error) {
	var c []uint32
	depth, deepest := 0, 0
	op := func(o kernel.CodeOp, arg int) { c = append(c, uint32(o)<<24|uint32(arg)) }
	push := func() {
		if depth++; depth > deepest {
			deepest = depth
		}
	}
	var walk func(*logic.Expr) error
	walk = func(e *logic.Expr) error {
		switch e.Op {
		case logic.Const:
			v := 0
			if e.Value {
				v = 1
			}
			op(kernel.CodeConst, v)
			push()
		case logic.Var:
			i := index(e.Name)
			if i < 0 {
				return fmt.Errorf("unknown name %q", e.Name)
			}
			op(kernel.CodeVar, i)
			push()
		case logic.Not:
			if err := walk(e.Kids[0]); err != nil {
				return err
			}
			op(kernel.CodeNot, 0)
		default:
			o := map[logic.Op]kernel.CodeOp{logic.And: kernel.CodeAnd, logic.Or: kernel.CodeOr, logic.Xor: kernel.CodeXor}[e.Op]
			for i, k := range e.Kids {
				if err := walk(k); err != nil {
					return err
				}
				if i > 0 {
					op(o, 0)
					depth--
				}
			}
		}
		return nil
	}
	if err := walk(e); err != nil {
		return nil, err
	}
	if deepest > 64 {
		return nil, fmt.Errorf("expression nested %d deep; at most 64", deepest)
	}
	op(kernel.CodeEnd, 0)
	return c, nil
}

func exprConst(v bool) *logic.Expr { return &logic.Expr{Op: logic.Const, Value: v} }
func exprVar(n string) *logic.Expr { return &logic.Expr{Op: logic.Var, Name: n} }
func exprNot(e *logic.Expr) *logic.Expr {
	return &logic.Expr{Op: logic.Not, Kids: []*logic.Expr{e}}
}
func exprAnd(k ...*logic.Expr) *logic.Expr { return exprN(logic.And, true, k) }
func exprOr(k ...*logic.Expr) *logic.Expr  { return exprN(logic.Or, false, k) }
func exprXor(a, b *logic.Expr) *logic.Expr {
	return &logic.Expr{Op: logic.Xor, Kids: []*logic.Expr{a, b}}
}

func exprN(op logic.Op, empty bool, k []*logic.Expr) *logic.Expr {
	switch len(k) {
	case 0:
		return exprConst(empty)
	case 1:
		return k[0]
	}
	return &logic.Expr{Op: op, Kids: k}
}

// exprIf is c ? a : b.
func exprIf(c, a, b *logic.Expr) *logic.Expr { return exprOr(exprAnd(c, a), exprAnd(exprNot(c), b)) }

// substitute returns e with variable name replaced by r.
func substitute(e *logic.Expr, name string, r *logic.Expr) *logic.Expr {
	return rename(e, func(n string) *logic.Expr {
		if n == name {
			return r
		}
		return nil
	})
}

// rename returns e with every variable for which by returns an expression replaced by it.
func rename(e *logic.Expr, by func(string) *logic.Expr) *logic.Expr {
	if e.Op == logic.Var {
		if r := by(e.Name); r != nil {
			return r
		}
		return e
	}
	if len(e.Kids) == 0 {
		return e
	}
	c := &logic.Expr{Op: e.Op, Value: e.Value, Kids: make([]*logic.Expr, len(e.Kids))}
	for i, k := range e.Kids {
		c.Kids[i] = rename(k, by)
	}
	return c
}
