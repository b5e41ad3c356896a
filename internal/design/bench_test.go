package design_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"runtime"
	"testing"

	"github.com/wattd/wattd/internal/design"
	"github.com/wattd/wattd/internal/diag"
	"github.com/wattd/wattd/internal/format/liberty"
	"github.com/wattd/wattd/internal/format/scan"
	"github.com/wattd/wattd/internal/format/verilog"
	"github.com/wattd/wattd/internal/netlist"
	"github.com/wattd/wattd/internal/synth"
)

// synthetic links a benchmark design and returns its SDF text.
func synthetic(tb testing.TB, p synth.Params) (*netlist.Netlist, []byte) {
	tb.Helper()
	ctx, bag, names := context.Background(), &diag.Bag{}, scan.NewNames()
	s := synth.New(p)
	var v, l, sdf bytes.Buffer
	for _, err := range []error{s.WriteVerilog(&v), s.WriteLiberty(&l), s.WriteSDF(&sdf)} {
		if err != nil {
			tb.Fatal(err)
		}
	}
	mods, err := verilog.Read(ctx, &v, "synth.v", 0, names, verilog.Option{}, bag)
	if err != nil {
		tb.Fatal(err)
	}
	lib, err := liberty.Read(ctx, &l, "synth.lib", bag)
	if err != nil {
		tb.Fatal(err)
	}
	nl, err := netlist.Link(ctx, netlist.Input{Modules: mods, Names: names, Files: []string{"synth.v"}, Libs: []*liberty.Library{lib}, Top: s.Top()}, bag)
	if err != nil || bag.Errors() > 0 {
		tb.Fatal(err, bag.Totals())
	}
	return nl, sdf.Bytes()
}

func compile(tb testing.TB, nl *netlist.Netlist, sdf []byte) *design.Design {
	tb.Helper()
	bag := &diag.Bag{}
	d, err := design.Compile(context.Background(), nl, design.Options{}, []design.SDF{{Name: "synth.sdf", Open: func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(sdf)), nil
	}}}, bag)
	if err != nil || bag.Errors() > 0 {
		tb.Fatal(err, bag.Totals())
	}
	return d
}

func BenchmarkCompile(b *testing.B) {
	for _, p := range []synth.Params{{Gates: 50_000}, {Gates: 200_000}, {Gates: 200_000, Blocks: 500}, {Gates: 200_000, Cond: true}} {
		b.Run(fmt.Sprintf("gates=%d,blocks=%d,cond=%v", p.Gates, p.Blocks, p.Cond), func(b *testing.B) {
			nl, sdf := synthetic(b, p)
			b.SetBytes(int64(len(sdf)))
			b.ReportAllocs()
			var d *design.Design
			for b.Loop() {
				d = compile(b, nl, sdf)
			}
			gates := float64(len(d.Program.GateOut))
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/gates, "ns/gate")
			b.ReportMetric(float64(len(d.Program.Image()))/gates, "B/gate")
			runtime.KeepAlive(d)
		})
	}
}
