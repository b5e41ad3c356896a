package design

import (
	"slices"

	"github.com/wattd/wattd/internal/diag"
	"github.com/wattd/wattd/internal/format/verilog"
	"github.com/wattd/wattd/internal/netlist"
)

// eachDriver yields the pins of an instance that drive nets.
func (b *builder) eachDriver(inst int32, f func(pin, net int32)) {
	in := &b.nl.Insts[inst]
	cm := b.modelOf(in.Cell)
	for k := range b.nl.Cells[in.Cell].NPin() {
		n := b.nl.PinNet[in.Pin0+int32(k)]
		switch {
		case n <= netlist.Const1:
		case cm.blackBox && b.nl.Cells[in.Cell].Dirs[k] != verilog.Input, !cm.blackBox && cm.byPin[k] != None:
			f(int32(k), n)
		}
	}
}

// structure follows the edit of the netlist: who drives what, and which nets are sources.
func (x *patcher) structure() error {
	if x.patch.Netlist == nil {
		return nil
	}
	old, nl, k := x.old.Netlist, x.nl, x.k
	for h := range x.old.helpers {
		if n := x.old.helpers[h]; int(n) < len(nl.Nets) && !nl.IsHole(n) {
			return &Refusal{"the number of a helper net was taken"}
		}
	}
	grown(x, &k.netInst, len(nl.Nets), noDriver)
	grown(x, &k.loads, len(nl.Nets), 0)
	grown(x, &k.instPart, len(nl.Insts), None)
	grown(x, &k.sinkPart, len(nl.PinNet), None)
	d := x.b.d
	grown(x, &d.NetClass, len(nl.Nets), ClassUndriven)
	grown(x, &d.NetGate, len(d.NetClass), None)
	own(x, &k.cellUse, 0)
	grown(x, &k.cellUse, len(nl.Cells), 0)

	ob := &builder{nl: old, models: x.b.models} // cells keep their numbers
	affected := map[int32]bool{}
	x.touched = x.patch.Touched.Insts
	for _, i := range x.touched {
		x.isTouch[i] = true
	}
	for _, i := range x.touched {
		if int(i) < len(old.Insts) {
			if err := x.remove(ob, i, affected); err != nil {
				return err
			}
		}
	}
	for _, i := range x.touched {
		if err := x.add(i, affected); err != nil {
			return err
		}
	}
	nets := make([]int32, 0, len(affected))
	for n := range affected {
		nets = append(nets, n)
	}
	slices.Sort(nets)
	for _, n := range nets {
		if err := x.classify(ob, n); err != nil {
			return err
		}
	}
	return nil
}

// plain says whether Patch can follow an edit of an instance.
func (x *patcher) plain(b *builder, i int32) error {
	in := &b.nl.Insts[i]
	cm := b.modelOf(in.Cell)
	if cm.blackBox {
		for _, dir := range b.nl.Cells[in.Cell].Dirs {
			if dir != verilog.Input && dir != verilog.Output {
				return &Refusal{"a black box whose directions are not known"}
			}
		}
	}
	for o := range cm.outs {
		if cm.outs[o].kind == outTristate && b.nl.PinNet[in.Pin0+cm.outs[o].pin] > netlist.Const1 {
			return &Refusal{"a three-state driver"}
		}
	}
	return nil
}

// remove takes an instance out as it was.
func (x *patcher) remove(ob *builder, i int32, affected map[int32]bool) error {
	in := &ob.nl.Insts[i]
	if ob.nl.IsHoleInst(i) {
		return nil
	}
	if err := x.plain(ob, i); err != nil {
		return err
	}
	k := x.k
	k.cellUse[in.Cell]--
	var err error
	ob.eachDriver(i, func(_, n int32) {
		affected[n], x.rewired[n] = true, true
		switch k.netInst[n] {
		case severalDrivers:
			err = &Refusal{"a net with several drivers"}
		case i:
			own(x, &k.netInst, 0)[n] = noDriver
		}
	})
	ob.eachLoad(i, func(n int32) {
		affected[n] = true
		own(x, &k.loads, 0)[n]--
	})
	x.noteClocks(ob.modelOf(in.Cell))
	return err
}

// add puts an instance in as it is.
func (x *patcher) add(i int32, affected map[int32]bool) error {
	b, k := x.b, x.k
	in := &b.nl.Insts[i]
	if b.nl.IsHoleInst(i) {
		return nil
	}
	if err := x.plain(b, i); err != nil {
		return err
	}
	k.cellUse[in.Cell]++
	var err error
	b.eachDriver(i, func(_, n int32) {
		affected[n], x.rewired[n] = true, true
		if k.netInst[n] != noDriver {
			err = &Refusal{"a net with several drivers"}
		}
		own(x, &k.netInst, 0)[n] = i
	})
	b.eachLoad(i, func(n int32) {
		affected[n] = true
		own(x, &k.loads, 0)[n]++
	})
	x.noteClocks(b.modelOf(in.Cell))
	return err
}

func (x *patcher) noteClocks(cm *cellModel) {
	x.clocks = x.clocks || len(cm.clockPins) > 0 || slices.ContainsFunc(cm.outs, func(o output) bool { return o.kind == outSource && o.class == ClassRegister })
}

// classify gives a net whose pins changed its class, and makes the gate of a driver that was touched.
func (x *patcher) classify(ob *builder, n int32) error {
	b, old, d := x.b, x.old, x.b.d
	was := ClassUndriven
	oldLoads := int32(0)
	if int(n) < len(old.Netlist.Nets) {
		was, oldLoads = old.NetClass[n], old.kept.loads[n]
	}
	flags := x.nl.Nets[n].Flags
	ds := b.netDrivers(n)
	if len(ds) > 1 {
		if x.rewired[n] {
			return &Refusal{"a net with several drivers"}
		}
		return nil // only loads changed
	}
	if len(ds) == 1 && !x.isTouch[ds[0].inst] {
		if x.k.loads[n] == 0 != (oldLoads == 0) {
			x.lostLoad = true
		}
		return nil
	}
	if x.k.undirected[n] {
		return &Refusal{"a black box whose directions are not known"}
	}
	if was == ClassLoop || was == ClassMulti || was == ClassTristate {
		return &Refusal{"a net that is " + was.String()}
	}
	if flags&netlist.NetSupply != 0 {
		return &Refusal{"a supply net"}
	}
	hides := netlist.NetTri0 | netlist.NetHidden
	if was == ClassUndriven && oldLoads > 0 && int(n) < len(old.Netlist.Nets) && old.Netlist.Nets[n].Flags&hides == 0 {
		x.unsay(diag.DesignUndriven, n)
	}
	if was == ClassBlackBox {
		x.unsay(diag.DesignBlackBox, n)
		d.Report.BlackBoxes = addCount(d.Report.BlackBoxes, ob.modelOf(ob.nl.Insts[old.kept.netInst[n]].Cell).name, -1)
	}
	if (x.k.loads[n] == 0) != (oldLoads == 0) {
		x.lostLoad = true
	}
	class := ClassComputed
	switch isInput, isInout := flags&netlist.NetInput != 0, flags&netlist.NetInout != 0; {
	case len(ds) == 1 && (isInput || isInout):
		return &Refusal{"a port that is driven inside"}
	case len(ds) == 1:
		class = b.driven(n, ds, false)
	case isInput || isInout:
		class = ClassInput
	case flags&netlist.NetTri1 != 0:
		class = ClassConst1
	default:
		class = ClassUndriven
		if x.k.loads[n] > 0 && flags&hides == 0 {
			b.say(diag.DesignUndriven, n, None, "net %s is read but not driven", x.nl.NetName(n))
		}
	}
	if class != was || int(n) >= len(old.Netlist.Nets) {
		own(x, &d.NetClass, 0)[n] = class
		x.classed[n] = class
	}
	return nil
}

// unsay takes back a message about a net.
func (x *patcher) unsay(code diag.Code, n int32) {
	x.k.noteCount[code]--
	x.k.notes = slices.DeleteFunc(slices.Clone(x.k.notes), func(m note) bool { return m.code == code && m.net == n })
}
