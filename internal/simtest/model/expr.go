package model

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Expr is a Boolean function. Op is 'v' (Var), '0', '1', '!', '&', '|' or '^'.
type Expr struct {
	Op   byte
	Var  string
	Kids []*Expr
}

// V is a variable.
func V(name string) *Expr { return &Expr{Op: 'v', Var: name} }

// Not is the complement.
func Not(e *Expr) *Expr { return &Expr{Op: '!', Kids: []*Expr{e}} }

// Bin joins two or more by an operator.
func Bin(op byte, kids ...*Expr) *Expr { return &Expr{Op: op, Kids: kids} }

// Eval evaluates.
func (e *Expr) Eval(value func(string) bool) bool {
	switch e.Op {
	case 'v':
		return value(e.Var)
	case '0', '1':
		return e.Op == '1'
	case '!':
		return !e.Kids[0].Eval(value)
	}
	r := e.Kids[0].Eval(value)
	for _, k := range e.Kids[1:] {
		switch v := k.Eval(value); e.Op {
		case '&':
			r = r && v
		case '|':
			r = r || v
		default:
			r = r != v
		}
	}
	return r
}

// Vars lists the variables, each once, in order of first use.
func (e *Expr) Vars() []string {
	var r []string
	e.walk(func(x *Expr) {
		if x.Op != 'v' {
			return
		}
		for _, v := range r {
			if v == x.Var {
				return
			}
		}
		r = append(r, x.Var)
	})
	return r
}

func (e *Expr) walk(f func(*Expr)) {
	if e == nil {
		return
	}
	f(e)
	for _, k := range e.Kids {
		k.walk(f)
	}
}

// Dialect is a spelling of expressions.
type Dialect byte

// The dialects.
const (
	Plain   Dialect = iota // ! & | ^ with all parentheses: good everywhere
	Liberty                // also juxtaposition, *, + and '
	SDF                    // also ~, &&, ||, ==1'b1 and ===1'b0
	Verilog                // also ~ and names that need escapes
)

// Text writes the expression; r picks between spellings of equal meaning, name rewrites variables (nil: as they are).
func (e *Expr) Text(d Dialect, r *rand.Rand, name func(string) string) string {
	var b strings.Builder
	e.text(&b, d, r, name)
	return b.String()
}

func (e *Expr) text(b *strings.Builder, d Dialect, r *rand.Rand, name func(string) string) {
	pick := func(ss ...string) string {
		if d == Plain {
			return ss[0]
		}
		return ss[r.IntN(len(ss))]
	}
	switch e.Op {
	case 'v':
		s := e.Var
		if name != nil {
			s = name(s)
		}
		if d == SDF && r.IntN(3) == 0 {
			s = pick("("+s+" == 1'b1)", s+"===1'b1", "("+s+"==1)")
			if !strings.HasPrefix(s, "(") {
				s = "(" + s + ")"
			}
		}
		b.WriteString(s)
		return
	case '0', '1':
		switch d {
		case SDF, Verilog:
			b.WriteString("1'b" + string(e.Op))
		default:
			b.WriteString(string(e.Op))
		}
		return
	case '!':
		k := e.Kids[0]
		if k.Op == 'v' {
			s := k.Var
			if name != nil {
				s = name(s)
			}
			switch d {
			case Liberty:
				b.WriteString(pick("!"+s, "("+s+"')", "(!"+s+")"))
			case SDF:
				b.WriteString(pick("~"+s, "!"+s, "("+s+"===1'b0)", "("+s+" == 1'b0)"))
			default:
				b.WriteString(pick("!"+s, "~"+s))
			}
			return
		}
		op := "!"
		if d == SDF || d == Verilog {
			op = pick("!", "~")
		}
		b.WriteString(op + "(")
		k.text(b, d, r, name)
		b.WriteString(")")
		return
	}
	op := string(e.Op)
	switch d {
	case Liberty:
		switch e.Op {
		case '&':
			op = pick("&", "*", " ")
		case '|':
			op = pick("|", "+")
		}
	case SDF:
		switch e.Op {
		case '&':
			op = pick("&", "&&", " && ")
		case '|':
			op = pick("|", "||", " || ")
		}
	}
	b.WriteString("(")
	for i, k := range e.Kids {
		if i > 0 {
			b.WriteString(op)
		}
		k.text(b, d, r, name)
	}
	b.WriteString(")")
}

// Parse reads a function in any of the dialects that tests write by hand: ! ~ & && * | || + ^, ==1'b1, ===1'b0,
// parentheses, 0 and 1.
func Parse(s string) (*Expr, error) {
	p := &parser{s: s}
	e := p.or()
	p.space()
	if p.err == nil && p.i < len(p.s) {
		p.err = fmt.Errorf("%q: unexpected %q", s, p.s[p.i:])
	}
	return e, p.err
}

// MustParse is Parse for texts in the source of a test.
func MustParse(s string) *Expr {
	e, err := Parse(s)
	if err != nil {
		panic(err)
	}
	return e
}

type parser struct {
	s   string
	i   int
	err error
}

func (p *parser) space() {
	for p.i < len(p.s) && p.s[p.i] == ' ' {
		p.i++
	}
}

func (p *parser) take(toks ...string) bool {
	p.space()
	for _, t := range toks {
		if strings.HasPrefix(p.s[p.i:], t) {
			p.i += len(t)
			return true
		}
	}
	return false
}

func (p *parser) or() *Expr {
	e := p.and()
	for p.take("||", "|", "+") {
		e = Bin('|', e, p.and())
	}
	return e
}

func (p *parser) and() *Expr {
	e := p.xor()
	for p.take("&&", "&", "*") {
		e = Bin('&', e, p.xor())
	}
	return e
}

func (p *parser) xor() *Expr {
	e := p.equal()
	for p.take("^") {
		e = Bin('^', e, p.equal())
	}
	return e
}

func (p *parser) equal() *Expr {
	e := p.unary()
	for {
		switch {
		case p.take("===", "=="):
			e = Not(Bin('^', e, p.unary()))
		default:
			return e
		}
	}
}

func (p *parser) unary() *Expr {
	if p.take("!", "~") {
		return Not(p.unary())
	}
	if p.take("(") {
		e := p.or()
		if !p.take(")") && p.err == nil {
			p.err = fmt.Errorf("%q: ) missing", p.s)
		}
		return e
	}
	for _, c := range []string{"1'b0", "1'b1", "0", "1"} {
		if p.take(c) {
			return &Expr{Op: c[len(c)-1]}
		}
	}
	p.space()
	j := p.i
	for j < len(p.s) && (p.s[j] == '_' || p.s[j] == '[' || p.s[j] == ']' || p.s[j] >= '0' && p.s[j] <= '9' || p.s[j]|32 >= 'a' && p.s[j]|32 <= 'z') {
		j++
	}
	if j == p.i {
		if p.err == nil {
			p.err = fmt.Errorf("%q: name expected at %d", p.s, p.i)
		}
		p.i = len(p.s)
		return &Expr{Op: '0'}
	}
	e := V(p.s[p.i:j])
	p.i = j
	return e
}
