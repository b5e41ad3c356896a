package project

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/wattd/wattd/internal/diag"
	"github.com/wattd/wattd/internal/format/liberty"
	"github.com/wattd/wattd/internal/format/scan"
	"github.com/wattd/wattd/internal/format/verilog"
	"github.com/wattd/wattd/internal/netlist"
	"github.com/wattd/wattd/internal/source"
)

func gates(t testing.TB) []*liberty.Library {
	t.Helper()
	f, err := os.Open("../netlist/testdata/cells.lib")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lib, err := liberty.Read(context.Background(), f, "cells.lib", &diag.Bag{})
	if err != nil {
		t.Fatal(err)
	}
	return []*liberty.Library{lib}
}

// linked reads and links a text and keeps the state.
func linked(t testing.TB, text string, libs []*liberty.Library) (*netlist.Netlist, *VerilogState, *diag.Bag) {
	t.Helper()
	bag, names := &diag.Bag{}, scan.NewNames()
	f := source.OpenBytes("t.v", []byte(text))
	defer f.Close()
	k := &verilog.Track{Cells: CellNames(libs)}
	ms, err := verilog.Read(context.Background(), f, "t.v", 0, names, verilog.Option{Track: k}, bag)
	if err != nil {
		t.Fatal(err)
	}
	sum, err := f.Sum()
	if err != nil {
		t.Fatal(err)
	}
	nl, err := netlist.Link(context.Background(), netlist.Input{Modules: ms, Names: names, Files: []string{"t.v"}, Libs: libs, Top: "top"}, bag)
	if err != nil || nl == nil || bag.Errors() > 0 {
		bag.Write(os.Stderr, diag.Warning, 5)
		t.Fatal("link: ", err)
	}
	return nl, &VerilogState{Path: "t.v", Sum: sum, Track: k}, bag
}

// said describes a netlist by names, with places.
func said(nl *netlist.Netlist) []string {
	var out []string
	for i := range int32(len(nl.Insts)) {
		if nl.IsHoleInst(i) {
			continue
		}
		in := &nl.Insts[i]
		s := fmt.Sprintf("%s %s %v", nl.InstPath(i, '/'), nl.Names.String(nl.Cells[in.Cell].Name), in.Pos)
		for k := range int32(nl.Cells[in.Cell].NPin()) {
			if n := nl.PinNet[in.Pin0+k]; n >= 0 {
				s += " " + nl.PinName(in.Cell, k) + "=" + nl.NetName(n)
			}
		}
		if nl.FindInst(in.Scope, nl.Names.Bytes(in.Name)) != i {
			s += " NOT FOUND"
		}
		out = append(out, s)
	}
	for n := int32(2); int(n) < len(nl.Nets); n++ {
		if nl.IsHole(n) {
			continue
		}
		x := &nl.Nets[n]
		s := fmt.Sprintf("net %s %d %v", nl.NetName(n), x.Flags, x.Pos)
		for r := range nl.Aliases(n) {
			s += " " + nl.RefPath(r, '/')
		}
		out = append(out, s)
	}
	for i := range nl.Scopes {
		out = append(out, fmt.Sprintf("scope %s %v", nl.AppendScopePath(nil, int32(i), '/'), nl.Scopes[i].Pos))
	}
	slices.Sort(out)
	return out
}

// bench makes the lines of a design: a flat top, and a module below it when there is a hierarchy.
func rereadLines(n int, sub, wires bool) []string {
	l := []string{"// head"}
	module := func(name string, n int) {
		l = append(l, "module "+name+" (a, b, y);", "  input a, b;", "  output y;", "  wire [7:0] bus;")
		if wires {
			for i := range n {
				l = append(l, fmt.Sprintf("  wire n%d;", i))
			}
		}
		for i := range n {
			in := "a"
			if i > 0 {
				in = fmt.Sprintf("n%d", i-1)
			}
			l = append(l, fmt.Sprintf("  NAND2 u%d (.A(%s), .B(bus[%d]), .Y(n%d));", i, in, i%8, i))
		}
	}
	if sub {
		module("sub", n)
		l = append(l, "endmodule")
	}
	module("top", n)
	if sub {
		l = append(l, "  sub h (.a(a), .b(b), .y(y));", "  // beside it")
		for i := range 300 { // so that it does not stand beside every edit
			l = append(l, fmt.Sprintf("  BUF v%d (.A(n%d), .Y());", i, i))
		}
	}
	return append(l, "endmodule", "// tail")
}

// edit changes the lines in one place and tells what it did.
func editLines(r *rand.Rand, l []string, id int) ([]string, string) {
	var insts []int
	for i, s := range l {
		if strings.HasPrefix(s, "  NAND2") || strings.HasPrefix(s, "  BUF") || strings.HasPrefix(s, "  INV") {
			insts = append(insts, i)
		}
	}
	l = slices.Clone(l)
	k := insts[r.IntN(len(insts))]
	switch what := r.IntN(9); what {
	case 0:
		l[k] = strings.Replace(l[k], ".B(bus[", ".B(/* moved */ bus[", 1)
		return l, "comment in a line"
	case 1:
		return slices.Insert(l, k, "  // a remark", "", "  /* two", "lines */"), "comment"
	case 2:
		if strings.HasPrefix(l[k], "  BUF") {
			l[k] = strings.Replace(l[k], "BUF", "INV", 1)
		} else if strings.HasPrefix(l[k], "  INV") {
			l[k] = strings.Replace(l[k], "INV", "BUF", 1)
		} else {
			l[k] = fmt.Sprintf("  NAND2 swap%d (.A(b), .B(a), .Y());", id)
		}
		return l, "swap"
	case 3:
		return slices.Insert(l, insts[0], fmt.Sprintf("  INV eco%d (.A(bus[1]), .Y());", id)), "insert at the front"
	case 4:
		return slices.Insert(l, insts[len(insts)-1]+1, fmt.Sprintf("  INV eco%d (.A(1'b1), .Y(last%d));", id, id)), "insert at the end"
	case 5:
		l[k] = strings.Replace(l[k], ".A(", fmt.Sprintf(".A(bus[%d]), .SET(", id%8), 1)
		l[k] = l[k][:strings.Index(l[k], ".SET(")] + l[k][strings.Index(l[k], ".SET(")+5+strings.Index(l[k][strings.Index(l[k], ".SET(")+5:], "), ")+3:]
		return l, "rewire"
	case 6:
		return slices.Delete(l, k, k+1), "remove"
	case 7:
		return slices.Insert(l, k, fmt.Sprintf("  wire w%d;", id), fmt.Sprintf("  BUF eco%d (.A(a), .Y(w%d)); INV ecoi%d (.A(w%d), .Y());", id, id, id, id)), "buffer on a new wire"
	default:
		j := insts[r.IntN(len(insts))]
		if !slices.ContainsFunc(l[min(j, k):max(j, k)], func(s string) bool { return strings.HasPrefix(s, "module") }) {
			l[k], l[j] = l[j], l[k]
		}
		return l, "exchange lines"
	}
}

func TestRereadEqualsLink(t *testing.T) {
	libs := gates(t)
	done, refused := map[string]int{}, map[string]int{}
	for seed := range uint64(4) {
		r := rand.New(rand.NewPCG(seed, 9))
		l := rereadLines(1500, seed%2 == 1, seed != 2)
		nl, st, bag := linked(t, strings.Join(l, "\n")+"\n", libs)
		for step := range 20 {
			now, what := editLines(r, l, step+1000*int(seed))
			if r.IntN(4) == 0 {
				now, _ = editLines(r, now, step+1000*int(seed)+500)
				what = "two"
			}
			text := strings.Join(now, "\n") + "\n"
			c, err := source.CompareBytes("t.v", []byte(text), st.Sum.Chunks)
			if err != nil {
				t.Fatal(err)
			}
			want, wantState, wantBag := linked(t, text, libs)
			e, next, parsed, err := reread(context.Background(), st, c, nl, libs, bag)
			var got *netlist.Netlist
			if err == nil {
				got, _, err = nl.Patch(context.Background(), e)
			}
			l = now
			if ref := (*netlist.Refusal)(nil); errors.As(err, &ref) {
				refused[what+": "+ref.Why]++
				nl, st, bag = want, wantState, wantBag
				continue
			} else if err != nil {
				t.Fatal(err)
			}
			done[what]++
			if parsed > 64<<10 {
				t.Errorf("%s: %d bytes were parsed", what, parsed)
			}
			if strings.HasPrefix(what, "comment") && len(e.Put)+len(e.Remove)+len(e.Nets) > 0 {
				t.Errorf("a comment changes %+v", e)
			}
			a, b := said(got), said(want)
			if !slices.Equal(a, b) {
				for i, n := 0, 0; i < len(a) && n < 10; i++ {
					if _, ok := slices.BinarySearch(b, a[i]); !ok {
						n++
						t.Errorf("got  %s", a[i])
					}
				}
				for i, n := 0, 0; i < len(b) && n < 10; i++ {
					if _, ok := slices.BinarySearch(a, b[i]); !ok {
						n++
						t.Errorf("want %s", b[i])
					}
				}
				t.Fatalf("seed %d, step %d, %s: %+v", seed, step, what, e)
			}
			checkState(t, next, text)
			nl, st = got, next
		}
	}
	t.Logf("done %v\nrefused %v", done, refused)
	for _, what := range []string{"comment", "comment in a line", "swap", "insert at the front", "insert at the end", "rewire", "remove", "buffer on a new wire"} {
		if done[what] < 2 {
			t.Errorf("%s: %d times", what, done[what])
		}
	}
}

// checkState compares the borders with the text that they are of.
func checkState(t *testing.T, st *VerilogState, text string) {
	t.Helper()
	from := int64(0)
	for _, b := range st.Track.Borders {
		if b.Offset < from || b.Offset > int64(len(text)) || b.Hash != verilog.HashText([]byte(text[from:b.Offset])) || int(b.Line) != 1+strings.Count(text[:b.Offset], "\n") {
			t.Fatalf("border %+v does not fit the text", b)
		}
		from = b.Offset
	}
	if st.Track.Tail != verilog.HashText([]byte(text[from:])) || st.Sum.Size != int64(len(text)) {
		t.Fatal("the tail does not fit the text")
	}
}

func TestRereadRefuses(t *testing.T) {
	libs := gates(t)
	l := rereadLines(1500, true, true)
	text := strings.Join(l, "\n") + "\n"
	nl, st, bag := linked(t, text, libs)
	for _, x := range []struct{ from, to string }{
		{"  wire [7:0] bus;", "  wire [8:0] bus;"},
		{"  input a, b;", "  input b, a;"},
		{"// tail", "module more; endmodule"},
		{"  sub h (", "  sub g ("},
		{"module sub", "module other"},
		{"  NAND2 u700 (", "  NAND2 u701 ("},
		{"  NAND2 u700 (", "  `define X\n  NAND2 u700 ("},
		{"  NAND2 u700 (", "  NAND2 #(1) u700 ("},
		{"  NAND2 u700 (", "  NAND2 u700 [1:0] ("},
		{"  NAND2 u700 (", "  /* open\n  NAND2 u700 ("},
		{"  NAND2 u700 (", "  NONE u700 ("},
		{"  NAND2 u700 (", "  sub x (); NAND2 u700 ("},
		{"  NAND2 u700 (", "  assign y = a; NAND2 u700 ("},
		{"  NAND2 u700 (.A(", "  NAND2 u700 (.A(~"},
		{"  wire n700;", "  wire n700; wire n10;"},
		{"  wire n700;", "  wire n700 = a;"},
		{"  wire n700;", "  endmodule module m;"},
	} {
		i := strings.LastIndex(text, x.from)
		now := text[:i] + x.to + text[i+len(x.from):]
		c, err := source.CompareBytes("t.v", []byte(now), st.Sum.Chunks)
		if err != nil {
			t.Fatal(err)
		}
		e, _, _, err := reread(context.Background(), st, c, nl, libs, bag)
		if err == nil {
			_, _, err = nl.Patch(context.Background(), e)
		}
		if ref := (*netlist.Refusal)(nil); !errors.As(err, &ref) {
			t.Errorf("%q for %q: %+v %v", x.to, x.from, e, err)
		}
	}
}

// BenchmarkReread inserts an instance at the front and swaps one in the middle of a flat module of a million.
func BenchmarkReread(b *testing.B) {
	libs := gates(b)
	l := rereadLines(1_000_000, false, true)
	text := strings.Join(l, "\n") + "\n"
	nl, st, bag := linked(b, text, libs)
	k := slices.IndexFunc(l, func(s string) bool { return strings.HasPrefix(s, "  NAND2") })
	l = slices.Insert(l, k, "  INV eco (.A(a), .Y(y));")
	l[k+500_000] = "  NAND2 u499999 (.A(a), .B(b), .Y(n499999));"
	now := []byte(strings.Join(l, "\n") + "\n")
	b.SetBytes(int64(len(now)))
	var whole, edit, patch time.Duration
	for b.Loop() {
		t0 := time.Now()
		c, err := source.CompareBytes("t.v", now, st.Sum.Chunks)
		if err != nil {
			b.Fatal(err)
		}
		t1 := time.Now()
		e, _, parsed, err := reread(context.Background(), st, c, nl, libs, bag)
		if err != nil {
			b.Fatal(err)
		}
		t2 := time.Now()
		if _, _, err := nl.Patch(context.Background(), e); err != nil {
			b.Fatal(err)
		}
		whole, edit, patch = whole+t1.Sub(t0), edit+t2.Sub(t1), patch+time.Since(t2)
		b.ReportMetric(float64(parsed), "B-parsed")
	}
	n := float64(b.N) * 1e6
	b.ReportMetric(float64(whole)/n, "ms-compare")
	b.ReportMetric(float64(edit)/n, "ms-reread")
	b.ReportMetric(float64(patch)/n, "ms-patch")
}
