package design

import (
	"cmp"
	"slices"

	"github.com/wattd/wattd/internal/diag"
	"github.com/wattd/wattd/internal/format/scan"
	"github.com/wattd/wattd/internal/format/sdf"
	"github.com/wattd/wattd/internal/netlist"
	"github.com/wattd/wattd/kernel"
)

// wireStore accumulates wire delays by sink: index in PinNet, then PrimIn. Almost all wires are given from leaf pin to leaf
// pin and live in flat arrays; sinks that met a hierarchical end keep their segments.
type wireStore struct {
	v        [2][]int64 // rise, fall
	has      []uint8
	limits   map[int32][2]segLimit
	segs     map[int32]*[2][]segment // rise, fall
	several  map[int32][]wireStmt    // sinks of multiply driven nets: their statements, applied at the end
	netSinks []int32                 // sinks by net, built when a statement needs them; by scope in preorder where bySub is set
	netStart []int32
	bySub    []bool
	round    sums

	slot map[int32]int32 // of a patch: place of its sinks in v and has
}

// at is the place of a sink in v and has.
func (w *wireStore) at(sink int32) int32 {
	if w.slot == nil {
		return sink
	}
	return w.slot[sink]
}

// segment is a piece of the path from the driver to a sink, between two points of it, for one edge. Points are 0 at the driver, then the
// hierarchical ports on the way, and sinkPoint.
type segment struct {
	from, to int32
	v        int64
	lim      segLimit
}

const sinkPoint = int32(1 << 30)

// segLimit is a wire's pulse limit; set tells one that was written.
type segLimit struct {
	set  bool
	r, e int64
}

func (b *builder) prepareWires() {
	w := &b.wires
	n := len(b.nl.PinNet) + len(b.nl.PrimIn)
	w.v[0], w.v[1] = make([]int64, n), make([]int64, n)
	w.has = make([]uint8, n)
	w.limits, w.segs, w.several = map[int32][2]segLimit{}, map[int32]*[2][]segment{}, map[int32][]wireStmt{}
	for _, d := range b.nl.NetDelay {
		var v [2]int64
		col := b.opt.Corner.column()
		for o, x := range []scan.Decimal{d.Rise[col], d.Fall[col]} {
			x.Exp += d.UnitExp
			as, _, ok := x.Scale(atto)
			if !ok {
				b.bag.Add(diag.SDFTooLarge, b.pos(b.nl.Nets[d.Net].Pos), "the delay of net %s does not fit", b.nl.NetName(d.Net))
			}
			v[o] = as
		}
		for _, s := range b.sinks(d.Net) {
			w.v[0][s], w.v[1][s] = v[0], v[1]
			w.has[s] = 3
		}
	}
}

// sinks lists the sinks of a net: input pins of leaf cells and primitives.
func (b *builder) sinks(n int32) []int32 {
	w := &b.wires
	if b.sub != nil {
		return b.sub.sinksOf(n)
	}
	if w.netStart == nil {
		nl := b.nl
		count := make([]int32, len(nl.Nets)+1)
		each := func(f func(net, sink int32)) {
			for i := range nl.Insts {
				in := &nl.Insts[i]
				cm := b.modelOf(in.Cell)
				for _, k := range cm.loads {
					if net := nl.PinNet[in.Pin0+k]; net > netlist.Const1 {
						f(net, in.Pin0+k)
					}
				}
			}
			for i, net := range nl.PrimIn {
				if net > netlist.Const1 {
					f(net, int32(len(nl.PinNet)+i))
				}
			}
		}
		each(func(net, _ int32) { count[net+1]++ })
		for i := range nl.Nets {
			count[i+1] += count[i]
		}
		w.netStart = count
		at := slices.Clone(count)
		w.netSinks = make([]int32, count[len(nl.Nets)])
		each(func(net, s int32) { w.netSinks[at[net]] = s; at[net]++ })
	}
	return w.netSinks[w.netStart[n]:w.netStart[n+1]]
}

// wire applies INTERCONNECT (from not nil) or PORT to every sink at or below its load.
func (b *builder) wire(mode sdf.Mode, from, to *end, vals []value, pos diag.Pos) bool {
	if to.inst >= 0 {
		if to.net < 0 {
			return true // an open pin has no wire
		}
		cm := b.modelOf(b.nl.Insts[to.inst].Cell)
		if !cm.blackBox && !slices.Contains(cm.loads, to.pin) {
			b.bag.Add(diag.SDFUnknownPin, pos, "the wire ends at %s/%s, which is not an input", b.instName(to.inst), pinName(cm.cell.Lib, to.pin))
			return false
		}
		if b.keep != nil && from != nil && from.inst >= 0 && !slices.ContainsFunc(b.netDrivers(to.net), from.is) {
			b.keep.foreign(b.nl, from, to)
		}
		sink := b.nl.Insts[to.inst].Pin0 + to.pin
		if b.sub != nil {
			b.sub.inst[sink] = to.inst
		}
		b.wireTo(mode, from, to, sink, b.nl.Insts[to.inst].Scope, vals, pos)
		return true
	}
	if to.scope == 0 && b.isTopOutput(to.net) {
		b.keep.net(to.net)
		b.bag.Add(diag.SDFTopOutput, pos, "the wire ends at output port %s", b.nl.NetName(to.net))
		return true
	}
	b.keep.net(to.net)
	all, lo, hi := b.sinksBelow(to.net, to.scope)
	below := all[lo:hi]
	if b.drivenBelow(to.net, to.scope) { // in the sense of the signal, below an output port is what lies outside
		for _, s := range all[:lo] {
			b.wireTo(mode, from, to, s, b.sinkScope(s), vals, pos)
		}
		below = all[hi:]
		lo, hi = 0, len(all)-(hi-lo)
	}
	for _, s := range below {
		b.wireTo(mode, from, to, s, b.sinkScope(s), vals, pos)
	}
	if lo == hi {
		b.bag.Add(diag.SDFTopOutput, pos, "the wire ends at port %s, behind which there is no pin", b.nl.NetName(to.net))
	}
	return true
}

// sinksBelow lists all sinks of a net; those in scope s or below it are all[lo:hi].
func (b *builder) sinksBelow(n, s int32) (all []int32, lo, hi int) {
	w := &b.wires
	all = b.sinks(n)
	place := func(sink int32) int32 { return b.tree.pre[b.sinkScope(sink)] }
	if b.sub != nil {
		slices.SortStableFunc(all, func(x, y int32) int { return cmp.Compare(place(x), place(y)) })
	} else if w.bySub == nil || !w.bySub[n] {
		if w.bySub == nil {
			w.bySub = make([]bool, len(b.nl.Nets))
		}
		w.bySub[n] = true
		slices.SortStableFunc(all, func(x, y int32) int { return cmp.Compare(place(x), place(y)) })
	}
	first := func(p int32) int {
		i, _ := slices.BinarySearchFunc(all, p, func(sink, p int32) int { return cmp.Compare(place(sink), p) })
		return i
	}
	return all, first(b.tree.pre[s]), first(b.tree.end[s])
}

func (b *builder) isTopOutput(n int32) bool {
	return n >= 0 && b.nl.Nets[n].Flags&netlist.NetOutput != 0
}

func (b *builder) sinkScope(s int32) int32 {
	if s < int32(len(b.nl.PinNet)) {
		if b.sub != nil {
			return b.nl.Insts[b.sub.inst[s]].Scope
		}
		return b.nl.Insts[b.nl.PinInst(s)].Scope
	}
	k := s - int32(len(b.nl.PinNet))
	i, _ := slices.BinarySearchFunc(b.nl.Prims, k, func(p netlist.Prim, k int32) int {
		if p.In0+p.NIn <= k {
			return -1
		}
		if p.In0 > k {
			return 1
		}
		return 0
	})
	return b.nl.Prims[i].Scope
}

// within says whether scope s is root or below it.
func (b *builder) within(s, root int32) bool {
	return b.tree.pre[root] <= b.tree.pre[s] && b.tree.pre[s] < b.tree.end[root]
}

// scopeTree numbers the scopes in preorder: pre[s] to end[s] are those in and below s.
type scopeTree struct {
	pre, end []int32
}

func newScopeTree(scopes []netlist.Scope) scopeTree {
	n := len(scopes)
	t := scopeTree{make([]int32, n), make([]int32, n)}
	size, next := make([]int32, n), make([]int32, n) // next: where the next child of a scope goes
	for s := n - 1; s >= 0; s-- {
		size[s]++
		if p := scopes[s].Parent; p >= 0 {
			size[p] += size[s]
		}
	}
	for s := range scopes {
		if p := scopes[s].Parent; p >= 0 {
			t.pre[s] = next[p]
			next[p] += size[s]
		}
		next[s] = t.pre[s] + 1
		t.end[s] = t.pre[s] + size[s]
	}
	return t
}

// driverScope is the scope of the first driver of a net; None for the world outside.
func (b *builder) driverScope(n int32) int32 {
	if ds := b.netDrivers(n); len(ds) > 0 {
		s, _ := b.order.of(ds[0].inst)
		return s
	}
	return None
}

func (b *builder) drivenBelow(n, scope int32) bool {
	d := b.driverScope(n)
	return d >= 0 && scope > 0 && b.within(d, scope)
}

// point is the place of a port of scope s on the way from a driver in scope d (None: outside) to a sink in scope k.
func (b *builder) point(d, s, k int32) (int32, bool) {
	if s == 0 {
		return 0, d < 0 // a top port drives from outside
	}
	inD, inK := d >= 0 && b.within(d, s), b.within(k, s)
	switch {
	case inD && !inK: // on the way up
		return b.nl.Depth(d) - b.nl.Depth(s) + 1, true
	case inK && !inD: // on the way down
		up := int32(0)
		if d >= 0 {
			c := d
			for !b.within(k, c) {
				c = b.nl.Scopes[c].Parent
				up++
			}
		}
		return up + b.nl.Depth(s) + 1, true
	}
	return 0, false
}

// wireTo applies a statement to one sink, or keeps it for later where the net has several drivers.
func (b *builder) wireTo(mode sdf.Mode, from, to *end, sink, scope int32, vals []value, pos diag.Pos) {
	b.keep.sink(sink)
	ds := b.netDrivers(to.net)
	apply := b.sub == nil || b.sub.hasWire(sink)
	if len(ds) > 1 {
		if !apply {
			return
		}
		st := wireStmt{mode: mode, to: *to, pos: pos, vals: [2]value(vals)}
		if from != nil {
			st.from, st.hasFrom = *from, true
		}
		b.wires.several[sink] = append(b.wires.several[sink], st)
		return
	}
	d := None
	if len(ds) == 1 {
		d, _ = b.order.of(ds[0].inst)
	}
	start := int32(0)
	if from != nil {
		if p, ok := b.source(ds, d, from, to.net, scope, pos); ok {
			start = p
		}
	}
	if apply {
		b.applyWire(mode, d, start, to, sink, scope, vals)
	}
}

// source finds where on the way from a driver in scope d the source of a wire lies; ok is false when that is not one.
func (b *builder) source(ds []driver, d int32, from *end, net, scope int32, pos diag.Pos) (int32, bool) {
	if from.net != net {
		b.bag.Add(diag.SDFNotDriver, pos, "the source of the wire is on net %s, its load on net %s", b.netNameOrOpen(from.net), b.nl.NetName(net))
		return 0, false
	}
	if from.inst >= 0 {
		if !slices.ContainsFunc(ds, from.is) {
			b.bag.Add(diag.SDFNotDriver, pos, "%s does not drive net %s", b.instName(from.inst), b.nl.NetName(net))
			return 0, false
		}
		return 0, true
	}
	p, ok := b.point(d, from.scope, scope)
	if !ok {
		b.bag.Add(diag.SDFNotDriver, pos, "the source port is not on the way to the load on net %s", b.nl.NetName(net))
	}
	return p, ok
}

// applyWire applies a statement that begins at a point of the way.
func (b *builder) applyWire(mode sdf.Mode, d, start int32, to *end, sink, scope int32, vals []value) {
	seg := segment{from: start, to: sinkPoint}
	if to.inst < 0 {
		if p, ok := b.point(d, to.scope, scope); ok && p > 0 {
			seg.to = p
		}
	}
	if seg.from == 0 && seg.to == sinkPoint && b.wires.segs[sink] == nil {
		b.whole(mode, sink, vals)
		return
	}
	b.piece(mode, sink, seg, vals)
}

func (b *builder) netNameOrOpen(n int32) string {
	if n < 0 {
		return "(open)"
	}
	return b.nl.NetName(n)
}

// whole applies a statement that covers the whole way to a sink without segments.
func (b *builder) whole(mode sdf.Mode, sink int32, vals []value) {
	w := &b.wires
	at := w.at(sink)
	for o, v := range vals {
		if v.has {
			if mode == sdf.Absolute {
				w.v[o][at] = v.d
			} else {
				w.v[o][at] += v.d
			}
			w.has[at] |= 1 << o
		}
		b.wireLimit(mode, sink, o, v)
	}
}

func (b *builder) wireLimit(mode sdf.Mode, sink int32, o int, v value) {
	w := &b.wires
	if v.limits == 0 && len(w.limits) == 0 {
		return
	}
	l := w.limits[sink]
	if mergeLimit(&l[o], mode, v) {
		w.limits[sink] = l
	}
}

// mergeLimit applies the limits of one value: plain absolute values reset, ((d)()()) keeps, written ones are set.
func mergeLimit(l *segLimit, mode sdf.Mode, v value) bool {
	switch {
	case v.hasR:
		l.set, l.r, l.e = true, v.r, v.e
	case v.limits == 0 && v.has && mode == sdf.Absolute:
		l.set = false
	default:
		return false
	}
	return true
}

// piece applies a statement to a sink that has, or now gets, segments. An edge without value keeps those it has.
func (b *builder) piece(mode sdf.Mode, sink int32, seg segment, vals []value) {
	w := &b.wires
	segs, ok := w.segs[sink]
	if !ok {
		segs = new([2][]segment)
		w.segs[sink] = segs
		for o := range segs {
			if at := w.at(sink); w.has[at]>>o&1 != 0 { // what stood so far covers the whole way
				segs[o] = []segment{{to: sinkPoint, v: w.v[o][at], lim: w.limits[sink][o]}}
			}
		}
	}
	for o, v := range vals {
		if v.has {
			segs[o] = applySegment(mode, segs[o], seg, v)
		}
	}
}

// applySegment replaces what lies between the ends of seg by v, or adds v to it.
func applySegment(mode sdf.Mode, segs []segment, seg segment, v value) []segment {
	overlap := func(s segment) bool { return s.from < seg.to && seg.from < s.to }
	i := slices.IndexFunc(segs, func(s segment) bool { return s.from == seg.from && s.to == seg.to })
	if i < 0 && mode == sdf.Increment {
		i = slices.IndexFunc(segs, overlap)
	}
	if i >= 0 {
		seg = segs[i]
	}
	if mode == sdf.Absolute {
		seg.v = v.d
		segs = slices.DeleteFunc(segs, overlap)
	} else {
		seg.v += v.d
		if i >= 0 {
			segs = slices.Delete(segs, i, i+1)
		}
	}
	mergeLimit(&seg.lim, mode, v)
	return append(segs, seg)
}

// netDelay applies NETDELAY to every sink of a net.
func (b *builder) netDelay(mode sdf.Mode, n int32, vals []value, pos diag.Pos) bool {
	b.keep.net(n)
	to := end{inst: None, net: n}
	for _, s := range b.sinks(n) {
		b.wireTo(mode, nil, &to, s, b.sinkScope(s), vals, pos)
	}
	return true
}

// chain sums, edge by edge, the segments of a sink that meet: the last one stated, what ends where it begins, and what begins where it ends.
func (b *builder) chain(sink int32, segs *[2][]segment) {
	w := &b.wires
	var lim [2]segLimit
	at := w.at(sink)
	w.has[at] = 0
	gap := false
	for o, list := range segs {
		w.v[o][at] = 0
		if len(list) == 0 {
			continue
		}
		last := list[len(list)-1]
		used := 1
		v, r, e := last.v, segReject(&last), segError(&last)
		set := last.lim.set
		from, to := last.from, last.to
		for grown := true; grown; {
			grown = false
			for i := range list[:len(list)-1] {
				s := &list[i]
				if s.to != from && s.from != to {
					continue
				}
				if s.to == from {
					from = s.from
				} else {
					to = s.to
				}
				v += s.v
				r += segReject(s)
				e += segError(s)
				set = set || s.lim.set
				used++
				grown = true
			}
		}
		gap = gap || used < len(list)
		w.v[o][at] = v
		w.has[at] |= 1 << o
		lim[o] = segLimit{set, r, e}
	}
	if gap {
		b.bag.Add(diag.SDFSegmentGap, diag.Pos{}, "a sink of net %s", b.nl.NetName(b.sinkNet(sink)))
	}
	if lim[0].set || lim[1].set {
		w.limits[sink] = lim
	} else {
		delete(w.limits, sink)
	}
}

func segReject(s *segment) int64 {
	if s.lim.set {
		return s.lim.r
	}
	return s.v
}

func segError(s *segment) int64 {
	if s.lim.set {
		return s.lim.e
	}
	return s.v
}

func (b *builder) sinkNet(s int32) int32 {
	if s < int32(len(b.nl.PinNet)) {
		return b.nl.PinNet[s]
	}
	return b.nl.PrimIn[s-int32(len(b.nl.PinNet))]
}

// joinWires ends what statements left open: the wires of nets with several drivers, and those given in pieces.
func (b *builder) joinWires() {
	w := &b.wires
	b.finishSeveral()
	sinks := make([]int32, 0, len(w.segs))
	for s := range w.segs {
		sinks = append(sinks, s)
	}
	slices.Sort(sinks)
	for _, s := range sinks {
		b.late(s, func() { b.chain(s, w.segs[s]) })
	}
	b.overrideWires()
}

// late says what is left to say about a sink, and keeps how much that is.
func (b *builder) late(sink int32, f func()) {
	if b.keep == nil {
		f()
		return
	}
	all := b.bag
	b.bag = &diag.Bag{}
	f()
	b.keep.saidLate(sink, b.bag)
	all.Merge(b.bag)
	b.bag = all
}

// finishWires rounds the wires and gives every pin of the program its index.
func (b *builder) finishWires() {
	p := b.prog
	b.joinWires()
	index := map[kernel.Wire]int32{{}: 0}
	p.PinWire = make([]int32, len(p.PinNet))
	if b.keep != nil {
		b.keep.pinNote = make([]wireNote, len(p.PinNet))
	}
	for i, s := range b.sinkOf {
		note := noWire
		if s >= 0 {
			var x kernel.Wire
			x, note = b.wireOf(s)
			b.countWire(note, 1)
			id, ok := index[x]
			if !ok {
				id = int32(len(p.Wires))
				p.Wires = append(p.Wires, x)
				index[x] = id
			}
			p.PinWire[i] = id
		}
		if b.keep != nil {
			b.keep.pinNote[i] = note
		}
	}
}

// countWire adds the note of a pin to the report.
func (b *builder) countWire(note wireNote, sign int64) {
	if note == noWire {
		return
	}
	b.d.Report.Wires += sign
	b.d.Report.WiresDelayed += sign * note.delayed()
	r := note.rounding()
	b.wires.round.count(&r, sign)
}

// wireOf rounds the wire to a sink.
func (b *builder) wireOf(sink int32) (kernel.Wire, wireNote) {
	w := &b.wires
	s := w.at(sink)
	round := rounding{tens: noTens}
	if w.has[s] == 0 {
		return kernel.Wire{}, packNote(false, &round)
	}
	var d, r, e [2]int32
	for o := range 2 {
		as := w.v[o][s]
		if as < 0 {
			round.negative++
		} else if as > 0 {
			round.add(b.opt.Tick, as)
		}
		t, _ := b.opt.Tick.round(as)
		if t > maxDelay {
			b.bag.Add(diag.SDFTooLarge, diag.Pos{}, "a wire of net %s is %s", b.nl.NetName(b.sinkNet(sink)), FormatSeconds(as))
			t = maxDelay
		}
		d[o] = int32(max(t, 0))
		r[o], e[o] = d[o], d[o]
		if l := w.limits[sink][o]; l.set {
			r[o] = b.limitTicks(l.r, d[o])
			e[o] = max(r[o], b.limitTicks(l.e, d[o]))
		}
	}
	return kernel.Wire{Rise: d[0], Fall: d[1], RejRise: r[0], RejFall: r[1], ErrRise: e[0], ErrFall: e[1]}, packNote(d != [2]int32{}, &round)
}
