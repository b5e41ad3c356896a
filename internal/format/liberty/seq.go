package liberty

import (
	"fmt"
	"slices"
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
		for rest := stateTokens(string(p.arg(0))); len(rest) > 0; {
			var row StateRow
			var fault string
			before := rest
			if row, rest, fault = t.row(rest); fault != "" {
				p.bag.Add(diag.LibertyBadStatetable, s.pos, "row %d, %q: %s", len(t.Rows)+1, rowText(before), fault)
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

// stateTokens cuts a table into cells, ":" and ",". Where lines end does not matter.
func stateTokens(text string) []string {
	text = strings.ReplaceAll(strings.ReplaceAll(text, ":", " : "), ",", " , ")
	return strings.Fields(text)
}

// rowText is the row at the start of tokens, for a message.
func rowText(tokens []string) string {
	n := slices.Index(tokens, ",")
	if n < 0 {
		n = len(tokens)
	}
	return strings.Join(tokens[:min(n, 40)], " ")
}

// row reads a row from the start of tokens and returns the rest. The comma behind a row may be missing, as the number of
// its last cells is known.
func (t *StateTable) row(tokens []string) (r StateRow, rest []string, fault string) {
	for _, c := range []struct {
		what  string
		to    *[]string
		n     int
		legal string
		end   string
	}{
		{"inputs", &r.In, len(t.Inputs), " L H - R F ~R ~F L/H H/L ", ":"},
		{"current states", &r.Cur, len(t.Nodes), " L H - L/H H/L ", ":"},
		{"next states", &r.Next, len(t.Nodes), " L H - X N L/H H/L ", ","},
	} {
		for n, v := range tokens[:min(c.n, len(tokens))] {
			if v == ":" || v == "," {
				return r, nil, fmt.Sprintf("%d %s where %d should be", n, c.what, c.n)
			}
			if !strings.Contains(c.legal, " "+v+" ") {
				return r, nil, fmt.Sprintf("'%s' is not one of the %s", v, c.what)
			}
		}
		if len(tokens) < c.n {
			return r, nil, fmt.Sprintf("%d %s where %d should be", len(tokens), c.what, c.n)
		}
		*c.to, tokens = tokens[:c.n:c.n], tokens[c.n:]
		if len(tokens) > 0 && tokens[0] == c.end {
			tokens = tokens[1:]
		} else if c.end == ":" {
			return r, nil, fmt.Sprintf("no ':' behind %d %s", c.n, c.what)
		}
	}
	return r, tokens, ""
}
