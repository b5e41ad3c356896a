package daemon

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wattd/wattd/rpc"
	"github.com/wattd/wattd/rpc/api"
)

// Bounds of what a server may grow by in a cycle. A snapshot of the example that is kept is 25 times the first. The heap goes up and down by
// 1 MB in some hundred cycles, as designs gather holes until they are compiled anew, which shows as a slope of 4 KB at most.
const (
	heapPerCycle = 8 << 10
	rssPerCycle  = 32 << 10
)

// TestEditCycles: a design that is edited and asked about again and again, by clients that come and go, leaves nothing behind.
func TestEditCycles(t *testing.T) {
	e := endpoint(t)
	c := starter(t, e, "1")
	dir := mac(t)
	cl := connect(t, c)
	open(t, cl, dir)
	if _, err := rpc.Do(soon(t), cl, api.Subscribe, api.SubscribeParams{Topic: "design"}); err != nil {
		t.Fatal(err)
	}
	pid := int(statusOf(t, cl).Pid)
	netlist, err := os.ReadFile(filepath.Join(dir, "netlist.v"))
	if err != nil {
		t.Fatal(err)
	}
	write := func(name string, b []byte) {
		if err := writers["rename"](filepath.Join(dir, name), b); err != nil {
			t.Fatal(err)
		}
	}
	const warm, every = 100, 25
	cycles := soaking(500, 5000)
	var seen []vitals
	for i := range cycles + 1 {
		write("delays.sdf", slower(t, i%9))
		if i%3 == 0 {
			write("netlist.v", append(netlist, fmt.Sprintf("// %03d\n", i%1000)...))
		}
		got, _ := asked(t, cl)
		if i%20 == 0 { // another client, which leaves without a word
			if diff := cmp.Diff(cold(t, dir), got); diff != "" {
				t.Fatalf("cycle %d: %s", i, diff)
			}
			other, _, err := c.Connect(soon(t))
			if err != nil {
				t.Fatal(err)
			}
			open(t, other, dir)
			for _, m := range []string{api.GlitchTop.Name(), api.DesignStatus.Name(), api.DesignDiagnostics.Name()} {
				if err := other.Call(soon(t), m, nil, nil); err != nil {
					t.Error(m, err)
				}
			}
			other.Close()
		}
		if i >= warm && i%every == 0 {
			seen = append(seen, take(t, e, pid))
		}
	}
	var heap, rss []float64
	for _, v := range seen {
		heap, rss = append(heap, float64(v.Heap)), append(rss, float64(v.RSS))
	}
	first, last := seen[0], seen[len(seen)-1]
	t.Logf("%d cycles: heap %+.0f bytes a cycle (now %.1f MB), RSS %+.0f bytes a cycle (now %.1f MB), goroutines %d to %d, descriptors %d to %d",
		cycles, slope(heap)/every, float64(last.Heap)/(1<<20), slope(rss)/every, float64(last.RSS)/(1<<20), first.Goroutines, last.Goroutines, first.FDs, last.FDs)
	if s := slope(heap) / every; s > heapPerCycle {
		t.Errorf("the heap grows by %.0f bytes a cycle: %v", s, heap)
	}
	if s := slope(rss) / every; s > rssPerCycle {
		t.Errorf("the resident memory grows by %.0f bytes a cycle: %v", s, rss)
	}
	if d := last.Goroutines - first.Goroutines; d > 8 {
		t.Errorf("%d more goroutines", d)
	}
	if d := last.FDs - first.FDs; d > 4 {
		t.Errorf("%d more descriptors", d)
	}
}
