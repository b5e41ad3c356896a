// Package vcd reads and writes value change dumps (IEEE 1364 clause 18 and the dialects of common tools).
//
// Contract: streaming with constant memory: the header becomes a Header; the body is then read once, changes of
// wanted identifiers only are handed on, in file order, as (time, variable, values). The reader interprets nothing but
// syntax: X policy, collapsing within a tick and binding to nets are package wave's.
package vcd

import (
	"github.com/wattd/wattd/internal/diag"
)

// Header is what stands before $enddefinitions.
type Header struct {
	Date, Version string
	// One time unit is UnitCoef x 10^UnitExp seconds (1, 10 or 100).
	UnitCoef, UnitExp int32
	Scopes            []Scope // 0 is the root, which has no name
	Vars              []Var
	NumIDs            int32 // distinct identifier codes: Var.ID < NumIDs
	// Widths is the length of the values of each identifier: the width of its variables, the widest where they differ.
	Widths []int32
}

// Scope is a $scope; one that is opened again is the same entry.
type Scope struct {
	Parent int32
	Name   string // as written, escapes included
	Type   string
}

// Var is a $var. Several with one ID are aliases. Duplicate declarations are dropped.
type Var struct {
	Scope    int32
	ID       int32
	Width    int32
	Type     string // wire, reg, real, event, string, port (of $dumpports), ...
	Name     string // as written, escapes included, without the range
	HasRange bool
	Msb, Lsb int32 // as written
	Pos      diag.Pos
}

// Change values are bytes '0' '1' 'x' 'z' (other digits are normalised: H to 1, L to 0, U, W and - to x), most significant first,
// already extended to the width of the variable.

// Visitor receives the body.
type Visitor interface {
	// Time is called for each #t with t in units of the file, before the changes at t; never backwards.
	Time(t int64) bool
	// Change is called for a wanted identifier. val has the width of the variable and is valid during the call.
	Change(id int32, val []byte) bool
	// DumpOff and DumpOn bracket a gap: changes to x that $dumpoff lists are not handed on; what $dumpon lists is.
	DumpOff() bool
	DumpOn() bool
}

// Stats of a body.
type Stats struct {
	FirstTime, LastTime int64 // in file units; both 0 without any #
	HasTime             bool
	Changes, Skipped    int64 // handed on; of identifiers that are unwanted or no bits (real, string, event)
	Gaps                int32
}
