package kernel_test

import (
	"slices"
	"testing"

	"github.com/wattd/wattd/kernel"
)

// Readers that follow edits know all that a new list does.
func TestReaders(t *testing.T) {
	p, _ := random(4)
	r := kernel.NewReaders(p)
	for k := range int32(400) {
		q := *p
		q.PinNet = slices.Clone(p.PinNet)
		g := p.Order[int(k)*7%len(p.Order)]
		q.PinNet[p.GatePin[g]] = k * 5 % p.NNet // no order is needed here
		p = &q
		r = r.With(p, []int32{g})
		if again := r.With(p, nil); again != r {
			t.Fatal("no edit made another list")
		}
		fresh := kernel.NewReaders(p)
		for n := range p.NNet {
			var all []int32
			r.Each(n, func(g int32) { all = append(all, g) })
			fresh.Each(n, func(g int32) {
				if !slices.Contains(all, g) {
					t.Fatalf("edit %d: gate %d reads net %d, known are %v", k, g, n, all)
				}
			})
		}
	}
}
