package api

import "encoding/json"

// Call is what every request may carry.
type Call struct {
	Snapshot      int64           `json:"snapshot,omitempty"`      // answer from this snapshot; absent: the newest
	MaxStaleMs    *int64          `json:"maxStaleMs,omitempty"`    // accept files checked at most so many milliseconds ago; absent: they are checked first
	TimeoutMs     int64           `json:"timeoutMs,omitempty"`     // give up after so many milliseconds, counted from the arrival of the request
	WorkDoneToken json.RawMessage `json:"workDoneToken,omitempty"` // a string or an integer: send $/progress under it
}

// Target is a Call that is about an open design.
type Target struct {
	Call
	Design    string `json:"design,omitempty"`    // name of the design; may be absent when one is open
	Overlay   string `json:"overlay,omitempty"`   // what-if overlay to look through
	NameStyle string `json:"nameStyle,omitempty"` // spelling of names in the answer: verilog (default), sdc, saif
}

// Source is a Target that is about one stimulus and interval.
type Source struct {
	Target
	Stimulus string `json:"stimulus,omitempty"` // name of the stimulus; may be absent when one is loaded
	From     *int64 `json:"from,omitempty"`     // begin of the interval in ticks; absent: begin of the run
	To       *int64 `json:"to,omitempty"`       // end of the interval in ticks, not included; absent: end of the run
}

// Page asks for a part of a table.
type Page struct {
	Limit  int    `json:"limit,omitempty"`  // rows at most; 0: 1000; 100000 at most
	Cursor string `json:"cursor,omitempty"` // `cursor` of the page before; all pages come from the same snapshot
}

// The limits of pages.
const (
	DefaultLimit = 1000
	MaxLimit     = 100_000
)

// Rows is the number of rows that a page may have.
func (p Page) Rows() int {
	if p.Limit == 0 {
		return DefaultLimit
	}
	return min(p.Limit, MaxLimit)
}

// Validate refuses a negative limit.
func (p Page) Validate() error {
	if p.Limit < 0 {
		return Errorf(BadRequest, "limit is %d", p.Limit)
	}
	return nil
}

// Meta says on what an answer rests. Every result about a design has it.
type Meta struct {
	Snapshot   int64              `json:"snapshot"`             // number of the snapshot that answered
	Overlay    string             `json:"overlay,omitempty"`    // what-if overlay on the snapshot that answered
	Edits      int64              `json:"edits,omitempty"`      // edits on its stack
	CheckedMs  int64              `json:"checkedMs"`            // milliseconds since the files were last compared with it
	Inputs     []Input            `json:"inputs,omitempty"`     // files that the answer depends on
	Tick       string             `json:"tick,omitempty"`       // unit of all times in the answer, for example 1ps
	Corner     string             `json:"corner,omitempty"`     // column of the SDF: min, typ, max
	Scope      string             `json:"scope,omitempty"`      // scope of the stimulus that is the top of the design
	Stimulus   string             `json:"stimulus,omitempty"`   // name of the stimulus
	Engine     string             `json:"engine,omitempty"`     // engine that simulated, for example host
	Coverage   []Coverage         `json:"coverage,omitempty"`   // sources with a stimulus, by class
	Warnings   int64              `json:"warnings"`             // number of warnings about the inputs; design/diagnostics lists them
	Mixed      []string           `json:"mixed,omitempty"`      // files that did not change although others of their set did: the answer mixes two states
	NewSources *NewSources        `json:"newSources,omitempty"` // sources that an edit created and no stimulus names
	Work       Work               `json:"work"`                 // what was done for this answer
	Ms         map[string]float64 `json:"ms,omitempty"`         // milliseconds by phase
}

// Input is a file and its content.
type Input struct {
	Path   string `json:"path"`   // as the user named it, made absolute
	Blake3 string `json:"blake3"` // hash of the content, 64 hexadecimal digits
}

// Coverage counts the sources of a class by where their values come from.
type Coverage struct {
	Class      string `json:"class"`      // input, register, blackbox, and so on
	Total      int64  `json:"total"`      // sources of the class
	Stimulus   int64  `json:"stimulus"`   // those with recorded values
	Complement int64  `json:"complement"` // register outputs taken as the complement of the recorded one
	Held       int64  `json:"held"`       // those that hold a value by the unmapped policy
	Toggled    int64  `json:"toggled"`    // those that toggle by the unmapped policy
}

// NewSources are sources without a stimulus that appeared by an edit; they hold their value.
type NewSources struct {
	N     int64    `json:"n"`
	First []string `json:"first"` // the first ten names
}

// Work counts what was done for an answer that was not there already. All 0: it was.
type Work struct {
	BytesParsed   int64  `json:"bytesParsed"`        // of changed files, in the chunks that changed
	GatesCompiled int64  `json:"gatesCompiled"`      // gates whose function, arcs or wires were compiled again
	PairsRun      int64  `json:"pairsRun"`           // (gate, window) pairs simulated
	PairsTotal    int64  `json:"pairsTotal"`         // (gate, window) pairs of the design and stimulus
	CutOffs       int64  `json:"cutOffs"`            // pairs that came out as before, so that nothing behind them ran
	RowsCompared  int64  `json:"rowsCompared"`       // rows of events compared with the ones before
	Reloaded      string `json:"reloaded,omitempty"` // what had been let go for the memory budget and was made again: waves, design
}

// Diagnostic is a message about an input; docs/diagnostics.md explains the codes.
type Diagnostic struct {
	Code     string `json:"code"`
	Severity string `json:"severity"` // error, warning, note
	Message  string `json:"message"`
	Hint     string `json:"hint,omitempty"`
	Path     string `json:"path,omitempty"`
	Line     int    `json:"line,omitempty"` // from 1
	Col      int    `json:"col,omitempty"`  // in bytes, from 1
	N        int64  `json:"n"`              // how many equal ones the message stands for
}

// Answer is the result of requests that return nothing but what they rest on.
type Answer struct {
	Meta Meta `json:"meta"`
}

// Empty is a result, or params, without content.
type Empty struct{}
