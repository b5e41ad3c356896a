package design

import (
	"slices"

	"github.com/wattd/wattd/internal/logic"
)

// triDriver is a driver of a three-state net with its statements applied.
type triDriver struct {
	ap   *applier
	at   []int32 // cell pins that are pins of the gate; nil for a primitive
	plug []int32 // of these, those that the driver's function reads
	obs  []int32 // outputs of the cell that conditions name
}

// tristate emits the state gate of a three-state net: its pins are those of all drivers, each with the arcs of its own instance.
func (em *emitter) tristate(g int32, x *buildGate) error {
	b, p := em.b, em.b.prog
	em.t.states = 1
	t := b.tris[x.tri]
	for len(em.more) < len(t.drivers) {
		em.more = append(em.more, applier{b: b})
	}
	wide := false
	em.name = "three-state"
	ds := make([]triDriver, len(t.drivers))
	for i, d := range t.drivers {
		ds[i].ap = &em.more[i]
		if d.inst < 0 {
			em.triPrim(d, ds[i].ap)
			continue
		}
		em.name = b.modelOf(b.nl.Insts[d.inst].Cell).name
		wide = em.triCell(d, &ds[i]) || wide
	}
	fn, fnID := &t.f, x.fn
	if wide {
		em.wide = append(em.wide, g)
		fn = em.triWide(t, ds)
		var err error
		if fnID, err = b.fns.add(fn); err != nil {
			return err
		}
	}
	p.GateFn[g] = fnID
	em.pins = em.pins[:0]
	var driverOf []int
	var support []bool
	for i, d := range t.drivers {
		if d.inst < 0 {
			in0 := b.nl.Prims[^d.inst].In0
			for k := range int32(2) {
				em.triPin(b.nl.PrimIn[in0+k], int32(len(b.nl.PinNet))+in0+k)
				em.pins = append(em.pins, arcPin{&ds[i].ap.pairs[k], true})
				driverOf, support = append(driverOf, i), append(support, true)
			}
			continue
		}
		pin0 := b.nl.Insts[d.inst].Pin0
		for _, k := range ds[i].at {
			em.triPin(b.nl.PinNet[pin0+k], pin0+k)
			ap := arcPin{}
			if j := slices.Index(ds[i].ap.pins, k); j >= 0 {
				ap.pair = &ds[i].ap.pairs[j]
			}
			em.pins = append(em.pins, ap)
			driverOf, support = append(driverOf, i), append(support, slices.Contains(ds[i].plug, k))
		}
	}
	for i, d := range t.drivers {
		for _, k := range ds[i].obs {
			net := max(b.nl.PinNet[b.nl.Insts[d.inst].Pin0+k], 0)
			em.triPin(net, None)
			em.obs[g] = append(em.obs[g], net)
		}
	}
	variant := em.variant(variantKey{gateTri, g, 0, fnID})
	return em.finishSupport(g, variant, fn, fnID, func(i int) bool { return support[i] }, func(pin int, c int32) *logic.Expr {
		i := driverOf[pin]
		return rename(b.arcs.conds[c].expr, func(n string) *logic.Expr { return exprVar(triVar(i, n)) })
	})
}

func (em *emitter) triPin(net, sink int32) {
	em.b.prog.PinNet = append(em.b.prog.PinNet, max(net, 0))
	em.b.sinkOf = append(em.b.sinkOf, sink)
}

func (em *emitter) triPrim(d driver, ap *applier) {
	b := em.b
	ap.reset([]int32{0, 1})
	if b.nl.Prims[^d.inst].HasDelay {
		em.primDelay(&buildGate{inst: d.inst}, ap)
	}
	if tg := b.primAt[^d.inst]; tg != None {
		ap.run(b.arcs.head[tg])
	}
}

// triCell says whether arcs or conditions name pins that the function does not.
func (em *emitter) triCell(d driver, x *triDriver) bool {
	b := em.b
	cm := b.modelOf(b.nl.Insts[d.inst].Cell)
	o := b.output(d)
	x.ap.reset(o.at)
	x.ap.run(b.arcs.head[b.targetOf(d.inst, d.pin)])
	b.noteReplaced(cm.name)
	x.at, x.plug = o.at, o.at
	if !em.needsWide(x.ap, o) {
		return false
	}
	fn := &o.fn
	if o.wide != nil {
		fn, x.at = o.wide, o.all
	}
	x.obs = em.observed(x.ap, cm, func(v string) bool { return fn.index(v) >= 0 })
	return true
}

// triWide is the function of a three-state net over all pins that arcs and conditions name.
func (em *emitter) triWide(t *tristate, ds []triDriver) *function {
	b := em.b
	f := t.f
	f.pins, f.obs = nil, nil
	for i, d := range t.drivers {
		if d.inst < 0 {
			f.pins = append(f.pins, triVar(i, "i0"), triVar(i, "i1"))
			continue
		}
		lib := b.modelOf(b.nl.Insts[d.inst].Cell).cell.Lib
		for _, k := range ds[i].at {
			f.pins = append(f.pins, triVar(i, pinName(lib, k)))
		}
		for _, k := range ds[i].obs {
			f.obs = append(f.obs, triVar(i, pinName(lib, k)))
		}
	}
	return &f
}
