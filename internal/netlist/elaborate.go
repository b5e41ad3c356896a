package netlist

import (
	"cmp"
	"slices"

	"github.com/wattd/wattd/internal/diag"
	"github.com/wattd/wattd/internal/format/scan"
	"github.com/wattd/wattd/internal/format/verilog"
)

// measure is how much one instance of a module expands to.
type measure struct {
	scopes, insts, pins, gates, gateIn, bits int64
	depth                                    int
	state                                    uint8 // 0 new, 1 being measured, 2 done
}

// measure sizes the hierarchy before anything is expanded; false after an error.
func (l *linker) measure() bool {
	top := l.mods[0]
	if !l.size(top, 1) {
		return false
	}
	if s := &top.size; s.bits+s.pins+s.insts+s.gates+s.gateIn > l.in.MaxObjects {
		l.bag.Add(diag.NetlistTooLarge, l.pos(top.src.Pos), "the design has %d net names and %d pins, more than %d", s.bits, s.pins+s.gateIn, l.in.MaxObjects)
		return false
	}
	return true
}

func (l *linker) size(m *module, depth int) bool {
	const huge = int64(1) << 50 // sums of products stay below 2^63
	s := &m.size
	switch {
	case s.state == 2:
		return true
	case s.state == 1:
		l.bag.Add(diag.NetlistRecursion, l.pos(m.src.Pos), "module %s contains itself", l.str(m.src.Name))
		return false
	case depth > maxDepth:
		l.bag.Add(diag.NetlistTooLarge, l.pos(m.src.Pos), "module %s lies deeper than %d levels", l.str(m.src.Name), maxDepth)
		return false
	}
	s.state = 1
	s.scopes, s.insts, s.pins, s.gates, s.gateIn = 1, int64(len(m.leaves)), int64(len(m.pins)), int64(len(m.gates)), int64(len(m.gateIn))
	s.bits = int64(m.bits())
	for i := range m.kids {
		c := l.mods[m.kids[i].mod]
		if !l.size(c, depth+1) {
			return false
		}
		s.scopes = min(s.scopes+c.size.scopes, huge)
		s.insts = min(s.insts+c.size.insts, huge)
		s.pins = min(s.pins+c.size.pins, huge)
		s.gates = min(s.gates+c.size.gates, huge)
		s.gateIn = min(s.gateIn+c.size.gateIn, huge)
		s.bits = min(s.bits+c.size.bits+1, huge) // an empty scope counts too
		s.depth = max(s.depth, c.size.depth+1)
	}
	if depth+s.depth > maxDepth {
		l.bag.Add(diag.NetlistTooLarge, l.pos(m.src.Pos), "below module %s the hierarchy has more than %d levels", l.str(m.src.Name), maxDepth)
		return false
	}
	s.state = 2
	return true
}

// rawFirst is the first name bit; the two before it are the constants.
const rawFirst = 2

func raw(base int32, r ref) int32 {
	if r < 0 {
		return refZero - r // refZero -> Const0, refOne -> Const1
	}
	return base + r
}

// elaborate expands the templates from the top, level by level, so that parents precede children and the name bits
// of higher scopes those of lower ones; then it merges the bits into nets.
func (l *linker) elaborate() error {
	nl, top := l.nl, l.mods[0]
	z := &top.size
	nl.Scopes = append(make([]Scope, 0, z.scopes), Scope{None, top.src.Name, top.src.Name, top.src.Pos})
	nl.Insts = make([]Inst, 0, z.insts)
	nl.PinNet = make([]int32, 0, z.pins)
	nl.Prims = make([]Prim, 0, z.gates)
	nl.PrimIn = make([]int32, 0, z.gateIn)
	at := append(make([]placed, 0, z.scopes), placed{net: rawFirst})
	u := newUnion(int(z.bits) + rawFirst)
	next := rawFirst + top.bits()
	for s := 0; s < len(nl.Scopes); s++ {
		if s&0xff == 0 && l.ctx.Err() != nil {
			return l.ctx.Err()
		}
		m := l.mods[at[s].mod]
		base := at[s].net
		at[s].inst, at[s].prim, at[s].kid = int32(len(nl.Insts)), int32(len(nl.Prims)), int32(len(nl.Scopes))
		pin0 := int32(len(nl.PinNet))
		for i := range m.leaves {
			f := &m.leaves[i]
			nl.Insts = append(nl.Insts, Inst{int32(s), f.name, f.cell, pin0 + f.pin0, f.pos})
		}
		for _, r := range m.pins {
			if r != refOpen {
				r = raw(base, r)
			}
			nl.PinNet = append(nl.PinNet, r)
		}
		in0 := int32(len(nl.PrimIn))
		for i := range m.gates {
			nl.Prims = append(nl.Prims, m.prim(&m.gates[i], int32(s), base, in0))
		}
		for _, r := range m.gateIn {
			nl.PrimIn = append(nl.PrimIn, raw(base, r))
		}
		for _, p := range m.same {
			u.join(base+p.a, base+p.b)
		}
		for i := range m.kids {
			k := &m.kids[i]
			nl.Scopes = append(nl.Scopes, Scope{int32(s), k.name, l.mods[k.mod].src.Name, k.pos})
			at = append(at, placed{mod: k.mod, net: next, depth: at[s].depth + 1})
			for _, p := range m.joins[k.join0 : k.join0+k.njoin] {
				u.join(next+p.a, base+p.b)
			}
			next += l.mods[k.mod].bits()
		}
	}
	nl.lookup.scopes = at
	nl.lookup.pins = l.pins
	l.number(u.parent[:next])
	l.finish()
	return l.ctx.Err()
}

func (m *module) prim(g *gate, scope, base, in0 int32) Prim {
	p := Prim{Op: g.op, Scope: scope, Name: g.name, Out: raw(base, g.out), In0: in0 + g.in0, NIn: g.n, UnitExp: m.src.UnitExp, Pos: g.pos}
	if g.delay != None {
		p.HasDelay = true
		p.Rise, p.Fall = riseFall(&m.src.Delay[g.delay])
	}
	return p
}

// riseFall takes the first two of one to three values.
func riseFall(d *verilog.Delay) (rise, fall [3]scan.Decimal) {
	return d.V[0], d.V[min(d.N-1, 1)]
}

// union merges name bits. The smallest bit, one of the highest scope, represents a set.
type union struct{ parent []int32 }

func newUnion(n int) *union {
	u := &union{make([]int32, n)}
	for i := range u.parent {
		u.parent[i] = int32(i)
	}
	return u
}

func (u *union) find(i int32) int32 {
	for u.parent[i] != i {
		u.parent[i] = u.parent[u.parent[i]]
		i = u.parent[i]
	}
	return i
}

func (u *union) join(a, b int32) {
	a, b = u.find(a), u.find(b)
	if a > b {
		a, b = b, a
	}
	u.parent[b] = a
}

// Scratch flags while nets are made.
const (
	netIsPort NetFlag = 1 << 15 // the name so far is that of a port
	netPin    NetFlag = 1 << 14 // some gate or cell pin is on it
	netPower  NetFlag = 1 << 13 // some power pin is
)

// number makes the nets, in order of their first name bit, and turns parent into the net of each bit.
func (l *linker) number(parent []int32) {
	nl := l.nl
	n := int32(0)
	for i := range parent {
		// A parent is smaller than its child, so it already holds its net.
		if parent[i] == int32(i) {
			parent[i] = n
			n++
		} else {
			parent[i] = parent[parent[i]]
		}
	}
	nl.Nets = make([]Net, n)
	for i := range nl.Nets {
		nl.Nets[i] = Net{Scope: None, Bit: NoBit, Flags: NetHidden}
	}
	nl.lookup.net = parent
	for i, r := range nl.PinNet {
		if r != None {
			nl.PinNet[i] = parent[r]
			nl.Nets[parent[r]].Flags |= netPin
		}
	}
	for i := range nl.PrimIn {
		nl.PrimIn[i] = parent[nl.PrimIn[i]]
		nl.Nets[nl.PrimIn[i]].Flags |= netPin
	}
	for i := range nl.Prims {
		p := &nl.Prims[i]
		p.Out = parent[p.Out]
		if p.Op != PrimConst0 && p.Op != PrimConst1 {
			nl.Nets[p.Out].Flags |= netPin
		}
	}
}

// finish names the nets, gathers their aliases and flags, and lists the ports of the top.
func (l *linker) finish() {
	nl := l.nl
	nl.lookup.mods = make([]modNames, len(l.mods))
	for i, m := range l.mods {
		nl.lookup.mods[i] = modNames{nets: m.tab, decls: m.decls, objs: m.objs, objOf: m.objOf, named: m.named, bits: m.bits(), explicit: int32(len(m.src.Nets)), strict: m.src.NoImplicit}
		mn := &nl.lookup.mods[i]
		for _, p := range m.ports {
			if p.decl == None && p.name != 0 {
				mn.exprPorts = append(mn.exprPorts, p)
				mn.portBits = m.portBits
			}
		}
	}
	for _, m := range l.in.Modules {
		if l.libOf[m.Name] == nil || !cellModel(m) {
			nl.lookup.modules = append(nl.lookup.modules, m.Name)
		}
	}
	slices.Sort(nl.lookup.modules)
	start := make([]int32, len(nl.Nets)+1)
	for s := range nl.Scopes {
		l.nameScope(int32(s), start)
	}
	sum := int32(0)
	for i, n := range start {
		start[i] = sum
		sum += n
	}
	list := make([]int32, sum)
	for s := range nl.Scopes {
		p := &nl.lookup.scopes[s]
		for r := p.net; r < p.net+l.mods[p.mod].named; r++ {
			net := nl.lookup.net[r]
			list[start[net]] = r
			start[net]++
		}
	}
	copy(start[1:], start)
	start[0] = 0
	nl.alias = aliases{start: start, list: list}

	for i := range nl.Nets {
		n := &nl.Nets[i]
		if n.Flags&netPower != 0 && n.Flags&netPin == 0 {
			n.Flags |= NetSupply
		}
		n.Flags &^= netIsPort | netPin | netPower
	}
	for _, d := range nl.NetDelay {
		nl.Nets[d.Net].Flags |= NetDelayed
	}
	top := l.mods[0]
	for _, p := range top.ports {
		d := top.portRange(p)
		for k := range p.width {
			r := top.portBits[p.bit0+k]
			if r < 0 {
				continue
			}
			net := nl.lookup.net[raw(rawFirst, r)]
			nl.Ports = append(nl.Ports, Port{p.name, d.index(k), p.dir, net})
			nl.Nets[net].Flags |= [...]NetFlag{0, NetInput, NetOutput, NetInout}[p.dir]
		}
	}
}

// nameScope offers the names of one scope to the nets, counts them and adds what declarations say.
func (l *linker) nameScope(s int32, count []int32) {
	nl := l.nl
	p := &nl.lookup.scopes[s]
	m := l.mods[p.mod]
	for i := range m.decls {
		d := &m.decls[i]
		var flags NetFlag
		var pos verilog.Pos
		if i < len(m.src.Nets) {
			n := &m.src.Nets[i]
			pos = n.Pos
			if n.Dir != verilog.DirNone {
				flags |= netIsPort
			}
			flags |= kindFlags[n.Kind]
			if n.Delay != None {
				l.delayNet(m, p.net, d, n)
			}
		} else {
			pos = m.implied[i-len(m.src.Nets)]
		}
		for k := range d.width() {
			net := nl.lookup.net[p.net+d.off+k]
			count[net]++
			f := flags
			if bitset(m.power).has(d.off + k) {
				f |= netPower
			}
			n := &nl.Nets[net]
			best := n.Flags&NetHidden != 0
			if !best {
				best = nl.better(Ref{s, m.tab.key[i], d.index(k)}, f, n)
			}
			if best {
				n.Scope, n.Name, n.Bit, n.Pos = s, m.tab.key[i], d.index(k), pos
				n.Flags = n.Flags&^(NetHidden|netIsPort) | f
			} else {
				n.Flags |= f &^ netIsPort
			}
		}
	}
	for h := range m.hidden {
		n := &nl.Nets[nl.lookup.net[p.net+m.named+h]]
		if n.Scope == None {
			n.Scope, n.Bit, n.Pos = s, h, m.src.Pos
		}
	}
	for _, q := range m.pulls {
		nl.Nets[nl.lookup.net[p.net+q.net]].Flags |= q.flag
	}
}

var kindFlags = [...]NetFlag{
	verilog.Wire: 0, verilog.Reg: 0,
	verilog.Wand: NetWand, verilog.Wor: NetWor, verilog.Tri0: NetTri0, verilog.Tri1: NetTri1,
	verilog.Supply0: NetSupply, verilog.Supply1: NetSupply,
}

func (l *linker) delayNet(m *module, base int32, d *decl, n *verilog.Net) {
	rise, fall := riseFall(&m.src.Delay[n.Delay])
	for k := range d.width() {
		l.nl.NetDelay = append(l.nl.NetDelay, NetDelay{l.nl.lookup.net[base+d.off+k], m.src.UnitExp, rise, fall, n.Pos})
	}
}

// better says that a name is to replace the present canonical name of n: it lies higher, is a port where the other
// is not, or is smaller.
func (nl *Netlist) better(r Ref, f NetFlag, n *Net) bool {
	return cmp.Or(
		cmp.Compare(nl.lookup.scopes[r.Scope].depth, nl.lookup.scopes[n.Scope].depth),
		-cmp.Compare(f&netIsPort, n.Flags&netIsPort),
		nl.compareRefs(r, Ref{n.Scope, n.Name, n.Bit})) < 0
}
