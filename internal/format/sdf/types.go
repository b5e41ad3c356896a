// Package sdf reads the Standard Delay Format (IEEE 1497, and OVI 2.1 and 3.0 as tools write them).
//
// Contract: streaming; every delay statement is handed to a Handler in file order, in the terms of the file (paths as
// written, with escapes and divider; values as decimals). Nothing is stored. What it means is decided by package
// design after shared semantics: which corner, which entries, which wires. Timing checks, TIMINGENV, LABEL and RETAIN
// are skipped and counted. A statement that cannot be read is an error diagnostic, because leaving it out would change
// a result; reading goes on behind it, found by its parentheses.
package sdf

import (
	"github.com/wattd/wattd/internal/diag"
	"github.com/wattd/wattd/internal/format/scan"
)

// Header is what stands before the first CELL.
type Header struct {
	Version, Design, Date, Vendor, Program, ProgVersion string
	Divider                                             byte // '.' unless the file says '/'
	// Timescale is the size of one unit of a value in seconds; 1 ns where the file does not say, and then
	// TimescaleGiven is false.
	Timescale      scan.Decimal
	TimescaleGiven bool
}

// Has bits tell which columns of a triple were written.
const (
	HasMin uint8 = 1 << iota
	HasTyp
	HasMax
)

// Triple is (min:typ:max). A single number sets all columns: Single is true and Has is all three. Has 0 is `()`.
type Triple struct {
	V      [3]scan.Decimal // min, typ, max
	Has    uint8
	Single bool
}

// Value is one delval: a delay and, when written as ((d)(r)(e)), its pulse limits. Limits is 0 for a plain value,
// 2 when only the reject limit was written, 3 with the error limit too.
type Value struct {
	D, Reject, Error Triple
	Limits           uint8
	Pos              diag.Pos
}

// Edge qualifies a port.
type Edge uint8

// The edges: Posedge stands for posedge and 01, Negedge for negedge and 10. Edges to or from z read as AnyEdge with
// ZEdge, and the reader counts them.
const (
	AnyEdge Edge = iota
	Posedge
	Negedge
	ZEdge
)

// Mode tells ABSOLUTE from INCREMENT.
type Mode uint8

// The modes.
const (
	Absolute Mode = iota
	Increment
)

// CondKind is what precedes an IOPATH.
type CondKind uint8

// The kinds.
const (
	Uncond CondKind = iota
	Cond
	Condelse
)

// IOPath is one IOPATH, bare or under COND or CONDELSE. Byte slices are valid during the call only.
type IOPath struct {
	Mode     Mode
	Kind     CondKind
	Cond     []byte // text of the condition, white space kept
	Label    []byte
	In, Out  []byte // pins as written
	Edge     Edge
	Val      []Value // 1, 2, 3, 6 or 12
	Pos      diag.Pos
	CondPos  diag.Pos
	Retained bool // a RETAIN was skipped
}

// Handler receives statements in file order. A method returning false ends the reading.
type Handler interface {
	Header(h *Header) bool
	// Cell starts a CELL entry. inst is the path as written: empty for the annotation root, "*" for all instances of
	// the cell type. hasInstance is false where the file has no INSTANCE at all (read as the root).
	Cell(cellType, inst []byte, hasInstance bool, pos diag.Pos) bool
	IOPath(p *IOPath) bool
	// Device is DEVICE; out is empty when no port is written.
	Device(mode Mode, out []byte, val []Value, pos diag.Pos) bool
	Interconnect(mode Mode, src, dst []byte, val []Value, pos diag.Pos) bool
	Port(mode Mode, dst []byte, val []Value, pos diag.Pos) bool
	NetDelay(mode Mode, net []byte, val []Value, pos diag.Pos) bool
	// PathPulse is PATHPULSE and PATHPULSEPERCENT; in and out are empty when no ports are written. lim holds one value
	// (reject = error) or two.
	PathPulse(percent bool, in, out []byte, lim []Triple, pos diag.Pos) bool
}

// Stats counts what a file held.
type Stats struct {
	Cells, IOPaths, Conds, Condelses, Interconnects, Ports, NetDelays, Devices, PathPulses int64
	TimingChecks, Retains, Labels, TimingEnvs, ZEdges, Unknown                             int64
}

// Add adds sign times the counts of another.
func (s *Stats) Add(o *Stats, sign int64) {
	to, from := s.counts(), o.counts()
	for i := range to {
		*to[i] += sign * *from[i]
	}
}

func (s *Stats) counts() [15]*int64 {
	return [...]*int64{
		&s.Cells, &s.IOPaths, &s.Conds, &s.Condelses, &s.Interconnects, &s.Ports, &s.NetDelays, &s.Devices, &s.PathPulses,
		&s.TimingChecks, &s.Retains, &s.Labels, &s.TimingEnvs, &s.ZEdges, &s.Unknown,
	}
}
