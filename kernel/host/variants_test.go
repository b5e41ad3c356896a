package host

import (
	"context"
	"errors"
	"slices"
	"testing"
	"unsafe"

	"go.uber.org/goleak"

	"github.com/wattd/wattd/kernel"
	"github.com/wattd/wattd/kernel/kerneltest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func words(b []byte) []int64 {
	return slices.Clone(unsafe.Slice((*int64)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/8))
}

func load(t testing.TB, p *kernel.Program) kernel.Runner {
	t.Helper()
	r, err := New().Load(p)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

// Presized runs equal growing ones for any cuts, again and again on one runner, and in batches.
func TestPresized(t *testing.T) {
	for seed := range uint64(30) {
		p, j := kerneltest.Random(small(seed))
		r := load(t, p)
		want, err := r.Run(t.Context(), j)
		if err != nil {
			t.Fatal(err)
		}
		bound, err := kernel.PlanBound(p, j, 1<<26)
		if err != nil && !errors.Is(err, kernel.ErrCapacity) {
			t.Fatal(err)
		}
		for _, plan := range []*kernel.Plan{kernel.PlanFrom(want.Waves), bound} {
			if plan == nil {
				continue
			}
			var batch []*kernel.Job
			for _, n := range []int{1, -4, 20, 20} {
				f := kerneltest.Cut(j, n, seed)
				f.Variant, f.Plan, f.Workers = kernel.Fast, plan, 1+int(seed%2)
				batch = append(batch, f)
				for range 2 {
					got, err := r.Run(t.Context(), f)
					if err != nil {
						t.Fatal(err)
					}
					if d := sameTotals(want, got); d != "" {
						t.Fatalf("seed %d, cut %d: %s", seed, n, d)
					}
				}
			}
			all, err := r.RunBatch(t.Context(), batch)
			if err != nil {
				t.Fatal(err)
			}
			for i, got := range all {
				if d := sameTotals(want, got); d != "" {
					t.Fatalf("seed %d, job %d of a batch: %s", seed, i, d)
				}
			}
		}
	}
}

// One event less than needed on any net is an error, and the runner works on.
func TestCapacity(t *testing.T) {
	p, j := kerneltest.Random(small(3))
	r := load(t, p)
	want, err := r.Run(t.Context(), j)
	if err != nil {
		t.Fatal(err)
	}
	plan := kernel.PlanFrom(want.Waves)
	for net := range p.NNet {
		if plan.Room(net) == 0 {
			continue
		}
		short := &kernel.Plan{Off: slices.Clone(plan.Off)}
		for n := net + 1; n <= p.NNet; n++ {
			short.Off[n]--
		}
		f := kerneltest.Cut(j, 3, 0)
		f.Variant, f.Plan, f.Workers = kernel.Fast, short, 2
		if res, err := r.Run(t.Context(), f); !errors.Is(err, kernel.ErrCapacity) || res != nil {
			t.Fatalf("net %d: %v", net, err)
		} else if st := (*kernel.StatusError)(nil); !errors.As(err, &st) || st.Code != kernel.GrowEvents || st.Need < 1 {
			t.Fatalf("net %d: status %+v", net, st)
		}
	}
	again, err := r.Run(t.Context(), j)
	if err != nil {
		t.Fatal(err)
	}
	if d := sameTotals(want, again); d != "" {
		t.Fatal(d)
	}
}

func TestFastDoesNotAllocate(t *testing.T) {
	p, j := design(500, 50)
	j.Workers = 1
	r := load(t, p)
	res, err := r.Run(t.Context(), j)
	if err != nil {
		t.Fatal(err)
	}
	f := kerneltest.Cut(j, 8, 0)
	f.Variant, f.Plan = kernel.Fast, kernel.PlanFrom(res.Waves)
	run := func() {
		if _, err := r.Run(context.Background(), f); err != nil {
			t.Fatal(err)
		}
	}
	run() // the scratch of the worker grows once
	if n := testing.AllocsPerRun(20, run); n != 0 {
		t.Errorf("%v allocations a run", n)
	}
	f.Variant, f.Observers = kernel.FastObserved, []kernel.Observer{{ID: kernel.ObserveCounts}, {ID: kernel.ObserveBins, Params: []int64{0, 100, 10}}}
	run()
	if n := testing.AllocsPerRun(20, run); n != 0 {
		t.Errorf("%v allocations an observed run", n)
	}
}

func TestInterrupted(t *testing.T) {
	p, j := design(4000, 300)
	r := load(t, p)
	why := errors.New("no longer wanted")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(why)
	if _, err := r.Run(ctx, j); !errors.Is(err, kernel.ErrInterrupted) || !errors.Is(err, why) {
		t.Errorf("cancelled before: %v", err)
	}
	// Cancelled from within: the progress call comes between chunks of the first worker.
	ctx, cancel = context.WithCancelCause(t.Context())
	j.Workers = 1 // with more, another worker may take every chunk before the first one reports
	j.Progress = func(done, total int64) { cancel(why) }
	_, err := r.Run(ctx, j)
	if !errors.Is(err, kernel.ErrInterrupted) || !errors.Is(err, why) {
		t.Errorf("cancelled during the run: %v", err)
	}
	j.Progress = nil
	if _, err := r.Run(t.Context(), j); err != nil {
		t.Errorf("after an interruption: %v", err)
	}
}

func TestProgressEnds(t *testing.T) {
	p, j := kerneltest.Random(small(1))
	var done, total int64
	j.Progress = func(d, n int64) { done, total = d, n }
	mustRun(t, New(), p, j)
	if done != total || total != int64(p.NNet) {
		t.Errorf("%d of %d", done, total)
	}
}

func TestClosed(t *testing.T) {
	p, j := kerneltest.Random(small(1))
	r := load(t, p)
	j.Workers = 3
	if _, err := r.Run(t.Context(), j); err != nil {
		t.Fatal(err)
	}
	r.Close()
	r.Close()
	if _, err := r.Run(t.Context(), j); !errors.Is(err, kernel.ErrClosed) {
		t.Error(err)
	}
}

type noMemory struct{ left int }

func (m *noMemory) Alloc(n int64) ([]byte, error) {
	if m.left--; m.left < 0 {
		return nil, kernel.ErrMemory
	}
	return heap{}.Alloc(n)
}

// Whatever allocation fails, the error comes back and the runner works on.
func TestOutOfMemory(t *testing.T) {
	p, j := kerneltest.Random(small(2))
	j.Workers = 2
	j.Variant, j.Observers = kernel.Observed, []kernel.Observer{{ID: kernel.ObserveCounts}, {ID: kernel.ObserveTrace, Params: []int64{1, 2}}}
	for n := 0; ; n++ {
		left := n
		r, err := (&engine{open: func() (Memory, error) { return &noMemory{left}, nil }, slab: 1000}).Load(p)
		if err != nil {
			t.Fatal(err)
		}
		_, err = r.Run(t.Context(), j)
		left = 1 << 30
		if _, again := r.Run(t.Context(), j); again != nil {
			t.Fatalf("%d allocations, then enough: %v", n, again)
		}
		r.Close()
		if err == nil {
			if n < 5 {
				t.Fatalf("only %d allocations", n)
			}
			return
		}
		if !errors.Is(err, kernel.ErrMemory) {
			t.Fatal(err)
		}
	}
}

// Observers say what can be computed from the events of a plain run, for any cuts and workers.
func TestObservers(t *testing.T) {
	for seed := range uint64(20) {
		p, j := kerneltest.Random(small(seed))
		ref := newReference(p, j)
		t0, t1 := j.Cuts[0], j.Cuts[1]
		borders := []int64{t0 - 5, t0 + 100, t0 + 333, t0 + 334, t0 + 2000, t1 - 100}
		from, to := t0+500, t1-700
		set := []kernel.Observer{
			{ID: kernel.ObserveCounts},
			{ID: kernel.ObserveCounts, Params: []int64{from, to}},
			{ID: kernel.ObserveBins, Params: []int64{from, 97, 20, 3, 1, 5}},
			{ID: kernel.ObserveTrace, Params: []int64{4, 0, 4}},
			{ID: kernel.ObserveGlitch, Params: append([]int64{int64(len(borders))}, borders...)},
			{ID: kernel.ObserveGlitch, Params: append(append([]int64{int64(len(borders))}, borders...), 7, 2)},
			{ID: kernel.ObserveBins, Params: []int64{t0, 1000, 2}},
		}
		for i, n := range []int{1, -9, 100} {
			c := kerneltest.Cut(j, n, seed)
			c.Variant, c.Observers, c.Workers = kernel.Observed, set, 1+i%2
			res := mustRun(t, New(), p, c)
			ref.compare(t, "observed", res)
			for net := range int64(p.NNet) {
				x := &ref.nets[net]
				if got, want := words(res.Observed[0])[5*net:5*net+5], x.counts(t0, t1); !slices.Equal(got, want) {
					t.Fatalf("counts of net %d: %v, want %v", net, got, want)
				}
				if got, want := words(res.Observed[1])[5*net:5*net+5], x.counts(from, to); !slices.Equal(got, want) {
					t.Fatalf("counts of net %d in part: %v, want %v", net, got, want)
				}
				if got, want := words(res.Observed[4])[2*net:2*net+2], x.split(borders); !slices.Equal(got, want) {
					t.Fatalf("split of net %d: %v, want %v", net, got, want)
				}
				all := unsafe.Slice((*uint32)(unsafe.Pointer(&res.Observed[6][0])), 2*p.NNet)
				for b := range int64(2) {
					if got, want := int64(all[2*net+b]), x.counts(t0+1000*b, t0+1000*(b+1))[0]; got != want {
						t.Fatalf("bin %d of net %d: %d, want %d", b, net, got, want)
					}
				}
			}
			for k, net := range []int64{7, 2} {
				if got, want := words(res.Observed[5])[2*k:2*k+2], ref.nets[net].split(borders); !slices.Equal(got, want) {
					t.Fatalf("split of chosen net %d: %v, want %v", net, got, want)
				}
			}
			bins := unsafe.Slice((*uint32)(unsafe.Pointer(&res.Observed[2][0])), 60)
			for k, net := range []int64{3, 1, 5} {
				for b := range int64(20) {
					if got, want := int64(bins[20*int64(k)+b]), ref.nets[net].counts(from+97*b, from+97*(b+1))[0]; got != want {
						t.Fatalf("bin %d of net %d: %d, want %d", b, net, got, want)
					}
				}
			}
			trace := words(res.Observed[3])
			events := trace[6:]
			for k, net := range []int64{4, 0, 4} {
				at, head := trace[2*k], trace[2*k+1]
				if got := events[at : at+head>>1]; !slices.Equal(got, ref.nets[net].events) || uint64(head&1) != ref.nets[net].start {
					t.Fatalf("trace of net %d: %v", net, got)
				}
			}
		}
	}
}

func (n *referenceNet) counts(from, to int64) []int64 {
	c := make([]int64, 5)
	v := n.start
	last := from
	for _, t := range n.events {
		if t >= from && t < to {
			c[0]++
			c[1+v]++
			if v == 1 {
				c[3] += t - last
			}
			last = t
		}
		if t < to {
			v ^= 1
		}
	}
	if v == 1 {
		c[3] += to - last
	}
	for _, t := range n.drops {
		if t >= from && t < to {
			c[4]++
		}
	}
	return c
}

func (n *referenceNet) split(borders []int64) []int64 {
	c := make([]int64, 2)
	for i := 1; i < len(borders); i++ {
		functional := int64(n.before(borders[i-1]) ^ n.before(borders[i]))
		c[0] += functional
		c[1] += n.counts(borders[i-1], borders[i])[0] - functional
	}
	return c
}

// More filtered pulses than a row holds go beside it.
func TestFilteredEscape(t *testing.T) {
	p := one{pins: 1, table: 2, rise: []int32{10}, fall: []int32{10}}.program()
	var ticks []int64
	for i := range int64(2 * 70000) {
		ticks = append(ticks, 1+i)
	}
	j := jobOf(p, 1_000_000, 0, ticks)
	j.Cuts = []int64{0, 1000, 999_000, 1_000_000}
	res := mustRun(t, New(), p, j)
	if a, b, c := res.Waves.Filtered(1, 0), res.Waves.Filtered(1, 1), res.Waves.Filtered(1, 2); a+b != 70000 || b < 65535 || c != 0 || len(res.Waves.Over) != 1 {
		t.Errorf("filtered %d, %d, %d", a, b, c)
	}
}
