package oracle

import (
	"math/big"

	"github.com/wattd/wattd/internal/simtest/model"
)

// wire is the connection from the driver of a net to one pin: a buffer with a rise and a fall delay.
type wire struct {
	d, rej, er [2]int64
	q          inertial
	order      int

	in      bool  // value of the net, as last seen
	changed int64 // last tick at which the output changed
	old     bool  // its value before that
	from    int64 // tick of the change of the net behind it
}

// segment is a piece of a wire for one edge: from and to are positions on the way from the driver to the pin.
type segment struct {
	from, to int
	d        *big.Rat // ticks, exact
	lim      limit    // in SDF units
}

// sink is what the statements have made of the wire to one pin, by edge.
type sink struct {
	way  []model.End // driver, hierarchical ports, pin
	segs [2][]segment
}

// wires gives every pin of every gate its wire.
func (b *builder) wires() {
	for _, g := range b.gate {
		for _, p := range g.pins {
			if p.net >= 0 {
				p.w = b.wire(p)
			}
		}
	}
}

// wire takes all statements in file order for one pin.
func (b *builder) wire(p *gpin) *wire {
	w := &wire{changed: -1 << 62}
	if b.o.ZeroDelay {
		return w
	}
	s := &sink{way: b.way(p)}
	end := len(s.way) - 1
	if dl := b.c.Nets[p.net].Delay; dl != nil {
		for oe := range 2 {
			t := dl[0]
			if oe == fall && len(dl) > 1 {
				t = dl[1]
			}
			// A net delay is in nanoseconds, whatever the unit of the SDF.
			s.segs[oe] = []segment{{0, end, scale10(b.number(t), 3), limit{}}}
		}
	}
	for k := range b.c.SDF {
		st := &b.c.SDF[k]
		from, to := 0, end
		switch st.Kind {
		case model.Interconnect:
			if to = s.at(st.Dst); to <= 0 {
				continue
			}
			var ok bool
			if from, ok = b.source(s, p.net, st.Src); !ok {
				continue
			}
		case model.Port:
			if to = s.at(st.Dst); to <= 0 {
				continue
			}
		case model.NetDelay:
			if st.Net != p.net {
				continue
			}
		default:
			continue
		}
		for oe := range 2 {
			if v := value(st.Vals, oe); !v.D.Empty() {
				b.wireStmt(s, oe, from, to, v, st.Inc)
			}
		}
	}
	for oe := range 2 {
		b.finishWire(w, oe, s.segs[oe])
	}
	return w
}

// wireStmt replaces, or adds to, everything between two positions.
func (b *builder) wireStmt(s *sink, oe, from, to int, v model.Val, inc bool) {
	seg := segment{from: from, to: to, d: b.inTicks(b.number(v.D))}
	var keep []segment
	var within *segment
	n := 0
	for i := range s.segs[oe] {
		x := s.segs[oe][i]
		if from <= x.from && x.to <= to {
			within = &s.segs[oe][i]
			n++
		} else {
			keep = append(keep, x)
		}
	}
	switch {
	case !inc:
		if n == 1 {
			seg.lim = within.lim
		}
		setLimit(&seg.lim, v, false, b.number)
		s.segs[oe] = append(keep, seg)
	case n == 0:
		setLimit(&seg.lim, v, true, b.number)
		s.segs[oe] = append(s.segs[oe], seg)
	default:
		within.d = new(big.Rat).Add(within.d, seg.d)
		setLimit(&within.lim, v, true, b.number)
	}
}

// finishWire adds the segments, rounds once, and makes a negative sum 0. The limit of a segment without one is its
// delay.
func (b *builder) finishWire(w *wire, oe int, segs []segment) {
	d, r, e := new(big.Rat), new(big.Rat), new(big.Rat)
	limited := false
	for _, x := range segs {
		d.Add(d, x.d)
		if x.lim.kind == 'a' {
			r.Add(r, b.inTicks(x.lim.r))
			e.Add(e, b.inTicks(x.lim.e))
			limited = true
		} else {
			r.Add(r, x.d)
			e.Add(e, x.d)
		}
	}
	if round(d) < 0 {
		b.stat("negative wire")
	}
	if len(segs) > 1 {
		b.stat("wire of segments")
	}
	t := max(0, round(d))
	w.d[oe], w.rej[oe], w.er[oe] = t, clamp(round(r), t), clamp(round(e), t)
	if limited {
		b.stat("wire with limits")
	}
}

// way lists the ends that the signal passes from the driver to a pin.
func (b *builder) way(p *gpin) []model.End {
	sink := model.End{Kind: model.EndPin, Inst: p.inst, Pin: p.pin}
	if d, ok := b.driverOf(p.net); ok {
		return b.c.Way(p.net, model.End{Kind: model.EndPin, Inst: d.inst, Pin: d.out}, d.scope, sink, p.scope)
	}
	return b.c.Way(p.net, model.End{Kind: model.EndTop, Net: p.net}, -1, sink, p.scope)
}

// driverOf is the driver whose wires count: of several the first in name order.
func (b *builder) driverOf(net int) (driver, bool) {
	if b.c.Nets[net].Input {
		return driver{}, false
	}
	var best driver
	found := false
	better := func(d driver) {
		if !found || b.nameOrder(d, best) < 0 {
			best, found = d, true
		}
	}
	for i, in := range b.c.Insts {
		for _, out := range in.Cell.Out() {
			if in.Conn[out] == net {
				better(driver{inst: i, out: out, prim: -1, scope: in.Scope, name: in.Name})
			}
		}
	}
	for i, p := range b.c.Prims {
		if p.Out == net {
			better(driver{inst: -1, prim: i, out: -1, scope: p.Scope, name: p.Name})
		}
	}
	return best, found
}

// at is the position of an end on the way, or -1.
func (s *sink) at(e model.End) int {
	for i, x := range s.way {
		if i == 0 && len(s.way) > 1 && x.Kind == model.EndPin && x.Inst < 0 {
			continue // a primitive has no pin names
		}
		if x == e {
			return i
		}
	}
	return -1
}

// source is the position at which an INTERCONNECT begins for this pin; ok is false when it is about another driver of
// the net. A source that does not drive the net is taken as all sources.
func (b *builder) source(s *sink, net int, e model.End) (int, bool) {
	if i := s.at(e); i >= 0 && i < len(s.way)-1 {
		return i, true
	}
	switch e.Kind {
	case model.EndPin:
		in := b.c.Insts[e.Inst]
		if in.Cell.Pins[e.Pin].Dir == model.Out && in.Conn[e.Pin] == net {
			return 0, false
		}
	case model.EndPort:
		if e.Net == net {
			return 0, false
		}
	case model.EndTop:
		if e.Net == net {
			return 0, false
		}
	}
	b.stat("wire from a wrong source")
	return 0, true
}
