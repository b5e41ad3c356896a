// Package model describes a small circuit, its annotation and its stimulus in the abstract, makes random ones, and
// writes them as Verilog, Liberty, SDF and VCD text.
//
// Contract: a Circuit is what a test means; the texts are one spelling of it. The oracle reads the Circuit, the product
// reads the texts, and the two must agree. Nothing here knows how either computes. A random Circuit is a pure function
// of its seed and size, so a failure is repeated by its seed.
//
// Limits: one file of each kind but SDF; statements whose meaning the semantics leave open are not made by the generator
// (gen_*.go says which where it leaves them out).
package model

// Special connections of a pin.
const (
	Open   = -1 // not connected: reads 0
	Const0 = -2
	Const1 = -3
)

// Circuit is one test case.
type Circuit struct {
	Seed uint64
	Size int // the size the generator was asked for

	Cells  []*Cell
	Scopes []Scope // 0 is the top; parents before children
	Nets   []*Net
	Insts  []*Inst
	Prims  []*Prim

	SDF       []Stmt // in file order
	SDFCut    int    // statements from here on are in a second file
	Divider   byte
	TickExp   int // a tick is 10^TickExp s; all times of the model are ticks
	Timescale int // an SDF unit is 10^Timescale ticks
	Corner    int // 0 min, 1 typ, 2 max

	Waves    []Wave // what the stimulus names
	VCDUnit  int    // a VCD unit is 10^VCDUnit ticks
	From, To int64  // the run
	X        XPolicy
}

// XPolicy is what replaces an unknown value of a source.
type XPolicy byte

// The policies.
const (
	XHold XPolicy = 'h'
	XZero XPolicy = '0'
	XOne  XPolicy = '1'
)

// Scope is a hierarchical instance, of a module of its own.
type Scope struct {
	Parent int
	Name   string
	Module string
}

// Dir is a direction.
type Dir byte

// The directions.
const (
	In Dir = iota
	Out
	Internal
)

// Cell is a library cell.
type Cell struct {
	Name  string
	Pins  []Pin // in Liberty order
	Latch *Latch
	FF    *FF
	Table *StateTable
	// Black is a cell that no library has: its outputs, which have no functions, are sources.
	Black bool
}

// Pin is a pin of a cell. Fn is the function of an output; Tri, when not nil, its three_state; Node marks an internal
// pin that carries a node of the state table.
type Pin struct {
	Name string
	Dir  Dir
	Fn   *Expr
	Tri  *Expr
}

// Latch is a latch group. ClearPreset1 and 2 are L, H or N, or 0 when not written. N stands for both or none.
type Latch struct {
	IQ, IQN                    string
	Enable, Data               *Expr
	Clear, Preset              *Expr
	ClearPreset1, ClearPreset2 byte
}

// FF is an ff group; its outputs are sources, so only names and texts matter.
type FF struct {
	IQ, IQN       string
	Clocked, Next *Expr
}

// StateTable is a statetable group; a row is "inputs : current : next", cells separated by blanks.
type StateTable struct {
	Inputs, Nodes []string
	Rows          []string
}

// Net is one bit.
type Net struct {
	Scope   int // where it is declared
	Name    string
	Bit     int // -1 for a scalar; else the bit of the vector Name
	Input   bool
	Output  bool
	Aliases []Alias        // further names in the same scope, by assign
	Delay   []Triple       // declared net delay: one or two values; nil without
	Local   map[int]string // name of its port in deeper scopes
}

// Alias is another name of a net. An Output is a port of the top.
type Alias struct {
	Name   string
	Output bool
}

// Inst is an instance of a cell. Conn has one net (or Open, Const0, Const1) per pin of the cell.
type Inst struct {
	Scope int
	Name  string
	Cell  *Cell
	Conn  []int
}

// Prim is a Verilog primitive or a continuous assignment. Op is and, nand, or, nor, xor, xnor, buf, not, bufif0,
// bufif1, notif0, notif1 or assign; assign has Fn over the variables i0, i1, ... of In.
type Prim struct {
	Scope int
	Name  string
	Op    string
	Fn    *Expr
	Out   int
	In    []int // nets, or Const0 and Const1
	Delay []Triple
}

// Triple is min:typ:max in decimal text. Single is one number for all; an empty text is an absent column; all three
// empty is ().
type Triple struct {
	V      [3]string
	Single bool
}

// Empty says whether the triple is ().
func (t Triple) Empty() bool { return t.V == [3]string{} }

// Column is the text of a corner.
func (t Triple) Column(corner int) string {
	if t.Single {
		return t.V[0]
	}
	return t.V[corner]
}

// Val is a delay value. NLim is 0 for plain, 1 for ((d)(r)), 2 for ((d)(r)(e)).
type Val struct {
	D    Triple
	NLim int
	R, E Triple
}

// Kind is the kind of a statement.
type Kind byte

// The kinds.
const (
	IOPath Kind = iota
	Device
	PathPulse
	PathPulsePercent
	Interconnect
	Port
	NetDelay
)

// Edge qualifies an input.
type Edge byte

// The edges.
const (
	AnyEdge Edge = iota
	Pos
	Neg
)

// CondKind is what precedes an IOPATH.
type CondKind byte

// The kinds.
const (
	Uncond CondKind = iota
	Cond
	CondElse
)

// Stmt is one SDF statement. Statements of cells name an instance (or with All every instance of Cell), or a
// primitive; those of wires name ends.
type Stmt struct {
	Kind Kind
	Inc  bool

	Inst int // index in Insts, -1
	Prim int // index in Prims, -1
	Cell *Cell
	All  bool

	In, Out  int // pins of the cell; -1 none
	Edge     Edge
	CondKind CondKind
	Cond     *Expr
	CondText string // when not empty, written instead of Cond
	Vals     []Val
	Lims     []Triple

	Src, Dst End
	Net      int
	ByPin    bool    // NETDELAY names the driving pin Src
	Context  Context // of wire statements: where the CELL entry is
	NewCell  bool    // begins a CELL entry though the one before would do
}

// Context tells in which CELL a wire statement is written: a scope, or with Inst >= 0 an instance (PORT only).
type Context struct {
	Scope int
	Inst  int
}

// End is the end of a wire.
type End struct {
	Kind EndKind
	Inst int
	Pin  int
	// Scope is that of a hierarchical port of Net.
	Scope int
	Net   int
}

// EndKind tells what an End is.
type EndKind byte

// The kinds: EndTop is a port of the top.
const (
	EndPin EndKind = iota
	EndPort
	EndTop
)

// Wave is the recorded values of a net, in order of time; several of one tick are in order of the file. The first
// stands at the start of the dump.
type Wave struct {
	Net     int
	Alias   int // -1: named by its name, else by that alias
	Changes []Change
}

// Change is a value '0', '1', 'x' or 'z' from a tick on.
type Change struct {
	T int64
	V byte
}

// In returns the indices of the input pins.
func (c *Cell) In() []int { return c.dir(In) }

// Out returns the indices of the output pins.
func (c *Cell) Out() []int { return c.dir(Out) }

func (c *Cell) dir(d Dir) []int {
	var r []int
	for i, p := range c.Pins {
		if p.Dir == d {
			r = append(r, i)
		}
	}
	return r
}

// Pin returns the index of a pin by name, or -1.
func (c *Cell) Pin(name string) int {
	for i, p := range c.Pins {
		if p.Name == name {
			return i
		}
	}
	return -1
}

// Within says whether scope s is t or inside it.
func (c *Circuit) Within(s, t int) bool {
	for ; s >= 0; s = c.Scopes[s].Parent {
		if s == t {
			return true
		}
	}
	return false
}

// Unit writes 10^exp ticks as a time: 1 ns, 100ps.
func (c *Circuit) Unit(exp int) string {
	e := c.TickExp + exp
	k := ((e % 3) + 3) % 3
	return []string{"1", "10", "100"}[k] + map[int]string{-18: "as", -15: "fs", -12: "ps", -9: "ns", -6: "us"}[e-k]
}

// Path is the list of instance names from the top down to scope s.
func (c *Circuit) Path(s int) []string {
	if s == 0 {
		return nil
	}
	return append(c.Path(c.Scopes[s].Parent), c.Scopes[s].Name)
}

// Way lists the ends that a signal passes from a driver in a scope to a sink in another: the driver, ports of the scopes
// that it leaves, ports of those that it enters, the sink. A scope of -1 is outside the top: the driver is its port.
func (c *Circuit) Way(net int, driver End, from int, sink End, to int) []End {
	way := []End{driver}
	if from < 0 {
		from = 0
	}
	for ; !c.Within(to, from); from = c.Scopes[from].Parent {
		way = append(way, End{Kind: EndPort, Scope: from, Net: net})
	}
	down := []End{sink}
	for ; to != from; to = c.Scopes[to].Parent {
		down = append([]End{{Kind: EndPort, Scope: to, Net: net}}, down...)
	}
	return append(way, down...)
}
