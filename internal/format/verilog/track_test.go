package verilog

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/wattd/wattd/internal/diag"
	"github.com/wattd/wattd/internal/format/scan"
)

var trackCells = map[string]bool{"NAND2": true, "MEM": true}

// trackText is a module with all that a netlist has, in lines.
func trackText(r *rand.Rand, n int) string {
	var b strings.Builder
	b.WriteString("`timescale 1ns/1ps\nmodule one(input a); endmodule\nmodule top(a, y);\n  input a;\n  output y;\n  wire y;\n")
	for i := range n {
		switch r.IntN(12) {
		case 0:
			fmt.Fprintf(&b, "  wire [3:0] v%d; // a vector\n", i)
		case 1:
			fmt.Fprintf(&b, "  assign v%d = {a, y};\n", i)
		case 2:
			fmt.Fprintf(&b, "  (* src = \"x.v:%d\" *)\n  MEM \\m[%d] (.A({a, y}), .B(v%d[1:0]));\n", i, i, i)
		case 3:
			fmt.Fprintf(&b, "  one h%d (.a(y));\n  /* two\n  lines */\n", i)
		case 4:
			fmt.Fprintf(&b, "  nand #2 (y, a, w%d);\n", i)
		case 5:
			fmt.Fprintf(&b, "  NAND2 p%d (a, y);  NAND2\n    q%d (.A(a[2]), .B(1'b1), .Y());\n", i, i)
		default:
			fmt.Fprintf(&b, "  wire w%d, \\x[%d] ;\n  NAND2 u%d (.A(w%d), .B(a), .Y(y));\n", i, i, i, i)
		}
	}
	b.WriteString("endmodule\n// tail\n")
	return b.String()
}

func readTracked(t testing.TB, text string, names *scan.Names) (*Track, []*Module) {
	t.Helper()
	bag := &diag.Bag{}
	k := &Track{Cells: trackCells}
	ms, err := Read(context.Background(), strings.NewReader(text), "t.v", 0, names, Option{Track: k}, bag)
	if err != nil || bag.Errors() > 0 {
		t.Fatal(err, bag.Totals())
	}
	return k, ms
}

// TestReadItems reads pieces between borders and compares them with what the whole file holds there.
func TestReadItems(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	text := trackText(r, 3000)
	names := scan.NewNames()
	k, ms := readTracked(t, text, names)
	top := ms[len(ms)-1]
	if len(k.Borders) < len(text)/borderStep/2 {
		t.Fatalf("%d borders in %d bytes", len(k.Borders), len(text))
	}
	last := k.Borders[len(k.Borders)-1]
	if k.Tail != HashText([]byte(text[last.Offset:])) {
		t.Error("the tail has another hash")
	}
	from := int64(0)
	for _, b := range k.Borders {
		if b.Hash != HashText([]byte(text[from:b.Offset])) || int(b.Line) != 1+strings.Count(text[:b.Offset], "\n") || text[b.Offset-1] != '\n' {
			t.Fatalf("border %+v", b)
		}
		from = b.Offset
	}
	for range 200 {
		i := r.IntN(len(k.Borders) - 1)
		j := min(i+1+r.IntN(3), len(k.Borders)-1)
		a, b := &k.Borders[i], &k.Borders[j]
		x := ReadItems(context.Background(), []byte(text[a.Offset:b.Offset]), a.Line, a.Offset, 0, names, trackCells)
		if a.Module != b.Module {
			if x != nil {
				t.Fatalf("borders %d and %d lie in two modules", i, j)
			}
			continue
		}
		if x == nil {
			t.Fatalf("borders %d to %d cannot be read", i, j)
		}
		if x.End.Wires != b.Wires-a.Wires || x.End.Insts != b.Insts-a.Insts || x.End.NRest != b.NRest-a.NRest || x.End.Rest != RestBetween(a, b) || x.End.Line != b.Line || x.End.Offset != b.Offset {
			t.Fatalf("%+v between\n%+v and\n%+v", x.End, a, b)
		}
		at := 0
		for at < len(top.Insts) && top.Insts[at].Pos.Line < a.Line {
			at++
		}
		for n := range x.Insts {
			want := top.Insts[at+n]
			if x.Insts[n].Name != want.Name || x.Insts[n].Pos != want.Pos || x.Insts[n].Cell != want.Cell || x.Insts[n].NConn != want.NConn {
				t.Fatalf("%+v, want %+v", x.Insts[n], want)
			}
		}
		if j == len(k.Borders)-1 && at+len(x.Insts) != len(top.Insts) {
			t.Fatal("instances are missing")
		}
	}
}

func TestReadItemsRefuses(t *testing.T) {
	for _, text := range []string{
		"NAND2 u (.A(a)", "NAND2 u (.A(a));", "endmodule\n", "`define X\nNAND2 u (.A(a));\n", "/* open\n", "always @(a) b = a;\n", "parameter P = 1;\n",
		"NAND2 u (.A(a)) \n", "wire w\n", "NAND2 #(1) u (.A(a));\n", "specify endspecify\n", "`include \"x\"\n", ") ;\n", "defparam u.P = 1;\n", "\x00\n", "\"\n",
		"generate\n",
	} {
		if ReadItems(context.Background(), []byte(text), 1, 0, 0, scan.NewNames(), trackCells) != nil {
			t.Errorf("%q was read", text)
		}
	}
	for _, text := range []string{"", "\n", "// comment\n", ";\n", "NAND2 u (.A(a), .B(1'b0));\nwire a;\n"} {
		if ReadItems(context.Background(), []byte(text), 1, 0, 0, scan.NewNames(), trackCells) == nil {
			t.Errorf("%q was not read", text)
		}
	}
}

func FuzzReadItems(f *testing.F) {
	f.Add("wire a;\nNAND2 u (.A(a), .B(1'b0));\n")
	f.Add("assign x = {a, ~b};\nMEM m (.A({a,b}));\n")
	f.Fuzz(func(t *testing.T, text string) {
		names := scan.NewNames()
		x := ReadItems(context.Background(), []byte(text), 3, 0, 0, names, trackCells)
		if x == nil {
			return
		}
		// what is read in pieces is what is read in one
		k, ms := readTracked(t, "module m;\n\n"+text+"endmodule\n", names)
		if len(ms) != 1 || len(ms[0].Insts) != len(x.Insts) || len(ms[0].Nets) != len(x.Nets) || len(k.Modules) != 1 {
			t.Fatalf("%+v", ms)
		}
		for i := range x.Insts {
			if x.Insts[i].Pos != ms[0].Insts[i].Pos || x.Insts[i].Name != ms[0].Insts[i].Name {
				t.Fatalf("%+v, want %+v", x.Insts[i], ms[0].Insts[i])
			}
		}
	})
}
