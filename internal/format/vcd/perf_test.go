package vcd

import (
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/wattd/wattd/internal/diag"
)

// dumpText is an endless dump of n one-bit variables (every 16th has 32 bits), cut after size bytes: the header once,
// then one block of changes again and again under rising times.
type dumpText struct {
	head, block []byte
	rest        []byte
	left        int64
	t           int64
}

func newDump(n int, size int64) *dumpText {
	d := &dumpText{left: size}
	d.head = append(d.head, "$timescale 1ps $end\n$scope module top $end\n"...)
	for i := range n {
		w := 1
		if i%16 == 15 {
			w = 32
		}
		d.head = fmt.Appendf(d.head, "$var wire %d %s n%d $end\n", w, code(i, true), i)
	}
	d.head = append(d.head, "$upscope $end\n$enddefinitions $end\n"...)
	r := rand.New(rand.NewPCG(3, 4))
	for len(d.block) < 256<<10 {
		i := r.IntN(n)
		if i%16 == 15 {
			d.block = fmt.Appendf(d.block, "b%b %s\n", r.Uint32(), code(i, true))
		} else {
			d.block = fmt.Appendf(d.block, "%d%s\n", r.IntN(2), code(i, true))
		}
	}
	d.rest = d.head
	return d
}

func (d *dumpText) Read(p []byte) (int, error) {
	if len(d.rest) == 0 {
		if d.left <= 0 {
			return 0, io.EOF
		}
		d.t += 5
		d.rest = fmt.Appendf(d.block[:len(d.block):len(d.block)], "#%d\n", d.t)
	}
	n := copy(p, d.rest)
	d.rest = d.rest[n:]
	d.left -= int64(n)
	return n, nil
}

type count struct{ times, changes int64 }

func (c *count) Time(int64) bool           { c.times++; return true }
func (c *count) Change(int32, []byte) bool { c.changes++; return true }
func (c *count) DumpOff() bool             { return true }
func (c *count) DumpOn() bool              { return true }

func every(n int) func(*Header) []bool {
	return func(h *Header) []bool {
		w := make([]bool, h.NumIDs)
		for i := range w {
			w[i] = i%n == 0
		}
		return w
	}
}

// A dump far larger than memory should be is read with constant memory.
func TestMemoryIsBounded(t *testing.T) {
	const ids = 20_000
	var bag diag.Bag
	d := newDump(ids, 200<<20)
	r := NewReader(d, "t", &bag)
	h, err := r.Header(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	w := every(100)(h)
	var before, after runtime.MemStats
	d.rest = append([]byte{}, d.rest...)
	runtime.GC()
	runtime.ReadMemStats(&before)
	var c count
	st, err := r.Body(t.Context(), w, &c)
	runtime.ReadMemStats(&after)
	if err != nil || bag.Totals() != nil {
		t.Fatal(err, bag.Totals())
	}
	if c.changes != st.Changes || st.Changes == 0 || st.Skipped < 50*st.Changes {
		t.Errorf("%+v", st)
	}
	// The generator makes a block for every 256 KiB; what the reader keeps is its table.
	if live := int64(after.HeapSys) - int64(before.HeapSys); live > 64<<20 {
		t.Errorf("heap grew by %d MiB", live>>20)
	}
}

// endless repeats one byte.
type endless struct {
	c    byte
	left int64
}

func (e *endless) Read(p []byte) (int, error) {
	if e.left <= 0 {
		return 0, io.EOF
	}
	n := min(int64(len(p)), e.left)
	for i := range p[:n] {
		p[i] = e.c
	}
	e.left -= n
	return int(n), nil
}

func TestHugeLines(t *testing.T) {
	const size = 100 << 20
	for _, tc := range []struct{ name, head, msg string }{
		{"header word", "", "vcd-token-too-long"},
		{"name", "$timescale 1ns $end $var wire 1 ! ", "vcd-token-too-long"},
		{"body word", head + "#1\n", "vcd-token-too-long"},
		{"vector", head + "#1\nb", "vcd-token-too-long"},
		{"comment", head + "$comment ", "vcd-token-too-long"},
		{"string", head + "#1\ns", "vcd-token-too-long"},
	} {
		_, _, _, msgs := read(t, io.MultiReader(strings.NewReader(tc.head), &endless{'1', size}), nil)
		if len(msgs) != 1 || !strings.HasPrefix(msgs[0], tc.msg) {
			t.Errorf("%s: %v", tc.name, msgs)
		}
	}
	// A line without end made of good changes is no fault.
	_, _, st, msgs := read(t, io.MultiReader(strings.NewReader(head), &repeat{text: "1! 0! b1 # ", left: size}), func(*Header) []bool { return []bool{} })
	if st.Skipped < size/5 || len(msgs) != 1 && msgs != nil {
		t.Errorf("%+v, %v", st, msgs)
	}
}

type repeat struct {
	text string
	at   int
	left int
}

func (r *repeat) Read(p []byte) (int, error) {
	if r.left <= 0 {
		return 0, io.EOF
	}
	n := 0
	for n < len(p) {
		k := copy(p[n:], r.text[r.at:])
		n += k
		r.at = (r.at + k) % len(r.text)
	}
	r.left -= n
	return n, nil
}

func BenchmarkBody(b *testing.B) {
	const size = 64 << 20
	for _, bm := range []struct {
		name string
		ids  int
		want func(*Header) []bool
	}{
		{"ids=1000/want=1%", 1000, every(100)},
		{"ids=1000/want=all", 1000, every(1)},
		{"ids=100000/want=1%", 100_000, every(100)},
		{"ids=100000/want=all", 100_000, every(1)},
	} {
		b.Run(bm.name, func(b *testing.B) {
			d := newDump(bm.ids, size)
			text := make([]byte, 0, size+len(d.block))
			for len(text) < size {
				text = append(text, d.block...)
			}
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				b.StopTimer()
				var bag diag.Bag
				r := NewReader(io.MultiReader(strings.NewReader(string(d.head)), strings.NewReader(string(text))), "t", &bag)
				h, err := r.Header(b.Context())
				if err != nil {
					b.Fatal(err)
				}
				w := bm.want(h)
				b.StartTimer()
				var c count
				if _, err := r.Body(b.Context(), w, &c); err != nil || bag.Errors() > 0 {
					b.Fatal(err, bag.Totals())
				}
			}
		})
	}
}

func BenchmarkHeader(b *testing.B) {
	d := newDump(100_000, 0)
	b.SetBytes(int64(len(d.head)))
	for b.Loop() {
		var bag diag.Bag
		r := NewReader(strings.NewReader(string(d.head)), "t", &bag)
		if _, err := r.Header(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}
