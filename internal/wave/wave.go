// Package wave turns a dump into the stimulus of a design: which variable drives which net, from when to when, with which
// values.
//
// Contract: one pass over the dump, memory in proportion to the changes of the sources; times become whole ticks or an error. X
// policy, collapsing of several changes in one tick, missing sources, and the two outputs of a register are settled here after the
// semantics page, and everything that was assumed is counted in the Coverage. Nothing is simulated here.
package wave

// None marks an absent index.
const None = int32(-1)

// Stimulus is the waveforms of all sources over one interval.
type Stimulus struct {
	From, To int64 // ticks; the run is [From, To)

	// Sim are the waves that drive the simulation: source i is net Net[i], has value Start[i] after all changes stamped <= From,
	// and toggles at Tick[Off[i]:Off[i+1]], strictly increasing, in (From, To).
	Net   []int32
	Start []bool
	Off   []int64
	Tick  []int64

	// Recorded are the waves that are counted, where the X policy makes them differ from those of the simulation; else nil. Unknown
	// spans are held in them.
	RecStart []bool
	RecOff   []int64
	RecTick  []int64

	// Unknown lists the spans in which a source was x or z, by source, then time.
	Unknown []Span

	// Initial holds, for outputs with state (of latches and clock gates, computed or cut out of loops), the value that the dump shows at
	// From: 0, 1, or absent when it is unknown or not dumped.
	Initial map[int32]bool

	Collapsed []Collapsed // sources with several changes in one tick

	// Next is the part of the run behind a gap of the dump, nil when there is none. Every part is a run of its own that starts
	// settled; the gaps belong to none.
	Next *Stimulus

	Coverage Coverage
}

// Span is a time in which source Src was not known.
type Span struct {
	Src      int32
	From, To int64
	Z        bool
}

// Collapsed lists the ticks at which a change of a source was overwritten by a later one of the same tick, once for each.
type Collapsed struct {
	Net  int32
	Tick []int64
}

// End is the end of the last part.
func (s *Stimulus) End() int64 {
	for s.Next != nil {
		s = s.Next
	}
	return s.To
}

// Parts lists s and the parts behind gaps.
func (s *Stimulus) Parts() []*Stimulus {
	var p []*Stimulus
	for ; s != nil; s = s.Next {
		p = append(p, s)
	}
	return p
}

// Coverage says on what a run rests.
type Coverage struct {
	Scope      string
	Launch     string
	Classes    []ClassCoverage
	Loose      int64 // bound by a loose rule
	Changes    int64 // changes of sources within the interval
	Collapsed  int64
	UnknownNet int64 // sources unknown for some time
	UnknownSum int64 // ticks, over all sources
	NeverKnown int64
	Missing    []string // the first names without stimulus
	New        []int32  // sources without stimulus that an edit made
}

// ClassCoverage counts the sources of one class.
type ClassCoverage struct {
	Class      string `json:"class"`
	Total      int64  `json:"total"`
	Stimulus   int64  `json:"stimulus"`
	Complement int64  `json:"complement"` // register outputs derived from the other output
	Held       int64  `json:"held"`
	Toggled    int64  `json:"toggled"`
}

// Share is the percentage of sources that have recorded values, 100 when there are no sources.
func (c *Coverage) Share() float64 {
	var total, ok int64
	for _, x := range c.Classes {
		total += x.Total
		ok += x.Stimulus + x.Complement
	}
	if total == 0 {
		return 100
	}
	return 100 * float64(ok) / float64(total)
}

// X is the policy for unknown values.
type X uint8

// The policies.
const (
	XHold X = iota
	XZero
	XOne
	XRandom
)

// Unmapped is the policy for sources without stimulus.
type Unmapped uint8

// The policies.
const (
	UnmappedError Unmapped = iota
	UnmappedHold
	UnmappedToggle
)

// Options are the choices of a binding.
type Options struct {
	Scope   string // "" finds it
	From    int64
	HasFrom bool
	To      int64
	HasTo   bool

	X     X
	XSeed uint64

	Unmapped Unmapped
	Toggle   float64 // probability of a change per cycle, with UnmappedToggle
	Cycle    int64   // ticks of a cycle, 0: that of the fastest clock

	// New says whether an edit made a source: such a one without values holds 0, whatever Unmapped says. nil: none.
	New func(net int32) bool

	// TimeCoef and TimeExp override the time unit of the dump when TimeCoef is not 0.
	TimeCoef, TimeExp int32
}
