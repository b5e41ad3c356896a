package netlist

import (
	"bufio"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wattd/wattd/internal/diag"
	"github.com/wattd/wattd/internal/testenv"
)

const (
	sky130 = "liberty/sky130hd_tt.lib.gz"
	sg13g2 = "liberty/sg13g2_stdcell_typ_1p20V_25C.lib.xz"
	micro  = "liberty/micro_cells.lib"
)

// goldenNets yields the net names of a golden_tc file.
func goldenNets(t testing.TB, path string) []string {
	t.Helper()
	var names []string
	s := bufio.NewScanner(open(t, path))
	for s.Scan() {
		if f := strings.Fields(s.Text()); len(f) > 2 && f[0] != "#" {
			names = append(names, f[0])
		}
	}
	if len(names) == 0 {
		t.Fatalf("%s lists no nets", path)
	}
	return names
}

// allPaths returns every name of every net with "." between the components, as the goldens write them.
func allPaths(nl *Netlist) map[string]int32 {
	m := map[string]int32{}
	for net := range nl.Nets {
		for r := range nl.Aliases(int32(net)) {
			m[nl.RefPath(r, '.')] = int32(net)
		}
	}
	return m
}

func TestCorpusDesigns(t *testing.T) {
	dir := testenv.Corpus(t)
	for _, c := range []struct {
		name, lib, top       string
		cells, scopes, boxes int
	}{
		{"gcd_sky130hd", sky130, "gcd", 252, 1, 0},
		{"aes_sky130hd", sky130, "aes_cipher_top", 17209, 1, 0},
		{"mac_sg13g2", sg13g2, "mac_top", 5622, 1, 0},
		{"systolic_sky130", sky130, "", 49734, 82, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			at := filepath.Join(dir, "designs", c.name)
			in, bag := readFiles(t, []string{filepath.Join(dir, c.lib)}, filepath.Join(at, "netlist.v"))
			nl, err := Link(context.Background(), in, bag)
			if err != nil {
				t.Fatal(err)
			}
			if bag.Errors() > 0 || nl == nil {
				bag.Write(os.Stderr, diag.Warning, 5)
				t.Fatal("link has errors")
			}
			logic := 0
			for i := range nl.Insts {
				if lib := nl.Cells[nl.Insts[i].Cell].Lib; lib != nil && len(lib.Pins) > 0 {
					logic++
				}
			}
			t.Logf("%d instances, %d with pins, %d scopes, %d nets, %d prims, %d cells", len(nl.Insts), logic, len(nl.Scopes), len(nl.Nets), len(nl.Prims), len(nl.Cells))
			if len(nl.Insts) != c.cells && logic != c.cells {
				t.Errorf("%d instances, %d of them with pins, want %d", len(nl.Insts), logic, c.cells)
			}
			if len(nl.Scopes) != c.scopes {
				t.Errorf("%d scopes, want %d", len(nl.Scopes), c.scopes)
			}
			if c.top != "" && nl.Names.String(nl.Scopes[0].Name) != c.top {
				t.Errorf("top is %s", nl.Names.String(nl.Scopes[0].Name))
			}
			paths := allPaths(nl)
			missing := 0
			for _, g := range goldenNets(t, filepath.Join(at, "golden_tc.txt.xz")) {
				if _, ok := paths[g]; !ok {
					if missing++; missing < 10 {
						t.Errorf("net %s not found", g)
					}
				}
			}
			if missing > 0 {
				t.Errorf("%d nets not found", missing)
			}
			checkNetlist(t, nl)
		})
	}
}

func TestCorpusMicro(t *testing.T) {
	dir := testenv.Corpus(t)
	cases, err := filepath.Glob(filepath.Join(dir, "micro", "*", "netlist.v"))
	if err != nil || len(cases) == 0 {
		t.Fatal("no micro cases", err)
	}
	for _, path := range cases {
		t.Run(filepath.Base(filepath.Dir(path)), func(t *testing.T) {
			in, bag := readFiles(t, []string{filepath.Join(dir, micro)}, path)
			nl, err := Link(context.Background(), in, bag)
			if err != nil || bag.Errors() > 0 || nl == nil {
				bag.Write(os.Stderr, diag.Warning, 5)
				t.Fatal("link failed", err)
			}
			paths := allPaths(nl)
			for _, g := range goldenNets(t, filepath.Join(filepath.Dir(path), "golden_tc.txt")) {
				if _, ok := paths[g]; !ok {
					t.Errorf("net %s not found", g)
				}
			}
			checkNetlist(t, nl)
		})
	}
}

// checkNetlist verifies what must hold in every netlist: all indices are in range, each name leads back to its net,
// the canonical name is among the aliases, and printed names are unique.
func checkNetlist(t testing.TB, nl *Netlist) {
	t.Helper()
	seen := map[string]int32{}
	for i := range nl.Nets {
		net, n := int32(i), &nl.Nets[i]
		if n.Flags&NetHidden != 0 {
			continue
		}
		canonical := false
		for r := range nl.Aliases(net) {
			canonical = canonical || r == Ref{n.Scope, n.Name, n.Bit}
			if got := nl.FindNet(r.Scope, nl.Names.Bytes(r.Name), r.Bit); got != net {
				t.Fatalf("name %s of net %d finds %d", nl.RefPath(r, '/'), net, got)
			}
		}
		if !canonical {
			t.Fatalf("net %d: the canonical name %s is no alias", net, nl.NetName(net))
		}
		name := nl.NetName(net)
		if old, dup := seen[name]; dup {
			t.Fatalf("nets %d and %d both print as %s", old, net, name)
		}
		seen[name] = net
	}
	for i := range nl.Insts {
		in := &nl.Insts[i]
		if got := nl.FindInst(in.Scope, nl.Names.Bytes(in.Name)); got != int32(i) {
			t.Fatalf("instance %s finds %d, want %d", nl.InstPath(int32(i), '/'), got, i)
		}
		for p := range nl.Cells[in.Cell].NPin() {
			if net := nl.PinNet[int(in.Pin0)+p]; net != None && int(net) >= len(nl.Nets) {
				t.Fatalf("pin net %d", net)
			}
			if got := nl.PinIndex(int32(i), []byte(nl.PinName(in.Cell, int32(p)))); got != int32(p) {
				t.Fatalf("pin %s of %s finds %d", nl.PinName(in.Cell, int32(p)), nl.InstPath(int32(i), '/'), got)
			}
		}
	}
	for i := 1; i < len(nl.Scopes); i++ {
		s := &nl.Scopes[i]
		if got := nl.ChildScope(s.Parent, nl.Names.Bytes(s.Name)); got != int32(i) {
			t.Fatalf("scope %d finds %d", i, got)
		}
	}
}
