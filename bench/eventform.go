package main

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"slices"
	"strings"

	"github.com/wattd/wattd/internal/design"
	"github.com/wattd/wattd/internal/format/liberty"
	"github.com/wattd/wattd/internal/logic"
	"github.com/wattd/wattd/kernel"
)

// The event form is the compiled design as plain Verilog for an event simulator that knows neither INTERCONNECT nor COND:
// every delayed wire is a buffer, every gate a module of its own with its function and the smallest of its conditional
// delays on specify paths, every source a variable that replays its waveform. Delays are in the text, so that the peer
// is not charged for reading SDF.

// errEventForm: the design has something that the event form cannot say.
var errEventForm = errors.New("no event form")

// writeEventForm writes the simulation of a job. With +stop it ends at once, which measures all that is not simulation.
func writeEventForm(w io.Writer, d *design.Design, j *kernel.Job) error {
	b := bufio.NewWriterSize(w, 1<<20)
	p := d.Program
	fmt.Fprintf(b, "`timescale 1ps / 1ps\n")
	wires := map[[2]int32]bool{}
	for i := range p.Wires {
		x := [2]int32{p.Wires[i].Rise, p.Wires[i].Fall}
		if !wires[x] {
			wires[x] = true
			fmt.Fprintf(b, "module %s (a, y); input a; output y; assign y = a; specify (a => y) = (%d, %d); endspecify endmodule\n", wireModule(x), x[0], x[1])
		}
	}
	for _, g := range p.Order {
		if err := writeGateModule(b, d, g); err != nil {
			return err
		}
	}
	fmt.Fprintf(b, "module tb;\n")
	computed := make([]bool, p.NNet)
	for _, g := range p.Order {
		computed[p.GateOut[g]] = true
	}
	for n := range p.NNet {
		if computed[n] {
			fmt.Fprintf(b, "  wire n%d;\n", n)
		} else {
			fmt.Fprintf(b, "  reg n%d;\n", n)
		}
	}
	for _, g := range p.Order {
		pin0 := p.GatePin[g]
		args := make([]string, p.Fns[p.GateFn[g]].NPin)
		for i := range args {
			k := pin0 + int32(i)
			args[i] = fmt.Sprintf("n%d", p.PinNet[k])
			if x := (&p.Wires[p.PinWire[k]]); x.Rise|x.Fall != 0 {
				fmt.Fprintf(b, "  wire w%d; %s w%d_ (%s, w%d);\n", k, wireModule([2]int32{x.Rise, x.Fall}), k, args[i], k)
				args[i] = fmt.Sprintf("w%d", k)
			}
		}
		fmt.Fprintf(b, "  m%d g%d (%s, n%d);\n", g, g, strings.Join(args, ", "), p.GateOut[g])
	}
	start := j.Cuts[0]
	fmt.Fprintf(b, "  initial begin\n")
	for n := range p.NNet {
		if !computed[n] {
			fmt.Fprintf(b, "    n%d = %d;\n", n, j.Start[n>>6]>>(n&63)&1)
		}
	}
	fmt.Fprintf(b, "    if ($test$plusargs(\"stop\")) $finish;\n    #%d $finish;\n  end\n", j.Cuts[len(j.Cuts)-1]-start)
	// One thread replays all sources in the order of time: a thread for each would fill the scheduler of the peer with
	// waiting threads, which is not what is measured.
	type change struct {
		at  int64
		net int32
		to  uint64
	}
	var changes []change
	for i, n := range j.SrcNet {
		v := j.Start[n>>6] >> (n & 63) & 1
		for _, t := range j.SrcTick[j.SrcOff[i]:j.SrcOff[i+1]] {
			v ^= 1
			changes = append(changes, change{t, n, v})
		}
	}
	slices.SortStableFunc(changes, func(x, y change) int { return cmp.Compare(x.at, y.at) })
	fmt.Fprintf(b, "  initial begin\n")
	at := start
	for _, c := range changes {
		if c.at != at {
			fmt.Fprintf(b, "    #%d\n", c.at-at)
			at = c.at
		}
		fmt.Fprintf(b, "    n%d = %d;\n", c.net, c.to)
	}
	fmt.Fprintf(b, "  end\n")
	fmt.Fprintf(b, "endmodule\n")
	return b.Flush()
}

func wireModule(x [2]int32) string { return fmt.Sprintf("wire_%d_%d", x[0], x[1]) }

func writeGateModule(b *bufio.Writer, d *design.Design, g int32) error {
	p := d.Program
	f := &p.Fns[p.GateFn[g]]
	if f.NBit > 0 || f.NObs > 0 || f.Form != kernel.FormTable {
		return fmt.Errorf("%w: gate with state or wide function", errEventForm)
	}
	text, err := functionText(d, g, f)
	if err != nil {
		return err
	}
	ports := make([]string, f.NPin)
	for i := range ports {
		ports[i] = fmt.Sprintf("p%d", i)
	}
	fmt.Fprintf(b, "module m%d (%s, y); input %s; output y; assign y = %s; specify", g, strings.Join(ports, ", "), strings.Join(ports, ", "), text)
	for i := range ports {
		fmt.Fprintf(b, " (p%d => y) = (%d, %d);", i, pathDelay(p, g, i, true), pathDelay(p, g, i, false))
	}
	fmt.Fprintf(b, " endspecify endmodule\n")
	return nil
}

// pathDelay is the smallest delay from a pin to an edge of the output, over all states.
func pathDelay(p *kernel.Program, g int32, pin int, rise bool) int32 {
	sh, f := p.GateShape[g], &p.Fns[p.GateFn[g]]
	if sh < 0 {
		return 0
	}
	s := &p.Shapes[sh]
	best := int32(-1)
	take := func(slot int16) {
		if slot != kernel.NoSlot {
			if v := p.ArcDelay[p.GateArc[g]+int32(slot)]; best < 0 || v < best {
				best = v
			}
		}
	}
	out := 0
	if rise {
		out = 1
	}
	if s.List {
		for in := range 2 {
			at := s.Map + int32(4*pin+2*in+out)
			for _, c := range p.Cands[p.ListOff[at]:p.ListOff[at+1]] {
				take(int16(c.Slot))
			}
		}
	} else {
		for state := range 1 << f.NPin {
			if (tableBit(p, f, state) == 1) == rise {
				take(p.SlotMap[int(s.Map)+(pin<<f.NPin|state)])
			}
		}
	}
	if best < 0 {
		if fall := p.SlotMap[int(s.Fall)+2*pin+out]; fall != kernel.NoSlot {
			return p.ArcDelay[p.GateArc[g]+int32(fall)]
		}
		return 0
	}
	return best
}

func tableBit(p *kernel.Program, f *kernel.Fn, state int) uint64 {
	return p.Words[int(f.Out)+state>>6] >> (state & 63) & 1
}

// functionText gives the function as the library writes it, which a simulator runs faster than a sum of products; the
// latter stands in where the pins do not correspond.
func functionText(d *design.Design, g int32, f *kernel.Fn) (string, error) {
	p := d.Program
	if inst := d.Gates[g].Inst; inst >= 0 {
		lib := d.Netlist.Cells[d.Netlist.Insts[inst].Cell].Lib
		if lib != nil && lib.Pins[d.Gates[g].Pin].Function != nil {
			e := lib.Pins[d.Gates[g].Pin].Function
			for _, names := range [][]string{support(lib, e), inputs(lib)} {
				if len(names) == int(f.NPin) && agrees(p, f, e, names) {
					return verilogExpr(e, names), nil
				}
			}
		}
	}
	var terms []string
	for s := range 1 << f.NPin {
		if tableBit(p, f, s) == 1 {
			var lits []string
			for i := range int(f.NPin) {
				l := fmt.Sprintf("p%d", i)
				if s>>i&1 == 0 {
					l = "~" + l
				}
				lits = append(lits, l)
			}
			terms = append(terms, "("+strings.Join(lits, " & ")+")")
		}
	}
	if f.NPin == 0 || len(terms) == 0 || len(terms) == 1<<f.NPin {
		return fmt.Sprintf("1'b%d", bits.OnesCount(uint(len(terms)))&1), nil
	}
	return strings.Join(terms, " | "), nil
}

func inputs(c *liberty.Cell) []string {
	var in []string
	for _, p := range c.Pins {
		if p.Dir == liberty.Input {
			in = append(in, p.Name)
		}
	}
	return in
}

// support is the inputs that a function names, in pin order.
func support(c *liberty.Cell, e *logic.Expr) []string {
	var in []string
	vars := e.Vars()
	for _, n := range inputs(c) {
		for _, v := range vars {
			if v == n {
				in = append(in, n)
			}
		}
	}
	return in
}

func agrees(p *kernel.Program, f *kernel.Fn, e *logic.Expr, names []string) bool {
	for s := range 1 << len(names) {
		v := e.Eval(func(name string) bool {
			for i, n := range names {
				if n == name {
					return s>>i&1 == 1
				}
			}
			return false
		})
		if v != (tableBit(p, f, s) == 1) {
			return false
		}
	}
	return true
}

func verilogExpr(e *logic.Expr, names []string) string {
	var kids []string
	for _, k := range e.Kids {
		kids = append(kids, verilogExpr(k, names))
	}
	switch e.Op {
	case logic.Const:
		if e.Value {
			return "1'b1"
		}
		return "1'b0"
	case logic.Var:
		for i, n := range names {
			if n == e.Name {
				return fmt.Sprintf("p%d", i)
			}
		}
		return "1'b0"
	case logic.Not:
		return "~" + kids[0]
	case logic.And:
		return "(" + strings.Join(kids, " & ") + ")"
	case logic.Or:
		return "(" + strings.Join(kids, " | ") + ")"
	}
	return "(" + strings.Join(kids, " ^ ") + ")"
}
