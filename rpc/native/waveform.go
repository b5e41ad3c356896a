package native

import (
	"context"

	"github.com/wattd/wattd/rpc/api"
)

// netWaveform tells values and events. All nets chosen are in start; the pages go through the events of all of them.
func (n *Native) netWaveform(ctx context.Context, q api.NetWaveformParams) (r api.NetWaveformResult, err error) {
	v, pg, err := n.takePage(ctx, q.Target, q.Page, q.Selection, deref(q.From), deref(q.To))
	if err != nil {
		return r, err
	}
	if err := v.stimulus(q.Stimulus); err != nil {
		return r, err
	}
	if r.From, r.To, _, err = interval(v.s, q.From, q.To); err != nil {
		return r, err
	}
	nets, err := v.s.Nets(ctx, selection(q.Selection))
	if err != nil {
		return r, n.asError(err)
	}
	if len(nets) > api.MaxLimit {
		return r, api.Errorf(api.TooLarge, "%d nets are chosen; at most %d fit an answer", len(nets), api.MaxLimit)
	}
	total := 0
	for i, net := range nets {
		if ctx.Err() != nil {
			return r, ctx.Err()
		}
		start, first := byte('x'), true
		for t, val := range v.s.Session.Values(net) {
			if t >= r.To {
				break
			}
			if first || t < r.From { // the value at the begin of the run stands for the one before it
				start, first = val, false
				continue
			}
			if total >= pg.from && total < pg.from+pg.limit {
				r.Events.Rows = append(r.Events.Rows, api.EventRow{Net: i, At: t, Value: string(val)})
			}
			total++
		}
		r.Start.Rows = append(r.Start.Rows, api.StartRow{Net: v.s.NetName(net), Value: string(start)})
	}
	r.Start.Total, r.Events.Total = int64(len(nets)), int64(total)
	_, _, r.Events.Cursor = pg.cut(v, total)
	r.Meta = v.meta()
	return r, nil
}
