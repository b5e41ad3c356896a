// Package sim runs stimuli on designs through an engine of package kernel.
//
// Contract: the result does not depend on windows, workers, variant or engine. This package settles the design at the start of
// the run, cuts the time into windows, and falls back from a presized run that was short to a growing one, saying so. Progress and
// cancellation go through the job.
package sim

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/wattd/wattd/internal/design"
	"github.com/wattd/wattd/internal/diag"
	"github.com/wattd/wattd/internal/wave"
	"github.com/wattd/wattd/kernel"
)

// Options are the choices of a run; none changes its result but Kind.
type Options struct {
	Engine    kernel.Engine
	Cuts      []int64 // inner window borders; nil: Windows decides
	Windows   int     // 0: automatic
	Kind      kernel.Kind
	Variant   kernel.Variant
	Plan      *kernel.Plan
	Workers   int
	Observers []kernel.Observer
	Progress  func(done, total int64)

	// Keep makes a result that a later run can take as its Prev (variant Base only); it has more windows, so that less runs again.
	Keep bool
	// Prev is the kept result of an earlier version of the design whose slots this one keeps, and Changed the gates that differ
	// (design.Diff): only what they touch is run. With other cuts everything is.
	Prev    *Result
	Changed []int32
	// SameLogic says that design and stimulus differ from those of Prev in delays alone: the start is then the same.
	SameLogic bool
	// Patched says that the program came from that of Prev by copying and appending (design.Patch): other gates are as they were.
	Patched bool
}

// Result is the outcome of a run.
type Result struct {
	*kernel.Result
	Engine    string
	Variant   kernel.Variant
	Defaulted int64 // state bits that are 0 for want of anything better
	FellBack  bool  // a presized run was repeated

	start *Start
}

// Run simulates st on d. The bag gets what had to be assumed about states at the start.
func Run(ctx context.Context, d *design.Design, st *wave.Stimulus, opt Options, bag *diag.Bag) (*Result, error) {
	if opt.Engine == nil {
		return nil, fmt.Errorf("sim: no engine")
	}
	again := opt.Keep && opt.Prev != nil && opt.Prev.Kept != nil
	var start *Start
	if again && opt.SameLogic && opt.Prev.start != nil {
		start = opt.Prev.start
	} else {
		start = Settle(d, st, bag)
	}
	job := &kernel.Job{
		Cuts: Cuts(d, st, opt), Start: start.Nets, StartBits: start.Bits,
		SrcNet: st.Net, SrcOff: st.Off, SrcTick: st.Tick,
		Kind: opt.Kind, Variant: opt.Variant, Workers: opt.Workers, Observers: opt.Observers, Plan: opt.Plan, Keep: opt.Keep, Progress: opt.Progress,
	}
	again = again && slices.Equal(opt.Prev.Kept.Job.Cuts, job.Cuts) && opt.Prev.Kept.Job.Kind == job.Kind
	r, err := load(d, opt, again)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	res := &Result{Engine: opt.Engine.Name(), Variant: opt.Variant, Defaulted: start.Defaulted, start: start}
	if again {
		res.Result, err = r.Rerun(ctx, job, opt.Prev.Result, &kernel.Dirty{Gates: opt.Changed})
		if err == nil && res.Waves.Sparse() {
			res.Waves = res.Waves.Compact()
		}
	} else {
		res.Result, err = r.Run(ctx, job)
	}
	if errors.Is(err, kernel.ErrCapacity) {
		bag.Add(diag.SimPlanGrown, diag.Pos{}, "%v", err)
		job.Plan, res.FellBack = nil, true
		job.Variant = kernel.Base
		if opt.Variant == kernel.FastObserved {
			job.Variant = kernel.Observed
		}
		res.Variant = job.Variant
		res.Result, err = r.Run(ctx, job)
	}
	if err != nil {
		return nil, err
	}
	if start.ClockGates > 0 {
		tick, ok := firstTransparent(d, res.Waves, start.defaulted)
		when := "they never are in this run"
		if ok {
			when = "all are transparent at " + wave.FormatTime(d.Tick, tick)
		}
		bag.AddN(diag.SimStateDefault, start.ClockGates, diag.Pos{}, "%d clock gates are closed at the start with unknown state; %s", start.ClockGates, when)
	}
	if n := start.Defaulted - start.ClockGates; n > 0 {
		bag.AddN(diag.SimStateDefault, n, diag.Pos{}, "%d latches or three-state nets are closed at the start with unknown state", n)
	}
	return res, nil
}

// load makes the design resident, as an edit of the one before where the engine can.
func load(d *design.Design, opt Options, again bool) (kernel.Runner, error) {
	if e, ok := opt.Engine.(kernel.Reloader); ok && again && opt.Patched {
		return e.Reload(d.Program, opt.Prev.Kept.Program, opt.Changed)
	}
	return opt.Engine.Load(d.Program)
}

// Cuts returns the window borders of a run, its ends included.
func Cuts(d *design.Design, st *wave.Stimulus, opt Options) []int64 {
	c := []int64{st.From}
	switch {
	case opt.Cuts != nil:
		for _, t := range opt.Cuts {
			if t > st.From && t < st.To {
				c = append(c, t)
			}
		}
		slices.Sort(c)
		c = slices.Compact(c)
	default:
		n := int64(opt.Windows)
		if n == 0 {
			n = autoWindows(st, opt.Keep)
		}
		n = min(n, st.To-st.From)
		span := st.To - st.From
		for k := int64(1); k < n; k++ {
			// k*span/n without overflow
			c = append(c, st.From+span/n*k+span%n*k/n)
		}
	}
	c = append(c, st.To)
	return splitLong(c)
}

// autoWindows keeps a window below the engine's limit and the events of one source in it few enough for the caches. A kept
// result gets more windows: a pair of gate and window is what runs again.
func autoWindows(st *wave.Stimulus, keep bool) int64 {
	most := int64(0)
	for i := range st.Net {
		most = max(most, st.Off[i+1]-st.Off[i])
	}
	n := 1 + most/eventsPerWindow
	if keep {
		n = max(n, min(most/keptEvents, keptWindows))
	}
	return max(n, 1)
}

// Windows of a kept result: short enough for keptEvents changes of the busiest source, but no more than keptWindows, since every
// window costs a row a net.
const (
	keptEvents  = 64
	keptWindows = 64
)

// eventsPerWindow is how many changes the busiest source, usually a clock, makes in an automatic window.
const eventsPerWindow = 4096

// splitLong cuts windows that an engine could not address.
func splitLong(c []int64) []int64 {
	const most = kernel.MaxWindow - 1
	var out []int64
	for i, t := range c {
		if i > 0 {
			for out[len(out)-1]+most < t {
				out = append(out, out[len(out)-1]+most)
			}
		}
		out = append(out, t)
	}
	return out
}
