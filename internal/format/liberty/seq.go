package liberty

import (
	"strings"

	"github.com/wattd/wattd/internal/diag"
	"github.com/wattd/wattd/internal/logic"
)

// seq reads an ff, ff_bank, latch or latch_bank group.
func (p *parser) seq(st *stmt) Seq {
	q := Seq{IQ: p.str(0), IQN: p.str(1), Pos: st.pos}
	if q.IQ == "" {
		p.bag.Add(diag.LibertyBadValue, st.pos, "%s without the name of a state", st.name)
	}
	if strings.HasSuffix(st.name, "_bank") {
		w, ok := parseFloat(p.arg(2))
		if !ok || w < 1 || w > maxBusWidth || w != float64(int32(w)) {
			p.bag.Add(diag.LibertyBadValue, st.pos, "%s %s has width %q", st.name, q.IQ, p.arg(2))
			w = 1
		}
		q.Width = int32(w)
	}
	var s stmt
	for p.nextAttr(&s) {
		var to **logic.Expr
		switch s.name {
		case "clocked_on":
			to = &q.ClockedOn
		case "clocked_on_also":
			to = &q.ClockedOnAlso
		case "next_state":
			to = &q.NextState
		case "enable":
			to = &q.Enable
		case "enable_also":
			to = &q.EnableAlso
		case "data_in":
			to = &q.DataIn
		case "clear":
			to = &q.Clear
		case "preset":
			to = &q.Preset
		case "power_down_function":
			to = &q.PowerDown
		case "clear_preset_var1":
			q.ClearPreset1 = p.clearPreset(&s)
			continue
		case "clear_preset_var2":
			q.ClearPreset2 = p.clearPreset(&s)
			continue
		default:
			continue
		}
		*to = p.function(&s, diag.LibertyBadFunction)
	}
	return q
}

func (p *parser) clearPreset(st *stmt) byte {
	if v := p.arg(0); len(v) == 1 && strings.IndexByte("LHNTX", v[0]&^0x20) >= 0 {
		return v[0] &^ 0x20
	}
	p.badValue(st)
	return 0
}

// stateTable reads a statetable group, nil if it cannot be used.
func (p *parser) stateTable(st *stmt) *StateTable {
	t := &StateTable{Pos: st.pos, Inputs: strings.Fields(p.str(0)), Nodes: strings.Fields(p.str(1))}
	if len(p.args) != 2 || len(t.Inputs) == 0 || len(t.Nodes) == 0 {
		p.bag.Add(diag.LibertyBadStatetable, st.pos, "statetable needs the names of its inputs and of its nodes, as two values")
		p.skipGroup()
		return nil
	}
	var s stmt
	ok := true
	for p.nextAttr(&s) {
		if s.name != "table" {
			continue
		}
		for _, text := range stateRows(string(p.arg(0))) {
			row, fault := t.row(text)
			if fault != "" {
				p.bag.Add(diag.LibertyBadStatetable, s.pos, "row %q: %s", text, fault)
				ok = false
				break
			}
			t.Rows = append(t.Rows, row)
		}
	}
	if ok && len(t.Rows) == 0 {
		p.bag.Add(diag.LibertyBadStatetable, st.pos, "statetable without rows")
		ok = false
	}
	if !ok {
		return nil
	}
	return t
}

// stateRows cuts a table at commas, and at line ends where commas are missing: where a piece has more than one row's
// colons.
func stateRows(text string) []string {
	var rows []string
	add := func(s string) {
		if s = strings.Join(strings.Fields(s), " "); s != "" {
			rows = append(rows, s)
		}
	}
	for _, piece := range strings.Split(text, ",") {
		if strings.Count(piece, ":") <= 2 {
			add(piece)
			continue
		}
		for _, line := range strings.Split(piece, "\n") {
			add(line)
		}
	}
	return rows
}

func (t *StateTable) row(text string) (StateRow, string) {
	part := strings.Split(text, ":")
	if len(part) != 3 {
		return StateRow{}, "it does not have two colons"
	}
	r := StateRow{strings.Fields(part[0]), strings.Fields(part[1]), strings.Fields(part[2])}
	for _, c := range []struct {
		what  string
		cells []string
		n     int
		legal string
	}{
		{"inputs", r.In, len(t.Inputs), " L H - R F ~R ~F L/H H/L "},
		{"current states", r.Cur, len(t.Nodes), " L H - L/H H/L "},
		{"next states", r.Next, len(t.Nodes), " L H - X N L/H H/L "},
	} {
		if len(c.cells) != c.n {
			return r, "the number of " + c.what + " is wrong"
		}
		for _, v := range c.cells {
			if !strings.Contains(c.legal, " "+v+" ") {
				return r, "'" + v + "' is not one of the " + c.what
			}
		}
	}
	return r, ""
}
