package project

import (
	"github.com/wattd/wattd/internal/sim"
	"github.com/wattd/wattd/internal/wave"
)

// Parts are the parts of the run of a finished session, between the gaps of the dump, each with what came out of it.
func (s *Session) Parts() (parts []*wave.Stimulus, results []*sim.Result) { return s.parts, s.results }
