package verilog

import (
	"bytes"

	"github.com/wattd/wattd/internal/diag"
	"github.com/wattd/wattd/internal/format/scan"
)

// Bounds on macros, which can otherwise grow without end.
const (
	maxDepth    = 256      // expansions inside each other
	maxExpanded = 64 << 20 // bytes of expansions inside others, in one file
)

// macro is a `define.
type macro struct {
	name    string
	args    bool // has a list of arguments, possibly empty
	formals []string
	body    []byte
}

// define reads a macro definition up to the end of its line.
func (l *lexer) define(at Pos) {
	l.blanks()
	m := &macro{name: string(l.s.Take(identSet))}
	if m.name == "" {
		l.report(diag.VerilogDirective, at, "`define without a name")
		return
	}
	if l.s.Peek() == '(' {
		m.args = true
		l.s.Skip(1)
		for {
			l.s.SkipClass(scan.Space)
			if f := l.s.Take(identSet); len(f) > 0 {
				m.formals = append(m.formals, string(f))
			}
			l.s.SkipClass(scan.Space)
			c := l.s.Next()
			if c == ')' {
				break
			}
			if c != ',' {
				l.report(diag.VerilogDirective, at, "`define %s: arguments are names separated by commas", m.name)
				l.s.SkipPast('\n')
				return
			}
		}
	}
	for len(m.body) <= scan.MaxToken {
		c := l.s.Next()
		switch c {
		case -1, '\n':
			m.body = bytes.TrimSpace(m.body)
			if l.macros == nil {
				l.macros = map[string]*macro{}
			}
			l.macros[m.name] = m
			return
		case '\\':
			if l.s.Peek() == '\r' {
				l.s.Skip(1)
			}
			if l.s.Peek() == '\n' {
				c = l.s.Next()
			}
		case '/':
			if n := l.s.Peek(); n == '/' {
				for n >= 0 && n != '\n' {
					l.s.Skip(1)
					n = l.s.Peek()
				}
				continue
			} else if n == '*' {
				l.s.Skip(1)
				for l.s.SkipPast('*') && l.s.Peek() != '/' {
				}
				l.s.Skip(1)
				c = ' '
			}
		}
		m.body = append(m.body, byte(c))
	}
	l.report(diag.VerilogTooLong, at, "`define %s has more than 1 MiB of text", m.name)
	l.halt()
}

// expand makes the text of a macro the next input.
func (l *lexer) expand(m *macro, at Pos) {
	body := m.body
	if m.args {
		actuals, ok := l.actuals(m, at)
		if !ok {
			return
		}
		body = m.substitute(actuals)
	}
	depth := 0
	for i := range l.stack {
		if l.stack[i].macro != nil {
			depth++
		}
	}
	if depth > 0 {
		l.expanded += len(body)
	}
	if depth > maxDepth || l.expanded > maxExpanded || len(body) > maxExpanded {
		l.report(diag.VerilogMacroLimit, at, "`%s expands without end", m.name)
		l.halt()
		return
	}
	top := &l.stack[len(l.stack)-1]
	l.push(input{s: scan.NewBytes(body, ""), index: top.index, macro: m, pos: at})
}

// actuals reads the arguments of a use as text.
func (l *lexer) actuals(m *macro, at Pos) ([][]byte, bool) {
	l.s.SkipClass(scan.Space)
	if l.s.Peek() != '(' {
		l.report(diag.VerilogDirective, at, "`%s needs its arguments in parentheses", m.name)
		return nil, false
	}
	l.s.Skip(1)
	var all []byte
	var ends []int
	for depth, quoted := 0, false; ; {
		c := l.s.Next()
		if len(all) > scan.MaxToken {
			l.report(diag.VerilogTooLong, at, "the arguments of `%s have more than 1 MiB", m.name)
			l.halt()
			return nil, false
		}
		if c < 0 {
			l.report(diag.VerilogUnterminated, at, "the arguments of `%s do not end", m.name)
			return nil, false
		}
		switch {
		case quoted:
			if c == '\\' {
				all = append(all, byte(c))
				c = l.s.Next()
			} else if c == '"' {
				quoted = false
			}
		case c == '"':
			quoted = true
		case c == '(' || c == '[' || c == '{':
			depth++
		case c == ')' && depth == 0:
			return l.split(m, at, all, append(ends, len(all)))
		case c == ')' || c == ']' || c == '}':
			depth--
		case c == ',' && depth == 0:
			ends = append(ends, len(all))
			continue
		}
		all = append(all, byte(c))
	}
}

func (l *lexer) split(m *macro, at Pos, all []byte, ends []int) ([][]byte, bool) {
	var out [][]byte
	from := 0
	for _, to := range ends {
		out = append(out, bytes.TrimSpace(all[from:to]))
		from = to
	}
	if len(out) == 1 && len(out[0]) == 0 && len(m.formals) == 0 {
		out = nil
	}
	if len(out) != len(m.formals) {
		l.report(diag.VerilogDirective, at, "`%s takes %d arguments, not %d", m.name, len(m.formals), len(out))
		return nil, false
	}
	return out, true
}

// substitute puts the actuals in place of the formals. Strings and escaped names are left alone; a double backquote joins its
// neighbours.
func (m *macro) substitute(actuals [][]byte) []byte {
	var out []byte
	for b := m.body; len(b) > 0 && len(out) <= maxExpanded; {
		n := 1
		switch c := b[0]; {
		case c == '"':
			for n < len(b) && b[n] != '"' {
				if b[n] == '\\' {
					n++
				}
				n++
			}
			n = min(n+1, len(b))
		case c == '\\':
			for n < len(b) && !scan.Space[b[n]] {
				n++
			}
		case bytes.HasPrefix(b, []byte("``")):
			b = b[2:]
			continue
		case identSet[c]:
			for n < len(b) && identSet[b[n]] {
				n++
			}
			if i := m.formal(b[:n]); i >= 0 {
				out = append(out, actuals[i]...)
				b = b[n:]
				continue
			}
		}
		out = append(out, b[:n]...)
		b = b[n:]
	}
	return out
}

func (m *macro) formal(name []byte) int {
	for i, f := range m.formals {
		if f == string(name) {
			return i
		}
	}
	return -1
}
