package workspace

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wattd/wattd/internal/activity"
	"github.com/wattd/wattd/internal/diag"
	"github.com/wattd/wattd/internal/project"
	"github.com/wattd/wattd/internal/synth"
)

// text is a netlist whose instances can be edited in the text.
type text struct {
	dir   string
	insts []textInst
	rest  string // before the instances
	made  int
	sdf   string // statements behind those of the file
}

type textInst struct {
	cell, name string
	pins       [][2]string
}

var (
	instLine = regexp.MustCompile(`^  (\w+) (\w+) \((\..*)\);$`)
	pinOf    = regexp.MustCompile(`\.(\w+)\(([^)]*)\)`)
)

func readText(t *testing.T, dir string) *text {
	b, err := os.ReadFile(filepath.Join(dir, "netlist.v"))
	if err != nil {
		t.Fatal(err)
	}
	x := &text{dir: dir}
	for l := range strings.Lines(string(b)) {
		m := instLine.FindStringSubmatch(strings.TrimSuffix(l, "\n"))
		if m == nil {
			if !strings.HasPrefix(l, "endmodule") {
				x.rest += l
			}
			continue
		}
		in := textInst{cell: m[1], name: m[2]}
		for _, p := range pinOf.FindAllStringSubmatch(m[3], -1) {
			in.pins = append(in.pins, [2]string{p[1], p[2]})
		}
		x.insts = append(x.insts, in)
	}
	return x
}

func (x *text) String() string {
	var b strings.Builder
	b.WriteString(x.rest)
	for _, in := range x.insts {
		fmt.Fprintf(&b, "  %s %s (", in.cell, in.name)
		for i, p := range in.pins {
			if i > 0 {
				b.WriteString(", ")
			}
			fmt.Fprintf(&b, ".%s(%s)", p[0], p[1])
		}
		b.WriteString(");\n")
	}
	b.WriteString("endmodule\n")
	return b.String()
}

// pick finds an instance of a cell whose name begins so.
func (x *text) pick(r *rand.Rand, prefix string) *textInst {
	var all []int
	for i := range x.insts {
		if strings.HasPrefix(x.insts[i].cell, prefix) {
			all = append(all, i)
		}
	}
	return &x.insts[all[r.IntN(len(all))]]
}

func (in *textInst) pin(name string) *string {
	for i := range in.pins {
		if in.pins[i][0] == name {
			return &in.pins[i][1]
		}
	}
	return nil
}

// step edits the text and says the same as edits.
func (x *text) step(r *rand.Rand) []Edit {
	switch r.IntN(7) {
	case 5:
		in := x.pick(r, "N")
		rise, fall := int64(r.IntN(60)), int64(r.IntN(60))
		x.sdf += fmt.Sprintf("(CELL (CELLTYPE \"%s\") (INSTANCE %s) (DELAY (ABSOLUTE (IOPATH A Y (%.3f) (%.3f)))))\n", in.cell, in.name, float64(rise)/1000, float64(fall)/1000)
		return []Edit{{Do: "setDelay", Instance: in.name, Pin: "A", Output: "Y", Rise: &rise, Fall: &fall}}
	case 6:
		in := x.pick(r, "N")
		rise, fall := int64(r.IntN(40)), int64(r.IntN(40))
		x.sdf += fmt.Sprintf("(CELL (CELLTYPE \"%s\") (INSTANCE %s) (DELAY (ABSOLUTE (PORT A (%.3f) (%.3f)))))\n", in.cell, in.name, float64(rise)/1000, float64(fall)/1000)
		return []Edit{{Do: "setDelay", Instance: in.name, Pin: "A", Wire: true, Rise: &rise, Fall: &fall}}
	case 0:
		in := x.pick(r, "NAND2_1")
		in.cell = "NOR2_1"
		return []Edit{{Do: "swapCell", Instance: in.name, Cell: in.cell}}
	case 1:
		in := x.pick(r, "INV_1")
		in.cell = "BUF_2"
		return []Edit{{Do: "swapCell", Instance: in.name, Cell: in.cell}}
	case 2: // to an input, so that there is no loop
		in := x.pick(r, "N")
		*in.pin("A") = "in[3]"
		return []Edit{{Do: "reconnect", Instance: in.name, Pin: "A", Net: "in[3]"}}
	case 3:
		x.made++
		net := *x.pick(r, "N").pin("Y")
		e := Edit{Do: "insertBuffer", Net: net, Cell: "BUF_2", Name: fmt.Sprintf("extra%d", x.made)}
		moved := false
		wire := fmt.Sprintf("wattd_net%d", 1+strings.Count(x.rest, "wire wattd_net"))
		for i := range x.insts {
			for j := range x.insts[i].pins {
				if p := &x.insts[i].pins[j]; p[1] == net && p[0] != "Y" && p[0] != "Q" {
					p[1], moved = wire, true
				}
			}
		}
		if !moved {
			return x.step(r)
		}
		x.rest += "  wire " + wire + ";\n"
		x.insts = append(x.insts, textInst{"BUF_2", e.Name, [][2]string{{"A", net}, {"Y", wire}}})
		return []Edit{e}
	}
	i := slices.IndexFunc(x.insts, func(in textInst) bool { return strings.HasPrefix(in.name, "extra") })
	if i < 0 {
		return x.step(r)
	}
	gone := x.insts[i]
	x.insts = slices.Delete(x.insts, i, i+1)
	for k := range x.insts {
		for j := range x.insts[k].pins {
			if p := &x.insts[k].pins[j]; p[1] == *gone.pin("Y") {
				p[1] = *gone.pin("A")
			}
		}
	}
	return []Edit{{Do: "removeBuffer", Instance: gone.name}}
}

func designFiles(t *testing.T, p synth.Params) (string, Config) {
	dir := t.TempDir()
	d := synth.New(p)
	write := func(name string, f func(*bytes.Buffer) error) string {
		var b bytes.Buffer
		if err := f(&b); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	return dir, Config{
		Netlist: []string{write("netlist.v", func(b *bytes.Buffer) error { return d.WriteVerilog(b) })},
		Lib:     []string{write("cells.lib", func(b *bytes.Buffer) error { return d.WriteLiberty(b) })},
		SDF:     []string{write("delays.sdf", func(b *bytes.Buffer) error { return d.WriteSDF(b) })},
		Stim:    write("stim.vcd", func(b *bytes.Buffer) error { return d.WriteVCD(b) }),
		Top:     "synth", Scope: "tb.dut",
	}
}

// counts are those of every named net.
func counts(s *project.Session) map[string]activity.Net {
	m := map[string]activity.Net{}
	for n := int32(2); int(n) < len(s.Netlist.Nets); n++ {
		if !s.Netlist.IsHole(n) {
			m[s.Netlist.NetName(n)] = s.Table.Nets[n]
		}
	}
	return m
}

func cold(t *testing.T, c Config) *project.Session {
	t.Helper()
	bag := &diag.Bag{}
	s, err := project.NewSession(c, bag, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range []func(context.Context) error{s.Compile, s.Bind, s.Simulate} {
		if err := step(t.Context()); err != nil || bag.Errors() > 0 {
			bag.Write(os.Stderr, diag.Error, 5)
			t.Fatal(err)
		}
	}
	return s
}

// A stack of edits gives the counts of a cold run on files that have the same edits in their text; undo gives those before; the base
// does not change.
func TestOverlayEqualsEditedFiles(t *testing.T) {
	for seed := range uint64(8) {
		r := rand.New(rand.NewPCG(seed, 3))
		dir, c := designFiles(t, synth.Params{Gates: 300, Levels: 12, Cycles: 12, Seed: seed})
		ws := New(nil)
		p, base, _, err := ws.Open(t.Context(), "", Choice{Over: c}, nil)
		if err != nil {
			t.Fatal(err)
		}
		first := counts(base.Session)
		x := readText(t, dir)
		o := p.NewOverlay(base)
		before := []map[string]activity.Net{first}
		for range 8 {
			edits := x.step(r)
			s, err := o.Apply(t.Context(), edits)
			if err != nil {
				t.Fatalf("seed %d: %+v: %v", seed, edits, err)
			}
			other := c
			other.Netlist = []string{filepath.Join(t.TempDir(), "netlist.v")}
			if err := os.WriteFile(other.Netlist[0], []byte(x.String()), 0o644); err != nil {
				t.Fatal(err)
			}
			delays, err := os.ReadFile(c.SDF[0])
			if err != nil {
				t.Fatal(err)
			}
			at := bytes.LastIndexByte(delays, ')')
			other.SDF = []string{filepath.Join(filepath.Dir(other.Netlist[0]), "delays.sdf")}
			if err := os.WriteFile(other.SDF[0], append(append(delays[:at:at], x.sdf...), ")\n"...), 0o644); err != nil {
				t.Fatal(err)
			}
			got := counts(s.Session)
			if d := cmp.Diff(counts(cold(t, other)), got); d != "" {
				t.Fatalf("seed %d: %+v (-files +overlay)\n%s", seed, edits, d)
			}
			if w := s.Session.Work; w.PairsRun > w.PairsTotal/2 {
				t.Logf("seed %d: %+v ran %d of %d pairs", seed, edits, w.PairsRun, w.PairsTotal)
			}
			before = append(before, got)
		}
		for n := len(before) - 2; n >= 0; n-- {
			s, err := o.Undo(t.Context(), 1)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(before[n], counts(s.Session)); d != "" {
				t.Fatalf("undo: %s", d)
			}
		}
		if _, err := o.Undo(t.Context(), 1); !errors.Is(err, ErrNothing) {
			t.Errorf("undo of nothing: %v", err)
		}
		if o.Top() != base || !cmp.Equal(first, counts(base.Session)) {
			t.Error("the base changed")
		}
	}
}
