package synth_test

import (
	"bytes"
	"context"
	"io"
	"testing"

	"github.com/wattd/wattd/internal/design"
	"github.com/wattd/wattd/internal/diag"
	"github.com/wattd/wattd/internal/format/liberty"
	"github.com/wattd/wattd/internal/format/scan"
	"github.com/wattd/wattd/internal/format/vcd"
	"github.com/wattd/wattd/internal/format/verilog"
	"github.com/wattd/wattd/internal/netlist"
	"github.com/wattd/wattd/internal/synth"
)

// TestDesignsCompile reads what the generator writes: it links without a message, every arc is annotated, the depth is
// as asked, and the stimulus names every source.
func TestDesignsCompile(t *testing.T) {
	for _, tc := range []struct {
		name string
		p    synth.Params
	}{
		{"flat", synth.Params{Gates: 3000, Cycles: 5}},
		{"conditions", synth.Params{Gates: 2000, Levels: 10, Cycles: 3, Cond: true, Seed: 7}},
		{"blocks", synth.Params{Gates: 6000, Levels: 20, Blocks: 3, Cycles: 4}},
		{"tiny", synth.Params{Gates: 60, Levels: 3, Cycles: 2}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			d := synth.New(tc.p)
			ctx, bag := context.Background(), &diag.Bag{}
			names := scan.NewNames()
			mods, err := verilog.Read(ctx, text(t, d.WriteVerilog), "netlist.v", 0, names, verilog.Option{}, bag)
			check(t, err)
			lib, err := liberty.Read(ctx, text(t, d.WriteLiberty), "cells.lib", bag)
			check(t, err)
			nl, err := netlist.Link(ctx, netlist.Input{Modules: mods, Names: names, Files: []string{"netlist.v"}, Libs: []*liberty.Library{lib}}, bag)
			check(t, err)
			if bag.Errors() > 0 {
				report(t, bag)
			}
			sdf := design.SDF{Name: "delays.sdf", Open: func() (io.ReadCloser, error) { return io.NopCloser(text(t, d.WriteSDF)), nil }}
			c, err := design.Compile(ctx, nl, design.Options{}, []design.SDF{sdf}, bag)
			check(t, err)
			if bag.Errors() > 0 || len(c.Report.Unannotated) > 0 {
				t.Errorf("unannotated: %v", c.Report.Unannotated)
				report(t, bag)
			}
			if tc.p.Levels != 0 && c.Report.Levels < tc.p.Levels {
				t.Errorf("%d levels, want %d", c.Report.Levels, tc.p.Levels)
			}
			if int64(tc.p.Gates) > c.Report.Gates+100 {
				t.Errorf("%d gates, want %d", c.Report.Gates, tc.p.Gates)
			}
			named := map[int32]bool{}
			r := vcd.NewReader(text(t, d.WriteVCD), "stim.vcd", bag)
			h, err := r.Header(ctx)
			check(t, err)
			for _, v := range h.Vars {
				scope := int32(0)
				if s := h.Scopes[v.Scope]; s.Name != "dut" {
					scope = nl.ChildScope(0, []byte(s.Name))
				}
				bit := netlist.NoBit
				if v.HasRange {
					bit = v.Msb
				}
				named[nl.FindNet(scope, []byte(v.Name), bit)] = true
			}
			for _, n := range c.Sources {
				if !named[n] {
					t.Errorf("source %s is not in the stimulus", nl.NetName(n))
				}
			}
			stats, err := r.Body(ctx, nil, nothing{})
			check(t, err)
			if stats.Changes == 0 || bag.Errors() > 0 {
				t.Errorf("%d changes", stats.Changes)
				report(t, bag)
			}
		})
	}
}

func TestSameParamsSameBytes(t *testing.T) {
	p := synth.Params{Gates: 500, Cycles: 3, Seed: 9}
	a, b := synth.New(p), synth.New(p)
	p.Seed++
	other := synth.New(p)
	for _, f := range []func(*synth.Design, io.Writer) error{(*synth.Design).WriteVerilog, (*synth.Design).WriteSDF, (*synth.Design).WriteVCD} {
		var x, y, z bytes.Buffer
		check(t, f(a, &x))
		check(t, f(b, &y))
		check(t, f(other, &z))
		if !bytes.Equal(x.Bytes(), y.Bytes()) {
			t.Error("two writings differ")
		}
		if bytes.Equal(x.Bytes(), z.Bytes()) {
			t.Error("the seed has no effect")
		}
	}
}

type nothing struct{}

func (nothing) Time(int64) bool           { return true }
func (nothing) Change(int32, []byte) bool { return true }
func (nothing) DumpOff() bool             { return true }
func (nothing) DumpOn() bool              { return true }

func text(t *testing.T, write func(io.Writer) error) *bytes.Reader {
	t.Helper()
	var b bytes.Buffer
	check(t, write(&b))
	return bytes.NewReader(b.Bytes())
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func report(t *testing.T, bag *diag.Bag) {
	t.Helper()
	var b bytes.Buffer
	bag.Write(&b, diag.Note, 3)
	t.Error(b.String())
}
