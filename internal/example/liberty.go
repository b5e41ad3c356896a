package example

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// The axes of the tables: input slew in ps, load in aF.
var (
	slews = []int{10, 60, 240}
	loads = []int{1000, 8000, 32000}
)

// WriteLiberty writes the library as Liberty text: ns, pF, nW, V.
func WriteLiberty(w io.Writer) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, `/* A small cell library for the example designs. Its figures are plausible and belong to no process. */
library (wattd_example) {
  technology (cmos);
  delay_model : table_lookup;
  time_unit : "1ns";
  voltage_unit : "1V";
  current_unit : "1mA";
  pulling_resistance_unit : "1kohm";
  leakage_power_unit : "1nW";
  capacitive_load_unit (1, pf);
  nom_process : 1.0;
  nom_temperature : 25.0;
  nom_voltage : 1.1;
  voltage_map (VDD, 1.1);
  voltage_map (VSS, 0.0);
  default_max_transition : 0.5;
  slew_lower_threshold_pct_rise : 20;
  slew_lower_threshold_pct_fall : 20;
  slew_upper_threshold_pct_rise : 80;
  slew_upper_threshold_pct_fall : 80;
  input_threshold_pct_rise : 50;
  input_threshold_pct_fall : 50;
  output_threshold_pct_rise : 50;
  output_threshold_pct_fall : 50;
  operating_conditions (typical) {
    process : 1.0;
    temperature : 25.0;
    voltage : 1.1;
  }
  default_operating_conditions : typical;
  lu_table_template (delay_3x3) {
    variable_1 : input_net_transition;
    variable_2 : total_output_net_capacitance;
    index_1 (%s);
    index_2 (%s);
  }
  power_lut_template (energy_3x3) {
    variable_1 : input_transition_time;
    variable_2 : total_output_net_capacitance;
    index_1 (%s);
    index_2 (%s);
  }
`, axis(slews, 3), axis(loads, 6), axis(slews, 3), axis(loads, 6))
	for _, c := range Cells {
		writeCell(b, c)
	}
	fmt.Fprintln(b, "}")
	return b.Flush()
}

func writeCell(b *bufio.Writer, c *Cell) {
	fmt.Fprintf(b, "  cell (%s) {\n    area : %s;\n    cell_leakage_power : %s;\n", c.Name, Decimal(c.Area, 2), Decimal(c.Leakage, 3))
	fmt.Fprintf(b, "    pg_pin (VDD) { pg_type : primary_power; voltage_name : VDD; }\n")
	fmt.Fprintf(b, "    pg_pin (VSS) { pg_type : primary_ground; voltage_name : VSS; }\n")
	if len(c.In) == 2 && c.Kind == Comb {
		for s := range 4 {
			fmt.Fprintf(b, "    leakage_power () { when : \"%s\"; value : %s; }\n", state(c, uint(s)), Decimal(c.Leakage*(3+s)/4, 3))
		}
	}
	switch c.Kind {
	case Register:
		fmt.Fprintf(b, "    ff (IQ, IQN) {\n      clocked_on : \"CK\";\n      next_state : \"D\";\n      clear : \"!RN\";\n    }\n")
	case ClockGate:
		fmt.Fprintf(b, "    clock_gating_integrated_cell : \"latch_posedge\";\n")
		fmt.Fprintf(b, "    statetable (\"CLK EN\", \"IQ\") {\n      table : \"L L : - : L, \\\n               L H : - : H, \\\n               H - : - : N\";\n    }\n")
		fmt.Fprintf(b, "    pin (IQ) {\n      direction : internal;\n      internal_node : \"IQ\";\n    }\n")
	}
	for _, p := range c.In {
		fmt.Fprintf(b, "    pin (%s) {\n      direction : input;\n      capacitance : %s;\n", p.Name, Decimal(p.Cap, 6))
		switch {
		case c.Kind == Register && p.Name == "CK":
			fmt.Fprintf(b, "      clock : true;\n")
		case c.Kind == Register && p.Name == "D":
			constraint(b, "setup_rising", "CK", 38, 41)
			constraint(b, "hold_rising", "CK", -9, -12)
		case c.Kind == ClockGate && p.Name == "CLK":
			fmt.Fprintf(b, "      clock : true;\n      clock_gate_clock_pin : true;\n")
		case c.Kind == ClockGate:
			fmt.Fprintf(b, "      clock_gate_enable_pin : true;\n")
			constraint(b, "setup_rising", "CLK", 45, 47)
			constraint(b, "hold_rising", "CLK", -6, -8)
		}
		if c.Kind == Register || c.Kind == ClockGate {
			// What an input costs without an output edge: the clock of a register above all.
			fmt.Fprintf(b, "      internal_power () {\n")
			fmt.Fprintf(b, "        rise_power (scalar) { values (\"%s\"); }\n", Decimal(p.Cap*7/10, 6))
			fmt.Fprintf(b, "        fall_power (scalar) { values (\"%s\"); }\n      }\n", Decimal(p.Cap*6/10, 6))
		}
		fmt.Fprintf(b, "    }\n")
	}
	for i := range c.Out {
		writeOutput(b, c, &c.Out[i])
	}
	fmt.Fprintf(b, "  }\n")
}

func writeOutput(b *bufio.Writer, c *Cell, o *Output) {
	fmt.Fprintf(b, "    pin (%s) {\n      direction : output;\n      max_capacitance : 0.064;\n", o.Name)
	if c.Kind == ClockGate {
		fmt.Fprintf(b, "      clock_gate_out_pin : true;\n      state_function : \"%s\";\n", o.Function)
	} else {
		fmt.Fprintf(b, "      function : \"%s\";\n", o.Function)
	}
	for _, a := range o.Arcs {
		pin := c.In[a.Pin].Name
		fmt.Fprintf(b, "      timing () {\n        related_pin : \"%s\";\n        timing_sense : %s;\n", pin, a.Sense)
		clear := c.Kind == Register && pin == "RN"
		switch {
		case clear:
			fmt.Fprintf(b, "        timing_type : clear;\n")
		case c.Kind == Register:
			fmt.Fprintf(b, "        timing_type : rising_edge;\n")
		}
		if !clear {
			table(b, "cell_rise", "delay_3x3", func(slew, load int) int { return 1000*a.Rise + o.Res*load + 180*slew }, 6)
			table(b, "rise_transition", "delay_3x3", func(slew, load int) int { return 9000 + 2*o.Res*load + 60*slew }, 6)
		}
		table(b, "cell_fall", "delay_3x3", func(slew, load int) int { return 1000*a.Fall + o.Res*load + 160*slew }, 6)
		table(b, "fall_transition", "delay_3x3", func(slew, load int) int { return 8000 + 2*o.Res*load + 55*slew }, 6)
		fmt.Fprintf(b, "      }\n      internal_power () {\n        related_pin : \"%s\";\n", pin)
		energy := c.Area * 3 // aJ: a bigger cell has more inside that switches
		table(b, "rise_power", "energy_3x3", func(slew, load int) int { return energy + 40*a.Rise + 2*slew + load/50 }, 6)
		table(b, "fall_power", "energy_3x3", func(slew, load int) int { return energy + 36*a.Fall + 2*slew + load/60 }, 6)
		fmt.Fprintf(b, "      }\n")
	}
	fmt.Fprintf(b, "    }\n")
}

func constraint(b *bufio.Writer, kind, pin string, rise, fall int) {
	fmt.Fprintf(b, "      timing () {\n        related_pin : \"%s\";\n        timing_type : %s;\n", pin, kind)
	fmt.Fprintf(b, "        rise_constraint (scalar) { values (\"%s\"); }\n", Decimal(rise, 3))
	fmt.Fprintf(b, "        fall_constraint (scalar) { values (\"%s\"); }\n      }\n", Decimal(fall, 3))
}

func table(b *bufio.Writer, name, template string, f func(slew, load int) int, digits int) {
	fmt.Fprintf(b, "        %s (%s) {\n          values (", name, template)
	for i, s := range slews {
		row := make([]string, len(loads))
		for j, l := range loads {
			row[j] = Decimal(f(s, l), digits)
		}
		if i > 0 {
			b.WriteString(", \\\n                  ")
		}
		fmt.Fprintf(b, "\"%s\"", strings.Join(row, ", "))
	}
	fmt.Fprintf(b, ");\n        }\n")
}

func axis(vs []int, digits int) string {
	s := make([]string, len(vs))
	for i, v := range vs {
		s[i] = Decimal(v, digits)
	}
	return "\"" + strings.Join(s, ", ") + "\""
}

// state writes an input state as a Liberty condition.
func state(c *Cell, s uint) string {
	var t []string
	for i, p := range c.In {
		if bit(s, i) {
			t = append(t, p.Name)
		} else {
			t = append(t, "!"+p.Name)
		}
	}
	return strings.Join(t, " & ")
}

// Decimal writes v / 10^digits exactly.
func Decimal(v, digits int) string {
	sign := ""
	if v < 0 {
		sign, v = "-", -v
	}
	s := fmt.Sprintf("%0*d", digits+1, v)
	return sign + s[:len(s)-digits] + "." + s[len(s)-digits:]
}
