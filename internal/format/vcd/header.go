package vcd

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/wattd/wattd/internal/diag"
)

// maxText bounds the text of $date and $version that is kept.
const maxText = 1 << 12

type scopeKey struct {
	parent int32
	name   string
}

type dupKey struct {
	scope, id, msb, lsb int32
	name                string
}

// headerParser reads the declaration commands.
type headerParser struct {
	*Reader
	scope  int32
	scopes map[scopeKey]int32
	// The variables of an identifier beyond its first: a duplicate is one of these or the first.
	dups    map[dupKey]struct{}
	firstOf []int32 // by ID, index in Vars
	text    []byte
	scaled  bool // $timescale was seen
}

func (p *headerParser) parse() {
	for {
		t := p.in.token()
		if t == nil {
			if p.in.fault() == nil {
				p.ended("the file ends before $enddefinitions")
			}
			return
		}
		pos := p.in.place(p.in.pos - len(t))
		switch string(t) {
		case "$date":
			p.h.Date = p.textCommand(pos)
		case "$version":
			p.h.Version = p.textCommand(pos)
		case "$comment":
			p.skip(pos, "$comment")
		case "$attrbegin": // types, enumerations and sources of what follows, by GHDL, NVC and fst2vcd
			p.skip(pos, "$attrbegin")
		case "$attrend":
			p.skip(pos, "$attrend")
		case "$timescale":
			p.timescale(pos)
		case "$scope":
			p.openScope(pos)
		case "$upscope":
			p.skip(pos, "$upscope")
			if p.scope == 0 {
				p.add(diag.VCDUpscope, pos, "$upscope outside of any scope")
			} else {
				p.scope = p.h.Scopes[p.scope].Parent
			}
		case "$var":
			p.variable(pos)
		case "$enddefinitions":
			p.endDefinitions(pos)
			return
		case "$end": // stray
		case "$dumpvars", "$dumpall", "$dumpon", "$dumpoff", "$dumpports":
			p.add(diag.VCDNoDefinitions, pos, "%s before $enddefinitions", t)
			return
		default:
			if t[0] == '#' && len(t) > 1 && isDigits(t[1:]) {
				p.add(diag.VCDNoDefinitions, pos, "time stamp %s before $enddefinitions", clip(t))
				return
			}
			if t[0] == '$' {
				p.add(diag.VCDUnknownKeyword, pos, "%s is skipped", clip(t))
				p.skip(pos, clip(t))
				continue
			}
			p.add(diag.VCDSyntax, pos, "%q among the declarations", clip(t))
		}
	}
}

// ended reports that the stream stopped within the header.
func (p *headerParser) ended(what string) {
	pos := p.in.place(p.in.pos)
	if p.in.err == errTokenTooLong {
		p.add(diag.VCDTokenTooLong, pos, "a word of more than %d bytes", maxToken)
		return
	}
	p.add(diag.VCDNoDefinitions, pos, "%s", what)
}

func (p *headerParser) skip(pos diag.Pos, keyword string) {
	if !p.in.skipToEnd() {
		p.unterminated(pos, keyword)
	}
}

// unterminated reports that the stream stopped within a command, unless that is not the fault of the input.
func (p *headerParser) unterminated(pos diag.Pos, keyword string) {
	if p.in.fault() == nil && p.in.err != errTokenTooLong {
		p.add(diag.VCDUnterminated, pos, "%s without $end", keyword)
	}
}

// words collects what stands before $end, single blanks between the words, up to max bytes.
func (p *headerParser) words(pos diag.Pos, keyword string, max int) ([]byte, bool) {
	p.text = p.text[:0]
	for {
		t := p.in.token()
		if t == nil {
			p.unterminated(pos, keyword)
			return p.text, false
		}
		if string(t) == "$end" {
			return p.text, true
		}
		if len(p.text)+len(t) < max {
			if len(p.text) > 0 {
				p.text = append(p.text, ' ')
			}
			p.text = append(p.text, t...)
		}
	}
}

func (p *headerParser) textCommand(pos diag.Pos) string {
	t, _ := p.words(pos, "text", maxText)
	return string(t)
}

func (p *headerParser) openScope(pos diag.Pos) {
	t, ok := p.words(pos, "$scope", maxToken)
	typ, name, _ := strings.Cut(string(t), " ")
	if !ok {
		return
	}
	if typ == "" {
		p.add(diag.VCDSyntax, pos, "$scope without a type and a name")
	}
	key := scopeKey{p.scope, name}
	s, again := p.scopes[key]
	if !again {
		s = int32(len(p.h.Scopes))
		p.h.Scopes = append(p.h.Scopes, Scope{Parent: p.scope, Name: name, Type: typ})
		p.scopes[key] = s
	}
	p.scope = s
}

// variable reads `$var type width code name [range] $end`. The first three are taken by position; the name may have
// blanks in it.
func (p *headerParser) variable(pos diag.Pos) {
	v := Var{Scope: p.scope, Pos: pos}
	t := p.in.token()
	v.Type = p.intern(t)
	if string(t) == "$end" {
		p.add(diag.VCDSyntax, pos, "$var without a type")
		return
	}
	w := p.in.token()
	if w == nil {
		p.unterminated(pos, "$var")
		return
	}
	isPort := len(w) > 0 && w[0] == '[' // $var port [3:0] <1 name $end
	if !parseWidth(w, isPort, &v) {
		p.add(diag.VCDSyntax, pos, "%q is not the width of a variable (0 to %d)", clip(w), maxToken)
		if string(w) != "$end" {
			p.skip(pos, "$var")
		}
		return
	}
	c := p.in.token()
	if string(c) == "$end" {
		p.add(diag.VCDSyntax, pos, "$var without an identifier code")
		return
	}
	if !printable(c) {
		p.add(diag.VCDSyntax, pos, "identifier code %q has bytes that are not printable", clip(c))
		p.skip(pos, "$var")
		return
	}
	before := p.codes.Len()
	id := p.codes.Intern(c) - 1
	name, ok := p.words(pos, "$var", maxToken)
	if !ok {
		return
	}
	if len(name) == 0 {
		p.add(diag.VCDSyntax, pos, "$var without a name")
	}
	if !isPort {
		name = splitRange(name, &v)
	}
	v.ID, v.Name = id, string(name)
	p.declare(v, p.codes.Len() > before)
}

// parseWidth reads a number, or a range in its place.
func parseWidth(w []byte, isRange bool, v *Var) bool {
	if isRange {
		m, l, _, ok := parseRange(w)
		v.Msb, v.Lsb, v.HasRange, v.Width = m, l, true, span(m, l)
		return ok && v.Width > 0
	}
	n, err := strconv.ParseUint(string(w), 10, 31)
	v.Width = int32(n)
	return err == nil && n <= maxToken
}

// declare adds a variable unless it was declared before.
func (p *headerParser) declare(v Var, fresh bool) {
	if fresh {
		p.h.Widths = append(p.h.Widths, v.Width)
		p.noBits = append(p.noBits, isNoBits(v.Type) || v.Width == 0)
		p.firstOf = append(p.firstOf, int32(len(p.h.Vars)))
		p.h.Vars = append(p.h.Vars, v)
		return
	}
	f := &p.h.Vars[p.firstOf[v.ID]]
	key := dupKey{v.Scope, v.ID, v.Msb, v.Lsb, v.Name}
	if f.Scope == v.Scope && f.Name == v.Name && f.Msb == v.Msb && f.Lsb == v.Lsb {
		return
	}
	if _, dup := p.dups[key]; dup {
		return
	}
	p.dups[key] = struct{}{}
	if v.Width != p.h.Widths[v.ID] {
		p.add(diag.VCDAliasWidth, v.Pos, "%s has %d bits; others with its code %q have %d", v.Name, v.Width, p.codes.Bytes(v.ID+1), p.h.Widths[v.ID])
		p.h.Widths[v.ID] = max(p.h.Widths[v.ID], v.Width)
	}
	p.h.Vars = append(p.h.Vars, v)
}

// types holds the words that nearly every $var uses, so that a million of them share their text.
var types = func() map[string]string {
	m := map[string]string{}
	for _, s := range []string{
		"wire", "reg", "logic", "bit", "tri", "triand", "trior", "trireg", "tri0", "tri1", "wand",
		"wor", "supply0", "supply1", "integer", "int", "byte", "shortint", "longint", "enum", "parameter", "time", "real",
		"realtime", "shortreal", "real_parameter", "event", "string", "port",
	} {
		m[s] = s
	}
	return m
}()

func (p *headerParser) intern(t []byte) string {
	if s, ok := types[string(t)]; ok {
		return s
	}
	return string(t)
}

func isNoBits(typ string) bool {
	switch typ {
	case "real", "realtime", "shortreal", "real_parameter", "event", "string":
		return true
	}
	return false
}

// splitRange takes the range off a name: always one that stands apart; one that is attached only if it says the width
// of the variable and the name is not escaped (an index in an escaped name is part of it; one of an array word is no
// range).
func splitRange(name []byte, v *Var) []byte {
	open := bytes.LastIndexByte(name, '[')
	if open <= 0 || name[len(name)-1] != ']' {
		return name
	}
	m, l, one, ok := parseRange(name[open:])
	if !ok {
		return name
	}
	apart := name[open-1] == ' '
	if !apart && (name[0] == '\\' || span(m, l) != v.Width || one && v.Width != 1) {
		return name
	}
	v.HasRange, v.Msb, v.Lsb = true, m, l
	return bytes.TrimRight(name[:open], " ")
}

// parseRange reads `[m:l]` or `[m]` (one), blanks allowed.
func parseRange(b []byte) (m, l int32, one, ok bool) {
	if len(b) < 3 || b[0] != '[' || b[len(b)-1] != ']' {
		return
	}
	left, right, two := bytes.Cut(b[1:len(b)-1], []byte{':'})
	x, err := strconv.ParseInt(string(bytes.TrimSpace(left)), 10, 32)
	if err != nil {
		return
	}
	y := x
	if two {
		if y, err = strconv.ParseInt(string(bytes.TrimSpace(right)), 10, 32); err != nil {
			return
		}
	}
	return int32(x), int32(y), !two, true
}

// span is the number of bits of a range; -1 if it is too wide to be one.
func span(m, l int32) int32 {
	d := int64(m) - int64(l)
	if d < 0 {
		d = -d
	}
	if d >= maxToken {
		return -1
	}
	return int32(d + 1)
}

func (p *headerParser) timescale(pos diag.Pos) {
	t, ok := p.words(pos, "$timescale", maxText)
	if !ok || p.unit != nil {
		return
	}
	ts, ok := parseTimescale(string(t))
	if !ok {
		p.add(diag.VCDTimescale, pos, "$timescale %q is not 1, 10 or 100 of s, ms, us, ns, ps, fs or as", clip(t))
		p.scaled = true // one message is enough
		return
	}
	if p.scaled && (ts.coef != p.h.UnitCoef || ts.exp != p.h.UnitExp) {
		p.add(diag.VCDTimescale, pos, "$timescale %s contradicts the one before", t)
		return
	}
	p.scaled = true
	p.h.UnitCoef, p.h.UnitExp = ts.coef, ts.exp
}

func parseTimescale(s string) (timescale, bool) {
	s = strings.ToLower(strings.ReplaceAll(s, " ", ""))
	digits := strings.TrimRight(s, "smunpfa")
	exps := map[string]int32{"s": 0, "ms": -3, "us": -6, "ns": -9, "ps": -12, "fs": -15, "as": -18}
	exp, ok := exps[s[len(digits):]]
	if !ok {
		return timescale{}, false
	}
	switch digits {
	case "1":
		return timescale{1, exp}, true
	case "10":
		return timescale{10, exp}, true
	case "100":
		return timescale{100, exp}, true
	}
	return timescale{}, false
}

func (p *headerParser) endDefinitions(pos diag.Pos) {
	// A missing $end must not take the first time stamp with it.
	switch t := p.in.token(); {
	case t == nil, string(t) == "$end":
	default:
		p.add(diag.VCDUnterminated, pos, "$enddefinitions without $end")
		p.in.pos -= len(t)
	}
	switch {
	case p.unit != nil:
		p.h.UnitCoef, p.h.UnitExp = p.unit.coef, p.unit.exp
	case !p.scaled:
		p.add(diag.VCDTimescale, pos, "the file has no $timescale")
	}
	p.ready = true
}

func isDigits(b []byte) bool {
	for _, c := range b {
		if c < '0' || c > '9' {
			return false
		}
	}
	return len(b) > 0
}
