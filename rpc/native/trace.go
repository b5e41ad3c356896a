package native

import (
	"cmp"
	"context"
	"errors"

	"github.com/wattd/wattd/internal/workspace"
	"github.com/wattd/wattd/rpc/api"
)

// defaultHops is how far a trace goes when the request does not say; deeper logic than that has no clock.
const defaultHops = 1000

// netTrace goes back from an event to the source that caused it.
func (n *Native) netTrace(ctx context.Context, q api.NetTraceParams) (r api.NetTraceResult, err error) {
	if q.MaxHops < 0 || q.MaxHops > api.MaxLimit {
		return r, api.Errorf(api.BadRequest, "maxHops is %d; at most %d", q.MaxHops, api.MaxLimit)
	}
	v, err := n.take(ctx, q.Target)
	if err != nil {
		return r, err
	}
	if err := v.stimulus(q.Stimulus); err != nil {
		return r, err
	}
	from, to, _, err := interval(v.s, q.From, q.To)
	if err != nil {
		return r, err
	}
	if q.At < from || q.At >= to {
		return r, api.Errorf(api.EmptyWindow, "%d is not in the interval from %d to %d ticks", q.At, from, to)
	}
	net, _, err := v.s.Net(q.Net)
	if err != nil {
		return r, n.asError(err)
	}
	hops, complete, err := v.s.Trace(ctx, net, q.At, cmp.Or(q.MaxHops, defaultHops))
	if errors.Is(err, workspace.ErrNoEvent) || err == nil && len(hops) > 0 && hops[0].At < from {
		return r, api.Errorf(api.EmptyWindow, "net %s has no event from %d to %d", q.Net, from, q.At)
	}
	if err != nil {
		return r, n.asError(err)
	}
	digits := map[bool]string{false: "0", true: "1"}
	for i := range hops {
		h := &hops[i]
		r.Hops.Rows = append(r.Hops.Rows, api.HopRow{
			Net: h.Net, At: h.At, Value: digits[h.Value], Glitch: h.Glitch, Instance: h.Instance, Cell: h.Cell, Pin: h.Pin, Condition: h.Condition,
			Delay: h.Delay, Wire: h.Wire, Also: int64(h.Also),
		})
	}
	r.Hops.Total, r.Complete, r.Meta = int64(len(hops)), complete, v.meta()
	return r, nil
}
