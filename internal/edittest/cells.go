package edittest

import (
	"fmt"
	"slices"
	"strings"
)

// cell is a library cell. Inputs come first in its Liberty text.
type cell struct {
	name string
	in   []string
	out  []output
	kind string // "" a gate, ff, latch, clear (a latch with clear), gate (clock gate by statetable), tri
}

type output struct{ pin, fn string }

func comb(name, fn string, in ...string) *cell {
	return &cell{name: name, in: in, out: []output{{"Y", fn}}}
}

var cells = []*cell{
	comb("INV", "!A", "A"), comb("BUF", "A", "A"),
	comb("NAND2", "!(A & B)", "A", "B"), comb("NAND2X", "!(B & A)", "A", "B"), comb("NOR2", "!(A | B)", "A", "B"), comb("AND2", "A & B", "A", "B"),
	comb("OR2", "A | B", "A", "B"), comb("XOR2", "A ^ B", "A", "B"), comb("XNOR2", "!(A ^ B)", "A", "B"),
	comb("AOI21", "!((A & B) | C)", "A", "B", "C"), comb("OAI21", "!((A | B) & C)", "A", "B", "C"), comb("MUX2", "(A & !C) | (B & C)", "A", "B", "C"),
	comb("MAJ3", "(A & B) | (B & C) | (A & C)", "A", "B", "C"), comb("XOR3", "A ^ B ^ C", "A", "B", "C"),
	comb("AO7", "(A & B & C) | (D & E) | (F & !G)", "A", "B", "C", "D", "E", "F", "G"),
	comb("WIDE13", "(A & B) | (C & D) | (E & F & G) | (H ^ I) & J & !K & (L | M)", "A", "B", "C", "D", "E", "F", "G", "H", "I", "J", "K", "L", "M"),
	{name: "HA", in: []string{"A", "B"}, out: []output{{"CO", "A & B"}, {"S", "A ^ B"}}},
	{name: "TIEHI", out: []output{{"Y", "1"}}},
	{name: "TIELO", out: []output{{"Y", "0"}}},
	{name: "LATQ", kind: "latch", in: []string{"G", "D"}, out: []output{{"Q", "IQ"}}},
	{name: "LATC", kind: "clear", in: []string{"G", "D", "CN"}, out: []output{{"Q", "IQ"}, {"QN", "IQN"}}},
	{name: "CKG", kind: "gate", in: []string{"CK", "EN"}, out: []output{{"GCK", "CK & IQ"}}},
	{name: "CKL", kind: "latch", in: []string{"CK", "EN"}, out: []output{{"GCK", "CK & IQ"}}},
	{name: "DFF", kind: "ff", in: []string{"CK", "D"}, out: []output{{"Q", "IQ"}, {"QN", "IQN"}}},
	{name: "DFFR", kind: "ff", in: []string{"CK", "D", "RN"}, out: []output{{"Q", "IQ"}, {"QN", "IQN"}}},
	{name: "TBUF", kind: "tri", in: []string{"A", "EN"}, out: []output{{"Y", "A"}}},
}

func cellNamed(name string) *cell {
	i := slices.IndexFunc(cells, func(c *cell) bool { return c.name == name })
	return cells[i]
}

// like lists the plain gates with the same pins.
func (c *cell) like() []*cell {
	var same []*cell
	for _, x := range cells {
		if x != c && x.kind == "" && c.kind == "" && slices.Equal(x.in, c.in) && len(x.out) == len(c.out) && x.out[0].pin == c.out[0].pin {
			same = append(same, x)
		}
	}
	return same
}

// library is what edits change of the cells.
type library struct {
	fn      map[string]string // other functions, by cell
	comment []string
	area    int
	more    int // cells that nothing uses
}

func (l *library) clone() library {
	c := *l
	c.fn = map[string]string{}
	for k, v := range l.fn {
		c.fn[k] = v
	}
	c.comment = slices.Clone(l.comment)
	return c
}

func (l *library) text() string {
	var b strings.Builder
	p := func(f string, args ...any) { fmt.Fprintf(&b, f, args...) }
	for _, c := range l.comment {
		p("/* %s */\n", c)
	}
	p("library (edits) {\n  delay_model : table_lookup;\n  time_unit : \"1ns\";\n  voltage_unit : \"1V\";\n  capacitive_load_unit (1,pf);\n")
	for i := range l.more {
		p("  cell (SPARE%d) { pin (A) { direction : input; capacitance : 0.001; } pin (Y) { direction : output; function : \"A\"; } }\n", i)
	}
	for _, c := range cells {
		p("  cell (%s) {\n    area : %d;\n", c.name, 10+l.area)
		switch {
		case c.name == "CKL":
			p("    clock_gating_integrated_cell : \"latch_posedge\";\n    latch (IQ,IQN) { enable : \"!CK\"; data_in : \"EN\"; }\n")
		case c.kind == "latch":
			p("    latch (IQ,IQN) { enable : \"G\"; data_in : \"D\"; }\n")
		case c.kind == "clear":
			p("    latch (IQ,IQN) { enable : \"G\"; data_in : \"D\"; clear : \"!CN\"; }\n")
		case c.kind == "gate":
			p("    clock_gating_integrated_cell : \"latch_posedge\";\n    statetable (\"CK EN\", \"IQ\") { table : \"L L : - : L, L H : - : H, H - : - : N\"; }\n    pin (IQ) { direction : internal; internal_node : \"IQ\"; }\n")
		case c.name == "DFFR":
			p("    ff (IQ,IQN) { clocked_on : \"CK\"; next_state : \"D\"; clear : \"!RN\"; }\n")
		case c.kind == "ff":
			p("    ff (IQ,IQN) { clocked_on : \"CK\"; next_state : \"D\"; }\n")
		}
		for _, in := range c.in {
			p("    pin (%s) { direction : input; capacitance : 0.001; }\n", in)
		}
		for _, o := range c.out {
			attr, fn := "function", o.fn
			if c.kind == "gate" {
				attr = "state_function"
			}
			if x, ok := l.fn[c.name]; ok {
				fn = x
			}
			p("    pin (%s) { direction : output; %s : \"%s\";", o.pin, attr, fn)
			if c.kind == "tri" {
				p(" three_state : \"!EN\";")
			}
			p(" }\n")
		}
		p("  }\n")
	}
	p("}\n")
	return b.String()
}
