package project_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/wattd/wattd/internal/diag"
	"github.com/wattd/wattd/internal/project"
)

const gapLib = `library (l) { time_unit : "1ns"; capacitive_load_unit (1,pf); cell (INV) { pin (A) { direction : input; } pin (Y) { direction : output; function : "!A"; } } }`

const gapNetlist = "module top (input a, output y); INV u (.A(a), .Y(y)); endmodule\n"

const gapSDF = `(DELAYFILE (SDFVERSION "3.0") (TIMESCALE 1ps) (CELL (CELLTYPE "INV") (INSTANCE u) (DELAY (ABSOLUTE (IOPATH A Y (3) (4))))))`

const gapHead = "$timescale 1ps $end $scope module top $end $var wire 1 ! a $end $upscope $end $enddefinitions $end\n"

// A gap of the dump belongs to no count and no duration: the run is that before it and that behind it.
func TestGapIsExcluded(t *testing.T) {
	dir := t.TempDir()
	run := func(name, dump, from, to string) (*project.Session, string) {
		t.Helper()
		path := func(n, text string) string {
			p := filepath.Join(dir, n)
			if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
			return p
		}
		out := filepath.Join(dir, name+".out.vcd")
		bag := &diag.Bag{}
		s, err := project.NewSession(project.Config{
			Lib: []string{path("c.lib", gapLib)}, Netlist: []string{path("n.v", gapNetlist)}, SDF: []string{path("d.sdf", gapSDF)},
			Stim: path(name+".vcd", gapHead+dump), From: from, To: to, Cycle: "50", VCD: out,
		}, bag, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Run(context.Background()); err != nil {
			t.Fatal(err)
		}
		if s.Failed() {
			bag.Write(t.Output(), diag.Error, 5)
			t.Fatal("errors")
		}
		b, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		return s, string(b)
	}
	const before, behind = "#0 0! #100 1! #150 0! #199\n", "#400 1! #450 0! #500\n"
	gap, text := run("gap", before+"#200 $dumpoff x! $end #300 $dumpon 0! $end "+behind, "", "")
	a, _ := run("before", before, "", "200")
	b, _ := run("behind", "#300 0! "+behind, "", "")
	if d := gap.Table.Duration(); d != 400 || gap.Table.Excluded != 100 {
		t.Errorf("duration %d, excluded %d", d, gap.Table.Excluded)
	}
	a.Table.Add(b.Table)
	for n := range gap.Table.Nets {
		if got, want := gap.Table.Nets[n], a.Table.Nets[n]; got != want {
			t.Errorf("net %s: %+v, want %+v", gap.Netlist.NetName(int32(n)), got, want)
		}
	}
	for _, want := range []string{"#200\n$dumpoff", "#300\n$dumpon"} {
		if !bytes.Contains([]byte(text), []byte(want)) {
			t.Errorf("the dump lacks %q:\n%s", want, text)
		}
	}
}
