package activity

import (
	"slices"
	"sort"

	"github.com/wattd/wattd/internal/design"
	"github.com/wattd/wattd/internal/wave"
)

// Clock is a source net that reaches clock pins, or the fixed cycle.
type Clock struct {
	Net   int32  // None for --cycle
	Name  string // net name, or "--cycle"
	Edges int64  // rising edges within the interval

	rises  []int64 // borders of cycles within (from, to)
	phases []int64 // both edges
}

// Clocks says which clock splits the changes of each net.
type Clocks struct {
	List    []Clock // by name
	Fastest int
	// OfNet is the index in List of each net's reference clock.
	OfNet []int32
	// Network is set for nets of the clock network: they are split per clock phase.
	Network []bool

	mixed int64
	cut   bool
}

func (c *Clocks) borders(n int32) []int64 {
	k := &c.List[c.OfNet[n]]
	if c.Network[n] {
		return k.phases
	}
	return k.rises
}

const (
	clockNone    = int32(-1)
	clockSeveral = int32(-2)
)

func findClocks(d *design.Design, st *wave.Stimulus, opt Options) *Clocks {
	nets := len(d.Netlist.Nets)
	c := &Clocks{OfNet: make([]int32, nets), Network: make([]bool, nets)}
	if opt.Cycle > 0 {
		k := Clock{Net: None, Name: "--cycle"}
		for t := opt.From + opt.Cycle; t < opt.To; t += opt.Cycle {
			k.rises = append(k.rises, t)
		}
		k.phases, k.Edges = k.rises, int64(len(k.rises))
		c.cut = (opt.To-opt.From)%opt.Cycle != 0
		c.List = []Clock{k}
		return c
	}
	place := make(map[int32]int, len(st.Net))
	for i, n := range st.Net {
		place[n] = i
	}
	for _, n := range wave.Clocks(d) {
		i, ok := place[n]
		if !ok {
			continue
		}
		k := Clock{Net: n, Name: d.Netlist.NetName(n)}
		v := st.Start[i]
		from, to := false, false // an edge that begins a cycle falls on a border of the interval
		for _, t := range st.Tick[st.Off[i]:st.Off[i+1]] {
			v = !v
			from, to = from || v && t == opt.From, to || v && t == opt.To
			if t > opt.From && t < opt.To {
				k.phases = append(k.phases, t)
				if v {
					k.rises = append(k.rises, t)
				}
			}
		}
		if k.Edges = int64(len(k.rises)); k.Edges > 0 {
			c.List = append(c.List, k)
			c.cut = c.cut || !from || !to
		}
	}
	if len(c.List) == 0 {
		return c
	}
	slices.SortFunc(c.List, func(a, b Clock) int { return d.Netlist.CompareNetNames(a.Net, b.Net) })
	index := make([]int32, len(d.NetClass)) // by net: place in List
	for i := range index {
		index[i] = clockNone
	}
	for i := range c.List {
		index[c.List[i].Net] = int32(i)
		if c.faster(int32(i), int32(c.Fastest)) {
			c.Fastest = i
		}
	}
	c.launch(d, index)
	c.network(d, index)
	return c
}

// faster says whether clock a has more edges than b, or as many and comes first by name.
func (c *Clocks) faster(a, b int32) bool {
	if x, y := c.List[a].Edges, c.List[b].Edges; x != y {
		return x > y
	}
	return a < b
}

// launch gives every net the clock of the registers in its cone.
func (c *Clocks) launch(d *design.Design, index []int32) {
	p := d.Program
	reach := slices.Clone(index) // the clock whose edges a net can see
	for _, g := range p.Order {
		k := clockNone
		for i, n := range d.GateInputs(g) {
			if reach[n] != clockNone && d.PassesClock(g, i) {
				k = join(k, reach[n])
			}
		}
		reach[p.GateOut[g]] = k
	}
	of := make([]int32, len(d.NetClass))
	for i := range of {
		of[i] = clockNone
	}
	for _, r := range d.Registers {
		if r.ClockNet >= 0 {
			of[r.Net] = join(of[r.Net], reach[r.ClockNet])
		}
	}
	for _, g := range p.Order {
		k := clockNone
		for _, n := range d.GateInputs(g) {
			k = join(k, of[n])
		}
		of[p.GateOut[g]] = k
	}
	for n := range c.OfNet {
		c.OfNet[n] = of[n]
		if of[n] < 0 {
			c.OfNet[n] = int32(c.Fastest)
			if !d.Netlist.IsHole(int32(n)) {
				c.mixed++
			}
		}
	}
}

func join(a, b int32) int32 {
	switch {
	case a == clockNone:
		return b
	case b == clockNone || a == b:
		return a
	}
	return clockSeveral
}

// network marks the nets between a clock and the clock pins. A net that several clocks reach (a clock gate made of a plain gate, with its
// enable) belongs to the fastest.
func (c *Clocks) network(d *design.Design, index []int32) {
	p := d.Program
	best := slices.Clone(index)
	for _, g := range p.Order {
		k := clockNone
		for i, n := range d.GateInputs(g) {
			if b := best[n]; b >= 0 && (k < 0 || c.faster(b, k)) && d.PassesClock(g, i) {
				k = b
			}
		}
		best[p.GateOut[g]] = k
	}
	// Behind a pin whose fastest clock is k, the nets that k reaches are those whose fastest clock is k too.
	seen := make([]bool, len(best))
	var stack []int32
	push := func(n int32) {
		if !seen[n] {
			seen[n] = true
			stack = append(stack, n)
		}
	}
	for _, pin := range d.ClockPins {
		if best[pin] >= 0 {
			push(pin)
		}
	}
	for len(stack) > 0 {
		n := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if int(n) < len(c.Network) {
			c.Network[n], c.OfNet[n] = true, best[n]
		}
		if g := d.NetGate[n]; g >= 0 {
			for i, in := range d.GateInputs(g) {
				if best[in] == best[n] && d.PassesClock(g, i) {
					push(in)
				}
			}
		}
	}
}

// Snap returns a stimulus in which every source changes on an edge of its clock: register outputs on the last edge of the
// launching clock before them, other data on the last edge of the fastest clock. Clocks stay as they are. Changes that fall on one
// edge leave the last value.
func Snap(d *design.Design, st *wave.Stimulus, cycle int64) *wave.Stimulus {
	c := findClocks(d, st, Options{From: st.From, To: st.To, Cycle: cycle})
	isClock := map[int32]bool{}
	for _, k := range c.List {
		isClock[k.Net] = true
	}
	out := *st
	out.Off, out.Tick = nil, nil
	out.RecStart, out.RecOff, out.RecTick, out.Unknown = nil, nil, nil, nil
	for i, n := range st.Net {
		out.Off = append(out.Off, int64(len(out.Tick)))
		ticks := st.Tick[st.Off[i]:st.Off[i+1]]
		if isClock[n] || len(c.List) == 0 {
			out.Tick = append(out.Tick, ticks...)
			continue
		}
		edges := c.List[c.OfNet[n]].phases
		first := len(out.Tick)
		for _, t := range ticks {
			k := sort.Search(len(edges), func(k int) bool { return edges[k] > t })
			at := st.From + 1
			if k > 0 {
				at = edges[k-1]
			}
			if len(out.Tick) > first && out.Tick[len(out.Tick)-1] == at {
				out.Tick = out.Tick[:len(out.Tick)-1] // two changes on one edge are none
				continue
			}
			out.Tick = append(out.Tick, at)
		}
	}
	out.Off = append(out.Off, int64(len(out.Tick)))
	return &out
}
