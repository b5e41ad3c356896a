package design

import (
	"fmt"
	"math/bits"
	"strings"

	"github.com/wattd/wattd/internal/format/scan"
)

// atto is the exponent of the unit in which delays are summed before their one rounding: 10^-18 s. A finer part of a
// value is kept as an odd last digit, which no rounding to a tick of 1 fs or more can see.
const atto = -18

// Tick is the unit of time of a project, in attoseconds.
type Tick int64

const finestTick Tick = 1000

// Picosecond is the default tick.
const Picosecond Tick = 1e6

// ParseTick reads "1ps", "10 fs", "100ps", "1ns".
func ParseTick(s string) (Tick, error) {
	v, err := ParseSeconds(s)
	if err != nil {
		return 0, err
	}
	t, exact, ok := v.Scale(atto)
	if !ok || !exact || Tick(t) < finestTick {
		return 0, fmt.Errorf("tick %q: want 1fs or more, for example 1ps", s)
	}
	return Tick(t), nil
}

var timeUnits = []struct {
	name string
	exp  int32
}{{"fs", -15}, {"ps", -12}, {"ns", -9}, {"us", -6}, {"ms", -3}, {"s", 0}}

// ParseSeconds reads a number with a unit of time, such as "10ns" or "2.5 us".
func ParseSeconds(s string) (scan.Decimal, error) {
	t := strings.TrimSpace(s)
	for _, u := range timeUnits {
		if num, ok := strings.CutSuffix(t, u.name); ok {
			num = strings.TrimSpace(num)
			if num == "" || strings.ContainsAny(num[len(num)-1:], "fpnum") {
				continue
			}
			d, ok := scan.ParseDecimal([]byte(num))
			if !ok {
				break
			}
			d.Exp += u.exp
			return d, nil
		}
	}
	return scan.Decimal{}, fmt.Errorf("time %q: want a number with a unit (fs ps ns us ms s), for example 10ns", s)
}

func (t Tick) String() string { return FormatSeconds(int64(t)) }

// FormatSeconds prints a number of attoseconds with the largest unit that keeps it whole.
func FormatSeconds(as int64) string {
	for i := len(timeUnits) - 1; i >= 0; i-- {
		u := int64(1)
		for e := timeUnits[i].exp; e > atto; e-- {
			u *= 10
		}
		if as%u == 0 && as != 0 {
			return fmt.Sprintf("%d%s", as/u, timeUnits[i].name)
		}
	}
	return fmt.Sprintf("%das", as)
}

// round returns as attoseconds in ticks, halves away from zero, and whether that was exact.
func (t Tick) round(as int64) (int64, bool) {
	q, r := as/int64(t), as%int64(t)
	switch {
	case r == 0:
		return q, true
	case r > 0 && r >= int64(t)-r:
		q++
	case r < 0 && -r >= int64(t)+r:
		q--
	}
	return q, false
}

// FromUnit returns n units of coef x 10^exp seconds in ticks; ok is false when that is not a whole number or too large.
func (t Tick) FromUnit(n int64, coef, exp int32) (int64, bool) {
	u, exact, ok := scan.Decimal{Coef: int64(coef), Exp: exp}.Scale(atto)
	if !ok || !exact {
		return 0, false
	}
	neg := n < 0
	if neg {
		n = -n
	}
	hi, lo := bits.Mul64(uint64(n), uint64(u))
	if hi >= uint64(t) {
		return 0, false
	}
	q, r := bits.Div64(hi, lo, uint64(t))
	if r != 0 || q > 1<<62 {
		return 0, false
	}
	if neg {
		return -int64(q), true
	}
	return int64(q), true
}

// FromDecimal returns a time in seconds as ticks; ok is false when that is not a whole number or too large.
func (t Tick) FromDecimal(d scan.Decimal) (int64, bool) {
	for d.Coef != 0 && d.Coef%10 == 0 {
		d.Coef /= 10
		d.Exp++
	}
	if d.Coef == 0 {
		return 0, true
	}
	return t.FromUnit(d.Coef, 1, d.Exp)
}
