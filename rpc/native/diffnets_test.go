package native

import (
	"path/filepath"
	"testing"

	"github.com/wattd/wattd/rpc/api"
)

// rows are the differences by net.
func rows(r api.DiffRunResult) map[string]api.DiffRow {
	m := map[string]api.DiffRow{}
	for _, x := range r.Nets.Rows {
		m[x.Net] = x
	}
	return m
}

// TestDiffNets: nets that come and go, and a name filter that means something on one side only.
func TestDiffNets(t *testing.T) {
	cl, dir := mac(t)
	edit(t, filepath.Join(dir, "netlist.v"), "  wire par_16;", "  wire par_16;\n  wire extra;\n  INV_1 u_extra (.A(par_16), .Y(extra));")
	r := do(t, cl, api.DiffRun, api.DiffRunParams{Before: api.Side{Snapshot: 1}})
	if x := rows(r)["extra"]; r.Nets.Total != 1 || x.Cause != "added" || x.TCBefore != nil || x.TCAfter == nil || r.Design.GatesAdded != 1 {
		t.Errorf("%+v %+v", r.Design, r.Nets.Rows)
	}
	back := do(t, cl, api.DiffRun, api.DiffRunParams{Before: api.Side{Snapshot: 2}, After: api.Side{Snapshot: 1}, Selection: names("ext*")})
	if x := rows(back)["extra"]; back.Nets.Total != 1 || x.Cause != "removed" || x.TCAfter != nil {
		t.Errorf("%+v", back.Nets.Rows)
	}
	// the net goes and comes again: under another number, and the same all the same
	edit(t, filepath.Join(dir, "netlist.v"), "  INV_1 u_extra (.A(par_16), .Y(extra));", "")
	edit(t, filepath.Join(dir, "netlist.v"), "  wire extra;", "")
	do(t, cl, api.DesignStatus, api.DesignParams{})
	edit(t, filepath.Join(dir, "netlist.v"), "  wire par_16;", "  wire par_16;\n  wire extra;\n  INV_1 u_extra (.A(par_16), .Y(extra));")
	if r := do(t, cl, api.DiffRun, api.DiffRunParams{Before: api.Side{Snapshot: 2}}); r.Nets.Total != 0 || r.Meta.Snapshot != 4 {
		t.Errorf("%+v", r.Nets.Rows)
	}
	all := do(t, cl, api.NetActivity, api.NetActivityParams{})
	for i := 1; i < len(all.Nets.Rows); i++ {
		if all.Nets.Rows[i-1].Net >= all.Nets.Rows[i].Net {
			t.Errorf("%s before %s", all.Nets.Rows[i-1].Net, all.Nets.Rows[i].Net)
		}
	}
}
