package workspace

import (
	"slices"

	"github.com/wattd/wattd/internal/design"
	"github.com/wattd/wattd/internal/wave"
)

// Cause says what differs at the driver of a net: added, removed, cell, connection, delay or stimulus, the first that holds; activity
// when only what comes in differs.
func (d *Difference) Cause(c *NetChange) string {
	switch {
	case c.Before < 0:
		return "added"
	case c.After < 0:
		return "removed"
	}
	g, h := d.Before.Session.Design.NetGate[c.Before], d.After.Session.Design.NetGate[c.After]
	inst, cell := d.Before.Driver(c.Before)
	inst2, cell2 := d.After.Driver(c.After)
	switch {
	case inst == inst2 && cell != cell2:
		return "cell"
	case inst != inst2, (g < 0) != (h < 0):
		return "connection"
	case g < 0:
		if d.Before.Session.Design.NetClass[c.Before] != d.After.Session.Design.NetClass[c.After] {
			return "connection"
		}
		return "stimulus"
	}
	switch d.compared().Gates(g, h) {
	case design.NewFunction:
		return "cell"
	case design.NewInputs:
		return "connection"
	case design.NewDelays:
		return "delay"
	}
	return "activity"
}

// compared prepares the comparison of gates. Nets without a name are the same when what computes them is.
func (d *Difference) compared() *design.Comparison {
	if d.gates != nil {
		return d.gates
	}
	a, b := d.Before.Session.Design, d.After.Session.Design
	x, y := d.Before.memo.index, d.After.memo.index
	d.gates = design.Compare(a, b, func(m, n int32) bool {
		switch {
		case x.named(m) != y.named(n):
			return false
		case x.named(m):
			return d.numbers.forth(m, y) == n
		case a.NetGate[m] >= 0 && b.NetGate[n] >= 0:
			return d.gates.Gates(a.NetGate[m], b.NetGate[n]) == design.Equal
		}
		return a.NetGate[m] == b.NetGate[n] && a.NetClass[m] == b.NetClass[n]
	})
	return d.gates
}

// Design counts what differs in the designs, whatever nets were chosen.
func (d *Difference) Design() (x Delta) {
	if d.numbers.same {
		x = d.After.Delta(d.Before)
	} else {
		x = d.byName()
	}
	x.SourceWaves = d.sources()
	return x
}

// byName counts gates by the names of the nets that they compute.
func (d *Difference) byName() (x Delta) {
	a, b := d.Before.Session.Design, d.After.Session.Design
	in, out := d.Before.memo.index, d.After.memo.index
	for _, n := range out.nets() {
		m, h := d.numbers.from(n, in), b.NetGate[n]
		g := None
		if m >= 0 {
			g = a.NetGate[m]
		}
		switch {
		case g < 0 && h >= 0:
			x.GatesAdded++
		case g >= 0 && h < 0:
			x.GatesRemoved++
		case g >= 0:
			switch d.compared().Gates(g, h) {
			case design.NewFunction:
				x.Functions++
			case design.NewInputs:
				x.Inputs++
			case design.NewDelays:
				x.Delays++
			}
		}
	}
	for _, m := range in.nets() {
		if a.NetGate[m] >= 0 && d.numbers.forth(m, out) < 0 {
			x.GatesRemoved++
		}
	}
	return x
}

// sources counts the sources of both sides whose recorded values are not the same.
func (d *Difference) sources() (count int64) {
	p, q := d.Before.Session.Stim, d.After.Session.Stim
	if p == q && d.numbers.same {
		return 0
	}
	in := d.Before.memo.index
	differ := map[int32]bool{}
	for ; p != nil && q != nil; p, q = p.Next, q.Next {
		was := map[int32]int{}
		for i, n := range p.Net {
			was[n] = i
		}
		x, y := spansOf(p), spansOf(q)
		for j, n := range q.Net {
			i, ok := was[d.numbers.from(n, in)]
			if ok && !(sameWave(p, i, q, j) && slices.Equal(x[i], y[j])) {
				differ[n] = true
			}
		}
	}
	return int64(len(differ))
}

// span is a wave.Span without the number of its source.
type span struct {
	from, to int64
	z        bool
}

// spansOf lists the unknown spans by source.
func spansOf(s *wave.Stimulus) map[int][]span {
	m := map[int][]span{}
	for _, u := range s.Unknown {
		m[int(u.Src)] = append(m[int(u.Src)], span{u.From, u.To, u.Z})
	}
	return m
}

// sameWave compares what a source does and what is recorded of it.
func sameWave(p *wave.Stimulus, i int, q *wave.Stimulus, j int) bool {
	if p.Start[i] != q.Start[j] || !slices.Equal(p.Tick[p.Off[i]:p.Off[i+1]], q.Tick[q.Off[j]:q.Off[j+1]]) {
		return false
	}
	start, ticks := recordedWave(p, i)
	start2, ticks2 := recordedWave(q, j)
	return start == start2 && slices.Equal(ticks, ticks2)
}

func recordedWave(s *wave.Stimulus, i int) (start bool, ticks []int64) {
	if s.RecOff == nil {
		return s.Start[i], s.Tick[s.Off[i]:s.Off[i+1]]
	}
	return s.RecStart[i], s.RecTick[s.RecOff[i]:s.RecOff[i+1]]
}
