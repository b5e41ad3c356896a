package model

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// VCD is the stimulus as text, in scope tb.dut.
func (c *Circuit) VCD() string {
	w := &vcdWriter{c: c, r: rand.New(rand.NewPCG(c.Seed, 5))}
	w.vars()
	w.printf("$timescale %s $end\n$scope module tb $end\n$scope module dut $end\n", c.Unit(c.VCDUnit))
	w.header(0)
	w.printf("$upscope $end\n$upscope $end\n$enddefinitions $end\n")
	w.body()
	return w.b.String()
}

type vcdWriter struct {
	c    *Circuit
	r    *rand.Rand
	b    strings.Builder
	list []vcdVar
}

// vcdVar is a scalar, or a vector all of whose bits have waves (msb first).
type vcdVar struct {
	id    string
	scope int
	name  string
	bit   int // of a scalar that is a bit of a vector, else -1
	waves []int
}

func (w *vcdWriter) printf(f string, args ...any) { fmt.Fprintf(&w.b, f, args...) }

// vars groups the waves into variables.
func (w *vcdWriter) vars() {
	add := func(v vcdVar) {
		n := len(w.list) + int(w.c.Seed%50)
		v.id = string(rune(33 + n%94))
		if n >= 94 {
			v.id += string(rune(33 + n/94))
		}
		w.list = append(w.list, v)
	}
	done := map[string]bool{}
	for i, wv := range w.c.Waves {
		n := w.c.Nets[wv.Net]
		switch {
		case n.Bit < 0:
			name := n.Name
			if wv.Alias >= 0 {
				name = n.Aliases[wv.Alias].Name
			}
			add(vcdVar{scope: n.Scope, name: name, bit: -1, waves: []int{i}})
		case wv.Alias >= 0:
			add(vcdVar{scope: n.Scope, name: n.Aliases[wv.Alias].Name, bit: -1, waves: []int{i}})
		case done[n.Name]:
		default:
			bits := w.bits(n.Name)
			if bits == nil {
				add(vcdVar{scope: n.Scope, name: n.Name, bit: n.Bit, waves: []int{i}})
				continue
			}
			done[n.Name] = true
			add(vcdVar{scope: n.Scope, name: n.Name, bit: -1, waves: bits})
		}
	}
}

// bits lists the waves of all bits of a vector, msb first, or nil when one is missing.
func (w *vcdWriter) bits(name string) []int {
	lo, hi := w.c.Range(name)
	var ws []int
	for bit := lo; bit <= hi; bit++ {
		i := slices.IndexFunc(w.c.Waves, func(wv Wave) bool {
			n := w.c.Nets[wv.Net]
			return wv.Alias < 0 && n.Name == name && n.Bit == bit
		})
		if i < 0 {
			return nil
		}
		ws = append(ws, i)
	}
	if !w.c.Ascending(name) {
		slices.Reverse(ws)
	}
	return ws
}

func (w *vcdWriter) header(s int) {
	for _, v := range w.list {
		if v.scope != s {
			continue
		}
		name := v.name
		if strings.ContainsAny(name, "$./[") && w.r.IntN(2) == 0 {
			name = `\` + name
		}
		switch {
		case len(v.waves) > 1:
			lo, hi := w.c.Range(v.name)
			if w.c.Ascending(v.name) {
				lo, hi = hi, lo
			}
			w.printf("$var wire %d %s %s [%d:%d] $end\n", len(v.waves), v.id, name, hi, lo)
		case v.bit >= 0:
			w.printf("$var wire 1 %s %s [%d] $end\n", v.id, name, v.bit)
		default:
			w.printf("$var wire 1 %s %s $end\n", v.id, name)
		}
	}
	for t, sc := range w.c.Scopes {
		if t > 0 && sc.Parent == s && w.used(t) {
			w.printf("$scope module %s $end\n", sc.Name)
			w.header(t)
			w.printf("$upscope $end\n")
		}
	}
}

func (w *vcdWriter) used(s int) bool {
	return slices.ContainsFunc(w.list, func(v vcdVar) bool { return w.c.Within(v.scope, s) })
}

// body writes the changes in order of time; of several of one net at one tick all are written, in order.
func (w *vcdWriter) body() {
	type change struct {
		t     int64
		v, nr int
		val   byte
	}
	unit := int64(1)
	for range w.c.VCDUnit {
		unit *= 10
	}
	var all []change
	for vi, v := range w.list {
		for bi, wi := range v.waves {
			for _, ch := range w.c.Waves[wi].Changes {
				all = append(all, change{ch.T, vi, bi, ch.V})
			}
		}
	}
	slices.SortStableFunc(all, func(x, y change) int { return int(x.t - y.t) })
	val := make([][]byte, len(w.list))
	for i, v := range w.list {
		val[i] = slices.Repeat([]byte{'x'}, len(v.waves))
	}
	last := int64(-1)
	for _, ch := range all {
		if ch.t != last {
			w.printf("#%d\n", ch.t/unit)
			last = ch.t
		}
		val[ch.v][ch.nr] = ch.val
		if len(val[ch.v]) == 1 {
			w.printf("%c%s\n", ch.val, w.list[ch.v].id)
		} else {
			w.printf("b%s %s\n", val[ch.v], w.list[ch.v].id)
		}
	}
	if end := (w.c.To + unit - 1) / unit; end*unit > last {
		w.printf("#%d\n", end)
	}
}
