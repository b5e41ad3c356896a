package netlist

import (
	"github.com/wattd/wattd/internal/diag"
	"github.com/wattd/wattd/internal/format/liberty"
	"github.com/wattd/wattd/internal/format/verilog"
)

// bind turns the instances and assignments of a module into its template.
func (l *linker) bind(m *module) error {
	s := m.src
	l.own(m)
	b := &binder{l: l, m: m}
	nPins := 0
	for i := range s.Insts {
		if in := &s.Insts[i]; in.Prim == verilog.PrimNone {
			if t := l.typeOf(in.Cell); t.kind == typCell {
				nPins += l.nl.Cells[t.idx].NPin()
			}
		}
	}
	m.leaves = make([]leaf, 0, len(s.Insts))
	m.pins = make([]ref, 0, nPins)
	m.objs.reserve(len(s.Insts))
	m.objOf = make([]int32, 0, len(s.Insts))
	for i := range s.Nets {
		b.declared(int32(i))
	}
	for i := range s.Insts {
		if i&0xffff == 0 && l.ctx.Err() != nil {
			return l.ctx.Err()
		}
		in := &s.Insts[i]
		b.pos = in.Pos
		if n := copies(in); n > maxWidth || int64(len(m.pins)+len(m.gates)+len(m.joins))+n > l.in.MaxObjects {
			b.err(diag.NetlistTooWide, "instance array %s[%d:%d] is too wide", l.str(in.Name), in.Msb, in.Lsb)
			continue
		}
		if in.Prim != verilog.PrimNone {
			b.primitive(in)
			continue
		}
		if in.Name == 0 {
			b.err(diag.NetlistUnnamedInst, "instance of %s without a name", l.str(in.Cell))
			continue
		}
		if t := l.typeOf(in.Cell); t.kind == typCell {
			b.leaf(in, t.idx)
		} else {
			b.kid(in, t.idx)
		}
	}
	b.assigns()
	return nil
}

// declared gives a net what its type implies.
func (b *binder) declared(i int32) {
	n, d := &b.m.src.Nets[i], b.m.decls[i]
	b.pos = n.Pos
	op := PrimConst0
	switch n.Kind {
	case verilog.Supply1:
		op = PrimConst1
	case verilog.Supply0:
	default:
		return
	}
	for k := range d.width() {
		b.m.gates = append(b.m.gates, gate{op: op, out: d.off + k, in0: int32(len(b.m.gateIn)), delay: None, pos: n.Pos})
	}
}

// object enters the name of an instance or primitive and returns it; elements of arrays are "u[i]".
func (b *binder) object(in *verilog.Inst, k int64, kind, ordinal int) int32 {
	if in.Name == 0 {
		return 0
	}
	name := in.Name
	if in.Array {
		d := decl{msb: in.Msb, lsb: in.Lsb}
		name = b.l.elem(name, d.index(int32(k)))
	}
	if _, isNew := b.m.objs.add(name); isNew {
		b.m.objOf = append(b.m.objOf, int32(ordinal)<<2|int32(kind))
	} else {
		b.err(diag.NetlistDuplicateInst, "instance %s is already in module %s", b.l.str(name), b.l.str(b.m.src.Name))
	}
	return name
}

// side says how a port takes part in a connection.
type side uint8

const (
	takes  side = iota // an input: expressions and constants are fine, missing bits are 0
	drives             // an output: nets only, missing bits are open
	both               // inout or unknown: nets and constants, missing bits are open
)

func sideOf(d verilog.Dir) side {
	switch d {
	case verilog.Input:
		return takes
	case verilog.Output:
		return drives
	}
	return both
}

// connect evaluates a connection of n instances, each with a port of w bits: the bits of instance k, counted from
// the left of the array, are at [k*w, k*w+w). The result is valid until the next call.
func (b *binder) connect(e int32, n, w int, s side, port int32) []ref {
	total := n * w
	b.buf = b.buf[:0]
	if e == None {
		return fit(b.buf, 0, total, refOpen)
	}
	if total == 1 {
		// The usual case, without a detour: a scalar net on a scalar port.
		if x := &b.m.src.Exprs[e]; x.Op == verilog.Ref {
			if d := b.l.find(b.m, x.A); d != None && !b.m.decls[d].vector() {
				b.buf = append(b.buf, b.m.decls[d].off)
				return b.buf
			}
		}
	}
	if s != takes && !b.isNet(e) {
		b.err(diag.NetlistNotNet, "an expression is connected to port %s, which is not an input", b.l.str(port))
		return fit(b.buf, 0, total, refOpen)
	}
	b.buf = b.bits(e, b.buf)
	if s == drives {
		for i, r := range b.buf {
			if r == refZero || r == refOne {
				b.err(diag.NetlistConstOutput, "output %s is connected to a constant", b.l.str(port))
				b.buf[i] = refOpen
			}
		}
	}
	got := len(b.buf)
	if got == total {
		return b.buf
	}
	fill := refOpen
	if s == takes {
		fill = refZero
	}
	if n == 1 || got == w || b.unsized(e) {
		if got != w && !b.unsized(e) {
			b.err(diag.NetlistWidth, "%d bits are connected to the %d of port %s", got, w, b.l.str(port))
		}
		b.buf = fit(b.buf, 0, w, fill)
		for range n - 1 {
			b.buf = append(b.buf, b.buf[:w]...)
		}
		return b.buf
	}
	b.err(diag.NetlistArrayWidth, "%d bits are connected to port %s of %d instances with %d bits each", got, b.l.str(port), n, w)
	return fit(b.buf[:0], 0, total, refOpen)
}

// conns yields the connections of an instance with the number of positional ones; `u ()` has none.
func (b *binder) conns(in *verilog.Inst) []verilog.Conn {
	c := b.m.src.Conns[in.Conn : in.Conn+in.NConn]
	if len(c) == 1 && c[0].Port == 0 && c[0].Expr == None {
		return nil
	}
	return c
}

// checkParams refuses an instance that a parameter may have made different from its module as it was read. What a
// defparam reaches is not worked out: one in the design counts for all.
func (b *binder) checkParams(in *verilog.Inst, m *verilog.Module) {
	if m.Shaped && (in.Params || b.l.overrides) {
		b.err(diag.NetlistParameters, "parameters of module %s are overridden (instance %s)", b.l.str(m.Name), b.l.str(in.Name))
	}
}

// leaf binds an instance of a library cell or a black box.
func (b *binder) leaf(in *verilog.Inst, cell int32) {
	l, m := b.l, b.m
	c, shape := &l.nl.Cells[cell], &l.cells[cell]
	if shape.decl != nil {
		b.checkParams(in, shape.decl.src)
	}
	n, nPin := int(copies(in)), c.NPin()
	pin0 := len(m.pins)
	for k := range n {
		m.leaves = append(m.leaves, leaf{b.object(in, int64(k), objLeaf, len(m.leaves)), cell, int32(len(m.pins)), in.Pos})
		m.pins = fit(m.pins, len(m.pins), nPin, refOpen)
	}
	for i, cn := range b.conns(in) {
		code := int32(codeUnknown)
		if cn.Port != 0 {
			code = l.pinCode(cell, cn.Port)
		} else if i < len(shape.order) {
			code = shape.order[i]
		} else {
			b.err(diag.NetlistTooManyPorts, "cell %s has %d ports, instance %s connects more", l.str(c.Name), len(shape.order), l.str(in.Name))
			return
		}
		switch {
		case code == codeUnknown:
			b.err(diag.NetlistUnknownPin, "cell %s has no pin %s (instance %s)", l.str(c.Name), l.str(cn.Port), l.str(in.Name))
			continue
		case code == codePower:
			if cn.Expr != None && b.isNet(cn.Expr) {
				b.buf = b.bits(cn.Expr, b.buf[:0])
				for _, r := range b.buf {
					m.markPower(r)
				}
			}
			continue
		}
		one := [1]int32{code}
		bits := one[:]
		if code <= codeBus {
			bits = shape.buses[codeBus-code]
		}
		if len(bits) == 0 {
			continue
		}
		port := cn.Port
		if port == 0 {
			port = l.pinName(c, bits[0])
		}
		v := b.connect(cn.Expr, n, len(bits), c.side(bits[0]), port)
		for k := range n {
			for j, p := range bits {
				if r := v[k*len(bits)+j]; r != refOpen {
					at := &m.pins[pin0+k*nPin+int(p)]
					if *at != refOpen {
						b.err(diag.NetlistPortTwice, "pin %s of instance %s is connected twice", l.str(port), l.str(in.Name))
					}
					*at = r
				}
			}
		}
	}
}

func (l *linker) pinName(c *Cell, p int32) int32 {
	if c.Lib == nil {
		return c.Pins[p]
	}
	return l.names.InternString(c.Lib.Pins[p].Name)
}

func (c *Cell) side(p int32) side {
	if c.Lib == nil {
		return sideOf(c.Dirs[p])
	}
	switch c.Lib.Pins[p].Dir {
	case liberty.Input:
		return takes
	case liberty.Output:
		return drives
	}
	return both
}

// kid binds an instance of a structural module.
func (b *binder) kid(in *verilog.Inst, mod int32) {
	l, m, c := b.l, b.m, b.l.mods[mod]
	b.checkParams(in, c.src)
	n := int(copies(in))
	conns := b.conns(in)
	type bound struct {
		port int32
		at   int // in vals
	}
	var vals []ref
	var ports []bound
	seen := make([]bool, len(c.ports))
	for i, cn := range conns {
		p := int32(i)
		if cn.Port != 0 {
			p = c.portTab.find(cn.Port)
			if p == None && l.isPower(cn.Port) {
				if cn.Expr != None && b.isNet(cn.Expr) {
					b.buf = b.bits(cn.Expr, b.buf[:0])
					for _, r := range b.buf {
						m.markPower(r)
					}
				}
				continue
			}
			if p == None {
				b.err(diag.NetlistUnknownPort, "module %s has no port %s (instance %s)", l.str(c.src.Name), l.str(cn.Port), l.str(in.Name))
				continue
			}
		} else if i >= len(c.ports) {
			b.err(diag.NetlistTooManyPorts, "module %s has %d ports, instance %s connects more", l.str(c.src.Name), len(c.ports), l.str(in.Name))
			break
		}
		if seen[p] {
			b.err(diag.NetlistPortTwice, "port %s of instance %s is connected twice", l.str(cn.Port), l.str(in.Name))
			continue
		}
		seen[p] = true
		q := &c.ports[p]
		v := b.connect(cn.Expr, n, int(q.width), sideOf(q.dir), q.name)
		ports = append(ports, bound{p, len(vals)})
		vals = append(vals, v...)
	}
	for k := range n {
		kd := kid{name: b.object(in, int64(k), objKid, len(m.kids)), mod: mod, join0: int32(len(m.joins)), pos: in.Pos}
		for _, bd := range ports {
			q := &c.ports[bd.port]
			w := int(q.width)
			for j := range w {
				r := vals[bd.at+k*w+j]
				child := c.portBits[int(q.bit0)+j]
				if child < 0 || r == refOpen {
					continue
				}
				if r == refZero || r == refOne {
					r = b.constant(refOpen, r)
				}
				m.joins = append(m.joins, pair{child, r})
			}
		}
		kd.njoin = int32(len(m.joins)) - kd.join0
		m.kids = append(m.kids, kd)
	}
}

// constant drives out, or a new hidden net, with a constant.
func (b *binder) constant(out, value ref) ref {
	if out == refOpen {
		out = b.hidden()
	}
	op := PrimConst0
	if value == refOne {
		op = PrimConst1
	}
	b.m.gates = append(b.m.gates, gate{op: op, out: out, in0: int32(len(b.m.gateIn)), delay: None, pos: b.pos})
	return out
}
