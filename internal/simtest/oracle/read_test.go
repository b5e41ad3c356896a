package oracle_test

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/wattd/wattd/internal/simtest/model"
)

// This file reads just enough Verilog, SDF and VCD for the micro cases of the corpus, on its own, so that the oracle is
// tested without any part of the product.

// microCells are the cells of the micro cases.
func microCells() map[string]*model.Cell {
	cells := map[string]*model.Cell{}
	add := func(name, in string, outs ...string) *model.Cell {
		c := &model.Cell{Name: name}
		for _, p := range strings.Fields(in) {
			c.Pins = append(c.Pins, model.Pin{Name: p})
		}
		for _, o := range outs {
			f := strings.SplitN(o, "=", 2)
			c.Pins = append(c.Pins, model.Pin{Name: f[0], Dir: model.Out, Fn: model.MustParse(f[1])})
		}
		cells[name] = c
		return c
	}
	add("BUF", "A", "Y=A")
	add("INV", "A", "Y=!A")
	add("AND2", "A B", "Y=A&B")
	add("OR2", "A B", "Y=A|B")
	add("XOR2", "A B", "Y=A^B")
	add("XOR2C", "A B", "Y=A^B")
	add("AO3N", "A B C", "Y=A&(B|C)")
	add("AOI21", "A1 A2 B", "Y=!((A1&A2)|B)")
	add("HAK", "A B", "SUM=A^B")
	add("TBUF", "A EN", "Y=A").Pins[2].Tri = model.MustParse("!EN")
	add("LAT", "D G", "Q=IQ").Latch = &model.Latch{IQ: "IQ", IQN: "IQN", Enable: model.V("G"), Data: model.V("D")}
	add("DFF", "CK D", "Q=IQ").FF = &model.FF{IQ: "IQ", IQN: "IQN"}
	add("DFFQN", "CK D", "Q=IQ", "QN=IQN").FF = &model.FF{IQ: "IQ", IQN: "IQN"}
	add("ICG", "CK E", "GCK=CK&M").Table = &model.StateTable{
		Inputs: []string{"CK", "E"}, Nodes: []string{"M"}, Rows: []string{"L L : - : L", "L H : - : H", "H - : - : N"},
	}
	return cells
}

// reader builds a Circuit from the texts of a case.
type reader struct {
	c     *model.Circuit
	cells map[string]*model.Cell
	// net is a union of names: "h1.m" to a net, or model.Const0 and so on.
	net  map[string]int
	inst map[string]int
}

func readCaseNames(verilog, sdf, vcd string, corner int) *reader {
	r := &reader{
		c:     &model.Circuit{Corner: corner, X: model.XHold, Timescale: 3},
		cells: microCells(), net: map[string]int{}, inst: map[string]int{},
	}
	r.module(modules(verilog), "top", -1, "", nil)
	r.sdf(sdf)
	r.vcd(vcd)
	return r
}

type module struct{ ports, body string }

func modules(text string) map[string]module {
	ms := map[string]module{}
	for _, m := range regexp.MustCompile(`(?s)module (\w+)\s*\((.*?)\);(.*?)endmodule`).FindAllStringSubmatch(text, -1) {
		ms[m[1]] = module{m[2], m[3]}
	}
	return ms
}

// module elaborates one instance of a module; up maps its ports to nets of the parent.
func (r *reader) module(ms map[string]module, name string, parent int, inst string, up map[string]int) {
	scope := len(r.c.Scopes)
	r.c.Scopes = append(r.c.Scopes, model.Scope{Parent: parent, Name: inst, Module: name})
	prefix := strings.Join(append(r.c.Path(scope), ""), ".")
	// Assigns first: their left sides are other names of nets.
	alias := map[string]string{}
	for _, a := range regexp.MustCompile(`assign (\w+) = (.*?);`).FindAllStringSubmatch(ms[name].body, -1) {
		if strings.HasPrefix(a[2], "{") {
			parts := strings.Split(strings.Trim(a[2], "{}"), ",")
			for i, p := range parts {
				alias[fmt.Sprintf("%s[%d]", a[1], len(parts)-1-i)] = strings.TrimSpace(p)
			}
			continue
		}
		alias[a[1]] = a[2]
	}
	newNet := func(n string, input bool) int {
		r.c.Nets = append(r.c.Nets, &model.Net{Scope: scope, Name: n, Bit: -1, Input: input})
		return len(r.c.Nets) - 1
	}
	local := map[string]int{"1'b1": model.Const1, "1'b0": model.Const0}
	var get func(n string) int
	get = func(n string) int {
		if i, ok := local[n]; ok {
			return i
		}
		if to, ok := alias[n]; ok {
			local[n] = get(to)
		} else if i, ok := up[n]; ok {
			local[n] = i
		} else {
			local[n] = newNet(n, false)
		}
		r.net[prefix+n] = local[n]
		return local[n]
	}
	for _, p := range regexp.MustCompile(`(input|output) (\[\d+:0\] )?(\w+)`).FindAllStringSubmatch(ms[name].ports, -1) {
		if p[2] != "" {
			continue // its bits come by assign
		}
		if parent < 0 && p[1] == "input" {
			local[p[3]] = newNet(p[3], true)
			r.net[p[3]] = local[p[3]]
		} else {
			get(p[3])
		}
	}
	for a := range alias {
		get(a)
	}
	for _, x := range regexp.MustCompile(`(?m)^\s*(\w+) (\\\S+ |\w+)\s*\((\..*)\);`).FindAllStringSubmatch(ms[name].body, -1) {
		conn := map[string]int{}
		for _, c := range regexp.MustCompile(`\.(\w+)\((\\\S+ |\w+)\)`).FindAllStringSubmatch(x[3], -1) {
			conn[c[1]] = get(plain(c[2]))
		}
		if _, sub := ms[x[1]]; sub {
			r.module(ms, x[1], scope, plain(x[2]), conn)
			continue
		}
		cell := r.cells[x[1]]
		in := &model.Inst{Scope: scope, Name: plain(x[2]), Cell: cell}
		for _, p := range cell.Pins {
			n, ok := conn[p.Name]
			if !ok {
				n = model.Open
			}
			in.Conn = append(in.Conn, n)
		}
		r.inst[strings.Join(append(r.c.Path(scope), in.Name), "/")] = len(r.c.Insts)
		r.c.Insts = append(r.c.Insts, in)
	}
}

func plain(s string) string { return strings.TrimSpace(strings.TrimPrefix(s, `\`)) }

// node is a list or an atom of an SDF file.
type node struct {
	atom string
	kids []node
}

func parseNodes(s string) []node {
	toks := regexp.MustCompile(`[()]|"[^"]*"|(?:\\.|[^\s()"])+`).FindAllString(s, -1)
	i := 0
	var list func() []node
	list = func() []node {
		var ns []node
		for ; i < len(toks) && toks[i] != ")"; i++ {
			if toks[i] == "(" {
				i++
				ns = append(ns, node{kids: list()})
			} else {
				ns = append(ns, node{atom: toks[i]})
			}
		}
		return ns
	}
	return list()
}

func (r *reader) sdf(text string) {
	r.c.Divider = '/'
	for _, n := range parseNodes(text)[0].kids {
		if len(n.kids) == 0 {
			continue
		}
		switch n.kids[0].atom {
		case "TIMESCALE":
			r.c.Timescale = map[string]int{"1ns": 3, "100ps": 2, "1ps": 0}[n.kids[1].atom]
		case "CELL":
			inst := ""
			for _, k := range n.kids[1:] {
				switch k.kids[0].atom {
				case "INSTANCE":
					if len(k.kids) > 1 {
						inst = k.kids[1].atom
					}
				case "DELAY":
					for _, d := range k.kids[1:] {
						r.delay(inst, d)
					}
				}
			}
		}
	}
}

func (r *reader) delay(inst string, d node) {
	st := model.Stmt{Inst: -1, Prim: -1, In: -1, Out: -1}
	if i, ok := r.inst[regexp.MustCompile(`\\(.)`).ReplaceAllString(inst, "$1")]; ok {
		st.Inst = i
	}
	switch d.kids[0].atom {
	case "PATHPULSE", "PATHPULSEPERCENT":
		st.Kind = model.PathPulse
		if d.kids[0].atom == "PATHPULSEPERCENT" {
			st.Kind = model.PathPulsePercent
		}
		rest := d.kids[1:]
		if rest[0].atom != "" {
			st.In, st.Out = r.pin(st.Inst, rest[0].atom), r.pin(st.Inst, rest[1].atom)
			rest = rest[2:]
		}
		for _, v := range rest {
			st.Lims = append(st.Lims, triple(v))
		}
		r.c.SDF = append(r.c.SDF, st)
		return
	}
	st.Inc = d.kids[0].atom == "INCREMENT"
	for _, s := range d.kids[1:] {
		r.stmt(inst, st, s)
	}
}

func (r *reader) stmt(inst string, st model.Stmt, s node) {
	switch s.kids[0].atom {
	case "COND":
		st.CondKind = model.Cond
		text := ""
		for _, k := range s.kids[1 : len(s.kids)-1] {
			text += k.atom
		}
		st.Cond = model.MustParse(text)
		r.stmt(inst, st, s.kids[len(s.kids)-1])
		return
	case "CONDELSE":
		st.CondKind = model.CondElse
		r.stmt(inst, st, s.kids[1])
		return
	case "IOPATH":
		in := s.kids[1].atom
		if in == "" {
			st.Edge = map[string]model.Edge{"posedge": model.Pos, "negedge": model.Neg}[s.kids[1].kids[0].atom]
			in = s.kids[1].kids[1].atom
		}
		st.In, st.Out = r.pin(st.Inst, in), r.pin(st.Inst, s.kids[2].atom)
		st.Vals = values(s.kids[3:])
	case "DEVICE":
		st.Kind, st.Out, st.Vals = model.Device, r.pin(st.Inst, s.kids[1].atom), values(s.kids[2:])
	case "INTERCONNECT":
		st.Kind, st.Src, st.Dst, st.Vals = model.Interconnect, r.end(inst, s.kids[1].atom), r.end(inst, s.kids[2].atom), values(s.kids[3:])
	case "PORT":
		st.Kind, st.Dst, st.Vals = model.Port, r.end(inst, s.kids[1].atom), values(s.kids[2:])
	case "NETDELAY":
		st.Kind, st.Net, st.Vals = model.NetDelay, r.net[s.kids[1].atom], values(s.kids[2:])
	default:
		panic(s.kids[0].atom)
	}
	r.c.SDF = append(r.c.SDF, st)
}

func (r *reader) pin(inst int, name string) int { return r.c.Insts[inst].Cell.Pin(name) }

func (r *reader) end(inst, path string) model.End {
	if inst != "" {
		path = inst + "/" + path
	}
	i := strings.LastIndex(path, "/")
	if i < 0 {
		return model.End{Kind: model.EndTop, Net: r.net[path]}
	}
	in := r.inst[path[:i]]
	return model.End{Kind: model.EndPin, Inst: in, Pin: r.pin(in, path[i+1:])}
}

func values(ns []node) []model.Val {
	var vs []model.Val
	for _, n := range ns {
		if len(n.kids) > 0 && n.kids[0].atom == "" {
			v := model.Val{D: triple(n.kids[0]), NLim: len(n.kids) - 1, R: triple(n.kids[1])}
			v.E = v.R
			if v.NLim == 2 {
				v.E = triple(n.kids[2])
			}
			vs = append(vs, v)
			continue
		}
		vs = append(vs, model.Val{D: triple(n)})
	}
	return vs
}

func triple(n node) model.Triple {
	if len(n.kids) == 0 {
		return model.Triple{}
	}
	f := strings.Split(n.kids[0].atom, ":")
	if len(f) == 1 {
		return model.Triple{V: [3]string{f[0]}, Single: true}
	}
	return model.Triple{V: [3]string(f)}
}

func (r *reader) vcd(text string) {
	id := map[string]int{}
	waves := map[string]*model.Wave{}
	var order []string
	t := int64(0)
	for _, line := range strings.Split(text, "\n") {
		f := strings.Fields(line)
		switch {
		case len(f) == 6 && f[0] == "$var":
			id[f[3]] = r.net[f[4]]
			waves[f[3]] = &model.Wave{Net: r.net[f[4]], Alias: -1}
			order = append(order, f[3])
		case len(f) != 1 || strings.HasPrefix(line, "$"):
		case line[0] == '#':
			t, _ = strconv.ParseInt(line[1:], 10, 64)
		default:
			w := waves[line[1:]]
			w.Changes = append(w.Changes, model.Change{T: t, V: line[0]})
		}
	}
	for _, k := range order {
		r.c.Waves = append(r.c.Waves, *waves[k])
	}
}
