package netlist

import (
	"slices"
	"sync"
)

// owners finds the instance of a pin in a patched netlist, where pins do not come in the order of instances.
type owners struct {
	once sync.Once `image:"-"` // found again where it is needed
	of   []int32   `image:"-"`
}

// PinInst returns the instance that an entry of PinNet belongs to, None for one that none uses any more.
func (nl *Netlist) PinInst(pin int32) int32 {
	if !nl.patched {
		i, ok := slices.BinarySearchFunc(nl.Insts, pin, func(in Inst, p int32) int { return int(in.Pin0) - int(p) })
		if !ok {
			i--
		}
		for i+1 < len(nl.Insts) && nl.Insts[i+1].Pin0 <= pin { // instances without pins share a start
			i++
		}
		return int32(i)
	}
	o := &nl.owners
	o.once.Do(func() {
		o.of = make([]int32, len(nl.PinNet))
		for i := range o.of {
			o.of[i] = None
		}
		for i := range nl.Insts {
			in := &nl.Insts[i]
			for k := range int32(nl.Cells[in.Cell].NPin()) {
				o.of[in.Pin0+k] = int32(i)
			}
		}
	})
	return o.of[pin]
}
