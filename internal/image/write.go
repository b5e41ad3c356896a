package image

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"unsafe"
)

// The bytes: a head of headSize, the tables (arrays, objects, strings), the contents of the objects, and the arrays, each aligned.
// Numbers of strings, arrays and objects count from 1; 0 is nil, or the empty string.
const (
	magic     = "WATTDIM1"
	headSize  = 64
	byteOrder = 0x0102030405060708
	alignment = 64
)

// Image is a value about to be written. It shares the memory of the value, which must not change until it is written.
type Image struct {
	front  []byte // head, tables, contents
	arrays []array
	size   int64
}

type array struct {
	data  []byte
	count uint64
	elem  *layout
}

// object is a pointer, a slice or a map, written once however often it is met.
type object struct {
	*layout                // of the pointer, slice or map
	at      unsafe.Pointer // of what is pointed to, of the first element, of the map itself
	count   uint64
	length  uint64 // of its content
}

type objectKey struct {
	layout *layout
	at     unsafe.Pointer
	n      int
}

type writer struct {
	s       *Schema
	objects []object
	seen    map[objectKey]uint64 // number of objects and arrays
	arrays  []array
	strings []string
	text    map[string]uint64
	out     []byte
}

// New makes the image of what root, a pointer to a value of the type of the schema, points to.
func (s *Schema) New(root any) (*Image, error) {
	v := reflect.ValueOf(root)
	if !v.IsValid() || v.Type() != s.root.typ || v.IsNil() {
		return nil, fmt.Errorf("image: a %T is no %s", root, s.root.typ)
	}
	w := &writer{s: s, seen: map[objectKey]uint64{}, text: map[string]uint64{}}
	w.object(object{layout: s.root, at: v.UnsafePointer(), count: 1})
	w.out = w.out[:0]                     // the root is the first object; nothing refers to it from outside
	for i := 0; i < len(w.objects); i++ { // contents may add objects
		from := len(w.out)
		o := w.objects[i]
		w.content(&o)
		w.objects[i].length = uint64(len(w.out) - from)
	}
	im := &Image{arrays: w.arrays}
	front := make([]byte, headSize, headSize+len(w.out)+16*len(w.objects)+16*len(w.arrays)+16*len(w.strings))
	num := func(ns ...uint64) {
		for _, n := range ns {
			front = binary.AppendUvarint(front, n)
		}
	}
	num(uint64(len(w.strings)), uint64(len(w.arrays)), uint64(len(w.objects)))
	for _, x := range w.strings {
		num(uint64(len(x)))
	}
	for i := range w.arrays {
		num(w.arrays[i].elem.id, w.arrays[i].count)
	}
	for i := range w.objects {
		num(w.objects[i].id, w.objects[i].count, w.objects[i].length)
	}
	for _, x := range w.strings {
		front = append(front, x...)
	}
	front = append(front, w.out...)
	im.size = up(int64(len(front)))
	for i := range im.arrays {
		im.size = up(im.size + int64(len(im.arrays[i].data)))
	}
	copy(front, magic)
	copy(front[8:], s.hash[:])
	binary.NativeEndian.PutUint64(front[40:], byteOrder)
	binary.NativeEndian.PutUint64(front[48:], uint64(im.size))
	binary.NativeEndian.PutUint64(front[56:], uint64(len(front)))
	im.front = front
	return im, nil
}

func up(n int64) int64 { return (n + alignment - 1) &^ (alignment - 1) }

// Size is the length of the image in bytes.
func (im *Image) Size() int64 { return im.size }

// WriteTo implements io.WriterTo.
func (im *Image) WriteTo(w io.Writer) (int64, error) {
	var pad [alignment]byte
	n := int64(0)
	put := func(b []byte) error {
		for _, part := range [][]byte{b, pad[:up(int64(len(b)))-int64(len(b))]} {
			k, err := w.Write(part)
			if n += int64(k); err != nil {
				return err
			}
		}
		return nil
	}
	if err := put(im.front); err != nil {
		return n, err
	}
	for i := range im.arrays {
		if err := put(im.arrays[i].data); err != nil {
			return n, err
		}
	}
	return n, nil
}

func (w *writer) num(n uint64) { w.out = binary.AppendUvarint(w.out, n) }

func (w *writer) str(s string) {
	if s == "" {
		w.num(0)
		return
	}
	id, ok := w.text[s]
	if !ok {
		w.strings = append(w.strings, s)
		id = uint64(len(w.strings))
		w.text[s] = id
	}
	w.num(id)
}

// header is a slice as it lies in memory.
type header struct {
	data     unsafe.Pointer
	len, cap int
}

func (w *writer) value(l *layout, p unsafe.Pointer) {
	switch l.form {
	case formFlat:
		w.out = append(w.out, unsafe.Slice((*byte)(p), l.size)...)
	case formString:
		w.str(*(*string)(p))
	case formPointer:
		at := *(*unsafe.Pointer)(p)
		w.object(object{layout: l, at: at, count: 1})
	case formMap:
		m := reflect.NewAt(l.typ, p).Elem()
		w.object(object{layout: l, at: m.UnsafePointer(), count: uint64(m.Len())})
	case formSlice:
		h := (*header)(p)
		switch {
		case h.data == nil:
			w.num(0)
		case h.len == 0:
			w.num(1)
		case l.elem.form == formFlat:
			w.array(l, h)
		default:
			w.object(object{layout: l, at: h.data, count: uint64(h.len)})
		}
	case formArray:
		for i := range l.n {
			w.value(l.elem, unsafe.Add(p, uintptr(i)*l.elem.size))
		}
	case formStruct:
		for i := range l.fields {
			f := &l.fields[i]
			at := unsafe.Add(p, f.at)
			if f.layout == nil {
				w.out = append(w.out, unsafe.Slice((*byte)(at), f.flat)...)
			} else {
				w.value(f.layout, at)
			}
		}
	}
}

// Of slices, 0 is nil and 1 is empty; others are numbered from 2.
const firstSlice = 2

func (w *writer) array(l *layout, h *header) {
	k := objectKey{l, h.data, h.len}
	id, ok := w.seen[k]
	if !ok {
		id = uint64(len(w.arrays))
		w.arrays = append(w.arrays, array{unsafe.Slice((*byte)(h.data), uintptr(h.len)*l.elem.size), uint64(h.len), l.elem})
		w.seen[k] = id
	}
	w.num(id + firstSlice)
}

func (w *writer) object(o object) {
	if o.at == nil {
		w.num(0)
		return
	}
	k := objectKey{o.layout, o.at, int(o.count)}
	id, ok := w.seen[k]
	if !ok {
		id = uint64(len(w.objects))
		w.objects = append(w.objects, o)
		w.seen[k] = id
	}
	w.num(id + firstSlice)
}

func (w *writer) content(o *object) {
	switch o.form {
	case formPointer:
		w.value(o.elem, o.at)
	case formSlice:
		for i := range o.count {
			w.value(o.elem, unsafe.Add(o.at, uintptr(i)*o.elem.size))
		}
	case formMap:
		w.pairs(o)
	}
}

// pairs writes a map in order of its keys.
func (w *writer) pairs(o *object) {
	type pair struct {
		key  string // that is compared
		k, v reflect.Value
	}
	var m reflect.Value
	at := o.at
	m = reflect.NewAt(o.typ, unsafe.Pointer(&at)).Elem()
	all := make([]pair, 0, m.Len())
	for it := m.MapRange(); it.Next(); {
		k, v := reflect.New(o.key.typ), reflect.New(o.elem.typ)
		k.Elem().Set(it.Key())
		v.Elem().Set(it.Value())
		x := pair{k: k, v: v}
		if o.key.form == formString {
			x.key = *(*string)(k.UnsafePointer())
		} else {
			x.key = string(unsafe.Slice((*byte)(k.UnsafePointer()), o.key.size))
		}
		all = append(all, x)
	}
	slices.SortFunc(all, func(a, b pair) int { return strings.Compare(a.key, b.key) })
	for i := range all {
		w.value(o.key, all[i].k.UnsafePointer())
		w.value(o.elem, all[i].v.UnsafePointer())
	}
}

// Bytes is the whole image in memory.
func (im *Image) Bytes() []byte {
	var b bytes.Buffer
	b.Grow(int(im.size))
	_, _ = im.WriteTo(&b) // a buffer does not fail
	return b.Bytes()
}
