package simtest

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/wattd/wattd/internal/design"
	"github.com/wattd/wattd/internal/sim"
	"github.com/wattd/wattd/internal/simtest/model"
	"github.com/wattd/wattd/internal/simtest/oracle"
	"github.com/wattd/wattd/internal/trace"
)

// TestTrace compares the cause of every event of random circuits with that of the queue of events.
func TestTrace(t *testing.T) {
	cases, first := number(t, "WATTD_CASES", 500), uint64(number(t, "WATTD_SEED", 1))
	if testing.Short() {
		cases = min(cases, 300)
	}
	var tl tally
	failed := 0
	for i := range cases {
		seed := first + uint64(i)
		c := model.Random(seed, model.SizeFor(seed))
		if err := traceCase(c, &tl); err != nil {
			t.Errorf("WATTD_SEED=%d WATTD_CASES=1: %v", seed, err)
			if failed++; failed == 5 {
				break
			}
		}
	}
	t.Logf("%d hops compared, of them %d through nets without a name, %d chains", tl.n["hop"], tl.n["inner"], tl.n["chain"])
	if cases >= 300 && (tl.n["hop"] < 1000 || tl.n["inner"] == 0) {
		t.Error("too little was compared")
	}
}

func traceCase(c *model.Circuit, tl *tally) error {
	k := &checker{c: c, tally: tl}
	want := oracle.Run(c, oracle.Options{})
	p, err := compile(c, textsOf(c), design.Options{})
	if errors.Is(err, errInput) {
		return nil // TestRandom says whether it had the right to
	}
	if err != nil {
		return err
	}
	k.p = p
	r, err := p.run(sim.Options{Windows: 1 + int(c.Seed%3)})
	if err != nil {
		return err
	}
	back := map[int32]int{}
	for i, n := range p.nets {
		if n >= 0 {
			back[n] = i
		}
	}
	run := &trace.Run{Program: p.d.Program, Waves: r.Waves, StartBits: r.StartBits(), NetGate: p.d.NetGate}
	for i := range c.Nets {
		w := &want.Nets[i]
		for e, at := range w.Ticks {
			if err := traceEvent(k, run, back, w, i, e, tl); err != nil {
				return fmt.Errorf("net %s at %d: %w", k.name(i), at, err)
			}
		}
		if n := len(w.Ticks); n > 0 {
			last, err := run.Last(p.nets[i], c.To)
			if err != nil || last.At != w.Ticks[n-1] {
				return fmt.Errorf("net %s: last event %v, %v", k.name(i), last, err)
			}
			if hops, complete, err := run.Chain(context.Background(), last, 1<<20); err != nil || !complete {
				return fmt.Errorf("net %s: chain %v %v", k.name(i), hops, err)
			}
			tl.add("chain", 1)
		}
	}
	return nil
}

// traceEvent compares the cause of event e of net i.
func traceEvent(k *checker, run *trace.Run, back map[int32]int, w *oracle.Net, i, e int, tl *tally) error {
	p, at := k.p, w.Ticks[e]
	event, err := run.Last(p.nets[i], at)
	if err != nil || event.At != at {
		return fmt.Errorf("event %v, %w", event, err)
	}
	hops, _, err := run.Chain(context.Background(), event, 2)
	if err != nil {
		return err
	}
	h := &hops[0]
	if (h.Gate < 0) != w.Source {
		return fmt.Errorf("gate %d, source %v", h.Gate, w.Source)
	}
	if w.Source {
		return nil
	}
	cause := &hops[1]
	if cause.At+h.Wire+h.Delay != at {
		return fmt.Errorf("%d + %d + %d", cause.At, h.Wire, h.Delay)
	}
	tl.add("hop", 1)
	from, named := back[cause.Net]
	by, pin := w.Causes[e], cause.At+h.Wire
	switch {
	case !named: // the oracle has one gate where the product has several
		tl.add("inner", 1)
		return nil
	case p.d.Gates[h.Gate].Inst < 0: // an expression has no order of pins
		if pin != by.Pin {
			return fmt.Errorf("a pin switched at %d, want %d", pin, by.Pin)
		}
		return nil
	}
	if from != by.Net || cause.At != by.At || pin != by.Pin {
		return fmt.Errorf("caused by %s at %d, at the pin at %d; want %s at %d, %d", k.name(from), cause.At, pin, k.name(by.Net), by.At, by.Pin)
	}
	return nil
}
