package sdf

import (
	"bytes"
	"context"

	"github.com/wattd/wattd/internal/diag"
	"github.com/wattd/wattd/internal/format/scan"
)

// At says between which items of a file a place lies.
type At uint8

// The places. AtStart is the zero value: the beginning of the file.
const (
	AtStart  At = iota
	AtItem      // between the items of DELAYFILE, behind the first CELL
	AtEntry     // between the entries of ABSOLUTE or INCREMENT
	AtEnd       // behind the parenthesis that closes DELAYFILE
	AtInside    // inside of an item
)

// Place is what a reading that begins between two items must know of the text before. At AtEntry it tells the CELL and the mode of the
// list.
type Place struct {
	At             At
	Mode           Mode
	HasInstance    bool
	CellType, Inst string
}

// Mark is a place where a later reading may begin.
type Mark struct {
	Place  Place
	Offset int64
	Line   int
	Col    int
}

// marker is a Handler that wants marks: one at least every partBytes where the text has a place for it, with what the file has
// held so far.
type marker interface {
	Mark(m Mark, st *Stats)
}

// partBytes is the distance of marks. A CELL that is not much longer is not cut.
const (
	partBytes = 32 << 10
	cellBytes = 8 << 10
)

// mark tells the handler of the place before the next item when it is time.
func (p *parser) mark(at At, mode Mode) {
	if p.marks == nil {
		return
	}
	least := p.lastMark + partBytes
	if at == AtEntry {
		least += cellBytes
	}
	if p.Offset() < least || p.Token() != '(' {
		return
	}
	pl := Place{At: at}
	if at == AtEntry {
		pl = p.entryPlace(mode)
	}
	pos := p.Pos()
	p.lastMark = p.Offset()
	p.marks.Mark(Mark{pl, p.lastMark, pos.Line, pos.Col}, &p.st)
}

func (p *parser) entryPlace(mode Mode) Place {
	return Place{At: AtEntry, Mode: mode, HasInstance: p.instances > 0, CellType: string(p.cellType), Inst: string(p.inst)}
}

// ended says whether a list was left because the input ended in it, between two items.
func (p *parser) ended(depth int) bool {
	return p.part && p.end.At == AtInside && p.Depth == depth && p.Token() < 0
}

// ReadPart reads text of a file that begins at a mark. head is the header of the file; at AtStart it is read. It returns where the text
// ended, AtInside when that was not between two items. Totals are left to the caller.
func ReadPart(ctx context.Context, text []byte, file string, from Mark, head *Header, h Handler, bag *diag.Bag) (Place, Stats, error) {
	if err := ctx.Err(); err != nil {
		return Place{}, Stats{}, err
	}
	start := from.Place.At == AtStart
	if start && bytes.HasPrefix(text, []byte("\xef\xbb\xbf")) {
		text, from.Offset = text[3:], 3
	}
	p := newParser(scan.NewParensOf(scan.NewBytes(text, file), bag, diag.SDFSyntax, diag.SDFTokenTooLong), h)
	p.part, p.end = true, Place{At: AtInside}
	p.StartAt(from.Offset, max(from.Line, 1), max(from.Col, 1))
	if start {
		p.file()
		return p.end, p.st, p.Fault()
	}
	p.lastMark = from.Offset
	p.head, p.headDone, p.Depth = *head, true, 1
	if from.Place.At == AtEntry {
		p.cellType, p.inst = []byte(from.Place.CellType), []byte(from.Place.Inst)
		p.announced, p.Depth = true, 4
		if from.Place.HasInstance {
			p.instances = 1
		}
		p.entries(from.Place.Mode)
		p.Leave(3)
		p.delay()
		p.Leave(2)
		p.cellItems()
		p.Leave(1)
	}
	p.items()
	return p.end, p.st, p.Fault()
}
