package vcd

import (
	"context"
	"io"

	"github.com/wattd/wattd/internal/diag"
	"github.com/wattd/wattd/internal/format/scan"
)

// Reader reads one dump: Header once, then Body once.
type Reader struct {
	in  input
	bag *diag.Bag

	h      *Header
	codes  *scan.Names // identifier codes: ID i is string i+1
	noBits []bool      // by ID: real, string or event
	unit   *timescale  // set by the caller
	ready  bool        // a body follows
}

type timescale struct{ coef, exp int32 }

// NewReader returns a reader of r; file is used for positions. Faults of the input go to bag.
func NewReader(r io.Reader, file string, bag *diag.Bag) *Reader {
	return &Reader{in: newInput(r, file), bag: bag}
}

// SetTimescale overrides the $timescale of the file, which then may be missing or wrong. coef is 1, 10 or 100; the
// unit is coef x 10^exp seconds. Call it before Header.
func (r *Reader) SetTimescale(coef, exp int32) { r.unit = &timescale{coef, exp} }

// Header reads up to $enddefinitions. The error is a fault of I/O or the context; after a fault of the input the
// header holds what was read, and the bag has an error.
func (r *Reader) Header(ctx context.Context) (*Header, error) {
	r.in.ctx = ctx
	p := headerParser{
		Reader: r,
		scopes: map[scopeKey]int32{},
		dups:   map[dupKey]struct{}{},
	}
	r.h = &Header{Scopes: []Scope{{Parent: -1}}}
	r.codes = scan.NewNames()
	p.parse()
	r.h.NumIDs = int32(len(r.h.Widths))
	return r.h, r.in.fault()
}

// Body reads the value changes and hands those of the identifiers in want (by ID; nil is all) to v, until v returns
// false, the file ends, or its times cannot be trusted any more. The error is a fault of I/O or the context.
func (r *Reader) Body(ctx context.Context, want []bool, v Visitor) (Stats, error) {
	if !r.ready {
		return Stats{}, r.in.fault()
	}
	r.ready = false
	r.in.ctx = ctx
	b := newBody(r, want, v)
	b.run()
	return b.Stats, r.in.fault()
}

func (r *Reader) add(code diag.Code, pos diag.Pos, format string, args ...any) {
	r.bag.Add(code, pos, format, args...)
}

// clip shortens a token for a message.
func clip(b []byte) string {
	if len(b) > 40 {
		return string(b[:40]) + "..."
	}
	return string(b)
}
