package verilog

import (
	"context"
	"io"

	"github.com/wattd/wattd/internal/diag"
	"github.com/wattd/wattd/internal/format/scan"
)

// token is a kind of token. A punctuation character is its own kind; the others follow the ASCII range.
type token uint16

const (
	tEOF token = 0

	tIdent   token = iota + 127 // plain identifier or keyword
	tEscaped                    // \name, text without the backslash
	tNumber                     // 12, 1_000, 1.5e3
	tBased                      // 'h1f: text is the base letter and the digits
	tString                     // text without the quotes
	tSystem                     // $name
	tBad                        // a byte that begins nothing

	tLAnd       // &&
	tLOr        // ||
	tEq         // == ===
	tNe         // != !==
	tLe         // <=
	tGe         // >=
	tShl        // << <<<
	tShr        // >> >>>
	tPow        // **
	tNand       // ~&
	tNor        // ~|
	tXnor       // ~^ ^~
	tPlusColon  // +:
	tMinusColon // -:
	tArrow      // -> => *>
)

// maxErrors ends the reading of a file: what follows so many faults is noise.
const maxErrors = 50

// input is one text on the stack: a file, an included file or the expansion of a macro.
type input struct {
	s     *scan.Scanner
	close io.Closer // included files
	file  string
	index uint16
	macro *macro // set for an expansion, all of whose tokens are at pos
	pos   Pos
	conds int // open conditionals when the text began
}

// lexer cuts the input into tokens. It handles comments, attributes and compiler directives itself, so that the
// parser sees plain Verilog. text is valid until the next call of next.
type lexer struct {
	ctx   context.Context // ends the input when it is done
	s     *scan.Scanner   // of the top of stack
	kind  token
	text  []byte
	width int   // bytes of the token, for its column
	src   int32 // interned text of the last (* src = "..." *)

	names   *scan.Names
	bag     *diag.Bag
	opt     Option
	stack   []input
	files   map[uint16]string // names by index, for positions
	scratch []byte

	macros   map[string]*macro
	conds    []cond
	expanded int // bytes of nested expansions
	errors   int // faults reported
	reports  int // messages of any kind
	track    *Track
	stop     bool  // no more tokens: too many errors, or a fault of the input
	fault    error // I/O fault or cancellation

	// State set by directives.
	celldefine bool
	unitExp    int32
	noImplicit bool
}

// The classes of first bytes.
const (
	cBad = iota
	cSpace
	cIdent
	cDigit
	cSingle // a token by itself
	cMulti  // may begin a longer operator, a comment or an attribute
	cOther  // \ ' " ` $
)

var (
	first    [256]uint8
	identSet = scan.NewClass("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$")
	digitSet = scan.NewClass("0123456789_")
	baseSet  = scan.NewClass("0123456789abcdefABCDEFxXzZ?_")
	notSpace = scan.Space.Not()
)

func init() {
	for c := range 256 {
		switch {
		case scan.Space[c]:
			first[c] = cSpace
		case c >= '0' && c <= '9':
			first[c] = cDigit
		case c == '$':
			first[c] = cOther
		case identSet[c]:
			first[c] = cIdent
		}
	}
	for _, c := range ")[]{},;.#@?:%" {
		first[c] = cSingle
	}
	for _, c := range "(&|=!<>*~^+-/" {
		first[c] = cMulti
	}
	for _, c := range "\\'\"`" {
		first[c] = cOther
	}
}

// next reads the next token into kind and text.
func (l *lexer) next() {
	for {
		w := l.s.Window()
		i := 0
		for i < len(w) && first[w[i]] == cSpace {
			i++
		}
		if i == len(w) {
			l.s.Skip(i)
			if l.s.More() {
				continue
			}
			if !l.pop() {
				return
			}
			continue
		}
		c := w[i]
		switch first[c] {
		case cIdent:
			j := i + 1
			for j < len(w) && identSet[w[j]] {
				j++
			}
			if j < len(w) {
				l.s.Skip(j)
				l.text = w[i:j]
			} else {
				l.s.Skip(i)
				l.text = l.s.Take(identSet)
			}
			l.kind, l.width = tIdent, len(l.text)
			return
		case cSingle:
			l.s.Skip(i + 1)
			l.kind, l.text, l.width = token(c), w[i:i+1], 1
			return
		case cDigit:
			l.s.Skip(i)
			l.number()
			return
		}
		l.s.Skip(i)
		if l.other(c) {
			return
		}
	}
}

// other reads a token, or what is none, that begins with c.
func (l *lexer) other(c byte) bool {
	switch c {
	case '\\':
		l.s.Skip(1)
		l.kind, l.text = tEscaped, l.s.Take(notSpace)
		l.width = len(l.text) + 1
		if len(l.text) == 0 {
			l.report(diag.VerilogSyntax, l.pos(), "an escaped name without characters")
		}
		return true
	case '`':
		l.directive()
		return false
	case '/':
		switch l.s.PeekAt(1) {
		case '/':
			l.s.SkipPast('\n')
			return false
		case '*':
			l.comment()
			return false
		}
	case '(':
		if l.s.PeekAt(1) == '*' && l.attribute() {
			return false
		}
	case '"':
		l.str()
		return true
	case '\'':
		l.based()
		return true
	case '$':
		l.kind, l.text = tSystem, l.s.Take(identSet)
		l.width = len(l.text)
		return true
	}
	if first[c] == cBad {
		l.bad()
		return true
	}
	l.kind = token(c)
	n := 1
	if k, m := operator(c, l.s.PeekAt(1), l.s.PeekAt(2)); m > 0 {
		l.kind, n = k, m
	}
	l.text, l.width = l.s.Window()[:n], n
	l.s.Skip(n)
	return true
}

// operator returns the operator of two or three characters that begins with a b c, and its length.
func operator(a byte, b, c int) (token, int) {
	switch string([]byte{a, byte(b)}) {
	case "&&":
		return tLAnd, 2
	case "||":
		return tLOr, 2
	case "==", "!=":
		n := 2
		if c == '=' {
			n = 3
		}
		if a == '=' {
			return tEq, n
		}
		return tNe, n
	case "<=":
		return tLe, 2
	case ">=":
		return tGe, 2
	case "<<", ">>":
		n, k := 2, tShl
		if a == '>' {
			k = tShr
		}
		if c == int(a) {
			n = 3
		}
		return k, n
	case "**":
		return tPow, 2
	case "~&":
		return tNand, 2
	case "~|":
		return tNor, 2
	case "~^", "^~":
		return tXnor, 2
	case "+:":
		return tPlusColon, 2
	case "-:":
		return tMinusColon, 2
	case "->", "=>", "*>":
		return tArrow, 2
	}
	return 0, 0
}

// number reads digits with an optional fraction and exponent.
func (l *lexer) number() {
	l.kind = tNumber
	w := l.s.Window()
	i := 0
	for i < len(w) && w[i]-'0' < 10 {
		i++
	}
	if i < len(w) && !identSet[w[i]] && w[i] != '.' {
		l.text, l.width = w[:i], i
		l.s.Skip(i)
		return
	}
	b := append(l.scratch[:0], l.s.Take(digitSet)...)
	if l.s.Peek() == '.' && isDigit(l.s.PeekAt(1)) {
		l.s.Skip(1)
		b = append(append(b, '.'), l.s.Take(digitSet)...)
	}
	if c := l.s.Peek(); c == 'e' || c == 'E' {
		n := 1
		if s := l.s.PeekAt(1); s == '+' || s == '-' {
			n = 2
		}
		if isDigit(l.s.PeekAt(n)) {
			b = append(b, l.s.Window()[:n]...)
			l.s.Skip(n)
			b = append(b, l.s.Take(digitSet)...)
		}
	}
	l.scratch, l.text, l.width = b, b, len(b)
}

func isDigit(c int) bool { return c >= '0' && c <= '9' }

// quote is the text of an apostrophe that begins no number, as in SystemVerilog's '0.
var quote = []byte("'")

// based reads 'h1f, with white space before the digits as the standard allows. The signedness stays in the text as
// the letter s after the base.
func (l *lexer) based() {
	at := l.s.Offset()
	l.kind = tBased
	l.s.Skip(1)
	b := l.scratch[:0]
	signed := false
	if c := l.s.Peek(); c == 's' || c == 'S' {
		signed = true
		l.s.Skip(1)
	}
	switch c := l.s.Peek(); c {
	case 'b', 'B', 'o', 'O', 'd', 'D', 'h', 'H':
		b = append(b, byte(c)|0x20)
		l.s.Skip(1)
	default:
		l.kind, l.text, l.width = token('\''), quote, 1
		return
	}
	if signed {
		b = append(b, 's')
	}
	l.s.SkipClass(scan.Space)
	b = append(b, l.s.Take(baseSet)...)
	l.scratch, l.text, l.width = b, b, int(l.s.Offset()-at)
}

// str reads a string. Only the start of a very long one is kept.
func (l *lexer) str() {
	l.width = 0
	at := l.pos()
	l.s.Skip(1)
	b := l.scratch[:0]
	for {
		c := l.s.Next()
		if c < 0 || c == '\n' {
			l.report(diag.VerilogUnterminated, at, "a string without closing quote")
			break
		}
		if c == '"' {
			break
		}
		if c == '\\' {
			if c = l.s.Next(); c < 0 {
				continue
			}
		}
		if len(b) < 4096 {
			b = append(b, byte(c))
		}
	}
	l.kind, l.scratch, l.text, l.width = tString, b, b, 1
}

func (l *lexer) comment() {
	l.width = 0
	at := l.pos()
	l.s.Skip(2)
	for l.s.SkipPast('*') {
		if l.s.Peek() == '/' {
			l.s.Skip(1)
			return
		}
	}
	l.report(diag.VerilogUnterminated, at, "a comment without its */")
}

// attribute skips (* ... *) and keeps the value of src. It is false for the (*) of an event control.
func (l *lexer) attribute() bool {
	n := 2
	for c := l.s.PeekAt(n); c == ' ' || c == '\t'; c = l.s.PeekAt(n) {
		if n++; n > 64 {
			break
		}
	}
	if l.s.PeekAt(n) == ')' {
		return false
	}
	l.width = 0
	at := l.pos()
	l.s.Skip(2)
	key, value := false, false
	for {
		l.s.SkipClass(scan.Space)
		c := l.s.Peek()
		switch {
		case c < 0:
			l.report(diag.VerilogUnterminated, at, "an attribute without its *)")
			return true
		case c == '*' && l.s.PeekAt(1) == ')':
			l.s.Skip(2)
			return true
		case c == '"':
			l.str()
			if value {
				l.src = l.names.Intern(l.text)
			}
			value = false
		case c == '/' && l.s.PeekAt(1) == '*':
			l.comment()
		case c == '/' && l.s.PeekAt(1) == '/':
			l.s.SkipPast('\n')
		case c == '\\':
			l.s.Take(notSpace)
			key = false
		case identSet[c]:
			key = string(l.s.Take(identSet)) == "src"
			value = false
		default:
			value = key && c == '='
			key = false
			l.s.Skip(1)
		}
	}
}

// bad skips a run of bytes that begin nothing and reports it once.
func (l *lexer) bad() {
	l.width = 0
	at := l.pos()
	c := l.s.Peek()
	if l.s.Offset() == 0 && (c == 0xff || c == 0xfe) {
		l.report(diag.VerilogCharacter, at, "the file looks like UTF-16")
		l.halt()
	} else {
		l.report(diag.VerilogCharacter, at, "byte 0x%02x outside a comment, a string or an escaped name", c)
	}
	for c = l.s.Peek(); c >= 0 && first[c] == cBad; c = l.s.Peek() {
		l.s.Skip(1)
	}
	l.kind, l.text = tBad, nil
}

// pop leaves an exhausted text for the one that it interrupted; false at the end of everything.
func (l *lexer) pop() bool {
	top := &l.stack[len(l.stack)-1]
	if !l.stop {
		switch err := top.s.Err(); {
		case err == scan.ErrTokenTooLong:
			l.width = 0
			l.report(diag.VerilogTooLong, l.pos(), "a name, number or macro text of more than 1 MiB")
			l.halt()
		case err != nil:
			l.fault = err
			l.halt()
		}
	}
	if !l.stop && len(l.conds) > top.conds {
		c := l.conds[len(l.conds)-1]
		l.report(diag.VerilogUnterminated, c.pos, "`%s without `endif", c.word)
		l.conds = l.conds[:top.conds]
	}
	if l.stop || len(l.stack) == 1 {
		l.kind, l.text, l.width = tEOF, nil, 0
		return false
	}
	if top.close != nil {
		top.close.Close()
	}
	l.stack = l.stack[:len(l.stack)-1]
	l.s = l.stack[len(l.stack)-1].s
	return true
}

// halt makes every further token the end. The stack stays, for positions.
func (l *lexer) halt() {
	l.stop = true
	l.s = scan.NewBytes(nil, "")
	l.kind, l.text, l.width = tEOF, nil, 0
}

// closeAll closes the included files that are still open.
func (l *lexer) closeAll() {
	for _, in := range l.stack {
		if in.close != nil {
			in.close.Close()
		}
	}
}

// push makes in the text that the next token comes from.
func (l *lexer) push(in input) {
	in.conds = len(l.conds)
	l.stack = append(l.stack, in)
	l.s = in.s
}

// pos is the place of the current token; inside a macro the place where it is used.
func (l *lexer) pos() Pos {
	top := &l.stack[len(l.stack)-1]
	if top.macro != nil {
		return top.pos
	}
	line, col := top.s.LineCol()
	return Pos{Line: int32(line), Col: uint16(min(max(col-l.width, 1), 65535)), File: top.index}
}

func (l *lexer) fullPos(p Pos) diag.Pos {
	return diag.Pos{File: l.files[p.File], Line: int(p.Line), Col: int(p.Col)}
}

// report reports a fault. After an I/O fault what seems cut off is not the fault of the text.
func (l *lexer) report(code diag.Code, at Pos, format string, args ...any) {
	if l.stop || l.reading() != nil {
		return
	}
	l.reports++
	l.bag.Add(code, l.fullPos(at), format, args...)
	if diag.Lookup(code).Severity < diag.Error {
		return
	}
	if l.errors++; l.errors >= maxErrors {
		l.bag.Add(diag.VerilogTooMany, l.fullPos(at), "more than %d errors: the rest of the file is not read", maxErrors)
		l.halt()
	}
}

// reading is the I/O fault that the current text met, if any.
func (l *lexer) reading() error {
	if err := l.stack[len(l.stack)-1].s.Err(); err != scan.ErrTokenTooLong {
		return err
	}
	return nil
}
