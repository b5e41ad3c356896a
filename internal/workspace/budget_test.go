package workspace_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"weak"

	"github.com/wattd/wattd/internal/edittest"
	"github.com/wattd/wattd/internal/workspace"
)

// openAll opens designs of different seeds in one workspace.
func openAll(t *testing.T, ws *workspace.Workspace, y *tally, n int) (es []*edited) {
	t.Helper()
	for i := range n {
		seed := uint64(500 + i)
		e := &edited{
			t: t, seed: seed, r: rand.New(rand.NewPCG(seed, 79)), seq: edittest.New(seed), dir: edittest.Folder{Dir: t.TempDir()}, tally: y,
			ws: ws, name: fmt.Sprint("d", i),
		}
		if !e.open() {
			t.FailNow()
		}
		es = append(es, e)
	}
	return es
}

func accounted(ws *workspace.Workspace) int64 {
	u := ws.Usage()
	return u.Accounted
}

// TestBudgetChangesNoAnswer edits and asks three designs at once with memory for about one, while readers hold older snapshots.
func TestBudgetChangesNoAnswer(t *testing.T) {
	ws, y := workspace.New(nil), newTally()
	es := openAll(t, ws, y, 3)
	all := accounted(ws)
	budget := all / 2
	ws.SetBudget(budget)
	w := &watchers{}
	w.start(2)
	steps := 30
	if testing.Short() {
		steps = 10
	}
	var wg sync.WaitGroup
	for _, e := range es {
		e.watch = w
		wg.Go(func() {
			for range steps {
				ok := true
				if e.r.IntN(3) > 0 {
					ok = e.step()
				} else {
					ok = e.compare(edittest.Edit{Kind: "none"}, false)
				}
				if !ok {
					return
				}
			}
		})
	}
	wg.Wait()
	if b := w.end(); b != "" {
		t.Error(b)
	}
	u := ws.Usage()
	if u.Evictions == 0 || y.paths["reloaded waves"]+y.paths["reloaded design"] == 0 {
		t.Errorf("nothing was let go: %+v, %v", u, y.paths)
	}
	kept := 0
	for _, e := range es {
		if e.p.Evicted() != workspace.Whole {
			kept++
		}
	}
	if u.Over() && kept > 1 {
		t.Errorf("%d designs are kept over the budget: %+v", kept, u)
	}
	t.Logf("%d bytes without budget, %+v; %v; %d reads", all, u, y.paths, w.seen.Load())
}

func TestBudgetFreesMemory(t *testing.T) {
	ws := workspace.New(nil)
	var told []workspace.Eviction
	ws.SetHooks(workspace.Hooks{Evicted: func(e workspace.Eviction) { told = append(told, e) }})
	es := openAll(t, ws, newTally(), 3)
	held := es[1].p.Current() // by a reader
	heldDigest, digest := edittest.Digest(held.Session), edittest.Digest(es[0].p.Current().Session)
	design, result := weak.Make(es[0].p.Current().Session.Design), weak.Make(es[0].p.Current().Session.Result)
	nl := weak.Make(es[0].p.Current().Session.Netlist)
	for _, e := range es {
		e.cold = nil
	}
	sizes := [3]int64{es[0].p.Bytes(), es[1].p.Bytes(), es[2].p.Bytes()}
	if sum := sizes[0] + sizes[1] + sizes[2]; accounted(ws) != sum || sizes[0] < 10000 {
		t.Fatalf("%d accounted, of the designs %v", accounted(ws), sizes)
	}
	ws.SetBudget(1)
	if got := accounted(ws); got != sizes[2] {
		t.Errorf("%d bytes are left, want the %d of the design asked last", got, sizes[2])
	}
	if u := ws.Usage(); !u.Over() || u.Evictions != 4 || len(told) != 4 {
		t.Errorf("%+v, told %v", u, told)
	}
	runtime.GC()
	runtime.GC()
	if design.Value() != nil || result.Value() != nil || nl.Value() != nil {
		t.Errorf("still there: design %v, result %v, netlist %v", design.Value() != nil, result.Value() != nil, nl.Value() != nil)
	}
	if edittest.Digest(held.Session) != heldDigest {
		t.Error("a snapshot that is held changed")
	}
	if s, err := es[1].p.Pinned(held.N); err != nil || s != held {
		t.Errorf("a snapshot that is held is not found by its number: %v", err)
	}
	p := es[0].p
	if _, err := p.Pinned(1); !errors.Is(err, workspace.ErrGone) {
		t.Errorf("the number of what was let go: %v", err)
	}
	if o := p.Newest(); p.Evicted() != workspace.Whole || p.Current() != nil || o.N != 1 || o.Session.Top() == "" || o.Report().Design.Gates == 0 || len(p.Paths()) < 3 {
		t.Errorf("of what was let go nothing is told: %v, %+v", p.Evicted(), o)
	}
	if s, made, err := p.Look(t.Context()); s != nil || made || err != nil {
		t.Errorf("made again for nobody: %v, %v, %v", s, made, err)
	}
	s, made, err := p.Refresh(t.Context(), 0)
	if err != nil || !made || s.N != 2 || s.Session.Work.Reloaded != "design" || edittest.Digest(s.Session) != digest {
		t.Errorf("made again: %v, %v, %+v", made, err, s)
	}
	if es[2].p.Evicted() != workspace.Whole || p.Evicted() != workspace.Resident {
		t.Error("the one asked before stays")
	}
	if again, made, err := p.Refresh(t.Context(), 0); again != s || made || err != nil {
		t.Errorf("asked again: %v, %v", made, err)
	}
}

func TestBudgetLetsOlderSnapshotsGoFirstThenWaves(t *testing.T) {
	ws, y := workspace.New(nil), newTally()
	es := openAll(t, ws, y, 2)
	p := es[0].p
	first := accounted(ws)
	for n := p.Newest().N; p.Newest().N < n+2; {
		if !es[0].step() {
			return
		}
	}
	es[1].compare(edittest.Edit{Kind: "none"}, false) // asked last
	es[0].cold = nil
	grown := accounted(ws)
	if grown <= first {
		t.Fatalf("%d bytes with older snapshots, %d without", grown, first)
	}
	newest := p.Newest()
	ws.SetBudget(grown - 1)
	if u := ws.Usage(); u.Evictions != 0 || u.Accounted >= grown || p.Current() != newest {
		t.Errorf("one older snapshot should do: %+v of %d, %v", u, grown, p.Evicted())
	}
	for p.Evicted() == workspace.Resident {
		ws.SetBudget(accounted(ws) - 1)
	}
	if p.Evicted() != workspace.Waves || es[1].p.Evicted() != workspace.Resident || ws.Usage().Evictions != 1 {
		t.Errorf("%v and %v, %+v", p.Evicted(), es[1].p.Evicted(), ws.Usage())
	}
	if o := p.Newest(); o.N != newest.N || o.Report() != newest.Report() {
		t.Errorf("told of it: %+v", o)
	}
	s, made, err := p.Refresh(t.Context(), 0)
	if err != nil || !made || edittest.Digest(s.Session) != edittest.Digest(newest.Session) {
		t.Fatalf("simulated again: %v, %v", made, err)
	}
	if w := &s.Session.Work; s.N != newest.N+1 || w.Reloaded != "waves" || w.BytesParsed != 0 || w.PairsRun != w.PairsTotal || s.Session.Design != newest.Session.Design {
		t.Errorf("snapshot %d, %+v", s.N, w)
	}
}

func TestOverlayKeepsItsBase(t *testing.T) {
	ws := workspace.New(nil)
	es := openAll(t, ws, newTally(), 2)
	p := es[0].p
	o := p.NewOverlay(p.Current())
	ws.SetBudget(1)
	if p.Evicted() != workspace.Resident || p.Current() != o.Base() {
		t.Errorf("%v below an overlay", p.Evicted())
	}
	o.Discard()
	if p.Evicted() != workspace.Whole {
		t.Errorf("%v after it", p.Evicted())
	}
	runtime.KeepAlive(o)
}

// TestBudgetKeepsFollowed: what somebody waits to hear of goes last.
func TestBudgetKeepsFollowed(t *testing.T) {
	ws := workspace.New(nil)
	ws.SetHooks(workspace.Hooks{Followed: func(p *workspace.Project) bool { return p.Name() == "d0" }})
	es := openAll(t, ws, newTally(), 3)
	ws.SetBudget(accounted(ws) - es[1].p.Bytes())
	if es[0].p.Evicted() != workspace.Resident || es[1].p.Evicted() == workspace.Resident || es[2].p.Evicted() != workspace.Resident {
		t.Errorf("%v, %v, %v", es[0].p.Evicted(), es[1].p.Evicted(), es[2].p.Evicted())
	}
}

func TestHostMemory(t *testing.T) {
	for name, c := range map[string]struct {
		files map[string]string
		want  int64
	}{
		"nothing": {nil, 0},
		"machine": {map[string]string{"proc/meminfo": "MemTotal:       1000 kB\nMemFree: 3 kB\n"}, 1000 << 10},
		"group": {map[string]string{
			"proc/meminfo": "MemTotal: 1000 kB\n", "proc/self/cgroup": "0::/a/b\n", "sys/fs/cgroup/a/memory.max": "5000\n", "sys/fs/cgroup/a/b/memory.max": "max\n",
		}, 5000},
		"version 1": {map[string]string{
			"proc/meminfo": "MemTotal: 1000 kB\n", "proc/self/cgroup": "4:cpu,memory:/x\n2:blkio:/y\n",
			"sys/fs/cgroup/memory/x/memory.limit_in_bytes": "7000\n", "sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n",
		}, 7000},
		"garbled": {map[string]string{"proc/meminfo": "MemTotal:\nMemTotal: x kB\n", "proc/self/cgroup": "::\n0:\n0::../../x\n"}, 0},
	} {
		dir := t.TempDir()
		for path, text := range c.files {
			path = filepath.Join(dir, path)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if got := workspace.HostMemoryBelow(dir); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}
