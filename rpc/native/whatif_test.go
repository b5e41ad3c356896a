package native

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wattd/wattd/internal/testenv"
	"github.com/wattd/wattd/rpc"
	"github.com/wattd/wattd/rpc/api"
)

func ptr(v int64) *int64 { return &v }

func target(overlay string) api.Source { return api.Source{Target: api.Target{Overlay: overlay}} }

func activities(t *testing.T, cl *rpc.Client, overlay string) map[string]api.ActivityRow {
	t.Helper()
	m := map[string]api.ActivityRow{}
	p := api.NetActivityParams{Source: target(overlay), Page: api.Page{Limit: 300}}
	for {
		r := do(t, cl, api.NetActivity, p)
		for _, x := range r.Nets.Rows {
			m[x.Net] = x
		}
		if p.Cursor = r.Nets.Cursor; p.Cursor == "" {
			return m
		}
	}
}

// TestWhatIf: each edit gives through the protocol what the same edit in the files gives, the report is the difference, undo and
// discard leave nothing.
func TestWhatIf(t *testing.T) {
	cl, dir := mac(t)
	base := activities(t, cl, "")
	file := func(name string) string { return filepath.Join(dir, name) }
	delay := func(text string) func() {
		return func() {
			b, err := os.ReadFile(file("delays.sdf"))
			if err != nil {
				t.Fatal(err)
			}
			b = bytes.TrimRight(b, " \n")
			b = append(b[:len(b)-1], `(CELL (CELLTYPE "XOR2_1") (INSTANCE u_par_16) (DELAY (ABSOLUTE `+text+`))))`+"\n"...)
			if err := os.WriteFile(file("delays.sdf"), b, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	in := "u_par_16 (.A(par_15), .B(acc_q[16]), .Y(par_16));"
	for _, c := range []struct {
		edits []api.Edit
		file  func()
	}{
		{[]api.Edit{{Do: "setDelay", Instance: "u_par_16", Pin: "A", Output: "Y", Rise: ptr(200), Fall: ptr(150)}}, delay("(IOPATH A Y (0.2) (0.15))")},
		{[]api.Edit{{Do: "swapCell", Instance: "u_par_16", Cell: "XNOR2_1"}}, func() { edit(t, file("netlist.v"), "XOR2_1 "+in, "XNOR2_1 "+in) }},
		{[]api.Edit{{Do: "insertBuffer", Net: "par_15", Cell: "BUF_2", Sinks: []string{"u_par_16/A"}, Name: "u_new"}, {Do: "reconnect", Instance: "u_new", Pin: "A", Net: "par_14"}}, func() {
			edit(t, file("netlist.v"), "XOR2_1 "+in, "wire wattd_net1; BUF_2 u_new (.A(par_14), .Y(wattd_net1));\nXOR2_1 "+strings.Replace(in, "par_15", "wattd_net1", 1))
		}},
	} {
		keep := map[string][]byte{}
		for _, name := range []string{"netlist.v", "delays.sdf"} {
			b, err := os.ReadFile(file(name))
			if err != nil {
				t.Fatal(err)
			}
			keep[name] = b
		}
		w := do(t, cl, api.WhatIfBegin, api.WhatIfBeginParams{})
		id := api.WhatIfParams{ID: w.ID}
		r := do(t, cl, api.WhatIfApply, api.WhatIfApplyParams{WhatIfParams: id, Edits: c.edits})
		if x := r.Meta.Work; x.PairsRun == 0 || x.PairsRun > x.PairsTotal/10 || r.Base != w.Meta.Snapshot || len(r.Edits) != len(c.edits) {
			t.Errorf("%+v", r)
		}
		got := activities(t, cl, w.ID)
		report := do(t, cl, api.WhatIfReport, api.WhatIfReportParams{WhatIfParams: id, Page: api.Page{Limit: 2}})
		diff := do(t, cl, api.DiffRun, api.DiffRunParams{After: api.Side{Overlay: w.ID}, Before: api.Side{Snapshot: w.Base}, Page: api.Page{Limit: 2}})
		if d := cmp.Diff(report.Nets.Rows, diff.Nets.Rows); d != "" || report.Totals.NetsChanged == 0 || report.Nets.Cursor == "" {
			t.Errorf("%s %+v", d, report.Totals)
		}
		more := do(t, cl, api.WhatIfReport, api.WhatIfReportParams{WhatIfParams: id, Page: api.Page{Cursor: report.Nets.Cursor}})
		if int64(len(more.Nets.Rows)+len(report.Nets.Rows)) != report.Totals.NetsChanged {
			t.Errorf("%d and %d rows of %d", len(report.Nets.Rows), len(more.Nets.Rows), report.Totals.NetsChanged)
		}
		c.file()
		if d := cmp.Diff(activities(t, cl, ""), got); d != "" {
			t.Errorf("%+v: (-files +overlay)\n%s", c.edits, d)
		}
		if d := cmp.Diff(got, activities(t, cl, w.ID)); d != "" {
			t.Errorf("files that changed disturb the overlay: %s", d)
		}
		u := do(t, cl, api.WhatIfUndo, api.WhatIfUndoParams{WhatIfParams: id, N: len(c.edits)})
		if len(u.Edits) > 0 || u.Meta.Work.PairsRun != 0 || cmp.Diff(base, activities(t, cl, w.ID)) != "" {
			t.Errorf("undo: %+v", u)
		}
		d := do(t, cl, api.WhatIfDiscard, id)
		if d.Meta.Work.PairsRun != 0 {
			t.Errorf("discard: %+v", d.Meta.Work)
		}
		fails(t, cl, api.NetActivity, api.NetActivityParams{Source: target(w.ID)}, api.OverlayNotFound, w.ID)
		for name, b := range keep {
			if err := os.WriteFile(file(name), b, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		activities(t, cl, "")
	}
}

// TestWhatIfStimulus: what a source does instead stays when a later edit makes other sources, and a dump that changed is not taken.
func TestWhatIfStimulus(t *testing.T) {
	cl, dir := mac(t)
	w := do(t, cl, api.WhatIfBegin, api.WhatIfBeginParams{})
	id := api.WhatIfParams{ID: w.ID}
	apply := func(e ...api.Edit) api.WhatIfApplyParams { return api.WhatIfApplyParams{WhatIfParams: id, Edits: e} }
	do(t, cl, api.WhatIfApply, apply(api.Edit{Do: "setStimulus", Net: "acc_q[16]", Policy: "0"}))
	if r := activities(t, cl, w.ID)["acc_q[16]"]; r.TC != 0 {
		t.Errorf("%+v", r)
	}
	do(t, cl, api.WhatIfApply, apply(api.Edit{Do: "swapCell", Instance: "u_par_16", Cell: "XNOR2_1"}))
	if r := activities(t, cl, w.ID)["acc_q[16]"]; r.TC != 0 {
		t.Errorf("after another edit: %+v", r)
	}
	fails(t, cl, api.WhatIfApply, apply(api.Edit{Do: "setStimulus", Net: "par_16", Policy: "0"}), api.BadRequest, "computed")
	path := filepath.Join(dir, "netlist.v")
	edit(t, path, "u_par_16 ", "u_par_x ")
	if r := do(t, cl, api.WhatIfApply, apply(api.Edit{Do: "swapCell", Instance: "u_par_16", Cell: "XOR2_1"})); len(r.Edits) != 3 {
		t.Errorf("%+v", r.Edits)
	}
	edit(t, filepath.Join(dir, "delays.sdf"), "(0.043:0.062:0.087)", "(0.043:0.162:0.187)")
	fails(t, cl, api.WhatIfApply, apply(api.Edit{Do: "scaleDelay", Instance: "u_par_15", Factor: 2}), api.StaleSnapshot, "delays.sdf")
}

// TestWhatIfErrors: wrong edits are refused with what is known of them, all or none.
func TestWhatIfErrors(t *testing.T) {
	cl, _ := mac(t)
	w := do(t, cl, api.WhatIfBegin, api.WhatIfBeginParams{})
	id := api.WhatIfParams{ID: w.ID}
	for _, c := range []struct {
		e    api.Edit
		kind api.Kind
		text string
	}{
		{api.Edit{Do: "explode"}, api.BadRequest, "no edit"},
		{api.Edit{Do: "swapCell", Instance: "u_par_166", Cell: "XNOR2_1"}, api.NameNotFound, "u_par_166"},
		{api.Edit{Do: "swapCell", Instance: "u_par_16", Cell: "XNOR2_9"}, api.NameNotFound, "XNOR2_9"},
		{api.Edit{Do: "swapCell", Instance: "u_par_16", Cell: "INV_1"}, api.BadRequest, "pin B"},
		{api.Edit{Do: "removeBuffer", Instance: "u_par_16"}, api.BadRequest, "more than one input"},
		{api.Edit{Do: "setDelay", Instance: "u_par_16"}, api.BadRequest, "rise or fall"},
		{api.Edit{Do: "setStimulus", Net: "acc_q[16]", Policy: "maybe"}, api.BadRequest, "policy"},
	} {
		ok := api.Edit{Do: "swapCell", Instance: "u_par_15", Cell: "XNOR2_1"}
		fails(t, cl, api.WhatIfApply, api.WhatIfApplyParams{WhatIfParams: id, Edits: []api.Edit{ok, c.e}}, c.kind, c.text)
	}
	if u := do(t, cl, api.WhatIfReport, api.WhatIfReportParams{WhatIfParams: id}); u.Totals.NetsChanged != 0 {
		t.Errorf("%+v", u.Totals)
	}
	fails(t, cl, api.WhatIfUndo, api.WhatIfUndoParams{WhatIfParams: id}, api.BadRequest, "0 edits")
	fails(t, cl, api.SimRun, api.SimRunParams{Source: target(w.ID), Force: true}, api.BadRequest, "force")
	for range maxOverlays - 1 {
		do(t, cl, api.WhatIfBegin, api.WhatIfBeginParams{})
	}
	fails(t, cl, api.WhatIfBegin, api.WhatIfBeginParams{}, api.BudgetExceeded, "discard one")
}

// TestWhatIfMany: overlays at once do not see one another.
func TestWhatIfMany(t *testing.T) {
	cl, _ := mac(t)
	var wg sync.WaitGroup
	for i := range 6 {
		wg.Go(func() {
			w, err := rpc.Do(t.Context(), cl, api.WhatIfBegin, api.WhatIfBeginParams{})
			if err != nil {
				t.Error(err)
				return
			}
			e := api.Edit{Do: "swapCell", Instance: fmt.Sprintf("u_par_%d", 10+i), Cell: "XNOR2_1"}
			if _, err := rpc.Do(t.Context(), cl, api.WhatIfApply, api.WhatIfApplyParams{WhatIfParams: api.WhatIfParams{ID: w.ID}, Edits: []api.Edit{e}}); err != nil {
				t.Error(err)
				return
			}
			r, err := rpc.Do(t.Context(), cl, api.WhatIfReport, api.WhatIfReportParams{WhatIfParams: api.WhatIfParams{ID: w.ID}})
			if err != nil || r.Design.Functions != 1 {
				t.Errorf("%v %+v", err, r.Design)
			}
		})
	}
	wg.Wait()
}

// TestWhatIfCommit: the script runs in Tcl and makes the calls that the edits are.
func TestWhatIfCommit(t *testing.T) {
	cl, dir := mac(t)
	w := do(t, cl, api.WhatIfBegin, api.WhatIfBeginParams{})
	id := api.WhatIfParams{ID: w.ID}
	do(t, cl, api.WhatIfApply, api.WhatIfApplyParams{WhatIfParams: id, Edits: []api.Edit{
		{Do: "swapCell", Instance: "u_par_15", Cell: "XNOR2_1"},
		{Do: "insertBuffer", Net: "acc_q[16]", Cell: "BUF_2", Sinks: []string{"u_par_16/B"}, Name: `u$x{`},
		{Do: "scaleDelay", Instance: "u_par_16", Factor: 1.5},
	}})
	eco := filepath.Join(dir, "eco.tcl")
	r := do(t, cl, api.WhatIfCommit, api.WhatIfCommitParams{WhatIfParams: id, Path: eco, Dialect: "openroad"})
	if len(r.Left) != 1 || r.Left[0].Do != "scaleDelay" || r.Commands != 7 {
		t.Errorf("%+v", r)
	}
	fails(t, cl, api.WhatIfCommit, api.WhatIfCommitParams{WhatIfParams: id, Path: eco}, api.FileError, "already")
	fails(t, cl, api.WhatIfCommit, api.WhatIfCommitParams{WhatIfParams: id, Path: filepath.Join(dir, "netlist.v"), Overwrite: true}, api.FileError, "there already")
	fails(t, cl, api.WhatIfCommit, api.WhatIfCommitParams{WhatIfParams: id, Path: filepath.Join(dir, "n"), Dialect: "x"}, api.BadRequest, "dialect")
	tclsh := testenv.Require(t, "tclsh")
	stub := "proc unknown args { puts [join $args |] }\nsource " + eco + "\n"
	cmd := exec.CommandContext(t.Context(), tclsh)
	cmd.Stdin = strings.NewReader(stub)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	want := []string{
		"replace_cell|u_par_15|XNOR2_1", "make_net|wattd_net1", "make_instance|u$x{|BUF_2", "disconnect_pin|acc[16]|u_par_16/B",
		"connect_pin|wattd_net1|u_par_16/B", "connect_pin|acc[16]|u$x{/A", "connect_pin|wattd_net1|u$x{/Y",
	}
	if !slices.Equal(lines, want) {
		t.Errorf("%s", cmp.Diff(want, lines))
	}
}
