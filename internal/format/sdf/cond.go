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
	if p.Token() == '"' {
		label = p.Str(label)
		p.labelBuf = label
		p.Space()
	}
	condPos := p.Pos()
	if !p.condText() {
		return
	}
	text := bytes.TrimSpace(p.condBuf)
	if len(text) == 0 {
		p.Bad("COND without a condition")
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
	at := p.At
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
	if !p.Stmt() {
		return false
	}
	if string(p.Kw) != "IOPATH" {
		p.Bad("IOPATH was expected, not %q", p.Kw)
		return false
	}
	return true
}

// condText collects the condition in p.condBuf and stops behind the keyword of the IOPATH, which is then p.At. A pin
// may be called IOPATH: the keyword counts outside the parentheses of the condition only, and a pin or an edge must
// follow it.
func (p *parser) condText() bool {
	b := p.condBuf[:0]
	base := p.Depth
	defer func() { p.condBuf = b }()
	for !p.Long(b) {
		b = append(b, p.Take(condBytes)...)
		switch c := p.Peek(); c {
		case '(':
			at, mark, inner := p.Pos(), len(b), p.Depth > base
			p.Open()
			b = append(b, '(')
			b = append(b, p.Take(scan.Space)...)
			w := p.Take(scan.WordBytes)
			b = append(b, w...)
			if inner || !bytes.EqualFold(w, []byte("IOPATH")) {
				continue
			}
			n := len(b)
			b = append(b, p.Take(scan.Space)...)
			if c := p.Token(); c == '(' || len(b) > n && (c == '\\' || c == '[' || c >= 0 && scan.WordBytes[c]) {
				b, p.At = b[:mark], at
				return true
			}
		case ')':
			if p.Depth == base {
				p.Bad("COND without IOPATH")
				return false
			}
			b = append(b, ')')
			p.Skip(1)
			p.Depth--
		case '"':
			p.Bad("a string inside a condition")
			return false
		case '\\':
			b = append(b, '\\')
			p.Skip(1)
			if c := p.Peek(); c > ' ' {
				b = append(b, byte(c))
				p.Skip(1)
			}
		case '/':
			if c := p.PeekAt(1); c == '/' || c == '*' {
				p.Space()
				b = append(b, ' ')
			} else {
				p.Skip(1)
				b = append(b, '/')
			}
		default:
			return false // the end of the input
		}
	}
	return false
}
