package logic

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// dump writes a tree with explicit operators.
func dump(e *Expr) string {
	switch e.Op {
	case Const:
		if e.Value {
			return "1"
		}
		return "0"
	case Var:
		return e.Name
	case Not:
		return "!" + dump(e.Kids[0])
	}
	var kids []string
	for _, k := range e.Kids {
		kids = append(kids, dump(k))
	}
	return "(" + strings.Join(kids, map[Op]string{And: "*", Or: "+", Xor: "^"}[e.Op]) + ")"
}

func TestParseLiberty(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"A", "A"},
		{" (A) ", "A"},
		{"0", "0"},
		{"1", "1"},
		{"A B", "(A*B)"},
		{"A B C", "(A*B*C)"},
		{"A*B&C", "(A*B*C)"},
		{"A && B || C", "((A*B)+C)"},
		{"A+B|C", "(A+B+C)"},
		{"A + B C", "(A+(B*C))"},
		{"A ^ B C", "((A^B)*C)"},
		{"A B ^ C + D", "((A*(B^C))+D)"},
		{"!A + B", "(!A+B)"},
		{"!(A + B)", "!(A+B)"},
		{"A' B'", "(!A*!B)"},
		{"(A+B)'", "!(A+B)"},
		{"A''", "A"},
		{"!A'", "A"},
		{"!!~A", "!A"},
		{"A!B", "(A*!B)"},
		{"A(B+C)", "(A*(B+C))"},
		{"(A)(B)", "(A*B)"},
		{"!a+b", "(!a+b)"},
		{"A[1]*B[10]", "(A[1]*B[10])"},
		{"A [1]", "A[1]"},
		{"\"1A\" + \"2B\"[3]", "(1A+2B[3])"},
		{"1A B", "(1A*B)"},
		{"A\\[1\\] B", "(A[1]*B)"},
		{"A<1> + B.c", "(A<1>+B.c)"},
		{"A ^ B ^ C", "(A^B^C)"},
		{"(A^B)^C", "((A^B)^C)"},
		{"A ^ 1", "!A"},
		{"(A&!B) | (!A&B)", "((A*!B)+(!A*B))"},
		{"A\n\t+ B", "(A+B)"},
	} {
		e, err := ParseLiberty(c.in)
		if err != nil {
			t.Errorf("%q: %v", c.in, err)
		} else if got := dump(e); got != c.want {
			t.Errorf("%q: got %s, want %s", c.in, got, c.want)
		}
	}
}

func TestParseVerilog(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"A===1'b1&&B===1'b0", "(A*!B)"},
		{"(B1 == 1'b1) && (B2 == 1'b0)", "(B1*!B2)"},
		{"~A", "!A"},
		{"!A", "!A"},
		{"A&B", "(A*B)"},
		{"A*!B", "(A*!B)"},
		{"A==1'B1", "A"},
		{"A1 == 1", "A1"},
		{"A1 != 0", "A1"},
		{"A1==01", "A1"},
		{"A !== 1'b1", "!A"},
		{"1'b1 === A", "A"},
		{"1'b0 == A", "!A"},
		{"A", "A"},
		{"A[1]", "A[1]"},
		{"\\A ", "A"},
		{"\\A [1]&B", "(A[1]*B)"},
		{"\\A===1'b1", "A"},
		{"A\\[1\\]==1'b0", "!A[1]"},
		{"\\$x\\+y === 1", "$x+y"},
		{"A ~^ B", "!(A^B)"},
		{"A ^~ B", "!(A^B)"},
		{"A ^ ~B", "(A^!B)"},
		{"A == B", "!(A^B)"},
		{"A == B == C", "(A^B^C)"},
		{"A != B", "(A^B)"},
		{"A ^ B & C", "(A^(B*C))"},
		{"A | B ^ C", "(A+(B^C))"},
		{"A | B && C", "((A+B)*C)"},
		{"A || B && C", "(A+(B*C))"},
		{"A & B == 1'b0", "(A*!B)"},
		{"~(A|B)", "!(A+B)"},
		{"~&A", "!A"},
		{"|A & B", "(A*B)"},
		{"A===1'h1||B=='b0||C==1'd1", "(A+!B+C)"},
		{"A == 1'sb1", "A"},
		{"1'b1", "1"},
		{"(((A)))", "A"},
	} {
		e, err := ParseVerilog([]byte(c.in))
		if err != nil {
			t.Errorf("%q: %v", c.in, err)
		} else if got := dump(e); got != c.want {
			t.Errorf("%q: got %s, want %s", c.in, got, c.want)
		}
	}
}

func TestSyntaxErrors(t *testing.T) {
	lib := ParseLiberty
	vlog := func(s string) (*Expr, error) { return ParseVerilog([]byte(s)) }
	for _, c := range []struct {
		parse  func(string) (*Expr, error)
		in     string
		offset int
		msg    string
	}{
		{lib, "", 0, "no expression"},
		{lib, "  ", 0, "no expression"},
		{lib, "A +", 3, "an operand is missing at the end"},
		{lib, "A + * B", 4, "unexpected '*'"},
		{lib, "(A", 0, "'(' without ')'"},
		{lib, "A)", 1, "')' without '('"},
		{lib, "A = B", 2, "unexpected '='"},
		{lib, "()", 1, "unexpected ')'"},
		{lib, "\"A", 0, "quote without an end"},
		{lib, "\"\"", 0, "empty name"},
		{lib, "A \x00", 2, "unexpected byte 0x00"},
		{lib, "A \\", 2, "unexpected '\\'"},
		{vlog, "A === ", 6, "an operand is missing at the end"},
		{vlog, "A B", 2, "unexpected 'B'"},
		{vlog, "A + B", 2, "unexpected '+'"},
		{vlog, "A == 2'b01", 5, "a constant of 2 bits where one bit is meant"},
		{vlog, "A === 1'bx", 6, "constant 1'bx is neither 0 nor 1"},
		{vlog, "A == 2", 5, "constant 2 is neither 0 nor 1"},
		{vlog, "A === 1'b", 6, "a constant without digits"},
		{vlog, "A ? B : C", 2, "unexpected '?'"},
		{vlog, "&& A", 0, "unexpected '&'"},
		{vlog, "A == == B", 5, "unexpected '='"},
		{vlog, strings.Repeat("(", MaxDepth+1), MaxDepth, "parentheses nested deeper than 200"},
	} {
		_, err := c.parse(c.in)
		var se *SyntaxError
		if !errors.As(err, &se) {
			t.Errorf("%q: error %v, want a SyntaxError", c.in, err)
		} else if se.Offset != c.offset || se.Msg != c.msg {
			t.Errorf("%q: got %d %q, want %d %q", c.in, se.Offset, se.Msg, c.offset, c.msg)
		}
	}
}

func depth(e *Expr) int {
	d := 0
	for _, k := range e.Kids {
		d = max(d, depth(k))
	}
	return d + 1
}

// Whatever the text, the tree is shallow: rows of operators do not nest.
func TestDepthBounded(t *testing.T) {
	const n = 200_000
	for _, c := range []struct {
		name string
		err  bool
		text string
		lib  bool
	}{
		{"nots", false, strings.Repeat("!", n) + "A", true},
		{"quotes", false, "A" + strings.Repeat("'", n), true},
		{"or", false, strings.Repeat("A+", n) + "A", true},
		{"mixed", false, strings.Repeat("A+B C^D ", n) + "A", true},
		{"equal", false, strings.Repeat("A==", n) + "A", false},
		{"equal and", false, strings.Repeat("A==B&", n) + "A", false},
		{"parentheses", true, strings.Repeat("(A+", n) + "A", true},
		{"not parentheses", true, strings.Repeat("!(", n) + "A", false},
	} {
		var e *Expr
		var err error
		if c.lib {
			e, err = ParseLiberty(c.text)
		} else {
			e, err = ParseVerilog([]byte(c.text))
		}
		if (err != nil) != c.err {
			t.Errorf("%s: error %v", c.name, err)
		} else if err == nil {
			if d := depth(e); d > 10 {
				t.Errorf("%s: depth %d", c.name, d)
			}
		}
	}
}

func TestTabulate(t *testing.T) {
	vars := map[string]int{"A": 0, "B": 1, "C": 2}
	index := func(name string) int {
		if i, ok := vars[name]; ok {
			return i
		}
		return -1
	}
	for _, c := range []struct {
		in   string
		n    int
		want uint64
	}{
		{"0", 0, 0},
		{"1", 0, 1},
		{"1", 2, 0xf},
		{"A", 1, 2},
		{"!A", 1, 1},
		{"A B", 2, 8},
		{"A+B", 2, 0xe},
		{"A^B", 2, 6},
		{"A^B^C", 3, 0x96},
		{"B", 3, 0xcc},
		{"1", 6, ^uint64(0)},
	} {
		e, err := ParseLiberty(c.in)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Tabulate(e, c.n, index)
		if err != nil || len(got) != 1 || got[0] != c.want {
			t.Errorf("%s over %d: got %x, %v, want %x", c.in, c.n, got, err, c.want)
		}
	}
	e, _ := ParseLiberty("A X")
	var un *UnknownNameError
	if _, err := Tabulate(e, 3, index); !errors.As(err, &un) || un.Name != "X" {
		t.Errorf("unknown name: %v", err)
	}
	if _, err := Tabulate(e, MaxTabulated+1, index); err == nil {
		t.Error("too many variables: no error")
	}
	e, _ = ParseLiberty("C")
	if _, err := Tabulate(e, 2, index); err == nil {
		t.Error("variable out of range: no error")
	}
}

func randomExpr(r *rand.Rand, n, depth int) *Expr {
	if depth == 0 || r.IntN(5) == 0 {
		if r.IntN(8) == 0 {
			return &Expr{Op: Const, Value: r.IntN(2) == 1}
		}
		return &Expr{Op: Var, Name: fmt.Sprint("v", r.IntN(n))}
	}
	e := &Expr{Op: []Op{Not, And, Or, Xor}[r.IntN(4)]}
	kids := 1
	if e.Op != Not {
		kids = 2 + r.IntN(3)
	}
	for range kids {
		e.Kids = append(e.Kids, randomExpr(r, n, depth-1))
	}
	return e
}

// The table, Eval, and both languages agree on random functions.
func TestRandomFunctionsAgree(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var name string
	index := func(s string) int {
		i := 0
		fmt.Sscanf(s, "v%d", &i)
		name = s
		return i
	}
	for range 2000 {
		n := 1 + r.IntN(9)
		e := randomExpr(r, n, 4)
		want, err := Tabulate(e, n, index)
		if err != nil {
			t.Fatal(name, err)
		}
		for s := range 1 << n {
			v := e.Eval(func(name string) bool { return s>>index(name)&1 == 1 })
			if v != (want[s/64]>>(s%64)&1 == 1) {
				t.Fatalf("%s state %d: Eval %v", dump(e), s, v)
			}
		}
		text := dump(e)
		for lang, parse := range map[string]func() (*Expr, error){
			"liberty": func() (*Expr, error) { return ParseLiberty(text) },
			"verilog": func() (*Expr, error) { return ParseVerilog([]byte(strings.ReplaceAll(text, "+", "|"))) },
		} {
			back, err := parse()
			if err != nil {
				t.Fatalf("%s: %s: %v", lang, text, err)
			}
			got, err := Tabulate(back, n, index)
			if err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
				t.Fatalf("%s: %s read as %s", lang, text, dump(back))
			}
		}
	}
}

func fuzz(f *testing.F, parse func(string) (*Expr, error), seeds ...string) {
	for _, s := range seeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		e, err := parse(s)
		if err != nil {
			var se *SyntaxError
			if !errors.As(err, &se) || se.Offset < 0 || se.Offset > len(s) {
				t.Fatalf("%q: %v", s, err)
			}
			return
		}
		vs := e.Vars()
		if len(vs) > 10 {
			return
		}
		at := map[string]int{}
		for i, v := range vs {
			at[v] = i
		}
		w, err := Tabulate(e, len(vs), func(n string) int { return at[n] })
		if err != nil {
			t.Fatal(err)
		}
		for s := range 1 << len(vs) {
			if e.Eval(func(n string) bool { return s>>at[n]&1 == 1 }) != (w[s/64]>>(s%64)&1 == 1) {
				t.Fatalf("state %d: table and Eval differ", s)
			}
		}
	})
}

func FuzzParseLiberty(f *testing.F) {
	fuzz(f, ParseLiberty, "A B+C'", "!(A^B)*\"1C\"", "A[1] + B<2>", "((0|1))", "A\\[1\\]")
}

func FuzzParseVerilog(f *testing.F) {
	fuzz(f, func(s string) (*Expr, error) { return ParseVerilog([]byte(s)) },
		"A===1'b1&&B===1'b0", "~^A ~^ B", "A*!B||\\C [1]==0", "(A!=B)==1'h1", "a^~b^c")
}

func BenchmarkTabulate(b *testing.B) {
	for _, n := range []int{4, 6, 12, 16} {
		text := "v0"
		for i := 1; i < n; i++ {
			text += fmt.Sprintf(" ^ v%d & v%d", i, i/2)
		}
		e, err := ParseLiberty(text)
		if err != nil {
			b.Fatal(err)
		}
		at := map[string]int{}
		for i := range n {
			at[fmt.Sprint("v", i)] = i
		}
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				Tabulate(e, n, func(s string) int { return at[s] })
			}
		})
	}
}
