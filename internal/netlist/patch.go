package netlist

import (
	"github.com/wattd/wattd/internal/format/liberty"
	"github.com/wattd/wattd/internal/format/scan"
	"github.com/wattd/wattd/internal/format/verilog"
)

// Edit is a change of the leaf instances of a netlist: what an engineering change order does. All instances are of library cells in
// scopes whose module is placed once; where it is placed several times, only instances that keep their names can change, each on
// its own. Patch applies it at the price of the edit and copies of the arrays it changes.
type Edit struct {
	Names  *scan.Names // those of the netlist, or what extends them (scan.Names.Extend)
	Libs   []*liberty.Library
	Files  []string // those of the netlist, or more
	Nets   []NewNet // scalars to declare
	Remove []int32  // instances that go, by slot
	Put    []Put    // instances that come or differ
	Drop   []int32  // nets whose declaration goes; nothing may be left on them
	Shift  []Shift  // text that moved
	Place  []Place  // what else stands elsewhere now

	// Free is the first number for new nets, at least len(Nets): numbers in between are used by others (helpers of the design).
	Free int32
}

// NewNet is a declared or implied wire. A name that the scope already declares is refused.
type NewNet struct {
	Scope, Name int32
	Implied     bool // it goes when nothing is left on it
	Pos         verilog.Pos
}

// Put is an instance as it is to be. Slot is that of the instance whose place it takes (same scope and name), or None.
type Put struct {
	Slot        int32
	Scope, Name int32
	Cell        int32 // name of a library cell
	Pins        []PutPin
	Pos         verilog.Pos
}

// PutPin connects one pin. Net is a net, None for open, or NewNetRef(k) for Edit.Nets[k]. Pins that are not listed are open.
type PutPin struct {
	Pin int32 // name
	Net int32
}

// NewNetRef stands for the k-th new net of an Edit.
func NewNetRef(k int) int32 { return -2 - int32(k) }

// Shift says that lines of a file from From on (numbers before the edit) lie By lines further down. Several of one file add up.
type Shift struct {
	File     uint16
	From, By int32
}

// Place is the new place of one instance, net or scope; the others are None.
type Place struct {
	Inst, Net, Scope int32
	Pos              verilog.Pos
}

// Patched says what a patch touched, in slots of the new netlist; ascending.
type Patched struct {
	Insts []int32 // whose cell or connections differ, those that came, and holes of those that went
	Nets  []int32 // that gained, lost or changed a pin, that came, and holes of those that went
}

// Refusal says why an edit needs the whole netlist to be linked again. It is no fault of the input.
type Refusal struct{ Why string }

func (r *Refusal) Error() string { return "netlist: not a local edit: " + r.Why }
