package kernel

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
	// Progress, when not nil, is called with the share of gate-windows done, seldom, from one goroutine at a time (in-process engines).
	Progress func(done, total int64) `json:"-"`
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
