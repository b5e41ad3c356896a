package names_test

import (
	"bufio"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/gzip"
	"github.com/ulikunitz/xz"
	"go.uber.org/goleak"

	"github.com/wattd/wattd/internal/diag"
	"github.com/wattd/wattd/internal/format/liberty"
	"github.com/wattd/wattd/internal/format/scan"
	"github.com/wattd/wattd/internal/format/verilog"
	"github.com/wattd/wattd/internal/names"
	"github.com/wattd/wattd/internal/netlist"
	"github.com/wattd/wattd/internal/testenv"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const cells = `library (l) { time_unit : "1ns"; capacitive_load_unit (1, pf);
  cell (BUF) { pin (A) { direction : input; } pin (Y) { direction : output; function : "A"; } }
  cell (MEM) { pin ("D[0]") { direction : input; } pin (Q) { direction : output; } } }`

const design = `
module sub(input i, output [3:0] o);
  wire n; wire \x[1] ; wire [1:0] x; wire state_q_0_;
  BUF u1 (.A(i), .Y(o[0]));
  BUF \g[2].u (.A(i), .Y(\x[1] ));
  BUF v0 (.A(i), .Y(x[1]));
  BUF v1 (.A(i), .Y(x[0]));
  BUF v2 (.A(i), .Y(n));
  BUF v3 (.A(i), .Y(state_q_0_));
endmodule
module top(input a, input [7:0] bus, output y, output [0:0] one);
  wire \soc/gpio/gen[14].f/q ; wire \dp.acc[3] ; wire \k\l ; wire Mixed; wire w_a; wire \w.a ;
  sub s (.i(a));
  sub \t[1].p (.i(a));
  BUF \soc/gpio/gen[14].f/_14_ (.A(a), .Y(\soc/gpio/gen[14].f/q ));
  BUF r_reg_3_ (.A(a), .Y(\dp.acc[3] ));
  BUF arr [1:0] (.A(a), .Y({Mixed, \k\l }));
  BUF c1 (.A(a), .Y(w_a)); BUF c2 (.A(a), .Y(\w.a )); BUF c3 (.A(a), .Y(y)); BUF c4 (.A(a), .Y(one));
  MEM m (.\D[0] (a));
endmodule`

func load(t testing.TB, text, lib string) *netlist.Netlist {
	t.Helper()
	ctx, bag, tab := context.Background(), &diag.Bag{}, scan.NewNames()
	mods, err := verilog.Read(ctx, strings.NewReader(text), "t.v", 0, tab, verilog.Option{}, bag)
	if err != nil {
		t.Fatal(err)
	}
	l, err := liberty.Read(ctx, strings.NewReader(lib), "t.lib", bag)
	if err != nil {
		t.Fatal(err)
	}
	nl, err := netlist.Link(ctx, netlist.Input{Modules: mods, Names: tab, Files: []string{"t.v"}, Libs: []*liberty.Library{l}}, bag)
	if err != nil || nl == nil || bag.Errors() > 0 {
		bag.Write(os.Stderr, diag.Warning, 10)
		t.Fatal("link failed", err)
	}
	return nl
}

func TestNets(t *testing.T) {
	nl := load(t, design, cells)
	for _, c := range []struct {
		format names.Format
		text   string
		want   string // printed name of the net
		rule   names.Rule
	}{
		{names.Plain, "a", "a", names.Exact},
		{names.Plain, "bus[3]", "bus[3]", names.Exact},
		{names.Plain, "s/x[1]", "s/x[1]", names.Exact},
		{names.Plain, `s/x\[1\]`, `s/x\[1]`, names.Exact},
		{names.Verilog, `s.\x[1] `, `s/x\[1]`, names.Exact},
		{names.Verilog, "s.\\x [1]", "s/x[1]", names.Exact},
		{names.Verilog, `\t[1].p .n`, "t[1].p/n", names.Exact},
		{names.Verilog, `\dp.acc[3] `, "dp.acc[3]", names.Exact},
		{names.VCD, `dp.acc[3]`, "dp.acc[3]", names.Flattened},
		{names.VCD, `\dp.acc[3]\ `, "dp.acc[3]", names.Exact},
		{names.VCD, `\dp.acc[3]`, "dp.acc[3]", names.Exact},
		{names.VCD, `bus [2:2]`, "", names.Unbound},
		{names.VCD, `a [0:0]`, "a", names.Exact},
		{names.VCD, `one`, "one[0]", names.IndexForm},
		{names.VCD, `a[0]`, "a", names.IndexForm},
		{names.SAIF, `bus\[7\]`, "bus[7]", names.Unescaped},
		{names.SAIF, `\\s/n`, "s/n", names.Exact},
		{names.SAIF, `t[1].p/x\[1\]`, `t\[1].p/x\[1]`, names.Exact},
		{names.SDF, `s.x[0]`, "s/x[0]", names.Exact},
		{names.SDF, `dp\.acc\[3\]`, "dp.acc[3]", names.Exact},
		{names.SDF, `dp\.acc[3]`, "dp.acc[3]", names.Unescaped},
		{names.SPEF, `soc\/gpio\/gen\[14\]\.f\/q`, "soc/gpio/gen[14].f/q", names.Exact},
		{names.SPEF, `soc/gpio/gen[14].f/q`, "soc/gpio/gen[14].f/q", names.Flattened},
		{names.SPEF, `soc.gpio.gen[14].f.q`, "soc/gpio/gen[14].f/q", names.Separators},
		{names.SDC, `{bus[3]}`, "bus[3]", names.Exact},
		{names.SDC, `bus\[3\]`, "bus[3]", names.Unescaped},
		{names.Plain, "top/s/n", "s/n", names.TopName},
		{names.Plain, "s.n", "s/n", names.Flattened},
		{names.Plain, "bus_3_", "bus[3]", names.IndexForm},
		{names.Plain, "bus_3", "bus[3]", names.IndexForm},
		{names.Plain, "bus(3)", "bus[3]", names.IndexForm},
		{names.Plain, "bus<3>", "bus[3]", names.IndexForm},
		{names.Plain, "t(1).p/n", "t[1].p/n", names.Separators},
		{names.Plain, "s/state_q[0]", "s/state_q_0_", names.IndexForm},
		{names.Plain, "s_n", "s/n", names.Separators},
		{names.VCD, "t__BRA__1__KET____DOT__p.n", "t[1].p/n", names.Demangled},
		{names.VCD, "__PVT__s.n", "s/n", names.Demangled},
		{names.Plain, "mixed", "Mixed", names.IgnoreCase},
		{names.Plain, "nowhere", "", names.Unbound},
		{names.Plain, "bus[8]", "", names.Unbound},
		{names.Plain, "", "", names.Unbound},
	} {
		r := names.New(nl, names.Options{IgnoreCase: true})
		net, b := r.Net(names.Spelling{Format: c.format}, []byte(c.text))
		got := ""
		if net != names.None {
			got = nl.NetName(net)
		}
		if got != c.want || b.Rule != c.rule {
			t.Errorf("%q (format %d): got %q by %v %v, want %q by %v", c.text, c.format, got, b.Rule, b.Candidates, c.want, c.rule)
		}
	}
}

func TestInstsScopesPins(t *testing.T) {
	nl := load(t, design, cells)
	r := names.New(nl, names.Options{})
	sdf := names.Spelling{Format: names.SDF, Divider: '/'}
	for _, c := range []struct{ text, want, rule string }{
		{"s/u1", "s/u1", "exact"},
		{`s/g\[2\]\.u`, "s/g[2].u", "exact"},
		{`s/g[2]/u`, "s/g[2].u", "flattened"},
		{`soc/gpio/gen[14].f/_14_`, "soc/gpio/gen[14].f/_14_", "flattened"},
		{`soc/gpio/gen[14]/f/_14_`, "soc/gpio/gen[14].f/_14_", "separators"},
		{`r_reg[3]`, "r_reg_3_", "index-form"},
		{`arr(1)`, "arr[1]", "index-form"},
		{`S/u1`, "", "unbound"},
	} {
		i, b := r.Inst(sdf, []byte(c.text))
		got := ""
		if i != names.None {
			got = nl.InstPath(i, '/')
		}
		if got != c.want || b.Rule.String() != c.rule {
			t.Errorf("instance %s: got %q by %v, want %q by %s", c.text, got, b.Rule, c.want, c.rule)
		}
	}
	if s, b := r.Scope(sdf, []byte(`t\[1\]\.p`)); s == names.None || b.Rule != names.Exact {
		t.Errorf("scope: %d %v", s, b)
	}
	if s, b := r.Scope(sdf, []byte(`t[1]/p`)); s == names.None || b.Rule != names.Flattened {
		t.Errorf("scope: %d %v", s, b)
	}
	for _, c := range []struct {
		text string
		inst string
		pin  string
		net  string
	}{
		{"s/u1/A", "s/u1", "A", ""},
		{`m/D[0]`, "m", "D[0]", ""},
		{`m/D\[0\]`, "m", "D[0]", ""},
		{`s/g[2]/u/Y`, "s/g[2].u", "Y", ""},
		{"bus[2]", "", "", "bus[2]"},
		{"s/i", "", "", "a"},
	} {
		p, b := r.Pin(sdf, []byte(c.text))
		if b.Rule == names.Unbound {
			t.Errorf("pin %s not found", c.text)
			continue
		}
		if c.net != "" {
			if p.Inst != names.None || nl.NetName(p.Net) != c.net {
				t.Errorf("pin %s: %v", c.text, p)
			}
		} else if p.Inst == names.None || nl.InstPath(p.Inst, '/') != c.inst || nl.InstPinName(p.Inst, p.Pin) != c.pin {
			t.Errorf("pin %s: %v", c.text, p)
		}
	}
	// Relative to a scope.
	s := nl.ChildScope(0, []byte("s"))
	if i, b := r.Inst(names.Spelling{Format: names.SDF, Scope: s}, []byte("u1")); i == names.None || b.Rule != names.Exact {
		t.Errorf("relative: %d %v", i, b)
	}
}

func TestAmbiguity(t *testing.T) {
	nl := load(t, design, cells)
	r := names.New(nl, names.Options{})
	net, b := r.Net(names.Spelling{}, []byte("w/a"))
	// w.a is one name with the border moved; w_a would need the separators disregarded, which comes later.
	if net == names.None || b.Rule != names.Flattened {
		t.Errorf("w/a: %d %v", net, b)
	}
	net, b = r.Net(names.Spelling{}, []byte("w(a"))
	if net != names.None || !b.Ambiguous {
		t.Fatalf("w(a: %d %v", net, b)
	}
	if d := cmp.Diff([]string{"w.a", "w_a"}, b.Candidates); d != "" {
		t.Error(d)
	}
}

func TestExplain(t *testing.T) {
	nl := load(t, design, cells)
	r := names.New(nl, names.Options{})
	for text, want := range map[string]string{
		"s/u1":   "s/u1 is instance s/u1 (rule: exact)\n",
		"s.u1":   "s.u1 is instance s/u1 (rule: flattened)\n",
		"s":      "s is scope s (rule: exact)\n",
		"s/u1/A": "s/u1/A is pin s/u1/A (rule: exact)\n",
		"s/u12":  "s/u12 is not in the design; closest: s/u1\n",
		"w(a":    "w(a is ambiguous: w.a, w_a\n",
		"Mixes":  "Mixes is not in the design; closest: Mixed\n",
	} {
		if got := r.Explain(text).String(); got != want {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
}

func TestExactDoesNotAllocate(t *testing.T) {
	nl := load(t, design, cells)
	r := names.New(nl, names.Options{})
	sdf := names.Spelling{Format: names.SDF, Divider: '/'}
	pin, net := []byte(`s/g\[2\]\.u/A`), []byte("s/x[1]")
	if n := testing.AllocsPerRun(100, func() {
		if p, _ := r.Pin(sdf, pin); p.Inst == names.None {
			t.Fatal("pin")
		}
		if n, _ := r.Net(sdf, net); n == names.None {
			t.Fatal("net")
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestCorpus finds every golden net, which the goldens write with "." and without escapes.
func TestCorpus(t *testing.T) {
	dir := testenv.Corpus(t)
	for name, lib := range map[string]string{"gcd_sky130hd": "sky130hd_tt.lib.gz", "systolic_sky130": "sky130hd_tt.lib.gz"} {
		nl := load(t, read(t, filepath.Join(dir, "designs", name, "netlist.v")), read(t, filepath.Join(dir, "liberty", lib)))
		r := names.New(nl, names.Options{})
		rules := map[names.Rule]int{}
		s := bufio.NewScanner(strings.NewReader(read(t, filepath.Join(dir, "designs", name, "golden_tc.txt.xz"))))
		for s.Scan() {
			f := strings.Fields(s.Text())
			if len(f) < 3 || f[0] == "#" {
				continue
			}
			net, b := r.Net(names.Spelling{Format: names.VCD}, []byte(f[0]))
			if net == names.None {
				t.Fatalf("%s: %s not found: %v", name, f[0], b)
			}
			rules[b.Rule]++
		}
		t.Log(name, rules)
	}
}

func read(t testing.TB, path string) string {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var b strings.Builder
	switch filepath.Ext(path) {
	case ".gz":
		var z *gzip.Reader
		if z, err = gzip.NewReader(f); err == nil {
			_, err = z.WriteTo(&b)
		}
	case ".xz":
		var z *xz.Reader
		if z, err = xz.NewReader(bufio.NewReader(f)); err == nil {
			_, err = bufio.NewReader(z).WriteTo(&b)
		}
	default:
		_, err = bufio.NewReader(f).WriteTo(&b)
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func FuzzResolve(f *testing.F) {
	nl := load(f, design, cells)
	for _, s := range []string{`s/x\[1\]`, `\a.b [3]`, "{a", `\\`, `\`, "t__BRA__1__KET__.p", "a/./../[", "s.u1.A", "x[99999999999]"} {
		f.Add(uint8(0), s)
	}
	f.Fuzz(func(t *testing.T, format uint8, text string) {
		r := names.New(nl, names.Options{IgnoreCase: true})
		s := names.Spelling{Format: names.Format(format % 7)}
		r.Net(s, []byte(text))
		r.Inst(s, []byte(text))
		r.Scope(s, []byte(text))
		r.Pin(s, []byte(text))
		_ = r.Explain(text).String()
	})
}
