package sdf

import (
	"github.com/wattd/wattd/internal/diag"
	"github.com/wattd/wattd/internal/format/scan"
)

var (
	// nameBytes are what a name, a path or a keyword is made of. A backslash is handled apart: it makes any byte but
	// white space part of the name.
	nameBytes = scan.NewClass(" \t\r\n\v\f()\"\\").Not()
	wordBytes = scan.NewClass("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")
	numBytes  = scan.NewClass("0123456789.+-eE")
	strBytes  = scan.NewClass("\"\\").Not()
	commBytes = scan.NewClass("*").Not()
)

// space skips white space and comments. Both comment openers count only where a token may start, so that a path such
// as u1//u2 stays a path.
func (p *parser) space() {
	for {
		p.s.SkipClass(scan.Space)
		if p.s.Peek() != '/' {
			return
		}
		switch p.s.PeekAt(1) {
		case '/':
			p.s.SkipPast('\n')
		case '*':
			p.s.Skip(2)
			for {
				p.s.SkipClass(commBytes)
				if p.s.Next() < 0 {
					return // the end inside a comment leaves DELAYFILE open and is reported there
				}
				if p.s.Peek() == '/' {
					p.s.Skip(1)
					break
				}
			}
		default:
			return
		}
	}
}

// peek returns the first byte of the next token, -1 at the end.
func (p *parser) peek() int {
	if c := p.s.Peek(); c > ' ' && c != '/' {
		return c
	}
	p.space()
	return p.s.Peek()
}

func (p *parser) open() {
	p.s.Skip(1)
	p.depth++
}

// close consumes a closing parenthesis, if it is next.
func (p *parser) close() bool {
	if p.peek() != ')' {
		return false
	}
	p.s.Skip(1)
	p.depth--
	return true
}

// stmt opens the next statement of the group being read: it leaves the keyword in p.kw in upper case and the place of
// its parenthesis in p.at. It returns false, with the group closed, when there is none left.
func (p *parser) stmt() bool {
	for !p.stop {
		switch p.peek() {
		case '(':
			p.at = p.s.Pos()
			p.open()
			p.space()
			p.word()
			return true
		case ')':
			p.s.Skip(1)
			p.depth--
			return false
		case -1:
			return false
		}
		p.bad("a parenthesis was expected")
		p.junk()
	}
	return false
}

// word reads a keyword into p.kw in upper case, cut to the room there, which no keyword fills.
func (p *parser) word() {
	w := p.s.Take(wordBytes)
	n := min(len(w), len(p.kwBuf))
	for i, c := range w[:n] {
		if 'a' <= c && c <= 'z' {
			c -= 'a' - 'A'
		}
		p.kwBuf[i] = c
	}
	p.kw = p.kwBuf[:n]
}

// junk consumes one token that is neither parenthesis nor comment.
func (p *parser) junk() {
	switch p.s.Peek() {
	case '"':
		p.str(p.tmp[:0])
	case '\\':
		p.s.Skip(1)
		if c := p.s.Peek(); c > ' ' {
			p.s.Skip(1)
		}
	default:
		p.s.SkipClass(nameBytes)
	}
}

// leave skips to the parenthesis that brings the depth back to d and returns how many statements began directly below
// the one it left.
func (p *parser) leave(d int) (children int64) {
	for p.depth > d && !p.stop {
		switch p.peek() {
		case '(':
			p.open()
			if p.depth == d+2 {
				children++
			}
		case ')':
			p.s.Skip(1)
			p.depth--
		case -1:
			return children
		default:
			p.junk()
		}
	}
	return children
}

// name appends the next name to dst as written. An index set off by white space belongs to the name before it.
func (p *parser) name(dst []byte) []byte {
	p.space()
	for {
		dst = append(dst, p.s.Take(nameBytes)...)
		if p.s.Peek() == '\\' {
			dst = append(dst, '\\')
			p.s.Skip(1)
			if c := p.s.Peek(); c > ' ' {
				dst = append(dst, byte(c))
				p.s.Skip(1)
			}
			if p.long(dst) {
				return dst
			}
			continue
		}
		if len(dst) == 0 || p.peek() != '[' || p.long(dst) {
			return dst
		}
	}
}

// str appends the quoted string that is next to dst, without quotes.
func (p *parser) str(dst []byte) []byte {
	p.s.Skip(1)
	for !p.long(dst) {
		dst = append(dst, p.s.Take(strBytes)...)
		switch p.s.Next() {
		case '\\':
			if p.s.Peek() == '"' {
				p.s.Skip(1)
				dst = append(dst, '"')
			} else {
				dst = append(dst, '\\')
			}
		default:
			return dst
		}
	}
	return dst
}

// text appends what is left of a statement to dst: a quoted string, or bare tokens joined by sep.
func (p *parser) text(dst []byte, sep string) []byte {
	n := len(dst)
	for !p.long(dst) {
		c := p.peek()
		if c == ')' || c == '(' || c < 0 {
			break
		}
		if len(dst) > n {
			dst = append(dst, sep...)
		}
		if c == '"' {
			dst = p.str(dst)
		} else {
			dst = p.name(dst)
		}
	}
	return dst
}

// long ends the reading when a token has outgrown its bound.
func (p *parser) long(b []byte) bool {
	if len(b) > scan.MaxToken && !p.stop {
		p.stop = true
		p.bag.Add(diag.SDFTokenTooLong, p.at, "a name, string or condition is longer than 1 MiB")
	}
	return p.stop
}

// bad reports a statement that cannot be read, at the next byte.
func (p *parser) bad(format string, args ...any) { p.badAt(p.s.Pos(), format, args...) }

// badAt reports nothing at the end of input, where the truncation is what is reported.
func (p *parser) badAt(pos diag.Pos, format string, args ...any) {
	if !p.stop && p.s.Peek() >= 0 {
		p.bag.Add(diag.SDFSyntax, pos, format, args...)
	}
}
