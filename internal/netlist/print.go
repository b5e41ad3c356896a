package netlist

import (
	"bytes"
	"hash/maphash"
	"strconv"
	"sync"
)

// NameTable prints the canonical names of nets for people and tables: components below the top joined by "/",
// without escapes, bits as "name[3]". A "/" or "[" that belongs to a component gets a backslash, but only in names
// that would otherwise be equal to another one. Hidden nets print as "$" and their number, constants as 1'b0 and 1'b1.
type NameTable struct {
	nl     *Netlist
	escape []uint64 // bit set of nets
	// special counts the nets with a "/" or "[" in a component.
	special int
}

// PrintNames decides once for the whole design which names need a backslash. It is safe for concurrent use.
func (nl *Netlist) PrintNames() *NameTable {
	nl.print.once.Do(func() { nl.print.table = newNameTable(nl) })
	return nl.print.table
}

type printOnce struct {
	once  sync.Once  `image:"-"` // decided again where it is needed
	table *NameTable `image:"-"`
}

// NetName is PrintNames().String(net).
func (nl *Netlist) NetName(net int32) string { return nl.PrintNames().String(net) }

// String returns the printed name of a net.
func (t *NameTable) String(net int32) string { return string(t.Append(nil, net)) }

// Append appends the printed name of a net.
func (t *NameTable) Append(dst []byte, net int32) []byte {
	return t.nl.appendName(dst, net, t.escape[net>>6]>>(net&63)&1 != 0)
}

func (nl *Netlist) appendName(dst []byte, net int32, escape bool) []byte {
	n := &nl.Nets[net]
	switch {
	case net == Const0:
		return append(dst, "1'b0"...)
	case net == Const1:
		return append(dst, "1'b1"...)
	}
	dst = nl.appendComponents(dst, n.Scope, escape)
	if n.Flags&NetHidden != 0 {
		return strconv.AppendInt(append(dst, '$'), int64(n.Bit), 10)
	}
	dst = appendComponent(dst, nl.Names.Bytes(n.Name), escape)
	if n.Bit != NoBit {
		dst = append(dst, '[')
		dst = strconv.AppendInt(dst, int64(n.Bit), 10)
		dst = append(dst, ']')
	}
	return dst
}

func (nl *Netlist) appendComponents(dst []byte, scope int32, escape bool) []byte {
	if nl.Scopes[scope].Parent == None {
		return dst
	}
	dst = nl.appendComponents(dst, nl.Scopes[scope].Parent, escape)
	return append(appendComponent(dst, nl.Names.Bytes(nl.Scopes[scope].Name), escape), '/')
}

func appendComponent(dst, name []byte, escape bool) []byte {
	if !escape {
		return append(dst, name...)
	}
	for _, c := range name {
		if c == '/' || c == '[' {
			dst = append(dst, '\\')
		}
		dst = append(dst, c)
	}
	return dst
}

func newNameTable(nl *Netlist) *NameTable {
	t := &NameTable{nl: nl, escape: make([]uint64, len(nl.Nets)/64+1)}
	// Two names can print alike only if a component of one holds a "/" or "[". So these are gathered first, by
	// hash, and all others are looked up among them.
	special := nl.specialScopes()
	isSpecial := func(net int32) bool {
		n := &nl.Nets[net]
		return n.Scope != None && (special[n.Scope] || n.Flags&NetHidden == 0 && bytes.ContainsAny(nl.Names.Bytes(n.Name), "/["))
	}
	count := 0
	for net := range nl.Nets {
		if isSpecial(int32(net)) {
			count++
		}
	}
	t.special = count
	if count == 0 {
		return t
	}
	size := 16
	for size < 2*count {
		size *= 2
	}
	slots := make([]int32, size) // net+1
	seed := maphash.MakeSeed()
	var name, other []byte
	// visit puts a net in its slot, or marks it and the one there when they print alike.
	visit := func(net int32, insert bool) {
		name = nl.appendName(name[:0], net, false)
		for h := int(maphash.Bytes(seed, name)) & (size - 1); ; h = (h + 1) & (size - 1) {
			old := slots[h] - 1
			if old < 0 {
				if insert {
					slots[h] = net + 1
				}
				return
			}
			if other = nl.appendName(other[:0], old, false); bytes.Equal(name, other) {
				t.escape[net>>6] |= 1 << (net & 63)
				t.escape[old>>6] |= 1 << (old & 63)
				return
			}
		}
	}
	for net := range nl.Nets {
		if isSpecial(int32(net)) {
			visit(int32(net), true)
		}
	}
	for net := range nl.Nets {
		if nl.Nets[net].Scope != None && !isSpecial(int32(net)) {
			visit(int32(net), false)
		}
	}
	return t
}

// specialScopes tells which scopes have a "/" or "[" in their path.
func (nl *Netlist) specialScopes() []bool {
	s := make([]bool, len(nl.Scopes))
	for i := 1; i < len(s); i++ {
		s[i] = s[nl.Scopes[i].Parent] || bytes.ContainsAny(nl.Names.Bytes(nl.Scopes[i].Name), "/[")
	}
	return s
}
