package design

import (
	"math/bits"

	"github.com/wattd/wattd/internal/diag"
	"github.com/wattd/wattd/internal/format/sdf"
)

// Override is an edit of delays that acts after the statements of all files: it sets them, as an ABSOLUTE statement behind these
// would, or scales what they made before it is rounded. Overrides act in order.
type Override struct {
	Inst    int32
	Wire    bool   // the wire to pin In; else arcs
	In, Out string // pins of the arcs; "": all
	Cond    string // text of the condition of the arcs; "": as an IOPATH without one
	Scale   bool
	// Rise and Fall are set, in attoseconds.
	Rise, Fall int64
	// Num/Den is the factor of Scale; Den is positive.
	Num, Den int64
}

// scaled is v times the factor, halves away from zero.
func (o *Override) scaled(v int64) int64 {
	neg := v < 0 != (o.Num < 0)
	hi, lo := bits.Mul64(magnitude(v), magnitude(o.Num))
	den := uint64(max(o.Den, 1))
	if hi >= den {
		return 1<<63 - 1 // reported as too large
	}
	q, r := bits.Div64(hi, lo, den)
	if r >= den-r {
		q++
	}
	if q > 1<<62 {
		return 1<<63 - 1
	}
	if neg {
		return -int64(q)
	}
	return int64(q)
}

func magnitude(v int64) uint64 {
	if v < 0 {
		return uint64(-v)
	}
	return uint64(v)
}

// override files the overrides of arcs behind the statements of the files.
func (b *builder) override() {
	if len(b.opt.Overrides) == 0 {
		return
	}
	b.prepareArcs()
	a := &annotator{b: b}
	for k := range b.opt.Overrides {
		o := &b.opt.Overrides[k]
		if o.Wire || !b.overridable(o) {
			continue
		}
		cm := b.modelOf(b.nl.Insts[o.Inst].Cell)
		lib := cm.cell.Lib
		s := stmt{op: opIOPath, mode: sdf.Absolute, pin: None, cond: condNone, lim: None, has: 3, v: [2]int64{o.Rise, o.Fall}}
		if o.Scale {
			s.op, s.v[0] = opScale, int64(k)
		}
		if o.In != "" {
			if s.pin = lib.PinIndex(o.In); s.pin < 0 {
				b.bag.Add(diag.SDFUnknownPin, diag.Pos{}, "cell %s has no pin %s", cm.name, o.In)
				continue
			}
		}
		if o.Cond != "" {
			if s.cond = a.condition(cm, &sdf.IOPath{Cond: []byte(o.Cond)}); s.cond == condNone {
				continue
			}
		}
		for i := range cm.outs {
			if out := &cm.outs[i]; o.Out == "" || pinName(lib, out.pin) == o.Out {
				if t := b.targetOf(o.Inst, out.pin); t != None {
					b.arcs.add(t, s)
				}
			}
		}
	}
}

// overridable says whether the instance of an override is there and has a model.
func (b *builder) overridable(o *Override) bool {
	return o.Inst >= 0 && int(o.Inst) < len(b.nl.Insts) && b.nl.Cells[b.nl.Insts[o.Inst].Cell].Lib != nil
}

// overrideSink is the pin of an override of a wire, None when there is none.
func (b *builder) overrideSink(o *Override) int32 {
	if !o.Wire || !b.overridable(o) {
		return None
	}
	in := &b.nl.Insts[o.Inst]
	k := b.nl.Cells[in.Cell].Lib.PinIndex(o.In)
	if k < 0 {
		return None
	}
	return in.Pin0 + k
}

// overrideWires edits the wires when all statements have acted.
func (b *builder) overrideWires() {
	w := &b.wires
	for k := range b.opt.Overrides {
		o := &b.opt.Overrides[k]
		sink := b.overrideSink(o)
		if sink < 0 || b.sub != nil && !b.sub.hasWire(sink) {
			continue
		}
		at := w.at(sink)
		if !o.Scale {
			w.v[0][at], w.v[1][at], w.has[at] = o.Rise, o.Fall, 3
			delete(w.limits, sink)
			continue
		}
		for e := range 2 {
			w.v[e][at] = o.scaled(w.v[e][at])
		}
	}
}

// scale multiplies the entries that an override names.
func (ap *applier) scale(p *pair, s *stmt) {
	o := &ap.b.opt.Overrides[s.v[0]]
	for e := range p.entries {
		for i := range p.entries[e] {
			x := &p.entries[e][i]
			if s.cond >= 0 && x.cond != s.cond {
				continue
			}
			for k := range 2 {
				x.v[k] = o.scaled(x.v[k])
			}
		}
	}
}
