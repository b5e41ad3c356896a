package example

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// WriteModels writes the combinational cells as Verilog models with specify paths, for running an event simulator
// beside wattd. WIRE is a wire with delay as a cell, for simulators that do not know INTERCONNECT.
func WriteModels(w io.Writer) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "`timescale 1ns / 1ps\n`celldefine\n")
	fmt.Fprintf(b, "module WIRE (A, Y); input A; output Y; assign Y = A; specify (A => Y) = (0, 0); endspecify endmodule\n")
	for _, c := range Cells {
		if c.Kind != Comb {
			continue
		}
		var ports, in, out []string
		for _, p := range c.In {
			in = append(in, p.Name)
		}
		for _, o := range c.Out {
			out = append(out, o.Name)
		}
		ports = append(append(ports, in...), out...)
		fmt.Fprintf(b, "module %s (%s); input %s; output %s;\n", c.Name, strings.Join(ports, ", "), strings.Join(in, ", "), strings.Join(out, ", "))
		for _, o := range c.Out {
			fmt.Fprintf(b, "  assign %s = %s;\n", o.Name, strings.ReplaceAll(o.Function, "!", "~"))
		}
		fmt.Fprintf(b, "  specify\n")
		for _, o := range c.Out {
			for _, a := range o.Arcs {
				fmt.Fprintf(b, "    (%s => %s) = (0, 0);\n", c.In[a.Pin].Name, o.Name)
			}
		}
		fmt.Fprintf(b, "  endspecify\nendmodule\n")
	}
	fmt.Fprintf(b, "`endcelldefine\n")
	return b.Flush()
}
