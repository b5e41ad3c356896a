package netlist

import (
	"slices"

	"github.com/wattd/wattd/internal/diag"
	"github.com/wattd/wattd/internal/format/verilog"
)

// ref is a net bit inside a module: an offset below module.bits()+hidden, or one of these.
type ref = int32

const (
	refOpen ref = -1 - iota
	refZero
	refOne
)

// decl places a declared name in the bits of its module: most significant first from off. A scalar has msb NoBit.
type decl struct{ off, msb, lsb int32 }

var scalar = decl{msb: NoBit}

func (d *decl) vector() bool { return d.msb != NoBit }

func (d *decl) width() int32 {
	if !d.vector() {
		return 1
	}
	return int32(max(int64(d.msb)-int64(d.lsb), int64(d.lsb)-int64(d.msb))) + 1
}

// index is the bit number at position k, counted from the most significant.
func (d *decl) index(k int32) int32 {
	switch {
	case !d.vector():
		return NoBit
	case d.msb >= d.lsb:
		return d.msb - k
	}
	return d.msb + k
}

// at is the position of bit number i, or None.
func (d *decl) at(i int32) int32 {
	if !d.vector() {
		if i == NoBit {
			return 0
		}
		return None
	}
	k := int64(d.msb) - int64(i)
	if d.msb < d.lsb {
		k = -k
	}
	if k < 0 || k >= int64(d.width()) {
		return None
	}
	return int32(k)
}

// port is a header port: width bits of module.portBits from bit0.
type port struct {
	name        int32
	bit0, width int32
	dir         verilog.Dir
	decl        int32 // the net it is, or None for a port expression
}

// leaf, kid and gate are the content of a module before it is placed in the hierarchy. Nets are refs.
type (
	leaf struct {
		name, cell, pin0 int32
		pos              verilog.Pos
	}
	kid struct {
		name, mod    int32
		join0, njoin int32 // module.joins: bits of the child and of this module that are one net
		pos          verilog.Pos
	}
	gate struct {
		op     PrimOp
		name   int32
		out    ref
		in0, n int32 // module.gateIn
		delay  int32 // index in the source's Delay, or None
		pos    verilog.Pos
	}
	pair struct{ a, b ref }
)

// module is a template: everything that is the same in all its instances, worked out once.
type module struct {
	src *verilog.Module

	tab      nameTab // declared nets: index in decls; the first len(src.Nets) are those of the source
	decls    []decl
	implied  []verilog.Pos // places of the implicit nets, which follow the declared ones
	named    int32         // bits that have names
	hidden   int32         // bits behind them that have none
	ports    []port
	portTab  nameTab // by name; unnamed ports are entered under -1-index
	portBits []ref

	leaves []leaf
	pins   []ref
	kids   []kid
	joins  []pair
	same   []pair // assign net = net
	gates  []gate
	gateIn []ref
	pulls  []pull
	power  []uint64 // bit set: connected to a power pin

	objs  nameTab // named instances and primitives: index in objOf
	objOf []int32 // ordinal<<2 | kind

	size measure
}

// pull is a pullup (NetTri1) or pulldown (NetTri0) of a net.
type pull struct {
	net  ref
	flag NetFlag
}

// The kinds in objOf.
const (
	objLeaf = iota
	objKid
	objGate
)

func (m *module) bits() int32 { return m.named + m.hidden }

func (m *module) markPower(r ref) {
	if m.power == nil {
		m.power = make([]uint64, (int(m.named)+63)/64)
	}
	if r >= 0 && r < m.named {
		m.power[r>>6] |= 1 << (r & 63)
	}
}

// portRange is the range by which bits of a port are named.
func (m *module) portRange(p port) decl {
	if p.decl != None {
		return m.decls[p.decl]
	}
	if p.width == 1 {
		return scalar
	}
	return decl{msb: p.width - 1}
}

// addDecl declares a net. A name declared twice, which the reader does not let through, finds the first.
func (l *linker) addDecl(m *module, name int32, d decl, pos verilog.Pos) {
	if w := int64(max(int64(d.msb)-int64(d.lsb), int64(d.lsb)-int64(d.msb))) + 1; d.vector() && (w > maxWidth || int64(m.named)+w > l.in.MaxObjects) {
		l.bag.Add(diag.NetlistTooWide, l.pos(pos), "net %s[%d:%d] is too wide", l.str(name), d.msb, d.lsb)
		d = decl{msb: d.lsb, lsb: d.lsb}
	}
	d.off = m.named
	if _, isNew := m.tab.add(name); !isNew {
		m.tab.add(int32(-1 - len(m.decls)))
	} else if m == l.owner {
		l.direct[name] = int32(len(m.decls)) + 1
	}
	m.decls = append(m.decls, d)
	m.named += d.width()
}

// own makes m the module that find answers for directly.
func (l *linker) own(m *module) {
	if l.owner == m {
		return
	}
	if l.owner != nil {
		for _, name := range l.owner.tab.key {
			if name >= 0 {
				l.direct[name] = 0
			}
		}
	}
	l.owner = m
	for i, name := range m.tab.key {
		if name >= 0 {
			l.direct[name] = int32(i) + 1
		}
	}
}

// find returns the index of a declared net of m, or None.
func (l *linker) find(m *module, name int32) int32 {
	if m == l.owner {
		return l.direct[name] - 1
	}
	return m.tab.find(name)
}

// declare lays out the nets and ports of a module.
func (l *linker) declare(m *module) {
	s := m.src
	m.tab.reserve(len(s.Nets))
	m.decls = make([]decl, 0, len(s.Nets))
	for i := range s.Nets {
		n := &s.Nets[i]
		d := scalar
		if n.Vector {
			d = decl{msb: n.Msb, lsb: n.Lsb}
		}
		l.addDecl(m, n.Name, d, n.Pos)
	}
	l.declareImplicit(m)
	b := binder{l: l, m: m, pos: s.Pos}
	for i, p := range s.Ports {
		q := port{name: p.Name, bit0: int32(len(m.portBits)), decl: None}
		if p.Expr != None {
			m.portBits = b.lvalue(p.Expr, m.portBits)
			if len(m.portBits) > int(q.bit0) && m.portBits[q.bit0] >= 0 {
				q.dir = m.dirOf(m.declOf(m.portBits[q.bit0]))
			}
		} else if q.decl = l.find(m, p.Name); q.decl != None {
			d := m.decls[q.decl]
			for k := range d.width() {
				m.portBits = append(m.portBits, d.off+k)
			}
			q.dir = m.dirOf(q.decl)
		}
		q.width = int32(len(m.portBits)) - q.bit0
		if q.dir == verilog.DirNone {
			l.bag.Add(diag.NetlistPortUndeclared, l.pos(s.Pos), "module %s: port %s has no direction", l.str(s.Name), l.str(p.Name))
		}
		key := p.Name
		if key == 0 {
			key = int32(-1 - i)
		}
		if _, isNew := m.portTab.add(key); !isNew {
			m.portTab.add(int32(-1 - i)) // reached by position only
		}
		m.ports = append(m.ports, q)
	}
}

func (m *module) dirOf(d int32) verilog.Dir {
	if int(d) < len(m.src.Nets) {
		return m.src.Nets[d].Dir
	}
	return verilog.DirNone
}

// declOf returns the declaration that an offset of a named bit belongs to.
func (m *module) declOf(off int32) int32 {
	i, ok := slices.BinarySearchFunc(m.decls, off, func(d decl, off int32) int { return int(d.off) - int(off) })
	if !ok {
		i--
	}
	return int32(i)
}

// declareImplicit declares the scalars that connections and left sides of assigns imply.
func (l *linker) declareImplicit(m *module) {
	s := m.src
	for k := range s.Insts {
		in := &s.Insts[k]
		for _, c := range s.Conns[in.Conn : in.Conn+in.NConn] {
			if c.Expr != None {
				l.implyNets(m, c.Expr, in.Pos, 0)
			}
		}
	}
	for i := range s.Assigns {
		l.implyNets(m, s.Assigns[i].LHS, s.Assigns[i].Pos, 0)
	}
}

func (l *linker) implyNets(m *module, e int32, pos verilog.Pos, depth int) {
	if depth > maxNesting {
		return // diagnosed where the expression is bound
	}
	x := m.src.Exprs[e]
	switch x.Op {
	case verilog.Ref:
		if l.find(m, x.A) != None {
			return
		}
		if m.src.NoImplicit {
			l.bag.Add(diag.NetlistUndeclared, l.pos(pos), "net %s is not declared and `default_nettype is none", l.str(x.A))
		}
		l.addDecl(m, x.A, scalar, pos)
		m.implied = append(m.implied, pos)
	case verilog.Select, verilog.Part, verilog.Const:
	case verilog.Concat:
		for _, k := range m.src.Lists[x.A : x.A+x.B] {
			l.implyNets(m, k, pos, depth+1)
		}
	case verilog.Repl:
		l.implyNets(m, x.B, pos, depth+1)
	default:
		for i := range operands(x.Op) {
			l.implyNets(m, [...]int32{x.A, x.B, x.C}[i], pos, depth+1)
		}
	}
}

// copies is the number of instances that a statement makes.
func copies(in *verilog.Inst) int64 {
	if !in.Array {
		return 1
	}
	return max(int64(in.Msb)-int64(in.Lsb), int64(in.Lsb)-int64(in.Msb)) + 1
}
