package model

import (
	"math/rand/v2"
	"testing"
)

// A failure is repeated by its seed: equal seeds, equal texts.
func TestSeedDecides(t *testing.T) {
	for seed := range uint64(50) {
		a, b := Random(seed, SizeFor(seed)), Random(seed, SizeFor(seed))
		if a.Verilog() != b.Verilog() || a.Liberty() != b.Liberty() || a.VCD() != b.VCD() {
			t.Fatalf("seed %d: other texts the second time", seed)
		}
		x, y := a.SDFTexts(), b.SDFTexts()
		for i := range x {
			if x[i] != y[i] {
				t.Fatalf("seed %d: other delays the second time", seed)
			}
		}
	}
}

// What is written for SDF means what the expression means.
func TestSpellings(t *testing.T) {
	vars := []string{"A", "B", "C"}
	for seed := range uint64(300) {
		g := &gen{r: rand.New(rand.NewPCG(seed, 0)), c: &Circuit{}}
		e := g.expr(vars)
		for _, d := range []Dialect{Plain, SDF} {
			text := e.Text(d, g.r, nil)
			f, err := Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			for s := range 8 {
				val := func(n string) bool { return s>>(n[0]-'A')&1 == 1 }
				if e.Eval(val) != f.Eval(val) {
					t.Fatalf("%s differs in state %03b", text, s)
				}
			}
		}
	}
}
