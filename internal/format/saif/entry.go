package saif

import (
	"math"

	"github.com/wattd/wattd/internal/format/scan"
)

var numBytes = scan.NewClass("0123456789.+-eE")

// instances reads an INSTANCE behind its keyword and all below it. It keeps its own stack, so that nesting costs no
// stack of ours.
func (p *parser) instances() {
	p.stack = p.stack[:0]
	if !p.begin(-1) {
		return
	}
	for len(p.stack) > 0 {
		if !p.Stmt() {
			if p.Stop || p.Peek() < 0 {
				return
			}
			p.stack = p.stack[:len(p.stack)-1]
			continue
		}
		inst, d := p.stack[len(p.stack)-1], p.Depth-1
		switch string(p.Kw) {
		case "INSTANCE", "VIRTUAL_INSTANCE":
			if p.begin(inst) {
				continue
			}
		case "NET":
			p.entries(inst, Net)
		case "PORT":
			p.entries(inst, Port)
		default:
			p.skipped()
		}
		p.Leave(d)
	}
}

// begin reads `["cell"] name` and opens the instance below parent.
func (p *parser) begin(parent int32) bool {
	virtual := p.Kw[0] == 'V'
	at, module := p.At, int32(0)
	quoted := p.Token() == '"'
	if quoted {
		p.raw = p.Str(p.raw[:0])
		module = p.f.Names.Intern(p.raw)
	}
	if c := p.Token(); !quoted || c != '(' && c != ')' {
		p.raw = p.Name(p.raw[:0])
	} else {
		module = 0 // the only string is the name
	}
	if len(p.raw) == 0 {
		p.Bad("INSTANCE without a name")
		return false
	}
	p.comps, p.buf, _ = scan.SplitPath(p.raw, p.f.Divider, p.comps, p.buf)
	if len(p.comps) == 0 {
		p.Bad("INSTANCE without a name")
		return false
	}
	last := len(p.comps) - 1
	parent = p.imply(parent, p.comps[:last], int32(at.Line))
	p.f.Insts = append(p.f.Insts, Inst{
		Parent: parent, Name: p.f.Names.Intern(component(p.comps[last])), Module: module, Line: int32(at.Line), Virtual: virtual,
	})
	p.stack = append(p.stack, int32(len(p.f.Insts)-1))
	return true
}

// imply returns the instance that a divided name stands in.
func (p *parser) imply(parent int32, comps [][]byte, line int32) int32 {
	for _, c := range comps {
		name := p.f.Names.Intern(component(c))
		key := uint64(uint32(parent))<<32 | uint64(name)
		inst, ok := p.implied[key]
		if !ok {
			if p.implied == nil {
				p.implied = map[uint64]int32{}
			}
			inst = int32(len(p.f.Insts))
			p.f.Insts = append(p.f.Insts, Inst{Parent: parent, Name: name, Line: line})
			p.implied[key] = inst
		}
		parent = inst
	}
	return parent
}

// component takes off what is left of a Verilog escaped name when a writer escaped its backslash too.
func component(b []byte) []byte {
	if len(b) > 1 && b[0] == '\\' {
		b = b[1:]
		for len(b) > 1 && b[len(b)-1] == ' ' {
			b = b[:len(b)-1]
		}
	}
	return b
}

// entries reads a NET or PORT group. A member that cannot be read is left by its parentheses.
func (p *parser) entries(inst int32, kind Kind) {
	for p.Item() {
		d := p.Depth - 1
		p.entry(inst, kind)
		p.Leave(d)
	}
}

func (p *parser) entry(inst int32, kind Kind) {
	e := Entry{Inst: inst, Kind: kind, Line: int32(p.At.Line)}
	if p.Token() == '"' {
		p.raw = p.Str(p.raw[:0])
	} else {
		p.raw = p.Name(p.raw[:0])
	}
	round := p.Peek() == '(' && digit(p.PeekAt(1))
	if round && !p.roundIndex(&e) {
		return
	}
	var idx scan.Index
	p.comps, p.buf, idx = scan.SplitPath(p.raw, p.f.Divider, p.comps, p.buf)
	if len(p.comps) == 0 {
		p.Bad("an entry without a name")
		return
	}
	last := len(p.comps) - 1
	name := component(p.comps[last])
	if !round {
		e.Form = Plain
		if idx.Len == 0 {
			e.Form, idx = Escaped, scan.TrailingIndex(name)
		}
		if idx.Len == 0 || idx.Len >= len(name) {
			e.Form, idx = NoIndex, scan.Index{}
		}
		e.Index, name = idx.N, name[:len(name)-idx.Len]
	}
	e.Inst = p.imply(inst, p.comps[:last], e.Line)
	e.Name = p.f.Names.Intern(name)
	p.f.Entries = append(p.f.Entries, e)
	p.f.has = append(p.f.has, 0)
	p.counters(int32(len(p.f.Entries) - 1))
}

func digit(c int) bool { return c >= '0' && c <= '9' }

// roundIndex reads the (3) of a(3), which no counter can begin with.
func (p *parser) roundIndex(e *Entry) bool {
	p.Open()
	v, ok := p.number()
	if !ok || v.Frac != 0 || v.Int > 1<<31-1 || !p.Close() {
		p.Bad("an index was expected")
		return false
	}
	e.Form, e.Index = Round, int32(v.Int)
	return true
}

func counterOf(kw []byte) (Counter, bool) {
	if len(kw) != 2 {
		return 0, false
	}
	for c, n := range counterNames {
		if n[1] == kw[1] && n[0] == kw[0] {
			return Counter(c), true
		}
	}
	return 0, false
}

// counters reads the counters of entry e and closes it.
func (p *parser) counters(e int32) {
	p.byState.has, p.byPath.has = 0, 0
	for !p.Close() {
		if p.Peek() != '(' {
			p.Bad("a counter such as (TC 12) was expected")
			return
		}
		d := p.Depth
		p.Open()
		p.Space()
		p.Word()
		if c, ok := counterOf(p.Kw); ok {
			p.Space()
			v, ok := p.number()
			if !ok || !p.Close() {
				p.Bad("%s needs one number that is not negative", c)
				return
			}
			if p.f.has[e]>>c&1 != 0 {
				p.Bad("%s for the second time", c)
				return
			}
			p.f.set(e, c, v)
			continue
		}
		switch string(p.Kw) {
		case "COND", "COND_DEFAULT":
			p.dependent(d, &p.byState)
		case "RISE", "FALL", "IOPATH", "IOPATH_DEFAULT":
			p.dependent(d, &p.byPath)
		default:
			p.skipped()
		}
		p.Leave(d)
	}
	for _, s := range [...]*sums{&p.byState, &p.byPath} {
		for c := range NumCounters {
			if (s.has&^p.f.has[e])>>c&1 != 0 {
				p.f.set(e, c, s.v[c])
				p.f.Entries[e].Summed = true
			}
		}
	}
}

// dependent adds up the counters inside a state or path dependent group, whatever its nesting: the states of an entry
// exclude one another, and so do the paths.
func (p *parser) dependent(d int, to *sums) {
	p.f.Stats.Dependent++
	for p.Depth > d && !p.Stop {
		switch p.Token() {
		case '(':
			p.Open()
			p.Space()
			p.Word()
			if c, ok := counterOf(p.Kw); ok {
				p.Space()
				// A pin may be called T1: a counter is followed by a number and nothing else.
				if v, ok := p.number(); ok && p.Close() {
					to.add(c, v)
				}
			}
		case ')':
			p.Skip(1)
			p.Depth--
		case -1:
			return
		default:
			p.Junk()
		}
	}
}

// sums are added counters.
type sums struct {
	v   [NumCounters]Value
	has uint16
}

func (t *sums) add(c Counter, v Value) {
	s := &t.v[c]
	if t.has>>c&1 == 0 {
		t.has |= 1 << c
		*s = Value{}
	}
	s.Int += v.Int
	if s.Frac += v.Frac; s.Frac >= 1 {
		s.Int++
		s.Frac--
	}
	if s.Int < 0 {
		s.Int = 1<<63 - 1 // more than any duration: the check against it will tell
	}
}

// number reads a number that is not negative.
func (p *parser) number() (Value, bool) {
	b := p.Take(numBytes)
	if len(b) > 0 && len(b) <= 18 {
		n := int64(0)
		for i, c := range b {
			if c < '0' || c > '9' {
				break
			}
			if n = n*10 + int64(c-'0'); i == len(b)-1 {
				return Value{Int: n}, true
			}
		}
	}
	return parseFloat(b)
}

// parseFloat reads a number with a point or an exponent. Zeros behind the point cost no digits.
func parseFloat(b []byte) (Value, bool) {
	point, exp := false, false
	for _, c := range b {
		point = point || c == '.'
		exp = exp || c|0x20 == 'e'
	}
	if point && !exp {
		for n := len(b); n > 1 && b[n-1] == '0' && b[n-2] != '.'; n-- {
			b = b[:n-1]
		}
	}
	d, ok := scan.ParseDecimal(b)
	if !ok || d.Coef < 0 {
		return Value{}, false
	}
	v, exact, ok := d.Scale(0)
	if !ok || v > 1e18 {
		return Value{}, false
	}
	if exact {
		return Value{Int: v}, true
	}
	// Scale rounds to odd, so the parts are taken from the digits.
	if d.Exp < -18 {
		return Value{Frac: float64(d.Coef) * math.Pow10(int(d.Exp))}, true
	}
	pow := int64(1)
	for range -d.Exp {
		pow *= 10
	}
	frac := float64(d.Coef%pow) / float64(pow)
	return Value{Int: d.Coef / pow, Frac: min(frac, math.Nextafter(1, 0))}, true
}
