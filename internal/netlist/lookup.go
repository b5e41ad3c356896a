package netlist

import (
	"iter"
	"slices"
	"strconv"
)

// placed is where the content of a scope begins in the flat arrays.
type placed struct {
	mod                  int32 // lookup.mods
	net, inst, prim, kid int32
	depth                int32
}

// modNames are the names of a module, shared by its scopes.
type modNames struct {
	nets      nameTab
	decls     []decl
	objs      nameTab
	objOf     []int32
	exprPorts []port
	portBits  []ref
	named     int32
	bits      int32
	explicit  int32 // decls before this one are written, those from it on implied, but for the ones in written
	written   []int32
	strict    bool // `default_nettype none
}

type lookup struct {
	mods    []modNames
	scopes  []placed
	net     []int32 // name bit -> net
	pins    pairTab
	modules []int32 // names of the modules that are not cells, ascending

	// Of a patched netlist: name bits from base on are those of nets that came later; their names are in later.
	base  int32
	later []Ref
}

// aliases lists the name bits of each net: list[start[net]:start[net+1]].
type aliases struct {
	start []int32
	list  []int32
}

func (nl *Netlist) object(scope int32, name []byte, kind int32) int32 {
	id := nl.Names.Find(name)
	if id <= 0 || scope < 0 {
		return None
	}
	mn := &nl.lookup.mods[nl.lookup.scopes[scope].mod]
	if i := mn.objs.find(id); i != None && mn.objOf[i]&3 == kind {
		return mn.objOf[i] >> 2
	}
	return None
}

// ChildScope finds a hierarchical instance directly below a scope, or None. Names are without escapes, here and below.
func (nl *Netlist) ChildScope(scope int32, name []byte) int32 {
	if i := nl.object(scope, name, objKid); i != None {
		return nl.lookup.scopes[scope].kid + i
	}
	return None
}

// FindInst finds a leaf instance directly in a scope, or None.
func (nl *Netlist) FindInst(scope int32, name []byte) int32 {
	if i := nl.object(scope, name, objLeaf); i != None {
		return nl.lookup.scopes[scope].inst + i
	}
	return None
}

// FindPrim finds a named primitive directly in a scope, or None. One with several outputs is several Prims in a row.
func (nl *Netlist) FindPrim(scope int32, name []byte) int32 {
	if i := nl.object(scope, name, objGate); i != None {
		return nl.lookup.scopes[scope].prim + i
	}
	return None
}

// FindNet finds a bit of a net or port declared in a scope; bit is NoBit for scalars. The match is exact: a vector
// has no NoBit, a scalar no bit 0. It returns None where there is none.
func (nl *Netlist) FindNet(scope int32, name []byte, bit int32) int32 {
	id := nl.Names.Find(name)
	if id <= 0 || scope < 0 {
		return None
	}
	p := &nl.lookup.scopes[scope]
	mn := &nl.lookup.mods[p.mod]
	if i := mn.nets.find(id); i != None {
		d := &mn.decls[i]
		if k := d.at(bit); k != None {
			return nl.lookup.net[p.net+d.off+k]
		}
		return None
	}
	if q, d := mn.exprPort(id); q != nil {
		if k := d.at(bit); k != None && mn.portBits[q.bit0+k] >= 0 {
			return nl.lookup.net[p.net+mn.portBits[q.bit0+k]]
		}
	}
	return None
}

// exprPort finds a port whose header expression is not simply a net; its bits are numbered from 0.
func (mn *modNames) exprPort(id int32) (*port, decl) {
	for i := range mn.exprPorts {
		if q := &mn.exprPorts[i]; q.name == id {
			if q.width == 1 {
				return q, scalar
			}
			return q, decl{msb: q.width - 1}
		}
	}
	return nil, decl{}
}

// NetRange returns the range of a declared net or port; ok is false when the scope declares none of that name.
func (nl *Netlist) NetRange(scope int32, name []byte) (msb, lsb int32, vector, ok bool) {
	id := nl.Names.Find(name)
	if id <= 0 || scope < 0 {
		return
	}
	mn := &nl.lookup.mods[nl.lookup.scopes[scope].mod]
	d := decl{}
	if i := mn.nets.find(id); i != None {
		d = mn.decls[i]
	} else if q, e := mn.exprPort(id); q != nil {
		d = e
	} else {
		return
	}
	if !d.vector() {
		return 0, 0, false, true
	}
	return d.msb, d.lsb, true, true
}

// PinIndex returns the index of a pin of the cell of a leaf instance, or None; bus bits are "A[3]".
func (nl *Netlist) PinIndex(inst int32, pin []byte) int32 {
	if id := nl.Names.Find(pin); id > 0 {
		if c, ok := nl.lookup.pins.get(nl.Insts[inst].Cell, id); ok && c >= 0 {
			return c
		}
	}
	return None
}

// PinName returns the name of a pin of a cell.
func (nl *Netlist) PinName(cell, pin int32) string {
	c := &nl.Cells[cell]
	if c.Lib != nil {
		return c.Lib.Pins[pin].Name
	}
	return nl.Names.String(c.Pins[pin])
}

// ref decodes a name bit.
func (nl *Netlist) ref(raw int32) Ref {
	if b := nl.lookup.base; b > 0 && raw >= b {
		return nl.lookup.later[raw-b]
	}
	s, ok := slices.BinarySearchFunc(nl.lookup.scopes, raw, func(p placed, raw int32) int { return int(p.net) - int(raw) })
	if !ok {
		s--
	}
	// Scopes without bits begin where the next one does; the last of equals has the bit.
	for s+1 < len(nl.lookup.scopes) && nl.lookup.scopes[s+1].net <= raw {
		s++
	}
	p := &nl.lookup.scopes[s]
	mn := &nl.lookup.mods[p.mod]
	off := raw - p.net
	i, ok := slices.BinarySearchFunc(mn.decls, off, func(d decl, off int32) int { return int(d.off) - int(off) })
	if !ok {
		i--
	}
	d := &mn.decls[i]
	return Ref{int32(s), mn.nets.key[i], d.index(off - d.off)}
}

// Aliases yields all names of a net, the highest in the hierarchy first, then in order of declaration. The canonical
// name is among them; a hidden net has none.
func (nl *Netlist) Aliases(net int32) iter.Seq[Ref] {
	return func(yield func(Ref) bool) {
		if nl.IsHole(net) {
			return
		}
		for _, r := range nl.alias.list[nl.alias.start[net]:nl.alias.start[net+1]] {
			if !yield(nl.ref(r)) {
				return
			}
		}
	}
}

// HasAliases says whether a net has names beside the canonical one.
func (nl *Netlist) HasAliases(net int32) bool { return nl.alias.start[net+1]-nl.alias.start[net] > 1 }

// Depth is the level of a scope; the top has 0.
func (nl *Netlist) Depth(scope int32) int32 { return nl.lookup.scopes[scope].depth }

// AppendScopePath appends the instance names from below the top down to a scope, joined with sep, without escapes;
// nothing for the top.
func (nl *Netlist) AppendScopePath(dst []byte, scope int32, sep byte) []byte {
	p := nl.Scopes[scope].Parent
	if p == None {
		return dst
	}
	if p != 0 {
		dst = append(nl.AppendScopePath(dst, p, sep), sep)
	}
	return append(dst, nl.Names.Bytes(nl.Scopes[scope].Name)...)
}

// InstPath returns the path of a leaf instance from below the top, joined with sep, without escapes.
func (nl *Netlist) InstPath(inst int32, sep byte) string {
	in := &nl.Insts[inst]
	var b []byte
	if in.Scope != 0 {
		b = append(nl.AppendScopePath(b, in.Scope, sep), sep)
	}
	return string(append(b, nl.Names.Bytes(in.Name)...))
}

// RefPath returns a name of a net from below the top, joined with sep, without escapes.
func (nl *Netlist) RefPath(r Ref, sep byte) string {
	var b []byte
	if r.Scope != 0 {
		b = append(nl.AppendScopePath(b, r.Scope, sep), sep)
	}
	b = append(b, nl.Names.Bytes(r.Name)...)
	if r.Bit != NoBit {
		b = append(b, '[')
		b = strconv.AppendInt(b, int64(r.Bit), 10)
		b = append(b, ']')
	}
	return string(b)
}
