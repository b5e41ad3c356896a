package workspace

import (
	"slices"
	"sync"

	"github.com/wattd/wattd/internal/activity"
	"github.com/wattd/wattd/internal/format/liberty"
	"github.com/wattd/wattd/internal/format/verilog"
	"github.com/wattd/wattd/internal/netlist"
)

// Origin says where the glitches of a net come from.
func (s *Snapshot) Origin(t *activity.Table, net int32) (o activity.Origin) {
	return s.Session.Origin(t, net)
}

// Driver names the instance and cell that compute a net, "" for sources.
func (s *Snapshot) Driver(net int32) (inst, cell string) {
	nl, d := s.Session.Netlist, s.Session.Design
	g := d.NetGate[net]
	if g < 0 {
		for _, r := range d.Registers {
			if r.Net == net {
				return s.InstName(r.Inst), s.cell(r.Inst)
			}
		}
		return "", ""
	}
	if in := d.Gates[g].Inst; in >= 0 {
		return s.InstName(in), s.cell(in)
	}
	return "", primNames[nl.Prims[^d.Gates[g].Inst].Op]
}

func (s *Snapshot) cell(inst int32) string {
	nl := s.Session.Netlist
	return nl.Names.String(nl.Cells[nl.Insts[inst].Cell].Name)
}

var primNames = [...]string{
	netlist.PrimAnd: "and", netlist.PrimNand: "nand", netlist.PrimOr: "or", netlist.PrimNor: "nor", netlist.PrimXor: "xor", netlist.PrimXnor: "xnor",
	netlist.PrimBuf: "buf", netlist.PrimNot: "not", netlist.PrimMux: "mux", netlist.PrimBufif0: "bufif0", netlist.PrimBufif1: "bufif1",
	netlist.PrimNotif0: "notif0", netlist.PrimNotif1: "notif1", netlist.PrimConst0: "constant 0", netlist.PrimConst1: "constant 1",
}

// Pin is a pin on a net, or a port of the top when Instance is "".
type Pin struct {
	Instance, Pin, Cell string
	Other               int32 // net at the other side of the gate when there is one, or None
	Wire                bool  // Rise and Fall are the delay of the wire to it
	Rise, Fall          int32
	File                string
	Line                int
}

// Pins lists what drives a net, or what it drives. Pins whose direction nobody tells are among the loads.
func (s *Snapshot) Pins(net int32, drivers bool) (pins []Pin) {
	nl := s.Session.Netlist
	for i := range nl.Ports {
		p := &nl.Ports[i]
		if p.Net == net && (p.Dir == verilog.Inout || (p.Dir == verilog.Input) == drivers) {
			name := nl.Names.String(p.Name)
			if p.Bit != netlist.NoBit {
				name = s.NetName(net)
			}
			pins = append(pins, Pin{Pin: name, Cell: "port", Other: None})
		}
	}
	insts, prims := s.memo.index.pins.of(nl, net)
	for _, i := range insts {
		in := &nl.Insts[i]
		c := &nl.Cells[in.Cell]
		for k := range int32(c.NPin()) {
			if nl.PinNet[in.Pin0+k] != net {
				continue
			}
			dir := direction(c, k)
			if dir != liberty.Inout && (dir == liberty.Output) != drivers {
				continue
			}
			p := Pin{Instance: s.InstName(i), Pin: nl.PinName(in.Cell, k), Cell: nl.Names.String(c.Name), Other: s.across(i, k, drivers)}
			p.File, p.Line = s.place(in.Pos)
			if !drivers {
				p.Rise, p.Fall, p.Wire = s.wire(i, k, net)
			}
			pins = append(pins, p)
		}
	}
	for _, i := range prims {
		x := &nl.Prims[i]
		ins := nl.PrimIn[x.In0 : x.In0+x.NIn]
		p := Pin{Instance: "", Cell: primNames[x.Op], Other: None}
		if x.Name > 0 {
			p.Instance = joined(s.scopeName(x.Scope), nl.Names.String(x.Name))
		}
		p.File, p.Line = s.place(x.Pos)
		if drivers && x.Out == net {
			p.Pin = "out"
			if len(ins) == 1 {
				p.Other = ins[0]
			}
			pins = append(pins, p)
		}
		for _, in := range ins {
			if !drivers && in == net {
				p.Pin, p.Other = "in", x.Out
				pins = append(pins, p)
			}
		}
	}
	return pins
}

// pinIndex tells which instances and primitives are on a net.
type pinIndex struct {
	once  sync.Once
	first []int32 // by net: begin in users
	users []int32 // instances, ^primitives; ascending instances first
}

func (x *pinIndex) of(nl *netlist.Netlist, net int32) (insts, prims []int32) {
	x.once.Do(func() { x.make(nl) })
	for _, u := range x.users[x.first[net]:x.first[net+1]] {
		if u >= 0 {
			insts = append(insts, u)
		} else {
			prims = append(prims, ^u)
		}
	}
	return insts, prims
}

func (x *pinIndex) make(nl *netlist.Netlist) {
	each := func(f func(net, user int32)) {
		for i := range nl.Insts {
			in := &nl.Insts[i]
			if in.Cell < 0 { // an unused number
				continue
			}
			pins := nl.PinNet[in.Pin0 : in.Pin0+int32(nl.Cells[in.Cell].NPin())]
			for k, n := range pins {
				if n >= 0 && !slices.Contains(pins[:k], n) {
					f(n, int32(i))
				}
			}
		}
		for i := range nl.Prims {
			p := &nl.Prims[i]
			ins := nl.PrimIn[p.In0 : p.In0+p.NIn]
			if p.Out >= 0 {
				f(p.Out, ^int32(i))
			}
			for k, n := range ins {
				if n >= 0 && n != p.Out && !slices.Contains(ins[:k], n) {
					f(n, ^int32(i))
				}
			}
		}
	}
	x.first = make([]int32, len(nl.Nets)+2)
	each(func(n, _ int32) { x.first[n+2]++ })
	for n := range len(nl.Nets) {
		x.first[n+2] += x.first[n+1]
	}
	x.users = make([]int32, x.first[len(nl.Nets)+1])
	each(func(n, user int32) {
		x.users[x.first[n+1]] = user
		x.first[n+1]++
	})
}

func joined(scope, name string) string {
	if scope == "" {
		return name
	}
	return scope + "/" + name
}

func direction(c *netlist.Cell, k int32) liberty.Dir {
	if c.Lib != nil {
		return c.Lib.Pins[k].Dir
	}
	switch c.Dirs[k] {
	case verilog.Output:
		return liberty.Output
	case verilog.Inout:
		return liberty.Inout
	}
	return liberty.Input
}

// across is the one net at the other side of an instance, None when there are several or none.
func (s *Snapshot) across(inst, pin int32, drivers bool) int32 {
	nl := s.Session.Netlist
	in := &nl.Insts[inst]
	c := &nl.Cells[in.Cell]
	other := None
	for k := range int32(c.NPin()) {
		n := nl.PinNet[in.Pin0+k]
		if k == pin || n < 0 || (direction(c, k) == liberty.Output) == drivers {
			continue
		}
		if other >= 0 && other != n {
			return None
		}
		other = n
	}
	return other
}

// wire is the delay of the wire to an input pin of a simulated gate.
func (s *Snapshot) wire(inst, pin, net int32) (rise, fall int32, ok bool) {
	nl, d := s.Session.Netlist, s.Session.Design
	in := &nl.Insts[inst]
	c := &nl.Cells[in.Cell]
	nth := 0 // of the pins of the instance on this net
	for k := range pin {
		if nl.PinNet[in.Pin0+k] == net && direction(c, k) != liberty.Output {
			nth++
		}
	}
	for k := range int32(c.NPin()) {
		out := nl.PinNet[in.Pin0+k]
		if direction(c, k) != liberty.Output || out < 0 || d.NetGate[out] < 0 || d.Gates[d.NetGate[out]].Inst != inst {
			continue
		}
		g := d.NetGate[out]
		at := 0
		for i, n := range d.GateInputs(g) {
			if n != net {
				continue
			}
			if at == nth {
				w := &d.Program.Wires[d.Program.PinWire[d.Program.GatePin[g]+int32(i)]]
				return w.Rise, w.Fall, true
			}
			at++
		}
	}
	return 0, 0, false
}

func (s *Snapshot) place(p verilog.Pos) (file string, line int) {
	if files := s.Session.Netlist.Files; int(p.File) < len(files) {
		file = files[p.File]
	}
	return file, int(p.Line)
}

// NetPlace tells where a net is declared.
func (s *Snapshot) NetPlace(net int32) (file string, line int) {
	return s.place(s.Session.Netlist.Nets[net].Pos)
}
