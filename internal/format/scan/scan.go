// Package scan is the byte scanner under every reader: buffered, streaming, with cheap line and column numbers.
//
// Contract: memory is bounded by the buffer and MaxToken whatever the input; a slice returned by Take or TakeUntil
// is valid until the next call that moves. An I/O fault reads as the end of input; callers check Err when they are
// done. A leading UTF-8 byte order mark is skipped; bytes above 0x7f are ordinary bytes.
package scan

import (
	"bytes"
	"errors"
	"io"

	"github.com/wattd/wattd/internal/diag"
)

// MaxToken bounds one token.
const MaxToken = 1 << 20

// ErrTokenTooLong is Err's value after a token over MaxToken.
var ErrTokenTooLong = errors.New("token longer than 1 MiB")

// Class is a set of bytes.
type Class [256]bool

// NewClass returns the class of the bytes in s.
func NewClass(s string) *Class {
	var c Class
	for i := range len(s) {
		c[s[i]] = true
	}
	return &c
}

// Not returns the complement.
func (c *Class) Not() *Class {
	var d Class
	for i := range d {
		d[i] = !c[i]
	}
	return &d
}

// Space holds the white space of all our formats.
var Space = NewClass(" \t\r\n\v\f")

// Scanner reads bytes with one cursor.
type Scanner struct {
	r        io.Reader
	file     string
	buf      []byte
	pos, end int
	err      error // sticky: io.EOF, a read fault, or ErrTokenTooLong

	base      int64 // file offset of buf[0]
	counted   int   // newlines in buf[:counted] are in line
	line      int
	lineStart int64 // file offset of the first byte of the current line
}

// New returns a scanner over r; file is used for positions only.
func New(r io.Reader, file string) *Scanner {
	s := &Scanner{r: r, file: file, buf: make([]byte, 256<<10), line: 1}
	s.fill(3)
	if bytes.HasPrefix(s.buf[:s.end], []byte("\xef\xbb\xbf")) {
		s.pos, s.counted = 3, 3
		s.lineStart = 3
	}
	return s
}

// StartAt says that the text is a part of a file that begins at an offset, line and column of it. It is called before anything is read.
func (s *Scanner) StartAt(offset int64, line, col int) {
	s.base, s.line, s.lineStart = offset, line, offset-int64(col-1)
}

// fill makes at least n bytes available after pos unless the input ends.
func (s *Scanner) fill(n int) bool {
	if s.end-s.pos >= n {
		return true
	}
	if s.err != nil {
		return false
	}
	s.count(s.pos)
	if s.pos > 0 {
		copy(s.buf, s.buf[s.pos:s.end])
		s.base += int64(s.pos)
		s.end -= s.pos
		s.counted -= s.pos
		s.pos = 0
	}
	if n > len(s.buf) {
		s.buf = append(s.buf, make([]byte, len(s.buf))...)
	}
	for empty := 0; s.end < n; {
		k, err := s.r.Read(s.buf[s.end:])
		s.end += k
		if err != nil {
			s.err = err
			return s.end >= n
		}
		if k == 0 {
			if empty++; empty > 100 {
				s.err = io.ErrNoProgress
				return false
			}
		}
	}
	return true
}

func (s *Scanner) count(to int) {
	b := s.buf[s.counted:to]
	if n := bytes.Count(b, nl); n > 0 {
		s.line += n
		s.lineStart = s.base + int64(s.counted+bytes.LastIndexByte(b, '\n')+1)
	}
	s.counted = to
}

var nl = []byte{'\n'}

// Peek returns the next byte, or -1 at the end.
func (s *Scanner) Peek() int {
	if s.pos < s.end || s.fill(1) {
		return int(s.buf[s.pos])
	}
	return -1
}

// PeekAt returns the byte k places ahead (Peek is PeekAt(0)), or -1. k is small.
func (s *Scanner) PeekAt(k int) int {
	if s.pos+k < s.end || s.fill(k+1) {
		return int(s.buf[s.pos+k])
	}
	return -1
}

// Next returns and consumes a byte, or -1 at the end.
func (s *Scanner) Next() int {
	if s.pos < s.end || s.fill(1) {
		c := s.buf[s.pos]
		s.pos++
		return int(c)
	}
	return -1
}

// Skip consumes n bytes that Peek or PeekAt has shown.
func (s *Scanner) Skip(n int) { s.pos = min(s.pos+n, s.end) }

// SkipClass consumes the longest run of c.
func (s *Scanner) SkipClass(c *Class) {
	for {
		i := s.pos
		for i < s.end && c[s.buf[i]] {
			i++
		}
		s.pos = i
		if i < s.end || !s.fill(1) {
			return
		}
	}
}

// SkipPast consumes up to and including the byte c; false at the end of input.
func (s *Scanner) SkipPast(c byte) bool {
	for {
		if i := bytes.IndexByte(s.buf[s.pos:s.end], c); i >= 0 {
			s.pos += i + 1
			return true
		}
		s.pos = s.end
		if !s.fill(1) {
			return false
		}
	}
}

// Take consumes and returns the longest run of c, empty if there is none.
func (s *Scanner) Take(c *Class) []byte {
	n := 0
	for {
		i := s.pos + n
		for i < s.end && c[s.buf[i]] {
			i++
		}
		n = i - s.pos
		if i < s.end {
			break
		}
		if n > MaxToken {
			s.err = ErrTokenTooLong
			break
		}
		if !s.fill(n + 1) {
			break
		}
	}
	b := s.buf[s.pos : s.pos+n : s.pos+n]
	s.pos += n
	return b
}

// Pos returns the place of the next byte.
func (s *Scanner) Pos() diag.Pos {
	s.count(s.pos)
	return diag.Pos{File: s.file, Line: s.line, Col: int(s.base+int64(s.pos)-s.lineStart) + 1}
}

// Offset returns the number of bytes consumed so far.
func (s *Scanner) Offset() int64 { return s.base + int64(s.pos) }

// Err returns the fault that ended the input, nil for a proper end.
func (s *Scanner) Err() error {
	if s.err == io.EOF {
		return nil
	}
	return s.err
}
