// Package edittest makes small random designs as files, edits them the way people and tools do, and tells whether two simulations of
// such files are equal. It is the other side of the proof that an incremental result equals a cold one.
//
// Contract: a design and its edits are a pure function of a seed. Everything is edited in an abstract form and written anew; only
// the files whose text changed are touched, so that an edit is as local on disk as it would be from an editor. What is compared is what a
// user sees, by name; what must have been run is read from the semantics over cold results alone (see Marked). No code is shared with
// what takes over, patches or reruns.
//
// Limits: one library, at most two netlists and two SDF files; designs of some tens of gates.
package edittest

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
)

// Design is the files of a small design in the abstract.
type Design struct {
	r *rand.Rand

	mods   []*module // the top first
	lib    library
	sdf    []*sdfFile
	stim   stimulus
	params params
	serial int // makes names
	split  bool
}

// module has nets by rank: a gate drives a net of a higher rank than those it reads, so that edits seldom make loops.
type module struct {
	name  string
	file  int
	head  []string // comment lines
	ports []port
	nets  []net
	items []*item
	tabs  bool
}

type port struct {
	name, dir string
	width     int // 0: a scalar
}

// net is a bit; its name is as Verilog writes it. Bits of the bus w are w[0] to w[7].
type net struct {
	name     string
	rank     float64
	implicit bool // not declared
	port     bool
}

type itemKind int

const (
	cellItem itemKind = iota
	subItem
	assignItem // net[0] = expression over in
	primItem
	commentItem
)

// item is an instance, an assignment or a comment.
type item struct {
	kind itemKind
	cell *cell
	sub  *module
	name string
	conn []conn // of an assign: the target first
	text string // operator of an assign or primitive, text of a comment
}

// conn connects a pin or port to a net, or to several of a bus, msb first.
type conn struct {
	pin  string
	nets []string
}

func (it *item) at(pin string) *conn {
	for i := range it.conn {
		if it.conn[i].pin == pin {
			return &it.conn[i]
		}
	}
	return nil
}

// params are the choices that a wattd.toml tells.
type params struct {
	windows, corner, x, from, to, cycle, glitch, reject, uncond string
}

// clone copies a design deeply; cells are never changed.
func (d *Design) clone() *Design {
	c := *d
	c.lib = d.lib.clone()
	c.mods = nil
	to := map[*module]*module{}
	for _, m := range d.mods {
		n := *m
		n.head, n.ports, n.nets = slices.Clone(m.head), slices.Clone(m.ports), slices.Clone(m.nets)
		to[m] = &n
		c.mods = append(c.mods, &n)
	}
	for _, m := range c.mods {
		items := make([]*item, len(m.items))
		for i, it := range m.items {
			x := *it
			x.conn = slices.Clone(it.conn)
			for k := range x.conn {
				x.conn[k].nets = slices.Clone(x.conn[k].nets)
			}
			if x.sub != nil {
				x.sub = to[x.sub]
			}
			items[i] = &x
		}
		m.items = items
	}
	c.sdf = nil
	for _, f := range d.sdf {
		n := *f
		n.entries = nil
		for _, e := range f.entries {
			x := *e
			x.stmts = slices.Clone(e.stmts)
			n.entries = append(n.entries, &x)
		}
		c.sdf = append(c.sdf, &n)
	}
	c.stim.vars = slices.Clone(d.stim.vars)
	return &c
}

// Files are the texts of a design by file name.
func (d *Design) Files() map[string]string {
	f := map[string]string{"cells.lib": d.lib.text(), "stim.vcd": d.stim.text(), "wattd.toml": d.config()}
	for i, s := range d.netlists() {
		f[[]string{"top.v", "parts.v"}[i]] = s
	}
	for i, x := range d.sdf {
		f[fmt.Sprintf("delays%d.sdf", i)] = x.text()
	}
	return f
}

func (d *Design) config() string {
	var b strings.Builder
	b.WriteString("format = 1\nnetlist = [\"top.v\"")
	if d.split {
		b.WriteString(", \"parts.v\"")
	}
	b.WriteString("]\nlib = [\"cells.lib\"]\nsdf = [")
	for i, x := range d.sdf {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "\"delays%d.sdf%s\"", i, x.mount)
	}
	b.WriteString("]\nstim = \"stim.vcd\"\ntop = \"top\"\nscope = \"tb.dut\"\nunmapped = \"hold\"\n")
	p := &d.params
	for _, kv := range [][2]string{
		{"windows", p.windows},
		{"corner", p.corner},
		{"x", p.x},
		{"from", p.from},
		{"to", p.to},
		{"cycle", p.cycle},
		{"glitch", p.glitch},
		{"pulse_reject", p.reject},
		{"sdf_unconditional", p.uncond},
	} {
		if kv[1] != "" {
			fmt.Fprintf(&b, "%s = %q\n", kv[0], kv[1])
		}
	}
	return b.String()
}

func (d *Design) name(prefix string) string {
	d.serial++
	return fmt.Sprintf("%s%d", prefix, d.serial)
}

func (d *Design) p(percent int) bool { return d.r.IntN(100) < percent }

func pick[T any](r *rand.Rand, s []T) T { return s[r.IntN(len(s))] }

// leaf is an instance of a cell in the flat design. Nets are named by where they are highest.
type leaf struct {
	path []string // of instances, the leaf last
	in   *item
	mod  *module
	net  map[string]string
}

// leaves lists the instances of cells, in the order of the netlist.
func (d *Design) leaves() []leaf {
	var all []leaf
	var walk func(m *module, path []string, up map[string]string)
	walk = func(m *module, path []string, up map[string]string) {
		flat := func(n string) string {
			if f, ok := up[n]; ok {
				return f
			}
			return strings.Join(append(slices.Clone(path), n), "/")
		}
		for _, it := range m.items {
			at := append(slices.Clone(path), it.name)
			switch it.kind {
			case cellItem:
				l := leaf{path: at, in: it, mod: m, net: map[string]string{}}
				for _, c := range it.conn {
					l.net[c.pin] = flat(c.nets[0])
				}
				all = append(all, l)
			case subItem:
				down := map[string]string{}
				for _, p := range it.sub.ports {
					c := it.at(p.name)
					for i, b := range p.bits() {
						if c != nil && i < len(c.nets) {
							down[b] = flat(c.nets[i])
						}
					}
				}
				walk(it.sub, at, down)
			}
		}
	}
	walk(d.mods[0], nil, nil)
	return all
}

// bits are the nets of a port, msb first.
func (p *port) bits() []string {
	if p.width == 0 {
		return []string{p.name}
	}
	var b []string
	for i := p.width - 1; i >= 0; i-- {
		b = append(b, fmt.Sprintf("%s[%d]", p.name, i))
	}
	return b
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
