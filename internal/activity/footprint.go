package activity

import "github.com/wattd/wattd/internal/footprint"

// Footprint counts a table and its clocks.
func (t *Table) Footprint(sum *footprint.Tally) {
	footprint.Slice(sum, t.Nets)
	if c := t.Clocks; c != nil {
		footprint.Slice(sum, c.OfNet)
		footprint.Slice(sum, c.Network)
		for i := range c.List {
			footprint.Slice(sum, c.List[i].rises)
			footprint.Slice(sum, c.List[i].phases)
		}
	}
}
