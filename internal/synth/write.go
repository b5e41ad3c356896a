package synth

import (
	"bufio"
	"io"
	"strconv"

	"github.com/wattd/wattd/internal/example"
)

// out is a buffered writer for lines made of short texts and numbers.
type out struct {
	*bufio.Writer
	num []byte
}

func newOut(w io.Writer) *out { return &out{Writer: bufio.NewWriterSize(w, 1<<20)} }

// put writes strings and ints.
func (o *out) put(parts ...any) {
	for _, p := range parts {
		switch p := p.(type) {
		case string:
			o.WriteString(p)
		case int:
			o.num = strconv.AppendInt(o.num[:0], int64(p), 10)
			o.Write(o.num)
		}
	}
}

// ns writes "(0.012)" for 12 ps.
func (o *out) ns(ps int) {
	o.put("(", ps/1000, ".")
	o.num = append(o.num[:0], byte('0'+ps/100%10), byte('0'+ps/10%10), byte('0'+ps%10), ')')
	o.Write(o.num)
}

// net writes the name of a net inside a block.
func (o *out) net(d *Design, n int) {
	switch {
	case n < inputs && d.Blocks == 0:
		o.put("in[", n, "]")
	case n < inputs:
		o.put("i[", n, "]")
	case n < d.regs:
		o.put("q", n)
	default:
		o.put("n", n-d.regs)
	}
}

// WriteLiberty writes the cells.
func (d *Design) WriteLiberty(w io.Writer) error { return example.WriteLiberty(w) }

// WriteVerilog writes the netlist.
func (d *Design) WriteVerilog(w io.Writer) error {
	o := newOut(w)
	o.put("`timescale 1ns / 1ps\n")
	if d.Blocks == 0 {
		o.put("module ", d.Top(), " (clk, rst_n, in, out);\n  input clk, rst_n;\n  input [", inputs-1, ":0] in;\n  output [", inputs-1, ":0] out;\n")
		d.body(o, "out")
		return o.Flush()
	}
	o.put("module block (clk, rst_n, i, o);\n  input clk, rst_n;\n  input [", inputs-1, ":0] i;\n  output [", inputs-1, ":0] o;\n")
	d.body(o, "o")
	o.put("module ", d.Top(), " (clk, rst_n, in, out);\n  input clk, rst_n;\n  input [", inputs-1, ":0] in;\n  output [", inputs-1, ":0] out;\n")
	for b := range d.Blocks {
		o.put("  wire [", inputs-1, ":0] x", b, ";\n  block b", b, " (.clk(clk), .rst_n(rst_n), .i(")
		if b == 0 {
			o.put("in")
		} else {
			o.put("x", b-1)
		}
		o.put("), .o(x", b, "));\n")
	}
	o.put("  assign out = x", d.Blocks-1, ";\nendmodule\n")
	return o.Flush()
}

// body writes what is inside a block.
func (d *Design) body(o *out, port string) {
	for n := inputs; n < d.regs; n++ {
		o.put("  wire q", n, ";\n")
	}
	for g := range d.gates {
		o.put("  wire n", g, ";\n")
	}
	for l := len(d.tree) - 1; l >= 0; l-- {
		for k := range d.tree[l] {
			o.put("  wire ck_", l, "_", k, ";\n  CLKBUF_4 ckbuf_", l, "_", k, " (.A(")
			o.clock(d, l+1, k)
			o.put("), .Y(ck_", l, "_", k, "));\n")
		}
	}
	for r := inputs; r < d.regs; r++ {
		o.put("  DFFR_1 r", r, " (.CK(")
		o.clock(d, 0, r-inputs)
		o.put("), .D(")
		o.net(d, d.data(r))
		o.put("), .RN(rst_n), .Q(q", r, "));\n")
	}
	for g := range d.gates {
		c := d.cell(g)
		o.put("  ", c.Name, " _", g, "_ (")
		for p := range c.In {
			o.put(".", c.In[p].Name, "(")
			o.net(d, d.input(g, p))
			o.put("), ")
		}
		o.put(".", c.Out[0].Name, "(n", g, "));\n")
	}
	for k := range inputs {
		o.put("  assign ", port, "[", k, "] = q", inputs+k, ";\n")
	}
	o.put("endmodule\n")
}

// clock writes the clock net of a level of the tree for what is number k below it.
func (o *out) clock(d *Design, level, k int) {
	if level >= len(d.tree) {
		o.put("clk")
		return
	}
	o.put("ck_", level, "_", k/fanout)
}

// WriteSDF writes the delays: all wires under the top first, as most tools do, then a CELL entry an instance.
func (d *Design) WriteSDF(w io.Writer) error {
	o := newOut(w)
	o.put("(DELAYFILE\n(SDFVERSION \"3.0\")\n(DESIGN \"", d.Top(), "\")\n(DIVIDER /)\n(TIMESCALE 1ns)\n(CELL (CELLTYPE \"", d.Top(), "\")\n(INSTANCE)\n(DELAY (ABSOLUTE\n")
	for b := range d.blocks() {
		d.sdfWires(o, b)
	}
	o.put("))\n)\n")
	for b := range d.blocks() {
		d.sdfCells(o, b)
	}
	o.put(")\n")
	return o.Flush()
}

// path writes the hierarchy above an instance of a block.
func (o *out) path(d *Design, block int) {
	if d.Blocks > 0 {
		o.put("b", block, "/")
	}
}

// driver writes the pin that drives a net of a block.
func (o *out) driver(d *Design, block, n int) {
	switch {
	case n < inputs && block == 0:
		o.put("in[", n, "]")
	case n < inputs:
		o.path(d, block-1)
		o.put("r", inputs+n, "/Q")
	case n < d.regs:
		o.path(d, block)
		o.put("r", n, "/Q")
	default:
		o.path(d, block)
		o.put("_", n-d.regs, "_/Y")
	}
}

func (d *Design) sdfWires(o *out, b int) {
	clock := func(level, k int, sink string, n int, pin string) {
		o.put("(INTERCONNECT ")
		if level < len(d.tree) {
			o.path(d, b)
			o.put("ckbuf_", level, "_", k/fanout, "/Y ")
		} else {
			o.put("clk ")
		}
		o.path(d, b)
		o.put(sink, n, pin)
		o.ns(bufWire)
		o.put(")\n")
	}
	for l := range d.tree {
		for k := range d.tree[l] {
			clock(l+1, k, "ckbuf_"+strconv.Itoa(l)+"_", k, "/A ")
		}
	}
	for r := inputs; r < d.regs; r++ {
		clock(0, r-inputs, "r", r, "/CK ")
	}
	for g := range d.gates {
		c := d.cell(g)
		for p := range c.In {
			rise, fall := d.wire(b, g, p)
			o.put("(INTERCONNECT ")
			o.driver(d, b, d.input(g, p))
			o.put(" ")
			o.path(d, b)
			o.put("_", g, "_/", c.In[p].Name, " ")
			o.pair(rise, fall)
			o.put(")\n")
		}
	}
}

func (o *out) pair(rise, fall int) {
	o.ns(rise)
	o.put(" ")
	o.ns(fall)
}

func (d *Design) sdfCells(o *out, b int) {
	head := func(cell, inst string, n int, tail string) {
		o.put("(CELL (CELLTYPE \"", cell, "\")\n(INSTANCE ")
		o.path(d, b)
		o.put(inst, n, tail, ")\n(DELAY (ABSOLUTE\n")
	}
	for l := range d.tree {
		for k := range d.tree[l] {
			head("CLKBUF_4", "ckbuf_"+strconv.Itoa(l)+"_", k, "")
			o.put("(IOPATH A Y ")
			o.pair(bufRise, bufRise)
			o.put(")))\n)\n")
		}
	}
	for r := inputs; r < d.regs; r++ {
		head("DFFR_1", "r", r, "")
		o.put("(IOPATH (posedge CK) Q ")
		o.pair(d.clockToQ(b, r))
		o.put(")))\n)\n")
	}
	for g := range d.gates {
		c := d.cell(g)
		head(c.Name, "_", g, "_")
		d.arcs(o, b, g, d.Cond)
		o.put("))\n)\n")
	}
}

// arcs writes the IOPATH entries of a gate.
func (d *Design) arcs(o *out, b, g int, conds bool) {
	c := d.cell(g)
	y := &c.Out[0]
	for i := range y.Arcs {
		a := &y.Arcs[i]
		pin := c.In[a.Pin].Name
		rise, fall := d.arc(b, g, a)
		o.put("(IOPATH ", pin, " ", y.Name, " ")
		o.pair(rise, fall)
		o.put(")\n")
		if !conds {
			continue
		}
		for _, x := range a.Conds {
			o.put("(COND ", x.Expr, " (IOPATH ", pin, " ", y.Name, " ")
			o.pair(rise+x.Rise, fall+x.Fall)
			o.put("))\n")
		}
	}
}
