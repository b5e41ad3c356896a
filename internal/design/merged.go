package design

import (
	"slices"

	"github.com/wattd/wattd/internal/diag"
)

// compareMerged tells where drivers that are one have different delays.
func (em *emitter) compareMerged() {
	b := em.b
	for _, m := range b.merged {
		if !slices.Equal(em.arcsByNet(m.kept), em.arcsByNet(m.gone)) {
			b.say(diag.DesignMergedArcs, m.gone.net, None, "net %s: driver %s has other delays than %s",
				b.nl.NetName(m.gone.net), b.driverName(m.gone), b.driverName(m.kept))
		}
	}
}

// netArc is a delay of a driver from one of its input nets. Conditions are compared by how many there are and what they
// say: parallel drivers are almost always of one cell type.
type netArc struct {
	net  int32
	edge int
	cond bool
	has  uint8
	v    [2]int64
}

func (em *emitter) arcsByNet(x driver) []netArc {
	b := em.b
	var nets []int32
	if x.inst < 0 {
		p := &b.nl.Prims[^x.inst]
		nets = b.nl.PrimIn[p.In0 : p.In0+p.NIn]
		pins := make([]int32, p.NIn)
		for i := range pins {
			pins[i] = int32(i)
		}
		em.ap.reset(pins)
		if p.HasDelay {
			em.primDelay(&buildGate{inst: x.inst}, &em.ap)
		}
		if t := b.primAt[^x.inst]; t != None {
			em.ap.run(b.arcs.head[t])
		}
	} else {
		in := &b.nl.Insts[x.inst]
		em.ap.reset(b.output(x).at)
		if t := b.targetOf(x.inst, x.pin); t != None {
			em.ap.run(b.arcs.head[t])
		}
		for _, k := range em.ap.pins {
			nets = append(nets, b.nl.PinNet[in.Pin0+k])
		}
	}
	b.replaced = 0 // counted where the gate is emitted
	var arcs []netArc
	for i := range em.ap.pins {
		em.ap.pairs[i].base(3)
		for e := range 2 {
			for _, n := range em.ap.pairs[i].entries[e] {
				arcs = append(arcs, netArc{nets[i], e, n.cond >= 0, n.has, n.v})
			}
		}
	}
	slices.SortFunc(arcs, func(p, q netArc) int {
		return slices.Compare([]int64{int64(p.net), int64(p.edge), int64(p.has), p.v[0], p.v[1]}, []int64{int64(q.net), int64(q.edge), int64(q.has), q.v[0], q.v[1]})
	})
	return arcs
}
