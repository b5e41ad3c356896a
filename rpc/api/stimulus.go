package api

// Requests about stimuli.
var (
	StimulusLoad     = method[StimulusLoadParams, StimulusResult]("stimulus/load", "Reads a dump and binds it to the sources of a design.")
	StimulusList     = method[StimulusListParams, StimulusListResult]("stimulus/list", "The stimuli of a design, and the sources that one of them does not cover.")
	StimulusDrop     = method[StimulusParams, Empty]("stimulus/drop", "Lets a stimulus go, with the waves simulated from it.")
	StimulusGenerate = method[StimulusGenerateParams, StimulusResult]("stimulus/generate", "Makes random values for all sources: the same seed makes the same values, whatever else changes.")
)

// StimulusLoadParams are those of a run in wattd.toml. Times here are text with a unit, for example 10ns, because the tick of
// a dump need not be that of the design.
type StimulusLoadParams struct {
	Target
	Name     string `json:"name,omitempty"`     // name of the stimulus; absent: that of the file
	Path     string `json:"path"`               // VCD file, compressed or not
	Scope    string `json:"scope,omitempty"`    // scope of the dump that is the top; absent: found by its names
	From     string `json:"from,omitempty"`     // begin; absent: that of the dump
	To       string `json:"to,omitempty"`       // end; absent: that of the dump
	Cycle    string `json:"cycle,omitempty"`    // cycle that splits functional changes and glitches; absent: the clock of each net
	X        string `json:"x,omitempty"`        // values that are not known: hold (default), 0, 1, random:SEED
	Unmapped string `json:"unmapped,omitempty"` // sources without values: error (default), derive, hold, toggle:P
	Launch   string `json:"launch,omitempty"`   // as-dumped, launched; absent: launched for dumps without delays
}

// StimulusParams name a stimulus.
type StimulusParams struct {
	Target
	Stimulus string `json:"stimulus,omitempty"` // may be absent when one is loaded
}

// StimulusListParams may choose a stimulus.
type StimulusListParams struct {
	StimulusParams
	Page
	Missing bool `json:"missing,omitempty"` // list the sources that the stimulus does not cover
}

// StimulusGenerateParams describe random values.
type StimulusGenerateParams struct {
	Target
	Name     string  `json:"name,omitempty"` // name of the stimulus; absent: random
	Seed     int64   `json:"seed"`           // same seed, same values
	Period   string  `json:"period"`         // of the clock, for example 2ns
	Cycles   int64   `json:"cycles"`         // length
	Activity float64 `json:"activity"`       // probability that a source changes in a cycle, 0 to 1
}

// StimulusResult describes a stimulus.
type StimulusResult struct {
	Meta     Meta        `json:"meta"`
	Stimulus StimulusRow `json:"stimulus"`
}

// StimulusListResult has a row a stimulus.
type StimulusListResult struct {
	Meta    Meta               `json:"meta"`
	Stimuli Table[StimulusRow] `json:"stimuli"`
	Missing *Table[SourceRow]  `json:"missing,omitempty"` // with `missing`
}

// StimulusRow is a stimulus.
type StimulusRow struct {
	Name         string  `json:"name"`
	Path         string  `json:"path"` // the dump, or empty when generated
	Scope        string  `json:"scope"`
	From         int64   `json:"from"`         // ticks
	To           int64   `json:"to"`           // ticks
	Launch       string  `json:"launch"`       // as-dumped, launched
	SourceEvents int64   `json:"sourceEvents"` // changes of sources
	Covered      float64 `json:"covered"`      // percent of the sources that have recorded values
	UnknownTime  float64 `json:"unknownTime"`  // percent of the time of all sources that is X or Z
	Simulated    bool    `json:"simulated"`    // waves of the newest snapshot are there
}

// SourceRow is a source without values.
type SourceRow struct {
	Net   string `json:"net"`
	Class string `json:"class"` // input, register, blackbox, and so on
	New   bool   `json:"new"`   // an edit created it
}
