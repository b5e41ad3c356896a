package logic

import "fmt"

// MaxDepth bounds the nesting of parentheses, and so the depth of every tree that a parser here returns: walking one
// by recursion is safe whatever the text was.
const MaxDepth = 200

// SyntaxError is a fault of a text at a byte offset in it.
type SyntaxError struct {
	Offset int
	Msg    string
}

func (e *SyntaxError) Error() string { return fmt.Sprintf("offset %d: %s", e.Offset, e.Msg) }

// grammar is what differs between the two languages. Its methods look at offset i of a text; i may be at its end, but
// for postfix and primary.
type grammar interface {
	infix(s string, i int) infixOp              // the binary operator there, prec 0 if none
	juxtaposed(s string, i int) (infixOp, bool) // the operator meant when an operand begins there
	prefix(s string, i int) (not bool, n int)   // the prefix operator there, n 0 if none
	postfix(s string, i int) bool               // a complement of one byte
	primary(p *parser) (*Expr, *SyntaxError)    // a constant or a name
}

// infixOp is a binary operator of n bytes; a higher prec binds tighter. flip complements the result: XNOR and equality.
type infixOp struct {
	prec, n int
	op      Op
	flip    bool
}

type parser struct {
	s     string
	i     int
	depth int
	g     grammar
}

func (p *parser) fail(at int, format string, args ...any) *SyntaxError {
	return &SyntaxError{at, fmt.Sprintf(format, args...)}
}

func (p *parser) space() {
	for p.i < len(p.s) && isSpace(p.s[p.i]) {
		p.i++
	}
}

func isSpace(c byte) bool { return c == ' ' || c-'\t' < 5 }

// parse reads the whole text.
func parse(s string, g grammar) (*Expr, error) {
	p := &parser{s: s, g: g}
	p.space()
	if p.i == len(s) {
		return nil, p.fail(0, "no expression")
	}
	e, err := p.binary(1)
	if err != nil {
		return nil, err
	}
	if p.i < len(s) {
		if s[p.i] == ')' {
			return nil, p.fail(p.i, "')' without '('")
		}
		return nil, p.fail(p.i, "unexpected %s", show(s, p.i))
	}
	return e, nil
}

// binary reads operands joined by operators of precedence min and above. Equal operators in a row become one node.
func (p *parser) binary(min int) (*Expr, *SyntaxError) {
	x, err := p.operand()
	if err != nil {
		return nil, err
	}
	return p.tail(x, min)
}

// tail goes on after a first operand. Complements of XOR are gathered in one flag, so that a row of equalities is one
// node; the depth of the tree is bounded by the parentheses and the number of precedences.
func (p *parser) tail(x *Expr, min int) (*Expr, *SyntaxError) {
	open := false // x is a node made here, to which an equal operator may add
	flip := false // x stands for its complement
	for {
		p.space()
		o := p.g.infix(p.s, p.i)
		if o.prec == 0 {
			if j, ok := p.g.juxtaposed(p.s, p.i); ok {
				o = j
			}
		}
		if o.prec < min || o.prec == 0 {
			return complement(x, flip), nil
		}
		p.i += o.n
		y, err := p.operand()
		if err != nil {
			return nil, err
		}
		// A tighter operator to the right takes y first.
		if y, err = p.tail(y, o.prec+1); err != nil {
			return nil, err
		}
		if o.op != Xor && flip {
			x, open, flip = complement(x, true), false, false
		}
		switch {
		case o.op == Xor && y.Op == Const: // the usual form of a condition: A === 1'b0
			flip = flip != (y.Value != o.flip)
		case o.op == Xor && x.Op == Const:
			flip = flip != (x.Value != o.flip)
			x = y
		case open && x.Op == o.op:
			x.Kids = append(x.Kids, y)
			flip = flip != o.flip
		default:
			x, open = &Expr{Op: o.op, Kids: []*Expr{x, y}}, true
			flip = flip != o.flip
		}
	}
}

func complement(x *Expr, flip bool) *Expr {
	if flip {
		return &Expr{Op: Not, Kids: []*Expr{x}}
	}
	return x
}

// operand reads prefix operators, a primary or a parenthesis, and postfix operators. Complements in a row cancel here,
// so a long row of them makes no deep tree.
func (p *parser) operand() (*Expr, *SyntaxError) {
	flip := false
	for {
		p.space()
		not, n := p.g.prefix(p.s, p.i)
		if n == 0 {
			break
		}
		flip = flip != not
		p.i += n
	}
	if p.i == len(p.s) {
		return nil, p.fail(p.i, "an operand is missing at the end")
	}
	var e *Expr
	var err *SyntaxError
	if p.s[p.i] == '(' {
		at := p.i
		if p.depth++; p.depth > MaxDepth {
			return nil, p.fail(at, "parentheses nested deeper than %d", MaxDepth)
		}
		p.i++
		if e, err = p.binary(1); err != nil {
			return nil, err
		}
		if p.i == len(p.s) {
			return nil, p.fail(at, "'(' without ')'")
		}
		if p.s[p.i] != ')' {
			return nil, p.fail(p.i, "unexpected %s", show(p.s, p.i))
		}
		p.i++
		p.depth--
	} else if e, err = p.g.primary(p); err != nil {
		return nil, err
	}
	for j := p.i; ; {
		for j < len(p.s) && isSpace(p.s[j]) {
			j++
		}
		if j == len(p.s) || !p.g.postfix(p.s, j) {
			break
		}
		flip = !flip
		j++
		p.i = j
	}
	return complement(e, flip), nil
}

// show names what stands at offset i.
func show(s string, i int) string {
	if i >= len(s) {
		return "end"
	}
	if c := s[i]; c < ' ' || c > '~' {
		return fmt.Sprintf("byte 0x%02x", c)
	}
	return fmt.Sprintf("'%c'", s[i])
}

// index reads "[digits]" or "[digits:digits]" at offset i and returns the offset behind it, or i if there is none.
func index(s string, i int) int {
	j := i
	if j >= len(s) || s[j] != '[' {
		return i
	}
	digits := 0
	for j++; j < len(s); j++ {
		switch c := s[j]; {
		case c >= '0' && c <= '9':
			digits++
		case c == ':' && digits > 0, c == '-' && s[j-1] == '[':
		case c == ']' && digits > 0:
			return j + 1
		default:
			return i
		}
	}
	return i
}
