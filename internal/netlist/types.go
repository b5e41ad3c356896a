// Package netlist links Verilog modules and Liberty cells to one hierarchy of leaf instances and single-bit nets.
//
// Contract: pure function of parsed modules and libraries. Hierarchy is kept as scopes; nets are single bits merged
// through ports and `assign net = net` by union-find, with every name kept as an alias. Nothing is simulated, levelised
// or annotated here (package design). Widths that do not fit, unknown modules, several drivers and the like are
// diagnosed with the place in the source.
package netlist

import (
	"github.com/wattd/wattd/internal/format/liberty"
	"github.com/wattd/wattd/internal/format/scan"
	"github.com/wattd/wattd/internal/format/verilog"
)

// None marks an absent index.
const None = int32(-1)

// NoBit is the bit index of a scalar.
const NoBit = int32(-1 << 31)

// The first two nets are the anonymous constants that pins tied to 1'b0 and 1'b1 (x and z count as 0, diagnosed)
// connect to.
const (
	Const0 = int32(0)
	Const1 = int32(1)
)

// Netlist is the linked design. Flat arrays, int32 indices.
type Netlist struct {
	Names  *scan.Names
	Files  []string // what verilog.Pos.File indexes
	Scopes []Scope  // 0 is the top instance; parents before children
	Cells  []Cell   // distinct leaf cell types in use
	Insts  []Inst   // leaf instances of library cells and black boxes
	PinNet []int32  // Insts[i].Pin0 + pin index of the cell; None where open
	Prims  []Prim   // Verilog primitives, and assign expressions split into operators
	PrimIn []int32  // inputs of Prims
	Nets   []Net
	Ports  []Port // ports of the top module, one a bit, in header order, msb first

	// NetDelay lists the delays of net declarations (`wire #3 x`), one entry a bit; such nets have NetDelayed set.
	NetDelay []NetDelay

	print  printOnce
	alias  aliases
	lookup lookup

	patched bool  // made by Patch
	hole    int32 // the cell of instances that went (Patch), 0: there is none
	owners  owners
}

// NetDelay is the declared delay of one net bit: value x 10^UnitExp s. A net has several entries when several of its
// names were declared with one.
type NetDelay struct {
	Net        int32
	UnitExp    int32
	Rise, Fall [3]scan.Decimal // min typ max
	Pos        verilog.Pos
}

// Scope is a hierarchical instance.
type Scope struct {
	Parent int32 // None for the top
	Name   int32 // instance name; arrays are named with their index: "u[3]"; for the top the module name
	Module int32 // interned module name
	Pos    verilog.Pos
}

// Cell is a leaf cell type: a library cell, or a black box (Lib nil) whose pins are the ports of its module or, where
// there is none, those seen in connections (positional ones are named "$1", "$2"...).
type Cell struct {
	Name int32
	Lib  *liberty.Cell
	Pins []int32       // black boxes: interned pin names, bus bits as "A[3]"; library cells: pins are Lib.Pins
	Dirs []verilog.Dir // black boxes: parallel to Pins; DirNone where no module tells
}

// NPin is the number of pins.
func (c *Cell) NPin() int {
	if c.Lib != nil {
		return len(c.Lib.Pins)
	}
	return len(c.Pins)
}

// Inst is a leaf instance.
type Inst struct {
	Scope int32
	Name  int32 // arrays: "u[3]"
	Cell  int32 // index in Cells
	Pin0  int32 // first entry in PinNet
	Pos   verilog.Pos
}

// PrimOp is what a Prim computes. Tristate ones have inputs (data, enable).
type PrimOp uint8

// The operators.
const (
	PrimAnd PrimOp = iota
	PrimNand
	PrimOr
	PrimNor
	PrimXor
	PrimXnor
	PrimBuf
	PrimNot
	PrimMux // inputs (select, when 1, when 0)
	PrimBufif0
	PrimBufif1
	PrimNotif0
	PrimNotif1
	PrimConst0
	PrimConst1
)

// Prim is a gate without Liberty cell: a primitive instance, one operator of an assign expression, or a constant
// driver (assign x = 1'b0, supply nets, module ports tied to a constant). Pullups and pulldowns yield to every other
// driver, so they are no drivers here but set NetTri1 and NetTri0. Name is 0 for operators of expressions and unnamed primitives.
// Rise and Fall are the delay in ticks-free decimals: value x 10^UnitExp s; only the last operator of an
// expression has one.
type Prim struct {
	Op         PrimOp
	HasDelay   bool
	Scope      int32
	Name       int32
	Out        int32
	In0, NIn   int32
	Rise, Fall [3]scan.Decimal // min typ max
	UnitExp    int32
	Pos        verilog.Pos
}

// NetFlag bits.
type NetFlag uint16

// The flags.
const (
	NetInput   NetFlag = 1 << iota // bit of a top input port
	NetOutput                      // bit of a top output port
	NetInout                       // bit of a top inout port
	NetSupply                      // declared supply0/1 or named like a power pin of the libraries and connected to one: not simulated
	NetHidden                      // has no name: a constant or an inner node of an expression (Bit is then its number in the scope)
	NetWand                        // declared wand/triand: several drivers AND
	NetWor                         // declared wor/trior
	NetTri0                        // reads 0 when undriven
	NetTri1                        // reads 1 when undriven
	NetDelayed                     // has a declared net delay (Netlist.NetDelay)
	NetHole                        // an unused number, see Stabilize
)

// Net is one bit. Scope, Name, Bit are its canonical name: of all its names the one highest in the hierarchy, ports
// before others, then bytewise smallest (bits by number).
type Net struct {
	Scope int32
	Name  int32
	Bit   int32 // NoBit for scalars
	Flags NetFlag
	Pos   verilog.Pos
}

// Port is one bit of a port of the top module.
type Port struct {
	Name int32
	Bit  int32
	Dir  verilog.Dir
	Net  int32
}

// Ref is a name of a net: a declaration in a scope and a bit of it.
type Ref struct {
	Scope int32
	Name  int32
	Bit   int32
}
