package edittest

import (
	"fmt"
	"math/rand/v2"
)

// Random makes a design.
func Random(seed uint64) *Design {
	d := &Design{r: rand.New(rand.NewPCG(seed, 77)), lib: library{fn: map[string]string{}}}
	d.split = d.p(40)
	b := d.module("blk_b", 4, 6+d.r.IntN(10), nil)
	c := d.module("blk_c", 5, 4+d.r.IntN(6), []*module{b})
	subs := []*module{b, c}
	if d.p(50) {
		subs = append(subs, c, b)
	}
	top := d.module("top", 6, 8+d.r.IntN(14), subs)
	d.mods = []*module{top, b, c}
	b.file, c.file = 1, d.r.IntN(2)
	d.params.windows = pick(d.r, []string{"", "1", "3", "7", "7", "20", "65"})
	d.params.corner = pick(d.r, []string{"", "", "min", "max"})
	d.params.x = pick(d.r, []string{"", "", "0", "1", "random:7"})
	if d.p(15) {
		d.params.from, d.params.to = "130ps", "1777ps"
	}
	if d.p(20) {
		d.params.cycle = "333ps"
	}
	if d.p(8) {
		d.params.glitch = "zero-delay"
	}
	if d.p(10) {
		d.params.reject = "40"
	}
	if d.p(20) {
		d.params.uncond = "default"
	}
	d.stim.end = cycle * int64(6+d.r.IntN(10))
	d.sdf = []*sdfFile{{divider: pick(d.r, []byte("/.")), ns: d.p(70)}}
	if d.p(50) {
		f := &sdfFile{divider: '/', ns: d.p(50)}
		for _, it := range top.items {
			if it.kind == subItem && it.name == bare(it.name) && d.p(30) {
				f.mount = "@" + it.name
			}
		}
		d.sdf = append(d.sdf, f)
	}
	d.annotate()
	d.record()
	return d
}

// module makes a module with so many gates and instances of others.
func (d *Design) module(name string, inputs, gates int, subs []*module) *module {
	m := &module{name: name, ports: []port{{"clk", "input", 0}, {"rst_n", "input", 0}, {"a", "input", 2}}}
	for i := range inputs - 2 {
		m.ports = append(m.ports, port{fmt.Sprintf("i%d", i), "input", 0})
	}
	for _, p := range m.ports {
		for _, b := range p.bits() {
			m.nets = append(m.nets, net{name: b, port: true})
		}
	}
	for range 2 + d.r.IntN(3) {
		d.addRegister(m, len(m.items))
	}
	if d.p(60) {
		d.addClockGate(m)
	}
	for range gates {
		d.addGate(m, len(m.items))
		if len(subs) > 0 && d.p(25) {
			d.addInstance(m, subs[0])
			subs = subs[1:]
		}
	}
	for _, s := range subs {
		d.addInstance(m, s)
	}
	if d.p(15) {
		d.addThreeState(m)
	}
	for i := range 2 {
		p := port{fmt.Sprintf("y%d", i), "output", 0}
		if i == 1 {
			p.width = 2
		}
		m.ports = append(m.ports, p)
		for _, b := range p.bits() {
			src := pick(d.r, m.nets).name
			m.nets = append(m.nets, net{name: b, rank: 1e6, port: true})
			if d.p(50) {
				m.items = append(m.items, &item{kind: assignItem, conn: []conn{{nets: []string{b}}, {nets: []string{src}}}})
			} else {
				m.items = append(m.items, &item{kind: cellItem, cell: cellNamed("BUF"), name: d.name("o"), conn: []conn{{"A", []string{src}}, {"Y", []string{b}}}})
			}
		}
	}
	return m
}

// insert puts an item before the one at.
func (m *module) insert(at int, it *item) {
	m.items = append(m.items, nil)
	copy(m.items[at+1:], m.items[at:])
	m.items[at] = it
}

// nearby picks a net below a rank, one made lately more often.
func (d *Design) nearby(m *module, rank float64) string {
	s := m.below(rank)
	if len(s) == 0 {
		return "1'b0"
	}
	if d.p(1) {
		return pick(d.r, []string{"1'b0", "1'b1"})
	}
	if n := len(s); n > 8 && d.p(60) {
		return s[n-1-d.r.IntN(8)]
	}
	return pick(d.r, s)
}

// addGate adds a gate, an assign or a primitive at a place in the text.
func (d *Design) addGate(m *module, at int) *item {
	rank := 1 + float64(d.r.IntN(100))
	it := &item{kind: cellItem, name: d.instName("g")}
	top := 0.0
	read := func() []string {
		n := d.nearby(m, rank)
		top = max(top, m.rank(n))
		return []string{n}
	}
	switch {
	case d.p(8):
		it.kind, it.text = assignItem, pick(d.r, []string{"&", "|", "^"})
		it.conn = []conn{{}, {nets: read()}, {nets: read()}}
	case d.p(6):
		it.kind, it.text = primItem, pick(d.r, []string{"and", "nor", "xor", "nand"})
		it.conn = []conn{{}, {nets: read()}, {nets: read()}}
	case d.p(10):
		it.cell = cellNamed(pick(d.r, []string{"LATQ", "LATC"}))
	default:
		it.cell = pick(d.r, cells[:18])
		if len(it.cell.in) > 3 && d.p(85) { // large maps take their time
			it.cell = pick(d.r, cells[:14])
		}
	}
	if it.kind != cellItem {
		it.conn[0].nets = []string{d.newNet(m, top+0.5)}
		m.insert(at, it)
		return it
	}
	for _, p := range it.cell.in {
		it.conn = append(it.conn, conn{p, read()})
	}
	for i, o := range it.cell.out {
		if i > 0 && d.p(20) {
			continue // an open output
		}
		it.conn = append(it.conn, conn{o.pin, []string{d.newNet(m, top+0.5)}})
	}
	if d.p(2) && len(it.cell.in) > 1 {
		it.conn = it.conn[1:] // an open input
	}
	m.insert(at, it)
	return it
}

func (d *Design) instName(prefix string) string {
	n := d.name(prefix)
	if d.p(10) {
		return "\\" + n + "/u[0] "
	}
	return n
}

// clockOf is the clock, or a gated one.
func (d *Design) clockOf(m *module) string {
	for _, it := range m.items {
		if it.kind == cellItem && it.cell.out[0].pin == "GCK" && d.p(50) {
			return it.at("GCK").nets[0]
		}
	}
	return "clk"
}

func (d *Design) addRegister(m *module, at int) *item {
	it := &item{kind: cellItem, cell: cellNamed(pick(d.r, []string{"DFF", "DFFR"})), name: d.instName("r")}
	ck := "clk"
	if at > 0 {
		ck = d.clockOf(m)
	}
	it.conn = []conn{{"CK", []string{ck}}, {"D", []string{d.nearby(m, 2e6)}}}
	if it.cell.name == "DFFR" {
		it.conn = append(it.conn, conn{"RN", []string{"rst_n"}})
	}
	it.conn = append(it.conn, conn{"Q", []string{d.newNet(m, 0)}})
	if d.p(30) {
		it.conn = append(it.conn, conn{"QN", []string{d.newNet(m, 0)}})
	}
	m.insert(at, it)
	return it
}

func (d *Design) addClockGate(m *module) {
	it := &item{kind: cellItem, cell: cellNamed(pick(d.r, []string{"CKG", "CKL"})), name: d.instName("k")}
	en := d.nearby(m, 100)
	it.conn = []conn{{"CK", []string{"clk"}}, {"EN", []string{en}}, {"GCK", []string{d.newNet(m, 5e5)}}}
	m.items = append(m.items, it)
	for range 1 + d.r.IntN(2) {
		d.addRegister(m, len(m.items))
	}
}

func (d *Design) addThreeState(m *module) {
	n := d.newNet(m, 200)
	for range 1 + d.r.IntN(2) {
		m.items = append(m.items, &item{kind: cellItem, cell: cellNamed("TBUF"), name: d.instName("t"), conn: []conn{
			{"A", []string{d.nearby(m, 200)}}, {"EN", []string{d.nearby(m, 200)}}, {"Y", []string{n}},
		}})
	}
}

// addInstance adds an instance of a module.
func (d *Design) addInstance(m *module, sub *module) {
	it := &item{kind: subItem, sub: sub, name: d.instName("u")}
	rank := 20 + float64(d.r.IntN(80))
	top := 0.0
	for _, p := range sub.ports {
		c := conn{pin: p.name}
		for range p.bits() {
			n := ""
			switch {
			case p.name == "clk" || p.name == "rst_n":
				n = p.name
			case p.dir == "input":
				n = d.nearby(m, rank)
				top = max(top, m.rank(n))
			default:
				n = d.newNet(m, top+0.5)
			}
			c.nets = append(c.nets, n)
		}
		it.conn = append(it.conn, c)
	}
	m.items = append(m.items, it)
}
