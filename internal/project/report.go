package project

import (
	"cmp"
	"encoding/json"
	"io"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/wattd/wattd/internal/design"
	"github.com/wattd/wattd/internal/diag"
	"github.com/wattd/wattd/internal/wave"
	"github.com/wattd/wattd/kernel"
)

// Report says what a run did and on what it rests.
type Report struct {
	Version  string     `json:"version"`
	Status   string     `json:"status"` // done, checked, or failed
	Files    []FileInfo `json:"files"`
	Tick     string     `json:"tick"`
	Corner   string     `json:"corner"`
	Engine   string     `json:"engine,omitempty"`
	Design   *Size      `json:"design,omitempty"`
	Delays   *Delays    `json:"delays,omitempty"`
	Coverage *Coverage  `json:"coverage,omitempty"`
	Run      *Run       `json:"run,omitempty"`
	Top      []TopNet   `json:"glitchiest,omitempty"`
	Phases   []Phase    `json:"phases"`
	Memory   Memory     `json:"memory"`

	Diagnostics []diag.Total `json:"diagnostics"`
	Messages    []diag.Diag  `json:"messages"`
	Wrote       []string     `json:"wrote"`

	RequirementMet bool `json:"requirement_met"`
}

// Size is what was compiled.
type Size struct {
	Top           string         `json:"top"`
	Instances     int            `json:"instances"`
	Scopes        int            `json:"scopes"`
	Nets          int            `json:"nets"`
	Gates         int64          `json:"gates"`
	StateGates    int64          `json:"state_gates"`
	Levels        int            `json:"levels"`
	Pins          int            `json:"pins"`
	Arcs          int            `json:"arcs"`
	MergedDrivers int64          `json:"merged_drivers"`
	OpenPins      int64          `json:"open_pins"`
	BlackBoxes    []design.Count `json:"black_boxes,omitempty"`
	Loops         []string       `json:"loops,omitempty"`
	Classes       []design.Count `json:"nets_by_class"`
}

// Delays says what the SDF files brought.
type Delays struct {
	Arcs             int64          `json:"arcs"`
	Annotated        int64          `json:"annotated"`
	Percent          float64        `json:"percent"`
	Unannotated      []design.Count `json:"unannotated,omitempty"` // by cell type
	Zero             []design.Count `json:"zero,omitempty"`        // IOPATH values that are 0, by cell type
	Wires            int64          `json:"wires"`
	WiresDelayed     int64          `json:"wires_delayed"`
	Negative         int64          `json:"negative"`
	RoundedToZero    int64          `json:"rounded_to_zero"`
	Inexact          int64          `json:"inexact"`
	CellsBound       int64          `json:"cells_bound"`
	CellsUnbound     int64          `json:"cells_unbound"`
	StatementsUsed   int64          `json:"statements_used"`
	StatementsUnused int64          `json:"statements_dropped"`
}

// Coverage says which sources have a stimulus.
type Coverage struct {
	Scope      string               `json:"scope"`
	Launch     string               `json:"launch"`
	Percent    float64              `json:"percent"`
	Classes    []wave.ClassCoverage `json:"classes"`
	Missing    []string             `json:"missing,omitempty"`
	Unknown    int64                `json:"sources_unknown"`
	UnknownPct float64              `json:"unknown_time_percent"`
	Collapsed  int64                `json:"collapsed"`
	Loose      int64                `json:"bound_loosely"`
}

// Run is what was simulated.
type Run struct {
	From         int64    `json:"from"` // ticks
	To           int64    `json:"to"`
	Span         string   `json:"span"`
	Excluded     int64    `json:"excluded"` // ticks of gaps of the dump, not in the duration
	Duration     string   `json:"duration"`
	Windows      int      `json:"windows"`
	Events       int64    `json:"events"`
	SourceEvents int64    `json:"source_events"`
	Filtered     int64    `json:"filtered"`
	WireFiltered int64    `json:"wire_filtered"`
	Races        int64    `json:"races"`
	ErrorPulses  int64    `json:"error_pulses"`
	Unannotated  int64    `json:"unannotated_evaluations"`
	EventsPerSec float64  `json:"events_per_second"`
	Toggles      int64    `json:"toggles"`
	Functional   *int64   `json:"functional"` // null without a reference clock
	Glitch       *int64   `json:"glitch"`
	NoSplit      string   `json:"no_split,omitempty"`
	Clocks       []string `json:"clocks,omitempty"`
	ClockToggles int64    `json:"clock_network_toggles"`
	Defaulted    int64    `json:"states_defaulted"`
}

// TopNet is one of the glitchiest nets.
type TopNet struct {
	Net    string `json:"net"`
	TC     int64  `json:"tc"`
	Glitch int64  `json:"glitch"`
	Driver string `json:"driver"`
	Cell   string `json:"cell"`
}

// DesignMemory is what the arrays of a design take, in bytes.
type DesignMemory struct {
	Gates     int64 `json:"gate_bytes"`
	Pins      int64 `json:"pin_bytes"`
	Arcs      int64 `json:"arc_bytes"`
	Functions int64 `json:"function_bytes"`
	Names     int64 `json:"name_bytes"`
	Nets      int64 `json:"net_bytes"`
	Positions int64 `json:"position_bytes"`
}

// Memory is in bytes.
type Memory struct {
	Design   DesignMemory `json:"design"`
	PerGate  float64      `json:"bytes_per_gate"`
	PerPin   float64      `json:"bytes_per_pin"`
	PerArc   float64      `json:"bytes_per_arc"`
	PerName  float64      `json:"bytes_per_name"`
	Waves    int64        `json:"waves"`
	PerEvent float64      `json:"bytes_per_event"`
	Peak     int64        `json:"peak_rss"`
}

// Report collects the report of what was done so far.
func (s *Session) Report(version string) *Report {
	r := &Report{
		Version: version, Files: s.Files, Tick: s.opt.tick.String(), Corner: s.opt.corner.String(), Phases: s.Phases,
		Diagnostics: s.Bag.Totals(), Wrote: s.Wrote, RequirementMet: s.opt.require < 0, Status: "checked",
	}
	// empty lists are lists in JSON too
	r.Files, r.Phases, r.Wrote = orEmpty(r.Files), orEmpty(r.Phases), orEmpty(r.Wrote)
	r.Diagnostics, r.Messages = orEmpty(r.Diagnostics), orEmpty(r.Messages)
	for _, t := range r.Diagnostics {
		r.Messages = append(r.Messages, s.Bag.Kept(t.Code)...)
	}
	if s.Design != nil {
		s.reportDesign(r)
	}
	if s.Stim != nil {
		s.reportCoverage(r)
	}
	if s.Table != nil {
		s.reportRun(r)
		r.Status = "done"
	}
	if s.Failed() {
		r.Status = "failed"
	}
	r.Memory.Peak = peakRSS()
	return r
}

func orEmpty[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}

func (s *Session) reportDesign(r *Report) {
	d, nl := s.Design, s.Netlist
	rep, p := &d.Report, d.Program
	pins, arcs := d.Uses()
	r.Design = &Size{
		Top: nl.Names.String(nl.Scopes[0].Module), Instances: nl.CountInsts(), Scopes: len(nl.Scopes), Nets: len(nl.Nets) - 2,
		Gates: rep.Gates, StateGates: rep.StateGates, Levels: rep.Levels, Pins: pins, Arcs: arcs,
		MergedDrivers: rep.MergedDrivers, OpenPins: rep.OpenPins, BlackBoxes: rep.BlackBoxes, Loops: rep.Loops,
	}
	counts := map[design.Class]int64{}
	for n := int32(2); int(n) < len(nl.Nets); n++ {
		if nl.IsHole(n) { // a number that an edit left free
			r.Design.Nets--
			continue
		}
		counts[d.NetClass[n]]++
	}
	for c := design.ClassComputed; c <= design.ClassLoop; c++ {
		if counts[c] > 0 {
			r.Design.Classes = append(r.Design.Classes, design.Count{Name: c.String(), N: counts[c]})
		}
	}
	x := &Delays{
		Arcs: rep.ArcsTotal, Annotated: rep.ArcsAnnotated, Percent: 100, Unannotated: rep.Unannotated, Zero: rep.ZeroIOPath,
		Wires: rep.Wires, WiresDelayed: rep.WiresDelayed, Negative: rep.NegativeIOPath + rep.NegativeWire,
		RoundedToZero: rep.RoundedToZero, Inexact: rep.Inexact,
	}
	if x.Arcs > 0 {
		x.Percent = 100 * float64(x.Annotated) / float64(x.Arcs)
	}
	for _, f := range rep.SDF {
		x.CellsBound += f.Bound
		x.CellsUnbound += f.Unbound
		x.StatementsUsed += f.Statements
		x.StatementsUnused += f.Dropped
	}
	r.Delays = x
	m := rep.Memory
	r.Memory.Design = DesignMemory{Gates: m.Gates, Pins: m.Pins, Arcs: m.Arcs, Functions: m.Functions, Names: m.Names, Nets: m.Nets, Positions: m.Positions}
	r.Memory.PerGate = ratio(m.Gates, int64(len(p.GateOut)))
	r.Memory.PerPin = ratio(m.Pins, int64(len(p.PinNet)))
	r.Memory.PerArc = ratio(m.Arcs, int64(len(p.ArcDelay)))
	r.Memory.PerName = ratio(m.Names, int64(nl.Names.Len()))
}

func ratio(a, b int64) float64 {
	if b == 0 {
		return 0
	}
	return float64(a) / float64(b)
}

func (s *Session) reportCoverage(r *Report) {
	c := s.coverage()
	x := &Coverage{
		Scope: c.Scope, Launch: c.Launch, Percent: c.Share(), Classes: c.Classes, Missing: c.Missing, Unknown: c.UnknownNet,
		Collapsed: c.Collapsed, Loose: c.Loose,
	}
	x.UnknownPct = 100 * ratio(c.UnknownSum, s.duration()*int64(max(len(s.Stim.Net), 1)))
	r.Coverage = x
	r.RequirementMet = x.Percent >= s.opt.require
}

// stats adds up the parts of the run.
func (s *Session) stats() *kernel.Stats {
	t := s.results[0].Stats
	for _, r := range s.results[1:] {
		o := &r.Stats
		t.Events += o.Events
		t.SourceEvents += o.SourceEvents
		t.Evaluations += o.Evaluations
		t.Filtered += o.Filtered
		t.WireFiltered += o.WireFiltered
		t.Races += o.Races
		t.ErrorPulses += o.ErrorPulses
		t.Unannotated += o.Unannotated
		t.Simulate += o.Simulate
	}
	return &t
}

// coverage is that of the first part with the counts of all.
func (s *Session) coverage() *wave.Coverage {
	c := s.Stim.Coverage
	for p := s.Stim.Next; p != nil; p = p.Next {
		c.Changes += p.Coverage.Changes
		c.Collapsed += p.Coverage.Collapsed
		c.UnknownSum += p.Coverage.UnknownSum
		c.UnknownNet = max(c.UnknownNet, p.Coverage.UnknownNet)
	}
	return &c
}

// duration is the time of all parts of the run.
func (s *Session) duration() (d int64) {
	for _, p := range s.Stim.Parts() {
		d += p.To - p.From
	}
	return d
}

func (s *Session) reportRun(r *Report) {
	st := s.stats()
	r.Engine = s.Result.Engine
	x := &Run{
		From: s.Stim.From, To: s.Stim.End(), Span: wave.FormatTime(s.opt.tick, s.Stim.From) + ".." + wave.FormatTime(s.opt.tick, s.Stim.End()), Duration: wave.FormatTime(s.opt.tick, s.Table.Duration()), Excluded: s.Table.Excluded, Windows: s.Result.Waves.Windows(),
		Events: st.Events, SourceEvents: st.SourceEvents, Filtered: st.Filtered, WireFiltered: st.WireFiltered, Races: st.Races,
		ErrorPulses: st.ErrorPulses, Unannotated: st.Unannotated, NoSplit: s.Table.NoSplit, Defaulted: s.Result.Defaulted,
	}
	if t := st.Simulate.Seconds(); t > 0 {
		x.EventsPerSec = float64(st.Events-st.SourceEvents) / t
	}
	var functional, glitch int64
	for n := range s.Table.Nets {
		k := &s.Table.Nets[n]
		x.Toggles += k.TC
		if s.Table.Clocks.Network[n] {
			x.ClockToggles += k.TC
			continue
		}
		functional += k.Functional
		glitch += k.Glitch
	}
	if s.Table.Split {
		x.Functional, x.Glitch = &functional, &glitch
	}
	for _, c := range s.Table.Clocks.List {
		x.Clocks = append(x.Clocks, c.Name+" ("+strconv.FormatInt(c.Edges, 10)+" rising edges)")
	}
	r.Run = x
	r.Memory.Waves = s.Result.Waves.Size()
	r.Memory.PerEvent = ratio(r.Memory.Waves, st.Events)
	if s.Config.Nets > 0 && s.Table.Split {
		r.Top = s.glitchiest(s.Config.Nets)
	}
}

// glitchiest lists the n nets with most glitches, ties by name.
func (s *Session) glitchiest(n int) []TopNet {
	var nets []int32
	for i := range s.Table.Nets {
		if s.Table.Nets[i].Glitch > 0 {
			nets = append(nets, int32(i))
		}
	}
	slices.SortFunc(nets, func(a, b int32) int {
		return cmp.Or(-cmp.Compare(s.Table.Nets[a].Glitch, s.Table.Nets[b].Glitch), s.Netlist.CompareNetNames(a, b))
	})
	var top []TopNet
	for _, net := range nets[:min(n, len(nets))] {
		t := TopNet{Net: s.Netlist.NetName(net), TC: s.Table.Nets[net].TC, Glitch: s.Table.Nets[net].Glitch}
		if g := s.Design.NetGate[net]; g >= 0 {
			if in := s.Design.Gates[g].Inst; in >= 0 {
				t.Driver = s.Netlist.InstPath(in, '/')
				t.Cell = s.Netlist.Names.String(s.Netlist.Cells[s.Netlist.Insts[in].Cell].Name)
			} else {
				t.Cell = "(primitive)"
			}
		}
		top = append(top, t)
	}
	return top
}

// peakRSS is the peak resident memory of the process in bytes, 0 where the system does not tell.
func peakRSS() int64 {
	if runtime.GOOS != "linux" {
		return 0
	}
	b, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for _, l := range strings.Split(string(b), "\n") {
		if v, ok := strings.CutPrefix(l, "VmHWM:"); ok {
			n, _ := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(v), "kB")), 10, 64)
			return n << 10
		}
	}
	return 0
}

// WriteJSON writes the report as one object.
func (r *Report) WriteJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(r)
}
