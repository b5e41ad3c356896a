package project

import (
	"context"
	"fmt"

	"github.com/wattd/wattd/internal/diag"
	"github.com/wattd/wattd/internal/format/liberty"
	"github.com/wattd/wattd/internal/format/verilog"
	"github.com/wattd/wattd/internal/netlist"
	"github.com/wattd/wattd/internal/source"
)

// VerilogState is what a netlist file was when it was read: enough to read an edit of it alone.
type VerilogState struct {
	Path  string
	File  uint16 // in netlist.Netlist.Files
	Sum   source.Sum
	Track *verilog.Track
}

// CellNames lists the cells of libraries for verilog.Track.
func CellNames(libs []*liberty.Library) map[string]bool {
	m := map[string]bool{}
	for _, l := range libs {
		for _, c := range l.Cells {
			m[c.Name] = true
		}
	}
	return m
}

// Reread reads what differs between a netlist file and its state old, in which nl was linked, and says it as an edit of nl. It returns
// the new state, and the bytes that were parsed. bag holds the messages of reading and linking; they stay right, but for lines that
// Edit.Shift tells. The error is a *netlist.Refusal where the edit is more than leaf instances of library cells and scalar wires, and all
// is to be read anew, or a fault of the system.
func Reread(ctx context.Context, old *VerilogState, nl *netlist.Netlist, libs []*liberty.Library, bag *diag.Bag) (*netlist.Edit, *VerilogState, int64, error) {
	c, err := source.Compare(ctx, old.Path, old.Sum.Chunks, nil)
	if err == source.ErrManyChanges {
		return nil, nil, 0, refuse("%v", err)
	}
	if err != nil {
		return nil, nil, 0, err
	}
	return reread(ctx, old, c, nl, libs, bag)
}

func refuse(format string, args ...any) error {
	return &netlist.Refusal{Why: fmt.Sprintf(format, args...)}
}

func reread(ctx context.Context, old *VerilogState, c *source.Changed, nl *netlist.Netlist, libs []*liberty.Library, bag *diag.Bag) (*netlist.Edit, *VerilogState, int64, error) {
	r := &rereader{
		old: old, nl: nl, bag: bag, cells: CellNames(libs),
		edit: &netlist.Edit{Names: nl.Names.Extend(), Libs: libs, Files: nl.Files, Free: int32(len(nl.Nets))},
	}
	if err := r.read(ctx, c); err != nil {
		return nil, nil, r.parsed, err
	}
	if err := r.compare(); err != nil {
		return nil, nil, r.parsed, err
	}
	if r.edit.Names.Len() == nl.Names.Len() {
		r.edit.Names = nl.Names
	}
	return r.edit, &VerilogState{old.Path, old.File, c.Sum, r.track()}, r.parsed, nil
}

// rereader turns the changes of one file into an edit.
type rereader struct {
	old    *VerilogState
	nl     *netlist.Netlist
	bag    *diag.Bag
	cells  map[string]bool
	edit   *netlist.Edit
	parsed int64
	pieces []piece
	scopes map[int32]int32 // module -> where it is placed

	insts map[int32]int32  // the instances that the pieces held: slot -> piece
	nets  map[int32]int32  // the nets whose place is in a piece -> piece
	subs  map[int32]int32  // the scopes whose place is in a piece -> piece
	named map[nameAt]int32 // the nets that the pieces declare, or imply first: a net or a NewNetRef
	first map[int32]int32  // implied nets that the pieces use -> the piece of the first use
	wires uint64           // sum of the names that the pieces held
}

// piece is the text between two borders that is another one now.
type piece struct {
	from, to int // borders of the old track
	items    *verilog.Items
	scope    int32
	lines    int32 // that came before and with it
	bytes    int64
}

// read finds the borders around the changes and parses what lies between them.
func (r *rereader) read(ctx context.Context, c *source.Changed) error {
	b := r.old.Track.Borders
	if len(b) == 0 {
		return refuse("the file has no place to enter at")
	}
	// span is a range of old borders, -1 the begin and len(b) the end of the file, and its text now.
	type span struct {
		from, to int
		now      source.Range
	}
	var spans []span
	at := func(i int) int64 {
		switch {
		case i < 0:
			return 0
		case i == len(b):
			return r.old.Sum.Size
		}
		return b[i].Offset
	}
	for _, x := range c.Changes {
		s := span{from: borderAt(b, x.Old.From), to: borderAt(b, x.Old.To-1) + 1}
		s.now = source.Range{From: at(s.from) + x.New.From - x.Old.From, To: at(s.to) + x.New.To - x.Old.To}
		if n := len(spans); n > 0 && spans[n-1].to > s.from {
			spans[n-1].to, spans[n-1].now.To = s.to, s.now.To
			continue
		}
		spans = append(spans, s)
	}
	lines, size := int32(0), int64(0)
	for _, s := range spans {
		text := c.Text(s.now)
		if text == nil && s.now.From < s.now.To {
			return refuse("a change too far from a place to enter at")
		}
		// The pieces between borders whose text is the same as before are no part of the change.
		begin := s.now.From
		for s.from < s.to {
			n := at(s.from+1) - at(s.from)
			if n > int64(len(text)) || verilog.HashText(text[:n]) != r.hash(s.from+1) {
				break
			}
			s.from, text, begin = s.from+1, text[n:], begin+n
		}
		for s.from < s.to {
			n := at(s.to) - at(s.to-1)
			if n > int64(len(text)) || verilog.HashText(text[int64(len(text))-n:]) != r.hash(s.to) {
				break
			}
			s.to, text = s.to-1, text[:int64(len(text))-n]
		}
		if s.from == s.to && len(text) == 0 {
			continue
		}
		if s.from < 0 || s.to == len(b) {
			return refuse("text outside the items of a module changed")
		}
		x, y := &b[s.from], &b[s.to]
		switch {
		case x.Module != y.Module:
			return refuse("a module begins or ends in what changed")
		case x.Opaque != y.Opaque:
			return refuse("an item changed, or stands beside what did, that is no net and no instance")
		case x.Messages != y.Messages:
			return refuse("there was a message about what changed")
		}
		p := piece{from: s.from, to: s.to}
		r.parsed += int64(len(text))
		p.items = verilog.ReadItems(ctx, text, x.Line+lines, begin, r.old.File, r.edit.Names, r.cells)
		if err := ctx.Err(); err != nil {
			return err
		}
		if p.items == nil {
			return refuse("what changed is no whole number of plain items")
		}
		if e := &p.items.End; e.NRest != y.NRest-x.NRest || e.Rest != verilog.RestBetween(x, y) {
			return refuse("an item changed that is no scalar wire and no plain instance of a library cell")
		}
		if d := p.items.End.Line - (y.Line + lines); d != 0 {
			r.edit.Shift = append(r.edit.Shift, netlist.Shift{File: r.old.File, From: y.Line, By: d})
			lines += d
		}
		size += int64(len(text)) - (y.Offset - x.Offset)
		p.lines, p.bytes = lines, size
		r.pieces = append(r.pieces, p)
	}
	return nil
}

// hash is that of the text in front of a border, the end of the file counting as one.
func (r *rereader) hash(i int) uint64 {
	if t := r.old.Track; i < len(t.Borders) {
		return t.Borders[i].Hash
	}
	return r.old.Track.Tail
}

// borderAt is the last border at or before an offset, or -1.
func borderAt(b []verilog.Border, offset int64) int {
	lo, hi := 0, len(b)
	for lo < hi {
		if m := (lo + hi) / 2; b[m].Offset <= offset {
			lo = m + 1
		} else {
			hi = m
		}
	}
	return lo - 1
}

// track is the track of the new text.
func (r *rereader) track() *verilog.Track {
	old := r.old.Track
	now := &verilog.Track{Modules: old.Modules, Tail: old.Tail, Borders: make([]verilog.Border, 0, len(old.Borders)+4)}
	var sum verilog.Border // what to add to the borders that follow
	next := 0
	for i := range r.pieces {
		p := &r.pieces[i]
		for ; next <= p.from; next++ {
			now.Borders = append(now.Borders, moved(old.Borders[next], &sum))
		}
		x, y := old.Borders[p.from], old.Borders[p.to]
		base := moved(x, &sum)
		for _, b := range p.items.Borders {
			b.Wires += base.Wires
			b.Insts += base.Insts
			b.Rest += verilog.RestAfter(x.Rest, b.NRest)
			b.NRest += x.NRest
			b.Module, b.Messages, b.Opaque = x.Module, x.Messages, x.Opaque
			now.Borders = append(now.Borders, b)
		}
		e := &p.items.End
		sum.Wires = base.Wires + e.Wires - y.Wires
		sum.Insts = base.Insts + e.Insts - y.Insts
		sum.Offset, sum.Line = p.bytes, p.lines
		if last := moved(y, &sum); last.Offset > base.Offset {
			last.Hash = e.Hash
			now.Borders = append(now.Borders, last)
		}
		next = p.to + 1
	}
	for ; next < len(old.Borders); next++ {
		now.Borders = append(now.Borders, moved(old.Borders[next], &sum))
	}
	return now
}

func moved(b verilog.Border, by *verilog.Border) verilog.Border {
	b.Offset += by.Offset
	b.Line += by.Line
	b.Wires += by.Wires
	b.Insts += by.Insts
	return b
}
