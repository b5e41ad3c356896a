package host

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/wattd/wattd/kernel"
	"github.com/wattd/wattd/kernel/kerneltest"
)

// sameKept compares two kept results pair by pair.
func sameKept(want, got *kernel.Result) string {
	if d := sameTotals(want, got); d != "" {
		return d
	}
	a, b := want.Stats, got.Stats
	for _, s := range []*kernel.Stats{&a, &b} {
		s.Grown, s.Check, s.Sources, s.Simulate, s.Collect = 0, 0, 0, 0, 0
	}
	if a != b {
		return fmt.Sprintf("stats %+v and %+v", a, b)
	}
	for n := range int32(want.Waves.Nets()) {
		for w := range want.Waves.Windows() {
			if d := samePair(want.Waves, got.Waves, n, w); d != "" {
				return d
			}
		}
	}
	return ""
}

func samePair(a, b *kernel.Waves, n int32, w int) string {
	ra, rb := *a.At(n, w), *b.At(n, w)
	if !slices.Equal(a.Events(&ra), b.Events(&rb)) {
		return fmt.Sprintf("net %d, window %d: events %v and %v", n, w, a.Events(&ra), b.Events(&rb))
	}
	ra.Off, rb.Off = 0, 0
	sa, sb := a.Side(n, w), b.Side(n, w)
	if ra != rb || fmt.Sprint(sa) != fmt.Sprint(sb) {
		return fmt.Sprintf("net %d, window %d: %+v %+v and %+v %+v", n, w, ra, sa, rb, sb)
	}
	return ""
}

// marked counts the pairs that are dirty when the rules are read word by word, from cold results of before and after.
func marked(before, after *kernel.Result, dirty []int32) int64 {
	p, q := after.Kept.Program, before.Kept.Program
	a, b := after.Waves, before.Waves
	row := func(n int32, w int) bool { // the row differs
		if n >= q.NNet {
			return true
		}
		ra, rb := a.At(n, w), b.At(n, w)
		return ra.N != rb.N || !slices.Equal(a.Events(ra), b.Events(rb))
	}
	count := int64(0)
	for _, g := range p.Order {
		n := p.GateOut[g]
		all := slices.Contains(dirty, g) || int(g) >= len(q.GateOut) || q.GateOut[g] != n
		f := &p.Fns[p.GateFn[g]]
		pins := p.PinNet[p.GatePin[g] : p.GatePin[g]+int32(f.NPin)+int32(f.NObs)]
		for w := range a.Windows() {
			mark := all
			for _, x := range pins {
				mark = mark || row(x, w)
			}
			if !mark && w == 0 {
				mark = a.StartValue(n) != b.StartValue(n) || (after.Kept.Job.StartBits[g]^before.Kept.Job.StartBits[g])&(1<<f.NBit-1) != 0
			}
			if !mark && w > 0 {
				sa, sb := a.Side(n, w-1), b.Side(n, w-1)
				mark = sa.Bits != sb.Bits || !slices.Equal(sa.Held, sb.Held) || a.At(n, w).N&1 != b.At(n, w).N&1
			}
			if mark {
				count++
			}
		}
	}
	return count
}

// missed finds a row or side that differs and is not in the list of what may.
func missed(before, after *kernel.Result) string {
	words := (after.Waves.Windows() + 63) / 64
	for n := range int32(before.Waves.Nets()) {
		i, found := slices.BinarySearch(after.Work.Nets, n)
		for w := range after.Waves.Windows() {
			if found && after.Work.Windows[i*words+w>>6]>>(w&63)&1 != 0 {
				continue
			}
			if d := samePair(before.Waves, after.Waves, n, w); d != "" {
				return "not listed: " + d
			}
		}
	}
	return ""
}

// chain makes a number of edits one after the other, without a full run between them, and compares each with a full run.
func chain(t *testing.T, e *engine, seed uint64, c kerneltest.Config, cuts, edits int, kind kernel.Kind) (pairs, total int64) {
	p, j := kerneltest.Random(c)
	j = kerneltest.Cut(j, cuts, seed)
	j.Keep, j.Kind, j.Workers = true, kind, 1+int(seed%3)
	ed := newEditor(seed, p, j)
	prev := mustRun(t, e, p, j)
	plain := *j
	plain.Keep = false
	if d := sameTotals(mustRun(t, e, p, &plain), prev); d != "" {
		t.Fatalf("seed %d: kept: %s", seed, d)
	}
	cold := prev
	for k := range edits {
		ed.step(ed.r.IntN(4))
		what := fmt.Sprintf("seed %d, cut %d, edit %d", seed, cuts, k)
		r, err := e.Load(ed.p)
		if seed%2 == 1 {
			if err == nil {
				r.Close()
			}
			r, err = e.Reload(ed.p, prev.Kept.Program, ed.dirty)
		}
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		got, err := r.Rerun(t.Context(), ed.j, prev, &kernel.Dirty{Gates: ed.dirty})
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		want, err := r.Run(t.Context(), ed.j)
		if err != nil {
			t.Fatal(err)
		}
		r.Close()
		if d := sameKept(want, got); d != "" {
			t.Fatalf("%s (%d windows): %s", what, want.Waves.Windows(), d)
		}
		if d := sameKept(cold, prev); d != "" {
			t.Fatalf("%s: the previous result changed: %s", what, d)
		}
		if n := marked(cold, want, ed.dirty); got.Work.PairsRun != n {
			t.Fatalf("%s: %d pairs were run, %d are dirty", what, got.Work.PairsRun, n)
		}
		if d := missed(prev, got); d != "" {
			t.Fatalf("%s: %s", what, d)
		}
		pairs += got.Work.PairsRun
		total += got.Work.PairsTotal
		prev, cold = got, want
	}
	return pairs, total
}

func TestRerunChains(t *testing.T) {
	var pairs, total int64
	seeds := uint64(100)
	if testing.Short() {
		seeds = 30
	}
	for seed := range seeds {
		c := small(5000 + seed)
		c.Fast = seed%5 == 0
		kind := kernel.Timed
		if seed%7 == 0 {
			kind = kernel.Cycle
		}
		e := &engine{open: openHeap, slab: firstSlab, keeps: true}
		switch seed % 4 {
		case 1:
			e.general = true
		case 2:
			e.slab, e.scratch = 1, 1
		}
		n, m := chain(t, e, seed, c, []int{1, 7, 150, -3, -20, -90}[seed%6], int(1+seed%20), kind)
		pairs, total = pairs+n, total+m
	}
	t.Logf("%d of %d pairs run", pairs, total)
}

// noEdit is a kept result with the program and job that it was made of.
func noEdit(t *testing.T, seed uint64, cuts int) (*kernel.Program, *kernel.Job, *kernel.Result, kernel.Runner) {
	p, j := kerneltest.Random(small(seed))
	j = kerneltest.Cut(j, cuts, seed)
	j.Keep = true
	r := load(t, p)
	res, err := r.Run(t.Context(), j)
	if err != nil {
		t.Fatal(err)
	}
	return p, j, res, r
}

// Nothing changed, nothing is run; the same sources at another place in memory are compared and found equal.
func TestRerunOfNothing(t *testing.T) {
	_, j, prev, r := noEdit(t, 1, 20)
	c := *j
	c.SrcTick, c.Start, c.StartBits = slices.Clone(j.SrcTick), slices.Clone(j.Start), slices.Clone(j.StartBits)
	for _, j := range []*kernel.Job{j, &c} {
		res, err := r.Rerun(t.Context(), j, prev, &kernel.Dirty{})
		if err != nil {
			t.Fatal(err)
		}
		if w := res.Work; w.PairsRun != 0 || w.RowsCompared != 0 || w.GatesRun != 0 || len(w.Nets) != 0 || w.PairsTotal != res.Stats.GateWindows {
			t.Errorf("work %+v", w)
		}
		if d := sameKept(prev, res); d != "" {
			t.Error(d)
		}
	}
}

// A gate that is listed and did not change is run in all windows and cuts off in all; nothing behind it is run.
func TestRerunCutsOff(t *testing.T) {
	p, j, prev, r := noEdit(t, 2, 20)
	res, err := r.Rerun(t.Context(), j, prev, &kernel.Dirty{Gates: []int32{p.Order[0], p.Order[0]}})
	if err != nil {
		t.Fatal(err)
	}
	if w := res.Work; w.PairsRun != 20 || w.CutOffs != 20 || w.RowsCompared != 20 || w.GatesRun != 1 || !slices.Equal(w.Nets, []int32{p.GateOut[p.Order[0]]}) || !slices.Equal(w.Windows, []uint64{1<<20 - 1}) {
		t.Errorf("work %+v", w)
	}
	if d := sameKept(prev, res); d != "" {
		t.Error(d)
	}
}

// More filtered pulses and evaluations than a row holds survive a rerun.
func TestRerunEscape(t *testing.T) {
	p := one{pins: 1, table: 2, rise: []int32{10}, fall: []int32{10}}.program()
	var ticks []int64
	for i := range int64(2 * 70000) {
		ticks = append(ticks, 1+i)
	}
	j := jobOf(p, 1_000_000, 0, ticks)
	j.Cuts, j.Keep = []int64{0, 1000, 999_000, 1_000_000}, true
	r := load(t, p)
	prev, err := r.Run(t.Context(), j)
	if err != nil {
		t.Fatal(err)
	}
	c := *j
	c.SrcTick, c.SrcOff = ticks[:len(ticks)-2], []int64{0, int64(len(ticks) - 2)}
	want, err := r.Run(t.Context(), &c)
	if err != nil {
		t.Fatal(err)
	}
	got, err := r.Rerun(t.Context(), &c, prev, &kernel.Dirty{})
	if err != nil {
		t.Fatal(err)
	}
	if d := sameKept(want, got); d != "" || got.Work.PairsRun != 1 || got.Waves.Filtered(1, 1) < kernel.FiltEscape {
		t.Errorf("%s, work %+v, filtered %d", d, got.Work, got.Waves.Filtered(1, 1))
	}
}

// Edit after edit the memory of a result stays within a few times what a full run takes.
func TestRerunCompacts(t *testing.T) {
	p, j := kerneltest.Random(kerneltest.Config{Seed: 1, Sources: 50, Gates: 800, Cells: true, Length: 30_000, Changes: 60, Delay: 60})
	j = kerneltest.Cut(j, 20, 0)
	j.Keep = true
	r := load(t, p)
	first, err := r.Run(t.Context(), j)
	if err != nil {
		t.Fatal(err)
	}
	ed := newEditor(1, p, j)
	prev, compacted := first, 0
	most := int64(0)
	for range 60 {
		ed.step(0)
		for range 20 {
			ed.source()
		}
		res, err := r.Rerun(t.Context(), ed.j, prev, &kernel.Dirty{})
		if err != nil {
			t.Fatal(err)
		}
		if res.Waves.Size() < prev.Waves.Size() {
			compacted++
		}
		most = max(most, res.Waves.Size())
		prev = res
	}
	last, err := r.Run(t.Context(), ed.j)
	if err != nil {
		t.Fatal(err)
	}
	if d := sameKept(last, prev); d != "" {
		t.Error(d)
	}
	if limit := 4*max(first.Waves.Size(), last.Waves.Size()) + 4<<20; compacted == 0 || most > limit {
		t.Errorf("compacted %d times, at most %d bytes, a full run takes %d", compacted, most, last.Waves.Size())
	}
}

// What does not fit is an error of the job, and the previous result and the runner work on.
func TestRerunErrors(t *testing.T) {
	p, j, prev, r := noEdit(t, 3, 10)
	plain := *j
	plain.Keep = false
	once, err := r.Run(t.Context(), &plain)
	if err != nil {
		t.Fatal(err)
	}
	other := *j
	other.Cuts = slices.Clone(j.Cuts)
	other.Cuts[1]++
	cycle, fast, short := *j, *j, *j
	cycle.Kind = kernel.Cycle
	fast.Variant, fast.Plan = kernel.Fast, kernel.PlanFrom(prev.Waves)
	short.Start = nil
	bad := *j
	bad.SrcTick = slices.Clone(j.SrcTick)
	bad.SrcTick[0] = 0
	for name, c := range map[string]struct {
		j    *kernel.Job
		prev *kernel.Result
		d    *kernel.Dirty
	}{
		"no result":       {j, nil, &kernel.Dirty{}},
		"not kept":        {j, once, &kernel.Dirty{}},
		"no dirty":        {j, prev, nil},
		"other cuts":      {&other, prev, &kernel.Dirty{}},
		"other kind":      {&cycle, prev, &kernel.Dirty{}},
		"presized":        {&fast, prev, &kernel.Dirty{}},
		"no start values": {&short, prev, &kernel.Dirty{}},
		"bad source":      {&bad, prev, &kernel.Dirty{}},
		"no such gate":    {j, prev, &kernel.Dirty{Gates: []int32{int32(len(p.GateOut))}}},
		"negative gate":   {j, prev, &kernel.Dirty{Gates: []int32{-1}}},
	} {
		if res, err := r.Rerun(t.Context(), c.j, c.prev, c.d); !errors.Is(err, kernel.ErrJob) || res != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := r.Run(t.Context(), &fast); !errors.Is(err, kernel.ErrJob) {
		t.Errorf("kept and presized: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := r.Rerun(ctx, j, prev, &kernel.Dirty{}); !errors.Is(err, kernel.ErrInterrupted) {
		t.Errorf("cancelled: %v", err)
	}
	in, err := NewIn(openHeap).Load(p)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	if _, err := in.Run(t.Context(), j); !errors.Is(err, kernel.ErrJob) {
		t.Errorf("kept in other memory: %v", err)
	}
	if _, err := in.Rerun(t.Context(), j, prev, &kernel.Dirty{}); !errors.Is(err, kernel.ErrJob) {
		t.Errorf("rerun in other memory: %v", err)
	}
	if res, err := r.Rerun(t.Context(), j, prev, &kernel.Dirty{Gates: p.Order}); err != nil {
		t.Error(err)
	} else if d := sameKept(prev, res); d != "" {
		t.Error(d)
	}
}

// Cancelled within: the same runner then gives the right result.
func TestRerunInterrupted(t *testing.T) {
	p, j := design(4000, 300)
	j = kerneltest.Cut(j, 30, 0)
	j.Keep, j.Workers = true, 2
	r := load(t, p)
	prev, err := r.Run(t.Context(), j)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	c := *j
	c.Progress = func(done, total int64) { cancel() }
	if _, err := r.Rerun(ctx, &c, prev, &kernel.Dirty{Gates: p.Order}); err != nil && !errors.Is(err, kernel.ErrInterrupted) {
		t.Error(err)
	}
	res, err := r.Rerun(t.Context(), j, prev, &kernel.Dirty{Gates: p.Order})
	if err != nil {
		t.Fatal(err)
	}
	if d := sameKept(prev, res); d != "" || res.Work.CutOffs != res.Work.PairsTotal {
		t.Errorf("%s, work %+v", d, res.Work.CutOffs)
	}
}

// FuzzRerun tries random chains of edits.
func FuzzRerun(f *testing.F) {
	f.Add(uint64(1), int16(-3), uint8(3), false)
	f.Add(uint64(2), int16(200), uint8(2), true)
	f.Add(uint64(77), int16(-60), uint8(7), false)
	f.Fuzz(func(t *testing.T, seed uint64, cuts int16, edits uint8, cycle bool) {
		c := small(seed)
		c.Delay = int32(1 + seed%500)
		c.Reach = int(seed / 7 % 40)
		kind := kernel.Timed
		if cycle {
			kind = kernel.Cycle
		}
		if cuts == 0 {
			cuts = 1
		}
		e := &engine{open: openHeap, slab: 1 + int(seed%100), scratch: int(seed % 3), keeps: true}
		chain(t, e, seed, c, int(cuts%300), int(edits%20), kind)
	})
}
