// Package host is the CPU engine; it defines the right answer.
//
// A program is run level by level. All workers take gates of a level from a shared cursor; a gate is run through all its
// windows in order, so that its hand-over state (pins behind their wires, pending events, last scheduled value, state bits) is
// simply carried, and the cuts change nothing. Of each gate-window: every wire is applied to its row at once, the resulting
// lists are merged (merge.go for small gates, general.go for all), and what the window completes is copied to event memory.
//
// A kept run (keep.go) also records what a later rerun (rerun.go) of an edited program needs to run single gate-windows.
//
// Contract: the loops (worker.go) never allocate; they return a status and the wrapper (run.go) finds memory and
// resumes them; only what kept runs and reruns hold beside events is taken from the heap as they go. Results are equal bit for bit for any cuts, workers and variant. Limits: a window and a delay are shorter than 2^30
// ticks; a gate-window and its inputs must fit in memory of their own beside the events.
package host

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"weak"

	"github.com/wattd/wattd/kernel"
)

// template is the version of the loops.
const template = 1

// Memory gives a run its large buffers, zeroed. Buffers are used as long as the result of the run is.
type Memory interface {
	// Alloc returns bytes at a multiple of 8, or an error that wraps kernel.ErrMemory.
	Alloc(bytes int64) ([]byte, error)
}

// New makes a CPU engine on the heap.
func New() kernel.Engine {
	return &engine{open: func() (Memory, error) { return heap{}, nil }, slab: firstSlab, keeps: true}
}

// NewIn makes a CPU engine that takes the memory of every result from a Memory of its own.
// It makes no kept results, as reruns would share memory between results.
func NewIn(open func() (Memory, error)) kernel.Engine {
	return &engine{open: open, slab: firstSlab}
}

type engine struct {
	open    func() (Memory, error)
	slab    int  // events of a worker's first slab
	scratch int  // entries of new scratch buffers; 0: a usual size
	keeps   bool // results are memory of the garbage collector, so that several may share it
	general bool // run every gate on the general path (tests)

	mu   sync.Mutex
	last []*resident
}

func (e *engine) Name() string     { return "host" }
func (e *engine) Template() uint32 { return template }

type heap struct{}

func (heap) Alloc(bytes int64) ([]byte, error) {
	if bytes < 0 || bytes > 1<<46 {
		return nil, fmt.Errorf("%w: %d bytes", kernel.ErrMemory, bytes)
	}
	return viewBytes(make([]uint64, (bytes+7)/8))[:bytes:bytes], nil
}

// Load checks the program and prepares it.
func (e *engine) Load(p *kernel.Program) (kernel.Runner, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	return e.runner(p, e.prepared(p)), nil
}

// Reload implements kernel.Reloader.
func (e *engine) Reload(p, earlier *kernel.Program, gates []int32) (kernel.Runner, error) {
	if err := p.ValidateEdit(earlier, gates); err != nil {
		return nil, err
	}
	was := e.recall(earlier)
	if was == nil || !kernel.SameStructure(p, earlier) {
		return e.runner(p, e.prepared(p)), nil
	}
	now := &resident{p: weak.Make(p), path: slices.Clone(was.path), place: was.place, loose: was.loose, loosePos: was.loosePos, width: was.width}
	for _, g := range gates {
		if at := now.place[g].pos; now.place[g].level >= 0 && !e.general {
			now.path[at] = pathOf(p, g)
		}
	}
	e.remember(now)
	return e.runner(p, now), nil
}

func (e *engine) runner(p *kernel.Program, r *resident) *runner {
	return &runner{engine: e, p: p, resident: r, check: kernel.NewJobChecker(p), source: make([]int32, len(r.loose)), pool: make(chan *worker)}
}

// resident is what is worked out of a program. It never changes and holds none of its memory.
type resident struct {
	p     weak.Pointer[kernel.Program]
	path  []uint8 // per position in Order, see pathOf
	place []place // per gate

	loose    []int32 // nets without a gate
	loosePos []int32 // per net its position in loose; computed nets: ^gate
	width    int     // most items of a level
}

func (e *engine) prepared(p *kernel.Program) *resident {
	r := &resident{p: weak.Make(p), path: make([]uint8, len(p.Order))}
	r.place = make([]place, len(p.GateOut))
	for i := range r.place {
		r.place[i].level = -1
	}
	for l := 0; l+1 < len(p.LevelStart); l++ {
		for i := p.LevelStart[l]; i < p.LevelStart[l+1]; i++ {
			g := p.Order[i]
			r.place[g] = place{int32(l), i}
			if !e.general {
				r.path[i] = pathOf(p, g)
			}
		}
	}
	r.loosePos = make([]int32, p.NNet)
	for g, n := range p.GateOut {
		if n >= 0 {
			r.loosePos[n] = ^int32(g)
		}
	}
	for n := range p.NNet {
		if r.loosePos[n] == 0 {
			r.loosePos[n] = int32(len(r.loose))
			r.loose = append(r.loose, n)
		}
	}
	for l := 0; l+1 < len(p.LevelStart); l++ {
		r.width = max(r.width, int(p.LevelStart[l+1]-p.LevelStart[l]))
	}
	r.width = max(r.width, len(r.loose))
	e.remember(r)
	return r
}

// recallable is how many programs an engine remembers for Reload.
const recallable = 4

// remember keeps what was worked out of the programs that were loaded last, as long as they live.
func (e *engine) remember(r *resident) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.last = slices.DeleteFunc(e.last, func(o *resident) bool { v := o.p.Value(); return v == nil || v == r.p.Value() })
	if len(e.last) == recallable {
		e.last = slices.Delete(e.last, 0, 1)
	}
	e.last = append(e.last, r)
}

func (e *engine) recall(p *kernel.Program) *resident {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, r := range e.last {
		if r.p.Value() == p {
			return r
		}
	}
	return nil
}

// runner is a resident program. mu is held during a run.
type runner struct {
	*engine
	p     *kernel.Program
	check *kernel.JobChecker
	*resident

	source []int32 // per loose net its index in SrcNet of the job at hand, or -1

	mu      sync.Mutex
	closed  bool
	workers []*worker
	pool    chan *worker // work for the goroutines
	started int          // goroutines
	ended   sync.WaitGroup
	kept    *result // memory of the last presized run
	reuse   again   // of the last rerun
	now     run
}

// place is where a gate stands in Order; holes have level -1.
type place struct{ level, pos int32 }

// Run implements kernel.Runner.
func (r *runner) Run(ctx context.Context, j *kernel.Job) (*kernel.Result, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.run(ctx, j, j.Variant.Presized())
}

// RunBatch implements kernel.Runner.
func (r *runner) RunBatch(ctx context.Context, jobs []*kernel.Job) ([]*kernel.Result, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	var all []*kernel.Result
	for i, j := range jobs {
		res, err := r.run(ctx, j, false)
		if err != nil {
			return nil, fmt.Errorf("job %d of %d: %w", i, len(jobs), err)
		}
		all = append(all, res)
	}
	return all, nil
}

// Close ends the goroutines of the runner.
func (r *runner) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.closed {
		r.closed = true
		r.reuse = again{}
		close(r.pool)
		r.ended.Wait()
		r.kept, r.workers = nil, nil
	}
	return nil
}
