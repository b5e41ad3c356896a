package image

import (
	"encoding/binary"
	"fmt"
	"reflect"
	"unsafe"
)

// Block is memory that an image may be read from.
type Block struct {
	words []uint64
	n     int
}

func (b *Block) bytes() []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(b.words))), b.n)
}

// NewBlock copies an image to memory of its own.
func NewBlock(image []byte) *Block {
	b := &Block{make([]uint64, (len(image)+7)/8), len(image)}
	copy(b.bytes(), image)
	return b
}

type reader struct {
	s       *Schema
	b       []byte // the whole block
	at, end int    // of the numbers being read
	text    []string
	arrays  []array
	objects []object
	err     error
}

func (r *reader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf("%w: %s", ErrImage, fmt.Sprintf(format, args...))
	}
	r.at = r.end
}

func (r *reader) num() uint64 {
	if r.at < r.end {
		if c := r.b[r.at]; c < 0x80 {
			r.at++
			return uint64(c)
		}
	}
	n, k := binary.Uvarint(r.b[r.at:r.end])
	if k <= 0 {
		r.fail("a number is cut off")
		return 0
	}
	r.at += k
	return n
}

// count reads the length of a table whose rows take at least so many bytes.
func (r *reader) count(least int) int {
	n := r.num()
	if n > uint64((r.end-r.at)/least) {
		r.fail("a table is longer than the image")
		return 0
	}
	return int(n)
}

// Read reads an image into root, a pointer to a zero value of the type of the schema. What it reads keeps the block alive. On an error
// root must not be used.
func (s *Schema) Read(block *Block, root any) error {
	v := reflect.ValueOf(root)
	if !v.IsValid() || v.Type() != s.root.typ || v.IsNil() {
		return fmt.Errorf("image: a %T is no %s", root, s.root.typ)
	}
	b := block.bytes()
	if len(b) < headSize || string(b[:8]) != magic || [32]byte(b[8:40]) != s.hash || binary.NativeEndian.Uint64(b[40:]) != byteOrder {
		return fmt.Errorf("%w: another head", ErrImage)
	}
	size, front := binary.NativeEndian.Uint64(b[48:]), binary.NativeEndian.Uint64(b[56:])
	if size != uint64(len(b)) || front < headSize || front > size {
		return fmt.Errorf("%w: %d bytes, of which the head says %d", ErrImage, len(b), size)
	}
	r := &reader{s: s, b: b, at: headSize, end: int(front)}
	if r.tables(int(size)); r.err != nil {
		return r.err
	}
	r.objects[0].at = v.UnsafePointer()
	for i := range r.objects[1:] {
		r.make(&r.objects[1+i])
	}
	for i := range r.objects {
		o := &r.objects[i]
		r.end = r.at + int(o.length) // tables saw to it that it fits
		if r.content(o); r.err == nil && r.at != r.end {
			r.fail("a value is shorter than its place")
		}
		if r.err != nil {
			return r.err
		}
	}
	return nil
}

// tables reads the tables and sees to it that what they say fits in the image.
func (r *reader) tables(size int) {
	nText, nArrays, nObjects := r.count(1), r.count(2), r.count(3)
	if nText+2*nArrays+3*nObjects > r.end-r.at {
		r.fail("the tables are longer than the image")
	}
	if r.err != nil {
		return
	}
	lengths := make([]uint64, nText)
	room := func(total *uint64, n uint64) {
		if *total += n; n > uint64(size) || *total > uint64(size) {
			r.fail("more content than bytes")
			*total = 0
		}
	}
	text, contents := uint64(0), uint64(0)
	for i := range lengths {
		lengths[i] = r.num()
		room(&text, lengths[i])
	}
	r.arrays, r.objects = make([]array, nArrays), make([]object, nObjects)
	at := up(int64(r.end))
	for i := range r.arrays {
		l, n := r.layout(), r.num()
		if r.err != nil {
			return
		}
		if l.form != formFlat || l.size == 0 || n > uint64(size)/uint64(l.size) || at+int64(n*uint64(l.size)) > int64(size) {
			r.fail("an array of %d %s is longer than the image", n, l.typ)
			return
		}
		length := int64(n * uint64(l.size))
		r.arrays[i] = array{r.b[at : at+length : at+length], n, l}
		at = up(at + length)
	}
	for i := range r.objects {
		o := object{layout: r.layout(), count: r.num(), length: r.num()}
		if r.err != nil {
			return
		}
		room(&contents, o.length)
		least := uint64(0)
		switch o.form {
		case formPointer, formSlice:
			least = o.elem.least
		case formMap:
			least = o.key.least + o.elem.least
		default:
			r.fail("%s is no object", o.typ)
			return
		}
		if o.form == formPointer && o.count != 1 || least > 0 && o.count > o.length/least {
			r.fail("%d values of %s in %d bytes", o.count, o.typ, o.length)
			return
		}
		r.objects[i] = o
	}
	if nObjects == 0 || r.objects[0].layout != r.s.root || at != int64(size) || text+contents != uint64(r.end-r.at) {
		r.fail("the lengths do not add up")
		return
	}
	r.text = make([]string, nText)
	for i, n := range lengths {
		if n > 0 {
			r.text[i] = unsafe.String(&r.b[r.at], int(n))
		}
		r.at += int(n)
	}
}

func (r *reader) layout() *layout {
	id := r.num()
	if id >= uint64(len(r.s.layouts)) {
		r.fail("type %d", id)
		return r.s.root
	}
	return r.s.layouts[id]
}

// make makes room for an object.
func (r *reader) make(o *object) {
	switch o.form {
	case formPointer:
		o.at = reflect.New(o.elem.typ).UnsafePointer()
	case formSlice:
		o.at = reflect.MakeSlice(o.typ, int(o.count), int(o.count)).UnsafePointer()
	case formMap:
		o.at = reflect.MakeMapWithSize(o.typ, int(o.count)).UnsafePointer()
	}
}

// object finds an object of a type by its number; nil for none.
func (r *reader) object(l *layout, id uint64) *object {
	if id == 0 {
		return nil
	}
	if id < firstSlice || id-firstSlice >= uint64(len(r.objects)) || r.objects[id-firstSlice].layout != l {
		r.fail("object %d is no %s", id, l.typ)
		return nil
	}
	return &r.objects[id-firstSlice]
}

func (r *reader) bytes(p unsafe.Pointer, n uintptr) {
	if uintptr(r.end-r.at) < n {
		r.fail("a value is cut off")
		return
	}
	copy(unsafe.Slice((*byte)(p), n), r.b[r.at:])
	r.at += int(n)
}

// empty is where slices without elements point.
var empty [1]uint64

func (r *reader) value(l *layout, p unsafe.Pointer) {
	switch l.form {
	case formFlat:
		r.bytes(p, l.size)
	case formString:
		id := r.num()
		if id > uint64(len(r.text)) {
			r.fail("string %d", id)
		} else if id > 0 {
			*(*string)(p) = r.text[id-1]
		}
	case formPointer, formMap:
		if o := r.object(l, r.num()); o != nil {
			*(*unsafe.Pointer)(p) = o.at
		}
	case formSlice:
		r.slice(l, p)
	case formArray:
		for i := range l.n {
			r.value(l.elem, unsafe.Add(p, uintptr(i)*l.elem.size))
		}
	case formStruct:
		for i := range l.fields {
			f := &l.fields[i]
			at := unsafe.Add(p, f.at)
			if f.layout == nil {
				r.bytes(at, f.flat)
			} else {
				r.value(f.layout, at)
			}
		}
	}
}

func (r *reader) slice(l *layout, p unsafe.Pointer) {
	id := r.num()
	switch {
	case id == 0:
	case id == 1:
		*(*header)(p) = header{unsafe.Pointer(&empty), 0, 0}
	case l.elem.form == formFlat:
		if id-firstSlice >= uint64(len(r.arrays)) || r.arrays[id-firstSlice].elem != l.elem {
			r.fail("array %d is none of %s", id, l.elem.typ)
			return
		}
		a := &r.arrays[id-firstSlice]
		*(*header)(p) = header{unsafe.Pointer(unsafe.SliceData(a.data)), int(a.count), int(a.count)}
	default:
		if o := r.object(l, id); o != nil {
			*(*header)(p) = header{o.at, int(o.count), int(o.count)}
		}
	}
}

func (r *reader) content(o *object) {
	switch o.form {
	case formPointer:
		r.value(o.elem, o.at)
	case formSlice:
		for i := range o.count {
			if r.err != nil {
				return
			}
			r.value(o.elem, unsafe.Add(o.at, uintptr(i)*o.elem.size))
		}
	case formMap:
		at := o.at
		m := reflect.NewAt(o.typ, unsafe.Pointer(&at)).Elem()
		for range o.count {
			k, v := reflect.New(o.key.typ), reflect.New(o.elem.typ)
			r.value(o.key, k.UnsafePointer())
			r.value(o.elem, v.UnsafePointer())
			if r.err != nil {
				return
			}
			m.SetMapIndex(k.Elem(), v.Elem())
		}
		if uint64(m.Len()) != o.count {
			r.fail("a key stands twice")
		}
	}
}
