package native

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/wattd/wattd/rpc"
	"github.com/wattd/wattd/rpc/api"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func soon(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	t.Cleanup(cancel)
	return ctx
}

// mac opens a copy of the example design.
func mac(t *testing.T) (cl *rpc.Client, dir string) {
	t.Helper()
	n := New(Server{Version: "test"})
	log := slog.New(slog.NewTextHandler(io.Discard, nil))
	srv := rpc.NewServer(n.Handler(), rpc.Options{Log: log, Opened: n.Opened, Admit: n.Admit, Answered: n.Answered})
	a, b := net.Pipe()
	var wg sync.WaitGroup
	wg.Go(func() { _ = srv.Serve(context.Background(), b) })
	cl = rpc.NewClient(a, rpc.Options{Log: log})
	t.Cleanup(func() { cl.Close(); wg.Wait() })
	dir = t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("..", "..", "examples", "mac"))); err != nil {
		t.Fatal(err)
	}
	if _, err := rpc.Do(soon(t), cl, api.Initialize, api.InitializeParams{Protocol: &api.Protocol, Cwd: dir}); err != nil {
		t.Fatal(err)
	}
	do(t, cl, api.DesignOpen, api.DesignOpenParams{Project: "wattd.toml"})
	return cl, dir
}

func do[P, R any](t *testing.T, cl *rpc.Client, m api.Method[P, R], p P) R {
	t.Helper()
	r, err := rpc.Do(soon(t), cl, m, p)
	if err != nil {
		t.Fatalf("%s: %v", m.Name(), err)
	}
	return r
}

// fails holds that a request is refused, and why.
func fails[P, R any](t *testing.T, cl *rpc.Client, m api.Method[P, R], p P, kind api.Kind, text string) *api.Error {
	t.Helper()
	_, err := rpc.Do(soon(t), cl, m, p)
	var e *api.Error
	if !errors.As(err, &e) || e.Kind() != kind || !strings.Contains(e.Message, text) {
		t.Errorf("%s: %v, want %s: ...%s...", m.Name(), err, kind, text)
		return api.Errorf(kind, "")
	}
	return e
}

func names(names ...string) api.Selection { return api.Selection{Names: names} }

// TestActivity: selections, orders, pages and intervals agree with one another.
func TestActivity(t *testing.T) {
	cl, _ := mac(t)
	all := do(t, cl, api.NetActivity, api.NetActivityParams{})
	if all.Nets.Total != 402 || len(all.Nets.Rows) != 402 || all.Nets.Cursor != "" {
		t.Fatalf("%d of %d nets", len(all.Nets.Rows), all.Nets.Total)
	}
	var paged []api.ActivityRow
	for cursor := ""; ; {
		r := do(t, cl, api.NetActivity, api.NetActivityParams{Page: api.Page{Limit: 100, Cursor: cursor}})
		paged = append(paged, r.Nets.Rows...)
		if cursor = r.Nets.Cursor; cursor == "" {
			break
		}
	}
	if diff := cmp.Diff(all.Nets.Rows, paged); diff != "" {
		t.Error(diff)
	}
	first := do(t, cl, api.NetActivity, api.NetActivityParams{Page: api.Page{Limit: 1}, Sort: "tc"})
	fails(t, cl, api.NetActivity, api.NetActivityParams{Page: api.Page{Cursor: first.Nets.Cursor}, Sort: "glitch"}, api.BadRequest, "another query")
	fails(t, cl, api.NetActivity, api.NetActivityParams{Page: api.Page{Cursor: "x"}}, api.BadRequest, "no cursor")
	for i := range all.Nets.Rows {
		if all.Nets.Rows[i].TC > first.Nets.Rows[0].TC {
			t.Errorf("%s has more changes than the first", all.Nets.Rows[i].Net)
		}
	}
	mid := (all.From+all.To)/3 + 1 // no border of a window
	a := do(t, cl, api.NetActivity, api.NetActivityParams{Source: api.Source{To: &mid}})
	b := do(t, cl, api.NetActivity, api.NetActivityParams{Source: api.Source{From: &mid}})
	for i, x := range all.Nets.Rows {
		p, q := a.Nets.Rows[i], b.Nets.Rows[i]
		if p.TC+q.TC != x.TC || p.T1+q.T1 != x.T1 || p.T0+q.T0 != x.T0 {
			t.Errorf("%s: the parts are not the whole", x.Net)
		}
		if p.Filtered != nil || x.Filtered == nil {
			t.Errorf("%s: filtered pulses of a cut window", x.Net)
		}
	}
	fails(t, cl, api.NetActivity, api.NetActivityParams{Source: api.Source{From: &all.To}}, api.EmptyWindow, "is not an interval")
	for _, s := range []api.Selection{names("u_acc/next_*"), {Names: []string{"u_acc/next_[0-9]+"}, Regexp: true}, {Names: []string{"*next_?", "*next_??"}, Scope: "u_acc"}} {
		r := do(t, cl, api.NetActivity, api.NetActivityParams{Selection: s})
		if len(r.Nets.Rows) < 10 || !strings.HasPrefix(r.Nets.Rows[0].Net, "u_acc/next_") {
			t.Errorf("%v: %d nets", s, len(r.Nets.Rows))
		}
	}
	e := fails(t, cl, api.NetActivity, api.NetActivityParams{Selection: names("parit")}, api.NameNotFound, `"parit"`)
	if !cmp.Equal(e.Data.Candidates, []string{"parity"}) {
		t.Errorf("candidates %v", e.Data.Candidates)
	}
	fails(t, cl, api.NetActivity, api.NetActivityParams{Selection: names("clk", "zz*")}, api.NameNotFound, `"zz*"`)
	fails(t, cl, api.NetActivity, api.NetActivityParams{Selection: api.Selection{Names: []string{"("}, Regexp: true}}, api.BadRequest, "missing closing")
	fails(t, cl, api.NetActivity, api.NetActivityParams{Sort: "colour"}, api.BadRequest, "colour")
	fails(t, cl, api.NetActivity, api.NetActivityParams{Source: api.Source{Stimulus: "other"}}, api.StimulusNotFound, "other")
	fails(t, cl, api.NetActivity, api.NetActivityParams{Source: api.Source{Target: api.Target{Design: "x"}}}, api.DesignNotFound, "x")
	fails(t, cl, api.NetActivity, api.NetActivityParams{Source: api.Source{Target: api.Target{Overlay: "x"}}}, api.OverlayNotFound, "x")
	fails(t, cl, api.NetActivity, api.NetActivityParams{Source: api.Source{Target: api.Target{NameStyle: "edif"}}}, api.BadRequest, "nameStyle")
	for style, want := range map[string]string{"verilog": "acc[3]", "sdc": "acc[3]", "saif": `acc\[3\]`} {
		q := api.NetActivityParams{Source: api.Source{Target: api.Target{NameStyle: style}}, Selection: names("acc[3]")}
		if r := do(t, cl, api.NetActivity, q); r.Nets.Rows[0].Net != want {
			t.Errorf("%s: %s, want %s", style, r.Nets.Rows[0].Net, want)
		}
	}
}

// TestWaveform: the events are those that were counted, whatever the pages.
func TestWaveform(t *testing.T) {
	cl, _ := mac(t)
	sel := names("parity", "clk", "acc[3]")
	count := do(t, cl, api.NetActivity, api.NetActivityParams{Selection: sel})
	got := map[int]int64{}
	var start api.Table[api.StartRow]
	for cursor := ""; ; {
		r := do(t, cl, api.NetWaveform, api.NetWaveformParams{Selection: sel, Page: api.Page{Limit: 100, Cursor: cursor}})
		start = r.Start
		for _, e := range r.Events.Rows {
			got[e.Net]++
		}
		if cursor = r.Events.Cursor; cursor == "" {
			break
		}
	}
	for i, x := range count.Nets.Rows {
		if start.Rows[i].Net != x.Net || got[i] != x.TC {
			t.Errorf("%s: %d events, %d changes", x.Net, got[i], x.TC)
		}
	}
}

// TestGlitches: what is born at sources and what came in are all.
func TestGlitches(t *testing.T) {
	cl, _ := mac(t)
	all := do(t, cl, api.GlitchTop, api.GlitchTopParams{})
	run := do(t, cl, api.SimRun, api.SimRunParams{})
	var sum, born int64
	share := 0.0
	for _, r := range all.Nets.Rows {
		sum, born, share = sum+r.Glitch, born+r.Born, share+r.Share
		if r.Born > r.Glitch || (r.Skew != nil) && r.Born == 0 {
			t.Errorf("%+v", r)
		}
	}
	if sum != *run.Glitch || born == 0 || born >= sum || share < 0.999 || share > 1.001 {
		t.Errorf("%d glitches of %d, %d born, shares add up to %g", sum, *run.Glitch, born, share)
	}
	src := do(t, cl, api.GlitchTop, api.GlitchTopParams{By: "source"})
	for i, r := range src.Nets.Rows {
		if r.Born == 0 || i > 0 && r.Born > src.Nets.Rows[i-1].Born {
			t.Errorf("row %d: %+v", i, r)
		}
		born -= r.Born
	}
	if born != 0 {
		t.Errorf("%d born glitches are missing", born)
	}
	forced := do(t, cl, api.SimRun, api.SimRunParams{Force: true})
	if forced.Meta.Snapshot != run.Meta.Snapshot+1 || forced.Meta.Work.PairsRun != forced.Meta.Work.PairsTotal || forced.Events != run.Events {
		t.Errorf("forced: %+v", forced.Meta)
	}
}

// TestGraph: every load of a net has it as input, and its driver is one.
func TestGraph(t *testing.T) {
	cl, _ := mac(t)
	d := do(t, cl, api.NetDrivers, api.NetParams{Net: "par_17"})
	if len(d.Pins.Rows) != 1 || d.Pins.Rows[0].Instance != "u_par_17" || d.Pins.Rows[0].WireRise != nil || d.Pins.Rows[0].Line == 0 {
		t.Errorf("%+v", d.Pins.Rows)
	}
	l := do(t, cl, api.NetLoads, api.NetParams{Net: "par_16"})
	if len(l.Pins.Rows) != 1 || l.Pins.Rows[0].Instance != "u_par_17" || l.Pins.Rows[0].Other != "par_17" || *l.Pins.Rows[0].WireRise == 0 {
		t.Errorf("%+v", l.Pins.Rows)
	}
	p := do(t, cl, api.NetDrivers, api.NetParams{Net: "clk"})
	if len(p.Pins.Rows) != 1 || p.Pins.Rows[0].Cell != "port" || p.Pins.Rows[0].Pin != "clk" {
		t.Errorf("%+v", p.Pins.Rows)
	}
}

// TestNames: one name in all ways.
func TestNames(t *testing.T) {
	cl, _ := mac(t)
	r := do(t, cl, api.NamesResolve, api.NamesResolveParams{Selection: names("u_acc.next_9", "clk")})
	if len(r.Objects.Rows) != 2 || r.Objects.Rows[1].Name != "u_acc/next_9" || r.Objects.Rows[1].Line == 0 {
		t.Errorf("%+v", r.Objects.Rows)
	}
	for kind, name := range map[string]string{"instance": "u_par_1?", "scope": "u_*", "pin": "u_par_16/Y"} {
		r := do(t, cl, api.NamesResolve, api.NamesResolveParams{Selection: names(name), Kind: kind})
		if len(r.Objects.Rows) == 0 || r.Objects.Rows[0].Kind != kind {
			t.Errorf("%s: %+v", kind, r.Objects.Rows)
		}
	}
	fails(t, cl, api.NamesResolve, api.NamesResolveParams{Kind: "pin"}, api.BadRequest, "not by pattern")
	fails(t, cl, api.NamesResolve, api.NamesResolveParams{Selection: names("u_nothing"), Kind: "instance"}, api.NameNotFound, "u_nothing")
	x := do(t, cl, api.NamesExplain, api.NamesExplainParams{Name: "par_16"})
	if x.Class != "computed" || len(x.Files) < 5 || x.Findings.Rows[0].Rule != "exact" {
		t.Errorf("%+v", x)
	}
	none := do(t, cl, api.NamesExplain, api.NamesExplainParams{Name: "parit"})
	if len(none.Findings.Rows) != 0 || !cmp.Equal(none.Candidates, []string{"parity"}) {
		t.Errorf("%+v", none)
	}
}

// TestExports: files are whole, inputs are not replaced.
func TestExports(t *testing.T) {
	cl, dir := mac(t)
	csv := do(t, cl, api.ExportCSV, api.ExportCSVParams{Export: api.Export{Path: "c.csv"}, Selection: names("par_*")})
	b, err := os.ReadFile(filepath.Join(dir, "c.csv"))
	if err != nil || int64(len(b)) != csv.Bytes || int64(strings.Count(string(b), "\n")) != csv.Nets+1 {
		t.Errorf("%+v, %v", csv, err)
	}
	fails(t, cl, api.ExportCSV, api.ExportCSVParams{Export: api.Export{Path: "c.csv"}}, api.FileError, "there already")
	fails(t, cl, api.ExportCSV, api.ExportCSVParams{Export: api.Export{Path: "delays.sdf", Overwrite: true}}, api.FileError, "input of the design")
	fails(t, cl, api.ExportVCD, api.ExportVCDParams{Export: api.Export{Path: "no/such/folder.vcd"}}, api.FileError, "no such file")
	fails(t, cl, api.ExportVCD, api.ExportVCDParams{Export: api.Export{Path: "c.vcd.gz"}}, api.BadRequest, "not compressed")
	fails(t, cl, api.ExportSAIF, api.ExportSAIFParams{Export: api.Export{Path: "c.saif"}, Dialect: "martian"}, api.BadRequest, "dialect")
	do(t, cl, api.ExportVCD, api.ExportVCDParams{Export: api.Export{Path: "c.vcd"}, Selection: names("clk")})
	do(t, cl, api.ExportSAIF, api.ExportSAIFParams{Export: api.Export{Path: "c.saif"}, Dialect: "opensta", IG: "pulses"})
}

// TestStimulus: a stimulus is replaced, or the old one stays.
func TestStimulus(t *testing.T) {
	cl, dir := mac(t)
	before := do(t, cl, api.StimulusList, api.StimulusListParams{Missing: true})
	if len(before.Stimuli.Rows) != 1 || before.Stimuli.Rows[0].Covered != 100 || before.Missing.Total != 0 {
		t.Errorf("%+v", before)
	}
	e := fails(t, cl, api.StimulusLoad, api.StimulusLoadParams{Path: "netlist.v"}, api.InputError, "")
	if len(e.Data.Diagnostics) == 0 || e.Data.Path == "" {
		t.Errorf("%+v", e.Data)
	}
	fails(t, cl, api.StimulusLoad, api.StimulusLoadParams{Path: "stim.vcd", To: "yesterday"}, api.BadRequest, "to")
	if again := do(t, cl, api.StimulusList, api.StimulusListParams{}); again.Meta.Snapshot != before.Meta.Snapshot {
		t.Errorf("snapshot %d after a failure", again.Meta.Snapshot)
	}
	r := do(t, cl, api.StimulusLoad, api.StimulusLoadParams{Path: "stim.vcd", Scope: "tb.dut", To: "100ns"})
	if r.Stimulus.To != 100_000 || r.Meta.Snapshot != before.Meta.Snapshot+1 {
		t.Errorf("%+v", r)
	}
	// what is pinned stays readable
	old := do(t, cl, api.NetActivity, api.NetActivityParams{Source: api.Source{Target: api.Target{Call: api.Call{Snapshot: before.Meta.Snapshot}}}})
	if old.To != before.Stimuli.Rows[0].To {
		t.Errorf("the older snapshot ends at %d", old.To)
	}
	fails(t, cl, api.NetActivity, api.NetActivityParams{Source: api.Source{Target: api.Target{Call: api.Call{Snapshot: 99}}}}, api.StaleSnapshot, "99")
	// an edited project file counts too
	toml := filepath.Join(dir, "wattd.toml")
	b, err := os.ReadFile(toml)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(toml, []byte(strings.Replace(string(b), `"typ"`, `"max"`, 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	st := do(t, cl, api.DesignStatus, api.DesignParams{})
	if run := do(t, cl, api.SimRun, api.SimRunParams{}); st.Meta.Corner != "max" || run.To != 100_000 {
		t.Errorf("corner %s, end %d", st.Meta.Corner, run.To)
	}
}

// TestFaults: wrong files are told with their places, the last good state stays, and mended files answer again.
func TestFaults(t *testing.T) {
	cl, dir := mac(t)
	sdf := filepath.Join(dir, "delays.sdf")
	good, err := os.ReadFile(sdf)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(sdf, good[:len(good)/2], 0o644); err != nil {
		t.Fatal(err)
	}
	e := fails(t, cl, api.NetActivity, api.NetActivityParams{}, api.InputError, "")
	if e.Data.Path != sdf || e.Data.Line == 0 || e.Data.Hint == "" {
		t.Errorf("%+v", e.Data)
	}
	if d := do(t, cl, api.DesignDiagnostics, api.DiagnosticsParams{Severity: "error"}); len(d.Messages.Rows) == 0 {
		t.Error("no messages")
	}
	if l := do(t, cl, api.DesignList, api.Empty{}); l.Designs.Rows[0].State != "failed" {
		t.Errorf("%+v", l.Designs.Rows[0])
	}
	do(t, cl, api.NetActivity, api.NetActivityParams{Source: api.Source{Target: api.Target{Call: api.Call{Snapshot: 1}}}})
	if err := os.Remove(sdf); err != nil {
		t.Fatal(err)
	}
	fails(t, cl, api.NetActivity, api.NetActivityParams{}, api.InputError, "no such file")
	if err := os.WriteFile(sdf, good, 0o644); err != nil {
		t.Fatal(err)
	}
	if r := do(t, cl, api.NetActivity, api.NetActivityParams{}); r.Nets.Total != 402 {
		t.Errorf("%d nets", r.Nets.Total)
	}
	fails(t, cl, api.DesignOpen, api.DesignOpenParams{Project: "nothing.toml"}, api.FileError, "nothing.toml")
	fails(t, cl, api.DesignOpen, api.DesignOpenParams{Name: "mac", Project: "wattd.toml", Corner: "max"}, api.BadRequest, "taken")
	fails(t, cl, api.DesignOpen, api.DesignOpenParams{Project: "wattd.toml", Corner: "best"}, api.BadRequest, "corner")
	fails(t, cl, api.Subscribe, api.SubscribeParams{Topic: "power"}, api.BadRequest, "does not exist")
}
