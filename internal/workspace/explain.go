package workspace

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/wattd/wattd/internal/names"
	"github.com/wattd/wattd/internal/project"
)

// Kinds are the kinds of objects that have names.
var Kinds = []string{"net", "instance", "scope", "pin"}

// Object is one of them.
type Object struct {
	Name, Kind string
	Rule       string // by which it was found
	File       string
	Line       int

	id int32 // number of the instance or scope
}

// Objects returns the objects of a kind that a selection means, by name. Pins are named one by one.
func (s *Snapshot) Objects(ctx context.Context, kind string, c Selection) ([]Object, error) {
	if kind != "net" {
		return s.others(ctx, kind, c)
	}
	nets, err := s.Nets(ctx, c)
	if err != nil {
		return nil, err
	}
	rules := map[int32]string{}
	if !c.Regexp {
		for _, name := range c.Names {
			if n, rule, err := s.Net(name); err == nil {
				rules[n] = rule
			}
		}
	}
	out := make([]Object, 0, len(nets))
	for _, n := range nets {
		o := Object{Name: s.NetName(n), Kind: "net", Rule: rules[n]}
		if o.Rule == "" {
			o.Rule = "pattern"
		}
		o.File, o.Line = s.NetPlace(n)
		out = append(out, o)
	}
	return out, nil
}

// others finds instances, scopes and pins.
func (s *Snapshot) others(ctx context.Context, kind string, c Selection) (out []Object, err error) {
	x := s.memo.index
	in, err := x.within(c.Scope)
	if err != nil {
		return nil, err
	}
	all := []Object{}
	nl := x.nl
	switch kind {
	case "instance":
		for i := range nl.Insts {
			if !nl.IsHoleInst(int32(i)) && (in == nil || in[nl.Insts[i].Scope]) {
				o := Object{Name: nl.InstPath(int32(i), '/'), Kind: kind, Rule: "pattern", id: int32(i)}
				o.File, o.Line = s.place(nl.Insts[i].Pos)
				all = append(all, o)
			}
		}
	case "scope":
		for i := 1; i < len(nl.Scopes); i++ {
			if in == nil || in[i] {
				o := Object{Name: string(nl.AppendScopePath(nil, int32(i), '/')), Kind: kind, Rule: "pattern", id: int32(i)}
				o.File, o.Line = s.place(nl.Scopes[i].Pos)
				all = append(all, o)
			}
		}
	default:
		if len(c.Names) == 0 || c.Regexp {
			return nil, &PatternError{"", errPins}
		}
	}
	slices.SortFunc(all, func(a, b Object) int { return strings.Compare(a.Name, b.Name) })
	if len(c.Names) == 0 {
		return s.spelled(all), nil
	}
	hit := map[string]Object{}
	for _, name := range c.Names {
		found := false
		m, err := matcher(name, c.Regexp)
		if err != nil {
			return nil, err
		}
		var e names.Explanation
		if !c.Regexp {
			x.with(func(r *names.Resolver) { e = r.Explain(name) })
			for _, f := range e.Findings {
				if f.Kind != kind {
					continue
				}
				o := Object{Name: f.Name, Kind: kind, Rule: f.Rule.String()}
				if i, ok := slices.BinarySearchFunc(all, f.Name, func(o Object, n string) int { return strings.Compare(o.Name, n) }); ok {
					o.File, o.Line, o.id = all[i].File, all[i].Line, all[i].id
				} else if kind != "pin" {
					continue // outside of the scope
				}
				hit[o.Name], found = o, true
			}
		}
		for i := 0; m != nil && !found && i < len(all); i++ {
			if i&4095 == 0 && ctx.Err() != nil {
				return nil, ctx.Err()
			}
			if m([]byte(all[i].Name)) {
				hit[all[i].Name] = all[i]
			}
		}
		for _, o := range hit {
			found = found || m != nil && m([]byte(o.Name))
		}
		if !found {
			return nil, &NameError{kind, name, e.Ambiguous, e.Candidates}
		}
	}
	for _, o := range hit {
		out = append(out, o)
	}
	slices.SortFunc(out, func(a, b Object) int { return strings.Compare(a.Name, b.Name) })
	return s.spelled(out), nil
}

// spelled puts the names of objects in the style of the snapshot.
func (s *Snapshot) spelled(all []Object) []Object {
	if s.style == Verilog {
		return all
	}
	for i := range all {
		o := &all[i]
		switch o.Kind {
		case "instance":
			o.Name = s.InstName(o.id)
		case "scope":
			o.Name = s.scopeName(o.id)
		case "net":
			if n, _, err := s.Net(o.Name); err == nil {
				o.Name = s.NetName(n)
			}
		case "pin":
			s.memo.index.with(func(r *names.Resolver) {
				if p, b := r.Pin(names.Spelling{Format: names.Plain}, []byte(o.Name)); b.Rule != names.Unbound && p.Inst >= 0 {
					o.Name = s.InstName(p.Inst) + "/" + s.Session.Netlist.InstPinName(p.Inst, p.Pin)
				}
			})
		}
	}
	return all
}

type patternFault string

func (e patternFault) Error() string { return string(e) }

const errPins = patternFault("pins are asked for by name, not by pattern")

// Said is a statement of a file about an object.
type Said struct {
	File string
	Line int
	Text string
}

// Explanation tells what a name means.
type Explanation struct {
	Findings   []Object
	Ambiguous  bool
	Candidates []string
	Also       []string // other names of the net
	Class      string   // of the net
	Said       []Said
}

// placed is a line of an explanation that begins with a place in a file.
var placed = regexp.MustCompile(`^(.+?):(\d+):(\d+): (.*)$`)

// Explain tells what a name means, in the netlist and in each file.
func (s *Snapshot) Explain(ctx context.Context, name string) (x Explanation, err error) {
	var e names.Explanation
	s.memo.index.with(func(r *names.Resolver) { e = r.Explain(name) })
	x.Ambiguous, x.Candidates = e.Ambiguous, e.Candidates
	nl := s.Session.Netlist
	for _, f := range e.Findings {
		o := Object{Name: f.Name, Kind: f.Kind, Rule: f.Rule.String()}
		if n, _, err := s.Net(f.Name); f.Kind == "net" && err == nil {
			o.File, o.Line = s.NetPlace(n)
			x.Class = s.Session.Design.NetClass[n].String()
			for r := range nl.Aliases(n) {
				if nl.RefPath(r, '/') != nl.NetName(n) {
					x.Also = append(x.Also, s.refName(r))
				}
			}
		}
		x.Findings = append(x.Findings, o)
	}
	if len(x.Findings) == 0 {
		return x, nil
	}
	x.Findings = s.spelled(x.Findings)
	var text strings.Builder
	if _, err := s.Session.ExplainAside(ctx, name, &text); err != nil {
		return x, err
	}
	for line := range strings.Lines(text.String()) {
		label, rest, _ := strings.Cut(line, " ")
		switch rest = strings.TrimSpace(rest); label {
		case "netlist", "stimulus", "sdf", "":
		default:
			continue // what the findings say
		}
		said := Said{Text: rest}
		if m := placed.FindStringSubmatch(rest); m != nil && label == "sdf" {
			said.File, said.Text = m[1], m[4]
			said.Line, _ = strconv.Atoi(m[2])
		} else if label == "stimulus" {
			said.File = s.Session.Config.Stim
		}
		x.Said = append(x.Said, said)
	}
	return x, nil
}

// UnboundName is a name of a file that the design does not have.
type UnboundName = project.UnboundName

// MapNames tells by which rules the names of a file were bound, and which are left over. The answer for the last file is kept.
func (s *Snapshot) MapNames(ctx context.Context, path string) (rules map[string]int64, unbound []UnboundName, err error) {
	m := s.memo
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.names == nil || m.mapped != path {
		if s.Changed(ctx, path) {
			return nil, nil, fmt.Errorf("%w: %s has changed since", ErrGone, path)
		}
		n, err := s.Session.MapNames(ctx, path)
		if errors.Is(err, project.ErrReread) {
			err = &FileError{Path: path, Err: err}
		}
		if err != nil {
			return nil, nil, err
		}
		m.names, m.mapped = n, path
	}
	return m.names.Rules, m.names.Unbound, nil
}

// Closest lists names of the design that are near to a name that means nothing.
func (s *Snapshot) Closest(name string) (candidates []string) {
	s.memo.index.with(func(r *names.Resolver) { candidates = r.Explain(name).Candidates })
	return candidates
}
