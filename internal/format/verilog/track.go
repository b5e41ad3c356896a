package verilog

import (
	"bytes"
	"context"
	bin "encoding/binary"
	"math/bits"

	"github.com/wattd/wattd/internal/diag"
	"github.com/wattd/wattd/internal/format/scan"
)

// Track notes, while a file is read, where it can be entered again: line starts between two items of a module, in a plain state. An
// edit between two of them is then read by ReadItems without the rest of the file.
type Track struct {
	// Cells are the names of the library cells. Instances of others are not plain.
	Cells map[string]bool
	// Modules are the modules of the file, in order.
	Modules []int32
	Borders []Border
	Tail    uint64 // HashText of the text behind the last border

	run   Border // as of the item in hand
	next  int64  // no border before this offset
	known []int8 // by name: 1 a cell, 2 none, 0 not asked yet
	text  []byte // what was read, the text behind the last border from done on
	done  int
}

// Border is a place between two items of a module. Plain wires (scalar, nothing but a name) and plain instances (of a library
// cell, with named connections) are known by the sums of their names, so that what a range held can be checked; everything else
// is hashed in order. Sums and hashes of names are by id: they hold for the name table of the reading and those that extend it.
type Border struct {
	Offset   int64  // of a line start
	Hash     uint64 // HashText of the text since the border before, or the begin
	Wires    uint64 // sum over the plain wires so far
	Insts    uint64 // sum over the plain instances so far
	Rest     uint64 // hash of the other items so far
	Line     int32
	Module   int32 // index in Track.Modules
	NRest    int32 // items in Rest
	Messages int32 // of the reader so far
	Opaque   int32 // items so far that no hash describes
}

// borderStep is the least distance of borders.
const borderStep = 4 << 10

// Mix is what a name adds to the sums of a Border.
func Mix(id int32) uint64 {
	x := uint64(uint32(id)) + 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

const restFactor = 0x9e3779b97f4a7c15

// RestBetween is the hash of the items, other than plain ones, between two borders of one module.
func RestBetween(a, b *Border) uint64 {
	return b.Rest - RestAfter(a.Rest, b.NRest-a.NRest)
}

// RestAfter is what a hash of items adds to the hash that goes on over n more.
func RestAfter(rest uint64, n int32) uint64 {
	f := uint64(restFactor)
	for n := uint32(n); n > 0; n >>= 1 {
		if n&1 != 0 {
			rest *= f
		}
		f *= f
	}
	return rest
}

// HashText tells pieces of text apart.
func HashText(b []byte) uint64 {
	h := uint64(len(b)) * restFactor
	step := func(x, y uint64) {
		hi, lo := bits.Mul64(x^0x2d358dccaa6c78a5, y^h^0x8bb84b93962eacc9)
		h = hi ^ lo
	}
	for ; len(b) >= 16; b = b[16:] {
		step(bin.LittleEndian.Uint64(b), bin.LittleEndian.Uint64(b[8:]))
	}
	var last [16]byte
	copy(last[:], b)
	step(bin.LittleEndian.Uint64(last[:]), bin.LittleEndian.Uint64(last[8:]))
	step(h, 1)
	return h
}

// add takes text that was read.
func (t *Track) add(b []byte) { t.text = append(t.text, b...) }

// mark appends a border.
func (t *Track) mark(b Border) {
	from := int64(0)
	if n := len(t.Borders); n > 0 {
		from = t.Borders[n-1].Offset
	}
	n := b.Offset - from
	b.Hash = HashText(t.text[t.done : t.done+int(n)])
	if t.done += int(n); t.done > 1<<20 { // seldom, so that the rest is not moved for every border
		t.text = append(t.text[:0], t.text[t.done:]...)
		t.done = 0
	}
	t.Borders = append(t.Borders, b)
}

// end notes the tail.
func (t *Track) end() {
	t.Tail = HashText(t.text[t.done:])
	t.text, t.known, t.done = nil, nil, 0
}

func (t *Track) cell(names *scan.Names, id int32) bool {
	if int(id) >= len(t.known) {
		t.known = append(t.known, make([]int8, max(int(id)+1-len(t.known), len(t.known)))...)
	}
	if t.known[id] == 0 {
		t.known[id] = 2
		if t.Cells[string(names.Bytes(id))] {
			t.known[id] = 1
		}
	}
	return t.known[id] == 1
}

func (t *Track) rest(h uint64) {
	t.run.Rest = t.run.Rest*restFactor + h
	t.run.NRest++
}

// open begins a module.
func (t *Track) open(name int32) {
	t.Modules = append(t.Modules, name)
	t.run.Module = int32(len(t.Modules) - 1)
	t.next = 0
	t.run.Rest, t.run.NRest = 0, 0
}

// border notes the place in front of the item in hand, where that is one to enter at.
func (p *parser) border() {
	t := p.track
	off := p.s.Offset()
	if off < t.next && p.word() != kwEndmodule || len(p.stack) > 1 || len(p.conds) > 0 || len(p.macros) > 0 || len(p.params) > 0 || p.m.Behavioural || p.failed || p.kind == tEOF {
		return
	}
	back, ok := p.s.LineStart(p.width)
	if !ok {
		return
	}
	b := t.run
	line, _ := p.s.LineCol()
	b.Offset, b.Line, b.Messages = off-int64(back), int32(line), int32(p.reports)
	if n := len(t.Borders); n > 0 && t.Borders[n-1].Offset >= b.Offset {
		return
	}
	t.mark(b)
	t.next = b.Offset + borderStep
}

// counts are the sizes of the tables of a module.
type counts struct {
	nets, insts, assigns int
	rest                 int32
}

func (p *parser) counts() counts {
	return counts{len(p.m.Nets), len(p.m.Insts), len(p.m.Assigns), p.track.run.NRest}
}

// note adds to the running sums what an item brought.
func (p *parser) note(was counts, empty bool) {
	t, m := p.track, p.m
	if p.errors > 0 { // the tables need not be whole, and nobody goes on from such a file
		t.run.Opaque++
		return
	}
	for i := was.nets; i < len(m.Nets); i++ {
		if n := &m.Nets[i]; n.plain() {
			t.run.Wires += Mix(n.Name)
		} else {
			t.rest(p.netHash(n))
		}
	}
	for i := was.insts; i < len(m.Insts); i++ {
		if in := &m.Insts[i]; p.plainInst(in) {
			t.run.Insts += Mix(in.Name)
		} else {
			t.rest(p.instHash(in))
		}
	}
	for i := was.assigns; i < len(m.Assigns); i++ {
		a := &m.Assigns[i]
		t.rest(p.hashes(3, p.exprHash(a.LHS, 0), p.exprHash(a.RHS, 0), p.delayHash(a.Delay)))
	}
	if now := p.counts(); now == was && !empty {
		t.run.Opaque++
	}
}

// plain says that a declaration is that of a wire with a name and nothing else.
func (n *Net) plain() bool {
	return !n.Vector && !n.Signed && n.Dir == DirNone && n.Kind == Wire && n.Delay == None
}

// plainInst says that an instance is one of a library cell whose connections are named and are nets, bits of nets, bits of constants
// or open.
func (p *parser) plainInst(in *Inst) bool {
	if in.Prim != PrimNone || in.Array || in.Params || in.Name == 0 || !p.track.cell(p.names, in.Cell) {
		return false
	}
	m := p.m
	for _, c := range m.Conns[in.Conn : in.Conn+in.NConn] {
		if c.Port == 0 {
			return false
		}
		if c.Expr == None {
			continue
		}
		switch x := &m.Exprs[c.Expr]; x.Op {
		case Ref, Select:
		case Const:
			if b := m.Bits[x.A]; x.B != 1 || b != '0' && b != '1' {
				return false
			}
		default:
			return false
		}
	}
	return true
}

func (p *parser) hashes(v ...uint64) uint64 {
	h := uint64(0)
	for _, x := range v {
		h = bits.RotateLeft64(h, 23)*restFactor + x
	}
	return h ^ h>>29
}

func flags(b ...bool) (v uint64) {
	for _, x := range b {
		v <<= 1
		if x {
			v |= 1
		}
	}
	return v
}

func (p *parser) netHash(n *Net) uint64 {
	return p.hashes(1, Mix(n.Name), uint64(uint32(n.Msb)), uint64(uint32(n.Lsb)), p.delayHash(n.Delay), flags(n.Vector, n.Signed), uint64(n.Dir), uint64(n.Kind))
}

func (p *parser) instHash(in *Inst) uint64 {
	h := p.hashes(2, Mix(in.Name), Mix(in.Cell), uint64(uint32(in.Msb)), uint64(uint32(in.Lsb)), p.delayHash(in.Delay), flags(in.Array, in.Params), uint64(in.Prim), uint64(in.NConn))
	for _, c := range p.m.Conns[in.Conn : in.Conn+in.NConn] {
		h = p.hashes(h, Mix(c.Port), p.exprHash(c.Expr, 0))
	}
	return h
}

func (p *parser) delayHash(d int32) uint64 {
	if d == None {
		return 0
	}
	x := &p.m.Delay[d]
	h := p.hashes(4, uint64(x.N))
	for _, v := range x.V[:x.N] {
		for _, c := range v {
			h = p.hashes(h, uint64(c.Coef), uint64(uint32(c.Exp)))
		}
	}
	return h
}

// exprHash hashes an expression by structure. Below a depth that only abuse reaches, it is never the same twice.
func (p *parser) exprHash(e int32, depth int) uint64 {
	if e == None {
		return 5
	}
	if depth > maxHashed || int(e) >= len(p.m.Exprs) || p.m.Exprs[e].Op > RedXnor {
		p.track.run.Opaque++
		return 0
	}
	m := p.m
	x := m.Exprs[e]
	h := p.hashes(6, uint64(x.Op))
	sub := func(k int32) { h = p.hashes(h, p.exprHash(k, depth+1)) }
	switch x.Op {
	case Ref:
		return p.hashes(h, Mix(x.A))
	case Select, Part:
		return p.hashes(h, Mix(x.A), uint64(uint32(x.B)), uint64(uint32(x.C)))
	case Const:
		h = p.hashes(h, uint64(x.B), uint64(x.C))
		for _, b := range m.Bits[x.A : x.A+x.B] {
			h = p.hashes(h, uint64(b))
		}
	case Concat:
		h = p.hashes(h, uint64(x.B))
		for _, k := range m.Lists[x.A : x.A+x.B] {
			sub(k)
		}
	case Repl:
		h = p.hashes(h, uint64(uint32(x.A)))
		sub(x.B)
	default:
		sub(x.A)
		if x.Op != OpNot && x.Op != OpLNot && x.Op < RedAnd {
			sub(x.B)
		}
		if x.Op == OpCond {
			sub(x.C)
		}
	}
	return h
}

const maxHashed = 64

// Items are the items of a piece of a module.
type Items struct {
	*Module
	Wires   []bool   // of Nets: plain wires
	Plain   []bool   // of Insts: plain instances
	Borders []Border // in the piece; what they count begins with the piece
	End     Border   // of the piece
}

// ReadItems reads a piece of the body of a module, from one border to another one; it begins in a line and at an offset of the file.
// It is nil when the piece is no whole number of items, holds a directive or what is not structural, or there is anything to say about
// it: then the file is to be read whole.
func ReadItems(ctx context.Context, text []byte, line int32, offset int64, fileIndex uint16, names *scan.Names, cells map[string]bool) *Items {
	if len(text) > 0 && text[len(text)-1] != '\n' {
		return nil
	}
	var bag diag.Bag
	t := &Track{Cells: cells, next: borderStep, text: bytes.Clone(text)}
	p := &parser{}
	p.lexer = lexer{ctx: ctx, names: names, bag: &bag, files: map[uint16]string{fileIndex: ""}, unitExp: defaultUnit, track: t}
	p.push(input{s: scan.NewBytes(text, ""), index: fileIndex})
	p.m = &Module{UnitExp: defaultUnit}
	p.next()
	for p.kind != tEOF {
		p.border()
		was, empty := p.counts(), p.kind == ';'
		if p.atEnd() || !p.item() {
			return nil
		}
		p.note(was, empty)
	}
	if p.reports > 0 || p.fault != nil || p.failed || t.run.Opaque > 0 || p.m.Behavioural || p.m.Overrides || len(p.params) > 0 || ctx.Err() != nil {
		return nil
	}
	t.end()
	x := &Items{Module: p.m, Borders: t.Borders, End: t.run}
	x.End.Offset, x.End.Line, x.End.Hash = offset+int64(len(text)), line+int32(bytes.Count(text, []byte{'\n'})), t.Tail
	down := line - 1
	for i := range x.Nets {
		x.Nets[i].Pos.Line += down
		x.Wires = append(x.Wires, x.Nets[i].plain())
	}
	for i := range x.Insts {
		x.Insts[i].Pos.Line += down
		x.Plain = append(x.Plain, p.plainInst(&x.Insts[i]))
	}
	for i := range x.Borders {
		x.Borders[i].Line += down
		x.Borders[i].Offset += offset
	}
	return x
}
