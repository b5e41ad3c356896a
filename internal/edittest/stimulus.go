package edittest

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// stimulus is a dump of inputs, registers and some computed nets. Waves are never changed in place.
type stimulus struct {
	vars    []*dumped
	end     int64
	comment string
}

// dumped is a variable of the dump.
type dumped struct {
	path  []string
	name  string
	width int // 0: a scalar
	bit   int // of a scalar that is a bit of a bus, else -1
	wave  []change
}

type change struct {
	t int64
	v string // digits, msb first
}

func (s *stimulus) text() string {
	var b strings.Builder
	p := func(f string, args ...any) { fmt.Fprintf(&b, f, args...) }
	if s.comment != "" {
		p("$comment %s $end\n", s.comment)
	}
	p("$timescale 1ps $end\n$scope module tb $end\n$scope module dut $end\n")
	order := slices.Clone(s.vars)
	slices.SortStableFunc(order, func(a, b *dumped) int { return slices.Compare(a.path, b.path) })
	var at []string
	id := map[*dumped]string{}
	for _, v := range order {
		k := 0
		for k < len(at) && k < len(v.path) && at[k] == v.path[k] {
			k++
		}
		for range at[k:] {
			p("$upscope $end\n")
		}
		for _, name := range v.path[k:] {
			p("$scope module %s $end\n", bare(name))
		}
		at = v.path
		n := len(id)
		id[v] = string(rune(33+n%90)) + string(rune(33+n/90))
		switch {
		case v.width > 0:
			p("$var wire %d %s %s [%d:0] $end\n", v.width, id[v], bare(v.name), v.width-1)
		case v.bit >= 0:
			p("$var wire 1 %s %s [%d] $end\n", id[v], bare(v.name), v.bit)
		default:
			p("$var wire 1 %s %s $end\n", id[v], bare(v.name))
		}
	}
	for range at {
		p("$upscope $end\n")
	}
	p("$upscope $end\n$upscope $end\n$enddefinitions $end\n")
	type event struct {
		change
		of *dumped
	}
	var all []event
	for _, v := range order {
		for _, c := range v.wave {
			if c.t < s.end {
				all = append(all, event{c, v})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b event) int { return cmp.Compare(a.t, b.t) })
	last := int64(-1)
	for _, e := range all {
		if e.t != last {
			p("#%d\n", e.t)
			last = e.t
		}
		if len(e.v) > 1 {
			p("b%s %s\n", e.v, id[e.of])
		} else {
			p("%s%s\n", e.v, id[e.of])
		}
	}
	p("#%d\n", s.end)
	return b.String()
}

// cycle is the period of the clock in ps.
const cycle = 400

func (d *Design) bits(n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = "01"[d.r.IntN(2)]
		if d.p(1) {
			b[i] = "xz"[d.r.IntN(2)]
		}
	}
	return string(b)
}

// wave makes the changes of a variable in [from, to): a clock, an input, or a register of that clock.
func (d *Design) wave(v *dumped, from, to int64) []change {
	var w []change
	switch {
	case v.name == "clk" && len(v.path) == 0:
		for t := from - from%(cycle/2); t < to; t += cycle / 2 {
			if t >= from {
				w = append(w, change{t, fmt.Sprint((t / (cycle / 2)) & 1)})
			}
		}
		return w
	case v.name == "rst_n":
		if from > 0 {
			return nil
		}
		return []change{{0, "0"}, {cycle + 30, "1"}}
	}
	n := max(1, v.width)
	if from == 0 {
		w = append(w, change{0, d.bits(n)})
	}
	for t := from - from%cycle + cycle/2; t < to; t += cycle {
		if at := t + 20 + d.r.Int64N(60); d.p(45) && at >= from && at < to {
			w = append(w, change{at, d.bits(n)})
		}
	}
	return w
}

// record makes the dump anew for the design as it is.
func (d *Design) record() {
	s := &d.stim
	s.vars = nil
	seen := map[string]bool{}
	add := func(v *dumped) {
		key := strings.Join(append(slices.Clone(v.path), v.name), "/") + fmt.Sprint(v.bit)
		if !seen[key] {
			seen[key] = true
			v.wave = d.wave(v, 0, s.end)
			s.vars = append(s.vars, v)
		}
	}
	for _, p := range d.mods[0].ports {
		if p.dir == "input" {
			add(&dumped{name: p.name, width: p.width, bit: -1})
		}
	}
	for _, l := range d.leaves() {
		for _, o := range l.in.cell.out {
			c := l.in.at(o.pin)
			dump := l.in.cell.kind == "ff" && o.pin == "Q" || l.in.cell.kind == "ff" && d.p(30) || l.in.cell.kind != "" && d.p(40) || d.p(4)
			if c == nil || !dump {
				continue
			}
			v := &dumped{path: l.path[:len(l.path)-1], name: c.nets[0], bit: -1}
			if k := strings.IndexByte(v.name, '['); k > 0 && v.name[0] != '\\' {
				fmt.Sscanf(v.name[k:], "[%d]", &v.bit)
				v.name = v.name[:k]
			}
			add(v)
		}
	}
}

// extend makes the run longer, or cuts it.
func (d *Design) extend() {
	s := &d.stim
	from := s.end
	s.end += cycle * int64(1+d.r.IntN(4))
	if d.p(25) {
		s.end = max(4*cycle, from-cycle*int64(1+d.r.IntN(3)))
		return
	}
	for i, v := range s.vars {
		x := *v
		x.wave = slices.Concat(slices.DeleteFunc(slices.Clone(v.wave), func(c change) bool { return c.t >= from }), d.wave(v, from, s.end))
		s.vars[i] = &x
	}
}

// alter changes a part of some variables.
func (d *Design) alter() {
	s := &d.stim
	from := d.r.Int64N(s.end)
	to := min(s.end, from+1+d.r.Int64N(3*cycle))
	for range 1 + d.r.IntN(2) {
		i := d.r.IntN(len(s.vars))
		x := *s.vars[i]
		if x.name == "clk" || x.name == "rst_n" {
			continue
		}
		var w []change
		for _, c := range x.wave {
			if c.t < from {
				w = append(w, c)
			}
		}
		w = append(w, d.wave(&x, max(from, 1), to)...)
		for _, c := range x.wave {
			if c.t >= to {
				w = append(w, c)
			}
		}
		if len(w) > 0 && w[0].t > 0 && len(x.wave) > 0 {
			w = append([]change{x.wave[0]}, w...)
		}
		slices.SortStableFunc(w, func(a, b change) int { return cmp.Compare(a.t, b.t) })
		x.wave = w
		s.vars[i] = &x
	}
}
