package trace

import (
	"errors"
	"fmt"
	"testing"

	"github.com/wattd/wattd/kernel"
	"github.com/wattd/wattd/kernel/host"
	"github.com/wattd/wattd/kernel/kerneltest"
)

// random simulates a random program: any functions, state, conditions, limits and wires.
func random(t *testing.T, seed uint64, cuts int) *Run {
	t.Helper()
	p, j := kerneltest.Random(kerneltest.Config{Seed: seed, Sources: 8, Gates: 60, Length: 4000, Changes: 40, Delay: 60})
	runner, err := host.New().Load(p)
	if err != nil {
		t.Fatal(err)
	}
	defer runner.Close()
	res, err := runner.Run(t.Context(), kerneltest.Cut(j, cuts, seed))
	if err != nil {
		t.Fatal(err)
	}
	r := &Run{Program: p, Waves: res.Waves, StartBits: j.StartBits, NetGate: make([]int32, p.NNet)}
	for n := range r.NetGate {
		r.NetGate[n] = -1
	}
	for g, n := range p.GateOut {
		if n >= 0 {
			r.NetGate[n] = int32(g)
		}
	}
	return r
}

// TestRandom: every event of a random program has a cause, which is an event of an input, wire and arc before it; whatever the windows.
func TestRandom(t *testing.T) {
	hops, conditions := 0, 0
	for seed := range uint64(9) {
		r := random(t, seed, []int{1, 7, -20}[seed%3])
		p := r.Program
		for net := range p.NNet {
			g := r.NetGate[net]
			if g < 0 {
				continue
			}
			n := 0
			r.Waves.Each(net, func(at int64, v bool) {
				most := 2
				if n++; n%50 == 1 {
					most = 200
				}
				c, complete, err := r.Chain(t.Context(), Event{net, at, v}, most)
				if err != nil || !complete && len(c) < 2 || !complete && most > 2 {
					t.Fatalf("seed %d, net %d at %d: %v, %d hops", seed, net, at, err, len(c))
				}
				for i := range len(c) - 1 {
					h, cause := &c[i], &c[i+1]
					hops++
					w := &p.Wires[p.PinWire[p.GatePin[h.Gate]+int32(h.Pin)]]
					wire := w.Fall
					if cause.Value {
						wire = w.Rise
					}
					if cause.At+h.Wire+h.Delay != h.At || int64(wire) != h.Wire || p.PinNet[p.GatePin[h.Gate]+int32(h.Pin)] != cause.Net {
						t.Fatalf("seed %d: %+v, %+v", seed, h, cause)
					}
					if e, err := r.Last(cause.Net, cause.At); err != nil || e != cause.Event {
						t.Fatalf("seed %d: the cause %+v of %+v is not in the waves: %+v, %v", seed, cause, h, e, err)
					}
					if r.Condition(h, func(v int) string { return fmt.Sprint("v", v) }) != "" {
						conditions++
					}
				}
			})
		}
	}
	if hops < 5000 || conditions == 0 {
		t.Errorf("%d hops, %d conditions", hops, conditions)
	}
}

// and makes a run of Y = A & B in which the arc of A depends on C.
func and() *Run {
	const none = kernel.NoSlot
	p := &kernel.Program{
		NNet: 4, GateOut: []int32{3}, GateFn: []int32{0}, GateShape: []int32{0}, GatePin: []int32{0}, GateArc: []int32{0}, GateLimit: []int32{-1},
		PinNet: []int32{0, 1, 2}, PinWire: []int32{1, 0, 0}, Wires: []kernel.Wire{{}, {Rise: 4, Fall: 5, RejRise: 4, RejFall: 5}},
		ArcDelay: []int32{10, 20, 30}, Fns: []kernel.Fn{{NPin: 3}}, Words: []uint64{0b10001000},
		Shapes: []kernel.Shape{{NSlot: 3, Fall: 24}}, Order: []int32{0}, LevelStart: []int32{0, 1},
	}
	for pin := range 3 {
		for state := range 8 {
			slot := none
			switch {
			case pin == 0 && state&4 != 0:
				slot = 0
			case pin == 0:
				slot = 1
			case pin == 1:
				slot = 2
			}
			p.SlotMap = append(p.SlotMap, slot)
		}
	}
	p.SlotMap = append(p.SlotMap, 0, 0, 2, 2, none, none)
	return &Run{Program: p, NetGate: []int32{-1, -1, -1, 0}}
}

// TestHop: a hop names arc, wire, what else switched, and of the state only what chose the arc.
func TestHop(t *testing.T) {
	r := and()
	runner, err := host.New().Load(r.Program)
	if err != nil {
		t.Fatal(err)
	}
	defer runner.Close()
	res, err := runner.Run(t.Context(), &kernel.Job{
		Cuts: []int64{100, 1000}, Start: []uint64{0b0110}, // B and C are 1
		SrcNet: []int32{0, 1}, SrcOff: []int64{0, 2, 4}, SrcTick: []int64{200, 300, 305, 400},
	})
	if err != nil {
		t.Fatal(err)
	}
	r.Waves = res.Waves
	names := func(v int) string { return []string{"A", "B", "C"}[v] }
	e, err := r.Last(3, 250)
	if err != nil || e != (Event{3, 214, true}) {
		t.Fatalf("%+v, %v", e, err)
	}
	c, complete, err := r.Chain(t.Context(), e, 10)
	if err != nil || !complete || len(c) != 2 {
		t.Fatalf("%+v, %v", c, err)
	}
	if h := c[0]; h.Pin != 0 || h.Delay != 10 || h.Wire != 4 || h.Also != 0 || r.Condition(&h, names) != "C" {
		t.Errorf("%+v under %q", h, r.Condition(&h, names))
	}
	if c[1].Event != (Event{0, 200, true}) || c[1].Gate >= 0 {
		t.Errorf("%+v", c[1])
	}
	if e, err = r.Last(3, 999); err != nil || e.At != 315 { // A falls behind its wire at 305, as B does: the faster arc is the cause
		t.Fatalf("%+v, %v", e, err)
	}
	if c, complete, err = r.Chain(t.Context(), e, 1); err != nil || complete || len(c) != 1 || c[0].Also != 1 || c[0].Pin != 0 {
		t.Errorf("%+v, %v", c, err)
	}
	if _, err := r.Last(3, 213); !errors.Is(err, ErrNoEvent) {
		t.Error(err)
	}
	if _, _, err := r.Chain(t.Context(), Event{3, 215, true}, 9); !errors.Is(err, ErrDiffers) {
		t.Error(err)
	}
}

// TestExpression: parentheses only where they are needed.
func TestExpression(t *testing.T) {
	op := func(o kernel.CodeOp, arg uint32) uint32 { return uint32(o)<<24 | arg }
	code := []uint32{op(kernel.CodeVar, 0), op(kernel.CodeVar, 1), op(kernel.CodeOr, 0), op(kernel.CodeNot, 0), op(kernel.CodeVar, 2), op(kernel.CodeConst, 1), op(kernel.CodeXor, 0), op(kernel.CodeAnd, 0), op(kernel.CodeEnd, 0)}
	if s := expression(code, 0, func(v int) string { return string(rune('a' + v)) }); s != "!(a || b) && (c ^ 1'b1)" {
		t.Error(s)
	}
}
