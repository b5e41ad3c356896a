package design

import (
	"cmp"
	"slices"

	"github.com/wattd/wattd/internal/diag"
	"github.com/wattd/wattd/kernel"
)

// order gives the gates their levels again where the edit may have moved them.
func (x *patcher) order() error {
	d, p, k := x.d, x.d.Program, x.k
	if !x.relevel {
		return nil
	}
	level := own(x, &k.level, 0)
	of := func(g int32) int32 {
		l := int32(0)
		for _, n := range p.PinNet[p.GatePin[g] : p.GatePin[g]+x.pinsOf(g)] {
			if from := d.NetGate[n]; from >= 0 {
				l = max(l, level[from]+1)
			}
		}
		return l
	}
	moved := len(x.holes) > 0 || len(p.GateOut) > len(x.old.Program.GateOut)
	queue := slices.Clone(x.moved)
	// Nets that are computed no more, or are now, move their readers too.
	nets := make([]int32, 0, len(x.classed))
	for n := range x.classed {
		nets = append(nets, n)
	}
	slices.Sort(nets)
	if k.readers != nil {
		k.readers = k.readers.With(p, x.moved)
	}
	readersOf := func(n int32, f func(g int32)) {
		if k.readers == nil {
			k.readers = kernel.NewReaders(x.old.Program).With(p, x.moved)
		}
		k.readers.Each(n, func(g int32) {
			if p.GateOut[g] >= 0 {
				f(g)
			}
		})
	}
	for _, n := range nets {
		readersOf(n, func(g int32) { queue = append(queue, g) })
	}
	if len(x.old.Report.Loops) > 0 && x.reachLoop(nets, readersOf) {
		return &Refusal{"it may lie on a loop that was opened"}
	}
	// A way through the gates passes each of those that the edit moved at most once, and old levels in between.
	highest := int32(x.old.Report.Levels+1) * int32(len(queue)+1)
	queued := make([]bool, len(p.GateOut))
	for i := 0; i < len(queue); i++ {
		g := queue[i]
		l := of(g)
		queued[g] = false
		if l == level[g] {
			continue
		}
		if l > highest {
			return &Refusal{"a loop"}
		}
		level[g], moved = l, true
		readersOf(p.GateOut[g], func(r int32) {
			if !queued[r] {
				queued[r] = true
				queue = append(queue, r)
			}
		})
		if len(queue) > 64<<20 {
			return &Refusal{"levels that move too often"}
		}
	}
	if !moved {
		return nil
	}
	top, n := int32(-1), 0
	for g, out := range p.GateOut {
		if out >= 0 {
			top = max(top, level[g])
			n++
		}
	}
	p.LevelStart = make([]int32, top+2)
	for g, out := range p.GateOut {
		if out >= 0 {
			p.LevelStart[level[g]+1]++
		}
	}
	for l := range top + 1 {
		p.LevelStart[l+1] += p.LevelStart[l]
	}
	at := slices.Clone(p.LevelStart)
	p.Order = make([]int32, n)
	for g, out := range p.GateOut {
		if out >= 0 {
			p.Order[at[level[g]]] = int32(g)
			at[level[g]]++
		}
	}
	d.Report.Levels = int(top) + 1
	return nil
}

// reachLoop says whether what moved, or one of the nets, leads to a net that was cut out of a loop.
func (x *patcher) reachLoop(nets []int32, readersOf func(n int32, f func(g int32))) bool {
	d, p := x.d, x.d.Program
	seen, into := make([]bool, len(d.NetClass)), make([]bool, len(d.NetClass))
	for n, c := range d.NetClass {
		if c == ClassLoop {
			for _, x := range x.b.netDrivers(int32(n)) {
				if x.inst < 0 {
					pr := &d.Netlist.Prims[^x.inst]
					for _, in := range d.Netlist.PrimIn[pr.In0 : pr.In0+pr.NIn] {
						into[max(in, 0)] = true
					}
					continue
				}
				in := &d.Netlist.Insts[x.inst]
				for _, n := range d.Netlist.PinNet[in.Pin0 : in.Pin0+int32(d.Netlist.Cells[in.Cell].NPin())] {
					into[max(n, 0)] = true
				}
			}
		}
	}
	stack := slices.Clone(nets)
	for _, g := range x.moved {
		stack = append(stack, p.GateOut[g])
	}
	for len(stack) > 0 {
		n := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if seen[n] {
			continue
		}
		if seen[n] = true; into[n] {
			return true
		}
		readersOf(n, func(g int32) { stack = append(stack, p.GateOut[g]) })
	}
	return false
}

// lists makes the lists of sources, states, registers and clock pins again.
func (x *patcher) lists() error {
	d, b := x.d, x.b
	if len(x.classed) > 0 || x.lostLoad {
		d.Sources, d.Spare = nil, nil
		for n, c := range d.NetClass {
			switch {
			case !c.Source():
			case c == ClassBlackBox && (n >= len(x.k.loads) || x.k.loads[n] == 0):
				d.Spare = append(d.Spare, int32(n))
			default:
				d.Sources = append(d.Sources, int32(n))
			}
		}
		for _, n := range d.Sources {
			if _, was := slices.BinarySearch(x.old.Sources, n); !was {
				x.changed.NewSources = append(x.changed.NewSources, n)
			}
		}
	}
	if len(x.slots)+len(x.holes) > 0 {
		x.stateList()
	}
	if x.clocks {
		d.ClockPins, d.Registers = nil, nil
		b.d = d
		b.findClocks()
	} else if len(d.Program.Fns) > len(x.old.passes) {
		d.passes = passing(d.Program)
	}
	b.d, b.prog = d, d.Program
	b.account()
	return nil
}

// stateList puts the states of the gates compiled in the place of those before.
func (x *patcher) stateList() {
	d := x.d
	gone := map[int32]bool{}
	for _, g := range x.holes {
		gone[g] = true
	}
	for _, g := range x.slots {
		gone[g] = true
	}
	same := len(x.states) == 0 && !slices.ContainsFunc(d.States, func(s State) bool { return gone[s.Gate] })
	if same {
		return
	}
	s := slices.DeleteFunc(slices.Clone(d.States), func(s State) bool { return gone[s.Gate] })
	for _, st := range x.states {
		st.Gate = x.slots[st.Gate]
		s = append(s, st)
	}
	slices.SortFunc(s, func(a, c State) int { return cmp.Compare(a.Gate, c.Gate) })
	d.States = s
}

// say tells all messages of the new version.
func (x *patcher) say(bag *diag.Bag) {
	d, k, b := x.d, x.k, x.b
	r := &d.Report
	// models
	for c, n := range k.cellUse {
		if n <= 0 {
			continue
		}
		if was := int32(0); c < len(x.old.kept.cellUse) {
			if was = x.old.kept.cellUse[c]; was > 0 {
				for _, m := range k.cellNotes[int32(c)] {
					bag.AddN(m.Code, m.N, m.Pos, "%s", m.Msg)
				}
				continue
			}
		}
		m := &modeler{nl: x.nl, bag: &diag.Bag{}}
		m.model(&x.nl.Cells[c])
		bag.Merge(m.bag)
		if len(m.bag.Totals()) > 0 {
			notes := map[int32][]diag.Diag{}
			for c, n := range k.cellNotes {
				notes[c] = n
			}
			delete(notes, int32(c))
			k.cellNotes = notes
			(&keeper{kept: k}).cellSaid(int32(c), m.bag)
		}
	}
	// structure
	left := map[diag.Code]int64{}
	for c, n := range k.noteCount {
		left[c] = n
	}
	for _, n := range k.notes {
		pos := b.nl.Nets[n.net].Pos
		if n.inst >= 0 {
			pos = b.nl.Insts[n.inst].Pos
		}
		bag.Add(n.code, b.pos(pos), "%s", n.msg)
		left[n.code]--
	}
	bag.AddCounts(left)
	// files
	r.SDF = slices.Clone(r.SDF)
	for f := range k.files {
		x.sayFile(f, bag)
	}
	for _, c := range r.CondReplaced {
		bag.AddN(diag.SDFCondReplaced, c.N, diag.Pos{}, "cells of type %s: condition entries replaced by an IOPATH without condition", c.Name)
	}
	late := map[diag.Code]int64{}
	for _, l := range k.late {
		late[diag.SDFNotDriver] += l.notDriver
		late[diag.SDFWirePerDriver] += l.perDriver
		late[diag.SDFSegmentGap] += l.gap
	}
	bag.AddCounts(late)
	r.Unannotated, r.ZeroIOPath = sortedCounts(k.noArc), sortedCounts(k.zeroArc)
	reportRounding(r, &k.arcSums, &k.wireSums, d.Tick, bag)
}

// sayFile adds up what the parts of a file brought.
func (x *patcher) sayFile(file int, bag *diag.Bag) {
	k := x.k
	f := &k.files[file]
	if f.dead {
		return
	}
	rep := SDFReport{File: f.name, Header: f.head}
	left := map[diag.Code]int64{}
	for _, id := range f.order {
		p := &k.parts[id]
		rep.Stats.Add(&p.stats, 1)
		rep.Bound += p.bound
		rep.Unbound += p.unbound
		rep.Statements += p.statements
		rep.Dropped += p.dropped
		for _, t := range p.said {
			left[t.Code] += t.N
		}
		for _, m := range p.diags {
			if m.Pos.Line > 0 {
				m.Pos.Line += p.from.Line - p.line
			}
			bag.AddN(m.Code, m.N, m.Pos, "%s", m.Msg)
			left[m.Code] -= m.N
		}
	}
	bag.AddCounts(left)
	rep.Stats.Totals(f.name, bag)
	x.d.Report.SDF[file] = rep
	if rep.Statements == 0 && rep.Dropped > 0 {
		bag.Add(diag.SDFNothingBound, diag.Pos{File: f.name}, "none of %d CELL entries and %d statements found its place", rep.Stats.Cells, rep.Dropped)
	}
}
