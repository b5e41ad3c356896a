package scan

import "github.com/wattd/wattd/internal/footprint"

// Footprint counts the texts and their index; tables that extend one another share what they have in common.
func (n *Names) Footprint(t *footprint.Tally) {
	footprint.Slice(t, n.arena)
	footprint.Slice(t, n.start)
	footprint.Slice(t, n.table)
}
