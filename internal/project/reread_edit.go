package project

import (
	"maps"
	"slices"
	"strconv"

	"github.com/wattd/wattd/internal/diag"
	"github.com/wattd/wattd/internal/format/verilog"
	"github.com/wattd/wattd/internal/netlist"
)

// nameAt is a name in a scope.
type nameAt struct{ scope, name int32 }

// compare turns what the pieces hold now, against what the netlist has of them, into the edit.
func (r *rereader) compare() error {
	if len(r.pieces) == 0 {
		return nil
	}
	for _, step := range []func() error{r.place, r.messages, r.held, r.declare, r.instances, r.implied} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// place finds the scopes of the pieces.
func (r *rereader) place() error {
	r.scopes = map[int32]int32{}
	for i := range r.pieces {
		p := &r.pieces[i]
		m := r.old.Track.Borders[p.from].Module
		s, ok := r.scopes[m]
		if !ok {
			s = netlist.None
			for k := range r.nl.Scopes {
				if r.nl.Scopes[k].Module == r.old.Track.Modules[m] {
					s = int32(k)
					break
				}
			}
			if s == netlist.None {
				return refuse("the module that changed is no part of the design")
			}
			if !r.nl.PlacedOnce(s) {
				return refuse("the module is placed more than once")
			}
			r.scopes[m] = s
		}
		p.scope = s
	}
	return nil
}

// messages refuses where there was one about the pieces.
func (r *rereader) messages() error {
	if r.bag == nil {
		return nil
	}
	if r.bag.Count(diag.NetlistDuplicateModule) > 0 {
		return refuse("a module is defined twice")
	}
	for _, t := range r.bag.Totals() {
		n := int64(0)
		for _, d := range r.bag.Kept(t.Code) {
			n += d.N
			if d.Pos.File == r.old.Path && r.pieceOf(int32(d.Pos.Line)) != netlist.None {
				return refuse("there was a message about what changed")
			}
		}
		if n < t.N {
			return refuse("not all messages are known")
		}
	}
	return nil
}

// pieceOf is the piece that held a line, or None.
func (r *rereader) pieceOf(line int32) int32 {
	b := r.old.Track.Borders
	i, _ := slices.BinarySearchFunc(r.pieces, line, func(p piece, line int32) int {
		if b[p.to].Line <= line {
			return -1
		}
		return 1
	})
	if i == len(r.pieces) || line < b[r.pieces[i].from].Line {
		return netlist.None
	}
	return int32(i)
}

// held gathers what the netlist has of the pieces, by place.
func (r *rereader) held() error {
	r.insts, r.nets, r.subs = map[int32]int32{}, map[int32]int32{}, map[int32]int32{}
	b := r.old.Track.Borders
	low, high := b[r.pieces[0].from].Line, b[r.pieces[len(r.pieces)-1].to].Line
	at := func(p *verilog.Pos) int32 {
		if p.Line < low || p.Line >= high || p.File != r.old.File {
			return netlist.None
		}
		return r.pieceOf(p.Line)
	}
	nl := r.nl
	for i := range nl.Insts {
		if k := at(&nl.Insts[i].Pos); k >= 0 && !nl.IsHoleInst(int32(i)) {
			if nl.Insts[i].Scope != r.pieces[k].scope {
				return refuse("an instance of another module")
			}
			r.insts[int32(i)] = k
		}
	}
	for n := range nl.Nets {
		if k := at(&nl.Nets[n].Pos); k >= 0 && !nl.IsHidden(int32(n)) {
			r.nets[int32(n)] = k
		}
	}
	for s := range nl.Scopes {
		if k := at(&nl.Scopes[s].Pos); k >= 0 {
			r.subs[int32(s)] = k
		}
	}
	for i := range nl.Prims {
		if at(&nl.Prims[i].Pos) >= 0 {
			return refuse("a gate or an expression stands beside what changed")
		}
	}
	for i := range nl.NetDelay {
		if at(&nl.NetDelay[i].Pos) >= 0 {
			return refuse("a net with a delay stands beside what changed")
		}
	}
	return nil
}

// shifted is where a place lies after the edit's shifts.
func (r *rereader) shifted(p verilog.Pos) verilog.Pos {
	if p.File != r.old.File {
		return p
	}
	by := int32(0)
	for _, s := range r.edit.Shift {
		if s.From <= p.Line {
			by += s.By
		}
	}
	p.Line += by
	return p
}

func (r *rereader) placeInst(i int32, pos verilog.Pos) {
	if r.shifted(r.nl.Insts[i].Pos) != pos {
		r.edit.Place = append(r.edit.Place, netlist.Place{Inst: i, Net: netlist.None, Scope: netlist.None, Pos: pos})
	}
}

func (r *rereader) placeNet(n int32, pos verilog.Pos) {
	if r.shifted(r.nl.Nets[n].Pos) != pos {
		r.edit.Place = append(r.edit.Place, netlist.Place{Inst: netlist.None, Net: n, Scope: netlist.None, Pos: pos})
	}
}

// declare compares the declarations.
func (r *rereader) declare() error {
	nl, names := r.nl, r.edit.Names
	r.named = map[nameAt]int32{}
	declared := map[nameAt]bool{}
	for i := range r.pieces {
		p := &r.pieces[i]
		for k := range p.items.Nets {
			x := &p.items.Nets[k]
			key := nameAt{p.scope, x.Name}
			if declared[key] {
				return refuse("a net is declared twice")
			}
			declared[key] = true
			name := names.Bytes(x.Name)
			msb, lsb, vector, ok := nl.NetRange(p.scope, name)
			if !p.items.Wires[k] {
				if !ok {
					return refuse("a declaration that the netlist does not have")
				}
				r.placeBits(p.scope, x, msb, lsb, vector)
				continue
			}
			if !ok {
				r.named[key] = netlist.NewNetRef(len(r.edit.Nets))
				r.edit.Nets = append(r.edit.Nets, netlist.NewNet{Scope: p.scope, Name: x.Name, Pos: x.Pos})
				continue
			}
			n := nl.FindNet(p.scope, name, netlist.NoBit)
			if n < 0 || nl.Implied(n) {
				return refuse("a net is declared that was something else")
			}
			r.wires += verilog.Mix(x.Name)
			r.placeBits(p.scope, x, 0, 0, false)
		}
	}
	for _, n := range slices.Sorted(maps.Keys(r.nets)) {
		x := &nl.Nets[n]
		if declared[nameAt{x.Scope, x.Name}] || nl.Implied(n) {
			continue
		}
		if x.Scope != r.pieces[r.nets[n]].scope || x.Bit != netlist.NoBit {
			return refuse("a declaration went that was no scalar wire")
		}
		r.wires += verilog.Mix(x.Name)
		r.edit.Drop = append(r.edit.Drop, n)
	}
	want := uint64(0)
	for i := range r.pieces {
		b := r.old.Track.Borders
		want += b[r.pieces[i].to].Wires - b[r.pieces[i].from].Wires
	}
	if want != r.wires {
		return refuse("wires that are known by another name, or declared elsewhere, stand beside what changed")
	}
	return nil
}

// placeBits places the bits of a net whose canonical name is the one declared.
func (r *rereader) placeBits(scope int32, x *verilog.Net, msb, lsb int32, vector bool) {
	bit := func(i int32) {
		if n := r.nl.FindNet(scope, r.edit.Names.Bytes(x.Name), i); n >= 0 {
			if y := &r.nl.Nets[n]; y.Scope == scope && y.Name == x.Name && y.Bit == i {
				r.placeNet(n, x.Pos)
			}
		}
	}
	if !vector {
		bit(netlist.NoBit)
		return
	}
	for i := int64(min(msb, lsb)); i <= int64(max(msb, lsb)); i++ {
		bit(int32(i))
	}
}

// instances compares the instances.
func (r *rereader) instances() error {
	nl, names := r.nl, r.edit.Names
	r.first = map[int32]int32{}
	seen, sum := map[nameAt]bool{}, uint64(0)
	left := maps.Clone(r.insts)
	for i := range r.pieces {
		p := &r.pieces[i]
		for k := range p.items.Insts {
			x := &p.items.Insts[k]
			if !p.items.Plain[k] {
				if err := r.other(p, x, left); err != nil {
					return err
				}
				continue
			}
			key := nameAt{p.scope, x.Name}
			if seen[key] {
				return refuse("an instance of a name that is taken")
			}
			seen[key] = true
			slot := nl.FindInst(p.scope, names.Bytes(x.Name))
			if slot >= 0 {
				if _, was := left[slot]; !was {
					return refuse("an instance of a name that is taken")
				}
				delete(left, slot)
				sum += verilog.Mix(x.Name)
			}
			if err := r.put(int32(i), slot, x); err != nil {
				return err
			}
		}
	}
	for _, slot := range slices.Sorted(maps.Keys(left)) {
		sum += verilog.Mix(nl.Insts[slot].Name)
		r.edit.Remove = append(r.edit.Remove, slot)
	}
	want := uint64(0)
	for i := range r.pieces {
		b := r.old.Track.Borders
		want += b[r.pieces[i].to].Insts - b[r.pieces[i].from].Insts
	}
	if want != sum {
		return refuse("instances went that the netlist does not have")
	}
	return nil
}

// other places what an instance that is not plain stands for; it is the same as before.
func (r *rereader) other(p *piece, x *verilog.Inst, left map[int32]int32) error {
	name := r.edit.Names.Bytes(x.Name)
	one := func(name []byte) error {
		if slot := r.nl.FindInst(p.scope, name); slot >= 0 {
			delete(left, slot)
			r.placeInst(slot, x.Pos)
			return nil
		}
		s := r.nl.ChildScope(p.scope, name)
		if s < 0 {
			return refuse("an instance that the netlist does not have")
		}
		if r.shifted(r.nl.Scopes[s].Pos) != x.Pos {
			r.edit.Place = append(r.edit.Place, netlist.Place{Inst: netlist.None, Net: netlist.None, Scope: s, Pos: x.Pos})
		}
		return nil
	}
	if x.Prim != verilog.PrimNone {
		return nil // its place is not kept, or held refused it
	}
	if !x.Array {
		return one(name)
	}
	for i := int64(min(x.Msb, x.Lsb)); i <= int64(max(x.Msb, x.Lsb)); i++ {
		if err := one(append(strconv.AppendInt(append(slices.Clone(name), '['), i, 10), ']')); err != nil {
			return err
		}
	}
	return nil
}

// put compares a plain instance with the one at its slot.
func (r *rereader) put(k, slot int32, x *verilog.Inst) error {
	nl, p := r.nl, &r.pieces[k]
	m := p.items.Module
	if nl.HasModule(x.Cell) {
		return refuse("an instance of a module")
	}
	q := netlist.Put{Slot: slot, Scope: p.scope, Name: x.Name, Cell: x.Cell, Pos: x.Pos}
	same := slot >= 0 && nl.Cells[nl.Insts[slot].Cell].Name == x.Cell
	var nets []int32
	if same {
		nets = make([]int32, nl.Cells[nl.Insts[slot].Cell].NPin())
		for i := range nets {
			nets[i] = netlist.None
		}
	}
	for _, c := range m.Conns[x.Conn : x.Conn+x.NConn] {
		n, err := r.net(k, m, c.Expr, x.Pos)
		if err != nil {
			return err
		}
		q.Pins = append(q.Pins, netlist.PutPin{Pin: c.Port, Net: n})
		if same {
			i := nl.PinIndex(slot, r.edit.Names.Bytes(c.Port))
			if i < 0 || nets[i] != netlist.None {
				same = false
				continue
			}
			nets[i] = n
		}
	}
	if same {
		at := nl.Insts[slot].Pin0
		if slices.Equal(nets, nl.PinNet[at:int(at)+len(nets)]) {
			r.placeInst(slot, x.Pos)
			return nil
		}
	}
	r.edit.Put = append(r.edit.Put, q)
	return nil
}

// net finds what a plain connection stands for.
func (r *rereader) net(k int32, m *verilog.Module, e int32, pos verilog.Pos) (int32, error) {
	if e == netlist.None {
		return netlist.None, nil
	}
	nl, scope := r.nl, r.pieces[k].scope
	x := &m.Exprs[e]
	if x.Op == verilog.Const {
		return int32(m.Bits[x.A] - '0'), nil
	}
	name := r.edit.Names.Bytes(x.A)
	if x.Op == verilog.Select {
		if n := nl.FindNet(scope, name, x.B); n >= 0 {
			return n, nil
		}
		return 0, refuse("a bit that is not declared")
	}
	if n, ok := r.named[nameAt{scope, x.A}]; ok {
		return n, nil
	}
	msb, lsb, vector, ok := nl.NetRange(scope, name)
	switch {
	case !ok:
		n := netlist.NewNetRef(len(r.edit.Nets))
		r.named[nameAt{scope, x.A}] = n
		r.edit.Nets = append(r.edit.Nets, netlist.NewNet{Scope: scope, Name: x.A, Implied: true, Pos: pos})
		return n, nil
	case vector && msb != lsb:
		return 0, refuse("a vector is connected to a pin")
	}
	bit := netlist.NoBit
	if vector {
		bit = msb
	}
	n := nl.FindNet(scope, name, bit)
	if n < 0 {
		return 0, refuse("a net that is not there")
	}
	if nl.Implied(n) {
		if _, ok := r.first[n]; !ok {
			r.first[n] = k
			if _, moved := r.nets[n]; moved || pos.Line < r.shifted(nl.Nets[n].Pos).Line || pos.Line == r.shifted(nl.Nets[n].Pos).Line && pos.Col < nl.Nets[n].Pos.Col {
				r.placeNet(n, pos)
			}
		}
	}
	return n, nil
}

// implied looks after the nets whose first use stood in a piece: their place is that of the first use.
func (r *rereader) implied() error {
	var lost []int32
	for _, n := range slices.Sorted(maps.Keys(r.nets)) {
		if !r.nl.Implied(n) {
			continue
		}
		k := r.nets[n]
		if r.pieces[k].items.End.NRest > 0 {
			return refuse("a net that is not declared stands beside what changed")
		}
		if f, ok := r.first[n]; !ok || f > k {
			if ok {
				return refuse("the first use of a net that is not declared went")
			}
			lost = append(lost, n)
		}
	}
	if len(lost) == 0 {
		return nil
	}
	// Nothing but what stood in the pieces may have used them: then they go.
	uses := map[int32]int{}
	for _, n := range r.nl.PinNet {
		if n >= 0 {
			if _, ok := slices.BinarySearch(lost, n); ok {
				uses[n]++
			}
		}
	}
	for slot := range r.insts {
		in := &r.nl.Insts[slot]
		for _, n := range r.nl.PinNet[in.Pin0 : int(in.Pin0)+r.nl.Cells[in.Cell].NPin()] {
			if _, ok := uses[n]; ok {
				uses[n]--
			}
		}
	}
	for _, n := range lost {
		if uses[n] != 0 {
			return refuse("the first use of a net that is not declared went")
		}
	}
	return nil
}
