package design

import (
	"maps"
	"slices"

	"github.com/wattd/wattd/internal/format/scan"
	"github.com/wattd/wattd/internal/netlist"
	"github.com/wattd/wattd/kernel"
)

// prepare makes the gates of instances that were not touched, and the places for statements.
func (x *patcher) prepare(insts, sinks map[int32]bool) error {
	b := x.b
	order := make([]int32, 0, len(insts))
	for i := range insts {
		order = append(order, i)
	}
	slices.Sort(order)
	for _, i := range order {
		in := &x.nl.Insts[i]
		cm := b.modelOf(in.Cell)
		for o := range cm.outs {
			out := &cm.outs[o]
			n := x.nl.PinNet[in.Pin0+out.pin]
			if n <= netlist.Const1 || x.k.netInst[n] == noDriver {
				continue
			}
			if x.k.netInst[n] == severalDrivers || out.kind == outTristate {
				if x.d.NetGate[n] != None {
					x.fixed = append(x.fixed, in.Pin0+out.pin)
				}
				continue
			}
			if g := x.d.NetGate[n]; x.isTouch[i] || g == None || x.d.Gates[g].Inst != i {
				continue // its gate was made by classify, or it has none
			}
			fn, err := b.fns.add(&out.fn)
			if err != nil {
				return err
			}
			b.addGate(buildGate{out: n, inst: i, pin: out.pin, kind: gateCell, fn: fn, tri: None})
			b.addCellPins(i, out.at)
		}
	}
	for g := range b.gates {
		y := &b.gates[g]
		x.sub.target[x.nl.Insts[y.inst].Pin0+y.pin] = int32(g)
	}
	lists := len(b.gates)
	for _, pin := range x.fixed {
		x.sub.target[pin] = int32(lists)
		lists++
	}
	b.arcs.head, b.arcs.tail = make([]int32, lists), make([]int32, lists)
	for i := range b.arcs.head {
		b.arcs.head[i], b.arcs.tail[i] = None, None
	}
	w := &b.wires
	w.slot = x.sub.sink
	for s := range sinks {
		w.slot[s] = int32(len(w.slot))
	}
	w.v[0], w.v[1], w.has = make([]int64, len(sinks)), make([]int64, len(sinks)), make([]uint8, len(sinks))
	w.limits, w.segs, w.several = map[int32][2]segLimit{}, map[int32]*[2][]segment{}, map[int32][]wireStmt{}
	if len(x.nl.NetDelay) > 0 {
		x.declaredDelays(sinks)
	}
	return nil
}

// declaredDelays starts the wires of nets that were declared with a delay.
func (x *patcher) declaredDelays(sinks map[int32]bool) {
	w := &x.b.wires
	for _, d := range x.nl.NetDelay {
		for s := range sinks {
			if x.nl.PinNet[s] != d.Net {
				continue
			}
			at := w.at(s)
			col := x.b.opt.Corner.column()
			for o, v := range []scan.Decimal{d.Rise[col], d.Fall[col]} {
				v.Exp += d.UnitExp
				w.v[o][at], _, _ = v.Scale(atto)
			}
			w.has[at] = 3
		}
	}
}

// emit compiles the gates and wires into a program of their own.
func (x *patcher) emit() error {
	b, k := x.b, x.k
	b.override()
	for _, pin := range x.fixed {
		if b.arcs.digest(b.arcs.head[x.sub.target[pin]]) != k.fixed[pin] {
			return &Refusal{"delays of parallel or three-state drivers"}
		}
	}
	em := &emitter{b: b, shapes: &shapes{b: b}, obs: map[int32][]int32{}, sens: map[sensKey]bool{}, noArc: map[string]int64{}, zeroArc: map[string]int64{}}
	em.variants.base, em.shapes.seen.base = k.variants, k.shapeSeen
	em.ap.b = b
	x.em = em
	p, n := b.prog, len(b.gates)
	p.GateOut, p.GateFn, p.GateShape = make([]int32, n), make([]int32, n), make([]int32, n)
	p.GatePin, p.GateArc, p.GateLimit = make([]int32, n+1), make([]int32, n), make([]int32, n)
	b.d = &Design{Gates: make([]Gate, n)}
	x.tallies = make([]tally, n)
	for g := range int32(n) {
		em.begin()
		if err := em.gate(g); err != nil {
			return &Refusal{"the edit makes an error"}
		}
		x.tallies[g] = em.t
	}
	p.GatePin[n] = int32(len(p.PinNet))
	x.states = b.d.States
	if len(x.sub.sink) > 0 {
		cloned := false
		for s := range x.sub.sink {
			if _, was := k.late[s]; was {
				if !cloned {
					k.late, cloned = maps.Clone(k.late), true
				}
				delete(k.late, s)
			}
		}
		if len(b.wires.segs)+len(b.wires.several) > 0 && !cloned {
			k.late = maps.Clone(k.late)
		}
		b.joinWires()
	}
	k.fnSeen, k.fnInfo = b.fns.seen.whole(), b.fns.info
	k.conds, k.condText, k.condTable = b.arcs.conds, b.arcs.condText.whole(), b.arcs.condTable.whole()
	k.variants, k.shapeSeen = em.variants.whole(), em.shapes.seen.whole()
	q := x.d.Program
	q.Fns, q.Words, q.Code, q.Shapes, q.SlotMap, q.ListOff, q.Cands = p.Fns, p.Words, p.Code, p.Shapes, p.SlotMap, p.ListOff, p.Cands
	return nil
}

// graft puts what was compiled in the place of what was there. What is the same stays.
func (x *patcher) graft() error {
	d, p, q := x.d, x.d.Program, x.b.prog
	q.NNet = int32(len(d.NetClass))
	p.NNet = q.NNet
	x.dropGates()
	wires := x.wireTable()
	for g := range x.b.gates {
		x.placeGate(int32(g), wires)
	}
	if err := x.placeWires(wires); err != nil {
		return err
	}
	slices.Sort(x.dirty)
	x.dirty = slices.Compact(x.dirty)
	// what differs
	c := newComparer(x.old, d)
	for _, g := range x.dirty {
		x.changed.gate(c, g)
	}
	for _, g := range x.holes {
		if int(g) < len(c.a.GateOut) && c.a.GateOut[g] >= 0 && p.GateOut[g] < 0 {
			x.changed.Removed++
		}
	}
	x.changed.GatesCompiled = int64(len(x.b.gates))
	return nil
}

// dropGates makes holes of gates whose nets are computed no more.
func (x *patcher) dropGates() {
	d, p, k := x.d, x.d.Program, x.k
	now := map[int32]bool{}
	for g := range x.b.gates {
		now[x.b.gates[g].out] = true
	}
	var nets []int32
	for n, c := range x.classed {
		if c != ClassComputed && d.NetGate[n] != None && !now[n] {
			nets = append(nets, n)
		}
	}
	slices.Sort(nets)
	for _, n := range nets {
		g := d.NetGate[n]
		own(x, &d.NetGate, 0)[n] = None
		own(x, &p.GateOut, 0)[g] = -1
		own(x, &p.GateShape, 0)[g] = -1
		own(x, &d.Gates, 0)[g] = Gate{}
		x.uncount(g)
		for i := p.GatePin[g]; i < p.GatePin[g]+x.pinsOf(g); i++ {
			own(x, &k.pinNote, 0)[i] = noWire
			own(x, &k.pinSink, 0)[i] = None
		}
		x.holes = append(x.holes, g)
		x.relevel = true
	}
}

// pinsOf is the number of pins of a gate slot.
func (x *patcher) pinsOf(g int32) int32 {
	f := &x.d.Program.Fns[x.d.Program.GateFn[g]]
	return int32(f.NPin) + int32(f.NObs)
}

// uncount takes a gate and its wires out of the report.
func (x *patcher) uncount(g int32) {
	k := x.k
	x.count(&k.tallies[k.gateTally[g]], -1)
	for i := x.d.Program.GatePin[g]; i < x.d.Program.GatePin[g]+x.pinsOf(g); i++ {
		x.countWire(k.pinNote[i], -1)
	}
}

func (x *patcher) countWire(n wireNote, sign int64) {
	if n == noWire {
		return
	}
	r := n.rounding()
	x.d.Report.Wires += sign
	x.d.Report.WiresDelayed += sign * n.delayed()
	x.k.wireSums.count(&r, sign)
}

func (x *patcher) count(t *tally, sign int64) {
	r, k := &x.d.Report, x.k
	r.Gates += sign * int64(t.gates)
	r.StateGates += sign * int64(t.states)
	r.Prims += sign * int64(t.prims)
	r.ErrorLimits += sign * int64(t.limits)
	r.OpenPins += sign * int64(t.open)
	r.ArcsTotal += sign * int64(t.arcs)
	r.ArcsAnnotated += sign * int64(t.annotated)
	k.arcSums.count(&t.rounding, sign)
	if t.cell < 0 {
		return
	}
	name := x.b.modelOf(t.cell).name
	add := func(m *map[string]int64, n int32) {
		if n == 0 {
			return
		}
		if !x.owned[m] {
			x.owned[m] = true
			*m = maps.Clone(*m)
		}
		if (*m)[name] += sign * int64(n); (*m)[name] == 0 {
			delete(*m, name)
		}
	}
	add(&k.noArc, t.noArc)
	add(&k.zeroArc, t.zeroArc)
	if t.replaced != 0 {
		r.CondReplaced = addCount(r.CondReplaced, name, sign*int64(t.replaced))
	}
}

// wireTable finds wires that are there, within the patch.
func (x *patcher) wireTable() map[kernel.Wire]int32 { return map[kernel.Wire]int32{{}: 0} }

func (x *patcher) wireID(table map[kernel.Wire]int32, w kernel.Wire) int32 {
	id, ok := table[w]
	if !ok {
		p := x.d.Program
		id = int32(len(p.Wires))
		p.Wires = append(own(x, &p.Wires, 1), w)
		table[w] = id
	}
	return id
}

// placeGate writes gate g of the patch over its slot.
func (x *patcher) placeGate(g int32, table map[kernel.Wire]int32) {
	d, p, q, k := x.d, x.d.Program, x.b.prog, x.k
	y := &x.b.gates[g]
	slot := d.NetGate[y.out]
	fresh := slot == None
	if fresh {
		slot = int32(len(p.GateOut))
		p.GateOut = append(own(x, &p.GateOut, 1), y.out)
		p.GateFn = append(own(x, &p.GateFn, 1), q.GateFn[g])
		p.GateShape = append(own(x, &p.GateShape, 1), q.GateShape[g])
		p.GatePin = append(own(x, &p.GatePin, 1), int32(len(p.PinNet)))
		p.GateArc = append(own(x, &p.GateArc, 1), int32(len(p.ArcDelay)))
		p.GateLimit = append(own(x, &p.GateLimit, 1), -1)
		d.Gates = append(own(x, &d.Gates, 1), Gate{})
		k.gateTally = append(own(x, &k.gateTally, 1), 0)
		k.level = append(own(x, &k.level, 1), 0)
		own(x, &d.NetGate, 0)[y.out] = slot
	}
	x.slots = append(x.slots, slot)
	x.dirty = append(x.dirty, slot)
	from, to := q.GatePin[g], q.GatePin[g+1]
	n := to - from
	had := int32(0)
	oldWire := map[int32]int32{} // by sink
	oldNote := map[int32]wireNote{}
	if !fresh {
		x.uncount(slot)
		had = x.pinsOf(slot)
		for i := p.GatePin[slot]; i < p.GatePin[slot]+had; i++ {
			if s := k.pinSink[i]; s >= 0 {
				oldWire[s], oldNote[s] = p.PinWire[i], k.pinNote[i]
			}
		}
	}
	set := func(a *[]int32, i, v int32) bool {
		if (*a)[i] == v {
			return false
		}
		own(x, a, 0)[i] = v
		return true
	}
	if g := (Gate{Inst: y.inst, Pin: y.pin}); d.Gates[slot] != g {
		own(x, &d.Gates, 0)[slot] = g
	}
	state := !fresh && p.Fns[p.GateFn[slot]].NBit != p.Fns[q.GateFn[g]].NBit
	set(&p.GateFn, slot, q.GateFn[g])
	// pins
	at := p.GatePin[slot]
	moved := fresh || n != had || state
	if fresh || n > had {
		at = int32(len(p.PinNet))
		for range n {
			p.PinNet, p.PinWire = append(own(x, &p.PinNet, 1), 0), append(own(x, &p.PinWire, 1), 0)
			k.pinSink, k.pinNote = append(own(x, &k.pinSink, 1), None), append(own(x, &k.pinNote, 1), noWire)
		}
		set(&p.GatePin, slot, at)
	}
	for i := range n {
		moved = set(&p.PinNet, at+i, q.PinNet[from+i]) || moved
		s := x.b.sinkOf[from+i]
		w, note := int32(0), noWire
		if s >= 0 {
			if x.sub.hasWire(s) {
				var kw kernel.Wire
				if kw, note = x.b.wireOf(s); kw == p.Wires[oldWire[s]] {
					w = oldWire[s]
				} else {
					w = x.wireID(table, kw)
				}
			} else {
				w, note = oldWire[s], oldNote[s]
			}
		}
		set(&p.PinWire, at+i, w)
		set(&k.pinSink, at+i, s)
		if k.pinNote[at+i] != note {
			own(x, &k.pinNote, 0)[at+i] = note
		}
		x.countWire(note, 1)
	}
	// arcs
	shape := q.GateShape[g]
	slots, room := int32(0), int32(0)
	if shape >= 0 {
		slots = p.Shapes[shape].NSlot
	}
	if !fresh && p.GateShape[slot] >= 0 {
		room = p.Shapes[p.GateShape[slot]].NSlot
	}
	set(&p.GateShape, slot, shape)
	arc := q.GateArc[g]
	limit := q.GateLimit[g]
	if slots > room {
		set(&p.GateArc, slot, int32(len(p.ArcDelay)))
		p.ArcDelay = append(own(x, &p.ArcDelay, int(slots)), q.ArcDelay[arc:arc+slots]...)
	} else {
		for i := range slots {
			set(&p.ArcDelay, p.GateArc[slot]+i, q.ArcDelay[arc+i])
		}
	}
	was := p.GateLimit[slot]
	switch {
	case limit < 0:
		set(&p.GateLimit, slot, -1)
	case was < 0 || slots > room:
		set(&p.GateLimit, slot, int32(len(p.ArcReject)))
		p.ArcReject = append(own(x, &p.ArcReject, int(slots)), q.ArcReject[limit:limit+slots]...)
		p.ArcError = append(own(x, &p.ArcError, int(slots)), q.ArcError[limit:limit+slots]...)
	default:
		for i := range slots {
			set(&p.ArcReject, was+i, q.ArcReject[limit+i])
			set(&p.ArcError, was+i, q.ArcError[limit+i])
		}
	}
	t := &x.tallies[g]
	x.count(t, 1)
	if fresh || k.tallies[k.gateTally[slot]] != *t {
		own(x, &k.gateTally, 0)[slot] = x.tallyID(t)
	}
	if moved {
		x.relevel = true
		x.moved = append(x.moved, slot)
	}
}

func (x *patcher) tallyID(t *tally) int32 {
	k := x.k
	id, ok := k.tallyID[*t]
	if !ok {
		if !x.owned[&k.tallyID] {
			x.owned[&k.tallyID] = true
			k.tallyID = maps.Clone(k.tallyID)
		}
		id = int32(len(k.tallies))
		k.tallies = append(own(x, &k.tallies, 1), *t)
		k.tallyID[*t] = id
	}
	return id
}

// placeWires writes the wires of pins whose gates were not compiled.
func (x *patcher) placeWires(table map[kernel.Wire]int32) error {
	d, p, k := x.d, x.d.Program, x.k
	done := map[int32]bool{}
	for _, g := range x.slots {
		done[g] = true
	}
	sinks := make([]int32, 0, len(x.sub.sink))
	for s := range x.sub.sink {
		sinks = append(sinks, s)
	}
	slices.Sort(sinks)
	x.findInsts(sinks)
	place := func(g, s int32) {
		for i := p.GatePin[g]; i < p.GatePin[g]+x.pinsOf(g); i++ {
			if k.pinSink[i] != s {
				continue
			}
			w, note := x.b.wireOf(s)
			if note != k.pinNote[i] {
				x.countWire(k.pinNote[i], -1)
				x.countWire(note, 1)
				own(x, &k.pinNote, 0)[i] = note
			}
			if w != p.Wires[p.PinWire[i]] {
				own(x, &p.PinWire, 0)[i] = x.wireID(table, w)
				x.dirty = append(x.dirty, g)
			}
		}
	}
	for _, s := range sinks {
		i, ok := x.sub.inst[s]
		if !ok {
			continue // a hole
		}
		x.b.eachDriver(i, func(_, n int32) {
			if g := d.NetGate[n]; g != None && !done[g] {
				place(g, s)
				for _, t := range d.Tristate {
					if t.Net == n {
						place(d.NetGate[t.Z], s)
						place(d.NetGate[t.B], s)
					}
				}
			}
		})
	}
	return nil
}

// findInsts finds the instances of pins that no text tells.
func (x *patcher) findInsts(sinks []int32) {
	var flag []bool
	for _, s := range sinks {
		if _, ok := x.sub.inst[s]; !ok {
			if flag == nil {
				flag = make([]bool, len(x.nl.PinNet))
			}
			flag[s] = true
		}
	}
	if flag == nil {
		return
	}
	for i := range x.nl.Insts {
		in := &x.nl.Insts[i]
		for p := range int32(x.nl.Cells[in.Cell].NPin()) {
			if flag[in.Pin0+p] {
				x.sub.inst[in.Pin0+p] = int32(i)
			}
		}
	}
}
