package wave

import (
	"cmp"
	"context"
	"io"
	"math"
	"slices"

	"github.com/wattd/wattd/internal/design"
	"github.com/wattd/wattd/internal/diag"
	"github.com/wattd/wattd/internal/format/vcd"
)

// Input is a dump.
type Input struct {
	Name string
	R    io.Reader
}

// Dump is a dump whose header was read and bound to a design's nets.
type Dump struct {
	in    Input
	r     *vcd.Reader
	h     *vcd.Header
	b     *binder
	scope int32
	ok    bool
}

// OpenDump reads the header of a dump and finds the scope of the design. After a fault of the input the bag has an error.
func OpenDump(ctx context.Context, d *design.Design, in Input, opt Options, bag *diag.Bag) (*Dump, error) {
	errs := bag.Errors()
	x := &Dump{in: in, r: vcd.NewReader(in.R, in.Name, bag)}
	if opt.TimeCoef != 0 {
		x.r.SetTimescale(opt.TimeCoef, opt.TimeExp)
	}
	var err error
	if x.h, err = x.r.Header(ctx); err != nil || bag.Errors() > errs {
		return x, err
	}
	x.b = newBinder(d.Netlist, x.h)
	x.scope, x.ok = x.b.findScope(d, opt.Scope, in.Name, bag)
	return x, nil
}

// Named returns the set of nets that the dump names.
func (x *Dump) Named() func(net int32) bool {
	set := map[int32]bool{}
	if x.ok {
		x.b.bind(x.scope, func(b bit) { set[b.net] = true })
	}
	return func(n int32) bool { return set[n] }
}

// Bind reads a dump whole: OpenDump and Load in one.
func Bind(ctx context.Context, d *design.Design, in Input, opt Options, bag *diag.Bag) (*Stimulus, error) {
	x, err := OpenDump(ctx, d, in, opt, bag)
	if err != nil || !x.ok {
		return nil, err
	}
	return x.Load(ctx, d, opt, bag)
}

// event is a change of one bit.
type event struct {
	tick int64
	net  int32 // index of the wanted net
	val  byte
}

// loader is the vcd.Visitor that collects changes of wanted nets.
type loader struct {
	bag     *diag.Bag
	name    string
	tick    design.Tick
	coef    int32
	exp     int32
	first   []int32 // by id: first of its bits in bits, and the next id's
	bits    []bit   // net is the index of a wanted net
	now     int64
	started bool
	events  []event
	last    []byte // by wanted net
	gaps    []Span
	gapFrom int64
	off     bool // behind a $dumpoff
	to      int64
	hasTo   bool
	ended   bool // a time stamp at or after the end was seen
}

func (l *loader) Time(t int64) bool {
	v, ok := l.tick.FromUnit(t, l.coef, l.exp)
	if !ok {
		need := design.FormatSeconds(unitAtto(l.coef, l.exp))
		l.bag.Add(diag.StimTick, diag.Pos{File: l.name}, "#%d is not a whole number of ticks of %s; the dump needs --tick %s or finer", t, l.tick, need)
		return false
	}
	l.now, l.started = v, true
	if l.hasTo && v >= l.to {
		l.ended = true
		return false
	}
	return true
}

func unitAtto(coef, exp int32) int64 {
	u := int64(coef)
	for ; exp > -18; exp-- {
		u *= 10
	}
	return u
}

func (l *loader) Change(id int32, val []byte) bool {
	for i := l.first[id]; i < l.first[id+1]; i++ {
		b := &l.bits[i]
		v := val[b.at]
		if l.last[b.net] == v {
			continue
		}
		l.last[b.net] = v
		l.events = append(l.events, event{l.now, b.net, v})
	}
	return true
}

func (l *loader) DumpOff() bool {
	if !l.off {
		l.gapFrom, l.off = l.now, true
	}
	return true
}

func (l *loader) DumpOn() bool {
	if l.off {
		l.gaps = append(l.gaps, Span{From: l.gapFrom, To: l.now})
	}
	l.off = false
	return true
}

// Load reads the values.
func (x *Dump) Load(ctx context.Context, d *design.Design, opt Options, bag *diag.Bag) (*Stimulus, error) {
	if !x.ok {
		return nil, nil
	}
	// wanted nets: sources, and outputs of gates with state for their value at the start
	index := make([]int32, len(d.NetClass))
	for i := range index {
		index[i] = None
	}
	var wanted []int32
	want := func(n int32) {
		if n >= 0 && int(n) < len(d.Netlist.Nets) && index[n] == None {
			index[n] = int32(len(wanted))
			wanted = append(wanted, n)
		}
	}
	for _, n := range d.Sources {
		want(n)
	}
	for _, n := range d.Spare {
		want(n)
	}
	for _, r := range d.Registers {
		if d.NetClass[r.Net].Source() {
			want(r.Net) // Q may be dumped where only QN is read
		}
	}
	for _, s := range d.States {
		want(d.Program.GateOut[s.Gate])
	}
	l := &loader{bag: bag, name: x.in.Name, tick: d.Tick, coef: x.h.UnitCoef, exp: x.h.UnitExp, to: opt.To, hasTo: opt.HasTo}
	bound := make([]bool, len(wanted))
	var bits []bit
	x.b.bind(x.scope, func(b bit) {
		if i := index[b.net]; i >= 0 && !bound[i] {
			bound[i] = true
			b.net = i
			bits = append(bits, b)
		}
	})
	loose := x.loose(d.Netlist, index, bound, &bits, bag)
	slices.SortStableFunc(bits, func(a, b bit) int { return cmp.Compare(a.id, b.id) })
	l.bits = bits
	l.first = make([]int32, x.h.NumIDs+1)
	need := make([]bool, x.h.NumIDs)
	for _, b := range bits {
		l.first[b.id+1]++
		need[b.id] = true
	}
	for i := range x.h.NumIDs {
		l.first[i+1] += l.first[i]
	}
	l.last = make([]byte, len(wanted))
	errs := bag.Errors()
	st, err := x.r.Body(ctx, need, l)
	if err != nil {
		return nil, err
	}
	if bag.Errors() > errs {
		return nil, nil
	}
	parts := x.interval(d, l, &st, opt, bag)
	for i, s := range parts {
		s.Initial = map[int32]bool{}
		s.Coverage.Scope, s.Coverage.Launch, s.Coverage.Loose = x.b.path(x.scope), "as-dumped", loose
		told := bag
		if i > 0 { // what is said of the first part holds for all
			parts[i-1].Next, told = s, &diag.Bag{}
		}
		m := &maker{s: s, d: d, opt: opt, bag: told, name: x.in.Name, wanted: wanted, index: index, bound: bound}
		m.make(l.events)
		if told.Errors() > errs && told != bag {
			bag.Merge(told)
		}
	}
	if len(parts) == 0 || bag.Errors() > errs {
		return nil, nil
	}
	return parts[0], nil
}

// interval settles the times of the run: one part, or several with the gaps of the dump between them; none after an error.
func (x *Dump) interval(d *design.Design, l *loader, st *vcd.Stats, opt Options, bag *diag.Bag) []*Stimulus {
	s := &Stimulus{}
	pos := diag.Pos{File: x.in.Name}
	conv := func(t int64) int64 {
		v, ok := d.Tick.FromUnit(t, l.coef, l.exp)
		if !ok {
			return math.MaxInt64
		}
		return v
	}
	first, last := conv(st.FirstTime), conv(st.LastTime)
	s.From, s.To = first, last
	if opt.HasFrom {
		s.From = opt.From
	}
	if opt.HasTo {
		s.To = opt.To
	}
	if s.To > 1<<62 || s.From < -1<<62 {
		bag.Add(diag.StimTime, pos, "the run ends at tick %d", s.To)
		return nil
	}
	if s.From >= s.To {
		bag.Add(diag.StimEmptyWindow, pos, "the run from %s to %s has no duration", FormatTime(d.Tick, s.From), FormatTime(d.Tick, s.To))
		return nil
	}
	if s.To-s.From > maxTicks {
		bag.Add(diag.StimTime, pos, "the run has %d ticks of %s, more than 2^46", s.To-s.From, d.Tick)
		return nil
	}
	if st.HasTime && (s.From < first || s.To > last && !l.ended) {
		bag.Add(diag.StimOutside, pos, "the run is %s..%s, the dump %s..%s", FormatTime(d.Tick, s.From), FormatTime(d.Tick, s.To), FormatTime(d.Tick, first), FormatTime(d.Tick, last))
	}
	if l.off { // never switched on again, or not before the end of the run
		l.gaps = append(l.gaps, Span{From: l.gapFrom, To: math.MaxInt64})
	}
	var parts []*Stimulus
	from := s.From
	for _, g := range l.gaps {
		if g.To <= from || g.From >= s.To {
			continue
		}
		bag.Add(diag.StimGap, pos, "the dump is off from %s to %s; that time is not simulated", FormatTime(d.Tick, g.From), FormatTime(d.Tick, min(g.To, max(last, s.To))))
		if g.From > from {
			parts = append(parts, &Stimulus{From: from, To: g.From})
		}
		from = g.To
	}
	if from < s.To {
		parts = append(parts, &Stimulus{From: from, To: s.To})
	}
	if len(parts) == 0 {
		bag.Add(diag.StimEmptyWindow, pos, "the dump is off during the whole run")
	}
	return parts
}

// maxTicks bounds a run: engines take windows of less than 2^30 ticks, and each costs memory for each net.
const maxTicks = 1 << 46

// FormatTime prints a number of ticks as a time.
func FormatTime(t design.Tick, ticks int64) string {
	if ticks == 0 {
		return "0"
	}
	if ticks < 1<<62/int64(t) && ticks > -(1<<62)/int64(t) {
		return design.FormatSeconds(ticks * int64(t))
	}
	return design.Tick(t).String() + " x " + itoa(ticks)
}
