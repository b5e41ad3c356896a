package host

import (
	"fmt"
	"slices"

	"github.com/wattd/wattd/kernel"
)

// observation is one observer of the run at hand. Its output is divided by net, and a net is run by one worker, so workers write
// to it without locks.
type observation struct {
	id       kernel.ObserverID
	nets     []int64
	slot     []int32 // per net its place in nets, -1: not asked for; nil: all nets
	from, to int64
	width    int64
	bins     int64
	borders  []int64
	out      []byte
	counts   []int64  // view of out
	binned   []uint32 // view of out
}

// netState is what an observer keeps of the net at hand from window to window.
type netState struct {
	cycle   int // of ObserveGlitch: the cycle of the last change
	changes int64
}

// observe prepares the observers of the job.
func (r *run) observe(p *kernel.Program) error {
	r.obs = r.obs[:0]
	res := r.res
	if res.Observed == nil && len(r.job.Observers) > 0 {
		res.Observed = make([][]byte, len(r.job.Observers))
	}
	if len(res.Observed) != len(r.job.Observers) {
		res.Observed = make([][]byte, len(r.job.Observers))
	}
	for i := range r.job.Observers {
		o := &r.job.Observers[i]
		size, err := o.OutputSize(p, r.job)
		if err != nil {
			return err
		}
		x := observation{id: o.ID, nets: o.Nets(), from: r.job.Cuts[0], to: r.job.Cuts[r.windows]}
		switch o.ID {
		case kernel.ObserveCounts:
			if len(o.Params) == 2 {
				x.from, x.to = max(x.from, o.Params[0]), min(x.to, o.Params[1])
			}
		case kernel.ObserveBins:
			x.from, x.width, x.bins = o.Params[0], o.Params[1], o.Params[2]
		case kernel.ObserveGlitch:
			x.borders = o.Params[1 : 1+o.Params[0]]
		}
		if o.ID != kernel.ObserveTrace { // which is collected at the end
			if int64(len(res.Observed[i])) == size {
				clear(res.Observed[i])
			} else if res.Observed[i], err = alloc[byte](res.mem, size); err != nil {
				return err
			}
			x.out = res.Observed[i]
			x.counts, x.binned = viewAs[int64](x.out, size/8), viewAs[uint32](x.out, size/4)
			if x.nets != nil {
				x.slot = make([]int32, p.NNet)
				for n := range x.slot {
					x.slot[n] = -1
				}
				for k, n := range x.nets {
					if x.slot[n] >= 0 {
						return fmt.Errorf("%w: observer %d names net %d twice", kernel.ErrJob, o.ID, n)
					}
					x.slot[n] = int32(k)
				}
			}
		}
		r.obs = append(r.obs, x)
	}
	return nil
}

// observe shows a window of a net to the observers; windows of a net come in order.
func (k *worker) observe(net int32, window int, start uint32, events, drops []int32) {
	r := k.run
	from := r.job.Cuts[window]
	length := r.job.Cuts[window+1] - from
	for i := range r.obs {
		o := &r.obs[i]
		at := int64(net)
		if o.slot != nil {
			at = int64(o.slot[net])
		}
		if at < 0 {
			continue
		}
		switch o.id {
		case kernel.ObserveCounts:
			lo, hi := max(o.from-from, 0), min(o.to-from, length)
			if lo < hi {
				count(o.counts[5*at:5*at+5], start, events, drops, int32(lo), int32(hi))
			}
		case kernel.ObserveBins:
			bin(o, o.binned[at*o.bins:(at+1)*o.bins], from, events)
		case kernel.ObserveGlitch:
			st := &k.obs[i]
			if window == 0 {
				*st = netState{}
			}
			split(o, st, o.counts[2*at:2*at+2], from, events)
			if window == r.windows-1 {
				st.close(o.counts[2*at : 2*at+2])
			}
		}
	}
}

// count adds the part [lo, hi) of a window.
func count(c []int64, start uint32, events, drops []int32, lo, hi int32) {
	first, _ := slices.BinarySearch(events, lo)
	last, _ := slices.BinarySearch(events, hi)
	v := int(start) ^ first&1
	events = events[first:last]
	n := int64(len(events))
	rises := (n + int64(1-v)) / 2
	c[0] += n
	c[1] += rises
	c[2] += n - rises
	// Every rise gives the time to the end of the part, every fall takes it.
	high := int64(v) * int64(hi-lo)
	sign := int64(1 - 2*v)
	for _, t := range events {
		high += sign * int64(hi-t)
		sign = -sign
	}
	c[3] += high
	for _, t := range drops {
		if t >= lo && t < hi {
			c[4]++
		}
	}
}

// bin counts events per bin; the next event mostly falls in the same bin or a later one.
func bin(o *observation, bins []uint32, from int64, events []int32) {
	b, end := int64(-1), int64(-1<<63)
	for _, t := range events {
		tick := from + int64(t)
		if tick < o.from {
			continue
		}
		if tick >= end {
			if b = (tick - o.from) / o.width; b >= o.bins {
				return
			}
			end = o.from + (b+1)*o.width
		}
		bins[b]++
	}
}

// split finds the changes of every cycle: their parity says whether the values at its borders differ.
func split(o *observation, st *netState, c []int64, from int64, events []int32) {
	last := len(o.borders) - 1
	for _, t := range events {
		tick := from + int64(t)
		if tick < o.borders[0] || tick >= o.borders[last] {
			continue
		}
		if st.cycle+1 >= last || tick < o.borders[st.cycle+1] {
			st.changes++
			continue
		}
		st.close(c)
		next, found := slices.BinarySearch(o.borders[st.cycle+1:], tick)
		if !found {
			next--
		}
		st.cycle += 1 + next
		st.changes = 1
	}
}

func (st *netState) close(c []int64) {
	c[0] += st.changes & 1
	c[1] += st.changes &^ 1
	st.changes = 0
}

// collectObserved copies traces out.
func (r *run) collectObserved() error {
	for i := range r.obs {
		o := &r.obs[i]
		if o.id != kernel.ObserveTrace {
			continue
		}
		w := &r.res.waves
		total := int64(0)
		for _, n := range o.nets {
			total += w.Count(int32(n))
		}
		head := int64(kernel.TraceHead / 8 * len(o.nets))
		size := 8 * (head + total)
		out := r.res.Observed[i]
		if int64(cap(out)) < size {
			var err error
			if out, err = r.res.mem.Alloc(size); err != nil {
				return err
			}
		}
		r.res.Observed[i] = out[:size]
		words := viewAs[int64](out, head+total)
		at := head
		for k, n := range o.nets {
			first := at
			for win := range r.windows {
				_, ticks := w.Row(int32(n), win)
				for _, t := range ticks {
					words[at] = w.Cuts[win] + int64(t)
					at++
				}
			}
			words[2*k], words[2*k+1] = first-head, (at-first)<<1
			if w.StartValue(int32(n)) {
				words[2*k+1]++
			}
		}
	}
	return nil
}
