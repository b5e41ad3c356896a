package native

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/wattd/wattd/rpc"
	"github.com/wattd/wattd/rpc/api"
)

// await reads notifications until one of a method comes.
func await[P any](t *testing.T, cl *rpc.Client, note api.Note[P]) (p P) {
	t.Helper()
	ctx := soon(t)
	for {
		select {
		case n := <-cl.Notifications():
			if n.Method == note.Name() {
				if err := json.Unmarshal(n.Params, &p); err != nil {
					t.Fatal(err)
				}
				return p
			}
		case <-ctx.Done():
			t.Fatalf("no %s", note.Name())
		}
	}
}

// TestTopics: after an edit each topic brings what it is about, and nothing else.
func TestTopics(t *testing.T) {
	cl, dir := mac(t)
	sdf := filepath.Join(dir, "delays.sdf")
	subscribe := func(p api.SubscribeParams) string { return do(t, cl, api.Subscribe, p).Subscription }
	nets := subscribe(api.SubscribeParams{Topic: "nets", Selection: names("par_16", "clk")})
	other := subscribe(api.SubscribeParams{Topic: "nets", Selection: names("clk")})
	subscribe(api.SubscribeParams{Topic: "diagnostics"})
	tasks := subscribe(api.SubscribeParams{Topic: "tasks"})
	designs := subscribe(api.SubscribeParams{Topic: "design"})
	before := do(t, cl, api.NetActivity, api.NetActivityParams{Selection: names("par_16")}).Nets.Rows[0]

	edit(t, sdf, "INSTANCE u_par_16)", "INSTANCE u_par_16x)")
	do(t, cl, api.DesignStatus, api.DesignParams{})
	after := do(t, cl, api.NetActivity, api.NetActivityParams{Selection: names("par_16")}).Nets.Rows[0]
	if u := await(t, cl, api.TasksDidUpdate); u.Subscription != tasks || u.State != "running" || u.Design != "mac" {
		t.Errorf("%+v", u)
	}
	for state := ""; state != "done"; {
		state = await(t, cl, api.TasksDidUpdate).State
	}
	edit(t, sdf, "INSTANCE u_par_16x)", "INSTANCE u_par_16)")
	do(t, cl, api.DesignStatus, api.DesignParams{})
	got := map[string]int{}
	ctx := soon(t)
	for got["nets/didUpdate"] < 1 || got["diagnostics/didUpdate"] < 1 {
		select {
		case n := <-cl.Notifications():
			got[n.Method]++
			switch n.Method {
			case api.NetsDidUpdate.Name():
				var u api.NetsUpdate
				if err := json.Unmarshal(n.Params, &u); err != nil {
					t.Fatal(err)
				}
				if u.Subscription == other || u.Subscription != nets || len(u.Nets.Rows) != 1 || u.Snapshot != 3 {
					t.Fatalf("%+v", u)
				}
				if r := u.Nets.Rows[0]; r.Net != "par_16" || *r.TCBefore != after.TC || *r.TCAfter != before.TC || r.Cause != "delay" {
					t.Errorf("%+v", r)
				}
			case api.DiagnosticsDidUpdate.Name():
				var u api.DiagnosticsUpdate
				if err := json.Unmarshal(n.Params, &u); err != nil {
					t.Fatal(err)
				}
				if len(u.Gone) != 2 || u.Gone[1] != "sdf-unknown-instance" || len(u.New) != 0 {
					t.Errorf("%+v", u)
				}
			case api.DesignDidUpdate.Name():
				var u api.DesignUpdate
				if err := json.Unmarshal(n.Params, &u); err != nil || u.Subscription != designs {
					t.Errorf("%+v %v", u, err)
				}
			}
		case <-ctx.Done():
			t.Fatalf("%v", got)
		}
	}
	edit(t, sdf, "(DELAYFILE", "(DELAY")
	fails(t, cl, api.DesignStatus, api.DesignParams{}, api.InputError, "error")
	fails(t, cl, api.DesignStatus, api.DesignParams{}, api.InputError, "error") // told once
	if u := await(t, cl, api.DiagnosticsDidUpdate); len(u.New) == 0 || u.New[0].Severity != "error" || u.Snapshot != 3 {
		t.Errorf("%+v", u)
	}
	edit(t, sdf, "(DELAY", "(DELAYFILE")
	do(t, cl, api.DesignStatus, api.DesignParams{})
	if u := await(t, cl, api.DiagnosticsDidUpdate); len(u.New) != 0 || len(u.Gone) == 0 {
		t.Errorf("%+v", u)
	}
	if s := do(t, cl, api.ServerStatus, api.Empty{}); len(s.Tasks) != 0 {
		t.Errorf("%+v", s.Tasks)
	}
	fails(t, cl, api.Subscribe, api.SubscribeParams{Topic: "nets", Selection: names("none")}, api.NameNotFound, "none")
	fails(t, cl, api.Subscribe, api.SubscribeParams{Topic: "tasks", Selection: names("clk")}, api.BadRequest, "takes no nets")
	do(t, cl, api.Unsubscribe, api.UnsubscribeParams{Subscription: nets})
	fails(t, cl, api.Unsubscribe, api.UnsubscribeParams{Subscription: nets}, api.BadRequest, nets)
}
