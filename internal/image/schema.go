// Package image writes graphs of Go values as one relocatable byte string and reads them back without parsing.
//
// Contract: what is reachable from a value comes back equal: unexported fields, shared pointers, slices and maps (shared
// stays shared), cycles, nil apart from empty. Slices whose elements hold no pointers are written as they lie in memory,
// aligned; what is read back aliases the bytes that were read, which must not change from then on, and has no spare capacity, so
// that appending copies. A Schema knows the layout of every type that can be reached and has a hash of it: an image that was written
// under another layout is refused. Functions, channels, interfaces, locks and atomics cannot be written: a field of such
// a type needs the tag `image:"-"` and comes back zero, or NewSchema fails.
//
// Limits: two slices that overlap without being the same come back apart, and so does a pointer into a slice or another struct.
// Read checks the structure, so that damaged bytes give an error, no panic, and no more memory than a small multiple of their
// length; it cannot tell that a number was damaged. The keeper of the bytes does, by a hash. Images are for the machine that wrote
// them: byte order and alignment are its own.
package image

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"reflect"
	"strings"
)

// ErrImage: the bytes are no image of this schema, or damaged. Make the value again.
var ErrImage = errors.New("image: damaged, or of another version")

// skipTag marks fields that are left out and come back zero.
const skipTag = "-"

// form says how values of a type are written.
type form uint8

const (
	formFlat    form = iota // no pointers: as it lies in memory
	formString              // number in the table of strings
	formPointer             // number of an object
	formSlice               // number of an array or object
	formMap                 // number of an object
	formArray               // elements one behind the other
	formStruct              // fields one behind the other
)

// layout is a type that can be reached.
type layout struct {
	id     uint64
	typ    reflect.Type
	form   form
	size   uintptr
	least  uint64  // bytes that a value takes at least
	elem   *layout // of pointer, slice, array, map
	key    *layout // of map
	n      int     // of array
	fields []field
}

// field is a piece of a struct: one field, or neighbours without pointers.
type field struct {
	at uintptr
	*layout
	flat uintptr // length of a flat piece; layout is nil then
}

// Schema knows how values of one type are written. It is safe for concurrent use.
type Schema struct {
	root    *layout // pointer to the type
	layouts []*layout
	byType  map[reflect.Type]*layout
	hash    [32]byte
}

// NewSchema reflects on the type of root and what it can reach. The error names the field that cannot be written.
func NewSchema(root reflect.Type) (*Schema, error) {
	s := &Schema{byType: map[reflect.Type]*layout{}}
	var err error
	if s.root, err = s.add(reflect.PointerTo(root), root.String()); err != nil {
		return nil, err
	}
	for _, l := range s.layouts { // or a few bytes could ask for any number of values
		if l.form == formSlice && l.elem.least == 0 || l.form == formMap && l.key.least+l.elem.least == 0 {
			return nil, fmt.Errorf("image: nothing of the elements of %s is written", l.typ)
		}
	}
	h := sha256.New()
	fmt.Fprintf(h, "image 1\n")
	for _, l := range s.layouts {
		s.describe(h.Write, l)
	}
	h.Sum(s.hash[:0])
	return s, nil
}

// Hash stands for all layouts: equal hashes, equal meaning of the bytes.
func (s *Schema) Hash() [32]byte { return s.hash }

func (s *Schema) describe(w func([]byte) (int, error), l *layout) {
	t := l.typ
	line := fmt.Sprintf("%d %s.%s %v %d %d", l.id, t.PkgPath(), t, t.Kind(), t.Size(), t.Align())
	if t.Kind() == reflect.Struct {
		for i := range t.NumField() {
			f := t.Field(i)
			line += fmt.Sprintf(" %s:%v@%d%s", f.Name, f.Type, f.Offset, f.Tag.Get("image"))
		}
	}
	_, _ = w([]byte(line + "\n")) // a hash does not fail
}

// leastRef is what a reference takes at least, in bytes.
const leastRef = 1

// add enters a type with those that it reaches. path says how it was reached.
func (s *Schema) add(t reflect.Type, path string) (*layout, error) {
	if l := s.byType[t]; l != nil {
		return l, nil
	}
	if p := t.PkgPath(); p == "sync" || p == "sync/atomic" {
		return nil, cannot(path, t)
	}
	l := &layout{id: uint64(len(s.layouts)), typ: t, size: t.Size(), least: leastRef}
	s.byType[t] = l
	s.layouts = append(s.layouts, l)
	var err error
	switch t.Kind() {
	case reflect.Bool, reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Float32, reflect.Float64,
		reflect.Complex64, reflect.Complex128:
		l.form, l.least = formFlat, uint64(l.size)
	case reflect.String:
		l.form = formString
	case reflect.Pointer:
		l.form = formPointer
		l.elem, err = s.add(t.Elem(), path)
	case reflect.Slice:
		l.form = formSlice
		l.elem, err = s.add(t.Elem(), path+"[]")
		if err == nil && l.elem.size == 0 {
			err = cannot(path, t)
		}
	case reflect.Map:
		l.form = formMap
		if l.key, err = s.add(t.Key(), path+" key"); err == nil {
			l.elem, err = s.add(t.Elem(), path+"[]")
		}
		if err == nil && (l.key.form != formFlat && l.key.form != formString || l.key.size == 0) {
			err = cannot(path, t)
		}
	case reflect.Array:
		l.form, l.n = formArray, t.Len()
		if l.elem, err = s.add(t.Elem(), path+"[]"); err == nil {
			l.least = uint64(l.n) * l.elem.least
			if l.elem.form == formFlat {
				l.form, l.least = formFlat, uint64(l.size)
			}
		}
	case reflect.Struct:
		err = s.addStruct(l, path)
	default:
		err = cannot(path, t)
	}
	return l, err
}

func cannot(path string, t reflect.Type) error {
	return fmt.Errorf("image: %s is of type %s, which cannot be written; leave the field out with the tag `image:%q`", path, t, skipTag)
}

func (s *Schema) addStruct(l *layout, path string) error {
	l.form, l.least = formStruct, 0
	flat := true
	for i := range l.typ.NumField() {
		f := l.typ.Field(i)
		if tag := f.Tag.Get("image"); tag == skipTag {
			flat = false
			continue
		} else if tag != "" {
			return fmt.Errorf("image: %s.%s: unknown tag %q", path, f.Name, tag)
		}
		if f.Name == "_" {
			continue
		}
		x, err := s.add(f.Type, strings.TrimPrefix(path+"."+f.Name, "*"))
		if err != nil {
			return err
		}
		if x.form != formFlat {
			flat = false
			l.fields = append(l.fields, field{at: f.Offset, layout: x})
			l.least += x.least
			continue
		}
		l.least += uint64(x.size)
		if n := len(l.fields); n > 0 && l.fields[n-1].layout == nil && l.fields[n-1].at+l.fields[n-1].flat == f.Offset {
			l.fields[n-1].flat += x.size
		} else {
			l.fields = append(l.fields, field{at: f.Offset, flat: x.size})
		}
	}
	if flat {
		l.form, l.fields, l.least = formFlat, nil, uint64(l.size)
	}
	return nil
}
