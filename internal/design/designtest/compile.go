// Package designtest builds designs from snippets and writes them as text, for tests.
//
// Contract: an archive holds netlist.v, any number of *.lib and *.sdf in the order of application, and options. Cells of
// Cells are always there. The text of a design tells everything the semantics decide and no number that they leave open.
// Only tests import it.
package designtest

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"testing"

	"github.com/wattd/wattd/internal/design"
	"github.com/wattd/wattd/internal/diag"
	"github.com/wattd/wattd/internal/format/liberty"
	"github.com/wattd/wattd/internal/format/scan"
	"github.com/wattd/wattd/internal/format/verilog"
	"github.com/wattd/wattd/internal/netlist"
)

// Cells is a library of plain cells with delays nowhere.
const Cells = `library (base) {
  time_unit : "1ns";
  cell (INV) { pin (A) { direction : input; } pin (Y) { direction : output; function : "!A"; } }
  cell (BUF) { pin (A) { direction : input; } pin (Y) { direction : output; function : "A"; } }
  cell (AND2) { pin (A) { direction : input; } pin (B) { direction : input; } pin (Y) { direction : output; function : "A*B"; } }
  cell (XOR2) { pin (A) { direction : input; } pin (B) { direction : input; } pin (Y) { direction : output; function : "A^B"; } }
  cell (AOI21) { pin (A1) { direction : input; } pin (A2) { direction : input; } pin (B) { direction : input; }
    pin (Y) { direction : output; function : "!((A1*A2)+B)"; } }
  cell (HA) { pin (A) { direction : input; } pin (B) { direction : input; }
    pin (S) { direction : output; function : "A^B"; } pin (CO) { direction : output; function : "A*B"; } }
  cell (TBUF) { pin (A) { direction : input; } pin (OE) { direction : input; }
    pin (Y) { direction : output; function : "A"; three_state : "!OE"; } }
  cell (TIE1) { pin (Y) { direction : output; function : "1"; } }
  cell (TIE0) { pin (Y) { direction : output; function : "0"; } }
  cell (FILL) { is_filler_cell : true; }
  cell (DFF) { ff (IQ, IQN) { clocked_on : "CK"; next_state : "D"; }
    pin (CK) { direction : input; clock : true; } pin (D) { direction : input; }
    pin (Q) { direction : output; function : "IQ"; } pin (QN) { direction : output; function : "IQN"; } }
  cell (LAT) { latch (IQ, IQN) { enable : "G"; data_in : "D"; }
    pin (G) { direction : input; } pin (D) { direction : input; } pin (Q) { direction : output; function : "IQ"; } }
  cell (ICG) { clock_gating_integrated_cell : "latch_posedge"; statetable ("CK E", "M") { table : "L L : - : L, L H : - : H, H - : - : N"; }
    pin (CK) { direction : input; clock : true; clock_gate_clock_pin : true; } pin (E) { direction : input; clock_gate_enable_pin : true; }
    pin (M) { direction : internal; internal_node : "M"; }
    pin (GCK) { direction : output; state_function : "CK*M"; clock_gate_out_pin : true; } }
}
`

// Compile builds the design of an archive. Faults of the input are in the bag; the design is nil when linking failed.
func Compile(t testing.TB, a Archive, change ...func(*design.Options)) (*design.Design, *diag.Bag) {
	t.Helper()
	ctx := context.Background()
	bag := &diag.Bag{}
	names := scan.NewNames()
	var mods []*verilog.Module
	var libs []*liberty.Library
	var files []string
	var sdfs []design.SDF
	opt, mounts := options(t, &a)
	for _, f := range a.Files {
		switch {
		case strings.HasSuffix(f.Name, ".v"):
			m, err := verilog.Read(ctx, strings.NewReader(f.Text), f.Name, uint16(len(files)), names, verilog.Option{}, bag)
			if err != nil {
				t.Fatal(err)
			}
			mods, files = append(mods, m...), append(files, f.Name)
		case strings.HasSuffix(f.Name, ".lib"):
			libs = append(libs, library(t, f.Name, f.Text, bag))
		case strings.HasSuffix(f.Name, ".sdf"):
			sdfs = append(sdfs, design.SDF{Name: f.Name, Mount: mounts[f.Name], Open: func() (io.ReadCloser, error) {
				return io.NopCloser(strings.NewReader(SDFText(f.Text))), nil
			}})
		}
	}
	libs = append(libs, library(t, "base.lib", Cells, bag))
	nl, err := netlist.Link(ctx, netlist.Input{Modules: mods, Names: names, Files: files, Libs: libs}, bag)
	if err != nil {
		t.Fatal(err)
	}
	if nl == nil {
		return nil, bag
	}
	for _, c := range change {
		c(&opt)
	}
	d, err := design.Compile(ctx, nl, opt, sdfs, bag)
	if err != nil {
		t.Fatal(err)
	}
	return d, bag
}

func library(t testing.TB, name, text string, bag *diag.Bag) *liberty.Library {
	l, err := liberty.Read(context.Background(), strings.NewReader(text), name, bag)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// SDFText completes a snippet: text that does not begin with (DELAYFILE is the content of one, with a unit of 1 ps; a line
// "path TYPE: statements" is a CELL with ABSOLUTE entries and "path TYPE +: statements" one with INCREMENT entries.
func SDFText(s string) string {
	if strings.HasPrefix(strings.TrimSpace(s), "(DELAYFILE") {
		return s
	}
	var b strings.Builder
	b.WriteString("(DELAYFILE (DIVIDER /) (TIMESCALE 1ps)")
	for line := range strings.Lines(s) {
		line = strings.TrimRight(line, "\r\n")
		head, body, ok := strings.Cut(line, ": ")
		f := strings.Fields(head)
		if !ok || len(f) < 2 || strings.HasPrefix(f[0], "(") {
			b.WriteString("\n" + line)
			continue
		}
		mode := "ABSOLUTE"
		if len(f) > 2 && f[2] == "+" {
			mode = "INCREMENT"
		}
		inst := f[0]
		if inst == "." {
			inst = ""
		}
		fmt.Fprintf(&b, "\n(CELL (CELLTYPE %q) (INSTANCE %s) (DELAY (%s %s)))", f[1], inst, mode, body)
	}
	b.WriteString(")\n")
	return b.String()
}

// options reads the file "options": one setting a line.
func options(t testing.TB, a *Archive) (design.Options, map[string]string) {
	t.Helper()
	var o design.Options
	mounts := map[string]string{}
	text, _ := a.Get("options")
	for line := range strings.Lines(text) {
		k, v, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch k {
		case "tick":
			var err error
			if o.Tick, err = design.ParseTick(v); err != nil {
				t.Fatal(err)
			}
		case "corner":
			o.Corner = map[string]design.Corner{"min": design.Min, "typ": design.Typ, "max": design.Max}[v]
		case "corner-fallback":
			o.CornerFallback = true
		case "keep-conditions":
			o.KeepConditions = true
		case "pulse-reject":
			o.HasPulseReject = true
			o.PulseReject, _ = strconv.Atoi(v)
		case "mount":
			f, at, _ := strings.Cut(v, " ")
			mounts[f] = at
		case "named":
			o.Named = func(int32) bool { return true }
		default:
			t.Fatalf("option %q", line)
		}
	}
	return o, mounts
}
