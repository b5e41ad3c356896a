// Package oracle simulates a model.Circuit with a plain queue of events, slowly and literally.
//
// Purpose: an answer to compare the product with. It is written from the definition of a right answer (docs/semantics.md)
// alone, one function per rule, works on names and exact fractions, knows no windows, levels, truth tables or text
// formats, and shares no code with the compiler or the engines.
//
// Where the definition is silent the product and this package follow the same choices; each stands where it is made.
package oracle

import (
	"math/big"

	"github.com/wattd/wattd/internal/simtest/model"
)

// Options are the flags of a run that change its meaning.
type Options struct {
	ZeroDelay   bool     // all delays 0
	DefaultOnly bool     // an unconditional IOPATH leaves conditions alone
	PulseReject *big.Rat // percent, for arcs that nothing else set; nil: 100
}

// Net is the answer for one net.
type Net struct {
	Source bool // not computed
	Start  bool
	Ticks  []int64 // changes in (From, To)
	Causes []Cause // of Ticks; Net is -1 for sources

	Filtered    int64
	ErrorPulses int64
	Races       int64
	Collapsed   int64 // of a source: changes overwritten within their tick

	// Of the wires at the pins of its gate, and how many pins that reads.
	WireFiltered, WireErrors int64
	Pins                     int

	// Times in [From, To). TZ and TB are those of three-state nets; of sources the recorded values count.
	T0, T1, TX, TZ, TB int64
	TC, Rise, Fall     int64
}

// Cause is what made a change of a net: the change of another at tick At, whose pin switched at tick Pin.
type Cause struct {
	Net     int
	At, Pin int64
}

// Result is the answer.
type Result struct {
	Nets   []Net
	Opened []int // nets that became sources because of a loop
	// TinyDelays says that a delay that is not 0 rounds to 0, which a run refuses when there are many.
	TinyDelays bool
	// Stats counts how often a rule was met.
	Stats map[string]int64
}

// Run simulates.
func Run(c *model.Circuit, o Options) *Result {
	b := &builder{c: c, o: o, res: &Result{Nets: make([]Net, len(c.Nets)), Stats: map[string]int64{}}}
	b.arcs()
	b.gates()
	b.openLoops()
	b.wires()
	n := len(c.Nets)
	s := &sim{builder: b, val: make([]bool, n), changed: make([]int64, n), src: make([][]event, n), rec: make([]record, n)}
	for net := range n {
		s.changed[net] = -1 << 62
	}
	s.sources()
	s.settle()
	s.run()
	s.count()
	return b.res
}

func (b *builder) stat(name string) { b.res.Stats[name]++ }
