package netlist

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/wattd/wattd/internal/diag"
	"github.com/wattd/wattd/internal/format/liberty"
	"github.com/wattd/wattd/internal/format/scan"
	"github.com/wattd/wattd/internal/format/verilog"
)

// BenchmarkLinkFlat links one flat module of a million two-input gates.
func BenchmarkLinkFlat(b *testing.B) {
	const n = 1_000_000
	var t strings.Builder
	t.WriteString("module top(input a, input b, output y);\n")
	for i := range n {
		fmt.Fprintf(&t, "wire _%d_;\n", i)
	}
	for i := range n {
		fmt.Fprintf(&t, "NAND2 _%d_ (.A(%s), .B(%s), .Y(_%d_));\n", i+n, wireAt(i-1), wireAt(i*7/8), i)
	}
	t.WriteString("endmodule\n")
	text := t.String()
	lib := readLib(b)
	b.ResetTimer()
	for b.Loop() {
		b.StopTimer()
		bag := &diag.Bag{}
		names := scan.NewNames()
		mods, err := verilog.Read(context.Background(), strings.NewReader(text), "t.v", 0, names, verilog.Option{}, bag)
		if err != nil {
			b.Fatal(err)
		}
		runtime.GC()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		b.StartTimer()
		nl, err := Link(context.Background(), Input{Modules: mods, Names: names, Files: []string{"t.v"}, Libs: []*liberty.Library{lib}}, bag)
		b.StopTimer()
		if err != nil || bag.Errors() > 0 || len(nl.Insts) != n {
			b.Fatal(err, bag.Totals())
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		b.ReportMetric(float64(int64(after.HeapAlloc)-int64(before.HeapAlloc))/n, "B/inst")
		runtime.KeepAlive(nl)
		runtime.KeepAlive(mods)
		b.StartTimer()
	}
}

func wireAt(i int) string {
	if i < 0 {
		return "a"
	}
	return fmt.Sprintf("_%d_", i)
}
