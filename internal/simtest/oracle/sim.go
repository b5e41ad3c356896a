package oracle

// sim runs the circuit.
type sim struct {
	*builder
	agenda agenda
	elems  []func(t int64)
	sinks  [][]*wire // by net

	val     []bool    // by net, now
	changed []int64   // by net, tick of the last change
	src     [][]event // by net, of sources
	rec     []record
}

// settle gives every net its value at the start: no events come of it.
func (s *sim) settle() {
	for _, g := range s.gate {
		for _, p := range g.pins {
			if p.w != nil {
				v := s.val[p.net]
				p.w.in, p.w.old, p.w.q.y = v, v, v
			}
		}
		s.startBits(g)
		v := g.function(g.pin)
		g.q.y, s.val[g.out] = v, v
		if g.tri {
			_, st := g.triValue(g.pin)
			g.status = []statusChange{{s.c.From, st}}
		}
	}
	for net := range s.val {
		s.res.Nets[net].Start = s.val[net]
	}
}

// pin is the value of pin i behind its wire.
func (g *gate) pin(i int) bool {
	p := g.pins[i]
	if p.w == nil {
		return p.net == -3 // Const1
	}
	return p.w.now()
}

// now is the value that has come through: the last scheduled less what is on its way.
func (w *wire) now() bool {
	if n := len(w.q.pend); n%2 == 1 {
		return !w.q.y
	}
	return w.q.y
}

// startBits: clear and preset apply; a bit that is not transparent takes the value that the stimulus has for an output
// that, with the pins as they are, is the bit or its complement.
func (s *sim) startBits(g *gate) {
	for k, bt := range g.bits {
		if v, transparent := g.follow(k, g.pin); transparent {
			bt.v = v
			continue
		}
		bt.v = false
		if g.tri {
			continue
		}
		s.stat("state bit not transparent at start")
		in := s.c.Insts[g.drv[0].inst]
		for _, o := range in.Cell.Out() {
			net := in.Conn[o]
			if net < 0 {
				continue
			}
			rec, ok := s.startValue(net)
			if !ok {
				continue
			}
			other := &gate{pins: g.pins, bits: g.bits}
			fn := func(v bool) bool {
				bt.v = v
				return in.Cell.Pins[o].Fn.Eval(other.value(g.drv[0], g.pin, nil))
			}
			lo, hi := fn(false), fn(true)
			bt.v = false
			if lo != hi {
				bt.v = rec == hi
				s.stat("state bit from the stimulus")
				break
			}
		}
	}
}

// run takes the events in order of time, and within a tick in the order in which values flow.
func (s *sim) run() {
	n := len(s.c.Nets)
	s.sinks = make([][]*wire, n)
	for net := range n {
		s.elems = append(s.elems, func(t int64) { s.sourceTick(net, t) })
		for _, e := range s.src[net] {
			s.agenda.add(e.t, net)
		}
	}
	for _, g := range s.gate {
		for _, p := range g.pins {
			if w := p.w; w != nil {
				w.order = len(s.elems)
				s.sinks[p.net] = append(s.sinks[p.net], w)
				s.elems = append(s.elems, func(t int64) { s.wireTick(p, g, t) })
			}
		}
		g.order = len(s.elems)
		s.elems = append(s.elems, func(t int64) { s.gateTick(g, t) })
	}
	for {
		it, ok := s.agenda.next()
		if !ok || it.t >= s.c.To {
			break
		}
		s.elems[it.order](it.t)
	}
	for _, g := range s.gate {
		r := &s.res.Nets[g.out]
		r.Filtered, r.ErrorPulses = g.q.filtered, g.q.errors
		s.res.Stats["filtered"] += g.q.filtered
		s.res.Stats["error pulse"] += g.q.errors
		r.Pins = len(g.pins)
		for _, p := range g.pins {
			if p.w != nil {
				r.WireFiltered += p.w.q.filtered
				r.WireErrors += p.w.q.errors
				s.res.Stats["wire filtered"] += p.w.q.filtered
				s.res.Stats["wire error pulse"] += p.w.q.errors
			}
		}
	}
}

// emit changes a net at tick t.
func (s *sim) emit(net int, t int64, v bool, by Cause) {
	if s.val[net] == v {
		return
	}
	s.val[net], s.changed[net] = v, t
	s.res.Nets[net].Ticks = append(s.res.Nets[net].Ticks, t)
	s.res.Nets[net].Causes = append(s.res.Nets[net].Causes, by)
	for _, w := range s.sinks[net] {
		s.agenda.add(t, w.order)
	}
}

func (s *sim) sourceTick(net int, t int64) {
	for _, e := range s.src[net] {
		if e.t == t {
			s.emit(net, t, e.v, Cause{Net: -1})
		}
	}
}

// wireTick: a wire is a buffer with the delay of the edge on the wire.
func (s *sim) wireTick(p *gpin, g *gate, t int64) {
	w := p.w
	if v := s.val[p.net]; v != w.in {
		w.in = v
		if v != w.q.y {
			e := edge(v)
			if at, ok := w.q.schedule(t, v, w.d[e], w.rej[e], w.er[e], Cause{At: t}); ok && at > t {
				s.agenda.add(at, w.order)
			}
		}
	}
	before := w.now()
	if ev, ok := w.q.passed(t); ok {
		w.old, w.changed, w.from = before, t, ev.by.At
		s.agenda.add(t, g.order)
	}
}

func edge(v bool) int {
	if v {
		return rise
	}
	return fall
}

// gateTick applies all pins that changed at t together and evaluates once.
func (s *sim) gateTick(g *gate, t int64) {
	var switched []int
	for i, p := range g.pins {
		if p.w != nil && p.w.changed == t {
			switched = append(switched, i)
		}
	}
	if len(switched) > 0 {
		s.evaluate(g, t, switched)
	}
	if ev, ok := g.q.passed(t); ok {
		s.emit(g.out, t, ev.v, ev.by)
	}
}

func (s *sim) evaluate(g *gate, t int64, switched []int) {
	var races int64
	for k, bt := range g.bits {
		if v, transparent := g.follow(k, g.pin); transparent {
			bt.v = v
			continue
		}
		if s.races(g, k, switched) {
			races++
		}
	}
	s.res.Nets[g.out].Races += races
	s.res.Stats["race"] += races
	if g.tri {
		if _, st := g.triValue(g.pin); st != g.status[len(g.status)-1].s {
			g.status = append(g.status, statusChange{t, st})
			s.stat("three-state " + string(st))
		}
	}
	v := g.function(g.pin)
	if v == g.q.y {
		if s.clocked(g, switched) {
			s.stat("clock stopped")
		}
		return
	}
	d, r, e, pin := s.delay(g, t, switched, edge(v))
	by := Cause{g.pins[pin].net, g.pins[pin].w.from, t}
	if at, ok := g.q.schedule(t, v, d, r, e, by); ok && at > t { // at t itself it passes below
		s.agenda.add(at, g.order)
	}
}

// clocked says whether the clock pin of a clock gate switched.
func (s *sim) clocked(g *gate, switched []int) bool {
	for _, i := range switched {
		if p := g.pins[i]; len(g.bits) > 0 && p.inst >= 0 && s.c.Insts[p.inst].Cell.Pins[p.pin].Name == "CK" {
			return true
		}
	}
	return false
}

// races says whether a tie decided a bit that keeps its value: with one of the switched pins as it was before, the bit
// would be transparent and take another value.
func (s *sim) races(g *gate, k int, switched []int) bool {
	for _, back := range switched {
		v, transparent := g.follow(k, func(i int) bool {
			if i == back {
				return g.pins[i].w.old
			}
			return g.pin(i)
		})
		if transparent && v != g.bits[k].v {
			return true
		}
	}
	return false
}

// delay is the smallest over the pins that switched and have one, with its limits; of equal ones that of the first pin. pin is the cause.
func (s *sim) delay(g *gate, t int64, switched []int, oe int) (d, r, e int64, pin int) {
	found := false
	take := func(i int, x *entry) {
		if x.has[oe] && (!found || x.ticks[oe] < d) {
			d, r, e, pin, found = x.ticks[oe], x.rej[oe], x.er[oe], i, true
		}
	}
	pin = switched[0]
	type cause struct {
		pin int
		*pair
	}
	var causes []cause
	for _, i := range switched {
		p := g.pins[i]
		part := g.drv[p.part]
		if p.inst < 0 {
			if !found || part.delay[oe] < d {
				d = part.delay[oe]
				r, e, pin, found = d, d, i, true
			}
			continue
		}
		pr := s.inst[part.inst][part.out][p.pin]
		if pr == nil {
			continue
		}
		causes = append(causes, cause{i, pr})
		if x := s.arc(g, part, pr, edge(g.pin(i)), oe, t); x != nil {
			take(i, x)
		}
	}
	if found {
		return d, r, e, pin
	}
	// No pin that switched has a delay in this state: the smallest of any of their entries, either input edge; of equal
	// ones the first of: default entry, conditions in the order made, rising input edge before falling.
	s.stat("fallback")
	for _, pr := range causes {
		for _, ie := range []int{rise, fall} {
			take(pr.pin, pr.def[ie])
			for _, x := range pr.conds[ie] {
				take(pr.pin, x)
			}
		}
	}
	return d, r, e, pin
}

// arc is the entry that holds for (state, input edge, output edge): the smallest of the true conditions, of equal ones
// the one made first, else the default entry; nil when there is no value.
func (s *sim) arc(g *gate, part *part, pr *pair, ie, oe int, t int64) *entry {
	val := g.value(part, g.pin, func(net int) bool { return s.before(net, t) })
	var best *entry
	for _, x := range pr.conds[ie] {
		if x.has[oe] && x.cond.Eval(val) {
			s.stat("condition true")
			if best != nil {
				s.stat("several conditions true")
			}
			if best == nil || x.ticks[oe] < best.ticks[oe] {
				best = x
			}
		}
	}
	if best == nil && pr.def[ie].has[oe] {
		if len(pr.conds[ie]) > 0 {
			s.stat("default entry beside conditions")
		}
		best = pr.def[ie]
	}
	return best
}

// before is the value of a net just before tick t.
func (s *sim) before(net int, t int64) bool {
	if net < 0 {
		return net == -3 // Const1
	}
	if s.changed[net] == t {
		return !s.val[net]
	}
	return s.val[net]
}
