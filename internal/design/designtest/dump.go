package designtest

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/wattd/wattd/internal/design"
	"github.com/wattd/wattd/internal/diag"
	"github.com/wattd/wattd/kernel"
)

// Dump writes what Compile made.
func Dump(w io.Writer, d *design.Design, bag *diag.Bag) {
	if d != nil && bag.Errors() == 0 {
		x := dumper{w: w, d: d, p: d.Program, helper: map[int32]string{}}
		x.nets()
		x.gates()
		x.report()
	}
	for _, t := range bag.Totals() {
		for _, m := range bag.Kept(t.Code) {
			fmt.Fprintf(w, "%s %s: %s [%s]\n", m.Severity, m.Pos, m.Msg, m.Code)
		}
		if n := t.N - int64(len(bag.Kept(t.Code))); n > 0 {
			fmt.Fprintf(w, "%s: %d more [%s]\n", t.Severity, n, t.Code)
		}
	}
}

type dumper struct {
	w      io.Writer
	d      *design.Design
	p      *kernel.Program
	helper map[int32]string
}

func (x *dumper) net(n int32) string {
	switch {
	case int(n) >= len(x.d.Netlist.Nets):
		return fmt.Sprintf("$%d", int(n)-len(x.d.Netlist.Nets))
	case n == 0 || n == 1:
		return fmt.Sprint(n)
	}
	return x.d.Netlist.NetName(n)
}

// nets lists the nets that are not plainly computed.
func (x *dumper) nets() {
	for n, c := range x.d.NetClass {
		if c != design.ClassComputed && n > 1 {
			mark := ""
			if slices.Contains(x.d.Sources, int32(n)) {
				mark = " *"
			}
			fmt.Fprintf(x.w, "net %s: %s%s\n", x.net(int32(n)), c, mark)
		}
	}
	for _, t := range x.d.Tristate {
		fmt.Fprintf(x.w, "three-state %s: z %s, b %s\n", x.net(t.Net), x.net(t.Z), x.net(t.B))
	}
	for _, r := range x.d.Registers {
		clock := "-"
		if r.ClockNet >= 0 {
			clock = x.net(r.ClockNet)
			if r.Falling {
				clock += " falling"
			}
		}
		sign := ""
		if r.Inverted {
			sign = "!"
		}
		fmt.Fprintf(x.w, "register %s: %s%d of %s, clock %s\n", x.net(r.Net), sign, r.State, x.d.Netlist.InstPath(r.Inst, '/'), clock)
	}
	if len(x.d.ClockPins) > 0 {
		var s []string
		for _, n := range x.d.ClockPins {
			s = append(s, x.net(n))
		}
		fmt.Fprintf(x.w, "clock pins: %s\n", strings.Join(s, " "))
	}
}

// gates writes the gates level by level.
func (x *dumper) gates() {
	for l := range len(x.p.LevelStart) - 1 {
		fmt.Fprintf(x.w, "level %d\n", l)
		for _, g := range x.p.Order[x.p.LevelStart[l]:x.p.LevelStart[l+1]] {
			x.gate(g)
		}
	}
}

func (x *dumper) gate(g int32) {
	p, fn := x.p, &x.p.Fns[x.p.GateFn[g]]
	var names []string
	who := "primitive"
	id := x.d.Gates[g]
	if id.Inst >= 0 {
		who = x.d.Netlist.InstPath(id.Inst, '/') + "/" + x.d.Netlist.PinName(x.d.Netlist.Insts[id.Inst].Cell, id.Pin)
	}
	fmt.Fprintf(x.w, "  %s = %s (", x.net(p.GateOut[g]), who)
	for i := range int(fn.NPin) + int(fn.NObs) {
		k := p.GatePin[g] + int32(i)
		n := x.net(p.PinNet[k])
		names = append(names, n)
		if i > 0 {
			fmt.Fprint(x.w, ", ")
		}
		if i >= int(fn.NPin) {
			n = "seen " + n
		}
		if wire := p.Wires[p.PinWire[k]]; wire != (kernel.Wire{}) {
			n += fmt.Sprintf(" @%s/%s", value{wire.Rise, wire.RejRise, wire.ErrRise}, value{wire.Fall, wire.RejFall, wire.ErrFall})
		}
		fmt.Fprint(x.w, n)
	}
	fmt.Fprint(x.w, ")")
	if s := x.d.StateOf(g); s != nil {
		fmt.Fprintf(x.w, " bits %s", strings.ReplaceAll(strings.Join(s.Bits, ","), "\x00", "$"))
		if s.ClockGate {
			fmt.Fprint(x.w, " gate")
		}
	}
	if n := int(fn.NPin) + int(fn.NBit); n <= 6 {
		fmt.Fprintf(x.w, " %s", x.table(fn, fn.Out, n))
		for k := range int(fn.NBit) {
			fmt.Fprintf(x.w, " next %s free %s", x.table(fn, x.bitAt(fn, fn.Next, k), n), x.table(fn, x.bitAt(fn, fn.Trans, k), n))
		}
	} else {
		fmt.Fprintf(x.w, " %d variables, form %d", n, fn.Form)
	}
	fmt.Fprintln(x.w)
	if p.GateShape[g] >= 0 {
		for pin := range int(fn.NPin) {
			x.arcs(g, fn, pin, names[pin])
		}
	}
}

// table is the truth table of a function, state 0 first.
func (x *dumper) table(fn *kernel.Fn, at int32, n int) string {
	var b strings.Builder
	for s := range uint64(1) << n {
		b.WriteByte('0' + x.eval(fn, at, s))
	}
	return b.String()
}

func (x *dumper) bitAt(fn *kernel.Fn, base int32, k int) int32 {
	if fn.Form == kernel.FormCode {
		return int32(x.p.Code[base+int32(k)])
	}
	return base + int32(k*max(1, 1<<(int(fn.NPin)+int(fn.NBit))/64))
}

func (x *dumper) eval(fn *kernel.Fn, at int32, s uint64) byte {
	if fn.Form == kernel.FormTable {
		return byte(x.p.Words[at+int32(s>>6)] >> (s & 63) & 1)
	}
	return x.code(at, s)
}

func (x *dumper) code(at int32, s uint64) byte {
	var st []byte
	for pc := at; ; pc++ {
		w := x.p.Code[pc]
		arg := w & 0xffffff
		n := len(st)
		switch kernel.CodeOp(w >> 24) {
		case kernel.CodeEnd:
			return st[n-1]
		case kernel.CodeConst:
			st = append(st, byte(arg))
		case kernel.CodeVar:
			st = append(st, byte(s>>arg&1))
		case kernel.CodeNot:
			st[n-1] ^= 1
		case kernel.CodeAnd:
			st[n-2] &= st[n-1]
			st = st[:n-1]
		case kernel.CodeOr:
			st[n-2] |= st[n-1]
			st = st[:n-1]
		case kernel.CodeXor:
			st[n-2] ^= st[n-1]
			st = st[:n-1]
		}
	}
}

// value is a delay with its limits.
type value struct{ d, r, e int32 }

func (v value) String() string {
	switch {
	case v.d < 0:
		return "-"
	case v.r == v.d && v.e == v.d:
		return fmt.Sprint(v.d)
	}
	return fmt.Sprintf("%d(%d,%d)", v.d, v.r, v.e)
}

func (x *dumper) slot(g int32, s int32) value {
	d := x.p.ArcDelay[x.p.GateArc[g]+s]
	v := value{d, d, d}
	if l := x.p.GateLimit[g]; l >= 0 {
		v.r, v.e = x.p.ArcReject[l+s], x.p.ArcError[l+s]
	}
	return v
}

// delay is the delay of a pin that switched, in a state after the tick; d -1 where there is none.
func (x *dumper) delay(g int32, fn *kernel.Fn, pin int, s uint64, out int) value {
	p, sh := x.p, &x.p.Shapes[x.p.GateShape[g]]
	vars := int(fn.NPin) + int(fn.NBit) + int(fn.NObs)
	if !sh.List {
		i := p.SlotMap[int(sh.Map)+(pin<<vars|int(s))]
		if i == kernel.NoSlot {
			return value{d: -1}
		}
		return x.slot(g, int32(i))
	}
	at := sh.Map + int32(4*pin) + int32(2*(s>>pin&1)) + int32(out)
	best := value{d: -1}
	for _, c := range p.Cands[p.ListOff[at]:p.ListOff[at+1]] {
		v := x.slot(g, c.Slot)
		switch {
		case c.Cond < 0:
			if best.d < 0 {
				best = v
			}
		case x.code(c.Cond, s) != 0 && (best.d < 0 || v.d < best.d):
			best = v
		}
	}
	return best
}

// arcs writes the delays of one pin: for each input and output edge the delay, with the states (pins, bits, observed nets, in
// order) where it depends on them.
func (x *dumper) arcs(g int32, fn *kernel.Fn, pin int, name string) {
	vars := int(fn.NPin) + int(fn.NBit) + int(fn.NObs)
	inner := uint64(1)<<(int(fn.NPin)+int(fn.NBit)) - 1
	if vars > 9 {
		fmt.Fprintf(x.w, "    %s: rise %s fall %s in state 0\n", name, x.delay(g, fn, pin, 1<<pin, 1), x.delay(g, fn, pin, 1<<pin, 0))
		return
	}
	for in := 1; in >= 0; in-- {
		for out := 1; out >= 0; out-- {
			var vals []value
			states := map[value][]string{}
			for s := range uint64(1) << vars {
				if int(s>>pin&1) != in || int(x.eval(fn, fn.Out, s&inner)) != out {
					continue
				}
				v := x.delay(g, fn, pin, s, out)
				if !slices.Contains(vals, v) {
					vals = append(vals, v)
				}
				states[v] = append(states[v], bits(s, vars))
			}
			if len(vals) == 0 || len(vals) == 1 && vals[0].d == 0 {
				continue
			}
			fmt.Fprintf(x.w, "    %s %s -> %s:", name, edge(in), edge(out))
			for _, v := range vals {
				fmt.Fprintf(x.w, " %s", v)
				if len(vals) > 1 {
					fmt.Fprintf(x.w, "{%s}", strings.Join(states[v], " "))
				}
			}
			fmt.Fprintln(x.w)
		}
	}
	sh := &x.p.Shapes[x.p.GateShape[g]]
	for out := 1; out >= 0; out-- {
		if i := x.p.SlotMap[int(sh.Fall)+2*pin+out]; i != kernel.NoSlot {
			fmt.Fprintf(x.w, "    %s else %s: %s\n", name, edge(out), x.slot(g, int32(i)))
		}
	}
}

func bits(s uint64, n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteByte('0' + byte(s>>i&1))
	}
	return b.String()
}

func edge(v int) string { return [...]string{"fall", "rise"}[v] }

func (x *dumper) report() {
	r := &x.d.Report
	counts := func(what string, cs []design.Count) {
		for _, c := range cs {
			fmt.Fprintf(x.w, "%s: %s %d\n", what, c.Name, c.N)
		}
	}
	fmt.Fprintf(x.w, "report: arcs %d of %d, wires %d of %d", r.ArcsAnnotated, r.ArcsTotal, r.WiresDelayed, r.Wires)
	for _, c := range []design.Count{
		{Name: "merged", N: r.MergedDrivers},
		{Name: "negative arcs", N: r.NegativeIOPath},
		{Name: "negative wires", N: r.NegativeWire},
		{Name: "to zero", N: r.RoundedToZero},
		{Name: "inexact", N: r.Inexact},
		{Name: "limited gates", N: r.ErrorLimits},
		{Name: "open pins", N: r.OpenPins},
	} {
		if c.N != 0 {
			fmt.Fprintf(x.w, ", %s %d", c.Name, c.N)
		}
	}
	fmt.Fprintln(x.w)
	counts("unannotated", r.Unannotated)
	counts("zero", r.ZeroIOPath)
	counts("replaced", r.CondReplaced)
	counts("black box", r.BlackBoxes)
	for _, l := range r.Loops {
		fmt.Fprintf(x.w, "loop: %s\n", l)
	}
	for _, s := range r.SDF {
		fmt.Fprintf(x.w, "sdf %s: cells %d bound %d not, statements %d placed %d not\n", s.File, s.Bound, s.Unbound, s.Statements, s.Dropped)
	}
}
