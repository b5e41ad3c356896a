package design

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/wattd/wattd/internal/diag"
	"github.com/wattd/wattd/internal/format/liberty"
	"github.com/wattd/wattd/internal/format/scan"
	"github.com/wattd/wattd/internal/format/sdf"
	"github.com/wattd/wattd/internal/logic"
	"github.com/wattd/wattd/internal/netlist"
)

// SDFReport says what one file brought.
type SDFReport struct {
	File                string
	Header              sdf.Header
	Stats               sdf.Stats
	Bound, Unbound      int64 // CELL entries
	Statements, Dropped int64 // delay statements that found, or did not find, their place
}

// annotator is the sdf.Handler that files statements under the gates and wires they act on.
type annotator struct {
	b     *builder
	ctx   context.Context
	file  string
	mount int32
	head  sdf.Header
	scale scan.Decimal // seconds per unit, without trailing zeros
	rep   SDFReport

	// the CELL being read: a scope, or several of a module; or leaf instances
	scope  int32
	scopes []int32
	insts  []int32
	prim   int32
	skip   bool
	typ    int32

	comps   [][]byte
	buf     []byte
	vals    []value
	scratch []byte
	onePin  [2][1]int32
	src     []byte // source of the last INTERCONNECT of this CELL: writers list the loads of a driver one behind the other
	srcEnd  end
	calls   int
	failed  bool
}

// value is a delval in attoseconds.
type value struct {
	d      int64
	has    bool
	limits uint8 // as sdf.Value.Limits
	r, e   int64
	hasR   bool
	hasE   bool
}

func (b *builder) annotate(ctx context.Context, s SDF) error {
	a := &annotator{b: b, ctx: ctx, file: s.Name, scope: None}
	b.prepareArcs()
	if !a.mountAt(s.Mount) {
		b.bag.Add(diag.SDFMount, diag.Pos{File: s.Name}, "the design has no hierarchical instance %q", s.Mount)
		return nil
	}
	r, err := s.Open()
	if err != nil {
		return err
	}
	defer r.Close()
	all := b.bag
	b.bag = &diag.Bag{} // of this file alone
	defer func() { all.Merge(b.bag); b.bag = all }()
	var h sdf.Handler = a
	if b.keep != nil {
		h = &keptReader{annotator: a}
		b.keep.begin(s)
	}
	st, err := sdf.Read(ctx, r, s.Name, h, b.bag)
	if err != nil {
		return err
	}
	a.rep.File, a.rep.Header, a.rep.Stats = s.Name, a.head, st
	b.d.Report.SDF = append(b.d.Report.SDF, a.rep)
	if a.rep.Statements == 0 && a.rep.Dropped > 0 && b.bag.Errors() == 0 {
		b.bag.Add(diag.SDFNothingBound, diag.Pos{File: s.Name}, "none of %d CELL entries and %d statements found its place", st.Cells, a.rep.Dropped)
	}
	if b.keep != nil {
		h.(*keptReader).finish(&st)
		if s.Chunks != nil {
			return b.keep.chunksOf(s)
		}
	}
	return nil
}

// mountAt finds the scope to which the paths of the file are relative.
func (a *annotator) mountAt(mount string) bool {
	if mount == "" {
		return true
	}
	var path [][]byte
	for c := range strings.SplitSeq(mount, "/") {
		path = append(path, []byte(c))
	}
	scope, _, _ := a.findFrom(0, path)
	a.mount = max(scope, 0)
	return scope >= 0
}

// Header implements sdf.Handler.
func (a *annotator) Header(h *sdf.Header) bool {
	a.head = *h
	a.scale = h.Timescale
	for a.scale.Coef != 0 && a.scale.Coef%10 == 0 {
		a.scale.Coef /= 10
		a.scale.Exp++
	}
	return true
}

// Cell implements sdf.Handler.
func (a *annotator) Cell(cellType, inst []byte, hasInstance bool, pos diag.Pos) bool {
	if a.calls++; a.calls&1023 == 0 && a.ctx.Err() != nil {
		return false
	}
	nl := a.b.nl
	a.src = a.src[:0]
	a.insts, a.scopes, a.prim, a.skip, a.scope = a.insts[:0], a.scopes[:0], None, false, a.mount
	k := a.b.keep
	k.wild(false)
	a.typ = nl.Names.Find(cellType)
	if len(inst) == 0 || !hasInstance {
		a.rep.Bound++
		return true
	}
	if len(inst) == 1 && inst[0] == '*' {
		a.wildcard()
		k.wild(true)
		a.skip = len(a.insts)+len(a.scopes) == 0
		if a.skip {
			a.b.bag.Add(diag.SDFUnknownInstance, pos, "no instance of %s", cellType)
		}
		a.count(!a.skip)
		return true
	}
	a.comps, a.buf, _ = sdf.SplitPath(inst, a.head.Divider, a.comps, a.buf)
	s, i, p := a.find(a.comps)
	switch {
	case i >= 0:
		a.insts = append(a.insts, i)
		k.inst(i)
		if c := nl.Cells[nl.Insts[i].Cell].Name; a.typ != c {
			a.b.bag.Add(diag.SDFCellType, pos, "instance %s is a %s, not a %s", inst, nl.Names.String(c), cellType)
		}
	case p >= 0:
		a.prim = p
		k.prim()
	case s >= 0:
		a.scope = s
		if m := nl.Scopes[s].Module; a.typ != m {
			a.b.bag.Add(diag.SDFCellType, pos, "instance %s is a %s, not a %s", inst, nl.Names.String(m), cellType)
		}
	default:
		a.skip = true
		k.odd()
		a.b.bag.Add(diag.SDFUnknownInstance, pos, "no instance %s (%s)", inst, cellType)
	}
	a.count(!a.skip)
	return true
}

func (a *annotator) count(bound bool) {
	if bound {
		a.rep.Bound++
	} else {
		a.rep.Unbound++
	}
}

func (a *annotator) done(ok bool) bool {
	if ok {
		a.rep.Statements++
	} else {
		a.rep.Dropped++
	}
	return !a.failed
}

// wildcard collects all instances of the cell type, or of the module of that name, at or below the mount point.
func (a *annotator) wildcard() {
	nl := a.b.nl
	if a.typ <= 0 {
		return
	}
	for i := range nl.Insts {
		if nl.Cells[nl.Insts[i].Cell].Name == a.typ && a.b.within(nl.Insts[i].Scope, a.mount) {
			a.insts = append(a.insts, int32(i))
		}
	}
	for s := range nl.Scopes {
		if nl.Scopes[s].Module == a.typ && a.b.within(int32(s), a.mount) {
			a.scopes = append(a.scopes, int32(s))
		}
	}
}

// each calls f for every instance or scope that the CELL names, with a.insts or a.scope holding that one.
func (a *annotator) each(f func() bool) bool {
	insts, scope, ok := a.insts, a.scope, false
	for k := range insts {
		a.insts = insts[k : k+1]
		ok = f() || ok
	}
	a.insts = a.insts[:0]
	for _, a.scope = range a.scopes {
		ok = f() || ok
	}
	a.insts, a.scope = insts, scope
	if len(a.insts)+len(a.scopes) == 0 {
		ok = f()
	}
	return ok
}

// find resolves the components of an instance path relative to the mount point.
func (a *annotator) find(comps [][]byte) (scope, inst, prim int32) {
	return a.findFrom(a.mount, comps)
}

func (a *annotator) findFrom(scope int32, comps [][]byte) (s, inst, prim int32) {
	if len(comps) == 0 {
		return scope, None, None
	}
	s, inst, prim = a.step(scope, comps[0], comps[1:])
	if s >= 0 || inst >= 0 || prim >= 0 {
		return s, inst, prim
	}
	// several components may be one escaped name of a flattened netlist, with the dividers that tools put there
	for take := len(comps); take > 1; take-- {
		for _, div := range []byte("/.") {
			name := bytes.Join(comps[:take], []byte{div})
			s, inst, prim = a.step(scope, name, comps[take:])
			if s >= 0 || inst >= 0 || prim >= 0 {
				return s, inst, prim
			}
		}
	}
	return None, None, None
}

// step resolves a name in a scope and the rest of a path below it.
func (a *annotator) step(scope int32, name []byte, rest [][]byte) (s, inst, prim int32) {
	nl := a.b.nl
	if len(rest) == 0 {
		if i := nl.FindInst(scope, name); i >= 0 {
			return None, i, None
		}
		if p := nl.FindPrim(scope, name); p >= 0 {
			return None, None, p
		}
	}
	if c := nl.ChildScope(scope, name); c >= 0 {
		return a.findFrom(c, rest)
	}
	return None, None, None
}

// convert turns the first two values of a list into attoseconds; one value means both edges.
func (a *annotator) convert(vals []sdf.Value) bool {
	a.vals = a.vals[:0]
	for i := range vals {
		if i == 2 {
			break
		}
		v, ok := a.value(&vals[i])
		if !ok {
			return false
		}
		a.vals = append(a.vals, v)
	}
	if len(a.vals) == 1 {
		a.vals = append(a.vals, a.vals[0])
	}
	return len(a.vals) == 2
}

func (a *annotator) value(v *sdf.Value) (value, bool) {
	out := value{limits: v.Limits}
	var ok bool
	if out.d, out.has, ok = a.pick(&v.D, v.Pos); !ok {
		return out, false
	}
	if v.Limits >= 2 {
		if out.r, out.hasR, ok = a.pick(&v.Reject, v.Pos); !ok {
			return out, false
		}
		out.e, out.hasE = out.r, out.hasR
	}
	if v.Limits >= 3 {
		var e int64
		var has bool
		if e, has, ok = a.pick(&v.Error, v.Pos); !ok {
			return out, false
		}
		if has {
			out.e, out.hasE = e, true
		}
	}
	return out, true
}

// pick takes the column of the chosen corner.
func (a *annotator) pick(t *sdf.Triple, pos diag.Pos) (as int64, has, ok bool) {
	if t.Has == 0 {
		return 0, false, true
	}
	d, there := t.Pick(a.b.opt.Corner.column())
	if !there {
		if !a.b.opt.CornerFallback {
			a.b.bag.Add(diag.SDFEmptyCorner, pos, "nothing in the %s column; the value has %s: add --corner %s, or --corner-fallback",
				a.b.opt.Corner, columns(t.Has), firstColumn(t.Has))
			return 0, false, true
		}
		d = fallback(t, a.b.opt.Corner.column())
		a.b.bag.Add(diag.SDFCornerFallback, pos, "nothing in the %s column; the value has %s", a.b.opt.Corner, columns(t.Has))
	}
	as, good := a.attoseconds(d)
	if !good {
		a.b.bag.Add(diag.SDFTooLarge, pos, "the delay %de%d does not fit", d.Coef, d.Exp)
	}
	return as, true, true
}

// attoseconds scales a value of the file.
func (a *annotator) attoseconds(d scan.Decimal) (int64, bool) {
	for d.Coef != 0 && d.Coef%10 == 0 {
		d.Coef /= 10
		d.Exp++
	}
	c := d.Coef * a.scale.Coef
	if a.scale.Coef != 1 && d.Coef != 0 && (c/d.Coef != a.scale.Coef) {
		return 0, false
	}
	v, _, ok := scan.Decimal{Coef: c, Exp: d.Exp + a.scale.Exp}.Scale(atto)
	return v, ok
}

var columnNames = [3]string{"min", "typ", "max"}

func columns(has uint8) string {
	var s []string
	for i, n := range columnNames {
		if has>>i&1 != 0 {
			s = append(s, n)
		}
	}
	return strings.Join(s, " and ")
}

func firstColumn(has uint8) string {
	for i := 2; i > 0; i-- {
		if has>>i&1 != 0 {
			return columnNames[i]
		}
	}
	return columnNames[0]
}

// fallback is the value for an empty column: typ is the mean of min and max, min and max are the nearest one there is.
func fallback(t *sdf.Triple, col int) scan.Decimal {
	at := func(i int) bool { return t.Has>>i&1 != 0 }
	switch {
	case col == 1 && at(0) && at(2):
		x, y := t.V[0], t.V[2]
		for x.Exp > y.Exp {
			x.Coef, x.Exp = x.Coef*10, x.Exp-1
		}
		for y.Exp > x.Exp {
			y.Coef, y.Exp = y.Coef*10, y.Exp-1
		}
		return scan.Decimal{Coef: (x.Coef + y.Coef) * 5, Exp: x.Exp - 1}
	case at(1):
		return t.V[1]
	case at(0) && (col != 2 || !at(2)):
		return t.V[0]
	}
	return t.V[2]
}

// IOPath implements sdf.Handler.
func (a *annotator) IOPath(p *sdf.IOPath) bool {
	if a.skip {
		return a.done(false)
	}
	if p.Edge == sdf.ZEdge {
		a.b.bag.Add(diag.SDFZEdgeIgnored, p.Pos, "edge of %s involves z", p.In)
		return a.done(false)
	}
	if len(a.insts) == 0 {
		a.b.bag.Add(diag.SDFUnknownPin, p.Pos, "IOPATH in a CELL that is not a leaf instance")
		return a.done(false)
	}
	if !a.convert(p.Val) {
		return a.done(false)
	}
	ok := false
	for _, i := range a.insts {
		ok = a.iopath(i, p) || ok
	}
	return a.done(ok)
}

// iopath files the statement under each bit pair it names.
func (a *annotator) iopath(inst int32, p *sdf.IOPath) bool {
	b := a.b
	cm := b.modelOf(b.nl.Insts[inst].Cell)
	if cm.blackBox {
		return true // its outputs are sources
	}
	ins, outs := a.pins(cm, p.In, 0), a.pins(cm, p.Out, 1)
	if len(ins) == 0 || len(outs) == 0 {
		b.bag.Add(diag.SDFUnknownPin, p.Pos, "cell %s has no pin %s or no pin %s", cm.name, p.In, p.Out)
		return false
	}
	s := stmt{op: opIOPath, mode: p.Mode, edge: p.Edge, cond: condNone}
	switch p.Kind {
	case sdf.Condelse:
		s.cond = condElse
	case sdf.Cond:
		c := a.condition(cm, p)
		if c == condNone {
			return false
		}
		s.cond = c
	}
	s.set(a.vals, &b.arcs)
	filed := false
	for _, o := range outs {
		k := cm.byPin[o]
		if k == None {
			continue
		}
		filed = true
		t := b.targetOf(inst, o)
		if t == None {
			continue // a source, or an output that is not simulated
		}
		for _, in := range ins {
			if !slices.Contains(cm.outs[k].at, in) {
				if len(ins)*len(outs) > 1 {
					continue // a vector path names pairs that are no arcs
				}
				if !slices.Contains(cm.inputs, in) {
					b.bag.Add(diag.SDFUnknownPin, p.Pos, "cell %s: %s is not an input", cm.name, p.In)
					return false
				}
			}
			s.pin = in
			b.arcs.add(t, s)
		}
	}
	if !filed {
		b.bag.Add(diag.SDFUnknownPin, p.Pos, "cell %s: %s is not an output", cm.name, p.Out)
	}
	return filed
}

// pins returns the cell pins that a name of the SDF file means: one, or all bits of a bus. A single one is kept in a place of its own
// until the next call for that place.
func (a *annotator) pins(cm *cellModel, name []byte, place int) []int32 {
	lib, one := cm.cell.Lib, a.onePin[place][:]
	if one[0] = lib.PinIndex(string(name)); one[0] >= 0 {
		return one
	}
	for i := range lib.Buses {
		if lib.Buses[i].Name == string(name) {
			return lib.Buses[i].Pins
		}
	}
	comps, _, _ := sdf.SplitPath(name, 0, nil, nil)
	if len(comps) == 1 {
		if one[0] = lib.PinIndex(string(comps[0])); one[0] >= 0 {
			return one
		}
	}
	return nil
}

// condition interns a COND text by meaning; condNone when it must be dropped.
func (a *annotator) condition(cm *cellModel, p *sdf.IOPath) int32 {
	b := a.b
	a.scratch = append(a.scratch[:0], cm.name...)
	a.scratch = append(a.scratch, 0)
	a.scratch = append(a.scratch, p.Cond...)
	if c, ok := lookup(&b.arcs.condText, a.scratch); ok {
		if c == condNone {
			b.bag.Add(diag.SDFCondName, p.CondPos, "cell %s: COND %s", cm.name, p.Cond)
		}
		return c
	}
	key := string(a.scratch)
	e, err := logic.ParseVerilog(p.Cond)
	if err != nil {
		pos := p.CondPos
		if se, ok := errors.AsType[*logic.SyntaxError](err); ok && pos.Col > 0 {
			pos.Col += se.Offset
		}
		b.bag.Add(diag.SDFCondSyntax, pos, "COND %s: %v", p.Cond, err)
		return condNone
	}
	c, bad := b.arcs.addCond(cm, e)
	if bad != "" {
		b.bag.Add(diag.SDFCondName, p.CondPos, "cell %s: COND %s names %s", cm.name, p.Cond, bad)
	}
	b.arcs.condText.put(key, c)
	return c
}

// Device implements sdf.Handler.
func (a *annotator) Device(mode sdf.Mode, out []byte, val []sdf.Value, pos diag.Pos) bool {
	if a.skip || !a.convert(val) {
		return a.done(false)
	}
	s := stmt{op: opDevice, mode: mode, pin: None, cond: condNone}
	s.set(a.vals, &a.b.arcs)
	return a.eachOutput(out, pos, "DEVICE", s)
}

// PathPulse implements sdf.Handler.
func (a *annotator) PathPulse(percent bool, in, out []byte, lim []sdf.Triple, pos diag.Pos) bool {
	if a.skip || len(lim) == 0 {
		return a.done(false)
	}
	s := stmt{op: opPathPulse, pin: None, cond: condNone}
	if percent {
		s.op = opPathPulsePercent
	}
	var l limit
	for i := range lim[:min(2, len(lim))] {
		v, ok := a.limitValue(&lim[i], percent, pos)
		if !ok {
			return a.done(false)
		}
		if i == 0 {
			l.r = v
		}
		l.e = v
	}
	s.lim = a.b.arcs.addLimits(limitPair{l, l})
	if len(in) == 0 {
		return a.eachOutput(out, pos, "PATHPULSE", s)
	}
	ok := false
	for _, i := range a.insts {
		cm := a.b.modelOf(a.b.nl.Insts[i].Cell)
		if cm.blackBox {
			ok = true
			continue
		}
		ins, outs := a.pins(cm, in, 0), a.pins(cm, out, 1)
		if len(ins) == 0 || len(outs) == 0 {
			a.b.bag.Add(diag.SDFUnknownPin, pos, "cell %s has no pin %s or no pin %s", cm.name, in, out)
			continue
		}
		for _, o := range outs {
			for _, k := range ins {
				if t := a.b.targetOf(i, o); t != None {
					s.pin = k
					a.b.arcs.add(t, s)
				}
			}
		}
		ok = true
	}
	return a.done(ok)
}

// limitValue is a pulse limit in attoseconds, or a percentage in units of 10^-9.
func (a *annotator) limitValue(t *sdf.Triple, percent bool, pos diag.Pos) (int64, bool) {
	if !percent {
		v, has, ok := a.pick(t, pos)
		return v, has && ok
	}
	d, there := t.Pick(a.b.opt.Corner.column())
	if !there {
		if t.Has == 0 {
			return 0, false
		}
		d = fallback(t, a.b.opt.Corner.column())
	}
	v, _, ok := d.Scale(percentExp)
	if !ok || v < 0 {
		a.b.bag.Add(diag.SDFTooLarge, pos, "the percentage %de%d is out of range", d.Coef, d.Exp)
		return 0, false
	}
	return v, true
}

// eachOutput files s under the named output, or all of them.
func (a *annotator) eachOutput(out []byte, pos diag.Pos, what string, s stmt) bool {
	b := a.b
	if a.prim >= 0 {
		if g := b.primTarget(a.prim); g != None {
			b.arcs.add(g, s)
		}
		return a.done(true)
	}
	ok := false
	for _, i := range a.insts {
		cm := b.modelOf(b.nl.Insts[i].Cell)
		if cm.blackBox {
			ok = true
			continue
		}
		var pins []int32
		if len(out) > 0 {
			pins = a.pins(cm, out, 1)
		} else {
			for _, o := range cm.outs {
				pins = append(pins, o.pin)
			}
		}
		if len(pins) == 0 {
			b.bag.Add(diag.SDFUnknownPin, pos, "cell %s has no pin %s", cm.name, out)
			continue
		}
		for _, o := range pins {
			if cm.byPin[o] == None {
				b.bag.Add(diag.SDFUnknownPin, pos, "cell %s: %s is not an output", cm.name, cm.cell.Lib.Pins[o].Name)
				continue
			}
			ok = true
			if t := b.targetOf(i, o); t != None {
				b.arcs.add(t, s)
			}
		}
	}
	if len(a.insts) == 0 {
		b.bag.Add(diag.SDFUnknownPin, pos, "%s in a CELL that is not a leaf instance", what)
	}
	return a.done(ok)
}

// end is one end of a wire.
type end struct {
	inst  int32 // leaf instance, else None
	pin   int32
	scope int32 // hierarchical or top port: its scope
	net   int32
}

// locate finds an end of a wire or a net, relative to the CELL being read.
func (a *annotator) locate(path []byte) (end, bool) {
	nl := a.b.nl
	var idx sdf.Index
	a.comps, a.buf, idx = sdf.SplitPath(path, a.head.Divider, a.comps, a.buf)
	if len(a.comps) == 0 {
		return end{}, false
	}
	last := a.comps[len(a.comps)-1]
	scope, inst := a.scope, None
	if len(a.comps) == 1 && len(a.insts) == 1 {
		inst = a.insts[0]
	} else if a.prim >= 0 {
		return end{}, false // the terminals of a primitive have no names
	} else if len(a.comps) > 1 {
		var p int32
		scope, inst, p = a.findFrom(a.scope, a.comps[:len(a.comps)-1])
		if p >= 0 || scope < 0 && inst < 0 {
			return end{}, false
		}
	}
	if inst >= 0 {
		in := &nl.Insts[inst]
		k := nl.PinIndex(inst, last)
		if k < 0 {
			return end{}, false
		}
		return end{inst: inst, pin: k, scope: None, net: nl.PinNet[in.Pin0+k]}, true
	}
	n := nl.FindNet(scope, last, netlist.NoBit)
	if n < 0 && idx.Len > 0 {
		n = nl.FindNet(scope, last[:len(last)-idx.Len], idx.N)
	}
	if n < 0 && idx.Len == 0 { // writers escape the brackets of bits too
		if base, i, ok := cutIndex(last); ok {
			n = nl.FindNet(scope, base, i)
		}
	}
	if n < 0 {
		return end{}, false
	}
	return end{inst: None, scope: scope, net: n}, true
}

// cutIndex splits "a[3]".
func cutIndex(name []byte) (base []byte, i int32, ok bool) {
	at := bytes.LastIndexByte(name, '[')
	if at < 1 || name[len(name)-1] != ']' {
		return nil, 0, false
	}
	n, err := strconv.ParseInt(string(name[at+1:len(name)-1]), 10, 32)
	return name[:at], int32(n), err == nil
}

// Interconnect implements sdf.Handler.
func (a *annotator) Interconnect(mode sdf.Mode, src, dst []byte, val []sdf.Value, pos diag.Pos) bool {
	if a.calls++; a.calls&1023 == 0 && a.ctx.Err() != nil {
		return false
	}
	if a.skip || !a.convert(val) {
		return a.done(false)
	}
	return a.done(a.each(func() bool {
		to, ok := a.locate(dst)
		if !ok {
			a.b.keep.odd()
			a.b.bag.Add(diag.SDFUnknownInstance, pos, "INTERCONNECT %s %s: no %s", src, dst, dst)
			return false
		}
		if len(src) == 0 || !bytes.Equal(src, a.src) || len(a.insts)+len(a.scopes) > 1 {
			if a.srcEnd, ok = a.locate(src); !ok {
				a.src = a.src[:0]
				a.b.keep.odd()
				a.b.bag.Add(diag.SDFUnknownInstance, pos, "INTERCONNECT %s %s: no %s", src, dst, src)
				return false
			}
			a.src = append(a.src[:0], src...)
		}
		if a.srcEnd.net != to.net || to.net < 0 {
			a.b.keep.foreign(a.b.nl, &a.srcEnd, &to)
		}
		return a.b.wire(mode, &a.srcEnd, &to, a.vals, pos)
	}))
}

// Port implements sdf.Handler.
func (a *annotator) Port(mode sdf.Mode, dst []byte, val []sdf.Value, pos diag.Pos) bool {
	if a.skip || !a.convert(val) {
		return a.done(false)
	}
	return a.done(a.each(func() bool {
		to, ok := a.locate(dst)
		if !ok {
			a.b.keep.odd()
			a.b.bag.Add(diag.SDFUnknownInstance, pos, "PORT %s: no such port", dst)
			return false
		}
		return a.b.wire(mode, nil, &to, a.vals, pos)
	}))
}

// NetDelay implements sdf.Handler.
func (a *annotator) NetDelay(mode sdf.Mode, net []byte, val []sdf.Value, pos diag.Pos) bool {
	if a.skip || !a.convert(val) {
		return a.done(false)
	}
	return a.done(a.each(func() bool {
		n, ok := a.locate(net)
		if !ok || n.net < 0 {
			a.b.keep.odd()
			a.b.bag.Add(diag.SDFUnknownNet, pos, "NETDELAY %s: no such net or driving pin", net)
			return false
		}
		return a.b.netDelay(mode, n.net, a.vals, pos)
	}))
}

func pinName(c *liberty.Cell, k int32) string { return c.Pins[k].Name }

func (b *builder) instName(i int32) string {
	in := &b.nl.Insts[i]
	s := ""
	for _, c := range b.order.path(in.Scope) {
		s += b.nl.Names.String(c) + "/"
	}
	return fmt.Sprint(s, b.nl.Names.String(in.Name))
}
