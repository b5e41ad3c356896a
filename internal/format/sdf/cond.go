package sdf

import (
	"bytes"

	"github.com/wattd/wattd/internal/format/scan"
)

// condBytes are the bytes of a condition that need no look: neither structure nor the start of a comment.
var condBytes = scan.NewClass("()\"\\/").Not()

// cond reads COND: an optional label, the text of the condition up to the (IOPATH that ends it, and the IOPATH. The
// text is not parsed: conditions are written with and without parentheses, and only the reader of the design knows the
// names in them.
func (p *parser) cond(mode Mode) {
	io := &p.io
	p.st.Conds++
	label := p.labelBuf[:0]
	if p.peek() == '"' {
		label = p.str(label)
		p.labelBuf = label
		p.space()
	}
	condPos := p.s.Pos()
	if !p.condText() {
		return
	}
	text := bytes.TrimSpace(p.condBuf)
	if len(text) == 0 {
		p.bad("COND without a condition")
		return
	}
	for {
		io.Mode, io.Kind, io.Cond, io.Label, io.CondPos = mode, Cond, text, label, condPos
		if !p.iopath() || !p.moreIOPaths() {
			return
		}
	}
}

func (p *parser) condelse(mode Mode) {
	p.st.Condelses++
	at := p.at
	for p.moreIOPaths() {
		io := &p.io
		io.Mode, io.Kind, io.Cond, io.Label, io.CondPos = mode, Condelse, nil, nil, at
		if !p.iopath() {
			return
		}
	}
}

// moreIOPaths opens the next IOPATH inside COND or CONDELSE; false, with the statement closed, when there is none.
func (p *parser) moreIOPaths() bool {
	if !p.stmt() {
		return false
	}
	if string(p.kw) != "IOPATH" {
		p.bad("IOPATH was expected, not %q", p.kw)
		return false
	}
	return true
}

// condText collects the condition in p.condBuf and stops behind the keyword of the IOPATH, which is then p.at. A pin
// may be called IOPATH: the keyword counts outside the parentheses of the condition only, and a pin or an edge must
// follow it.
func (p *parser) condText() bool {
	b := p.condBuf[:0]
	base := p.depth
	defer func() { p.condBuf = b }()
	for !p.long(b) {
		b = append(b, p.s.Take(condBytes)...)
		switch c := p.s.Peek(); c {
		case '(':
			at, mark, inner := p.s.Pos(), len(b), p.depth > base
			p.open()
			b = append(b, '(')
			b = append(b, p.s.Take(scan.Space)...)
			w := p.s.Take(wordBytes)
			b = append(b, w...)
			if inner || !bytes.EqualFold(w, []byte("IOPATH")) {
				continue
			}
			n := len(b)
			b = append(b, p.s.Take(scan.Space)...)
			if c := p.peek(); c == '(' || len(b) > n && (c == '\\' || c == '[' || c >= 0 && wordBytes[c]) {
				b, p.at = b[:mark], at
				return true
			}
		case ')':
			if p.depth == base {
				p.bad("COND without IOPATH")
				return false
			}
			b = append(b, ')')
			p.s.Skip(1)
			p.depth--
		case '"':
			p.bad("a string inside a condition")
			return false
		case '\\':
			b = append(b, '\\')
			p.s.Skip(1)
			if c := p.s.Peek(); c > ' ' {
				b = append(b, byte(c))
				p.s.Skip(1)
			}
		case '/':
			if c := p.s.PeekAt(1); c == '/' || c == '*' {
				p.space()
				b = append(b, ' ')
			} else {
				p.s.Skip(1)
				b = append(b, '/')
			}
		default:
			return false // the end of the input
		}
	}
	return false
}
