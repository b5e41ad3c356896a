package model

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Liberty is the library as text.
func (c *Circuit) Liberty() string {
	var b strings.Builder
	r := rand.New(rand.NewPCG(c.Seed, 3))
	p := func(f string, args ...any) { fmt.Fprintf(&b, f, args...) }
	fn := func(e *Expr) string { return e.Text(Liberty, r, nil) }
	p("library (lib) {\n  delay_model : table_lookup;\n  time_unit : \"1ns\";\n  voltage_unit : \"1V\";\n  capacitive_load_unit (1,pf);\n")
	for _, cell := range c.Cells {
		if cell.Black {
			continue
		}
		p("  cell (%s) {\n", cell.Name)
		if l := cell.Latch; l != nil {
			p("    latch (%s,%s) { enable : \"%s\"; data_in : \"%s\";", l.IQ, l.IQN, fn(l.Enable), fn(l.Data))
			if l.Clear != nil {
				p(" clear : \"%s\";", fn(l.Clear))
			}
			if l.Preset != nil {
				p(" preset : \"%s\";", fn(l.Preset))
			}
			if l.ClearPreset1 != 0 {
				p(" clear_preset_var1 : %c;", l.ClearPreset1)
			}
			if l.ClearPreset2 != 0 {
				p(" clear_preset_var2 : %c;", l.ClearPreset2)
			}
			p(" }\n")
		}
		if f := cell.FF; f != nil {
			p("    ff (%s,%s) { clocked_on : \"%s\"; next_state : \"%s\"; }\n", f.IQ, f.IQN, fn(f.Clocked), fn(f.Next))
		}
		if t := cell.Table; t != nil {
			p("    clock_gating_integrated_cell : \"generic\";\n    statetable (\"%s\",\"%s\") { table : \"%s\"; }\n", strings.Join(t.Inputs, " "), strings.Join(t.Nodes, " "), strings.Join(t.Rows, " , "))
		}
		for _, pin := range cell.Pins {
			switch pin.Dir {
			case In:
				p("    pin (%s) { direction : input; capacitance : 0.001; }\n", pin.Name)
			case Internal:
				p("    pin (%s) { direction : internal; internal_node : \"%s\"; }\n", pin.Name, pin.Name)
			default:
				attr := "function"
				if cell.Table != nil {
					attr = "state_function"
				}
				p("    pin (%s) { direction : output; %s : \"%s\";", pin.Name, attr, fn(pin.Fn))
				if pin.Tri != nil {
					p(" three_state : \"%s\";", fn(pin.Tri))
				}
				p(" }\n")
			}
		}
		p("  }\n")
	}
	p("}\n")
	return b.String()
}
