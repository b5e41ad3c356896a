package daemon

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wattd/wattd/rpc"
	"github.com/wattd/wattd/rpc/api"
)

// TestEnvironmentOfClients: variables and the working folder are those of who opens a design, not of the server nor of the client that
// started it.
func TestEnvironmentOfClients(t *testing.T) {
	e := endpoint(t)
	t.Setenv("DELAYS", "/of/the/server")
	serve(t, e, Options{NoWatch: true})
	dirs := []string{mac(t), mac(t)}
	for i, dir := range dirs {
		b, err := os.ReadFile(filepath.Join(dir, "wattd.toml"))
		if err != nil {
			t.Fatal(err)
		}
		s := strings.Replace(string(b), `"delays.sdf"`, `"$DELAYS"`, 1)
		s = strings.Replace(s, `netlist = ["netlist.v"]`, `filelist = ["../all.f"]`, 1)
		if strings.Count(s, "$DELAYS")+strings.Count(s, "all.f") != 2 {
			t.Fatal(s)
		}
		for name, text := range map[string]string{"wattd.toml": s, "../all.f": "netlist.v\n"} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if i == 1 {
			if err := os.WriteFile(filepath.Join(dir, "delays.sdf"), slower(t, 4), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	client := func(i int) *rpc.Client {
		t.Chdir(dirs[i])
		return connect(t, &Client{Endpoint: e})
	}
	opened := func(cl *rpc.Client, i int, name string, env map[string]string) (api.DesignStatusResult, error) {
		return rpc.Do(soon(t), cl, api.DesignOpen, api.DesignOpenParams{Name: name, Project: filepath.Join(dirs[i], "wattd.toml"), Env: env})
	}
	for i := range dirs {
		cl := client(i)
		name := string(rune('a' + i))
		if _, err := opened(cl, i, name, nil); !errors.Is(err, api.Errorf(api.InputError, "")) || !strings.Contains(err.Error(), "$DELAYS") {
			t.Errorf("without the variable: %v", err)
		}
		env := map[string]string{"DELAYS": filepath.Join(dirs[i], "delays.sdf"), "SHLVL": "1"}
		r, err := opened(cl, i, name, env)
		if err != nil {
			t.Fatal(err)
		}
		paths := map[string]bool{}
		for _, f := range r.Files.Rows {
			paths[f.Path] = true
		}
		if !paths[filepath.Join(dirs[i], "netlist.v")] || !paths[env["DELAYS"]] {
			t.Errorf("client %d reads %v", i, paths)
		}
		// a variable that no file names makes no difference, one that a file names does
		other := maps.Clone(env)
		other["SHLVL"] = "2"
		if r, err := opened(cl, i, name, other); err != nil || r.Meta.Snapshot != 1 || r.Meta.Work != (api.Work{}) {
			t.Errorf("again: %v, %+v", err, r.Meta)
		}
		other["DELAYS"] = filepath.Join(dirs[1-i], "delays.sdf")
		if _, err := opened(cl, i, name, other); err == nil || !strings.Contains(err.Error(), "taken") {
			t.Errorf("with other delays: %v", err)
		}
	}
	t.Chdir("/")
	cl := connect(t, &Client{Endpoint: e})
	ask := func(design string) (map[string]int64, error) {
		r, err := rpc.Do(soon(t), cl, api.NetActivity, api.NetActivityParams{Source: api.Source{Target: api.Target{Design: design}}})
		m := map[string]int64{}
		for _, n := range r.Nets.Rows {
			m[n.Net] = n.TC
		}
		return m, err
	}
	a, errA := ask("a")
	b, errB := ask("b")
	if errA != nil || errB != nil || len(a) == 0 || cmp.Equal(a, b) {
		t.Errorf("%v, %v; %d nets, the same: %v", errA, errB, len(a), cmp.Equal(a, b))
	}
}
