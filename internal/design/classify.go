package design

import (
	"fmt"
	"slices"

	"github.com/wattd/wattd/internal/diag"
	"github.com/wattd/wattd/internal/format/verilog"
	"github.com/wattd/wattd/internal/logic"
	"github.com/wattd/wattd/internal/netlist"
)

// tristate is a net of three-state drivers while it is built.
type tristate struct {
	net     int32
	drivers []driver
	z, b    int32
	fns     [3]int32 // value, Z, B
	f       function // value, for conditions
}

// classify decides for every net whether it is a source, a constant or computed, and makes the gates.
func (b *builder) classify() {
	nl := b.nl
	b.d.NetClass = make([]Class, len(nl.Nets))
	if p := b.opt.Prev; p != nil { // numbers of helpers of the earlier version are kept, used or not
		for len(b.d.NetClass) < int(p.Program.NNet) {
			b.d.NetClass = append(b.d.NetClass, ClassUndriven)
		}
	}
	isInput := make([]bool, len(nl.Nets))
	isInout := make([]bool, len(nl.Nets))
	for _, p := range nl.Ports {
		if p.Net >= 0 {
			isInput[p.Net] = isInput[p.Net] || p.Dir == verilog.Input
			isInout[p.Net] = isInout[p.Net] || p.Dir == verilog.Inout
		}
	}
	b.primAt = make([]int32, len(nl.Prims))
	for i := range b.primAt {
		b.primAt[i] = None
	}
	b.d.NetClass[netlist.Const0] = ClassConst0
	b.d.NetClass[netlist.Const1] = ClassConst1
	for n := int32(2); int(n) < len(nl.Nets); n++ {
		net := &nl.Nets[n]
		ds := b.netDrivers(n)
		c := ClassComputed
		switch {
		case net.Flags&netlist.NetSupply != 0:
			c = ClassSupply
			if slices.ContainsFunc(ds, func(x driver) bool { return x.inst < 0 && nl.Prims[^x.inst].Op == netlist.PrimConst1 }) {
				c = ClassConst1 // supply1 as an input of gates
			}
		case isInput[n] && len(ds) == 0:
			c = ClassInput
		case isInput[n]:
			c = ClassMulti
			b.say(diag.DesignMultiDriven, n, None, "net %s is an input port and driven inside", nl.NetName(n))
		case len(ds) == 0 && isInout[n]:
			c = ClassInput
		case len(ds) == 0:
			c = ClassUndriven
			if net.Flags&netlist.NetTri1 != 0 {
				c = ClassConst1
			}
			if b.loads[n] && c == ClassUndriven && net.Flags&(netlist.NetTri0|netlist.NetHidden) == 0 {
				b.say(diag.DesignUndriven, n, None, "net %s is read but not driven", nl.NetName(n))
			}
		default:
			c = b.driven(n, ds, isInout[n])
		}
		b.d.NetClass[n] = c
	}
}

// driven classifies a net with drivers inside and makes its gate.
func (b *builder) driven(n int32, ds []driver, inout bool) Class {
	if len(ds) > 1 {
		ds = b.merge(n, ds)
	}
	tri := 0
	for _, x := range ds {
		if b.isTristate(x) {
			tri++
		}
	}
	switch {
	case tri == len(ds):
		b.d.Floating = append(b.d.Floating, n)
		if b.opt.Named != nil && b.opt.Named(n) {
			return ClassTristate
		}
		return b.tristateGate(n, ds)
	case len(ds) > 1 || inout:
		if !inout {
			b.say(diag.DesignMultiDriven, n, None, "net %s has %d drivers", b.nl.NetName(n), len(ds))
		}
		return ClassMulti
	}
	x := ds[0]
	if x.inst < 0 {
		return b.primGate(x)
	}
	o := b.output(x)
	if o == nil {
		b.blackBox(x)
		return ClassBlackBox
	}
	if o.kind == outSource {
		if o.class == ClassBlackBox {
			b.blackBox(x)
		}
		return o.class
	}
	if len(o.at) == 0 && len(o.fn.bits) == 0 { // tie cell
		if o.expr.Eval(func(string) bool { return false }) {
			return ClassConst1
		}
		return ClassConst0
	}
	if o.fnID == None {
		fn, err := b.fns.add(&o.fn)
		if err != nil {
			b.tooWide(n, err)
			return ClassBlackBox
		}
		o.fnID = fn
	}
	b.addGate(buildGate{out: n, inst: x.inst, pin: x.pin, kind: gateCell, fn: o.fnID, tri: None})
	b.addCellPins(x.inst, o.at)
	return ClassComputed
}

func (b *builder) tooWide(n int32, err error) {
	b.bag.Add(diag.DesignTooWide, b.pos(b.nl.Nets[n].Pos), "net %s: %v", b.nl.NetName(n), err)
}

func (b *builder) blackBox(x driver) {
	in := &b.nl.Insts[x.inst]
	b.say(diag.DesignBlackBox, x.net, x.inst, "instance %s of %s drives net %s but has no model; its outputs are sources",
		b.nl.Names.String(in.Name), b.modelOf(in.Cell).name, b.nl.NetName(x.net))
	b.d.Report.BlackBoxes = addCount(b.d.Report.BlackBoxes, b.modelOf(in.Cell).name, 1)
}

func addCount(c []Count, name string, n int64) []Count {
	i, ok := slices.BinarySearchFunc(c, name, func(x Count, s string) int {
		if x.Name < s {
			return -1
		} else if x.Name > s {
			return 1
		}
		return 0
	})
	if ok {
		if c[i].N += n; c[i].N == 0 {
			return slices.Delete(c, i, i+1)
		}
		return c
	}
	return slices.Insert(c, i, Count{name, n})
}

// addGate appends a gate without pins; addPin gives it one.
func (b *builder) addGate(g buildGate) int32 {
	g.pin0 = int32(len(b.pinNet))
	b.cur = b.slotOf(g.out)
	b.gates[b.cur] = g
	return b.cur
}

// addPin adds a pin to the last gate. An open pin reads 0.
func (b *builder) addPin(net, sink int32) {
	if net < 0 {
		net = netlist.Const0
		b.gates[b.cur].open++
	}
	b.pinNet = append(b.pinNet, net)
	b.pinSink = append(b.pinSink, sink)
	b.gates[b.cur].npin++
}

func (b *builder) addCellPins(inst int32, at []int32) {
	p0 := b.nl.Insts[inst].Pin0
	for _, k := range at {
		b.addPin(b.nl.PinNet[p0+k], p0+k)
	}
}

func (b *builder) addPrimPins(prim int32, from, to int32) {
	in0 := b.nl.Prims[prim].In0
	for k := in0 + from; k < in0+to; k++ {
		b.addPin(b.nl.PrimIn[k], int32(len(b.nl.PinNet))+k)
	}
}

func (b *builder) isTristate(x driver) bool {
	if x.inst < 0 {
		op := b.nl.Prims[^x.inst].Op
		return op >= netlist.PrimBufif0 && op <= netlist.PrimNotif1
	}
	o := b.output(x)
	return o != nil && o.kind == outTristate
}

// merge keeps one driver of each group that computes the same function of the same nets, the first in name order.
func (b *builder) merge(n int32, ds []driver) []driver {
	keys := make([]string, len(ds))
	kept := ds[:0:0]
	var keptKey []string
	for i, x := range ds {
		keys[i] = b.functionKey(x)
		if k := slices.Index(keptKey, keys[i]); keys[i] != "" && k >= 0 {
			b.merged = append(b.merged, mergedDriver{kept[k], x})
			b.d.Report.MergedDrivers++
			b.say(diag.DesignMerged, n, None, "net %s: driver %s is one with the first driver", b.nl.NetName(n), b.driverName(x))
			continue
		}
		kept = append(kept, x)
		keptKey = append(keptKey, keys[i])
	}
	return kept
}

func (b *builder) driverName(x driver) string {
	scope, name := b.order.of(x.inst)
	s := ""
	for _, c := range b.order.path(scope) {
		s += b.nl.Names.String(c) + "/"
	}
	if name == 0 {
		return s + "(primitive)"
	}
	return s + b.nl.Names.String(name)
}

// functionKey identifies function and input nets of a driver: "" when it has state or is no function.
func (b *builder) functionKey(x driver) string {
	var e, en *logic.Expr
	net := map[string]int32{}
	if x.inst < 0 {
		p := &b.nl.Prims[^x.inst]
		var ins []string
		for i, in := range b.nl.PrimIn[p.In0 : p.In0+p.NIn] {
			v := fmt.Sprint("i", i)
			ins = append(ins, v)
			net[v] = in
		}
		e, en = primExpr(p.Op, ins)
	} else {
		o := b.output(x)
		if o == nil || o.kind == outSource || len(o.fn.bits) > 0 {
			return ""
		}
		e, en = o.expr, o.en
		in := &b.nl.Insts[x.inst]
		for i, k := range o.at {
			net[o.fn.pins[i]] = b.nl.PinNet[in.Pin0+k]
		}
	}
	var nets []int32
	for _, v := range net {
		if v > netlist.Const1 && !slices.Contains(nets, v) {
			nets = append(nets, v)
		}
	}
	slices.Sort(nets)
	if len(nets) > 12 {
		return fmt.Sprint(x.inst, ":wide")
	}
	index := func(name string) int { return slices.Index(nets, net[name]) }
	open := func(e *logic.Expr) *logic.Expr { // open pins and constants
		return rename(e, func(name string) *logic.Expr {
			switch net[name] {
			case None, netlist.Const0:
				return exprConst(false)
			case netlist.Const1:
				return exprConst(true)
			}
			return nil
		})
	}
	key := fmt.Sprint(nets)
	for _, f := range []*logic.Expr{e, en} {
		if f != nil {
			w, err := logic.Tabulate(open(f), len(nets), index)
			if err != nil {
				return ""
			}
			key += fmt.Sprint("|", w)
		}
	}
	return key
}

// tristateGate makes the state gate of a three-state net with its two helpers.
func (b *builder) tristateGate(n int32, ds []driver) Class {
	t := &tristate{net: n, drivers: ds}
	held := "\x00held"
	var on, one, zero []*logic.Expr // driving, driving 1, driving 0
	for i, x := range ds {
		e, en, names := b.tristateDriver(x)
		own := func(v string) *logic.Expr { return exprVar(triVar(i, v)) }
		e, en = rename(e, own), rename(en, own)
		for _, v := range names {
			t.f.pins = append(t.f.pins, triVar(i, v))
		}
		on = append(on, en)
		one = append(one, exprAnd(en, e))
		zero = append(zero, exprAnd(en, exprNot(e)))
	}
	q := exprVar(held)
	fight := exprAnd(exprOr(one...), exprOr(zero...))
	t.f.bits = []string{held}
	t.f.out = q
	floats := q
	zf := function{pins: t.f.pins, out: exprNot(exprOr(on...))}
	if pull := b.nl.Nets[n].Flags & (netlist.NetTri0 | netlist.NetTri1); pull != 0 { // a net that is pulled does not float
		floats = exprConst(pull == netlist.NetTri1)
		zf.out = exprConst(false)
	}
	t.f.next = []*logic.Expr{exprIf(fight, q, exprIf(exprOr(on...), exprOr(one...), floats))}
	bf := function{pins: t.f.pins, out: fight}
	for i, f := range []*function{&t.f, &zf, &bf} {
		fn, err := b.fns.add(f)
		if err != nil {
			b.tooWide(n, err)
			return ClassBlackBox
		}
		t.fns[i] = fn
	}
	t.z, t.b = b.hiddenNet(n, 0), b.hiddenNet(n, 1)
	b.tris = append(b.tris, t)
	for i, out := range []int32{n, t.z, t.b} {
		g := buildGate{out: out, inst: ds[0].inst, pin: ds[0].pin, kind: gateTri, fn: t.fns[i], tri: int32(len(b.tris) - 1)}
		if i > 0 {
			g.kind = gateHelper
		}
		b.addGate(g)
		for _, x := range ds {
			if x.inst < 0 {
				b.addPrimPins(^x.inst, 0, b.nl.Prims[^x.inst].NIn)
			} else {
				b.addCellPins(x.inst, b.output(x).at)
			}
		}
	}
	return ClassComputed
}

func triVar(i int, pin string) string { return fmt.Sprintf("%d:%s", i, pin) }

// tristateDriver returns data, enable and the pin names, in pin order, of one driver.
func (b *builder) tristateDriver(x driver) (e, en *logic.Expr, pins []string) {
	if x.inst < 0 {
		pins = []string{"i0", "i1"}
		e, en = primExpr(b.nl.Prims[^x.inst].Op, pins)
		return e, en, pins
	}
	o := b.output(x)
	return o.expr, o.en, o.fn.pins
}

// primExpr is the function of a primitive and, for three-state ones, its enable.
func primExpr(op netlist.PrimOp, in []string) (e, en *logic.Expr) {
	vs := make([]*logic.Expr, len(in))
	for i, n := range in {
		vs[i] = exprVar(n)
	}
	fold := func(op logic.Op) *logic.Expr {
		if len(vs) == 1 {
			return vs[0]
		}
		return &logic.Expr{Op: op, Kids: vs}
	}
	switch op {
	case netlist.PrimAnd:
		return fold(logic.And), nil
	case netlist.PrimNand:
		return exprNot(fold(logic.And)), nil
	case netlist.PrimOr:
		return fold(logic.Or), nil
	case netlist.PrimNor:
		return exprNot(fold(logic.Or)), nil
	case netlist.PrimXor:
		return fold(logic.Xor), nil
	case netlist.PrimXnor:
		return exprNot(fold(logic.Xor)), nil
	case netlist.PrimNot:
		return exprNot(vs[0]), nil
	case netlist.PrimMux:
		return exprIf(vs[0], vs[1], vs[2]), nil
	case netlist.PrimBufif0:
		return vs[0], exprNot(vs[1])
	case netlist.PrimBufif1:
		return vs[0], vs[1]
	case netlist.PrimNotif0:
		return exprNot(vs[0]), exprNot(vs[1])
	case netlist.PrimNotif1:
		return exprNot(vs[0]), vs[1]
	case netlist.PrimConst0:
		return exprConst(false), nil
	case netlist.PrimConst1:
		return exprConst(true), nil
	}
	return vs[0], nil
}

// primGate makes the gate of a primitive, wide ones as a tree of inner gates without delay: a tree of gates that take no
// time changes at the same ticks as one gate.
func (b *builder) primGate(x driver) Class {
	p := &b.nl.Prims[^x.inst]
	switch p.Op {
	case netlist.PrimConst0:
		return ClassConst0
	case netlist.PrimConst1:
		return ClassConst1
	}
	if p.NIn <= primWidth {
		fn, err := b.primFn(p.Op, int(p.NIn))
		if err != nil {
			b.tooWide(x.net, err)
			return ClassBlackBox
		}
		b.primAt[^x.inst] = b.addGate(buildGate{out: x.net, inst: x.inst, kind: gatePrim, fn: fn, tri: None})
		b.addPrimPins(^x.inst, 0, p.NIn)
		return ClassComputed
	}
	var layer []int32
	inner := map[netlist.PrimOp]netlist.PrimOp{netlist.PrimNand: netlist.PrimAnd, netlist.PrimNor: netlist.PrimOr, netlist.PrimXnor: netlist.PrimXor}
	op, ok := inner[p.Op]
	if !ok {
		op = p.Op
	}
	node := int32(0) // number of the next inner node
	for at := int32(0); at < p.NIn; at += primWidth {
		to := min(at+primWidth, p.NIn)
		fn, _ := b.primFn(op, int(to-at))
		n := b.hiddenNet(x.net, node)
		node++
		b.addGate(buildGate{out: n, inst: x.inst, kind: gateHelper, fn: fn, tri: None})
		b.addPrimPins(^x.inst, at, to)
		layer = append(layer, n)
	}
	for len(layer) > 1 {
		var up []int32
		for g := range slices.Chunk(layer, primWidth) {
			kind, o, n := gateHelper, op, int32(0)
			if len(layer) <= primWidth {
				kind, o, n = gatePrim, p.Op, x.net
			} else {
				n = b.hiddenNet(x.net, node)
				node++
			}
			fn, _ := b.primFn(o, len(g))
			id := b.addGate(buildGate{out: n, inst: x.inst, kind: kind, fn: fn, tri: None})
			if kind == gatePrim {
				b.primAt[^x.inst] = id
			}
			for _, in := range g {
				b.addPin(in, None)
			}
			up = append(up, n)
		}
		layer = up
	}
	return ClassComputed
}

// primWidth is the number of inputs of one node of a wide primitive.
const primWidth = 6

func (b *builder) primFn(op netlist.PrimOp, n int) (int32, error) {
	f := function{}
	for i := range n {
		f.pins = append(f.pins, fmt.Sprint("i", i))
	}
	f.out, _ = primExpr(op, f.pins)
	return b.fns.add(&f)
}
