package example

// Kind tells what a cell is apart from its functions.
type Kind uint8

// The kinds.
const (
	Comb Kind = iota
	Tie
	Register  // DFFR_1: posedge CK, D, asynchronous RN (low), Q
	ClockGate // CKGATE_1: a latch transparent while CLK is low holds EN for GCLK
)

// Cell is a library cell. Figures are integers so that every text made from them is the same on every machine.
type Cell struct {
	Name    string
	Kind    Kind
	Area    int // 0.01 um^2
	Leakage int // pW
	In      []Pin
	Out     []Output
}

// Pin is an input: capacitance in aF (1e-18 F).
type Pin struct {
	Name string
	Cap  int
}

// Output is an output with its function of the input pins, in the syntax that Liberty and Verilog share, and as code:
// bit i of in is input i.
type Output struct {
	Name     string
	Function string
	Eval     func(in uint) bool
	Res      int // ps a fF: how the delay grows with the load
	Arcs     []Arc
}

// Arc is a timing arc: delays in ps without load. Conds are states in which the arc has other delays.
type Arc struct {
	Pin        int
	Rise, Fall int
	Sense      string // positive_unate, negative_unate, non_unate
	Conds      []Cond
}

// Cond is a state (an SDF condition over the other pins) and what it adds to the delays of its arc, in ps.
type Cond struct {
	Expr       string
	Rise, Fall int
}

// NPin is the number of pins, inputs first.
func (c *Cell) NPin() int { return len(c.In) + len(c.Out) }

// PinIndex returns the index of an input, or -1.
func (c *Cell) PinIndex(name string) int {
	for i := range c.In {
		if c.In[i].Name == name {
			return i
		}
	}
	return -1
}

func pins(cap int, names ...string) []Pin {
	ps := make([]Pin, len(names))
	for i, n := range names {
		ps[i] = Pin{n, cap}
	}
	return ps
}

// simple is a gate with one output Y whose inputs have like arcs, each a little slower than the one before.
func simple(name string, area, leak, cap, res, rise, fall int, sense, function string, eval func(uint) bool, in ...string) *Cell {
	c := &Cell{Name: name, Area: area, Leakage: leak, In: pins(cap, in...)}
	o := Output{Name: "Y", Function: function, Eval: eval, Res: res}
	for i := range in {
		o.Arcs = append(o.Arcs, Arc{Pin: i, Rise: rise + 4*i, Fall: fall + 3*i, Sense: sense})
	}
	c.Out = []Output{o}
	return c
}

func bit(in uint, i int) bool { return in>>i&1 == 1 }

// Cells is the library, in the order in which it is written.
var Cells = func() []*Cell {
	const pos, neg, non = "positive_unate", "negative_unate", "non_unate"
	all := func(n int) uint { return 1<<n - 1 }
	cells := []*Cell{
		simple("INV_1", 150, 900, 1100, 9, 11, 9, neg, "!A", func(in uint) bool { return !bit(in, 0) }, "A"),
		simple("BUF_2", 250, 1400, 1000, 5, 24, 26, pos, "A", func(in uint) bool { return bit(in, 0) }, "A"),
		simple("CLKBUF_4", 400, 2600, 1300, 3, 28, 29, pos, "A", func(in uint) bool { return bit(in, 0) }, "A"),
		simple("NAND2_1", 200, 1200, 1100, 9, 15, 13, neg, "!(A & B)", func(in uint) bool { return in&3 != 3 }, "A", "B"),
		simple("NAND3_1", 270, 1500, 1150, 10, 19, 18, neg, "!(A & B & C)", func(in uint) bool { return in&7 != 7 }, "A", "B", "C"),
		simple("NOR2_1", 200, 1100, 1150, 11, 19, 12, neg, "!(A | B)", func(in uint) bool { return in&3 == 0 }, "A", "B"),
		simple("NOR3_1", 270, 1300, 1200, 13, 27, 14, neg, "!(A | B | C)", func(in uint) bool { return in&7 == 0 }, "A", "B", "C"),
		simple("AND2_1", 250, 1500, 1000, 7, 31, 33, pos, "(A & B)", func(in uint) bool { return in&3 == 3 }, "A", "B"),
		simple("OR2_1", 250, 1500, 1000, 7, 30, 38, pos, "(A | B)", func(in uint) bool { return in&3 != 0 }, "A", "B"),
		simple("AND4_1", 390, 2100, 1000, 7, 46, 41, pos, "(A & B & C & D)", func(in uint) bool { return in&15 == all(4) }, "A", "B", "C", "D"),
		simple("XOR2_1", 390, 2300, 1900, 9, 36, 38, non, "(A ^ B)", func(in uint) bool { return bit(in, 0) != bit(in, 1) }, "A", "B"),
		simple("XNOR2_1", 390, 2300, 1900, 9, 37, 36, non, "!(A ^ B)", func(in uint) bool { return bit(in, 0) == bit(in, 1) }, "A", "B"),
		simple("AOI21_1", 260, 1300, 1150, 11, 22, 15, neg, "!((A1 & A2) | B)",
			func(in uint) bool { return !(in&3 == 3 || bit(in, 2)) }, "A1", "A2", "B"),
		simple("OAI21_1", 260, 1300, 1150, 11, 23, 16, neg, "!((A1 | A2) & B)",
			func(in uint) bool { return !(in&3 != 0 && bit(in, 2)) }, "A1", "A2", "B"),
		simple("MUX2_1", 430, 2200, 1200, 8, 41, 43, pos, "((A & !S) | (B & S))",
			func(in uint) bool { return bit(in, 0) && !bit(in, 2) || bit(in, 1) && bit(in, 2) }, "A", "B", "S"),
	}
	by := map[string]*Cell{}
	for _, c := range cells {
		by[c.Name] = c
	}
	// A state of the other input: the arc through an XOR inverts or does not, which are two paths through the cell.
	for _, n := range []string{"XOR2_1", "XNOR2_1"} {
		arcs := by[n].Out[0].Arcs
		arcs[0].Conds = []Cond{{"B==1'b0", -3, -4}, {"B==1'b1", 5, 3}}
		arcs[1].Conds = []Cond{{"A==1'b0", -2, -3}, {"A==1'b1", 6, 4}}
	}
	aoi := by["AOI21_1"].Out[0].Arcs
	aoi[2].Conds = []Cond{{"A1===1'b1&&A2===1'b0", 4, 2}, {"A1===1'b0&&A2===1'b1", 3, 2}, {"~A1&~A2", -2, -1}}
	mux := by["MUX2_1"].Out[0].Arcs
	mux[2].Sense = non
	mux[2].Conds = []Cond{{"A==1'b0&&B==1'b1", -4, -6}, {"A==1'b1&&B==1'b0", 7, 9}}

	half := &Cell{Name: "HA_1", Area: 520, Leakage: 3300, In: pins(1900, "A", "B"), Out: []Output{
		{Name: "CO", Function: "(A & B)", Eval: func(in uint) bool { return in&3 == 3 }, Res: 8, Arcs: []Arc{
			{Pin: 0, Rise: 33, Fall: 35, Sense: pos}, {Pin: 1, Rise: 36, Fall: 37, Sense: pos},
		}},
		{Name: "S", Function: "(A ^ B)", Eval: func(in uint) bool { return bit(in, 0) != bit(in, 1) }, Res: 9, Arcs: []Arc{
			{Pin: 0, Rise: 42, Fall: 44, Sense: non, Conds: []Cond{{"B==1'b0", -2, -3}, {"B==1'b1", 6, 5}}},
			{Pin: 1, Rise: 45, Fall: 43, Sense: non, Conds: []Cond{{"A==1'b0", -3, -2}, {"A==1'b1", 5, 6}}},
		}},
	}}
	ones := func(in uint) int { return int(in&1 + in>>1&1 + in>>2&1) }
	full := &Cell{Name: "FA_1", Area: 880, Leakage: 5400, In: pins(2100, "A", "B", "CI"), Out: []Output{
		{Name: "CO", Function: "((A & B) | (CI & (A | B)))", Eval: func(in uint) bool { return ones(in) >= 2 }, Res: 9, Arcs: []Arc{
			{Pin: 0, Rise: 66, Fall: 70, Sense: pos, Conds: []Cond{{"B==1'b1&&CI==1'b0", 3, 4}, {"B==1'b0&&CI==1'b1", -2, -1}}},
			{Pin: 1, Rise: 68, Fall: 71, Sense: pos, Conds: []Cond{{"A==1'b1&&CI==1'b0", 3, 3}, {"A==1'b0&&CI==1'b1", -1, -2}}},
			{Pin: 2, Rise: 58, Fall: 61, Sense: pos},
		}},
		{Name: "S", Function: "(A ^ B ^ CI)", Eval: func(in uint) bool { return ones(in)&1 == 1 }, Res: 10, Arcs: []Arc{
			{Pin: 0, Rise: 84, Fall: 88, Sense: non, Conds: []Cond{
				{"B==1'b0&&CI==1'b0", -4, -3}, {"B==1'b0&&CI==1'b1", 2, 1}, {"B==1'b1&&CI==1'b0", 3, 2}, {"B==1'b1&&CI==1'b1", 7, 6},
			}},
			{Pin: 1, Rise: 86, Fall: 87, Sense: non, Conds: []Cond{
				{"A==1'b0&&CI==1'b0", -3, -4}, {"A==1'b1&&CI==1'b1", 6, 7},
			}},
			{Pin: 2, Rise: 71, Fall: 74, Sense: non, Conds: []Cond{
				{"A==1'b0&&B==1'b0", -3, -3}, {"A==1'b1&&B==1'b1", 5, 5},
			}},
		}},
	}}
	return append(cells, half, full,
		&Cell{Name: "DFFR_1", Kind: Register, Area: 1100, Leakage: 6100, In: []Pin{{"CK", 1000}, {"D", 1100}, {"RN", 1300}}, Out: []Output{
			{Name: "Q", Function: "IQ", Res: 8, Arcs: []Arc{{Pin: 0, Rise: 92, Fall: 97, Sense: non}, {Pin: 2, Rise: 0, Fall: 74, Sense: pos}}},
		}},
		&Cell{Name: "CKGATE_1", Kind: ClockGate, Area: 980, Leakage: 5200, In: []Pin{{"CLK", 1500}, {"EN", 1100}}, Out: []Output{
			{Name: "GCLK", Function: "CLK * IQ", Res: 4, Arcs: []Arc{{Pin: 0, Rise: 47, Fall: 52, Sense: pos}}},
		}},
		&Cell{Name: "TIEHI_1", Kind: Tie, Area: 120, Leakage: 300, Out: []Output{{Name: "Y", Function: "1", Eval: func(uint) bool { return true }}}},
		&Cell{Name: "TIELO_1", Kind: Tie, Area: 120, Leakage: 300, Out: []Output{{Name: "Y", Function: "0", Eval: func(uint) bool { return false }}}},
	)
}()

// CellNamed returns a cell of the library.
func CellNamed(name string) *Cell {
	for _, c := range Cells {
		if c.Name == name {
			return c
		}
	}
	return nil
}
