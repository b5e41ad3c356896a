package host

import (
	"math/bits"

	"github.com/wattd/wattd/kernel"
)

// Paths of a gate: 0 is the general one, else the number of pins of a small gate: a one-word table, no state bits, no
// observed nets, no or dense delays, plain limits.
const maxSmall = 6

func pathOf(p *kernel.Program, g int32) uint8 {
	f := &p.Fns[p.GateFn[g]]
	if f.Form != kernel.FormTable || f.NPin < 1 || f.NPin > maxSmall || f.NBit > 0 || f.NObs > 0 || p.GateLimit[g] >= 0 {
		return 0
	}
	if s := p.GateShape[g]; s >= 0 && (p.Shapes[s].List || p.Shapes[s].NSlot == 0) {
		return 0
	}
	return f.NPin
}

// merge evaluates the gate at every tick of its lists before the end of the window.
func (k *worker) merge() {
	switch {
	case k.path == 0:
		k.mergeGeneral()
	case k.shape == nil:
		k.mergeZero()
	case k.path == 1:
		k.merge1()
	case k.path == 2:
		k.merge2()
	case k.path == 3:
		k.merge3()
	case k.path == 4:
		k.merge4()
	default:
		k.mergeSmall()
	}
}

// mergeZero merges the lists of a small gate without delays.
func (k *worker) mergeZero() {
	n, state, y := k.nOut, k.state, k.y
	for {
		t := forever
		for i := range k.nIn {
			t = min(t, int(k.list[i][k.at[i]]))
		}
		if t >= k.length {
			break
		}
		for i := range k.nIn {
			if int(k.list[i][k.at[i]]) == t {
				k.at[i]++
				state ^= 1 << i
			}
		}
		k.stats.Evaluations++
		if v := k.table >> (state & 63) & 1; v != y {
			y = v
			k.out[n] = int32(t)
			n++
		}
	}
	k.nOut, k.state, k.y = n, state, y
}

// mergeSmall merges the lists of any small gate.
func (k *worker) mergeSmall() {
	n, state, y := k.nOut, k.state, k.y
	last := int(k.out[n-1])
	for {
		t := forever
		for i := range k.nIn {
			t = min(t, int(k.list[i][k.at[i]]))
		}
		if t >= k.length {
			break
		}
		switched := uint64(0)
		for i := range k.nIn {
			if int(k.list[i][k.at[i]]) == t {
				k.at[i]++
				switched |= 1 << i
			}
		}
		state ^= switched
		k.stats.Evaluations++
		v := k.table >> (state & 63) & 1
		if v == y {
			continue
		}
		y = v
		d := k.dense(switched, state, v)
		if t+d-last < max(d, 1) {
			k.drops[k.nDrop] = int32(t)
			k.nDrop++
			n--
			last = int(k.out[n-1])
		} else {
			last = t + d
			k.out[n] = int32(last)
			n++
		}
	}
	k.nOut, k.state, k.y = n, state, y
}

// dense is the delay of a small gate whose pins switched: the smallest of those that have one.
//
//go:noinline
func (k *worker) dense(switched, state, v uint64) int {
	best := forever
	for s := switched; s != 0; s &= s - 1 {
		if slot := k.slots[uint64(bits.TrailingZeros64(s))<<k.nIn|state]; slot >= 0 {
			best = min(best, int(k.arcs[slot]))
		}
	}
	if best == forever {
		d, _ := k.fallback(switched, v)
		return d
	}
	return best
}

// fallback is the delay, and its slot or -1, where no switched pin has one in this state.
func (k *worker) fallback(switched, v uint64) (int, int) {
	k.pair.Unannotated++
	best, at := forever, -1
	for s := switched; s != 0; s &= s - 1 {
		slot := int(k.runner.p.SlotMap[uint64(k.shape.Fall)+2*uint64(bits.TrailingZeros64(s))+v])
		if slot >= 0 && int(k.arcs[slot]) < best {
			best, at = int(k.arcs[slot]), slot
		}
	}
	if at < 0 {
		return 0, -1
	}
	return best, at
}
