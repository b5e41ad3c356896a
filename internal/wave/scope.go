package wave

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/wattd/wattd/internal/design"
	"github.com/wattd/wattd/internal/diag"
	"github.com/wattd/wattd/internal/format/vcd"
	"github.com/wattd/wattd/internal/netlist"
)

// binder binds the variables of a dump to nets.
type binder struct {
	nl    *netlist.Netlist
	h     *vcd.Header
	kids  [][]int32 // scopes by parent
	vars  [][]int32 // variables by scope
	names []string  // scope names without escapes
}

func newBinder(nl *netlist.Netlist, h *vcd.Header) *binder {
	b := &binder{nl: nl, h: h}
	b.kids, b.vars = make([][]int32, len(h.Scopes)), make([][]int32, len(h.Scopes))
	b.names = make([]string, len(h.Scopes))
	for i := range h.Scopes {
		b.names[i] = unescape(h.Scopes[i].Name)
		if i > 0 {
			p := h.Scopes[i].Parent
			b.kids[p] = append(b.kids[p], int32(i))
		}
	}
	for i := range h.Vars {
		s := h.Vars[i].Scope
		b.vars[s] = append(b.vars[s], int32(i))
	}
	return b
}

// unescape takes the leading backslash, and the trailing one that one writer adds, from a name.
func unescape(s string) string {
	if rest, ok := strings.CutPrefix(s, `\`); ok {
		return strings.TrimSuffix(strings.TrimRight(rest, " "), `\`)
	}
	return s
}

// path is the dotted name of a scope of the dump.
func (b *binder) path(s int32) string {
	var p []string
	for ; s > 0; s = b.h.Scopes[s].Parent {
		p = append(p, b.names[s])
	}
	slices.Reverse(p)
	return strings.Join(p, ".")
}

// bit is one bit of a variable bound to a net.
type bit struct {
	net int32
	id  int32
	at  int32 // place in the value, 0 is the most significant
}

// bind calls f for every bit of the dump that names a net, taking scope as the top of the design.
func (b *binder) bind(scope int32, f func(bit)) {
	b.each(scope, func(_ *vcd.Var, _ int32, x bit) { f(x) })
}

// each is bind with the variable and its scope in the netlist.
func (b *binder) each(scope int32, f func(v *vcd.Var, scope int32, x bit)) {
	type pair struct{ dump, net int32 }
	work := []pair{{scope, 0}}
	for len(work) > 0 {
		w := work[len(work)-1]
		work = work[:len(work)-1]
		for _, i := range b.vars[w.dump] {
			v := &b.h.Vars[i]
			b.variable(w.net, v, func(x bit) { f(v, w.net, x) })
		}
		for _, k := range b.kids[w.dump] {
			if c := b.nl.ChildScope(w.net, []byte(b.names[k])); c >= 0 {
				work = append(work, pair{k, c})
			}
		}
	}
}

// variable binds one $var in a scope of the netlist.
func (b *binder) variable(scope int32, v *vcd.Var, f func(bit)) {
	if v.Width < 1 {
		return
	}
	name := []byte(unescape(v.Name))
	one := func(n, at int32) bool {
		if n >= 0 {
			f(bit{n, v.ID, at})
		}
		return n >= 0
	}
	if v.Width == 1 {
		if v.HasRange && one(b.nl.FindNet(scope, name, v.Lsb), 0) || one(b.nl.FindNet(scope, name, netlist.NoBit), 0) {
			return
		}
		if v.HasRange { // an escaped name written without its backslash ends like a bit
			if one(b.nl.FindNet(scope, fmt.Appendf(nil, "%s[%d]", name, v.Lsb), netlist.NoBit), 0) {
				return
			}
		}
		if msb, _, vec, ok := b.nl.NetRange(scope, name); ok && vec && !v.HasRange && one(b.nl.FindNet(scope, name, msb), 0) {
			return
		}
		if base, i, ok := cutIndex(name); ok {
			one(b.nl.FindNet(scope, base, i), 0)
		}
		return
	}
	msb, lsb := v.Msb, v.Lsb
	if !v.HasRange {
		var vec, ok bool
		if msb, lsb, vec, ok = b.nl.NetRange(scope, name); !ok || !vec {
			return
		}
	}
	step := int32(1)
	if msb > lsb {
		step = -1
	}
	for at, i := int32(0), msb; at < v.Width; at, i = at+1, i+step {
		one(b.nl.FindNet(scope, name, i), at)
		if i == lsb {
			break
		}
	}
}

// cutIndex splits "a[3]".
func cutIndex(name []byte) ([]byte, int32, bool) {
	i := bytes.LastIndexByte(name, '[')
	if i < 1 || name[len(name)-1] != ']' {
		return nil, 0, false
	}
	n, neg := int32(0), false
	d := name[i+1 : len(name)-1]
	if len(d) > 0 && d[0] == '-' {
		neg, d = true, d[1:]
	}
	if len(d) == 0 || len(d) > 8 {
		return nil, 0, false
	}
	for _, c := range d {
		if c < '0' || c > '9' {
			return nil, 0, false
		}
		n = n*10 + int32(c-'0')
	}
	if neg {
		n = -n
	}
	return name[:i], n, true
}

// findScope returns the scope named by the user, or the one that binds most sources.
func (b *binder) findScope(d *design.Design, want, file string, bag *diag.Bag) (int32, bool) {
	if want != "" {
		for s := range b.h.Scopes {
			if p := b.path(int32(s)); p == want || strings.ReplaceAll(want, "/", ".") == p {
				return int32(s), true
			}
		}
		bag.Add(diag.StimNoScope, diag.Pos{File: file}, "no scope %q; the dump has %s", want, b.someScopes())
		return 0, false
	}
	isSource := make([]bool, len(d.NetClass))
	for _, n := range d.Sources {
		isSource[n] = true
	}
	type score struct {
		scope int32
		n     int
	}
	var scores []score
	seen := make([]int32, len(d.NetClass))
	for s := range b.h.Scopes {
		if len(b.vars[s]) == 0 && len(b.kids[s]) == 0 {
			continue
		}
		n := 0
		b.bind(int32(s), func(x bit) {
			if isSource[x.net] && seen[x.net] != int32(s)+1 {
				seen[x.net] = int32(s) + 1
				n++
			}
		})
		if n*2 >= len(d.Sources) {
			n += complements(d, func(net int32) bool { return isSource[net] && seen[net] == int32(s)+1 }, isSource)
		}
		if n > 0 {
			scores = append(scores, score{int32(s), n})
		}
	}
	slices.SortStableFunc(scores, func(x, y score) int { return -cmp.Compare(x.n, y.n) })
	total := len(d.Sources)
	if total == 0 {
		return 0, true
	}
	if len(scores) > 0 && scores[0].n*100 >= total*95 && (len(scores) == 1 || scores[1].n < scores[0].n) {
		return scores[0].scope, true
	}
	if len(scores) == 0 {
		bag.Add(diag.StimNothing, diag.Pos{File: file}, "none of the %d sources is named below any scope; the dump has %s", total, b.someScopes())
		return 0, false
	}
	var best []string
	for _, s := range scores[:min(5, len(scores))] {
		best = append(best, fmt.Sprintf("%s (%.1f %%)", cmp.Or(b.path(s.scope), "the root"), 100*float64(s.n)/float64(total)))
	}
	bag.Add(diag.StimScopeUnclear, diag.Pos{File: file}, "no scope alone names at least 95 %% of the %d sources; the best are %s", total, strings.Join(best, ", "))
	return 0, false
}

// complements counts the register outputs without a name of their own that another output of the same state tells.
func complements(d *design.Design, named func(net int32) bool, isSource []bool) int {
	n := 0
	rs := d.Registers // in order of instances
	for i := 0; i < len(rs); {
		j := i
		for j < len(rs) && rs[j].Inst == rs[i].Inst {
			j++
		}
		for a := i; a < j; a++ {
			if !isSource[rs[a].Net] || named(rs[a].Net) || rs[a].State < 0 {
				continue
			}
			for b := i; b < j; b++ {
				if rs[b].State == rs[a].State && rs[b].Net != rs[a].Net && named(rs[b].Net) {
					n++
					break
				}
			}
		}
		i = j
	}
	return n
}

func (b *binder) someScopes() string {
	var p []string
	for s := 1; s < len(b.h.Scopes) && len(p) < 5; s++ {
		p = append(p, b.path(int32(s)))
	}
	if len(p) == 0 {
		return "no scopes"
	}
	if n := len(b.h.Scopes) - 1 - len(p); n > 0 {
		p = append(p, fmt.Sprintf("%d more", n))
	}
	return strings.Join(p, ", ")
}
