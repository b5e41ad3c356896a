package edittest

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/wattd/wattd/internal/netlist"
	"github.com/wattd/wattd/internal/project"
	"github.com/wattd/wattd/kernel"
)

// Marked counts the (gate, window) pairs that are dirty when section 9 of the semantics is read word by word, from cold runs of before
// and after. Gates are known by the names of their nets. ok is false when the runs have other windows: then nothing can be kept.
func Marked(before, after *project.Session) (pairs int64, ok bool) {
	a, b := newView(after), newView(before)
	if !slices.Equal(a.waves.Cuts, b.waves.Cuts) || after.Result.Kept == nil || before.Result.Kept == nil {
		return 0, false
	}
	windows := a.waves.Windows()
	changed := map[string][]bool{} // by net, per window: value at the start or events
	row := func(name string) []bool {
		if c, ok := changed[name]; ok {
			return c
		}
		c := make([]bool, windows)
		n, is := a.net[name]
		m, was := b.net[name]
		for w := range c {
			if !is || !was {
				c[w] = true
				continue
			}
			x, y := a.waves.At(n, w), b.waves.At(m, w)
			c[w] = x.N != y.N || !slices.Equal(a.waves.Events(x), b.waves.Events(y))
		}
		changed[name] = c
		return c
	}
	for _, g := range a.p.Order {
		out := a.name[a.p.GateOut[g]]
		old := b.gate(out)
		all := old < 0 || !slices.Equal(a.describe(g), b.describe(old))
		for w := range windows {
			mark := all
			for _, n := range a.pins(g) {
				mark = mark || row(a.name[n])[w]
			}
			if !mark && w == 0 {
				mark = a.waves.StartValue(a.p.GateOut[g]) != b.waves.StartValue(b.p.GateOut[old]) || a.startBits(g) != b.startBits(old)
			}
			if !mark && w > 0 {
				x, y := a.waves.Side(a.p.GateOut[g], w-1), b.waves.Side(b.p.GateOut[old], w-1)
				mark = x.Bits != y.Bits || !slices.Equal(x.Held, y.Held) || a.waves.At(a.p.GateOut[g], w).N&1 != b.waves.At(b.p.GateOut[old], w).N&1
			}
			if mark {
				pairs++
			}
		}
	}
	return pairs, true
}

// view is a cold run by name.
type view struct {
	p     *kernel.Program
	waves *kernel.Waves
	job   *kernel.Job
	name  []string // by net
	net   map[string]int32
	drive []int32 // gate by net
}

func newView(s *project.Session) *view {
	v := &view{p: s.Design.Program, waves: s.Result.Waves, job: s.Result.Kept.Job, net: map[string]int32{}}
	v.name, v.drive = make([]string, v.p.NNet), make([]int32, v.p.NNet)
	nl := s.Netlist
	for n := range v.p.NNet {
		switch {
		case n < 2:
			v.name[n] = fmt.Sprint("constant ", n)
		case int(n) >= len(nl.Nets):
			v.name[n] = fmt.Sprint("helper ", n)
		case nl.Nets[n].Flags&netlist.NetHidden != 0: // known by its number in its module
			v.name[n] = fmt.Sprint("hidden ", nl.Nets[n].Bit, " of ", string(nl.AppendScopePath(nil, nl.Nets[n].Scope, 0)))
		default:
			v.name[n] = identity(nl, n)
		}
		v.drive[n] = -1
	}
	for _, x := range s.Design.Tristate { // helpers are known by the net that they help to compute
		for i, n := range []int32{x.Z, x.B} {
			if n >= 2 {
				v.name[n] = fmt.Sprint("helper ", i, " of ", v.name[x.Net])
			}
		}
	}
	for n, name := range v.name {
		v.net[name] = int32(n)
	}
	for g, n := range v.p.GateOut {
		if n >= 0 {
			v.drive[n] = int32(g)
		}
	}
	return v
}

// identity is the name by which section 9 knows a net: of several the one highest in the hierarchy, then the smallest.
func identity(nl *netlist.Netlist, n int32) string {
	x := &nl.Nets[n]
	best := netlist.Ref{Scope: x.Scope, Name: x.Name, Bit: x.Bit}
	for r := range nl.Aliases(n) {
		if lower(nl, r, best) {
			best = r
		}
	}
	b := nl.AppendScopePath(make([]byte, 0, 48), best.Scope, 0)
	b = append(append(append(b, 0), nl.Names.Bytes(best.Name)...), 0)
	return string(binary.LittleEndian.AppendUint32(b, uint32(best.Bit)))
}

func lower(nl *netlist.Netlist, a, b netlist.Ref) bool {
	c := cmp.Or(cmp.Compare(nl.Depth(a.Scope), nl.Depth(b.Scope)), bytes.Compare(nl.AppendScopePath(nil, a.Scope, 0), nl.AppendScopePath(nil, b.Scope, 0)))
	return cmp.Or(c, bytes.Compare(nl.Names.Bytes(a.Name), nl.Names.Bytes(b.Name)), cmp.Compare(a.Bit, b.Bit)) < 0
}

func (v *view) gate(name string) int32 {
	if n, ok := v.net[name]; ok {
		return v.drive[n]
	}
	return -1
}

func (v *view) pins(g int32) []int32 {
	f := &v.p.Fns[v.p.GateFn[g]]
	return v.p.PinNet[v.p.GatePin[g] : v.p.GatePin[g]+int32(f.NPin)+int32(f.NObs)]
}

func (v *view) startBits(g int32) uint32 {
	if len(v.job.StartBits) == 0 { // all are 0
		return 0
	}
	return v.job.StartBits[g] & (1<<v.p.Fns[v.p.GateFn[g]].NBit - 1)
}

// describe writes function, arcs, wires and inputs of a gate, free of where they are kept.
func (v *view) describe(g int32) []byte {
	p := v.p
	f := p.Fns[p.GateFn[g]]
	b := []byte{f.NPin, f.NBit, f.NObs, byte(f.Form)}
	num := func(x ...int32) {
		for _, n := range x {
			b = binary.LittleEndian.AppendUint32(b, uint32(n))
		}
	}
	code := func(at int32) {
		for ; ; at++ {
			num(int32(p.Code[at]))
			if kernel.CodeOp(p.Code[at]>>24) == kernel.CodeEnd {
				return
			}
		}
	}
	if size := int32(1); f.Form == kernel.FormTable {
		if n := f.NPin + f.NBit; n > 6 {
			size = 1 << (n - 6)
		}
		words := func(at, n int32) {
			for _, x := range p.Words[at : at+n] {
				b = binary.LittleEndian.AppendUint64(b, x)
			}
		}
		words(f.Out, size)
		words(f.Next, size*int32(f.NBit))
		words(f.Trans, size*int32(f.NBit))
	} else {
		code(f.Out)
		for k := range int32(f.NBit) {
			code(int32(p.Code[f.Next+k]))
			code(int32(p.Code[f.Trans+k]))
		}
	}
	first := p.GatePin[g]
	for i, n := range v.pins(g) {
		b = append(append(b, v.name[n]...), 0)
		if i < int(f.NPin) {
			w := p.Wires[p.PinWire[first+int32(i)]]
			num(w.Rise, w.Fall, w.RejRise, w.RejFall, w.ErrRise, w.ErrFall)
		}
	}
	if p.GateShape[g] < 0 {
		return append(b, "no arcs"...)
	}
	s := p.Shapes[p.GateShape[g]]
	slot := func(at int32) {
		if at < 0 {
			num(-1)
			return
		}
		d := p.ArcDelay[p.GateArc[g]+at]
		r, e := d, d
		if l := p.GateLimit[g]; l >= 0 {
			r, e = p.ArcReject[l+at], p.ArcError[l+at]
		}
		num(d, r, e)
	}
	vars := f.NPin + f.NBit + f.NObs
	for pin := range int32(f.NPin) {
		slot(int32(p.SlotMap[s.Fall+2*pin]))
		slot(int32(p.SlotMap[s.Fall+2*pin+1]))
		if !s.List {
			for state := range int32(1) << vars {
				slot(int32(p.SlotMap[s.Map+(pin<<vars|state)]))
			}
			continue
		}
		for k := range int32(4) {
			at := s.Map + 4*pin + k
			for _, c := range p.Cands[p.ListOff[at]:p.ListOff[at+1]] {
				if c.Cond >= 0 {
					code(c.Cond)
				}
				slot(c.Slot)
			}
			num(-2)
		}
	}
	return b
}
