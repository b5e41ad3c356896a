package liberty

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/ulikunitz/xz"
	"github.com/wattd/wattd/internal/diag"
	"github.com/wattd/wattd/internal/testenv"
)

// sources returns the product sources of this package.
func sources(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	var src []string
	for _, f := range files {
		if strings.HasSuffix(f, "_test.go") {
			continue
		}
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		src = append(src, string(b))
	}
	return src
}

func corpusText(t testing.TB, path ...string) []byte {
	t.Helper()
	f, err := os.Open(filepath.Join(append([]string{testenv.Corpus(t)}, path...)...))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var r io.Reader = f
	switch filepath.Ext(f.Name()) {
	case ".gz":
		r, err = gzip.NewReader(f)
	case ".xz":
		r, err = xz.NewReader(f)
	}
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// The real libraries load whole, without a message.
func TestCorpus(t *testing.T) {
	for _, c := range []struct {
		path                                             []string
		cells, ff, latch, states, timing, power, leakage int
	}{
		{[]string{"liberty", "sky130hd_tt.lib.gz"}, 428, 45, 18, 6, 1842, 2477, 6244},
		{[]string{"liberty", "sg13g2_stdcell_typ_1p20V_25C.lib.xz"}, 84, 9, 5, 2, 384, 499, 637},
		{[]string{"liberty", "micro_cells.lib"}, 27, 2, 3, 1, 0, 0, 0},
		{[]string{"micro", "cells", "cells.lib"}, 27, 2, 3, 1, 0, 0, 0},
	} {
		name := c.path[len(c.path)-1]
		t.Run(name, func(t *testing.T) {
			l := clean(t, string(corpusText(t, c.path...)))
			var ff, latch, states, timing, power, leakage int
			for _, cell := range l.Cells {
				ff += len(cell.FF)
				latch += len(cell.Latch)
				leakage += len(cell.Leakage)
				if cell.States != nil {
					states++
				}
				vars := cell.StateVars()
				for _, p := range cell.Pins {
					timing += len(p.Timing)
					power += len(p.Power)
					for _, tm := range p.Timing {
						if tm.Type == "" && (tm.CellRise == nil || tm.CellFall == nil || tm.CellRise.Template == nil) {
							t.Errorf("%s %s: arc without tables", cell.Name, p.Name)
						}
					}
					if p.Dir == Output && p.Function == nil && p.StateFunction == nil {
						t.Errorf("%s %s: output without a function", cell.Name, p.Name)
					}
					if p.Function != nil {
						for _, v := range p.Function.Vars() {
							if cell.PinIndex(v) < 0 && !contains(vars, v) {
								t.Errorf("%s %s: function names %s", cell.Name, p.Name, v)
							}
						}
					}
				}
			}
			got := []int{len(l.Cells), ff, latch, states, timing, power, leakage}
			if msg := want(got, []int{c.cells, c.ff, c.latch, c.states, c.timing, c.power, c.leakage}); msg != "" {
				t.Error(msg)
			}
		})
	}
}

func contains(l []string, s string) bool {
	for _, x := range l {
		if x == s {
			return true
		}
	}
	return false
}

func TestReadFault(t *testing.T) {
	fault := errors.New("disk")
	var bag diag.Bag
	_, err := Read(context.Background(), io.MultiReader(strings.NewReader("library (l) { cell (C) {"), failing{fault}), "t.lib", &bag)
	if !errors.Is(err, fault) || len(bag.Totals()) != 0 {
		t.Errorf("error %v, messages %v", err, bag.Totals())
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err = Read(ctx, strings.NewReader("library (l) { }"), "t.lib", &bag); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// endless gives n bytes of a repeated text.
type endless struct {
	text string
	n    int
	off  int
}

func (e *endless) Read(b []byte) (int, error) {
	if e.n == 0 {
		return 0, io.EOF
	}
	k := 0
	for k < len(b) && e.n > 0 {
		m := copy(b[k:min(len(b), k+e.n)], e.text[e.off:])
		k += m
		e.n -= m
		e.off = (e.off + m) % len(e.text)
	}
	return k, nil
}

// However long a line, a name, a string, a list or a nest is, memory is bounded and the end is reached.
func TestHugeInputs(t *testing.T) {
	for _, c := range []struct{ name, head, repeat string }{
		{"one line of groups", "library (l) { ", "x (a) { b : 1; } "},
		{"one name", "library (l) { ", "a"},
		{"one string", "library (l) { a : \"", "abc "},
		{"one string of lines", "library (l) { a (\"", "a\\\n"},
		{"one list", "library (l) { a (", "1, "},
		{"nested values", "library (l) { a (", "("},
		{"nested groups", "library (l) { cell (C) { ", "x () { "},
		{"nested kept groups", "library (l) { wire_load (C) { ", "x () { "},
		{"comment", "library (l) { /* ", "* "},
		{"braces", "library (l) { ", "}"},
		{"open braces", "library (l) { ", "{"},
		{"zeros", "", "\x00"},
		{"blank", "library (l) { ", " "},
	} {
		t.Run(c.name, func(t *testing.T) {
			size := 24 << 20
			if c.name == "one line of groups" {
				size = 100 << 20
			}
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			var bag diag.Bag
			if _, err := Read(context.Background(), io.MultiReader(strings.NewReader(c.head), &endless{text: c.repeat, n: size}), "t.lib", &bag); err != nil {
				t.Fatal(err)
			}
			runtime.ReadMemStats(&after)
			if got := after.TotalAlloc - before.TotalAlloc; got > 400<<20 {
				t.Errorf("%d MiB allocated for %d MiB", got>>20, size>>20)
			}
			if c.name != "one line of groups" && bag.Errors() == 0 {
				t.Error("no error")
			}
		})
	}
}

// Cutting or changing a good library anywhere gives messages, no panic, and a cut an error.
func TestDamaged(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("testdata", "mini.lib"))
	if err != nil {
		t.Fatal(err)
	}
	text = bytes.TrimRight(text, "\n")
	for n := 0; n < len(text); n += 3 {
		var bag diag.Bag
		if _, err := Read(context.Background(), bytes.NewReader(text[:n]), "t.lib", &bag); err != nil {
			t.Fatal(err)
		}
		if bag.Errors() == 0 {
			t.Fatalf("no error for the first %d bytes", n)
		}
	}
	r := rand.New(rand.NewPCG(7, 7))
	for range 3000 {
		b := bytes.Clone(text)
		for range 1 + r.IntN(4) {
			b[r.IntN(len(b))] = "{}();:\",\\/*\n!'A0\x00\xff"[r.IntN(18)]
		}
		var bag diag.Bag
		if _, err := Read(context.Background(), bytes.NewReader(b), "t.lib", &bag); err != nil {
			t.Fatal(err)
		}
	}
}

// The result does not depend on how the bytes arrive.
func TestSmallReads(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("testdata", "mini.lib"))
	if err != nil {
		t.Fatal(err)
	}
	var want, got strings.Builder
	dump(&want, clean(t, string(text)))
	var bag diag.Bag
	l, err := Read(context.Background(), oneByte{bytes.NewReader(text)}, "t.lib", &bag)
	if err != nil {
		t.Fatal(err)
	}
	dump(&got, l)
	if got.String() != want.String() {
		t.Error("byte by byte the library differs")
	}
}

type oneByte struct{ r io.Reader }

func (o oneByte) Read(b []byte) (int, error) { return o.r.Read(b[:min(1, len(b))]) }

func FuzzRead(f *testing.F) {
	mini, err := os.ReadFile(filepath.Join("testdata", "mini.lib"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(mini)
	f.Add([]byte("library (l) { cell (C) { pin (A[1:0]) { direction : input\n function : \"A' + 1\"; } } }"))
	f.Add([]byte("library(l){statetable(\"A\",\"M\"){table:\"L:-:N\";}type(t){bit_width:2;}}"))
	f.Fuzz(func(t *testing.T, b []byte) {
		var bag diag.Bag
		l, err := Read(context.Background(), bytes.NewReader(b), "t.lib", &bag)
		if err != nil {
			t.Fatal(err)
		}
		var s strings.Builder
		dump(&s, l)
		for _, c := range l.Cells {
			for i, p := range c.Pins {
				if c.PinIndex(p.Name) != int32(i) {
					t.Fatalf("pin %q is not at %d", p.Name, i)
				}
				if p.Bus >= 0 && int(p.Bus) >= len(c.Buses) {
					t.Fatalf("pin %q of bus %d", p.Name, p.Bus)
				}
			}
		}
	})
}

func BenchmarkRead(b *testing.B) {
	text := corpusText(b, "liberty", "sky130hd_tt.lib.gz")
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		var bag diag.Bag
		if _, err := Read(context.Background(), bytes.NewReader(text), "sky130.lib", &bag); err != nil {
			b.Fatal(err)
		}
	}
}

// A few bytes of text can stand for many bits; the work and memory for them end.
func TestBusesAreBounded(t *testing.T) {
	many := strings.Repeat
	head := "library (l) { type (b) { bit_from : 16383; bit_to : 0; } cell (C) { "
	for _, c := range []struct{ name, text string }{
		{"names", head + "bus (" + many("A,B,", 1) + seq("N", 5000) + ") { bus_type : b; direction : input; } } }"},
		{"ranges", head + many("pin (A[16383:0]) { direction : input; timing () { related_pin : A; } } ", 5000) + "} }"},
		{"pins inside", head + "bus (A) { bus_type : b; direction : input; " + many("pin (A[16383:0]) { timing () { related_pin : \"A[16383:0]\"; } } ", 5000) + "} } }"},
		{"function", head + "bus (A) { bus_type : b; direction : output; function : \"" + many("A ", 100_000) + "\"; } } }"},
		{"ranges in a function", head + "bus (A) { bus_type : b; direction : output; function : \"" + many("A[16382:1] ", 50_000) + "\"; } } }"},
		{"related", head + "bus (A) { bus_type : b; direction : output; timing () { related_bus_pins : \"" + many("A ", 1000) + "\"; } } } }"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			l, _ := read(t, c.text)
			runtime.ReadMemStats(&after)
			if got := after.TotalAlloc - before.TotalAlloc; got > 2<<30 {
				t.Errorf("%d MiB allocated for %d KiB", got>>20, len(c.text)>>10)
			}
			if l.Cell("C") == nil {
				t.Error("the cell is lost")
			}
		})
	}
}

// seq writes n names, separated by commas.
func seq(name string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%s%d,", name, i)
	}
	return b.String()
}
