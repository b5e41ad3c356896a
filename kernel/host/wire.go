package host

import "github.com/wattd/wattd/kernel"

// A list of scheduled events is a stack: an event that cancels takes itself and the last one away. Comparing with the last
// entry is right even when that one has passed, because no reject limit exceeds its delay: a change after it cannot come too close.
// So the pending events are just the end of the list, one at most under plain limits, any number else.

// plainWire applies a wire to events of a net that starts with value v; list[:n] ends with what was pending.
func plainWire(list []int32, n int, events []int32, v uint32, w *kernel.Wire) int {
	d := [2]int{int(w.Fall), int(w.Rise)}
	last := int(list[n-1])
	for _, s := range events {
		v ^= 1
		t := int(s) + d[v&1]
		if t-last < max(d[v&1], 1) {
			n--
			last = int(list[n-1])
		} else {
			list[n] = int32(t)
			n++
			last = t
		}
	}
	return n
}

// limitedWire is plainWire with reject and error limits; it also counts the pulses that pass below the error limit.
func limitedWire(list []int32, n int, events []int32, v uint32, w *kernel.Wire) (int, int) {
	d := [2]int{int(w.Fall), int(w.Rise)}
	rej := [2]int{max(int(w.RejFall), 1), max(int(w.RejRise), 1)}
	lim := [2]int{int(w.ErrFall), int(w.ErrRise)}
	errs := 0
	for _, s := range events {
		v ^= 1
		last := int(list[n-1])
		t := int(s) + d[v&1]
		if t-last < rej[v&1] {
			n--
			continue
		}
		if t-last < lim[v&1] && int(s) <= last {
			errs++
		}
		list[n] = int32(t)
		n++
	}
	return n, errs
}
