// Package verilog reads the structural subset of Verilog that gate netlists are written in.
//
// Contract: streaming; names are interned without their escapes; every module becomes a Module of flat arrays. What
// is not structural (always, initial, functions, user primitives, specify, generate loops) makes its module
// Behavioural, which is skipped with a diagnostic and is a fault only where it is instantiated. Connections, ranges and
// constants are kept as written: widths, hierarchy and nets are the linker's business (package netlist).
package verilog

import "github.com/wattd/wattd/internal/format/scan"

// None marks an absent index.
const None = int32(-1)

// Pos is a compact place: File indexes the caller's list of files.
type Pos struct {
	Line int32
	Col  uint16 // 65535 and beyond read as 65535
	File uint16
}

// Module is one module. Slices are indexed by int32; names are ids of the scan.Names given to Read.
type Module struct {
	Name  int32
	Pos   Pos
	Ports []Port // in header order, as positional connections bind
	Nets  []Net  // declared nets and ports, in order of first declaration, one entry a name
	Insts []Inst // instances of modules, cells and primitives, in file order
	Conns []Conn // Inst.Conn .. Inst.Conn+Inst.NConn
	Exprs []Expr
	Lists []int32 // operands of Concat: indices into Exprs, most significant first
	Bits  []byte  // constants: '0' '1' 'x' 'z', most significant first
	Delay []Delay

	Assigns []Assign

	Src map[int32]int32 // instance index -> interned (* src = "..." *) text, where written

	// Behavioural is set when something that is not structural was skipped; BehavPos is the first such place and
	// BehavWhat its keyword.
	Behavioural bool
	BehavPos    Pos
	BehavWhat   string
	Celldefine  bool  // between `celldefine and `endcelldefine
	UnitExp     int32 // delay unit 10^UnitExp s from `timescale, -9 without one
	NoImplicit  bool  // `default_nettype none was in force

	// Shaped is set when a parameter decides a range, a constant or a delay: an instance that overrides parameters
	// (Inst.Params, or a defparam: Overrides) may then mean something else.
	Shaped    bool
	Overrides bool
}

// Port is a header entry. For `.name(expr)` Expr is the inner expression, otherwise None and the port is the net Name.
// An unnamed port expression has Name 0. `.name()` and an empty position have a Concat without operands.
type Port struct {
	Name int32
	Expr int32
}

// Dir is a port direction; DirNone is a plain net.
type Dir uint8

// The directions.
const (
	DirNone Dir = iota
	Input
	Output
	Inout
)

// NetKind is the declared type.
type NetKind uint8

// The net types that matter: wand, wor, tri0, tri1, triand, trior change what several drivers or none mean.
const (
	Wire NetKind = iota
	Wand
	Wor
	Tri0
	Tri1
	Supply0
	Supply1
	Reg
)

// Net is a declaration. `wire x = y;` is a Net and an Assign.
type Net struct {
	Name     int32
	Msb, Lsb int32 // 0,0 for scalars
	Delay    int32 // index in Module.Delay, or None
	Vector   bool
	Signed   bool // declared signed: would be extended by its sign
	Dir      Dir
	Kind     NetKind
	Pos      Pos
}

// Prim is a Verilog gate primitive; PrimNone is a module or cell instance.
type Prim uint8

// The primitives. Terminals are positional: outputs first.
const (
	PrimNone Prim = iota
	And
	Nand
	Or
	Nor
	Xor
	Xnor
	Buf
	Not
	Bufif0
	Bufif1
	Notif0
	Notif1
	Pullup
	Pulldown
	Tran // tran, tranif*, rtran*, nmos, pmos, cmos and their kin: not simulated, diagnosed
)

// Inst is an instance. An array `u[3:0]` has Array set and its range in Msb, Lsb. An unnamed primitive (or instance
// of a user primitive) has Name 0. Pos is that of the name.
type Inst struct {
	Name     int32
	Cell     int32 // module or cell name; 0 for a primitive
	Conn     int32
	NConn    int32
	Msb, Lsb int32
	Delay    int32 // primitives only: index in Module.Delay, or None
	Pos      Pos
	Prim     Prim
	Array    bool
	Params   bool // #(...) was written and ignored
}

// Conn is one connection: Port 0 is positional. Expr None is `.Q()` or an empty position.
type Conn struct {
	Port int32
	Expr int32
}

// Op is the kind of an expression node.
type Op uint8

// The nodes. A, B, C hold what the comment says; "e" is an index into Exprs.
const (
	Ref    Op = iota // A name: the whole net
	Select           // A name, B index: one bit
	Part             // A name, B msb, C lsb
	Const            // A offset in Bits, B width (number of bits there), C 1 if the size was written, else 0
	Concat           // A first in Lists, B count
	Repl             // A count, B e
	OpNot            // A e: ~
	OpAnd            // A, B e: &
	OpOr             // |
	OpXor            // ^
	OpXnor           // ~^ ^~
	OpLNot           // A e: !
	OpLAnd           // A, B e: &&
	OpLOr            // ||
	OpEq             // ==, ===
	OpNe             // !=, !==
	OpCond           // A ? B : C
	RedAnd           // A e: unary &
	RedOr
	RedXor
	RedNand
	RedNor
	RedXnor
)

// Expr is a node.
type Expr struct {
	Op      Op
	A, B, C int32
}

// Assign is `assign #delay lhs = rhs;` or a net initialiser.
type Assign struct {
	LHS, RHS int32
	Delay    int32 // index in Module.Delay, or None
	Pos      Pos
}

// Delay is `#d`, `#(r)`, `#(r,f)` or `#(r,f,z)`, each value min:typ:max in units of the module.
type Delay struct {
	N int32 // 1..3 values written
	V [3][3]scan.Decimal
}
