package netlist

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// vec is a declared net of a generated module.
type vec struct {
	name     string
	msb, lsb int
	scalar   bool
}

func (v vec) bits() []string {
	if v.scalar {
		return []string{v.name}
	}
	step := 1
	if v.msb > v.lsb {
		step = -1
	}
	var b []string
	for i := v.msb; ; i += step {
		b = append(b, fmt.Sprintf("%s[%d]", v.name, i))
		if i == v.lsb {
			return b
		}
	}
}

func (v vec) decl() string {
	if v.scalar {
		return v.name
	}
	return fmt.Sprintf("[%d:%d] %s", v.msb, v.lsb, v.name)
}

// made is a generated module: its text, and its meaning by bits for the flattener.
type made struct {
	name   string
	ports  []vec
	nets   []vec // ports included
	leaves []madeLeaf
	kids   []madeKid
	joins  [][2]string
}

type madeLeaf struct {
	name string
	pins [3]string // A, B, Y of a NAND2; "" open, or a constant
}

type madeKid struct {
	name string
	mod  *made
	bits [][]string // for each port, the parent's bits or nil
}

func drawVec(t *rapid.T, name string) vec {
	if rapid.Bool().Draw(t, "scalar") {
		return vec{name: name, scalar: true}
	}
	return vec{name: name, msb: rapid.IntRange(-3, 4).Draw(t, "msb"), lsb: rapid.IntRange(-3, 4).Draw(t, "lsb")}
}

// drawBits chooses n bits of a module and writes them as one expression: a net, selects, parts or a concatenation.
func (m *made) drawBits(t *rapid.T, n int) (bits []string, expr string) {
	var items []string
	for len(bits) < n {
		v := m.nets[rapid.IntRange(0, len(m.nets)-1).Draw(t, "net")]
		all := v.bits()
		from := rapid.IntRange(0, len(all)-1).Draw(t, "from")
		to := min(from+rapid.IntRange(0, len(all)-1).Draw(t, "len"), from+n-len(bits)-1, len(all)-1)
		if from == 0 && to == len(all)-1 {
			items = append(items, v.name)
		} else if from == to {
			items = append(items, all[from])
		} else {
			step := 1
			if v.msb > v.lsb {
				step = -1
			}
			items = append(items, fmt.Sprintf("%s[%d:%d]", v.name, v.msb+step*from, v.msb+step*to))
		}
		bits = append(bits, all[from:to+1]...)
	}
	if len(items) == 1 && rapid.Bool().Draw(t, "plain") {
		return bits, items[0]
	}
	return bits, "{" + strings.Join(items, ", ") + "}"
}

func drawModule(t *rapid.T, name string, below []*made) (*made, string) {
	m := &made{name: name}
	for i := range rapid.IntRange(1, 4).Draw(t, "ports") {
		m.ports = append(m.ports, drawVec(t, fmt.Sprintf("p%d", i)))
	}
	m.nets = append(m.nets, m.ports...)
	for i := range rapid.IntRange(1, 4).Draw(t, "nets") {
		m.nets = append(m.nets, drawVec(t, fmt.Sprintf("n%d", i)))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "module %s(", name)
	for i, p := range m.ports {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString("inout " + p.decl())
	}
	b.WriteString(");\n")
	for _, n := range m.nets[len(m.ports):] {
		fmt.Fprintf(&b, "wire %s;\n", n.decl())
	}
	for i := range rapid.IntRange(1, 4).Draw(t, "leaves") {
		lf := madeLeaf{name: fmt.Sprintf("u%d", i)}
		fmt.Fprintf(&b, "NAND2 u%d (", i)
		for p := range lf.pins {
			expr := ""
			switch k := rapid.IntRange(0, 9).Draw(t, "pin"); {
			case k == 0:
			case k == 1 && p < 2:
				lf.pins[p] = "1'b1"
				expr = "1'b1"
			default:
				var bits []string
				bits, expr = m.drawBits(t, 1)
				lf.pins[p] = bits[0]
			}
			if p > 0 {
				b.WriteString(", ")
			}
			fmt.Fprintf(&b, ".%s(%s)", []string{"A", "B", "Y"}[p], expr)
		}
		b.WriteString(");\n")
		m.leaves = append(m.leaves, lf)
	}
	if len(below) > 0 {
		for i := range rapid.IntRange(0, 3).Draw(t, "kids") {
			c := below[rapid.IntRange(0, len(below)-1).Draw(t, "kid")]
			k := madeKid{name: fmt.Sprintf("k%d", i), mod: c}
			named := rapid.Bool().Draw(t, "named")
			fmt.Fprintf(&b, "%s k%d (", c.name, i)
			for j, p := range c.ports {
				var bits []string
				expr := ""
				if rapid.IntRange(0, 5).Draw(t, "open") > 0 {
					bits, expr = m.drawBits(t, len(p.bits()))
				}
				k.bits = append(k.bits, bits)
				if j > 0 {
					b.WriteString(", ")
				}
				if named {
					expr = fmt.Sprintf(".%s(%s)", p.name, expr)
				}
				b.WriteString(expr)
			}
			b.WriteString(");\n")
			m.kids = append(m.kids, k)
		}
	}
	// Each assigned net is a new one, so that it is assigned once.
	for i := range rapid.IntRange(0, 2).Draw(t, "assigns") {
		v := drawVec(t, fmt.Sprintf("a%d", i))
		bits, expr := m.drawBits(t, len(v.bits()))
		fmt.Fprintf(&b, "wire %s;\nassign %s = %s;\n", v.decl(), v.name, expr)
		for j, to := range v.bits() {
			m.joins = append(m.joins, [2]string{to, bits[j]})
		}
		m.nets = append(m.nets, v)
	}
	b.WriteString("endmodule\n")
	return m, b.String()
}

// flatten writes a module and all below it as statements of one flat module whose nets are all scalars.
func (m *made) flatten(b *strings.Builder, prefix string, bits *[]string) {
	esc := func(bit string) string { return `\` + prefix + bit + " " }
	for _, n := range m.nets {
		for _, bit := range n.bits() {
			fmt.Fprintf(b, "wire %s;\n", esc(bit))
			*bits = append(*bits, prefix+bit)
		}
	}
	for _, lf := range m.leaves {
		fmt.Fprintf(b, "NAND2 %s (", esc(lf.name))
		for p, bit := range lf.pins {
			if bit != "" && bit != "1'b1" {
				bit = esc(bit)
			}
			if p > 0 {
				b.WriteString(", ")
			}
			b.WriteString(bit)
		}
		b.WriteString(");\n")
	}
	for _, j := range m.joins {
		fmt.Fprintf(b, "assign %s = %s;\n", esc(j[0]), esc(j[1]))
	}
	for _, k := range m.kids {
		k.mod.flatten(b, prefix+k.name+"/", bits)
		for i, p := range k.mod.ports {
			for j, bit := range p.bits() {
				if k.bits[i] != nil {
					fmt.Fprintf(b, `assign \%s%s/%s = %s;`+"\n", prefix, k.name, bit+" ", esc(k.bits[i][j]))
				}
			}
		}
	}
}

// TestHierarchyEqualsFlat links random hierarchies and the same designs flattened by other code; nets and pins must
// be the same up to renaming.
func TestHierarchyEqualsFlat(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var mods []*made
		var text strings.Builder
		for i := range rapid.IntRange(1, 4).Draw(rt, "modules") {
			m, s := drawModule(rt, fmt.Sprintf("m%d", i), mods)
			mods = append(mods, m)
			text.WriteString(s)
		}
		top := mods[len(mods)-1]
		var flat strings.Builder
		var bits []string
		flat.WriteString("module flat();\n")
		top.flatten(&flat, "", &bits)
		flat.WriteString("endmodule\n")

		in, bag := readInput(t, text.String())
		in.Top = top.name
		a, err := Link(t.Context(), in, bag)
		if err != nil || bag.Errors() > 0 {
			rt.Fatalf("hierarchy: %v %v %v\n%s", err, bag.Totals(), bag.Kept(bag.Totals()[0].Code), text.String())
		}
		b, bag := link(t, flat.String())
		if bag.Errors() > 0 {
			rt.Fatalf("flat: %v\n%s", bag.Totals(), flat.String())
		}
		checkNetlist(t, a)
		checkNetlist(t, b)
		if len(a.Nets) != len(b.Nets) || len(a.Insts) != len(b.Insts) {
			rt.Fatalf("%d and %d nets, %d and %d instances", len(a.Nets), len(b.Nets), len(a.Insts), len(b.Insts))
		}
		paths := map[string]int32{}
		for net := range a.Nets {
			for r := range a.Aliases(int32(net)) {
				paths[a.RefPath(r, '/')] = int32(net)
			}
		}
		same := map[int32]int32{Const0: Const0, Const1: Const1, None: None}
		for _, bit := range bits {
			x, ok := paths[bit]
			if !ok {
				rt.Fatalf("%s is missing", bit)
			}
			y := b.FindNet(0, []byte(bit), NoBit)
			if old, ok := same[x]; ok && old != y {
				rt.Fatalf("%s: net %d is both %d and %d", bit, x, old, y)
			}
			same[x] = y
		}
		for i := range a.Insts {
			j := b.FindInst(0, []byte(a.InstPath(int32(i), '/')))
			for p := range int32(3) {
				if x, y := a.PinNet[a.Insts[i].Pin0+p], b.PinNet[b.Insts[j].Pin0+p]; same[x] != y {
					rt.Fatalf("pin %d of %s: net %d, want %d", p, a.InstPath(int32(i), '/'), y, same[x])
				}
			}
		}
	})
}
