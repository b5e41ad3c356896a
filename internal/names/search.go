package names

import (
	"bytes"
	"slices"
	"strconv"
)

const (
	maxPieces = 64 // of a path that the search takes apart
	maxHits   = 16 // an ambiguity lists no more
	maxSteps  = 20000
)

// searcher looks for a path with all borders between components free: pieces are what stands between dots and
// slashes, and any run of them may be one name in the design.
type searcher struct {
	r      *Resolver
	k      kind
	forms  bool // also other ways to write an index
	pieces [][]byte
	seps   []byte // before each piece
	hits   []hit
	steps  int
}

// search binds by other borders (and with forms, other indices) or reports ambiguity.
func (r *Resolver) search(k kind, s Spelling, p path, forms bool, rule Rule) (hit, Binding) {
	q := searcher{r: r, k: k, forms: forms}
	div := s.divider()
	for _, c := range p.comp {
		sep := div
		for {
			n := bytes.IndexAny(c, "./")
			if n < 0 {
				q.pieces, q.seps = append(q.pieces, c), append(q.seps, sep)
				break
			}
			q.pieces, q.seps = append(q.pieces, c[:n]), append(q.seps, sep)
			sep, c = c[n], c[n+1:]
		}
	}
	if n := len(q.pieces); n == 0 || n > maxPieces {
		return noHit, Binding{}
	}
	q.from(s.Scope, 0)
	return r.unique(k, q.hits, rule)
}

// unique turns hits into a binding.
func (r *Resolver) unique(k kind, hits []hit, rule Rule) (hit, Binding) {
	switch len(hits) {
	case 0:
		return noHit, Binding{}
	case 1:
		return hits[0], Binding{Rule: rule}
	}
	b := Binding{Ambiguous: true}
	for _, h := range hits {
		b.Candidates = append(b.Candidates, r.describe(k, h))
	}
	slices.Sort(b.Candidates)
	b.Candidates = slices.Compact(b.Candidates)
	return noHit, b
}

func (q *searcher) add(h hit) {
	if !slices.Contains(q.hits, h) && len(q.hits) < maxHits {
		q.hits = append(q.hits, h)
	}
}

// joined returns pieces i..j as one name, with the separators as written (0) or all equal.
func (q *searcher) joined(i, j int, sep byte) []byte {
	b := slices.Clone(q.pieces[i])
	for k := i + 1; k <= j; k++ {
		c := q.seps[k]
		if sep != 0 {
			c = sep
		}
		b = append(append(b, c), q.pieces[k]...)
	}
	return b
}

// names returns the names that pieces i..j may be in the design.
func (q *searcher) names(i, j int) [][]byte {
	list := [][]byte{q.joined(i, j, 0)}
	if j > i {
		for _, sep := range []byte("./") {
			if n := q.joined(i, j, sep); !slices.ContainsFunc(list, func(x []byte) bool { return bytes.Equal(x, n) }) {
				list = append(list, n)
			}
		}
	}
	return list
}

func (q *searcher) from(scope int32, i int) {
	n := len(q.pieces)
	for j := i; j < n; j++ {
		for _, name := range q.names(i, j) {
			if q.steps++; q.steps > maxSteps {
				return
			}
			if j == n-1 {
				q.final(scope, name)
				continue
			}
			for _, c := range q.spellings(name) {
				if child := q.r.d.ChildScope(scope, c); child != None {
					q.from(child, j+1)
				}
				if q.k != kindPin {
					continue
				}
				if inst := q.r.d.FindInst(scope, c); inst != None {
					for _, pin := range q.spellings(q.joined(j+1, n-1, 0)) {
						if p := q.r.d.PinIndex(inst, pin); p != None {
							q.add(hit{inst, p})
						}
					}
				}
			}
		}
	}
}

func (q *searcher) final(scope int32, name []byte) {
	if h, rule := q.r.last(q.k, scope, name, 0); rule != Unbound {
		q.add(h)
		return
	}
	if !q.forms {
		return
	}
	for _, c := range q.spellings(name) {
		if h, rule := q.r.last(q.k, scope, c, 0); rule != Unbound {
			q.add(h)
		}
	}
	if q.k != kindNet && q.k != kindPin {
		return
	}
	if base, bit, ok := anyIndex(name); ok && bit == 0 { // bit 0 of a scalar
		if net := q.r.d.FindNet(scope, base, noBit); net != None {
			q.addNet(net)
		}
	}
	if msb, lsb, vector, ok := q.r.d.NetRange(scope, name); ok && vector && msb == lsb { // a vector of one bit
		q.addNet(q.r.d.FindNet(scope, name, msb))
	}
}

func (q *searcher) addNet(net int32) {
	if q.k == kindPin {
		q.add(hit{None, net})
	} else {
		q.add(hit{net, None})
	}
}

// anyIndex takes an index in any of its forms off a name.
func anyIndex(c []byte) (base []byte, n int32, ok bool) {
	for _, f := range [...][2]byte{{'[', ']'}, {'(', ')'}, {'<', '>'}, {'_', '_'}} {
		if base, n, ok = indexAt(c, f[0], f[1]); ok {
			return base, n, true
		}
	}
	if i := bytes.LastIndexByte(c, '_'); i > 0 {
		if n, ok = integer(c[i+1:]); ok && n >= 0 {
			return c[:i], n, true
		}
	}
	return nil, 0, false
}

// spellings returns a name and, where forms are allowed, the other ways to write its index.
func (q *searcher) spellings(name []byte) [][]byte {
	list := [][]byte{name}
	if !q.forms {
		return list
	}
	base, n, ok := anyIndex(name)
	if !ok {
		return list
	}
	num := strconv.Itoa(int(n))
	for _, f := range [...][2]string{{"[", "]"}, {"(", ")"}, {"<", ">"}, {"_", "_"}, {"_", ""}} {
		list = append(list, slices.Concat(base, []byte(f[0]+num+f[1])))
	}
	return list
}
