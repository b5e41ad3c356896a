package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"

	"github.com/wattd/wattd/internal/diag"
	"github.com/wattd/wattd/internal/project"
	"github.com/wattd/wattd/internal/sim"
	"github.com/wattd/wattd/internal/synth"
	"github.com/wattd/wattd/kernel"
	"github.com/wattd/wattd/kernel/host"
)

// engines measures the simulation alone, on a resident design, against Icarus on the same job.
func (b *bench) engines() error {
	b.printf(`
## Simulation

Transitions of all nets a second, of a resident design. Icarus runs the same job in the event form: wires as cells, no COND,
delays in the text; its time is the processor time that vvp states for running, less that of a run that stops at the
start. The ratio is of processor times, so that other load does not count.

| design | gates | transitions | workers | s | M transitions/s | a core | Icarus s | against Icarus, one core |
|---|---|---|---|---|---|---|---|---|
`)
	d := synth.New(synth.Params{Gates: b.size.event, Cycles: 200, Seed: 1})
	dir := filepath.Join(b.tmp, "event")
	if err := writeDesign(dir, d); err != nil {
		return err
	}
	if err := b.engine(fmt.Sprintf("synthetic %d", b.size.event), designConfig(dir)); err != nil {
		return err
	}
	aes, err := b.corpusConfig("aes_sky130hd", "liberty/sky130hd_tt.lib.gz")
	if err != nil {
		b.printf("| corpus aes_sky130hd | absent | | | | | | | |\n")
		return nil
	}
	return b.engine("corpus aes_sky130hd", aes)
}

// corpusConfig is the run of a design of the corpus.
func (b *bench) corpusConfig(design, lib string) (project.Config, error) {
	dir := filepath.Join(b.corpus, "designs", design)
	c := project.Config{
		Netlist: []string{filepath.Join(dir, "netlist.v")},
		Lib:     []string{filepath.Join(b.corpus, filepath.FromSlash(lib))},
		SDF:     []string{filepath.Join(dir, "delays.sdf.xz")},
		Stim:    filepath.Join(dir, "stim.vcd.xz"),
		Scope:   "tb.dut",
		Corner:  "typ",
	}
	for _, f := range slices.Concat(c.Netlist, c.Lib, c.SDF, []string{c.Stim}) {
		if _, err := os.Stat(f); err != nil {
			return c, err
		}
	}
	return c, nil
}

// load takes a run up to the simulation.
func load(ctx context.Context, c project.Config) (*project.Session, error) {
	bag := &diag.Bag{}
	s, err := project.NewSession(c, bag, nil)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(s.Compile(ctx), s.Bind(ctx)); err != nil {
		return nil, err
	}
	return s, failed(bag)
}

// failed turns the errors of a bag into a Go error.
func failed(bag *diag.Bag) error {
	if bag.Errors() == 0 {
		return nil
	}
	var text bytes.Buffer
	bag.Write(&text, diag.Error, 2)
	return errors.New(text.String())
}

func (b *bench) engine(name string, c project.Config) error {
	s, err := load(b.ctx, c)
	if err != nil {
		return err
	}
	engine := host.New()
	runner, err := engine.Load(s.Design.Program)
	if err != nil {
		return err
	}
	defer runner.Close()
	start := sim.Settle(s.Design, s.Stim, &diag.Bag{})
	job := &kernel.Job{
		Cuts: sim.Cuts(s.Design, s.Stim, sim.Options{}), Start: start.Nets, StartBits: start.Bits,
		SrcNet: s.Stim.Net, SrcOff: s.Stim.Off, SrcTick: s.Stim.Tick,
	}
	for workers := 1; workers <= runtime.NumCPU(); workers *= 2 {
		job.Workers = workers
		var events int64
		cpu := cpuTime()
		secs, err := best(runs, wallTime, func() error {
			r, err := runner.Run(b.ctx, job)
			if err == nil {
				events = r.Stats.Events
			}
			return err
		})
		if err != nil {
			return err
		}
		icarus, against := "", ""
		if workers == 1 {
			icarus, against = b.icarus(name, s, job, (cpuTime()-cpu)/runs)
		}
		rate := float64(events) / secs / 1e6
		b.printf("| %s | %d | %d | %d | %.3f | %.1f | %.1f | %s | %s |\n", name, s.Design.Report.Gates, events, workers, secs, rate, rate/float64(workers), icarus, against)
	}
	return nil
}

// runs is how often a simulation is repeated.
const runs = 3

// icarus runs the event form of a job; secs is our time on one core.
func (b *bench) icarus(name string, s *project.Session, job *kernel.Job, secs float64) (its, ratio string) {
	what := "Icarus simulating " + name
	iverilog, ok1 := b.peers.find("iverilog")
	vvp, ok2 := b.peers.find("vvp")
	if !ok1 || !ok2 {
		return "absent", b.peers.absent(what)
	}
	text, program := filepath.Join(b.tmp, "event.v"), filepath.Join(b.tmp, "event.vvp")
	out, err := os.Create(text)
	if err == nil {
		err = errors.Join(writeEventForm(out, s.Design, job), out.Close())
	}
	if err != nil {
		return err.Error(), b.peers.absent(what)
	}
	if msg, err := exec.CommandContext(b.ctx, iverilog, "-g2005", "-gspecify", "-s", "tb", "-o", program, text).CombinedOutput(); err != nil {
		return fmt.Sprintf("iverilog failed: %.200s", msg), b.peers.absent(what)
	}
	idle, err1 := vvpTime(exec.CommandContext(b.ctx, vvp, "-n", "-v", program, "+stop"))
	full, err2 := vvpTime(exec.CommandContext(b.ctx, vvp, "-n", "-v", program))
	if err := errors.Join(err1, err2); err != nil {
		return err.Error(), b.peers.absent(what)
	}
	t := max(full-idle, 0.001)
	return fmt.Sprintf("%.2f", t), b.peers.ratio(what, t/secs)
}

// vvpTime is what vvp says that its simulation took: the last "... N seconds" of its verbose output.
func vvpTime(cmd *exec.Cmd) (float64, error) {
	out, err := cmd.CombinedOutput()
	if err != nil {
		return 0, fmt.Errorf("vvp: %w", err)
	}
	m := vvpSeconds.FindAllSubmatch(out, -1)
	if m == nil {
		return 0, errors.New("vvp states no time")
	}
	return strconv.ParseFloat(string(m[len(m)-1][1]), 64)
}

var vvpSeconds = regexp.MustCompile(`\.\.\. ([0-9.e-]+) seconds`)
