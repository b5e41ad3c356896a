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
	index := map[int32]int32{} // source net -> index in List
	srcOf := map[int32]int{}
	for i, n := range st.Net {
		srcOf[n] = i
	}
	for _, n := range wave.Clocks(d) {
		i, ok := srcOf[n]
		if !ok {
			continue
		}
		k := Clock{Net: n, Name: d.Netlist.NetName(n)}
		v := st.Start[i]
		for _, t := range st.Tick[st.Off[i]:st.Off[i+1]] {
			v = !v
			if t > opt.From && t < opt.To {
				k.phases = append(k.phases, t)
				if v {
					k.rises = append(k.rises, t)
				}
			}
		}
		if k.Edges = int64(len(k.rises)); k.Edges > 0 {
			c.List = append(c.List, k)
		}
	}
	if len(c.List) == 0 {
		return c
	}
	sort.Slice(c.List, func(a, b int) bool { return c.List[a].Name < c.List[b].Name })
	for i := range c.List {
		index[c.List[i].Net] = int32(i)
		if c.List[i].Edges > c.List[c.Fastest].Edges {
			c.Fastest = i
		}
	}
	c.cut = true // the run starts after all changes at its first tick, so an edge there is inside it
	c.launch(d, index)
	c.network(d, index)
	return c
}

// launch gives every net the clock of the registers in its cone.
func (c *Clocks) launch(d *design.Design, index map[int32]int32) {
	of := make([]int32, len(d.NetClass))
	for i := range of {
		of[i] = clockNone
	}
	pin := map[int32]int32{} // clock of a clock pin's net
	for _, r := range d.Registers {
		if r.ClockNet < 0 {
			continue
		}
		k, ok := pin[r.ClockNet]
		if !ok {
			k = clockNone
			for _, s := range d.ClockSources(r.ClockNet) {
				if i, ok := index[s]; ok {
					if k = join(k, i); k == clockSeveral {
						break
					}
				}
			}
			pin[r.ClockNet] = k
		}
		of[r.Net] = join(of[r.Net], k)
	}
	p := d.Program
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
			c.mixed++
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

// network marks the nets between a clock and the clock pins. A clock pin that several sources reach (a gated clock with its
// enable) belongs to the one with most edges.
func (c *Clocks) network(d *design.Design, index map[int32]int32) {
	level := make([]int32, len(d.NetClass)) // position in the order of evaluation, sources 0
	for i, g := range d.Program.Order {
		level[d.Program.GateOut[g]] = int32(i) + 1
	}
	for _, pin := range d.ClockPins {
		best := None
		for _, s := range d.ClockSources(pin) {
			if i, ok := index[s]; ok && (best < 0 || c.List[i].Edges > c.List[best].Edges || c.List[i].Edges == c.List[best].Edges && i < best) {
				best = i
			}
		}
		if best < 0 {
			continue
		}
		var cone []int32
		d.ClockCone(pin, func(n int32) { cone = append(cone, n) })
		slices.SortFunc(cone, func(a, b int32) int { return int(level[a]) - int(level[b]) })
		reach := map[int32]bool{c.List[best].Net: true}
		for _, n := range cone {
			if g := d.NetGate[n]; g >= 0 && !reach[n] {
				for i, in := range d.GateInputs(g) {
					if reach[in] && d.PassesClock(g, i) {
						reach[n] = true
						break
					}
				}
			}
			if reach[n] && int(n) < len(c.Network) {
				c.Network[n] = true
				c.OfNet[n] = best
			}
		}
	}
}

// Snap returns a stimulus in which every source changes on an edge of its clock: register outputs on the last edge of the
// launching clock before them, other data on the last edge of the fastest clock. Clocks stay as they are. Changes that fall on one
// edge leave the last value.
func Snap(d *design.Design, st *wave.Stimulus, cycle int64) *wave.Stimulus {
	c := findClocks(d, st, Options{From: st.From, To: st.To, Cycle: cycle})
	out := *st
	out.Off, out.Tick = nil, nil
	out.RecStart, out.RecOff, out.RecTick, out.Unknown = nil, nil, nil, nil
	for i, n := range st.Net {
		out.Off = append(out.Off, int64(len(out.Tick)))
		ticks := st.Tick[st.Off[i]:st.Off[i+1]]
		clock := slices.ContainsFunc(c.List, func(k Clock) bool { return k.Net == n })
		if clock || len(c.List) == 0 {
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
