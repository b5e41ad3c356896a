// Package liberty reads Liberty (.lib) libraries.
//
// Contract: a whole library becomes typed cells, pins, functions, sequential groups, tables and powers; attributes
// that nothing uses are skipped without a word, malformed ones are diagnosed. Buses and bundles are expanded to one Pin
// a bit, in file order. Nothing is evaluated: package design compiles functions, package power (later) reads tables.
package liberty

import (
	"github.com/wattd/wattd/internal/diag"
	"github.com/wattd/wattd/internal/format/scan"
	"github.com/wattd/wattd/internal/logic"
)

// Library is one library group. Units are in SI: seconds, farads, volts, amperes, watts, ohms for one library unit.
type Library struct {
	Name                         string
	File                         string
	TimeUnit                     scan.Decimal // s
	CapUnit                      float64      // F
	VoltUnit, CurrentUnit        float64
	LeakUnit, ResUnit            float64
	NomVoltage, NomTemp, NomProc float64

	// Slew and delay thresholds in percent; SlewDerate is slew_derate_from_library.
	SlewLowerRise, SlewUpperRise, SlewLowerFall, SlewUpperFall float64
	InThreshRise, InThreshFall, OutThreshRise, OutThreshFall   float64
	SlewDerate                                                 float64

	Voltages   map[string]float64 // voltage_map
	Conditions map[string]map[string]string
	DefaultOC  string
	Templates  map[string]*Template
	Types      map[string]BusType
	WireLoads  map[string]*Group // kept as read
	// WireLoadSelections holds the wire_load_selection groups as read.
	WireLoadSelections map[string]*Group
	DefaultWL          string
	// Attrs keeps the other simple library attributes as text, default_* and k_* among them.
	Attrs map[string]string

	Cells  []*Cell
	byName map[string]*Cell
}

// Cell returns a cell by name, or nil.
func (l *Library) Cell(name string) *Cell { return l.byName[name] }

// Group is a raw group kept for later use.
type Group struct {
	Name   string
	Args   []string
	Attrs  []Attr
	Groups []*Group
	Pos    diag.Pos
}

// Attr is a raw attribute: simple ones have one value.
type Attr struct {
	Name   string
	Values []string
	Pos    diag.Pos
}

// Template is a lu_table_template or power_lut_template.
type Template struct {
	Name  string
	Vars  []string    // variable_1.. in order
	Index [][]float64 // index_1.. in order
}

// BusType is a type group.
type BusType struct {
	From, To int32
}

// Table is a look-up table: row major over Index. A scalar has no Index and one value. Template is nil for scalars.
type Table struct {
	Template *Template
	Index    [][]float64 // own indices, or those of the template
	Values   []float64
}

// Dir is a pin direction.
type Dir uint8

// The directions.
const (
	DirUnknown Dir = iota
	Input
	Output
	Inout
	Internal
)

// Cell is one cell (or, with IsTest, the test_cell is dropped and only noted).
type Cell struct {
	Name string
	Pos  diag.Pos
	Lib  *Library
	Area float64

	Pins  []*Pin // signal pins in file order, buses expanded; power pins are not here
	Buses []Bus  // how pins of buses and bundles group, for ordered and bus connections
	PG    []PGPin

	FF     []Seq
	Latch  []Seq
	States *StateTable

	// ClockGate is the value of clock_gating_integrated_cell, "" for others.
	ClockGate string
	HasTest   bool
	Macro     bool // is_macro_cell, memory group, or interface_timing
	Pad       bool
	DontUse   bool
	Filler    bool // no pins with a direction, or is_filler_cell, is_decap_cell, is_tap_cell

	LeakDefault    float64 // cell_leakage_power; the default of the library for a cell without any leakage
	HasLeakDefault bool
	Leakage        []Leakage
	// Attrs keeps other simple attributes as text.
	Attrs map[string]string

	byName map[string]int32
}

// PinIndex returns the index in Pins, or -1.
func (c *Cell) PinIndex(name string) int32 {
	if i, ok := c.byName[name]; ok {
		return i
	}
	return -1
}

// Sequential says whether the cell holds an edge-triggered state: its outputs are then sources.
func (c *Cell) Sequential() bool { return len(c.FF) > 0 }

// Bus is a bus or bundle: Pins lists indices into Cell.Pins in the order of the range (From first) or of members.
type Bus struct {
	Name     string
	From, To int32 // a bundle has IsBundle set and no range
	IsBundle bool
	Pins     []int32
}

// PGPin is a power or ground pin.
type PGPin struct {
	Name, Type, Voltage string
}

// StateVars returns the names of the state bits that functions of the cell may use: IQ and IQN of each ff and latch,
// then the nodes of the statetable, in file order. Empty names are left out.
//
// IQN is the complement of IQ but in one case: while clear and preset are both active, IQ is ClearPreset1 and IQN is
// ClearPreset2, which may be equal. For a bank each name stands for Width bits: a bit of a bus or bundle means the bit
// of the bank in its own position.
func (c *Cell) StateVars() []string {
	var names []string
	add := func(list ...string) {
		for _, n := range list {
			if n != "" {
				names = append(names, n)
			}
		}
	}
	for _, s := range c.FF {
		add(s.IQ, s.IQN)
	}
	for _, s := range c.Latch {
		add(s.IQ, s.IQN)
	}
	if c.States != nil {
		add(c.States.Nodes...)
	}
	return names
}

// Pin is one signal pin bit.
//
// In the functions and conditions of a bit of a bus or bundle, the name of a bus of the same width has been replaced by
// its bit in the same position; names of banks stay. Trees, maps, timing and power groups may be shared between pins and
// are not to be changed.
type Pin struct {
	Name string // with index for bus bits: "A[3]"
	Bus  int32  // index in Cell.Buses or -1
	Dir  Dir
	Pos  diag.Pos

	// Library units. HasCap and HasCapRise say what was written; else Cap is the default of the library for the
	// direction, and CapRise and CapFall are Cap.
	Cap, CapRise, CapFall, MaxCap float64
	HasCap, HasCapRise            bool

	Function, ThreeState, XFunction, StateFunction *logic.Expr
	FunctionText                                   string // as written, for messages
	// InternalNode is the node of the statetable that the pin shows. With Attrs["input_map"] the names in the head of
	// the statetable are not pins but places in that list.
	InternalNode string

	Clock                                         bool
	ClockGateClock, ClockGateEnable, ClockGateOut bool
	ClockGateTest                                 bool
	NextStateType                                 string
	PowerPin, GroundPin                           string
	Attrs                                         map[string]string

	Timing []*Timing
	Power  []*InternalPower
}

// Seq is an ff, ff_bank, latch or latch_bank group.
type Seq struct {
	IQ, IQN                             string
	Width                               int32 // banks: number of bits, else 0
	ClockedOn, ClockedOnAlso, NextState *logic.Expr
	Enable, DataIn, EnableAlso          *logic.Expr // latches
	Clear, Preset                       *logic.Expr
	ClearPreset1, ClearPreset2          byte // 'L' 'H' 'N' 'T' 'X', 0 if not written
	PowerDown                           *logic.Expr
	Pos                                 diag.Pos
}

// StateTable is a statetable group. Rows hold one cell a column: inputs, current states, next states, in the
// characters of the standard: L H - R F ~R ~F for inputs, L H - for states, L H - X N for next states, and L/H, H/L.
type StateTable struct {
	Inputs, Nodes []string
	Rows          []StateRow
	Pos           diag.Pos
}

// StateRow is a row of a StateTable.
type StateRow struct {
	In, Cur, Next []string
}

// Leakage is a leakage_power group, in library leakage units.
type Leakage struct {
	When      *logic.Expr // nil: unconditional
	WhenText  string
	Value     float64
	RelatedPG string
}

// Timing is a timing group. Tables of constraints are not kept.
type Timing struct {
	Related                                            []string // pins, buses as bits; empty: none written, so the pin itself
	Sense, Type                                        string
	When                                               *logic.Expr
	WhenText, SDFCond                                  string
	CellRise, CellFall, RiseTransition, FallTransition *Table
	// Intrinsic and resistance of the generic CMOS model, when there.
	Attrs map[string]string
	Pos   diag.Pos

	allBits bool // related_bus_pins: every bit of a bus, whatever the bit of the pin
}

// InternalPower is an internal_power group.
type InternalPower struct {
	Related, EqualOrOpposite []string
	RelatedPG                string
	When                     *logic.Expr
	WhenText                 string
	Rise, Fall               *Table // a single power table is in both
	Mode                     string
	Attrs                    map[string]string
	Pos                      diag.Pos

	allBits bool
}
