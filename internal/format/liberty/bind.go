package liberty

import (
	"slices"
	"strconv"

	"github.com/wattd/wattd/internal/diag"
	"github.com/wattd/wattd/internal/logic"
)

// binder replaces names of buses in what the bits of buses and bundles say.
type binder struct {
	p      *parser
	c      *Cell
	bus    map[string]*Bus
	styled map[string]string // bit names as bus_naming_style writes them, nil for the usual style
	// wide holds lists that name all bits of a bus by the first name of what they were made from: they are long, and the
	// same for every pin of a bus.
	wide map[wideKey][]string
	// misfit is the last name of a bus of another width in a function.
	misfit string
}

// wideKey is a list of names by its first, and the width of the bus that it is for.
type wideKey struct {
	first *string
	width int
}

func newBinder(p *parser, c *Cell) *binder {
	b := &binder{p: p, c: c, bus: map[string]*Bus{}, wide: map[wideKey][]string{}}
	for i := range c.Buses {
		b.bus[c.Buses[i].Name] = &c.Buses[i]
	}
	if p.style != (busStyle{"[", "]"}) {
		b.styled = map[string]string{}
		for _, bus := range c.Buses {
			for _, i := range bus.Pins {
				if f, _, ok := p.bits(bus.Name, c.Pins[i].Name); ok && !bus.IsBundle {
					b.styled[bus.Name+p.style.open+strconv.Itoa(int(f))+p.style.close] = c.Pins[i].Name
				}
			}
		}
	}
	return b
}

// bits lists the pins that a name stands for, nil if it is not a bus or a part of one.
func (b *binder) bits(name string) []int32 {
	if bus := b.bus[name]; bus != nil {
		return bus.Pins
	}
	base, from, to, ok := parseRange(name)
	bus := b.bus[base]
	if !ok || bus == nil || bus.IsBundle || !b.p.spend(len(bus.Pins), b.c.Pos) {
		return nil
	}
	i, okFrom := b.c.byName[bitName(base, from)]
	j, okTo := b.c.byName[bitName(base, to)]
	x, y := slices.Index(bus.Pins, i), slices.Index(bus.Pins, j)
	if !okFrom || !okTo || x < 0 || y < 0 {
		return nil
	}
	if x <= y {
		return bus.Pins[x : y+1]
	}
	part := slices.Clone(bus.Pins[y : x+1])
	slices.Reverse(part)
	return part
}

func (b *binder) bind() {
	c := b.c
	for i := range c.FF {
		b.seq(&c.FF[i])
	}
	for i := range c.Latch {
		b.seq(&c.Latch[i])
	}
	for i := range c.Leakage {
		c.Leakage[i].When = b.expr(c.Leakage[i].When, -1, 0)
	}
	// Position of each pin in its bus, and the width of that.
	at := make([]int, len(c.Pins))
	width := make([]int, len(c.Pins))
	for i := range at {
		at[i] = -1
	}
	for _, bus := range c.Buses {
		for k, i := range bus.Pins {
			at[i], width[i] = k, len(bus.Pins)
		}
	}
	for i, pin := range c.Pins {
		k, w := at[i], width[i]
		b.misfit = ""
		pin.Function = b.expr(pin.Function, k, w)
		if b.misfit != "" {
			b.p.bag.Add(diag.LibertyBadBus, pin.Pos, "function %q of pin %s: %s does not have the %d bits of the bus of the pin", pin.FunctionText, pin.Name, b.misfit, w)
		}
		pin.ThreeState = b.expr(pin.ThreeState, k, w)
		pin.XFunction = b.expr(pin.XFunction, k, w)
		pin.StateFunction = b.expr(pin.StateFunction, k, w)
		for j, t := range pin.Timing {
			when, related := b.expr(t.When, k, w), b.related(t.Related, t.allBits, k, w)
			if (when != t.When || !slices.Equal(related, t.Related)) && b.p.spend(8, t.Pos) {
				own := *t
				own.When, own.Related = when, related
				pin.Timing[j] = &own
			}
		}
		for j, t := range pin.Power {
			when, related := b.expr(t.When, k, w), b.related(t.Related, t.allBits, k, w)
			equal := b.related(t.EqualOrOpposite, false, k, w)
			if (when != t.When || !slices.Equal(related, t.Related) || !slices.Equal(equal, t.EqualOrOpposite)) && b.p.spend(8, t.Pos) {
				own := *t
				own.When, own.Related, own.EqualOrOpposite = when, related, equal
				pin.Power[j] = &own
			}
		}
	}
}

// seq renames bits in the functions of a register; names of buses stay, they mean the bit of the bank.
func (b *binder) seq(q *Seq) {
	for _, e := range []**logic.Expr{&q.ClockedOn, &q.ClockedOnAlso, &q.NextState, &q.Enable, &q.DataIn, &q.EnableAlso, &q.Clear, &q.Preset, &q.PowerDown} {
		*e = b.expr(*e, -1, 0)
	}
}

// expr returns e with names of buses of width w replaced by their bit k; trees are shared, so a changed one is new.
func (b *binder) expr(e *logic.Expr, k, w int) *logic.Expr {
	if e == nil || !b.p.spend(1, b.c.Pos) {
		return e
	}
	if e.Op == logic.Var {
		name := e.Name
		if s, ok := b.styled[name]; ok {
			name = s
		} else if k >= 0 {
			switch bits := b.bits(name); len(bits) {
			case w:
				name = b.c.Pins[bits[k]].Name
			case 0:
			default:
				b.misfit = name
			}
		}
		if name == e.Name || !b.p.spend(3, b.c.Pos) {
			return e
		}
		return &logic.Expr{Op: logic.Var, Name: name}
	}
	var kids []*logic.Expr
	for i, x := range e.Kids {
		y := b.expr(x, k, w)
		if y != x && kids == nil {
			kids = slices.Clone(e.Kids)
		}
		if kids != nil {
			kids[i] = y
		}
	}
	if kids == nil {
		return e
	}
	return &logic.Expr{Op: e.Op, Value: e.Value, Kids: kids}
}

// related replaces buses by the bit in the same position, or by all bits where there is no such bit.
func (b *binder) related(names []string, allBits bool, k, w int) []string {
	if len(names) == 0 {
		return nil
	}
	key := wideKey{&names[0], w}
	if out, ok := b.wide[key]; ok {
		return out
	}
	var out []string
	same := true
	for _, n := range names {
		if s, ok := b.styled[n]; ok {
			n = s
		}
		bits := b.bits(n)
		switch {
		case bits == nil:
			out = append(out, n)
		case k >= 0 && len(bits) == w && !allBits:
			out = append(out, b.c.Pins[bits[k]].Name)
			same = false
		case b.p.spend(len(bits), b.c.Pos):
			for _, i := range bits {
				out = append(out, b.c.Pins[i].Name)
			}
		}
	}
	if same && len(out) != len(names) {
		b.wide[key] = out
	}
	return out
}
