package netlist

import (
	"bytes"
	"context"
	"slices"
	"sort"
	"strings"

	"github.com/wattd/wattd/internal/format/liberty"
)

// patcher makes one patched netlist. What it changes it has copied before.
type patcher struct {
	old, nl *Netlist
	e       *Edit
	base    int32   // first of the new nets
	newNet  []int32 // numbers of Edit.Nets
	insts   []int32 // touched
	nets    []int32 // touched
	owned   map[int32]bool
}

// Patch applies a local edit: the netlist that linking the edited text would give, but for numbers. The old one stays as it is and
// shares what did not change. Instances that went leave a hole (IsHoleInst), nets too (IsHole). A *Refusal says that the
// edit is not local; no other error comes but that of ctx.
func (nl *Netlist) Patch(ctx context.Context, e *Edit) (*Netlist, *Patched, error) {
	p := &patcher{old: nl, e: e, owned: map[int32]bool{}}
	table := nl.PrintNames()
	p.nl = &Netlist{
		Names: e.Names, Files: nl.Files, Scopes: nl.Scopes, Cells: nl.Cells, Insts: slices.Clone(nl.Insts), PinNet: slices.Clone(nl.PinNet),
		Prims: nl.Prims, PrimIn: nl.PrimIn, Nets: nl.Nets, Ports: nl.Ports, NetDelay: nl.NetDelay, alias: nl.alias, lookup: nl.lookup, patched: true, hole: nl.hole,
	}
	if len(e.Files) > 0 {
		p.nl.Files = e.Files
	}
	p.nl.lookup.mods = slices.Clone(nl.lookup.mods)
	for _, step := range []func() error{p.shift, p.addNets, p.remove, p.put, p.dropNets, p.place} {
		if err := step(); err != nil {
			return nil, nil, err
		}
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
	}
	t := &NameTable{nl: p.nl, escape: table.escape, special: table.special}
	if n := len(p.nl.Nets)/64 + 1; n > len(t.escape) {
		t.escape = append(slices.Clone(t.escape), make([]uint64, n-len(t.escape))...)
	}
	p.nl.print.once.Do(func() { p.nl.print.table = t })
	return p.nl, &Patched{Insts: sorted(p.insts), Nets: sorted(p.nets)}, nil
}

func sorted(s []int32) []int32 {
	slices.Sort(s)
	return slices.Compact(s)
}

func refuse(why string) error { return &Refusal{why} }

// IsHoleInst says whether an instance number belongs to no instance.
func (nl *Netlist) IsHoleInst(i int32) bool { return nl.hole > 0 && nl.Insts[i].Cell == nl.hole }

// CountInsts is the number of leaf instances without holes.
func (nl *Netlist) CountInsts() int {
	n := len(nl.Insts)
	for i := range nl.Insts {
		if nl.IsHoleInst(int32(i)) {
			n--
		}
	}
	return n
}

// mod is the entry of a module that may be changed.
func (p *patcher) mod(scope int32) (*modNames, *placed, error) {
	if scope < 0 || int(scope) >= len(p.nl.Scopes) {
		return nil, nil, refuse("no such scope")
	}
	at := &p.nl.lookup.scopes[scope]
	mn := &p.nl.lookup.mods[at.mod]
	if p.owned[at.mod] {
		return mn, at, nil
	}
	count := 0
	for i := range p.nl.lookup.scopes {
		if p.nl.lookup.scopes[i].mod == at.mod {
			count++
		}
	}
	if count != 1 {
		return nil, nil, refuse("the module is placed more than once")
	}
	p.owned[at.mod] = true
	return mn, at, nil
}

// shift moves the places of what lies behind the text that came or went.
func (p *patcher) shift() error {
	moved := slices.DeleteFunc(slices.Clone(p.e.Shift), func(s Shift) bool { return s.By == 0 })
	if len(moved) == 0 {
		return nil
	}
	slices.SortStableFunc(moved, func(a, b Shift) int {
		if a.File != b.File {
			return int(a.File) - int(b.File)
		}
		return int(a.From) - int(b.From)
	})
	byFile := map[uint16][]Shift{} // with By summed up
	for _, s := range moved {
		if f := byFile[s.File]; len(f) > 0 {
			s.By += f[len(f)-1].By
		}
		byFile[s.File] = append(byFile[s.File], s)
	}
	lastFile, last := uint16(0), byFile[0]
	line := func(file uint16, at int32) int32 {
		if file != lastFile {
			lastFile, last = file, byFile[file]
		}
		f := last
		if len(f) == 0 || at < f[0].From {
			return at
		}
		i := sort.Search(len(f), func(i int) bool { return f[i].From > at })
		if i == 0 {
			return at
		}
		return at + f[i-1].By
	}
	nl := p.nl
	nl.Nets, nl.Prims, nl.Scopes, nl.NetDelay = slices.Clone(nl.Nets), slices.Clone(nl.Prims), slices.Clone(nl.Scopes), slices.Clone(nl.NetDelay)
	for i := range nl.Insts {
		x := &nl.Insts[i].Pos
		x.Line = line(x.File, x.Line)
	}
	for i := range nl.Nets {
		x := &nl.Nets[i].Pos
		x.Line = line(x.File, x.Line)
	}
	for i := range nl.Prims {
		x := &nl.Prims[i].Pos
		x.Line = line(x.File, x.Line)
	}
	for i := range nl.Scopes {
		x := &nl.Scopes[i].Pos
		x.Line = line(x.File, x.Line)
	}
	for i := range nl.NetDelay {
		x := &nl.NetDelay[i].Pos
		x.Line = line(x.File, x.Line)
	}
	return nil
}

// place sets single places.
func (p *patcher) place() error {
	nl := p.nl
	var nets, scopes bool
	for _, x := range p.e.Place {
		switch {
		case x.Inst >= 0 && int(x.Inst) < len(nl.Insts):
			nl.Insts[x.Inst].Pos = x.Pos
		case x.Net >= 0 && int(x.Net) < len(nl.Nets):
			if !nets {
				nets, nl.Nets = true, slices.Clone(nl.Nets)
			}
			nl.Nets[x.Net].Pos = x.Pos
		case x.Scope >= 0 && int(x.Scope) < len(nl.Scopes):
			if !scopes {
				scopes, nl.Scopes = true, slices.Clone(nl.Scopes)
			}
			nl.Scopes[x.Scope].Pos = x.Pos
		default:
			return refuse("a place of nothing")
		}
	}
	return nil
}

// clone copies the table so that names can be added and go.
func (t *nameTab) clone() nameTab { return nameTab{slices.Clone(t.slot), slices.Clone(t.key)} }

// forget makes the entry of a name unfindable; its index stays.
func (t *nameTab) forget(i int32) { t.key[i] = -1 - i }

func (p *patcher) addNets() error {
	nl := p.nl
	p.base = max(p.e.Free, int32(len(nl.Nets)))
	if len(p.e.Nets) == 0 {
		return nil
	}
	nl.Nets = slices.Clone(nl.Nets)
	nl.lookup.net, nl.alias.start, nl.alias.list = slices.Clone(nl.lookup.net), slices.Clone(nl.alias.start), slices.Clone(nl.alias.list)
	nl.lookup.later = slices.Clone(nl.lookup.later)
	if nl.lookup.base == 0 {
		nl.lookup.base = int32(len(nl.lookup.net))
	}
	for int32(len(nl.Nets)) < p.base {
		nl.Nets = append(nl.Nets, Net{Scope: None, Flags: NetHidden | NetHole})
		nl.alias.start = append(nl.alias.start, nl.alias.start[len(nl.alias.start)-1])
	}
	special := nl.specialScopes()
	tables := map[*modNames]bool{}
	for i := range p.e.Nets {
		x := &p.e.Nets[i]
		mn, at, err := p.mod(x.Scope)
		if err != nil {
			return err
		}
		if !tables[mn] {
			tables[mn] = true
			mn.nets, mn.decls = mn.nets.clone(), slices.Clone(mn.decls)
		}
		name := nl.Names.Bytes(x.Name)
		switch {
		case x.Implied && mn.strict:
			return refuse("an implied net where `default_nettype is none")
		case len(name) == 0 || bytes.ContainsAny(name, "/[") || special[x.Scope] || p.old.print.table.special > 0 && x.Scope != 0:
			return refuse("a net whose printed name may need a backslash")
		}
		if q, _ := mn.exprPort(x.Name); q != nil {
			return refuse("a net with the name of a port")
		}
		n, raw := int32(len(nl.Nets)), int32(len(nl.lookup.net))
		k, isNew := mn.nets.add(x.Name)
		if !isNew {
			return refuse("a net that is declared already")
		}
		if !x.Implied {
			mn.written = append(slices.Clone(mn.written), k)
		}
		d := scalar
		d.off = raw - at.net
		mn.decls = append(mn.decls, d)
		nl.Nets = append(nl.Nets, Net{Scope: x.Scope, Name: x.Name, Bit: NoBit, Pos: x.Pos})
		nl.lookup.net = append(nl.lookup.net, n)
		nl.lookup.later = append(nl.lookup.later, Ref{x.Scope, x.Name, NoBit})
		nl.alias.list = append(nl.alias.list, raw)
		nl.alias.start = append(nl.alias.start, int32(len(nl.alias.list)))
		p.newNet = append(p.newNet, n)
		p.nets = append(p.nets, n)
	}
	return nil
}

// objects makes the names of the instances of a module changeable.
func (p *patcher) objects(mn *modNames, done map[*modNames]bool) {
	if !done[mn] {
		done[mn] = true
		mn.objs, mn.objOf = mn.objs.clone(), slices.Clone(mn.objOf)
	}
}

func (p *patcher) remove() error {
	nl := p.nl
	if len(p.e.Remove) == 0 {
		return nil
	}
	if nl.hole <= 0 {
		nl.Cells = append(slices.Clip(nl.Cells), Cell{})
		nl.hole = int32(len(nl.Cells) - 1)
	}
	done := map[*modNames]bool{}
	for _, i := range p.e.Remove {
		if i < 0 || int(i) >= len(nl.Insts) || nl.IsHoleInst(i) {
			return refuse("an instance to remove that is not there")
		}
		in := &nl.Insts[i]
		mn, _, err := p.mod(in.Scope)
		if err != nil {
			return err
		}
		p.objects(mn, done)
		c := &nl.Cells[in.Cell]
		if c.Lib == nil {
			return refuse("an instance of a black box")
		}
		k := mn.objs.find(in.Name)
		if k == None {
			return refuse("an instance without a name of its own")
		}
		mn.objs.forget(k)
		for j := range int32(c.NPin()) {
			p.touchNet(nl.PinNet[in.Pin0+j])
			nl.PinNet[in.Pin0+j] = None
		}
		p.insts = append(p.insts, i)
		in.Cell, in.Pin0, in.Name = nl.hole, 0, 0
	}
	for mn := range done {
		if !slices.ContainsFunc(mn.objs.key, func(name int32) bool { return name > 0 }) {
			return refuse("the last instance of a module goes")
		}
	}
	return nil
}

func (p *patcher) touchNet(n int32) {
	if n > Const1 {
		p.nets = append(p.nets, n)
	}
}

func (p *patcher) put() error {
	nl := p.nl
	done := map[*modNames]bool{}
	for i := range p.e.Put {
		x := &p.e.Put[i]
		cell, err := p.cell(x.Cell)
		if err != nil {
			return err
		}
		pins, err := p.pins(cell, x)
		if err != nil {
			return err
		}
		if x.Slot != None {
			if x.Slot < 0 || int(x.Slot) >= len(nl.Insts) || nl.IsHoleInst(x.Slot) || nl.Insts[x.Slot].Scope != x.Scope || nl.Insts[x.Slot].Name != x.Name {
				return refuse("an instance that is not where it should be")
			}
			if err := p.replace(x, cell, pins); err != nil {
				return err
			}
			continue
		}
		mn, at, err := p.mod(x.Scope)
		if err != nil {
			return err
		}
		p.objects(mn, done)
		k, isNew := mn.objs.add(x.Name)
		if !isNew || x.Name == 0 {
			return refuse("an instance of a name that is taken")
		}
		for int(k) > len(mn.objOf) { // names that were forgotten keep their places
			mn.objOf = append(mn.objOf, 0)
		}
		n := int32(len(nl.Insts))
		mn.objOf = append(mn.objOf, (n-at.inst)*4+objLeaf)
		nl.Insts = append(nl.Insts, Inst{x.Scope, x.Name, cell, int32(len(nl.PinNet)), x.Pos})
		nl.PinNet = append(nl.PinNet, pins...)
		p.insts = append(p.insts, n)
		for _, net := range pins {
			p.touchNet(net)
		}
	}
	return nil
}

// replace gives an instance another cell or other nets.
func (p *patcher) replace(x *Put, cell int32, pins []int32) error {
	nl := p.nl
	in := &nl.Insts[x.Slot]
	was := &nl.Cells[in.Cell]
	if was.Lib == nil {
		return refuse("an instance of a black box")
	}
	old := nl.PinNet[in.Pin0 : in.Pin0+int32(was.NPin())]
	in.Pos = x.Pos
	if in.Cell == cell && slices.Equal(old, pins) {
		return nil
	}
	p.insts = append(p.insts, x.Slot)
	for k, n := range old {
		if in.Cell != cell || pins[k] != n {
			p.touchNet(n)
		}
	}
	for k, n := range pins {
		if in.Cell != cell || old[k] != n {
			p.touchNet(n)
		}
	}
	if len(pins) == len(old) {
		copy(old, pins)
	} else {
		for k := range old {
			old[k] = None
		}
		in.Pin0 = int32(len(nl.PinNet))
		nl.PinNet = append(nl.PinNet, pins...)
	}
	in.Cell = cell
	return nil
}

// cell finds a library cell, adding it to those in use.
func (p *patcher) cell(name int32) (int32, error) {
	nl := p.nl
	if _, isModule := slices.BinarySearch(nl.lookup.modules, name); isModule {
		return None, refuse("an instance of a module")
	}
	for i := range nl.Cells {
		if nl.Cells[i].Name == name && name != 0 {
			if nl.Cells[i].Lib == nil {
				return None, refuse("an instance of a black box")
			}
			return int32(i), nil
		}
	}
	text := string(nl.Names.Bytes(name))
	var lib *liberty.Cell
	for _, l := range p.e.Libs {
		for _, c := range l.Cells {
			if c.Name != text {
				continue
			}
			if lib != nil {
				return None, refuse("a cell of several libraries that was not in use")
			}
			lib = c
		}
	}
	switch {
	case lib == nil:
		return None, refuse("a cell that no library has")
	case len(lib.Buses) > 0:
		return None, refuse("a cell with buses that was not in use")
	}
	nl.Cells = append(slices.Clip(nl.Cells), Cell{Name: name, Lib: lib})
	c := int32(len(nl.Cells) - 1)
	nl.lookup.pins.key, nl.lookup.pins.val = slices.Clone(nl.lookup.pins.key), slices.Clone(nl.lookup.pins.val)
	for _, pg := range lib.PG {
		nl.lookup.pins.put(c, p.intern(pg.Name), codePower)
	}
	for i, pin := range lib.Pins {
		nl.lookup.pins.put(c, p.intern(pin.Name), int32(i))
	}
	return c, nil
}

// intern adds a name in a table of ours.
func (p *patcher) intern(s string) int32 {
	if p.nl.Names == p.old.Names {
		if id := p.nl.Names.Find([]byte(s)); id >= 0 {
			return id
		}
		p.nl.Names = p.nl.Names.Extend()
	}
	return p.nl.Names.InternString(s)
}

// pins finds the nets of the pins of an instance, in the order of its cell.
func (p *patcher) pins(cell int32, x *Put) ([]int32, error) {
	nl := p.nl
	lib := nl.Cells[cell].Lib
	nets := make([]int32, len(lib.Pins))
	for i := range nets {
		nets[i] = None
	}
	given := make([]bool, len(nets))
	for _, c := range x.Pins {
		n := c.Net
		if n < None {
			k := int(-2 - n)
			if k >= len(p.newNet) {
				return nil, refuse("a new net that is none")
			}
			n = p.newNet[k]
		}
		if n >= int32(len(nl.Nets)) || n >= 0 && nl.IsHole(n) {
			return nil, refuse("a net that is not there")
		}
		code, known := nl.lookup.pins.get(cell, c.Pin)
		if !known && powerNames[strings.ToLower(nl.Names.String(c.Pin))] {
			code, known = codePower, true
		}
		switch {
		case !known || code == codeUnknown:
			return nil, refuse("a pin that the cell does not have")
		case code == codePower:
			if n > Const1 && nl.Nets[n].Flags&NetSupply == 0 {
				return nil, refuse("a power pin on a net that is no supply")
			}
			continue
		case code < 0:
			return nil, refuse("a bus of pins")
		case given[code]:
			return nil, refuse("a pin that is connected twice")
		}
		given[code] = true
		switch {
		case n == None:
		case n <= Const1:
			if lib.Pins[code].Dir != liberty.Input {
				return nil, refuse("a constant on a pin that is no input")
			}
		case nl.Nets[n].Flags&NetSupply != 0:
			return nil, refuse("a signal pin on a supply")
		case nl.Nets[n].Flags&NetHidden != 0:
			return nil, refuse("a net without a name")
		}
		nets[code] = n
	}
	return nets, nil
}

// dropNets takes the declarations of nets away on which nothing is left, and of implied ones that lost their last pin.
func (p *patcher) dropNets() error {
	nl := p.nl
	drop := slices.Clone(p.e.Drop)
	for _, n := range sorted(slices.Clone(p.nets)) {
		if d, mn := p.declOf(n); mn != nil && mn.implied(d) {
			drop = append(drop, n)
		}
	}
	if len(drop) == 0 {
		return nil
	}
	drop = sorted(drop)
	left := make([]bool, len(nl.Nets))
	for _, list := range [][]int32{nl.PinNet, nl.PrimIn} {
		for _, n := range list {
			if n >= 0 {
				left[n] = true
			}
		}
	}
	for i := range nl.Prims {
		left[nl.Prims[i].Out] = true
	}
	asked := sorted(slices.Clone(p.e.Drop))
	cloned := false
	done := map[*modNames]bool{}
	for _, n := range drop {
		_, must := slices.BinarySearch(asked, n)
		k, mn := None, (*modNames)(nil)
		if n > Const1 && int(n) < len(nl.Nets) && !nl.IsHole(n) {
			k, mn = p.declOf(n)
		}
		if mn == nil || left[n] {
			if must {
				return refuse("a declaration that goes while its net is still in use")
			}
			continue
		}
		x := &nl.Nets[n]
		t := p.old.print.table
		if bytes.ContainsAny(nl.Names.Bytes(x.Name), "/[") || nl.specialScopes()[x.Scope] || int(n) < len(p.old.Nets) && t.escape[n>>6]>>(n&63)&1 != 0 {
			return refuse("a net that goes and whose printed name may have had a backslash")
		}
		if _, _, err := p.mod(x.Scope); err != nil {
			return err
		}
		if !cloned {
			cloned, nl.Nets = true, slices.Clone(nl.Nets)
			x = &nl.Nets[n]
		}
		if !done[mn] {
			done[mn], mn.nets = true, mn.nets.clone()
		}
		mn.nets.forget(k)
		*x = Net{Scope: None, Flags: NetHidden | NetHole}
		p.nets = append(p.nets, n)
	}
	return nil
}

// declOf is the scalar declaration of a net that has no other name, nor anything that makes it more than a wire.
func (p *patcher) declOf(n int32) (k int32, mn *modNames) {
	nl := p.nl
	x := &nl.Nets[n]
	if x.Flags != 0 || x.Bit != NoBit || nl.alias.start[n+1]-nl.alias.start[n] != 1 {
		return None, nil
	}
	mn = &nl.lookup.mods[nl.lookup.scopes[x.Scope].mod]
	if k = mn.nets.find(x.Name); k == None {
		return None, nil
	}
	return k, mn
}

func (mn *modNames) implied(k int32) bool { return k >= mn.explicit && !slices.Contains(mn.written, k) }

// Implied says whether a net is there only because something is connected to it.
func (nl *Netlist) Implied(n int32) bool {
	p := patcher{nl: nl}
	k, mn := p.declOf(n)
	return mn != nil && mn.implied(k)
}

// HasModule says whether a name is that of a module that is no model of a cell.
func (nl *Netlist) HasModule(name int32) bool {
	_, ok := slices.BinarySearch(nl.lookup.modules, name)
	return ok
}

// PlacedOnce says whether the module of a scope is placed once, so that a Patch may change it.
func (nl *Netlist) PlacedOnce(scope int32) bool {
	p := patcher{nl: nl, owned: map[int32]bool{}}
	_, _, err := p.mod(scope)
	return err == nil
}
