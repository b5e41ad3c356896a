package edittest

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/wattd/wattd/internal/activity"
	"github.com/wattd/wattd/internal/diag"
	"github.com/wattd/wattd/internal/netlist"
	"github.com/wattd/wattd/internal/project"
)

// Cold takes the files of a folder through a session of its own. The bag has the errors when the session failed.
func Cold(ctx context.Context, config string) (*project.Session, *diag.Bag, error) {
	bag := &diag.Bag{}
	c, err := project.LoadConfig(config, bag)
	if err != nil || bag.Errors() > 0 {
		return nil, bag, err
	}
	s, err := project.NewSession(*c, bag, nil)
	if err != nil {
		return nil, bag, err
	}
	s.KeepState()
	for _, step := range []func(context.Context) error{s.Compile, s.Bind, s.Simulate} {
		if err := step(ctx); err != nil {
			return nil, bag, err
		}
	}
	return s, bag, nil
}

// nets numbers the nets that have a name of their own.
func nets(s *project.Session) map[string]int32 {
	t := s.Netlist.PrintNames()
	m := make(map[string]int32, len(s.Netlist.Nets))
	for n := int32(2); int(n) < len(s.Netlist.Nets); n++ {
		if s.Netlist.Nets[n].Flags&netlist.NetHidden == 0 {
			m[t.String(n)] = n
		}
	}
	return m
}

// Equal says where a session differs from a cold one of the same files in anything that a user can see; "" when nowhere.
func Equal(got, want *project.Session) string {
	a, b := nets(got), nets(want)
	for _, name := range sortedKeys(a) {
		if _, ok := b[name]; !ok {
			return fmt.Sprintf("net %s should not be there", name)
		}
	}
	for _, name := range sortedKeys(b) {
		n, ok := a[name]
		if !ok {
			return fmt.Sprintf("net %s is missing", name)
		}
		if d := sameNet(got, want, n, b[name]); d != "" {
			return fmt.Sprintf("net %s: %s", name, d)
		}
	}
	if d := sameTable(got.Table, want.Table); d != "" {
		return d
	}
	if d := sameMessages(got.Bag, want.Bag); d != "" {
		return d
	}
	return sameReport(got, want)
}

func sameNet(got, want *project.Session, n, m int32) string {
	if x, y := got.Table.Nets[n], want.Table.Nets[m]; x != y {
		return fmt.Sprintf("counts %+v, cold %+v", x, y)
	}
	if x, y := got.Design.NetClass[n], want.Design.NetClass[m]; x != y {
		return fmt.Sprintf("class %s, cold %s", x, y)
	}
	if x, y := got.Table.Clocks.Network[n], want.Table.Clocks.Network[m]; x != y {
		return fmt.Sprintf("in a clock network: %v, cold %v", x, y)
	}
	if x, y := driver(got, n), driver(want, m); x != y {
		return fmt.Sprintf("driver %s, cold %s", x, y)
	}
	x, y := got.Result.Waves, want.Result.Waves
	if x.StartValue(n) != y.StartValue(m) {
		return fmt.Sprintf("starts at %v, cold %v", x.StartValue(n), y.StartValue(m))
	}
	var tx, ty []int64
	x.Each(n, func(t int64, _ bool) { tx = append(tx, t) })
	y.Each(m, func(t int64, _ bool) { ty = append(ty, t) })
	if !slices.Equal(tx, ty) {
		return fmt.Sprintf("events %v, cold %v", tx, ty)
	}
	return ""
}

func driver(s *project.Session, n int32) string {
	g := s.Design.NetGate[n]
	if g < 0 {
		return ""
	}
	in := s.Design.Gates[g].Inst
	if in < 0 {
		return fmt.Sprint("primitive ", s.Netlist.Prims[^in].Op)
	}
	return s.Netlist.InstPath(in, '/') + " " + s.Netlist.Names.String(s.Netlist.Cells[s.Netlist.Insts[in].Cell].Name)
}

func sameTable(a, b *activity.Table) string {
	x := [5]any{a.From, a.To, a.Excluded, a.Split, a.NoSplit}
	y := [5]any{b.From, b.To, b.Excluded, b.Split, b.NoSplit}
	if x != y {
		return fmt.Sprintf("table %v, cold %v", x, y)
	}
	return ""
}

// expected are codes that differ on purpose: sources that an edit made are told apart from those that always lacked values.
var expected = []diag.Code{diag.StimNew, diag.StimUnmapped}

// sameMessages compares codes, counts and, as far as all are kept, messages with their places. Their order, and which are kept of
// many, follows the numbers of nets, which an edit does not move.
func sameMessages(a, b *diag.Bag) string {
	list := func(b *diag.Bag) (s []string) {
		for _, t := range b.Totals() {
			if slices.Contains(expected, t.Code) {
				continue
			}
			s = append(s, fmt.Sprintf("%s: %d", t.Code, t.N))
			kept := b.Kept(t.Code)
			if len(kept) >= diag.Keep {
				continue
			}
			var lines []string
			for _, d := range kept {
				lines = append(lines, fmt.Sprintf("  %s %s: %s (%d)", t.Code, d.Pos, d.Msg, d.N))
			}
			slices.Sort(lines)
			s = append(s, lines...)
		}
		return s
	}
	return sameLines("messages", list(a), list(b))
}

// SameErrors compares what is said of wrong inputs.
func SameErrors(got, want *diag.Bag) string {
	if got.Errors() == 0 || want.Errors() == 0 {
		return fmt.Sprintf("%d errors, cold %d", got.Errors(), want.Errors())
	}
	return sameMessages(got, want)
}

func sameLines(what string, a, b []string) string {
	for i := range max(len(a), len(b)) {
		x, y := "nothing", "nothing"
		if i < len(a) {
			x = a[i]
		}
		if i < len(b) {
			y = b[i]
		}
		if x != y {
			return fmt.Sprintf("%s: %s, cold %s", what, x, y)
		}
	}
	return ""
}

// sameReport compares the reports but for times, memory, and what sources made by an edit are called.
func sameReport(got, want *project.Session) string {
	lines := func(s *project.Session) []string {
		r := *s.Report("")
		r.Phases, r.Memory, r.Messages, r.Diagnostics = nil, project.Memory{}, nil, nil
		r.Files = slices.Clone(r.Files)
		slices.SortFunc(r.Files, func(a, b project.FileInfo) int { return strings.Compare(a.Role+a.Path, b.Role+b.Path) })
		if r.Run != nil {
			x := *r.Run
			x.EventsPerSec = 0
			r.Run = &x
		}
		if r.Coverage != nil {
			x := *r.Coverage
			x.Missing = nil
			r.Coverage = &x
		}
		b, err := json.MarshalIndent(r, "", " ")
		if err != nil {
			return []string{err.Error()}
		}
		return strings.Split(string(b), "\n")
	}
	return sameLines("report", lines(got), lines(want))
}

// SameOutputs compares files that are written from two sessions, and the counts of a part of the run.
func SameOutputs(ctx context.Context, dir string, got, want *project.Session, from, to int64) string {
	for _, x := range []project.Export{{Form: "counts", All: true}, {Form: "saif", All: true}, {Form: "vcd", All: true}} {
		var text [2]string // or the error, which must be the same too
		for i, s := range []*project.Session{got, want} {
			path := filepath.Join(dir, "out."+x.Form)
			if _, err := s.WriteFile(ctx, path, x); err != nil {
				text[i] = err.Error()
				continue
			}
			b, err := os.ReadFile(path)
			if err != nil {
				return err.Error()
			}
			text[i] = string(b)
		}
		if text[0] != text[1] {
			if d := sameLines(x.Form, strings.Split(text[0], "\n"), strings.Split(text[1], "\n")); d != "" {
				return d
			}
		}
	}
	a, cutA, errA := got.CountInterval(ctx, from, to)
	b, cutB, errB := want.CountInterval(ctx, from, to)
	if (errA == nil) != (errB == nil) || cutA != cutB || (a == nil) != (b == nil) {
		return fmt.Sprintf("part of the run: %v %v, cold %v %v", cutA, errA, cutB, errB)
	}
	if errA != nil || a == nil {
		return ""
	}
	m := nets(want)
	x := nets(got)
	for _, name := range sortedKeys(m) {
		if p, q := a.Nets[x[name]], b.Nets[m[name]]; p != q {
			return fmt.Sprintf("part of the run, net %s: %+v, cold %+v", name, p, q)
		}
	}
	return ""
}

// Digest is what a reader of a session sees of its nets, to be compared later with what the same reader sees then.
func Digest(s *project.Session) string {
	m := nets(s)
	var b strings.Builder
	for _, name := range sortedKeys(m) {
		n := m[name]
		fmt.Fprintf(&b, "%s %+v %v %s\n", name, s.Table.Nets[n], s.Result.Waves.Count(n), driver(s, n))
	}
	return b.String()
}
