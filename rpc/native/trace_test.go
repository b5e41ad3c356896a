package native

import (
	"testing"

	"github.com/wattd/wattd/rpc/api"
)

// TestTrace: the hops of every event of a net are events of the waves, and their delays add up; the glitches among them are those counted.
func TestTrace(t *testing.T) {
	cl, _ := mac(t)
	for _, net := range []string{"parity", "u_acc/next_7", "clk"} {
		w := do(t, cl, api.NetWaveform, api.NetWaveformParams{Selection: names(net)})
		glitches := int64(0)
		for _, e := range w.Events.Rows {
			r := do(t, cl, api.NetTrace, api.NetTraceParams{Net: net, At: e.At})
			hops := r.Hops.Rows
			if !r.Complete || hops[0].At != e.At || hops[0].Value != e.Value || hops[0].Net != net {
				t.Fatalf("%s at %d: %+v", net, e.At, hops)
			}
			for i := range hops {
				h := &hops[i]
				if i == len(hops)-1 {
					if h.Instance != "" || h.Pin != "" {
						t.Errorf("%+v is no source", h)
					}
					break
				}
				if hops[i+1].At+h.Wire+h.Delay != h.At || h.Instance == "" || h.Pin == "" || h.Cell == "" {
					t.Errorf("%+v, %+v", h, hops[i+1])
				}
			}
			if hops[0].Glitch {
				glitches++
			}
		}
		a := do(t, cl, api.NetActivity, api.NetActivityParams{Selection: names(net)}).Nets.Rows[0]
		if glitches != *a.Glitch {
			t.Errorf("%s: %d events are glitches, %d were counted", net, glitches, *a.Glitch)
		}
	}
	last := do(t, cl, api.NetWaveform, api.NetWaveformParams{Selection: names("parity")}).Events.Rows
	at := last[len(last)-1].At
	if r := do(t, cl, api.NetTrace, api.NetTraceParams{Net: "parity", At: at + 1, MaxHops: 1}); r.Complete || len(r.Hops.Rows) != 1 || r.Hops.Rows[0].At != at {
		t.Errorf("%+v", r)
	}
	fails(t, cl, api.NetTrace, api.NetTraceParams{Net: "parity", At: -1}, api.EmptyWindow, "not in the interval")
	fails(t, cl, api.NetTrace, api.NetTraceParams{Net: "parity", At: 0}, api.EmptyWindow, "no event")
	fails(t, cl, api.NetTrace, api.NetTraceParams{Net: "parit", At: at}, api.NameNotFound, "parit")
	fails(t, cl, api.NetTrace, api.NetTraceParams{Net: "parity", At: at, MaxHops: -1}, api.BadRequest, "maxHops")
}
