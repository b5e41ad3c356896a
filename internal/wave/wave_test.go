package wave_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/wattd/wattd/internal/design"
	"github.com/wattd/wattd/internal/design/designtest"
	"github.com/wattd/wattd/internal/diag"
	"github.com/wattd/wattd/internal/wave"
)

// text writes what a dump made: the interval, each source with its start value, the ticks at which it toggles and its unknown spans, then
// messages.
func text(d *design.Design, s *wave.Stimulus, bag *diag.Bag) string {
	var b strings.Builder
	if s != nil && bag.Errors() == 0 {
		fmt.Fprintf(&b, "%d..%d %s\n", s.From, s.To, s.Coverage.Scope)
		for i, n := range s.Net {
			fmt.Fprintf(&b, "%s %d %v", d.Netlist.NetName(n), bit(s.Start[i]), s.Tick[s.Off[i]:s.Off[i+1]])
			if s.RecOff != nil {
				fmt.Fprintf(&b, " rec %d %v", bit(s.RecStart[i]), s.RecTick[s.RecOff[i]:s.RecOff[i+1]])
			}
			for _, u := range s.Unknown {
				if u.Src == int32(i) {
					fmt.Fprintf(&b, " %c %d..%d", "xz"[bit(u.Z)], u.From, u.To)
				}
			}
			for _, c := range s.Collapsed {
				if c.Net == n {
					fmt.Fprintf(&b, " collapsed %v", c.Tick)
				}
			}
			b.WriteByte('\n')
		}
		for n := range d.NetClass {
			if v, ok := s.Initial[int32(n)]; ok {
				fmt.Fprintf(&b, "initial %s %d\n", d.Netlist.NetName(int32(n)), bit(v))
			}
		}
	}
	for _, t := range bag.Totals() {
		for _, m := range bag.Kept(t.Code) {
			if strings.HasPrefix(m.Pos.File, "dump") {
				fmt.Fprintf(&b, "%s: %s [%s]\n", m.Severity, m.Msg, m.Code)
			}
		}
	}
	return b.String()
}

func bit(v bool) int {
	if v {
		return 1
	}
	return 0
}

const plain = "module top(input a, input b, output y); AND2 u(.A(a), .B(b), .Y(y)); endmodule"

const buses = `module top(input [3:0] d, input [0:3] u, input [1:1] one, input \e[1] , input \x.y , output y);
  wire [6:0] k; AND2 g0(.A(d[0]), .B(u[0]), .Y(k[0])); AND2 g1(.A(one[1]), .B(\e[1] ), .Y(k[1])); AND2 g2(.A(\x.y ), .B(d[3]), .Y(y));
endmodule`

const regs = `module top(input ck, input d, input e, output y, output z);
  wire g, q, qn, r;
  ICG icg(.CK(ck), .E(e), .GCK(g));
  DFF f0(.CK(ck), .D(d), .Q(q), .QN(qn));
  DFF f1(.CK(g), .D(d), .Q(), .QN(r));
  AND2 u0(.A(q), .B(qn), .Y(y)); INV u1(.A(r), .Y(z));
endmodule`

func TestBind(t *testing.T) {
	ab := "tb.dut: a b y"
	for _, c := range []struct {
		name, v, sdf, decl, body string
		opt                      wave.Options
		want                     string
	}{
		{"too long", plain, "", ab, "#0 a=0 b=1 #70368744177665", wave.Options{}, "error: the run has 70368744177665 ticks of 1ps, more than 2^46 [stimulus-time-too-large]\n"},
		{"plain", plain, "", ab, "#0 a=0 b=1 #10 a=1 #20 b=0 #30 a=0 #40", wave.Options{}, `0..40 tb.dut
a 0 [10 30]
b 1 [20]
`},
		{"interval: changes at the start are in the start value, those at the end are out", plain, "", ab, "#0 a=0 b=1 #10 a=1 #20 b=0 a=0 #30 a=1 #40", wave.Options{HasFrom: true, From: 10, HasTo: true, To: 30}, `10..30 tb.dut
a 1 [20]
b 1 [20]
`},
		{"interval beyond the dump", plain, "", ab, "#5 a=0 b=1 #10 a=1 #20", wave.Options{HasFrom: true, From: 0, HasTo: true, To: 30}, `0..30 tb.dut
a 0 [10] x 0..5
b 1 [] x 0..5
warning: the run is 0..30ps, the dump 5ps..20ps [interval-outside-dump]
warning: source a is unknown for a part of the run [stimulus-unknown]
warning: source b is unknown for a part of the run [stimulus-unknown]
`},
		{"one time stamp only", plain, "", ab, "#0 a=0 b=1", wave.Options{}, "error: the run from 0 to 0 has no duration [empty-window]\n"},
		{"one time stamp and an end", plain, "", ab, "#0 a=0 b=1", wave.Options{HasTo: true, To: 10}, "0..10 tb.dut\na 0 []\nb 1 []\nwarning: the run is 0..10ps, the dump 0..0 [interval-outside-dump]\n"},
		{"no time stamp", plain, "", ab, "a=0 b=1", wave.Options{}, "error: the run from 0 to 0 has no duration [empty-window]\n"},
		{"backwards", plain, "", ab, "#0 a=0 b=1 #9", wave.Options{HasFrom: true, From: 5, HasTo: true, To: 5}, "error: the run from 5ps to 5ps has no duration [empty-window]\n"},
		{"several changes at one tick", plain, "", ab, "#0 a=0 b=1 #10 a=1 a=0 #20 b=0 b=1 b=0 #30 a=1 a=x a=1 #40", wave.Options{}, `0..40 tb.dut
a 0 [30] collapsed [10 30 30]
b 1 [20] collapsed [20 20]
`},
		{"the same tick twice", plain, "", ab, "#0 a=0 b=1 #10 a=1 #10 a=0 #20", wave.Options{}, `0..20 tb.dut
a 0 [] collapsed [10]
b 1 []
`},
		{"x holds", plain, "", ab, "#0 a=x b=0 #10 a=1 #20 a=x #30 a=0 #40 a=z b=x #50 a=0 b=0 #60 b=z #70", wave.Options{}, `0..70 tb.dut
a 1 [30] x 0..10 x 20..30 z 40..50
b 0 [] x 40..50 z 60..70
warning: source a is unknown for a part of the run [stimulus-unknown]
warning: source b is unknown for a part of the run [stimulus-unknown]
`},
		{"x and z in a row", plain, "", ab, "#0 a=0 b=0 #10 a=x #20 a=z #30 a=1 #40", wave.Options{}, `0..40 tb.dut
a 0 [30] x 10..20 z 20..30
b 0 []
warning: source a is unknown for a part of the run [stimulus-unknown]
`},
		{"x at the start of the run holds what was known before", plain, "", ab, "#0 a=1 b=0 #5 a=x b=x #10 #20 a=0 b=0 #30", wave.Options{HasFrom: true, From: 10}, `10..30 tb.dut
a 1 [20] x 10..20
b 0 [] x 10..20
warning: source a is unknown for a part of the run [stimulus-unknown]
warning: source b is unknown for a part of the run [stimulus-unknown]
`},
		{"never known", plain, "", ab, "#0 a=x b=1 #10", wave.Options{}, `0..10 tb.dut
a 0 [] x 0..10
b 1 []
warning: source a is unknown throughout [stimulus-never-known]
warning: source a is unknown for a part of the run [stimulus-unknown]
`},
		{"x as 0", plain, "", ab, "#0 a=x b=1 #10 a=1 #20 a=x #30 a=1 #40 b=x #50", wave.Options{X: wave.XZero}, `0..50 tb.dut
a 0 [10 20 30] rec 1 [] x 0..10 x 20..30
b 1 [40] rec 1 [] x 40..50
warning: source a is unknown for a part of the run [stimulus-unknown]
warning: source b is unknown for a part of the run [stimulus-unknown]
`},
		{"x as 1", plain, "", ab, "#0 a=x b=0 #10 a=1 #20 a=x #30 a=1 #40 b=x #50", wave.Options{X: wave.XOne}, `0..50 tb.dut
a 1 [] rec 1 [] x 0..10 x 20..30
b 0 [40] rec 0 [] x 40..50
warning: source a is unknown for a part of the run [stimulus-unknown]
warning: source b is unknown for a part of the run [stimulus-unknown]
`},
		{"gap before the run", plain, "", ab, "#0 a=0 b=0 #10 $dumpoff a=x b=x $end #20 $dumpon a=1 b=0 $end #30 a=0 #40", wave.Options{HasFrom: true, From: 20}, "20..40 tb.dut\na 1 [30]\nb 0 []\n"},
		{"gap in the run", plain, "", ab, "#0 a=0 b=0 #10 $dumpoff a=x b=x $end #20 $dumpon a=1 b=0 $end #30 a=0 #40", wave.Options{HasFrom: true, From: 19}, "20..40 tb.dut\na 1 [30]\nb 0 []\nwarning: the dump is off from 10ps to 20ps; that time is not simulated [dump-gap]\n"},
		{"gap behind the run", plain, "", ab, "#0 a=0 b=0 #10 $dumpoff a=x b=x $end #20 $dumpon a=1 b=0 $end #30 a=0 #40", wave.Options{HasTo: true, To: 10}, "0..10 tb.dut\na 0 []\nb 0 []\n"},
		{"gap without an end", plain, "", ab, "#0 a=0 b=0 #10 $dumpoff a=x b=x $end #40", wave.Options{}, "0..10 tb.dut\na 0 []\nb 0 []\nwarning: the dump is off from 10ps to 40ps; that time is not simulated [dump-gap]\n"},
		{"gap that the end of the run cuts", plain, "", ab, "#0 a=0 b=0 #10 $dumpoff a=x b=x $end #40 $dumpon a=1 b=0 $end #50", wave.Options{HasTo: true, To: 30}, "0..10 tb.dut\na 0 []\nb 0 []\nwarning: the dump is off from 10ps to 40ps; that time is not simulated [dump-gap]\n"},
		{"ranges", buses, "", `tb.dut: d[3:0] u[0:3] one[1:1] \e[1] \x.y`, `#0 d=1000 u=1000 one=0 \e[1]=1 \x.y=0 #10 d=0001 u=0001 one=1 #20`, wave.Options{}, `0..20 tb.dut
d[3] 1 [10]
d[2] 0 []
d[1] 0 []
d[0] 0 [10]
u[0] 1 [10]
u[1] 0 []
u[2] 0 []
u[3] 0 [10]
one[1] 0 [10]
e[1] 1 []
x.y 0 []
`},
		{"no ranges, no backslashes", buses, "", "tb.dut: d*4 u*4 one e[1] x.y", "#0 d=1000 u=1000 one=0 e[1]=1 x.y=0 #10 d=0001 u=0001 one=1 #20", wave.Options{}, `0..20 tb.dut
d[3] 1 [10]
d[2] 0 []
d[1] 0 []
d[0] 0 [10]
u[0] 1 [10]
u[1] 0 []
u[2] 0 []
u[3] 0 [10]
one[1] 0 [10]
e[1] 1 []
x.y 0 []
`},
		{"bit by bit", buses, "", `tb.dut: d[3] d[2] d[1] d[0] u[0:3] one[1] \e[1] \x.y`, `#0 d[3]=1 d[2]=0 d[1]=0 d[0]=1 u=xxxx one[1]=0 \e[1]=0 \x.y=1 #9 u=1111 #10`, wave.Options{HasFrom: true, From: 9}, `9..10 tb.dut
d[3] 1 []
d[2] 0 []
d[1] 0 []
d[0] 1 []
u[0] 1 []
u[1] 1 []
u[2] 1 []
u[3] 1 []
one[1] 0 []
e[1] 0 []
x.y 1 []
`},
		{"scope among others", plain, "", "tb: a clk\ntb.dut: a b\ntb.other: a x", "#0 tb.dut/a=0 tb.dut/b=0 #10 tb.dut/a=1 tb/a=1 #20", wave.Options{}, "0..20 tb.dut\na 0 [10]\nb 0 []\n"},
		{"two scopes fit", plain, "", "tb.d1: a b\ntb.d2: a b", "#0 #10", wave.Options{}, "error: no scope alone names at least 95 % of the 2 sources; the best are tb.d1 (100.0 %), tb.d2 (100.0 %) [scope-unclear]\n"},
		{"scope chosen", plain, "", "tb.d1: a b\ntb.d2: a b", "#0 tb.d2/a=1 tb.d2/b=0 #10", wave.Options{Scope: "tb/d2"}, "0..10 tb.d2\na 1 []\nb 0 []\n"},
		{"scope unknown", plain, "", ab, "#0 #10", wave.Options{Scope: "tb.d2"}, `error: no scope "tb.d2"; the dump has tb, tb.dut [scope-unknown]` + "\n"},
		{"nothing in common", plain, "", "tb.dut: p q", "#0 #10", wave.Options{}, "error: none of the 2 sources is named below any scope; the dump has tb, tb.dut [stimulus-binds-nothing]\n"},
		{"too little", plain, "", "tb.dut: a q", "#0 #10", wave.Options{}, "error: no scope alone names at least 95 % of the 2 sources; the best are tb.dut (50.0 %) [scope-unclear]\n"},
		{"missing", plain, "", "tb.dut: a", "#0 a=0 #10", wave.Options{Scope: "tb.dut"}, "error: 1 of 2 sources of class input: b [source-without-stimulus]\n"},
		{"missing, held", plain, "", "tb.dut: a", "#0 a=0 #10 a=1 #20", wave.Options{Scope: "tb.dut", Unmapped: wave.UnmappedHold}, "0..20 tb.dut\na 0 [10]\nb 0 []\nwarning: 1 of 2 sources of class input: b [source-unmapped]\n"},
		{"missing, toggled by --cycle", plain, "", "tb.dut: a", "#0 a=0 #40", wave.Options{Scope: "tb.dut", Unmapped: wave.UnmappedToggle, Toggle: 1, Cycle: 10}, "0..40 tb.dut\na 0 []\nb 0 [10 20 30]\nwarning: 1 of 2 sources of class input: b [source-unmapped]\n"},
		{"missing, toggled without a clock", plain, "", "tb.dut: a", "#0 a=0 #40", wave.Options{Scope: "tb.dut", Unmapped: wave.UnmappedToggle, Toggle: 1}, "error: no clock among the sources with stimulus [unmapped-toggle-no-clock]\nwarning: 1 of 2 sources of class input: b [source-unmapped]\n"},
		{"missing, toggled by the clock, x as 0", regs, "", "tb.dut: ck d e q qn", "#0 ck=0 d=0 e=0 q=0 qn=1 #5 ck=1 #10 ck=0 #15 ck=1 d=x #20", wave.Options{Scope: "tb.dut", Unmapped: wave.UnmappedToggle, Toggle: 1, X: wave.XZero}, `0..20 tb.dut
ck 0 [5 10 15] rec 0 [5 10 15]
d 0 [] rec 0 [] x 15..20
e 0 [] rec 0 []
q 0 [] rec 0 []
qn 1 [] rec 1 []
r 0 [5 15] rec 0 [5 15]
warning: 1 of 3 sources of class register: r [source-unmapped]
warning: source d is unknown for a part of the run [stimulus-unknown]
`},
		{"complement", regs, "", "tb.dut: ck d e q r", "#0 ck=0 d=0 e=0 q=0 r=1 #5 q=1 #7 q=x #8 q=0 #10", wave.Options{Scope: "tb.dut"}, `0..10 tb.dut
ck 0 []
d 0 []
e 0 []
q 0 [5 8] x 7..8
qn 1 [5 8] x 7..8
r 1 []
warning: source q is unknown for a part of the run [stimulus-unknown]
warning: source qn is unknown for a part of the run [stimulus-unknown]
note: net qn is taken from net q [register-complement]
`},
		{"initial states", regs, "", "tb.dut: ck d e q r g", "#0 ck=1 d=0 e=0 q=0 r=1 g=1 #10 g=0 #20", wave.Options{HasFrom: true, From: 5, Scope: "tb.dut"}, `5..20 tb.dut
ck 1 []
d 0 []
e 0 []
q 0 []
qn 1 []
r 1 []
initial g 1
note: net qn is taken from net q [register-complement]
`},
		{"initial state unknown", regs, "", "tb.dut: ck d e q r g", "#0 ck=1 d=0 e=0 q=0 r=1 g=x #10 g=0 #20", wave.Options{HasFrom: true, From: 5, Scope: "tb.dut"}, `5..20 tb.dut
ck 1 []
d 0 []
e 0 []
q 0 []
qn 1 []
r 1 []
note: net qn is taken from net q [register-complement]
`},
		{"zero delay with delays", regs, "icg ICG: (IOPATH CK GCK (1))", "tb.dut: ck d e q qn r", "#0 ck=0 d=0 e=0 q=0 qn=1 r=1 #5 ck=1 q=1 qn=0 #10 ck=0 #15 ck=1 q=0 qn=1 #20 ck=0 #25", wave.Options{}, "error: 4 of 4 changes of registers fall on an edge of a clock [zero-delay-dump]\n"},
		{"zero delay without delays", regs, "", "tb.dut: ck d e q qn r", "#0 ck=0 d=0 e=0 q=0 qn=1 r=1 #5 ck=1 q=1 qn=0 #10", wave.Options{}, "0..10 tb.dut\nck 0 [5]\nd 0 []\ne 0 []\nq 0 [5]\nqn 1 [5]\nr 1 []\n"},
		{"not zero delay", regs, "icg ICG: (IOPATH CK GCK (1))", "tb.dut: ck d e q qn r", "#0 ck=0 d=0 e=0 q=0 qn=1 r=1 #5 ck=1 #6 q=1 qn=0 #10", wave.Options{}, "0..10 tb.dut\nck 0 [5]\nd 0 []\ne 0 []\nq 0 [6]\nqn 1 [6]\nr 1 []\n"},
		{"no register changes is not zero delay", regs, "icg ICG: (IOPATH CK GCK (1))", "tb.dut: ck d e q qn r", "#0 ck=0 d=0 e=0 q=0 qn=1 r=1 #5 ck=1 #10", wave.Options{}, "0..10 tb.dut\nck 0 [5]\nd 0 []\ne 0 []\nq 0 []\nqn 1 []\nr 1 []\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := load(t, c.v, c.sdf, designtest.VCD(c.decl, c.body), c.opt)
			if got != c.want {
				t.Errorf("got\n%swant\n%s", got, c.want)
			}
		})
	}
}

func load(t *testing.T, v, sdf, dump string, opt wave.Options, change ...func(*design.Options)) string {
	t.Helper()
	a := designtest.Archive{Files: []designtest.File{{Name: "netlist.v", Text: v}}}
	if sdf != "" {
		a.Set("delays.sdf", sdf)
	}
	d, bag := designtest.Compile(t, a, change...)
	if bag.Errors() > 0 {
		t.Fatal(bag.Totals())
	}
	s, err := wave.Bind(context.Background(), d, wave.Input{Name: "dump.vcd", R: strings.NewReader(dump)}, opt, bag)
	if err != nil {
		t.Fatal(err)
	}
	return text(d, s, bag)
}

// A time that is no whole number of ticks is an error that names a tick that holds it.
func TestTick(t *testing.T) {
	dump := designtest.VCD("tb.dut: a b", "#0 a=0 b=0 #25 a=1 #40")
	coarse := func(o *design.Options) { o.Tick = 10 * design.Picosecond }
	if got, want := load(t, plain, "", dump, wave.Options{}, coarse), "error: #25 is not a whole number of ticks of 10ps; the dump needs --tick 1ps or finer [stimulus-off-tick]\n"; got != want {
		t.Errorf("got %swant %s", got, want)
	}
	fine := func(o *design.Options) { o.Tick = design.Picosecond / 10 }
	if got, want := load(t, plain, "", dump, wave.Options{}, fine), "0..400 tb.dut\na 0 [250]\nb 0 []\n"; got != want {
		t.Errorf("got %swant %s", got, want)
	}
	// 100 ns where the file says 1 ps
	if got, want := load(t, plain, "", dump, wave.Options{TimeCoef: 100, TimeExp: -9}), "0..4000000 tb.dut\na 0 [2500000]\nb 0 []\n"; got != want {
		t.Errorf("got %swant %s", got, want)
	}
}

// The random policy is the same on every run and differs between seeds, nets and spans.
func TestRandomX(t *testing.T) {
	body := "#0 a=0 b=0"
	for i := range 40 {
		body += fmt.Sprintf(" #%d a=x b=x #%d a=0 b=0", 10*i+5, 10*i+10)
	}
	dump := designtest.VCD("tb.dut: a b", body+" #500")
	one := load(t, plain, "", dump, wave.Options{X: wave.XRandom, XSeed: 1})
	if again := load(t, plain, "", dump, wave.Options{X: wave.XRandom, XSeed: 1}); again != one {
		t.Error("two runs differ")
	}
	if other := load(t, plain, "", dump, wave.Options{X: wave.XRandom, XSeed: 2}); other == one {
		t.Error("two seeds agree")
	}
	lines := strings.Split(one, "\n")
	a, b := strings.TrimPrefix(lines[1], "a"), strings.TrimPrefix(lines[2], "b")
	if a == b || !strings.Contains(a, "rec 0 []") {
		t.Errorf("%s\n%s", a, b)
	}
}
