package sdf

import (
	"context"
	"io"

	"github.com/wattd/wattd/internal/diag"
	"github.com/wattd/wattd/internal/format/scan"
)

// parser holds the state of one reading. All buffers are reused from statement to statement.
type parser struct {
	scan.Parens
	h  Handler
	st Stats

	head     Header
	headDone bool

	cellType, inst []byte
	cellPos        diag.Pos
	instances      int
	announced      bool
	a, b           []byte // names of the statement
	tmp            []byte
	condBuf        []byte
	labelBuf       []byte
	val            []Value
	lim            []Triple
	spare          Value
	io             IOPath

	marks    marker
	lastMark int64
	part     bool  // a part of a file is read
	end      Place // where a part ended
}

// Read reads one file and hands its statements to h. Faults of the file go to bag; the error is an I/O fault or the
// end of ctx.
func Read(ctx context.Context, r io.Reader, file string, h Handler, bag *diag.Bag) (Stats, error) {
	p := newParser(scan.NewParens(ctx, r, file, bag, diag.SDFSyntax, diag.SDFTokenTooLong), h)
	p.file()
	if err := p.Fault(); err != nil {
		return p.st, err
	}
	p.st.Totals(file, bag)
	return p.st, nil
}

func newParser(text scan.Parens, h Handler) *parser {
	p := &parser{
		Parens: text,
		h:      h,
		val:    make([]Value, 0, maxValues),
		head:   Header{Divider: '.', Timescale: scan.Decimal{Coef: 1, Exp: -9}},
	}
	p.marks, _ = h.(marker)
	return p
}

func (p *parser) file() {
	if p.Token() != '(' {
		p.Bag.Add(diag.SDFNotSDF, p.Pos(), "the file does not begin with (DELAYFILE")
		return
	}
	if p.Stmt(); string(p.Kw) != "DELAYFILE" {
		p.Bag.Add(diag.SDFNotSDF, p.At, "the file does not begin with (DELAYFILE")
		return
	}
	p.items()
}

// items reads what is in DELAYFILE, to the end of the file.
func (p *parser) items() {
	for {
		if p.headDone {
			p.mark(AtItem, 0)
		}
		if !p.Stmt() {
			break
		}
		d := p.Depth - 1
		if string(p.Kw) == "CELL" {
			if p.header() {
				p.cell()
			}
		} else {
			p.headerItem()
		}
		p.Leave(d)
	}
	if p.ended(1) {
		p.end = Place{At: AtItem}
	}
	if p.Stop || p.part && p.Depth > 0 || !p.header() || p.Err() != nil {
		return
	}
	if p.part {
		p.end = Place{At: AtEnd}
	}
	if p.Depth > 0 {
		p.Bag.Add(diag.SDFTruncated, p.Pos(), "the file ends with %d parentheses open", p.Depth)
		return
	}
	// Some editors leave a NUL or a Ctrl-Z at the end.
	for c := p.Token(); c == 0 || c == 0x1a; c = p.Token() {
		p.Skip(1)
	}
	if p.Peek() >= 0 {
		p.Bag.Add(diag.SDFTrailing, p.Pos(), "text after the parenthesis that closes DELAYFILE")
	}
}

// header hands the header over once, before the first cell.
func (p *parser) header() bool {
	if !p.headDone {
		p.headDone = true
		if !p.head.TimescaleGiven {
			p.Bag.Add(diag.SDFNoTimescale, p.At, "no TIMESCALE: values are read as nanoseconds")
		}
		h := p.head
		p.Stop = !p.h.Header(&h)
	}
	return !p.Stop
}

func (p *parser) headerItem() {
	var dst *string
	switch string(p.Kw) {
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
	p.tmp = p.Text(p.tmp[:0], " ")
	*dst = string(p.tmp)
}

func (p *parser) divider() {
	at := p.At
	p.tmp = p.Text(p.tmp[:0], "")
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
	at := p.At
	p.tmp = p.Text(p.tmp[:0], "")
	if len(p.tmp) == 0 {
		return // an empty TIMESCALE is none
	}
	d, ok := scan.ParseSeconds(p.tmp)
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
	if !p.Stop && p.Token() >= 0 {
		p.Bag.Add(diag.SDFBadHeader, at, format, args...)
	}
}

func (p *parser) unknown() {
	p.st.Unknown++
	p.Bag.Add(diag.SDFUnknown, p.At, "%q is skipped", p.Kw)
}

// Totals says once for a file what was skipped.
func (st *Stats) Totals(file string, bag *diag.Bag) {
	pos := diag.Pos{File: file}
	if n := st.TimingChecks; n > 0 {
		bag.AddN(diag.SDFTimingCheck, n, pos, "%d timing checks are not used", n)
	}
	if n := st.TimingEnvs; n > 0 {
		bag.AddN(diag.SDFTimingEnv, n, pos, "%d TIMINGENV entries are not used", n)
	}
	if n := st.Labels; n > 0 {
		bag.AddN(diag.SDFLabel, n, pos, "%d LABEL entries are not used", n)
	}
	if n := st.Retains; n > 0 {
		bag.AddN(diag.SDFRetain, n, pos, "%d RETAIN entries are not used", n)
	}
}
