package project

import (
	"bytes"
	"context"
	"os"
	"slices"

	"github.com/wattd/wattd/internal/design"
	"github.com/wattd/wattd/internal/diag"
	"github.com/wattd/wattd/internal/netlist"
	"github.com/wattd/wattd/internal/source"
)

// A stage is a step of a session whose result the session after it takes over when the step would come out the same: same
// choices, same result of the step before, and files of the same content. Its messages are replayed.
type stage struct {
	choices string
	above   *stage
	files   []FileInfo
	bag     *diag.Bag
}

// Work counts what a session did beyond taking over what the one before had.
type Work struct {
	BytesParsed   int64 // of files that were read
	GatesCompiled int64
	PairsRun      int64
	PairsTotal    int64
	CutOffs       int64
	RowsCompared  int64
	NewSources    []int32

	Patched int      // steps that were patches of the earlier version
	Whole   []string // why steps were not, of those that could have been

	Reloaded string // what had been let go for want of memory and was made again: "waves", "design", or nothing
}

// Continue makes s the version after prev, which must be complete: steps that would come out the same are not taken again, nets and
// gates keep their numbers, and only what changed is compiled and simulated. Sessions without it do all the work.
func (s *Session) Continue(prev *Session) {
	s.prev = prev
	s.keep = true
}

// KeepState makes the simulation keep what a continuing session needs.
func (s *Session) KeepState() { s.keep = true }

// staged takes a step or takes it over.
func (s *Session) staged(ctx context.Context, name, choices string, above *stage, run func() error, take func(prev *Session)) error {
	if s.stages == nil {
		s.stages = map[string]*stage{}
	}
	if p := s.prev; p != nil {
		if old := p.stages[name]; old != nil && old.choices == choices && old.above == above && unchanged(ctx, old.files) {
			take(p)
			s.stages[name] = old
			s.Files = append(s.Files, old.files...)
			s.Bag.Merge(old.bag)
			return nil
		}
	}
	all, from := s.Bag, len(s.Files)
	s.Bag = &diag.Bag{}
	err := run()
	st := &stage{choices: choices, above: above, files: slices.Clone(s.Files[from:]), bag: s.Bag}
	all.Merge(s.Bag)
	s.Bag = all
	for _, f := range st.files {
		s.Work.BytesParsed += f.parsed
	}
	if err == nil && st.bag.Errors() == 0 {
		s.stages[name] = st
	}
	return err
}

// Fresh says whether every file of the session still has the content that was read.
func (s *Session) Fresh(ctx context.Context) bool { return unchanged(ctx, s.Files) }

// unchanged compares files with what was read: by their stat where that is the same, else by content.
func unchanged(ctx context.Context, files []FileInfo) bool {
	for i := range files {
		f := &files[i]
		if st, ok := stamp(f.Path); ok && st.same(f.stamp) {
			continue
		}
		before, ok := stamp(f.Path)
		if !ok {
			return false
		}
		file, err := source.Open(ctx, f.Path, &diag.Bag{})
		if err != nil {
			return false
		}
		sum, err := file.Sum()
		file.Close()
		if err != nil || hex(sum.Hash[:]) != f.Hash {
			return false
		}
		f.stamp = before // of before it was read: a write in between shows next time
	}
	return true
}

// Missing lists the inputs that are not there now.
func (s *Session) Missing() []string {
	var m []string
	for _, f := range s.Files {
		if _, err := os.Stat(f.Path); err != nil {
			m = append(m, f.Path)
		}
	}
	return m
}

// madeByEdit says of a source whether the first version of the session did not have it; nil for a first version.
func (s *Session) madeByEdit() func(net int32) bool {
	if s.prev == nil || s.prev.first == nil { // none, or one without a stimulus
		s.first = append([]int32{}, s.Design.Sources...)
		return nil
	}
	s.first = s.prev.first
	return func(n int32) bool {
		_, had := slices.BinarySearch(s.first, n)
		return !had
	}
}

// sameSources says whether a stimulus bound to the earlier version fits the later one: it has the same sources and the same nets
// whose start values a dump tells.
func sameSources(old, now *design.Design) bool {
	if !slices.Equal(old.Sources, now.Sources) || len(old.Registers) != len(now.Registers) || len(old.States) != len(now.States) {
		return false
	}
	for _, n := range now.Sources {
		if old.NetClass[n] != now.NetClass[n] {
			return false
		}
	}
	for i := range now.Registers {
		a, b := old.Registers[i], now.Registers[i]
		if a.Net != b.Net || a.Inverted != b.Inverted || a.State != b.State || a.ClockNet != b.ClockNet {
			return false
		}
	}
	named := slices.Clone(now.Sources) // nets whose values a dump tells
	for i := range now.States {
		n := now.Program.GateOut[now.States[i].Gate]
		if old.Program.GateOut[old.States[i].Gate] != n {
			return false
		}
		named = append(named, n)
	}
	for i := range now.Cut {
		named = append(named, now.Cut[i].Net)
	}
	return slices.Equal(old.ClockPins, now.ClockPins) && sameNames(old.Netlist, now.Netlist, named)
}

// sameNames says whether nets have the same names in both, the printed one first: variables of a dump bind to any of them, and what
// was said of a stimulus prints them.
func sameNames(old, now *netlist.Netlist, nets []int32) bool {
	if old == now {
		return true
	}
	var a, b []byte
	same := func(x, y netlist.Ref) bool {
		a, b = old.AppendScopePath(a[:0], x.Scope, '/'), now.AppendScopePath(b[:0], y.Scope, '/')
		return x.Bit == y.Bit && bytes.Equal(a, b) && bytes.Equal(old.Names.Bytes(x.Name), now.Names.Bytes(y.Name))
	}
	for _, n := range nets {
		if int(n) >= len(old.Nets) || int(n) >= len(now.Nets) {
			return false
		}
		x, y := &old.Nets[n], &now.Nets[n]
		if !same(netlist.Ref{Scope: x.Scope, Name: x.Name, Bit: x.Bit}, netlist.Ref{Scope: y.Scope, Name: y.Name, Bit: y.Bit}) {
			return false
		}
		if !old.HasAliases(n) && !now.HasAliases(n) {
			continue
		}
		was, is := slices.Collect(old.Aliases(n)), slices.Collect(now.Aliases(n))
		if !slices.EqualFunc(was, is, same) {
			return false
		}
	}
	return true
}

// Detach lets go of the session that s continued. It is called once s is complete, so that old versions can be freed.
func (s *Session) Detach() { s.prev, s.progress = nil, nil }

// Top is the name of the top module, "" before it is linked.
func (s *Session) Top() string {
	if s.Netlist == nil {
		return s.top
	}
	return s.Netlist.Names.String(s.Netlist.Scopes[0].Module)
}
