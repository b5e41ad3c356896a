package host

import (
	"math/bits"
	"slices"

	"github.com/wattd/wattd/kernel"
)

// redo is the part of a worker that only reruns use.
type redo struct {
	begun bool // the gate at hand is set up
	live  bool // its state is that at the start of window
	flags uint32
	fresh bool // its net has no old rows
	wild  bool // its old rows are those of a source
	mask  []uint64
	diff  []uint64 // windows whose row is new
	ran   []uint64

	block int            // at hand, -1: none
	rest  []uint32       // its old sides still to come
	old   kernel.Side    // of the window at hand
	rows  []kernel.Row   // its new rows; nil: still the old ones
	all   []kernel.Block // new blocks of the net; nil: still the old ones
	rowAt bump[kernel.Row]
	allAt bump[kernel.Block]
	bitAt bump[uint64]

	work  kernel.Work
	touch []touched
}

// touched names the bits of the windows that were run of a net, or that a source had to replace.
type touched struct {
	net int32
	at  uint64
}

func (a *redo) reset() {
	a.begun = false
	a.rest, a.rows, a.all, a.old = nil, nil, nil, kernel.Side{}
	a.rowAt, a.allAt, a.bitAt = bump[kernel.Row]{next: 1 << 10}, bump[kernel.Block]{next: 1 << 8}, bump[uint64]{next: 1 << 10}
	a.work = kernel.Work{}
	a.touch = a.touch[:0]
}

// regate runs the dirty windows of a gate, from the cursor on.
func (k *worker) regate(item int) kernel.StatusCode {
	u := &k.again
	if !u.begun {
		k.begin(k.run.again.at(k.level, item))
		u.mark(k)
		if next(u.mask, 0) < 0 {
			return kernel.Done
		}
		u.begun, u.live = true, true
	}
	for {
		w := next(u.mask, k.window)
		if w < 0 {
			break
		}
		if w != k.window {
			k.window, u.live = w, false
		}
		if !u.live {
			if !u.restore(k) {
				return kernel.GrowTrace
			}
			u.live = true
		}
		if !k.computed {
			if k.sincePl > 1<<20 && k.poll() {
				return kernel.Interrupted
			}
			if !k.collect() {
				return kernel.GrowTrace
			}
			k.compute()
		}
		if !u.commit(k) {
			return kernel.GrowEvents
		}
		k.computed = false
		k.window++
	}
	u.leave(k)
	u.publish(k)
	u.work.GatesRun++
	return kernel.Done
}

// next is the first set bit from w on, or -1.
func next(mask []uint64, w int) int {
	for i := w >> 6; i < len(mask); i++ {
		x := mask[i]
		if i == w>>6 {
			x &= ^uint64(0) << (w & 63)
		}
		if x != 0 {
			return i<<6 + bits.TrailingZeros64(x)
		}
	}
	return -1
}

// open sets up the replacement of rows of a net; wild: its old rows are those of a source.
func (u *redo) open(k *worker, net int32, wild bool) {
	words := k.run.again.words
	if len(u.mask) != words {
		u.mask, u.diff, u.ran = make([]uint64, words), make([]uint64, words), make([]uint64, words)
	}
	clear(u.diff)
	clear(u.ran)
	u.all = nil
	u.fresh, u.wild, u.block = net >= k.run.again.nets, wild, -1
}

// mark finds the dirty windows of the gate that was begun.
func (u *redo) mark(k *worker) {
	a, p := k.run.again, k.runner.p
	u.flags = a.flags[k.g]
	u.open(k, k.net, u.flags&dirtyMoved != 0 && !a.moved[k.net])
	clear(u.mask)
	if u.flags&dirtyAll != 0 {
		for w := range k.run.windows {
			u.mask[w>>6] |= 1 << (w & 63)
		}
		return
	}
	if u.flags&dirtyStart != 0 {
		u.mask[0] |= 1
	}
	for _, n := range p.PinNet[k.pin : int(k.pin)+k.nIn+int(k.fn.NObs)] {
		if at := a.changed[n]; at != 0 {
			for i, x := range k.bitSlabs[at>>32][uint32(at) : int(uint32(at))+a.words] {
				u.mask[i] |= x
			}
		}
	}
}

// restore sets the hand-over state at the start of the window to that recorded by the previous run, which the window before
// still has. It says false when the lists are too small.
func (u *redo) restore(k *worker) bool {
	old := k.run.again.prev.Waves
	s := old.Side(k.net, k.window-1)
	k.heldOut, k.pending = 0, 0
	for i := range k.nIn {
		k.held[i], k.events[i] = 0, nil
	}
	ok := true
	for h := s.Held; len(h) > 0; h = h[2+h[1]:] {
		n := int(h[1])
		if h[0] == kernel.HeldOut {
			if k.heldOut = n; k.needOut() <= len(k.out) {
				fill(k.out, h[2:2+n])
				continue
			}
		} else if i := int(h[0]); i < k.nIn {
			if k.held[i] = n; k.need(i) <= len(k.list[i]) {
				fill(k.list[i], h[2:2+n])
				continue
			}
		}
		ok = false
	}
	p := k.runner.p
	k.state = uint64(s.Bits) << k.nIn
	for i, n := range p.PinNet[k.pin : int(k.pin)+k.nIn] {
		k.state |= uint64(k.row(n, k.window).N^uint32(k.held[i])) & 1 << i
	}
	k.y = uint64(old.At(k.net, k.window).N^uint32(k.heldOut)) & 1
	return ok
}

func fill(list []int32, ticks []uint32) {
	for i, t := range ticks {
		list[1+i] = int32(t)
	}
}

// commit replaces the row of the window and what belongs to it, and marks the next window if the end is another. It says false
// when the event memory is too small.
func (u *redo) commit(k *worker) bool {
	n, v := k.final()
	if !k.fits(n - 1) {
		return false
	}
	w := k.window
	u.enter(k, w)
	u.replace(k, w, kernel.Row{N: uint32(n-1)<<1 | v, Filt: uint16(min(k.nDrop, kernel.FiltEscape)), Eval: uint16(min(k.evals, kernel.FiltEscape))}, k.out[1:n])
	k.heldOut = carry(k.out, n, k.nOut, k.length)
	k.count(n - 1)
	k.describe()
	if w+1 < k.run.windows && u.flags&dirtyAll == 0 && !u.endsAsBefore(k) {
		u.mask[(w+1)>>6] |= 1 << ((w + 1) & 63)
	}
	k.record.sides = k.pair.Append(k.record.sides, w)
	k.clearPair()
	u.work.PairsRun++
	u.work.Evaluations += k.evals
	if u.diff[w>>6]>>(w&63)&1 == 0 {
		u.work.CutOffs++
	}
	return true
}

// endsAsBefore compares the hand-over state at the end of the window with the recorded one. Pins are as before if their
// pending events are, or else their row in the next window is new.
func (u *redo) endsAsBefore(k *worker) bool {
	held := 0
	if n := len(u.old.Held); n > 0 {
		for h := u.old.Held; len(h) > 0; h = h[2+h[1]:] {
			if h[0] == kernel.HeldOut {
				held = int(h[1])
			}
		}
	}
	y := (k.run.again.prev.Waves.At(k.net, k.window+1).N ^ uint32(held)) & 1
	return uint32(k.y) == y && k.pair.Bits == u.old.Bits && slices.Equal(k.pair.Held, u.old.Held)
}

// enter goes on to a window: the sides of windows before it stay, its own is taken to u.old.
func (u *redo) enter(k *worker, w int) {
	if b := w / kernel.BlockRows; b != u.block {
		u.leave(k)
		u.block, u.rest, u.rows = b, nil, nil
		if !u.fresh {
			u.rest = k.run.again.prev.Waves.SideWords(k.net, b)
		}
	}
	u.old = kernel.Side{}
	for len(u.rest) > 0 {
		at, n := kernel.SideHead(u.rest)
		if at > w%kernel.BlockRows {
			return
		}
		side := u.rest[:n]
		u.rest = u.rest[n:]
		if at == w%kernel.BlockRows {
			u.old.Read(side)
			return
		}
		k.record.sides = append(k.record.sides, side...)
	}
}

// leave ends a block.
func (u *redo) leave(k *worker) {
	if u.block < 0 {
		return
	}
	c := &k.record
	c.sides = append(c.sides, u.rest...)
	if u.fresh || !slices.Equal(c.sides, k.run.again.prev.Waves.SideWords(k.net, u.block)) {
		at := uint64(0)
		if len(c.sides) > 0 {
			at = k.file(c.sides)
		}
		u.own(k).Side = at
	}
	c.sides, u.rest, u.rows, u.block = c.sides[:0], nil, nil, -1
}

// own is the block at hand, in blocks of this run.
func (u *redo) own(k *worker) *kernel.Block {
	if u.all == nil {
		w := &k.run.res.waves
		all, at := take(k.run, &u.allAt, &w.BlockSlabs, w.Blocks())
		if !u.fresh {
			old := w.Dir[k.net]
			copy(all, k.run.again.prev.Waves.BlockSlabs[old>>32][uint32(old):])
		}
		u.all, w.Dir[k.net] = all, at
	}
	return &u.all[u.block]
}

// replace puts a row, and its events, in place of the old one, unless they are the same, and takes what the old one counted from
// the counters of the run.
func (u *redo) replace(k *worker, w int, row kernel.Row, events []int32) {
	r := k.run
	var old *kernel.Row
	same := false
	if !u.fresh {
		before := r.again.prev.Waves
		old = before.At(k.net, w)
		same = old.N == row.N && slices.Equal(before.Events(old), events)
		u.work.RowsCompared++
		u.discount(k, old)
	}
	u.ran[w>>6] |= 1 << (w & 63)
	if same {
		row.Off = old.Off
		if row == *old {
			return
		}
	} else {
		u.diff[w>>6] |= 1 << (w & 63)
		row.Off = k.off + uint64(k.pos)
		k.pos += copy(k.slab[k.pos:], events)
	}
	if u.rows == nil {
		waves := &r.res.waves
		var at uint64
		u.rows, at = take(r, &u.rowAt, &waves.RowSlabs, waves.BlockLen(u.block))
		b := u.own(k)
		if !u.fresh {
			copy(u.rows, r.again.prev.Waves.RowSlabs[b.Row>>32][uint32(b.Row):])
		}
		b.Row = at
	}
	u.rows[w%kernel.BlockRows] = row
}

// discount takes an old pair from the counters of the run; its side is u.old.
func (u *redo) discount(k *worker, old *kernel.Row) {
	s := &k.stats
	n := int64(old.N >> 1)
	s.Events -= n
	if u.wild {
		s.SourceEvents -= n
		return
	}
	filtered, evals := int64(old.Filt), int64(old.Eval)
	if old.Filt == kernel.FiltEscape {
		filtered = int64(u.old.Filtered)
	}
	if old.Eval == kernel.FiltEscape {
		evals = int64(u.old.Evaluations)
	}
	if evals == 0 {
		s.Quiet--
	}
	s.Filtered -= filtered
	s.Evaluations -= evals
	s.Races -= int64(u.old.Races)
	s.ErrorPulses -= int64(u.old.ErrorPulses)
	s.Unannotated -= int64(u.old.Unannotated)
	for i := 1; i < len(u.old.Wire); i += 2 {
		s.WireFiltered -= int64(u.old.Wire[i])
	}
}

// publish lets higher levels and the result know which windows of the net are new.
func (u *redo) publish(k *worker) {
	a := k.run.again
	ran, at := take(k.run, &u.bitAt, &a.bits, a.words)
	copy(ran, u.ran)
	u.touch = append(u.touch, touched{k.net, at})
	if next(u.diff, 0) >= 0 {
		diff, at := take(k.run, &u.bitAt, &a.bits, a.words)
		copy(diff, u.diff)
		a.changed[k.net] = at
		k.run.res.Kept.Readers.Each(k.net, k.queue)
	}
}
