package sdf

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/wattd/wattd/internal/diag"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func read(t testing.TB, text string, h Handler) (Stats, *diag.Bag) {
	t.Helper()
	var bag diag.Bag
	st, err := Read(context.Background(), strings.NewReader(text), "f.sdf", h, &bag)
	if err != nil {
		t.Fatal(err)
	}
	return st, &bag
}

// messages lists what the bag holds as "line:col code".
func messages(bag *diag.Bag) string {
	var s []string
	for _, tot := range bag.Totals() {
		for _, d := range bag.Kept(tot.Code) {
			s = append(s, fmt.Sprintf("%s %s", lc(d.Pos), d.Code))
		}
	}
	return strings.Join(s, "; ")
}

func TestGolden(t *testing.T) {
	text, err := os.ReadFile("testdata/all.sdf")
	if err != nil {
		t.Fatal(err)
	}
	var r recorder
	st, bag := read(t, string(text), &r)
	bag.Write(&r, diag.Note, 10)
	fmt.Fprintf(&r, "%+v\n", st)
	const golden = "testdata/all.golden"
	if *update {
		if err := os.WriteFile(golden, []byte(r.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), r.String()); d != "" {
		t.Error(d)
	}
	// The same whatever the sizes of the reads and the ends of the lines are.
	var one recorder
	var bag2 diag.Bag
	crlf := bytes.ReplaceAll(text, []byte("\n"), []byte("\r\n"))
	st2, err := Read(context.Background(), iotest.OneByteReader(bytes.NewReader(crlf)), "f.sdf", &one, &bag2)
	bag2.Write(&one, diag.Note, 10)
	fmt.Fprintf(&one, "%+v\n", st2)
	if got := strings.ReplaceAll(one.String(), `\r\n`, `\n`); err != nil || got != string(want) {
		t.Error(err, cmp.Diff(string(want), got))
	}
}

func TestTimescale(t *testing.T) {
	for _, c := range []struct{ text, want, msgs string }{
		{"(TIMESCALE 1ns)", "1e-9 true", ""},
		{"(TIMESCALE 1 ns)", "1e-9 true", ""},
		{"(TIMESCALE 10.0 ps)", "1e-11 true", ""},
		{"(TIMESCALE 100ps)", "1e-10 true", ""},
		{"(TIMESCALE 100 PS )", "1e-10 true", ""},
		{"(TIMESCALE 1.0us)", "1e-6 true", ""},
		{"(TIMESCALE 1e-3 us)", "1e-9 true", ""},
		{"(TIMESCALE \"1ns\")", "1e-9 true", ""},
		{"(TIMESCALE)", "1e-9 false", "1:24 sdf-no-timescale"},
		{"", "1e-9 false", "1:13 sdf-no-timescale"},
		{"(TIMESCALE 1)", "1e-9 false", "1:12 sdf-bad-header; 1:26 sdf-no-timescale"},
		{"(TIMESCALE 0ns)", "1e-9 false", "1:12 sdf-bad-header; 1:28 sdf-no-timescale"},
		{"(TIMESCALE 1 lightyear)", "1e-9 false", "1:12 sdf-bad-header; 1:36 sdf-no-timescale"},
		{"(TIMESCALE 1ns) (TIMESCALE 1000ps)", "1e-9 true", ""},
		{"(TIMESCALE 1ns) (TIMESCALE 1ps)", "1e-9 true", "1:28 sdf-bad-header"},
	} {
		var r recorder
		_, bag := read(t, "(DELAYFILE "+c.text+" (CELL (CELLTYPE \"x\") (INSTANCE)))", &r)
		head, _, _ := strings.Cut(r.String(), "\n")
		if !strings.HasSuffix(head, " . "+c.want) || messages(bag) != c.msgs {
			t.Errorf("%s: %s; %s", c.text, head, messages(bag))
		}
	}
}

// Every fault is an error with its place, and what stands behind it is still read.
func TestBadStatements(t *testing.T) {
	const before = "(DELAYFILE (DIVIDER /) (TIMESCALE 1ns)\n(CELL (CELLTYPE \"B\") (INSTANCE u)\n(DELAY (ABSOLUTE\n"
	const after = "\n(IOPATH after Y (1)))))\n)"
	for _, c := range []struct{ text, want string }{
		{"(IOPATH A Y)", "4:1 sdf-value-count"},
		{"(IOPATH A Y (1)(2)(3)(4))", "4:1 sdf-value-count"},
		{"(IOPATH A Y (1)(2)(3)(4)(5)(6)(7)(8)(9)(10)(11)(12)(13))", "4:1 sdf-value-count"},
		{"(IOPATH A (1))", "4:11 sdf-syntax"},
		{"(IOPATH)", "4:8 sdf-syntax"},
		{"(IOPATH A Y 1.0 2.0)", "4:13 sdf-syntax"},
		{"(IOPATH A Y Z (1))", "4:13 sdf-syntax"},
		{"(IOPATH A Y (1 2))", "4:16 sdf-syntax"},
		{"(IOPATH A Y (1:2))", "4:17 sdf-syntax"},
		{"(IOPATH A Y (1:2:3:4))", "4:19 sdf-syntax"},
		{"(IOPATH A Y (1.2.3))", "4:19 sdf-syntax"},
		{"(IOPATH A Y (nan))", "4:13 sdf-syntax"},
		{"(IOPATH A Y (1) (FOO))", "4:17 sdf-syntax"},
		{"(IOPATH A Y (1ns))", "4:15 sdf-syntax"},
		{"(IOPATH A Y (1.2345678901234567890))", "4:35 sdf-syntax"},
		{"(IOPATH A Y ((1)(2)(3)(4)))", "4:23 sdf-syntax"},
		{"(IOPATH A Y ((1) 2))", "4:18 sdf-syntax"},
		{"(IOPATH A Y (\"1\"))", "4:14 sdf-syntax"},
		{"(IOPATH (posedge) Y (1))", "4:17 sdf-syntax"},
		{"(IOPATH (edge A) Y (1))", "4:14 sdf-syntax"},
		{"(IOPATH (posedge A B) Y (1))", "4:20 sdf-syntax"},
		{"(INTERCONNECT a (1))", "4:17 sdf-syntax"},
		{"(INTERCONNECT a b)", "4:1 sdf-value-count"},
		{"(INTERCONNECT a b (RETAIN (1)) (1))", "4:19 sdf-syntax"},
		{"(PORT (1))", "4:7 sdf-syntax"},
		{"(NETDELAY)", "4:10 sdf-syntax"},
		{"(DEVICE)", "4:1 sdf-value-count"},
		{"(PATHPULSE A (1))", "4:14 sdf-syntax"},
		{"(PATHPULSE A Y)", "4:1 sdf-value-count"},
		{"(PATHPULSE A Y (1)(2)(3))", "4:22 sdf-syntax"},
		{"(COND A==1)", "4:11 sdf-syntax"},
		{"(COND (IOPATH A Y (1)))", "4:15 sdf-syntax"},
		{"(COND A (DEVICE Y (1)))", "4:23 sdf-syntax"},
		{"(COND A \"x\" (IOPATH A Y (1)))", "4:9 sdf-syntax"},
		{"(COND A (IOPATH A Y (1)) (PORT B (1)))", "4:31 sdf-syntax"},
		{"(CONDELSE A (IOPATH A Y (1)))", "4:11 sdf-syntax"},
		{"(CONDELSE (DEVICE (1)))", "4:18 sdf-syntax"},
		{"stray", "4:1 sdf-syntax"},
		{"\"stray)\"", "4:1 sdf-syntax"},
		{"(WHAT (is \")\" (this)))", "4:1 sdf-unknown-construct"},
		{"(\x01\x02\xff)", "4:1 sdf-unknown-construct"},
	} {
		var r recorder
		_, bag := read(t, before+c.text+after, &r)
		if got := messages(bag); got != c.want || !strings.Contains(r.String(), "iopath after Y (1)") {
			t.Errorf("%s: %s, want %s\n%s", c.text, got, c.want, r.String())
		}
	}
}

func TestBadFiles(t *testing.T) {
	const cell = `(CELL (CELLTYPE "B") (INSTANCE u) (DELAY (ABSOLUTE (IOPATH A Y (1)))))`
	for _, c := range []struct{ text, want string }{
		{"", "1:1 sdf-not-sdf"},
		{"  \n// only a comment", "2:18 sdf-not-sdf"},
		{"module top; endmodule", "1:1 sdf-not-sdf"},
		{"(SAIFILE)", "1:1 sdf-not-sdf"},
		{"\xff\xfe(\x00D\x00E\x00", "1:1 sdf-not-sdf"},
		{"\x1f\x8b\x08\x00", "1:1 sdf-not-sdf"},
		{"\xef\xbb\xbf(DELAYFILE (TIMESCALE 1ns))", ""},
		{"(DELAYFILE (TIMESCALE 1ns))\n\x1a\x00\n", ""},
		{"(DELAYFILE (TIMESCALE 1ns)\n" + cell, "2:71 sdf-truncated"},
		{"(DELAYFILE (TIMESCALE 1ns)\n" + cell + ")\n)", "3:1 sdf-trailing-text"},
		{"(DELAYFILE (TIMESCALE 1ns)\n)" + cell, "2:2 sdf-trailing-text"},
		{"(DELAYFILE (TIMESCALE 1ns)) /* open", ""},
		{"(DELAYFILE (TIMESCALE 1ns) /* open )", "1:37 sdf-truncated"},
		{"(DELAYFILE (DESIGN \"open) (TIMESCALE 1ns))", "1:43 sdf-truncated; 1:12 sdf-no-timescale"},
		{"(DELAYFILE (TIMESCALE 1ns) (DIVIDER :))", "1:28 sdf-bad-header"},
		{"(DELAYFILE (TIMESCALE 1ns) (DIVIDER))", "1:28 sdf-bad-header"},
		{"(DELAYFILE (TIMESCALE 1ns)" + cell + "(TIMESCALE 1ps))", "1:97 sdf-bad-header"},
		{"(DELAYFILE (TIMESCALE 1ns)" + cell + "(DIVIDER /))", "1:97 sdf-bad-header"},
		{"(DELAYFILE (TIMESCALE 1ns)" + cell + "(DIVIDER .))", ""},
		{"(DELAYFILE (TIMESCALE 1ns) (CELL (INSTANCE *) (DELAY)))", "1:28 sdf-syntax"},
		{"(DELAYFILE (TIMESCALE 1ns) (CELL (CELLTYPE \"a\") (INSTANCE a b) (DELAY)))", "1:62 sdf-syntax"},
		{"(DELAYFILE (TIMESCALE 1ns) (CELL (CELLTYPE \"a\") (INSTANCE (a)) (DELAY)))", "1:59 sdf-syntax"},
		{"(DELAYFILE (TIMESCALE 1ns) (CELL (CELLTYPE \"a\") (INSTANCE *) (INSTANCE b)))", "1:73 sdf-syntax; 1:62 sdf-several-instances"},
		{"(DELAYFILE (TIMESCALE 1ns) (CELL (DELAY) (INSTANCE b)))", "1:51 sdf-syntax"},
		{"(DELAYFILE (TIMESCALE 1ns) (CELL (DELAY) (CELLTYPE \"b\")))", "1:51 sdf-syntax"},
	} {
		var r recorder
		_, bag := read(t, c.text, &r)
		if got := messages(bag); got != c.want {
			t.Errorf("%s: %s, want %s", c.text, got, c.want)
		}
	}
}

// A file cut anywhere inside DELAYFILE is an error, and nothing else than a truncation is complained about.
func TestTruncatedAnywhere(t *testing.T) {
	text, err := os.ReadFile("testdata/all.sdf")
	if err != nil {
		t.Fatal(err)
	}
	end := bytes.LastIndexByte(text, ')')
	for i := range end {
		if i > 0 && text[i-1] == '/' {
			continue // half a comment is a stray byte
		}
		_, bag := read(t, string(text[:i]), &recorder{})
		if bag.Errors() != 1 || bag.Count(diag.SDFTruncated)+bag.Count(diag.SDFNotSDF) != 1 {
			t.Fatalf("cut at %d: %s", i, messages(bag))
		}
	}
}

func TestHandlerStops(t *testing.T) {
	text, err := os.ReadFile("testdata/all.sdf")
	if err != nil {
		t.Fatal(err)
	}
	var all recorder
	read(t, string(text), &all)
	for i := 1; i <= all.n; i++ {
		r := recorder{stopAfter: i}
		_, bag := read(t, string(text), &r)
		if r.n != i || bag.Errors() != 0 {
			t.Errorf("asked to stop at statement %d, got %d; %s", i, r.n, messages(bag))
		}
	}
}

func TestIOFaultAndCancel(t *testing.T) {
	fault := errors.New("disk")
	var bag diag.Bag
	r := io.MultiReader(strings.NewReader("(DELAYFILE (TIMESCALE 1ns) (CELL"), iotest.ErrReader(fault))
	if _, err := Read(context.Background(), r, "f", &recorder{}, &bag); !errors.Is(err, fault) || bag.Errors() != 0 {
		t.Error(err, messages(&bag))
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Read(ctx, endless("(CELL "), "f", &recorder{}, &bag); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// repeat is a reader of head followed by n bytes of the repeated text.
func repeat(head, text string, n int64) io.Reader {
	return io.MultiReader(strings.NewReader(head), io.LimitReader(endless(text), n))
}

func endless(text string) io.Reader { return &loop{text: strings.Repeat(text, 1000)} }

type loop struct {
	text string
	at   int
}

func (l *loop) Read(b []byte) (int, error) {
	for n := 0; n < len(b); {
		k := copy(b[n:], l.text[l.at:])
		n += k
		l.at = (l.at + k) % len(l.text)
	}
	return len(b), nil
}

// Whatever a file repeats without end, the reading ends, with a few errors and in bounded memory.
func TestHuge(t *testing.T) {
	const cell = "(DELAYFILE (TIMESCALE 1ns) (CELL (CELLTYPE \"x\") (INSTANCE u) (DELAY (ABSOLUTE "
	for _, c := range []struct{ name, head, text string }{
		{"one name", cell + "(IOPATH ", "a"},
		{"one escaped name", cell + "(IOPATH ", "\\a"},
		{"one spaced name", cell + "(IOPATH a", " [1]"},
		{"one number", cell + "(IOPATH a b (", "1"},
		{"values", cell + "(IOPATH a b ", "(1) "},
		{"limits", cell + "(IOPATH a b (", "(1) "},
		{"open", cell, "("},
		{"closed", cell, ")"},
		{"condition", cell + "(COND ", "A & "},
		{"nested condition", cell + "(COND ", "("},
		{"label", cell + "(COND \"", "x\n"},
		{"string", "(DELAYFILE (DESIGN \"", "x"},
		{"header words", "(DELAYFILE (DESIGN ", "x "},
		{"instances", "(DELAYFILE (CELL ", "(INSTANCE u)"},
		{"skipped string", cell + "(FOO \"", "x"},
		{"comment", "(DELAYFILE /*", "* x"},
		{"blanks", "(DELAYFILE", " "},
		{"zeros", "(DELAYFILE", "\x00"},
		{"quotes", "(DELAYFILE", "\""},
		{"stray words", cell, "x "},
		{"one line", cell, "(IOPATH A Y (0.1:0.2:0.3) (0.1:0.2:0.3))"},
	} {
		t.Run(c.name, func(t *testing.T) {
			size := int64(4 << 20)
			if c.name == "one line" && !testing.Short() {
				size = 100 << 20
			}
			var bag *diag.Bag
			n := testing.AllocsPerRun(1, func() {
				bag = new(diag.Bag)
				if _, err := Read(context.Background(), repeat(c.head, c.text, size), "f", &counter{}, bag); err != nil {
					t.Error(err)
				}
			})
			if bag.Errors() == 0 {
				t.Error("no error")
			}
			if n > 1000 {
				t.Errorf("%v allocations", n)
			}
		})
	}
}

func FuzzRead(f *testing.F) {
	text, err := os.ReadFile("testdata/all.sdf")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add([]byte(`(DELAYFILE (CELL (CELLTYPE "a") (INSTANCE *) (DELAY (ABSOLUTE (COND A (IOPATH A Y ((1)()(::3))))))))`))
	f.Add([]byte("(DELAYFILE (CELL (INSTANCE \\\n)"))
	f.Fuzz(func(t *testing.T, text []byte) {
		var a, b recorder
		var bagA, bagB diag.Bag
		stA, err := Read(context.Background(), bytes.NewReader(text), "f", &a, &bagA)
		if err != nil {
			t.Fatal(err)
		}
		stB, err := Read(context.Background(), iotest.HalfReader(bytes.NewReader(text)), "f", &b, &bagB)
		if err != nil || stA != stB || a.String() != b.String() || messages(&bagA) != messages(&bagB) {
			t.Fatal("the size of the reads matters")
		}
	})
}

// staText makes text as OpenSTA writes it, of at least n bytes.
func staText(n int) []byte {
	var b bytes.Buffer
	b.WriteString("(DELAYFILE\n (SDFVERSION \"3.0\")\n (DESIGN \"top\")\n (DIVIDER /)\n (TIMESCALE 1ns)\n (CELL\n  (CELLTYPE \"top\")\n  (INSTANCE)\n  (DELAY\n   (ABSOLUTE\n")
	for i := 0; b.Len() < n/2; i++ {
		fmt.Fprintf(&b, "    (INTERCONNECT u_core\\.lane\\[%d\\]/_%05d_/Y _%05d_/A1 (0.0%02d:0.0%02d:0.0%02d) (0.0%02d:0.0%02d:0.0%02d))\n", i%8, i, i+1, i%97, i%97, i%97, i%89, i%89, i%89)
	}
	b.WriteString("   )\n  )\n )\n")
	for i := 0; b.Len() < n; i++ {
		fmt.Fprintf(&b, " (CELL\n  (CELLTYPE \"sky130_fd_sc_hd__nand2_1\")\n  (INSTANCE _%05d_)\n  (DELAY\n   (ABSOLUTE\n    (IOPATH A Y (0.1%02d::0.1%02d) (0.0%02d::0.0%02d))\n    (COND (A == 1'b0) (IOPATH B Y (0.1%02d::0.1%02d) (0.0%02d::0.0%02d)))\n   )\n  )\n )\n", i, i%97, i%97, i%89, i%89, i%83, i%83, i%79, i%79)
	}
	b.WriteString(")\n")
	return b.Bytes()
}

func TestStatementsDoNotAllocate(t *testing.T) {
	text := staText(1 << 20)
	n := testing.AllocsPerRun(3, func() {
		var bag diag.Bag
		if _, err := Read(context.Background(), bytes.NewReader(text), "f", &counter{}, &bag); err != nil || bag.Errors() > 0 {
			t.Error(err, messages(&bag))
		}
	})
	if n > 60 {
		t.Errorf("%v allocations for 1 MiB", n)
	}
}

func BenchmarkRead(b *testing.B) {
	text := staText(16 << 20)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		var bag diag.Bag
		if _, err := Read(context.Background(), bytes.NewReader(text), "f", &counter{}, &bag); err != nil || bag.Errors() > 0 {
			b.Fatal(err)
		}
	}
}
