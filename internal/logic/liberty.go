package logic

import "strings"

// ParseLiberty reads a Boolean function of a Liberty library: ! and ~ before or ' behind an operand (complement),
// ^ (XOR), then * & or nothing between two operands (AND), then + | (OR), parentheses, 0 and 1, names with an
// index, and quoted names. Complement binds tightest, then XOR, AND, OR. Doubled && and || are taken as & and |.
func ParseLiberty(text string) (*Expr, error) { return parse(text, liberty{}) }

type liberty struct{}

func (liberty) infix(s string, i int) infixOp {
	if i >= len(s) {
		return infixOp{}
	}
	n := 1
	if i+1 < len(s) && s[i+1] == s[i] {
		n = 2
	}
	switch s[i] {
	case '^':
		return infixOp{prec: 3, n: 1, op: Xor}
	case '*':
		return infixOp{prec: 2, n: 1, op: And}
	case '&':
		return infixOp{prec: 2, n: n, op: And}
	case '+':
		return infixOp{prec: 1, n: 1, op: Or}
	case '|':
		return infixOp{prec: 1, n: n, op: Or}
	}
	return infixOp{}
}

func (liberty) prefix(s string, i int) (bool, int) {
	if i < len(s) && (s[i] == '!' || s[i] == '~') {
		return true, 1
	}
	return false, 0
}

func (liberty) postfix(s string, i int) bool { return s[i] == '\'' }

func (liberty) juxtaposed(s string, i int) (infixOp, bool) {
	if i == len(s) {
		return infixOp{}, false
	}
	c := s[i]
	return infixOp{prec: 2, op: And}, libertyName[c] || c == '(' || c == '!' || c == '~' || c == '"' || c == '\\'
}

func (liberty) primary(p *parser) (*Expr, *SyntaxError) {
	s, at := p.s, p.i
	if s[at] == '"' {
		end := strings.IndexByte(s[at+1:], '"')
		if end < 0 {
			return nil, p.fail(at, "quote without an end")
		}
		if end == 0 {
			return nil, p.fail(at, "empty name")
		}
		p.i = at + 1 + end + 1
		name := s[at+1 : at+1+end]
		if j := index(s, p.i); j > p.i {
			name, p.i = name+s[p.i:j], j
		}
		return &Expr{Op: Var, Name: name}, nil
	}
	return p.name(libertyName)
}

// name reads a run of name bytes, in which a backslash makes the next byte plain, and an index behind it. Alone, 0 and
// 1 are constants.
func (p *parser) name(class *[256]bool) (*Expr, *SyntaxError) {
	s, at := p.s, p.i
	escaped := false
	i := at
	for i < len(s) {
		if s[i] == '\\' && i+1 < len(s) && !isSpace(s[i+1]) {
			escaped = true
			i += 2
		} else if class[s[i]] {
			i++
		} else {
			break
		}
	}
	if i == at {
		return nil, p.fail(at, "unexpected %s", show(s, at))
	}
	name := s[at:i]
	switch name {
	case "0", "1":
		p.i = i
		return &Expr{Op: Const, Value: name == "1"}, nil
	}
	if escaped {
		name = unescape(name)
	}
	// An index may stand apart from its name: that is how an escaped name must be written.
	j := i
	for j < len(s) && isSpace(s[j]) {
		j++
	}
	if k := index(s, j); k > j {
		name, i = name+s[j:k], k
	}
	p.i = i
	return &Expr{Op: Var, Name: name}, nil
}

func unescape(s string) string {
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' {
			i++
		}
		b = append(b, s[i])
	}
	return string(b)
}

var (
	verilogName = nameClass("_$.")
	libertyName = nameClass("_$./<>")
)

func nameClass(extra string) *[256]bool {
	var c [256]bool
	for i := range c {
		b := byte(i)
		c[i] = b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= 0x80 || strings.IndexByte(extra, b) >= 0
	}
	return &c
}
