package api

// Requests that compare, and edits that may be taken back.
var (
	DiffRun       = method[DiffRunParams, DiffRunResult]("diff/run", "What changed between two snapshots, stimuli or overlays.")
	WhatIfBegin   = method[WhatIfBeginParams, WhatIfResult]("whatif/begin", "Begins an overlay: a stack of edits on a snapshot that no file and no other client sees. It ends with the connection.")
	WhatIfApply   = method[WhatIfApplyParams, WhatIfResult]("whatif/apply", "Puts edits on the stack, all or none of them.")
	WhatIfUndo    = method[WhatIfUndoParams, WhatIfResult]("whatif/undo", "Takes the last edits off the stack.")
	WhatIfReport  = method[WhatIfReportParams, DiffRunResult]("whatif/report", "What the edits change, against the snapshot below them.")
	WhatIfCommit  = method[WhatIfCommitParams, WhatIfCommitResult]("whatif/commit", "Writes the edits as an ECO script in Tcl. The files of the design are not touched, and the overlay stays.")
	WhatIfDiscard = method[WhatIfParams, Answer]("whatif/discard", "Drops an overlay without a trace.")
)

// Side is one of two things to compare.
type Side struct {
	Snapshot int64  `json:"snapshot,omitempty"` // which must still be kept; absent: the newest
	Overlay  string `json:"overlay,omitempty"`
	Design   string `json:"design,omitempty"` // absent: that of the request, or of the other side
	Stimulus string `json:"stimulus,omitempty"`
}

// DiffRunParams name both sides. Nets are the same when they have the same name; a name or glob may mean nets of one side only. An
// interval is of both sides.
type DiffRunParams struct {
	Source
	Page
	Selection
	Before Side   `json:"before"`
	After  Side   `json:"after"`
	Sort   string `json:"sort,omitempty"` // change (default): largest change of tc first; name; glitch: largest change of glitches first
}

// DiffRunResult has a row a net that differs.
type DiffRunResult struct {
	Meta   Meta           `json:"meta"` // of the side after
	Before Meta           `json:"before"`
	Design DesignDelta    `json:"design"`
	Totals DiffTotals     `json:"totals"`
	Nets   Table[DiffRow] `json:"nets"`
}

// DesignDelta counts what differs in the designs themselves.
type DesignDelta struct {
	GatesAdded   int64 `json:"gatesAdded"`
	GatesRemoved int64 `json:"gatesRemoved"`
	Functions    int64 `json:"functions"`   // gates of another function
	Inputs       int64 `json:"inputs"`      // gates with other input nets
	Delays       int64 `json:"delays"`      // gates with another arc or wire delay
	SourceWaves  int64 `json:"sourceWaves"` // sources with other values
}

// DiffTotals are the sums over the nets chosen.
type DiffTotals struct {
	NetsChanged  int64  `json:"netsChanged"` // in any count
	TCBefore     int64  `json:"tcBefore"`
	TCAfter      int64  `json:"tcAfter"`
	GlitchBefore *int64 `json:"glitchBefore"` // null: no clock to split by
	GlitchAfter  *int64 `json:"glitchAfter"`  // null: no clock to split by
}

// DiffRow is a net with other counts. Counts of a side on which it is not there are null.
type DiffRow struct {
	Net          string `json:"net"`
	TCBefore     *int64 `json:"tcBefore"`
	TCAfter      *int64 `json:"tcAfter"`
	GlitchBefore *int64 `json:"glitchBefore"`
	GlitchAfter  *int64 `json:"glitchAfter"`
	T1Before     *int64 `json:"t1Before"` // ticks at 1
	T1After      *int64 `json:"t1After"`  // ticks at 1
	Cause        string `json:"cause"`    // what differs at its driver: added, removed, cell, delay, connection, stimulus; activity: only what comes in
}

// WhatIfBeginParams name the design.
type WhatIfBeginParams struct {
	Target
}

// WhatIfParams name an overlay.
type WhatIfParams struct {
	Call
	ID string `json:"id"` // of whatif/begin
}

// WhatIfApplyParams are edits.
type WhatIfApplyParams struct {
	WhatIfParams
	Edits []Edit `json:"edits"` // in order; each sees those before it
}

// Edit is one change of the design. Which fields count depends on `do`.
type Edit struct {
	Do        string   `json:"do"`                  // swapCell, setDelay, scaleDelay, insertBuffer, removeBuffer, reconnect, setStimulus
	Instance  string   `json:"instance,omitempty"`  // all but insertBuffer and setStimulus
	Cell      string   `json:"cell,omitempty"`      // swapCell, insertBuffer: cell of a library of the design
	Net       string   `json:"net,omitempty"`       // insertBuffer, reconnect, setStimulus
	Pin       string   `json:"pin,omitempty"`       // reconnect: the input; setDelay, scaleDelay: input of the arc, absent for all
	Output    string   `json:"output,omitempty"`    // setDelay, scaleDelay: output of the arc, absent for all
	Sinks     []string `json:"sinks,omitempty"`     // insertBuffer: INSTANCE/PIN that move behind it, absent for all
	Name      string   `json:"name,omitempty"`      // insertBuffer: name of the new instance; absent: made
	NewNet    string   `json:"newNet,omitempty"`    // insertBuffer: the net behind it, in answers only
	Rise      *int64   `json:"rise,omitempty"`      // setDelay: ticks
	Fall      *int64   `json:"fall,omitempty"`      // setDelay: ticks
	Wire      bool     `json:"wire,omitempty"`      // setDelay, scaleDelay: the wire to `pin` instead of the arcs
	Factor    float64  `json:"factor,omitempty"`    // scaleDelay; results are rounded to ticks
	Condition string   `json:"condition,omitempty"` // setDelay, scaleDelay: only arcs with this condition
	Policy    string   `json:"policy,omitempty"`    // setStimulus: hold, 0, 1, toggle:P, like:NET
}

// WhatIfUndoParams say how many.
type WhatIfUndoParams struct {
	WhatIfParams
	N int `json:"n,omitempty"` // edits to take back; 0: one
}

// WhatIfResult is an overlay.
type WhatIfResult struct {
	Meta  Meta   `json:"meta"`
	ID    string `json:"id"`
	Base  int64  `json:"base"`  // snapshot below the edits
	Edits []Edit `json:"edits"` // the stack, oldest first, names made for new instances filled in
}

// WhatIfReportParams choose nets and their order.
type WhatIfReportParams struct {
	WhatIfParams
	Page
	Selection
	Stimulus string `json:"stimulus,omitempty"` // may be absent when one is loaded
	Sort     string `json:"sort,omitempty"`     // as in diff/run
}

// WhatIfCommitParams choose the script.
type WhatIfCommitParams struct {
	WhatIfParams
	Path      string `json:"path"`                // file to write
	Dialect   string `json:"dialect,omitempty"`   // openroad, generic (default)
	Overwrite bool   `json:"overwrite,omitempty"` // replace a file that is there
}

// WhatIfCommitResult says what was written.
type WhatIfCommitResult struct {
	Meta     Meta   `json:"meta"`
	Path     string `json:"path"`
	Commands int64  `json:"commands"`
	Left     []Edit `json:"left,omitempty"` // edits that no netlist command expresses: delays and stimuli
}
