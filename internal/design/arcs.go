package design

import (
	"encoding/binary"
	"hash/fnv"
	"slices"
	"strings"

	"github.com/wattd/wattd/internal/diag"
	"github.com/wattd/wattd/internal/format/liberty"
	"github.com/wattd/wattd/internal/format/sdf"
	"github.com/wattd/wattd/internal/logic"
)

// A stmt is one delay statement as filed under an output: the list of an output is applied in file order when the
// gate is emitted.
type stmt struct {
	next int32
	pin  int32 // input pin of the cell, None: all pairs
	cond int32 // condition, or one of cond*
	lim  int32 // index in arcStore.limits, None
	v    [2]int64
	op   stmtOp
	mode sdf.Mode
	edge sdf.Edge
	has  uint8 // bit 0 rise, bit 1 fall
	keep uint8 // ((d)()()) : the limits of that edge stay
}

type stmtOp uint8

const (
	opIOPath stmtOp = iota
	opDevice
	opPathPulse
	opPathPulsePercent
	opScale // an Override: v[0] is its number
)

const (
	condNone = int32(-1) // no condition; as an interned text: dropped
	condElse = int32(-2) // CONDELSE
)

// limit is a pair of pulse limits: in attoseconds, or percent in units of 10^percentExp.
type limit struct {
	r, e int64
}

// limitPair holds the limits of the rising and the falling output edge; r < 0 leaves an edge alone.
type limitPair [2]limit

const percentExp = -9

// condition is an interned condition of a cell type.
type condition struct {
	expr *logic.Expr
	vars []string // cell pins, state bits and outputs that it names
}

type arcStore struct {
	head, tail []int32 // by target
	n          int32
	chunks     [][]stmt // so that a growing list is not copied
	limits     []limitPair
	conds      []condition
	condText   overlay[string, int32] // cell type, 0, text
	condTable  overlay[string, int32] // cell type, 0, truth table
}

// prepareArcs gives every simulated output a list of statements.
func (b *builder) prepareArcs() {
	if b.target != nil || b.sub != nil {
		return
	}
	s := &b.arcs
	b.target = make([]int32, len(b.nl.PinNet))
	for i := range b.target {
		b.target[i] = None
	}
	n := int32(len(b.gates))
	for i := range b.gates {
		g := &b.gates[i]
		if g.out < 0 {
			continue
		}
		switch g.kind {
		case gateCell:
			b.target[b.nl.Insts[g.inst].Pin0+g.pin] = int32(i)
		case gateTri:
			for _, x := range b.tris[g.tri].drivers {
				if x.inst >= 0 {
					b.target[b.nl.Insts[x.inst].Pin0+x.pin] = n
				} else {
					b.primAt[^x.inst] = n
				}
				n++
			}
		}
	}
	for _, m := range b.merged { // kept to be compared
		if x := m.gone; x.inst >= 0 {
			b.target[b.nl.Insts[x.inst].Pin0+x.pin] = n
		} else {
			b.primAt[^x.inst] = n
		}
		n++
	}
	s.head, s.tail = make([]int32, n), make([]int32, n)
	for i := range s.head {
		s.head[i], s.tail[i] = None, None
	}
	b.prepareWires()
}

const stmtChunk = 1 << 13

func (s *arcStore) at(i int32) *stmt { return &s.chunks[i/stmtChunk][i%stmtChunk] }

func (s *arcStore) add(target int32, x stmt) {
	x.next = None
	i := s.n
	s.n++
	if i%stmtChunk == 0 {
		s.chunks = append(s.chunks, make([]stmt, stmtChunk))
	}
	*s.at(i) = x
	if s.head[target] == None {
		s.head[target] = i
	} else {
		s.at(s.tail[target]).next = i
	}
	s.tail[target] = i
}

// digest tells one list of statements from another.
func (s *arcStore) digest(i int32) uint64 {
	if i == None {
		return 0
	}
	h := fnv.New64a()
	var b []byte
	for ; i != None; i = s.at(i).next {
		x := s.at(i)
		b = append(b[:0], byte(x.op), byte(x.mode), byte(x.edge), x.has, x.keep)
		for _, v := range []int64{int64(x.pin), int64(x.cond), x.v[0], x.v[1]} {
			b = binary.LittleEndian.AppendUint64(b, uint64(v))
		}
		if x.lim != None {
			for _, l := range s.limits[x.lim] {
				b = binary.LittleEndian.AppendUint64(b, uint64(l.r))
				b = binary.LittleEndian.AppendUint64(b, uint64(l.e))
			}
		}
		h.Write(b)
	}
	return h.Sum64()
}

func (s *arcStore) addLimits(l limitPair) int32 {
	s.limits = append(s.limits, l)
	return int32(len(s.limits) - 1)
}

// set fills the values of a statement: rise, fall.
func (x *stmt) set(vals []value, s *arcStore) {
	x.lim = None
	l := limitPair{{-1, -1}, {-1, -1}}
	limits := false
	for k, v := range vals {
		if v.has {
			x.v[k] = v.d
			x.has |= 1 << k
		}
		if v.limits == 0 {
			continue
		}
		x.keep |= 1 << k
		if v.hasR { // an error limit alone leaves both
			l[k] = limit{max(v.r, 0), max(v.e, 0)}
			limits = true
		}
	}
	if limits {
		x.lim = s.addLimits(l)
	}
}

// addCond interns a condition of a cell: equal truth tables over the cell's pins are one. bad names what the cell does not have.
func (s *arcStore) addCond(cm *cellModel, e *logic.Expr) (c int32, bad string) {
	lib := cm.cell.Lib
	known := func(n string) bool {
		i := lib.PinIndex(n)
		return i >= 0 && lib.Pins[i].Dir != liberty.Internal || slices.ContainsFunc(cm.states, func(b stateBit) bool { return b.name == n })
	}
	e = rename(e, func(n string) *logic.Expr {
		for _, b := range cm.states {
			if b.inverse != "" && b.inverse == n {
				return b.inverseExpr
			}
		}
		if i := lib.PinIndex(n); i >= 0 && lib.Pins[i].InternalNode != "" && slices.ContainsFunc(cm.states, func(b stateBit) bool { return b.name == lib.Pins[i].InternalNode }) && cm.byPin[i] == None {
			return exprVar(lib.Pins[i].InternalNode)
		}
		return nil
	})
	vars := e.Vars()
	for _, v := range vars {
		if !known(v) {
			return condNone, v
		}
	}
	slices.Sort(vars)
	key := cm.name + "\x00"
	if len(vars) <= logic.MaxTabulated {
		w, err := logic.Tabulate(e, len(vars), func(n string) int { return slices.Index(vars, n) })
		if err != nil {
			return condNone, err.Error()
		}
		if vars, w = dropUnused(vars, w); len(vars) < len(e.Vars()) {
			// a name on which nothing depends need not be a variable of the gate
			e = rename(e, func(n string) *logic.Expr {
				if slices.Contains(vars, n) {
					return nil
				}
				return exprConst(false)
			})
		}
		key += strings.Join(vars, ",") + "\x00" + string(appendWords(nil, w))
	} else {
		key += exprText(e)
	}
	if i, ok := s.condTable.get(key); ok {
		return i, ""
	}
	i := int32(len(s.conds))
	s.conds = append(s.conds, condition{expr: e, vars: vars})
	s.condTable.put(key, i)
	return i, ""
}

// dropUnused removes variables on which a table does not depend, so that equal functions look equal.
func dropUnused(vars []string, w []uint64) ([]string, []uint64) {
	bit := func(s int) uint64 { return w[s>>6] >> (s & 63) & 1 }
	for v := 0; v < len(vars); v++ {
		depends := false
		for s := 0; s < 1<<len(vars) && !depends; s++ {
			depends = s>>v&1 == 0 && bit(s) != bit(s|1<<v)
		}
		if depends {
			continue
		}
		n := len(vars) - 1
		nw := make([]uint64, max(1, 1<<n/64))
		for s := 0; s < 1<<n; s++ {
			old := s&(1<<v-1) | s>>v<<(v+1)
			nw[s>>6] |= bit(old) << (s & 63)
		}
		vars, w = slices.Delete(slices.Clone(vars), v, v+1), nw
		v--
	}
	return vars, w
}

func exprText(e *logic.Expr) string {
	if e.Op == logic.Var {
		return e.Name
	}
	s := string("01~&|^"[e.Op])
	if e.Op == logic.Const && e.Value {
		s = "1"
	}
	for _, k := range e.Kids {
		s += "(" + exprText(k) + ")"
	}
	return s
}

// entry is one delay entry of a pair of pins and an input edge while statements are applied.
type entry struct {
	cond int32 // condNone for the default entry
	v    [2]int64
	has  uint8
	lim  [2]entryLimit
}

type limitKind uint8

const (
	limitDefault limitKind = iota // equal to the delay (plain values), or --pulse-reject
	limitTime
	limitPercent
)

type entryLimit struct {
	kind limitKind
	limit
}

// pair holds the entries of one input pin: [edge] 0 falling, 1 rising input.
type pair struct {
	entries [2][]entry // the default entry first when it is there
	lim     [2]entryLimit
}

// applier applies the statements of one output. Its slices are reused from gate to gate.
type applier struct {
	b     *builder
	pins  []int32 // cell pins that are pairs of the output
	pairs []pair
}

func (ap *applier) reset(pins []int32) {
	ap.pins = append(ap.pins[:0], pins...)
	for len(ap.pairs) < len(pins) {
		ap.pairs = append(ap.pairs, pair{})
	}
	for i := range ap.pins {
		ap.clear(i)
	}
}

func (ap *applier) clear(i int) {
	p := &ap.pairs[i]
	p.entries[0], p.entries[1] = p.entries[0][:0], p.entries[1][:0]
	p.lim = [2]entryLimit{}
}

// find returns the index of the pair of a cell pin, adding it when need be.
func (ap *applier) find(pin int32) int {
	if i := slices.Index(ap.pins, pin); i >= 0 {
		return i
	}
	ap.pins = append(ap.pins, pin)
	if len(ap.pairs) < len(ap.pins) {
		ap.pairs = append(ap.pairs, pair{})
	}
	ap.clear(len(ap.pins) - 1)
	return len(ap.pins) - 1
}

// explicit says whether any entry of the pair, either input edge, has a value for an output edge.
func (p *pair) explicit(out int) bool {
	for e := range p.entries {
		for i := range p.entries[e] {
			if p.entries[e][i].has>>out&1 != 0 {
				return true
			}
		}
	}
	return false
}

// base gives the default entries of a pair the delay of an arc that nothing annotated, 0, for the output edges in has: what an
// INCREMENT then adds to.
func (p *pair) base(has uint8) {
	for o := range 2 {
		if has>>o&1 == 0 || p.explicit(o) {
			continue
		}
		for e := range p.entries {
			x := p.entry(e, condNone)
			x.v[o] = 0
			x.has |= 1 << o
		}
	}
}

// entry returns the entry of a condition, making it after the rules when it is not there.
func (p *pair) entry(edge int, cond int32) *entry {
	es := p.entries[edge]
	for i := range es {
		if es[i].cond == cond {
			return &es[i]
		}
	}
	n := entry{cond: cond, lim: p.lim}
	if cond != condNone && len(es) > 0 && es[0].cond == condNone {
		n.v, n.has, n.lim = es[0].v, es[0].has, es[0].lim
	}
	if cond == condNone {
		p.entries[edge] = slices.Insert(es, 0, n)
		return &p.entries[edge][0]
	}
	p.entries[edge] = append(es, n)
	return &p.entries[edge][len(es)]
}

// run applies the list that starts at statement i.
func (ap *applier) run(i int32) {
	for i != None {
		s := ap.b.arcs.at(i)
		i = s.next
		if s.pin != None {
			ap.one(ap.find(s.pin), s)
			continue
		}
		for k := range ap.pins {
			ap.one(k, s)
		}
	}
}

func (ap *applier) one(k int, s *stmt) {
	p := &ap.pairs[k]
	if s.op == opScale {
		ap.scale(p, s)
		return
	}
	if s.op == opPathPulse || s.op == opPathPulsePercent {
		kind := limitTime
		if s.op == opPathPulsePercent {
			kind = limitPercent
		}
		l := ap.b.arcs.limits[s.lim]
		for o := range 2 {
			el := entryLimit{kind, l[o]}
			p.lim[o] = el
			for e := range p.entries {
				for i := range p.entries[e] {
					p.entries[e][i].lim[o] = el
				}
			}
		}
		return
	}
	if s.mode == sdf.Increment {
		p.base(s.has)
	}
	for e := range 2 {
		if s.edge == sdf.Posedge && e == 0 || s.edge == sdf.Negedge && e == 1 {
			continue
		}
		switch {
		case s.op == opDevice:
			p.entry(e, condNone)
			for i := range p.entries[e] {
				ap.put(&p.entries[e][i], s)
			}
		case s.cond >= 0:
			ap.put(p.entry(e, s.cond), s)
		case s.cond == condElse:
			ap.put(p.entry(e, condNone), s)
		default:
			p.entry(e, condNone)
			n := len(p.entries[e])
			if ap.b.opt.KeepConditions {
				n = 1
			}
			for i := range n {
				ap.put(&p.entries[e][i], s)
			}
			if n > 1 && s.has != 0 && s.mode == sdf.Absolute {
				ap.b.replaced++
			}
		}
	}
}

// put sets or adds the values of s to one entry.
func (ap *applier) put(x *entry, s *stmt) {
	for o := range 2 {
		bit := uint8(1) << o
		if s.has&bit != 0 {
			switch {
			case s.mode == sdf.Absolute:
				x.v[o] = s.v[o]
				x.has |= bit
			case x.has&bit != 0:
				x.v[o] += s.v[o]
			}
			if s.mode == sdf.Absolute && s.keep&bit == 0 {
				x.lim[o] = entryLimit{kind: limitDefault}
			}
		}
		if s.lim != None && s.keep&bit != 0 {
			if l := ap.b.arcs.limits[s.lim][o]; l.r >= 0 {
				x.lim[o] = entryLimit{limitTime, l}
			}
		}
	}
}

// noteReplaced counts condition entries that an unconditional IOPATH replaced.
func (b *builder) noteReplaced(name string) {
	if b.replaced > 0 {
		b.d.Report.CondReplaced = addCount(b.d.Report.CondReplaced, name, b.replaced)
		b.bag.AddN(diag.SDFCondReplaced, b.replaced, diag.Pos{}, "cells of type %s: condition entries replaced by an IOPATH without condition", name)
		b.replaced = 0
	}
}
