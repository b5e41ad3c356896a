package design

// tally is what one gate adds to the report. Gates of a cell type have few different ones.
type tally struct {
	cell                                      int32 // netlist cell; None for primitives
	gates, states, prims, limits, open        int32
	arcs, annotated, noArc, zeroArc, replaced int32
	rounding
}

// rounding counts what rounding to ticks did to values that are not 0.
type rounding struct {
	nonzero, zeroed, inexact, negative int32
	tens                               int8 // the largest power of ten, at most maxTens, that divides all values in attoseconds
}

// noTens is the power of ten of no values; maxTens is that of 0.1 s.
const (
	noTens  = int8(31)
	maxTens = int8(17)
)

var powersOfTen = func() (p [maxTens + 1]int64) {
	p[0] = 1
	for i := 1; i < len(p); i++ {
		p[i] = 10 * p[i-1]
	}
	return p
}()

// add notes a positive value.
func (r *rounding) add(t Tick, v int64) {
	n, exact := t.round(v)
	if !exact {
		r.inexact++
	}
	if n == 0 {
		r.zeroed++
	}
	r.nonzero++
	k := r.tens
	if k == noTens {
		for k = 6; k < maxTens && v%powersOfTen[k+1] == 0; k++ { // most values are whole picoseconds
		}
	}
	for v%powersOfTen[k] != 0 {
		k--
	}
	r.tens = k
}

// sums are the tallies of all gates and of all wires of a design.
type sums struct {
	nonzero, zeroed, inexact, negative int64
	tens                               [noTens + 1]int64 // how many parts have that power of ten
}

func (s *sums) count(r *rounding, sign int64) {
	s.nonzero += sign * int64(r.nonzero)
	s.zeroed += sign * int64(r.zeroed)
	s.inexact += sign * int64(r.inexact)
	s.negative += sign * int64(r.negative)
	s.tens[r.tens] += sign
}

// holding is the largest tick that holds all values.
func holding(gates, wires *sums) Tick {
	for k := range maxTens + 1 {
		if gates.tens[k] > 0 || wires.tens[k] > 0 {
			return Tick(powersOfTen[k])
		}
	}
	return 1
}

// wireNote is what a pin with a wire adds to the report, packed.
type wireNote uint16

// noWire is the note of a pin that has no wire: an inner node, or a net that a condition observes.
const noWire = wireNote(1<<16 - 1)

func packNote(delayed bool, r *rounding) wireNote {
	n := wireNote(r.negative)<<1 | wireNote(r.zeroed)<<3 | wireNote(r.inexact)<<5 | wireNote(r.nonzero)<<7 | wireNote(r.tens)<<9
	if delayed {
		n |= 1
	}
	return n
}

func (n wireNote) delayed() int64 { return int64(n & 1) }

func (n wireNote) rounding() rounding {
	return rounding{negative: int32(n >> 1 & 3), zeroed: int32(n >> 3 & 3), inexact: int32(n >> 5 & 3), nonzero: int32(n >> 7 & 3), tens: int8(n >> 9 & 31)}
}
