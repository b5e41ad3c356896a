package workspace

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

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
	delta  delta
	names  *project.NameMap
	mapped string // file of names
}

// line is what snapshots have in common of which each continues the one before: the same net has the same number in all.
type line struct{ _ byte } // of a size, so that two have two addresses

func newMemo(s *project.Session, before *Snapshot) *memo {
	if before == nil {
		return &memo{index: &index{nl: s.Netlist}, line: new(line)}
	}
	was := before.memo
	if before.Session.Netlist == s.Netlist {
		return &memo{index: was.index, line: was.line}
	}
	m := &memo{index: &index{nl: s.Netlist}, line: was.line}
	if o := was.index.order.Load(); o != nil {
		m.index.like = &nameOrder{nets: o.nets, rank: o.rank}
	}
	return m
}

// Report says what the snapshot rests on and what came out.
func (s *Snapshot) Report() *project.Report {
	s.memo.report.Do(func() { s.memo.reportMade = s.Session.Report("") })
	return s.memo.reportMade
}

// index finds the nets of a netlist by name. Snapshots of the same netlist share it. Each part is made when it is first needed.
type index struct {
	nl   *netlist.Netlist
	like *nameOrder // of the netlist before, when that was sorted: without its netlist

	list sync.Once
	all  []int32 // with a name of their own, ascending

	sort  sync.Once
	order atomic.Pointer[nameOrder]

	pins pinIndex

	mu       sync.Mutex // of resolver, which serves one goroutine at a time
	resolver *names.Resolver
}

// nameOrder is the nets with a name of their own by printed name.
type nameOrder struct {
	nl   *netlist.Netlist
	nets []int32
	rank []int32 // by net: place in nets, -1 for those without
}

// nets lists the nets with a name of their own, ascending.
func (x *index) nets() []int32 {
	x.list.Do(func() {
		x.all = make([]int32, 0, len(x.nl.Nets))
		for n := int32(2); int(n) < len(x.nl.Nets); n++ {
			if !x.nl.IsHidden(n) {
				x.all = append(x.all, n)
			}
		}
	})
	return x.all
}

// named says whether a net has a name of its own.
func (x *index) named(n int32) bool {
	return n >= 2 && int(n) < len(x.nl.Nets) && !x.nl.IsHidden(n)
}

func (x *index) sorted() *nameOrder {
	x.sort.Do(func() {
		nets := x.resorted()
		if nets == nil {
			nets = x.byName(slices.Clone(x.nets()))
		}
		o := &nameOrder{nl: x.nl, nets: nets, rank: make([]int32, len(x.nl.Nets))}
		for i := range o.rank {
			o.rank[i] = -1
		}
		for i, n := range nets {
			o.rank[n] = int32(i)
		}
		x.like = nil
		x.order.Store(o)
	})
	return x.order.Load()
}

// byName sorts nets by their printed names.
func (x *index) byName(nets []int32) []int32 {
	type row struct {
		net        int32
		begin, end int32
	}
	t := x.nl.PrintNames()
	rows := make([]row, len(nets))
	text := make([]byte, 0, 16*len(nets)) // of all names: one allocation instead of one a name
	for i, n := range nets {
		begin := len(text)
		text = t.Append(text, n)
		if len(text) > math.MaxInt32 {
			return x.byNameSlowly(nets)
		}
		rows[i] = row{n, int32(begin), int32(len(text))}
	}
	slices.SortFunc(rows, func(a, b row) int { return bytes.Compare(text[a.begin:a.end], text[b.begin:b.end]) })
	for i, r := range rows {
		nets[i] = r.net
	}
	return nets
}

// byNameSlowly is byName for more text than 2 GiB.
func (x *index) byNameSlowly(nets []int32) []int32 {
	slices.SortFunc(nets, x.compareNames)
	return nets
}

// compareNames orders two nets by their printed names.
func (x *index) compareNames(a, b int32) int {
	t := x.nl.PrintNames()
	var p, q [128]byte
	return bytes.Compare(t.Append(p[:0], a), t.Append(q[:0], b))
}

// resorted is the order of an earlier netlist without the nets that went and with those that came; nil when there is none, or names
// print in another way now.
func (x *index) resorted() []int32 {
	if x.like == nil {
		return nil
	}
	rank := func(n int32) bool { return int(n) < len(x.like.rank) && x.like.rank[n] >= 0 }
	var came []int32
	for _, n := range x.nets() {
		if !rank(n) {
			came = append(came, n)
		}
	}
	if len(came) > len(x.all)/4 {
		return nil
	}
	came = x.byName(came)
	out := make([]int32, 0, len(x.all))
	t := x.nl.PrintNames()
	var last, now, next []byte
	if len(came) > 0 {
		next = t.Append(next, came[0])
	}
	put := func(n int32, name []byte) bool {
		if len(out) > 0 && bytes.Compare(last, name) > 0 {
			return false
		}
		out, last = append(out, n), append(last[:0], name...)
		return true
	}
	for _, n := range x.like.nets {
		if int(n) >= len(x.nl.Nets) || x.nl.IsHidden(n) {
			continue
		}
		now = t.Append(now[:0], n)
		for len(came) > 0 && bytes.Compare(next, now) < 0 {
			if !put(came[0], next) {
				return nil
			}
			if came = came[1:]; len(came) > 0 {
				next = t.Append(next[:0], came[0])
			}
		}
		if !put(n, now) {
			return nil
		}
	}
	for _, n := range came {
		if now = t.Append(now[:0], n); !put(n, now) {
			return nil
		}
	}
	return out
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
	x := s.memo.index
	if o := x.order.Load(); o != nil {
		return cmp.Or(cmp.Compare(o.rank[a], o.rank[b]), cmp.Compare(a, b))
	}
	return cmp.Or(x.compareNames(a, b), cmp.Compare(a, b))
}

// Nets returns the nets chosen, by name, each once. A name or glob that means none is a *NameError.
func (s *Snapshot) Nets(ctx context.Context, c Selection) ([]int32, error) {
	x := s.memo.index
	if len(c.Names) == 0 {
		in, err := x.within(c.Scope)
		if err != nil {
			return nil, err
		}
		o := x.sorted()
		if in == nil {
			return o.nets, nil
		}
		return slices.DeleteFunc(slices.Clone(o.nets), func(n int32) bool { return !in[x.nl.Nets[n].Scope] }), nil
	}
	nets, err := s.Chosen(ctx, c)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(nets, s.Compare)
	return nets, nil
}

// Chosen is Nets in no order that means anything, at less cost. The caller must not change the list.
func (s *Snapshot) Chosen(ctx context.Context, c Selection) ([]int32, error) {
	x := s.memo.index
	in, err := x.within(c.Scope)
	if err != nil {
		return nil, err
	}
	if len(c.Names) == 0 {
		if in == nil {
			return x.nets(), nil
		}
		return slices.DeleteFunc(slices.Clone(x.nets()), func(n int32) bool { return !in[x.nl.Nets[n].Scope] }), nil
	}
	hit := map[int32]bool{}
	for _, name := range c.Names {
		m, err := matcher(name, c.Regexp)
		if err != nil {
			return nil, err
		}
		found, b := false, names.Binding{}
		if m != nil { // first, because looking for what a name could mean otherwise costs more than a look at all
			glob := name
			if c.Regexp {
				glob = ""
			}
			if found, err = x.match(ctx, glob, m, in, hit); err != nil {
				return nil, err
			}
		}
		if !found && !c.Regexp {
			var n int32
			if n, b = x.net(name); n >= 0 && (in == nil || in[x.nl.Nets[n].Scope]) {
				hit[n], found = true, true
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
	slices.Sort(out)
	return out, nil
}

// First moves the first n of the rows in an order to the front, sorted, without sorting the others, and returns them.
func First[T any](rows []T, n int, compare func(a, b T) int) []T {
	if n >= len(rows) {
		slices.SortFunc(rows, compare)
		return rows
	}
	// rows[:n] is a heap whose root is the last in order of those kept
	down := func(i int) {
		for {
			c := 2*i + 1
			if c >= n {
				return
			}
			if c+1 < n && compare(rows[c+1], rows[c]) > 0 {
				c++
			}
			if compare(rows[c], rows[i]) <= 0 {
				return
			}
			rows[c], rows[i] = rows[i], rows[c]
			i = c
		}
	}
	for i := n/2 - 1; i >= 0; i-- {
		down(i)
	}
	for i := n; n > 0 && i < len(rows); i++ {
		if compare(rows[i], rows[0]) < 0 {
			rows[0], rows[i] = rows[i], rows[0]
			down(0)
		}
	}
	slices.SortFunc(rows[:n], compare)
	return rows[:n]
}

// match adds the nets whose printed names match, or the one whose name is the text of the glob itself.
func (x *index) match(ctx context.Context, glob string, m func([]byte) bool, in []bool, hit map[int32]bool) (found bool, err error) {
	t := x.nl.PrintNames()
	var buf []byte
	var hits []int32
	for i, n := range x.nets() {
		if i&4095 == 0 && ctx.Err() != nil {
			return false, ctx.Err()
		}
		if in != nil && !in[x.nl.Nets[n].Scope] {
			continue
		}
		if buf = t.Append(buf[:0], n); !m(buf) {
			continue
		}
		if string(buf) == glob { // a name with a * or ? of its own
			hit[n] = true
			return true, nil
		}
		hits = append(hits, n)
	}
	for _, n := range hits {
		hit[n] = true
	}
	return len(hits) > 0, nil
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
