package netlist

import (
	"github.com/wattd/wattd/internal/diag"
	"github.com/wattd/wattd/internal/format/verilog"
)

// bitset is a set of named bits of a module.
type bitset []uint64

func (s bitset) has(r ref) bool { return r >= 0 && int(r>>6) < len(s) && s[r>>6]>>(r&63)&1 != 0 }
func (s bitset) add(r ref)      { s[r>>6] |= 1 << (r & 63) }

// assigns binds the continuous assignments: `net = net` joins two names of one net, everything else becomes gates.
func (b *binder) assigns() {
	s := b.m.src
	if len(s.Assigns) == 0 {
		return
	}
	// Joining is right only for nets that nothing else but the other net drives: a net that is assigned twice, has
	// a wired function or a delay of its own gets buffers instead.
	once, keep := make(bitset, int(b.m.named)/64+1), make(bitset, int(b.m.named)/64+1)
	lhs, total := make([][]ref, len(s.Assigns)), int64(0)
	for i := range s.Assigns {
		a := &s.Assigns[i]
		b.pos = a.Pos
		lhs[i] = b.lvalue(a.LHS, nil)
		if total += int64(len(lhs[i])); total > b.l.in.MaxObjects {
			b.err(diag.NetlistTooLarge, "the assignments of module %s have more than %d bits", b.l.str(s.Name), b.l.in.MaxObjects)
			return
		}
		for _, r := range lhs[i] {
			if r >= 0 && once.has(r) {
				keep.add(r)
			} else if r >= 0 {
				once.add(r)
			}
		}
	}
	for i := range s.Nets {
		n, d := &s.Nets[i], b.m.decls[i]
		if n.Delay != None || n.Kind == verilog.Wand || n.Kind == verilog.Wor || n.Kind == verilog.Supply0 || n.Kind == verilog.Supply1 {
			for k := range d.width() {
				keep.add(d.off + k)
			}
		}
	}
	for i := range s.Assigns {
		b.pos = s.Assigns[i].Pos
		b.assign(&s.Assigns[i], lhs[i], keep)
		lhs[i] = nil
	}
}

func (b *binder) assign(a *verilog.Assign, lhs []ref, keep bitset) {
	if len(lhs) == 0 {
		return
	}
	w := b.width(a.RHS)
	if w > maxWidth {
		b.err(diag.NetlistTooWide, "expression wider than %d bits", maxWidth)
		return
	}
	if int(w) != len(lhs) && !b.unsized(a.RHS) {
		b.err(diag.NetlistWidth, "%d bits are assigned to %d", w, len(lhs))
	}
	for i, r := range lhs {
		if r == refOpen { // diagnosed; keeps the other bits in place
			lhs[i] = b.hidden()
		}
	}
	v, driven := b.value(a.RHS, len(lhs), lhs, a.Delay)
	if driven {
		return
	}
	for i, r := range v {
		switch {
		case a.Delay == None && (r == refZero || r == refOne):
			b.constant(lhs[i], r)
		case a.Delay == None && !keep.has(lhs[i]) && r != refOpen:
			if r != lhs[i] {
				b.m.same = append(b.m.same, pair{lhs[i], r})
			}
		default:
			b.gate(PrimBuf, lhs[i], a.Delay, r)
		}
	}
}

// primOps gives the operators of the primitives from verilog.And on.
var primOps = map[verilog.Prim]PrimOp{
	verilog.And: PrimAnd, verilog.Nand: PrimNand, verilog.Or: PrimOr, verilog.Nor: PrimNor, verilog.Xor: PrimXor, verilog.Xnor: PrimXnor,
	verilog.Buf: PrimBuf, verilog.Not: PrimNot,
	verilog.Bufif0: PrimBufif0, verilog.Bufif1: PrimBufif1, verilog.Notif0: PrimNotif0, verilog.Notif1: PrimNotif1,
}

// primitive binds a gate primitive. Its terminals are scalars, outputs first.
func (b *binder) primitive(in *verilog.Inst) {
	conns := b.conns(in)
	n, nOut, min := int(copies(in)), 1, 2
	switch in.Prim {
	case verilog.Tran:
		b.err(diag.NetlistSwitch, "switch primitive %s", b.l.str(in.Name))
		return
	case verilog.Pullup, verilog.Pulldown:
		nOut, min = len(conns), 1
	case verilog.Buf, verilog.Not:
		nOut = len(conns) - 1
	case verilog.Bufif0, verilog.Bufif1, verilog.Notif0, verilog.Notif1:
		min = 3
	}
	if len(conns) < min || min == 3 && len(conns) > 3 {
		b.err(diag.NetlistPrimitivePorts, "primitive with %d terminals", len(conns))
		return
	}
	var out, args []ref // terminal-major, n each
	for i, c := range conns {
		if i < nOut {
			out = append(out, b.connect(c.Expr, n, 1, drives, in.Name)...)
			continue
		}
		v := b.connect(c.Expr, n, 1, takes, in.Name)
		for _, r := range v {
			if r == refOpen { // an empty input terminal floats: 0
				r = refZero
			}
			args = append(args, r)
		}
	}
	for k := range n {
		if in.Prim == verilog.Pullup || in.Prim == verilog.Pulldown {
			flag := NetTri1
			if in.Prim == verilog.Pulldown {
				flag = NetTri0
			}
			for t := range nOut {
				if r := out[t*n+k]; r >= 0 {
					b.m.pulls = append(b.m.pulls, pull{r, flag})
				}
			}
			continue
		}
		first := len(b.m.gates)
		terms := make([]ref, 0, len(args)/n)
		for t := range len(args) / n {
			terms = append(terms, args[t*n+k])
		}
		for t := range nOut {
			if r := out[t*n+k]; r >= 0 {
				b.gate(primOps[in.Prim], r, in.Delay, terms...)
			}
		}
		name := b.object(in, int64(k), objGate, first)
		for i := first; i < len(b.m.gates); i++ {
			b.m.gates[i].name = name
		}
	}
}
