package example

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// Delay is a rise and a fall delay in ps.
type Delay struct{ Rise, Fall int }

// Timing holds the delays of a flat design: the typ column of its SDF.
type Timing struct {
	Arcs  [][][]ArcDelay // by leaf, output, arc
	Wires [][]Delay      // by net, sink
}

// ArcDelay is an arc of an instance: its default and its conditions, in the order of Arc.Conds.
type ArcDelay struct {
	Delay
	Conds []Delay
}

// Annotate works out plausible delays from the load of every net.
func Annotate(f *Flat) *Timing {
	t := &Timing{Arcs: make([][][]ArcDelay, len(f.Leaves)), Wires: make([][]Delay, len(f.Nets))}
	for n, net := range f.Nets {
		for k := range net.Sinks {
			r := noise(uint64(n)<<20 | uint64(k))
			d := 2 + len(net.Sinks)/2 + int(r%9)
			t.Wires[n] = append(t.Wires[n], Delay{d, d + int(r>>8%3)})
		}
	}
	for i, leaf := range f.Leaves {
		c := leaf.Cell
		for k := range c.Out {
			o := &c.Out[k]
			load := 0
			for _, s := range f.Nets[leaf.Nets[len(c.In)+k]].Sinks {
				load += 700
				if s.Leaf >= 0 {
					load += f.Leaves[s.Leaf].Cell.In[s.Pin].Cap
				}
			}
			var arcs []ArcDelay
			for j, a := range o.Arcs {
				r := noise(uint64(i)<<24 | uint64(k)<<16 | uint64(j) | 1<<62)
				d := ArcDelay{Delay: Delay{a.Rise + o.Res*load/1000 + int(r%4), a.Fall + o.Res*load/1000 + int(r>>8%4)}}
				for _, c := range a.Conds {
					d.Conds = append(d.Conds, Delay{d.Rise + c.Rise, d.Fall + c.Fall})
				}
				arcs = append(arcs, d)
			}
			t.Arcs[i] = append(t.Arcs[i], arcs)
		}
	}
	return t
}

// noise is a fixed hash (splitmix64): the same number on every machine and with every Go version.
func noise(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// WriteSDF writes the delays with all three columns, wires first.
func WriteSDF(w io.Writer, design string, f *Flat, t *Timing) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, `(DELAYFILE
  (SDFVERSION "3.0")
  (DESIGN "%s")
  (VENDOR "wattd example")
  (PROGRAM "examples/gen")
  (DIVIDER /)
  (VOLTAGE 1.100::1.100)
  (PROCESS "1.000::1.000")
  (TEMPERATURE 25.000::25.000)
  (TIMESCALE 1ns)
  (CELL
    (CELLTYPE "%s")
    (INSTANCE)
    (DELAY (ABSOLUTE
`, design, design)
	for n := range f.Nets {
		for k, s := range f.Nets[n].Sinks {
			fmt.Fprintf(b, "      (INTERCONNECT %s %s %s)\n", f.sdfPin(f.Nets[n].Driver), f.sdfPin(s), t.Wires[n][k].sdf())
		}
	}
	fmt.Fprintf(b, "    ))\n  )\n")
	for i := range f.Leaves {
		writeSDFCell(b, &f.Leaves[i], t.Arcs[i])
	}
	fmt.Fprintf(b, ")\n")
	return b.Flush()
}

func writeSDFCell(b *bufio.Writer, leaf *Leaf, delays [][]ArcDelay) {
	c := leaf.Cell
	if c.Kind == Tie {
		return
	}
	fmt.Fprintf(b, "  (CELL\n    (CELLTYPE \"%s\")\n    (INSTANCE %s)\n    (DELAY (ABSOLUTE\n", c.Name, sdfPath(leaf.Path))
	for k, o := range c.Out {
		for j, a := range o.Arcs {
			d := delays[k][j]
			pin := c.In[a.Pin].Name
			values := d.sdf()
			switch {
			case c.Kind == Register && pin == "CK":
				pin = "(posedge CK)"
			case c.Kind == Register && pin == "RN":
				pin, values = "(negedge RN)", "() "+triple(d.Fall)
			}
			fmt.Fprintf(b, "      (IOPATH %s %s %s)\n", pin, o.Name, values)
			for i, cond := range a.Conds {
				fmt.Fprintf(b, "      (COND %s (IOPATH %s %s %s))\n", cond.Expr, pin, o.Name, d.Conds[i].sdf())
			}
		}
	}
	fmt.Fprintf(b, "    ))\n")
	if c.Kind == Register {
		fmt.Fprintf(b, "    (TIMINGCHECK\n      (SETUPHOLD D (posedge CK) (0.027:0.039:0.055) (-0.014:-0.010:-0.007))\n    )\n")
	}
	fmt.Fprintf(b, "  )\n")
}

func (d Delay) sdf() string { return triple(d.Rise) + " " + triple(d.Fall) }

// triple makes the fast and the slow corner from the typical one.
func triple(ps int) string {
	return "(" + Decimal(ps*7/10, 3) + ":" + Decimal(ps, 3) + ":" + Decimal((ps*14+5)/10, 3) + ")"
}

func (f *Flat) sdfPin(r PinRef) string {
	if r.Leaf < 0 {
		return r.Port.verilog()
	}
	leaf := &f.Leaves[r.Leaf]
	return sdfPath(leaf.Path) + "/" + leaf.Cell.pinName(r.Pin)
}

// sdfPath joins a path by the divider and escapes what is not a letter, a digit or an underscore.
func sdfPath(path []string) string {
	var s strings.Builder
	for i, p := range path {
		if i > 0 {
			s.WriteByte('/')
		}
		for j := range len(p) {
			if !simpleName("_" + p[j:j+1]) {
				s.WriteByte('\\')
			}
			s.WriteByte(p[j])
		}
	}
	return s.String()
}
