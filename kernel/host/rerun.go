package host

import (
	"cmp"
	"context"
	"fmt"
	"math/bits"
	"slices"
	"sync/atomic"
	"time"

	"github.com/wattd/wattd/kernel"
)

// A rerun goes through the levels like a run. Of each gate it finds the windows that are dirty: all, if the gate itself
// changed, else those where an input has a new row (again.changed); the first, if the gate starts otherwise. It runs these in
// order, each from the recorded end of the window before or, if that was run too, from where it stands. A row that comes out as
// it was stays where it is and dirties nothing; an end that differs from the recorded one dirties the next window.
//
// Everything that is replaced goes to new memory: blocks of rows, sides and events. Only the directory is copied as a whole.

// againSlab is the number of events of the first slab of a rerun.
const againSlab = 1 << 12

// again is what the workers of a rerun share.
type again struct {
	prev  *kernel.Result
	nets  int32 // of prev
	flags []uint32
	moved map[int32]bool // nets that had a gate, which is no longer theirs

	queues  [][][]int32 // per worker and level the gates to look at, by place in Order
	source  []int32     // per loose net its index in SrcNet of the previous job, or -1
	changed []uint64    // per net the windows where its row is new, slab<<32 | first word of bits; 0: none
	words   int         // of the bits of a net
	bits    [][]uint64  // slabs; the first one is a dummy
}

// The flags of a gate.
const (
	dirtyAll   = 1 << iota // run all windows
	dirtyStart             // run the first window
	dirtyMoved             // drives a net that it did not drive before; with dirtyAll
	dirtyQueued
)

// Rerun implements kernel.Runner.
func (r *runner) Rerun(ctx context.Context, j *kernel.Job, prev *kernel.Result, d *kernel.Dirty) (*kernel.Result, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil, kernel.ErrClosed
	}
	if !r.keeps {
		return nil, fmt.Errorf("%w: this engine cannot rerun", kernel.ErrJob)
	}
	start := time.Now()
	if err := r.check.CheckRerun(j, prev, d); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("%w: %w", kernel.ErrInterrupted, context.Cause(ctx))
	}
	if int64(r.p.NNet)*int64(len(j.Cuts)-1) >= 1<<32 {
		return nil, fmt.Errorf("%w: too many rows to keep", kernel.ErrMemory)
	}
	res := r.resultAfter(j, prev)
	if err := r.prepare(ctx, j, res); err != nil {
		return nil, err
	}
	r.now.keep = false // reruns record by themselves
	r.now.again = r.dirty(j, prev, d)
	res.Stats.Check = time.Since(start)
	done, err := r.simulate(ctx, start)
	if err != nil {
		return nil, err
	}
	begin := time.Now()
	res.waves.Added(prev.Waves, r.now.added)
	if res.waves.Sparse() {
		res.Waves = res.waves.Compact()
	}
	res.Stats.Collect += time.Since(begin)
	return done, nil
}

// resultAfter is a result that shares everything with an earlier one.
func (r *runner) resultAfter(j *kernel.Job, prev *kernel.Result) *result {
	res := &result{mem: heap{}}
	old := prev.Waves
	res.Waves = &res.waves
	res.waves = kernel.Waves{Cuts: old.Cuts, Slabs: slices.Clone(old.Slabs), BlockSlabs: slices.Clone(old.BlockSlabs), RowSlabs: slices.Clone(old.RowSlabs), Sides: slices.Clone(old.Sides)}
	res.waves.Dir = append(make([]uint64, 0, r.p.NNet), old.Dir...)[:r.p.NNet]
	res.Kept = keptOf(r.p, j, nil)
	res.Kept.Job.Keep = true
	res.Stats = prev.Stats
	res.Stats.Grown, res.Stats.Check, res.Stats.Sources, res.Stats.Simulate, res.Stats.Collect = 0, 0, 0, 0, 0
	return res
}

// dirty finds what the program and the jobs say before anything is run.
func (r *runner) dirty(j *kernel.Job, prev *kernel.Result, d *kernel.Dirty) *again {
	a, p, q := &r.reuse, r.p, prev.Kept.Program
	a.prev, a.nets, a.words = prev, q.NNet, (len(j.Cuts)-1+63)/64
	a.flags = cleared(a.flags, len(p.GateOut))
	a.changed = cleared(a.changed, int(p.NNet))
	a.bits = append(a.bits[:0], []uint64{0})
	a.moved = map[int32]bool{}
	changed := slices.Clone(d.Gates)
	for g, n := range p.GateOut {
		if g >= len(q.GateOut) {
			a.flags[g] = dirtyMoved
			changed = append(changed, int32(g))
		} else if was := q.GateOut[g]; was != n {
			a.flags[g] = dirtyMoved
			changed = append(changed, int32(g))
			if was >= 0 {
				a.moved[was] = true
			}
		}
	}
	r.now.res.Kept.Readers = prev.Kept.Readers.With(p, changed)
	levels := max(0, len(p.LevelStart)-1)
	if len(a.queues) == 0 || len(a.queues[0]) != levels {
		a.queues = nil
	}
	for len(a.queues) < r.workersFor(j) {
		a.queues = append(a.queues, make([][]int32, levels))
	}
	for _, q := range a.queues {
		for l := range q {
			q[l] = q[l][:0]
		}
	}
	mark := func(g int32, flag uint32) {
		if at := r.place[g]; at.level >= 0 {
			if a.flags[g]&dirtyQueued == 0 {
				a.queues[0][at.level] = append(a.queues[0][at.level], at.pos)
			}
			a.flags[g] |= flag | dirtyQueued
		}
	}
	for _, g := range changed {
		mark(g, dirtyAll)
	}
	old := prev.Kept.Job
	for g, b := range j.StartBits[:min(len(j.StartBits), len(p.GateOut))] {
		was := uint32(0)
		if g < len(old.StartBits) {
			was = old.StartBits[g]
		}
		if b != was && p.GateOut[g] >= 0 && (b^was)&(1<<p.Fns[p.GateFn[g]].NBit-1) != 0 {
			mark(int32(g), dirtyStart)
		}
	}
	for i := range (int(q.NNet) + 63) / 64 {
		for x := j.Start[i] ^ old.Start[i]; x != 0; x &= x - 1 {
			if n := 64*i + bits.TrailingZeros64(x); n < int(q.NNet) && r.loosePos[n] < 0 {
				mark(^r.loosePos[n], dirtyStart)
			}
		}
	}
	a.source = cleared(a.source, len(r.loose))
	for i := range a.source {
		a.source[i] = -1
	}
	for i, n := range old.SrcNet {
		if at := r.loosePos[n]; at >= 0 {
			a.source[at] = int32(i)
		}
	}
	return a
}

func cleared[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	s = s[:n]
	clear(s)
	return s
}

// reloose writes the rows of a net without a gate that differ from the old ones.
func (k *worker) reloose(item int) kernel.StatusCode {
	r, a := k.run, k.run.again
	net := k.runner.loose[item]
	var ticks, before []int64
	if i := k.runner.source[item]; i >= 0 {
		ticks = r.job.SrcTick[r.job.SrcOff[i]:r.job.SrcOff[i+1]]
	}
	v := uint32(r.job.Start[net>>6]>>(net&63)) & 1
	old := a.prev.Kept.Job
	moved := a.moved[net]
	if net < a.nets && !moved && v == uint32(old.Start[net>>6]>>(net&63))&1 {
		if i := a.source[item]; i >= 0 {
			before = old.SrcTick[old.SrcOff[i]:old.SrcOff[i+1]]
		}
		if len(ticks) == len(before) && (len(ticks) == 0 || &ticks[0] == &before[0] || slices.Equal(ticks, before)) {
			return kernel.Done
		}
	}
	k.place(net)
	if !k.fits(len(ticks)) {
		return kernel.GrowEvents
	}
	u := &k.again
	u.open(k, net, !moved)
	for w := range r.windows {
		from, to := r.job.Cuts[w], r.job.Cuts[w+1]
		n := 0
		dst := k.slab[k.pos:]
		for n < len(ticks) && ticks[n] < to {
			dst[n] = int32(ticks[n] - from)
			n++
		}
		k.stats.Events += int64(n)
		k.stats.SourceEvents += int64(n)
		u.enter(k, w)
		u.replace(k, w, kernel.Row{N: uint32(n)<<1 | v}, dst[:n])
		v ^= uint32(n) & 1
		ticks = ticks[n:]
	}
	u.leave(k)
	u.publish(k)
	return kernel.Done
}

// rework takes part in all levels that have a gate to look at.
func (k *worker) rework() {
	a := k.run.again
	for l := 0; ; l++ {
		k.run.gate.wait() // from here to the next wait the lists of this level and those below stand still
		count := 0
		for ; l < len(a.queues[0]); l++ {
			if count = a.queued(l); count > 0 {
				break
			}
		}
		if count == 0 {
			return
		}
		k.look()
		k.each(l, 0, count)
	}
}

// queued is the number of gates of a level in all lists.
func (a *again) queued(level int) int {
	n := 0
	for _, q := range a.queues {
		n += len(q[level])
	}
	return n
}

// at is the place in Order of gate i of all lists of a level.
func (a *again) at(level, i int) int {
	for _, q := range a.queues {
		if i < len(q[level]) {
			return int(q[level][i])
		}
		i -= len(q[level])
	}
	return -1
}

// queue adds a gate to the lists of a worker, once. One that stands no higher than the level at hand reads the net no longer.
func (k *worker) queue(g int32) {
	a := k.run.again
	if at := k.runner.place[g]; int(at.level) > k.level && atomic.OrUint32(&a.flags[g], dirtyQueued)&dirtyQueued == 0 {
		q := &a.queues[k.id][at.level]
		*q = append(*q, at.pos)
	}
}

// collectWork adds up the work of a rerun.
func (r *runner) collectWork(workers []*worker) {
	n := &r.now
	w := &n.res.Work
	w.PairsTotal = n.res.Stats.GateWindows
	var all []touched
	for _, k := range workers {
		x := &k.again.work
		w.PairsRun += x.PairsRun
		w.CutOffs += x.CutOffs
		w.RowsCompared += x.RowsCompared
		w.GatesRun += x.GatesRun
		w.Evaluations += x.Evaluations
		all = append(all, k.again.touch...)
	}
	slices.SortFunc(all, func(a, b touched) int { return cmp.Compare(a.net, b.net) })
	words := n.again.words
	w.Nets, w.Windows = make([]int32, len(all)), make([]uint64, 0, len(all)*words)
	for i, t := range all {
		w.Nets[i] = t.net
		w.Windows = append(w.Windows, n.again.bits[t.at>>32][uint32(t.at):int(uint32(t.at))+words]...)
	}
}
