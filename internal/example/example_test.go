package example

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

func TestFilesAreCurrent(t *testing.T) {
	files, err := Files()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		got, err := os.ReadFile(filepath.Join("..", "..", "examples", "mac", f.Name))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, f.Data) {
			t.Errorf("examples/mac/%s is not what the generator makes; run `make generate`", f.Name)
		}
	}
}

// TestGatesComputeTheFunction evaluates the gates in every cycle and finds at the inputs of the registers what the RTL
// function says they take.
func TestGatesComputeTheFunction(t *testing.T) {
	f := Flatten(MAC())
	states := Cycles(2000)
	for k := range states[:len(states)-1] {
		s, next := &states[k], &states[k+1]
		value := make([]bool, len(f.Nets))
		known := make([]bool, len(f.Nets))
		set := func(n int, v bool) { value[n], known[n] = v, true }
		for port, n := range f.Ports {
			for _, d := range dumps {
				if d.scope == "" && d.name == port.Name {
					set(n, d.value(s)>>max(port.Bit, 0)&1 == 1)
				}
			}
		}
		set(f.Ports[scalar("clk")], false)
		for _, leaf := range f.Leaves {
			if leaf.Cell.Kind == Register {
				set(leaf.Nets[3], registerDump(t, &leaf, s))
			}
			if leaf.Cell.Kind == ClockGate {
				set(leaf.Nets[2], false)
			}
		}
		settle(t, f, value, known)
		for i, leaf := range f.Leaves {
			switch leaf.Cell.Kind {
			case Register:
				clocked := s.OpClocks
				switch {
				case leaf.Path[0] == "u_acc":
					clocked = s.AccClocked
				case leaf.Path[0] == "u_ctl.valid_reg":
					clocked = true
				}
				if want := registerDump(t, &leaf, next); s.RstN && clocked && value[leaf.Nets[1]] != want {
					t.Fatalf("cycle %d: D of %v is %v, the register takes %v", k, leaf.Path, value[leaf.Nets[1]], want)
				}
			case ClockGate:
				want := s.OpClocks
				if leaf.Path[0] == "u_icg_acc" {
					want = s.AccClocked
				}
				if s.RstN && value[leaf.Nets[1]] != want {
					t.Fatalf("cycle %d: leaf %d, enable of %v is %v", k, i, leaf.Path, !want)
				}
			}
		}
		if got := value[f.Ports[scalar("zero")]]; got != (s.Acc == 0) {
			t.Fatalf("cycle %d: zero is %v with acc %#x", k, got, s.Acc)
		}
	}
}

func registerDump(t *testing.T, leaf *Leaf, s *State) bool {
	t.Helper()
	scope, q := "", leaf.Local[3]
	if len(leaf.Path) == 2 {
		scope = leaf.Path[0]
	}
	for _, d := range dumps {
		if d.scope == scope && d.name == q.Name {
			return d.value(s)>>max(q.Bit, 0)&1 == 1
		}
	}
	t.Fatalf("register %v is not in the stimulus", leaf.Path)
	return false
}

// settle evaluates the combinational cells until nothing is left; the design has no loops.
func settle(t *testing.T, f *Flat, value, known []bool) {
	t.Helper()
	for {
		progress, left := false, 0
		for _, leaf := range f.Leaves {
			c := leaf.Cell
			for k, o := range c.Out {
				n := leaf.Nets[len(c.In)+k]
				if known[n] {
					continue
				}
				ready, in := true, uint(0)
				for i := range c.In {
					ready = ready && known[leaf.Nets[i]]
					if value[leaf.Nets[i]] {
						in |= 1 << i
					}
				}
				if !ready {
					left++
					continue
				}
				value[n], known[n], progress = o.Eval(in), true, true
			}
		}
		if left == 0 {
			return
		}
		if !progress {
			t.Fatal("the gates do not settle")
		}
	}
}

func TestEveryNetHasADriver(t *testing.T) {
	f := Flatten(MAC())
	for n, net := range f.Nets {
		if net.Driver.Leaf == -2 {
			t.Errorf("net %d with sinks %v has no driver", n, net.Sinks)
		}
	}
	if len(f.Leaves) < 300 {
		t.Errorf("%d cells", len(f.Leaves))
	}
}

func TestDecimal(t *testing.T) {
	for _, tc := range []struct {
		v, digits int
		want      string
	}{{0, 3, "0.000"}, {7, 3, "0.007"}, {-12, 3, "-0.012"}, {12345, 3, "12.345"}, {150, 2, "1.50"}} {
		if got := Decimal(tc.v, tc.digits); got != tc.want {
			t.Errorf("Decimal(%d, %d) = %q, want %q", tc.v, tc.digits, got, tc.want)
		}
	}
}
