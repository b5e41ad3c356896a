package workspace

import (
	"strconv"

	"github.com/wattd/wattd/internal/netlist"
)

// Style is a spelling of names in answers.
type Style uint8

// The styles. Verilog is that of all files and tables of wattd: components joined by "/", a backslash only where a name would be
// taken for another one. SDC puts a backslash in front of each "/", "[" and "]" that belongs to a component; SAIF in front
// of all that is no letter, digit or underscore, brackets of bits included.
const (
	Verilog Style = iota
	SDC
	SAIF
)

// In is the snapshot with names spelled in a style.
func (s *Snapshot) In(style Style) *Snapshot {
	if style == s.style {
		return s
	}
	c := *s
	c.style = style
	return &c
}

// NetName is the name of a net in the style of the snapshot.
func (s *Snapshot) NetName(net int32) string {
	nl := s.Session.Netlist
	if s.style == Verilog || net <= netlist.Const1 || nl.IsHidden(net) {
		return nl.NetName(net)
	}
	n := &nl.Nets[net]
	return s.refName(netlist.Ref{Scope: n.Scope, Name: n.Name, Bit: n.Bit})
}

// refName is one of the names of a net in the style of the snapshot.
func (s *Snapshot) refName(r netlist.Ref) string {
	if s.style == Verilog {
		return s.Session.Netlist.RefPath(r, '/')
	}
	b := s.component(s.scope(nil, r.Scope), r.Name)
	if r.Bit != netlist.NoBit {
		left, right := "[", "]"
		if s.style == SAIF {
			left, right = `\[`, `\]`
		}
		b = append(strconv.AppendInt(append(b, left...), int64(r.Bit), 10), right...)
	}
	return string(b)
}

// InstName is the path of an instance in the style of the snapshot.
func (s *Snapshot) InstName(inst int32) string {
	nl := s.Session.Netlist
	if s.style == Verilog {
		return nl.InstPath(inst, '/')
	}
	return string(s.component(s.scope(nil, nl.Insts[inst].Scope), nl.Insts[inst].Name))
}

// scopeName is the path of a scope in the style of the snapshot.
func (s *Snapshot) scopeName(scope int32) string {
	nl := s.Session.Netlist
	if s.style == Verilog {
		return string(nl.AppendScopePath(nil, scope, '/'))
	}
	b := s.scope(nil, scope)
	return string(b[:max(0, len(b)-1)])
}

// scope appends the path of a scope and a divider, nothing for the top.
func (s *Snapshot) scope(b []byte, scope int32) []byte {
	x := &s.Session.Netlist.Scopes[scope]
	if x.Parent == None {
		return b
	}
	return append(s.component(s.scope(b, x.Parent), x.Name), '/')
}

func (s *Snapshot) component(b []byte, name int32) []byte {
	for _, c := range s.Session.Netlist.Names.Bytes(name) {
		plain := c == '_' || c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c >= 0x80
		if c == '/' || c == '[' || c == ']' || c == '\\' || s.style == SAIF && !plain {
			b = append(b, '\\')
		}
		b = append(b, c)
	}
	return b
}
