package host

import (
	"fmt"
	"testing"

	"github.com/wattd/wattd/kernel"
	"github.com/wattd/wattd/kernel/kerneltest"
)

func small(seed uint64) kerneltest.Config {
	return kerneltest.Config{Seed: seed, Sources: 8, Gates: 60, Length: 4000, Changes: 40, Delay: 60}
}

func mustRun(t testing.TB, e kernel.Engine, p *kernel.Program, j *kernel.Job) *kernel.Result {
	t.Helper()
	r, err := e.Load(p)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	res, err := r.Run(t.Context(), j)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func sameTotals(a, b *kernel.Result) string {
	ga, gb := a.Gates(), b.Gates()
	for g := range ga {
		if ga[g] != gb[g] {
			return fmt.Sprintf("gate %d: %+v and %+v", g, ga[g], gb[g])
		}
	}
	wa, wb := a.WireFiltered(), b.WireFiltered()
	for i := range wa {
		if wa[i] != wb[i] {
			return fmt.Sprintf("pin %d: wire filtered %d and %d", i, wa[i], wb[i])
		}
	}
	if a.Stats.Events != b.Stats.Events || a.Stats.Evaluations != b.Stats.Evaluations || a.Stats.Filtered != b.Stats.Filtered {
		return fmt.Sprintf("stats %+v and %+v", a.Stats, b.Stats)
	}
	return kernel.Diff(a.Waves, b.Waves)
}

// Whatever the windows, workers, path and memory: the same events and totals.
func TestCutsWorkersPathsGrowth(t *testing.T) {
	for seed := range uint64(60) {
		c := small(seed)
		c.Fast = seed%5 == 0
		p, j := kerneltest.Random(c)
		j.Workers = 1
		want := mustRun(t, &engine{open: openHeap, slab: firstSlab, general: true}, p, j)
		if want.Stats.Events == want.Stats.SourceEvents {
			t.Fatalf("seed %d: no events", seed)
		}
		for i, n := range []int{1, 7, 300, -1, -5, -40} {
			cut := kerneltest.Cut(j, n, seed)
			cut.Workers = 1 + i%3
			for _, e := range []*engine{
				{open: openHeap, slab: firstSlab, keeps: true},
				{open: openHeap, slab: firstSlab, general: true},
				{open: openHeap, slab: 1, scratch: 1},
			} {
				if d := sameTotals(want, mustRun(t, e, p, cut)); d != "" {
					t.Fatalf("seed %d, cut %d (%d windows), engine %+v: %s", seed, n, len(cut.Cuts)-1, e, d)
				}
			}
		}
	}
}

func openHeap() (Memory, error) { return heap{}, nil }
