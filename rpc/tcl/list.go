// Package tcl writes JSON as Tcl lists and reads Tcl lists as JSON, for tools whose Tcl has no JSON package.
//
// Contract: what is written is one line, whatever the values hold, and Tcl's own list commands read from it what was in the
// JSON: objects are dicts in the order of their keys, arrays are lists, true and false are 1 and 0, null is the empty string.
// Tcl values have no types, so reading needs the Go type that the JSON is for. The package evaluates nothing.
package tcl

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// ErrIncomplete says that a list ends inside braces or quotes: more lines belong to it.
var ErrIncomplete = errors.New("the list ends inside braces or quotes")

// List makes a list of elements.
func List(elements ...string) string {
	var b []byte
	for i, e := range elements {
		if i > 0 {
			b = append(b, ' ')
		}
		b = appendElement(b, e)
	}
	return string(b)
}

// appendElement quotes a string so that it is one element of a list and holds no newline.
func appendElement(b []byte, s string) []byte {
	switch quoting(s) {
	case bare:
		return append(b, s...)
	case braces:
		return append(append(append(b, '{'), s...), '}')
	}
	for i := range len(s) {
		switch c := s[i]; c {
		case '\n':
			b = append(b, `\n`...)
		case '\r':
			b = append(b, `\r`...)
		case '\t':
			b = append(b, `\t`...)
		case ' ', '{', '}', '[', ']', '$', ';', '"', '\\':
			b = append(b, '\\', c)
		case '#':
			if i == 0 {
				b = append(b, '\\')
			}
			b = append(b, c)
		default:
			if c < ' ' || c == 0x7f {
				b = fmt.Appendf(b, `\u%04x`, c)
			} else {
				b = append(b, c)
			}
		}
	}
	return b
}

const (
	bare = iota
	braces
	backslashes
)

// quoting chooses the form of an element. Braces keep all as it is, but they must be balanced the way Tcl counts them, which
// passes over a backslash and what follows.
func quoting(s string) int {
	if s == "" {
		return braces
	}
	form, depth := bare, 0
	if s[0] == '#' {
		form = braces
	}
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case '{':
			form = braces
			depth++
		case '}':
			form = braces
			if depth--; depth < 0 {
				return backslashes
			}
		case '\\':
			form = braces
			if i++; i == len(s) || s[i] < ' ' || s[i] == 0x7f {
				return backslashes
			}
		case ' ', '[', ']', '$', ';', '"':
			form = braces
		default:
			if c < ' ' || c == 0x7f {
				return backslashes
			}
		}
	}
	if depth != 0 {
		return backslashes
	}
	return form
}

func isSpace(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }

// Split takes a list apart as Tcl does.
func Split(list string) ([]string, error) {
	var out []string
	for i := 0; ; {
		for i < len(list) && isSpace(list[i]) {
			i++
		}
		if i == len(list) {
			return out, nil
		}
		var e string
		var err error
		switch list[i] {
		case '{':
			e, i, err = inBraces(list, i+1)
		case '"':
			e, i, err = word(list, i+1, true)
		default:
			e, i, err = word(list, i, false)
		}
		if err != nil {
			return nil, err
		}
		out = append(out, e)
	}
}

func inBraces(list string, at int) (string, int, error) {
	for i, depth := at, 1; i < len(list); i++ {
		switch list[i] {
		case '\\':
			i++
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				if end := i + 1; end < len(list) && !isSpace(list[end]) {
					return "", 0, fmt.Errorf("element in braces is followed by %.20q instead of a space", list[end:])
				}
				return list[at:i], i + 1, nil
			}
		}
	}
	return "", 0, ErrIncomplete
}

// word reads an element with backslash sequences, up to a space or, when quoted, to the quote.
func word(list string, at int, quoted bool) (string, int, error) {
	var b []byte
	for i := at; i < len(list); {
		c := list[i]
		switch {
		case c == '\\':
			b, i = backslash(b, list, i+1)
			continue
		case quoted && c == '"':
			if end := i + 1; end < len(list) && !isSpace(list[end]) {
				return "", 0, fmt.Errorf("element in quotes is followed by %.20q instead of a space", list[end:])
			}
			return string(b), i + 1, nil
		case !quoted && isSpace(c):
			return string(b), i, nil
		}
		b = append(b, c)
		i++
	}
	if quoted {
		return "", 0, ErrIncomplete
	}
	return string(b), len(list), nil
}

// backslash decodes the sequence whose backslash is before i.
func backslash(b []byte, s string, i int) ([]byte, int) {
	if i == len(s) {
		return append(b, '\\'), i
	}
	digits := func(base, most int) (rune, int) {
		n := i + 1
		if base == 8 {
			n = i
		}
		from := n
		for n < len(s) && n-from < most && isDigit(s[n], base) {
			n++
		}
		v, err := strconv.ParseUint(s[from:n], base, 32)
		if err != nil || v > utf8.MaxRune {
			return utf8.RuneError, n
		}
		return rune(v), n
	}
	switch c := s[i]; c {
	case 'a':
		return append(b, '\a'), i + 1
	case 'b':
		return append(b, '\b'), i + 1
	case 'f':
		return append(b, '\f'), i + 1
	case 'n':
		return append(b, '\n'), i + 1
	case 'r':
		return append(b, '\r'), i + 1
	case 't':
		return append(b, '\t'), i + 1
	case 'v':
		return append(b, '\v'), i + 1
	case 'x', 'u', 'U':
		r, n := digits(16, map[byte]int{'x': 2, 'u': 4, 'U': 8}[c])
		if n == i+1 { // no digits: the letter itself
			return append(b, c), n
		}
		if hi := r; c == 'u' && 0xd800 <= hi && hi < 0xdc00 && strings.HasPrefix(s[n:], `\u`) { // a pair, as Tcl 8 writes it
			i = n + 1
			if lo, end := digits(16, 4); 0xdc00 <= lo && lo < 0xe000 {
				return utf8.AppendRune(b, 0x10000+(hi-0xd800)<<10+(lo-0xdc00)), end
			}
		}
		return utf8.AppendRune(b, r), n
	case '\n':
		for i++; i < len(s) && (s[i] == ' ' || s[i] == '\t'); i++ {
		}
		return append(b, ' '), i
	default:
		if '0' <= c && c <= '7' {
			r, n := digits(8, 3)
			return utf8.AppendRune(b, r), n
		}
		_, n := utf8.DecodeRuneInString(s[i:])
		return append(b, s[i:i+n]...), i + n
	}
}

func isDigit(c byte, base int) bool {
	return '0' <= c && c <= '7' || base == 16 && (c == '8' || c == '9' || 'a' <= c|0x20 && c|0x20 <= 'f')
}
