package host

import (
	"math/bits"

	"github.com/wattd/wattd/kernel"
)

// mergeGeneral is merge for every gate: any pins, state bits, observed nets, code, lists, limits.
func (k *worker) mergeGeneral() {
	f := k.fn
	nIn, nObs := k.nIn, int(f.NObs)
	seen := k.watchStart()
	for i := range nObs {
		k.watch[i] = 0
	}
	for {
		t := forever
		for i := range nIn {
			t = min(t, int(k.list[i][k.at[i]]))
		}
		if t >= k.length {
			return
		}
		switched := uint64(0)
		for i := range nIn {
			if int(k.list[i][k.at[i]]) == t {
				k.at[i]++
				switched |= 1 << i
			}
		}
		k.stats.Evaluations++
		k.state ^= switched
		if f.NBit > 0 {
			k.settle()
			k.races(switched)
		}
		v := k.value(f.Out, k.state)
		if v == k.y {
			continue
		}
		k.y = v
		d, rej, lim := 0, 0, 0
		if k.shape != nil {
			for i := range nObs {
				events := k.events[nIn+i]
				for k.watch[i] < len(events) && int(events[k.watch[i]]) < t {
					k.watch[i]++
					seen ^= 1 << i
				}
			}
			d, rej, lim = k.delay(switched, k.state|seen<<(nIn+int(f.NBit)), v)
		}
		last := int(k.out[k.nOut-1])
		if t+d-last < max(rej, 1) {
			k.drops[k.nDrop] = int32(t)
			k.nDrop++
			k.nOut--
			continue
		}
		if t+d-last < lim && t <= last {
			k.errorPulses(1)
		}
		k.out[k.nOut] = int32(t + d)
		k.nOut++
	}
}

// watchStart is the word of values of the observed nets at the start of the window.
func (k *worker) watchStart() uint64 {
	seen := uint64(0)
	p := k.runner.p
	for i := range int(k.fn.NObs) {
		net := p.PinNet[int(k.pin)+k.nIn+i]
		seen |= uint64(k.row(net, k.window).N&1) << i
	}
	return seen
}

// value evaluates a function at a state of pins and bits.
func (k *worker) value(at int32, state uint64) uint64 {
	p := k.runner.p
	if k.fn.Form == kernel.FormTable {
		return p.Words[uint64(at)+state>>6] >> (state & 63) & 1
	}
	return eval(p.Code, at, state)
}

// bitValue evaluates function b of a group of functions, one per state bit.
func (k *worker) bitValue(group int32, b int, state uint64) uint64 {
	if k.fn.Form == kernel.FormTable {
		return k.value(group+int32(b*k.fn.TableWords()), state)
	}
	return k.value(int32(k.runner.p.Code[int(group)+b]), state)
}

// eval runs code; the stack is a word with the top in bit 0.
func eval(code []uint32, at int32, state uint64) uint64 {
	st := uint64(0)
	for pc := int(at); ; pc++ {
		arg := code[pc] & (1<<24 - 1)
		switch kernel.CodeOp(code[pc] >> 24) {
		case kernel.CodeConst:
			st = st<<1 | uint64(arg)
		case kernel.CodeVar:
			st = st<<1 | state>>(arg&63)&1
		case kernel.CodeNot:
			st ^= 1
		case kernel.CodeAnd:
			st = st >> 1 & (st | ^uint64(1))
		case kernel.CodeOr:
			st = st>>1 | st&1
		case kernel.CodeXor:
			st = st>>1 ^ st&1
		default: // CodeEnd
			return st & 1
		}
	}
}

// settle computes the state bits in order until none changes.
func (k *worker) settle() {
	for range int(k.fn.NBit) + 1 {
		changed := false
		for b := range int(k.fn.NBit) {
			bit := uint64(1) << (k.nIn + b)
			next := k.bitValue(k.fn.Next, b, k.state) << (k.nIn + b)
			if next != k.state&bit {
				k.state ^= bit
				changed = true
			}
		}
		if !changed {
			return
		}
	}
}

// races counts bits that just closed while their data changed: the bit keeps now, but would follow to another value if one of
// the switched pins had not switched yet.
func (k *worker) races(switched uint64) {
	for b := range int(k.fn.NBit) {
		if k.bitValue(k.fn.Trans, b, k.state) != 0 {
			continue
		}
		kept := k.state >> (k.nIn + b) & 1
		for s := switched; s != 0; s &= s - 1 {
			before := k.state ^ s&-s
			if k.bitValue(k.fn.Trans, b, before) != 0 && k.bitValue(k.fn.Next, b, before) != kept {
				k.pair.Races++
				break
			}
		}
	}
}

// delay is the delay of an evaluation, with its reject and error limit: the smallest over the switched pins that
// have one, of the first such pin.
func (k *worker) delay(switched, state, v uint64) (d, rej, lim int) {
	best, at := forever, -1
	vars := k.nIn + int(k.fn.NBit) + int(k.fn.NObs)
	for s := switched; s != 0; s &= s - 1 {
		pin := bits.TrailingZeros64(s)
		slot := -1
		if k.shape.List {
			slot = k.candidate(pin, state, v)
		} else {
			slot = int(k.runner.p.SlotMap[uint64(k.shape.Map)+(uint64(pin)<<vars|state)])
		}
		if slot >= 0 && int(k.arcs[slot]) < best {
			best, at = int(k.arcs[slot]), slot
		}
	}
	if at < 0 {
		if best, at = k.fallback(switched, v); at < 0 {
			return 0, 0, 0
		}
	}
	if k.rejects == nil {
		return best, best, 0
	}
	return best, int(k.rejects[at]), int(k.errors[at])
}

// candidate is the slot of a switched pin in a List shape, or -1.
func (k *worker) candidate(pin int, state, v uint64) int {
	p := k.runner.p
	list := k.shape.Map + int32(4*pin) + int32(2*(state>>pin&1)+v)
	best, bestDefault := -1, -1
	for _, c := range p.Cands[p.ListOff[list]:p.ListOff[list+1]] {
		if c.Cond < 0 {
			if bestDefault < 0 || k.arcs[c.Slot] < k.arcs[bestDefault] {
				bestDefault = int(c.Slot)
			}
		} else if (best < 0 || k.arcs[c.Slot] < k.arcs[best]) && eval(p.Code, c.Cond, state) != 0 {
			best = int(c.Slot)
		}
	}
	if best < 0 {
		return bestDefault
	}
	return best
}
