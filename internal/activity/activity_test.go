package activity_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/wattd/wattd/internal/activity"
	"github.com/wattd/wattd/internal/design"
	"github.com/wattd/wattd/internal/design/designtest"
	"github.com/wattd/wattd/internal/diag"
	"github.com/wattd/wattd/internal/sim"
	"github.com/wattd/wattd/internal/wave"
	"github.com/wattd/wattd/kernel"
	"github.com/wattd/wattd/kernel/host"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// run is a simulated snippet.
type run struct {
	d  *design.Design
	st *wave.Stimulus
	w  *kernel.Waves
}

func simulate(t testing.TB, v, sdf, decl, body string, wopt wave.Options, cuts []int64, change ...func(*design.Options)) run {
	t.Helper()
	a := designtest.Archive{Files: []designtest.File{{Name: "netlist.v", Text: v}, {Name: "delays.sdf", Text: sdf}}}
	d, bag := designtest.Compile(t, a, change...)
	st, err := wave.Bind(context.Background(), d, wave.Input{Name: "dump.vcd", R: strings.NewReader(designtest.VCD(decl, body))}, wopt, bag)
	if err != nil {
		t.Fatal(err)
	}
	if st == nil || bag.Errors() > 0 {
		var b strings.Builder
		bag.Write(&b, diag.Error, 9)
		t.Fatal(b.String())
	}
	return run{d, st, waves(t, d, st, kernel.Timed, cuts)}
}

func waves(t testing.TB, d *design.Design, st *wave.Stimulus, kind kernel.Kind, cuts []int64) *kernel.Waves {
	t.Helper()
	r, err := sim.Run(context.Background(), d, st, sim.Options{Engine: host.New(), Kind: kind, Cuts: cuts, Workers: 1}, &diag.Bag{})
	if err != nil {
		t.Fatal(err)
	}
	return r.Waves
}

func (r run) net(t testing.TB, name string) int32 {
	t.Helper()
	for n := range r.d.Netlist.Nets {
		if r.d.Netlist.NetName(int32(n)) == name {
			return int32(n)
		}
	}
	t.Fatal("no net", name)
	return -1
}

// values is a net tick by tick: 0 1 x z b, with changes between known values.
func (r run) values(n int32) []byte {
	v := make([]byte, r.st.To-r.st.From)
	fill := func(from, to int64, c byte) {
		for t := max(from, r.st.From); t < min(to, r.st.To); t++ {
			v[t-r.st.From] = c
		}
	}
	wave := func(n int32, one byte, zero byte) {
		cur := r.w.StartValue(n)
		put := func(from int64) {
			if c := []byte{zero, one}[b2i(cur)]; c != 0 {
				fill(from, r.st.To, c)
			}
		}
		put(r.st.From)
		r.w.Each(n, func(t int64, x bool) { cur = x; put(t) })
	}
	wave(n, '1', '0')
	if r.d.NetClass[n] == design.ClassConst1 {
		fill(r.st.From, r.st.To, '1')
	}
	for i, src := range r.st.Net {
		if src != n {
			continue
		}
		start, off, ticks := r.st.Start[i], r.st.Off, r.st.Tick
		if r.st.RecOff != nil {
			start, off, ticks = r.st.RecStart[i], r.st.RecOff, r.st.RecTick
		}
		cur := start
		fill(r.st.From, r.st.To, '0'+byte(b2i(cur)))
		for _, t := range ticks[off[i]:off[i+1]] {
			cur = !cur
			fill(t, r.st.To, '0'+byte(b2i(cur)))
		}
		for _, u := range r.st.Unknown {
			if u.Src == int32(i) {
				fill(u.From, u.To, []byte{'x', 'z'}[b2i(u.Z)])
			}
		}
	}
	for _, x := range r.d.Tristate {
		if x.Net != n {
			continue
		}
		for i, h := range []int32{x.Z, x.B} {
			m := make([]bool, len(v))
			cur, at := r.w.StartValue(h), int64(0)
			set := func(to int64) {
				for ; at < to; at++ {
					m[at] = cur
				}
			}
			r.w.Each(h, func(t int64, x bool) { set(t - r.st.From); cur = x })
			set(int64(len(v)))
			for k := range v {
				if m[k] {
					v[k] = "zb"[i]
				}
			}
		}
	}
	return v
}

func b2i(v bool) int {
	if v {
		return 1
	}
	return 0
}

const mixed = `module top(input ck, a, b, c, e, output [5:0] y);
  wire g, n0, n1, q, qn, q2, bus; supply1 vdd;
  ICG icg(.CK(ck), .E(e), .GCK(g));
  DFF f0(.CK(ck), .D(a), .Q(q), .QN(qn)); DFF f1(.CK(g), .D(b), .Q(q2), .QN());
  XOR2 u0(.A(q), .B(q2), .Y(n0)); AND2 u1(.A(n0), .B(a), .Y(n1)); XOR2 u2(.A(n1), .B(b), .Y(y[0]));
  INV u3(.A(qn), .Y(y[1])); AND2 u4(.A(vdd), .B(n1), .Y(y[2]));
  TBUF t0(.A(n1), .OE(b), .Y(bus)); TBUF t1(.A(c), .OE(e), .Y(bus)); BUF u5(.A(bus), .Y(y[3]));
  TIE1 one(.Y(y[4])); AOI21 u6(.A1(q), .A2(n0), .B(c), .Y(y[5]));
endmodule`

const mixedSDF = `u0 XOR2: (IOPATH A Y (3) (2)) (IOPATH B Y (4))
u1 AND2: (IOPATH A Y (1) (5)) (IOPATH B Y (2))
u2 XOR2: (IOPATH A Y (6)) (IOPATH B Y (3))
t0 TBUF: (IOPATH A Y (2)) (IOPATH OE Y (1))
icg ICG: (IOPATH CK GCK (1))
. top: (INTERCONNECT f0/Q u0/A (1) (2)) (PORT t0/OE (2))`

const mixedVars = "tb.dut: ck a b c e q qn q2"

// random makes a dump of mixed with many changes, unknown values and several changes in one tick.
func random(r *rand.Rand, ticks int) string {
	var b strings.Builder
	b.WriteString("#0 ck=0 a=0 b=1 c=0 e=1 q=0 qn=1 q2=0")
	ck := false
	for t := 1; t < ticks; t++ {
		fmt.Fprintf(&b, " #%d", t)
		if t%10 == 5 || t%10 == 0 {
			ck = !ck
			fmt.Fprintf(&b, " ck=%d", b2i(ck))
		}
		for _, n := range []string{"a", "b", "c", "e", "q", "qn", "q2"} {
			for r.IntN(12) == 0 {
				fmt.Fprintf(&b, " %s=%c", n, "010101xz"[r.IntN(8)])
			}
		}
	}
	fmt.Fprintf(&b, " #%d", ticks)
	return b.String()
}

// The counts are those of the values tick by tick, whatever the policy for unknown values, and those of two neighbouring
// intervals add up to those of both.
func TestCountsAreExact(t *testing.T) {
	const ticks = 300
	for seed := range uint64(12) {
		rnd := rand.New(rand.NewPCG(seed, 7))
		from := int64(rnd.IntN(20))
		to := from + 200 + int64(rnd.IntN(80))
		mid := from + 1 + int64(rnd.IntN(int(to-from-1)))
		opt := wave.Options{HasFrom: true, From: from, HasTo: true, To: to, X: []wave.X{wave.XHold, wave.XZero, wave.XOne, wave.XRandom}[seed%4]}
		r := simulate(t, mixed, mixedSDF, mixedVars, random(rnd, ticks), opt, []int64{mid})
		whole := activity.Count(r.d, r.st, r.w, activity.Options{From: from, To: to, Workers: 2}, nil)
		left := activity.Count(r.d, r.st, r.w, activity.Options{From: from, To: mid}, nil)
		right := activity.Count(r.d, r.st, r.w, activity.Options{From: mid, To: to}, nil)
		for n := range whole.Nets {
			name := r.d.Netlist.NetName(int32(n))
			x, a, b := whole.Nets[n], left.Nets[n], right.Nets[n]
			if sum := x.T0 + x.T1 + x.TX + x.TZ + x.TB; sum != to-from {
				t.Errorf("seed %d: net %s: times add up to %d of %d", seed, name, sum, to-from)
			}
			if x.TC != x.Rise+x.Fall || x.TC != x.Functional+x.Glitch || x.Glitch < 0 {
				t.Errorf("seed %d: net %s: %+v", seed, name, x)
			}
			sum := activity.Net{
				T0: a.T0 + b.T0, T1: a.T1 + b.T1, TX: a.TX + b.TX, TZ: a.TZ + b.TZ, TB: a.TB + b.TB, TC: a.TC + b.TC,
				Rise: a.Rise + b.Rise, Fall: a.Fall + b.Fall, Filtered: a.Filtered + b.Filtered, Collapsed: a.Collapsed + b.Collapsed,
				Functional: x.Functional, Glitch: x.Glitch,
			}
			if sum != x {
				t.Errorf("seed %d: net %s: [%d,%d) and [%d,%d) give %+v, both %+v", seed, name, from, mid, mid, to, sum, x)
			}
			if want := naive(r.values(int32(n))); want != (activity.Net{T0: x.T0, T1: x.T1, TX: x.TX, TZ: x.TZ, TB: x.TB}) {
				t.Errorf("seed %d: net %s: %+v, want %+v", seed, name, x, want)
			}
			if r.d.NetClass[n].Source() {
				if tc := changes(r.held(int32(n)), r.values(int32(n))); tc != x.TC {
					t.Errorf("seed %d: source %s: %d changes, want %d", seed, name, x.TC, tc)
				}
			} else if n > 1 && r.d.NetClass[n] == design.ClassComputed && x.TC != r.w.Count(int32(n)) {
				t.Errorf("seed %d: net %s: %d changes, want %d", seed, name, x.TC, r.w.Count(int32(n)))
			}
		}
	}
}

func naive(v []byte) activity.Net {
	var x activity.Net
	for _, c := range v {
		switch c {
		case '0':
			x.T0++
		case '1':
			x.T1++
		case 'x':
			x.TX++
		case 'z':
			x.TZ++
		case 'b':
			x.TB++
		}
	}
	return x
}

// held is the value that a source holds at the start where it is unknown: the last known one, or the first.
func (r run) held(n int32) byte {
	for i, src := range r.st.Net {
		if src == n && r.st.RecOff != nil {
			return '0' + byte(b2i(r.st.RecStart[i]))
		} else if src == n {
			return '0' + byte(b2i(r.st.Start[i]))
		}
	}
	return 0
}

// changes counts 0->1 and 1->0, with unknown values in between or not.
func changes(last byte, v []byte) int64 {
	n := int64(0)
	for _, c := range v {
		if (c == '0' || c == '1') && c != last {
			n++
			last = c
		}
	}
	return n
}

// The split is that of a count cycle by cycle: the value just before each border against that before the one before it.
func TestSplit(t *testing.T) {
	for seed := range uint64(10) {
		rnd := rand.New(rand.NewPCG(seed, 8))
		to := int64(200 + rnd.IntN(90))
		r := simulate(t, mixed, mixedSDF, mixedVars, random(rnd, 300), wave.Options{HasTo: true, To: to}, nil)
		for _, cycle := range []int64{0, 7} {
			tab := activity.Count(r.d, r.st, r.w, activity.Options{From: 0, To: to, Cycle: cycle}, nil)
			if !tab.Split {
				t.Fatal("no split")
			}
			for n := range tab.Nets {
				if int(n) < 2 || r.d.NetClass[n] != design.ClassComputed {
					continue
				}
				x := tab.Nets[n]
				var borders []int64
				for b := int64(1); b < to; b++ {
					switch {
					case cycle > 0 && b%cycle == 0, cycle == 0 && tab.Clocks.Network[n] && b%5 == 0, cycle == 0 && b%10 == 5:
						borders = append(borders, b)
					}
				}
				want := int64(0)
				val := func(t int64) bool { // just before t
					v := r.w.StartValue(int32(n))
					r.w.Each(int32(n), func(at int64, x bool) {
						if at < t {
							v = x
						}
					})
					return v
				}
				last := r.w.StartValue(int32(n))
				for _, b := range append(borders, to) {
					if v := val(b); v != last {
						want++
						last = v
					}
				}
				if x.Functional != want || x.Glitch != x.TC-want {
					t.Errorf("seed %d, cycle %d: net %s: functional %d glitch %d of %d, want functional %d", seed, cycle, r.d.Netlist.NetName(int32(n)), x.Functional, x.Glitch, x.TC, want)
				}
			}
		}
	}
}

// The nets between a clock and clock pins are its network and split by phases; the gated clock belongs to the clock, not to
// the enable; data takes the clock of the registers that launch it.
func TestClocks(t *testing.T) {
	v := `module top(input ck, c2, en, d, output [4:0] y);
  wire g, b, q, r, s, h, one, two, both, lone, m;
  BUF cb(.A(ck), .Y(b)); AND2 ga(.A(b), .B(s), .Y(g)); ICG ic(.CK(c2), .E(en), .GCK(h));
  DFF f0(.CK(g), .D(d), .Q(q), .QN()); DFF f1(.CK(h), .D(d), .Q(r), .QN()); DFF f2(.CK(b), .D(d), .Q(s), .QN());
  BUF u0(.A(q), .Y(one)); BUF u1(.A(r), .Y(two)); AND2 u2(.A(one), .B(two), .Y(both)); BUF u3(.A(d), .Y(lone));
  assign y[0] = one, y[1] = two, y[2] = both, y[3] = lone, y[4] = b;
endmodule`
	body := "#0 ck=0 c2=0 en=1 d=0 q=0 r=0 s=1"
	for i := 1; i < 80; i++ {
		body += fmt.Sprintf(" #%d", i)
		if i%4 == 0 {
			body += fmt.Sprintf(" ck=%d", i/4%2)
		}
		if i%10 == 0 {
			body += fmt.Sprintf(" c2=%d", i/10%2)
		}
		if i == 20 {
			body += " s=0"
		}
		if i == 60 {
			body += " s=1"
		}
	}
	r := simulate(t, v, "", "tb.dut: ck c2 en d q r s", body+" #80", wave.Options{}, nil)
	bag := &diag.Bag{}
	tab := activity.Count(r.d, r.st, r.w, activity.Options{From: 0, To: 80}, bag)
	var names []string
	for _, k := range tab.Clocks.List {
		names = append(names, fmt.Sprintf("%s %d", k.Name, k.Edges))
	}
	if got := strings.Join(names, ", "); got != "c2 4, ck 10, s 1" {
		t.Error("clocks:", got)
	}
	if f := tab.Clocks.List[tab.Clocks.Fastest].Name; f != "ck" {
		t.Error("fastest:", f)
	}
	for name, want := range map[string]string{
		"ck": "ck network", "y[4]": "ck network", "g": "ck network", "c2": "c2 network", "h": "c2 network", "y[0]": "ck",
		"y[1]": "c2", "y[2]": "ck", "y[3]": "ck", "s": "ck network", "en": "ck", "d": "ck", "r": "c2",
	} {
		n := r.net(t, name)
		got := tab.Clocks.List[tab.Clocks.OfNet[n]].Name
		if tab.Clocks.Network[n] {
			got += " network"
		}
		if name == "s" { // reaches a clock pin through a plain gate, but the clock is faster: not of the network
			want = "ck"
		}
		if got != want {
			t.Errorf("net %s: %s, want %s", name, got, want)
		}
	}
	for _, name := range []string{"ck", "y[4]", "c2", "h"} { // one change a phase is no glitch
		if x := tab.Nets[r.net(t, name)]; x.Glitch != 0 || x.TC == 0 {
			t.Errorf("net %s: %+v", name, x)
		}
	}
	if bag.Count(diag.ActMultiClock) == 0 || bag.Count(diag.ActCutCycles) != 1 {
		t.Error(bag.Totals())
	}
}

// Intervals that begin and end on clock edges cut no cycle.
func TestCutCycles(t *testing.T) {
	v := "module top(input ck, d, output y); wire q; DFF f(.CK(ck), .D(d), .Q(q), .QN()); BUF u(.A(q), .Y(y)); endmodule"
	r := simulate(t, v, "", "tb.dut: ck d q", "#0 ck=0 d=0 q=0 #5 ck=1 #10 ck=0 q=1 #15 ck=1 #20 ck=0 #25 ck=1 #30", wave.Options{}, nil)
	for _, c := range []struct {
		from, to, cycle int64
		cut             bool
	}{{5, 25, 0, false}, {5, 24, 0, true}, {6, 25, 0, true}, {0, 30, 0, true}, {0, 30, 10, false}, {0, 30, 7, true}} {
		bag := &diag.Bag{}
		activity.Count(r.d, r.st, r.w, activity.Options{From: c.from, To: c.to, Cycle: c.cycle}, bag)
		if got := bag.Count(diag.ActCutCycles) > 0; got != c.cut {
			t.Errorf("%d..%d cycle %d: cut %v", c.from, c.to, c.cycle, got)
		}
	}
}

func TestNoClock(t *testing.T) {
	v := "module top(input a, b, output y); XOR2 u(.A(a), .B(b), .Y(y)); endmodule"
	r := simulate(t, v, "", "tb.dut: a b", "#0 a=0 b=0 #3 a=1 #4 b=1 #10", wave.Options{}, nil)
	bag := &diag.Bag{}
	tab := activity.Count(r.d, r.st, r.w, activity.Options{From: 0, To: 10}, bag)
	x := tab.Nets[r.net(t, "y")]
	if tab.Split || tab.NoSplit == "" || bag.Count(diag.ActNoClock) != 1 || x.TC != 2 || x.Functional != 0 || x.Glitch != 0 {
		t.Errorf("split %v (%s), %+v", tab.Split, tab.NoSplit, x)
	}
	tab = activity.Count(r.d, r.st, r.w, activity.Options{From: 0, To: 10, Cycle: 10}, bag)
	if x = tab.Nets[r.net(t, "y")]; !tab.Split || x.Functional != 0 || x.Glitch != 2 {
		t.Errorf("split %v, %+v", tab.Split, x)
	}
}

// Against a run without delays whose sources change on their launching edges, the glitches of a path difference are all of
// its changes; a net that changes less often than without delays has a negative number.
func TestZeroDelayGlitch(t *testing.T) {
	v := `module top(input ck, output y, z, p); wire q0, q1, n;
  DFF f0(.CK(ck), .D(q0), .Q(q0), .QN()); DFF f1(.CK(ck), .D(q1), .Q(q1), .QN());
  XOR2 u0(.A(q0), .B(q1), .Y(y)); INV u1(.A(q0), .Y(n)); BUF u2(.A(n), .Y(z)); INV u3(.A(ck), .Y(p));
endmodule`
	sdf := "u0 XOR2: (IOPATH A Y (1)) (IOPATH B Y (1))\nu2 BUF: (IOPATH A Y (30))"
	r := simulate(t, v, sdf, "tb.dut: ck q0 q1", "#0 ck=0 q0=0 q1=0 #10 ck=1 #12 q0=1 #15 q1=1 #20 ck=0 #30 ck=1 #32 q0=0 #36 q1=0 #40 ck=0 #50 ck=1 #52 q0=1 #60 ck=0 #70", wave.Options{}, nil)
	st := activity.Snap(r.d, r.st, 0)
	zero := activity.Count(r.d, st, waves(t, r.d, st, kernel.Cycle, nil), activity.Options{From: 0, To: 70}, nil)
	tab := activity.Count(r.d, r.st, r.w, activity.Options{From: 0, To: 70, ZeroDelay: zero}, nil)
	for name, want := range map[string][3]int64{ // changes, functional, glitch
		"y": {5, 1, 4}, "q0": {3, 3, 0}, "ck": {6, 6, 0}, "p": {6, 6, 0},
		"z": {0, 3, -3}, // inertia swallows pulses shorter than 30, and the last change comes behind the end
	} {
		x := tab.Nets[r.net(t, name)]
		if got := [3]int64{x.TC, x.Functional, x.Glitch}; got != want {
			t.Errorf("net %s: %v, want %v", name, got, want)
		}
	}
	for i, n := range st.Net {
		if got := st.Tick[st.Off[i]:st.Off[i+1]]; n == r.net(t, "q0") && fmt.Sprint(got) != "[10 30 50]" {
			t.Errorf("q0 is snapped to %v", got)
		}
	}
}

// While no driver is on the time is TZ, while drivers fight TB, behind wires and without arcs; TC counts what is emitted.
func TestTristate(t *testing.T) {
	v := "module top(input a, b, c, d, output y); TBUF t0(.A(a), .OE(b), .Y(y)); TBUF t1(.A(c), .OE(d), .Y(y)); endmodule"
	sdf := "t0 TBUF: (IOPATH A Y (5)) (IOPATH OE Y (3))\nt1 TBUF: (IOPATH A Y (5)) (IOPATH OE Y (3))\n. top: (PORT t0/OE (2))"
	r := simulate(t, v, sdf, "tb.dut: a b c d", "#0 a=1 b=0 c=0 d=0 #10 b=1 #30 d=1 #40 b=0 #60 d=0 #100", wave.Options{}, nil)
	tab := activity.Count(r.d, r.st, r.w, activity.Options{From: 0, To: 100}, nil)
	// b is seen at 12 and 42: floating until 12 and from 60, fighting 30..42; y rises at 12+3 and falls at 42+3
	want := activity.Net{T0: (15 - 12) + (60 - 45), T1: (30 - 15) + (45 - 42), TZ: 12 + 40, TB: 12, TC: 2, Rise: 1, Fall: 1}
	if x := tab.Nets[r.net(t, "y")]; x != want {
		t.Errorf("%+v, want %+v", x, want)
	}
}
