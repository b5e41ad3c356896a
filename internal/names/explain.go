package names

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
)

// Finding is one thing that a name means.
type Finding struct {
	Kind   string // net, instance, scope, pin
	Name   string // of the object in the design, "/" between components
	Rule   Rule
	Format Format // how the text was read
}

// Explanation says what a name means, or why it means nothing.
type Explanation struct {
	Text       string
	Findings   []Finding
	Ambiguous  bool
	Candidates []string // all matches when ambiguous, else the closest names
}

// Explain resolves a name of unknown kind and format by all rules.
func (r *Resolver) Explain(text string) Explanation {
	e := Explanation{Text: text}
	b := []byte(text)
	for _, f := range []Format{Plain, Verilog} {
		s := Spelling{Format: f}
		for k := kindNet; k <= kindPin; k++ {
			p := r.parse(s, b).clone()
			h, rule := r.exact(k, 0, p)
			bind := Binding{Rule: rule}
			if rule == Unbound {
				h, bind = r.loose(k, s, p)
			}
			if bind.Ambiguous {
				e.Ambiguous = true
				e.Candidates = append(e.Candidates, bind.Candidates...)
			}
			if bind.Rule == Unbound || k == kindPin && h.a == None { // a port is found as the net it is
				continue
			}
			got := Finding{kindNames[k], r.describe(k, h), bind.Rule, f}
			if !slices.ContainsFunc(e.Findings, func(x Finding) bool { return x.Kind == got.Kind && x.Name == got.Name }) {
				e.Findings = append(e.Findings, got)
			}
		}
	}
	if len(e.Findings) == 0 && !e.Ambiguous {
		for _, f := range []Format{Plain, Verilog} {
			s := Spelling{Format: f}
			for _, k := range []kind{kindNet, kindInst} {
				e.Candidates = append(e.Candidates, r.closest(k, s, r.parse(s, b).clone())...)
			}
		}
	}
	slices.Sort(e.Candidates)
	e.Candidates = slices.Compact(e.Candidates)
	return e
}

// String tells it in a few lines.
func (e Explanation) String() string {
	var b strings.Builder
	for _, f := range e.Findings {
		b.WriteString(e.Text + " is " + f.Kind + " " + f.Name + " (rule: " + f.Rule.String() + ")\n")
	}
	switch {
	case e.Ambiguous:
		b.WriteString(e.Text + " is ambiguous: " + strings.Join(e.Candidates, ", ") + "\n")
	case len(e.Findings) == 0 && len(e.Candidates) > 0:
		b.WriteString(e.Text + " is not in the design; closest: " + strings.Join(e.Candidates, ", ") + "\n")
	case len(e.Findings) == 0:
		b.WriteString(e.Text + " is not in the design\n")
	}
	return b.String()
}

// describe names an object as people read it.
func (r *Resolver) describe(k kind, h hit) string {
	switch k {
	case kindInst:
		return r.instPath(h.a)
	case kindScope:
		return string(r.scopePath(nil, h.a))
	case kindPin:
		if h.a != None {
			return r.instPath(h.a) + "/" + r.d.InstPinName(h.a, h.b)
		}
		return r.d.NetName(h.b)
	}
	return r.d.NetName(h.a)
}

func (r *Resolver) instPath(i int32) string {
	scope, name := r.d.InstAt(i)
	return joinPath(r.scopePath(nil, scope), r.d.NameBytes(name))
}

func joinPath(scope, name []byte) string {
	if len(scope) > 0 {
		scope = append(scope, '/')
	}
	return string(append(scope, name...))
}

const maxClosest = 5

// closest lists names like the one that was not found: in the scope that its path leads to, those that differ by a
// few letters; elsewhere, those whose last component is the same.
func (r *Resolver) closest(k kind, s Spelling, p path) []string {
	n := len(p.comp)
	if n == 0 {
		return nil
	}
	p = p.clone()
	scope, i := s.Scope, 0
	for ; i < n-1; i++ {
		next := r.d.ChildScope(scope, p.comp[i])
		if next == None {
			break
		}
		scope = next
	}
	type cand struct {
		dist int
		name string
	}
	var list []cand
	offer := func(scope int32, name, want []byte, elsewhere bool) {
		d := 0
		if !elsewhere {
			d = editDistance(name, want, min(max(len(want)/3, 1), 8))
		} else if !bytes.Equal(name, want) {
			return
		}
		if d >= 0 {
			list = append(list, cand{d, joinPath(r.scopePath(nil, scope), name)})
		}
		if len(list) > 1024 {
			slices.SortFunc(list, func(a, b cand) int { return cmp.Or(cmp.Compare(a.dist, b.dist), cmp.Compare(a.name, b.name)) })
			list = list[:maxClosest]
		}
	}
	want := p.comp[i]
	if base, _, ok := anyIndex(want); ok && k == kindNet && i == n-1 {
		want = base
	}
	for c := range r.d.NumScopes() {
		if parent, name := r.d.ScopeAt(c); parent == scope && (i < n-1 || k == kindScope) {
			offer(scope, r.d.NameBytes(name), want, false)
		}
	}
	last := p.comp[n-1]
	if k == kindPin && n > 1 {
		last = p.comp[n-2]
	}
	here := i == n-1 || k == kindPin && i == n-2
	if k == kindNet || k == kindPin && n == 1 {
		base := last
		if b, _, ok := anyIndex(last); ok {
			base = b
		}
		for sc := range r.d.NumScopes() {
			r.d.EachDecl(sc, func(name int32) bool {
				offer(sc, r.d.NameBytes(name), base, !here || sc != scope)
				return true
			})
		}
	} else if k == kindInst || k == kindPin {
		for inst := range r.d.NumInsts() {
			sc, name := r.d.InstAt(inst)
			if name == 0 {
				continue // an edit took it away
			}
			offer(sc, r.d.NameBytes(name), last, !here || sc != scope)
		}
	}
	slices.SortFunc(list, func(a, b cand) int { return cmp.Or(cmp.Compare(a.dist, b.dist), cmp.Compare(a.name, b.name)) })
	var out []string
	for _, c := range list {
		if len(out) < maxClosest && !slices.Contains(out, c.name) {
			out = append(out, c.name)
		}
	}
	return out
}

// editDistance is the number of letters to change, or -1 when it is above limit.
func editDistance(a, b []byte, limit int) int {
	if len(a)-len(b) > limit || len(b)-len(a) > limit || len(b) > 255 {
		return -1
	}
	var row [256]int
	for j := range len(b) + 1 {
		row[j] = j
	}
	for i := range a {
		prev, best := row[0], i+1
		row[0] = i + 1
		for j := range b {
			d := prev
			if a[i] != b[j] {
				d = 1 + min(prev, row[j], row[j+1])
			}
			prev, row[j+1] = row[j+1], d
			best = min(best, d)
		}
		if best > limit {
			return -1
		}
	}
	if row[len(b)] > limit {
		return -1
	}
	return row[len(b)]
}
