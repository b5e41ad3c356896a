package workspace

import (
	"context"
	"fmt"

	"github.com/wattd/wattd/internal/trace"
)

// Hop is an event and what caused it.
type Hop struct {
	trace.Hop
	Net       string
	Glitch    bool // it is not the one change of its net that its cycle leaves behind
	Instance  string
	Cell      string
	Pin       string
	Condition string
}

// ErrNoEvent: the net has no event at or before the tick.
var ErrNoEvent = trace.ErrNoEvent

// Trace goes back from the last event of a net at or before a tick to the source that caused it, at most so many hops. complete says that
// it was reached.
func (s *Snapshot) Trace(ctx context.Context, net int32, at int64, most int) (hops []Hop, complete bool, err error) {
	r, e, err := s.lastEvent(net, at)
	if err != nil {
		return nil, false, err
	}
	chain, complete, err := r.Chain(ctx, e, most)
	if err != nil {
		return nil, false, err
	}
	for i := range chain {
		h := &chain[i]
		x := Hop{Hop: *h, Net: s.anyName(h.Net)}
		if h.Gate >= 0 {
			if int(h.Net) < len(s.Session.Netlist.Nets) {
				x.Instance, x.Cell = s.Driver(h.Net)
			}
			names := s.variables(h.Gate)
			x.Pin = names(h.Pin)
			x.Condition = r.Condition(h, names)
		}
		if from, to, ok := s.Session.Table.Cycle(h.Net, h.At); ok {
			last, err := r.Last(h.Net, to-1)
			x.Glitch = err == nil && (last.At > h.At || last.Value == r.Before(h.Net, from))
		}
		hops = append(hops, x)
	}
	return hops, complete, nil
}

// lastEvent finds an event, and the part of the run in which it is.
func (s *Snapshot) lastEvent(net int32, at int64) (r *trace.Run, e trace.Event, err error) {
	parts, results := s.Session.Parts()
	for i := len(parts) - 1; i >= 0; i-- {
		if parts[i].From > at {
			continue
		}
		r = &trace.Run{Program: s.Session.Design.Program, Waves: results[i].Waves, StartBits: results[i].StartBits(), NetGate: s.Session.Design.NetGate}
		if e, err = r.Last(net, at); err == nil {
			return r, e, nil
		}
	}
	return nil, e, ErrNoEvent
}

// variables gives the names of the variables of a gate: input pins, state bits, observed outputs by their nets.
func (s *Snapshot) variables(g int32) func(v int) string {
	d, nl := s.Session.Design, s.Session.Netlist
	fn := &d.Program.Fns[d.Program.GateFn[g]]
	in := d.Gates[g].Inst
	at := d.PinsOf(g)
	st := d.StateOf(g)
	return func(v int) string {
		switch pin := int(fn.NPin); {
		case v < len(at):
			return nl.PinName(nl.Insts[in].Cell, at[v])
		case v < pin && in < 0 && (st == nil || !st.Tristate):
			return fmt.Sprint("in", v)
		case v >= pin && v < pin+int(fn.NBit) && st != nil && v-pin < len(st.Bits):
			return st.Bits[v-pin]
		default: // an observed output, or a pin of one of several drivers: by its net
			if v >= pin {
				v -= int(fn.NBit)
			}
			return s.anyName(d.Program.PinNet[d.Program.GatePin[g]+int32(v)])
		}
	}
}

// anyName is the name of a net; those that have none are told by their number.
func (s *Snapshot) anyName(net int32) string {
	if int(net) >= len(s.Session.Netlist.Nets) {
		return fmt.Sprint("$", net)
	}
	return s.NetName(net)
}
