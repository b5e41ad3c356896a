package liberty

import (
	"bytes"

	"github.com/wattd/wattd/internal/diag"
	"github.com/wattd/wattd/internal/format/scan"
)

// maxStatement bounds the memory of one statement: everything between the parentheses of an attribute or group.
const maxStatement = 16 << 20

// maxFaults is after how many syntax errors the rest of a file is not read: it is no library then.
const maxFaults = 1000

// kind is the form of a statement.
type kind uint8

const (
	simple  kind = iota + 1 // name : value ;
	complex                 // name (values) ;
	group                   // name (args) {
)

// stmt is the head of a statement. Its values are in the lexer until the next statement is read. The body of a group
// must be read by next until it says false, or skipped by skipGroup.
type stmt struct {
	kind kind
	name string
	pos  diag.Pos
}

type span struct{ from, to int32 }

type openGroup struct {
	name string
	pos  diag.Pos
}

// lexer cuts the text into statements.
type lexer struct {
	s      *scan.Scanner
	bag    *diag.Bag
	open   []openGroup
	text   []byte // the values of the current statement
	args   []span
	valAt  diag.Pos // of the first value, behind its quote
	names  map[string]string
	faults int
	ended  bool // nothing more is read or reported
}

var (
	nameBytes   = nameClass("_.-!$")
	valuePlain  = scan.NewClass(";\n{}\"\\/").Not()
	argPlain    = scan.NewClass(" \t\r\n\v\f,()\"{};\\").Not()
	stringPlain = scan.NewClass("\"\\").Not()
	skipPlain   = scan.NewClass("{}\"/\\").Not()
	blank       = scan.NewClass(" \t\r\n\v\f;")
	linePlain   = scan.NewClass(";\n{}").Not()
)

func nameClass(extra string) *scan.Class {
	c := scan.NewClass(extra)
	for i := range c {
		b := byte(i)
		c[i] = c[i] || b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z'
	}
	return c
}

// intern returns b as a string that is held once.
func (l *lexer) intern(b []byte) string {
	if s, ok := l.names[string(b)]; ok {
		return s
	}
	s := string(b)
	l.names[s] = s
	return s
}

// arg returns value i of the current statement, empty if there is none. It is valid until the next statement.
func (l *lexer) arg(i int) []byte {
	if i >= len(l.args) {
		return nil
	}
	return l.text[l.args[i].from:l.args[i].to]
}

func (l *lexer) str(i int) string { return l.intern(l.arg(i)) }

// errorf reports a syntax error, and the last one ends the file.
func (l *lexer) errorf(pos diag.Pos, format string, args ...any) {
	if l.ended {
		return
	}
	l.bag.Add(diag.LibertySyntax, pos, format, args...)
	if l.faults++; l.faults == maxFaults {
		l.bag.Add(diag.LibertyUnclosed, pos, "%d syntax errors; the rest of the file is not read", maxFaults)
		l.ended = true
	}
}

// next reads the head of the next statement of the open group; false at its end.
func (l *lexer) next(st *stmt) bool {
	for {
		l.skipBlank(blank)
		c := l.s.Peek()
		switch {
		case c < 0 || l.ended:
			l.end()
			return false
		case c == '}':
			if len(l.open) > 0 {
				l.s.Skip(1)
				l.open = l.open[:len(l.open)-1]
				return false
			}
			l.errorf(l.s.Pos(), "'}' without a group")
			l.s.Skip(1)
		case nameBytes[c]:
			st.pos = l.s.Pos()
			st.name = l.intern(l.s.Take(nameBytes))
			if l.head(st) {
				return true
			}
		default:
			l.unexpected("a statement")
			l.recover()
		}
	}
}

// head reads what follows the name of a statement.
func (l *lexer) head(st *stmt) bool {
	l.text, l.args = l.text[:0], l.args[:0]
	l.skipBlank(scan.Space)
	switch l.s.Peek() {
	case ':':
		l.s.Skip(1)
		st.kind = simple
		return l.value()
	case '(':
		l.s.Skip(1)
		if !l.values() {
			return false
		}
		st.kind = complex
		l.skipBlank(scan.Space)
		if l.s.Peek() == '{' {
			l.s.Skip(1)
			st.kind = group
			l.open = append(l.open, openGroup{st.name, st.pos})
		}
		return true
	}
	l.unexpected("':' or '(' behind " + st.name)
	l.recover()
	return false
}

func (l *lexer) unexpected(want string) {
	c := l.s.Peek()
	switch {
	case c < 0:
		l.errorf(l.s.Pos(), "the file ends where %s should be", want)
	case c < ' ' || c > '~':
		l.errorf(l.s.Pos(), "byte 0x%02x where %s should be", c, want)
	default:
		l.errorf(l.s.Pos(), "'%c' where %s should be", c, want)
	}
}

// recover skips to where a statement may begin again, always by at least a byte unless the file or the group ends.
func (l *lexer) recover() {
	l.s.SkipClass(linePlain)
	switch l.s.Peek() {
	case '{':
		l.open = append(l.open, openGroup{"{", l.s.Pos()})
		l.s.Skip(1)
		l.skipGroup()
	case ';', '\n':
		l.s.Skip(1)
	}
}

// end reports the groups that are open at the end of the file.
func (l *lexer) end() {
	if l.ended || l.s.Err() != nil {
		return
	}
	l.ended = true
	if n := len(l.open); n > 0 {
		g := l.open[n-1]
		l.bag.Add(diag.LibertyUnclosed, g.pos, "group %s has no end", g.name)
	}
}

// skipBlank skips a class of bytes, comments, and backslashes that end a line.
func (l *lexer) skipBlank(c *scan.Class) {
	for {
		l.s.SkipClass(c)
		switch l.s.Peek() {
		case '/':
			if !l.comment() {
				return
			}
		case '\\':
			if n := l.lineEnd(1); n > 0 {
				l.s.Skip(1 + n)
				continue
			}
			return
		default:
			return
		}
	}
}

// lineEnd returns the length of white space up to and with a line end, k bytes ahead; 0 if there is something else.
func (l *lexer) lineEnd(k int) int {
	for n := 0; n < 64; n++ {
		switch l.s.PeekAt(k + n) {
		case '\n':
			return n + 1
		case ' ', '\t', '\r':
		default:
			return 0
		}
	}
	return 0
}

// comment skips the comment that begins here, if one does.
func (l *lexer) comment() bool {
	switch l.s.PeekAt(1) {
	case '/':
		l.s.SkipPast('\n')
		return true
	case '*':
	default:
		return false
	}
	pos := l.s.Pos()
	l.s.Skip(2)
	for l.s.SkipPast('*') {
		if l.s.Peek() == '/' {
			l.s.Skip(1)
			return true
		}
	}
	if l.s.Err() == nil {
		l.bag.Add(diag.LibertyUnclosed, pos, "comment has no end")
	}
	return true
}

// value reads the value of a simple attribute: a string, or text up to ';', the end of the line or of the group.
func (l *lexer) value() bool {
	l.skipBlank(scan.Space)
	if l.s.Peek() == '"' {
		return l.quoted()
	}
	l.valAt = l.s.Pos()
	for {
		l.text = append(l.text, l.s.Take(valuePlain)...)
		if l.over() {
			return l.tooLong()
		}
		c := l.s.Peek()
		switch c {
		case '\n':
			if t := bytes.TrimRight(l.text, " \t\r"); len(t) > 0 && bytes.IndexByte([]byte("+*|&^-/"), t[len(t)-1]) >= 0 {
				break // an expression goes on
			}
			fallthrough
		case -1, ';', '{', '}':
			if c == ';' {
				l.s.Skip(1)
			}
			l.text = bytes.TrimRight(l.text, " \t\r\v\f")
			l.add(0)
			return true
		case '/':
			n := len(l.text)
			if l.s.PeekAt(1) == '*' || l.s.PeekAt(1) == '/' && (n == 0 || scan.Space[l.text[n-1]]) {
				if l.s.PeekAt(1) == '/' {
					l.s.SkipClass(notNewline) // the line end ends the value too
				} else {
					l.comment()
				}
				continue
			}
		case '\\':
			if n := l.lineEnd(1); n > 0 {
				l.s.Skip(1 + n)
				l.text = append(l.text, ' ')
				continue
			}
		}
		l.text = append(l.text, byte(c))
		l.s.Skip(1)
	}
}

var notNewline = scan.NewClass("\n").Not()

// values reads the values between parentheses, separated by commas or white space.
func (l *lexer) values() bool {
	at := l.s.Pos()
	for {
		l.skipBlank(argSpace)
		switch c := l.s.Peek(); c {
		case ')':
			l.s.Skip(1)
			return true
		case '"':
			if !l.quoted() {
				return false
			}
		case -1, '{', '}', ';':
			if c >= 0 || l.s.Err() == nil {
				l.errorf(at, "'(' without ')'")
			}
			l.recover()
			return false
		default:
			if len(l.args) == 0 {
				l.valAt = l.s.Pos()
			}
			if !l.plain() {
				return false
			}
		}
	}
}

var argSpace = scan.NewClass(" \t\r\n\v\f,")

// add makes a value of the text from an offset on.
func (l *lexer) add(from int) { l.args = append(l.args, span{int32(from), int32(len(l.text))}) }

func (l *lexer) over() bool { return len(l.text)+8*len(l.args) > maxStatement }

// plain reads one unquoted value; parentheses in it come in pairs.
func (l *lexer) plain() bool {
	from, depth := len(l.text), 0
	for {
		l.text = append(l.text, l.s.Take(argPlain)...)
		if l.over() {
			return l.tooLong()
		}
		c := l.s.Peek()
		switch {
		case c == '(':
			depth++
		case c == ')' && depth > 0:
			depth--
		case c == '\\' && l.lineEnd(1) == 0:
		default:
			l.add(from)
			return true
		}
		l.text = append(l.text, byte(c))
		l.s.Skip(1)
	}
}

// quoted reads a string. A backslash before a quote makes it plain, one before a line end goes away.
func (l *lexer) quoted() bool {
	pos := l.s.Pos()
	l.s.Skip(1)
	if len(l.args) == 0 {
		l.valAt = pos
		l.valAt.Col++
	}
	from := len(l.text)
	for {
		if l.over() {
			return l.tooLong()
		}
		// Strings are most of a library: look for the two bytes that matter a word at a time, but not far ahead, so that
		// many short steps stay cheap.
		w := l.s.Window()
		w = w[:min(len(w), 1024)]
		n := len(w)
		if i := bytes.IndexByte(w, '"'); i >= 0 {
			n = i
		}
		if i := bytes.IndexByte(w[:n], '\\'); i >= 0 {
			n = i
		}
		l.text = append(l.text, w[:n]...)
		l.s.Skip(n)
		if n == len(w) && l.s.More() {
			continue
		}
		switch l.s.Next() {
		case '"':
			l.add(from)
			return true
		case '\\':
			if n := l.lineEnd(0); n > 0 {
				l.s.Skip(n)
				l.text = append(l.text, '\n')
			} else if l.s.Peek() == '"' {
				l.s.Skip(1)
				l.text = append(l.text, '"')
			} else {
				l.text = append(l.text, '\\')
			}
		default:
			if l.s.Err() == nil {
				l.bag.Add(diag.LibertyUnclosed, pos, "string has no end")
			}
			l.ended = true
			return false
		}
	}
}

func (l *lexer) tooLong() bool {
	l.bag.Add(diag.LibertyTooLong, l.s.Pos(), "statement longer than %d MiB", maxStatement>>20)
	l.recover()
	return false
}

// skipGroup skips the rest of the open group. It looks at braces, strings and comments only.
func (l *lexer) skipGroup() {
	for depth := 1; depth > 0 && !l.ended; {
		l.s.SkipClass(skipPlain)
		switch l.s.Peek() {
		case '{':
			depth++
		case '}':
			depth--
		case '/':
			if l.comment() {
				continue
			}
		case '"':
			l.s.Skip(1)
			l.skipString()
			continue
		case -1:
			l.end()
			return
		}
		l.s.Skip(1)
	}
	if l.ended {
		return
	}
	l.open = l.open[:len(l.open)-1]
}

func (l *lexer) skipString() {
	for {
		l.s.SkipClass(stringPlain)
		switch l.s.Next() {
		case '\\':
			l.s.Next()
		default:
			return
		}
	}
}
