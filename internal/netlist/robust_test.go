package netlist

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wattd/wattd/internal/diag"
	"github.com/wattd/wattd/internal/format/scan"
	"github.com/wattd/wattd/internal/format/verilog"
)

func TestBounds(t *testing.T) {
	var deep, doubling strings.Builder
	fmt.Fprintf(&deep, "module m0(input i, output o); BUF u (.A(i), .Y(o)); endmodule\n")
	for i := 1; i <= maxDepth+5; i++ {
		fmt.Fprintf(&deep, "module m%d(input i, output o); m%d k (.i(i), .o(o)); endmodule\n", i, i-1)
	}
	fmt.Fprintf(&doubling, "module m0(input i); FILL f (); endmodule\n")
	for i := 1; i <= 100; i++ {
		fmt.Fprintf(&doubling, "module m%d(input i); m%d a (.i(i)); m%d b (.i(i)); endmodule\n", i, i-1, i-1)
	}
	for name, c := range map[string]struct {
		text string
		code diag.Code
	}{
		"deep":        {deep.String(), diag.NetlistTooLarge},
		"doubling":    {doubling.String(), diag.NetlistTooLarge},
		"vector":      {"module top(input a); wire [2000000000:-2000000000] w; BUF u (.A(a), .Y(w[0])); endmodule", diag.VerilogTooWide},
		"array":       {"module top(input a); BUF u [2000000000:0] (.A(a)); endmodule", diag.VerilogTooWide},
		"replication": {"module top(input a, output y); assign y = {100000{{100000{a}}}}; endmodule", diag.NetlistTooWide},
		"part":        {"module top(input a, output y); BUF u (.A(a[2000000000:0]), .Y(y)); endmodule", diag.NetlistTooWide},
		"empty":       {"", diag.NetlistNoTop},
	} {
		t.Run(name, func(t *testing.T) {
			_, bag := link(t, c.text)
			if bag.Count(c.code) == 0 {
				t.Errorf("no %s: %v", c.code, bag.Totals())
			}
		})
	}
	in, bag := readInput(t, "module top(input a); BUF u [99:0] (.A(a)); endmodule")
	in.MaxObjects = 50
	if nl, err := Link(context.Background(), in, bag); err != nil || nl != nil && bag.Errors() == 0 {
		t.Error("limit not kept")
	}
	in, bag = readInput(t, "module top(input [39:0] a, b, output [39:0] y); assign y = ~(a ^ ~b) | ~(b & ~a); endmodule")
	in.MaxObjects = 150
	if nl, err := Link(context.Background(), in, bag); err != nil || nl != nil || bag.Count(diag.NetlistTooLarge) == 0 {
		t.Error("expressions beyond the limit", err, bag.Totals())
	}
	in, bag = readInput(t, "module top(input a); BUF u (.A(a)); endmodule")
	in.Top = "tip"
	if nl, _ := Link(context.Background(), in, bag); nl != nil || bag.Count(diag.NetlistTopMissing) != 1 {
		t.Error("unknown top")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	in.Top = ""
	if _, err := Link(ctx, in, bag); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestHashModule(t *testing.T) {
	hash := func(text string) [32]byte {
		names := scan.NewNames()
		names.InternString("shift the ids")
		mods, err := verilog.Read(context.Background(), strings.NewReader(text), "t.v", 0, names, verilog.Option{}, &diag.Bag{})
		if err != nil || len(mods) == 0 {
			t.Fatal(err)
		}
		return HashModule(names, mods[0])
	}
	const base = "module m(input [1:0] a, output y); wire n; NAND2 u (.A(a[0]), .B(a[1]), .Y(n)); assign #2 y = ~n; endmodule"
	if hash(base) != hash("\n\n// moved\nmodule m(input [1:0] a,\n output y);\n wire n; (* src = \"x\" *) NAND2 u (.A(a[0]),\n .B(a[1]), .Y(n));\nassign #2 y = ~n;\nendmodule") {
		t.Error("positions enter the hash")
	}
	for _, edit := range [][2]string{{"a[0]", "a[1]"}, {"NAND2", "NOR2"}, {"#2", "#3"}, {"~n", "n"}, {"[1:0]", "[0:1]"}, {" u ", " v "}, {"wire n", "wand n"}, {".Y(n)", ".Y()"}} {
		if hash(base) == hash(strings.Replace(base, edit[0], edit[1], 1)) {
			t.Errorf("%q for %q does not change the hash", edit[1], edit[0])
		}
	}
}

func TestLookupMisses(t *testing.T) {
	nl, _ := link(t, "module top(input [3:0] v, input a); wire w; BUF u (.A(a), .Y(w)); buf p (w2, a); endmodule")
	for name, got := range map[string]int32{
		"vector without bit": nl.FindNet(0, []byte("v"), NoBit),
		"scalar bit":         nl.FindNet(0, []byte("a"), 0),
		"out of range":       nl.FindNet(0, []byte("v"), 4),
		"no net":             nl.FindNet(0, []byte("zz"), NoBit),
		"no scope":           nl.FindNet(None, []byte("a"), NoBit),
		"instance as net":    nl.FindNet(0, []byte("u"), NoBit),
		"prim as instance":   nl.FindInst(0, []byte("p")),
		"no pin":             nl.PinIndex(0, []byte("Q")),
		"no child":           nl.ChildScope(0, []byte("u")),
		"empty":              nl.FindNet(0, nil, NoBit),
	} {
		if got != None {
			t.Errorf("%s: %d", name, got)
		}
	}
	if nl.FindPrim(0, []byte("p")) != 0 {
		t.Error("primitive not found")
	}
	if msb, lsb, vector, ok := nl.NetRange(0, []byte("v")); msb != 3 || lsb != 0 || !vector || !ok {
		t.Error("range")
	}
	if n := testing.AllocsPerRun(100, func() { nl.FindNet(0, []byte("v"), 2); nl.PinIndex(0, []byte("A")); nl.FindInst(0, []byte("u")) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// FuzzLink links whatever the reader lets through; nothing may panic, and a netlist without errors must be sound.
func FuzzLink(f *testing.F) {
	files, _ := filepath.Glob("testdata/link/*.v")
	for _, p := range files {
		b, err := os.ReadFile(p)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(b))
	}
	lib := readLib(f)
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 4096 {
			return
		}
		in := Input{Names: scan.NewNames(), Files: []string{"t.v"}, MaxObjects: 20000}
		in.Libs = append(in.Libs, lib)
		bag := &diag.Bag{}
		var err error
		if in.Modules, err = verilog.Read(context.Background(), strings.NewReader(text), "t.v", 0, in.Names, verilog.Option{}, bag); err != nil {
			t.Fatal(err)
		}
		if bag.Errors() > 0 {
			return // such modules are not to be used
		}
		nl, err := Link(context.Background(), in, bag)
		if err != nil {
			t.Fatal(err)
		}
		if nl == nil {
			if bag.Errors() == 0 {
				t.Fatal("neither a netlist nor an error")
			}
			return
		}
		_ = dump(nl)
		if bag.Errors() == 0 {
			checkNetlist(t, nl)
		}
		for _, m := range in.Modules {
			HashModule(in.Names, m)
		}
	})
}
