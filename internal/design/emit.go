package design

import (
	"cmp"
	"context"
	"fmt"
	"math/bits"
	"slices"

	"github.com/wattd/wattd/internal/diag"
	"github.com/wattd/wattd/internal/format/scan"
	"github.com/wattd/wattd/internal/logic"
	"github.com/wattd/wattd/kernel"
)

// maxDelay keeps sums of a wire and an arc, and ticks relative to a window, within 32 bits.
const maxDelay = kernel.MaxWindow - 1

// emitter turns gates and their statements into the arrays of the program.
type emitter struct {
	b      *builder
	shapes *shapes
	ap     applier
	more   []applier // drivers of a three-state net after the first
	pins   []arcPin
	obs    map[int32][]int32 // observed nets by gate
	wide   []int32           // gates whose conditions read more than their function does

	variants overlay[variantKey, int32]
	sens     map[sensKey]bool
	t        tally // of the gate being emitted
	name     string
	round    sums
	noArc    map[string]int64 // unannotated, by cell type
	zeroArc  map[string]int64
	dl       []delay
}

// variantKey names a function with its variables: an output of a cell type, a primitive, or a three-state net.
type variantKey struct {
	kind          gateKind
	cell, out, fn int32
}

type sensKey struct{ fn, pin int32 }

// delay is a slot's value in ticks with its limits.
type delay struct {
	d, r, e int32
}

func (b *builder) emit(ctx context.Context) error {
	b.prepareArcs()
	em := &emitter{
		b: b, shapes: &shapes{b: b}, obs: map[int32][]int32{},
		sens: map[sensKey]bool{}, noArc: map[string]int64{}, zeroArc: map[string]int64{},
	}
	em.ap.b = b
	p := b.prog
	n := len(b.gates)
	p.NNet = int32(len(b.d.NetClass))
	p.GateOut, p.GateFn, p.GateShape = make([]int32, n), make([]int32, n), make([]int32, n)
	p.GatePin, p.GateArc, p.GateLimit = make([]int32, n), make([]int32, n), make([]int32, n)
	b.d.Gates = make([]Gate, n)
	if b.keep != nil {
		b.keep.kept.gateTally = make([]int32, n)
	}
	for g := range int32(n) {
		if g&4095 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		em.begin()
		if err := em.gate(g); err != nil {
			b.tooWide(b.gates[g].out, err)
		}
		em.commit(g)
	}
	if !b.levelize(em.obs) {
		for _, g := range em.wide {
			b.bag.Add(diag.DesignCondOutputCycle, b.pos(b.nl.Nets[b.gates[g].out].Pos), "net %s", b.nl.NetName(b.gates[g].out))
		}
	}
	em.compareMerged()
	b.finishWires()
	b.d.NetGate = b.gateOf
	for i, c := range b.d.NetClass {
		switch {
		case !c.Source():
		case c == ClassBlackBox && !b.loads[i]:
			b.d.Spare = append(b.d.Spare, int32(i))
		default:
			b.d.Sources = append(b.d.Sources, int32(i))
		}
	}
	for _, t := range b.tris {
		if t != nil {
			b.d.Tristate = append(b.d.Tristate, Tristate{t.net, t.z, t.b})
		}
	}
	em.report()
	if b.keep != nil {
		b.keep.emitted(em)
	}
	return nil
}

// gate emits one gate slot.
func (em *emitter) gate(g int32) error {
	b, p := em.b, em.b.prog
	x := &b.gates[g]
	p.GateOut[g], p.GateFn[g], p.GateShape[g] = x.out, x.fn, -1
	p.GateArc[g], p.GateLimit[g] = int32(len(p.ArcDelay)), -1
	p.GatePin[g] = int32(len(p.PinNet))
	b.d.Gates[g] = Gate{Inst: x.inst, Pin: x.pin}
	if x.out < 0 {
		return nil
	}
	em.t.gates, em.t.open = 1, x.open
	switch x.kind {
	case gateHelper:
		em.putPins(x)
		return nil
	case gatePrim:
		return em.prim(g, x)
	case gateTri:
		b.d.States = append(b.d.States, State{Gate: g, Bits: b.tris[x.tri].f.bits, Tristate: true})
		return em.tristate(g, x)
	}
	return em.cell(g, x)
}

func (em *emitter) putPins(x *buildGate) {
	b, p := em.b, em.b.prog
	for k := x.pin0; k < x.pin0+x.npin; k++ {
		p.PinNet = append(p.PinNet, b.pinNet[k])
		b.sinkOf = append(b.sinkOf, b.pinSink[k])
	}
}

func (em *emitter) prim(g int32, x *buildGate) error {
	b := em.b
	em.putPins(x)
	em.t.prims, em.name = 1, "primitive"
	pr := &b.nl.Prims[^x.inst]
	list := b.arcs.head[g]
	if !pr.HasDelay && list == None {
		return nil
	}
	pins := make([]int32, x.npin)
	for i := range pins {
		pins[i] = int32(i)
	}
	em.ap.reset(pins)
	if pr.HasDelay {
		em.primDelay(x, &em.ap)
	}
	em.ap.run(list)
	f := function{}
	em.pins = em.pins[:0]
	for i := range pins {
		f.pins = append(f.pins, fmt.Sprint("i", i))
		em.pins = append(em.pins, arcPin{&em.ap.pairs[i], true})
	}
	return em.finish(g, em.variant(variantKey{gatePrim, 0, 0, x.fn}), &f, x.fn, len(pins), nil)
}

// primDelay sets the delay of a primitive as default entries of all pins.
func (em *emitter) primDelay(x *buildGate, ap *applier) {
	b := em.b
	pr := &b.nl.Prims[^x.inst]
	col := b.opt.Corner.column()
	var v [2]int64
	for o, dec := range []scan.Decimal{pr.Rise[col], pr.Fall[col]} {
		dec.Exp += pr.UnitExp
		as, _, ok := dec.Scale(atto)
		if !ok {
			b.bag.Add(diag.SDFTooLarge, b.pos(pr.Pos), "the delay of a primitive does not fit")
		}
		v[o] = as
	}
	for k := range ap.pins {
		for e := range 2 {
			en := ap.pairs[k].entry(e, condNone)
			en.v, en.has = v, 3
		}
	}
}

func (em *emitter) cell(g int32, x *buildGate) error {
	b := em.b
	cm := b.modelOf(b.nl.Insts[x.inst].Cell)
	oi := cm.byPin[x.pin]
	o := &cm.outs[oi]
	em.ap.reset(o.at)
	em.ap.run(b.arcs.head[g])
	em.t.cell, em.name = b.nl.Insts[x.inst].Cell, cm.name
	em.t.replaced = int32(b.replaced)
	b.noteReplaced(cm.name)
	fn, at, fnID := &o.fn, o.at, x.fn
	var obs []int32
	if em.needsWide(&em.ap, o) {
		var err error
		em.wide = append(em.wide, g)
		if o.wide != nil {
			fn, at = o.wide, o.all
		}
		if fnID, err = b.fns.add(fn); err != nil {
			return err
		}
		obs = em.observed(&em.ap, cm, func(v string) bool { return fn.index(v) >= 0 })
		if len(obs) > 0 {
			f := *fn
			for _, k := range obs {
				f.obs = append(f.obs, pinName(cm.cell.Lib, k))
			}
			fn = &f
			if fnID, err = b.fns.add(fn); err != nil {
				return err
			}
		}
	}
	variant := em.variant(variantKey{gateCell, b.nl.Insts[x.inst].Cell, oi, fnID})
	p := b.prog
	p.GateFn[g] = fnID
	pin0 := b.nl.Insts[x.inst].Pin0
	em.pins = em.pins[:0]
	for _, k := range at {
		p.PinNet = append(p.PinNet, max(b.nl.PinNet[pin0+k], 0))
		b.sinkOf = append(b.sinkOf, pin0+k)
		ap := arcPin{}
		if j := slices.Index(em.ap.pins, k); j >= 0 {
			ap.pair = &em.ap.pairs[j]
		}
		em.pins = append(em.pins, ap)
	}
	for _, k := range obs {
		net := max(b.nl.PinNet[pin0+k], 0)
		p.PinNet = append(p.PinNet, net)
		b.sinkOf = append(b.sinkOf, None)
		em.obs[g] = append(em.obs[g], net)
	}
	if len(fn.bits) > 0 {
		b.d.States = append(b.d.States, State{Gate: g, Bits: fn.bits, ClockGate: cm.clockGate})
		em.t.states = 1
	}
	support := func(i int) bool { return slices.Contains(o.at, at[i]) }
	return em.finishSupport(g, variant, fn, fnID, support, func(_ int, c int32) *logic.Expr { return b.arcs.conds[c].expr })
}

func (em *emitter) variant(k variantKey) int32 {
	id, ok := em.variants.get(k)
	if !ok {
		id = int32(em.variants.size())
		em.variants.put(k, id)
	}
	return id
}

// needsWide says whether an arc or a condition names a pin that the function does not.
func (em *emitter) needsWide(ap *applier, o *output) bool {
	if len(ap.pins) > len(o.at) {
		return true
	}
	for k := range ap.pins {
		for e := range ap.pairs[k].entries {
			for _, en := range ap.pairs[k].entries[e] {
				if en.cond < 0 {
					continue
				}
				for _, v := range em.b.arcs.conds[en.cond].vars {
					if o.fn.index(v) < 0 {
						return true
					}
				}
			}
		}
	}
	return false
}

// observed lists the outputs of the cell that conditions name, in pin order; known names are variables of the function.
func (em *emitter) observed(ap *applier, cm *cellModel, known func(name string) bool) []int32 {
	var obs []int32
	for k := range ap.pins {
		for e := range ap.pairs[k].entries {
			for _, en := range ap.pairs[k].entries[e] {
				if en.cond < 0 {
					continue
				}
				for _, v := range em.b.arcs.conds[en.cond].vars {
					i := cm.cell.Lib.PinIndex(v)
					if i >= 0 && !known(v) && !slices.Contains(obs, i) {
						obs = append(obs, i)
					}
				}
			}
		}
	}
	slices.Sort(obs)
	return obs
}

func (em *emitter) finish(g, variant int32, fn *function, fnID int32, n int, expr func(int, int32) *logic.Expr) error {
	return em.finishSupport(g, variant, fn, fnID, func(i int) bool { return i < n }, expr)
}

// finishSupport gives unannotated pairs their 0, finds the shape, and writes the slots of gate g.
func (em *emitter) finishSupport(g, variant int32, fn *function, fnID int32, support func(int) bool, expr func(int, int32) *logic.Expr) error {
	b, p := em.b, em.b.prog
	cell := b.gates[g].kind == gateCell || b.gates[g].kind == gateTri
	for i := range em.pins {
		em.countRounding(em.pins[i].pair)
	}
	for i := range em.pins {
		pr := em.pins[i].pair
		if pr == nil || !support(i) {
			continue
		}
		counted := cell && em.sensitive(fnID, i)
		for o := range 2 {
			if counted {
				em.t.arcs++
			}
			if pr.explicit(o) {
				if counted {
					em.t.annotated++
				}
				continue
			}
			if counted {
				em.t.noArc++
			}
			for e := range 2 {
				en := pr.entry(e, condNone)
				en.v[o] = 0
				en.has |= 1 << o
			}
		}
	}
	sh, err := em.shapes.get(variant, fn, fnID, em.pins, expr)
	if err != nil {
		return err
	}
	p.GateShape[g] = sh.id
	p.GateArc[g] = int32(len(p.ArcDelay))
	plain := true
	em.dl = em.dl[:0]
	for _, s := range sh.slots {
		best := delay{d: -1}
		for _, r := range s.from {
			v := em.ticks(&em.pins[s.pin].pair.entries[r.edge][r.index], int(s.out), em.pins[s.pin].prim)
			if best.d < 0 || v.d < best.d {
				best = v
			}
		}
		em.dl = append(em.dl, best)
		plain = plain && best.r == best.d && best.e == best.d
	}
	for _, v := range em.dl {
		p.ArcDelay = append(p.ArcDelay, v.d)
	}
	if !plain {
		p.GateLimit[g] = int32(len(p.ArcReject))
		for _, v := range em.dl {
			p.ArcReject = append(p.ArcReject, v.r)
			p.ArcError = append(p.ArcError, v.e)
		}
		em.t.limits = 1
	}
	return nil
}

// ticks rounds one value of an entry, with its limits.
func (em *emitter) ticks(x *entry, out int, prim bool) delay {
	b := em.b
	t, _ := b.opt.Tick.round(x.v[out])
	if t > maxDelay {
		b.bag.Add(diag.SDFTooLarge, diag.Pos{}, "a delay of a %s is %s", em.name, FormatSeconds(x.v[out]))
		t = maxDelay
	}
	d := int32(max(t, 0))
	v := delay{d, d, d}
	l := x.lim[out]
	switch l.kind {
	case limitDefault:
		if b.opt.PulseReject < 100 && !prim {
			v.r = percentOf(d, int64(b.opt.PulseReject)*1e9)
			v.e = v.r
		}
	case limitTime:
		v.r, v.e = b.limitTicks(l.r, d), b.limitTicks(l.e, d)
	case limitPercent:
		v.r, v.e = percentOf(d, l.r), percentOf(d, l.e)
	}
	v.e = max(v.e, v.r)
	return v
}

func (b *builder) limitTicks(as int64, d int32) int32 {
	t, _ := b.opt.Tick.round(as)
	return int32(min(max(t, 0), int64(d)))
}

// percentOf is d x pct / 100 rounded up and at most d; pct is in units of 10^percentExp.
func percentOf(d int32, pct int64) int32 {
	hi, lo := bits.Mul64(uint64(d), uint64(pct))
	const div = 100 * 1e9
	if hi >= div {
		return d
	}
	q, r := bits.Div64(hi, lo, div)
	if r > 0 {
		q++
	}
	return int32(min(q, uint64(d)))
}

// countRounding counts the values of the entries of a pair.
func (em *emitter) countRounding(p *pair) {
	if p == nil {
		return
	}
	for e := range p.entries {
		for i := range p.entries[e] {
			x := &p.entries[e][i]
			for o := range 2 {
				if x.has>>o&1 == 0 {
					continue
				}
				switch v := x.v[o]; {
				case v < 0:
					em.t.negative++
				case v == 0:
					em.t.zeroArc++
				default:
					em.t.add(em.b.opt.Tick, v)
				}
			}
		}
	}
}

// sensitive says whether pin i alone can change the output of a function in some state.
func (em *emitter) sensitive(fnID int32, i int) bool {
	fn := &em.b.prog.Fns[fnID]
	if fn.Form != kernel.FormTable {
		return true
	}
	key := sensKey{fnID, int32(i)}
	if v, ok := em.sens[key]; ok {
		return v
	}
	n := int(fn.NPin) + int(fn.NBit)
	size := max(1, 1<<n/64)
	w := em.b.prog.Words
	bit := func(at, s int) int { return int(w[at+s>>6] >> (s & 63) & 1) }
	settle := func(s int) int {
		for range int(fn.NBit) + 1 {
			for k := range int(fn.NBit) {
				v := bit(int(fn.Next)+k*size, s)
				s = s&^(1<<(int(fn.NPin)+k)) | v<<(int(fn.NPin)+k)
			}
		}
		return s
	}
	found := false
	for s := 0; s < 1<<n && !found; s++ {
		a := settle(s)
		found = bit(int(fn.Out), a) != bit(int(fn.Out), settle(a^1<<i))
	}
	em.sens[key] = found
	return found
}

// begin starts the tally of a gate.
func (em *emitter) begin() { em.t, em.name = tally{cell: None, rounding: rounding{tens: noTens}}, "" }

// commit adds the tally of a gate to the report.
func (em *emitter) commit(g int32) {
	t, r := &em.t, &em.b.d.Report
	r.Gates += int64(t.gates)
	r.StateGates += int64(t.states)
	r.Prims += int64(t.prims)
	r.ErrorLimits += int64(t.limits)
	r.OpenPins += int64(t.open)
	r.ArcsTotal += int64(t.arcs)
	r.ArcsAnnotated += int64(t.annotated)
	em.round.count(&t.rounding, 1)
	if t.noArc > 0 {
		em.noArc[em.name] += int64(t.noArc)
	}
	if t.zeroArc > 0 {
		em.zeroArc[em.name] += int64(t.zeroArc)
	}
	if k := em.b.keep; k != nil {
		k.tallyOf(g, t, em.b.prog.GateShape[g])
	}
}

// report moves the counts into the report and diagnoses them.
func (em *emitter) report() {
	em.b.d.Report.Unannotated, em.b.d.Report.ZeroIOPath = sortedCounts(em.noArc), sortedCounts(em.zeroArc)
	reportRounding(&em.b.d.Report, &em.round, &em.b.wires.round, em.b.opt.Tick, em.b.bag)
}

// reportRounding tells what rounding did, and what has no delay.
func reportRounding(r *Report, arcs, wires *sums, tick Tick, bag *diag.Bag) {
	r.NegativeIOPath, r.NegativeWire = arcs.negative, wires.negative
	r.RoundedToZero = arcs.zeroed + wires.zeroed
	r.Inexact = arcs.inexact + wires.inexact
	bag.AddN(diag.SDFNegativeWire, wires.negative, diag.Pos{}, "%d negative wire delays became 0", wires.negative)
	for _, c := range r.Unannotated {
		bag.AddN(diag.SDFUnannotated, c.N, diag.Pos{}, "cells of type %s: %d arcs without delay", c.Name, c.N)
	}
	bag.AddN(diag.SDFNegativeDelay, arcs.negative, diag.Pos{}, "%d negative IOPATH values became 0", arcs.negative)
	r.HoldingTick = holding(arcs, wires)
	hold := fmt.Sprintf("%s holds them all", r.HoldingTick)
	if r.HoldingTick < finestTick {
		hold = "no tick of 1fs or more holds them all"
	}
	if arcs.zeroed*100 > arcs.nonzero {
		bag.Add(diag.SDFTickTooCoarse, diag.Pos{}, "%d of %d delays that are not 0 round to 0 at a tick of %s; %s", arcs.zeroed, arcs.nonzero, tick, hold)
	}
	bag.AddN(diag.SDFRoundedToZero, r.RoundedToZero, diag.Pos{}, "%d delays round to 0 at a tick of %s; %s", r.RoundedToZero, tick, hold)
	bag.AddN(diag.SDFInexact, r.Inexact, diag.Pos{}, "%d delays are not whole ticks of %s; %s", r.Inexact, tick, hold)
}

func sortedCounts(m map[string]int64) []Count {
	var c []Count
	for k, n := range m {
		c = append(c, Count{k, n})
	}
	slices.SortFunc(c, func(a, b Count) int { return cmp.Or(-cmp.Compare(a.N, b.N), cmp.Compare(a.Name, b.Name)) })
	return c
}
