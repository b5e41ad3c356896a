// Package footprint counts the memory of data that versions of a design share.
//
// Contract: a Tally counts an array once however many values refer to it; an array that was extended in place counts with the larger
// capacity. What belongs to the array of a slice begins where the slice does: a part of a larger array that is held elsewhere counts
// again. The allocator's rounding is not counted. Each package that owns arrays says which in a function of its own that takes a Tally;
// it leaves out what is made on demand while others read, unless it is published safely.
package footprint

import (
	"reflect"
)

// Tally is a count under way. It refers to what it counted, and is for one goroutine.
type Tally struct {
	seen  map[any]int64
	bytes int64
}

// Bytes is the count.
func (t *Tally) Bytes() int64 { return t.bytes }

// Once counts what a pointer stands for, unless it was counted already; a larger count replaces a smaller one. It tells whether
// that was the first time.
func (t *Tally) Once(pointer any, bytes int64) (first bool) {
	if t.seen == nil {
		t.seen = map[any]int64{}
	}
	was, ok := t.seen[pointer]
	if !ok || bytes > was {
		t.seen[pointer] = bytes
		t.bytes += bytes - was
	}
	return !ok
}

// Slice counts the array of a slice, without what its elements refer to. It tells whether that was the first time.
func Slice[T any](t *Tally, s []T) (first bool) {
	if cap(s) == 0 {
		return false
	}
	return t.Once(&s[:1][0], int64(cap(s))*size[T]())
}

// Map counts a map, without what its entries refer to. Tables of the runtime are seven eighths full at most, and half on average.
func Map[K comparable, V any](t *Tally, m map[K]V) (first bool) {
	if m == nil {
		return false
	}
	return t.Once(reflect.ValueOf(m).Pointer(), 48+int64(len(m))*(size[K]()+size[V]()+1)*3/2)
}

func size[T any]() int64 { return int64(reflect.TypeFor[T]().Size()) }

// Deep counts a value and all that it refers to, by reflection: for small data of many kinds that nobody changes any more.
func Deep(v any) int64 {
	d := deep{seen: map[uintptr]bool{}}
	d.value(reflect.ValueOf(v))
	return d.bytes
}

type deep struct {
	seen  map[uintptr]bool
	bytes int64
}

func (d *deep) first(p uintptr) bool {
	if p == 0 || d.seen[p] {
		return false
	}
	d.seen[p] = true
	return true
}

// value counts what a value refers to.
func (d *deep) value(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		d.bytes += int64(v.Len())
	case reflect.Pointer:
		if d.first(v.Pointer()) {
			d.bytes += int64(v.Type().Elem().Size())
			d.value(v.Elem())
		}
	case reflect.Interface:
		if e := v.Elem(); e.IsValid() {
			d.bytes += int64(e.Type().Size())
			d.value(e)
		}
	case reflect.Slice:
		if v.Cap() > 0 && d.first(v.Pointer()) {
			d.bytes += int64(v.Cap()) * int64(v.Type().Elem().Size())
			d.elements(v)
		}
	case reflect.Array:
		d.elements(v)
	case reflect.Struct:
		for i := range v.NumField() {
			d.value(v.Field(i))
		}
	case reflect.Map:
		if d.first(v.Pointer()) {
			each := int64(v.Type().Key().Size()+v.Type().Elem().Size()) + 1
			d.bytes += 48 + int64(v.Len())*each*3/2
			if refers(v.Type().Key()) || refers(v.Type().Elem()) {
				for it := v.MapRange(); it.Next(); {
					d.value(it.Key())
					d.value(it.Value())
				}
			}
		}
	}
}

func (d *deep) elements(v reflect.Value) {
	if refers(v.Type().Elem()) {
		for i := range v.Len() {
			d.value(v.Index(i))
		}
	}
}

// refers says whether values of a type hold references.
func refers(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.String, reflect.Pointer, reflect.Interface, reflect.Slice, reflect.Map:
		return true
	case reflect.Array:
		return refers(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			if refers(t.Field(i).Type) {
				return true
			}
		}
	}
	return false
}
