package design

import (
	"slices"

	"github.com/wattd/wattd/internal/diag"
	"github.com/wattd/wattd/internal/format/sdf"
)

// wireStmt is a statement on a sink of a multiply driven net. Each driver has a wire of its own to the sink, made by the
// statements about this driver and those about all; the program holds one wire a pin, that of the first driver in name
// order that a statement names, or of the first at all.
type wireStmt struct {
	mode    sdf.Mode
	hasFrom bool
	from    end
	to      end
	vals    [2]value
	pos     diag.Pos
}

func (e *end) is(d driver) bool { return e.inst == d.inst && e.pin == d.pin }

// wireState is what the statements have made of a wire.
type wireState struct {
	v      [2]int64
	has    uint8
	limits [2]segLimit
	segs   *[2][]segment
}

func (b *builder) takeWire(sink int32) wireState {
	w := &b.wires
	at := w.at(sink)
	s := wireState{[2]int64{w.v[0][at], w.v[1][at]}, w.has[at], w.limits[sink], w.segs[sink]}
	delete(w.segs, sink)
	delete(w.limits, sink)
	return s
}

func (b *builder) putWire(sink int32, s wireState) {
	w := &b.wires
	at := w.at(sink)
	w.v[0][at], w.v[1][at], w.has[at] = s.v[0], s.v[1], s.has
	delete(w.segs, sink)
	delete(w.limits, sink)
	if s.segs != nil {
		w.segs[sink] = s.segs
	}
	if s.limits != [2]segLimit{} {
		w.limits[sink] = s.limits
	}
}

// finishSeveral applies the statements on sinks of multiply driven nets.
func (b *builder) finishSeveral() {
	w := &b.wires
	sinks := make([]int32, 0, len(w.several))
	for s := range w.several {
		sinks = append(sinks, s)
	}
	slices.Sort(sinks)
	for _, s := range sinks {
		b.late(s, func() { b.finishSink(s, w.several[s]) })
	}
}

func (b *builder) finishSink(sink int32, list []wireStmt) {
	net := b.sinkNet(sink)
	ds := b.netDrivers(net)
	named := map[driver]bool{}
	for i := range list {
		if f := &list[i].from; list[i].hasFrom && f.inst >= 0 {
			named[driver{net, f.inst, f.pin}] = true
		}
	}
	before := b.takeWire(sink)
	b.putWire(sink, before)
	var first, other wireState
	chosen, differ := false, false
	for _, d := range ds {
		if !named[d] {
			continue
		}
		b.putWire(sink, before)
		b.replay(sink, d, ds, list, !chosen)
		if !chosen {
			first, chosen = b.takeWire(sink), true
			continue
		}
		other = b.takeWire(sink)
		differ = differ || first.v != other.v || first.has != other.has
	}
	if !chosen {
		b.putWire(sink, before)
		b.replay(sink, ds[0], ds, list, true)
		return
	}
	b.putWire(sink, first)
	if differ {
		b.bag.Add(diag.SDFWirePerDriver, list[0].pos, "net %s has several drivers with different wires to one sink", b.nl.NetName(net))
	}
}

// replay applies to a sink the statements about driver d and those about all.
func (b *builder) replay(sink int32, d driver, ds []driver, list []wireStmt, say bool) {
	at, _ := b.order.of(d.inst)
	scope := b.sinkScope(sink)
	isDriver := func(f *end) bool { return slices.ContainsFunc(ds, f.is) }
	bag := b.bag
	if !say {
		b.bag = &diag.Bag{} // said once, for the first driver
	}
	defer func() { b.bag = bag }()
	for i := range list {
		st := &list[i]
		start := int32(0)
		if st.hasFrom {
			f := &st.from
			switch {
			case f.net == st.to.net && f.inst >= 0 && !f.is(d) && isDriver(f):
				continue // about another driver
			case f.net == st.to.net && f.inst < 0 && b.onWayOfOther(ds, d, f, scope):
				continue
			}
			if p, ok := b.source(ds, at, f, st.to.net, scope, st.pos); ok {
				start = p
			}
		}
		b.applyWire(st.mode, at, start, &st.to, sink, scope, st.vals[:])
	}
}

// onWayOfOther says whether a port lies on the way from another driver but not from d.
func (b *builder) onWayOfOther(ds []driver, d driver, port *end, scope int32) bool {
	on := func(x driver) bool {
		s, _ := b.order.of(x.inst)
		_, ok := b.point(s, port.scope, scope)
		return ok
	}
	return !on(d) && slices.ContainsFunc(ds, on)
}
