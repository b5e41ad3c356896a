// Package trace tells why an event of a net happened: which change of which input caused it, through which arc and wire, and so on back
// to a source.
//
// Contract: a hop is recomputed from the events of the gate's inputs, by the rules of the semantics, as one window from the start of the
// run; nothing is concluded from times alone. It agrees with the waves of any engine: an event that the recomputed gate does not have is
// ErrDiffers, a fault of one of them. Numbers only, no names. The cost of a hop is that of running its gate up to the event.
package trace

import (
	"context"
	"errors"
	"fmt"
	"sort"

	"github.com/wattd/wattd/kernel"
)

// Errors of a trace.
var (
	// ErrNoEvent: the net has no event at or before the tick, in the run. Ask for a later one.
	ErrNoEvent = errors.New("trace: no event")
	// ErrDiffers: the gate, run again, has no such event. Program and waves do not belong together, or an engine has a bug.
	ErrDiffers = errors.New("trace: the waves are not those of the gates")
)

// Run is a simulated run.
type Run struct {
	Program   *kernel.Program
	Waves     *kernel.Waves
	StartBits []uint32 // state bits at the start, by gate; nil when no gate has state
	NetGate   []int32  // gate that computes a net, or negative
}

// Event is a change of a net.
type Event struct {
	Net   int32
	At    int64
	Value bool
}

// Hop is an event and what caused it.
type Hop struct {
	Event
	Gate  int32 // that computes the net; negative: a source, and what follows is not set
	Pin   int   // of the gate's pins, the one whose change caused it
	Delay int64 // of the arc
	Wire  int64 // of the wire to the pin
	Also  int   // other pins that switched in the same tick
	Slot  int   // of the gate's arcs, the one that gave the delay; negative: none has one, the delay is 0
	State uint64

	fallback bool // no entry was for the edge of the input
}

// Last finds the last event of a net at or before a tick.
func (r *Run) Last(net int32, at int64) (e Event, err error) {
	w := r.Waves
	for k := sort.Search(w.Windows(), func(k int) bool { return w.Cuts[k] > at }) - 1; k >= 0; k-- {
		start, ticks := w.Row(net, k)
		n := sort.Search(len(ticks), func(i int) bool { return w.Cuts[k]+int64(ticks[i]) > at })
		if n > 0 {
			return Event{net, w.Cuts[k] + int64(ticks[n-1]), start != (n%2 == 1)}, nil
		}
	}
	return e, ErrNoEvent
}

// Before is the value of a net just before a tick; at the start of the run that after all changes there.
func (r *Run) Before(net int32, tick int64) bool {
	if e, err := r.Last(net, tick-1); err == nil {
		return e.Value
	}
	return r.Waves.StartValue(net)
}

// Chain goes back from an event, at most so many hops. complete says that the last hop is a source.
func (r *Run) Chain(ctx context.Context, e Event, hops int) (chain []Hop, complete bool, err error) {
	x := &replay{run: r}
	for len(chain) < hops {
		if err := ctx.Err(); err != nil {
			return chain, false, err
		}
		g := r.NetGate[e.Net]
		if g < 0 {
			return append(chain, Hop{Event: e, Gate: -1, Pin: -1, Slot: -1}), true, nil
		}
		h, cause, err := x.hop(g, e)
		if err != nil {
			return chain, false, err
		}
		chain = append(chain, h)
		e = cause
	}
	return chain, false, nil
}

// behind is a change at a pin, behind the wire, and the tick of the change of the net that made it.
type behind struct{ at, net int64 }

// scheduled is an output event, with the evaluation that scheduled it.
type scheduled struct {
	at, eval  int64
	switched  uint64
	state     uint64
	slot, pin int
	fallback  bool
}

// replay runs one gate.
type replay struct {
	run  *Run
	pins [][]behind
	out  []scheduled
}

// hop runs a gate up to an event of its output and says what caused it.
func (x *replay) hop(g int32, e Event) (h Hop, cause Event, err error) {
	s, ok := x.gate(g, e.At)
	if !ok {
		return h, cause, fmt.Errorf("%w: gate %d, net %d at %d", ErrDiffers, g, e.Net, e.At)
	}
	h = Hop{Event: e, Gate: g, Pin: s.pin, Delay: s.at - s.eval, Slot: s.slot, State: s.state, fallback: s.fallback}
	for rest := s.switched &^ (1 << s.pin); rest != 0; rest &= rest - 1 {
		h.Also++
	}
	pin := x.pins[s.pin]
	b := pin[sort.Search(len(pin), func(i int) bool { return pin[i].at >= s.eval })]
	h.Wire = b.at - b.net
	p := x.run.Program
	return h, Event{p.PinNet[p.GatePin[g]+int32(s.pin)], b.net, s.state>>s.pin&1 != 0}, nil
}

// each calls f with the events of a net up to a tick.
func (x *replay) each(net int32, until int64, f func(tick int64)) (start bool) {
	w := x.run.Waves
	for k := 0; k < w.Windows() && w.Cuts[k] <= until; k++ {
		_, ticks := w.Row(net, k)
		for _, t := range ticks {
			if at := w.Cuts[k] + int64(t); at <= until {
				f(at)
			}
		}
	}
	return w.StartValue(net)
}

// wire gives what a wire makes of the events of a net up to a tick. Limits do not exceed delays, so later events change nothing before.
func (x *replay) wire(list []behind, net int32, until int64, w *kernel.Wire) []behind {
	v := x.run.Waves.StartValue(net)
	x.each(net, until, func(t int64) {
		v = !v
		d, reject := int64(w.Fall), int64(w.RejFall)
		if v {
			d, reject = int64(w.Rise), int64(w.RejRise)
		}
		if n := len(list); n > 0 && t+d-list[n-1].at < max(reject, 1) {
			list = list[:n-1]
			return
		}
		list = append(list, behind{t + d, t})
	})
	return list
}
