package design

import "maps"

// overlay is a map whose first part is shared with earlier versions of a design and never written.
type overlay[K comparable, V any] struct{ base, own map[K]V }

func (o *overlay[K, V]) get(k K) (V, bool) {
	if v, ok := o.own[k]; ok || len(o.base) == 0 {
		return v, ok
	}
	v, ok := o.base[k]
	return v, ok
}

func (o *overlay[K, V]) put(k K, v V) {
	if o.own == nil {
		o.own = map[K]V{}
	}
	o.own[k] = v
}

func (o *overlay[K, V]) size() int { return len(o.base) + len(o.own) }

// whole is the map of the next version.
func (o *overlay[K, V]) whole() map[K]V {
	switch {
	case len(o.own) == 0:
		return o.base
	case len(o.base) == 0:
		return o.own
	}
	m := maps.Clone(o.base)
	maps.Copy(m, o.own)
	return m
}

// lookup is get by the bytes of a key, without making a string of them.
func lookup[V any](o *overlay[string, V], k []byte) (V, bool) {
	if v, ok := o.own[string(k)]; ok || len(o.base) == 0 {
		return v, ok
	}
	v, ok := o.base[string(k)]
	return v, ok
}
