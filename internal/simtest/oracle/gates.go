package oracle

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/wattd/wattd/internal/simtest/model"
)

// builder turns the circuit into gates and wires.
type builder struct {
	c    *model.Circuit
	o    Options
	res  *Result
	inst []instArcs

	gate  []*gate // computed nets, in topological order after openLoops
	isSrc []bool  // by net: a source
	isTri []bool  // by net: all drivers have three_state, more or less one
}

// driver is one output pin, or a primitive, that drives a net.
type driver struct {
	inst, out int // inst -1: a primitive
	prim      int
	scope     int
	name      string
}

// gate computes one net.
type gate struct {
	out  int
	pins []*gpin
	bits []*bit
	// drivers of a three-state net, in name order; one for all other gates.
	drv []*part
	tri bool

	q     inertial
	order int
	// Of a three-state net: 'd' driven, 'z' none enabled, 'b' they fight, and since when.
	status []statusChange
}

type statusChange struct {
	t int64
	s byte
}

// part is one driver of a gate: how the names in its functions read.
type part struct {
	inst, out int
	fn, tri   *model.Expr
	first     int            // its pins are pins[first:first+n] of the gate
	index     map[string]int // pin name to pin of the gate
	outputs   map[string]int // other outputs to nets
	delay     [2]int64       // of a primitive, by output edge
}

// gpin is a pin of a gate with its wire.
type gpin struct {
	net       int // or model.Open, Const0, Const1
	inst, pin int // of the cell; inst -1 for a primitive
	part      int
	scope     int
	w         *wire
}

// bit is a state bit: transparent says whether the pins alone decide, and then data what it becomes.
type bit struct {
	name    string
	inv     string // another name, for its complement
	inverse func(val func(string) bool) bool
	follow  func(val func(string) bool) (data, transparent bool)
	v       bool
}

// gates finds the drivers of every net and makes its gate, or a source.
func (b *builder) gates() {
	n := len(b.c.Nets)
	b.isSrc = make([]bool, n)
	b.isTri = make([]bool, n)
	drv := make([][]driver, n)
	for i, in := range b.c.Insts {
		for _, out := range in.Cell.Out() {
			if net := in.Conn[out]; net >= 0 {
				drv[net] = append(drv[net], driver{inst: i, out: out, prim: -1, scope: in.Scope, name: in.Name})
			}
		}
	}
	for i, p := range b.c.Prims {
		drv[p.Out] = append(drv[p.Out], driver{inst: -1, prim: i, scope: p.Scope, name: p.Name})
	}
	named := map[int]bool{}
	for _, w := range b.c.Waves {
		named[w.Net] = true
	}
	for net := range n {
		ds := drv[net]
		slices.SortStableFunc(ds, func(x, y driver) int { return b.nameOrder(x, y) })
		ds = b.merge(ds)
		switch {
		case b.c.Nets[net].Input:
			b.isSrc[net] = true
		case len(ds) == 0:
			b.isSrc[net] = true // undriven: 0
		case b.allTri(ds):
			b.isTri[net] = true
			if named[net] {
				b.isSrc[net] = true
				break
			}
			b.triGate(net, ds)
		case len(ds) == 1:
			b.plainGate(net, ds[0])
		default:
			b.stat("fighting drivers")
			b.isSrc[net] = true
		}
	}
}

// nameOrder is bytewise by hierarchy component.
func (b *builder) nameOrder(x, y driver) int {
	return slices.CompareFunc(append(b.c.Path(x.scope), x.name), append(b.c.Path(y.scope), y.name), strings.Compare)
}

func (b *builder) allTri(ds []driver) bool {
	for _, d := range ds {
		if d.inst >= 0 {
			if b.c.Insts[d.inst].Cell.Pins[d.out].Tri == nil {
				return false
			}
		} else if _, tri := primFunction(b.c.Prims[d.prim]); tri == nil {
			return false
		}
	}
	return true
}

// merge keeps the first, in name order, of drivers with the same function (and three_state) of the same nets.
func (b *builder) merge(ds []driver) []driver {
	var kept []driver
	for _, d := range ds {
		if slices.ContainsFunc(kept, func(k driver) bool { return b.sameDriver(k, d) }) {
			b.stat("parallel drivers")
			continue
		}
		kept = append(kept, d)
	}
	return kept
}

func (b *builder) sameDriver(x, y driver) bool {
	fx, tx := b.ofNets(x)
	fy, ty := b.ofNets(y)
	if fx == nil || fy == nil || (tx == nil) != (ty == nil) {
		return false
	}
	return sameNets(fx, tx, fy, ty) && sameFunction(fx, fy) && (tx == nil || sameFunction(tx, ty))
}

// sameNets says whether two drivers read the same nets, be it in vain.
func sameNets(fx, tx, fy, ty *model.Expr) bool {
	list := func(f, t *model.Expr) []string {
		if t != nil {
			f = model.Bin('&', f, t)
		}
		return slices.Sorted(slices.Values(f.Vars()))
	}
	return slices.Equal(list(fx, tx), list(fy, ty))
}

// ofNets is what a driver computes as a function of nets; nil when it has state.
func (b *builder) ofNets(d driver) (fn, tri *model.Expr) {
	var conn func(v string) int
	if d.inst < 0 {
		p := b.c.Prims[d.prim]
		fn, tri = primFunction(p)
		conn = func(v string) int {
			i, err := strconv.Atoi(v[1:])
			if err != nil {
				panic(err)
			}
			return p.In[i]
		}
	} else {
		in := b.c.Insts[d.inst]
		if in.Cell.FF != nil || in.Cell.Latch != nil || in.Cell.Table != nil || in.Cell.Black {
			return nil, nil
		}
		fn, tri = in.Cell.Pins[d.out].Fn, in.Cell.Pins[d.out].Tri
		conn = func(v string) int { return in.Conn[in.Cell.Pin(v)] }
	}
	fn = onNets(fn, conn)
	if tri != nil {
		tri = onNets(tri, conn)
	}
	return fn, tri
}

func onNets(e *model.Expr, conn func(v string) int) *model.Expr {
	if e.Op == 'v' {
		switch n := conn(e.Var); n {
		case model.Open, model.Const0:
			return &model.Expr{Op: '0'}
		case model.Const1:
			return &model.Expr{Op: '1'}
		default:
			return model.V(fmt.Sprint("n", n))
		}
	}
	r := &model.Expr{Op: e.Op}
	for _, k := range e.Kids {
		r.Kids = append(r.Kids, onNets(k, conn))
	}
	return r
}

// plainGate is a net with one driver.
func (b *builder) plainGate(net int, d driver) {
	g := &gate{out: net}
	if d.inst < 0 {
		b.primPart(g, d.prim)
	} else {
		in := b.c.Insts[d.inst]
		if in.Cell.Black || b.readsRegister(in.Cell, d.out) {
			b.isSrc[net] = true
			b.stat("register output")
			return
		}
		b.cellPart(g, d.inst, d.out)
		b.stateBits(g, in.Cell, d.out)
	}
	b.gate = append(b.gate, g)
}

func (b *builder) readsRegister(cell *model.Cell, out int) bool {
	if cell.FF == nil {
		return false
	}
	for _, v := range cell.Pins[out].Fn.Vars() {
		if v == cell.FF.IQ || v == cell.FF.IQN {
			return true
		}
	}
	return false
}

// triGate is a net all of whose drivers have three_state: a state gate that holds the last driven value.
func (b *builder) triGate(net int, ds []driver) {
	b.stat("three-state net")
	g := &gate{out: net, tri: true}
	for _, d := range ds {
		if d.inst < 0 {
			b.primPart(g, d.prim)
		} else {
			b.cellPart(g, d.inst, d.out)
		}
	}
	g.bits = []*bit{{name: "held", follow: func(val func(string) bool) (bool, bool) { panic("oracle: see triValue") }}}
	b.gate = append(b.gate, g)
}

// cellPart adds an output of an instance: its pins are the input pins of the cell that it reads, in Liberty order.
func (b *builder) cellPart(g *gate, inst, out int) {
	in := b.c.Insts[inst]
	p := &part{inst: inst, out: out, fn: in.Cell.Pins[out].Fn, tri: in.Cell.Pins[out].Tri, first: len(g.pins), index: map[string]int{}, outputs: map[string]int{}}
	for _, i := range in.Cell.In() {
		if !b.reads(inst, out, i) {
			continue
		}
		p.index[in.Cell.Pins[i].Name] = len(g.pins)
		g.pins = append(g.pins, &gpin{net: in.Conn[i], inst: inst, pin: i, part: len(g.drv), scope: in.Scope})
	}
	for _, o := range in.Cell.Out() {
		p.outputs[in.Cell.Pins[o].Name] = in.Conn[o]
	}
	g.drv = append(g.drv, p)
}

// reads says whether an output depends on a pin: its function or state reads it, an arc starts there, or a condition
// of one of its arcs names it.
func (b *builder) reads(inst, out, pin int) bool {
	arcs := b.inst[inst][out]
	if arcs[pin] != nil {
		return true
	}
	name := b.c.Insts[inst].Cell.Pins[pin].Name
	for _, p := range arcs {
		found := false
		p.all(func(e *entry) { found = found || e.cond != nil && slices.Contains(e.cond.Vars(), name) })
		if found {
			return true
		}
	}
	return false
}

// primPart adds a primitive or assignment: pins i0, i1, ... without arcs, all with the delay of the primitive.
func (b *builder) primPart(g *gate, prim int) {
	pr := b.c.Prims[prim]
	p := &part{inst: -1, out: prim, first: len(g.pins), index: map[string]int{}}
	for i, n := range pr.In {
		p.index[fmt.Sprint("i", i)] = len(g.pins)
		g.pins = append(g.pins, &gpin{net: n, inst: -1, pin: i, part: len(g.drv), scope: pr.Scope})
	}
	p.fn, p.tri = primFunction(pr)
	p.delay = b.primDelay(prim)
	g.drv = append(g.drv, p)
}

// primDelay is the delay of a primitive: its #, then DEVICE statements.
func (b *builder) primDelay(prim int) (ticks [2]int64) {
	if b.o.ZeroDelay {
		return ticks
	}
	for oe := range 2 {
		d := new(big.Rat)
		if dl := b.c.Prims[prim].Delay; dl != nil {
			t := dl[0]
			if oe == fall && len(dl) > 1 {
				t = dl[1]
			}
			d = scale10(b.number(t), 3) // nanoseconds
		}
		for k := range b.c.SDF {
			st := &b.c.SDF[k]
			if st.Kind != model.Device || st.Prim != prim {
				continue
			}
			v := value(st.Vals, oe).D
			switch {
			case v.Empty():
			case st.Inc:
				d = new(big.Rat).Add(d, b.inTicks(b.number(v)))
			default:
				d = b.inTicks(b.number(v))
			}
		}
		ticks[oe] = max(0, round(d))
	}
	return ticks
}

// primFunction is what a primitive computes, and when it does not drive.
func primFunction(p *model.Prim) (fn, tri *model.Expr) {
	if p.Op == "assign" {
		return p.Fn, nil
	}
	var in []*model.Expr
	for i := range p.In {
		in = append(in, model.V(fmt.Sprint("i", i)))
	}
	join := func(op byte) *model.Expr { return model.Bin(op, in...) }
	switch p.Op {
	case "and":
		return join('&'), nil
	case "nand":
		return model.Not(join('&')), nil
	case "or":
		return join('|'), nil
	case "nor":
		return model.Not(join('|')), nil
	case "xor":
		return join('^'), nil
	case "xnor":
		return model.Not(join('^')), nil
	case "buf":
		return in[0], nil
	case "not":
		return model.Not(in[0]), nil
	case "bufif0":
		return in[0], in[1]
	case "bufif1":
		return in[0], model.Not(in[1])
	case "notif0":
		return model.Not(in[0]), in[1]
	case "notif1":
		return model.Not(in[0]), model.Not(in[1])
	}
	panic("oracle: primitive " + p.Op)
}

// stateBits makes the bits that an output reads.
func (b *builder) stateBits(g *gate, cell *model.Cell, out int) {
	reads := map[string]bool{}
	for _, v := range cell.Pins[out].Fn.Vars() {
		reads[v] = true
	}
	if l := cell.Latch; l != nil && (reads[l.IQ] || reads[l.IQN]) {
		g.bits = append(g.bits, latchBits(l)...)
	}
	if t := cell.Table; t != nil {
		for i, n := range t.Nodes {
			if reads[n] {
				g.bits = append(g.bits, tableBit(t, i))
			}
		}
	}
}

// latchBits: clear and preset are levels and win over data; with both, clear_preset_var1 decides. IQN is no bit of its
// own: it is the complement of IQ, but for the time that both are active, when clear_preset_var2 says what it is.
func latchBits(l *model.Latch) []*bit {
	active := func(e *model.Expr, val func(string) bool) bool { return e != nil && e.Eval(val) }
	both := func(val func(string) bool) bool { return active(l.Clear, val) && active(l.Preset, val) }
	iq := &bit{name: l.IQ, inv: l.IQN}
	iq.follow = func(val func(string) bool) (bool, bool) {
		switch {
		case both(val):
			return l.ClearPreset1 == 'H', l.ClearPreset1 != 'N'
		case active(l.Clear, val):
			return false, true
		case active(l.Preset, val):
			return true, true
		}
		return l.Data.Eval(val), l.Enable.Eval(val)
	}
	iq.inverse = func(val func(string) bool) bool {
		if both(val) && (l.ClearPreset2 == 'L' || l.ClearPreset2 == 'H') {
			return l.ClearPreset2 == 'H'
		}
		return !iq.v
	}
	return []*bit{iq}
}

// tableBit: the first row that matches the inputs says the next state; N keeps.
func tableBit(t *model.StateTable, node int) *bit {
	return &bit{name: t.Nodes[node], follow: func(val func(string) bool) (bool, bool) {
		for _, row := range t.Rows {
			f := strings.Split(row, ":")
			in, next := strings.Fields(f[0]), strings.Fields(f[2])
			match := true
			for i, x := range in {
				v := val(t.Inputs[i])
				match = match && (x == "-" || x == "H" && v || x == "L" && !v)
			}
			if match {
				return next[node] == "H", next[node] != "N"
			}
		}
		return false, false
	}}
}

// value reads a name of a part: pins as pin(i) gives them, bits, and other outputs as out(net) gives them.
func (g *gate) value(p *part, pin func(i int) bool, out func(net int) bool) func(string) bool {
	var val func(string) bool
	val = func(name string) bool {
		if i, ok := p.index[name]; ok {
			return pin(i)
		}
		for _, bt := range g.bits {
			if name == bt.name {
				return bt.v
			}
			if bt.inv != "" && name == bt.inv {
				return bt.inverse(val)
			}
		}
		if net, ok := p.outputs[name]; ok && out != nil {
			return out(net)
		}
		panic("oracle: no value for " + name)
	}
	return val
}

// follow is what the pins make of bit k.
func (g *gate) follow(k int, pin func(int) bool) (data, transparent bool) {
	if !g.tri {
		return g.bits[k].follow(g.value(g.drv[0], pin, nil))
	}
	v, status := g.triValue(pin)
	return v, status == 'd'
}

// triValue is what the enabled drivers say: 'z' when there is none, 'b' when they differ.
func (g *gate) triValue(pin func(int) bool) (v bool, status byte) {
	status = 'z'
	for _, p := range g.drv {
		val := g.value(p, pin, nil)
		if p.tri.Eval(val) {
			continue
		}
		d := p.fn.Eval(val)
		if status == 'z' {
			v, status = d, 'd'
		} else if d != v {
			status = 'b'
		}
	}
	return v, status
}

// function is the output with the pins and bits as they are.
func (g *gate) function(pin func(int) bool) bool {
	if g.tri {
		return g.bits[0].v
	}
	return g.drv[0].fn.Eval(g.value(g.drv[0], pin, nil))
}
