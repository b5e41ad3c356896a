package liberty

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/wattd/wattd/internal/logic"
)

// dump writes a library as text.
func dump(w io.Writer, l *Library) {
	p := func(format string, args ...any) { fmt.Fprintf(w, format+"\n", args...) }
	p("library %s time %de%d s, cap %g F, %g V, %g A, %g W, %g ohm", l.Name, l.TimeUnit.Coef, l.TimeUnit.Exp, l.CapUnit, l.VoltUnit, l.CurrentUnit, l.LeakUnit, l.ResUnit)
	p("  nominal %g V %g C %g", l.NomVoltage, l.NomTemp, l.NomProc)
	p("  slew %g-%g %g-%g derate %g, in %g %g, out %g %g", l.SlewLowerRise, l.SlewUpperRise, l.SlewLowerFall, l.SlewUpperFall, l.SlewDerate,
		l.InThreshRise, l.InThreshFall, l.OutThreshRise, l.OutThreshFall)
	p("  voltages %v", l.Voltages)
	p("  conditions %v default %s", l.Conditions, l.DefaultOC)
	p("  types %v", l.Types)
	p("  attrs %v", l.Attrs)
	for _, n := range slices.Sorted(maps.Keys(l.Templates)) {
		p("  template %s %v %v", n, l.Templates[n].Vars, l.Templates[n].Index)
	}
	p("  default wire load %s", l.DefaultWL)
	for _, m := range []map[string]*Group{l.WireLoads, l.WireLoadSelections} {
		for _, n := range slices.Sorted(maps.Keys(m)) {
			p("  %s %v", m[n].Name, m[n].Args)
			for _, a := range m[n].Attrs {
				p("    %s %q", a.Name, a.Values)
			}
		}
	}
	for _, c := range l.Cells {
		dumpCell(p, c)
	}
}

func dumpCell(p func(string, ...any), c *Cell) {
	flags := ""
	for _, f := range []struct {
		on   bool
		name string
	}{{c.HasTest, "test"}, {c.Macro, "macro"}, {c.Pad, "pad"}, {c.DontUse, "dont-use"}, {c.Filler, "filler"}, {c.Sequential(), "seq"}} {
		if f.on {
			flags += " " + f.name
		}
	}
	p("cell %s line %d area %g%s", c.Name, c.Pos.Line, c.Area, flags)
	if c.ClockGate != "" {
		p("  clock gate %s", c.ClockGate)
	}
	if len(c.Attrs) > 0 {
		p("  attrs %v", c.Attrs)
	}
	if c.HasLeakDefault {
		p("  leakage %g", c.LeakDefault)
	}
	for _, x := range c.Leakage {
		p("  leakage %g when %s pg %q", x.Value, show(x.When), x.RelatedPG)
	}
	for _, x := range c.PG {
		p("  pg %s %s %s", x.Name, x.Type, x.Voltage)
	}
	for _, x := range c.FF {
		dumpSeq(p, "ff", x)
	}
	for _, x := range c.Latch {
		dumpSeq(p, "latch", x)
	}
	if s := c.States; s != nil {
		p("  statetable %q %q", s.Inputs, s.Nodes)
		for _, r := range s.Rows {
			p("    %v : %v : %v", r.In, r.Cur, r.Next)
		}
	}
	if v := c.StateVars(); v != nil {
		p("  state %v", v)
	}
	for _, b := range c.Buses {
		p("  bus %s [%d:%d] bundle %t %v", b.Name, b.From, b.To, b.IsBundle, b.Pins)
	}
	for _, x := range c.Pins {
		dumpPin(p, x)
	}
}

func dumpSeq(p func(string, ...any), what string, s Seq) {
	p("  %s %q %q width %d", what, s.IQ, s.IQN, s.Width)
	for _, e := range []struct {
		name string
		e    *logic.Expr
	}{
		{"clocked_on", s.ClockedOn},
		{"clocked_on_also", s.ClockedOnAlso},
		{"next_state", s.NextState},
		{"enable", s.Enable},
		{"enable_also", s.EnableAlso},
		{"data_in", s.DataIn},
		{"clear", s.Clear},
		{"preset", s.Preset},
		{"power_down", s.PowerDown},
	} {
		if e.e != nil {
			p("    %s %s", e.name, show(e.e))
		}
	}
	if s.ClearPreset1 != 0 {
		p("    both %c %c", s.ClearPreset1, s.ClearPreset2)
	}
}

func dumpPin(p func(string, ...any), x *Pin) {
	flags := ""
	for _, f := range []struct {
		on   bool
		name string
	}{{x.Clock, "clock"}, {x.ClockGateClock, "gate-clock"}, {x.ClockGateEnable, "gate-enable"}, {x.ClockGateOut, "gate-out"}, {x.ClockGateTest, "gate-test"}} {
		if f.on {
			flags += " " + f.name
		}
	}
	p("  pin %s line %d dir %d bus %d cap %g %g %g (%t %t) max %g%s", x.Name, x.Pos.Line, x.Dir, x.Bus, x.Cap, x.CapRise, x.CapFall, x.HasCap, x.HasCapRise, x.MaxCap, flags)
	for _, s := range [][2]string{{"node", x.InternalNode}, {"next state", x.NextStateType}, {"power", x.PowerPin}, {"ground", x.GroundPin}, {"text", x.FunctionText}} {
		if s[1] != "" {
			p("    %s %q", s[0], s[1])
		}
	}
	if len(x.Attrs) > 0 {
		p("    attrs %v", x.Attrs)
	}
	for _, e := range []struct {
		name string
		e    *logic.Expr
	}{{"function", x.Function}, {"three_state", x.ThreeState}, {"x_function", x.XFunction}, {"state_function", x.StateFunction}} {
		if e.e != nil {
			p("    %s %s", e.name, show(e.e))
		}
	}
	for _, t := range x.Timing {
		p("    timing %q %s %s when %s sdf %q attrs %v", t.Related, t.Sense, t.Type, show(t.When), t.SDFCond, t.Attrs)
		for i, tab := range []*Table{t.CellRise, t.CellFall, t.RiseTransition, t.FallTransition} {
			dumpTable(p, []string{"cell_rise", "cell_fall", "rise_transition", "fall_transition"}[i], tab)
		}
	}
	for _, w := range x.Power {
		p("    power %q equal %q pg %q when %s mode %q attrs %v", w.Related, w.EqualOrOpposite, w.RelatedPG, show(w.When), w.Mode, w.Attrs)
		dumpTable(p, "rise", w.Rise)
		dumpTable(p, "fall", w.Fall)
	}
}

func dumpTable(p func(string, ...any), what string, t *Table) {
	if t == nil {
		return
	}
	name := "scalar"
	if t.Template != nil {
		name = t.Template.Name
	}
	p("      %s %s %v %v", what, name, t.Index, t.Values)
}

// show writes a function with explicit operators, "-" for none.
func show(e *logic.Expr) string {
	if e == nil {
		return "-"
	}
	switch e.Op {
	case logic.Const:
		return fmt.Sprint(map[bool]int{true: 1}[e.Value])
	case logic.Var:
		return e.Name
	case logic.Not:
		return "!" + show(e.Kids[0])
	}
	var kids []string
	for _, k := range e.Kids {
		kids = append(kids, show(k))
	}
	return "(" + strings.Join(kids, map[logic.Op]string{logic.And: "*", logic.Or: "+", logic.Xor: "^"}[e.Op]) + ")"
}
