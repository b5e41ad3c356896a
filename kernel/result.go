package kernel

import (
	"errors"
	"fmt"
	"time"
)

// Errors of engines. All are wrapped with details; test with errors.Is.
var (
	// ErrProgram: the program is malformed. A bug of its maker.
	ErrProgram = errors.New("kernel: malformed program")
	// ErrJob: the job does not fit the program. A bug of its maker.
	ErrJob = errors.New("kernel: malformed job")
	// ErrImage: bytes that are no image, or of another version. Make the image again.
	ErrImage = errors.New("kernel: malformed image")
	// ErrCapacity: the plan of a presized run was too small; nothing of the run is valid. Run the job as Base or Observed, or with a larger plan.
	ErrCapacity = errors.New("kernel: plan too small")
	// ErrMemory: no memory for events. Run fewer windows, or another engine.
	ErrMemory = errors.New("kernel: out of memory")
	// ErrInterrupted: the context ended; it is wrapped together with the cause. Nothing of the run is valid.
	ErrInterrupted = errors.New("kernel: interrupted")
	// ErrFault: the engine broke (its process died, its device was lost). Load the program again, or use another engine.
	ErrFault = errors.New("kernel: engine fault")
	// ErrClosed: the runner was closed.
	ErrClosed = errors.New("kernel: runner is closed")
)

// StatusCode is how a loop ended.
type StatusCode uint8

// The status codes. After GrowTrace and GrowEvents the wrapper finds memory and resumes at the cursor.
const (
	Done        StatusCode = iota
	GrowTrace              // the loop's own buffers are too small for the next gate-window
	GrowEvents             // the event memory is too small for the gate-window at hand
	Stopped                // ended early because another loop of the run failed
	Interrupted            // the context ended
	Fault
)

func (c StatusCode) String() string {
	names := [...]string{"done", "grow-trace", "grow-events", "stopped", "interrupted", "fault"}
	if int(c) < len(names) {
		return names[c]
	}
	return fmt.Sprintf("status-%d", uint8(c))
}

// Status is what a loop returns: why it ended and where. Level -1 is the loading of sources; Cursor counts sources or gates of the
// level in order; Need is the number of events or buffer entries that was short.
type Status struct {
	Code   StatusCode
	Level  int32
	Cursor int64
	Window int32
	Need   int64
}

// StatusError is how a run ended that did not come to its end. It wraps one of the errors above.
type StatusError struct {
	Status
	Err error
}

func (e *StatusError) Error() string {
	return fmt.Sprintf("%v (%s at level %d, item %d, window %d)", e.Err, e.Code, e.Level, e.Cursor, e.Window)
}

func (e *StatusError) Unwrap() error { return e.Err }

// Stats are totals of a run.
type Stats struct {
	Events       int64 // of all nets, sources included
	SourceEvents int64
	Evaluations  int64 // (gate, tick) pairs
	Filtered     int64 // pulses, at gates
	WireFiltered int64 // pulses, at wires
	Races        int64
	ErrorPulses  int64
	Unannotated  int64 // evaluations that changed the output and found no arc (gates without a shape have none to find)
	GateWindows  int64
	Quiet        int64 // gate-windows without an evaluation
	Grown        int64 // times that a loop returned to grow memory

	Check, Sources, Simulate, Collect time.Duration
}

// GateCount are the totals of one gate.
type GateCount struct {
	Races       uint32
	ErrorPulses uint32 // of the gate and of the wires at its pins
	Unannotated uint32
}

// Result is the outcome of a run. The memory of a presized run belongs to its runner and is overwritten by the next run there
// with the same plan; that of the other variants is the caller's.
type Result struct {
	Waves    *Waves
	Stats    Stats
	Observed [][]byte // per observer of the job, see ObserverID

	// Totals of the gates and wires of a result that is not kept; read them by Gates and WireFiltered.
	GateCounts []GateCount
	WireCounts []uint32

	Kept *Kept // what Rerun needs; nil unless the job said Keep
	Work Work  // of a rerun

	release func() `image:"-"`
}

// Kept is what a kept result was made of. Program and job must stay unchanged as long as the result is used.
type Kept struct {
	Program *Program
	Job     *Job
	Readers *Readers
}

// Gates are the totals per gate slot. Those of a kept result are added up at every call.
func (r *Result) Gates() []GateCount {
	if r.Kept == nil {
		return r.GateCounts
	}
	p := r.Kept.Program
	all := make([]GateCount, len(p.GateOut))
	for _, g := range p.Order {
		c := &all[g]
		r.Waves.eachSide(p.GateOut[g], func(_ int, s *Side) {
			c.Races += s.Races
			c.ErrorPulses += s.ErrorPulses
			c.Unannotated += s.Unannotated
		})
	}
	return all
}

// WireFiltered counts, per entry of Program.PinNet, the pulses that the wire in front of it removed. Those of a kept result are
// added up at every call.
func (r *Result) WireFiltered() []uint32 {
	if r.Kept == nil {
		return r.WireCounts
	}
	p := r.Kept.Program
	all := make([]uint32, len(p.PinNet))
	for _, g := range p.Order {
		first := uint32(p.GatePin[g])
		r.Waves.eachSide(p.GateOut[g], func(_ int, s *Side) {
			for i := 0; i < len(s.Wire); i += 2 {
				all[first+s.Wire[i]] += s.Wire[i+1]
			}
		})
	}
	return all
}

// Release gives the memory of the result back at once, where it is not that of the garbage collector (engines in other
// processes); nothing of the result may be used from then on. A result that is never released stays valid.
func (r *Result) Release() {
	if r.release != nil {
		r.release()
		r.release = nil
	}
}

// OnRelease says what Release does. It is for engines.
func (r *Result) OnRelease(f func()) { r.release = f }
