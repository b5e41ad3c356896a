package scan

import (
	"math/bits"
)

// Decimal is the exact value Coef x 10^Exp. Delays are decimals until their one rounding to ticks
// (shared rule: never floats).
type Decimal struct {
	Coef int64
	Exp  int32
}

// ParseDecimal reads an optional sign, digits with an optional point, and an optional exponent. It fails on anything
// else, on more than 18 significant digits and on exponents beyond +-99.
func ParseDecimal(b []byte) (Decimal, bool) {
	var d Decimal
	i, neg := 0, false
	if i < len(b) && (b[i] == '+' || b[i] == '-') {
		neg = b[i] == '-'
		i++
	}
	digits, point, sig := 0, false, 0
	for ; i < len(b); i++ {
		c := b[i]
		if c == '.' && !point {
			point = true
			continue
		}
		if c < '0' || c > '9' {
			break
		}
		digits++
		if sig > 0 || c != '0' {
			sig++
		}
		if sig > 18 {
			return d, false
		}
		d.Coef = d.Coef*10 + int64(c-'0')
		if point {
			d.Exp--
		}
	}
	if digits == 0 {
		return d, false
	}
	if i < len(b) && (b[i] == 'e' || b[i] == 'E') {
		i++
		eneg, e, n := false, int32(0), 0
		if i < len(b) && (b[i] == '+' || b[i] == '-') {
			eneg = b[i] == '-'
			i++
		}
		for ; i < len(b) && b[i] >= '0' && b[i] <= '9' && n < 3; i, n = i+1, n+1 {
			e = e*10 + int32(b[i]-'0')
		}
		if n == 0 || e > 99 {
			return d, false
		}
		if eneg {
			e = -e
		}
		d.Exp += e
	}
	if i != len(b) {
		return d, false
	}
	if neg {
		d.Coef = -d.Coef
	}
	return d, true
}

// Scale returns d in whole units of 10^unit and whether that is exact. An inexact value is cut towards zero with its
// last unit made odd when it was even ("round to odd"), so that one later rounding to a coarser unit is right.
// ok is false when the value does not fit in an int64.
func (d Decimal) Scale(unit int32) (v int64, exact, ok bool) {
	e := d.Exp - unit
	if d.Coef == 0 {
		return 0, true, true
	}
	neg, u := d.Coef < 0, uint64(d.Coef)
	if neg {
		u = -u
	}
	exact = true
	for ; e > 0; e-- {
		hi, lo := bits.Mul64(u, 10)
		if hi != 0 || lo > 1<<63-1 {
			return 0, false, false
		}
		u = lo
	}
	for ; e < 0 && u > 0; e++ {
		if u%10 != 0 {
			exact = false
		}
		u /= 10
	}
	if u > 1<<63-1 {
		return 0, false, false
	}
	if !exact {
		u |= 1
	}
	v = int64(u)
	if neg {
		v = -v
	}
	return v, exact, true
}
