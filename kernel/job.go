package kernel

import (
	"fmt"
	"unsafe"
)

// MaxWindow is the limit of ticks in a window and of every delay: engines add a delay to a tick of a window in 32 bits.
const MaxWindow = 1 << 30

// Job is one simulation of a Program. Ticks are absolute int64; engines keep 32-bit ticks relative to their window.
type Job struct {
	// Cuts are the window borders, strictly increasing: window w is [Cuts[w], Cuts[w+1]). A window is shorter than 2^30 ticks.
	Cuts []int64

	// Start has bit n set when net n is 1 at Cuts[0] (every net settled, sources after all changes stamped <= Cuts[0]).
	Start []uint64
	// StartBits holds the state bits of gates with state: bit k of StartBits[g] is state bit k; nil when no gate has state.
	StartBits []uint32

	// The waveforms of sources, compressed rows: net SrcNet[i] changes at SrcTick[SrcOff[i]:SrcOff[i+1]], strictly increasing, each
	// in (Cuts[0], Cuts[last]). Nets that are neither here nor computed by a gate keep their start value.
	SrcNet  []int32
	SrcOff  []int64
	SrcTick []int64

	Kind      Kind
	Variant   Variant
	Workers   int // 0: all cores
	Observers []Observer
	Plan      *Plan // Fast variants only
	Keep      bool  // make a kept result, one that Rerun can start from (Base only); the job's arrays must then stay unchanged
	// Progress, when not nil, is called with the share of gate-windows done, seldom, from one goroutine at a time (in-process engines).
	Progress func(done, total int64) `json:"-" image:"-"`
}

// Kind is the kind of time.
type Kind uint8

// The kinds: Cycle takes all delays as 0.
const (
	Timed Kind = iota
	Cycle
)

// Variant is the memory and observer contract of a runner.
type Variant uint8

// The variants.
const (
	Base     Variant = iota // growable
	Observed                // growable, observers
	Fast                    // presized by a Plan; ErrCapacity when short
	FastObserved
)

// Presized says whether the variant takes its memory from a Plan.
func (v Variant) Presized() bool { return v == Fast || v == FastObserved }

// Observes says whether the variant runs observers.
func (v Variant) Observes() bool { return v == Observed || v == FastObserved }

// JobChecker checks jobs against one program. It is made once for a resident program and checks without allocating;
// it must not be used from two goroutines at a time.
type JobChecker struct {
	p      *Program
	driven []uint64 // nets computed by a gate
	seen   []uint64 // source nets of the job at hand
	bits   bool     // some gate has state bits
}

// NewJobChecker makes a checker for jobs of a valid program.
func NewJobChecker(p *Program) *JobChecker {
	c := &JobChecker{p: p, driven: make([]uint64, (p.NNet+63)/64), seen: make([]uint64, (p.NNet+63)/64)}
	for g, n := range p.GateOut {
		if n >= 0 {
			c.driven[n>>6] |= 1 << (n & 63)
			c.bits = c.bits || p.Fns[p.GateFn[g]].NBit > 0
		}
	}
	return c
}

// Check returns an error wrapping ErrJob when an engine could not run the job as it stands.
func (c *JobChecker) Check(j *Job) error { return c.check(j, nil) }

// check is Check; sources that are the same memory as in a known good job over the same time are not read again.
func (c *JobChecker) check(j, known *Job) error {
	if len(j.Cuts) < 2 {
		return fmt.Errorf("%w: %d cuts, at least 2 are needed", ErrJob, len(j.Cuts))
	}
	for i := 1; i < len(j.Cuts); i++ {
		if j.Cuts[i] <= j.Cuts[i-1] {
			return fmt.Errorf("%w: cut %d at %d is not after %d", ErrJob, i, j.Cuts[i], j.Cuts[i-1])
		}
		if uint64(j.Cuts[i])-uint64(j.Cuts[i-1]) >= MaxWindow {
			return fmt.Errorf("%w: window %d has 2^30 ticks or more", ErrJob, i-1)
		}
	}
	if j.Kind > Cycle || j.Variant > FastObserved {
		return fmt.Errorf("%w: kind %d, variant %d", ErrJob, j.Kind, j.Variant)
	}
	if len(j.Start) < len(c.driven) {
		return fmt.Errorf("%w: start values of %d nets, %d are needed", ErrJob, 64*len(j.Start), c.p.NNet)
	}
	if c.bits && len(j.StartBits) < len(c.p.GateOut) {
		return fmt.Errorf("%w: start bits of %d gates, %d are needed", ErrJob, len(j.StartBits), len(c.p.GateOut))
	}
	if err := c.checkSources(j, known); err != nil {
		return err
	}
	if j.Keep && j.Variant != Base {
		return fmt.Errorf("%w: variant %d keeps no result", ErrJob, j.Variant)
	}
	if j.Variant.Presized() {
		if j.Plan == nil {
			return fmt.Errorf("%w: a presized variant needs a plan", ErrJob)
		}
		if err := j.Plan.check(c.p.NNet); err != nil {
			return err
		}
	}
	if !j.Variant.Observes() {
		if len(j.Observers) != 0 {
			return fmt.Errorf("%w: observers in a variant without", ErrJob)
		}
		return nil
	}
	for i := range j.Observers {
		if _, err := j.Observers[i].OutputSize(c.p, j); err != nil {
			return err
		}
	}
	return nil
}

func (c *JobChecker) checkSources(j, known *Job) error {
	if len(j.SrcNet) == 0 && len(j.SrcOff) == 0 {
		return nil
	}
	if len(j.SrcOff) != len(j.SrcNet)+1 || j.SrcOff[0] != 0 || j.SrcOff[len(j.SrcNet)] > int64(len(j.SrcTick)) {
		return fmt.Errorf("%w: source offsets do not fit", ErrJob)
	}
	clear(c.seen)
	first, last := j.Cuts[0], j.Cuts[len(j.Cuts)-1]
	for i, n := range j.SrcNet {
		if n < 0 || n >= c.p.NNet {
			return fmt.Errorf("%w: source net %d of %d", ErrJob, n, c.p.NNet)
		}
		if (c.driven[n>>6]|c.seen[n>>6])>>(n&63)&1 != 0 {
			return fmt.Errorf("%w: source net %d is computed by a gate or listed twice", ErrJob, n)
		}
		c.seen[n>>6] |= 1 << (n & 63)
		if j.SrcOff[i] > j.SrcOff[i+1] || j.SrcOff[i+1] > int64(len(j.SrcTick)) {
			return fmt.Errorf("%w: source offsets do not rise", ErrJob)
		}
		if known.sameSource(j, i) {
			continue
		}
		before := first
		for _, t := range j.SrcTick[j.SrcOff[i]:j.SrcOff[i+1]] {
			if t <= before {
				return fmt.Errorf("%w: net %d changes at %d, not after %d", ErrJob, n, t, before)
			}
			before = t
		}
		if before >= last {
			return fmt.Errorf("%w: net %d changes at %d, not before the end %d", ErrJob, n, before, last)
		}
	}
	return nil
}

// sameSource says whether source i of another job is source i here, at the same place in memory. j may be nil.
func (j *Job) sameSource(other *Job, i int) bool {
	return j != nil && i < len(j.SrcNet) && j.SrcNet[i] == other.SrcNet[i] && j.SrcOff[i] == other.SrcOff[i] && j.SrcOff[i+1] == other.SrcOff[i+1] &&
		unsafe.SliceData(j.SrcTick) == unsafe.SliceData(other.SrcTick)
}

const jobMagic = "WATTDJB1"

// Image returns the job as one relocatable byte range; Progress stays behind.
func (j *Job) Image() []byte {
	w := imageWriter{magic: jobMagic}
	keep := int64(0)
	if j.Keep {
		keep = 1
	}
	w.num(int64(j.Kind), int64(j.Variant), int64(j.Workers), keep, int64(len(j.Observers)))
	planned := int64(0)
	var off []int64
	if j.Plan != nil {
		planned, off = 1, j.Plan.Off
	}
	w.num(planned)
	w.section(bytesOf(j.Cuts), bytesOf(j.Start), bytesOf(j.StartBits), bytesOf(j.SrcNet), bytesOf(j.SrcOff), bytesOf(j.SrcTick), bytesOf(off))
	for i := range j.Observers {
		w.num(int64(j.Observers[i].ID))
		w.section(bytesOf(j.Observers[i].Params))
	}
	return w.bytes()
}

// OpenJob gives a view of an image; the job shares its memory. JobChecker.Check must follow before a run.
func OpenJob(image []byte) (*Job, error) {
	r, err := openImage(jobMagic, image)
	if err != nil {
		return nil, err
	}
	j := &Job{Kind: Kind(r.num()), Variant: Variant(r.num()), Workers: int(r.num()), Keep: r.num() != 0}
	nObs, planned := r.num(), r.num()
	j.Cuts, j.Start, j.StartBits = view[int64](r), view[uint64](r), view[uint32](r)
	j.SrcNet, j.SrcOff, j.SrcTick = view[int32](r), view[int64](r), view[int64](r)
	off := view[int64](r)
	if planned != 0 {
		j.Plan = &Plan{Off: off}
	}
	if nObs < 0 || nObs > int64(len(image)) {
		return nil, fmt.Errorf("%w: %d observers", ErrImage, nObs)
	}
	for range nObs {
		if r.err != nil {
			break
		}
		id := ObserverID(r.num())
		j.Observers = append(j.Observers, Observer{ID: id, Params: view[int64](r)})
	}
	if r.err != nil {
		return nil, r.err
	}
	return j, nil
}

func bytesOf[T any](s []T) []byte {
	if len(s) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*int(unsafe.Sizeof(s[0])))
}
