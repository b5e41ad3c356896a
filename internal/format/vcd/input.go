package vcd

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"math/bits"

	"github.com/wattd/wattd/internal/diag"
)

const (
	bufferSize = 256 << 10 // stays in a second-level cache
	slack      = 8         // bytes behind the window that word-wise reads may touch
	// maxToken bounds a token, and with it the width of a variable and the memory of a Reader.
	maxToken = 1 << 24
)

var errTokenTooLong = errors.New("token too long")

// input is a window on the stream. Bytes buf[pos:lim] are whole tokens, each followed by white space; at the end of the
// stream a missing last newline is put in. The last slack bytes of buf are never filled.
type input struct {
	r    io.Reader
	ctx  context.Context
	file string

	buf           []byte
	pos, lim, end int
	err           error // why no more can be read; io.EOF for the proper end
	unterminated  bool  // the last line had no newline

	counted   int // newlines in buf[:counted] are in line
	line      int
	lineStart int64 // offset of the current line in the stream
	base      int64 // offset of buf[0]
}

func newInput(r io.Reader, file string) input {
	return input{r: r, ctx: context.Background(), file: file, buf: make([]byte, bufferSize+slack), line: 1}
}

// more drops what is before pos and makes lim grow; false when the stream has no further token (see err).
func (in *input) more() bool {
	in.count(in.pos)
	if in.pos > 0 {
		copy(in.buf, in.buf[in.pos:in.end])
		in.base += int64(in.pos)
		in.end -= in.pos
		in.lim -= in.pos
		in.counted -= in.pos
		in.pos = 0
	}
	for empty := 0; in.err == nil; {
		if in.err = in.ctx.Err(); in.err != nil {
			return false
		}
		if in.end == len(in.buf)-slack {
			if in.end >= maxToken {
				in.err = errTokenTooLong
				return false
			}
			in.buf = append(in.buf, make([]byte, in.end)...)
		}
		n, err := in.r.Read(in.buf[in.end : len(in.buf)-slack])
		from := in.end
		in.end += n
		if err != nil {
			in.err = err
			if err == io.EOF && in.end > 0 && !isSpace(in.buf[in.end-1]) {
				in.unterminated = true
				if in.end == len(in.buf)-slack {
					in.buf = append(in.buf, 0)
				}
				in.buf[in.end] = '\n'
				in.end++
				from = min(from, in.end-1)
			}
		}
		if in.base == 0 && in.lim == 0 && in.end >= 3 && bytes.HasPrefix(in.buf, []byte("\xef\xbb\xbf")) {
			copy(in.buf, "   ") // a byte order mark is white space here
		}
		for i := in.end; i > from; i-- {
			if isSpace(in.buf[i-1]) {
				in.lim = i
				return true
			}
		}
		if n == 0 && err == nil {
			if empty++; empty > 100 {
				in.err = io.ErrNoProgress
			}
		}
	}
	return false
}

// token consumes and returns the next token, valid until the next call; nil at the end of the stream.
func (in *input) token() []byte {
	for {
		b := in.buf[:in.lim]
		i := in.pos
		for i < len(b) && isSpace(b[i]) {
			i++
		}
		if i < len(b) {
			j := in.tokenEnd(i)
			in.pos = j
			return b[i:j:j]
		}
		in.pos = i
		if !in.more() {
			return nil
		}
	}
}

// tokenEnd is the index of the white space that ends the token at i, for i < lim. It takes eight bytes at a step.
func (in *input) tokenEnd(i int) int {
	for {
		t := below21(binary.LittleEndian.Uint64(in.buf[i:]))
		if t == 0 {
			i += 8
			continue
		}
		i += bits.TrailingZeros64(t) >> 3
		if isSpace(in.buf[i]) {
			return i
		}
		i++
	}
}

// below21 marks bytes of x below '!' with 0x80. The lowest mark is right; those above it may be wrong.
func below21(x uint64) uint64 { return (x - 0x21*ones) &^ x & (0x80 * ones) }

const ones = 0x0101010101010101

// skipToEnd consumes up to and including the token $end.
func (in *input) skipToEnd() bool {
	for {
		t := in.token()
		if t == nil {
			return false
		}
		if string(t) == "$end" {
			return true
		}
	}
}

// fault is the error that ended the stream, nil for its proper end and for what a diagnostic reports.
func (in *input) fault() error {
	if in.err == io.EOF || in.err == errTokenTooLong {
		return nil
	}
	return in.err
}

func (in *input) count(to int) {
	if in.unterminated && to == in.end {
		to-- // the newline that more put in
	}
	if to <= in.counted {
		return
	}
	b := in.buf[in.counted:to]
	if n := bytes.Count(b, []byte{'\n'}); n > 0 {
		in.line += n
		in.lineStart = in.base + int64(in.counted+bytes.LastIndexByte(b, '\n')+1)
	}
	in.counted = to
}

// place is the position of buf[i]. It is not before the last one asked for.
func (in *input) place(i int) diag.Pos {
	in.count(i)
	return diag.Pos{File: in.file, Line: in.line, Col: int(in.base+int64(i)-in.lineStart) + 1}
}

func isSpace(c byte) bool {
	return c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == '\v' || c == '\f'
}
