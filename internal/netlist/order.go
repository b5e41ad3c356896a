package netlist

import (
	"bytes"
	"cmp"
)

// CompareNetNames orders nets by name, the order of every list and tie: bytewise by hierarchy component of their
// identities, then by index as a number. Hidden nets come first in their scope, by their number.
func (nl *Netlist) CompareNetNames(a, b int32) int {
	if a == b {
		return 0
	}
	x, y := &nl.Nets[a], &nl.Nets[b]
	if x.Scope == None || y.Scope == None { // the constants, before all others
		return cmp.Or(cmp.Compare(x.Scope, y.Scope), cmp.Compare(a, b))
	}
	return cmp.Or(nl.compareRefs(nl.identity(a), nl.identity(b)), cmp.Compare(a, b))
}

// identity is the name that a net is the same by from one version of a design to the next: of all its names the one highest
// in the hierarchy, then the smallest. The canonical name, which is printed, prefers ports among the highest.
func (nl *Netlist) identity(n int32) Ref {
	x := &nl.Nets[n]
	best := Ref{x.Scope, x.Name, x.Bit}
	if x.Flags&NetHidden != 0 {
		return best
	}
	depth := nl.Depth(x.Scope)
	for r := range nl.Aliases(n) {
		if nl.Depth(r.Scope) == depth && nl.compareRefs(r, best) < 0 {
			best = r
		}
	}
	return best
}

// CompareInstNames orders leaf instances by name: bytewise by hierarchy component.
func (nl *Netlist) CompareInstNames(a, b int32) int {
	x, y := &nl.Insts[a], &nl.Insts[b]
	return cmp.Or(nl.compareRefs(Ref{x.Scope, x.Name, NoBit}, Ref{y.Scope, y.Name, NoBit}), cmp.Compare(a, b))
}

func (nl *Netlist) compareNames(a, b int32) int {
	if a == b {
		return 0
	}
	return bytes.Compare(nl.Names.Bytes(a), nl.Names.Bytes(b))
}

func (nl *Netlist) compareRefs(a, b Ref) int {
	if a.Scope == b.Scope {
		return cmp.Or(nl.compareNames(a.Name, b.Name), cmp.Compare(a.Bit, b.Bit))
	}
	// Climb to the level of the higher one, then to the common parent. What hangs below it decides; a scope
	// component and a net name compare alike, and the shorter path comes first when they are equal.
	x, y := a.Scope, b.Scope
	xn, yn := a.Name, b.Name // the component below x and y
	xl, yl := true, true     // that component is the last one
	up := func(s *int32, n *int32, last *bool) {
		*n, *last = nl.Scopes[*s].Name, false
		*s = nl.Scopes[*s].Parent
	}
	for nl.Depth(x) > nl.Depth(y) {
		up(&x, &xn, &xl)
	}
	for nl.Depth(y) > nl.Depth(x) {
		up(&y, &yn, &yl)
	}
	for x != y {
		up(&x, &xn, &xl)
		up(&y, &yn, &yl)
	}
	if c := nl.compareNames(xn, yn); c != 0 {
		return c
	}
	switch {
	case xl && yl:
		return cmp.Compare(a.Bit, b.Bit)
	case xl:
		return -1
	case yl:
		return 1
	}
	return cmp.Compare(a.Scope, b.Scope) // two instances of one name, an error elsewhere
}
