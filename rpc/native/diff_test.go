package native

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wattd/wattd/rpc/api"
)

// edit replaces text in a file of the example.
func edit(t *testing.T, path, old, now string) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	s := strings.Replace(string(b), old, now, 1)
	if s == string(b) {
		t.Fatalf("%s: no %q", path, old)
	}
	if err := os.WriteFile(path, []byte(s), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestDiff: the rows are exactly the nets whose counts differ, by every way to the same two states, and both directions mirror.
func TestDiff(t *testing.T) {
	cl, dir := mac(t)
	counts := func(p api.NetActivityParams) map[string]api.ActivityRow {
		m := map[string]api.ActivityRow{}
		for _, r := range do(t, cl, api.NetActivity, p).Nets.Rows {
			m[r.Net] = r
		}
		return m
	}
	was := counts(api.NetActivityParams{})
	other := filepath.Join(t.TempDir(), "old")
	if err := os.CopyFS(other, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(filepath.Join(dir, "netlist.v"))
	if err != nil {
		t.Fatal(err)
	}
	line := ""
	for l := range strings.Lines(string(b)) {
		if strings.Contains(l, "XOR2") && strings.Contains(l, "u_par_16 ") {
			line = l
		}
	}
	edit(t, filepath.Join(dir, "netlist.v"), line, strings.Replace(line, "XOR2", "XNOR2", 1))
	is := counts(api.NetActivityParams{})
	r := do(t, cl, api.DiffRun, api.DiffRunParams{Before: api.Side{Snapshot: 1}})
	if r.Before.Snapshot != 1 || r.Meta.Snapshot != 2 || r.Design.Functions != 1 {
		t.Errorf("snapshots %d, %d; %+v", r.Before.Snapshot, r.Meta.Snapshot, r.Design)
	}
	want := 0
	for net, a := range is {
		b := was[net]
		if a.TC != b.TC || a.T1 != b.T1 || *a.Glitch != *b.Glitch || *a.Filtered != *b.Filtered || a.Rise != b.Rise {
			want++
		}
	}
	if want == 0 || want != len(r.Nets.Rows) || r.Totals.NetsChanged != int64(want) {
		t.Errorf("%d rows, %d nets differ", len(r.Nets.Rows), want)
	}
	for _, x := range r.Nets.Rows {
		a, b := was[x.Net], is[x.Net]
		if *x.TCBefore != a.TC || *x.TCAfter != b.TC || *x.T1Before != a.T1 || *x.T1After != b.T1 || *x.GlitchAfter != *b.Glitch {
			t.Errorf("%+v", x)
		}
		if cause := map[bool]string{true: "cell", false: "activity"}[x.Net == "par_16"]; x.Cause != cause {
			t.Errorf("%s: %s, want %s", x.Net, x.Cause, cause)
		}
	}
	do(t, cl, api.DesignOpen, api.DesignOpenParams{Name: "old", Project: filepath.Join(other, "wattd.toml")})
	byName := do(t, cl, api.DiffRun, api.DiffRunParams{Before: api.Side{Design: "old"}, After: api.Side{Design: "mac"}})
	if diff := cmp.Diff(r.Nets, byName.Nets); diff != "" || byName.Design != r.Design || byName.Totals.NetsChanged != r.Totals.NetsChanged {
		t.Errorf("by name: %s %+v", diff, byName.Design)
	}
	back := do(t, cl, api.DiffRun, api.DiffRunParams{Source: api.Source{Target: api.Target{Design: "mac"}}, Before: api.Side{Snapshot: 2}, After: api.Side{Snapshot: 1}})
	if back.Totals.TCBefore != r.Totals.TCAfter || back.Totals.NetsChanged != r.Totals.NetsChanged || len(back.Nets.Rows) != len(r.Nets.Rows) {
		t.Errorf("%+v", back.Totals)
	}
	var paged []api.DiffRow
	p := api.DiffRunParams{Page: api.Page{Limit: 1}, Before: api.Side{Design: "mac", Snapshot: 1}, Sort: "glitch"}
	for {
		x := do(t, cl, api.DiffRun, p)
		paged = append(paged, x.Nets.Rows...)
		if p.Cursor = x.Nets.Cursor; p.Cursor == "" {
			break
		}
	}
	p.Limit = 0
	if diff := cmp.Diff(do(t, cl, api.DiffRun, p).Nets.Rows, paged); diff != "" {
		t.Error(diff)
	}
	p.Sort, p.Cursor = "", "1.2-1-0"
	fails(t, cl, api.DiffRun, p, api.BadRequest, "another query")
	p.Cursor = "x"
	fails(t, cl, api.DiffRun, p, api.BadRequest, "no cursor")
	fails(t, cl, api.DiffRun, api.DiffRunParams{Source: api.Source{Target: api.Target{Call: api.Call{Snapshot: 1}}}}, api.BadRequest, "in before and after")
	fails(t, cl, api.DiffRun, api.DiffRunParams{}, api.DesignNotFound, "several")
	fails(t, cl, api.DiffRun, api.DiffRunParams{Before: api.Side{Design: "mac", Snapshot: 9}}, api.StaleSnapshot, "9")
	fails(t, cl, api.DiffRun, api.DiffRunParams{Before: api.Side{Design: "mac"}, After: api.Side{Stimulus: "no"}}, api.StimulusNotFound, "no")
	fails(t, cl, api.DiffRun, api.DiffRunParams{Before: api.Side{Design: "mac"}, Selection: names("none*")}, api.NameNotFound, "none*")
}
