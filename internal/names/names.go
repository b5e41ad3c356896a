// Package names is the one resolver between the spellings of a name in all formats: Verilog, VCD, SAIF, SDF, SPEF, SDC
// and what people type.
//
// Contract: a spelling is parsed to hierarchy components without escapes and an optional index, then looked up by
// rules of falling strictness; the first rule that finds something decides, and the Binding says which it was. A rule
// that finds several different objects ends the search: ambiguity is never resolved by a guess. Exact lookups do not
// allocate. A Resolver has scratch memory and an index that it builds when a name first needs it, so it serves one
// goroutine at a time. What a format means by a name (instance or net, relative to what) is the caller's business.
package names

import "bytes"

// None marks an absent object.
const None = int32(-1)

// noBit is the bit of a scalar in Design.FindNet.
const noBit = int32(-1 << 31)

// Design is what names are resolved against; *netlist.Netlist is one. Names are without escapes, matches are exact.
type Design interface {
	ChildScope(scope int32, name []byte) int32
	FindInst(scope int32, name []byte) int32
	FindNet(scope int32, name []byte, bit int32) int32
	NetRange(scope int32, name []byte) (msb, lsb int32, vector, ok bool)
	PinIndex(inst int32, pin []byte) int32

	NameBytes(id int32) []byte
	NumScopes() int32
	ScopeAt(scope int32) (parent, name int32)
	NumInsts() int32
	InstAt(inst int32) (scope, name int32)
	EachDecl(scope int32, yield func(name int32) bool)

	// For messages.
	NetName(net int32) string
	InstPinName(inst, pin int32) string
}

// Format is a way of writing names.
type Format uint8

// The formats. Plain is what people type and wattd prints: "/" between components, "\" before a "/" or "[" that
// belongs to a name.
const (
	Plain Format = iota
	Verilog
	VCD
	SAIF
	SDF
	SPEF
	SDC
)

// Spelling says how a text is written. Divider 0 is the default of the format. Paths start at Scope, the top being 0.
type Spelling struct {
	Format  Format
	Divider byte
	Scope   int32
}

func (s Spelling) divider() byte {
	if s.Divider != 0 {
		return s.Divider
	}
	switch s.Format {
	case Verilog, VCD, SDF:
		return '.'
	}
	return '/'
}

// Rule is how a name was bound.
type Rule uint8

// The rules, strictest first.
const (
	Unbound    Rule = iota
	Exact           // component by component as written
	Unescaped       // an index that is part of the name was written as a bit, or the reverse
	TopName         // the path began with the name of the top module
	Flattened       // hierarchy in the text is part of one name in the design, or the reverse
	Demangled       // after undoing __BRA__, __KET__, __DOT__, __PVT__ and __0xx of Verilator
	IndexForm       // a[3] written as a_3_, a_3, a(3), a<3>, or bit 0 of a scalar
	Separators      // separators and brackets disregarded
	IgnoreCase      // case disregarded too
)

var ruleNames = [...]string{"unbound", "exact", "unescaped", "top-name", "flattened", "demangled", "index-form", "separators", "ignore-case"}

func (r Rule) String() string { return ruleNames[r] }

// Binding says how a name was bound. A failed one has Rule Unbound and Candidates: all matches when Ambiguous, else
// the names that come closest (for the first few failures of a Resolver; Explain always has them).
type Binding struct {
	Rule       Rule
	Ambiguous  bool
	Candidates []string
}

// Pin is a pin of a leaf instance, or with Inst None a port of the top or of a hierarchical instance, given by its net.
type Pin struct{ Inst, Pin, Net int32 }

// Options adjusts a Resolver.
type Options struct {
	IgnoreCase bool // the last rule: a name that differs only in case, when there is only one
}

// keepCandidates is how many failures get candidates.
const keepCandidates = 10

// Resolver resolves names of one design.
type Resolver struct {
	d     Design
	opt   Options
	fails int
	index *looseIndex

	comp [][]byte // scratch of parse
	buf  []byte
}

// New returns a resolver.
func New(d Design, opt Options) *Resolver { return &Resolver{d: d, opt: opt} }

// kind is what is looked for.
type kind uint8

const (
	kindNet kind = iota
	kindInst
	kindScope
	kindPin
)

var kindNames = [...]string{"net", "instance", "scope", "pin"}

// hit is an object: the net, instance or scope, or (instance, pin), or (None, net) for a port.
type hit struct{ a, b int32 }

var noHit = hit{None, None}

// Net resolves the name of a net bit.
func (r *Resolver) Net(s Spelling, text []byte) (int32, Binding) {
	h, b := r.resolve(kindNet, s, text)
	return h.a, b
}

// Inst resolves the path of a leaf instance.
func (r *Resolver) Inst(s Spelling, text []byte) (int32, Binding) {
	h, b := r.resolve(kindInst, s, text)
	return h.a, b
}

// Scope resolves the path of a hierarchical instance; the empty text is the scope of the spelling.
func (r *Resolver) Scope(s Spelling, text []byte) (int32, Binding) {
	if len(text) == 0 {
		return s.Scope, Binding{Rule: Exact}
	}
	h, b := r.resolve(kindScope, s, text)
	return h.a, b
}

// Pin resolves the path of a pin or port.
func (r *Resolver) Pin(s Spelling, text []byte) (Pin, Binding) {
	h, b := r.resolve(kindPin, s, text)
	return pinOf(h), b
}

func pinOf(h hit) Pin {
	if h.a == None {
		return Pin{None, None, h.b}
	}
	return Pin{h.a, h.b, None}
}

func (r *Resolver) resolve(k kind, s Spelling, text []byte) (hit, Binding) {
	p := r.parse(s, text)
	if h, rule := r.exact(k, s.Scope, p); rule != Unbound {
		return h, Binding{Rule: rule}
	}
	h, b := r.loose(k, s, p)
	if b.Rule == Unbound && !b.Ambiguous {
		if r.fails++; r.fails <= keepCandidates {
			b.Candidates = r.closest(k, s, p)
		}
	}
	return h, b
}

// exact walks the components as they are.
func (r *Resolver) exact(k kind, scope int32, p path) (hit, Rule) {
	n := len(p.comp)
	if n == 0 {
		return noHit, Unbound
	}
	for i, c := range p.comp[:n-1] {
		next := r.d.ChildScope(scope, c)
		if next == None {
			if k == kindPin && i == n-2 {
				if inst := r.d.FindInst(scope, c); inst != None {
					if pin := r.d.PinIndex(inst, p.comp[n-1]); pin != None {
						return hit{inst, pin}, Exact
					}
				}
			}
			return noHit, Unbound
		}
		scope = next
	}
	return r.last(k, scope, p.comp[n-1], p.index)
}

// last looks for the last component in its scope. index is the length of an unescaped index at its end.
func (r *Resolver) last(k kind, scope int32, c []byte, index int) (hit, Rule) {
	switch k {
	case kindInst:
		if i := r.d.FindInst(scope, c); i != None {
			return hit{i, None}, Exact
		}
	case kindScope:
		if i := r.d.ChildScope(scope, c); i != None {
			return hit{i, None}, Exact
		}
	default:
		net, rule := r.net(scope, c, index)
		if rule == Unbound {
			return noHit, Unbound
		}
		if k == kindPin {
			return hit{None, net}, rule
		}
		return hit{net, None}, rule
	}
	return noHit, Unbound
}

// net finds a net bit by a component. An unescaped index selects a bit if it can, an escaped one is part of the name
// if it can.
func (r *Resolver) net(scope int32, c []byte, index int) (int32, Rule) {
	whole := r.d.FindNet(scope, c, noBit)
	if whole != None && index == 0 {
		return whole, Exact
	}
	base, bit, ok := bracketIndex(c)
	if ok {
		if net := r.d.FindNet(scope, base, bit); net != None {
			if index > 0 {
				return net, Exact
			}
			return net, Unescaped
		}
	}
	if whole != None {
		return whole, Unescaped
	}
	return None, Unbound
}

// loose tries the rules behind the exact one.
func (r *Resolver) loose(k kind, s Spelling, p path) (hit, Binding) {
	p = p.clone() // the rules below use the scratch memory
	if h, b := r.structural(k, s, p); b.Rule != Unbound || b.Ambiguous {
		return h, b
	}
	if q, changed := demangle(p); changed {
		h, b := r.structural(k, s, q)
		if b.Rule == Unbound && !b.Ambiguous {
			h, b = r.search(k, s, q, true, Demangled)
		}
		if b.Rule != Unbound {
			b.Rule = Demangled
		}
		if b.Rule != Unbound || b.Ambiguous {
			return h, b
		}
		p = q
	}
	if h, b := r.search(k, s, p, true, IndexForm); b.Rule != Unbound || b.Ambiguous {
		return h, b
	}
	return r.byIndex(k, s, p)
}

// structural tries the path without the name of the top, and with other borders between the components.
func (r *Resolver) structural(k kind, s Spelling, p path) (hit, Binding) {
	if h, rule := r.exact(k, s.Scope, p); rule != Unbound {
		return h, Binding{Rule: rule}
	}
	if s.Scope == 0 && len(p.comp) > 1 {
		if _, top := r.d.ScopeAt(0); bytes.Equal(r.d.NameBytes(top), p.comp[0]) {
			q := path{p.comp[1:], p.index}
			if h, rule := r.exact(k, 0, q); rule != Unbound {
				return h, Binding{Rule: TopName}
			}
			if h, b := r.search(k, s, q, false, Flattened); b.Rule != Unbound || b.Ambiguous {
				return h, b
			}
		}
	}
	return r.search(k, s, p, false, Flattened)
}
