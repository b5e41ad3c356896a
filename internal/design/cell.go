package design

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/wattd/wattd/internal/diag"
	"github.com/wattd/wattd/internal/format/liberty"
	"github.com/wattd/wattd/internal/logic"
	"github.com/wattd/wattd/internal/netlist"
)

// outKind says what an output pin of a cell is.
type outKind uint8

const (
	outNone     outKind = iota
	outFunction         // combinational, or of the state of a latch or clock gate
	outTristate
	outSource // register, memory, black box
)

// output is the model of one output pin.
type output struct {
	pin   int32
	kind  outKind
	class Class         // of a source
	expr  *logic.Expr   // over pin and state names
	en    *logic.Expr   // three-state: 1 while driving
	fn    function      // pins: the support, in pin order
	fnID  int32         // its number in the program, None before it has one
	at    []int32       // cell pin of each fn.pins
	wide  *function     // the same over all input pins, for arcs and conditions that name others
	all   []int32       // cell pin of each wide.pins
	regs  registerState // of a register output
}

type registerState struct {
	state    int32
	inverted bool
	clock    int32 // cell pin, None
	falling  bool
}

// cellModel is what simulation needs to know of a cell type.
type cellModel struct {
	cell      *netlist.Cell
	name      string
	inputs    []int32 // cell pins that are inputs (inouts that drive nothing included)
	loads     []int32 // cell pins at which a wire can end: inputs and all inouts
	outs      []output
	byPin     []int32    // cell pin -> index in outs, None
	states    []stateBit // latches and clock gates
	clockGate bool
	clockPins []int32 // pins that act as clocks of registers, latches and clock gates
	blackBox  bool
}

type stateBit struct {
	name, inverse string // inverse "" when there is none
	bank          int    // bit of a bank, else -1
	next          *logic.Expr
	inverseExpr   *logic.Expr // what the inverse name means
}

// modeler builds cell models and reports what it cannot model.
type modeler struct {
	nl  *netlist.Netlist
	bag *diag.Bag
}

func (m *modeler) model(c *netlist.Cell) *cellModel {
	cm := &cellModel{cell: c, name: m.nl.Names.String(c.Name), byPin: make([]int32, c.NPin())}
	for i := range cm.byPin {
		cm.byPin[i] = None
	}
	if c.Lib == nil {
		cm.blackBox = true
		return cm
	}
	lib := c.Lib
	edge := len(lib.FF) > 0 || stateTableEdge(lib.States)
	m.states(cm, lib)
	for i, p := range lib.Pins {
		switch p.Dir {
		case liberty.Input:
			cm.inputs = append(cm.inputs, int32(i))
			cm.loads = append(cm.loads, int32(i))
		case liberty.Output, liberty.Inout:
			m.output(cm, lib, int32(i), edge)
			if p.Dir == liberty.Inout {
				cm.loads = append(cm.loads, int32(i))
			}
			if p.Dir == liberty.Inout && cm.byPin[i] == None {
				cm.inputs = append(cm.inputs, int32(i))
			}
		}
		if p.Clock || p.ClockGateClock {
			cm.clockPins = append(cm.clockPins, int32(i))
		}
	}
	m.clockNames(cm, lib)
	cm.clockGate = lib.ClockGate != "" || slices.ContainsFunc(lib.Pins, func(p *liberty.Pin) bool { return p.ClockGateOut })
	for i := range cm.outs {
		m.bind(cm, lib, &cm.outs[i])
	}
	return cm
}

func stateTableEdge(t *liberty.StateTable) bool {
	if t == nil {
		return false
	}
	for _, r := range t.Rows {
		for _, v := range r.In {
			if strings.ContainsAny(v, "RF") {
				return true
			}
		}
	}
	return false
}

// clockNames adds the pins that enable or clock the state groups.
func (m *modeler) clockNames(cm *cellModel, lib *liberty.Cell) {
	add := func(e *logic.Expr) {
		if e == nil {
			return
		}
		for _, v := range e.Vars() {
			if i := lib.PinIndex(v); i >= 0 && !slices.Contains(cm.clockPins, i) {
				cm.clockPins = append(cm.clockPins, i)
			}
		}
	}
	for _, f := range lib.FF {
		add(f.ClockedOn)
		add(f.ClockedOnAlso)
	}
	for _, l := range lib.Latch {
		add(l.Enable)
		add(l.EnableAlso)
	}
	slices.Sort(cm.clockPins)
}

func (m *modeler) output(cm *cellModel, lib *liberty.Cell, i int32, edge bool) {
	p := lib.Pins[i]
	o := output{pin: i, expr: p.Function, class: ClassBlackBox, fnID: None}
	if o.expr == nil {
		o.expr = p.StateFunction
	}
	if o.expr == nil && p.InternalNode != "" {
		o.expr = exprVar(p.InternalNode)
	}
	if o.expr != nil {
		o.expr = throughPins(lib, o.expr, []int32{i})
	}
	switch {
	case o.expr == nil:
		if p.Dir == liberty.Inout && !lib.Macro {
			return // a plain wire to the world: a load
		}
		o.kind = outSource
		if lib.Macro {
			o.class = ClassMemory
		} else if edge {
			o.class = ClassRegister
		}
		o.regs = registerState{state: None, clock: None}
	case edge && m.usesEdge(cm, lib, o.expr, map[string]bool{}):
		o.kind, o.class = outSource, ClassRegister
		o.regs = m.register(lib, i, o.expr)
	case p.ThreeState != nil:
		o.kind = outTristate
		o.en = exprNot(p.ThreeState)
	default:
		o.kind = outFunction
	}
	cm.byPin[i] = int32(len(cm.outs))
	cm.outs = append(cm.outs, o)
}

// throughPins replaces the outputs and internal pins that a function names by what they compute. A pin on the way to itself stays.
func throughPins(lib *liberty.Cell, e *logic.Expr, way []int32) *logic.Expr {
	return rename(e, func(n string) *logic.Expr {
		i := lib.PinIndex(n)
		if i < 0 || slices.Contains(way, i) {
			return nil
		}
		p := lib.Pins[i]
		f := p.Function
		if f == nil {
			f = p.StateFunction
		}
		if f == nil || p.InternalNode != "" || p.Dir != liberty.Output && p.Dir != liberty.Internal {
			return nil
		}
		return throughPins(lib, f, append(way[:len(way):len(way)], i))
	})
}

// usesEdge says whether a function in a cell with edge-triggered state reads such a state, directly or through a latch.
func (m *modeler) usesEdge(cm *cellModel, lib *liberty.Cell, e *logic.Expr, seen map[string]bool) bool {
	for _, v := range e.Vars() {
		if i := lib.PinIndex(v); i >= 0 && lib.Pins[i].Dir != liberty.Internal || seen[v] {
			continue
		}
		seen[v] = true
		latch := false
		for _, b := range cm.states {
			if base := strings.TrimSuffix(b.name, indexOf(b.name)); v == b.name || v == b.inverse || b.bank >= 0 && v == base {
				latch = true
				if m.usesEdge(cm, lib, b.next, seen) {
					return true
				}
			}
		}
		if !latch {
			return true
		}
	}
	return false
}

// register reads the function of output pin that is a state variable or its complement.
func (m *modeler) register(lib *liberty.Cell, pin int32, e *logic.Expr) registerState {
	r := registerState{state: None, clock: None}
	inv := false
	for e.Op == logic.Not {
		inv = !inv
		e = e.Kids[0]
	}
	if e.Op != logic.Var {
		return r
	}
	for k, f := range lib.FF {
		name := strings.TrimSuffix(e.Name, indexOf(e.Name))
		if name != f.IQ && name != f.IQN && e.Name != f.IQ && e.Name != f.IQN {
			continue
		}
		r.state = int32(k) << 16
		if f.Width > 0 { // each bit of a bank is a state of its own
			if i := indexOf(e.Name); i != "" {
				bit, _ := strconv.Atoi(i[1 : len(i)-1])
				r.state |= int32(bit) & 0xffff
			} else if b := lib.Pins[pin].Bus; b >= 0 {
				r.state |= int32(slices.Index(lib.Buses[b].Pins, pin)) & 0xffff
			}
		}
		r.inverted = inv != (name == f.IQN || e.Name == f.IQN)
		c, fall := f.ClockedOn, false
		for c != nil && c.Op == logic.Not {
			fall = !fall
			c = c.Kids[0]
		}
		if c != nil && c.Op == logic.Var {
			r.clock, r.falling = lib.PinIndex(c.Name), fall
		}
	}
	return r
}

func indexOf(name string) string {
	if i := strings.LastIndexByte(name, '['); i > 0 {
		return name[i:]
	}
	return ""
}

// states builds the state bits of latches and level-sensitive state tables; edge-triggered states are sources.
func (m *modeler) states(cm *cellModel, lib *liberty.Cell) {
	for i := range lib.Latch {
		l := &lib.Latch[i]
		width := max(1, int(l.Width))
		for k := range width {
			m.latch(cm, lib, l, k)
		}
	}
	if lib.States != nil && !stateTableEdge(lib.States) {
		m.stateTable(cm, lib, lib.States)
	}
	for i := range cm.states {
		b := &cm.states[i]
		b.next = m.stateNames(cm, lib, b.next, b.bank)
	}
}

// bankBit picks bit k of the bus or bundle names of e where they have that width.
func bankBit(lib *liberty.Cell, l *liberty.Seq, e *logic.Expr, k int) *logic.Expr {
	if e == nil || l.Width == 0 {
		return e
	}
	return rename(e, func(n string) *logic.Expr {
		for _, b := range lib.Buses {
			if b.Name == n && len(b.Pins) == int(l.Width) {
				return exprVar(lib.Pins[b.Pins[k]].Name)
			}
		}
		return nil
	})
}

func (m *modeler) latch(cm *cellModel, lib *liberty.Cell, l *liberty.Seq, k int) {
	iq, iqn := l.IQ, l.IQN
	if l.Width > 0 {
		iq, iqn = fmt.Sprintf("%s[%d]", l.IQ, k), fmt.Sprintf("%s[%d]", l.IQN, k)
	}
	q := exprVar(iq)
	bit := func(e *logic.Expr) *logic.Expr { return bankBit(lib, l, e, k) }
	c, p := bit(l.Clear), bit(l.Preset)
	if c == nil {
		c = exprConst(false)
	}
	if p == nil {
		p = exprConst(false)
	}
	en, d := bit(l.Enable), bit(l.DataIn)
	if en == nil {
		en, d = exprConst(false), exprConst(false)
	}
	if d == nil {
		d = exprConst(false)
	}
	both := func(v byte, keep *logic.Expr) *logic.Expr {
		switch v {
		case 'L':
			return exprConst(false)
		case 'H':
			return exprConst(true)
		case 'N':
			return keep
		}
		if l.Clear != nil && l.Preset != nil && k == 0 {
			m.bag.Add(diag.DesignClearPreset, l.Pos, "cell %s: %s is unknown while clear and preset are active; taken as 0", cm.name, iq)
		}
		return exprConst(false)
	}
	flow := exprIf(en, d, q)
	normal := exprOr(exprAnd(exprNot(c), p), exprAnd(exprNot(c), exprNot(p), flow))
	b := stateBit{name: iq, inverse: iqn, bank: -1, next: normal, inverseExpr: exprNot(q)}
	if l.Width > 0 {
		b.bank = k
	}
	if l.Clear != nil && l.Preset != nil {
		cp := exprAnd(c, p)
		b.next = exprIf(cp, both(l.ClearPreset1, q), normal)
		if l.ClearPreset2 != 0 {
			b.inverseExpr = exprIf(cp, both(l.ClearPreset2, exprNot(q)), exprNot(q))
		}
	}
	cm.states = append(cm.states, b)
}

// stateTable turns rows into next-state functions; rows above win over rows below, no row keeps the state.
func (m *modeler) stateTable(cm *cellModel, lib *liberty.Cell, t *liberty.StateTable) {
	t = mappedTable(lib, t)
	for j, node := range t.Nodes {
		q := exprVar(node)
		next := q
		for i := len(t.Rows) - 1; i >= 0; i-- {
			for _, r := range expandRow(t.Rows[i]) {
				var cond []*logic.Expr
				match := func(name, v string) {
					switch v {
					case "L":
						cond = append(cond, exprNot(exprVar(name)))
					case "H":
						cond = append(cond, exprVar(name))
					}
				}
				for c, v := range r.In {
					if c < len(t.Inputs) {
						match(t.Inputs[c], v)
					}
				}
				for c, v := range r.Cur {
					if c < len(t.Nodes) {
						match(t.Nodes[c], v)
					}
				}
				val := q
				if j < len(r.Next) {
					switch r.Next[j] {
					case "L":
						val = exprConst(false)
					case "H":
						val = exprConst(true)
					case "X":
						m.bag.Add(diag.DesignClearPreset, t.Pos, "cell %s: state %s becomes unknown in a row of its statetable; taken as 0", cm.name, node)
						val = exprConst(false)
					}
				}
				next = exprIf(exprAnd(cond...), val, next)
			}
		}
		b := stateBit{name: node, bank: -1, next: next}
		cm.states = append(cm.states, b)
	}
}

// mappedTable renames the inputs of a table to the pins that input_map of an internal node lists for them, in order.
func mappedTable(lib *liberty.Cell, t *liberty.StateTable) *liberty.StateTable {
	for _, p := range lib.Pins {
		if !slices.Contains(t.Nodes, p.InternalNode) {
			continue
		}
		if pins := strings.Fields(p.Attrs["input_map"]); len(pins) >= len(t.Inputs) {
			c := *t
			c.Inputs = pins[:len(t.Inputs)]
			return &c
		}
	}
	return t
}

// expandRow writes a row with L/H or H/L as its two rows.
func expandRow(r liberty.StateRow) []liberty.StateRow {
	pair := func(v string) bool { return v == "L/H" || v == "H/L" }
	if !slices.ContainsFunc(r.In, pair) && !slices.ContainsFunc(r.Cur, pair) && !slices.ContainsFunc(r.Next, pair) {
		return []liberty.StateRow{r}
	}
	pick := func(vs []string, k int) []string {
		c := slices.Clone(vs)
		for i, v := range c {
			if pair(v) {
				c[i] = string(v[2*k])
			}
		}
		return c
	}
	return []liberty.StateRow{
		{In: pick(r.In, 0), Cur: pick(r.Cur, 0), Next: pick(r.Next, 0)},
		{In: pick(r.In, 1), Cur: pick(r.Cur, 1), Next: pick(r.Next, 1)},
	}
}

// bind resolves the names of an output's expressions to pins and state bits.
func (m *modeler) bind(cm *cellModel, lib *liberty.Cell, o *output) {
	if o.kind != outFunction && o.kind != outTristate {
		return
	}
	bankIdx := -1
	if b := lib.Pins[o.pin].Bus; b >= 0 {
		bankIdx = slices.Index(lib.Buses[b].Pins, o.pin)
	}
	resolve := func(e *logic.Expr) *logic.Expr {
		if e == nil {
			return nil
		}
		return m.stateNames(cm, lib, e, bankIdx)
	}
	o.expr, o.en = resolve(o.expr), resolve(o.en)
	used := map[string]bool{}
	note := func(e *logic.Expr) {
		if e != nil {
			for _, v := range e.Vars() {
				used[v] = true
			}
		}
	}
	note(o.expr)
	note(o.en)
	for changed := true; changed; {
		changed = false
		for _, b := range cm.states {
			if used[b.name] {
				n := len(used)
				note(b.next)
				changed = changed || len(used) != n
			}
		}
	}
	var bad []string
	isState := func(n string) bool {
		return slices.ContainsFunc(cm.states, func(b stateBit) bool { return b.name == n })
	}
	for n := range used {
		if !isState(n) && lib.PinIndex(n) < 0 {
			bad = append(bad, n)
		}
	}
	if len(bad) > 0 {
		slices.Sort(bad)
		m.bag.Add(diag.DesignUnknownPin, lib.Pins[o.pin].Pos, "cell %s: the function of %s names %s, which is no pin or state of the cell; the output is a source",
			cm.name, lib.Pins[o.pin].Name, strings.Join(bad, ", "))
		o.kind, o.class, o.regs = outSource, ClassBlackBox, registerState{state: None, clock: None}
		return
	}
	f := function{out: o.expr}
	wide := f
	for _, b := range cm.states {
		if used[b.name] {
			f.bits = append(f.bits, b.name)
			f.next = append(f.next, b.next)
		}
		if used[b.name] || !slices.ContainsFunc(b.next.Vars(), func(n string) bool { return !isState(n) && lib.PinIndex(n) < 0 }) {
			wide.bits = append(wide.bits, b.name)
			wide.next = append(wide.next, b.next)
		}
	}
	for i, p := range lib.Pins {
		if used[p.Name] && !isState(p.Name) {
			f.pins = append(f.pins, p.Name)
			o.at = append(o.at, int32(i))
		}
		if slices.Contains(cm.inputs, int32(i)) || used[p.Name] && !isState(p.Name) {
			wide.pins = append(wide.pins, p.Name)
			o.all = append(o.all, int32(i))
		}
	}
	o.fn = f
	if len(wide.pins) > len(f.pins) || len(wide.bits) > len(f.bits) {
		o.wide = &wide
	}
}

// stateNames replaces the names that stand for state bits: complements, pins that are internal nodes, bits of banks.
func (m *modeler) stateNames(cm *cellModel, lib *liberty.Cell, e *logic.Expr, bank int) *logic.Expr {
	return rename(e, func(n string) *logic.Expr {
		for range 2 {
			for _, b := range cm.states {
				if n == b.name {
					return exprVar(b.name)
				}
				if b.inverse != "" && n == b.inverse {
					return b.inverseExpr
				}
			}
			if bank < 0 {
				break
			}
			n = fmt.Sprintf("%s[%d]", n, bank)
		}
		n = strings.TrimSuffix(n, indexOf(n))
		if i := lib.PinIndex(n); i >= 0 && lib.Pins[i].Dir == liberty.Internal && lib.Pins[i].InternalNode != "" && lib.Pins[i].InternalNode != n {
			return exprVar(lib.Pins[i].InternalNode)
		}
		return nil
	})
}
