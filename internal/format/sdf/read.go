package sdf

import (
	"bytes"
	"context"
	"errors"
	"io"

	"github.com/wattd/wattd/internal/diag"
	"github.com/wattd/wattd/internal/format/scan"
)

// parser holds the state of one reading. All buffers are reused from statement to statement.
type parser struct {
	s    *scan.Scanner
	h    Handler
	bag  *diag.Bag
	st   Stats
	stop bool // the handler has enough, or a token is beyond bounds

	depth int      // open parentheses
	at    diag.Pos // of the statement being read
	kw    []byte   // its keyword, in kwBuf
	kwBuf [24]byte

	head     Header
	headDone bool

	cellType, inst []byte
	a, b           []byte // names of the statement
	tmp            []byte
	condBuf        []byte
	labelBuf       []byte
	val            []Value
	lim            []Triple
	spare          Value
	io             IOPath
}

// ctxReader ends the input when its context does, which every loop of the parser notices.
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

// Read reads one file and hands its statements to h. Faults of the file go to bag; the error is an I/O fault or the
// end of ctx.
func Read(ctx context.Context, r io.Reader, file string, h Handler, bag *diag.Bag) (Stats, error) {
	p := &parser{
		s: scan.New(ctxReader{ctx, r}, file), h: h, bag: bag,
		val:  make([]Value, 0, maxValues),
		head: Header{Divider: '.', Timescale: scan.Decimal{Coef: 1, Exp: -9}},
	}
	p.file()
	switch err := p.s.Err(); {
	case errors.Is(err, scan.ErrTokenTooLong):
		bag.Add(diag.SDFTokenTooLong, p.at, "a name, string or number is longer than 1 MiB")
	case err != nil:
		return p.st, err
	}
	p.totals(diag.Pos{File: file})
	return p.st, nil
}

func (p *parser) file() {
	if p.peek() != '(' {
		p.bag.Add(diag.SDFNotSDF, p.s.Pos(), "the file does not begin with (DELAYFILE")
		return
	}
	if p.stmt(); string(p.kw) != "DELAYFILE" {
		p.bag.Add(diag.SDFNotSDF, p.at, "the file does not begin with (DELAYFILE")
		return
	}
	for p.stmt() {
		d := p.depth - 1
		if string(p.kw) == "CELL" {
			if p.header() {
				p.cell()
			}
		} else {
			p.headerItem()
		}
		p.leave(d)
	}
	if p.stop || !p.header() || p.s.Err() != nil {
		return
	}
	if p.depth > 0 {
		p.bag.Add(diag.SDFTruncated, p.s.Pos(), "the file ends with %d parentheses open", p.depth)
		return
	}
	// Some editors leave a NUL or a Ctrl-Z at the end.
	for c := p.peek(); c == 0 || c == 0x1a; c = p.peek() {
		p.s.Skip(1)
	}
	if p.s.Peek() >= 0 {
		p.bag.Add(diag.SDFTrailing, p.s.Pos(), "text after the parenthesis that closes DELAYFILE")
	}
}

// header hands the header over once, before the first cell.
func (p *parser) header() bool {
	if !p.headDone {
		p.headDone = true
		if !p.head.TimescaleGiven {
			p.bag.Add(diag.SDFNoTimescale, p.at, "no TIMESCALE: values are read as nanoseconds")
		}
		h := p.head
		p.stop = !p.h.Header(&h)
	}
	return !p.stop
}

func (p *parser) headerItem() {
	var dst *string
	switch string(p.kw) {
	case "SDFVERSION":
		dst = &p.head.Version
	case "DESIGN":
		dst = &p.head.Design
	case "DATE":
		dst = &p.head.Date
	case "VENDOR":
		dst = &p.head.Vendor
	case "PROGRAM":
		dst = &p.head.Program
	case "VERSION":
		dst = &p.head.ProgVersion
	case "VOLTAGE", "PROCESS", "TEMPERATURE":
		return // corners are chosen by the user
	case "DIVIDER":
		p.divider()
		return
	case "TIMESCALE":
		p.timescale()
		return
	default:
		p.unknown()
		return
	}
	p.tmp = p.text(p.tmp[:0], " ")
	*dst = string(p.tmp)
}

func (p *parser) divider() {
	at := p.at
	p.tmp = p.text(p.tmp[:0], "")
	if len(p.tmp) != 1 || p.tmp[0] != '.' && p.tmp[0] != '/' {
		p.badHeader(at, "DIVIDER is %q; it can be . or /", p.tmp)
		return
	}
	if p.headDone && p.tmp[0] != p.head.Divider {
		p.badHeader(at, "DIVIDER changes after the first CELL")
		return
	}
	p.head.Divider = p.tmp[0]
}

func (p *parser) timescale() {
	at := p.at
	p.tmp = p.text(p.tmp[:0], "")
	if len(p.tmp) == 0 {
		return // an empty TIMESCALE is none
	}
	d, ok := parseTimescale(p.tmp)
	switch {
	case !ok:
		p.badHeader(at, "TIMESCALE %q is not a number and a unit such as 1ns or 100 ps", p.tmp)
	case (p.headDone || p.head.TimescaleGiven) && d != p.head.Timescale:
		p.badHeader(at, "a second TIMESCALE differs from the first or stands after a CELL")
	default:
		p.head.Timescale, p.head.TimescaleGiven = d, true
	}
}

// badHeader reports an entry that was read whole; where the input ended inside it, the truncation is what is reported.
func (p *parser) badHeader(at diag.Pos, format string, args ...any) {
	if !p.stop && p.peek() >= 0 {
		p.bag.Add(diag.SDFBadHeader, at, format, args...)
	}
}

// parseTimescale reads a number directly followed by its unit, in seconds. Trailing zeros move into the exponent, so
// that equal scales are equal values.
func parseTimescale(b []byte) (scan.Decimal, bool) {
	n := len(b)
	for n > 0 && (b[n-1]|0x20 >= 'a' && b[n-1]|0x20 <= 'z') {
		n--
	}
	d, ok := scan.ParseDecimal(b[:n])
	if !ok || d.Coef <= 0 {
		return d, false
	}
	for d.Coef%10 == 0 {
		d.Coef /= 10
		d.Exp++
	}
	switch string(bytes.ToLower(b[n:])) {
	case "s":
	case "ms":
		d.Exp -= 3
	case "us":
		d.Exp -= 6
	case "ns":
		d.Exp -= 9
	case "ps":
		d.Exp -= 12
	case "fs":
		d.Exp -= 15
	default:
		return d, false
	}
	return d, true
}

func (p *parser) unknown() {
	p.st.Unknown++
	p.bag.Add(diag.SDFUnknown, p.at, "%q is skipped", p.kw)
}

// totals says once for the file what was skipped.
func (p *parser) totals(pos diag.Pos) {
	if n := p.st.TimingChecks; n > 0 {
		p.bag.AddN(diag.SDFTimingCheck, n, pos, "%d timing checks are not used", n)
	}
	if n := p.st.TimingEnvs; n > 0 {
		p.bag.AddN(diag.SDFTimingEnv, n, pos, "%d TIMINGENV entries are not used", n)
	}
	if n := p.st.Labels; n > 0 {
		p.bag.AddN(diag.SDFLabel, n, pos, "%d LABEL entries are not used", n)
	}
	if n := p.st.Retains; n > 0 {
		p.bag.AddN(diag.SDFRetain, n, pos, "%d RETAIN entries are not used", n)
	}
}
