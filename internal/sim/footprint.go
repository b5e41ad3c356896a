package sim

import (
	"github.com/wattd/wattd/internal/footprint"
	"github.com/wattd/wattd/kernel"
)

// Footprint counts the waves of a result and what a later run needs of it, without its design and stimulus.
func (r *Result) Footprint(t *footprint.Tally) {
	wavesFootprint(t, r.Waves)
	footprint.Slice(t, r.GateCounts)
	footprint.Slice(t, r.WireCounts)
	for _, b := range r.Observed {
		footprint.Slice(t, b)
	}
	footprint.Slice(t, r.Work.Nets)
	footprint.Slice(t, r.Work.Windows)
	if k := r.Kept; k != nil && k.Readers != nil {
		t.Once(k.Readers, k.Readers.Size())
	}
	if s := r.start; s != nil {
		footprint.Slice(t, s.Nets)
		footprint.Slice(t, s.Bits)
		footprint.Slice(t, s.defaulted)
	}
}

func wavesFootprint(t *footprint.Tally, w *kernel.Waves) {
	footprint.Slice(t, w.Cuts)
	footprint.Slice(t, w.Rows)
	footprint.Slice(t, w.Over)
	footprint.Slice(t, w.Dir)
	for _, s := range w.Slabs {
		footprint.Slice(t, s)
	}
	for _, s := range w.BlockSlabs {
		footprint.Slice(t, s)
	}
	for _, s := range w.RowSlabs {
		footprint.Slice(t, s)
	}
	for _, s := range w.Sides {
		footprint.Slice(t, s)
	}
}
