package edittest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// Edit is what was done in a step.
type Edit struct {
	Kind string
	What string
	// Text says that nothing was changed that a simulation could see.
	Text bool
	// Wrong says that the inputs have an error now.
	Wrong bool
	// Undo says that the files are as before the last step.
	Undo bool
	// Grows says that gates or nets came or went; a three-state net that a dump names is no gate.
	Grows bool
}

// kind is a kind of edit. do returns what it did, "" when the design has nothing of the kind.
type kind struct {
	name  string
	share int
	text  bool
	grows bool
	do    func(d *Design) string
}

var kinds = []kind{
	{"swap function, equal delays", 8, false, false, (*Design).swap},
	{"swap to the same function", 3, false, false, (*Design).swapSame},
	{"inverter and buffer", 4, false, false, (*Design).invert},
	{"rewire an input", 8, false, false, (*Design).rewire},
	{"rewire into a loop", 1, false, true, (*Design).loop},
	{"drive a net twice", 1, false, true, (*Design).driveTwice},
	{"delay of a path", 8, false, false, (*Design).pathDelay},
	{"condition of a path", 5, false, false, (*Design).pathCondition},
	{"delay of a wire", 6, false, false, (*Design).wireDelay},
	{"wildcard", 2, false, false, (*Design).wildcard},
	{"statements of an instance", 2, false, false, (*Design).entry},
	{"comment", 5, true, false, (*Design).comment},
	{"white space", 3, true, false, (*Design).space},
	{"instance in front", 4, false, true, (*Design).front},
	{"split a module", 3, false, true, (*Design).splitModule},
	{"rename a module", 2, false, true, (*Design).renameModule},
	{"rename an instance", 2, false, true, (*Design).renameInstance},
	{"add a gate", 5, false, true, (*Design).newGate},
	{"remove a gate", 4, false, true, (*Design).removeGate},
	{"add a register", 4, false, true, (*Design).newRegister},
	{"remove a register", 3, false, true, (*Design).removeRegister},
	{"enable of a clock gate", 4, false, false, (*Design).clockEnable},
	{"clock of a register", 2, false, false, (*Design).clock},
	{"enable of a three-state driver", 2, false, false, (*Design).triEnable},
	{"buffer behind a driver", 4, false, true, (*Design).buffer},
	{"rename a net", 3, false, true, (*Design).renameNet},
	{"move a declaration", 2, true, false, (*Design).moveDeclaration},
	{"move a module to the other file", 1, true, false, (*Design).moveModule},
	{"add an instance of a module", 2, false, true, (*Design).newInstance},
	{"remove an instance of a module", 1, false, true, (*Design).removeInstance},
	{"extend the stimulus", 3, false, false, func(d *Design) string { d.extend(); return fmt.Sprintf("to %d", d.stim.end) }},
	{"change a part of the stimulus", 5, false, false, func(d *Design) string { d.alter(); return "altered" }},
	{"record the stimulus anew", 2, false, true, func(d *Design) string { d.record(); return "recorded" }},
	{"drop a variable of the stimulus", 2, false, true, (*Design).dropVar},
	{"function in the library", 2, false, false, (*Design).function},
	{"attribute in the library", 2, true, false, (*Design).attribute},
	{"annotate anew", 2, false, false, func(d *Design) string { d.annotate(); return "annotated" }},
	{"choices of the run", 2, false, false, (*Design).choose},
}

// Kinds that are made of others.
const (
	two   = "two files at once"
	undo  = "undo"
	wrong = "wrong inputs"
	mend  = "wrong inputs mended"
)

// Kinds lists the names of all kinds of edits.
func Kinds() []string {
	names := []string{two, undo, wrong, mend}
	for _, k := range kinds {
		names = append(names, k.name)
	}
	return names
}

// Sequence is a design with a random sequence of edits.
type Sequence struct {
	r      *rand.Rand
	now    *Design
	before *Design // nil when the step cannot be undone
	broken map[string]string
}

// New starts a sequence.
func New(seed uint64) *Sequence {
	return &Sequence{r: rand.New(rand.NewPCG(seed, 78)), now: Random(seed)}
}

// Files are the texts of all files.
func (s *Sequence) Files() map[string]string {
	f := s.now.Files()
	for name, text := range s.broken {
		f[name] = text
	}
	return f
}

// Step makes the next edit. Wrong inputs are mended in the step behind it.
func (s *Sequence) Step() Edit {
	switch {
	case s.broken != nil:
		s.broken = nil
		e := Edit{Kind: mend, What: "mended", Text: true}
		if s.r.IntN(2) == 0 {
			e = s.edit()
			e.Kind, e.What = mend, e.What+", and mended"
		}
		return e
	case s.before != nil && s.r.IntN(100) < 9:
		s.before, s.now = nil, s.before
		return Edit{Kind: undo, What: "undone", Undo: true}
	case s.r.IntN(100) < 4:
		return s.ruin()
	case s.r.IntN(100) < 6:
		e := s.edit()
		undoTo := s.before
		x := s.edit()
		s.before = undoTo
		return Edit{Kind: two, What: e.Kind + ": " + e.What + "; " + x.Kind + ": " + x.What, Text: e.Text && x.Text, Grows: e.Grows || x.Grows}
	}
	return s.edit()
}

func (s *Sequence) edit() Edit {
	total := 0
	for i := range kinds {
		total += kinds[i].share
	}
	for {
		at := s.r.IntN(total)
		i := 0
		for ; at >= kinds[i].share; i++ {
			at -= kinds[i].share
		}
		k := &kinds[i]
		d := s.now.clone()
		what := k.do(d)
		if what == "" {
			continue
		}
		s.before, s.now = s.now, d
		if k.grows && s.r.IntN(5) == 0 { // the other files follow
			d.annotate()
			what += ", annotated"
			if s.r.IntN(2) == 0 {
				d.record()
				what += ", recorded"
			}
		}
		return Edit{Kind: k.name, What: what, Text: k.text, Grows: k.grows}
	}
}

// ruin makes an input wrong.
func (s *Sequence) ruin() Edit {
	names := sortedKeys(s.now.Files())
	names = slices.DeleteFunc(names, func(n string) bool { return n == "wattd.toml" || n == "delays1.sdf" || n == "parts.v" })
	name := pick(s.r, names)
	text := s.now.Files()[name]
	s.before = nil
	cut := len(text)/2 + s.r.IntN(len(text)/3)
	switch name {
	case "stim.vcd":
		text = strings.Replace(text, "$scope module dut", "$scope module nothing", 1)
	case "cells.lib":
		text = text[:cut] + "\n }}}} {{{{ ((\n" + text[cut:]
	case "top.v":
		text = text[:cut] + "\n) ) endmodule ( (\n" + text[cut:]
	default:
		text = text[:cut] + "\n (CELL (\n" + text[cut:]
	}
	s.broken = map[string]string{name: text}
	return Edit{Kind: wrong, What: name, Wrong: true}
}

// some picks an item of a kind somewhere in the design.
func (d *Design) some(ok func(it *item) bool) (*module, int) {
	type place struct {
		m *module
		i int
	}
	var all []place
	for _, m := range d.mods {
		for i, it := range m.items {
			if ok(it) {
				all = append(all, place{m, i})
			}
		}
	}
	if len(all) == 0 {
		return nil, 0
	}
	x := pick(d.r, all)
	return x.m, x.i
}

func isCell(it *item) bool { return it.kind == cellItem }

func isKind(k string) func(*item) bool {
	return func(it *item) bool { return it.kind == cellItem && it.cell.kind == k }
}

func (d *Design) exchange(ok func(a, b *cell) bool) string {
	choices := func(it *item) (c []*cell) {
		for _, x := range it.cell.like() {
			if ok(it.cell, x) {
				c = append(c, x)
			}
		}
		return c
	}
	m, i := d.some(func(it *item) bool { return isCell(it) && len(choices(it)) > 0 })
	if m == nil {
		return ""
	}
	it := m.items[i]
	was := it.cell
	it.cell = pick(d.r, choices(it))
	return fmt.Sprintf("%s.%s: %s to %s", m.name, it.name, was.name, it.cell.name)
}

func (d *Design) swap() string {
	return d.exchange(func(a, b *cell) bool { return len(a.in) > 1 && !sameFunction(a, b) })
}

func (d *Design) swapSame() string { return d.exchange(sameFunction) }

func (d *Design) invert() string { return d.exchange(func(a, b *cell) bool { return len(a.in) == 1 }) }

func sameFunction(a, b *cell) bool {
	return strings.TrimSuffix(a.name, "X") == strings.TrimSuffix(b.name, "X") && a != b
}

// input picks an input of an item that computes.
func (d *Design) input(ok func(it *item) bool) (*module, *item, *conn) {
	m, i := d.some(func(it *item) bool { return ok(it) && len(it.inputs()) > 0 })
	if m == nil {
		return nil, nil, nil
	}
	return m, m.items[i], pick(d.r, m.items[i].inputs())
}

func computes(it *item) bool {
	return it.kind == assignItem || it.kind == primItem || it.kind == subItem || it.kind == cellItem && it.cell.kind != "gate" && it.cell.name != "CKL"
}

func (d *Design) rewire() string {
	m, it, c := d.input(computes)
	if m == nil || c.pin == "clk" || c.pin == "rst_n" || c.pin == "CK" || c.pin == "RN" {
		return ""
	}
	rank := 2e6
	if !isKind("ff")(it) {
		for _, o := range it.outputs() {
			rank = min(rank, m.rank(o.nets[0]))
		}
	}
	k := d.r.IntN(len(c.nets))
	n := d.nearby(m, rank)
	was := c.nets[k]
	if n == was {
		return ""
	}
	c.nets[k] = n
	return fmt.Sprintf("%s.%s.%s from %s to %s", m.name, it.name, c.pin, was, n)
}

func (d *Design) loop() string {
	m, it, c := d.input(computes)
	if m == nil || c.pin == "clk" {
		return ""
	}
	c.nets[0] = pick(d.r, m.nets).name
	return fmt.Sprintf("%s.%s.%s to %s", m.name, it.name, c.pin, c.nets[0])
}

func (d *Design) driveTwice() string {
	m, i := d.some(func(it *item) bool { return isKind("")(it) && len(it.outputs()) > 0 })
	it := m.items[i]
	n := pick(d.r, m.nets)
	if n.port && n.rank == 0 {
		return ""
	}
	it.outputs()[0].nets[0] = n.name
	return fmt.Sprintf("%s.%s drives %s", m.name, it.name, n.name)
}

// statement picks a statement.
func (d *Design) statement(ok func(s *sdfStmt) bool) (*sdfFile, *sdfEntry, int) {
	type place struct {
		f *sdfFile
		e *sdfEntry
		i int
	}
	var all []place
	for _, f := range d.sdf {
		for _, e := range f.entries {
			for i := range e.stmts {
				if ok(&e.stmts[i]) {
					all = append(all, place{f, e, i})
				}
			}
		}
	}
	if len(all) == 0 {
		return nil, nil, 0
	}
	x := pick(d.r, all)
	return x.f, x.e, x.i
}

func isPath(s *sdfStmt) bool { return len(s.dst) == 0 }

func (d *Design) pathDelay() string { return d.revalue(isPath, 60) }

func (d *Design) wireDelay() string {
	isWire := func(s *sdfStmt) bool { return len(s.dst) > 0 }
	if f, e, i := d.statement(isWire); f != nil && d.p(20) {
		e.stmts = slices.Delete(e.stmts, i, i+1)
		return "removed"
	}
	return d.revalue(isWire, 30)
}

func (d *Design) revalue(ok func(*sdfStmt) bool, most int) string {
	f, e, i := d.statement(ok)
	if f == nil {
		return ""
	}
	s := &e.stmts[i]
	if s.vals = slices.Clone(s.vals); d.p(60) {
		s.vals[d.r.IntN(len(s.vals))] = d.delay(most)
	} else {
		s.vals = d.delays(most)
	}
	return strings.Join(e.path, "/") + " " + f.stmt(s)
}

func (d *Design) pathCondition() string {
	f, e, i := d.statement(func(s *sdfStmt) bool { return isPath(s) })
	if f == nil {
		return ""
	}
	s := e.stmts[i]
	c := cells[slices.IndexFunc(cells, func(c *cell) bool { return c.name == e.cell })]
	switch {
	case s.cond != "" && d.p(40):
		e.stmts = slices.Delete(e.stmts, i, i+1)
		return "removed"
	case s.cond != "":
		e.stmts[i].cond = d.condition(c, s.in, s.out).cond
	case len(c.in) < 2:
		return ""
	default:
		e.stmts = slices.Insert(e.stmts, i+1, d.condition(c, s.in, s.out))
		i++
	}
	return strings.Join(e.path, "/") + " " + f.stmt(&e.stmts[i])
}

func (d *Design) wildcard() string {
	f := pick(d.r, d.sdf)
	if i := slices.IndexFunc(f.entries, func(e *sdfEntry) bool { return e.wild }); i >= 0 {
		f.entries = slices.Delete(f.entries, i, i+1)
		return "removed"
	}
	c := pick(d.r, cells[:16])
	e := &sdfEntry{cell: c.name, wild: true, stmts: d.arcs(&leaf{in: &item{cell: c}})}
	f.entries = slices.Insert(f.entries, d.r.IntN(len(f.entries)+1), e)
	return c.name
}

// entry removes or repeats the statements of an instance, or moves them in the file.
func (d *Design) entry() string {
	f := pick(d.r, d.sdf)
	if len(f.entries) < 2 {
		return ""
	}
	i := d.r.IntN(len(f.entries))
	e := f.entries[i]
	switch d.r.IntN(3) {
	case 0:
		f.entries = slices.Delete(f.entries, i, i+1)
		return "removed"
	case 1:
		f.entries = append(slices.Delete(f.entries, i, i+1), e)
		return "moved"
	}
	f.entries = slices.Insert(f.entries, d.r.IntN(len(f.entries)+1), e)
	return "repeated"
}

func (d *Design) comment() string {
	text := d.name("nothing ")
	switch d.r.IntN(5) {
	case 0:
		pick(d.r, d.sdf).comment = text
	case 1:
		d.lib.comment = append(d.lib.comment, text)
	case 2:
		d.stim.comment = text
	case 3:
		m := pick(d.r, d.mods)
		m.head = append(m.head, text)
	default:
		m := pick(d.r, d.mods)
		m.insert(d.r.IntN(len(m.items)+1), &item{kind: commentItem, text: text + strings.Repeat("\n", d.r.IntN(3))})
	}
	return text
}

func (d *Design) space() string {
	m := pick(d.r, d.mods)
	m.tabs = !m.tabs
	return m.name
}

func (d *Design) front() string {
	m := pick(d.r, d.mods)
	it := d.addGate(m, 0)
	return m.name + "." + it.name
}

func (d *Design) newGate() string {
	m := pick(d.r, d.mods)
	it := d.addGate(m, d.r.IntN(len(m.items)+1))
	if d.p(70) { // somebody reads it
		out := it.outputs()
		rank := m.rank(out[0].nets[0])
		for _, x := range m.items {
			if !computes(x) || x.kind == subItem || d.p(50) {
				continue
			}
			if o := x.outputs(); len(o) > 0 && m.rank(o[0].nets[0]) > rank && len(x.inputs()) > 0 {
				pick(d.r, x.inputs()).nets[0] = out[0].nets[0]
				break
			}
		}
	}
	return m.name + "." + it.name
}

func (d *Design) remove(ok func(*item) bool) string {
	m, i := d.some(ok)
	if m == nil || len(m.items) < 4 {
		return ""
	}
	name := m.name + "." + m.items[i].name
	m.items = slices.Delete(m.items, i, i+1)
	return name
}

func (d *Design) removeGate() string {
	return d.remove(func(it *item) bool { return computes(it) && it.kind != subItem && !isKind("ff")(it) })
}

func (d *Design) removeRegister() string { return d.remove(isKind("ff")) }

func (d *Design) removeInstance() string {
	return d.remove(func(it *item) bool { return it.kind == subItem })
}

func (d *Design) newRegister() string {
	m := pick(d.r, d.mods)
	it := d.addRegister(m, d.r.IntN(len(m.items)+1))
	if d.p(80) {
		if _, x, c := d.inputIn(m); c != nil && x.kind != subItem {
			c.nets[0] = it.at("Q").nets[0]
		}
	}
	return m.name + "." + it.name
}

func (d *Design) inputIn(m *module) (*module, *item, *conn) {
	for range 10 {
		it := pick(d.r, m.items)
		if computes(it) && !isKind("ff")(it) && len(it.inputs()) > 0 {
			return m, it, pick(d.r, it.inputs())
		}
	}
	return nil, nil, nil
}

func (d *Design) newInstance() string {
	if len(d.leaves()) > 150 {
		return ""
	}
	d.addInstance(d.mods[0], pick(d.r, d.mods[1:]))
	return "in top"
}

func (d *Design) clockEnable() string {
	m, i := d.some(func(it *item) bool { return isCell(it) && it.at("GCK") != nil })
	if m == nil {
		return ""
	}
	c := m.items[i].at("EN")
	n := d.nearby(m, 100)
	if n == c.nets[0] {
		return ""
	}
	c.nets[0] = n
	return m.name + "." + m.items[i].name + " by " + n
}

func (d *Design) clock() string {
	m, i := d.some(isKind("ff"))
	if m == nil {
		return ""
	}
	c, n := m.items[i].at("CK"), d.clockOf(m)
	if c.nets[0] == n {
		return ""
	}
	c.nets[0] = n
	return m.name + "." + m.items[i].name + " by " + n
}

func (d *Design) triEnable() string {
	m, i := d.some(isKind("tri"))
	if m == nil {
		return ""
	}
	n := d.nearby(m, 150)
	m.items[i].at("EN").nets[0] = n
	return m.name + "." + m.items[i].name + " by " + n
}

// buffer puts a buffer behind an output; what read the net reads it behind the buffer.
func (d *Design) buffer() string {
	m, i := d.some(func(it *item) bool { return isCell(it) && len(it.outputs()) > 0 && it.at("GCK") == nil })
	if m == nil {
		return ""
	}
	old := pick(d.r, m.items[i].outputs()).nets[0]
	rank := m.rank(old) + 1e-6
	n := d.newNet(m, rank)
	for _, it := range m.items {
		for _, c := range it.inputs() {
			for k := range c.nets {
				if c.nets[k] == old && d.p(80) {
					c.nets[k] = n
				}
			}
		}
	}
	b := &item{kind: cellItem, cell: cellNamed("BUF"), name: d.instName("b"), conn: []conn{{"A", []string{old}}, {"Y", []string{n}}}}
	m.insert(i+1, b)
	return m.name + "." + b.name + " behind " + old
}

func (d *Design) renameNet() string {
	m := pick(d.r, d.mods)
	i := d.r.IntN(len(m.nets))
	old := m.nets[i]
	if old.port || strings.HasPrefix(old.name, "w[") {
		return ""
	}
	to := d.name("z")
	m.rename(old.name, to)
	m.nets[i].name = to
	return m.name + "." + old.name + " to " + to
}

func (m *module) rename(from, to string) {
	for _, it := range m.items {
		for k := range it.conn {
			for j, n := range it.conn[k].nets {
				if n == from {
					it.conn[k].nets[j] = to
				}
			}
		}
	}
}

func (d *Design) renameModule() string {
	m := pick(d.r, d.mods[1:])
	was := m.name
	m.name = d.name("blk_")
	return was + " to " + m.name
}

func (d *Design) renameInstance() string {
	m, i := d.some(func(it *item) bool { return it.kind == subItem || it.kind == cellItem })
	was := m.items[i].name
	m.items[i].name = d.instName("x")
	return m.name + "." + was + " to " + m.items[i].name
}

func (d *Design) moveDeclaration() string {
	m := pick(d.r, d.mods)
	first := slices.IndexFunc(m.nets, func(n net) bool { return !n.port })
	if first < 0 || len(m.nets)-first < 2 {
		return ""
	}
	// the order of nets decides what later edits pick, not what they mean
	i, j := first+d.r.IntN(len(m.nets)-first), first+d.r.IntN(len(m.nets)-first)
	m.nets[i], m.nets[j] = m.nets[j], m.nets[i]
	return m.nets[j].name
}

func (d *Design) moveModule() string {
	if !d.split {
		return ""
	}
	m := pick(d.r, d.mods[1:])
	m.file = 1 - m.file
	return m.name
}

func (d *Design) dropVar() string {
	i := d.r.IntN(len(d.stim.vars))
	if v := d.stim.vars[i]; v.name == "clk" {
		return ""
	}
	name := d.stim.vars[i].name
	d.stim.vars = slices.Delete(d.stim.vars, i, i+1)
	return name
}

func (d *Design) function() string {
	c := pick(d.r, []string{"NAND2", "XOR2", "OR2", "AND2", "INV"})
	fn := pick(d.r, []string{"A & !B", "!A | B", "B", "!(A ^ B)"})
	if c == "INV" {
		fn = pick(d.r, []string{"A", "!A"})
	}
	d.lib.fn[c] = fn
	return c + " is " + fn
}

func (d *Design) attribute() string {
	if d.p(50) {
		d.lib.more++
		return "a cell"
	}
	d.lib.area++
	return "area"
}

func (d *Design) choose() string {
	switch d.r.IntN(5) {
	case 4:
		d.params.glitch = pick(d.r, []string{"", "zero-delay"})
	case 0:
		d.params.corner = pick(d.r, []string{"", "min", "max"})
	case 1:
		d.params.x = pick(d.r, []string{"", "0", "1", "random:9"})
	case 2:
		d.params.windows = pick(d.r, []string{"", "2", "9", "31"})
	default:
		d.params.cycle = pick(d.r, []string{"", "250ps"})
	}
	return fmt.Sprintf("%+v", d.params)
}

// splitModule moves some items of a module into one of their own.
func (d *Design) splitModule() string {
	m := pick(d.r, d.mods)
	if len(m.items) < 6 {
		return ""
	}
	from := d.r.IntN(len(m.items) - 3)
	moved := slices.Clone(m.items[from : from+2+d.r.IntN(3)])
	moved = slices.DeleteFunc(moved, func(it *item) bool { return it.kind == commentItem })
	if len(moved) == 0 {
		return ""
	}
	driven, read, left := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, it := range m.items {
		in := slices.Contains(moved, it)
		for _, c := range it.outputs() {
			for _, n := range c.nets {
				if in {
					driven[n] = true
				} else {
					left[n] = true
				}
			}
		}
		for _, c := range it.inputs() {
			for _, n := range c.nets {
				if in {
					read[n] = true
				} else {
					left[n] = true
				}
			}
		}
	}
	for _, p := range m.ports {
		for _, b := range p.bits() {
			left[b] = true
		}
	}
	x := &module{name: d.name("part"), file: m.file}
	inst := &item{kind: subItem, sub: x, name: d.instName("s")}
	local := map[string]string{}
	port := func(n, dir string) {
		p := d.name("p")
		x.ports = append(x.ports, portOf(p, dir))
		x.nets = append(x.nets, net{name: p, rank: m.rank(n), port: true})
		inst.conn = append(inst.conn, conn{p, []string{n}})
		local[n] = p
	}
	for _, n := range sortedKeys(read) {
		if !driven[n] && m.rank(n) >= 0 {
			port(n, "input")
		}
	}
	for _, n := range sortedKeys(driven) {
		if left[n] {
			port(n, "output")
		} else {
			l := d.name("l")
			x.nets = append(x.nets, net{name: l, rank: m.rank(n)})
			local[n] = l
		}
	}
	for _, it := range moved {
		for k := range it.conn {
			for j, n := range it.conn[k].nets {
				if l, ok := local[n]; ok {
					it.conn[k].nets[j] = l
				}
			}
		}
	}
	x.items = moved
	at := slices.Index(m.items, moved[0])
	m.items[at] = inst
	m.items = slices.DeleteFunc(m.items, func(it *item) bool { return slices.Contains(moved, it) })
	m.nets = slices.DeleteFunc(m.nets, func(n net) bool { return driven[n.name] && !left[n.name] && !n.port })
	d.mods = append(d.mods, x)
	return fmt.Sprintf("%d items of %s", len(moved), m.name)
}

func portOf(name, dir string) port { return port{name, dir, 0} }
