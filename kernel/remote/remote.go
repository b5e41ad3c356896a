// Package remote runs an engine in a child process. It exists for engines that may take their process with them (a device
// fault ends CUDA for good), and to prove that the contract of package kernel works across a process border.
//
// Contract: one child per loaded program. Programs, jobs and results are images or ranges of shared memory (memfd), mapped on both
// sides and never copied through the connection; submit, status and cancel are messages, one JSON object in one
// packet of a SOCK_SEQPACKET pair, memory handed over as a descriptor. When the child dies or does not answer, the run
// and all later ones of that runner end with kernel.ErrFault: load the program again. Results are those of the same engine in process.
//
// A result holds its memory until Result.Release; that of a presized run is overwritten by the next one with the same plan.
//
// Linux only; elsewhere every function fails.
package remote

import (
	"errors"

	"github.com/wattd/wattd/kernel"
	"github.com/wattd/wattd/kernel/host"
)

// Build makes the engine that a child runs, on memory that it can share. host.NewIn is one.
type Build func(open func() (host.Memory, error)) kernel.Engine

// A message goes either way; which fields count depends on Op.
type message struct {
	Op   string `json:"op"`
	Run  int64  `json:"run,omitempty"`
	Size int64  `json:"size,omitempty"` // bytes of the memory that comes with the message

	Batch    bool `json:"batch,omitempty"`    // run: memory of its own even when presized
	Progress bool `json:"progress,omitempty"` // run: reports are wanted

	Done  int64 `json:"done,omitempty"` // progress
	Total int64 `json:"total,omitempty"`

	Error string `json:"error,omitempty"` // failed
	Class int    `json:"class,omitempty"` // index in classes

	Name   string  `json:"name,omitempty"` // loaded
	Result *layout `json:"result,omitempty"`
}

// The operations. To the child: opLoad (with a program), opRun (with a job), opCancel. From it: opLoaded, opProgress, opDone (with
// a result), opFailed.
const (
	opLoad     = "load"
	opRun      = "run"
	opCancel   = "cancel"
	opLoaded   = "loaded"
	opProgress = "progress"
	opDone     = "done"
	opFailed   = "failed"
)

// classes are the errors that keep their identity across the border; those of the child's caller first.
var classes = []error{
	kernel.ErrFault, kernel.ErrInterrupted, kernel.ErrCapacity, kernel.ErrMemory, kernel.ErrJob, kernel.ErrProgram, kernel.ErrImage, kernel.ErrClosed,
}

func classOf(err error) int {
	for i, c := range classes {
		if errors.Is(err, c) {
			return i
		}
	}
	return 0
}

// span is a byte range of the memory of a result.
type span struct {
	Off int64 `json:"o"`
	Len int64 `json:"n"`
}

// layout is a result without its memory.
type layout struct {
	Memory       int64        `json:"memory"` // name of the memory: equal names, the same memory
	Kept         bool         `json:"kept"`   // presized: the runner's until the next run
	Rows         span         `json:"rows"`
	Over         span         `json:"over"`
	Slabs        []span       `json:"slabs"`
	Gates        span         `json:"gates"`
	WireFiltered span         `json:"wireFiltered"`
	Observed     []span       `json:"observed"`
	Stats        kernel.Stats `json:"stats"`
}

// failure is an error from the child.
type failure struct {
	text  string
	class error
}

func (f *failure) Error() string { return f.text }
func (f *failure) Unwrap() error { return f.class }
