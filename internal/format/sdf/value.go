package sdf

import (
	"github.com/wattd/wattd/internal/diag"
	"github.com/wattd/wattd/internal/format/scan"
)

// Pick returns column col (0 min, 1 typ, 2 max); false where the file leaves it empty.
func (t *Triple) Pick(col int) (scan.Decimal, bool) {
	return t.V[col], t.Has>>col&1 != 0
}

var numBytes = scan.NewClass("0123456789.+-eE")

const maxValues = 12

// values reads delay values into p.val up to the parenthesis that closes the statement. RETAIN is allowed where
// retain is not nil and sets it.
func (p *parser) values(retain *bool) bool {
	p.val = p.val[:0]
	n := 0
	for !p.Close() {
		if p.Peek() != '(' {
			p.Bad("a delay value in parentheses was expected")
			return false
		}
		pos := p.Pos()
		p.Open()
		if c := p.Token(); c > '9' && scan.WordBytes[c&0xff] {
			if p.Word(); retain == nil || string(p.Kw) != "RETAIN" {
				p.BadAt(pos, "a delay value was expected, not %q", p.Kw)
				return false
			}
			*retain = true
			p.st.Retains++
			p.Leave(p.Depth - 1)
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
		p.Bag.Add(diag.SDFValueCount, p.At, "a delay statement without values")
	default:
		p.Bag.Add(diag.SDFValueCount, p.At, "%d delay values; 1, 2, 3, 6 or 12 have a meaning", n)
	}
	return false
}

// delval reads what stands behind the opening parenthesis of a value, the closing one included: a triple or
// (d) (r) (e).
func (p *parser) delval(v *Value) bool {
	if p.Peek() != '(' {
		return p.triple(&v.D)
	}
	n := 0
	for !p.Close() {
		if p.Peek() != '(' || n == 3 {
			p.Bad("pulse limits are written ((delay) (reject) (error))")
			return false
		}
		p.Open()
		p.Space()
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
		if b := p.Take(numBytes); len(b) > 0 {
			d, ok := scan.ParseDecimal(b)
			if !ok {
				p.Bad("%q is not a number of at most 18 digits", b)
				return false
			}
			t.V[col] = d
			t.Has |= 1 << col
		}
		switch c := p.Token(); {
		case c == ':' && col < 2:
			p.Skip(1)
			p.Space()
			col++
		case c == ')' && col != 1:
			p.Skip(1)
			p.Depth--
			if col == 0 && t.Has != 0 {
				t.V[1], t.V[2] = t.V[0], t.V[0]
				t.Has, t.Single = HasMin|HasTyp|HasMax, true
			}
			return true
		default:
			p.Bad("a delay value is one number or three columns min:typ:max")
			return false
		}
	}
}

// limits reads the one or two pulse limits of PATHPULSE into p.lim.
func (p *parser) limits() bool {
	p.lim = p.lim[:0]
	for !p.Close() {
		if p.Peek() != '(' || len(p.lim) == 2 {
			p.Bad("one or two pulse limits in parentheses were expected")
			return false
		}
		p.Open()
		p.Space()
		p.lim = append(p.lim, Triple{})
		if !p.triple(&p.lim[len(p.lim)-1]) {
			return false
		}
	}
	if len(p.lim) == 0 {
		p.Bag.Add(diag.SDFValueCount, p.At, "a pulse limit statement without values")
		return false
	}
	return true
}
