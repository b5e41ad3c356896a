package model

import (
	"fmt"
	"slices"
)

// family is a kind of cell.
type family byte

const (
	fixedCell family = iota
	randomCell
	wideCell
	multiCell
	latchCell
	gateCell
	triCell
	tieCell
	flopCell
	blackCell
)

// fixed are the cells that every library has.
var fixed = []struct{ name, in, fn string }{
	{"BUF", "A", "A"},
	{"INV", "A", "!A"},
	{"AND2", "A B", "A & B"},
	{"NAND2", "A B", "!(A & B)"},
	{"OR2", "A B", "A | B"},
	{"NOR2", "A B", "!(A | B)"},
	{"XOR2", "A B", "A ^ B"},
	{"XNOR2", "A B", "!(A ^ B)"},
	{"AOI21", "A1 A2 B", "!((A1 & A2) | B)"},
	{"OAI21", "A1 A2 B", "!((A1 | A2) & B)"},
	{"MUX2", "A B S", "(A & !S) | (B & S)"},
	{"XOR3", "A B C", "A ^ B ^ C"},
	{"MAJ3", "A B C", "(A & B) | (C & (A | B))"},
	{"NAND4", "A B C D", "!(A & B & C & D)"},
}

// cell makes a cell of a family, or takes one that is there.
func (g *gen) cell(f family) *Cell {
	switch f {
	case fixedCell:
		return g.named(fixed[g.r.IntN(len(fixed))].name)
	case tieCell:
		v := pick(g, "0", "1")
		return g.once("TIE"+v, func() *Cell { return &Cell{Pins: []Pin{{Name: "Y", Dir: Out, Fn: &Expr{Op: v[0]}}}} })
	case flopCell:
		qn := g.p(50)
		return g.once(fmt.Sprint("DFF", qn), func() *Cell {
			c := &Cell{FF: &FF{IQ: "IQ", IQN: "IQN", Clocked: V("CK"), Next: V("D")}, Pins: []Pin{{Name: "CK"}, {Name: "D"}, {Name: "Q", Dir: Out, Fn: V("IQ")}}}
			if qn {
				c.Pins = append(c.Pins, Pin{Name: "QN", Dir: Out, Fn: V("IQN")})
			}
			return c
		})
	}
	g.ncell++
	c := &Cell{Name: fmt.Sprintf("C%d", g.ncell)}
	switch f {
	case randomCell:
		g.inputs(c, 1+g.r.IntN(6))
		g.output(c, "Y", g.function(c.names()))
	case wideCell:
		g.inputs(c, pick(g, 7, 8, 9, 10, 11, 13, 14))
		g.output(c, "Y", g.function(c.names()))
	case multiCell:
		g.inputs(c, 1+g.r.IntN(4))
		names := c.names()
		for i := range 2 + g.r.IntN(2) {
			some := names
			if len(names) > 1 && g.p(30) {
				some = names[:1+g.r.IntN(len(names))]
			}
			g.output(c, fmt.Sprint("Y", i), g.function(some))
		}
	case latchCell:
		g.latch(c)
	case gateCell:
		g.clockGate(c)
	case blackCell:
		c.Black = true
		g.inputs(c, 1+g.r.IntN(2))
		for i := range 1 + g.r.IntN(2) {
			g.output(c, fmt.Sprint("Z", i), nil)
		}
	case triCell:
		g.inputs(c, 1+g.r.IntN(2))
		fn := g.function(c.names())
		c.Pins = append(c.Pins, Pin{Name: "EN"})
		g.output(c, "Y", fn)
		c.Pins[len(c.Pins)-1].Tri = pick(g, V("EN"), Not(V("EN")))
		if g.p(10) {
			c.Pins[len(c.Pins)-1].Tri = Bin('|', V("EN"), V("A"))
		}
	}
	// Pin order matters: sometimes outputs come first.
	if g.p(20) {
		slices.SortStableFunc(c.Pins, func(x, y Pin) int { return int(y.Dir%2) - int(x.Dir%2) })
	}
	g.c.Cells = append(g.c.Cells, c)
	return c
}

func (c *Cell) names() []string {
	var r []string
	for _, i := range c.In() {
		r = append(r, c.Pins[i].Name)
	}
	return r
}

func (g *gen) inputs(c *Cell, n int) {
	for i := range n {
		c.Pins = append(c.Pins, Pin{Name: string(rune('A' + i))})
	}
}

func (g *gen) output(c *Cell, name string, fn *Expr) {
	c.Pins = append(c.Pins, Pin{Name: name, Dir: Out, Fn: fn})
}

func (g *gen) named(name string) *Cell {
	for _, f := range fixed {
		if f.name != name {
			continue
		}
		return g.once(name, func() *Cell {
			c := &Cell{}
			p := &parser{s: f.fn}
			fn := p.or()
			for i := 0; i < len(f.in); {
				j := i
				for j < len(f.in) && f.in[j] != ' ' {
					j++
				}
				c.Pins = append(c.Pins, Pin{Name: f.in[i:j]})
				i = j + 1
			}
			g.output(c, "Y", fn)
			return c
		})
	}
	panic("model: cell " + name)
}

func (g *gen) once(name string, mk func() *Cell) *Cell {
	for _, c := range g.c.Cells {
		if c.Name == name {
			return c
		}
	}
	c := mk()
	c.Name = name
	g.c.Cells = append(g.c.Cells, c)
	return c
}

// function is a random one of all the variables: a tree, or a sum of products of a random table.
func (g *gen) function(vars []string) *Expr {
	if len(vars) <= 3 && g.p(40) {
		var sum []*Expr
		for s := range 1 << len(vars) {
			if g.p(50) {
				continue
			}
			var prod []*Expr
			for i, v := range vars {
				if s>>i&1 == 1 {
					prod = append(prod, V(v))
				} else {
					prod = append(prod, Not(V(v)))
				}
			}
			sum = append(sum, join('&', prod))
		}
		if len(sum) > 0 {
			return join('|', sum)
		}
	}
	return g.expr(vars)
}

func join(op byte, xs []*Expr) *Expr {
	if len(xs) == 1 {
		return xs[0]
	}
	return Bin(op, xs...)
}

// expr is a random tree that reads every variable once, now and then one twice.
func (g *gen) expr(vars []string) *Expr {
	var xs []*Expr
	for _, v := range vars {
		xs = append(xs, V(v))
		if g.p(15) {
			xs = append(xs, V(v))
		}
	}
	g.r.Shuffle(len(xs), func(i, j int) { xs[i], xs[j] = xs[j], xs[i] })
	for len(xs) > 1 {
		n := 2
		if len(xs) > 2 && g.p(30) {
			n = 3
		}
		op := pick[byte](g, '&', '|', '&', '|', '^')
		if len(vars) > 6 && g.p(60) {
			op = '^' // else a wide gate hardly ever moves
		}
		e := Bin(op, xs[:n]...)
		if g.p(30) {
			e = Not(e)
		}
		xs = append(slices.Clone(xs[n:]), e)
	}
	if g.p(30) {
		return Not(xs[0])
	}
	return xs[0]
}

func (g *gen) latch(c *Cell) {
	l := &Latch{IQ: "IQ", IQN: "IQN", Enable: pick(g, V("G"), Not(V("G"))), Data: V("D")}
	c.Latch = l
	c.Pins = []Pin{{Name: "D"}, {Name: "G"}}
	if g.p(15) {
		l.Enable = Bin('&', V("G"), V("E"))
		c.Pins = append(c.Pins, Pin{Name: "E"})
	}
	if g.p(40) {
		l.Clear = pick(g, V("R"), Not(V("R")))
		c.Pins = append(c.Pins, Pin{Name: "R"})
	}
	if g.p(40) {
		l.Preset = pick(g, V("S"), Not(V("S")))
		c.Pins = append(c.Pins, Pin{Name: "S"})
	}
	if l.Clear != nil && l.Preset != nil {
		l.ClearPreset1, l.ClearPreset2 = pick[byte](g, 'L', 'H'), pick[byte](g, 'L', 'H')
		if g.p(30) { // N for one only: what the other does then no rule says
			l.ClearPreset1, l.ClearPreset2 = 'N', 'N'
		}
	}
	q := g.r.IntN(4)
	if q != 1 {
		g.output(c, "Q", V("IQ"))
	}
	if q == 1 || q == 2 {
		g.output(c, "QN", V("IQN"))
	}
	if q == 3 && g.p(50) {
		g.output(c, "Z", Bin('&', V("IQ"), V("G")))
	}
}

func (g *gen) clockGate(c *Cell) {
	switch g.r.IntN(4) {
	case 0: // of a latch group
		c.Latch = &Latch{IQ: "IQ", IQN: "IQN", Enable: Not(V("CK")), Data: V("E")}
		c.Pins = []Pin{{Name: "CK"}, {Name: "E"}}
		g.output(c, "GCK", Bin('&', V("CK"), V("IQ")))
		return
	case 1: // transparent while the clock is high
		c.Table = &StateTable{Inputs: []string{"CK", "E"}, Nodes: []string{"M"}, Rows: []string{"H L : - : L", "H H : - : H", "L - : - : N"}}
		c.Pins = []Pin{{Name: "CK"}, {Name: "E"}, {Name: "M", Dir: Internal}}
		g.output(c, "GCK", Bin('|', V("CK"), Not(V("M"))))
		return
	case 2: // with test enable
		c.Table = &StateTable{Inputs: []string{"CK", "E", "SE"}, Nodes: []string{"M"}, Rows: []string{"L L L : - : L", "L H - : - : H", "L L H : - : H", "H - - : - : N"}}
		c.Pins = []Pin{{Name: "E"}, {Name: "SE"}, {Name: "CK"}, {Name: "M", Dir: Internal}}
	default:
		c.Table = &StateTable{Inputs: []string{"CK", "E"}, Nodes: []string{"M"}, Rows: []string{"L L : - : L", "L H : - : H", "H - : - : N"}}
		c.Pins = []Pin{{Name: "CK"}, {Name: "E"}, {Name: "M", Dir: Internal}}
	}
	g.output(c, "GCK", Bin('&', V("CK"), V("M")))
}
