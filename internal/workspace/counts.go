package workspace

import (
	"context"
	"slices"
	"weak"

	"github.com/wattd/wattd/internal/activity"
	"github.com/wattd/wattd/internal/design"
	"github.com/wattd/wattd/internal/project"
)

// intervalCounts are the counts of a part of the run.
type intervalCounts struct {
	from, to int64
	table    *activity.Table
	cut      bool
}

// CountsOf counts a part of the run; nil when nothing of the run lies in it. cut tells that pulses that gates removed are not counted
// in all of it. The table of the last part asked for is kept.
func (s *Snapshot) CountsOf(ctx context.Context, from, to int64) (t *activity.Table, cut bool, err error) {
	m := s.memo
	m.mu.Lock()
	defer m.mu.Unlock()
	if c := m.counts; c != nil && c.from == from && c.to == to {
		return c.table, c.cut, nil
	}
	if t, cut, err = s.Session.CountInterval(ctx, from, to); err != nil {
		return nil, false, err
	}
	m.counts = &intervalCounts{from, to, t, cut}
	return t, cut, nil
}

// End is the end of the run in ticks.
func (s *Snapshot) End() int64 { return s.Session.Stim.End() }

// StimulusName is the name of the stimulus, "" when there is none.
func (s *Snapshot) StimulusName() string {
	if s.Session.Stim == nil {
		return ""
	}
	return Stimulus{Path: s.Session.Config.Stim}.Name()
}

// Changed says whether a file of the snapshot now has another content.
func (s *Snapshot) Changed(ctx context.Context, path string) bool {
	for i := range s.Session.Files {
		if f := &s.Session.Files[i]; f.Path == path {
			one := project.Session{Files: []project.FileInfo{{Path: f.Path, Hash: f.Hash}}} // by content; the stamp is of whoever builds
			return !one.Fresh(ctx)
		}
	}
	return false
}

// Cause lists the files whose content differs from those of an earlier snapshot, and those that were added.
func (s *Snapshot) Cause(before *Snapshot) (paths []string) {
	was := map[string]string{}
	for i := range before.Session.Files {
		was[before.Session.Files[i].Path] = before.Session.Files[i].Hash
	}
	for i := range s.Session.Files {
		if f := &s.Session.Files[i]; was[f.Path] != f.Hash && !slices.Contains(paths, f.Path) {
			paths = append(paths, f.Path)
		}
	}
	if len(paths) == 0 && s.Session.Config.Stim == before.Session.Config.Stim {
		return []string{"edit"}
	}
	return paths
}

// Delta counts what differs between designs.
type Delta struct {
	GatesAdded, GatesRemoved, Functions, Inputs, Delays, SourceWaves int64
}

// Delta compares with an earlier snapshot of the same project.
func (s *Snapshot) Delta(before *Snapshot) Delta {
	if s.Session.Design == before.Session.Design {
		return Delta{}
	}
	m := s.memo
	m.mu.Lock()
	defer m.mu.Unlock()
	if from := weak.Make(before.Session.Design); m.delta.from != from {
		d := design.Diff(before.Session.Design, s.Session.Design)
		m.delta = delta{from, Delta{
			GatesAdded: int64(d.Added), GatesRemoved: int64(d.Removed), Functions: int64(d.NewFunction), Inputs: int64(d.NewInputs), Delays: int64(d.NewDelays),
		}}
	}
	return m.delta.Delta
}

// delta is the Delta that was asked for last, and from where.
type delta struct {
	from weak.Pointer[design.Design]
	Delta
}

// Totals are sums before and after.
type Totals struct {
	Nets   int64 // that differ in any count
	TC     [2]int64
	Glitch [2]int64
	Split  bool // both have glitches
}

// Totals compares the counts with those of an earlier snapshot of the same project; false when one of them has none.
func (s *Snapshot) Totals(before *Snapshot) (t Totals, ok bool) {
	a, b := before.Session.Table, s.Session.Table
	if a == nil || b == nil {
		return t, false
	}
	t.Split = a.Split && b.Split
	for i, x := range []*activity.Table{a, b} {
		for n := range x.Nets {
			t.TC[i] += x.Nets[n].TC
			t.Glitch[i] += x.Nets[n].Glitch
		}
	}
	for n := range max(len(a.Nets), len(b.Nets)) {
		var x, y activity.Net
		if n < len(a.Nets) {
			x = a.Nets[n]
		}
		if n < len(b.Nets) {
			y = b.Nets[n]
		}
		if x != y {
			t.Nets++
		}
	}
	return t, true
}
