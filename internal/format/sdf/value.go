package sdf

import (
	"github.com/wattd/wattd/internal/diag"
	"github.com/wattd/wattd/internal/format/scan"
)

// Pick returns column col (0 min, 1 typ, 2 max); false where the file leaves it empty.
func (t *Triple) Pick(col int) (scan.Decimal, bool) {
	return t.V[col], t.Has>>col&1 != 0
}

const maxValues = 12

// values reads delay values into p.val up to the parenthesis that closes the statement. RETAIN is allowed where
// retain is not nil and sets it.
func (p *parser) values(retain *bool) bool {
	p.val = p.val[:0]
	n := 0
	for !p.close() {
		if p.s.Peek() != '(' {
			p.bad("a delay value in parentheses was expected")
			return false
		}
		pos := p.s.Pos()
		p.open()
		if c := p.peek(); c > '9' && wordBytes[c&0xff] {
			if p.word(); retain == nil || string(p.kw) != "RETAIN" {
				p.badAt(pos, "a delay value was expected, not %q", p.kw)
				return false
			}
			*retain = true
			p.st.Retains++
			p.leave(p.depth - 1)
			continue
		}
		// Past twelve the values are only counted, into a spare place.
		v := &p.spare
		if n++; n <= maxValues {
			p.val = p.val[:n]
			v = &p.val[n-1]
		}
		*v = Value{Pos: pos}
		if !p.delval(v) {
			return false
		}
	}
	switch n {
	case 1, 2, 3, 6, 12:
		return true
	case 0:
		p.bag.Add(diag.SDFValueCount, p.at, "a delay statement without values")
	default:
		p.bag.Add(diag.SDFValueCount, p.at, "%d delay values; 1, 2, 3, 6 or 12 have a meaning", n)
	}
	return false
}

// delval reads what stands behind the opening parenthesis of a value, the closing one included: a triple or
// (d) (r) (e).
func (p *parser) delval(v *Value) bool {
	if p.s.Peek() != '(' {
		return p.triple(&v.D)
	}
	n := 0
	for !p.close() {
		if p.s.Peek() != '(' || n == 3 {
			p.bad("pulse limits are written ((delay) (reject) (error))")
			return false
		}
		p.open()
		p.space()
		if !p.triple([...]*Triple{&v.D, &v.Reject, &v.Error}[n]) {
			return false
		}
		n++
	}
	if n > 1 {
		v.Limits = uint8(n)
	}
	return true
}

// triple reads `)`, `v)` or `min:typ:max)` with columns left out at will.
func (p *parser) triple(t *Triple) bool {
	for col := 0; ; {
		if b := p.s.Take(numBytes); len(b) > 0 {
			d, ok := scan.ParseDecimal(b)
			if !ok {
				p.bad("%q is not a number of at most 18 digits", b)
				return false
			}
			t.V[col] = d
			t.Has |= 1 << col
		}
		switch c := p.peek(); {
		case c == ':' && col < 2:
			p.s.Skip(1)
			p.space()
			col++
		case c == ')' && col != 1:
			p.s.Skip(1)
			p.depth--
			if col == 0 && t.Has != 0 {
				t.V[1], t.V[2] = t.V[0], t.V[0]
				t.Has, t.Single = HasMin|HasTyp|HasMax, true
			}
			return true
		default:
			p.bad("a delay value is one number or three columns min:typ:max")
			return false
		}
	}
}

// limits reads the one or two pulse limits of PATHPULSE into p.lim.
func (p *parser) limits() bool {
	p.lim = p.lim[:0]
	for !p.close() {
		if p.s.Peek() != '(' || len(p.lim) == 2 {
			p.bad("one or two pulse limits in parentheses were expected")
			return false
		}
		p.open()
		p.space()
		p.lim = append(p.lim, Triple{})
		if !p.triple(&p.lim[len(p.lim)-1]) {
			return false
		}
	}
	if len(p.lim) == 0 {
		p.bag.Add(diag.SDFValueCount, p.at, "a pulse limit statement without values")
		return false
	}
	return true
}
