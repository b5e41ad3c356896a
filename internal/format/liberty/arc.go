package liberty

import (
	"strings"

	"github.com/wattd/wattd/internal/diag"
)

// timing reads a timing group, nil if its condition cannot be read.
func (p *parser) timing(st *stmt) *Timing {
	t := &Timing{Pos: st.pos}
	ok := true
	var s stmt
	for p.next(&s) {
		if s.kind == group {
			switch s.name {
			case "cell_rise":
				t.CellRise = p.table(&s, p.lu)
			case "cell_fall":
				t.CellFall = p.table(&s, p.lu)
			case "rise_transition":
				t.RiseTransition = p.table(&s, p.lu)
			case "fall_transition":
				t.FallTransition = p.table(&s, p.lu)
			default:
				p.skip(&s)
			}
			continue
		}
		switch s.name {
		case "related_pin":
			t.Related = append(t.Related, p.list()...)
		case "related_bus_pins":
			t.Related = append(t.Related, p.list()...)
			t.allBits = true
		case "timing_sense":
			t.Sense = p.str(0)
		case "timing_type":
			t.Type = p.str(0)
		case "when":
			t.When, t.WhenText, ok = p.when(&s)
		case "sdf_cond":
			t.SDFCond = p.str(0)
		default:
			p.keep(&s, &t.Attrs)
		}
	}
	if !ok {
		return nil
	}
	return t
}

// internalPower reads an internal_power group, nil if its condition cannot be read.
func (p *parser) internalPower(st *stmt) *InternalPower {
	w := &InternalPower{Pos: st.pos}
	ok := true
	var s stmt
	for p.next(&s) {
		if s.kind == group {
			switch s.name {
			case "rise_power":
				w.Rise = p.table(&s, p.power)
			case "fall_power":
				w.Fall = p.table(&s, p.power)
			case "power":
				t := p.table(&s, p.power)
				w.Rise, w.Fall = t, t
			default:
				p.skip(&s)
			}
			continue
		}
		switch s.name {
		case "related_pin", "related_input":
			w.Related = append(w.Related, p.list()...)
		case "related_bus_pins":
			w.Related = append(w.Related, p.list()...)
			w.allBits = true
		case "equal_or_opposite_output":
			w.EqualOrOpposite = append(w.EqualOrOpposite, p.list()...)
		case "related_pg_pin":
			w.RelatedPG = p.str(0)
		case "when":
			w.When, w.WhenText, ok = p.when(&s)
		case "mode":
			var v []string
			for i := range p.args {
				v = append(v, p.str(i))
			}
			w.Mode = strings.Join(v, "=")
		default:
			p.keep(&s, &w.Attrs)
		}
	}
	if !ok {
		return nil
	}
	return w
}

// keep stores a simple attribute as text.
func (p *parser) keep(st *stmt, attrs *map[string]string) {
	if st.kind != simple {
		return
	}
	if *attrs == nil {
		*attrs = map[string]string{}
	}
	(*attrs)[st.name] = p.str(0)
}

// table reads a table group, nil if its values are not one for each point of its axes.
func (p *parser) table(st *stmt, templates map[string]*Template) *Table {
	name := p.str(0)
	t := &Table{Template: templates[name]}
	scalar := name == "" || name == "scalar"
	var own [3][]float64
	ok := true
	var s stmt
	for p.nextAttr(&s) {
		good := true
		switch s.name {
		case "values":
			t.Values, good = p.tableValues()
		case "index_1", "index_2", "index_3":
			own[s.name[6]-'1'], good = p.indices()
		}
		if !good {
			p.bag.Add(diag.LibertyBadTable, s.pos, "%s: %s is not a list of numbers", st.name, s.name)
			ok = false
		}
	}
	if !ok {
		return nil
	}
	points := 1
	switch {
	case t.Template != nil:
		for k := range min(len(t.Template.Vars), len(own)) {
			x := own[k]
			if x == nil && k < len(t.Template.Index) {
				x = t.Template.Index[k]
			}
			points *= len(x)
			t.Index = append(t.Index, x)
		}
	case !scalar:
		p.bag.Add(diag.LibertyBadTable, st.pos, "%s: no template %q", st.name, name)
		return nil
	}
	if len(t.Values) != points {
		p.bag.Add(diag.LibertyBadTable, st.pos, "%s: %d values for %d points", st.name, len(t.Values), points)
		return nil
	}
	return t
}
