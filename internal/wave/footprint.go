package wave

import "github.com/wattd/wattd/internal/footprint"

// Footprint counts the waves of a stimulus, of all its parts.
func (s *Stimulus) Footprint(t *footprint.Tally) {
	for ; s != nil; s = s.Next {
		footprint.Slice(t, s.Net)
		footprint.Slice(t, s.Start)
		footprint.Slice(t, s.Off)
		footprint.Slice(t, s.Tick)
		footprint.Slice(t, s.RecStart)
		footprint.Slice(t, s.RecOff)
		footprint.Slice(t, s.RecTick)
		footprint.Slice(t, s.Unknown)
		footprint.Map(t, s.Initial)
		if footprint.Slice(t, s.Collapsed) {
			for i := range s.Collapsed {
				footprint.Slice(t, s.Collapsed[i].Tick)
			}
		}
	}
}
