package design

import (
	"maps"
	"slices"

	"github.com/wattd/wattd/internal/diag"
	"github.com/wattd/wattd/internal/format/sdf"
	"github.com/wattd/wattd/internal/netlist"
)

// mentioned lists what parts mentioned by the old index.
func (x *patcher) mentioned(parts map[int32]bool) {
	ok := x.old.kept
	flag := make([]bool, len(ok.parts))
	for id := range parts {
		if int(id) < len(flag) {
			flag[id] = true
		}
	}
	scan := func(of []int32, lists, to map[int32][]int32) {
		for t, id := range of {
			if id >= 0 && flag[id] {
				to[int32(t)] = []int32{id}
			}
		}
		for t, ids := range lists {
			for _, id := range ids {
				if flag[id] {
					to[t] = addPart(to[t], id)
				}
			}
		}
	}
	scan(ok.instPart, ok.instParts, x.was.inst)
	scan(ok.sinkPart, ok.sinkParts, x.was.sink)
	for n, ids := range ok.netParts {
		for _, id := range ids {
			if flag[id] {
				x.was.net[n] = addPart(x.was.net[n], id)
			}
		}
	}
}

// gather finds the instances and wires to make again, and the parts of the SDF files that say all of them.
func (x *patcher) gather() error {
	k := x.k
	if err := x.oddParts(); err != nil {
		return err
	}
	again := len(x.sub.wanted) > 0
	if x.rewiredSinks() || again {
		x.findSinks()
		clear(x.sub.wanted)
		if again { // statements about whole nets: what they mention is known now
			x.now = newMentions()
			x.b.keep.collect = x.now
			if err := x.again(); err != nil {
				return err
			}
			if len(x.sub.wanted) > 0 {
				return &Refusal{"a wire of a net that cannot be found"}
			}
		}
	}
	for id := range x.gone {
		if err := x.old.kept.parts[id].patchable(); err != nil {
			return err
		}
	}
	for id := range x.newPart {
		if err := k.parts[id].patchable(); err != nil {
			return err
		}
	}
	if len(x.gone) > 0 {
		x.mentioned(x.gone)
	}
	for _, sinks := range []map[int32][]int32{x.was.sink, x.now.sink} {
		for s := range sinks {
			if n := x.sinkNet(s); n >= 0 && int(n) < len(k.netInst) && k.netInst[n] == severalDrivers {
				return &Refusal{"the changed text of an SDF file has wires of a net with several drivers"}
			}
		}
	}
	x.index()
	insts, sinks := x.targets()
	need := func(ids []int32) {
		for _, id := range ids {
			x.read[id] = true
		}
	}
	ok := x.old.kept
	for i := range insts {
		need(list(k.instPart, k.instParts, i))
	}
	for s := range sinks {
		need(list(k.sinkPart, k.sinkParts, s))
		if n := x.nl.PinNet[s]; n >= 0 {
			need(k.netParts[n])
		}
	}
	for _, i := range x.touched {
		if int(i) < len(ok.instPart) {
			need(list(ok.instPart, ok.instParts, i))
			in := &x.old.Netlist.Insts[i]
			for p := range int32(x.old.Netlist.Cells[in.Cell].NPin()) {
				need(list(ok.sinkPart, ok.sinkParts, in.Pin0+p))
			}
		}
	}
	for n := range x.rewired {
		need(k.netParts[n])
	}
	for id := range x.read { // the old text of what was cut anew is gone
		if x.gone[id] && !x.newPart[id] {
			delete(x.read, id)
		}
	}
	if len(insts)+len(sinks)+len(x.read) > 0 {
		for f := range k.files {
			for _, id := range k.files[f].order {
				if k.parts[id].wild {
					x.read[id] = true
				}
			}
		}
	}
	for n, ids := range k.netParts { // the statements about whole nets need to know these
		if _, known := x.sub.sinks[n]; !known && slices.ContainsFunc(ids, func(id int32) bool { return x.read[id] }) {
			x.sub.wanted[n] = true
		}
	}
	if len(x.sub.wanted) > 0 {
		x.findSinks()
		clear(x.sub.wanted)
	}
	return x.prepare(insts, sinks)
}

// sinkNet is the net of a sink that is a pin of an instance, None for others.
func (x *patcher) sinkNet(s int32) int32 {
	if s < 0 || int(s) >= len(x.nl.PinNet) {
		return None
	}
	return x.nl.PinNet[s]
}

// patchable says whether what a part says can be taken back, or said anew, without reading all that came behind it.
func (p *part) patchable() error {
	switch {
	case p.prim:
		return &Refusal{"a primitive with delays in an SDF file"}
	case p.wild:
		return &Refusal{"an entry for all instances of a cell in the changed text of an SDF file"}
	}
	return nil
}

func list(of []int32, lists map[int32][]int32, t int32) []int32 {
	switch id := of[t]; id {
	case None:
		return nil
	case severalParts:
		return lists[t]
	default:
		return []int32{id}
	}
}

// oddParts takes the parts whose statements may find another place after an edit of the netlist as if their text had changed.
func (x *patcher) oddParts() error {
	if len(x.touched) == 0 {
		return nil
	}
	bytes := int64(0)
	for f := range x.k.files {
		for at, id := range x.k.files[f].order {
			if p := &x.k.parts[id]; p.odd && !x.newPart[id] {
				bytes += x.endOf(f, at) - p.from.Offset
				if bytes > maxParsed/2 {
					return &Refusal{"many statements of an SDF file without a place in the netlist"}
				}
				x.gone[id], x.newPart[id], x.read[id] = true, true, true
				if err := x.collect(f, at); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// endOf is where a part ends.
func (x *patcher) endOf(file, at int) int64 {
	f := &x.k.files[file]
	if at+1 < len(f.order) {
		return x.k.parts[f.order[at+1]].from.Offset
	}
	return f.size
}

// textOf is the text of a part.
func (x *patcher) textOf(file, at int) ([]byte, error) {
	from, to := x.k.parts[x.k.files[file].order[at]].from.Offset, x.endOf(file, at)
	for i := range x.regions {
		if r := &x.regions[i]; r.file == file && r.offset <= from && to <= r.offset+int64(len(r.text)) {
			return r.text[from-r.offset : to-r.offset], nil
		}
	}
	if file >= len(x.patch.SDF) || x.patch.SDF[file].Read == nil {
		return nil, &Refusal{"the text of an SDF file is not at hand"}
	}
	if to-from > maxParsed {
		return nil, &Refusal{"a very long piece of an SDF file"}
	}
	b, err := x.patch.SDF[file].Read(x.ctx, from, int(to-from))
	if err == nil && int64(len(b)) != to-from {
		err = &Refusal{"an SDF file changed while it was read"}
	}
	return b, err
}

// collect reads a part for what it mentions.
func (x *patcher) collect(file, at int) error {
	bag := x.b.bag
	x.b.bag = &diag.Bag{}
	_, err := x.readPart(file, at)
	x.b.bag = bag
	return err
}

// again reads for mentions all that was read for them before.
func (x *patcher) again() error {
	for f := range x.k.files {
		for at, id := range x.k.files[f].order {
			if x.newPart[id] {
				if err := x.collect(f, at); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func (x *patcher) readPart(file, at int) (*annotator, error) {
	f := &x.k.files[file]
	id := f.order[at]
	x.b.keep.cur = id
	text, err := x.textOf(file, at)
	if err != nil {
		return nil, err
	}
	x.changed.BytesParsed += int64(len(text))
	a := x.annotator(file)
	from := x.k.parts[id].from
	x.resume(a, &from.Place)
	_, a.rep.Stats, err = sdf.ReadPart(x.ctx, text, f.name, from, &f.head, a, x.b.bag)
	return a, err
}

// rewiredSinks asks for the sinks of nets that another pin drives now.
func (x *patcher) rewiredSinks() bool {
	old := x.old.Netlist
	for n := range x.rewired {
		if int(n) < len(old.Nets) {
			if was, is := x.driverName(old, x.old.kept.netInst, n), x.driverName(x.nl, x.k.netInst, n); was == is {
				delete(x.rewired, n)
				continue
			}
		}
		x.sub.wanted[n] = true
	}
	return len(x.rewired) > 0
}

// driverName tells one driver of a net from another.
func (x *patcher) driverName(nl *netlist.Netlist, netInst []int32, n int32) (name struct {
	inst int32
	pin  string
},
) {
	name.inst = netInst[n]
	if name.inst >= 0 {
		in := &nl.Insts[name.inst]
		(&builder{nl: nl, models: x.b.models}).eachDriver(name.inst, func(k, net int32) {
			if net == n {
				name.pin = nl.PinName(in.Cell, k)
			}
		})
	}
	return name
}

// findSinks lists the sinks of the nets asked for. It reads the whole netlist.
func (x *patcher) findSinks() {
	s, nl := x.sub, x.nl
	ask := make([]bool, len(nl.Nets))
	for n := range s.wanted {
		s.sinks[n] = nil
		ask[n] = true
	}
	for i := range nl.Insts {
		in := &nl.Insts[i]
		for k, n := range nl.PinNet[in.Pin0 : in.Pin0+int32(nl.Cells[in.Cell].NPin())] {
			if n > netlist.Const1 && ask[n] && slices.Contains(x.b.modelOf(in.Cell).loads, int32(k)) {
				s.sinks[n] = append(s.sinks[n], in.Pin0+int32(k))
				s.inst[in.Pin0+int32(k)] = int32(i)
			}
		}
	}
	for i, n := range nl.PrimIn {
		if n > netlist.Const1 && ask[n] {
			s.sinks[n] = append(s.sinks[n], int32(len(nl.PinNet)+i))
		}
	}
}

// index moves the index of targets from the old texts to the new ones.
func (x *patcher) index() {
	k, ok := x.k, x.old.kept
	// A removed instance keeps no number.
	update := func(of *[]int32, lists *map[int32][]int32, olds []int32, oldLists, was, now map[int32][]int32) {
		ts := map[int32]bool{}
		for t := range was {
			ts[t] = true
		}
		for t := range now {
			ts[t] = true
		}
		cloned := false
		for t := range ts {
			var ids []int32
			if int(t) < len(olds) {
				for _, id := range list(olds, oldLists, t) {
					if !x.gone[id] {
						ids = append(ids, id)
					}
				}
			}
			for _, id := range now[t] {
				ids = addPart(ids, id)
			}
			v := None
			switch len(ids) {
			case 0:
			case 1:
				v = ids[0]
			default:
				v = severalParts
			}
			if v == severalParts || (*of)[t] == severalParts {
				if !cloned {
					*lists, cloned = maps.Clone(*lists), true
				}
				delete(*lists, t)
				if v == severalParts {
					(*lists)[t] = ids
				}
			}
			if (*of)[t] != v {
				own(x, of, 0)[t] = v
			}
		}
	}
	update(&k.instPart, &k.instParts, ok.instPart, ok.instParts, x.was.inst, x.now.inst)
	update(&k.sinkPart, &k.sinkParts, ok.sinkPart, ok.sinkParts, x.was.sink, x.now.sink)
	if len(x.was.net)+len(x.now.net) > 0 {
		k.netParts = maps.Clone(k.netParts)
		for n := range x.was.net {
			k.netParts[n] = slices.DeleteFunc(slices.Clone(k.netParts[n]), func(id int32) bool { return x.gone[id] })
		}
		for n, ids := range x.now.net {
			l := slices.Clone(k.netParts[n])
			for _, id := range ids {
				l = addPart(l, id)
			}
			k.netParts[n] = l
		}
	}
}

// targets are the instances whose arcs, and the pins whose wires are made again.
func (x *patcher) targets() (insts, sinks map[int32]bool) {
	nl := x.nl
	insts, sinks = map[int32]bool{}, map[int32]bool{}
	inst := func(i int32) {
		if int(i) < len(nl.Insts) && !nl.IsHoleInst(i) {
			insts[i] = true
		}
	}
	sink := func(s int32) {
		if s >= 0 && int(s) < len(nl.PinNet) {
			sinks[s] = true
		}
	}
	for _, m := range []*mentions{x.was, x.now} {
		for i := range m.inst {
			inst(i)
		}
		for s := range m.sink {
			sink(s)
		}
	}
	for _, i := range x.touched {
		inst(i)
		in := &nl.Insts[i]
		for p := range int32(nl.Cells[in.Cell].NPin()) {
			sink(in.Pin0 + p)
			x.sub.inst[in.Pin0+p] = i
		}
	}
	for n := range x.rewired {
		for _, s := range x.sub.sinks[n] {
			sink(s)
		}
	}
	for _, i := range x.touched {
		for _, s := range x.k.strangers[i] {
			sink(s)
		}
	}
	ov := func(b *builder, os []Override) {
		for k := range os {
			if o := &os[k]; o.Wire {
				sink(b.overrideSink(o))
			} else if b.overridable(o) {
				inst(o.Inst)
			}
		}
	}
	if !slices.Equal(x.old.kept.overrides, x.k.overrides) {
		ov(&builder{nl: x.old.Netlist}, x.old.kept.overrides)
		ov(x.b, x.k.overrides)
	}
	return insts, sinks
}

// readParts reads the parts and files their statements.
func (x *patcher) readParts() error {
	k := x.k
	if len(x.read) > 0 {
		own(x, &k.parts, 0)
	}
	total := int64(0)
	for f := range k.files {
		for at, id := range k.files[f].order {
			if x.read[id] {
				total += x.endOf(f, at) - k.parts[id].from.Offset
			}
		}
	}
	if total > maxParsed {
		return &Refusal{"much of the SDF files would be read"}
	}
	x.now = newMentions()
	x.b.keep.collect = x.now
	bag := x.b.bag
	defer func() { x.b.bag = bag }()
	for f := range k.files {
		for at, id := range k.files[f].order {
			if !x.read[id] {
				continue
			}
			p := &k.parts[id]
			p.odd, p.wild, p.prim = false, false, false
			x.b.bag = &diag.Bag{}
			a, err := x.readPart(f, at)
			if err != nil {
				return err
			}
			p = &k.parts[id]
			p.stats, p.line = a.rep.Stats, p.from.Line
			p.bound, p.unbound, p.statements, p.dropped = a.rep.Bound, a.rep.Unbound, a.rep.Statements, a.rep.Dropped
			p.said, p.diags = x.b.bag.Totals(), nil
			for _, t := range p.said {
				p.diags = append(p.diags, x.b.bag.Kept(t.Code)...)
			}
			if x.b.bag.Errors() > 0 {
				return &Refusal{"the edit makes an error"}
			}
		}
	}
	x.indexTouched()
	return nil
}

// indexTouched notes what mentions the instances that the edit of the netlist touched: all of that has been read.
func (x *patcher) indexTouched() {
	if len(x.touched) == 0 {
		return
	}
	k, old := x.k, x.old.Netlist
	k.instParts, k.sinkParts = maps.Clone(k.instParts), maps.Clone(k.sinkParts)
	set := func(of *[]int32, lists map[int32][]int32, t int32, ids []int32) {
		delete(lists, t)
		v := None
		if len(ids) == 1 {
			v = ids[0]
		} else if len(ids) > 1 {
			v, lists[t] = severalParts, ids
		}
		own(x, of, 0)[t] = v
	}
	for _, i := range x.touched {
		if int(i) < len(old.Insts) {
			in := &old.Insts[i]
			for p := range int32(old.Cells[in.Cell].NPin()) {
				set(&k.sinkPart, k.sinkParts, in.Pin0+p, nil)
			}
		}
		set(&k.instPart, k.instParts, i, x.now.inst[i])
	}
	for _, i := range x.touched {
		in := &x.nl.Insts[i]
		for p := range int32(x.nl.Cells[in.Cell].NPin()) {
			set(&k.sinkPart, k.sinkParts, in.Pin0+p, x.now.sink[in.Pin0+p])
		}
	}
}
