package verilog

import "github.com/wattd/wattd/internal/footprint"

// Footprint counts what is kept of a file, without the names of the library cells, which the library has.
func (k *Track) Footprint(t *footprint.Tally) {
	footprint.Map(t, k.Cells)
	footprint.Slice(t, k.Modules)
	footprint.Slice(t, k.Borders)
	footprint.Slice(t, k.known)
	footprint.Slice(t, k.text)
}
