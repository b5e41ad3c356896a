package simtest

import (
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"

	"github.com/wattd/wattd/internal/sim"
	"github.com/wattd/wattd/kernel"
	"github.com/wattd/wattd/kernel/host"
	"github.com/wattd/wattd/kernel/remote"
)

// childEnv in the environment makes this test binary the child that runs an engine.
const childEnv = "WATTD_SIMTEST_CHILD"

// engine is the engine in this process, or now and then the same one in a child process.
func (k *checker) engine() (kernel.Engine, error) {
	if runtime.GOOS != "linux" || k.r.IntN(60) > 0 {
		return host.New(), nil
	}
	k.tally.add("child process", 1)
	return remote.New(func() *exec.Cmd {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), childEnv+"=1")
		cmd.Stderr = os.Stderr
		return cmd
	})
}

// again repeats the run under other windows, workers, variants and engines: nothing may change.
func (k *checker) again() error {
	engine, err := k.engine()
	if err != nil {
		return err
	}
	opt := sim.Options{
		Engine:  engine,
		Cuts:    k.cuts(),
		Variant: kernel.Variant(k.r.IntN(4)),
		Workers: 1 + k.r.IntN(3),
	}
	if opt.Variant == kernel.Observed || opt.Variant == kernel.FastObserved {
		opt.Observers = []kernel.Observer{{ID: kernel.ObserveCounts}}
	}
	if opt.Variant == kernel.Fast || opt.Variant == kernel.FastObserved {
		opt.Plan = kernel.PlanFrom(k.base.Waves)
		if k.r.IntN(8) == 0 {
			opt.Plan = short(opt.Plan)
		}
	}
	what := fmt.Sprintf("%s, variant %d, %d workers, cuts %v: ", engine.Name(), opt.Variant, opt.Workers, opt.Cuts)
	r, err := k.p.run(opt)
	if err != nil {
		return fmt.Errorf("%s%w", what, err)
	}
	defer r.Release()
	k.tally.add(fmt.Sprint("variant ", opt.Variant), 1)
	if r.FellBack {
		k.tally.add("plan too small", 1)
	}
	if d := kernel.Diff(k.base.Waves, r.Waves); d != "" {
		return fmt.Errorf("%s%s", what, d)
	}
	if !slices.Equal(k.base.Gates(), r.Gates()) {
		return fmt.Errorf("%scounts of gates %v, want %v", what, r.Gates(), k.base.Gates())
	}
	if !slices.Equal(k.base.WireFiltered(), r.WireFiltered()) {
		return fmt.Errorf("%spulses filtered at wires %v, want %v", what, r.WireFiltered(), k.base.WireFiltered())
	}
	if len(opt.Observers) > 0 && len(r.Observed) > 0 {
		return k.observed(r, what)
	}
	return nil
}

// short takes room from a plan.
func short(p *kernel.Plan) *kernel.Plan {
	q := &kernel.Plan{Off: make([]int64, len(p.Off))}
	for n := 1; n < len(p.Off); n++ {
		q.Off[n] = q.Off[n-1] + (p.Off[n]-p.Off[n-1])/2
	}
	return q
}

// observed compares the counting observer with the waves.
func (k *checker) observed(r *sim.Result, what string) error {
	b := r.Observed[0]
	for i := range k.c.Nets {
		net, w := k.p.nets[i], &k.want.Nets[i]
		at := int(net) * kernel.CountsSize
		var got [5]int64
		for j := range got {
			got[j] = int64(binary.NativeEndian.Uint64(b[at+8*j:]))
		}
		one := int64(0)
		v, last := w.Start, k.c.From
		rise := int64(0)
		for _, t := range append(slices.Clone(w.Ticks), k.c.To) {
			if v {
				one += t - last
			} else if t < k.c.To {
				rise++
			}
			v, last = !v, t
		}
		n := int64(len(w.Ticks))
		want := [5]int64{n, rise, n - rise, one, w.Filtered}
		if got != want {
			return fmt.Errorf("%snet %s: observer counts %v, want %v", what, k.name(i), got, want)
		}
	}
	k.tally.add("observer compared", 1)
	return nil
}

// cuts picks window borders: at changes of sources and of other nets and beside them, anywhere, or every few ticks.
func (k *checker) cuts() []int64 {
	from, to := k.c.From, k.c.To
	var cuts []int64
	some := func(n int, at func() int64) {
		for range n {
			if t := at(); t > from && t < to {
				cuts = append(cuts, t)
			}
		}
	}
	anywhere := func() int64 { return from + k.r.Int64N(to-from) }
	event := func() int64 {
		n := k.want.Nets[k.r.IntN(len(k.want.Nets))]
		if len(n.Ticks) == 0 {
			return anywhere()
		}
		return n.Ticks[k.r.IntN(len(n.Ticks))] + k.r.Int64N(3) - 1
	}
	switch k.r.IntN(5) {
	case 0:
		some(1+k.r.IntN(3), anywhere)
	case 1:
		some(1+k.r.IntN(8), event)
	case 2: // single ticks in a row
		t := event()
		for i := range int64(2 + k.r.IntN(20)) {
			some(1, func() int64 { return t + i })
		}
		k.tally.add("windows of single ticks", 1)
	case 3: // windows shorter than most delays
		step := 1 + k.r.Int64N(max(1, (to-from)/40))
		for t := from + step; t < to; t += step {
			cuts = append(cuts, t)
		}
		k.tally.add("windows shorter than delays", 1)
	default:
		some(2, anywhere)
		some(4, event)
	}
	slices.Sort(cuts)
	return append([]int64{}, slices.Compact(cuts)...)
}
