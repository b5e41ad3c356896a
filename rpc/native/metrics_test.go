package native

import (
	"testing"
	"time"

	"github.com/wattd/wattd/rpc/api"
)

// TestBuckets: every time lies in its bucket, to one part in sixteen.
func TestBuckets(t *testing.T) {
	last := 0
	for us := int64(0); us < 1<<39; us += 1 + us/50 {
		b := bucket(time.Duration(us) * time.Microsecond)
		if top := bucketTop(b) * 1000; top < float64(us) || us >= 16 && top > float64(us)*17/16 {
			t.Fatalf("%d us in a bucket up to %g", us, top)
		}
		if b < last {
			t.Fatalf("%d us in bucket %d after %d", us, b, last)
		}
		last = b
	}
	if b := bucket(1 << 62); b != bucketCount-1 {
		t.Error(b)
	}
	m := &callCount{n: 100, longest: time.Second}
	for i := range 100 {
		m.buckets[bucket(time.Duration(i+1)*time.Millisecond)]++
	}
	for share, want := range map[float64]float64{0.5: 50, 0.99: 99} {
		if q := m.quantile(share); q < want || q > want*17/16 {
			t.Errorf("quantile %g is %g ms", share, q)
		}
	}
}

// TestMetrics: requests are counted by method and kind, unknown ones under one name.
func TestMetrics(t *testing.T) {
	cl, _ := mac(t)
	do(t, cl, api.NetActivity, api.NetActivityParams{})
	fails(t, cl, api.NetActivity, api.NetActivityParams{Sort: "colour"}, api.BadRequest, "colour")
	fails(t, cl, api.NetActivity, api.NetActivityParams{Selection: names("nothing")}, api.NameNotFound, "nothing")
	for _, name := range []string{"no/such", "none/such", "$/x"} {
		if err := cl.Call(soon(t), name, nil, nil); err == nil {
			t.Error(name)
		}
	}
	r := do(t, cl, api.ServerMetrics, api.Empty{})
	calls := map[string]api.CallRow{}
	for _, c := range r.Requests.Rows {
		calls[c.Method] = c
	}
	if c := calls["net/activity"]; c.N != 3 || c.Errors != 2 || c.MaxMs <= 0 || c.P99Ms < c.P50Ms || c.P99Ms > c.MaxMs {
		t.Errorf("%+v", c)
	}
	if c := calls[""]; c.N != 3 || c.Errors != 3 {
		t.Errorf("%+v", c)
	}
	kinds := map[string]int64{}
	for _, f := range r.Errors.Rows {
		kinds[f.Method+" "+f.Kind] = f.N
	}
	if kinds["net/activity bad-request"] != 1 || kinds["net/activity name-not-found"] != 1 || kinds[" method-not-found"] != 3 {
		t.Errorf("%v", kinds)
	}
	for _, m := range r.Metrics.Rows {
		if m.Name == "designs" && m.Value != 1 || m.Name == "sessions" && m.Value != 1 {
			t.Errorf("%+v", m)
		}
	}
}

// TestDrop: the design answers without a stimulus, and takes one again.
func TestDrop(t *testing.T) {
	cl, _ := mac(t)
	was := do(t, cl, api.NetActivity, api.NetActivityParams{})
	fails(t, cl, api.StimulusDrop, api.StimulusParams{Stimulus: "other"}, api.StimulusNotFound, "other")
	do(t, cl, api.StimulusDrop, api.StimulusParams{Stimulus: "stim"})
	fails(t, cl, api.StimulusDrop, api.StimulusParams{}, api.NotReady, "no stimulus")
	fails(t, cl, api.NetActivity, api.NetActivityParams{}, api.NotReady, "no stimulus")
	fails(t, cl, api.NetActivity, api.NetActivityParams{Source: api.Source{Target: api.Target{Call: api.Call{Snapshot: 1}}}}, api.StaleSnapshot, "1")
	if s := do(t, cl, api.DesignStatus, api.DesignParams{}); s.Design.State != "ready" || s.Design.Stimuli != 0 {
		t.Errorf("%+v", s.Design)
	}
	do(t, cl, api.NamesResolve, api.NamesResolveParams{Selection: names("clk")})
	do(t, cl, api.StimulusLoad, api.StimulusLoadParams{Path: "stim.vcd", Scope: "tb.dut"})
	is := do(t, cl, api.NetActivity, api.NetActivityParams{})
	if len(is.Nets.Rows) != len(was.Nets.Rows) || is.Nets.Rows[7].TC != was.Nets.Rows[7].TC || is.Meta.Stimulus != "stim" {
		t.Errorf("%d rows, stimulus %q", len(is.Nets.Rows), is.Meta.Stimulus)
	}
}
