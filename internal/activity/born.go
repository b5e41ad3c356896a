package activity

import (
	"sort"

	"github.com/wattd/wattd/internal/design"
	"github.com/wattd/wattd/kernel"
)

// Period is the time between the first two rising edges within the interval, 0 when there are not two.
func (c *Clock) Period() int64 {
	if len(c.rises) < 2 {
		return 0
	}
	return c.rises[1] - c.rises[0]
}

// Origin says where the glitches of a net come from. A glitch is born at the gate when none of its inputs has one in the same cycle
// of the net; else it came in.
type Origin struct {
	Born        int64
	Skew        int64 // largest difference between the first arrivals of two inputs in a cycle with a born glitch, -1 without one
	Early, Late int32 // the input nets of that cycle, or None
}

// cycles counts the events of a net by cycle, and tells the first event of each.
func cycles(w *kernel.Waves, net int32, from, to int64, borders []int64, wire *kernel.Wire) (n []int32, first []int64) {
	n, first = make([]int32, len(borders)+1), make([]int64, len(borders)+1)
	w.Each(net, func(t int64, v bool) {
		if t < from || t >= to {
			return
		}
		k := sort.Search(len(borders), func(i int) bool { return borders[i] > t })
		if n[k]++; n[k] == 1 {
			if first[k] = t; wire != nil && v {
				first[k] += int64(wire.Rise)
			} else if wire != nil {
				first[k] += int64(wire.Fall)
			}
		}
	})
	return n, first
}

// Origin looks into the cycles of one net. The table must be split by clocks, and be of the waves.
func (t *Table) Origin(d *design.Design, w *kernel.Waves, net int32) Origin {
	o := Origin{Skew: -1, Early: None, Late: None}
	g := d.NetGate[net]
	if g < 0 || t.Nets[net].Glitch == 0 || len(t.Clocks.List) == 0 {
		return o
	}
	borders := t.Clocks.borders(net)
	out, _ := cycles(w, net, t.From, t.To, borders, nil)
	ins := d.GateInputs(g)
	counts, firsts := make([][]int32, len(ins)), make([][]int64, len(ins))
	p := d.Program
	for i, in := range ins {
		counts[i], firsts[i] = cycles(w, in, t.From, t.To, borders, &p.Wires[p.PinWire[p.GatePin[g]+int32(i)]])
	}
	for k, n := range out {
		if n < 2 {
			continue
		}
		early, late := -1, -1
		born := true
		for i := range ins {
			switch c := counts[i][k]; {
			case c > 1:
				born = false
			case c == 1 && (early < 0 || firsts[i][k] < firsts[early][k]):
				early = i
			}
			if counts[i][k] == 1 && (late < 0 || firsts[i][k] >= firsts[late][k]) {
				late = i
			}
		}
		if !born {
			continue
		}
		o.Born += int64(n - n%2)
		if early >= 0 && early != late {
			if s := firsts[late][k] - firsts[early][k]; s > o.Skew {
				o.Skew, o.Early, o.Late = s, ins[early], ins[late]
			}
		}
	}
	return o
}
