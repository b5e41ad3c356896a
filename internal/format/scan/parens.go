package scan

import (
	"context"
	"errors"
	"io"

	"github.com/wattd/wattd/internal/diag"
)

var (
	// WordBytes are what a keyword is made of.
	WordBytes = NewClass("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")
	// nameBytes are what a name or a path is made of. A backslash is handled apart: it makes any byte but white space
	// part of the name.
	nameBytes = NewClass(" \t\r\n\v\f()\"\\").Not()
	strBytes  = NewClass("\"\\").Not()
	commBytes = NewClass("*").Not()
)

// Parens reads the formats that are written as nested statements (KEYWORD ...), SDF and SAIF: comments // and /* */,
// quoted strings, names with backslash escapes. Position decides what a word is, so a name may equal a keyword. Every
// parenthesis is counted, which lets a caller leave a statement, understood or not, by Leave.
type Parens struct {
	*Scanner
	Bag             *diag.Bag
	Syntax, TooLong diag.Code // how faults are reported

	Depth int      // open parentheses
	At    diag.Pos // of the statement opened last
	Kw    []byte   // its keyword, in upper case
	Stop  bool     // set to end the reading; all loops then end

	kwBuf [24]byte
	tmp   []byte
}

// ctxReader ends the input when its context does, which every loop over a Scanner notices.
type ctxReader struct {
	ctx context.Context
	r   io.Reader
}

func (r ctxReader) Read(b []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.r.Read(b)
}

// NewParens starts a reading that ends early when ctx does. Syntax and tooLong are the codes of the format.
func NewParens(ctx context.Context, r io.Reader, file string, bag *diag.Bag, syntax, tooLong diag.Code) Parens {
	return Parens{Scanner: New(ctxReader{ctx, r}, file), Bag: bag, Syntax: syntax, TooLong: tooLong}
}

// NewParensOf reads what a scanner holds.
func NewParensOf(s *Scanner, bag *diag.Bag, syntax, tooLong diag.Code) Parens {
	return Parens{Scanner: s, Bag: bag, Syntax: syntax, TooLong: tooLong}
}

// Fault returns what ended the input early: a read fault or the end of the context. A token beyond bounds is a fault
// of the file, reported as such.
func (p *Parens) Fault() error {
	err := p.Err()
	if errors.Is(err, ErrTokenTooLong) {
		p.Bag.Add(p.TooLong, p.At, "a name, string or number is longer than 1 MiB")
		return nil
	}
	return err
}

// Space skips white space and comments. Both comment openers count only where a token may start, so that a path such
// as u1//u2 stays a path.
func (p *Parens) Space() {
	for {
		p.SkipClass(Space)
		if p.Peek() != '/' {
			return
		}
		switch p.PeekAt(1) {
		case '/':
			p.SkipPast('\n')
		case '*':
			p.Skip(2)
			for {
				p.SkipClass(commBytes)
				if p.Next() < 0 {
					return // the end inside a comment leaves a parenthesis open and is reported there
				}
				if p.Peek() == '/' {
					p.Skip(1)
					break
				}
			}
		default:
			return
		}
	}
}

// Token returns the first byte of the next token, -1 at the end.
func (p *Parens) Token() int {
	if c := p.Peek(); c > ' ' && c != '/' {
		return c
	}
	p.Space()
	return p.Peek()
}

// Open consumes the opening parenthesis that is next.
func (p *Parens) Open() {
	p.Skip(1)
	p.Depth++
}

// Close consumes a closing parenthesis, if it is next.
func (p *Parens) Close() bool {
	if p.Token() != ')' {
		return false
	}
	p.Skip(1)
	p.Depth--
	return true
}

// Stmt opens the next statement of the group being read: it leaves the keyword in p.Kw in upper case and the place of
// its parenthesis in p.At. It returns false, with the group closed, when there is none left.
func (p *Parens) Stmt() bool {
	if !p.Item() {
		return false
	}
	p.Space()
	p.Word()
	return true
}

// Item is Stmt for a group whose members begin with a name: it consumes the parenthesis only.
func (p *Parens) Item() bool {
	for !p.Stop {
		switch p.Token() {
		case '(':
			p.At = p.Pos()
			p.Open()
			return true
		case ')':
			p.Skip(1)
			p.Depth--
			return false
		case -1:
			return false
		}
		p.Bad("a parenthesis was expected")
		p.Junk()
	}
	return false
}

// Word reads a keyword into p.Kw in upper case, cut to the room there, which no keyword fills.
func (p *Parens) Word() {
	w := p.Take(WordBytes)
	n := min(len(w), len(p.kwBuf))
	for i, c := range w[:n] {
		if 'a' <= c && c <= 'z' {
			c -= 'a' - 'A'
		}
		p.kwBuf[i] = c
	}
	p.Kw = p.kwBuf[:n]
}

// Junk consumes one token that is neither parenthesis nor comment.
func (p *Parens) Junk() {
	switch p.Peek() {
	case '"':
		p.Str(p.tmp[:0])
	case '\\':
		p.Skip(1)
		if c := p.Peek(); c > ' ' {
			p.Skip(1)
		}
	default:
		p.SkipClass(nameBytes)
	}
}

// Leave skips to the parenthesis that brings the depth back to d and returns how many statements began directly below
// the one it left.
func (p *Parens) Leave(d int) (children int64) {
	for p.Depth > d && !p.Stop {
		switch p.Token() {
		case '(':
			p.Open()
			if p.Depth == d+2 {
				children++
			}
		case ')':
			p.Skip(1)
			p.Depth--
		case -1:
			return children
		default:
			p.Junk()
		}
	}
	return children
}

// Name appends the next name to dst as written. An index set off by white space belongs to the name before it.
func (p *Parens) Name(dst []byte) []byte {
	p.Space()
	for {
		dst = append(dst, p.Take(nameBytes)...)
		if p.Peek() == '\\' {
			dst = append(dst, '\\')
			p.Skip(1)
			if c := p.Peek(); c > ' ' {
				dst = append(dst, byte(c))
				p.Skip(1)
			}
			if p.Long(dst) {
				return dst
			}
			continue
		}
		if len(dst) == 0 || p.Token() != '[' || p.Long(dst) {
			return dst
		}
	}
}

// Str appends the quoted string that is next to dst, without quotes.
func (p *Parens) Str(dst []byte) []byte {
	p.Skip(1)
	for !p.Long(dst) {
		dst = append(dst, p.Take(strBytes)...)
		switch p.Next() {
		case '\\':
			if p.Peek() == '"' {
				p.Skip(1)
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

// Text appends what is left of a statement to dst: a quoted string, or bare tokens joined by sep.
func (p *Parens) Text(dst []byte, sep string) []byte {
	n := len(dst)
	for !p.Long(dst) {
		c := p.Token()
		if c == ')' || c == '(' || c < 0 {
			break
		}
		if len(dst) > n {
			dst = append(dst, sep...)
		}
		if c == '"' {
			dst = p.Str(dst)
		} else {
			dst = p.Name(dst)
		}
	}
	return dst
}

// Long ends the reading when a token has outgrown its bound.
func (p *Parens) Long(b []byte) bool {
	if len(b) > MaxToken && !p.Stop {
		p.Stop = true
		p.Bag.Add(p.TooLong, p.At, "a name, string or condition is longer than 1 MiB")
	}
	return p.Stop
}

// Bad reports a statement that cannot be read, at the next byte.
func (p *Parens) Bad(format string, args ...any) { p.BadAt(p.Pos(), format, args...) }

// BadAt reports nothing at the end of input, where the truncation is what is reported.
func (p *Parens) BadAt(pos diag.Pos, format string, args ...any) {
	if !p.Stop && p.Peek() >= 0 {
		p.Bag.Add(p.Syntax, pos, format, args...)
	}
}
