package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/wattd/wattd/internal/diag"
	"github.com/wattd/wattd/internal/project"
	"github.com/wattd/wattd/internal/synth"
)

// writeDesign writes a synthetic design into a folder.
func writeDesign(dir string, d *synth.Design) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, f := range []struct {
		name  string
		write func(io.Writer) error
	}{{"netlist.v", d.WriteVerilog}, {"cells.lib", d.WriteLiberty}, {"delays.sdf", d.WriteSDF}, {"stim.vcd", d.WriteVCD}} {
		out, err := os.Create(filepath.Join(dir, f.name))
		if err != nil {
			return err
		}
		if err := errors.Join(f.write(out), out.Close()); err != nil {
			return err
		}
	}
	return nil
}

func designConfig(dir string) project.Config {
	in := func(name string) string { return filepath.Join(dir, name) }
	return project.Config{
		Netlist: []string{in("netlist.v")},
		Lib:     []string{in("cells.lib")},
		SDF:     []string{in("delays.sdf")},
		Stim:    in("stim.vcd"),
		Top:     "synth",
		Scope:   "tb.dut",
	}
}

// whole is the measurement of a run from files to counts in a process of its own.
type whole struct {
	Gates, Nets, Events int64
	Seconds, CPU        float64
	Phases              []project.Phase
	Peak                int64 // bytes
	Design              int64 // bytes of the compiled design, as accounted
}

// runChild is the process that growth starts.
func runChild(ctx context.Context, dir string) error {
	start := time.Now()
	c := designConfig(dir)
	c.Counts = filepath.Join(dir, "counts.csv")
	bag := &diag.Bag{}
	s, err := project.NewSession(c, bag, nil)
	if err != nil {
		return err
	}
	if err := errors.Join(s.Run(ctx), failed(bag)); err != nil {
		return err
	}
	m := s.Design.Report.Memory
	return json.NewEncoder(os.Stdout).Encode(whole{
		Gates: s.Design.Report.Gates, Nets: int64(len(s.Netlist.Nets)), Events: s.Result.Stats.Events, Seconds: time.Since(start).Seconds(), CPU: cpuTime(),
		Phases: s.Phases, Peak: peakMemory(), Design: m.Gates + m.Pins + m.Arcs + m.Functions + m.Names + m.Positions,
	})
}

// growth measures whole runs over sizes: work x 10 should be time x 10.
func (b *bench) growth() error {
	b.printf("\n## Growth\n\nWhole runs from files to counts, %d cycles, all cores, a process each. The last column is processor time a gate\nagainst the row above.\n\n", b.size.cycles)
	before := 0.0
	for i, gates := range b.size.growth {
		w, err := b.whole(synth.Params{Gates: gates, Cycles: b.size.cycles, Seed: 1})
		if err != nil {
			return err
		}
		if i == 0 {
			b.growthHead(w)
		}
		growth := ""
		if before > 0 {
			growth = fmt.Sprintf("x %.2f", w.CPU/float64(w.Gates)/before)
		}
		before = w.CPU / float64(w.Gates)
		b.growthRow(w, b.size.cycles, growth)
	}
	if b.size.m1 {
		p := synth.M1
		p.Cycles = 100
		w, err := b.whole(p)
		if err != nil {
			return err
		}
		b.printf("\nThe base case M1 with 100 cycles:\n\n")
		b.growthHead(w)
		b.growthRow(w, 100, "")
	}
	return nil
}

func (b *bench) growthHead(w *whole) {
	b.printf("| gates | events | activity")
	for _, p := range w.Phases {
		b.printf(" | %s", p.Name)
	}
	b.printf(" | whole s | CPU s | peak MB | design B a gate | peak B a gate | time a gate |\n|%s\n", strings.Repeat("---|", 9+len(w.Phases)))
}

func (b *bench) growthRow(w *whole, cycles int, growth string) {
	g := float64(w.Gates)
	b.printf("| %d | %d | %.2f", w.Gates, w.Events, float64(w.Events)/g/float64(cycles))
	for _, p := range w.Phases {
		b.printf(" | %.2f", p.Secs)
	}
	b.printf(" | %.2f | %.2f | %.0f | %.0f | %.0f | %s |\n", w.Seconds, w.CPU, float64(w.Peak)/1e6, float64(w.Design)/g, float64(w.Peak)/g, growth)
}

// whole writes a design, measures a run of it, and removes it.
func (b *bench) whole(p synth.Params) (*whole, error) {
	dir := filepath.Join(b.tmp, fmt.Sprintf("growth-%d", p.Gates))
	defer os.RemoveAll(dir)
	if err := writeDesign(dir, synth.New(p)); err != nil {
		return nil, err
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(b.ctx, self, "-child", dir)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("run with %d gates: %w", p.Gates, err)
	}
	w := &whole{}
	return w, json.Unmarshal(out, w)
}
