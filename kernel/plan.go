package kernel

import "fmt"

// Plan presizes the memory of a presized run: the events of net n have room for Off[n+1]-Off[n]. It holds for any cuts.
type Plan struct {
	Off []int64
}

// PlanFrom gives every net the room it took in an earlier run.
func PlanFrom(w *Waves) *Plan {
	off := make([]int64, w.Nets()+1)
	for n := range int32(w.Nets()) {
		off[n+1] = off[n] + w.Count(n)
	}
	return &Plan{Off: off}
}

// PlanBound gives every net room for as many events as any delays could make: those of its gate's inputs together. It grows
// exponentially with depth where paths meet again; ErrCapacity when more than limit events would be needed.
func PlanBound(p *Program, j *Job, limit int64) (*Plan, error) {
	room := make([]int64, p.NNet+1)
	total := int64(0)
	for i, n := range j.SrcNet {
		room[n+1] = j.SrcOff[i+1] - j.SrcOff[i]
		total += room[n+1]
	}
	for _, g := range p.Order {
		sum := int64(0)
		for _, n := range p.PinNet[p.GatePin[g] : p.GatePin[g]+int32(p.Fns[p.GateFn[g]].NPin)] {
			sum += room[n+1]
		}
		room[p.GateOut[g]+1] = sum
		if total += sum; total > limit {
			return nil, fmt.Errorf("%w: the bound exceeds %d events", ErrCapacity, limit)
		}
	}
	if total > limit {
		return nil, fmt.Errorf("%w: the bound exceeds %d events", ErrCapacity, limit)
	}
	for n := range p.NNet {
		room[n+1] += room[n]
	}
	return &Plan{Off: room}, nil
}

// Events is the number of events that the plan has room for.
func (p *Plan) Events() int64 { return p.Off[len(p.Off)-1] }

// Room is the number of events that the plan has room for on a net.
func (p *Plan) Room(net int32) int64 { return p.Off[net+1] - p.Off[net] }

func (p *Plan) check(nets int32) error {
	if len(p.Off) != int(nets)+1 || p.Off[0] != 0 {
		return fmt.Errorf("%w: plan of %d nets, the program has %d", ErrJob, len(p.Off)-1, nets)
	}
	for n := range nets {
		if p.Off[n+1] < p.Off[n] {
			return fmt.Errorf("%w: plan with less than no room on net %d", ErrJob, n)
		}
	}
	if p.Events() > 1<<40 {
		return fmt.Errorf("%w: plan of %d events", ErrJob, p.Events())
	}
	return nil
}
