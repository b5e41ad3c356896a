package vcd

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/wattd/wattd/internal/testenv"
)

var update = flag.Bool("update", false, "rewrite golden files")

// sample writes a small dump with one of everything.
func sample(out io.Writer) error {
	w := NewWriter(out, WriterOptions{UnitExp: -12, UnitCoef: 1, Version: "wattd", Comment: "a sample"})
	top := w.Scope(0, "module", "top")
	clk := w.Var(top, "wire", "clk", 1, nil)
	u := w.Scope(top, "module", "u_core.gen[3]")
	w.Alias(u, "wire", "CK", clk, nil)
	bus := w.Var(top, "wire", "data", 8, &Range{7, 0})
	odd := w.Var(u, "reg", "ctrl.state.out[1]", 1, nil)
	bit := w.Var(u, "wire", "q", 1, &Range{3, 3})
	up := w.Var(u, "wire", "$up", 4, &Range{0, 3})
	w.Begin(100, func(id int32) []byte {
		return map[int32][]byte{clk: {'0'}, bus: []byte("00000101"), odd: {'x'}, bit: {'z'}, up: []byte("xxx1")}[id]
	})
	w.Time(100)
	w.Bit(clk, '1')
	w.Time(150)
	w.Bit(clk, '0')
	w.Vector(bus, []byte("11110000"))
	w.Vector(up, []byte("zzzz"))
	w.Time(170)
	w.Gap()
	w.Time(180)
	w.Resume(func(id int32) []byte { return bytes.Repeat([]byte{'1'}, int(w.widths[id])) })
	return w.Close(200)
}

func TestWriterGolden(t *testing.T) {
	var b bytes.Buffer
	if err := sample(&b); err != nil {
		t.Fatal(err)
	}
	golden := filepath.Join("testdata", "sample.vcd")
	if *update {
		if err := os.WriteFile(golden, b.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), b.String()); d != "" {
		t.Errorf("(-golden +got):\n%s", d)
	}
	h, got, _, msgs := read(t, &b, nil)
	if msgs != nil {
		t.Error(msgs)
	}
	const vs = "top|clk 1 wire #0\ntop|data [7:0] 8 wire #1\ntop|\\u_core.gen[3]|CK 1 wire #0\n" +
		"top|\\u_core.gen[3]|\\ctrl.state.out[1] 1 reg #2\ntop|\\u_core.gen[3]|q [3:3] 1 wire #3\ntop|\\u_core.gen[3]|\\$up [0:3] 4 wire #4\n"
	if d := cmp.Diff(vs, vars(h)); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if want := "@100 0=0 1=00000101 2=x 3=z 4=xxx1 0=1 @150 0=0 1=11110000 4=zzzz @170 off @180 on 0=1 1=11111111 2=1 3=1 4=1111 @200"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// An independent reader takes what we write.
func TestWriterAgainstGTKWave(t *testing.T) {
	tool := testenv.Require(t, "vcd2fst")
	dir := t.TempDir()
	in, out := filepath.Join(dir, "a.vcd"), filepath.Join(dir, "a.fst")
	f, err := os.Create(in)
	if err == nil {
		err = sample(f)
	}
	if err == nil {
		err = f.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	if msg, err := exec.Command(tool, in, out).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, msg)
	}
	back, err := exec.Command(testenv.Require(t, "fst2vcd"), out).Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []string{"clk", "data [7:0]", "ctrl.state.out[1]", "gen[3]"} {
		if !strings.Contains(string(back), s) {
			t.Errorf("%q did not come through:\n%s", s, back)
		}
	}
}

func TestWriterErrors(t *testing.T) {
	full := errors.New("disk full")
	begin := func(w *Writer) { w.Begin(0, func(int32) []byte { return []byte{'0'} }) }
	for _, tc := range []struct {
		name string
		f    func(w *Writer)
		want string
	}{
		{"fine", func(w *Writer) { w.Var(0, "wire", "a", 1, nil); begin(w) }, ""},
		{"blank in a name", func(w *Writer) { w.Var(0, "wire", "a b", 1, nil); begin(w) }, "name"},
		{"empty name", func(w *Writer) { w.Scope(0, "module", ""); begin(w) }, "empty name"},
		{"width", func(w *Writer) { w.Var(0, "wire", "a", 0, nil); begin(w) }, "width"},
		{"backwards", func(w *Writer) { begin(w); w.Time(5); w.Time(4) }, "back"},
		{"short value", func(w *Writer) { w.Var(0, "wire", "a", 2, nil); begin(w) }, "digits"},
		{"no Begin", func(w *Writer) {}, "Begin"},
		{"unit", func(w *Writer) { w.opt.UnitExp = -7; begin(w) }, "unit"},
		{"comment", func(w *Writer) { w.opt.Comment = "a $end b"; begin(w) }, "$end"},
	} {
		w := NewWriter(io.Discard, WriterOptions{})
		tc.f(w)
		if err := w.Close(9); (err == nil) != (tc.want == "") || err != nil && !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v", tc.name, err)
		}
	}
	w := NewWriter(failing{full}, WriterOptions{})
	begin(w)
	if err := w.Close(1); err != full {
		t.Error(err)
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

// What is written is read back, whatever it is.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var b bytes.Buffer
		w := NewWriter(&b, WriterOptions{UnitExp: -9, UnitCoef: 10})
		scopes := []int32{0}
		var widths []int
		names := rapid.StringMatching(`[!-~]{1,12}`)
		value := func(id int32) []byte {
			return []byte(rapid.StringOfN(rapid.SampledFrom([]rune("01xz")), widths[id], widths[id], -1).Draw(rt, "value"))
		}
		for range rapid.IntRange(1, 200).Draw(rt, "declarations") {
			s := rapid.SampledFrom(scopes).Draw(rt, "scope")
			if rapid.IntRange(0, 5).Draw(rt, "kind") == 0 {
				scopes = append(scopes, w.Scope(s, "module", fmt.Sprintf("%s%d", names.Draw(rt, "name"), len(scopes))))
				continue
			}
			width := rapid.SampledFrom([]int{1, 1, 1, 4, 33}).Draw(rt, "width")
			// Names are distinct, and none is a command or ends like a range.
			w.Var(s, "wire", fmt.Sprintf("%s_%d", names.Draw(rt, "name"), len(widths)), int32(width), nil)
			widths = append(widths, width)
		}
		var want []string
		note := func(v func(id int32) []byte) func(id int32) []byte {
			return func(id int32) []byte {
				val := v(id)
				want = append(want, fmt.Sprintf("%d=%s", id, val))
				return val
			}
		}
		now := rapid.Int64Range(0, 1000).Draw(rt, "start")
		want = append(want, fmt.Sprintf("@%d", now))
		w.Begin(now, note(value))
		for range rapid.IntRange(0, 100).Draw(rt, "changes") {
			if len(widths) == 0 {
				break
			}
			if d := rapid.Int64Range(0, 1e12).Draw(rt, "step"); d > 0 {
				now += d
				want = append(want, fmt.Sprintf("@%d", now))
			}
			w.Time(now)
			id := int32(rapid.IntRange(0, len(widths)-1).Draw(rt, "id"))
			if v := note(value)(id); len(v) == 1 && rapid.Bool().Draw(rt, "bit") {
				w.Bit(id, v[0])
			} else {
				w.Vector(id, v)
			}
		}
		if err := w.Close(now); err != nil {
			rt.Fatal(err)
		}
		// A reader numbers the variables as they stand in the file; the names say which is which.
		h, got, _, msgs := read(t, bytes.NewReader(b.Bytes()), nil)
		if int(h.NumIDs) != len(widths) || msgs != nil {
			rt.Fatalf("%d ids, %v", h.NumIDs, msgs)
		}
		inFile := make([]int32, len(widths))
		for _, v := range h.Vars {
			id, err := strconv.Atoi(v.Name[strings.LastIndexByte(v.Name, '_')+1:])
			if err != nil {
				rt.Fatal(err)
			}
			inFile[id] = v.ID
		}
		for i, s := range want {
			if id, val, ok := strings.Cut(s, "="); ok {
				n, _ := strconv.Atoi(id)
				want[i] = fmt.Sprintf("%d=%s", inFile[n], val)
			}
		}
		if d := cmp.Diff(strings.Join(want, " "), got); d != "" {
			rt.Fatalf("(-want +got):\n%s", d)
		}
	})
}

func BenchmarkWriter(b *testing.B) {
	const n = 1 << 20
	var size int64
	for b.Loop() {
		c := &counter{}
		w := NewWriter(c, WriterOptions{})
		for i := range 1000 {
			w.Var(0, "wire", fmt.Sprintf("n%d", i), 1, nil)
		}
		w.Begin(0, func(int32) []byte { return []byte{'0'} })
		for i := range int64(n) {
			w.Time(i / 8)
			w.Bit(int32(i*7%1000), '0'+byte(i&1))
		}
		if err := w.Close(n); err != nil {
			b.Fatal(err)
		}
		size = c.n
	}
	b.SetBytes(size)
}

type counter struct{ n int64 }

func (c *counter) Write(p []byte) (int, error) { c.n += int64(len(p)); return len(p), nil }
