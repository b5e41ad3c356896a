package scan

import "io"

// What a lexer needs that works on the bytes in place: a token that lies whole in the window costs one loop over it.

// NewBytes returns a scanner over text that is already in memory. The text is not copied and must not change; no
// byte order mark is looked for.
func NewBytes(b []byte, file string) *Scanner {
	return &Scanner{file: file, buf: b, end: len(b), err: io.EOF, line: 1}
}

// Window returns the unread bytes that are in the buffer, possibly none. It is valid until the next call that moves.
func (s *Scanner) Window() []byte { return s.buf[s.pos:s.end] }

// More makes at least one byte available and reports whether there is one.
func (s *Scanner) More() bool { return s.pos < s.end || s.fill(1) }

// LineCol is Pos without the file name.
func (s *Scanner) LineCol() (line, col int) {
	s.count(s.pos)
	return s.line, int(s.base+int64(s.pos)-s.lineStart) + 1
}
