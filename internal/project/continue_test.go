package project_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/wattd/wattd/internal/diag"
	"github.com/wattd/wattd/internal/netlist"
	"github.com/wattd/wattd/internal/project"
	"github.com/wattd/wattd/internal/synth"
)

// files are the inputs of a synthetic design on disk, edited as text.
type files struct {
	dir          string
	netlist, sdf []byte
}

func newFiles(t *testing.T, seed uint64) *files {
	t.Helper()
	d := synth.New(synth.Params{Gates: 300, Levels: 8, Cycles: 12, Seed: seed, Cond: seed%2 == 0})
	f := &files{dir: t.TempDir()}
	var v, s, lib, stim bytes.Buffer
	for _, err := range []error{d.WriteVerilog(&v), d.WriteSDF(&s), d.WriteLiberty(&lib), d.WriteVCD(&stim)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	f.netlist, f.sdf = v.Bytes(), s.Bytes()
	f.write(t, "cells.lib", lib.Bytes())
	f.write(t, "stim.vcd", stim.Bytes())
	f.write(t, "netlist.v", f.netlist)
	f.write(t, "delays.sdf", f.sdf)
	return f
}

// write replaces a file by rename, as tools and editors do.
func (f *files) write(t *testing.T, name string, b []byte) {
	t.Helper()
	tmp := filepath.Join(f.dir, "."+name)
	if err := os.WriteFile(tmp, b, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(tmp, filepath.Join(f.dir, name)); err != nil {
		t.Fatal(err)
	}
}

func (f *files) config(unmapped string) project.Config {
	p := func(n string) string { return filepath.Join(f.dir, n) }
	return project.Config{
		Netlist: []string{p("netlist.v")}, Lib: []string{p("cells.lib")}, SDF: []string{p("delays.sdf")}, Stim: p("stim.vcd"),
		Scope: "tb.dut", Unmapped: unmapped, Windows: "7",
	}
}

var (
	number   = regexp.MustCompile(`\(0\.\d+\)`)
	instance = regexp.MustCompile(`(?m)^\s*(NAND2_1|NOR2_1|AND2_1|OR2_1|XOR2_1|XNOR2_1) (\w+) \(`)
)

// edit changes one of the files and says what it did.
func (f *files) edit(t *testing.T, r *rand.Rand) string {
	t.Helper()
	switch r.IntN(6) {
	case 0: // a delay
		at := number.FindAllIndex(f.sdf, -1)
		k := at[r.IntN(len(at))]
		v := fmt.Sprintf("(0.%03d)", 1+r.IntN(90))
		f.sdf = slices.Concat(f.sdf[:k[0]], []byte(v), f.sdf[k[1]:])
		f.write(t, "delays.sdf", f.sdf)
		return "delay " + v
	case 1: // another function
		at := instance.FindAllSubmatchIndex(f.netlist, -1)
		if len(at) == 0 {
			t.Fatal("no instance to swap")
		}
		k := at[r.IntN(len(at))]
		cell := []string{"NAND2_1", "NOR2_1", "AND2_1", "OR2_1", "XOR2_1", "XNOR2_1"}[r.IntN(6)]
		what := fmt.Sprintf("swap %s to %s", f.netlist[k[4]:k[5]], cell)
		f.netlist = slices.Concat(f.netlist[:k[2]], []byte(cell), f.netlist[k[3]:])
		f.write(t, "netlist.v", f.netlist)
		return what
	case 2: // a comment
		f.netlist = append(f.netlist, "// nothing\n"...)
		f.write(t, "netlist.v", f.netlist)
		return "comment"
	case 4: // a register that the dump does not have, with a load
		at := instance.FindAllIndex(f.netlist, -1)
		k := at[r.IntN(len(at))][0]
		name := fmt.Sprintf("new%d", r.Uint32())
		line := fmt.Sprintf("\n  DFFR_1 %s (.CK(clk), .D(rst_n), .RN(rst_n), .Q(%s_q)); INV_1 %s_i (.A(%s_q), .Y(%s_y));\n", name, name, name, name, name)
		f.netlist = slices.Concat(f.netlist[:k], []byte(line), f.netlist[k:])
		f.write(t, "netlist.v", f.netlist)
		return "register " + name
	case 3: // an instance in front of all others, with a net of its own
		at := instance.FindAllSubmatchIndex(f.netlist, -1)
		k := at[0][0]
		name := fmt.Sprintf("added%d", r.Uint32())
		line := fmt.Sprintf("\n  INV_1 %s (.A(clk), .Y(%s_y));\n", name, name)
		f.netlist = slices.Concat(f.netlist[:k], []byte(line), f.netlist[k:])
		f.write(t, "netlist.v", f.netlist)
		return "insert " + name
	}
	// a gate removed: its net is undriven from then on
	at := instance.FindAllSubmatchIndex(f.netlist, -1)
	k := at[r.IntN(len(at))]
	end := k[0] + bytes.IndexByte(f.netlist[k[0]:], ';') + 1
	what := fmt.Sprintf("remove %s", f.netlist[k[4]:k[5]])
	f.netlist = slices.Concat(f.netlist[:k[0]], f.netlist[end:])
	f.write(t, "netlist.v", f.netlist)
	return what
}

// events lists the name, counts and events of every net.
func events(s *project.Session) map[string]string {
	m := map[string]string{}
	for n := int32(2); int(n) < len(s.Netlist.Nets); n++ {
		if s.Netlist.Nets[n].Flags&netlist.NetHidden != 0 {
			continue
		}
		var b []byte
		b = fmt.Appendf(b, "%+v %v", s.Table.Nets[n], s.Result.Waves.StartValue(n))
		s.Result.Waves.Each(n, func(t int64, v bool) { b = fmt.Appendf(b, " %d", t) })
		m[s.Netlist.NetName(n)] = string(b)
	}
	return m
}

// run takes a session through all steps; prev is continued when it is not nil.
func (f *files) run(t *testing.T, prev *project.Session) *project.Session {
	t.Helper()
	bag := &diag.Bag{}
	unmapped := "error" // sources that an edit made hold 0 in a continued session
	if prev == nil {
		unmapped = "hold"
	}
	s, err := project.NewSession(f.config(unmapped), bag, nil)
	if err != nil {
		t.Fatal(err)
	}
	if s.KeepState(); prev != nil {
		s.Continue(prev)
	}
	for _, do := range []func(context.Context) error{s.Compile, s.Bind, s.Simulate} {
		if err := do(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	if s.Failed() {
		bag.Write(t.Output(), diag.Error, 5)
		t.Fatal("the inputs have errors")
	}
	s.Detach()
	return s
}

func TestEditsEqualColdRuns(t *testing.T) {
	for seed := range uint64(6) {
		f := newFiles(t, seed)
		r := rand.New(rand.NewPCG(seed, 1))
		s := f.run(t, nil)
		less := 0
		for step := range 12 {
			what := f.edit(t, r)
			at := fmt.Sprintf("seed %d, step %d, %s", seed, step, what)
			s = f.run(t, s)
			cold := f.run(t, nil)
			got, want := events(s), events(cold)
			for name, x := range want {
				if got[name] != x {
					t.Fatalf("%s: net %s\n got %s\nwant %s", at, name, got[name], x)
				}
			}
			if len(got) != len(want) {
				t.Fatalf("%s: %d nets, want %d", at, len(got), len(want))
			}
			if a, b := s.Result.Stats.Filtered, cold.Result.Stats.Filtered; a != b {
				t.Fatalf("%s: %d pulses filtered, want %d", at, a, b)
			}
			w := s.Work
			if what == "comment" && (w.PairsRun != 0 || w.GatesCompiled != 0) {
				t.Errorf("%s: %d pairs run, %d gates compiled", at, w.PairsRun, w.GatesCompiled)
			}
			if w.PairsRun < w.PairsTotal/2 {
				less++
			}
		}
		if less < 6 {
			t.Errorf("seed %d: most edits ran more than half of the design", seed)
		}
	}
}
