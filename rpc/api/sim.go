package api

// Requests about simulation.
var (
	SimRun    = method[SimRunParams, SimRunResult]("sim/run", "Simulates what is not simulated yet and sums up. Other requests simulate by themselves when they have to; this one is for its progress and its totals.")
	SimOracle = method[SimOracleParams, SimOracleResult]("sim/oracle", "Compares the next state that the simulated gates give each register with the value that the stimulus recorded for it.")
)

// SimRunParams choose what to simulate.
type SimRunParams struct {
	Source
	Force bool `json:"force,omitempty"` // run all pairs again, as if nothing had been kept
}

// SimRunResult is the sum over the design.
type SimRunResult struct {
	Meta         Meta       `json:"meta"`
	From         int64      `json:"from"`              // ticks
	To           int64      `json:"to"`                // ticks
	Windows      int64      `json:"windows"`           // that the run was cut into
	Events       int64      `json:"events"`            // of computed nets
	SourceEvents int64      `json:"sourceEvents"`      // of sources
	Toggles      int64      `json:"toggles"`           // changes between 0 and 1 of all nets
	Functional   *int64     `json:"functional"`        // those that outlast their cycle; null: no clock to split by
	Glitch       *int64     `json:"glitch"`            // the others; null: no clock to split by
	NoSplit      string     `json:"noSplit,omitempty"` // why they are null
	Filtered     int64      `json:"filtered"`          // pulses that gates did not pass
	WireFiltered int64      `json:"wireFiltered"`      // pulses that wires did not pass
	Races        int64      `json:"races"`             // latches whose data changed with their closing edge
	ErrorPulses  int64      `json:"errorPulses"`       // pulses between reject and error limit; they pass
	Unannotated  int64      `json:"unannotated"`       // evaluations without a delay for what switched
	Clocks       []ClockRow `json:"clocks,omitempty"`
}

// ClockRow is a clock that splits changes.
type ClockRow struct {
	Net    string `json:"net"`
	Period int64  `json:"period"` // ticks between its first two rising edges
	Edges  int64  `json:"edges"`  // rising ones in the interval
}

// SimOracleParams choose registers.
type SimOracleParams struct {
	Source
	Page
	Selection
	OnlyBad bool `json:"onlyBad,omitempty"` // leave out registers without a mismatch
}

// SimOracleResult has a row a register.
type SimOracleResult struct {
	Meta       Meta             `json:"meta"`
	Registers  Table[OracleRow] `json:"registers"`
	Checked    int64            `json:"checked"`           // edges compared
	Mismatches int64            `json:"mismatches"`        // edges that differ
	Skipped    []Count          `json:"skipped,omitempty"` // registers that could not be compared, by reason
}

// OracleRow is a register.
type OracleRow struct {
	Register  string `json:"register"`
	Checked   int64  `json:"checked"`   // active edges compared
	Mismatch  int64  `json:"mismatch"`  // those that differ
	FirstAt   *int64 `json:"firstAt"`   // tick of the first that differs; null: none does
	Recorded  string `json:"recorded"`  // value there in the stimulus: 0, 1, x
	Simulated string `json:"simulated"` // value there by the gates: 0, 1
}
