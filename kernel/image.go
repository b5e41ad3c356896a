package kernel

import (
	"encoding/binary"
	"fmt"
	"unsafe"
)

// An image is: 8 bytes of magic; uint64 byte order mark, count of numbers, count of sections; the numbers (int64); the sections
// as (offset, length) pairs of uint64; the sections, each at a multiple of 64 bytes. All in the byte order of the machine: an image
// crosses a process border, not a network.

const (
	imageHead  = 32
	imageOrder = 0x0102030405060708
	imageAlign = 64
)

type imageWriter struct {
	magic string
	nums  []int64
	secs  [][]byte
}

func (w *imageWriter) num(v ...int64)      { w.nums = append(w.nums, v...) }
func (w *imageWriter) section(b ...[]byte) { w.secs = append(w.secs, b...) }

func (w *imageWriter) bytes() []byte {
	at := imageHead + 8*len(w.nums) + 16*len(w.secs)
	size := at
	for _, s := range w.secs {
		size = align(size) + len(s)
	}
	// Backed by words, so that views of 8-byte values are aligned.
	b := bytesOf(make([]uint64, (size+7)/8))[:size:size]
	copy(b, w.magic)
	ne := binary.NativeEndian
	ne.PutUint64(b[8:], imageOrder)
	ne.PutUint64(b[16:], uint64(len(w.nums)))
	ne.PutUint64(b[24:], uint64(len(w.secs)))
	p := imageHead
	for _, v := range w.nums {
		ne.PutUint64(b[p:], uint64(v))
		p += 8
	}
	for _, s := range w.secs {
		at = align(at)
		ne.PutUint64(b[p:], uint64(at))
		ne.PutUint64(b[p+8:], uint64(len(s)))
		p += 16
		at += copy(b[at:], s)
	}
	return b
}

func align(n int) int { return (n + imageAlign - 1) &^ (imageAlign - 1) }

type imageReader struct {
	b          []byte
	nums, secs int // read so far
	nNum, nSec int
	err        error
}

func openImage(magic string, b []byte) (*imageReader, error) {
	if len(b) < imageHead || string(b[:8]) != magic {
		return nil, fmt.Errorf("%w: no %s image", ErrImage, magic)
	}
	if uintptr(unsafe.Pointer(unsafe.SliceData(b)))%8 != 0 {
		return nil, fmt.Errorf("%w: not at a multiple of 8 bytes", ErrImage)
	}
	ne := binary.NativeEndian
	if ne.Uint64(b[8:]) != imageOrder {
		return nil, fmt.Errorf("%w: other byte order", ErrImage)
	}
	nNum, nSec := ne.Uint64(b[16:]), ne.Uint64(b[24:])
	room := uint64(len(b) - imageHead)
	if nNum > room/8 || nSec > room/16 || 8*nNum+16*nSec > room {
		return nil, fmt.Errorf("%w: tables longer than the image", ErrImage)
	}
	return &imageReader{b: b, nNum: int(nNum), nSec: int(nSec)}, nil
}

func (r *imageReader) fail(what string) {
	if r.err == nil {
		r.err = fmt.Errorf("%w: %s", ErrImage, what)
	}
}

func (r *imageReader) num() int64 {
	if r.nums >= r.nNum {
		r.fail("a number is missing")
		return 0
	}
	r.nums++
	return int64(binary.NativeEndian.Uint64(r.b[imageHead+8*(r.nums-1):]))
}

// view returns the next section as a slice of values that are valid whatever their bits.
func view[T any](r *imageReader) []T {
	var zero T
	size := uint64(unsafe.Sizeof(zero))
	if r.secs >= r.nSec {
		r.fail("a section is missing")
		return nil
	}
	p := imageHead + 8*r.nNum + 16*r.secs
	r.secs++
	off, n := binary.NativeEndian.Uint64(r.b[p:]), binary.NativeEndian.Uint64(r.b[p+8:])
	if off > uint64(len(r.b)) || n > uint64(len(r.b))-off || off%8 != 0 || n%size != 0 {
		r.fail(fmt.Sprintf("section %d lies outside or off its alignment", r.secs-1))
		return nil
	}
	if n == 0 {
		return nil
	}
	return unsafe.Slice((*T)(unsafe.Pointer(&r.b[off])), n/size)
}

const programMagic = "WATTDPG1"

// Image returns the program as one relocatable byte range for OpenProgram.
func (p *Program) Image() []byte {
	w := imageWriter{magic: programMagic}
	w.num(int64(p.NNet))
	w.section(
		bytesOf(p.GateOut), bytesOf(p.GateFn), bytesOf(p.GateShape), bytesOf(p.GatePin), bytesOf(p.GateArc), bytesOf(p.GateLimit),
		bytesOf(p.PinNet), bytesOf(p.PinWire), bytesOf(p.Wires), bytesOf(p.ArcDelay), bytesOf(p.ArcReject), bytesOf(p.ArcError),
		bytesOf(p.Fns), bytesOf(p.Words), bytesOf(p.Code), bytesOf(p.Shapes), bytesOf(p.SlotMap), bytesOf(p.ListOff), bytesOf(p.Cands),
		bytesOf(p.Order), bytesOf(p.LevelStart))
	return w.bytes()
}

// OpenProgram gives a view of an image, which must start at a multiple of 8 bytes and stay unchanged while the program is
// used. The program is validated: no engine can be led outside of it.
func OpenProgram(image []byte) (*Program, error) {
	r, err := openImage(programMagic, image)
	if err != nil {
		return nil, err
	}
	nNet := r.num()
	// A net needs no bytes of its own, but few have neither a pin nor a gate; a garbled number must not take all memory.
	if nNet < 0 || nNet > 1<<31-1 || nNet > 1<<20+int64(len(image)) {
		r.fail("number of nets")
	}
	if r.err != nil {
		return nil, r.err
	}
	p := &Program{NNet: int32(nNet)}
	p.GateOut, p.GateFn, p.GateShape = view[int32](r), view[int32](r), view[int32](r)
	p.GatePin, p.GateArc, p.GateLimit = view[int32](r), view[int32](r), view[int32](r)
	p.PinNet, p.PinWire, p.Wires = view[int32](r), view[int32](r), view[Wire](r)
	p.ArcDelay, p.ArcReject, p.ArcError = view[int32](r), view[int32](r), view[int32](r)
	p.Fns, p.Words, p.Code = view[Fn](r), view[uint64](r), view[uint32](r)
	shapes := r.secs
	// A bool may hold 0 or 1 only, so look at its bytes before there is one.
	raw := view[[unsafe.Sizeof(Shape{})]uint8](r)
	for i := range raw {
		if raw[i][unsafe.Offsetof(Shape{}.List)] > 1 {
			r.fail(fmt.Sprintf("shape %d", i))
		}
	}
	r.secs = shapes
	p.Shapes = view[Shape](r)
	p.SlotMap, p.ListOff, p.Cands = view[int16](r), view[int32](r), view[Cand](r)
	p.Order, p.LevelStart = view[int32](r), view[int32](r)
	if r.err != nil {
		return nil, r.err
	}
	if err := p.Validate(); err != nil {
		return nil, err
	}
	return p, nil
}
