package verilog

import "github.com/wattd/wattd/internal/diag"

// resync skips to behind the next semicolon, or to the next keyword that surely begins or ends a module.
func (p *parser) resync() {
	for p.kind != tEOF {
		switch {
		case p.kind == ';':
			p.src = 0
			p.next()
			return
		case p.atEnd():
			return
		}
		p.next()
	}
}

// atEnd is true at what no item can hold.
func (p *parser) atEnd() bool {
	w := p.word()
	return p.kind == tEOF || w == kwEndmodule || w == kwModule
}

// skipParens skips from an opening bracket of any kind to behind its partner.
func (p *parser) skipParens() bool {
	at := p.pos()
	for depth := 0; !p.atEnd(); {
		switch p.kind {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			if depth--; depth == 0 {
				p.next()
				return true
			}
		}
		p.next()
	}
	p.unclosed(at, "a parenthesis")
	return false
}

func (p *parser) unclosed(at Pos, what string) {
	p.failed = true
	p.report(diag.VerilogUnterminated, at, "%s without its end", what)
}

// skipItem skips to behind the semicolon of an item.
func (p *parser) skipItem() bool {
	at := p.pos()
	for !p.atEnd() {
		switch p.kind {
		case '(', '[', '{':
			if !p.skipParens() {
				return false
			}
			continue
		case ';':
			return p.endItem("")
		}
		p.next()
	}
	p.unclosed(at, "an item")
	return false
}

// skipBlock skips a block that w opens and that does not nest.
func (p *parser) skipBlock(w keyword) bool {
	at := p.pos()
	for !p.atEnd() {
		if p.word() == w.end() {
			p.src = 0
			p.next()
			p.label()
			return true
		}
		p.next()
	}
	p.unclosed(at, "a block")
	return false
}

// skipStatement skips a procedural statement or a generate construct: to behind its semicolon, or the end that
// closes its begin, with the else branches that follow. Semicolons in parentheses, as in a for, are passed over.
func (p *parser) skipStatement() bool {
	at := p.pos()
	depth := 0
	for !p.atEnd() {
		done := false
		w := p.word()
		switch {
		case p.kind == '(' || p.kind == '[' || p.kind == '{':
			if !p.skipParens() {
				return false
			}
			continue
		case p.kind == ';':
			p.src = 0
			p.next()
			done = depth == 0
		case w == kwDisable:
			p.next()
			if p.word() == kwFork {
				p.next()
			}
			continue
		case w == kwBegin || w == kwFork || w == kwCase:
			depth++
			p.next()
			if w != kwCase {
				p.label()
			}
		case w == kwEnd:
			if depth--; depth < 0 {
				p.unexpected("a statement")
				return false
			}
			p.next()
			p.label()
			done = depth == 0
		case w == kwFunction || w == kwTask || w == kwSpecify || w == kwTable:
			if !p.skipBlock(w) {
				return false
			}
			done = depth == 0
		default:
			p.next()
		}
		if !done {
			continue
		}
		switch p.word() {
		case kwElse, kwWhile: // of an if, of a do
			p.next()
		default:
			return true
		}
	}
	p.unclosed(at, "a statement")
	return false
}
