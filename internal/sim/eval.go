package sim

import "github.com/wattd/wattd/kernel"

// eval computes one function of a gate in a state. It is used to settle the start, not in the loop of an engine.
func eval(p *kernel.Program, fn *kernel.Fn, at int32, state uint64) bool {
	if fn.Form == kernel.FormTable {
		return p.Words[int(at)+int(state>>6)]>>(state&63)&1 != 0
	}
	var stack [64]bool
	n := 0
	for pc := at; ; pc++ {
		w := p.Code[pc]
		arg := w & (1<<24 - 1)
		switch kernel.CodeOp(w >> 24) {
		case kernel.CodeEnd:
			return stack[n-1]
		case kernel.CodeConst:
			stack[n] = arg != 0
			n++
		case kernel.CodeVar:
			stack[n] = state>>arg&1 != 0
			n++
		case kernel.CodeNot:
			stack[n-1] = !stack[n-1]
		case kernel.CodeAnd:
			n--
			stack[n-1] = stack[n-1] && stack[n]
		case kernel.CodeOr:
			n--
			stack[n-1] = stack[n-1] || stack[n]
		case kernel.CodeXor:
			n--
			stack[n-1] = stack[n-1] != stack[n]
		}
	}
}

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
	return eval(p, fn, transAt(p, fn, k), pins)
}

// settleBits applies the next-state functions until nothing changes, at most NBit+1 times.
func settleBits(p *kernel.Program, fn *kernel.Fn, state uint64) uint64 {
	for range int(fn.NBit) + 1 {
		old := state
		for k := range int(fn.NBit) {
			at := int(fn.NPin) + k
			state &^= 1 << at
			if eval(p, fn, nextAt(p, fn, k), old&(1<<at)|state) {
				state |= 1 << at
			}
		}
		if state == old {
			break
		}
	}
	return state
}
