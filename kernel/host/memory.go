package host

import (
	"fmt"
	"slices"
	"unsafe"

	"github.com/wattd/wattd/kernel"
)

const (
	firstSlab = 1 << 15 // events
	maxSlab   = 1 << 24 // events of a slab that more than one gate-window wants
	planSlab  = 1 << 30
)

func viewBytes[T any](s []T) []byte {
	if len(s) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*int(unsafe.Sizeof(s[0])))
}

func viewAs[T any](b []byte, n int64) []T {
	if n == 0 {
		return nil
	}
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), n)
}

func alloc[T any](m Memory, n int64) ([]T, error) {
	var zero T
	b, err := m.Alloc(n * int64(unsafe.Sizeof(zero)))
	if err != nil {
		return nil, err
	}
	return viewAs[T](b, n), nil
}

// result is the memory of one run.
type result struct {
	kernel.Result
	waves kernel.Waves
	mem   Memory
	used  bool // by a run before

	// Presized: where the events of a net lie, slab<<32 | first.
	plan *kernel.Plan
	base []uint64
}

// newResult finds the memory of a run, that of the last presized one when it fits.
func (r *runner) newResult(j *kernel.Job, keep bool) (*result, error) {
	windows := len(j.Cuts) - 1
	if k := r.kept; keep && k != nil && slices.Equal(k.plan.Off, j.Plan.Off) && k.waves.Windows() == windows {
		k.used = true
		k.waves.Cuts = append(k.waves.Cuts[:0], j.Cuts...)
		k.waves.Over = k.waves.Over[:0]
		clear(k.GateCounts)
		clear(k.WireCounts)
		k.Stats = kernel.Stats{}
		return k, nil
	}
	if keep {
		r.kept = nil // before the new memory is taken
	}
	mem, err := r.open()
	if err != nil {
		return nil, err
	}
	res := &result{mem: mem}
	res.Waves = &res.waves
	res.waves.Cuts = append([]int64(nil), j.Cuts...)
	if res.waves.Rows, err = alloc[kernel.Row](mem, int64(r.p.NNet)*int64(windows)); err != nil {
		return nil, err
	}
	if j.Keep {
		return res, res.keep(r.p, j)
	}
	if res.GateCounts, err = alloc[kernel.GateCount](mem, int64(len(r.p.GateOut))); err != nil {
		return nil, err
	}
	if res.WireCounts, err = alloc[uint32](mem, int64(len(r.p.PinNet))); err != nil {
		return nil, err
	}
	if j.Variant.Presized() {
		if err := res.presize(j.Plan, r.p.NNet); err != nil {
			return nil, err
		}
	}
	if keep {
		r.kept = res
	}
	return res, nil
}

// presize lays out the events of all nets, a net in one slab.
func (res *result) presize(plan *kernel.Plan, nets int32) error {
	res.plan = &kernel.Plan{Off: slices.Clone(plan.Off)} // the job's may change or go
	res.base = make([]uint64, nets)
	var sizes []int64
	size := int64(0)
	for n := range nets {
		room := plan.Room(n)
		if room >= 1<<31 {
			return fmt.Errorf("%w: plan of %d events on net %d", kernel.ErrJob, room, n)
		}
		if size+room > planSlab && size > 0 {
			sizes = append(sizes, size)
			size = 0
		}
		res.base[n] = uint64(len(sizes))<<32 | uint64(size)
		size += room
	}
	for _, s := range append(sizes, size) {
		slab, err := alloc[int32](res.mem, s)
		if err != nil {
			return err
		}
		res.waves.Slabs = append(res.waves.Slabs, slab)
	}
	return nil
}

// openSlab gives a worker a slab for at least need more events.
func (k *worker) openSlab(need int64) error {
	if need >= 1<<31 {
		return fmt.Errorf("%w: %d events in one net-window", kernel.ErrMemory, need)
	}
	r := k.run
	size := max(int64(k.nextSlab), need)
	k.nextSlab = min(max(maxSlab, k.nextSlab), 2*k.nextSlab)
	r.mu.Lock()
	defer r.mu.Unlock()
	slab, err := alloc[int32](r.res.mem, size)
	if err != nil {
		return err
	}
	r.added += 4 * size
	k.off = uint64(len(r.res.waves.Slabs)) << 32
	r.res.waves.Slabs = append(r.res.waves.Slabs, slab)
	k.slab, k.pos = slab, 0
	return nil
}

// growScratch makes the buffers hold the gate-window that did not fit.
func (k *worker) growScratch() {
	size := func(need int) int {
		n := max(k.runner.scratch, 64)
		if k.runner.scratch == 0 {
			n = 1024
		}
		for n < need {
			n *= 2
		}
		return n
	}
	for i := range k.nIn {
		if need := k.need(i); len(k.list[i]) < need {
			l := make([]int32, size(need))
			copy(l, k.list[i])
			l[0] = never
			k.list[i] = l
		}
	}
	if need := k.needOut(); len(k.out) < need {
		l := make([]int32, size(need))
		copy(l, k.out)
		l[0] = never
		k.out = l
	}
	if len(k.drops) < len(k.out) {
		k.drops = make([]int32, len(k.out))
	}
}
