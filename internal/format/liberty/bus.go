package liberty

import (
	"slices"
	"strconv"
	"strings"

	"github.com/wattd/wattd/internal/diag"
)

// maxBusWidth bounds the bits of one bus, so that a wrong number cannot fill the memory.
const maxBusWidth = 1 << 14

// maxWork bounds what the buses of one library may cost, as a few bytes of text can stand for many bits. A unit is a merge of two
// pins, a group or a name in one; a new pin is newPinWork units. A memory of a few hundred bits needs some ten thousand.
const (
	maxWork    = 1 << 23
	newPinWork = 16
)

// spend takes n units, or says that there are no more.
func (p *parser) spend(n int, pos diag.Pos) bool {
	if p.work < 0 {
		return false
	}
	if p.work += n; p.work <= maxWork {
		return true
	}
	p.work = -1
	p.bag.Add(diag.LibertyBadBus, pos, "the buses up to here have too many bits; no more are expanded")
	return false
}

// busStyle is what bus_naming_style puts before and behind an index.
type busStyle struct{ open, close string }

func parseStyle(s string) (busStyle, bool) {
	s, ok := strings.CutPrefix(s, "%s")
	open, shut, ok2 := strings.Cut(s, "%d")
	return busStyle{open, shut}, ok && ok2
}

// busType reads a type group.
func (p *parser) busType(st *stmt) (BusType, bool) {
	name := p.str(0)
	var width, from, to float64
	var hasFrom, hasTo, down bool
	var s stmt
	for p.nextAttr(&s) {
		switch s.name {
		case "bit_width":
			p.number(&s, &width)
		case "bit_from":
			hasFrom = p.number(&s, &from)
		case "bit_to":
			hasTo = p.number(&s, &to)
		case "downto":
			down = p.boolean(&s)
		}
	}
	if !hasFrom || !hasTo {
		switch {
		case hasFrom && down:
			to = from - width + 1
		case hasFrom:
			to = from + width - 1
		case hasTo && down:
			from = to + width - 1
		case hasTo:
			from = to - width + 1
		case down:
			from, to = width-1, 0
		default:
			from, to = 0, width-1
		}
	}
	b := BusType{int32(from), int32(to)}
	if float64(b.From) != from || float64(b.To) != to || max(from, to)-min(from, to) >= maxBusWidth || from < 0 || to < 0 {
		p.bag.Add(diag.LibertyBadBus, st.pos, "type %s goes from bit %v to bit %v", name, from, to)
		return b, false
	}
	return b, true
}

// addBus makes a bus with bare pins, or adds the bits that it lacks to one that is there.
func (p *parser) addBus(c *Cell, st *stmt, name string, t BusType) int {
	b := slices.IndexFunc(c.Buses, func(b Bus) bool { return b.Name == name })
	if b < 0 {
		b = len(c.Buses)
		c.Buses = append(c.Buses, Bus{Name: name, From: t.From, To: t.To})
	}
	bus := &c.Buses[b]
	lo, hi := min(bus.From, bus.To, t.From, t.To), max(bus.From, bus.To, t.From, t.To)
	if hi-lo >= maxBusWidth || lo < 0 || bus.IsBundle {
		p.bag.Add(diag.LibertyBadBus, st.pos, "bus %s goes from bit %d to bit %d", name, t.From, t.To)
		return b
	}
	if !p.spend(4*int(hi-lo+1), st.pos) {
		return b
	}
	down := bus.From > bus.To || bus.From == bus.To && t.From > t.To
	for _, i := range bitOrder(min(t.From, t.To), max(t.From, t.To), t.From > t.To) {
		n := p.intern([]byte(bitName(name, i)))
		if k, there := c.byName[n]; there {
			c.Pins[k].Bus = int32(b)
		} else if p.spend(newPinWork, st.pos) {
			p.addPin(c, n, int32(b), Pin{Pos: st.pos})
		}
	}
	bus.Pins = bus.Pins[:0]
	for _, i := range bitOrder(lo, hi, down) {
		if k, ok := c.byName[bitName(name, i)]; ok && c.Pins[k].Bus == int32(b) {
			bus.Pins = append(bus.Pins, k)
		}
	}
	if bus.From, bus.To = lo, hi; down {
		bus.From, bus.To = hi, lo
	}
	return b
}

// bitOrder lists lo..hi, downwards if down.
func bitOrder(lo, hi int32, down bool) []int32 {
	var l []int32
	for i := lo; i <= hi; i++ {
		l = append(l, i)
	}
	if down {
		slices.Reverse(l)
	}
	return l
}

// inner is a pin group inside a bus or bundle.
type inner struct {
	names []string
	body  Pin
}

// members reads the body of a bus or bundle: what holds for all its bits, and the pins inside. special is asked first.
func (p *parser) members(st *stmt, special func(*stmt) bool) (all Pin, pins []inner) {
	all = Pin{Bus: -1, Pos: st.pos}
	var s stmt
	for p.next(&s) {
		switch {
		case s.kind == group && s.name == "pin":
			in := inner{names: p.pinNames()}
			in.body = p.pinBody(&s)
			pins = append(pins, in)
		case s.kind != group && special(&s):
		default:
			p.pinStmt(&s, &all)
		}
	}
	return all, pins
}

func (p *parser) bus(st *stmt, b *cellBody) {
	names := p.pinNames()
	typ := ""
	all, pins := p.members(st, func(s *stmt) bool {
		if s.name != "bus_type" {
			return false
		}
		typ = p.str(0)
		return true
	})
	for _, name := range names {
		t, ok := b.types[typ]
		if !ok {
			t, ok = p.lib.Types[typ]
		}
		if !ok {
			t, ok = p.span(name, pins)
		}
		if !ok {
			p.bag.Add(diag.LibertyBadBus, st.pos, "bus %s of cell %s: no type %q, and no pins inside that tell its bits", name, b.c.Name, typ)
			continue
		}
		i := p.addBus(b.c, st, name, t)
		p.fill(b.c, &b.c.Buses[i], all, pins)
	}
}

// span is the range of a bus that has no type, from the first to the last index of the pins inside.
func (p *parser) span(bus string, pins []inner) (t BusType, ok bool) {
	for _, in := range pins {
		for _, n := range in.names {
			from, to, good := p.bits(bus, n)
			if !good {
				continue
			}
			if !ok {
				t.From = from
			}
			t.To, ok = to, true
		}
	}
	return t, ok
}

// bits returns the range that a name inside a bus means.
func (p *parser) bits(bus, name string) (from, to int32, ok bool) {
	if base, f, t, ok := parseRange(name); ok && base == bus {
		return f, t, true
	}
	for _, s := range []busStyle{{"[", "]"}, p.style} {
		rest, ok := strings.CutPrefix(name, bus+s.open)
		if !ok {
			continue
		}
		if rest, ok = strings.CutSuffix(rest, s.close); !ok {
			continue
		}
		if i, err := strconv.ParseInt(rest, 10, 32); err == nil {
			return int32(i), int32(i), true
		}
	}
	return 0, 0, false
}

// lay merges a pin that may stand for many, or says that there is no more work to spend.
func (p *parser) lay(to, from *Pin) bool {
	ok := p.spend(4+len(to.Timing)+len(from.Timing)+len(to.Power)+len(from.Power)+len(to.Attrs)+len(from.Attrs), from.Pos)
	if ok {
		merge(to, from)
	}
	return ok
}

// fill gives the bits of a bus what holds for all, and then what the pins inside say.
func (p *parser) fill(c *Cell, bus *Bus, all Pin, pins []inner) {
	for _, i := range bus.Pins {
		p.lay(c.Pins[i], &all)
	}
	for _, in := range pins {
		for _, n := range in.names {
			if n == bus.Name {
				for _, i := range bus.Pins {
					p.lay(c.Pins[i], &in.body)
				}
				continue
			}
			from, to, ok := p.bits(bus.Name, n)
			if !ok || min(from, to) < min(bus.From, bus.To) || max(from, to) > max(bus.From, bus.To) {
				p.bag.Add(diag.LibertyBadBus, in.body.Pos, "pin %s is not a bit of bus %s[%d:%d]", n, bus.Name, bus.From, bus.To)
				continue
			}
			for i := min(from, to); i <= max(from, to); i++ {
				k, ok := c.byName[bitName(bus.Name, i)]
				if !ok || !p.lay(c.Pins[k], &in.body) {
					break
				}
				c.Pins[k].Pos = in.body.Pos
			}
		}
	}
}

func (p *parser) bundle(st *stmt, b *cellBody) {
	names := p.pinNames()
	var list []string
	all, pins := p.members(st, func(s *stmt) bool {
		if s.name != "members" {
			return false
		}
		list = p.pinNames()
		return true
	})
	if len(list) == 0 {
		for _, in := range pins {
			list = append(list, in.names...)
		}
	}
	if len(names) != 1 || len(list) == 0 {
		p.bag.Add(diag.LibertyBadBus, st.pos, "a bundle of cell %s has no name or no members", b.c.Name)
		return
	}
	c := b.c
	n := int32(len(c.Buses))
	bus := Bus{Name: names[0], IsBundle: true}
	for _, m := range list {
		if !p.spend(newPinWork, st.pos) {
			return
		}
		i, ok := c.byName[m]
		if ok { // a bundle may group pins that are there already
			c.Pins[i].Bus = n
		} else {
			i = p.addPin(c, m, n, Pin{Pos: st.pos})
		}
		p.lay(c.Pins[i], &all)
		bus.Pins = append(bus.Pins, i)
	}
	c.Buses = append(c.Buses, bus)
	for _, in := range pins {
		for _, m := range in.names {
			if i, ok := c.byName[m]; !ok || c.Pins[i].Bus != n {
				p.bag.Add(diag.LibertyBadBus, in.body.Pos, "pin %s is not a member of bundle %s", m, bus.Name)
				continue
			}
			pin := c.Pins[c.byName[m]]
			pin.Pos = in.body.Pos
			p.lay(pin, &in.body)
		}
	}
}
