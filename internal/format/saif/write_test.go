package saif

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// script writes a small file in a dialect.
func script(d Dialect) (string, error) {
	var b bytes.Buffer
	w := NewWriter(&b, Header{Design: `to"p`, Duration: 1000, Timescale: "1 ps", Divider: '.', Dialect: d, Program: "wattd", Version: "1.0"})
	w.BeginInstance("", "tb")
	w.BeginPorts() // empty: not written
	w.BeginNets()
	w.Entry("a", 3, Counts{T0: 400, T1: 600, TC: 12, IG: 2, HasIG: true})
	w.Entry("dpath.x$in[1]", -2, Counts{T0: 400, T1: 300, TX: 200, TZ: 60, TB: 40, TC: 1})
	w.BeginInstance("INV", "g[0].u/v")
	w.BeginPorts()
	w.Entry("Y", NoBit, Counts{T0: 1000})
	w.EndInstance()
	w.BeginInstance("INV", "empty")
	w.EndInstance()
	w.BeginNets()
	w.Entry("b", NoBit, Counts{T1: 1000})
	w.EndInstance()
	err := w.Close()
	return b.String(), err
}

func TestWriter(t *testing.T) {
	const head = `(SAIFILE
(SAIFVERSION "2.0")
(DIRECTION "backward")
(DESIGN "to\"p")
(PROGRAM_NAME "wattd")
(VERSION "1.0")
(DIVIDER . )
(TIMESCALE 1 ps)
(DURATION 1000)
(INSTANCE tb
`
	const tail = ")\n)\n)\n"
	for d, body := range map[Dialect]string{
		Generic: `(NET
(a[3] (T0 400) (T1 600) (TX 0) (TC 12) (IG 2))
(dpath\.x$in[1][-2] (T0 400) (T1 300) (TX 200) (TZ 60) (TB 40) (TC 1))
)
(INSTANCE "INV" g[0]\.u/v
(PORT
(Y (T0 1000) (T1 0) (TX 0) (TC 0))
)
)
(INSTANCE "INV" empty
)
(NET
(b (T0 0) (T1 1000) (TX 0) (TC 0))
`,
		OpenSTA: `(NET
(a\[3\] (T0 400) (T1 600) (TX 0) (TC 12) (IG 2))
(dpath\.x\$in\[1\]\[-2\] (T0 400) (T1 300) (TX 200) (TZ 60) (TB 40) (TC 1))
)
(INSTANCE "INV" g\[0\]\.u\/v
(PORT
(Y (T0 1000) (T1 0) (TX 0) (TC 0))
)
)
(INSTANCE "INV" empty
)
(NET
(b (T0 0) (T1 1000) (TX 0) (TC 0))
`,
		Synopsys: `(NET
(a\[3\] (T0 400) (T1 600) (TX 0) (TZ 0) (TB 0) (TC 12) (IG 2))
(dpath\.x\$in\[1\]\[-2\] (T0 400) (T1 300) (TX 200) (TZ 60) (TB 40) (TC 1) (IG 0))
)
(INSTANCE "INV" g\[0\]\.u\/v
(PORT
(Y (T0 1000) (T1 0) (TX 0) (TZ 0) (TB 0) (TC 0) (IG 0))
)
)
(INSTANCE "INV" empty
)
(NET
(b (T0 0) (T1 1000) (TX 0) (TZ 0) (TB 0) (TC 0) (IG 0))
`,
	} {
		got, err := script(d)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(head+body+tail, got); diff != "" {
			t.Errorf("dialect %d: %s", d, diff)
		}
	}
}

// What is written reads back the same in every dialect.
func TestRoundTrip(t *testing.T) {
	name := rapid.StringMatching(`[A-Za-z_][A-Za-z0-9_$./\[\]:()"#]{0,12}[a-z]`)
	count := rapid.Int64Range(0, 1e17)
	rapid.Check(t, func(t *rapid.T) {
		dialect := rapid.SampledFrom([]Dialect{Generic, OpenSTA, Synopsys}).Draw(t, "dialect")
		var text bytes.Buffer
		var want strings.Builder
		w := NewWriter(&text, Header{Duration: 7, Timescale: "10 ns", Divider: rapid.SampledFrom([]byte("./")).Draw(t, "divider"), Dialect: dialect})
		path := []string{}
		for range rapid.IntRange(1, 20).Draw(t, "steps") {
			if len(path) == 0 || rapid.Bool().Draw(t, "down") {
				path = append(path, name.Draw(t, "inst"))
				w.BeginInstance(rapid.SampledFrom([]string{"", "CELL"}).Draw(t, "module"), path[len(path)-1])
			} else if rapid.Bool().Draw(t, "up") {
				path = path[:len(path)-1]
				w.EndInstance()
				continue
			}
			kind := Kind(rapid.IntRange(0, 1).Draw(t, "kind"))
			if kind == Net {
				w.BeginNets()
			} else {
				w.BeginPorts()
			}
			for range rapid.IntRange(0, 3).Draw(t, "entries") {
				n, bit := name.Draw(t, "name"), int32(NoBit)
				if rapid.Bool().Draw(t, "bus") {
					bit = rapid.Int32Range(-99, 99).Draw(t, "bit")
				}
				c := Counts{
					T0: count.Draw(t, "T0"), T1: count.Draw(t, "T1"), TX: count.Draw(t, "TX"), TZ: count.Draw(t, "TZ"),
					TB: count.Draw(t, "TB"), TC: count.Draw(t, "TC"), IG: count.Draw(t, "IG"), HasIG: true,
				}
				w.Entry(n, bit, c)
				fmt.Fprintf(&want, "%q %d %q %d %v\n", path, kind, n, bit, c)
			}
		}
		for range path {
			w.EndInstance()
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		var got strings.Builder
		f, bag := readAny(t, text.String())
		if bag.Errors() > 0 {
			t.Fatal(messages(bag))
		}
		for i, e := range f.Entries {
			path := []string{}
			for _, n := range f.Path(e.Inst, nil) {
				path = append(path, f.Names.String(n))
			}
			bit := int32(NoBit)
			if e.Form != NoIndex {
				bit = e.Index
			}
			get := func(c Counter) int64 { v, _ := f.Value(int32(i), c); return v.Int }
			c := Counts{get(T0), get(T1), get(TX), get(TZ), get(TB), get(TC), get(IG), true}
			fmt.Fprintf(&got, "%q %d %q %d %v\n", path, e.Kind, f.Names.String(e.Name), bit, c)
		}
		if d := cmp.Diff(want.String(), got.String()); d != "" {
			t.Fatalf("%s\n%s", d, text.String())
		}
	})
}

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestWriterFaults(t *testing.T) {
	w := NewWriter(fullDisk{}, Header{})
	if err := w.Close(); err == nil {
		t.Error("a full disk went by")
	}
	for what, f := range map[string]func(w *Writer){
		"entry outside":     func(w *Writer) { w.Entry("a", NoBit, Counts{}) },
		"entry in no group": func(w *Writer) { w.BeginInstance("", "a"); w.Entry("a", NoBit, Counts{}); w.EndInstance() },
		"open":              func(w *Writer) { w.BeginInstance("", "a") },
		"unopened":          func(w *Writer) { w.EndInstance() },
		"white space":       func(w *Writer) { w.BeginInstance("", "a b"); w.EndInstance() },
		"no name":           func(w *Writer) { w.BeginInstance("", ""); w.EndInstance() },
	} {
		w := NewWriter(new(bytes.Buffer), Header{})
		f(w)
		if w.Close() == nil {
			t.Error(what, "went by")
		}
	}
}

func TestWriterDoesNotAllocate(t *testing.T) {
	var b bytes.Buffer
	b.Grow(1 << 20)
	w := NewWriter(&b, Header{Duration: 1, Timescale: "1 ps", Dialect: OpenSTA})
	if n := testing.AllocsPerRun(1000, func() {
		w.BeginInstance("INV", "u[1]")
		w.BeginPorts()
		w.Entry("Y", 3, Counts{T0: 1234, TC: 5})
		w.EndInstance()
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestParseDialect(t *testing.T) {
	for _, s := range []string{"generic", "opensta", "synopsys"} {
		if _, err := ParseDialect(s); err != nil {
			t.Error(err)
		}
	}
	if _, err := ParseDialect("x"); err == nil {
		t.Error("x is no dialect")
	}
}
