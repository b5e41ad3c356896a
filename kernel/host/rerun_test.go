package host

import (
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
	for seed := range uint64(150) {
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
