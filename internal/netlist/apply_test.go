package netlist

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/wattd/wattd/internal/format/verilog"
)

// flat is a design whose text and edits are made from the same table: a module of leaf instances, in the top and in a module below.
type flat struct {
	r     *rand.Rand
	insts [2][]flatInst // of sub and of top
	wires [2][]string   // declared
	next  int
}

type flatInst struct {
	name, cell string
	nets       []string // A, (B,) Y; "" is open
}

var flatModules = [2]string{"sub", "top"}

func cellPins(cell string) []string {
	if cell == "NAND2" {
		return []string{"A", "B", "Y"}
	}
	return []string{"A", "Y"}
}

func (f *flat) inst(m int) flatInst {
	f.next++
	x := flatInst{name: fmt.Sprintf("u%d", f.next), cell: []string{"NAND2", "BUF", "INV"}[f.r.IntN(3)]}
	for range cellPins(x.cell) {
		x.nets = append(x.nets, f.net(m))
	}
	return x
}

// net picks a net: a port, a wire, now and then one that is implied, a constant or nothing. Outputs may thus be driven twice.
func (f *flat) net(m int) string {
	switch f.r.IntN(8) {
	case 0:
		return [...]string{"i", "a[1]"}[m]
	case 1:
		f.next++
		return fmt.Sprintf("implied%d", f.next)
	case 2:
		return ""
	}
	return f.wires[m][f.r.IntN(len(f.wires[m]))]
}

func (f *flat) text() string {
	var b strings.Builder
	for m, name := range flatModules {
		fmt.Fprintf(&b, "module %s (%s);\n", name, [...]string{"input i, output o", "input [1:0] a, output y"}[m])
		for _, w := range f.wires[m] {
			fmt.Fprintf(&b, "  wire %s;\n", w)
		}
		if m == 1 {
			b.WriteString("  sub h (.i(a[0]), .o(y));\n")
		}
		for _, x := range f.insts[m] {
			fmt.Fprintf(&b, "  %s %s (", x.cell, x.name)
			for k, p := range cellPins(x.cell) {
				if k > 0 {
					b.WriteString(", ")
				}
				fmt.Fprintf(&b, ".%s(%s)", p, x.nets[k])
			}
			b.WriteString(");\n")
		}
		b.WriteString("endmodule\n")
	}
	return b.String()
}

// step edits the table and says the same as an Edit of nl.
func (f *flat) step(nl *Netlist) *Edit {
	e := &Edit{Names: nl.Names.Extend(), Free: int32(len(nl.Nets))}
	m := f.r.IntN(2)
	scope := int32(0)
	if m == 0 {
		scope = nl.ChildScope(0, []byte("h"))
	}
	news := map[string]int{}
	put := func(x flatInst, slot int32) {
		q := Put{Slot: slot, Scope: scope, Name: e.Names.InternString(x.name), Cell: e.Names.InternString(x.cell), Pos: verilog.Pos{Line: 1}}
		for k, pin := range cellPins(x.cell) {
			n := None
			if net := x.nets[k]; net != "" {
				if net == "a[1]" {
					n = nl.FindNet(scope, []byte("a"), 1)
				} else if n = nl.FindNet(scope, []byte(net), NoBit); n < 0 {
					at, ok := news[net]
					if !ok {
						at = len(e.Nets)
						news[net] = at
						e.Nets = append(e.Nets, NewNet{Scope: scope, Name: e.Names.InternString(net), Implied: !slices.Contains(f.wires[m], net)})
					}
					n = NewNetRef(at)
				}
			}
			q.Pins = append(q.Pins, PutPin{e.Names.InternString(pin), n})
		}
		e.Put = append(e.Put, q)
	}
	slot := func(x flatInst) int32 { return nl.FindInst(scope, []byte(x.name)) }
	list := f.insts[m]
	pick := f.r.IntN(max(1, len(list)))
	switch k := f.r.IntN(6); {
	case k == 0 || len(list) < 3: // insert
		x := f.inst(m)
		f.insts[m] = slices.Insert(list, f.r.IntN(len(list)+1), x)
		put(x, None)
	case k == 1: // remove
		e.Remove = append(e.Remove, slot(list[pick]))
		f.insts[m] = slices.Delete(list, pick, pick+1)
	case k == 2: // swap
		x := &list[pick]
		switch x.cell {
		case "NAND2":
			x.cell, x.nets = "INV", []string{x.nets[0], x.nets[2]}
		case "INV":
			x.cell = "BUF"
		default:
			x.cell, x.nets = "NAND2", []string{x.nets[0], f.net(m), x.nets[1]}
		}
		put(*x, slot(*x))
	case k == 3: // rewire
		x := &list[pick]
		x.nets[f.r.IntN(len(x.nets))] = f.net(m)
		put(*x, slot(*x))
	case k == 4: // buffer on a new wire
		f.next++
		w := fmt.Sprintf("w%d", f.next)
		f.wires[m] = append(f.wires[m], w)
		x := &list[pick]
		was := x.nets[0]
		x.nets[0] = w
		f.next++
		n := flatInst{name: fmt.Sprintf("u%d", f.next), cell: "BUF", nets: []string{was, w}}
		put(*x, slot(*x))
		f.insts[m] = append(f.insts[m], n)
		put(n, None)
	case k == 5: // a wire that nothing uses goes
		for i, w := range f.wires[m] {
			if len(f.wires[m]) > 2 && !slices.ContainsFunc(list, func(x flatInst) bool { return slices.Contains(x.nets, w) }) {
				e.Drop = append(e.Drop, nl.FindNet(scope, []byte(w), NoBit))
				f.wires[m] = slices.Delete(f.wires[m], i, i+1)
				break
			}
		}
	}
	return e
}

// meaning describes a netlist by names.
func (nl *Netlist) meaning() []string {
	var out []string
	for i := range nl.Insts {
		if nl.IsHoleInst(int32(i)) {
			continue
		}
		in := &nl.Insts[i]
		s := nl.InstPath(int32(i), '/') + " " + nl.Names.String(nl.Cells[in.Cell].Name)
		for k := range int32(nl.Cells[in.Cell].NPin()) {
			net := "-"
			if n := nl.PinNet[in.Pin0+k]; n >= 0 {
				net = nl.NetName(n)
			}
			if got := nl.PinInst(in.Pin0 + k); got != int32(i) {
				s += fmt.Sprintf(" PININST %d", got)
			}
			s += " " + nl.InstPinName(int32(i), k) + "=" + net
			if nl.PinIndex(int32(i), []byte(nl.InstPinName(int32(i), k))) != k {
				s += " PININDEX"
			}
		}
		if nl.FindInst(in.Scope, nl.Names.Bytes(in.Name)) != int32(i) {
			s += " NOT FOUND"
		}
		out = append(out, s)
	}
	for n := range int32(len(nl.Nets)) {
		if nl.IsHole(n) || n <= Const1 {
			continue
		}
		x := &nl.Nets[n]
		s := fmt.Sprintf("net %s %d implied=%v", nl.NetName(n), x.Flags, nl.Implied(n))
		for r := range nl.Aliases(n) {
			s += " " + nl.RefPath(r, '/')
			if nl.FindNet(r.Scope, nl.Names.Bytes(r.Name), r.Bit) != n {
				s += " NOT FOUND"
			}
		}
		out = append(out, s)
	}
	for s := range nl.NumScopes() {
		nl.EachDecl(s, func(name int32) bool {
			if _, _, _, ok := nl.NetRange(s, nl.Names.Bytes(name)); ok {
				out = append(out, fmt.Sprintf("decl %d %s", s, nl.Names.String(name)))
			}
			return true
		})
	}
	slices.Sort(out)
	return out
}

// Patched netlists say what linking the edited text says, over chains of edits, and leave the old ones alone.
func TestPatchEqualsLink(t *testing.T) {
	patched, refused := 0, map[string]int{}
	for seed := range uint64(150) {
		f := &flat{r: rand.New(rand.NewPCG(seed, 1))}
		for m := range 2 {
			for i := range 4 {
				f.wires[m] = append(f.wires[m], fmt.Sprintf("n%d", i))
			}
			for range 4 {
				f.insts[m] = append(f.insts[m], f.inst(m))
			}
		}
		in, _ := readInput(t, f.text())
		nl, _ := link(t, f.text())
		for step := range 30 {
			before := nl.meaning()
			e := f.step(nl)
			e.Libs = in.Libs
			now, touched, err := nl.Patch(context.Background(), e)
			want, _ := link(t, f.text())
			if was := nl.meaning(); !slices.Equal(was, before) {
				t.Fatalf("seed %d, step %d: the old netlist changed", seed, step)
			}
			if r := (*Refusal)(nil); errors.As(err, &r) {
				refused[r.Why]++
				want.Stabilize(nl, 0)
				nl = want
				continue
			} else if err != nil {
				t.Fatal(err)
			}
			patched++
			if got, exp := now.meaning(), want.meaning(); !slices.Equal(got, exp) {
				for _, s := range got {
					if !slices.Contains(exp, s) {
						t.Errorf("got  %s", s)
					}
				}
				for _, s := range exp {
					if !slices.Contains(got, s) {
						t.Errorf("want %s", s)
					}
				}
				t.Fatalf("seed %d, step %d: %+v\n%s", seed, step, e, f.text())
			}
			checkTouched(t, nl, now, touched)
			if step%7 == 6 { // what is linked later keeps the numbers of what was patched
				was := now.numbered()
				want.Stabilize(now, 0)
				for name, n := range want.numbered() {
					if o, ok := was[name]; ok && o != n {
						t.Fatalf("net %s moved from %d to %d", name, o, n)
					}
				}
			}
			nl = now
		}
	}
	t.Logf("%d patched, refused: %v", patched, refused)
	if patched < 4000 {
		t.Errorf("only %d edits were patched", patched)
	}
}

// checkTouched compares the slots of both netlists with what the patch says it touched.
func checkTouched(t *testing.T, old, now *Netlist, p *Patched) {
	t.Helper()
	for i := range int32(len(now.Insts)) {
		same := int(i) < len(old.Insts) && old.Insts[i].Cell == now.Insts[i].Cell
		if same {
			n := int32(now.Cells[now.Insts[i].Cell].NPin())
			a, b := old.Insts[i].Pin0, now.Insts[i].Pin0
			same = slices.Equal(old.PinNet[a:a+n], now.PinNet[b:b+n])
		}
		if _, told := slices.BinarySearch(p.Insts, i); told == same {
			t.Fatalf("instance %d: same %v, told %v", i, same, told)
		}
	}
}
