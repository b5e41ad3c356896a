package liberty

import (
	"strconv"

	"github.com/wattd/wattd/internal/diag"
)

// cellPin reads a pin group of a cell: pin (A), pin (A, B), pin ("A[5:0]").
func (p *parser) cellPin(st *stmt, c *Cell) {
	names := p.pinNames()
	if len(names) == 0 {
		p.badValue(st)
	}
	body := p.pinBody(st)
	for i, n := range names {
		base, from, to, ok := parseRange(n)
		if !ok {
			if i > 0 && !p.spend(newPinWork, st.pos) {
				return
			}
			p.addPin(c, n, -1, body)
			continue
		}
		p.addBus(c, st, base, BusType{from, to})
		for i := min(from, to); i <= max(from, to); i++ {
			if k, ok := c.byName[bitName(base, i)]; !ok || !p.lay(c.Pins[k], &body) {
				break
			}
		}
	}
}

// pinNames returns the names of the head of a pin, bus or bundle group.
func (p *parser) pinNames() []string {
	var l []string
	for i := range p.args {
		// A name has no blanks, so a string with some holds several names.
		save := p.args
		p.args = p.args[i : i+1]
		l = append(l, p.list()...)
		p.args = save
	}
	return l
}

func (p *parser) pinBody(st *stmt) Pin {
	pin := Pin{Bus: -1, Pos: st.pos}
	var s stmt
	for p.next(&s) {
		p.pinStmt(&s, &pin)
	}
	return pin
}

// pinStmt reads one statement of a pin, bus or bundle.
func (p *parser) pinStmt(st *stmt, pin *Pin) {
	if st.kind == group {
		switch st.name {
		case "timing":
			if t := p.timing(st); t != nil {
				pin.Timing = append(pin.Timing, t)
			}
		case "internal_power":
			if w := p.internalPower(st); w != nil {
				pin.Power = append(pin.Power, w)
			}
		default:
			p.skip(st)
		}
		return
	}
	switch st.name {
	case "direction":
		pin.Dir = p.direction(st)
	case "capacitance":
		pin.HasCap = p.number(st, &pin.Cap) || pin.HasCap
	case "rise_capacitance":
		pin.HasCapRise = p.edgeCap(st, pin, &pin.CapRise, &pin.CapFall)
	case "fall_capacitance":
		pin.HasCapRise = p.edgeCap(st, pin, &pin.CapFall, &pin.CapRise)
	case "max_capacitance":
		p.number(st, &pin.MaxCap)
	case "function":
		pin.FunctionText = p.str(0)
		pin.Function = p.function(st, diag.LibertyBadFunction)
	case "three_state":
		pin.ThreeState = p.function(st, diag.LibertyBadFunction)
	case "x_function":
		pin.XFunction = p.function(st, diag.LibertyBadFunction)
	case "state_function":
		pin.StateFunction = p.function(st, diag.LibertyBadFunction)
	case "internal_node":
		pin.InternalNode = p.str(0)
	case "clock":
		pin.Clock = p.boolean(st)
	case "clock_gate_clock_pin":
		pin.ClockGateClock = p.boolean(st)
	case "clock_gate_enable_pin":
		pin.ClockGateEnable = p.boolean(st)
	case "clock_gate_out_pin":
		pin.ClockGateOut = p.boolean(st)
	case "clock_gate_test_pin":
		pin.ClockGateTest = p.boolean(st)
	case "nextstate_type":
		pin.NextStateType = p.str(0)
	case "related_power_pin":
		pin.PowerPin = p.str(0)
	case "related_ground_pin":
		pin.GroundPin = p.str(0)
	case "include_file":
		p.include(st)
	default:
		p.keep(st, &pin.Attrs)
	}
}

func (p *parser) direction(st *stmt) Dir {
	switch string(p.arg(0)) {
	case "input":
		return Input
	case "output":
		return Output
	case "inout":
		return Inout
	case "internal":
		return Internal
	}
	p.badValue(st)
	return DirUnknown
}

// edgeCap sets one of the two edge capacitances, and the other too while it is not known.
func (p *parser) edgeCap(st *stmt, pin *Pin, to, other *float64) bool {
	if !p.number(st, to) {
		return pin.HasCapRise
	}
	if !pin.HasCapRise {
		*other = *to
	}
	return true
}

// addPin makes a pin of c from body, or merges body into the pin that has the name.
func (p *parser) addPin(c *Cell, name string, bus int32, body Pin) int32 {
	if i, dup := c.byName[name]; dup {
		p.bag.Add(diag.LibertyDuplicatePin, body.Pos, "pin %s of cell %s again", name, c.Name)
		merge(c.Pins[i], &body)
		return i
	}
	body.Name, body.Bus = name, bus
	i := int32(len(c.Pins))
	c.byName[name] = i
	c.Pins = append(c.Pins, &body)
	return i
}

// merge lays what from has over to. Flags and groups add up.
func merge(to, from *Pin) {
	set := func(t *string, f string) {
		if f != "" {
			*t = f
		}
	}
	if from.Dir != DirUnknown {
		to.Dir = from.Dir
	}
	if from.HasCap {
		to.Cap, to.HasCap = from.Cap, true
	}
	if from.HasCapRise {
		to.CapRise, to.CapFall, to.HasCapRise = from.CapRise, from.CapFall, true
	}
	if from.MaxCap != 0 {
		to.MaxCap = from.MaxCap
	}
	if from.Function != nil {
		to.Function = from.Function
	}
	if from.ThreeState != nil {
		to.ThreeState = from.ThreeState
	}
	if from.XFunction != nil {
		to.XFunction = from.XFunction
	}
	if from.StateFunction != nil {
		to.StateFunction = from.StateFunction
	}
	set(&to.FunctionText, from.FunctionText)
	set(&to.InternalNode, from.InternalNode)
	set(&to.NextStateType, from.NextStateType)
	set(&to.PowerPin, from.PowerPin)
	set(&to.GroundPin, from.GroundPin)
	to.Clock = to.Clock || from.Clock
	to.ClockGateClock = to.ClockGateClock || from.ClockGateClock
	to.ClockGateEnable = to.ClockGateEnable || from.ClockGateEnable
	to.ClockGateOut = to.ClockGateOut || from.ClockGateOut
	to.ClockGateTest = to.ClockGateTest || from.ClockGateTest
	if len(from.Attrs) > 0 {
		m := make(map[string]string, len(to.Attrs)+len(from.Attrs))
		for k, v := range to.Attrs {
			m[k] = v
		}
		for k, v := range from.Attrs {
			m[k] = v
		}
		to.Attrs = m
	}
	to.Timing = append(to.Timing[:len(to.Timing):len(to.Timing)], from.Timing...)
	to.Power = append(to.Power[:len(to.Power):len(to.Power)], from.Power...)
}

// parseRange reads "A[5:0]".
func parseRange(s string) (base string, from, to int32, ok bool) {
	open := -1
	colon := -1
	for i := range len(s) {
		switch s[i] {
		case '[':
			open, colon = i, -1
		case ':':
			colon = i
		}
	}
	if open <= 0 || colon < open || s[len(s)-1] != ']' {
		return "", 0, 0, false
	}
	f, err := strconv.ParseInt(s[open+1:colon], 10, 32)
	t, err2 := strconv.ParseInt(s[colon+1:len(s)-1], 10, 32)
	return s[:open], int32(f), int32(t), err == nil && err2 == nil
}

// bitName is the name of a bit of a bus.
func bitName(bus string, i int32) string { return bus + "[" + strconv.Itoa(int(i)) + "]" }
