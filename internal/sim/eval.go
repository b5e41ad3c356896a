package sim

import "github.com/wattd/wattd/kernel"

// nextAt and transAt are the offsets of the functions of bit k.
func nextAt(p *kernel.Program, fn *kernel.Fn, k int) int32 { return bitAt(p, fn, fn.Next, k) }

func transAt(p *kernel.Program, fn *kernel.Fn, k int) int32 { return bitAt(p, fn, fn.Trans, k) }

func bitAt(p *kernel.Program, fn *kernel.Fn, base int32, k int) int32 {
	if fn.Form == kernel.FormCode {
		return int32(p.Code[base+int32(k)])
	}
	n := int(fn.NPin) + int(fn.NBit)
	return base + int32(k*max(1, 1<<n/64))
}

// transparent says whether bit k follows the pins.
func transparent(p *kernel.Program, fn *kernel.Fn, pins uint64, k int) bool {
	return p.Value(fn, transAt(p, fn, k), pins)
}

// settleBits applies the next-state functions until nothing changes, at most NBit+1 times.
func settleBits(p *kernel.Program, fn *kernel.Fn, state uint64) uint64 {
	for range int(fn.NBit) + 1 {
		old := state
		for k := range int(fn.NBit) {
			at := int(fn.NPin) + k
			state &^= 1 << at
			if p.Value(fn, nextAt(p, fn, k), old&(1<<at)|state) {
				state |= 1 << at
			}
		}
		if state == old {
			break
		}
	}
	return state
}
