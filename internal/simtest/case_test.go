package simtest

import (
	"errors"
	"fmt"
	"maps"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"

	"github.com/wattd/wattd/internal/activity"
	"github.com/wattd/wattd/internal/design"
	"github.com/wattd/wattd/internal/sim"
	"github.com/wattd/wattd/internal/simtest/model"
	"github.com/wattd/wattd/internal/simtest/oracle"
	"github.com/wattd/wattd/kernel"
)

// tally counts what a run of the suite met.
type tally struct {
	mu sync.Mutex
	n  map[string]int64
}

func (t *tally) add(name string, n int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.n == nil {
		t.n = map[string]int64{}
	}
	t.n[name] += n
}

func (t *tally) addAll(m map[string]int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.n == nil {
		t.n = map[string]int64{}
	}
	for _, k := range slices.Sorted(maps.Keys(m)) {
		t.n[k] += m[k]
	}
}

// checker takes a case through everything.
type checker struct {
	c     *model.Circuit
	r     *rand.Rand
	tally *tally
	p     *product
	want  *oracle.Result
	base  *sim.Result
}

// checkCase returns the first disagreement, or nil.
func checkCase(c *model.Circuit, t *tally) (err error) {
	defer func() {
		if e := recover(); e != nil {
			err = fmt.Errorf("panic: %v", e)
		}
	}()
	k := &checker{c: c, r: rand.New(rand.NewPCG(c.Seed, 6)), tally: t}
	oopt, dopt := k.options()
	k.want = oracle.Run(c, oopt)
	if k.p, err = compile(c, textsOf(c), dopt); err != nil {
		return k.refused(err)
	}
	t.addAll(k.want.Stats)
	for name, met := range map[string]bool{
		"two SDF files": len(textsOf(c).sdf) > 1, "tick other than 1ps": c.TickExp != -12, "dump unit other than the tick": c.VCDUnit > 0,
		"black box":             slices.ContainsFunc(c.Cells, func(x *model.Cell) bool { return x.Black }),
		"unconditional=default": oopt.DefaultOnly, "pulse reject": oopt.PulseReject != nil, "start inside the dump": c.From > 0,
	} {
		if met {
			t.add(name, 1)
		}
	}
	for _, step := range []func() error{k.events, k.counts, k.again, k.again, k.zeroDelay} {
		if err := step(); err != nil {
			return err
		}
	}
	t.add("case", 1)
	return nil
}

// options picks the flags of the case.
func (k *checker) options() (o oracle.Options, d design.Options) {
	switch k.r.IntN(12) {
	case 0:
		o.DefaultOnly, d.KeepConditions = true, true
	case 1:
		n := []int{0, 1, 30, 50, 99}[k.r.IntN(5)]
		o.PulseReject, d.PulseReject, d.HasPulseReject = big.NewRat(int64(n), 1), n, true
	}
	return o, d
}

// refused says whether the product had the right to refuse a case: delays that vanish in the tick, or registers that
// change on clock edges beside computed clock gates. The generator makes few of those.
func (k *checker) refused(err error) error {
	if !errors.Is(err, errInput) {
		return err
	}
	clockGate := slices.ContainsFunc(k.c.Insts, func(in *model.Inst) bool { return in.Cell.Table != nil })
	register := slices.ContainsFunc(k.c.Insts, func(in *model.Inst) bool { return in.Cell.FF != nil })
	switch {
	case strings.Contains(err.Error(), "[tick-too-coarse]") && k.want.TinyDelays:
		k.tally.add("refused: tick too coarse", 1)
		return nil
	case strings.Contains(err.Error(), "[zero-delay-dump]") && clockGate && register:
		k.tally.add("refused: zero-delay dump", 1)
		return nil
	}
	return err
}

// events compares every net with the oracle, and the counts that the engine keeps per gate.
func (k *checker) events() error {
	var err error
	if k.base, err = k.p.run(sim.Options{Windows: 1}); err != nil {
		return err
	}
	return k.compare(k.base, k.want, "")
}

func (k *checker) compare(r *sim.Result, want *oracle.Result, what string) error {
	for i := range k.c.Nets {
		net, w := k.p.nets[i], &want.Nets[i]
		if net < 0 {
			return fmt.Errorf("net %s is not in the netlist", k.name(i))
		}
		got := events(r.Waves, net)
		if r.Waves.StartValue(net) != w.Start || !slices.Equal(got, w.Ticks) {
			at := 0
			for at < min(len(got), len(w.Ticks)) && got[at] == w.Ticks[at] {
				at++
			}
			return fmt.Errorf("%snet %s: start %v, want %v; from event %d on %v, want %v", what, k.name(i), r.Waves.StartValue(net), w.Start,
				at, got[at:min(len(got), at+6)], w.Ticks[at:min(len(w.Ticks), at+6)])
		}
		if src := k.p.d.NetClass[net].Source(); src != w.Source && k.p.d.NetClass[net] != design.ClassUndriven {
			return fmt.Errorf("%snet %s is of class %v, want source %v", what, k.name(i), k.p.d.NetClass[net], w.Source)
		}
		if err := k.gateCounts(r, net, w); err != nil {
			return fmt.Errorf("%snet %s: %w", what, k.name(i), err)
		}
	}
	return nil
}

// gateCounts compares filtered pulses, races and error pulses.
func (k *checker) gateCounts(r *sim.Result, net int32, w *oracle.Net) error {
	g := k.p.d.NetGate[net]
	if g < 0 {
		return nil
	}
	filtered := int64(0)
	for win := range r.Waves.Windows() {
		filtered += r.Waves.Filtered(net, win)
	}
	if filtered != w.Filtered {
		return fmt.Errorf("%d pulses filtered, want %d", filtered, w.Filtered)
	}
	if n := int64(r.Gates()[g].Races); n != w.Races {
		return fmt.Errorf("%d races, want %d", n, w.Races)
	}
	prog := k.p.d.Program
	first, n := prog.GatePin[g], int32(prog.Fns[prog.GateFn[g]].NPin)
	if int(n) != w.Pins || k.p.d.Gates[g].Inst < 0 {
		return nil // pins that nothing reads, or a tree of gates: the wires are not those of the oracle's gate
	}
	wires := int64(0)
	for _, x := range r.WireFiltered()[first : first+n] {
		wires += int64(x)
	}
	if wires != w.WireFiltered {
		return fmt.Errorf("%d pulses filtered at wires, want %d", wires, w.WireFiltered)
	}
	if n := int64(r.Gates()[g].ErrorPulses); n != w.ErrorPulses+w.WireErrors {
		return fmt.Errorf("%d error pulses, want %d at the gate and %d at wires", n, w.ErrorPulses, w.WireErrors)
	}
	return nil
}

func (k *checker) name(i int) string {
	n := k.c.Nets[i]
	s := strings.Join(append(k.c.Path(n.Scope), n.Name), " / ")
	if n.Bit >= 0 {
		s += fmt.Sprintf(" [%d]", n.Bit)
	}
	return s
}

// counts compares package activity with plain counts.
func (k *checker) counts() error {
	cycle := 1 + k.r.Int64N(k.c.To-k.c.From)
	tab := activity.Count(k.p.d, k.p.st, k.base.Waves, activity.Options{From: k.c.From, To: k.c.To, Cycle: cycle, Workers: 1}, nil)
	for i := range k.c.Nets {
		got, w := &tab.Nets[k.p.nets[i]], &k.want.Nets[i]
		g := []int64{got.T0, got.T1, got.TX, got.TZ, got.TB, got.TC, got.Rise, got.Fall, got.Filtered, got.Collapsed}
		o := []int64{w.T0, w.T1, w.TX, w.TZ, w.TB, w.TC, w.Rise, w.Fall, w.Filtered, w.Collapsed}
		if !slices.Equal(g, o) {
			return fmt.Errorf("net %s: T0 T1 TX TZ TB TC rise fall filtered collapsed %v, want %v", k.name(i), g, o)
		}
		if got.T0+got.T1+got.TX+got.TZ+got.TB != k.c.To-k.c.From {
			return fmt.Errorf("net %s: times do not add up: %v", k.name(i), g)
		}
		if w.TX+w.TZ > 0 && w.Source {
			continue // the values at the borders are those of the policy
		}
		if f := functional(w, k.c.From, k.c.To, cycle); got.Functional != f || got.Glitch != w.TC-f {
			return fmt.Errorf("net %s: %d functional and %d glitch changes in cycles of %d, want %d of %d", k.name(i), got.Functional, got.Glitch, cycle, f, w.TC)
		}
		k.tally.add("functional changes", got.Functional)
		k.tally.add("glitch changes", got.Glitch)
	}
	return k.parts(tab)
}

// parts checks that the counts of two intervals add up to those of the run.
func (k *checker) parts(whole *activity.Table) error {
	if k.c.To-k.c.From < 2 {
		return nil
	}
	mid := k.c.From + 1 + k.r.Int64N(k.c.To-k.c.From-1)
	r, err := k.p.run(sim.Options{Cuts: []int64{mid}})
	if err != nil {
		return err
	}
	a := activity.Count(k.p.d, k.p.st, r.Waves, activity.Options{From: k.c.From, To: mid, Workers: 1}, nil)
	b := activity.Count(k.p.d, k.p.st, r.Waves, activity.Options{From: mid, To: k.c.To, Workers: 1}, nil)
	for i := range k.c.Nets {
		x, y, z := a.Nets[k.p.nets[i]], b.Nets[k.p.nets[i]], whole.Nets[k.p.nets[i]]
		sum := []int64{x.T0 + y.T0, x.T1 + y.T1, x.TX + y.TX, x.TZ + y.TZ, x.TB + y.TB, x.TC + y.TC, x.Rise + y.Rise, x.Fall + y.Fall, x.Filtered + y.Filtered}
		want := []int64{z.T0, z.T1, z.TX, z.TZ, z.TB, z.TC, z.Rise, z.Fall, z.Filtered}
		if !slices.Equal(sum, want) {
			return fmt.Errorf("net %s: T0 T1 TX TZ TB TC rise fall filtered of %d..%d and %d..%d add up to %v, want %v", k.name(i), k.c.From, mid, mid, k.c.To, sum, want)
		}
	}
	return nil
}

// functional counts the cycles at whose ends a net differs: the value at a border is the one just before it.
func functional(w *oracle.Net, from, to, cycle int64) (n int64) {
	for a := from; a < to; a += cycle {
		b := min(a+cycle, to)
		changes := 0
		for _, t := range w.Ticks {
			if t >= a && t < b {
				changes++
			}
		}
		n += int64(changes % 2)
	}
	return n
}

// zeroDelay compares the run without delays.
func (k *checker) zeroDelay() error {
	if k.r.IntN(3) > 0 {
		return nil
	}
	want := oracle.Run(k.c, oracle.Options{ZeroDelay: true})
	r, err := k.p.run(sim.Options{Kind: kernel.Cycle, Cuts: k.cuts()})
	if err != nil {
		return err
	}
	k.tally.add("zero-delay run", 1)
	return k.compare(r, want, "zero delay: ")
}
