// Package saif reads and writes the Switching Activity Interchange Format (IEEE 1801 annex I), backward SAIF 2.0.
//
// Contract: Read streams a file of any size into flat columns, in the terms of the file: hierarchy as instances, names
// unescaped, counters as written; a counter that is absent is not zero. State and path dependent counters are summed
// where the plain counter is absent, and counted. Writer writes what it is told in the order it is told, without a
// date, so equal activity gives equal bytes. What a name means in the design is not decided here.
package saif

import (
	"github.com/wattd/wattd/internal/format/scan"
)

// Counter names one value of an entry.
type Counter uint8

// The counters: time at 0, 1, X, Z and in contention; changes 0<->1; glitch edges that got through (TG) and that were
// filtered (IG), and the derating of IG.
const (
	T0 Counter = iota
	T1
	TX
	TZ
	TB
	TC
	TG
	IG
	IK
	NumCounters
)

var counterNames = [NumCounters]string{"T0", "T1", "TX", "TZ", "TB", "TC", "TG", "IG", "IK"}

func (c Counter) String() string { return counterNames[c] }

// Value is Int + Frac with 0 <= Frac < 1; some simulators write times as floats.
type Value struct {
	Int  int64
	Frac float64
}

// Float is the value as one number.
func (v Value) Float() float64 { return float64(v.Int) + v.Frac }

// Info is the header of a file.
type Info struct {
	Version, Direction, Design, Date, Vendor, Program, ProgVersion string
	// Divider is 0 where the file gives none; then a name is one component, whatever is in it.
	Divider byte
	// Timescale is the unit of all times in seconds; 1 ns where the file does not say.
	Timescale      scan.Decimal
	TimescaleGiven bool
	Duration       Value
}

// Inst is one level of the hierarchy.
type Inst struct {
	Parent  int32 // -1 at the top
	Name    int32 // in Names
	Module  int32 // in Names; 0 where the file does not say
	Line    int32
	Virtual bool // VIRTUAL_INSTANCE
}

// Kind tells in which group an entry stood.
type Kind uint8

// The kinds.
const (
	Net Kind = iota
	Port
)

// Form is how the index of an entry was written. Writers that escape brackets do so for bits of a bus and for names
// with brackets in them alike; what it is only the netlist can tell.
type Form uint8

// The forms.
const (
	NoIndex Form = iota
	Plain        // a[3]
	Escaped      // a\[3\]
	Round        // a(3)
)

// Entry is one net or port. Its counters are columns of File.
type Entry struct {
	Inst  int32
	Name  int32 // in Names, without the index
	Index int32
	Line  int32
	Form  Form
	Kind  Kind
	// Summed is set where some counters are sums of state or path dependent ones.
	Summed bool
}

// Stats counts what a file held beside its entries.
type Stats struct {
	Dependent int64 // groups of state or path dependent counters
	Skipped   int64 // LEAKAGE, IGNORE and other groups without counts of nets
	Unknown   int64

	// Wrong is the number of entries whose times do not sum to the duration; WorstEntry is the one that is off most,
	// by Worst.
	Wrong      int64
	WorstEntry int32
	Worst      float64
}

// File is what was read.
type File struct {
	Info
	Names   *scan.Names
	Insts   []Inst
	Entries []Entry
	Stats   Stats

	has  []uint16
	ints [NumCounters][]int64   // shorter than Entries where the last ones lack the counter
	frac [NumCounters][]float64 // likewise; empty for whole numbers
}

// Value returns a counter of entry e; false where the file has none.
func (f *File) Value(e int32, c Counter) (Value, bool) {
	if f.has[e]>>c&1 == 0 {
		return Value{}, false
	}
	v := Value{Int: f.ints[c][e]}
	if int(e) < len(f.frac[c]) {
		v.Frac = f.frac[c][e]
	}
	return v, true
}

func (f *File) set(e int32, c Counter, v Value) {
	f.has[e] |= 1 << c
	f.ints[c] = put(f.ints[c], e, v.Int)
	if v.Frac != 0 || int(e) < len(f.frac[c]) {
		f.frac[c] = put(f.frac[c], e, v.Frac)
	}
}

// put stores v at s[i], with zeros in between.
func put[T any](s []T, i int32, v T) []T {
	var zero T
	for len(s) <= int(i) {
		s = append(s, zero)
	}
	s[i] = v
	return s
}

// Path appends the names of an instance and of all above it to dst, top first.
func (f *File) Path(inst int32, dst []int32) []int32 {
	n := len(dst)
	for i := inst; i >= 0; i = f.Insts[i].Parent {
		dst = append(dst, f.Insts[i].Name)
	}
	for i, j := n, len(dst)-1; i < j; i, j = i+1, j-1 {
		dst[i], dst[j] = dst[j], dst[i]
	}
	return dst
}
