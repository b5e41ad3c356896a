package synth

import (
	"io"
	"slices"
)

// WriteVCD writes the stimulus: clock, reset, inputs and registers over Cycles cycles, in ps.
func (d *Design) WriteVCD(w io.Writer) error {
	o := newOut(w)
	o.put("$timescale 1ps $end\n$scope module tb $end\n$scope module dut $end\n$var wire 1 ! clk $end\n$var wire 1 \" rst_n $end\n")
	id := make([][]byte, 0, d.blocks()*d.regs) // of net n of block b: b*regs + n
	next := 2
	fresh := func() []byte { next++; return code(next - 1) }
	for b := range d.blocks() {
		if d.Blocks > 0 {
			if b == 0 { // the input bits are ports of the top
				for n := range inputs {
					id = append(id, fresh())
					o.put("$var wire 1 ", string(id[n]), " in [", n, "] $end\n")
				}
			}
			o.put("$scope module b", b, " $end\n")
		}
		for n := range d.regs {
			switch {
			case n < inputs && b > 0: // driven by a register of the block before
				id = append(id, nil)
			case n < inputs && d.Blocks > 0:
			case n < inputs:
				id = append(id, fresh())
				o.put("$var wire 1 ", string(id[n]), " in [", n, "] $end\n")
			default:
				id = append(id, fresh())
				o.put("$var wire 1 ", string(id[len(id)-1]), " q", n, " $end\n")
			}
		}
		if d.Blocks > 0 {
			o.put("$upscope $end\n")
		}
	}
	o.put("$upscope $end\n$upscope $end\n$enddefinitions $end\n#0\n$dumpvars\n0!\n1\"\n")
	now := make([]bool, len(id))
	emit := func(i int) {
		v := "0"
		if now[i] {
			v = "1"
		}
		o.put(v, string(id[i]), "\n")
	}
	for i := range id {
		if now[i] = d.starts(i/d.regs, i%d.regs); id[i] != nil {
			emit(i)
		}
	}
	o.put("$end\n")
	type change struct{ at, net int }
	var late []change
	for c := range d.Cycles {
		edge := c*Period + Period/2
		o.put("#", edge, "\n1!\n")
		late = late[:0]
		for i := range id {
			b, n := i/d.regs, i%d.regs
			if id[i] == nil || !d.toggles(b, n, c) {
				continue
			}
			rise, fall := d.launch(b, n)
			if now[i] {
				rise = fall
			}
			now[i] = !now[i]
			late = append(late, change{edge + rise, i})
		}
		slices.SortFunc(late, func(x, y change) int {
			if x.at != y.at {
				return x.at - y.at
			}
			return x.net - y.net
		})
		at := edge
		for _, x := range late {
			if x.at != at {
				at = x.at
				o.put("#", at, "\n")
			}
			emit(x.net)
		}
		o.put("#", edge+Period/2, "\n0!\n")
	}
	o.put("#", d.Cycles*Period+Period/2, "\n")
	return o.Flush()
}

// code is the VCD identifier of variable n: base 94, shortest first.
func code(n int) []byte {
	var b []byte
	for {
		b = append(b, byte('!'+n%94))
		if n = n/94 - 1; n < 0 {
			return b
		}
	}
}
