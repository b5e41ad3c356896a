package sim_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/wattd/wattd/internal/design"
	"github.com/wattd/wattd/internal/design/designtest"
	"github.com/wattd/wattd/internal/diag"
	"github.com/wattd/wattd/internal/sim"
	"github.com/wattd/wattd/internal/wave"
	"github.com/wattd/wattd/kernel"
	"github.com/wattd/wattd/kernel/host"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const cells = `library (l) {
  cell (LCP) { latch (IQ, IQN) { enable : "G"; data_in : "D"; clear : "C"; preset : "P"; clear_preset_var1 : H; clear_preset_var2 : H; }
    pin (G) { direction : input; } pin (D) { direction : input; } pin (C) { direction : input; } pin (P) { direction : input; }
    pin (Q) { direction : output; function : "IQ"; } pin (QN) { direction : output; function : "IQN"; } pin (X) { direction : output; function : "IQ*D"; } }
}
`

const latch = `module top(input g, d, c, p, output q, qn, x);
  LCP u(.G(g), .D(d), .C(c), .P(p), .Q(q), .QN(qn), .X(x));
endmodule`

func load(t testing.TB, v, sdf, decl, body string) (*design.Design, *wave.Stimulus) {
	t.Helper()
	a := designtest.Archive{Files: []designtest.File{{Name: "netlist.v", Text: v}, {Name: "cells.lib", Text: cells}, {Name: "delays.sdf", Text: sdf}}}
	d, bag := designtest.Compile(t, a)
	st, err := wave.Bind(context.Background(), d, wave.Input{Name: "dump.vcd", R: strings.NewReader(designtest.VCD(decl, body))}, wave.Options{}, bag)
	if err != nil {
		t.Fatal(err)
	}
	if st == nil || bag.Errors() > 0 {
		var b strings.Builder
		bag.Write(&b, diag.Error, 9)
		t.Fatal(b.String())
	}
	return d, st
}

func net(t testing.TB, d *design.Design, name string) int32 {
	t.Helper()
	for n := range d.Netlist.Nets {
		if d.Netlist.NetName(int32(n)) == name {
			return int32(n)
		}
	}
	t.Fatal("no net", name)
	return -1
}

func TestSettle(t *testing.T) {
	for _, c := range []struct {
		name, body string
		want       string // q qn x, defaulted
	}{
		{"transparent", "#0 g=1 d=1 c=0 p=0", "101 0"},
		{"closed and untold", "#0 g=0 d=1 c=0 p=0", "010 3"},
		{"told by the output", "#0 g=0 d=1 c=0 p=0 q=1", "101 0"},
		{"told by the complement", "#0 g=0 d=0 c=0 p=0 qn=0", "100 0"},
		{"told by an output that shows it now", "#0 g=0 d=1 c=0 p=0 x=1", "101 0"},
		{"not told by an output that hides it", "#0 g=0 d=0 c=0 p=0 x=0", "010 3"},
		{"the first in pin order tells", "#0 g=0 d=1 c=0 p=0 qn=1 q=1", "101 0"},
		{"an unknown output does not tell", "#0 g=0 d=1 c=0 p=0 q=x qn=0", "101 0"},
		{"clear wins over the dump", "#0 g=0 d=1 c=1 p=0 q=1", "010 0"},
		{"preset", "#0 g=0 d=1 c=0 p=1", "101 0"},
		{"both", "#0 g=0 d=1 c=1 p=1", "111 0"},
		{"clear wins over data", "#0 g=1 d=1 c=1 p=0", "010 0"},
	} {
		decl := "tb.dut: g d c p"
		for _, o := range []string{"qn", "q", "x"} {
			if strings.Contains(c.body+" ", " "+o+"=") {
				decl += " " + o
			}
		}
		d, st := load(t, latch, "", decl, c.body+" #10")
		s := sim.Settle(d, st, &diag.Bag{})
		got := ""
		for _, o := range []string{"q", "qn", "x"} {
			n := net(t, d, o)
			got += fmt.Sprint(s.Nets[n>>6] >> (n & 63) & 1)
		}
		if got += fmt.Sprint(" ", s.Defaulted); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// Closed clock gates without a known state are counted, and the message names the first time at which all are open at once.
func TestClockGatesAtTheStart(t *testing.T) {
	v := `module top(input a, b, e, output y, z);
  ICG g0(.CK(a), .E(e), .GCK(y)); ICG g1(.CK(b), .E(e), .GCK(z));
endmodule`
	for _, c := range []struct{ body, want string }{
		{"#0 a=1 b=1 e=0 #10 a=0 #20 a=1 b=0 #30 b=1 #40 a=0 #50 b=0 #60 a=1 #70", "2 clock gates are closed at the start with unknown state; all are transparent at 50ps"},
		{"#0 a=1 b=0 e=0 #10 a=0 #70", "1 clock gates are closed at the start with unknown state; all are transparent at 10ps"},
		{"#0 a=1 b=1 e=0 #10 a=0 #20 a=1 b=0 #30 b=1 #70", "2 clock gates are closed at the start with unknown state; they never are in this run"},
	} {
		d, st := load(t, v, "", "tb.dut: a b e", c.body)
		for _, windows := range []int{1, 7, 70} {
			bag := &diag.Bag{}
			if _, err := sim.Run(context.Background(), d, st, sim.Options{Engine: host.New(), Windows: windows, Workers: 1}, bag); err != nil {
				t.Fatal(err)
			}
			if m := bag.Kept(diag.SimStateDefault); len(m) != 1 || m[0].Msg != c.want {
				t.Errorf("%d windows: %v, want %s", windows, m, c.want)
			}
		}
	}
}

func TestCuts(t *testing.T) {
	st := func(from, to int64, busiest int) *wave.Stimulus {
		s := &wave.Stimulus{From: from, To: to, Net: []int32{2, 3}, Off: []int64{0, 1, int64(1 + busiest)}}
		return s
	}
	const long = kernel.MaxWindow - 1
	for _, c := range []struct {
		name string
		st   *wave.Stimulus
		opt  sim.Options
		want []int64
	}{
		{"one", st(10, 20, 5), sim.Options{}, []int64{10, 20}},
		{"asked for", st(0, 10, 0), sim.Options{Windows: 4}, []int64{0, 2, 5, 7, 10}},
		{"no more than ticks", st(0, 3, 0), sim.Options{Windows: 9}, []int64{0, 1, 2, 3}},
		{"busy", st(0, 100, 4096), sim.Options{}, []int64{0, 50, 100}},
		{"given, in any order, twice, outside", st(10, 20, 0), sim.Options{Cuts: []int64{15, 12, 15, 10, 20, 5, 99}}, []int64{10, 12, 15, 20}},
		{"given, none", st(10, 20, 0), sim.Options{Cuts: []int64{}}, []int64{10, 20}},
		{"long", st(-5, 2*long+1, 0), sim.Options{}, []int64{-5, long - 5, 2*long - 5, 2*long + 1}},
		{"just not too long", st(0, long, 0), sim.Options{}, []int64{0, long}},
		{"long beside a cut", st(0, long+10, 0), sim.Options{Cuts: []int64{5}}, []int64{0, 5, long + 5, long + 10}},
	} {
		if got := sim.Cuts(nil, c.st, c.opt); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
	s := st(-1<<44, 1<<44, 4096*30000)
	c := sim.Cuts(nil, s, sim.Options{})
	for i := 1; i < len(c); i++ {
		if c[i] <= c[i-1] || c[i]-c[i-1] >= kernel.MaxWindow {
			t.Fatalf("window %d of a long run is %d..%d", i, c[i-1], c[i])
		}
	}
}

const chain = `module top(input a, b, output y); wire n;
  XOR2 u0(.A(a), .B(b), .Y(n)); INV u1(.A(n), .Y(y));
endmodule`

// A presized run that is short is repeated; the result is that of a growing one.
func TestFallBack(t *testing.T) {
	d, st := load(t, chain, "u0 XOR2: (IOPATH A Y (2)) (IOPATH B Y (3))", "tb.dut: a b", "#0 a=0 b=0 #10 a=1 #20 b=1 #30 a=0 #50")
	run := func(o sim.Options) (*sim.Result, *diag.Bag) {
		o.Engine, o.Workers = host.New(), 1
		bag := &diag.Bag{}
		r, err := sim.Run(context.Background(), d, st, o, bag)
		if err != nil {
			t.Fatal(err)
		}
		return r, bag
	}
	base, _ := run(sim.Options{})
	enough, bag := run(sim.Options{Variant: kernel.Fast, Plan: kernel.PlanFrom(base.Waves)})
	if enough.FellBack || enough.Variant != kernel.Fast || bag.Count(diag.SimPlanGrown) != 0 {
		t.Error("fell back although there was room")
	}
	none := &kernel.Plan{Off: make([]int64, d.Program.NNet+1)}
	obs := []kernel.Observer{{ID: kernel.ObserveCounts}}
	for _, v := range []kernel.Variant{kernel.Fast, kernel.FastObserved} {
		o := sim.Options{Variant: v, Plan: none}
		if v.Observes() {
			o.Observers = obs
		}
		short, bag := run(o)
		if !short.FellBack || short.Variant.Presized() || short.Variant.Observes() != v.Observes() || bag.Count(diag.SimPlanGrown) != 1 {
			t.Errorf("%v: no fall back to a growing run", v)
		}
		if diff := kernel.Diff(base.Waves, short.Waves); diff != "" {
			t.Error(diff)
		}
	}
	if diff := kernel.Diff(base.Waves, enough.Waves); diff != "" {
		t.Error(diff)
	}
}

func TestCancel(t *testing.T) {
	d, st := load(t, chain, "", "tb.dut: a b", "#0 a=0 b=0 #10 a=1 #20 b=1 #30")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := sim.Run(ctx, d, st, sim.Options{Engine: host.New()}, &diag.Bag{}); !errors.Is(err, context.Canceled) && !errors.Is(err, kernel.ErrInterrupted) {
		t.Errorf("error %v", err)
	}
	if _, err := sim.Run(context.Background(), d, st, sim.Options{}, &diag.Bag{}); err == nil {
		t.Error("ran without an engine")
	}
}
