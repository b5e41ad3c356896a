// Package design compiles a linked netlist and its SDF files to a kernel.Program and keeps what the numbers mean.
//
// Contract: a pure function: equal inputs give equal bytes. It decides, after the semantics page, which nets are
// sources, which drivers are one, where loops are opened, what every delay statement does, and rounds each delay once.
// It never guesses silently: whatever is dropped, replaced or assumed is counted in the Report and diagnosed. Net n of
// the program is net n of the netlist; nets behind len(netlist.Nets) are hidden helpers.
//
// Where the semantics page leaves room:
//   - A three-state net that is pulled (tri0, tri1, pullup, pulldown) takes that value while no driver is on; it never floats.
//   - supply1 read by a gate is 1; other supplies are 0.
//   - A function that names an output or an internal pin with a function means what that pin computes.
//   - A cell with flip-flops and latches: outputs that see no flip-flop, directly or through a latch, are computed.
//   - Each driver of a multiply driven net has wires of its own; the program holds that of the first driver in name order that
//     an INTERCONNECT names, and says where others differ.
//   - Limits: an error limit without a reject limit, ((d)()(e)), leaves both as they are.
//   - Of wire pieces that do not meet, those that meet the last one stated count.
//   - INSTANCE * with a module as cell type means all instances of the module; pins of primitives have no names.
//   - A condition on a net behind the gate's own output is an error, for neither could be evaluated first.
//   - A bit that IEEE 1497 would write a[3] is also found as a\[3\].
package design

import (
	"cmp"
	"slices"

	"github.com/wattd/wattd/internal/netlist"
	"github.com/wattd/wattd/kernel"
)

// None marks an absent index.
const None = int32(-1)

// Class says where the values of a net come from.
type Class uint8

// The classes. Those from ClassInput on are sources: they need a stimulus.
const (
	ClassComputed Class = iota // output of a gate
	ClassConst0                // tied low, or undriven
	ClassConst1                // tied high
	ClassUndriven              // read but driven by nothing: 0
	ClassSupply                // power or ground: not simulated
	ClassInput                 // primary input (or inout without driver inside)
	ClassRegister              // output of an edge-triggered cell
	ClassMemory                // output of a macro
	ClassBlackBox              // output of a cell without model
	ClassMulti                 // several drivers that are not one
	ClassTristate              // three-state bus that the stimulus names
	ClassLoop                  // cut out of a loop
	numClass
)

var classNames = [numClass]string{
	"computed", "constant 0", "constant 1", "undriven", "supply", "input", "register", "memory",
	"black box", "multiply driven", "three-state", "loop",
}

func (c Class) String() string { return classNames[c] }

// Source says whether nets of the class need a stimulus.
func (c Class) Source() bool { return c >= ClassInput }

// Design is a compiled design.
type Design struct {
	Netlist *netlist.Netlist
	Program *kernel.Program
	Tick    Tick

	NetClass []Class // by net, hidden ones included
	NetGate  []int32 // gate that computes a net, or None
	Gates    []Gate  // by gate slot
	Sources  []int32 // nets of a source class that need a stimulus, ascending
	Spare    []int32 // the other nets of a source class, ascending: pins of black boxes that nothing reads
	// Tristate lists the nets computed by three-state drivers with their helpers.
	Tristate []Tristate
	// Floating lists the nets all of whose drivers are three-state, whatever became of them: those that a stimulus names are
	// sources, which only Compile with Options.Named can know.
	Floating []int32
	// States lists the gates with state bits.
	States []State
	// Cut lists the outputs with state that a loop made sources: what the stimulus says of them tells the state of their cell.
	Cut []CutState
	// Registers lists the outputs of registers.
	Registers []Register
	// ClockPins lists (net) every net that a clock pin of a register, latch or clock gate connects to, ascending.
	ClockPins []int32

	Report Report

	helpers map[helperKey]int32 // nets without a name

	kept *kept // what Patch needs, nil without Options.Keep

	passes []uint64 // by function of the program: pins that pass a clock
}

// Gate says what a gate slot is.
type Gate struct {
	Inst int32 // netlist instance, or ^index of a primitive; the first driver for merged and three-state drivers
	Pin  int32 // output pin of the instance; 0 for primitives
}

// Tristate is a net with three-state drivers: net Z is 1 while no driver is enabled, B while enabled drivers differ.
type Tristate struct {
	Net, Z, B int32
}

// State is a gate with state bits.
type State struct {
	Gate      int32
	Bits      []string // names of the bits within the cell
	ClockGate bool
	Tristate  bool
}

// CutState is an output, cut out of a loop, that is a state bit of its cell or the complement.
type CutState struct {
	Inst, Pin, Net int32
	Bit            string
	Inverted       bool
}

// StateOf returns the entry of a gate in States, nil when it has no state.
func (d *Design) StateOf(gate int32) *State {
	i, ok := slices.BinarySearchFunc(d.States, gate, func(s State, g int32) int { return cmp.Compare(s.Gate, g) })
	if !ok {
		return nil
	}
	return &d.States[i]
}

// Register is one output of an edge-triggered cell. Outputs of one instance with the same State are complements or
// copies of one another.
type Register struct {
	Inst, Pin int32
	Net       int32
	State     int32 // state variable within the instance, None when the output is not simply one
	Inverted  bool
	ClockNet  int32 // net of the clock pin, None when not a single pin
	Falling   bool  // active on the falling edge of that net
}

// Report counts what compiling met.
type Report struct {
	Gates, StateGates, Prims     int64
	Levels                       int
	ArcsTotal, ArcsAnnotated     int64 // (input pin, output pin, output edge) of simulated gates
	Unannotated                  []Count
	ZeroIOPath                   []Count // IOPATH values that are zero, by cell type
	CondReplaced                 []Count // condition entries overwritten by a later unconditional IOPATH, by cell type
	Wires, WiresDelayed          int64   // sink pins of simulated gates; with a delay
	BlackBoxes                   []Count // by cell type
	Loops                        []string
	MergedDrivers                int64
	NegativeIOPath, NegativeWire int64
	RoundedToZero, Inexact       int64
	HoldingTick                  Tick  // largest power of ten that holds all arc delays
	ErrorLimits                  int64 // gates whose limits are not their delays
	OpenPins                     int64 // input pins read as 0
	SDF                          []SDFReport
	Memory                       Memory
}

// Count is a number with a name.
type Count struct {
	Name string `json:"name"`
	N    int64  `json:"n"`
}

// Memory is the size of the compiled design in bytes.
type Memory struct {
	Gates, Pins, Arcs, Functions int64
	Names                        int64 // texts of all names and their index
	Nets                         int64 // what each net is called, and where it stands in the source
	Positions                    int64 // of instances
}

// Uses counts the pins and arcs that gates have. The arrays of a patched program may hold others, which none uses any more.
func (d *Design) Uses() (pins, arcs int) {
	p := d.Program
	for _, g := range p.Order {
		f := &p.Fns[p.GateFn[g]]
		pins += int(f.NPin) + int(f.NObs)
		if s := p.GateShape[g]; s >= 0 {
			arcs += int(p.Shapes[s].NSlot)
		}
	}
	return pins, arcs
}
