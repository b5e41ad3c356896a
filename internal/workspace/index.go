package workspace

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/wattd/wattd/internal/names"
	"github.com/wattd/wattd/internal/netlist"
	"github.com/wattd/wattd/internal/project"
)

// memo holds what is derived from a snapshot on demand.
type memo struct {
	index *index
	line  *line

	report     sync.Once
	reportMade *project.Report

	mu     sync.Mutex
	counts *intervalCounts // of the interval asked for last
}

func newMemo(s *project.Session, before *Snapshot) *memo {
	m := &memo{}
	if before != nil && before.Session.Netlist == s.Netlist {
		m.index = before.memo.index
	} else {
		m.index = &index{nl: s.Netlist}
	}
	if m.line = new(line); before != nil {
		m.line = before.memo.line
	}
	return m
}

// line is what snapshots have in common of which each continues the one before: the same net has the same number in all.
type line struct{ _ byte } // of a size, so that two have two addresses

// Report says what the snapshot rests on and what came out.
func (s *Snapshot) Report() *project.Report {
	s.memo.report.Do(func() { s.memo.reportMade = s.Session.Report("") })
	return s.memo.reportMade
}

// index finds the nets of a netlist by name. Snapshots of the same netlist share it.
type index struct {
	nl *netlist.Netlist

	sort sync.Once
	nets []int32 // with a name of their own, by printed name
	rank []int32 // by net: place in nets, -1 for those without

	mu       sync.Mutex // of resolver, which serves one goroutine at a time
	resolver *names.Resolver
}

func (x *index) sorted() *index {
	x.sort.Do(func() {
		type row struct {
			net  int32
			name string
		}
		t := x.nl.PrintNames()
		rows := make([]row, 0, len(x.nl.Nets))
		for n := int32(2); int(n) < len(x.nl.Nets); n++ {
			if x.nl.Nets[n].Flags&netlist.NetHidden == 0 {
				rows = append(rows, row{n, t.String(n)})
			}
		}
		slices.SortFunc(rows, func(a, b row) int { return strings.Compare(a.name, b.name) })
		x.nets, x.rank = make([]int32, len(rows)), make([]int32, len(x.nl.Nets))
		for i := range x.rank {
			x.rank[i] = -1
		}
		for i, r := range rows {
			x.nets[i], x.rank[r.net] = r.net, int32(i)
		}
	})
	return x
}

// with calls f with the resolver.
func (x *index) with(f func(r *names.Resolver)) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.resolver == nil {
		x.resolver = names.New(x.nl, names.Options{})
	}
	f(x.resolver)
}

// NameError says that a name means nothing, or several things.
type NameError struct {
	Kind, Name string
	Ambiguous  bool
	Candidates []string
}

func (e *NameError) Error() string {
	if e.Ambiguous {
		return fmt.Sprintf("several %ss have the name %q", e.Kind, e.Name)
	}
	return fmt.Sprintf("no %s has the name %q", e.Kind, e.Name)
}

// PatternError says that a regular expression is none.
type PatternError struct {
	Pattern string
	Err     error
}

func (e *PatternError) Error() string { return fmt.Sprintf("%q: %v", e.Pattern, e.Err) }

// Selection chooses objects by name: names in any spelling, globs in which * and ? also stand for a slash, or regular expressions over
// whole names. No names: all.
type Selection struct {
	Names  []string
	Regexp bool
	Scope  string // only objects at or below this instance
}

// All says that nothing is left out.
func (c *Selection) All() bool { return len(c.Names) == 0 && c.Scope == "" }

// Compare orders nets by name.
func (s *Snapshot) Compare(a, b int32) int {
	r := s.memo.index.sorted().rank
	return cmp.Or(cmp.Compare(r[a], r[b]), cmp.Compare(a, b))
}

// Nets returns the nets chosen, by name, each once. A name or glob that means none is a *NameError.
func (s *Snapshot) Nets(ctx context.Context, c Selection) ([]int32, error) {
	x := s.memo.index.sorted()
	in, err := x.within(c.Scope)
	if err != nil {
		return nil, err
	}
	if len(c.Names) == 0 {
		if in == nil {
			return x.nets, nil
		}
		return slices.DeleteFunc(slices.Clone(x.nets), func(n int32) bool { return !in[x.nl.Nets[n].Scope] }), nil
	}
	hit := map[int32]bool{}
	for _, name := range c.Names {
		m, err := matcher(name, c.Regexp)
		if err != nil {
			return nil, err
		}
		n, b := None, names.Binding{}
		if !c.Regexp {
			n, b = x.net(name)
		}
		found := n >= 0 && (in == nil || in[x.nl.Nets[n].Scope])
		switch {
		case found:
			hit[n] = true
		case n < 0 && m != nil:
			if found, err = x.match(ctx, m, in, hit); err != nil {
				return nil, err
			}
		}
		if !found { // one that means nothing is more likely a mistake than a wish
			return nil, &NameError{"net", name, b.Ambiguous, b.Candidates}
		}
	}
	out := make([]int32, 0, len(hit))
	for n := range hit {
		out = append(out, n)
	}
	slices.SortFunc(out, s.Compare)
	return out, nil
}

// match adds the nets whose printed names match.
func (x *index) match(ctx context.Context, m func([]byte) bool, in []bool, hit map[int32]bool) (found bool, err error) {
	t := x.nl.PrintNames()
	var buf []byte
	for i, n := range x.nets {
		if i&4095 == 0 && ctx.Err() != nil {
			return false, ctx.Err()
		}
		if in != nil && !in[x.nl.Nets[n].Scope] {
			continue
		}
		if buf = t.Append(buf[:0], n); m(buf) {
			hit[n], found = true, true
		}
	}
	return found, nil
}

// None marks an absent object.
const None = int32(-1)

// net resolves the name of one net.
func (x *index) net(name string) (n int32, b names.Binding) {
	x.with(func(r *names.Resolver) {
		n, b = r.Net(names.Spelling{Format: names.Plain}, []byte(name))
		if b.Rule == names.Unbound && !b.Ambiguous {
			if v, vb := r.Net(names.Spelling{Format: names.Verilog}, []byte(name)); vb.Rule != names.Unbound || vb.Ambiguous {
				n, b = v, vb
			}
		}
		if b.Rule == names.Unbound {
			n = None
			if !b.Ambiguous && len(b.Candidates) == 0 {
				b.Candidates = r.Explain(name).Candidates
			}
		}
	})
	return n, b
}

// Net resolves the name of one net; rule says by which rule.
func (s *Snapshot) Net(name string) (net int32, rule string, err error) {
	n, b := s.memo.index.net(name)
	if n < 0 {
		return None, "", &NameError{"net", name, b.Ambiguous, b.Candidates}
	}
	return n, b.Rule.String(), nil
}

// within tells the scopes at or below an instance, nil for all.
func (x *index) within(scope string) ([]bool, error) {
	if scope == "" {
		return nil, nil
	}
	root, b := None, names.Binding{}
	x.with(func(r *names.Resolver) {
		for _, f := range []names.Format{names.Plain, names.Verilog} {
			if root, b = r.Scope(names.Spelling{Format: f}, []byte(scope)); b.Rule != names.Unbound {
				return
			}
		}
	})
	if b.Rule == names.Unbound {
		if scope == x.nl.Names.String(x.nl.Scopes[0].Name) {
			return nil, nil
		}
		return nil, &NameError{"scope", scope, b.Ambiguous, b.Candidates}
	}
	in := make([]bool, len(x.nl.Scopes))
	for i := range x.nl.Scopes {
		p := x.nl.Scopes[i].Parent
		in[i] = int32(i) == root || p >= 0 && in[p]
	}
	return in, nil
}

// matcher makes the test of a pattern, nil for a plain name.
func matcher(name string, re bool) (func([]byte) bool, error) {
	switch {
	case re:
		x, err := regexp.Compile("^(?:" + name + ")$")
		if err != nil {
			return nil, &PatternError{name, err}
		}
		return x.Match, nil
	case !strings.ContainsAny(name, "*?"):
		return nil, nil
	}
	return func(b []byte) bool { return glob(name, b) }, nil
}

// glob matches * with any bytes and ? with one.
func glob(p string, s []byte) bool {
	i, j, star, mark := 0, 0, -1, 0
	for j < len(s) {
		switch {
		case i < len(p) && p[i] == '*':
			star, mark = i, j
			i++
		case i < len(p) && (p[i] == '?' || p[i] == s[j]):
			i++
			j++
		case star >= 0:
			mark++
			i, j = star+1, mark
		default:
			return false
		}
	}
	for i < len(p) && p[i] == '*' {
		i++
	}
	return i == len(p)
}
