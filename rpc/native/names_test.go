package native

import (
	"path/filepath"
	"testing"

	"github.com/wattd/wattd/rpc/api"
)

// TestNamesMap: all names of the example are bound exactly; one that is misspelt is left over, with the one that was meant.
func TestNamesMap(t *testing.T) {
	cl, dir := mac(t)
	rules := func(r api.NamesMapResult) map[string]int64 {
		m := map[string]int64{}
		for _, c := range r.Rules {
			m[c.Name] = c.N
		}
		return m
	}
	sdf := do(t, cl, api.NamesMap, api.NamesMapParams{Path: "delays.sdf"})
	stim := do(t, cl, api.NamesMap, api.NamesMapParams{Path: filepath.Join(dir, "stim.vcd")})
	if m := rules(sdf); m["exact"] != 310 || len(m) != 1 || sdf.Unbound.Total != 0 {
		t.Errorf("%v, %d unbound", m, sdf.Unbound.Total)
	}
	if m := rules(stim); m["exact"] == 0 || m["unbound"] != stim.Unbound.Total {
		t.Errorf("%v, %d unbound", m, stim.Unbound.Total)
	}
	edit(t, filepath.Join(dir, "delays.sdf"), "INSTANCE u_par_16)", "INSTANCE u_par_16x)")
	sdf = do(t, cl, api.NamesMap, api.NamesMapParams{Path: "delays.sdf"})
	if m := rules(sdf); m["exact"] != 309 || m["unbound"] != 1 || len(sdf.Unbound.Rows) != 1 {
		t.Fatalf("%v, %d unbound", m, sdf.Unbound.Total)
	}
	if u := sdf.Unbound.Rows[0]; u.Name != "u_par_16x" || u.N != 1 || u.Line == 0 || u.Closest == "" {
		t.Errorf("%+v", u)
	}
	fails(t, cl, api.NamesMap, api.NamesMapParams{Path: "netlist.v"}, api.BadRequest, "no SDF file")
	fails(t, cl, api.NamesMap, api.NamesMapParams{}, api.BadRequest, "empty")
	fails(t, cl, api.NamesMap, api.NamesMapParams{Target: api.Target{Call: api.Call{Snapshot: 1}}, Path: "delays.sdf"}, api.StaleSnapshot, "changed since")
}
