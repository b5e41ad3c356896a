package host

import (
	"fmt"
	"time"

	"github.com/wattd/wattd/kernel"
)

// Ticks beyond all others, in lists of events. Both leave room for sums in 64 bits.
const (
	never   = -1 << 31  // before the first event of a list
	forever = 1<<31 - 1 // after the last
)

// worker runs gates. Its lists are kept from gate to gate and run to run. An entry of a list is a tick relative to the
// window at hand; entry 0 is never.
type worker struct {
	runner *runner
	run    *run
	id     int
	stats  kernel.Stats
	over   []kernel.Over

	slabs [][]int32 // the event memory of lower levels

	// Of reruns: the rows of lower levels and the bits of their windows.
	blockSlabs [][]kernel.Block
	rowSlabs   [][]kernel.Row
	bitSlabs   [][]uint64

	// Event memory: the next event goes to slab[pos], its Row.Off is off+pos.
	slab     []int32
	off      uint64
	pos      int
	nextSlab int

	// The cursor: items of a level [item, end), the item's window, and whether that was computed but not committed.
	level     int
	item, end int
	window    int
	computed  bool
	short     int64 // what the memory lacked

	// The gate at hand.
	path    uint8
	g, net  int32
	pin     int32 // first pin entry
	nIn     int
	fn      *kernel.Fn
	shape   *kernel.Shape // nil: no delays
	table   uint64
	slots   []int16
	arcs    []int32
	rejects []int32 // nil: plain limits
	errors  []int32

	// Its hand-over state. list[i][1:1+held[i]] are events behind wire i beyond the window, out[1:1+heldOut] pending events.
	state   uint64 // pins behind their wires, then state bits
	y       uint64 // last scheduled value
	held    [kernel.MaxVars]int
	heldOut int

	// Its window: lists of wired events and where they were read up to, the output, cancelling ticks.
	length  int
	events  [kernel.MaxVars][]int32 // rows of pins and observed nets
	list    [kernel.MaxVars][]int32
	fill    [kernel.MaxVars]int
	at      [kernel.MaxVars]int
	out     []int32
	nOut    int
	drops   []int32
	nDrop   int
	watch   [kernel.MaxVars]int // per observed net the events passed
	pending int                 // entries of all lists, an upper bound of the evaluations
	pair    kernel.Side         // what was counted
	evals   int64               // evaluations

	record recorder // of kept runs
	again  redo     // of reruns

	obs     []netState // per observer, of the net at hand
	sincePl int        // events since the context was looked at
}

func (k *worker) reset() {
	k.stats = kernel.Stats{}
	k.over = k.over[:0]
	k.slab, k.off, k.pos, k.nextSlab = nil, 0, 0, k.runner.slab
	if k.run.again != nil {
		k.nextSlab = min(k.nextSlab, againSlab)
	}
	k.clearPair()
	k.record.reset()
	k.again.reset()
	for len(k.obs) < len(k.run.obs) {
		k.obs = append(k.obs, netState{})
	}
}

// work takes part in all levels.
func (k *worker) work() {
	begin := time.Now()
	p := k.runner.p
	k.each(-1, 0, len(k.runner.loose))
	if k.id == 0 {
		k.run.res.Stats.Sources = time.Since(begin)
	}
	if k.run.again != nil {
		k.rework()
		return
	}
	for l := 0; l+1 < len(p.LevelStart); l++ {
		k.run.gate.wait()
		k.look()
		k.each(l, int(p.LevelStart[l]), int(p.LevelStart[l+1]))
	}
	k.run.gate.wait()
}

// each runs chunks of the items [first, last) of a level until none is left. It is the wrapper of loop.
func (k *worker) each(level, first, last int) {
	r := k.run
	size := max(1, min(r.chunk, (last-first)/(8*r.gate.size)))
	for !r.stop.Load() {
		from := first + int(r.cursor[level+1].Add(int64(size))) - size
		if from >= last {
			return
		}
		k.level, k.item, k.end = level, from, min(last, from+size)
		k.window, k.computed, k.again.begun = 0, false, false
		for {
			st := k.loop()
			if st == kernel.Done {
				break
			}
			if st == kernel.Stopped {
				return
			}
			if err := k.serve(st); err != nil {
				r.fail(kernel.Status{Code: st, Level: int32(level), Cursor: int64(k.item - first), Window: int32(k.window), Need: k.short}, err)
				return
			}
		}
		if r.job.Progress != nil {
			k.progress(int64(k.end-from) * int64(r.windows))
		}
	}
}

// serve finds what the loop lacked.
func (k *worker) serve(st kernel.StatusCode) error {
	switch st {
	case kernel.GrowTrace:
		k.stats.Grown++
		k.growScratch()
	case kernel.GrowEvents:
		if k.run.res.plan != nil {
			return fmt.Errorf("%w: net %d has %d events, %d more are due", kernel.ErrCapacity, k.net, k.pos, k.short)
		}
		k.stats.Grown++
		return k.openSlab(k.short)
	case kernel.Interrupted:
		return kernel.ErrInterrupted
	}
	return nil
}

func (k *worker) progress(done int64) {
	r := k.run
	passed := r.passed.Add(done)
	if k.id == 0 && time.Since(r.progress) > 100*time.Millisecond {
		r.progress = time.Now()
		r.job.Progress(passed, r.total(k.runner))
	}
}

// loop runs items from the cursor to the end of the chunk, or to where it lacks something. It never allocates.
func (k *worker) loop() kernel.StatusCode {
	for k.item < k.end {
		var st kernel.StatusCode
		switch {
		case k.run.again != nil:
			if k.level < 0 {
				st = k.reloose(k.item)
			} else {
				st = k.regate(k.item)
			}
		case k.level < 0:
			st = k.loose(k.item)
		default:
			st = k.gate(k.item)
		}
		if st != kernel.Done {
			return st
		}
		k.item++
		k.window, k.computed, k.again.begun = 0, false, false
		if k.run.stop.Load() {
			return kernel.Stopped
		}
		if k.poll() {
			return kernel.Interrupted
		}
	}
	return kernel.Done
}

// poll says whether the context ended.
func (k *worker) poll() bool {
	k.sincePl = 0
	select {
	case <-k.run.done:
		return true
	default:
		return false
	}
}

// place points the event memory at the region of a net, in presized runs.
func (k *worker) place(net int32) {
	k.net = net
	if res := k.run.res; res.plan != nil {
		at := res.base[net]
		k.slab = res.waves.Slabs[at>>32][uint32(at) : int64(uint32(at))+res.plan.Room(net)]
		k.off, k.pos = at, 0
	}
}

// row is the row of a source or a net of a lower level.
func (k *worker) row(net int32, window int) *kernel.Row {
	r := k.run
	if r.rows != nil {
		return &r.rows[int(net)*r.windows+window]
	}
	return k.rowOf(net, window)
}

//go:noinline
func (k *worker) rowOf(net int32, window int) *kernel.Row {
	w := &k.run.res.waves
	at := w.Dir[net]
	at = k.blockSlabs[at>>32][int(uint32(at))+window/kernel.BlockRows].Row
	return &k.rowSlabs[at>>32][int(uint32(at))+window%kernel.BlockRows]
}

// fits says whether n more events fit in the event memory.
func (k *worker) fits(n int) bool {
	if n <= len(k.slab)-k.pos {
		return true
	}
	k.short = int64(n)
	return false
}

// loose writes the rows of a net without a gate.
func (k *worker) loose(item int) kernel.StatusCode {
	r := k.run
	net := k.runner.loose[item]
	rows := r.rows[int(net)*r.windows : (int(net)+1)*r.windows]
	var ticks []int64
	if i := k.runner.source[item]; i >= 0 {
		ticks = r.job.SrcTick[r.job.SrcOff[i]:r.job.SrcOff[i+1]]
	}
	k.place(net)
	if !k.fits(len(ticks)) {
		return kernel.GrowEvents
	}
	k.stats.SourceEvents += int64(len(ticks))
	k.stats.Events += int64(len(ticks))
	v := uint32(r.job.Start[net>>6]>>(net&63)) & 1
	for w := range rows {
		from, to := r.job.Cuts[w], r.job.Cuts[w+1]
		n := 0
		dst := k.slab[k.pos:]
		for n < len(ticks) && ticks[n] < to {
			dst[n] = int32(ticks[n] - from)
			n++
		}
		rows[w] = kernel.Row{Off: k.off + uint64(k.pos), N: uint32(n)<<1 | v}
		if len(r.obs) > 0 {
			k.observe(net, w, v, dst[:n], nil)
		}
		k.pos += n
		v ^= uint32(n) & 1
		ticks = ticks[n:]
	}
	return kernel.Done
}

// gate runs a gate through its windows, from the cursor on.
func (k *worker) gate(pos int) kernel.StatusCode {
	if k.window == 0 && !k.computed {
		k.begin(pos)
	}
	for k.window < k.run.windows {
		if !k.computed {
			if k.sincePl > 1<<20 && k.poll() {
				return kernel.Interrupted
			}
			if !k.collect() {
				return kernel.GrowTrace
			}
			k.compute()
		}
		if !k.commit() {
			return kernel.GrowEvents
		}
		k.computed = false
		k.window++
	}
	return kernel.Done
}

// compute runs the window.
func (k *worker) compute() {
	before := k.stats.Evaluations
	if k.pending > 0 {
		k.wires()
		k.merge()
		k.carry()
		k.sincePl += k.pending
	}
	k.evals = k.stats.Evaluations - before
	k.computed = true
}

// begin sets up a gate as it stands at the start of the run.
func (k *worker) begin(pos int) {
	p, job := k.runner.p, k.run.job
	g := p.Order[pos]
	k.path, k.g = k.runner.path[pos], g
	k.place(p.GateOut[g])
	k.fn = &p.Fns[p.GateFn[g]]
	k.pin = p.GatePin[g]
	k.nIn = int(k.fn.NPin)
	k.shape, k.rejects = nil, nil
	if s := p.GateShape[g]; s >= 0 && job.Kind == kernel.Timed {
		k.shape = &p.Shapes[s]
		n := k.shape.NSlot
		k.arcs = p.ArcDelay[p.GateArc[g] : p.GateArc[g]+n]
		if at := p.GateLimit[g]; at >= 0 {
			k.rejects, k.errors = p.ArcReject[at:at+n], p.ArcError[at:at+n]
		}
		if k.path > 0 {
			k.slots = p.SlotMap[k.shape.Map : int(k.shape.Map)+k.nIn<<k.nIn]
		}
	}
	if k.path > 0 {
		k.table = p.Words[k.fn.Out]
	}
	k.state = 0
	for i, n := range p.PinNet[k.pin : int(k.pin)+k.nIn] {
		k.state |= job.Start[n>>6] >> (n & 63) & 1 << i
		k.held[i] = 0
	}
	if k.fn.NBit > 0 {
		k.state |= uint64(job.StartBits[g]) & (1<<k.fn.NBit - 1) << k.nIn
	}
	k.y = job.Start[k.net>>6] >> (k.net & 63) & 1
	k.heldOut = 0
}

// need is the room that list i must have, needOut that of the output.
func (k *worker) need(i int) int { return k.held[i] + len(k.events[i]) + 2 }
func (k *worker) needOut() int   { return k.heldOut + k.pending + 2 }

// collect finds the rows that the gate reads in the window. It says false when the lists are too small.
func (k *worker) collect() bool {
	r := k.run
	w := k.window
	k.length = int(r.job.Cuts[w+1] - r.job.Cuts[w])
	nets := k.runner.p.PinNet[k.pin : int(k.pin)+k.nIn+int(k.fn.NObs)]
	k.pending = 0
	ok := true
	for i, net := range nets {
		row := k.row(net, w)
		n := row.N >> 1
		if n > 0 {
			at := uint32(row.Off)
			k.events[i] = k.slabs[row.Off>>32][at : at+n]
		} else {
			k.events[i] = nil
		}
		if i < k.nIn {
			k.pending += int(n) + k.held[i]
			ok = ok && k.need(i) <= len(k.list[i])
		}
	}
	k.nOut, k.nDrop = 1+k.heldOut, 0
	return ok && k.needOut() <= len(k.out)
}

// wires applies the wires of all pins to their rows.
func (k *worker) wires() {
	p := k.runner.p
	w := k.window
	for i := range k.nIn {
		entry := int(k.pin) + i
		list, events := k.list[i], k.events[i]
		n := 1 + k.held[i]
		if id := p.PinWire[entry]; id == 0 || k.run.job.Kind == kernel.Cycle {
			n += copy(list[n:], events)
		} else if len(events) > 0 {
			wire := &p.Wires[id]
			before := n + len(events)
			v := k.row(p.PinNet[entry], w).N & 1
			if wire.Plain() {
				n = plainWire(list, n, events, v, wire)
			} else {
				errs := 0
				n, errs = limitedWire(list, n, events, v, wire)
				k.errorPulses(errs)
			}
			if n != before {
				k.pair.Wire = append(k.pair.Wire, uint32(i), uint32(before-n)/2)
			}
		}
		list[n] = forever
		k.fill[i], k.at[i] = n, 1
	}
}

func (k *worker) errorPulses(n int) { k.pair.ErrorPulses += uint32(n) }

// carry moves what lies beyond the window to the front of the lists of the pins.
func (k *worker) carry() {
	for i := range k.nIn {
		k.held[i] = carry(k.list[i], k.at[i], k.fill[i], k.length)
	}
}

func carry(list []int32, from, to, length int) int {
	for i, t := range list[from:to] {
		list[1+i] = t - int32(length)
	}
	return to - from
}

// final finds the events of the window: what is scheduled before its end is final, as all ticks before that were evaluated.
// They are out[1:n], from value v on.
func (k *worker) final() (n int, v uint32) {
	n = k.nOut
	for n > 1 && int(k.out[n-1]) >= k.length {
		n--
	}
	return n, uint32(k.y) ^ uint32(k.nOut-1)&1
}

// commit writes the row of the window. It says false when the event memory is too small.
func (k *worker) commit() bool {
	n, v := k.final()
	if !k.fits(n - 1) {
		return false
	}
	r := k.run
	i := int(k.net)*r.windows + k.window
	row := &r.rows[i]
	*row = kernel.Row{Off: k.off + uint64(k.pos), N: uint32(n-1)<<1 | v, Filt: uint16(min(k.nDrop, kernel.FiltEscape))}
	k.pos += copy(k.slab[k.pos:], k.out[1:n])
	if len(r.obs) > 0 {
		k.observe(k.net, k.window, v, k.out[1:n], k.drops[:k.nDrop])
	}
	k.heldOut = carry(k.out, n, k.nOut, k.length)
	k.count(n - 1)
	if r.keep {
		row.Eval = uint16(min(k.evals, kernel.FiltEscape))
		k.keep()
	} else {
		if k.nDrop >= kernel.FiltEscape {
			k.escape(int64(i))
		}
		k.total()
	}
	return true
}

// count adds the pair at hand to the counters of the run.
func (k *worker) count(events int) {
	s := &k.stats
	s.Events += int64(events)
	s.Filtered += int64(k.nDrop)
	if k.evals == 0 {
		s.Quiet++
	}
	s.Races += int64(k.pair.Races)
	s.ErrorPulses += int64(k.pair.ErrorPulses)
	s.Unannotated += int64(k.pair.Unannotated)
	for i := 1; i < len(k.pair.Wire); i += 2 {
		s.WireFiltered += int64(k.pair.Wire[i])
	}
}

// total adds the pair at hand to the totals of its gate.
func (k *worker) total() {
	s := &k.pair
	if s.Races|s.ErrorPulses|s.Unannotated != 0 {
		c := &k.run.res.GateCounts[k.g]
		c.Races += s.Races
		c.ErrorPulses += s.ErrorPulses
		c.Unannotated += s.Unannotated
		s.Races, s.ErrorPulses, s.Unannotated = 0, 0, 0
	}
	if len(s.Wire) > 0 {
		for i := 0; i < len(s.Wire); i += 2 {
			k.run.res.WireCounts[uint32(k.pin)+s.Wire[i]] += s.Wire[i+1]
		}
		s.Wire = s.Wire[:0]
	}
}

// escape notes a number of filtered pulses beside the row; there is one in 65535 pulses at most.
//
//go:noinline
func (k *worker) escape(row int64) {
	k.over = append(k.over, kernel.Over{Row: row, Count: int64(k.nDrop)})
}
