package verilog

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wattd/wattd/internal/diag"
	"github.com/wattd/wattd/internal/format/scan"
)

func read(t testing.TB, r io.Reader, opt Option) ([]*Module, *diag.Bag) {
	t.Helper()
	var bag diag.Bag
	ms, err := Read(context.Background(), r, "bad.v", 0, scan.NewNames(), opt, &bag)
	if err != nil {
		t.Fatal(err)
	}
	return ms, &bag
}

// TestBad checks the code and the place of the first message for input that is broken as a whole.
func TestBad(t *testing.T) {
	deep := strings.Repeat("(", 5000)
	for _, c := range []struct {
		name, text string
		code       diag.Code
		line, col  int
	}{
		{"empty", "", diag.VerilogEmpty, 0, 0},
		{"only a comment", "// nothing\n", diag.VerilogEmpty, 0, 0},
		{"utf-16", "\xff\xfem\x00o\x00d\x00u\x00l\x00e\x00", diag.VerilogCharacter, 1, 1},
		{"gzip", "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03", diag.VerilogCharacter, 1, 1},
		{"byte order mark is fine", "\xef\xbb\xbfmodule m; endmodule endmodule", diag.VerilogSyntax, 1, 21},
		{"cut in the header", "module m(a,", diag.VerilogUnterminated, 1, 12},
		{"cut in a module", "\n module m(a);\n input a;\n", diag.VerilogUnterminated, 2, 2},
		{"cut in an instance", "module m;\n INV u (.A(", diag.VerilogUnterminated, 2, 12},
		{"cut in a comment", "module m; /* ...", diag.VerilogUnterminated, 1, 11},
		{"cut in a string", "module m; initial $display(\"abc", diag.VerilogUnterminated, 1, 28},
		{"cut in an attribute", "module m; (* src = \"a\"", diag.VerilogUnterminated, 1, 11},
		{"cut in an ifdef", "module m; endmodule\n`ifdef A\nmodule", diag.VerilogUnterminated, 2, 1},
		{"cut in an else", "`ifdef A\n`else\nmodule m; endmodule", diag.VerilogUnterminated, 1, 1},
		{"cut in macro arguments", "`define M(a) a\nmodule m; `M(x", diag.VerilogUnterminated, 2, 11},
		{"cut in always", "module m; always @(posedge a) begin x = 1;", diag.VerilogUnterminated, 1, 11},
		{"cut in protected", "`protected\nabcdef", diag.VerilogEncrypted, 1, 1},
		{"endless macro", "`define A `B\n`define B `A `A\n`A", diag.VerilogMacroLimit, 3, 1},
		{"growing macro", "`define A(x) `A(x x x x)\n`A(a)", diag.VerilogTooLong, 2, 1},
		{"exploding macros", explosion(), diag.VerilogMacroLimit, 32, 1},
		{"endless include", "`include \"self\"\n", diag.VerilogInclude, 1, 1},
		{"deep parentheses", "module m; assign a = " + deep, diag.VerilogTooDeep, 1, 1022},
		{"deep operators", "module m; assign a = " + strings.Repeat("~", 5000), diag.VerilogTooDeep, 1, 1022},
		{"deep concatenation", "module m; assign a = " + strings.Repeat("{", 5000), diag.VerilogTooDeep, 1, 1022},
		{"deep condition", "module m; assign a = " + strings.Repeat("a?", 5000), diag.VerilogTooDeep, 1, 2023},
		{"deep index", "module m; assign a = " + strings.Repeat("a[", 5000), diag.VerilogTooDeep, 1, 2023},
		{"long chain", "module m; assign a = a" + strings.Repeat("&a", 1<<17) + "; endmodule", diag.VerilogTooDeep, 1, 65535},
		{"zero bytes", "module m;" + strings.Repeat("\x00", 100) + "endmodule", diag.VerilogCharacter, 1, 10},
		{"nested module", "module m;\nmodule n; endmodule", diag.VerilogSyntax, 2, 1},
		{"module without name", "module ;", diag.VerilogSyntax, 1, 8},
		{"keyword as name", "module m; wire begin; endmodule", diag.VerilogSyntax, 1, 16},
		{"lone backslash", "module m; wire \\ ; endmodule", diag.VerilogSyntax, 1, 16},
		{"huge constant", "module m; assign a = 99999999'b0; endmodule", diag.VerilogSyntax, 1, 22},
		{"cut connection takes no keyword", "module m; INV u (.A(\nendmodule\nmodule n; endmodule", diag.VerilogSyntax, 2, 1},
		{"wildcard", "module m; INV u (.*); endmodule", diag.VerilogSyntax, 1, 19},
	} {
		t.Run(c.name, func(t *testing.T) {
			opt := Option{Include: func(string) (io.ReadCloser, string, error) {
				return io.NopCloser(strings.NewReader("`include \"self\"\n")), "self", nil
			}}
			_, bag := read(t, strings.NewReader(c.text), opt)
			k := bag.Kept(c.code)
			if len(k) == 0 {
				t.Fatalf("no %s in %v", c.code, bag.Totals())
			}
			if k[0].Pos.Line != c.line || k[0].Pos.Col != c.col {
				t.Errorf("at %v, want %d:%d", k[0], c.line, c.col)
			}
			for _, d := range bag.Totals() {
				if c.code != diag.VerilogEmpty && d.Severity == diag.Error && bag.Errors() == 0 {
					t.Error("no error counted")
				}
			}
		})
	}
}

// explosion defines macros of which each holds the one before twice.
func explosion() string {
	var b strings.Builder
	b.WriteString("`define M0 wire w; wire v; wire u;\n")
	for i := 1; i <= 30; i++ {
		b.WriteString("`define M" + string(rune('A'+i)) + " ")
		for range 2 {
			if i == 1 {
				b.WriteString("`M0 ")
			} else {
				b.WriteString("`M" + string(rune('A'+i-1)) + " ")
			}
		}
		b.WriteString("\n")
	}
	return b.String() + "`M" + string(rune('A'+30)) + "\n"
}

// TestUnexpectedToken checks that a message shows what stands there, also where no token of Verilog does.
func TestUnexpectedToken(t *testing.T) {
	for text, want := range map[string]string{
		"module m; INV u (.A('0)); endmodule":       `an expression expected, not "'"`,
		"module m; wire [3:0] w = 4'(1); endmodule": `';' after a declaration expected, not "'"`,
	} {
		_, bag := read(t, strings.NewReader(text), Option{})
		if k := bag.Kept(diag.VerilogSyntax); len(k) == 0 || k[0].Msg != want {
			t.Errorf("%s: %v, want %s", text, k, want)
		}
	}
}

// TestReplicationOfZero: it has no bits, so it may stand only beside operands that have.
func TestReplicationOfZero(t *testing.T) {
	for text, bad := range map[string]int64{
		"{{0{a}}, b}": 0, "{b, {0{a}}}": 0, "{b, {0{a}}, {2{a}}, {0{b}}}": 0, "{2{{0{a}}, b}}": 0, "{b, {{0{a}}, a}}": 0,
		"{0{a}}": 1, "{{0{a}}}": 1, "{{0{a}}, {0{b}}}": 1, "{2{{0{a}}}}": 1, "{b, {0{a}} & a}": 1, "{b, ~{0{a}}}": 1, "{b, ({0{a}})}": 1, "{b, {-1{a}}}": 1,
	} {
		_, bag := read(t, strings.NewReader("module m(input a, b, output [3:0] y); assign y = "+text+"; endmodule"), Option{})
		if bag.Count(diag.VerilogTooWide) != bad || bag.Errors() != bad {
			t.Errorf("%s: %v", text, bag.Totals())
		}
	}
}

// TestManyErrors checks that reading ends after a bounded number of errors.
func TestManyErrors(t *testing.T) {
	_, bag := read(t, strings.NewReader("module m;\n"+strings.Repeat("INV u (;\n", 1000)+"endmodule\n"), Option{})
	if n := bag.Count(diag.VerilogSyntax); n != maxErrors || bag.Count(diag.VerilogTooMany) != 1 {
		t.Errorf("%d errors, %v", n, bag.Totals())
	}
}

// TestTruncated cuts every golden input at every byte: always an answer, and never a panic.
func TestTruncated(t *testing.T) {
	files, _ := filepath.Glob("testdata/*.v")
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for n := range text {
			read(t, bytes.NewReader(text[:n]), testOption())
		}
	}
}

// endless repeats a pattern up to a number of bytes and counts what was read.
type endless struct {
	pattern string
	left    int
	at      int
}

func (e *endless) Read(b []byte) (int, error) {
	if e.left <= 0 {
		return 0, io.EOF
	}
	n := min(len(b), e.left)
	for i := range n {
		b[i] = e.pattern[e.at]
		if e.at++; e.at == len(e.pattern) {
			e.at = 0
		}
	}
	e.left -= n
	return n, nil
}

// TestHuge reads 100 MB of one line; the memory is that of the buffer.
func TestHuge(t *testing.T) {
	if testing.Short() {
		t.Skip("reads several 100 MB")
	}
	for _, c := range []struct {
		head, pattern string
		code          diag.Code
	}{
		{"module ", "a", diag.VerilogTooLong},
		{"module \\", "a", diag.VerilogTooLong},
		{"module m; assign a = ", "1", diag.VerilogTooLong},
		{"`define A ", "a ", diag.VerilogTooLong},
		{"`define A(x)\n`A(", "a ", diag.VerilogTooLong},
		{"// ", "a", diag.VerilogEmpty},
		{"/* ", "a*", diag.VerilogUnterminated},
		{"module m; initial x = \"", "a", diag.VerilogUnterminated},
		{"(* ", "a ", diag.VerilogUnterminated},
		{"`ifdef A ", "`ifdef A ", diag.VerilogUnterminated},
		{"", "\x00", diag.VerilogCharacter},
		{"", "; ", diag.VerilogEmpty},
		{"module m; always ", "if (a) ", diag.VerilogUnterminated},
		{"`pragma protect begin_protected ", "ab`", diag.VerilogEncrypted},
	} {
		_, bag := read(t, io.MultiReader(strings.NewReader(c.head), &endless{pattern: c.pattern, left: 100 << 20}), Option{})
		if bag.Count(c.code) == 0 {
			t.Errorf("%q %q...: %v", c.head, c.pattern, bag.Totals())
		}
	}
}

var errBroken = errors.New("broken disk")

// TestFault checks that an I/O fault is returned and not taken for a cut file.
func TestFault(t *testing.T) {
	var bag diag.Bag
	r := io.MultiReader(strings.NewReader("module m; INV u (.A("), errReader{})
	if _, err := Read(context.Background(), r, "f.v", 0, scan.NewNames(), Option{}, &bag); !errors.Is(err, errBroken) {
		t.Errorf("error is %v", err)
	}
	if bag.Errors() != 0 {
		t.Errorf("diagnostics %v", bag.Totals())
	}
}

type errReader struct{}

func (errReader) Read([]byte) (int, error) { return 0, errBroken }

// TestCancel checks that a cancelled reading ends.
func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	var bag diag.Bag
	r := io.MultiReader(strings.NewReader("module m;"), cancelReader{cancel}, &endless{pattern: "INV u (a);\n", left: 1 << 40})
	if _, err := Read(ctx, r, "f.v", 0, scan.NewNames(), Option{}, &bag); !errors.Is(err, context.Canceled) {
		t.Errorf("error is %v", err)
	}
}

type cancelReader struct{ cancel func() }

func (c cancelReader) Read([]byte) (int, error) { c.cancel(); return 0, io.EOF }

// TestIncludeCloses checks that every included file is closed, also after a fault.
func TestIncludeCloses(t *testing.T) {
	for _, text := range []string{"`include \"a\"\nmodule m; endmodule", "module m; `include \"a\" " + strings.Repeat("x;", 200)} {
		open := 0
		opt := Option{Include: func(name string) (io.ReadCloser, string, error) {
			open++
			body := "// empty\n"
			if open < 3 {
				body = "`include \"b\"\n" + strings.Repeat("garbage (;\n", 100)
			}
			return closer{strings.NewReader(body), &open}, name, nil
		}}
		read(t, strings.NewReader(text), opt)
		if open != 0 {
			t.Errorf("%d files left open", open)
		}
	}
}

type closer struct {
	io.Reader
	open *int
}

func (c closer) Close() error { *c.open--; return nil }

// FuzzRead looks for panics, and for a difference between reading whole and bytewise.
func FuzzRead(f *testing.F) {
	files, _ := filepath.Glob("testdata/*.v")
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
		for _, line := range bytes.Split(text, []byte("\n")) {
			f.Add(append(append([]byte("module m(a);\n"), line...), "\nendmodule\n"...))
		}
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		whole := render(t, bytes.NewReader(text), "f.v")
		if _, err := Read(context.Background(), bytes.NewReader(text), "f.v", 0, scan.NewNames(), Option{Track: &Track{Cells: trackCells}}, &diag.Bag{}); err != nil {
			t.Error(err)
		}
		if split := render(t, oneByte{bytes.NewReader(text)}, "f.v"); split != whole {
			t.Errorf("whole:\n%s\nbytewise:\n%s", whole, split)
		}
	})
}
