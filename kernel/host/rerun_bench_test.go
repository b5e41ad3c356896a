package host

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/wattd/wattd/kernel"
	"github.com/wattd/wattd/kernel/kerneltest"
)

// BenchmarkRerun measures edits that make a share of all pairs dirty: "gates" by gates that changed (in all windows), "windows"
// by a source that changed in some of them. A share of 1 is a full run that keeps its result, 0 that of a plain one.
func BenchmarkRerun(b *testing.B) {
	const windows = 64
	p, job := design(100_000, 200)
	job = kerneltest.Cut(job, windows, 0)
	r, err := New().Load(p)
	if err != nil {
		b.Fatal(err)
	}
	defer r.Close()
	job.Workers = 1
	for _, job.Keep = range []bool{false, true} {
		b.Run(fmt.Sprintf("full/keep=%v", job.Keep), func(b *testing.B) {
			cpu := cpuTime()
			var s kernel.Stats
			for b.Loop() {
				res, err := r.Run(b.Context(), job)
				if err != nil {
					b.Fatal(err)
				}
				s = res.Stats
			}
			cpu = cpuTime() - cpu
			b.ReportMetric(float64(cpu.Nanoseconds())/float64(b.N)/1e6, "cpu-ms")
			b.ReportMetric(float64(cpu.Nanoseconds())/float64(b.N)/float64(s.GateWindows), "cpu-ns/pair")
		})
	}
	base, err := r.Run(b.Context(), job)
	if err != nil {
		b.Fatal(err)
	}
	for _, share := range []float64{5, 0.5, 0.05} {
		want := int64(share / 100 * float64(base.Stats.GateWindows))
		q, dirty := slower(b, p, job, base, want)
		benchRerun(b, fmt.Sprintf("gates/%g%%", share), q, job, base, &kernel.Dirty{Gates: dirty})
		benchRerun(b, fmt.Sprintf("windows/%g%%", share), p, shifted(job, share/100), base, &kernel.Dirty{})
	}
	benchRerun(b, "nothing", p, job, base, &kernel.Dirty{})
}

// slower changes arcs of gates near the end of the order, until enough pairs are dirty.
func slower(b *testing.B, p *kernel.Program, j *kernel.Job, base *kernel.Result, want int64) (*kernel.Program, []int32) {
	rnd := rand.New(rand.NewPCG(1, 1))
	tail := p.Order[max(0, len(p.Order)-4*int(want)/base.Waves.Windows()):]
	var dirty []int32
	for n := 1; ; n += n/4 + 1 {
		q := *p
		q.ArcDelay = slices.Clone(p.ArcDelay)
		for len(dirty) < n {
			if g := tail[rnd.IntN(len(tail))]; !slices.Contains(dirty, g) {
				dirty = append(dirty, g)
			}
		}
		for _, g := range dirty {
			for s := range p.Shapes[p.GateShape[g]].NSlot {
				q.ArcDelay[p.GateArc[g]+s] += 5
			}
		}
		if rerunOnce(b, &q, j, base, &kernel.Dirty{Gates: dirty}).Work.PairsRun >= want*9/10 {
			return &q, dirty
		}
	}
}

// shifted moves the events of all sources in the last share of the time by a tick.
func shifted(j *kernel.Job, share float64) *kernel.Job {
	c := *j
	c.SrcTick = slices.Clone(j.SrcTick)
	end := j.Cuts[len(j.Cuts)-1]
	from := end - int64(share*float64(end-j.Cuts[0]))
	for i := range c.SrcNet {
		t := c.SrcTick[c.SrcOff[i]:c.SrcOff[i+1]]
		for k := len(t) - 1; k >= 0 && t[k] > from; k-- {
			if next := end; t[k]+1 < next && (k+1 == len(t) || t[k]+1 < t[k+1]) {
				t[k]++
			}
		}
	}
	return &c
}

func rerunOnce(b *testing.B, p *kernel.Program, j *kernel.Job, base *kernel.Result, d *kernel.Dirty) *kernel.Result {
	r, err := New().Load(p)
	if err != nil {
		b.Fatal(err)
	}
	defer r.Close()
	res, err := r.Rerun(b.Context(), j, base, d)
	if err != nil {
		b.Fatal(err)
	}
	return res
}

func benchRerun(b *testing.B, name string, p *kernel.Program, j *kernel.Job, base *kernel.Result, d *kernel.Dirty) {
	b.Run(name, func(b *testing.B) {
		r, err := New().Load(p)
		if err != nil {
			b.Fatal(err)
		}
		defer r.Close()
		b.ReportAllocs()
		var w kernel.Work
		cpu := cpuTime()
		for b.Loop() {
			res, err := r.Rerun(b.Context(), j, base, d)
			if err != nil {
				b.Fatal(err)
			}
			w = res.Work
		}
		cpu = cpuTime() - cpu
		b.ReportMetric(float64(cpu.Nanoseconds())/float64(b.N)/1e6, "cpu-ms")
		b.ReportMetric(float64(cpu.Nanoseconds())/float64(b.N)/float64(max(1, w.PairsRun)), "cpu-ns/pair")
		b.ReportMetric(100*float64(w.Evaluations)/float64(base.Stats.Evaluations), "%evals")
		b.ReportMetric(100*float64(w.PairsRun)/float64(w.PairsTotal), "%pairs")
	})
}
