// Package synth makes benchmark designs of any size: random gates in levels between registers, with delays on every arc
// and wire, and a stimulus for the registers.
//
// Contract: a design is a pure function of its Params; what a gate is connected to is computed from its number, so the
// writers stream and hold nothing, and a design of millions of gates costs no memory. Cells are those of package
// example. The registers in the stimulus are random: the gates behind them do not compute them, which a re-simulation
// neither needs nor notices.
package synth

import "github.com/wattd/wattd/internal/example"

// Params describes a design. The zero value of a field means its default.
type Params struct {
	Gates  int // in all; default 1000
	Levels int // default 50
	Blocks int // 0: one flat module; else this many instances of one module
	Cycles int // default 100
	Seed   uint64
	Cond   bool // SDF entries with conditions beside the unconditional ones
}

// M1 is the base case of the performance goals: a million gates, 50 levels, 1000 cycles, about 0.3 transitions a gate and
// cycle.
var M1 = Params{Gates: 1_000_000, Levels: 50, Cycles: 1000, Seed: 1}

// Design is a design to write. The nets of a block are numbered: input bits, registers (together level 0), gates.
type Design struct {
	Params
	gates int   // in a block
	width int   // gates in a level of a block
	regs  int   // nets of level 0 in a block
	tree  []int // clock buffers by level, those at the registers first; the last is the root
}

// The clock, in ps, and what the clock tree is made of.
const (
	Period  = 10_000
	inputs  = 16 // bits of the input port of a block: the first nets of level 0
	fanout  = 24 // registers or buffers behind a clock buffer
	bufRise = 40
	bufWire = 5
	// toggle is the chance in 1024 of a register to change in a cycle: it sets the activity of the whole design.
	toggle = 200
)

// New completes the parameters.
func New(p Params) *Design {
	if p.Gates <= 0 {
		p.Gates = 1000
	}
	if p.Levels <= 0 {
		p.Levels = 50
	}
	if p.Cycles <= 0 {
		p.Cycles = 100
	}
	d := &Design{Params: p}
	d.gates = p.Gates / d.blocks()
	d.width = max(1, (d.gates+p.Levels-1)/p.Levels)
	d.regs = max(4*inputs, d.gates/10)
	for n := d.regs - inputs; n > 1; {
		n = (n + fanout - 1) / fanout
		d.tree = append(d.tree, n)
	}
	return d
}

// blocks is how many times the block is there.
func (d *Design) blocks() int { return max(d.Blocks, 1) }

// Top is the name of the top module.
func (d *Design) Top() string { return "synth" }

// mix is a hash of a few numbers with the seed.
func (d *Design) mix(kind, a, b uint64) uint64 {
	x := d.Seed*0x9e3779b97f4a7c15 ^ kind<<56 ^ a<<8 ^ b
	for range 2 {
		x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
		x = (x ^ x>>27) * 0x94d049bb133111eb
		x ^= x >> 31
	}
	return x
}

// Kinds of numbers drawn.
const (
	drawCell = iota
	drawInput
	drawArc
	drawWire
	drawD
	drawToggle
	drawStart
	drawLaunch
)

// mixture is how often a cell occurs. Inverting gates keep signals balanced; XOR and MUX keep them alive over 50 levels.
var mixture = func() []*example.Cell {
	var m []*example.Cell
	for _, x := range []struct {
		cell string
		n    int
	}{
		{"INV_1", 10},
		{"BUF_2", 4},
		{"NAND2_1", 18},
		{"NAND3_1", 5},
		{"NOR2_1", 14},
		{"NOR3_1", 3},
		{"AND2_1", 7},
		{"OR2_1", 7},
		{"XOR2_1", 3},
		{"XNOR2_1", 1},
		{"AOI21_1", 7},
		{"OAI21_1", 7},
		{"MUX2_1", 3},
	} {
		for range x.n {
			m = append(m, example.CellNamed(x.cell))
		}
	}
	return m
}()

func (d *Design) cell(g int) *example.Cell {
	return mixture[d.mix(drawCell, uint64(g), 0)%uint64(len(mixture))]
}

// input gives the net that drives a pin: a register (below regs) or regs + a gate. One pin comes from the level before,
// so that the depth is exact; the others from a few levels before; most from nearby, as a placer would have it.
func (d *Design) input(g, pin int) int {
	level, pos := g/d.width, g%d.width
	r := d.mix(drawInput, uint64(g), uint64(pin))
	from := level - 1
	if pin > 0 {
		for r&1 == 1 && from >= 0 {
			r >>= 1
			from--
		}
		r >>= 1
	}
	if from < 0 {
		return around(pos*d.regs/d.width, d.regs, r)
	}
	return d.regs + from*d.width + around(pos, d.width, r)
}

// around picks a position near pos, or with one chance in 32 anywhere.
func around(pos, n int, r uint64) int {
	if r>>40&31 == 0 {
		return int(r % uint64(n))
	}
	return (pos + int(r%33) - 16 + 17*n) % n
}

// data gives the net at the D pin of a register: a gate of the last levels.
func (d *Design) data(reg int) int {
	last := max(0, d.gates-1-2*d.width)
	return d.regs + last + int(d.mix(drawD, uint64(reg), 0)%uint64(d.gates-last))
}

// arc gives the rise and fall delay of an arc of an instance in ps.
func (d *Design) arc(block, g int, a *example.Arc) (rise, fall int) {
	r := d.mix(drawArc, uint64(block)<<36^uint64(g), uint64(a.Pin))
	return a.Rise + int(r%24), a.Fall + int(r>>8%24)
}

// wire gives the rise and fall delay of the wire to a pin in ps; three in ten are too short to have one.
func (d *Design) wire(block, g, pin int) (rise, fall int) {
	r := d.mix(drawWire, uint64(block)<<36^uint64(g), uint64(pin))
	if r>>16%10 < 3 {
		return 0, 0
	}
	w := 1 + int(r%14)
	return w, w + int(r>>8%3)
}

// launch gives the time from the clock edge at the port to the change of a net of level 0.
func (d *Design) launch(block, reg int) (rise, fall int) {
	if reg < inputs {
		return 300, 300
	}
	q := len(d.tree)*(bufRise+bufWire) + bufWire
	r, f := d.clockToQ(block, reg)
	return q + r, q + f
}

func (d *Design) clockToQ(block, reg int) (rise, fall int) {
	r := d.mix(drawLaunch, uint64(block)<<36^uint64(reg), 0)
	return 90 + int(r%20), 92 + int(r>>8%20)
}

// toggles says whether a register changes at an edge, and starts gives its first value.
func (d *Design) toggles(block, reg, cycle int) bool {
	return d.mix(drawToggle, uint64(block)<<36^uint64(reg), uint64(cycle))%1024 < toggle
}

func (d *Design) starts(block, reg int) bool {
	return d.mix(drawStart, uint64(block)<<36^uint64(reg), 0)&1 == 1
}
