package host

import (
	"fmt"
	"testing"

	"github.com/wattd/wattd/kernel"
	"github.com/wattd/wattd/kernel/kerneltest"
)

// design is a netlist of usual cells, about 40 levels deep, 1.5 transitions a gate and cycle of 2000 ticks.
func design(gates int, cycles int64) (*kernel.Program, *kernel.Job) {
	return kerneltest.Random(kerneltest.Config{Seed: 1, Sources: gates / 20, Gates: gates, Reach: gates / 20, Cells: true, Fast: true, Length: 2000 * cycles, Changes: int(cycles) / 10, Delay: 60})
}

func benchRun(b *testing.B, e kernel.Engine, p *kernel.Program, j *kernel.Job) {
	r, err := e.Load(p)
	if err != nil {
		b.Fatal(err)
	}
	defer r.Close()
	if j.Variant.Presized() {
		base := *j
		base.Variant, base.Observers = kernel.Base, nil
		res, err := r.Run(b.Context(), &base)
		if err != nil {
			b.Fatal(err)
		}
		j.Plan = kernel.PlanFrom(res.Waves)
	}
	b.ReportAllocs()
	var s kernel.Stats
	cpu := cpuTime()
	for b.Loop() {
		res, err := r.Run(b.Context(), j)
		if err != nil {
			b.Fatal(err)
		}
		s = res.Stats
	}
	cpu = cpuTime() - cpu
	out := float64(s.Events - s.SourceEvents)
	b.ReportMetric(out*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mtr/s")
	if cpu > 0 {
		b.ReportMetric(out*float64(b.N)/cpu.Seconds()/1e6, "Mtr/cpu-s")
	}
	b.ReportMetric(float64(s.Evaluations)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Meval/s")
	b.ReportMetric(float64(s.Filtered)/out, "filtered/tr")
	b.ReportMetric(out/float64(len(p.Order)), "tr/gate")
}

func BenchmarkRun(b *testing.B) {
	const gates, cycles = 20000, 500
	p, job := design(gates, cycles)
	for _, windows := range []int{1, 16, 128} {
		for _, workers := range []int{1, 2} {
			for _, v := range []kernel.Variant{kernel.Base, kernel.Fast} {
				b.Run(fmt.Sprintf("windows=%d/workers=%d/variant=%d", windows, workers, v), func(b *testing.B) {
					j := kerneltest.Cut(job, windows, 0)
					j.Workers, j.Variant = workers, v
					benchRun(b, New(), p, j)
				})
			}
		}
	}
	b.Run("general", func(b *testing.B) {
		j := kerneltest.Cut(job, 1, 0)
		j.Workers = 1
		benchRun(b, &engine{open: openHeap, slab: firstSlab, general: true}, p, j)
	})
	b.Run("cycle", func(b *testing.B) {
		j := kerneltest.Cut(job, 1, 0)
		j.Workers, j.Kind = 1, kernel.Cycle
		benchRun(b, New(), p, j)
	})
	b.Run("counts", func(b *testing.B) {
		j := kerneltest.Cut(job, 1, 0)
		j.Workers, j.Variant, j.Observers = 1, kernel.Observed, []kernel.Observer{{ID: kernel.ObserveCounts}}
		benchRun(b, New(), p, j)
	})
}

// BenchmarkLarge has rows that no cache holds.
func BenchmarkLarge(b *testing.B) {
	p, job := design(300000, 100)
	for _, windows := range []int{1, 32} {
		b.Run(fmt.Sprintf("windows=%d", windows), func(b *testing.B) {
			j := kerneltest.Cut(job, windows, 0)
			j.Workers = 1
			benchRun(b, New(), p, j)
		})
	}
}
