package verilog

import (
	"bytes"
	"context"
	"fmt"
	"testing"

	"github.com/wattd/wattd/internal/diag"
	"github.com/wattd/wattd/internal/format/scan"
)

// synthetic writes a flat netlist of n instances in the style of synthesis tools.
func synthetic(n int) []byte {
	var b bytes.Buffer
	b.WriteString("module top (clk, rst_n, \\in , out);\n  input clk, rst_n;\n  input [63:0] in;\n  output [63:0] out;\n")
	for i := range n {
		fmt.Fprintf(&b, "  wire _%06d_;\n", i)
	}
	seed := uint32(1)
	rnd := func(m int) int {
		seed = seed*1664525 + 1013904223
		return int(seed>>8) % m
	}
	for i := range n {
		switch {
		case i%8 == 0:
			fmt.Fprintf(&b, "  DFFRX1_HVT \\core/pipe_reg[%d]  ( .D(_%06d_), .CK(clk), .RN(rst_n), .Q(_%06d_), .QN() );\n", i, rnd(n), i)
		case i%50 == 1:
			fmt.Fprintf(&b, "  BUFX4_LVT obuf_%d ( .A(\\core/bus[%d] ), .Y(out[%d]) );\n", i, i%64, i%64)
		default:
			fmt.Fprintf(&b, "  NAND3X2_RVT U%d ( .A(_%06d_), .B(_%06d_), .C(in[%d]), .Y(_%06d_) );\n", i, rnd(n), rnd(n), i%64, i)
		}
	}
	b.WriteString("endmodule\n")
	return b.Bytes()
}

// BenchmarkRead measures a netlist of 100 000 instances.
func BenchmarkRead(b *testing.B) {
	text := synthetic(100_000)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		var bag diag.Bag
		ms, err := Read(context.Background(), bytes.NewReader(text), "top.v", 0, scan.NewNames(), Option{}, &bag)
		if err != nil || bag.Errors() > 0 || len(ms) != 1 || len(ms[0].Insts) != 100_000 {
			b.Fatal(err, bag.Totals())
		}
	}
}

// TestNoAllocationPerToken bounds the allocations of a large netlist: only growth of arrays.
func TestNoAllocationPerToken(t *testing.T) {
	text := synthetic(20_000)
	n := testing.AllocsPerRun(1, func() {
		var bag diag.Bag
		if _, err := Read(context.Background(), bytes.NewReader(text), "top.v", 0, scan.NewNames(), Option{}, &bag); err != nil {
			t.Fatal(err)
		}
	})
	if n > 500 {
		t.Errorf("%.0f allocations for %d bytes", n, len(text))
	}
}
