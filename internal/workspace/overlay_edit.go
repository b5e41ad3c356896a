package workspace

import (
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/wattd/wattd/internal/design"
	"github.com/wattd/wattd/internal/format/liberty"
	"github.com/wattd/wattd/internal/logic"
	"github.com/wattd/wattd/internal/names"
	"github.com/wattd/wattd/internal/netlist"
	"github.com/wattd/wattd/internal/wave"
)

// edit makes one edit. It fills in what the edit left open.
func (m *editor) edit(e *Edit) error {
	switch e.Do {
	case "swapCell":
		return m.swapCell(e)
	case "reconnect":
		return m.reconnect(e)
	case "insertBuffer":
		return m.insertBuffer(e)
	case "removeBuffer":
		return m.removeBuffer(e)
	case "setDelay", "scaleDelay":
		return m.delay(e)
	case "setStimulus":
		return m.stimulus(e)
	}
	return fmt.Errorf("%q is no edit; there are swapCell, setDelay, scaleDelay, insertBuffer, removeBuffer, reconnect and setStimulus", e.Do)
}

// inst finds a leaf instance.
func (m *editor) inst(name string) (int32, error) {
	i, b := None, names.Binding{}
	x := m.names()
	x.with(func(r *names.Resolver) {
		for _, f := range []names.Format{names.Plain, names.Verilog} {
			if i, b = r.Inst(names.Spelling{Format: f}, []byte(name)); b.Rule != names.Unbound || b.Ambiguous {
				return
			}
		}
		if len(b.Candidates) == 0 {
			b.Candidates = r.Explain(name).Candidates
		}
	})
	if b.Rule == names.Unbound || i < 0 {
		return None, &NameError{"instance", name, b.Ambiguous, b.Candidates}
	}
	return i, nil
}

func (m *editor) net(name string) (int32, error) {
	n, b := m.names().net(name)
	if n < 0 {
		return None, &NameError{"net", name, b.Ambiguous, b.Candidates}
	}
	return n, nil
}

// pin finds a pin of an instance.
func (m *editor) pin(inst int32, name string) (int32, error) {
	k := m.nl.PinIndex(inst, []byte(name))
	if k < 0 {
		c := &m.nl.Cells[m.nl.Insts[inst].Cell]
		var have []string
		for k := range int32(c.NPin()) {
			have = append(have, m.nl.InstPinName(inst, k))
		}
		return None, &NameError{"pin of " + m.nl.Names.String(c.Name), name, false, have}
	}
	return k, nil
}

// put says an instance as it stands, to be changed.
func (m *editor) put(e *netlist.Edit, inst int32) *netlist.Put {
	nl := m.nl
	in := &nl.Insts[inst]
	c := &nl.Cells[in.Cell]
	p := netlist.Put{Slot: inst, Scope: in.Scope, Name: in.Name, Cell: c.Name, Pos: in.Pos}
	for k := range int32(c.NPin()) {
		if n := nl.PinNet[in.Pin0+k]; n >= 0 {
			p.Pins = append(p.Pins, netlist.PutPin{Pin: m.intern(e, nl.InstPinName(inst, k)), Net: n})
		}
	}
	e.Put = append(e.Put, p)
	return &e.Put[len(e.Put)-1]
}

// intern adds a name to those of an edit.
func (m *editor) intern(e *netlist.Edit, s string) int32 {
	if e.Names == nil {
		e.Names = m.nl.Names
	}
	if id := e.Names.Find([]byte(s)); id >= 0 {
		return id
	}
	if e.Names == m.nl.Names {
		e.Names = m.nl.Names.Extend()
	}
	return e.Names.InternString(s)
}

// cell finds a cell of the libraries by which the design was compiled.
func (m *editor) cell(name string) (*liberty.Cell, error) {
	if c := m.s.Session.LibCell(name); c != nil {
		return c, nil
	}
	return nil, &NameError{"library cell", name, false, m.s.Session.SimilarCells(name)}
}

func (m *editor) swapCell(e *Edit) error {
	inst, err := m.inst(e.Instance)
	if err != nil {
		return err
	}
	c, err := m.cell(e.Cell)
	if err != nil {
		return err
	}
	ed := &netlist.Edit{}
	p := m.put(ed, inst)
	p.Cell = m.intern(ed, c.Name)
	for _, x := range p.Pins {
		if name := ed.Names.String(x.Pin); c.PinIndex(name) < 0 {
			return fmt.Errorf("cell %s has no pin %s, to which %s connects net %s", c.Name, name, e.Instance, m.nl.NetName(x.Net))
		}
	}
	for i := range c.Pins {
		if x := c.Pins[i]; x.Dir == liberty.Input && !slices.ContainsFunc(p.Pins, func(q netlist.PutPin) bool { return ed.Names.String(q.Pin) == x.Name }) {
			return fmt.Errorf("input %s of cell %s would be open; %s has no net for it", x.Name, c.Name, e.Instance)
		}
	}
	return m.patch(ed)
}

func (m *editor) reconnect(e *Edit) error {
	inst, err := m.inst(e.Instance)
	if err != nil {
		return err
	}
	k, err := m.pin(inst, e.Pin)
	if err != nil {
		return err
	}
	c := &m.nl.Cells[m.nl.Insts[inst].Cell]
	if direction(c, k) != liberty.Input {
		return fmt.Errorf("pin %s of %s is no input", e.Pin, e.Instance)
	}
	n := netlist.Const0
	switch e.Net {
	case "1'b0":
	case "1'b1":
		n = netlist.Const1
	default:
		if n, err = m.net(e.Net); err != nil {
			return err
		}
	}
	ed := &netlist.Edit{}
	was := ""
	if old := m.nl.PinNet[m.nl.Insts[inst].Pin0+k]; old >= 0 {
		was = m.nl.NetName(old)
	}
	m.connect(ed, m.put(ed, inst), e.Pin, n)
	e.moves = []move{{m.pinPath(inst, k), was, m.nl.NetName(n)}}
	return m.patch(ed)
}

// pinPath is INSTANCE/PIN.
func (m *editor) pinPath(inst, pin int32) string {
	return m.nl.InstPath(inst, '/') + "/" + m.nl.InstPinName(inst, pin)
}

// connect sets the net of one pin.
func (m *editor) connect(e *netlist.Edit, p *netlist.Put, pin string, net int32) {
	id := m.intern(e, pin)
	for i := range p.Pins {
		if p.Pins[i].Pin == id {
			p.Pins[i].Net = net
			return
		}
	}
	p.Pins = append(p.Pins, netlist.PutPin{Pin: id, Net: net})
}

// through finds the one input and the one output of a cell.
func through(c *liberty.Cell) (in, out *liberty.Pin, err error) {
	for i := range c.Pins {
		switch p := c.Pins[i]; p.Dir {
		case liberty.Input:
			if in != nil {
				return nil, nil, fmt.Errorf("cell %s has more than one input", c.Name)
			}
			in = p
		case liberty.Output:
			if out != nil {
				return nil, nil, fmt.Errorf("cell %s has more than one output", c.Name)
			}
			out = p
		case liberty.Inout:
			return nil, nil, fmt.Errorf("cell %s has an inout", c.Name)
		}
	}
	if in == nil || out == nil {
		return nil, nil, fmt.Errorf("cell %s has no input or no output", c.Name)
	}
	return in, out, nil
}

// sink is an input pin on a net.
type sink struct{ inst, pin int32 }

// sinks lists the input pins of leaf instances on a net.
func (m *editor) sinks(net int32) (list []sink) {
	nl := m.nl
	for i := range nl.PinNet {
		if nl.PinNet[i] != net {
			continue
		}
		inst := nl.PinInst(int32(i))
		if inst < 0 {
			continue
		}
		in := &nl.Insts[inst]
		if k := int32(i) - in.Pin0; direction(&nl.Cells[in.Cell], k) == liberty.Input {
			list = append(list, sink{inst, k})
		}
	}
	return list
}

func (m *editor) insertBuffer(e *Edit) error {
	e.moves = nil
	net, err := m.net(e.Net)
	if err != nil {
		return err
	}
	c, err := m.cell(e.Cell)
	if err != nil {
		return err
	}
	in, out, err := through(c)
	if err != nil {
		return err
	}
	all := m.sinks(net)
	moved := all
	if len(e.Sinks) > 0 {
		moved = nil
		for _, name := range e.Sinks {
			at := strings.LastIndexByte(name, '/')
			if at < 0 {
				return fmt.Errorf("sink %q: want INSTANCE/PIN", name)
			}
			inst, err := m.inst(name[:at])
			if err != nil {
				return err
			}
			k, err := m.pin(inst, name[at+1:])
			if err != nil {
				return err
			}
			if !slices.Contains(all, sink{inst, k}) {
				return fmt.Errorf("%s is no input on net %s", name, e.Net)
			}
			if !slices.Contains(moved, sink{inst, k}) {
				moved = append(moved, sink{inst, k})
			}
		}
	}
	if len(moved) == 0 {
		return fmt.Errorf("net %s has no input pin that could move behind a buffer", e.Net)
	}
	scope := m.nl.Insts[moved[0].inst].Scope
	for _, s := range moved {
		if m.nl.Insts[s.inst].Scope != scope {
			return fmt.Errorf("net %s has loads in several instances of the hierarchy, such as %s and %s; name sinks of one", e.Net,
				m.nl.InstPath(moved[0].inst, '/'), m.nl.InstPath(s.inst, '/'))
		}
	}
	ed := &netlist.Edit{}
	if e.Name == "" {
		e.Name = m.free("wattd_buf", func(name string) bool { return m.nl.FindInst(scope, []byte(name)) < 0 })
	} else if e.Name = m.below(scope, e.Name); m.nl.FindInst(scope, []byte(e.Name)) >= 0 || strings.ContainsAny(e.Name, "/[") {
		return fmt.Errorf("%q cannot be the name of a new instance: it is taken, or has / or [", e.Name)
	}
	wire := m.free("wattd_net", func(name string) bool {
		_, _, _, declared := m.nl.NetRange(scope, []byte(name))
		return !declared
	})
	ed.Nets = []netlist.NewNet{{Scope: scope, Name: m.intern(ed, wire)}}
	for _, s := range moved {
		i := slices.IndexFunc(ed.Put, func(p netlist.Put) bool { return p.Slot == s.inst })
		if i < 0 {
			m.put(ed, s.inst)
			i = len(ed.Put) - 1
		}
		m.connect(ed, &ed.Put[i], m.nl.InstPinName(s.inst, s.pin), netlist.NewNetRef(0))
		e.moves = append(e.moves, move{m.pinPath(s.inst, s.pin), m.nl.NetName(net), wire})
	}
	ed.Put = append(ed.Put, netlist.Put{Slot: netlist.None, Scope: scope, Name: m.intern(ed, e.Name), Cell: m.intern(ed, c.Name), Pins: []netlist.PutPin{
		{Pin: m.intern(ed, in.Name), Net: net}, {Pin: m.intern(ed, out.Name), Net: netlist.NewNetRef(0)},
	}})
	if err := m.patch(ed); err != nil {
		return err
	}
	e.NewNet = wire
	if path := string(m.nl.AppendScopePath(nil, scope, '/')); path != "" {
		e.Name, e.NewNet = path+"/"+e.Name, path+"/"+wire
	}
	for i := range e.moves {
		e.moves[i].to = e.NewNet
	}
	e.moves = append(e.moves, move{e.Name + "/" + in.Name, "", m.nl.NetName(net)}, move{e.Name + "/" + out.Name, "", e.NewNet})
	return nil
}

// below takes the path of a scope off a name.
func (m *editor) below(scope int32, name string) string {
	path := string(m.nl.AppendScopePath(nil, scope, '/'))
	if rest, ok := strings.CutPrefix(name, path+"/"); ok && path != "" {
		return rest
	}
	return name
}

// free makes a name that is not taken.
func (m *editor) free(prefix string, ok func(string) bool) string {
	for i := 1; ; i++ {
		if name := prefix + strconv.Itoa(i); ok(name) {
			return name
		}
	}
}

func (m *editor) removeBuffer(e *Edit) error {
	e.moves = nil
	inst, err := m.inst(e.Instance)
	if err != nil {
		return err
	}
	nl := m.nl
	at := &nl.Insts[inst]
	c := nl.Cells[at.Cell].Lib
	if c == nil {
		return fmt.Errorf("%s is no instance of a library cell", e.Instance)
	}
	in, out, err := through(c)
	if err != nil {
		return err
	}
	f := out.Function
	if f == nil || f.Op != logic.Var || f.Name != in.Name {
		return fmt.Errorf("cell %s is no buffer: its output is not its input", c.Name)
	}
	from, to := nl.PinNet[at.Pin0+c.PinIndex(in.Name)], nl.PinNet[at.Pin0+c.PinIndex(out.Name)]
	switch {
	case from < 0:
		return fmt.Errorf("the input of %s is open", e.Instance)
	case to >= 0 && nl.Nets[to].Flags&(netlist.NetOutput|netlist.NetInout|netlist.NetInput) != 0:
		return fmt.Errorf("%s drives port %s, which would have no driver", e.Instance, nl.NetName(to))
	}
	ed := &netlist.Edit{Remove: []int32{inst}}
	if to >= 0 {
		for i := range nl.Prims {
			p := &nl.Prims[i]
			if p.Out == to || slices.Contains(nl.PrimIn[p.In0:p.In0+p.NIn], to) {
				return fmt.Errorf("net %s is also in an assignment or on a primitive", nl.NetName(to))
			}
		}
		for _, s := range m.sinks(to) {
			i := slices.IndexFunc(ed.Put, func(p netlist.Put) bool { return p.Slot == s.inst })
			if i < 0 {
				m.put(ed, s.inst)
				i = len(ed.Put) - 1
			}
			m.connect(ed, &ed.Put[i], nl.InstPinName(s.inst, s.pin), from)
			e.moves = append(e.moves, move{m.pinPath(s.inst, s.pin), nl.NetName(to), nl.NetName(from)})
		}
	}
	return m.patch(ed)
}

// delay makes an override of the delays of an instance.
func (m *editor) delay(e *Edit) error {
	inst, err := m.inst(e.Instance)
	if err != nil {
		return err
	}
	for _, pin := range []string{e.Pin, e.Output} {
		if pin != "" {
			if _, err := m.pin(inst, pin); err != nil {
				return err
			}
		}
	}
	o := design.Override{Inst: inst, Wire: e.Wire, In: e.Pin, Out: e.Output, Cond: e.Condition}
	if e.Wire && (e.Pin == "" || e.Output != "" || e.Condition != "") {
		return errors.New("the delay of a wire is that to an input pin: it needs pin, and neither output nor condition")
	}
	tick := int64(m.s.Session.Design.Tick)
	if e.Do == "scaleDelay" {
		x, ok := new(big.Rat).SetString(strconv.FormatFloat(e.Factor, 'g', -1, 64))
		if !ok || x.Sign() < 0 || !x.Num().IsInt64() || !x.Denom().IsInt64() || e.Factor > 1e6 {
			return fmt.Errorf("factor %g: want a number from 0 to 1e6 with few digits", e.Factor)
		}
		o.Scale, o.Num, o.Den = true, x.Num().Int64(), x.Denom().Int64()
	} else {
		if e.Rise == nil && e.Fall == nil {
			return errors.New("a delay needs rise or fall, in ticks")
		}
		if e.Rise == nil || e.Fall == nil {
			v := e.Rise
			if v == nil {
				v = e.Fall
			}
			return fmt.Errorf("rise and fall are both needed (one of them is %d)", *v)
		}
		for _, v := range []int64{*e.Rise, *e.Fall} {
			if v < 0 || v >= 1<<30 {
				return fmt.Errorf("delay %d: want ticks from 0 to 2^30", v)
			}
		}
		o.Rise, o.Fall = *e.Rise*tick, *e.Fall*tick
	}
	m.delays = append(m.delays, o)
	m.touched.Insts = append(m.touched.Insts, inst)
	return nil
}

// stimulus replaces the values of a source.
func (m *editor) stimulus(e *Edit) error {
	if m.s.Session.Stim == nil {
		return errors.New("no stimulus is loaded")
	}
	net, err := m.source(e.Net)
	if err != nil {
		return err
	}
	r := wave.Replacement{Net: net}
	like, isLike := strings.CutPrefix(e.Policy, "like:")
	p, isToggle := strings.CutPrefix(e.Policy, "toggle:")
	switch {
	case e.Policy == "hold":
	case e.Policy == "0":
		r.Do = wave.DoZero
	case e.Policy == "1":
		r.Do = wave.DoOne
	case isLike:
		r.Do = wave.DoLike
		if r.Like, err = m.source(like); err != nil {
			return err
		}
	case isToggle:
		r.Do = wave.DoToggle
		if r.Toggle, err = strconv.ParseFloat(p, 64); err != nil || !(r.Toggle >= 0 && r.Toggle <= 1) {
			return fmt.Errorf("policy %q: use toggle:P with a probability from 0 to 1", e.Policy)
		}
	default:
		return fmt.Errorf("policy %q: use hold, 0, 1, toggle:P or like:NET", e.Policy)
	}
	m.sources = append(m.sources, r)
	return nil
}

// source finds a net that has a stimulus.
func (m *editor) source(name string) (int32, error) {
	n, err := m.net(name)
	if err != nil {
		return None, err
	}
	d := m.s.Session.Design
	if int(n) >= len(d.NetClass) || !d.NetClass[n].Source() {
		return None, fmt.Errorf("net %s is computed, not a source; only sources have a stimulus", name)
	}
	return n, nil
}
