package liberty

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/wattd/wattd/internal/diag"
)

// Libraries as people have reported them to other tools: each case is one habit of the wild.
func TestWildSyntax(t *testing.T) {
	for name, c := range map[string]struct {
		text  string
		check func(*Library) string // "" if right
	}{
		"semicolons missing": {
			"library (l)\n{ time_unit : 1ps\n capacitive_load_unit (1, ff)\n cell (C) { area : 2\n pin (A) { direction : input\n capacitance : 3 } } }",
			nil,
		},
		"stray semicolons": {
			"library (l) {; cell (C) { ;; pin (A) { direction : input; }; };; };",
			func(l *Library) string { return want(l.Cell("C").PinIndex("A"), 0) },
		},
		"unquoted expression": {
			inCell("pin (Y) { direction : output; power_down_function : !a+b ; function : a b + !c ;\n} pin (Z) { direction : output; function : a * \n b;  }"),
			func(l *Library) string {
				return want(show(l.Cell("C").Pins[0].Function)+" "+show(l.Cell("C").Pins[1].Function), "((a*b)+!c) (a*b)")
			},
		},
		"name with an exclamation mark": {
			"library (l) { voltage_map (vdd!, 0.7); cell (C) { pg_pin (vdd!) { voltage_name : vdd!; pg_type : primary_power; } pin (A) { direction : input; related_power_pin : vdd!; } } }",
			func(l *Library) string {
				return want(all(l.Voltages, l.Cell("C").PG, l.Cell("C").Pins[0].PowerPin), "map[vdd!:0.7] [{vdd! primary_power vdd!}] vdd!")
			},
		},
		"direction on the inner pin alone": {
			"library (l) { type (b) { bit_from : 1; bit_to : 0; bit_width : 2; } cell (C) { bus (A) { bus_type : b; pin (\"A[1:0]\") { direction : input; } } } }",
			func(l *Library) string {
				c := l.Cell("C")
				return want(all(c.Pins[0].Name, c.Pins[0].Dir, c.Pins[1].Name, c.Pins[1].Dir), "A[1] 1 A[0] 1")
			},
		},
		"bus without a type": {
			inCell("bus (A) { direction : input; pin (A[2]) { } pin (A[1]) { } pin (A[0]) { capacitance : 2; } }"),
			func(l *Library) string { return want(all(l.Cell("C").Buses), "[{A 2 0 false [0 1 2]}]") },
		},
		"pin with a range, in two parts": {
			inCell("pin (A[1:0]) { direction : input; } pin (A[3:2]) { direction : input; }"),
			func(l *Library) string { return want(all(l.Cell("C").Buses), "[{A 3 0 false [2 3 0 1]}]") },
		},
		"another bus_naming_style": {
			"library (l) { bus_naming_style : \"%s<%d>\"; type (b) { bit_from : 1; bit_to : 0; } cell (C) { bus (A) { bus_type : b; direction : input; pin (A<1>) { capacitance : 7; } } " +
				"pin (Y) { direction : output; function : \"A<0> + A<1>\"; timing () { related_pin : \"A<1>\"; } } } }",
			func(l *Library) string {
				c := l.Cell("C")
				y := c.Pins[2]
				return want(all(c.Pins[0].Name, c.Pins[0].Cap, show(y.Function), y.Timing[0].Related), "A[1] 7 (A[0]+A[1]) [A[1]]")
			},
		},
		"several names in one pin group": {
			inCell("pin (A,B, \"C\") { direction : input; }"),
			func(l *Library) string { return want(len(l.Cell("C").Pins), 3) },
		},
		"ff and latch in one cell": {
			inCell("ff (IQ,IQN) { clocked_on : CK; next_state : D; } latch (LQ,LQN) { enable : G; data_in : D; } ff (IQ2,IQN2) { clocked_on : CK; next_state : IQ; }"),
			func(l *Library) string { return want(all(l.Cell("C").StateVars()), "[IQ IQN IQ2 IQN2 LQ LQN]") },
		},
		"statetable rows": {
			inCell("statetable (\"CK E\", \"M N\") { table : \" L L : - - : L N,\n L H : - - : H N \n H -\\\n : - H : N L \\\n R ~F : L H : X -,\"; }"),
			func(l *Library) string {
				return want(all(l.Cell("C").States.Rows), "[{[L L] [- -] [L N]} {[L H] [- -] [H N]} {[H -] [- H] [N L]} {[R ~F] [L H] [X -]}]")
			},
		},
		"clock gate that is a statetable alone": {
			inCell("statetable (\"CK E\", M) { table : \"L - : - : N, H - : - : N\"; } pin (M) { direction : internal; internal_node : M; } pin (G) { direction : output; state_function : \"CK M\"; }"),
			func(l *Library) string {
				c := l.Cell("C")
				return want(all(len(c.States.Rows), show(c.Pins[1].StateFunction), c.Sequential(), c.Filler), "2 (CK*M) false false")
			},
		},
		"timing without related_pin": {
			inCell("pin (A) { direction : input; timing () { timing_type : min_pulse_width; } }"),
			func(l *Library) string { return want(len(l.Cell("C").Pins[0].Timing[0].Related), 0) },
		},
		"one power table for both edges": {
			inCell("pin (Y) { direction : output; internal_power () { related_pin : A; power (scalar) { values (\"0.5\"); } } }"),
			func(l *Library) string {
				w := l.Cell("C").Pins[0].Power[0]
				return want(all(w.Rise.Values, w.Fall.Values, w.Rise.Template == nil), "[0.5] [0.5] true")
			},
		},
		"leakage stays apart from cell_leakage_power": {
			inCell("cell_leakage_power : 5; leakage_power () { value : 5; }"),
			func(l *Library) string {
				return want(all(l.Cell("C").LeakDefault, l.Cell("C").Leakage), "5 [{<nil>  5 }]")
			},
		},
		"leakage forms": {
			inCell("leakage_power () { value : \"1.5\"; when : \"\"; } leakage_power (x) { when : !A; value : 2e-3\n } leakage_power () { related_pg_pin : VDD; power_level : \"a\"; value : -1; }"),
			func(l *Library) string {
				var s []string
				for _, x := range l.Cell("C").Leakage {
					s = append(s, fmt.Sprintf("%s %g %s", show(x.When), x.Value, x.RelatedPG))
				}
				return want(strings.Join(s, ","), "- 1.5 ,!A 0.002 ,- -1 VDD")
			},
		},
		"expressions": {
			"library (l) { nom_voltage : 1.0; voltage_map (V1, 0.5); cell (C) { area : VDD + 0.5; pin (A) { direction : input; capacitance : \"2 * (V1 - -1) / 3\"; max_capacitance : VSS+.25 } } }",
			func(l *Library) string {
				c := l.Cell("C")
				return want(all(c.Area, c.Pins[0].Cap, c.Pins[0].MaxCap), "1.5 1 0.25")
			},
		},
		"comments": {
			"/* a */ // b\nlibrary (l) { // c : d;\n time_unit : 1ps // e\n /* { */ cell (C /* f */) { area : 1 /* g */; pin (A) /* h */ { direction : input // i\n; } } }",
			func(l *Library) string {
				return want(all(l.TimeUnit, l.Cell("C").Area, l.Cell("C").Pins[0].Dir), "{1 -12} 1 1")
			},
		},
		"carriage returns": {
			"library (l) {\r\n time_unit : 1ps\r\n cell (C) {\r\n pin (Y) { direction : output; function : A + \\\r\n B\r\n} } }\r\n",
			func(l *Library) string { return want(show(l.Cell("C").Pins[0].Function), "(A+B)") },
		},
		"byte order mark": {"\xef\xbb\xbflibrary (l) { }", nil},
		"escaped quotes": {
			inCell("pin (Y) { direction : output; function : \"\\\"1A\\\" + B\"; }"),
			func(l *Library) string { return want(show(l.Cell("C").Pins[0].Function), "(1A+B)") },
		},
		"values in every layout": {
			"library (l) { lu_table_template (t) { variable_1 : x; variable_2 : y; index_1 (1, 2); index_2 (\"1\", \"2\", \"3\"); } cell (C) { pin (Y) { direction : output; timing () { related_pin : A;" +
				"cell_rise (t) { values (\"1 2,3\", \"4,5,6,\"); } cell_fall (\"t\") { values (1, 2, 3,\\\n 4, 5 6); } rise_transition (t) { values (\"1, 2, 3, \\\n 4, 5, 6\"); } } } } }",
			func(l *Library) string {
				a := l.Cell("C").Pins[0].Timing[0]
				return want(all(a.CellRise.Values, a.CellFall.Values, a.RiseTransition.Values, a.CellRise.Index), "[1 2 3 4 5 6] [1 2 3 4 5 6] [1 2 3 4 5 6] [[1 2] [1 2 3]]")
			},
		},
		"current source models are skipped": {
			inCell("pin (A) { direction : input; receiver_capacitance () { when : \"}\"; receiver_capacitance1_rise (x) { values (\"1, 2\"); } } ecsm_capacitance () { } timing () { related_pin : B; " +
				"compact_ccs_rise (x) { values (\"\\\"}\"); } output_current_fall () { vector (v) { /* } */ values (\"1\"); } } ccsn_first_stage () { } } }"),
			func(l *Library) string { return want(len(l.Cell("C").Pins[0].Timing), 1) },
		},
		"two templates with one name": {
			"library (l) { lu_table_template (t) { variable_1 : a; index_1 (\"1\"); } power_lut_template (t) { variable_1 : b; index_1 (\"1, 2\"); } cell (C) { pin (Y) { direction : output; " +
				"timing () { cell_rise (t) { values (\"7\"); } } internal_power () { power (t) { values (\"8, 9\"); } } } } }",
			func(l *Library) string {
				y := l.Cell("C").Pins[0]
				return want(all(y.Timing[0].CellRise.Template.Vars, y.Power[0].Rise.Template.Vars), "[a] [b]")
			},
		},
		"buses of one width bind bit to bit": {
			"library (l) { type (b) { bit_from : 0; bit_to : 1; } cell (C) { bus (A) { bus_type : b; direction : input; } bus (Y) { bus_type : b; direction : output; function : \"!A ^ A[0:1] + S\"; " +
				"internal_power () { related_pin : A; when : \"A S\"; equal_or_opposite_output : Y; power (scalar) { values (\"1\"); } } } pin (S) { direction : input; } } }",
			func(l *Library) string {
				y := l.Cell("C").Pins[3]
				return want(all(show(y.Function), y.Power[0].Related, show(y.Power[0].When), y.Power[0].EqualOrOpposite), "((!A[1]^A[1])+S) [A[1]] (A[1]*S) [Y[1]]")
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			l := clean(t, c.text)
			if c.check != nil {
				if msg := c.check(l); msg != "" {
					t.Error(msg)
				}
			}
		})
	}
}

func all(v ...any) string { return strings.TrimSpace(fmt.Sprintln(v...)) }

func want(got, want any) string {
	if g, w := fmt.Sprint(got), fmt.Sprint(want); g != w {
		return "got  " + g + "\nwant " + w
	}
	return ""
}

// Headers in the habits of three public kits.
func TestUnits(t *testing.T) {
	for _, c := range []struct {
		head string
		want string
		cap  float64
		leak float64
	}{
		{`time_unit : "1ps"; voltage_unit : "1V"; current_unit : "1mA"; leakage_power_unit : "1pW"; capacitive_load_unit (1, ff);`, "{1 -12}", 1e-15, 1e-12},
		{`time_unit : "1ns"; leakage_power_unit : "1nW"; capacitive_load_unit (1,ff);`, "{1 -9}", 1e-15, 1e-9},
		{`time_unit : "1ns"; leakage_power_unit : "1pW"; capacitive_load_unit (0.001, PF);`, "{1 -9}", 1e-15, 1e-12},
		{`time_unit : "100 ps"; leakage_power_unit : 100uW; capacitive_load_unit ("1.5", "pf");`, "{100 -12}", 1.5e-12, 1e-4},
		{``, "{1 -9}", 1e-12, 1},
	} {
		l := clean(t, "library (l) { "+c.head+" }")
		if got := fmt.Sprint(l.TimeUnit); got != c.want || l.CapUnit != c.cap || l.LeakUnit != c.leak {
			t.Errorf("%s: got %s %g %g", c.head, got, l.CapUnit, l.LeakUnit)
		}
	}
}

// Every message has its code, its place, and leaves the rest of the library whole.
func TestFaults(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"empty":           {"", "t.lib: error: no library group in the file [liberty-no-library]\n"},
		"comment alone":   {"/* x", "t.lib: error: no library group in the file [liberty-no-library]\nt.lib:1:1: error: comment has no end [liberty-unclosed]\n"},
		"compressed":      {"\x1f\x8b\x08\x00", "t.lib: error: no library group in the file [liberty-no-library]\nt.lib:1:1: error: byte 0x1f where a statement should be [liberty-syntax]\n"},
		"two libraries":   {"library (a) { }\nlibrary (b) { x : 1; }", "t.lib:2:1: error: library b behind library a [liberty-second-library]\n"},
		"brace too many":  {"library (a) { } }", "t.lib:1:17: error: '}' without a group [liberty-syntax]\n"},
		"cell outside":    {"library (a) { }\n cell (b) { x : \"}\"; }\n", "t.lib:2:2: error: group cell outside of the library [liberty-syntax]\n"},
		"cut off":         {"library (a) {\n cell (b) { area : 1;", "t.lib:2:2: error: group cell has no end [liberty-unclosed]\n"},
		"string cut off":  {"library (a) {\n comment : \"abc", "t.lib:2:12: error: string has no end [liberty-unclosed]\n"},
		"no parenthesis":  {"library (a) {\n cell (C { area : 1; }\n cell (D) { } }", "t.lib:2:8: error: '(' without ')' [liberty-syntax]\n"},
		"no colon":        {inCell("area 5;\nother : 1;"), "t.lib:2:6: error: '5' where ':' or '(' behind area should be [liberty-syntax]\n"},
		"stray block":     {inCell("{ area : \"}\"; }"), "t.lib:2:1: error: '{' where a statement should be [liberty-syntax]\n"},
		"include_file":    {inCell("include_file (x);"), "t.lib:2:1: error: include_file x [liberty-include-file]\n"},
		"function":        {inCell("pin (Y) { direction : output; function : \"A + * B\"; }"), "t.lib:2:47: error: function \"A + * B\": unexpected '*' [liberty-bad-function]\n"},
		"function, lines": {inCell("pin (Y) { direction : output; function : \"A + \\\n  * B\"; }"), "t.lib:3:3: error: function \"A + \\n  * B\": unexpected '*' [liberty-bad-function]\n"},
		"empty function":  {inCell("pin (Y) { direction : output; function : \"\"; }"), "t.lib:2:43: error: function \"\": no expression [liberty-bad-function]\n"},
		"deep function":   {inCell("ff (Q) { next_state : \"" + strings.Repeat("(", 201) + "\"; }"), "*liberty-bad-function"},
		"when":            {inCell("leakage_power () { value : 1; when : \"A)\"; } pin (A) { direction : input; timing () { when : \"(\"; } internal_power () { when : \"=\"; } }"), "*liberty-bad-when"},
		"number":          {inCell("area : big;"), "t.lib:2:1: error: area is \"big\" [liberty-bad-number]\n"},
		"unknown voltage": {inCell("area : V9 + 1;"), "t.lib:2:1: error: area is \"V9 + 1\" [liberty-bad-number]\n"},
		"division by 0":   {inCell("area : 1 / 0;"), "t.lib:2:1: error: area is \"1 / 0\" [liberty-bad-number]\n"},
		"unit":            {"library (l) { time_unit : \"1 hour\"; }", "t.lib:1:15: error: time_unit is \"1 hour\" [liberty-bad-value]\n"},
		"load unit":       {"library (l) { capacitive_load_unit (pf); }", "t.lib:1:15: error: capacitive_load_unit is \"pf\" [liberty-bad-value]\n"},
		"direction":       {inCell("pin (A) { direction : inward; }"), "t.lib:2:11: error: direction is \"inward\" [liberty-bad-value]\nt.lib:2:1: warning: pin A of cell C [liberty-no-direction]\n"},
		"no direction":    {inCell("pin (A) { capacitance : 1; }"), "t.lib:2:1: warning: pin A of cell C [liberty-no-direction]\n"},
		"boolean":         {inCell("dont_use : maybe;"), "t.lib:2:1: error: dont_use is \"maybe\" [liberty-bad-value]\n"},
		"clear_preset":    {inCell("ff (Q) { clear_preset_var1 : Z; }"), "t.lib:2:10: error: clear_preset_var1 is \"Z\" [liberty-bad-value]\n"},
		"ff name":         {inCell("ff () { }"), "t.lib:2:1: error: ff without the name of a state [liberty-bad-value]\n"},
		"bank width":      {inCell("ff_bank (Q, QN) { }"), "t.lib:2:1: error: ff_bank Q has width \"\" [liberty-bad-value]\n"},
		"table size":      {inCell("pin (A) { direction : input; internal_power () { power (scalar) { values (\"1, 2\"); } } }"), "t.lib:2:50: warning: power: 2 values for 1 points [liberty-bad-table]\n"},
		"table template":  {inCell("pin (A) { direction : input; internal_power () { power (x) { values (\"1\"); } } }"), "t.lib:2:50: warning: power: no template \"x\" [liberty-bad-table]\n"},
		"table number":    {inCell("pin (A) { direction : input; internal_power () { power (scalar) { values (\"1e\"); } } }"), "t.lib:2:67: warning: power: values is not a list of numbers [liberty-bad-table]\n"},
		"state columns":   {inCell("statetable (\"A B\", M) { table : \"L : - : N\"; }"), "t.lib:2:25: error: row 1, \"L : - : N\": 1 inputs where 2 should be [liberty-bad-statetable]\n"},
		"state letter":    {inCell("statetable (A, M) { table : \"Q : - : N\"; }"), "t.lib:2:21: error: row 1, \"Q : - : N\": 'Q' is not one of the inputs [liberty-bad-statetable]\n"},
		"state colons":    {inCell("statetable (A, M) { table : \"L : N\"; }"), "t.lib:2:21: error: row 1, \"L : N\": 'N' is not one of the current states [liberty-bad-statetable]\n"},
		"state short":     {inCell("statetable (A, M) { table : \"L : - : N, L : -\"; }"), "t.lib:2:21: error: row 2, \"L : -\": no ':' behind 1 current states [liberty-bad-statetable]\n"},
		"state empty":     {inCell("statetable (A, M) { }"), "t.lib:2:1: error: statetable without rows [liberty-bad-statetable]\n"},
		"state names":     {inCell("statetable (A) { table : \"x\"; }"), "t.lib:2:1: error: statetable needs the names of its inputs and of its nodes, as two values [liberty-bad-statetable]\n"},
		"bus type":        {inCell("bus (A) { bus_type : b; direction : input; }"), "t.lib:2:1: error: bus A of cell C: no type \"b\", and no pins inside that tell its bits [liberty-bad-bus]\n"},
		"huge bus":        {"library (l) { type (b) { bit_from : 999999999; bit_to : 0; } }", "t.lib:1:15: error: type b goes from bit 9.99999999e+08 to bit 0 [liberty-bad-bus]\n"},
		"huge range":      {inCell("pin (A[999999999:0]) { direction : input; }"), "*liberty-bad-bus"},
		"bit outside":     {"library (l) { type (b) { bit_from : 1; bit_to : 0; } cell (C) {\n bus (A) { bus_type : b; direction : input; pin (A[2]) { } } } }", "t.lib:2:45: error: pin A[2] is not a bit of bus A[1:0] [liberty-bad-bus]\n"},
		"bus with a gap":  {inCell("pin (A[1:0]) { direction : input; } pin (A[4:3]) { direction : input; }"), "t.lib:1:41: error: bus A[4:0] of cell C has 4 bits [liberty-bad-bus]\n"},
		"bus widths":      {"library (l) { type (b) { bit_width : 2; } type (d) { bit_width : 3; } cell (C) { bus (A) { bus_type : d; direction : input; }\n bus (Y) { bus_type : b; direction : output; function : A; } } }", "*liberty-bad-bus"},
		"duplicate cell":  {"library (l) { cell (A) { area : 1; }\n cell (B) { } cell (A) { area : 2; } }", "t.lib:2:15: note: cell A again; it replaces the one at t.lib:1:15 [liberty-duplicate-cell]\n"},
		"duplicate pin":   {inCell("pin (A) { direction : input; }\npin (A) { capacitance : 2; }"), "t.lib:3:1: note: pin A of cell C again [liberty-duplicate-pin]\n"},
		"leakage unit":    {"library (l) { cell (C) { cell_leakage_power : 1; } }", "t.lib:1:26: warning: leakage without leakage_power_unit [liberty-no-leakage-unit]\n"},
		"leakage value":   {inCell("leakage_power () { when : A; }"), "t.lib:2:1: error: leakage_power without a value [liberty-bad-value]\n"},
		"unknown group":   {inCell("flux_capacitor (x) { a : 1; }"), "t.lib:2:1: note: group flux_capacitor [liberty-unknown-group]\n"},
		"group for value": {inCell("pin (A) { direction (x) { a : 1; } direction : input; } area (x) { }"), "*liberty-unknown-group"},
	} {
		t.Run(name, func(t *testing.T) {
			l, got := read(t, c.text)
			if code, ok := strings.CutPrefix(c.want, "*"); ok {
				if !strings.Contains(got, "["+code+"]") || strings.Count(got, code) != strings.Count(got, "\n") {
					t.Errorf("got %swant only %s", got, code)
				}
			} else if got != c.want {
				t.Errorf("got  %swant %s", got, c.want)
			}
			if strings.Contains(c.text, "cell (C)") && l.Cell("C") == nil {
				t.Error("the cell is lost")
			}
		})
	}
}

func TestDuplicateCellLastWins(t *testing.T) {
	l, _ := read(t, "library (l) { cell (A) { area : 1; } cell (B) { } cell (A) { area : 2; } }")
	if l.Cell("A").Area != 2 || len(l.Cells) != 2 || l.Cells[1] != l.Cell("A") {
		t.Errorf("cells %v", l.Cells)
	}
}

// A group whose condition cannot be read must not turn into one without a condition.
func TestBadWhenDropsTheGroup(t *testing.T) {
	l, _ := read(t, inCell("leakage_power () { value : 1; when : \"(\"; } pin (A) { direction : input; timing () { when : \"(\"; } internal_power () { when : \"(\"; } }"))
	c := l.Cell("C")
	if len(c.Leakage)+len(c.Pins[0].Timing)+len(c.Pins[0].Power) != 0 {
		t.Error("a group is left")
	}
}

// Every code of the area is given by some test above; a code that nothing gives is a dead row.
func TestEveryCodeIsUsed(t *testing.T) {
	var bag diag.Bag
	for _, in := range diag.Table() {
		if strings.HasPrefix(string(in.Code), "liberty-") {
			bag.Add(in.Code, diag.Pos{}, "x")
		}
	}
	src := sources(t)
	for _, tot := range bag.Totals() {
		name := ""
		for _, part := range strings.Split(string(tot.Code), "-") {
			name += strings.ToUpper(part[:1]) + part[1:]
		}
		if !slices.ContainsFunc(src, func(s string) bool { return strings.Contains(s, "diag."+name) }) {
			t.Errorf("nothing gives %s", tot.Code)
		}
	}
}
