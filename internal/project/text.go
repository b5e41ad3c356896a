package project

import (
	"fmt"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/wattd/wattd/internal/design"
	"github.com/wattd/wattd/internal/diag"
)

// WriteText writes the report for people.
func (r *Report) WriteText(w io.Writer) error {
	p := &printer{w: w}
	p.files(r)
	if r.Design != nil {
		p.design(r)
		p.delays(r.Delays)
	}
	if r.Coverage != nil {
		p.coverage(r.Coverage)
	}
	if r.Run != nil {
		p.run(r)
	}
	p.phases(r)
	p.memory(r)
	p.messages(r)
	if len(r.Wrote) > 0 {
		p.list("wrote", r.Wrote, "")
	}
	if len(r.Top) > 0 {
		p.top(r.Top)
	}
	return p.err
}

func (p *printer) memory(r *Report) {
	if r.Design == nil {
		p.line("memory", "peak %s", size(r.Memory.Peak))
		return
	}
	p.line("memory", "design %s (%.1f B a gate, %.1f B a pin, %.1f B an arc, %.1f B a name), waves %s%s, peak %s",
		size(r.Memory.Design.Gates+r.Memory.Design.Pins+r.Memory.Design.Arcs+r.Memory.Design.Functions+r.Memory.Design.Names+r.Memory.Design.Nets+r.Memory.Design.Positions),
		r.Memory.PerGate, r.Memory.PerPin, r.Memory.PerArc, r.Memory.PerName, size(r.Memory.Waves), perEvent(r), size(r.Memory.Peak))
}

// messages counts the diagnostics by code. Notes are shown nowhere else, so their cause is told.
func (p *printer) messages(r *Report) {
	var ds []string
	for _, t := range r.Diagnostics {
		s := fmt.Sprintf("%d %s %s", t.N, plural(t.N, t.Severity.String()), t.Code)
		if t.Severity == diag.Note {
			s += ": " + strings.TrimSuffix(diag.Lookup(t.Code).Cause, ".")
		}
		ds = append(ds, s)
	}
	p.list("messages", ds, "none")
}

func plural(n int64, word string) string {
	if n == 1 {
		return word
	}
	return word + "s"
}

type printer struct {
	w   io.Writer
	err error
}

func (p *printer) printf(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format, args...)
	}
}

func (p *printer) line(label, format string, args ...any) {
	p.printf("%-10s %s\n", label, fmt.Sprintf(format, args...))
}

func (p *printer) list(label string, items []string, none string) {
	if len(items) == 0 {
		p.line(label, "%s", none)
	}
	for _, it := range items {
		p.line(label, "%s", it)
		label = ""
	}
}

func (p *printer) files(r *Report) {
	p.line("wattd", "%s: %s; tick %s, corner %s%s", r.Version, r.Status, r.Tick, r.Corner, prefixed(", engine ", r.Engine))
	var fs []string
	for _, f := range r.Files {
		fs = append(fs, fmt.Sprintf("%-8s %s  %s, blake3 %.16s", f.Role, f.Path, size(f.Bytes), f.Hash))
	}
	p.list("read", fs, "nothing")
}

func prefixed(a, b string) string {
	if b == "" {
		return ""
	}
	return a + b
}

func (p *printer) design(r *Report) {
	d := r.Design
	p.line("design", "%s: %d instances in %d %s, %d nets, %d gates (%d with state) on %d levels, %d pins, %d arcs",
		d.Top, d.Instances, d.Scopes, plural(int64(d.Scopes), "scope"), d.Nets, d.Gates, d.StateGates, d.Levels, d.Pins, d.Arcs)
	p.line("nets", "%s", counts(d.Classes, 20))
	if d.MergedDrivers > 0 {
		p.line("", "%d parallel drivers count as one with another", d.MergedDrivers)
	}
	if d.OpenPins > 0 {
		p.line("", "%d open input pins read 0", d.OpenPins)
	}
	if len(d.BlackBoxes) > 0 {
		p.line("black box", "%s", counts(d.BlackBoxes, 10))
	}
	if len(d.Loops) > 0 {
		p.line("loops", "cut at %s", strings.Join(d.Loops[:min(10, len(d.Loops))], ", "))
	}
}

func counts(cs []design.Count, most int) string {
	var s []string
	for i, c := range cs {
		if i == most {
			s = append(s, fmt.Sprintf("%d more", len(cs)-most))
			break
		}
		s = append(s, fmt.Sprintf("%d %s", c.N, c.Name))
	}
	return strings.Join(s, ", ")
}

func (p *printer) delays(d *Delays) {
	p.line("delays", "%d of %d arcs annotated (%.2f %%), %d of %d sink pins have a wire delay", d.Annotated, d.Arcs, d.Percent, d.WiresDelayed, d.Wires)
	if len(d.Unannotated) > 0 {
		p.line("", "without delay, so 0: %s", counts(d.Unannotated, 10))
	}
	if len(d.Zero) > 0 {
		p.line("", "IOPATH values that are 0: %s", counts(d.Zero, 10))
	}
	if d.CellsUnbound+d.StatementsUnused > 0 {
		p.line("", "of the SDF, %d CELL entries and %d statements found no place", d.CellsUnbound, d.StatementsUnused)
	}
	if d.Negative+d.RoundedToZero+d.Inexact > 0 {
		p.line("", "%d negative (0), %d rounded to 0, %d not whole ticks", d.Negative, d.RoundedToZero, d.Inexact)
	}
}

func (p *printer) coverage(c *Coverage) {
	p.line("stimulus", "scope %s, launch %s; %.2f %% of the sources have values", or(c.Scope, "(root)"), c.Launch, c.Percent)
	for _, k := range c.Classes {
		s := fmt.Sprintf("%s: %d of %d", k.Class, k.Stimulus, k.Total)
		if k.Complement > 0 {
			s += fmt.Sprintf(", %d from the complement", k.Complement)
		}
		if k.Held > 0 {
			s += fmt.Sprintf(", %d held at 0", k.Held)
		}
		if k.Toggled > 0 {
			s += fmt.Sprintf(", %d toggled", k.Toggled)
		}
		p.line("", "%s", s)
	}
	if c.Unknown > 0 {
		p.line("", "%d sources unknown for a time (%.3f %% of all source time)", c.Unknown, c.UnknownPct)
	}
	if c.Collapsed > 0 {
		p.line("", "%d changes overwritten within their tick", c.Collapsed)
	}
	if c.Loose > 0 {
		p.line("", "%d sources bound by a loose rule (wattd names explain NAME)", c.Loose)
	}
}

func (p *printer) run(r *Report) {
	x := r.Run
	p.line("run", "%s (%s, %d ticks) in %d %s; %d events (%d of sources), %s simulated events/s", x.Span, x.Duration, x.To-x.From-x.Excluded, x.Windows, plural(int64(x.Windows), "window"), x.Events, x.SourceEvents, rate(x.EventsPerSec))
	p.line("", "pulses filtered: %d at gates, %d at wires; races: %d; error pulses: %d; evaluations without arc: %d", x.Filtered, x.WireFiltered, x.Races, x.ErrorPulses, x.Unannotated)
	if x.Excluded > 0 {
		p.line("", "%d ticks of gaps in the dump are excluded", x.Excluded)
	}
	if x.Defaulted > 0 {
		p.line("", "%d state bits started at 0 for want of a value", x.Defaulted)
	}
	if x.Functional != nil {
		pct := 0.0
		if d := *x.Functional + *x.Glitch; d > 0 {
			pct = 100 * float64(*x.Glitch) / float64(d)
		}
		p.line("activity", "%d toggles: %d in the clock network, %d functional, %d glitches (%.1f %% of the data toggles)", x.Toggles, x.ClockToggles, *x.Functional, *x.Glitch, pct)
	} else {
		p.line("activity", "%d toggles; not split into functional and glitch: %s", x.Toggles, x.NoSplit)
	}
	if len(x.Clocks) > 0 {
		p.line("clocks", "%s", strings.Join(x.Clocks[:min(8, len(x.Clocks))], ", "))
	}
}

func (p *printer) phases(r *Report) {
	if len(r.Phases) == 0 {
		return
	}
	var s []string
	for _, f := range r.Phases {
		t := fmt.Sprintf("%s %.3f s", f.Name, f.Secs)
		if f.Bytes > 0 && f.Secs > 0 {
			t += fmt.Sprintf(" (%.0f MB/s)", float64(f.Bytes)/1e6/f.Secs)
		}
		s = append(s, t)
	}
	p.line("time", "%s", strings.Join(s, ", "))
}

func perEvent(r *Report) string {
	if r.Memory.PerEvent == 0 {
		return ""
	}
	return fmt.Sprintf(" (%.1f B an event)", r.Memory.PerEvent)
}

// top draws the glitchiest nets.
func (p *printer) top(nets []TopNet) {
	t := table.NewWriter()
	style := table.StyleLight
	style.Format.Header = text.FormatDefault
	t.SetStyle(style)
	t.AppendHeader(table.Row{"glitchiest nets", "toggles", "glitches", "", "driver"})
	most := max(nets[0].Glitch, 1)
	for _, n := range nets {
		driver := n.Driver
		if n.Cell != "" {
			driver += " (" + n.Cell + ")"
		}
		t.AppendRow(table.Row{n.Net, n.TC, n.Glitch, strings.Repeat("█", int(1+19*n.Glitch/most)), driver})
	}
	p.printf("%s\n", t.Render())
}

// rate prints a number of things a second.
func rate(n float64) string {
	switch {
	case n >= 1e6:
		return fmt.Sprintf("%.1f M", n/1e6)
	case n >= 1e3:
		return fmt.Sprintf("%.1f k", n/1e3)
	}
	return fmt.Sprintf("%.0f", n)
}

// size prints bytes.
func size(n int64) string {
	switch {
	case n >= 1<<30:
		return fmt.Sprintf("%.2f GB", float64(n)/(1<<30))
	case n >= 1<<20:
		return fmt.Sprintf("%.1f MB", float64(n)/(1<<20))
	case n >= 1<<10:
		return fmt.Sprintf("%.1f KB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%d B", n)
}
