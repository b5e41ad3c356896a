package names

import (
	"bytes"
	"cmp"
	"hash/maphash"
	"slices"
)

// looseIndex finds objects by path with separators, brackets and case disregarded: 16 bytes a name, built when the
// first name needs it.
type looseIndex struct {
	seed  maphash.Seed
	nets  []looseEntry // a scope, b name id
	insts []looseEntry // a instance
	scope []looseEntry // a scope
}

type looseEntry struct {
	hash uint64
	a, b int32
}

// fold writes every run of separators and brackets as one "_", none at the ends.
func fold(dst, path []byte) []byte {
	gap := false
	for _, c := range path {
		switch c {
		case '.', '/', '_', '[', ']', '(', ')', '<', '>', '\\', ' ', '{', '}':
			gap = true
			continue
		}
		if gap && len(dst) > 0 {
			dst = append(dst, '_')
		}
		gap = false
		dst = append(dst, c)
	}
	return dst
}

func (x *looseIndex) hash(folded []byte) uint64 {
	return maphash.Bytes(x.seed, bytes.ToLower(folded))
}

func (r *Resolver) build() *looseIndex {
	if r.index != nil {
		return r.index
	}
	x := &looseIndex{seed: maphash.MakeSeed()}
	var path, folded []byte
	enter := func(list *[]looseEntry, scope, name, a, b int32) {
		path = r.scopePath(path[:0], scope)
		path = append(append(path, '/'), r.d.NameBytes(name)...)
		folded = fold(folded[:0], path)
		*list = append(*list, looseEntry{x.hash(folded), a, b})
	}
	for s := range r.d.NumScopes() {
		if parent, name := r.d.ScopeAt(s); parent != None {
			enter(&x.scope, parent, name, s, None)
		}
		r.d.EachDecl(s, func(name int32) bool {
			enter(&x.nets, s, name, s, name)
			return true
		})
	}
	for i := range r.d.NumInsts() {
		scope, name := r.d.InstAt(i)
		if name == 0 {
			continue // an edit took it away
		}
		enter(&x.insts, scope, name, i, None)
	}
	for _, l := range []*[]looseEntry{&x.nets, &x.insts, &x.scope} {
		slices.SortFunc(*l, func(p, q looseEntry) int {
			return cmp.Or(cmp.Compare(p.hash, q.hash), cmp.Compare(p.a, q.a), cmp.Compare(p.b, q.b))
		})
	}
	r.index = x
	return x
}

// byIndex is the last resort: separators, then case.
func (r *Resolver) byIndex(k kind, s Spelling, p path) (hit, Binding) {
	n := len(p.comp)
	if n == 0 {
		return noHit, Binding{}
	}
	r.build()
	full := append(r.scopePath(nil, s.Scope), '/')
	full = append(full, bytes.Join(p.comp, []byte{'/'})...)
	for _, rule := range []Rule{Separators, IgnoreCase} {
		if rule == IgnoreCase && !r.opt.IgnoreCase {
			break
		}
		var hits []hit
		if k != kindPin {
			hits = r.entries(k, full, rule)
		} else {
			hits = r.entries(kindNet, full, rule)
			for i, h := range hits {
				hits[i] = hit{None, h.a}
			}
			if n > 1 {
				inst := full[:len(full)-len(p.comp[n-1])-1]
				for _, h := range r.entries(kindInst, inst, rule) {
					if pin := r.d.PinIndex(h.a, p.comp[n-1]); pin != None {
						hits = append(hits, hit{h.a, pin})
					}
				}
			}
		}
		if h, b := r.unique(k, hits, rule); b.Rule != Unbound || b.Ambiguous {
			return h, b
		}
	}
	return noHit, Binding{}
}

// entries returns the objects whose path folds like the given one.
func (r *Resolver) entries(k kind, full []byte, rule Rule) []hit {
	var hits []hit
	add := func(h hit) {
		if h.a != None && !slices.Contains(hits, h) && len(hits) < maxHits {
			hits = append(hits, h)
		}
	}
	switch k {
	case kindInst:
		r.matches(r.index.insts, full, rule, func(e looseEntry) ([]byte, int32) {
			scope, name := r.d.InstAt(e.a)
			return r.d.NameBytes(name), scope
		}, func(e looseEntry) { add(hit{e.a, None}) })
	case kindScope:
		r.matches(r.index.scope, full, rule, func(e looseEntry) ([]byte, int32) {
			parent, name := r.d.ScopeAt(e.a)
			return r.d.NameBytes(name), parent
		}, func(e looseEntry) { add(hit{e.a, None}) })
	case kindNet:
		at := func(e looseEntry) ([]byte, int32) { return r.d.NameBytes(e.b), e.a }
		r.matches(r.index.nets, full, rule, at, func(e looseEntry) {
			add(hit{r.d.FindNet(e.a, r.d.NameBytes(e.b), noBit), None})
		})
		if base, bit, ok := anyIndex(full); ok {
			r.matches(r.index.nets, base, rule, at, func(e looseEntry) {
				add(hit{r.d.FindNet(e.a, r.d.NameBytes(e.b), bit), None})
			})
		}
	}
	return hits
}

func (r *Resolver) matches(list []looseEntry, full []byte, rule Rule, at func(looseEntry) ([]byte, int32), found func(looseEntry)) {
	want := fold(nil, full)
	h := r.index.hash(want)
	i, _ := slices.BinarySearchFunc(list, h, func(e looseEntry, h uint64) int { return cmp.Compare(e.hash, h) })
	for ; i < len(list) && list[i].hash == h; i++ {
		name, scope := at(list[i])
		got := fold(nil, append(append(r.scopePath(nil, scope), '/'), name...))
		if bytes.Equal(got, want) || rule == IgnoreCase && bytes.EqualFold(got, want) {
			found(list[i])
		}
	}
}

// scopePath appends the path of a scope below the top, "" for the top itself.
func (r *Resolver) scopePath(dst []byte, scope int32) []byte {
	parent, name := r.d.ScopeAt(scope)
	if parent == None {
		return dst
	}
	if dst = r.scopePath(dst, parent); len(dst) > 0 {
		dst = append(dst, '/')
	}
	return append(dst, r.d.NameBytes(name)...)
}
