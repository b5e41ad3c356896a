package netlist

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wattd/wattd/internal/diag"
	"github.com/wattd/wattd/internal/format/scan"
)

var opNames = [...]string{"and", "nand", "or", "nor", "xor", "xnor", "buf", "not", "mux", "bufif0", "bufif1", "notif0", "notif1", "const0", "const1"}

var flagNames = [...]string{"input", "output", "inout", "supply", "hidden", "wand", "wor", "tri0", "tri1", "delayed"}

func decimals(v [3]scan.Decimal) string {
	return fmt.Sprintf("%de%d:%de%d:%de%d", v[0].Coef, v[0].Exp, v[1].Coef, v[1].Exp, v[2].Coef, v[2].Exp)
}

// dump prints a netlist for people, nets in name order.
func dump(nl *Netlist) string {
	var b strings.Builder
	if nl == nil {
		return "no netlist\n"
	}
	name := func(net int32) string {
		if net == None {
			return "-"
		}
		return nl.NetName(net)
	}
	for i := range nl.Scopes {
		s := &nl.Scopes[i]
		fmt.Fprintf(&b, "scope %d %q module %s line %d\n", i, nl.AppendScopePath(nil, int32(i), '/'), nl.Names.Bytes(s.Module), s.Pos.Line)
	}
	for _, p := range nl.Ports {
		fmt.Fprintf(&b, "port %s %s = %s\n", [...]string{"?", "input", "output", "inout"}[p.Dir], nl.RefPath(Ref{0, p.Name, p.Bit}, '/'), name(p.Net))
	}
	order := make([]int32, len(nl.Nets))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, nl.CompareNetNames)
	for _, net := range order[2:] {
		n := &nl.Nets[net]
		fmt.Fprintf(&b, "net %s line %d", name(net), n.Pos.Line)
		for i, f := range flagNames {
			if n.Flags>>i&1 != 0 {
				fmt.Fprintf(&b, " %s", f)
			}
		}
		var also []string
		for r := range nl.Aliases(net) {
			if r != (Ref{n.Scope, n.Name, n.Bit}) {
				also = append(also, nl.RefPath(r, '/'))
			}
		}
		if also != nil {
			fmt.Fprintf(&b, " = %s", strings.Join(also, " = "))
		}
		b.WriteByte('\n')
	}
	for i := range nl.Insts {
		in := &nl.Insts[i]
		fmt.Fprintf(&b, "inst %s %s line %d:", nl.InstPath(int32(i), '/'), nl.Names.Bytes(nl.Cells[in.Cell].Name), in.Pos.Line)
		for p := range nl.Cells[in.Cell].NPin() {
			dir := ""
			if c := &nl.Cells[in.Cell]; c.Lib == nil {
				dir = [...]string{"?", "<", ">", "<>"}[c.Dirs[p]]
			}
			fmt.Fprintf(&b, " %s%s=%s", nl.PinName(in.Cell, int32(p)), dir, name(nl.PinNet[int(in.Pin0)+p]))
		}
		b.WriteByte('\n')
	}
	for i := range nl.Prims {
		p := &nl.Prims[i]
		fmt.Fprintf(&b, "prim %s", opNames[p.Op])
		if p.Name != 0 {
			fmt.Fprintf(&b, " %s", nl.Names.Bytes(p.Name))
		}
		fmt.Fprintf(&b, " %s <-", name(p.Out))
		for _, in := range nl.PrimIn[p.In0 : p.In0+p.NIn] {
			fmt.Fprintf(&b, " %s", name(in))
		}
		if p.HasDelay {
			fmt.Fprintf(&b, " rise %s fall %s unit 1e%d", decimals(p.Rise), decimals(p.Fall), p.UnitExp)
		}
		fmt.Fprintf(&b, " line %d\n", p.Pos.Line)
	}
	for _, d := range nl.NetDelay {
		fmt.Fprintf(&b, "delay %s rise %s fall %s unit 1e%d\n", name(d.Net), decimals(d.Rise), decimals(d.Fall), d.UnitExp)
	}
	return b.String()
}

// TestGolden links testdata/link/*.v and compares netlist and messages with the file beside.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/link/*.v")
	if err != nil || len(files) == 0 {
		t.Fatal("no cases", err)
	}
	for _, f := range files {
		t.Run(strings.TrimSuffix(filepath.Base(f), ".v"), func(t *testing.T) {
			text, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			nl, bag := link(t, string(text))
			var b strings.Builder
			for _, total := range bag.Totals() {
				for _, d := range bag.Kept(total.Code) {
					fmt.Fprintf(&b, "%s: %s: %s [%s]\n", d.Pos, d.Severity, d.Msg, d.Code)
				}
			}
			b.WriteString(dump(nl))
			if nl != nil && bag.Count(diag.NetlistDuplicateInst) == 0 {
				checkNetlist(t, nl)
			}
			golden := strings.TrimSuffix(f, ".v") + ".golden"
			if *update {
				if err := os.WriteFile(golden, []byte(b.String()), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(string(want), b.String()); d != "" {
				t.Error(d)
			}
		})
	}
}
