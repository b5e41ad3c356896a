package rpc

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/wattd/wattd/rpc/api"
)

// Framing is how messages are told apart on a connection.
type Framing int32

// The framings.
const (
	undecided Framing = iota
	Lines             // a message a line
	Headers           // a Content-Length header before each message, as in LSP
)

const (
	headerLine  = 8 << 10  // longest line of a header
	headerLines = 32       // most of them
	firstRead   = 64 << 10 // what is allocated on the word of a header alone
)

// errHTTP ends connections on which a browser was made to talk to us.
var errHTTP = errors.New("rpc: the peer speaks HTTP")

// frames cuts what comes in into messages. Faults of the peer are *api.Error, and reading goes on behind them.
type frames struct {
	r       *bufio.Reader
	max     int64
	framing atomic.Int32 // Framing; read by the writer
	skip    int64        // bytes of a body that was too large
	skipTo  bool         // to the end of the line
	lost    bool         // Headers: to the next Content-Length

	inMessage bool // part of a message was read
}

// next returns the bytes of a message. The error is an *api.Error, or ends the connection.
func (f *frames) next() ([]byte, error) {
	// What is to be passed over is, only now, so that the peer gets its answer before it has sent all of it.
	f.inMessage = f.skip > 0 || f.skipTo
	if f.skip > 0 {
		n, err := io.CopyN(io.Discard, f.r, f.skip)
		if f.skip -= n; err != nil {
			return nil, err
		}
	}
	if f.skipTo {
		if err := f.endOfLine(); err != nil {
			return nil, err
		}
	}
	f.inMessage = false
	if err := f.begin(); err != nil {
		return nil, err
	}
	if Framing(f.framing.Load()) == undecided {
		if err := f.decide(); err != nil {
			return nil, err
		}
	}
	if Framing(f.framing.Load()) == Lines {
		return f.upTo(f.max) // the last line needs no newline
	}
	return f.headed()
}

// begin passes over space before a message; what follows has begun.
func (f *frames) begin() error {
	for {
		b, err := f.r.ReadByte()
		if err != nil {
			return err
		}
		if b != ' ' && b != '\t' && b != '\r' && b != '\n' {
			f.inMessage = true
			return f.r.UnreadByte()
		}
	}
}

// decide looks at the first byte.
func (f *frames) decide() error {
	b, err := f.r.Peek(1)
	switch {
	case err != nil:
		return err
	case b[0] == '{' || b[0] == '[':
		f.framing.Store(int32(Lines))
		return nil
	case b[0] == 0xef: // byte order mark
		if mark, _ := f.r.Peek(3); string(mark) == "\xef\xbb\xbf" {
			_, _ = f.r.Discard(3)
			return f.decide()
		}
	}
	const names = "content-" // length, type
	head, _ := f.r.Peek(len(names))
	switch {
	case strings.EqualFold(string(head), names):
		f.framing.Store(int32(Headers))
		return nil
	case isHTTP(head):
		return errHTTP
	}
	f.skipTo = true
	return api.Errorf(api.ParseError, "neither JSON nor a header begins with %q", head)
}

func isHTTP(head []byte) bool {
	for _, verb := range []string{"GET ", "POST ", "PUT ", "HEAD ", "OPTIONS ", "CONNECT ", "DELETE ", "PATCH ", "TRACE "} {
		if bytes.HasPrefix(head, []byte(verb)) {
			return true
		}
	}
	return false
}

// upTo reads the rest of a line of limited length, its end included.
func (f *frames) upTo(limit int64) ([]byte, error) {
	var line []byte
	for {
		part, err := f.r.ReadSlice('\n')
		if int64(len(line)+len(part)) > limit+2 {
			f.skipTo = err != nil
			return nil, api.Errorf(api.TooLarge, "the line is longer than %d bytes", limit)
		}
		line = append(line, part...)
		switch {
		case err == nil, err == io.EOF && len(line) > 0:
			return line, nil
		case err != bufio.ErrBufferFull:
			return nil, err
		}
	}
}

// isFault tells what the peer sent from what the connection did.
func isFault(err error) bool {
	_, ok := err.(*api.Error)
	return ok
}

func (f *frames) endOfLine() error {
	for {
		_, err := f.r.ReadSlice('\n')
		if err == nil {
			f.skipTo = false
		}
		if err != bufio.ErrBufferFull {
			return err
		}
	}
}

// headed reads a header and the body that it announces.
func (f *frames) headed() ([]byte, error) {
	length := int64(-1)
	refuse := func(kind api.Kind, format string, args ...any) ([]byte, error) {
		f.lost = true
		return nil, api.Errorf(kind, format, args...)
	}
	resumed := f.lost
	if f.lost {
		if err := f.find("content-length:"); err != nil {
			return nil, err
		}
		f.lost = false
	}
	for n := 0; ; n++ {
		b, err := f.upTo(headerLine)
		switch {
		case isFault(err):
			f.skipTo = false
			return refuse(api.ParseError, "a line of the header is longer than %d bytes", headerLine)
		case err != nil:
			return nil, err
		case b[len(b)-1] != '\n':
			return nil, io.ErrUnexpectedEOF
		case n == headerLines:
			return refuse(api.ParseError, "the header has more than %d lines", headerLines)
		}
		line := string(bytes.Trim(b, " \t\r\n"))
		if resumed {
			line, resumed = "content-length:"+line, false
		}
		if line == "" {
			if length >= 0 {
				break
			}
			return refuse(api.ParseError, "the header has no Content-Length")
		}
		name, value, ok := strings.Cut(line, ":")
		if !ok || strings.ContainsAny(strings.TrimSpace(name), " {}[]\"") {
			return refuse(api.ParseError, "the line %.40q is no header", line)
		}
		switch name = strings.ToLower(strings.TrimSpace(name)); name {
		case "host", "origin":
			return nil, errHTTP
		case "content-length":
		default:
			continue
		}
		v, err := strconv.ParseUint(strings.TrimSpace(value), 10, 63)
		if err != nil || length >= 0 && int64(v) != length {
			return refuse(api.ParseError, "the Content-Length %.40q is no length", value)
		}
		length = int64(v)
	}
	if length > f.max {
		f.skip = length
		return nil, api.Errorf(api.TooLarge, "a message of %d bytes; the limit is %d", length, f.max)
	}
	return f.body(length)
}

// body reads n bytes and allocates no more than twice of what came.
func (f *frames) body(n int64) ([]byte, error) {
	b := make([]byte, 0, min(n, firstRead))
	for int64(len(b)) < n {
		if len(b) == cap(b) {
			b = append(make([]byte, 0, min(n, 2*int64(cap(b)))), b...)
		}
		got, err := io.ReadFull(f.r, b[len(b):cap(b)])
		b = b[:len(b)+got]
		if err != nil {
			return nil, io.ErrUnexpectedEOF
		}
	}
	return b, nil
}

// find reads up to the end of a text in lower case whose first letter is there once.
func (f *frames) find(text string) error {
	for at := 0; at < len(text); {
		b, err := f.r.ReadByte()
		if err != nil {
			return err
		}
		if 'A' <= b && b <= 'Z' {
			b |= 0x20
		}
		switch b {
		case text[at]:
			at++
		case text[0]:
			at = 1
		default:
			at = 0
		}
	}
	return nil
}
