package logic

import "strings"

// ParseVerilog reads a condition of an SDF COND, that is a Verilog expression over one-bit values: ! ~ (complement),
// * (some tools write it for AND), == === != !==, & and ^ ~^ ^~ and |, && and ||, which bind in the order of Verilog;
// parentheses; names with an index, escaped by a leading backslash or byte by byte; 0, 1 and sized constants of one
// bit. The one-bit reductions & | ^ and their complements are taken too. The result is Boolean: x and z constants,
// arithmetic and vectors are errors.
//
// A backslash makes the one byte behind it plain, as SDF has it. The Verilog form, in which it would take everything up
// to white space, differs only for names that hold operators, and "\A===1'b1" shows that writers do not mean it.
func ParseVerilog(text []byte) (*Expr, error) { return parse(string(text), verilog{}) }

type verilog struct{}

// The precedences of Verilog, loosest first.
const (
	precLogicalOr = iota + 1
	precLogicalAnd
	precOr
	precXor
	precAnd
	precEqual
	precTimes
)

func (verilog) infix(s string, i int) infixOp {
	for _, t := range verilogInfix {
		if strings.HasPrefix(s[i:], t.text) {
			return infixOp{prec: t.prec, n: len(t.text), op: t.op, flip: t.flip}
		}
	}
	return infixOp{}
}

// verilogInfix lists longer operators before those that begin them.
var verilogInfix = [...]struct {
	text string
	prec int
	op   Op
	flip bool
}{
	{"===", precEqual, Xor, true},
	{"==", precEqual, Xor, true},
	{"!==", precEqual, Xor, false},
	{"!=", precEqual, Xor, false},
	{"&&", precLogicalAnd, And, false},
	{"&", precAnd, And, false},
	{"||", precLogicalOr, Or, false},
	{"|", precOr, Or, false},
	{"^~", precXor, Xor, true},
	{"~^", precXor, Xor, true},
	{"^", precXor, Xor, false},
	{"*", precTimes, And, false},
}

func (verilog) prefix(s string, i int) (bool, int) {
	s = s[i:]
	second := func(set string) bool { return len(s) > 1 && strings.IndexByte(set, s[1]) >= 0 }
	switch {
	case s == "":
	case s[0] == '~' && second("&|^"), s[0] == '^' && second("~"):
		return true, 2
	case s[0] == '!', s[0] == '~':
		return true, 1
	case s[0] == '^', (s[0] == '&' || s[0] == '|') && !second(s[:1]):
		return false, 1
	}
	return false, 0
}

func (verilog) postfix(string, int) bool { return false }

func (verilog) juxtaposed(string, int) (infixOp, bool) { return infixOp{}, false }

func (verilog) primary(p *parser) (*Expr, *SyntaxError) {
	s, at := p.s, p.i
	i := at
	for i < len(s) && s[i] >= '0' && s[i] <= '9' {
		i++
	}
	if i < len(s) && s[i] == '\'' {
		return p.sized(s[at:i], i+1)
	}
	if i > at && (i == len(s) || !verilogName[s[i]] && s[i] != '\\') {
		digits := strings.TrimLeft(s[at:i], "0")
		if digits != "" && digits != "1" {
			return nil, p.fail(at, "constant %s is neither 0 nor 1", s[at:i])
		}
		p.i = i
		return &Expr{Op: Const, Value: digits == "1"}, nil
	}
	return p.name(verilogName)
}

// sized reads the base and digits of a constant whose width has been read; i is behind the quote.
func (p *parser) sized(width string, i int) (*Expr, *SyntaxError) {
	s, at := p.s, p.i
	if width != "" && width != "1" {
		return nil, p.fail(at, "a constant of %s bits where one bit is meant", width)
	}
	if i < len(s) && (s[i] == 's' || s[i] == 'S') {
		i++
	}
	if i < len(s) && strings.IndexByte("bBoOdDhH", s[i]) >= 0 {
		i++
	}
	j := i
	for j < len(s) && verilogName[s[j]] {
		j++
	}
	digits := strings.TrimLeft(s[i:j], "0_")
	switch {
	case i == j:
		return nil, p.fail(at, "a constant without digits")
	case digits != "" && digits != "1":
		return nil, p.fail(at, "constant %s is neither 0 nor 1", s[at:j])
	}
	p.i = j
	return &Expr{Op: Const, Value: digits == "1"}, nil
}
