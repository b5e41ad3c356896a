package design_test

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wattd/wattd/internal/design"
	"github.com/wattd/wattd/internal/design/designtest"
	"github.com/wattd/wattd/internal/diag"
	"github.com/wattd/wattd/internal/format/liberty"
	"github.com/wattd/wattd/internal/format/scan"
	"github.com/wattd/wattd/internal/format/verilog"
	"github.com/wattd/wattd/internal/netlist"
)

// drives are second sizes of cells of designtest.Cells.
const drives = `library (more) {
  cell (INV2) { pin (A) { direction : input; } pin (Y) { direction : output; function : "!A"; } }
  cell (AND2X2) { pin (A) { direction : input; } pin (B) { direction : input; } pin (Y) { direction : output; function : "A*B"; } }
  cell (NAND2) { pin (A) { direction : input; } pin (B) { direction : input; } pin (Y) { direction : output; function : "!(A*B)"; } }
  cell (DFF2) { ff (IQ, IQN) { clocked_on : "CK"; next_state : "D"; }
    pin (CK) { direction : input; clock : true; } pin (D) { direction : input; }
    pin (Q) { direction : output; function : "IQ"; } pin (QN) { direction : output; function : "IQN"; } }
}
`

// patchPins lists the pins of the cells that edits use: inputs, then outputs.
var patchPins = map[string][2][]string{
	"INV": {{"A"}, {"Y"}}, "INV2": {{"A"}, {"Y"}}, "BUF": {{"A"}, {"Y"}}, "AND2": {{"A", "B"}, {"Y"}}, "AND2X2": {{"A", "B"}, {"Y"}}, "NAND2": {{"A", "B"}, {"Y"}},
	"XOR2": {{"A", "B"}, {"Y"}}, "AOI21": {{"A1", "A2", "B"}, {"Y"}}, "HA": {{"A", "B"}, {"S", "CO"}}, "DFF": {{"CK", "D"}, {"Q", "QN"}}, "DFF2": {{"CK", "D"}, {"Q", "QN"}},
	"LAT": {{"G", "D"}, {"Q"}}, "ICG": {{"CK", "E"}, {"GCK"}}, "TIE1": {{}, {"Y"}}, "TBUF": {{"A", "OE"}, {"Y"}}, "MYST": {{"I"}, {"O"}},
}

var patchSwaps = [][]string{{"INV", "INV2", "BUF"}, {"AND2", "AND2X2", "NAND2", "XOR2"}, {"DFF", "DFF2"}}

// patchCase is a random design as text, and its edits.
type patchCase struct {
	r     *rand.Rand
	libs  []*liberty.Library
	insts []*patchInst
	wires []string
	next  int
	lines []string // of the list of wires in the SDF
	cells []*patchCell
	loops bool
	front int // lines in front of everything
	over  []patchOverride
	kind  string
	edit  *netlist.Edit
	nl    *netlist.Netlist
}

type patchInst struct {
	name, cell string
	nets       map[string]string // by pin; not there: open
}

type patchCell struct {
	inst, typ string
	stmts     []string
	increment bool
}

type patchOverride struct {
	inst string
	o    design.Override
}

func newPatchCase(t testing.TB, seed uint64) *patchCase {
	c := &patchCase{r: rand.New(rand.NewPCG(seed, 7)), loops: seed%4 == 1}
	bag := &diag.Bag{}
	for _, text := range []string{drives, designtest.Cells} {
		l, err := liberty.Read(context.Background(), strings.NewReader(text), "x.lib", bag)
		if err != nil {
			t.Fatal(err)
		}
		c.libs = append(c.libs, l)
	}
	kinds := []string{"INV", "BUF", "AND2", "XOR2", "AOI21", "HA", "NAND2", "AND2X2"}
	if seed%3 == 0 {
		kinds = append(kinds, "LAT", "ICG", "TIE1")
	}
	if seed%5 == 0 {
		kinds = append(kinds, "TBUF")
	}
	if seed%7 == 0 {
		kinds = append(kinds, "MYST")
	}
	for i := range 8 {
		c.insert(fmt.Sprintf("r%d", i), "DFF", false)
	}
	for i := range 60 {
		c.insert(fmt.Sprintf("u%d", i), kinds[c.r.IntN(len(kinds))], false)
	}
	for _, i := range c.insts { // the registers read gates
		if i.cell == "DFF" {
			i.nets["D"] = c.wires[c.r.IntN(len(c.wires))]
		}
	}
	for _, i := range c.insts {
		c.annotate(i)
	}
	return c
}

// source is a net that an instance inserted now may read.
func (c *patchCase) source() string {
	if len(c.wires) == 0 || c.r.IntN(12) == 0 {
		return []string{"a", "b", "clk", "d"}[c.r.IntN(4)]
	}
	n := len(c.wires)
	return c.wires[max(0, n-1-c.r.IntN(min(n, 24)))]
}

func (c *patchCase) insert(name, cell string, edit bool) *patchInst {
	i := &patchInst{name, cell, map[string]string{}}
	for _, p := range patchPins[cell][0] {
		i.nets[p] = c.source()
		if p == "CK" || p == "G" {
			i.nets[p] = "clk"
		}
		if c.r.IntN(40) == 0 {
			delete(i.nets, p)
		}
	}
	for _, p := range patchPins[cell][1] {
		c.next++
		w := fmt.Sprintf("w%d", c.next)
		i.nets[p] = w
		c.wires = append(c.wires, w)
	}
	c.insts = append(c.insts, i)
	return i
}

func (c *patchCase) value() string {
	if c.r.IntN(20) == 0 {
		return []string{"(0)", "()", "(-2)"}[c.r.IntN(3)]
	}
	return fmt.Sprintf("(%d.%d)", 1+c.r.IntN(40), c.r.IntN(10)*c.r.IntN(2))
}

func (c *patchCase) pair() string { return c.value() + " " + c.value() }

func (c *patchCase) driver(net string) string {
	for _, i := range c.insts {
		for _, p := range patchPins[i.cell][1] {
			if i.nets[p] == net {
				return i.name + "/" + p
			}
		}
	}
	return net
}

// annotate writes the SDF of an instance.
func (c *patchCase) annotate(i *patchInst) {
	for _, p := range patchPins[i.cell][0] {
		if n := i.nets[p]; n != "" && c.r.IntN(8) > 0 {
			c.lines = append(c.lines, c.wire(i, p))
		}
	}
	x := &patchCell{inst: i.name, typ: i.cell}
	x.stmts = c.paths(i)
	c.cells = append(c.cells, x)
}

func (c *patchCase) wire(i *patchInst, pin string) string {
	switch c.r.IntN(30) {
	case 0:
		return fmt.Sprintf("(PORT %s/%s %s)", i.name, pin, c.pair())
	case 1:
		return fmt.Sprintf("(NETDELAY %s %s)", c.driver(i.nets[pin]), c.pair())
	case 2:
		return fmt.Sprintf("(INTERCONNECT %s %s/%s ((3) (2) (2)))", c.driver(i.nets[pin]), i.name, pin)
	}
	return fmt.Sprintf("(INTERCONNECT %s %s/%s %s)", c.driver(i.nets[pin]), i.name, pin, c.pair())
}

func (c *patchCase) paths(i *patchInst) []string {
	var s []string
	pins := patchPins[i.cell]
	for _, o := range pins[1] {
		for k, p := range pins[0] {
			switch c.r.IntN(12) {
			case 0:
			case 1:
				s = append(s, fmt.Sprintf("(IOPATH (posedge %s) %s %s)", p, o, c.pair()))
			default:
				s = append(s, fmt.Sprintf("(IOPATH %s %s %s)", p, o, c.pair()))
			}
			if len(pins[0]) > 1 && c.r.IntN(4) == 0 {
				q := pins[0][(k+1)%len(pins[0])]
				s = append(s, fmt.Sprintf("(COND %s (IOPATH %s %s %s))", []string{q, "~" + q, q + "==1'b1"}[c.r.IntN(3)], p, o, c.pair()))
			}
		}
		switch c.r.IntN(25) {
		case 0:
			s = append(s, fmt.Sprintf("(DEVICE %s %s)", o, c.pair()))
		case 1:
			s = append(s, "(PATHPULSEPERCENT (50))")
		}
	}
	return s
}

func (c *patchCase) verilog() string {
	var b strings.Builder
	b.WriteString(strings.Repeat("// front\n", c.front))
	b.WriteString("module top (input a, b, clk, d, output y);\n")
	for _, w := range c.wires {
		fmt.Fprintf(&b, "  wire %s;\n", w)
	}
	for _, i := range c.insts {
		fmt.Fprintf(&b, "  %s %s (", i.cell, i.name)
		sep := ""
		for _, p := range slices.Concat(patchPins[i.cell][0], patchPins[i.cell][1]) {
			fmt.Fprintf(&b, "%s.%s(%s)", sep, p, i.nets[p])
			sep = ", "
		}
		b.WriteString(");\n")
	}
	b.WriteString("  buf g1 (y, w1);\n  nand #2 g2 (y2, w2, w3);\nendmodule\n")
	return b.String()
}

// sdf writes lines long enough for many parts.
func (c *patchCase) sdf() string {
	var b strings.Builder
	b.WriteString(strings.Repeat("// front\n", c.front))
	line := func(s string) { fmt.Fprintf(&b, "%-900s\n", s) }
	line(`(DELAYFILE (SDFVERSION "3.0") (DIVIDER /) (TIMESCALE 1ps)`)
	line(`(CELL (CELLTYPE "top") (INSTANCE) (DELAY (ABSOLUTE`)
	for _, s := range c.lines {
		line(s)
	}
	line(")))")
	for _, x := range c.cells {
		mode := "ABSOLUTE"
		if x.increment {
			mode = "INCREMENT"
		}
		fmt.Fprintf(&b, "(CELL (CELLTYPE \"%s\") (INSTANCE %s) (DELAY (%s\n", x.typ, x.inst, mode)
		for _, s := range x.stmts {
			line(s)
		}
		b.WriteString("))\n(TIMINGCHECK (WIDTH (posedge A) (1))))\n")
	}
	b.WriteString(")\n")
	return b.String()
}

// chunks cuts a text by content.
func chunks(s string) []design.Chunk {
	var out []design.Chunk
	var part strings.Builder
	cut := func() {
		if part.Len() == 0 {
			return
		}
		h := fnv.New128a()
		io.WriteString(h, part.String())
		out = append(out, design.Chunk{Len: int32(part.Len()), Hash: [16]byte(h.Sum(nil))})
		part.Reset()
	}
	for l := range strings.Lines(s) {
		part.WriteString(l)
		h := fnv.New32a()
		io.WriteString(h, l)
		if h.Sum32()%6 == 0 {
			cut()
		}
	}
	cut()
	return out
}

func (c *patchCase) link(t testing.TB, prev *netlist.Netlist, free int32) *netlist.Netlist {
	bag := &diag.Bag{}
	names := scan.NewNames()
	mods, err := verilog.Read(context.Background(), strings.NewReader(c.verilog()), "x.v", 0, names, verilog.Option{}, bag)
	if err != nil || bag.Errors() > 0 {
		t.Fatal(err, bag.Totals())
	}
	nl, err := netlist.Link(context.Background(), netlist.Input{Modules: mods, Names: names, Files: []string{"x.v"}, Libs: c.libs}, bag)
	if err != nil || nl == nil {
		t.Fatal(err, bag.Totals())
	}
	if prev != nil {
		nl.Stabilize(prev, free)
	}
	return nl
}

func (c *patchCase) overrides(nl *netlist.Netlist) []design.Override {
	var os []design.Override
	for _, x := range c.over {
		if i := nl.FindInst(0, []byte(x.inst)); i >= 0 {
			o := x.o
			o.Inst = i
			os = append(os, o)
		}
	}
	return os
}

func (c *patchCase) compile(t testing.TB, nl *netlist.Netlist, prev *design.Design) (*design.Design, *diag.Bag) {
	bag := &diag.Bag{}
	text := c.sdf()
	d, err := design.Compile(context.Background(), nl, design.Options{Prev: prev, Keep: true, Overrides: c.overrides(nl)}, []design.SDF{{
		Name: "x.sdf", Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil },
		Chunks: func() ([]design.Chunk, error) { return chunks(text), nil },
	}}, bag)
	if err != nil {
		t.Fatal(err)
	}
	return d, bag
}

// put says an instance, as it is now, in the edit of the netlist.
func (c *patchCase) put(i *patchInst, slot int32) {
	e := c.edit
	q := netlist.Put{Slot: slot, Name: e.Names.InternString(i.name), Cell: e.Names.InternString(i.cell)}
	for _, p := range slices.Concat(patchPins[i.cell][0], patchPins[i.cell][1]) {
		w, ok := i.nets[p]
		if !ok {
			continue
		}
		id := e.Names.InternString(w)
		n := c.nl.FindNet(0, []byte(w), netlist.NoBit)
		if n < 0 {
			at := slices.IndexFunc(e.Nets, func(x netlist.NewNet) bool { return x.Name == id })
			if at < 0 {
				at = len(e.Nets)
				e.Nets = append(e.Nets, netlist.NewNet{Name: id})
			}
			n = netlist.NewNetRef(at)
		}
		q.Pins = append(q.Pins, netlist.PutPin{Pin: e.Names.InternString(p), Net: n})
	}
	e.Put = append(e.Put, q)
}

func (c *patchCase) slot(i *patchInst) int32 { return c.nl.FindInst(0, []byte(i.name)) }

func (c *patchCase) cellOf(inst string) *patchCell {
	for _, x := range c.cells {
		if x.inst == inst {
			return x
		}
	}
	return nil
}

// step makes one random edit, of the tables and as an Edit of the netlist (nil: none).
func (c *patchCase) step(nl *netlist.Netlist, free int32) {
	c.nl, c.edit = nl, &netlist.Edit{Names: nl.Names.Extend(), Libs: c.libs, Free: free}
	r := c.r
	inst := c.insts[r.IntN(len(c.insts))]
	switch k := r.IntN(16); k {
	case 0, 1:
		c.kind = "swap"
		for _, s := range patchSwaps {
			if slices.Contains(s, inst.cell) {
				inst.cell = s[r.IntN(len(s))]
				c.put(inst, c.slot(inst))
				if x := c.cellOf(inst.name); x != nil && r.IntN(2) == 0 {
					x.typ = inst.cell
					if r.IntN(2) == 0 {
						x.stmts = c.paths(inst)
					}
				}
				break
			}
		}
	case 2, 3:
		c.kind = "rewire"
		pins := patchPins[inst.cell][0]
		if len(pins) == 0 {
			break
		}
		p := pins[r.IntN(len(pins))]
		inst.nets[p] = c.wires[r.IntN(len(c.wires))]
		if at := slices.IndexFunc(c.insts, func(x *patchInst) bool { return x == inst }); inst.cell != "DFF" && inst.cell != "DFF2" { // from an earlier one
			from := c.insts[r.IntN(max(1, at))]
			if o := patchPins[from.cell][1]; len(o) > 0 && from != inst && (!c.loops || r.IntN(3) > 0) {
				inst.nets[p] = from.nets[o[0]]
			}
		}
		if r.IntN(8) == 0 {
			delete(inst.nets, p)
		}
		c.put(inst, c.slot(inst))
		if r.IntN(2) == 0 {
			c.lines = append(c.lines, c.wire(inst, p))
		}
	case 4:
		c.kind = "insert buffer"
		pins := patchPins[inst.cell][0]
		if len(pins) == 0 {
			break
		}
		p := pins[r.IntN(len(pins))]
		was, ok := inst.nets[p]
		if !ok {
			break
		}
		c.next++
		b := &patchInst{fmt.Sprintf("eco%d", c.next), "BUF", map[string]string{"A": was, "Y": fmt.Sprintf("w%d", c.next)}}
		c.wires = append(c.wires, b.nets["Y"])
		inst.nets[p] = b.nets["Y"]
		c.insts = append(c.insts, b)
		c.put(inst, c.slot(inst))
		c.put(b, netlist.None)
		if r.IntN(2) == 0 {
			c.annotate(b)
			c.lines = append(c.lines, c.wire(inst, p))
		}
	case 5:
		c.kind = "remove"
		at := slices.Index(c.insts, inst)
		c.edit.Remove = append(c.edit.Remove, c.slot(inst))
		c.insts = slices.Delete(c.insts, at, at+1)
		if r.IntN(2) == 0 {
			c.cells = slices.DeleteFunc(c.cells, func(x *patchCell) bool { return x.inst == inst.name })
			c.lines = slices.DeleteFunc(c.lines, func(s string) bool { return strings.Contains(s, inst.name+"/") })
		}
	case 6, 7, 8:
		c.kind = "SDF wire value"
		at := r.IntN(len(c.lines))
		l := c.lines[at]
		if i := strings.Index(l, "("); i >= 0 {
			j := strings.Index(l[1:], " (")
			c.lines[at] = l[:j+1] + " " + c.pair() + ")"
		}
	case 9, 10:
		c.kind = "SDF cell values"
		x := c.cells[r.IntN(len(c.cells))]
		if i := slices.IndexFunc(c.insts, func(i *patchInst) bool { return i.name == x.inst }); i >= 0 {
			x.stmts = c.paths(c.insts[i])
		}
	case 11:
		c.kind = "SDF statement moved"
		at := r.IntN(len(c.lines))
		l := c.lines[at]
		c.lines = slices.Delete(c.lines, at, at+1)
		switch r.IntN(3) {
		case 0:
			c.lines = append(c.lines, l)
		case 1:
			c.lines = slices.Insert(c.lines, r.IntN(len(c.lines)), l)
		}
	case 12:
		c.kind = "SDF cell again"
		i := slices.IndexFunc(c.insts, func(i *patchInst) bool { return i == inst })
		x := &patchCell{inst: inst.name, typ: inst.cell, increment: r.IntN(2) == 0, stmts: c.paths(c.insts[i])}
		c.cells = slices.Insert(c.cells, r.IntN(len(c.cells)), x)
	case 13:
		c.kind = "SDF of nothing"
		c.lines = slices.Insert(c.lines, r.IntN(len(c.lines)), fmt.Sprintf("(INTERCONNECT nowhere%d/Y %s/A (1))", r.IntN(9), inst.name))
		if r.IntN(2) == 0 {
			c.lines = append(c.lines, "(INTERCONNECT "+c.driver(c.wires[0])+" y (1) (2))")
		}
	case 14:
		c.kind = "comment"
		c.front++
	case 15:
		c.kind = "override"
		if len(c.over) > 3 {
			c.over = c.over[1:]
			break
		}
		o := design.Override{Scale: r.IntN(2) == 0, Rise: int64(r.IntN(9)) * 1e6, Fall: 12345678, Num: int64(r.IntN(5)), Den: 3}
		if pins := patchPins[inst.cell][0]; len(pins) > 0 && r.IntN(2) == 0 {
			o.In = pins[r.IntN(len(pins))]
			o.Wire = r.IntN(2) == 0
		}
		c.over = append(c.over, patchOverride{inst: inst.name, o: o})
	}
}

// TestPatchEqualsCompile makes chains of random edits and compares what Patch and Compile make of each, by names.
func TestPatchEqualsCompile(t *testing.T) {
	seeds := uint64(8)
	if testing.Short() {
		seeds = 6
	}
	patched, refused := map[string]int{}, map[string]int{}
	total := map[string]int{}
	for seed := range seeds {
		c := newPatchCase(t, seed)
		nl := c.link(t, nil, 0)
		d, bag := c.compile(t, nl, nil)
		if bag.Errors() > 0 {
			t.Fatal(seed, bag.Totals(), bag.Kept(bag.Totals()[0].Code))
		}
		for step := range 40 {
			kinds := []string{}
			for range 1 + c.r.IntN(2)*c.r.IntN(2) {
				c.step(nl, d.Program.NNet)
				kinds = append(kinds, c.kind)
				if len(c.edit.Put)+len(c.edit.Remove) > 0 {
					break
				}
			}
			what := fmt.Sprintf("seed %d, step %d, %s", seed, step, strings.Join(kinds, "+"))
			total[c.kind]++
			p := design.Patch{}
			var err error
			var why *netlist.Refusal
			next := nl
			if len(c.edit.Put)+len(c.edit.Remove) > 0 {
				p.Netlist, p.Touched, err = nl.Patch(context.Background(), c.edit)
				if errors.As(err, &why) {
					refused[c.kind+": "+why.Error()]++
					next = c.link(t, nl, d.Program.NNet)
				} else if err != nil {
					t.Fatal(err)
				} else {
					next = p.Netlist
				}
			}
			full, want := c.compile(t, c.link(t, nil, 0), nil)
			if why != nil {
				nl = next
				d, _ = c.compile(t, nl, d)
				continue
			}
			text := c.sdf()
			p.SDF = []design.SDFText{{Chunks: chunks(text), Read: func(_ context.Context, off int64, n int) ([]byte, error) {
				return []byte(text[off : off+int64(n)]), nil
			}}}
			p.Overrides = c.overrides(next)
			before := fmt.Sprint(describe(d))
			got := &diag.Bag{}
			pd, changed, err := d.Patch(context.Background(), p, got)
			if after := fmt.Sprint(describe(d)); after != before {
				t.Fatalf("%s: the old design changed", what)
			}
			var no *design.Refusal
			if errors.As(err, &no) {
				refused[c.kind+": "+no.Why]++
				nl = next
				d2, bag := c.compile(t, nl, d)
				if bag.Errors() > 0 {
					break
				}
				d = d2
				continue
			} else if err != nil {
				t.Fatal(what, err)
			}
			patched[c.kind]++
			if want.Errors() > 0 {
				t.Fatalf("%s: patched in spite of %v", what, want.Totals())
			}
			if err := pd.Program.Validate(); err != nil {
				t.Fatalf("%s: %v", what, err)
			}
			compareDesigns(t, what, pd, full)
			if diff := cmp.Diff(want.Totals(), got.Totals()); diff != "" {
				t.Errorf("%s: messages: %s", what, diff)
			}
			delta := design.Diff(d, pd)
			if !slices.Equal(delta.Gates, changed.Gates) || !slices.Equal(delta.NewSources, changed.NewSources) || delta.Added != changed.Added || delta.Removed != changed.Removed {
				t.Errorf("%s: changed %+v, a comparison of all gates says %+v", what, changed.Delta, delta)
			}
			if t.Failed() {
				t.Log(strings.Join(strings.Fields(c.sdf()), " "))
				return
			}
			nl, d = next, pd
		}
	}
	n, all := 0, 0
	for k, v := range total {
		t.Logf("%-22s %4d edits, %4d patched", k, v, patched[k])
		all += v
		n += patched[k]
	}
	for k, v := range refused {
		t.Logf("refused %4d: %s", v, k)
	}
	t.Logf("%d of %d patched", n, all)
	for k, v := range total { // what an engineering change order is made of
		if 4*patched[k] < 3*v {
			t.Errorf("%s: %d of %d patched", k, patched[k], v)
		}
	}
}

// Several patches of one version, and readers of it, do not disturb each other.
func TestPatchConcurrent(t *testing.T) {
	c := newPatchCase(t, 3)
	nl := c.link(t, nil, 0)
	d, _ := c.compile(t, nl, nil)
	before := fmt.Sprint(describe(d))
	texts := make([]string, 4)
	for i := range texts {
		c.lines[7+i] = fmt.Sprintf("(INTERCONNECT clk r%d/CK (%d.5))", i, 50+i)
		c.cells[20+i].stmts = append(c.cells[20+i].stmts, fmt.Sprintf("(COND A==1'b0 (IOPATH A Y (%d.5)))", 70+i))
		texts[i] = c.sdf()
	}
	var wg sync.WaitGroup
	for _, text := range texts {
		wg.Go(func() {
			x := d
			for range 3 {
				next, _, err := x.Patch(context.Background(), design.Patch{SDF: []design.SDFText{{
					Chunks: chunks(text), Read: func(_ context.Context, off int64, n int) ([]byte, error) {
						return []byte(text[off : off+int64(n)]), nil
					},
				}}}, &diag.Bag{})
				if err != nil {
					t.Error(err)
					return
				}
				x = next
			}
		})
	}
	wg.Wait()
	if fmt.Sprint(describe(d)) != before {
		t.Error("the design changed")
	}
}

// describe is a design as text by names, one line a gate or net.
func describe(d *design.Design) []string {
	var out []string
	for n, cl := range d.NetClass {
		if n < len(d.Netlist.Nets) && !d.Netlist.IsHole(int32(n)) {
			out = append(out, fmt.Sprintf("net %s %v", d.Netlist.NetName(int32(n)), cl))
		}
	}
	out = append(out, fmt.Sprint(d.Program.GateOut, d.Program.PinWire, d.Program.ArcDelay, d.Report))
	return out
}

// compareDesigns compares two designs by names.
func compareDesigns(t *testing.T, what string, a, b *design.Design) {
	t.Helper()
	name := func(d *design.Design, n int32) string {
		if n < 0 {
			return "-"
		}
		if int(n) >= len(d.Netlist.Nets) || d.Netlist.IsHole(n) {
			return "helper"
		}
		return d.Netlist.NetName(n)
	}
	gateAt := map[string]int32{}
	for n, g := range b.NetGate {
		if g >= 0 {
			gateAt[name(b, int32(n))] = g
		}
	}
	cmpr := design.Compare(a, b, func(x, y int32) bool { return name(a, x) == name(b, y) })
	seen := 0
	for n, g := range a.NetGate {
		if g < 0 || name(a, int32(n)) == "helper" {
			continue
		}
		seen++
		h, ok := gateAt[name(a, int32(n))]
		if !ok {
			t.Errorf("%s: net %s is computed", what, name(a, int32(n)))
			continue
		}
		if diff := cmpr.Gates(g, h); diff != design.Equal {
			t.Errorf("%s: gate of %s: difference %d", what, name(a, int32(n)), diff)
			t.Logf("got%s\nwant%s", gateText(a, name(a, int32(n))), gateText(b, name(a, int32(n))))
		}
		x, y := a.Gates[g], b.Gates[h]
		if x.Pin != y.Pin || x.Inst >= 0 && a.Netlist.InstPath(x.Inst, '/') != b.Netlist.InstPath(y.Inst, '/') {
			t.Errorf("%s: gate of %s is of another instance", what, name(a, int32(n)))
		}
	}
	delete(gateAt, "helper")
	if seen != len(gateAt) {
		t.Errorf("%s: %d gates, want %d", what, seen, len(gateAt))
	}
	lists := func(d *design.Design) map[string][]string {
		m := map[string][]string{}
		for n, c := range d.NetClass {
			if s := name(d, int32(n)); s != "helper" && n > 1 {
				m["class"] = append(m["class"], fmt.Sprint(s, " ", c))
			}
		}
		for _, n := range d.Sources {
			m["sources"] = append(m["sources"], name(d, n))
		}
		for _, n := range d.Spare {
			m["spare"] = append(m["spare"], name(d, n))
		}
		for _, n := range d.Floating {
			m["floating"] = append(m["floating"], name(d, n))
		}
		for _, n := range d.ClockPins {
			m["clock pins"] = append(m["clock pins"], name(d, n))
		}
		for _, s := range d.States {
			m["states"] = append(m["states"], fmt.Sprint(name(d, d.Program.GateOut[s.Gate]), s.Bits, s.ClockGate, s.Tristate))
		}
		for _, r := range d.Registers {
			m["registers"] = append(m["registers"], fmt.Sprint(d.Netlist.InstPath(r.Inst, '/'), r.Pin, name(d, r.Net), r.State, r.Inverted, name(d, r.ClockNet), r.Falling))
		}
		for _, l := range m {
			slices.Sort(l)
		}
		return m
	}
	if diff := cmp.Diff(lists(b), lists(a)); diff != "" {
		t.Errorf("%s: lists: %s", what, diff)
	}
	x, y := a.Report, b.Report
	x.Memory, y.Memory = design.Memory{}, design.Memory{}
	if diff := cmp.Diff(y, x); diff != "" {
		t.Errorf("%s: report: %s", what, diff)
	}
	for g, n := range a.Program.GateOut {
		if n >= 0 && a.NetGate[n] != int32(g) {
			t.Errorf("%s: gate %d of net %s is not found by it", what, g, name(a, n))
		}
	}
}

// gateText cuts a gate out of the text of a design.
func gateText(d *design.Design, net string) string {
	var b strings.Builder
	designtest.Dump(&b, d, &diag.Bag{})
	_, s, _ := strings.Cut(b.String(), "\n  "+net+" = ")
	for i, l := range slices.Collect(strings.Lines(s)) {
		if i > 0 && !strings.HasPrefix(l, "    ") {
			s, _, _ = strings.Cut(s, l)
		}
	}
	return "\n  " + s
}
