package kernel

import "slices"

// Readers tells which gates read a net. It is made once from a whole program and follows edits at their price: gates that changed
// are added behind, those that no longer read a net stay, so a reader may be one of before, or a hole.
type Readers struct {
	first []int32 // per net of the program then
	gates []int32
	later []lateReader // by net
}

type lateReader struct{ net, gate int32 }

// NewReaders lists the readers of a program.
func NewReaders(p *Program) *Readers {
	r := &Readers{first: make([]int32, p.NNet+1)}
	each := func(f func(net, gate int32)) {
		for _, g := range p.Order {
			r.pins(p, g, f)
		}
	}
	each(func(net, _ int32) { r.first[net]++ })
	sum := int32(0)
	for n := range r.first {
		sum += r.first[n]
		r.first[n] = sum
	}
	r.gates = make([]int32, sum)
	each(func(net, gate int32) {
		r.first[net]--
		r.gates[r.first[net]] = gate
	})
	return r
}

func (r *Readers) pins(p *Program, g int32, f func(net, gate int32)) {
	fn := &p.Fns[p.GateFn[g]]
	for _, n := range p.PinNet[p.GatePin[g] : p.GatePin[g]+int32(fn.NPin)+int32(fn.NObs)] {
		f(n, g)
	}
}

// With gives the readers of an edited program in which the gates listed may read other nets.
func (r *Readers) With(p *Program, gates []int32) *Readers {
	if len(gates) == 0 {
		return r
	}
	if len(r.later)+4*len(gates) > 1<<10+len(r.gates)/16 {
		return NewReaders(p)
	}
	q := &Readers{first: r.first, gates: r.gates, later: slices.Clone(r.later)}
	for _, g := range gates {
		if p.GateOut[g] >= 0 {
			q.pins(p, g, func(net, gate int32) {
				if a, b := r.of(net); !slices.Contains(a, gate) && !slices.Contains(b, lateReader{net, gate}) {
					q.later = append(q.later, lateReader{net, gate})
				}
			})
		}
	}
	slices.SortFunc(q.later, func(a, b lateReader) int {
		if a.net != b.net {
			return int(a.net) - int(b.net)
		}
		return int(a.gate) - int(b.gate)
	})
	return q
}

// of are the readers of a net, in two lists.
func (r *Readers) of(net int32) (gates []int32, later []lateReader) {
	if int(net)+1 < len(r.first) {
		gates = r.gates[r.first[net]:r.first[net+1]]
	}
	if len(r.later) > 0 {
		from, _ := slices.BinarySearchFunc(r.later, net, func(x lateReader, n int32) int { return int(x.net) - int(n) })
		to := from
		for to < len(r.later) && r.later[to].net == net {
			to++
		}
		later = r.later[from:to]
	}
	return gates, later
}

// Each calls f with the readers of a net.
func (r *Readers) Each(net int32, f func(gate int32)) {
	gates, later := r.of(net)
	for _, g := range gates {
		f(g)
	}
	for _, x := range later {
		f(x.gate)
	}
}

// Size is the number of bytes that the lists take.
func (r *Readers) Size() int64 {
	return 4*int64(cap(r.first)+cap(r.gates)) + 8*int64(cap(r.later))
}
