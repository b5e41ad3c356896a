package kernel

import (
	"fmt"
	"unsafe"
)

// Validate checks that every index of the program is in range, every delay below MaxWindow, no reject limit above its delay, all code
// well formed, and that Order holds every gate once, after the gates it reads. The error wraps ErrProgram. An engine may
// run a valid program without further checks.
func (p *Program) Validate() error {
	v := validator{p: p, pairs: map[uint64]struct{}{}, codes: map[uint64]struct{}{}}
	for _, check := range []func() error{v.arrays, v.fns, v.gates, v.order} {
		if err := check(); err != nil {
			return fmt.Errorf("%w: %w", ErrProgram, err)
		}
	}
	return nil
}

// ValidateEdit is Validate for a program that came from a valid one by an edit of the gates listed, which include new ones and
// holes. Arrays were copied, appended to, or are still the same memory; entries of other gates are taken to be as they were.
func (p *Program) ValidateEdit(earlier *Program, gates []int32) error {
	v := validator{p: p, pairs: map[uint64]struct{}{}, codes: map[uint64]struct{}{}}
	err := v.edit(earlier, gates)
	if err != nil {
		err = fmt.Errorf("%w: %w", ErrProgram, err)
	}
	return err
}

func (v *validator) edit(q *Program, gates []int32) error {
	p := v.p
	if p.NNet < q.NNet || len(p.Wires) < len(q.Wires) || len(p.PinNet) < len(q.PinNet) || len(p.ArcDelay) < len(q.ArcDelay) || len(p.ArcReject) < len(q.ArcReject) {
		return fmt.Errorf("arrays are shorter than before the edit")
	}
	if err := v.lengths(); err != nil {
		return err
	}
	if err := v.wires(len(q.Wires)); err != nil {
		return err
	}
	if !same(p.Fns, q.Fns) || !same(p.Words, q.Words) || !same(p.Code, q.Code) {
		if err := v.fns(); err != nil {
			return err
		}
	}
	for _, g := range gates {
		if g < 0 || int(g) >= len(p.GateOut) {
			return fmt.Errorf("edited gate %d of %d", g, len(p.GateOut))
		}
		if err := v.gate(int(g)); err != nil {
			return err
		}
		if p.GateOut[g] < 0 {
			continue
		}
		f := &p.Fns[p.GateFn[g]]
		if err := v.pins(int(p.GatePin[g]), int(p.GatePin[g])+int(f.NPin)+int(f.NObs)); err != nil {
			return err
		}
		if s := p.GateShape[g]; s >= 0 {
			if err := v.arcs(int(p.GateArc[g]), int(p.GateArc[g]+p.Shapes[s].NSlot)); err != nil {
				return err
			}
		}
	}
	if SameStructure(p, q) {
		return nil
	}
	for g := len(q.GateOut); g < len(p.GateOut); g++ {
		if err := v.gate(g); err != nil {
			return err
		}
	}
	if err := v.pins(len(q.PinNet), len(p.PinNet)); err != nil {
		return err
	}
	return v.order()
}

// same says whether two slices are the same memory.
func same[T any](a, b []T) bool {
	return len(a) == len(b) && unsafe.SliceData(a) == unsafe.SliceData(b)
}

// SameStructure says whether two programs share the arrays that say which gates there are, what they read and in which order they come.
func SameStructure(p, q *Program) bool {
	return p.NNet == q.NNet && same(p.GateOut, q.GateOut) && same(p.GatePin, q.GatePin) && same(p.PinNet, q.PinNet) && same(p.Order, q.Order) &&
		same(p.LevelStart, q.LevelStart) && same(p.GateFn, q.GateFn)
}

type validator struct {
	p     *Program
	pairs map[uint64]struct{} // (function, shape) checked
	codes map[uint64]struct{} // (offset, variables) checked
}

func (v *validator) arrays() error {
	p := v.p
	if err := v.lengths(); err != nil {
		return err
	}
	if err := v.wires(0); err != nil {
		return err
	}
	if err := v.arcs(0, len(p.ArcDelay)); err != nil {
		return err
	}
	return v.pins(0, len(p.PinNet))
}

func (v *validator) lengths() error {
	p := v.p
	n := len(p.GateOut)
	if p.NNet < 0 || len(p.GateFn) != n || len(p.GateShape) != n || len(p.GatePin) != n || len(p.GateArc) != n || len(p.GateLimit) != n {
		return fmt.Errorf("arrays of gates differ in length")
	}
	if len(p.PinNet) != len(p.PinWire) || len(p.ArcReject) != len(p.ArcError) {
		return fmt.Errorf("arrays of pins or limits differ in length")
	}
	if len(p.Wires) == 0 || p.Wires[0] != (Wire{}) {
		return fmt.Errorf("wire 0 is not the wire without delay")
	}
	return nil
}

func (v *validator) wires(from int) error {
	for i := from; i < len(v.p.Wires); i++ {
		w := &v.p.Wires[i]
		for _, x := range [...]int32{w.Rise, w.Fall, w.RejRise, w.RejFall, w.ErrRise, w.ErrFall} {
			if x < 0 || x >= MaxWindow {
				return fmt.Errorf("wire %d has a delay or limit of %d", i, x)
			}
		}
		if w.RejRise > w.Rise || w.RejFall > w.Fall {
			return fmt.Errorf("wire %d has a reject limit above its delay", i)
		}
	}
	return nil
}

func (v *validator) arcs(from, to int) error {
	for i, d := range v.p.ArcDelay[from:to] {
		if d < 0 || d >= MaxWindow {
			return fmt.Errorf("arc %d has a delay of %d", from+i, d)
		}
	}
	return nil
}

func (v *validator) pins(from, to int) error {
	p := v.p
	for i := from; i < to; i++ {
		if n := p.PinNet[i]; n < 0 || n >= p.NNet {
			return fmt.Errorf("pin %d on net %d", i, n)
		}
		if w := p.PinWire[i]; w < 0 || int(w) >= len(p.Wires) {
			return fmt.Errorf("pin %d has wire %d", i, w)
		}
	}
	return nil
}

func (v *validator) fns() error {
	p := v.p
	for i := range p.Fns {
		f := &p.Fns[i]
		n := int(f.NPin) + int(f.NBit)
		if n+int(f.NObs) > MaxVars || f.NBit > 32 || f.Form > FormCode {
			return fmt.Errorf("function %d has %d pins, %d bits, %d observed nets, form %d", i, f.NPin, f.NBit, f.NObs, f.Form)
		}
		if f.Form == FormTable {
			if n > TableVars {
				return fmt.Errorf("function %d is a table of %d variables", i, n)
			}
			words := f.TableWords()
			if !within(f.Out, words, len(p.Words)) || f.NBit > 0 && (!within(f.Next, words*int(f.NBit), len(p.Words)) || !within(f.Trans, words*int(f.NBit), len(p.Words))) {
				return fmt.Errorf("function %d has a table outside of the words", i)
			}
			continue
		}
		starts := []int32{f.Out}
		if f.NBit > 0 {
			if !within(f.Next, int(f.NBit), len(p.Code)) || !within(f.Trans, int(f.NBit), len(p.Code)) {
				return fmt.Errorf("function %d has bits outside of the code", i)
			}
			for k := range int32(f.NBit) {
				starts = append(starts, int32(p.Code[f.Next+k]), int32(p.Code[f.Trans+k]))
			}
		}
		for _, at := range starts {
			if err := v.code(at, n); err != nil {
				return fmt.Errorf("function %d: %w", i, err)
			}
		}
	}
	return nil
}

// TableWords is the number of words of one function of a table form.
func (f *Fn) TableWords() int { return max(1, 1<<(f.NPin+f.NBit)>>6) }

func within(off int32, n, size int) bool { return off >= 0 && int(off) <= size-n }

// code checks the code at an offset that may use nVar variables.
func (v *validator) code(at int32, nVar int) error {
	key := uint64(uint32(at))<<8 | uint64(nVar)
	if _, ok := v.codes[key]; ok {
		return nil
	}
	depth := 0
	for pc := int(at); ; pc++ {
		if pc < 0 || pc >= len(v.p.Code) {
			return fmt.Errorf("code at %d runs out of the program", at)
		}
		arg := v.p.Code[pc] & (1<<24 - 1)
		need, grow := 0, 0
		switch CodeOp(v.p.Code[pc] >> 24) {
		case CodeEnd:
			if depth < 1 {
				return fmt.Errorf("code at %d ends without a value", at)
			}
			v.codes[key] = struct{}{}
			return nil
		case CodeConst:
			if arg > 1 {
				return fmt.Errorf("code at %d has constant %d", at, arg)
			}
			grow = 1
		case CodeVar:
			if arg >= uint32(nVar) {
				return fmt.Errorf("code at %d reads variable %d of %d", at, arg, nVar)
			}
			grow = 1
		case CodeNot:
			need = 1
		case CodeAnd, CodeOr, CodeXor:
			need, grow = 2, -1
		default:
			return fmt.Errorf("code at %d has an unknown instruction %#x", at, v.p.Code[pc])
		}
		if depth < need {
			return fmt.Errorf("code at %d pops an empty stack", at)
		}
		if depth += grow; depth > MaxVars {
			return fmt.Errorf("code at %d needs a stack of more than %d", at, MaxVars)
		}
	}
}

func (v *validator) gates() error {
	for g := range v.p.GateOut {
		if err := v.gate(g); err != nil {
			return err
		}
	}
	return nil
}

func (v *validator) gate(g int) error {
	p := v.p
	out := p.GateOut[g]
	if out == -1 {
		return nil
	}
	if out < 0 || out >= p.NNet {
		return fmt.Errorf("gate %d drives net %d", g, out)
	}
	fi, si := p.GateFn[g], p.GateShape[g]
	if fi < 0 || int(fi) >= len(p.Fns) || si < -1 || int(si) >= len(p.Shapes) {
		return fmt.Errorf("gate %d has function %d, shape %d", g, fi, si)
	}
	f := &p.Fns[fi]
	if !within(p.GatePin[g], int(f.NPin)+int(f.NObs), len(p.PinNet)) {
		return fmt.Errorf("gate %d has pins outside of the table", g)
	}
	if si < 0 {
		return nil
	}
	key := uint64(fi)<<32 | uint64(si)
	if _, ok := v.pairs[key]; !ok {
		if err := v.shape(f, &p.Shapes[si]); err != nil {
			return fmt.Errorf("gate %d, shape %d: %w", g, si, err)
		}
		v.pairs[key] = struct{}{}
	}
	n := int(p.Shapes[si].NSlot)
	if !within(p.GateArc[g], n, len(p.ArcDelay)) {
		return fmt.Errorf("gate %d has arcs outside of the table", g)
	}
	at := p.GateLimit[g]
	if at == -1 {
		return nil
	}
	if !within(at, n, len(p.ArcReject)) {
		return fmt.Errorf("gate %d has limits outside of the table", g)
	}
	for s := range int32(n) {
		if r := p.ArcReject[at+s]; r < 0 || r > p.ArcDelay[p.GateArc[g]+s] || p.ArcError[at+s] < 0 {
			return fmt.Errorf("gate %d, slot %d: reject limit %d above the delay, or a negative limit", g, s, r)
		}
	}
	return nil
}

func (v *validator) shape(f *Fn, s *Shape) error {
	p := v.p
	if s.NSlot < 0 {
		return fmt.Errorf("%d slots", s.NSlot)
	}
	slots := func(off int32, n int) error {
		if !within(off, n, len(p.SlotMap)) {
			return fmt.Errorf("slots outside of the map")
		}
		for _, x := range p.SlotMap[off : int(off)+n] {
			if x < NoSlot || int32(x) >= s.NSlot {
				return fmt.Errorf("slot %d of %d", x, s.NSlot)
			}
		}
		return nil
	}
	if err := slots(s.Fall, 2*int(f.NPin)); err != nil {
		return err
	}
	vars := int(f.NPin) + int(f.NBit) + int(f.NObs)
	if !s.List {
		if vars > DenseVars {
			return fmt.Errorf("dense map of %d variables", vars)
		}
		return slots(s.Map, int(f.NPin)<<vars)
	}
	n := 4*int(f.NPin) + 1
	if !within(s.Map, n, len(p.ListOff)) {
		return fmt.Errorf("lists outside of the table")
	}
	offs := p.ListOff[s.Map : int(s.Map)+n]
	for i := 1; i < n; i++ {
		if offs[i-1] < 0 || offs[i] < offs[i-1] || int(offs[i]) > len(p.Cands) {
			return fmt.Errorf("list %d lies outside of the candidates", i-1)
		}
	}
	for _, c := range p.Cands[offs[0]:offs[n-1]] {
		if c.Slot < 0 || c.Slot >= s.NSlot || c.Cond < -1 {
			return fmt.Errorf("candidate slot %d of %d, condition %d", c.Slot, s.NSlot, c.Cond)
		}
		if c.Cond >= 0 {
			if err := v.code(c.Cond, vars); err != nil {
				return err
			}
		}
	}
	return nil
}

func (v *validator) order() error {
	p := v.p
	live := 0
	level := make([]int32, p.NNet) // 0: source; else 1 + level of the driver; -1 while the driver has not come yet
	for g, out := range p.GateOut {
		if out < 0 {
			continue
		}
		live++
		if level[out] != 0 {
			return fmt.Errorf("net %d is driven twice, the second time by gate %d", out, g)
		}
		level[out] = -1
	}
	if live != len(p.Order) {
		return fmt.Errorf("order of %d gates, there are %d", len(p.Order), live)
	}
	ls := p.LevelStart
	if len(ls) == 0 || ls[0] != 0 || int(ls[len(ls)-1]) != len(p.Order) {
		return fmt.Errorf("levels do not span the order")
	}
	for l := 0; l+1 < len(ls); l++ {
		if ls[l] > ls[l+1] || int(ls[l+1]) > len(p.Order) {
			return fmt.Errorf("level %d ends before it starts", l)
		}
		gates := p.Order[ls[l]:ls[l+1]]
		for _, g := range gates {
			if g < 0 || int(g) >= len(p.GateOut) || p.GateOut[g] < 0 || level[p.GateOut[g]] != -1 {
				return fmt.Errorf("level %d holds gate %d, which is no gate or comes twice", l, g)
			}
			f := &p.Fns[p.GateFn[g]]
			for _, n := range p.PinNet[p.GatePin[g] : int(p.GatePin[g])+int(f.NPin)+int(f.NObs)] {
				if level[n] < 0 || level[n] > int32(l) {
					return fmt.Errorf("gate %d of level %d reads net %d, which is not computed before", g, l, n)
				}
			}
			level[p.GateOut[g]] = int32(l) + 1
		}
	}
	return nil
}
