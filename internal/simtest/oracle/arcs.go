package oracle

import (
	"math/big"

	"github.com/wattd/wattd/internal/simtest/model"
)

// Edges of inputs and outputs.
const (
	fall = 0
	rise = 1
)

// limit is the pulse limit of an entry for one output edge: equal to the delay, in SDF units, or a percentage.
type limit struct {
	kind byte // 0 the delay, 'a' absolute, '%' percent
	r, e *big.Rat
}

// entry is the default entry or that of a condition, for one (input pin, output pin, input edge).
type entry struct {
	cond *model.Expr
	d    [2]*big.Rat // by output edge, in SDF units; nil is empty
	lim  [2]limit

	// After the last statement, in ticks.
	has     [2]bool
	ticks   [2]int64
	rej, er [2]int64
}

// pair holds the entries of an (input pin, output pin), by input edge.
type pair struct {
	def   [2]*entry
	conds [2][]*entry
}

// instArcs holds the pairs of an instance: [output pin][input pin].
type instArcs map[int]map[int]*pair

func (a instArcs) pair(out, in int) *pair {
	if a[out] == nil {
		a[out] = map[int]*pair{}
	}
	p := a[out][in]
	if p == nil {
		p = &pair{def: [2]*entry{{}, {}}}
		a[out][in] = p
	}
	return p
}

// all calls f for every entry of both input edges.
func (p *pair) all(f func(*entry)) {
	for _, ie := range []int{rise, fall} {
		f(p.def[ie])
		for _, e := range p.conds[ie] {
			f(e)
		}
	}
}

// empty says whether no entry of either input edge has a value for an output edge.
func (p *pair) empty(oe int) bool {
	none := true
	p.all(func(e *entry) { none = none && e.d[oe] == nil })
	return none
}

// base gives the default entries the delay of an arc that nothing annotated: 0, since no slews are known here.
func (p *pair) base(oe int) {
	if p.empty(oe) {
		p.def[rise].d[oe], p.def[fall].d[oe] = new(big.Rat), new(big.Rat)
	}
}

// support lists the input pins that an output's function, three_state and state read.
func support(cell *model.Cell, out int) []int {
	names := map[string]bool{}
	add := func(e *model.Expr) {
		if e != nil {
			for _, v := range e.Vars() {
				names[v] = true
			}
		}
	}
	add(cell.Pins[out].Fn)
	add(cell.Pins[out].Tri)
	if l := cell.Latch; l != nil && (names[l.IQ] || names[l.IQN]) {
		add(l.Enable)
		add(l.Data)
		add(l.Clear)
		add(l.Preset)
	}
	if t := cell.Table; t != nil {
		for _, n := range t.Nodes {
			if names[n] {
				for _, i := range t.Inputs {
					names[i] = true
				}
			}
		}
	}
	var pins []int
	for _, i := range cell.In() {
		if names[cell.Pins[i].Name] {
			pins = append(pins, i)
		}
	}
	return pins
}

// arcs builds the entries of all instances by taking the statements one after the other.
func (b *builder) arcs() {
	b.inst = make([]instArcs, len(b.c.Insts))
	for i, in := range b.c.Insts {
		b.inst[i] = instArcs{}
		for _, out := range in.Cell.Out() {
			for _, p := range support(in.Cell, out) {
				b.inst[i].pair(out, p)
			}
		}
	}
	for k := range b.c.SDF {
		st := &b.c.SDF[k]
		switch st.Kind {
		case model.Interconnect, model.Port, model.NetDelay:
			continue
		}
		if st.Prim >= 0 {
			continue // primitives: see primDelay
		}
		if !st.All {
			b.arcStmt(b.inst[st.Inst], b.c.Insts[st.Inst].Cell, st)
			continue
		}
		for i, in := range b.c.Insts {
			if in.Cell == st.Cell {
				b.arcStmt(b.inst[i], in.Cell, st)
			}
		}
	}
	for i, in := range b.c.Insts {
		for _, out := range in.Cell.Out() {
			for _, p := range in.Cell.In() {
				if pr := b.inst[i][out][p]; pr != nil {
					b.finish(pr)
				}
			}
		}
	}
}

// edges lists the input edges that a statement acts on.
func edges(e model.Edge) []int {
	switch e {
	case model.Pos:
		return []int{rise}
	case model.Neg:
		return []int{fall}
	}
	return []int{rise, fall}
}

// arcStmt is one statement on one instance.
func (b *builder) arcStmt(a instArcs, cell *model.Cell, st *model.Stmt) {
	switch st.Kind {
	case model.IOPath:
		if st.CondKind == model.Cond && !b.known(cell, st.Cond) {
			b.stat("cond unknown name")
			return
		}
		p := a.pair(st.Out, st.In)
		if st.Inc {
			for oe := range 2 {
				if !value(st.Vals, oe).D.Empty() {
					p.base(oe)
				}
			}
		}
		for _, ie := range edges(st.Edge) {
			var on []*entry
			switch st.CondKind {
			case model.Uncond:
				on = []*entry{p.def[ie]}
				if !b.o.DefaultOnly {
					on = append(on, p.conds[ie]...)
				}
			case model.CondElse:
				on = []*entry{p.def[ie]}
			case model.Cond:
				on = []*entry{p.condition(ie, st.Cond)}
			}
			for _, e := range on {
				b.set(e, st)
			}
		}
	case model.Device:
		for _, out := range cell.Out() {
			if st.Out < 0 || st.Out == out {
				for _, p := range a[out] { // each by itself: the order does not matter
					b.device(p, st)
				}
			}
		}
	case model.PathPulse, model.PathPulsePercent:
		for out, ins := range a {
			for in, p := range ins {
				if st.Out >= 0 && (out != st.Out || in != st.In) {
					continue
				}
				p.all(func(e *entry) { b.pathPulse(e, st) })
			}
		}
	}
}

// device is DEVICE on one pair: every entry.
func (b *builder) device(p *pair, st *model.Stmt) {
	for oe := range 2 {
		if st.Inc && !value(st.Vals, oe).D.Empty() {
			p.base(oe)
		}
	}
	p.all(func(e *entry) { b.set(e, st) })
}

// condition finds or makes the entry of a condition; a new one starts as a copy of the default entry.
func (p *pair) condition(ie int, cond *model.Expr) *entry {
	for _, e := range p.conds[ie] {
		if sameFunction(e.cond, cond) {
			return e
		}
	}
	e := &entry{cond: cond, d: p.def[ie].d, lim: p.def[ie].lim}
	p.conds[ie] = append(p.conds[ie], e)
	return e
}

// sameFunction compares two conditions by all values of their variables.
func sameFunction(x, y *model.Expr) bool {
	vars := model.Bin('&', x, y).Vars()
	for s := 0; s < 1<<len(vars); s++ {
		val := func(n string) bool {
			for i, v := range vars {
				if v == n {
					return s>>i&1 == 1
				}
			}
			panic("oracle: variable " + n)
		}
		if x.Eval(val) != y.Eval(val) {
			return false
		}
	}
	return true
}

// known says whether a condition names only pins, state bits and outputs.
func (b *builder) known(cell *model.Cell, cond *model.Expr) bool {
	for _, v := range cond.Vars() {
		ok := cell.Pin(v) >= 0 || cell.Latch != nil && v == cell.Latch.IQ || cell.Latch != nil && v == cell.Latch.IQN
		if cell.Table != nil {
			for _, n := range cell.Table.Nodes {
				ok = ok || n == v
			}
		}
		if !ok {
			return false
		}
	}
	return true
}

// value picks the value for an output edge: the first two of a list are rise and fall, one means both.
func value(vals []model.Val, oe int) model.Val {
	if oe == fall && len(vals) > 1 {
		return vals[1]
	}
	return vals[0]
}

// set is ABSOLUTE or INCREMENT of an entry.
func (b *builder) set(e *entry, st *model.Stmt) {
	for oe := range 2 {
		v := value(st.Vals, oe)
		if v.D.Empty() {
			continue
		}
		d := b.number(v.D)
		switch {
		case !st.Inc:
			e.d[oe] = d
		case e.d[oe] != nil:
			e.d[oe] = new(big.Rat).Add(e.d[oe], d)
		}
		setLimit(&e.lim[oe], v, st.Inc, b.number)
	}
}

// setLimit takes the limits of a value: plain ABSOLUTE values reset them, ((d)()()) keeps them, plain INCREMENT too.
func setLimit(l *limit, v model.Val, inc bool, number func(model.Triple) *big.Rat) {
	switch {
	case v.NLim == 0:
		if !inc {
			*l = limit{}
		}
	case v.R.Empty():
	case v.NLim == 1:
		r := number(v.R)
		*l = limit{'a', r, r}
	default:
		*l = limit{'a', number(v.R), number(v.E)}
	}
}

func (b *builder) pathPulse(e *entry, st *model.Stmt) {
	kind := byte('a')
	if st.Kind == model.PathPulsePercent {
		kind = '%'
	}
	r := b.number(st.Lims[0])
	er := r
	if len(st.Lims) > 1 {
		er = b.number(st.Lims[1])
	}
	for oe := range 2 {
		e.lim[oe] = limit{kind, r, er}
	}
}

// number is the chosen column of a triple, in SDF units.
func (b *builder) number(t model.Triple) *big.Rat {
	s := t.Column(b.c.Corner)
	r, ok := new(big.Rat).SetString(s)
	if !ok {
		panic("oracle: not a number: " + s)
	}
	return r
}

// finish fills arcs that nothing annotated, rounds to ticks, and settles the limits.
func (b *builder) finish(p *pair) {
	for oe := range 2 {
		if p.empty(oe) {
			b.stat("arc unannotated")
		}
		p.base(oe)
	}
	p.all(func(e *entry) {
		for oe := range 2 {
			if e.d[oe] == nil {
				continue
			}
			e.has[oe] = true
			e.ticks[oe], e.rej[oe], e.er[oe] = b.settle(e.d[oe], e.lim[oe])
		}
	})
}

// settle makes ticks of a delay and its limits.
func (b *builder) settle(d *big.Rat, l limit) (ticks, rej, er int64) {
	if b.o.ZeroDelay {
		return 0, 0, 0
	}
	ticks = round(b.inTicks(d))
	if ticks == 0 && d.Sign() != 0 {
		b.res.TinyDelays = true
		b.stat("delay rounds to 0")
	}
	if ticks < 0 {
		b.stat("negative delay")
		ticks = 0
	}
	if l.kind == 0 && b.o.PulseReject != nil {
		l = limit{'%', b.o.PulseReject, b.o.PulseReject}
	}
	switch l.kind {
	case 0:
		return ticks, ticks, ticks
	case 'a':
		rej, er = round(b.inTicks(l.r)), round(b.inTicks(l.e))
	default:
		rej, er = ceil(percent(ticks, l.r)), ceil(percent(ticks, l.e))
	}
	b.stat("arc with limits")
	return ticks, clamp(rej, ticks), clamp(er, ticks)
}

func clamp(v, most int64) int64 { return max(0, min(v, most)) }

func percent(d int64, p *big.Rat) *big.Rat {
	return new(big.Rat).Mul(new(big.Rat).SetInt64(d), new(big.Rat).Quo(p, big.NewRat(100, 1)))
}

// inTicks converts from SDF units.
func (b *builder) inTicks(d *big.Rat) *big.Rat { return scale10(d, b.c.Timescale) }

func scale10(d *big.Rat, exp int) *big.Rat {
	r := new(big.Rat).Set(d)
	for ; exp > 0; exp-- {
		r.Mul(r, big.NewRat(10, 1))
	}
	for ; exp < 0; exp++ {
		r.Quo(r, big.NewRat(10, 1))
	}
	return r
}

// round is to the nearest, halves away from zero.
func round(r *big.Rat) int64 {
	if r.Sign() < 0 {
		return -round(new(big.Rat).Neg(r))
	}
	return floor(new(big.Rat).Add(r, big.NewRat(1, 2)))
}

func floor(r *big.Rat) int64 { return new(big.Int).Div(r.Num(), r.Denom()).Int64() }

func ceil(r *big.Rat) int64 { return -floor(new(big.Rat).Neg(r)) }
