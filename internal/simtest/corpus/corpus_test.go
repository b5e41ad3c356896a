package corpus

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"
	"go.uber.org/goleak"

	"github.com/wattd/wattd/internal/diag"
	"github.com/wattd/wattd/internal/netlist"
	"github.com/wattd/wattd/internal/project"
	"github.com/wattd/wattd/internal/testenv"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestMicro runs the cases that hold one rule each.
func TestMicro(t *testing.T) {
	root := testenv.Corpus(t)
	dirs, err := filepath.Glob(filepath.Join(root, "micro", "[0-9]*"))
	if err != nil || len(dirs) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	var all row
	for _, dir := range dirs {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			c := micro(t, dir)
			c.Lib = []string{filepath.Join(root, "micro", "cells", "cells.lib")}
			from, to, tc := readCounts(t, filepath.Join(dir, "golden_tc.txt"))
			r := compare(t, run(t, c, from, to), readEvents(t, filepath.Join(dir, "golden.txt")), tc, to)
			all.nets, all.events, all.masked = all.nets+r.nets, all.events+r.events, all.masked+r.masked
			all.counted, all.toggles, all.differ = all.counted+r.counted, all.toggles+r.toggles, all.differ+r.differ
		})
	}
	summary(t, fmt.Sprint(len(dirs), " micro cases"), all)
}

// micro reads the choices in a README: the corner, and "args:" with more flags.
func micro(t *testing.T, dir string) project.Config {
	c := project.Config{
		Netlist: []string{filepath.Join(dir, "netlist.v")}, SDF: []string{filepath.Join(dir, "delays.sdf")},
		Stim: filepath.Join(dir, "stim.vcd"), Scope: "tb.dut", Corner: "typ",
	}
	b, err := os.ReadFile(filepath.Join(dir, "README"))
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(string(b), "\n") {
		if v, ok := strings.CutPrefix(line, "corner: "); ok {
			c.Corner = strings.TrimSpace(v)
		}
		if v, ok := strings.CutPrefix(line, "args:"); ok {
			flags(t, &c, strings.Fields(v))
		}
	}
	return c
}

// flags sets choices from a command line: their keys in a wattd.toml are the flags with underscores.
func flags(t *testing.T, c *project.Config, args []string) {
	for i := 0; i < len(args); i++ {
		key, val, ok := strings.Cut(strings.TrimPrefix(args[i], "--"), "=")
		if !ok && i+1 < len(args) && !strings.HasPrefix(args[i+1], "--") {
			i++
			val = args[i]
		}
		text := fmt.Sprintf("%s = %q\n", strings.ReplaceAll(key, "-", "_"), val)
		if val == "" {
			text = fmt.Sprintf("%s = true\n", strings.ReplaceAll(key, "-", "_"))
		}
		if err := toml.NewDecoder(strings.NewReader(text)).DisallowUnknownFields().Decode(c); err != nil {
			t.Fatalf("args %v: %v", args, err)
		}
	}
}

// TestDesigns runs the four designs.
func TestDesigns(t *testing.T) {
	if testing.Short() {
		t.Skip("minutes of goldens to read")
	}
	root := testenv.Corpus(t)
	for _, d := range []struct {
		name, lib string
		until     int64 // where the golden dump ends, when before the end of the run
	}{
		{"gcd_sky130hd", "sky130hd_tt.lib.gz", 0},
		{"aes_sky130hd", "sky130hd_tt.lib.gz", 0},
		{"mac_sg13g2", "sg13g2_stdcell_typ_1p20V_25C.lib.xz", 0},
		{"systolic_sky130", "sky130hd_tt.lib.gz", 499_050},
	} {
		t.Run(d.name, func(t *testing.T) {
			dir := filepath.Join(root, "designs", d.name)
			from, to, tc := readCounts(t, filepath.Join(dir, "golden_tc.txt"))
			s := run(t, project.Config{
				Netlist: []string{filepath.Join(dir, "netlist.v")}, Lib: []string{filepath.Join(root, "liberty", d.lib)},
				SDF: []string{filepath.Join(dir, "delays.sdf.xz")}, Stim: filepath.Join(dir, "stim.vcd.xz"), Scope: "tb.dut",
			}, from, to)
			r := compare(t, s, readVCD(t, filepath.Join(dir, "golden.vcd")), tc, cmp.Or(d.until, to))
			summary(t, d.name, r)
		})
	}
}

// run takes all steps as the program does.
func run(t *testing.T, c project.Config, from, to int64) *project.Session {
	t.Helper()
	c.From, c.To = fmt.Sprint(from, "ps"), fmt.Sprint(to, "ps")
	bag := &diag.Bag{}
	s, err := project.NewSession(c, bag, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	if s.Failed() || s.Table == nil {
		var b strings.Builder
		bag.Write(&b, diag.Error, 5)
		t.Fatal(b.String())
	}
	return s
}

// compare holds every net of the goldens against the run: events until a tick, counts of the whole run.
func compare(t *testing.T, s *project.Session, golden map[string]wave, tc map[string]counts, until int64) row {
	t.Helper()
	nets := netNames(s.Netlist)
	from := s.Stim.From
	var bad []string
	var events, masked, toggles int64
	for _, name := range slices.Sorted(maps.Keys(golden)) {
		net, ok := nets[name]
		if !ok {
			bad = append(bad, name+": no such net")
			continue
		}
		got := wave{{from, bit(s.Result.Waves.StartValue(net))}}
		s.Result.Waves.Each(net, func(at int64, v bool) {
			if at < until {
				got = append(got, change{at, bit(v)})
			}
		})
		n, m, diff := differ(clip(golden[name], from, until), got)
		events, masked = events+n, masked+m
		if diff != "" {
			bad = append(bad, name+": "+diff)
		}
	}
	compared := 0
	for _, name := range slices.Sorted(maps.Keys(tc)) {
		net, ok := nets[name]
		if !ok {
			bad = append(bad, name+": no such net")
			continue
		}
		want := tc[name]
		toggles += want.tc
		if want.tx != 0 {
			continue
		}
		compared++
		if x := s.Table.Nets[net]; x.T0 != want.t0 || x.T1 != want.t1 || x.TC != want.tc {
			bad = append(bad, fmt.Sprintf("%s: T0 %d T1 %d TC %d, want %d %d %d", name, x.T0, x.T1, x.TC, want.t0, want.t1, want.tc))
		}
	}
	if len(golden) == 0 || len(tc) == 0 {
		t.Error("no goldens")
	}
	for i, b := range bad {
		if i == 10 {
			t.Errorf("%d more", len(bad)-i)
			break
		}
		t.Error(b)
	}
	return row{nets: len(golden), events: events, masked: masked, counted: compared, toggles: toggles, differ: len(bad)}
}

// row is a line of the summary.
type row struct {
	nets           int
	events, masked int64 // equal to the golden; ours inside x
	counted        int   // nets whose counts were compared
	toggles        int64
	differ         int
}

func summary(t *testing.T, what string, r row) {
	t.Logf("%-16s %6d nets, %7d events equal, %d inside x, counts of %6d nets (%d toggles): %d differ", what, r.nets, r.events, r.masked, r.counted, r.toggles, r.differ)
	if r.events == 0 || r.counted == 0 {
		t.Errorf("%s: nothing was compared", what)
	}
}

// netNames maps the names of the goldens to nets: components and names joined by dots, without escapes.
func netNames(nl *netlist.Netlist) map[string]int32 {
	m := map[string]int32{}
	for net := range int32(len(nl.Nets)) {
		for r := range nl.Aliases(net) {
			m[nl.RefPath(r, '.')] = net
		}
		n := nl.Nets[net]
		if net > netlist.Const1 && n.Flags&netlist.NetHidden == 0 {
			m[nl.RefPath(netlist.Ref{Scope: n.Scope, Name: n.Name, Bit: n.Bit}, '.')] = net
		}
	}
	return m
}

func bit(v bool) byte {
	if v {
		return '1'
	}
	return '0'
}

// clip cuts a golden wave to a run: its first entry is the value after all changes stamped at the start.
func clip(w wave, from, to int64) wave {
	out := wave{{from, 'x'}}
	for _, c := range w {
		switch {
		case c.t <= from:
			out[0].v = c.v
		case c.t < to && c.v != out[len(out)-1].v:
			out = append(out, c)
		}
	}
	return out
}

// differ compares events outside of the x spans of the golden wave, and the values behind these. It returns how many
// events agree and how many of ours were masked.
func differ(want, got wave) (same, masked int64, diff string) {
	value := func(t int64) byte { // ours at t
		i, ok := slices.BinarySearchFunc(got, t, func(c change, t int64) int { return cmp.Compare(c.t, t) })
		if !ok {
			i--
		}
		return got[i].v
	}
	i := 1
	if want[0].v != 'x' && want[0].v != got[0].v {
		return 0, 0, fmt.Sprintf("starts at %c, want %c", got[0].v, want[0].v)
	}
	for k := 0; k < len(want); k++ {
		if want[k].v == 'x' {
			end := int64(1) << 62
			if k+1 < len(want) {
				end = want[k+1].t
			}
			for i < len(got) && got[i].t <= end {
				masked++
				i++
			}
			if k+1 < len(want) && value(end) != want[k+1].v {
				return same, masked, fmt.Sprintf("is %c after x at %d, want %c", value(end), end, want[k+1].v)
			}
			continue
		}
		// events up to the next golden change, which is ours too unless x begins or ends there
		end := int64(1) << 62
		next := byte(0)
		if k+1 < len(want) {
			end, next = want[k+1].t, want[k+1].v
		}
		for i < len(got) && got[i].t < end {
			return same, masked, fmt.Sprintf("event %c at %d, want none before %d", got[i].v, got[i].t, end)
		}
		switch {
		case next == 0:
		case next == 'x':
			if i < len(got) && got[i].t == end {
				masked++
				i++
			}
		case i == len(got) || got[i].t != end || got[i].v != next:
			return same, masked, fmt.Sprintf("event %c at %d missing", next, end)
		default:
			same++
			i++
		}
	}
	if i < len(got) {
		return same, masked, fmt.Sprintf("event %c at %d too many", got[i].v, got[i].t)
	}
	return same, masked, ""
}
