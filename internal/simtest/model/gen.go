package model

import (
	"fmt"
	"math/rand/v2"
)

// Random makes a circuit of about size gates.
func Random(seed uint64, size int) *Circuit {
	g := &gen{r: rand.New(rand.NewPCG(seed, 0x77617474)), c: &Circuit{Seed: seed, Size: size}}
	g.time()
	g.scopes()
	g.circuit(size)
	g.names()
	g.sdf()
	g.waves()
	return g.c
}

// Sizes of the cases that a test makes of consecutive seeds: mostly small, so that a failure is.
func SizeFor(seed uint64) int {
	r := rand.New(rand.NewPCG(seed, 1))
	return 1 + r.IntN([]int{3, 6, 12, 24, 40}[r.IntN(5)])
}

// gen is a generator at work.
type gen struct {
	r *rand.Rand
	c *Circuit

	grid  int64 // changes of sources fall on multiples of it, so that many coincide
	avail []int // nets that a gate may read
	clock int   // -1: none
	loops bool
	ties  bool // few different delays, many pulse limits: equal delays with unequal limits
	// driver scope of each net, -1 for inputs, -2 for undriven ones
	driven map[int]int
	ncell  int
}

func (g *gen) p(percent int) bool { return g.r.IntN(100) < percent }

func pick[T any](g *gen, xs ...T) T { return xs[g.r.IntN(len(xs))] }

func (g *gen) time() {
	g.grid = pick[int64](g, 1, 2, 5, 10, 10, 50, 100)
	c := g.c
	c.TickExp = pick(g, -12, -12, -12, -12, -13, -14, -15, -11)
	if g.grid%10 == 0 && g.p(30) {
		c.VCDUnit = 1
	}
	if g.p(30) {
		c.From = g.grid * 10 * int64(1+g.r.IntN(100))
	}
	c.To = c.From + g.grid*10*int64(3+g.r.IntN(15))
	c.Corner = g.r.IntN(3)
	c.X = pick(g, XHold, XHold, XZero, XOne)
	c.Divider = pick[byte](g, '/', '.')
	c.Timescale = pick(g, 3, 3, 3, 2, 1, 0)
	g.loops = g.p(6)
	g.ties = g.p(20)
}

func (g *gen) scopes() {
	g.c.Scopes = []Scope{{Parent: -1, Name: "", Module: "top"}}
	n := pick(g, 0, 0, 1, 2, 3, 4)
	depth := []int{0}
	for i := 1; i <= n; i++ {
		p := g.r.IntN(i)
		if depth[p] == 3 {
			p = 0
		}
		name := fmt.Sprintf("h%d", i)
		switch g.r.IntN(12) {
		case 0:
			name = fmt.Sprintf("g.h[%d]", i)
		case 1:
			name = fmt.Sprintf("a/h%d", i)
		}
		depth = append(depth, depth[p]+1)
		g.c.Scopes = append(g.c.Scopes, Scope{p, name, fmt.Sprintf("mod%d", i)})
	}
}

// circuit makes inputs and gates.
func (g *gen) circuit(size int) {
	g.driven = map[int]int{}
	g.clock = -1
	for i, n := 0, 1+g.r.IntN(6); i < n; i++ {
		net := g.net(-1)
		g.c.Nets[net].Input = true
		if i == 0 && g.p(40) {
			g.clock = net
		}
	}
	if g.p(5) {
		net := g.net(-2) // undriven
		g.c.Nets[net].Scope = 0
	}
	for len(g.c.Insts)+len(g.c.Prims) < size {
		g.gate()
	}
	if g.loops {
		g.close()
	}
	read := g.read()
	for net := range g.c.Nets {
		n := g.c.Nets[net]
		if !n.Input && g.driven[net] != -2 && (!read[net] && g.p(50) || g.p(10)) {
			n.Output = true
		}
	}
	// A net that only a black box touches may as well be an input of it.
	for _, in := range g.c.Insts {
		for _, o := range in.Cell.Out() {
			if n := in.Conn[o]; in.Cell.Black && n >= 0 && !read[n] {
				g.c.Nets[n].Output = true
			}
		}
	}
}

// net makes a net driven in a scope.
func (g *gen) net(scope int) int {
	g.c.Nets = append(g.c.Nets, &Net{Bit: -1})
	n := len(g.c.Nets) - 1
	g.driven[n] = scope
	g.avail = append(g.avail, n)
	return n
}

// in picks an input.
func (g *gen) in() int {
	switch x := g.r.IntN(100); {
	case x < 2:
		return pick(g, Const0, Const1)
	case x < 50 && len(g.avail) > 6:
		return g.avail[len(g.avail)-1-g.r.IntN(6)]
	}
	return g.avail[g.r.IntN(len(g.avail))]
}

func (g *gen) scope() int { return g.r.IntN(len(g.c.Scopes)) }

// gate adds one gate, or the few that make one net.
func (g *gen) gate() {
	if g.ties && g.p(15) {
		g.inst(g.scope(), g.cell(wideCell)) // conditions of wide gates are kept in another form
		return
	}
	switch x := g.r.IntN(100); {
	case x < 34:
		g.inst(g.scope(), g.cell(fixedCell))
	case x < 52:
		g.inst(g.scope(), g.cell(randomCell))
	case x < 54:
		g.inst(g.scope(), g.cell(wideCell))
	case x < 62:
		g.inst(g.scope(), g.cell(multiCell))
	case x < 71:
		g.inst(g.scope(), g.cell(latchCell))
	case x < 77:
		g.inst(g.scope(), g.cell(gateCell))
	case x < 82:
		g.triState()
	case x < 88:
		g.prim()
	case x < 92:
		g.assign()
	case x < 95:
		g.parallel()
	case x < 96:
		g.fight()
	case x < 97:
		g.inst(g.scope(), g.cell(pick(g, tieCell, blackCell)))
	default:
		g.inst(g.scope(), g.cell(flopCell))
	}
}

// inst adds an instance whose outputs are new nets.
func (g *gen) inst(scope int, cell *Cell) *Inst {
	in := &Inst{Scope: scope, Cell: cell, Name: g.instName()}
	clk := g.clock >= 0 && (cell.Table != nil || cell.Latch != nil) && g.p(70)
	for _, p := range cell.Pins {
		n := Open
		if p.Dir == In {
			n = g.in()
			for cell.Black && g.driven[n] == -2 {
				n = g.in() // its only pin would be taken for the driver
			}
			if clk && (p.Name == "CK" || p.Name == "G") {
				n = g.clock
			}
			if g.p(1) {
				n = Open
			}
		}
		in.Conn = append(in.Conn, n)
	}
	for i, p := range cell.Pins {
		if p.Dir == Out && (len(cell.Out()) == 1 || !g.p(8)) {
			in.Conn[i] = g.net(scope)
		}
	}
	if n := len(cell.Out()); n > 1 && g.outputs(in) == 0 {
		in.Conn[cell.Out()[0]] = g.net(scope)
	}
	g.c.Insts = append(g.c.Insts, in)
	return in
}

func (g *gen) outputs(in *Inst) int {
	n := 0
	for _, o := range in.Cell.Out() {
		if in.Conn[o] >= 0 {
			n++
		}
	}
	return n
}

func (g *gen) instName() string {
	n := len(g.c.Insts) + len(g.c.Prims)
	switch g.r.IntN(20) {
	case 0:
		return fmt.Sprintf("u$%d.x[%d]", n, n)
	case 1:
		return fmt.Sprintf("a/u_%d", n)
	case 2:
		return fmt.Sprintf("U%d", n)
	}
	return fmt.Sprintf("u%d", n)
}

// triState makes a net with one to three three-state drivers, cells and primitives.
func (g *gen) triState() {
	scope := g.scope()
	net := -1
	before := len(g.avail)
	for i, n := 0, 1+g.r.IntN(3); i < n; i++ {
		if net >= 0 {
			g.avail = g.avail[:before] // no driver reads the net
		}
		if g.p(20) {
			p := g.newPrim(g.scope(), pick(g, "bufif0", "bufif1", "notif0", "notif1"), []int{g.in(), g.in()}, net)
			net = p.Out
			continue
		}
		in := &Inst{Scope: g.scope(), Cell: g.cell(triCell), Name: g.instName()}
		if i == 0 {
			in.Scope = scope
		}
		for _, p := range in.Cell.Pins {
			n := net
			if p.Dir == In {
				n = g.in()
			}
			in.Conn = append(in.Conn, n)
		}
		o := in.Cell.Out()[0]
		if net < 0 {
			net = g.net(in.Scope)
			in.Conn[o] = net
		}
		g.c.Insts = append(g.c.Insts, in)
	}
	g.avail = append(g.avail[:before], net)
}

func (g *gen) newPrim(scope int, op string, in []int, out int) *Prim {
	if out < 0 {
		out = g.net(scope)
	}
	p := &Prim{Scope: scope, Op: op, In: in, Out: out, Name: g.instName()}
	g.c.Prims = append(g.c.Prims, p)
	if g.p(60) {
		p.Delay = g.hashDelay()
	}
	return p
}

func (g *gen) prim() {
	op := pick(g, "and", "nand", "or", "nor", "xor", "xnor", "buf", "not")
	n := 1
	if op != "buf" && op != "not" {
		n = 2 + g.r.IntN(4)
	}
	var in []int
	for range n {
		in = append(in, g.in())
	}
	g.newPrim(g.scope(), op, in, -1)
}

// assign makes a continuous assignment of an expression. One of a bare net without delay would be an alias (see names).
func (g *gen) assign() {
	n := 1 + g.r.IntN(4)
	var in []int
	var vars []string
	for i := range n {
		in = append(in, g.in())
		vars = append(vars, fmt.Sprint("i", i))
	}
	fn := g.expr(vars)
	if fn.Op == 'v' {
		fn = Not(fn)
	}
	if g.p(5) {
		fn, in = &Expr{Op: pick[byte](g, '0', '1')}, nil
	}
	p := g.newPrim(g.scope(), "assign", in, -1)
	p.Name, p.Fn = "", fn
	if in == nil {
		p.Delay = nil
	}
}

// parallel makes two or three drivers with the same function of the same nets.
func (g *gen) parallel() {
	cell := g.cell(pick(g, fixedCell, randomCell))
	first := g.inst(g.scope(), cell)
	out := cell.Out()[0]
	for range 1 + g.r.IntN(2) {
		in := *first
		in.Name = g.instName()
		if g.p(50) {
			in.Scope = g.scope()
		}
		if g.p(30) { // another cell of the same function
			c := *cell
			g.ncell++
			c.Name = fmt.Sprintf("%s_X%d", cell.Name, g.ncell)
			g.c.Cells = append(g.c.Cells, &c)
			in.Cell = &c
		}
		in.Conn = append([]int(nil), first.Conn...)
		in.Conn[out] = first.Conn[out]
		g.c.Insts = append(g.c.Insts, &in)
	}
}

// fight makes a net with two drivers of different functions: a source.
func (g *gen) fight() {
	and, or := g.named("AND2"), g.named("OR2")
	first := g.inst(g.scope(), and)
	in := &Inst{Scope: g.scope(), Cell: or, Name: g.instName(), Conn: append([]int(nil), first.Conn...)}
	if in.Conn[0] == Open || in.Conn[0] < 0 || in.Conn[0] == in.Conn[1] || in.Conn[1] < 0 {
		in.Conn[0], in.Conn[1] = g.avail[0], Open
	}
	g.c.Insts = append(g.c.Insts, in)
}

// close makes loops by letting gates read nets that come later.
func (g *gen) close() {
	for range 1 + g.r.IntN(3) {
		if len(g.c.Insts) == 0 {
			return
		}
		in := g.c.Insts[g.r.IntN(len(g.c.Insts))]
		ins := in.Cell.In()
		if len(ins) == 0 || in.Cell.Black {
			continue
		}
		in.Conn[ins[g.r.IntN(len(ins))]] = g.avail[g.r.IntN(len(g.avail))]
	}
}

// read tells the nets that a pin reads.
func (g *gen) read() map[int]bool {
	read := map[int]bool{}
	for _, in := range g.c.Insts {
		for _, i := range in.Cell.In() {
			read[in.Conn[i]] = true
		}
	}
	for _, p := range g.c.Prims {
		for _, n := range p.In {
			read[n] = true
		}
	}
	return read
}

// conns calls f for every connection of a pin to a net.
func (g *gen) conns(f func(net, scope int)) {
	for _, in := range g.c.Insts {
		for i, n := range in.Conn {
			if n >= 0 && in.Cell.Pins[i].Dir != Internal {
				f(n, in.Scope)
			}
		}
	}
	for _, p := range g.c.Prims {
		f(p.Out, p.Scope)
		for _, n := range p.In {
			if n >= 0 {
				f(n, p.Scope)
			}
		}
	}
}
