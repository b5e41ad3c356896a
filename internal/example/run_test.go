package example_test

import (
	"bytes"
	"context"
	"path/filepath"
	"testing"

	"github.com/wattd/wattd/internal/diag"
	"github.com/wattd/wattd/internal/project"
)

// TestTheSimulationAgreesWithTheRegisters runs the example as a user does. The stimulus comes from the RTL function, the D
// pins from simulated gates: at every edge that reaches a register, what it then shows must be what its D pin was.
func TestTheSimulationAgreesWithTheRegisters(t *testing.T) {
	const reset, settled = 25_000, 500 // ps: the end of the reset, and longer than any clock to output
	bag := &diag.Bag{}
	c, err := project.LoadConfig(filepath.Join("..", "..", "examples", "mac", "wattd.toml"), bag)
	if err != nil {
		t.Fatal(err)
	}
	s, err := project.NewSession(*c, bag, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if bag.Write(&text, diag.Warning, 5); text.Len() > 0 {
		t.Fatalf("the example is not clean:\n%s", text.String())
	}
	value := func(net int32, at int64) bool {
		v := s.Result.Waves.StartValue(net)
		s.Result.Waves.Each(net, func(tick int64, x bool) {
			if tick <= at {
				v = x
			}
		})
		return v
	}
	edges := 0
	for _, r := range s.Design.Registers {
		inst := &s.Netlist.Insts[r.Inst]
		pin := func(name string) int32 { return s.Netlist.PinNet[inst.Pin0+s.Netlist.PinIndex(r.Inst, []byte(name))] }
		d, ck := pin("D"), pin("CK")
		s.Result.Waves.Each(ck, func(tick int64, rise bool) {
			if !rise || tick < reset || tick+settled >= s.Stim.To {
				return
			}
			edges++
			if want, got := value(d, tick), value(r.Net, tick+settled); got != want {
				t.Errorf("%s at %d ps: D is %v, then Q is %v", s.Netlist.InstPath(r.Inst, '/'), tick, want, got)
			}
		})
	}
	if edges < 1000 {
		t.Errorf("%d edges seen", edges)
	}
}
