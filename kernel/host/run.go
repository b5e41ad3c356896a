package host

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/wattd/wattd/kernel"
)

// run is the state that the workers of a run share.
type run struct {
	job     *kernel.Job
	res     *result
	rows    []kernel.Row // net * windows + window; nil in reruns
	windows int
	keep    bool            // record what a rerun needs
	again   *again          // what a rerun starts from; nil: a full run
	added   int64           // bytes of slabs
	done    <-chan struct{} // of the context
	obs     []observation

	stop   atomic.Bool    // somebody failed: skip what is left
	cursor []atomic.Int64 // next item per level, sources first
	chunk  int
	gate   barrier
	wait   sync.WaitGroup

	passed   atomic.Int64 // items done, for Progress
	progress time.Time

	mu  sync.Mutex
	err *kernel.StatusError
}

// fail keeps the first failure and stops the run.
func (r *run) fail(s kernel.Status, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err == nil {
		r.err = &kernel.StatusError{Status: s, Err: err}
		r.stop.Store(true)
	}
}

// look takes the memory of all levels done; other workers may add to it already.
func (k *worker) look() {
	r := k.run
	r.mu.Lock()
	defer r.mu.Unlock()
	k.slabs, k.blockSlabs, k.rowSlabs = r.res.waves.Slabs, r.res.waves.BlockSlabs, r.res.waves.RowSlabs
	if r.again != nil {
		k.bitSlabs = r.again.bits
	}
}

// run is the wrapper: it owns the memory, starts the workers and collects.
func (r *runner) run(ctx context.Context, j *kernel.Job, keep bool) (*kernel.Result, error) {
	if r.closed {
		return nil, kernel.ErrClosed
	}
	start := time.Now()
	if err := r.check.Check(j); err != nil {
		return nil, err
	}
	if j.Keep && !r.keeps {
		return nil, fmt.Errorf("%w: this engine makes no kept results", kernel.ErrJob)
	}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("%w: %w", kernel.ErrInterrupted, context.Cause(ctx))
	}
	res, err := r.newResult(j, keep)
	if err != nil {
		return nil, err
	}
	if err := r.prepare(ctx, j, res); err != nil {
		return nil, err
	}
	r.now.rows = res.waves.Rows
	if j.Keep {
		res.waves.Rows = nil // found through the directory
	}
	res.Stats.Check = time.Since(start)
	done, err := r.simulate(ctx, start)
	if err != nil && keep {
		r.kept = nil
	}
	return done, err
}

// prepare sets up the shared state of a run.
func (r *runner) prepare(ctx context.Context, j *kernel.Job, res *result) error {
	n := &r.now
	n.job, n.res, n.windows, n.done = j, res, len(j.Cuts)-1, ctx.Done()
	n.rows, n.keep, n.again, n.added = nil, j.Keep, nil, 0
	n.err = nil
	n.stop.Store(false)
	n.passed.Store(0)
	n.progress = time.Time{} // the first chunk reports at once
	if n.cursor == nil {
		n.cursor = make([]atomic.Int64, max(1, len(r.p.LevelStart)))
	}
	for i := range n.cursor {
		n.cursor[i].Store(0)
	}
	for i := range r.source {
		r.source[i] = -1
	}
	for i, net := range j.SrcNet {
		r.source[r.loosePos[net]] = int32(i)
	}
	n.chunk = 64
	return n.observe(r.p)
}

// simulate starts the workers on what was prepared, waits and collects.
func (r *runner) simulate(ctx context.Context, start time.Time) (*kernel.Result, error) {
	n := &r.now
	j, res := n.job, n.res
	workers := r.workersFor(j)
	r.start(workers)
	res.Stats.Simulate = time.Since(start) - res.Stats.Check - res.Stats.Sources
	defer r.forget()
	if n.err != nil {
		if n.err.Code == kernel.Interrupted {
			return nil, fmt.Errorf("%w: %w", n.err, context.Cause(ctx))
		}
		return nil, n.err
	}
	begin := time.Now()
	if err := r.collect(r.workers[:workers]); err != nil {
		return nil, err
	}
	res.Stats.Collect = time.Since(begin)
	if j.Progress != nil {
		j.Progress(n.total(r), n.total(r))
	}
	return &res.Result, nil
}

func (r *runner) workersFor(j *kernel.Job) int {
	workers := j.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	return max(1, min(workers, r.width))
}

// forget drops what refers to the memory of a run, so that it can be freed while the runner rests.
func (r *runner) forget() {
	r.now.job, r.now.res, r.now.done, r.now.rows, r.now.again = nil, nil, nil, nil, nil
	r.reuse.prev, r.reuse.moved = nil, nil
	clear(r.reuse.bits[:cap(r.reuse.bits)])
	clear(r.now.obs)
	for _, k := range r.workers {
		k.slab, k.slabs, k.blockSlabs, k.rowSlabs, k.bitSlabs = nil, nil, nil, nil, nil
		k.record.reset()
		k.again.reset()
		clear(k.events[:])
	}
}

func (n *run) total(r *runner) int64 { return int64(len(r.loose)+len(r.p.Order)) * int64(n.windows) }

// start runs the workers and waits for them: the first on this goroutine, the others on those of the pool.
func (r *runner) start(workers int) {
	for len(r.workers) < workers {
		r.workers = append(r.workers, &worker{runner: r, run: &r.now, id: len(r.workers)})
	}
	for r.started < workers-1 {
		r.started++
		r.ended.Go(func() {
			for k := range r.pool {
				k.work()
				k.run.wait.Done()
			}
		})
	}
	r.now.gate.reset(workers)
	r.now.wait.Add(workers - 1)
	for _, k := range r.workers[:workers] {
		k.reset()
	}
	for _, k := range r.workers[1:workers] {
		r.pool <- k
	}
	r.workers[0].work()
	r.now.wait.Wait()
}

// collect adds up what the workers counted.
func (r *runner) collect(workers []*worker) error {
	n := &r.now
	s, w := &n.res.Stats, &n.res.waves
	for _, k := range workers {
		s.Events += k.stats.Events
		s.SourceEvents += k.stats.SourceEvents
		s.Evaluations += k.stats.Evaluations
		s.Filtered += k.stats.Filtered
		s.WireFiltered += k.stats.WireFiltered
		s.Races += k.stats.Races
		s.ErrorPulses += k.stats.ErrorPulses
		s.Unannotated += k.stats.Unannotated
		s.Quiet += k.stats.Quiet
		s.Grown += k.stats.Grown
		w.Over = append(w.Over, k.over...)
	}
	s.GateWindows = int64(len(r.p.Order)) * int64(n.windows)
	slices.SortFunc(w.Over, func(a, b kernel.Over) int { return cmp.Compare(a.Row, b.Row) })
	if n.again != nil {
		r.collectWork(workers)
	}
	return n.collectObserved()
}

// barrier lets a number of workers wait for each other, again and again.
type barrier struct {
	mu      sync.Mutex
	all     sync.Cond
	size    int
	waiting int
	round   atomic.Int64
}

func (b *barrier) reset(size int) {
	b.all.L = &b.mu
	b.size, b.waiting = size, 0
}

// spins is how often a worker looks for the others before it sleeps, some 20 us: the levels of a small design take less than it
// takes to wake a sleeping one.
const spins = 30_000

func (b *barrier) wait() {
	if b.size == 1 {
		return
	}
	b.mu.Lock()
	round := b.round.Load()
	if b.waiting++; b.waiting == b.size {
		b.waiting = 0
		b.round.Add(1)
		b.mu.Unlock()
		b.all.Broadcast()
		return
	}
	b.mu.Unlock()
	if b.size <= runtime.GOMAXPROCS(0) { // else the one waited for may need this processor
		for range spins {
			if b.round.Load() != round {
				return
			}
		}
	}
	b.mu.Lock()
	for b.round.Load() == round {
		b.all.Wait()
	}
	b.mu.Unlock()
}
