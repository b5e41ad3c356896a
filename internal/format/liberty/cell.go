package liberty

import (
	"github.com/wattd/wattd/internal/diag"
)

func (p *parser) cell(st *stmt) {
	c := &Cell{Name: p.str(0), Pos: st.pos, Lib: p.lib, byName: map[string]int32{}}
	if c.Name == "" {
		p.badValue(st)
	}
	b := cellBody{c: c}
	var s stmt
	for p.next(&s) {
		switch s.kind {
		case simple:
			p.cellAttr(&s, c)
		case group:
			p.cellGroup(&s, &b)
		case complex:
			if s.name == "include_file" {
				p.include(&s)
			}
		}
	}
	p.finishCell(c)
	p.addCell(c)
}

// cellBody is a cell that is being read.
type cellBody struct {
	c     *Cell
	types map[string]BusType // type groups of the cell itself
}

func (p *parser) cellAttr(st *stmt, c *Cell) {
	switch st.name {
	case "area":
		p.number(st, &c.Area)
	case "cell_leakage_power":
		if p.number(st, &c.LeakDefault) {
			c.HasLeakDefault = true
			p.sawLeakage(st, c.LeakDefault)
		}
	case "clock_gating_integrated_cell":
		c.ClockGate = p.str(0)
	case "is_macro_cell", "interface_timing":
		c.Macro = p.boolean(st) || c.Macro
	case "pad_cell":
		c.Pad = p.boolean(st)
	case "dont_use":
		c.DontUse = p.boolean(st)
	case "is_filler_cell", "is_decap_cell", "is_tap_cell":
		c.Filler = p.boolean(st) || c.Filler
	case "include_file":
		p.include(st)
	default:
		if c.Attrs == nil {
			c.Attrs = map[string]string{}
		}
		c.Attrs[st.name] = p.str(0)
	}
}

func (p *parser) sawLeakage(st *stmt, v float64) {
	if v != 0 && p.hasLeak.File == "" {
		p.hasLeak = st.pos
	}
}

func (p *parser) cellGroup(st *stmt, b *cellBody) {
	c := b.c
	switch st.name {
	case "pin":
		p.cellPin(st, c)
	case "bus":
		p.bus(st, b)
	case "bundle":
		p.bundle(st, b)
	case "pg_pin":
		p.pgPin(c)
	case "ff", "ff_bank":
		c.FF = append(c.FF, p.seq(st))
	case "latch", "latch_bank":
		c.Latch = append(c.Latch, p.seq(st))
	case "statetable":
		if t := p.stateTable(st); t != nil {
			if c.States != nil {
				p.bag.Add(diag.LibertyBadStatetable, st.pos, "cell %s has more than one statetable", c.Name)
			}
			c.States = t
		}
	case "leakage_power":
		p.leakage(st, c)
	case "memory":
		c.Macro = true
		p.skipGroup()
	case "test_cell":
		c.HasTest = true
		p.skipGroup()
	case "type":
		name := p.str(0)
		if t, ok := p.busType(st); ok {
			if b.types == nil {
				b.types = map[string]BusType{}
			}
			b.types[name] = t
		}
	default:
		p.skip(st)
	}
}

func (p *parser) pgPin(c *Cell) {
	for i := range p.args {
		c.PG = append(c.PG, PGPin{Name: p.str(i)})
	}
	pins := c.PG[len(c.PG)-len(p.args):]
	var st stmt
	for p.nextAttr(&st) {
		for i := range pins {
			switch st.name {
			case "pg_type":
				pins[i].Type = p.str(0)
			case "voltage_name":
				pins[i].Voltage = p.str(0)
			}
		}
	}
}

func (p *parser) leakage(st *stmt, c *Cell) {
	var l Leakage
	ok, has := true, false
	var s stmt
	for p.nextAttr(&s) {
		switch s.name {
		case "value":
			has = p.number(&s, &l.Value)
			p.sawLeakage(&s, l.Value)
		case "when":
			l.When, l.WhenText, ok = p.when(&s)
		case "related_pg_pin":
			l.RelatedPG = p.str(0)
		}
	}
	switch {
	case !ok:
	case !has:
		p.bag.Add(diag.LibertyBadValue, st.pos, "leakage_power without a value")
	default:
		c.Leakage = append(c.Leakage, l)
	}
}

// finishCell does what needs all pins of the cell.
func (p *parser) finishCell(c *Cell) {
	directed := false
	for _, pin := range c.Pins {
		directed = directed || pin.Dir != DirUnknown
		if pin.Dir == DirUnknown {
			p.bag.Add(diag.LibertyNoDirection, pin.Pos, "pin %s of cell %s", pin.Name, c.Name)
		}
	}
	c.Filler = c.Filler || !directed
	for _, b := range c.Buses {
		if n := max(b.From, b.To) - min(b.From, b.To) + 1; !b.IsBundle && int(n) != len(b.Pins) {
			p.bag.Add(diag.LibertyBadBus, c.Pos, "bus %s[%d:%d] of cell %s has %d bits", b.Name, b.From, b.To, c.Name, len(b.Pins))
		}
	}
	if len(c.Buses) > 0 {
		newBinder(p, c).bind()
	}
}
