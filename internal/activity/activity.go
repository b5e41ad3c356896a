// Package activity counts what nets did in an interval.
//
// Contract: counts are exact integers over [from, to), so that those of neighbouring intervals add up; sources are counted as
// recorded, unknown spans apart. Functional changes and glitches are told apart by the values at the borders of the net's
// reference cycle. The package reads waves and never simulates.
package activity

import (
	"runtime"
	"sync"

	"github.com/wattd/wattd/internal/design"
	"github.com/wattd/wattd/internal/diag"
	"github.com/wattd/wattd/internal/wave"
	"github.com/wattd/wattd/kernel"
)

// Net is the counts of one net, times in ticks. T0+T1+TX+TZ+TB is the duration.
type Net struct {
	T0, T1, TX, TZ, TB int64
	TC, Rise, Fall     int64 // changes between 0 and 1
	Filtered           int64 // pulses removed by the inertial rule at the driving gate, in windows within the interval
	Functional, Glitch int64 // valid when Table.Split; TC = Functional + Glitch unless the split is by a zero-delay run
	Collapsed          int64 // sources: changes overwritten within their tick
}

// Table is the counts of all nets of the netlist.
type Table struct {
	From, To int64
	Excluded int64 // ticks between From and To that were not counted: gaps of the dump
	Nets     []Net
	Split    bool   // Functional and Glitch are filled
	NoSplit  string // why not
	Clocks   *Clocks
}

// Duration is the time that was counted: To - From without what was excluded.
func (t *Table) Duration() int64 { return t.To - t.From - t.Excluded }

// Add adds the counts of a later part of the same run. The time between the parts is excluded.
func (t *Table) Add(o *Table) {
	t.Excluded += o.From - t.To + o.Excluded
	t.To = o.To
	for n := range t.Nets {
		t.Nets[n].add(&o.Nets[n])
	}
	if t.Split && !o.Split {
		t.Split, t.NoSplit = false, o.NoSplit
	}
}

func (n *Net) add(o *Net) {
	n.T0 += o.T0
	n.T1 += o.T1
	n.TX += o.TX
	n.TZ += o.TZ
	n.TB += o.TB
	n.TC += o.TC
	n.Rise += o.Rise
	n.Fall += o.Fall
	n.Filtered += o.Filtered
	n.Functional += o.Functional
	n.Glitch += o.Glitch
	n.Collapsed += o.Collapsed
}

// Options are the choices of a count. From and To should be borders of windows of the run: pulses removed are counted by window,
// and those of a window that the interval cuts are left out.
type Options struct {
	From, To int64
	Cycle    int64 // ticks of a fixed cycle that begins at From; 0: clocks
	// ZeroDelay holds the changes per net of the zero-delay run, when glitches are TC minus those.
	ZeroDelay *Table
	Workers   int
	// Prev is the count of an earlier version of the design over the same interval with the same stimulus; nil: none.
	Prev *Prev
}

// Prev is what a count may take over.
type Prev struct {
	Table  *Table
	Design *design.Design
	// Nets are those whose waves or removed pulses may differ (kernel.Work).
	Nets []int32
	// SameLogic says that the designs differ in delays alone.
	SameLogic bool
}

// Count counts every net of the netlist.
func Count(d *design.Design, st *wave.Stimulus, w *kernel.Waves, opt Options, bag *diag.Bag) *Table {
	t := &Table{From: opt.From, To: opt.To}
	c := newCounter(d, st, w, t)
	if p := opt.Prev; p != nil && p.SameLogic {
		t.Clocks = p.Table.Clocks
	} else {
		t.Clocks = findClocks(d, st, opt)
	}
	if opt.ZeroDelay != nil {
		t.Split = true
	} else if t.Split = len(t.Clocks.List) > 0; !t.Split {
		t.NoSplit = "no clock has an edge in the run and no --cycle was given"
		if bag != nil {
			bag.Add(diag.ActNoClock, diag.Pos{}, "%s", t.NoSplit)
		}
	} else if bag != nil && t.Clocks.cut {
		bag.Add(diag.ActCutCycles, diag.Pos{}, "the run begins or ends inside a cycle")
	}
	if bag != nil && t.Clocks.mixed > 0 && len(t.Clocks.List) > 1 {
		bag.AddN(diag.ActMultiClock, t.Clocks.mixed, diag.Pos{}, "%d nets are split by %s", t.Clocks.mixed, t.Clocks.List[t.Clocks.Fastest].Name)
	}
	if nets, some := c.again(opt.Prev); some && opt.ZeroDelay == nil {
		c.recount(nets, opt.Prev.Table)
	} else {
		c.all(opt)
	}
	return t
}

// all counts every net, a block at a time.
func (c *counter) all(opt Options) {
	t := c.t
	t.Nets = make([]Net, len(c.d.Netlist.Nets))
	workers := opt.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	const chunk = 1024
	var wg sync.WaitGroup
	next := make(chan int32)
	for range workers {
		wg.Go(func() {
			for at := range next {
				for n := at; n < min(at+chunk, int32(len(t.Nets))); n++ {
					c.net(n, opt.ZeroDelay)
				}
			}
		})
	}
	for at := int32(0); at < int32(len(t.Nets)); at += chunk {
		next <- at
	}
	close(next)
	wg.Wait()
	c.collapsed(func(int32) bool { return true })
}

// collapsed adds the changes of sources that were overwritten within their tick.
func (c *counter) collapsed(want func(net int32) bool) {
	for _, x := range c.st.Collapsed {
		if !want(x.Net) {
			continue
		}
		for _, tick := range x.Tick {
			if tick >= c.from && tick < c.to {
				c.t.Nets[x.Net].Collapsed++
			}
		}
	}
}

// None marks an absent index.
const None = int32(-1)

type counter struct {
	d        *design.Design
	st       *wave.Stimulus
	w        *kernel.Waves
	t        *Table
	from, to int64
	source   []int32 // by net: index of the stimulus
	spans    []int32 // by source: first in Stimulus.Unknown
	tri      map[int32]design.Tristate
}

func newCounter(d *design.Design, st *wave.Stimulus, w *kernel.Waves, t *Table) *counter {
	c := &counter{d: d, st: st, w: w, t: t, from: t.From, to: t.To}
	c.source = make([]int32, len(d.NetClass))
	for i := range c.source {
		c.source[i] = None
	}
	for i, n := range st.Net {
		c.source[n] = int32(i)
	}
	c.spans = make([]int32, len(st.Net)+1)
	for _, s := range st.Unknown {
		c.spans[s.Src+1]++
	}
	for i := range st.Net {
		c.spans[i+1] += c.spans[i]
	}
	c.tri = map[int32]design.Tristate{}
	for _, x := range d.Tristate {
		c.tri[x.Net] = x
	}
	return c
}

// net counts one net.
func (c *counter) net(n int32, zero *Table) {
	if c.d.Netlist.IsHole(n) { // it may be a helper of a gate, which is no net of the netlist
		return
	}
	x := &c.t.Nets[n]
	class := c.d.NetClass[n]
	if src := c.source[n]; src >= 0 {
		c.recorded(x, n, src)
	} else if tri, ok := c.tri[n]; ok {
		c.tristate(x, n, tri)
	} else if class == design.ClassConst1 {
		x.T1 = c.to - c.from
	} else {
		c.waves(x, n)
	}
	switch {
	case zero != nil:
		x.Functional = zero.Nets[n].TC
		x.Glitch = x.TC - x.Functional
	case c.t.Split:
		x.Glitch = x.TC - x.Functional
	}
}

// run accumulates toggles of a net in time order.
type run struct {
	x        *Net
	from, to int64
	v        bool
	at       int64
	split    splitter
}

func (r *run) toggle(t int64) {
	if t < r.from {
		r.v = !r.v
		return
	}
	if r.v {
		r.x.T1 += t - r.at
		r.x.Fall++
	} else {
		r.x.T0 += t - r.at
		r.x.Rise++
	}
	r.at = t
	r.v = !r.v
	r.split.event(t)
}

func (r *run) end() {
	if r.v {
		r.x.T1 += r.to - r.at
	} else {
		r.x.T0 += r.to - r.at
	}
	r.x.TC = r.x.Rise + r.x.Fall
	r.x.Functional = r.split.end()
}

func (c *counter) start(x *Net, n int32, v bool) run {
	r := run{x: x, from: c.from, to: c.to, v: v, at: c.from}
	if c.t.Split && c.t.Clocks != nil && len(c.t.Clocks.List) > 0 {
		r.split.borders = c.t.Clocks.borders(n)
	}
	return r
}

// waves counts a simulated net.
func (c *counter) waves(x *Net, n int32) {
	w := c.w
	r := c.start(x, n, w.StartValue(n))
	for k := range w.Windows() {
		a := w.Cuts[k]
		if a >= c.to {
			break
		}
		_, ticks := w.Row(n, k)
		for _, t := range ticks {
			if a+int64(t) >= c.to {
				break
			}
			r.toggle(a + int64(t))
		}
		if a >= c.from && w.Cuts[k+1] <= c.to {
			x.Filtered += w.Filtered(n, k)
		}
	}
	r.end()
}

// recorded counts a source from its recorded values.
func (c *counter) recorded(x *Net, n, src int32) {
	st := c.st
	start, off, tick := st.Start[src], st.Off, st.Tick
	if st.RecOff != nil {
		start, off, tick = st.RecStart[src], st.RecOff, st.RecTick
	}
	spans := st.Unknown[c.spans[src]:c.spans[src+1]]
	ticks := tick[off[src]:off[src+1]]
	r := c.start(x, n, start)
	for _, t := range ticks {
		if t >= c.to {
			break
		}
		r.toggle(t)
	}
	r.end()
	if len(spans) == 0 {
		return
	}
	// the time of unknown spans was counted with the held value
	v, i := start, 0
	for _, s := range spans {
		for i < len(ticks) && ticks[i] <= s.From {
			v = !v
			i++
		}
		d := min(s.To, c.to) - max(s.From, c.from)
		if d <= 0 {
			continue
		}
		if v {
			x.T1 -= d
		} else {
			x.T0 -= d
		}
		if s.Z {
			x.TZ += d
		} else {
			x.TX += d
		}
	}
}

// tristate counts a three-state net: while it floats or drivers fight its time is TZ or TB.
func (c *counter) tristate(x *Net, n int32, tri design.Tristate) {
	c.waves(x, n)
	var ticks [3][]int64
	var v [3]bool
	for i, net := range []int32{n, tri.Z, tri.B} {
		v[i] = c.w.StartValue(net)
		c.w.Each(net, func(t int64, _ bool) { ticks[i] = append(ticks[i], t) })
	}
	x.T0, x.T1 = 0, 0
	at := c.from
	add := func(t int64) {
		d := min(t, c.to) - max(at, c.from)
		if d <= 0 {
			return
		}
		switch {
		case v[1]:
			x.TZ += d
		case v[2]:
			x.TB += d
		case v[0]:
			x.T1 += d
		default:
			x.T0 += d
		}
	}
	for {
		t := c.to
		for i := range ticks {
			if len(ticks[i]) > 0 {
				t = min(t, ticks[i][0])
			}
		}
		add(t)
		at = max(at, t)
		if t >= c.to {
			return
		}
		for i := range ticks {
			if len(ticks[i]) > 0 && ticks[i][0] == t {
				v[i] = !v[i]
				ticks[i] = ticks[i][1:]
			}
		}
	}
}

// splitter counts the cycles in which a net changed an odd number of times.
type splitter struct {
	borders []int64 // inner borders, ascending
	i       int     // borders before i are at or before the last event
	odd     bool
	n       int64
}

func (s *splitter) event(t int64) {
	if s.i < len(s.borders) && s.borders[s.i] <= t {
		if s.odd {
			s.n++
			s.odd = false
		}
		// gallop: events are often far apart
		step := 1
		for s.i+step < len(s.borders) && s.borders[s.i+step] <= t {
			s.i += step
			step *= 2
		}
		for s.i < len(s.borders) && s.borders[s.i] <= t {
			hi := min(s.i+step, len(s.borders))
			for s.i < hi && s.borders[s.i] <= t {
				s.i++
			}
		}
	}
	s.odd = !s.odd
}

func (s *splitter) end() int64 {
	if s.odd {
		s.n++
		s.odd = false
	}
	return s.n
}
