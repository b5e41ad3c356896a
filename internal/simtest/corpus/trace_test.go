package corpus

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/wattd/wattd/internal/project"
	"github.com/wattd/wattd/internal/testenv"
	"github.com/wattd/wattd/internal/trace"
)

// runsOf are the parts of a run as package trace takes them.
func runsOf(s *project.Session) (runs []*trace.Run) {
	_, results := s.Parts()
	for _, r := range results {
		runs = append(runs, &trace.Run{Program: s.Design.Program, Waves: r.Waves, StartBits: r.StartBits(), NetGate: s.Design.NetGate})
	}
	return runs
}

// traceAll holds that every stride-th event of every net has a cause: an event of an input that is in the waves, wire and arc before
// it; and that the last one of each net leads to a source.
func traceAll(t *testing.T, s *project.Session, stride int) (hops, chains, longest int) {
	t.Helper()
	p := s.Design.Program
	check := func(r *trace.Run, h, cause *trace.Hop) error {
		if h.Delay < 0 || h.Wire < 0 || cause.At+h.Wire+h.Delay != h.At {
			return fmt.Errorf("%+v is not %+v later", h, cause)
		}
		pin := p.GatePin[h.Gate] + int32(h.Pin)
		if p.GateOut[h.Gate] != h.Net || p.PinNet[pin] != cause.Net {
			return fmt.Errorf("%+v is no pin on the net of %+v", h, cause)
		}
		w := &p.Wires[p.PinWire[pin]]
		if wire := map[bool]int32{true: w.Rise, false: w.Fall}[cause.Value]; int64(wire) != h.Wire {
			return fmt.Errorf("%+v: the wire has %d", h, wire)
		}
		if h.Slot >= 0 && int64(p.ArcDelay[p.GateArc[h.Gate]+int32(h.Slot)]) != h.Delay {
			return fmt.Errorf("%+v: the arc has another delay", h)
		}
		if e, err := r.Last(cause.Net, cause.At); err != nil || e != cause.Event {
			return fmt.Errorf("%+v is caused by %+v, which is not in the waves: %+v, %v", h, cause, e, err)
		}
		return nil
	}
	for _, r := range runsOf(s) {
		for net := range int32(r.Waves.Nets()) {
			n, last := 0, trace.Event{At: -1}
			r.Waves.Each(net, func(at int64, v bool) {
				last = trace.Event{Net: net, At: at, Value: v}
				if n++; n%stride != 0 || t.Failed() {
					return
				}
				c, _, err := r.Chain(context.Background(), last, 2)
				if err != nil {
					t.Errorf("net %d at %d: %v", net, at, err)
					return
				}
				if len(c) == 2 {
					hops++
					if err := check(r, &c[0], &c[1]); err != nil {
						t.Error(err)
					}
				} else if r.NetGate[net] >= 0 {
					t.Errorf("net %d at %d: no cause", net, at)
				}
			})
			if t.Failed() {
				return
			}
			if last.At < 0 || int(net)%stride != 0 {
				continue
			}
			c, complete, err := r.Chain(context.Background(), last, 1000)
			if err != nil || !complete || !s.Design.NetClass[c[len(c)-1].Net].Source() {
				t.Errorf("net %d at %d: %v after %d hops", net, last.At, err, len(c))
				continue
			}
			for i := range len(c) - 1 {
				if err := check(r, &c[i], &c[i+1]); err != nil {
					t.Error(err)
				}
			}
			chains, longest = chains+1, max(longest, len(c))
		}
	}
	return hops, chains, longest
}

func TestTraceMicro(t *testing.T) {
	root := testenv.Corpus(t)
	dirs, err := filepath.Glob(filepath.Join(root, "micro", "[0-9]*"))
	if err != nil || len(dirs) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	all := 0
	for _, dir := range dirs {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			c := micro(t, dir)
			c.Lib = []string{filepath.Join(root, "micro", "cells", "cells.lib")}
			from, to, _ := readCounts(t, filepath.Join(dir, "golden_tc.txt"))
			hops, _, _ := traceAll(t, run(t, c, from, to), 1)
			all += hops
		})
	}
	t.Logf("%d hops", all)
}

func TestTraceDesigns(t *testing.T) {
	if testing.Short() {
		t.Skip("designs to read")
	}
	root := testenv.Corpus(t)
	for _, d := range []struct {
		name, lib string
		stride    int
	}{{"gcd_sky130hd", "sky130hd_tt.lib.gz", 1}, {"mac_sg13g2", "sg13g2_stdcell_typ_1p20V_25C.lib.xz", 3}, {"aes_sky130hd", "sky130hd_tt.lib.gz", 7}} {
		t.Run(d.name, func(t *testing.T) {
			dir := filepath.Join(root, "designs", d.name)
			from, to, _ := readCounts(t, filepath.Join(dir, "golden_tc.txt"))
			s := run(t, project.Config{
				Netlist: []string{filepath.Join(dir, "netlist.v")}, Lib: []string{filepath.Join(root, "liberty", d.lib)},
				SDF: []string{filepath.Join(dir, "delays.sdf.xz")}, Stim: filepath.Join(dir, "stim.vcd.xz"), Scope: "tb.dut",
			}, from, to)
			hops, chains, longest := traceAll(t, s, d.stride)
			t.Logf("%d hops; %d chains to a source, the longest of %d hops", hops, chains, longest)
		})
	}
}
