package native

import (
	"cmp"
	"context"
	"slices"

	"github.com/wattd/wattd/internal/activity"
	"github.com/wattd/wattd/internal/workspace"
	"github.com/wattd/wattd/rpc/api"
)

// glitchTop ranks nets by their glitches, or by those that are born at their gates.
func (n *Native) glitchTop(ctx context.Context, q api.GlitchTopParams) (r api.GlitchTopResult, err error) {
	if q.By != "" && q.By != "net" && q.By != "source" {
		return r, api.Errorf(api.BadRequest, "by %q: use net or source", q.By)
	}
	v, pg, err := n.takePage(ctx, q.Target, q.Page, q.Selection, q.By, deref(q.From), deref(q.To))
	if err != nil {
		return r, err
	}
	t, _, err := counts(ctx, v, &q.Source)
	if err != nil {
		return r, n.asError(err)
	}
	switch {
	case !t.Split:
		return r, api.Errorf(api.NotReady, "glitches are not told apart: %s", t.NoSplit)
	case v.s.Session.Config.Glitch == "zero-delay":
		return r, api.Errorf(api.NotReady, "glitches are told apart by a zero-delay run, which does not say where they are born; net/activity has them")
	case t.Excluded > 0:
		return r, api.Errorf(api.NotReady, "the dump has gaps in the interval; choose one without")
	}
	nets, err := v.s.Chosen(ctx, selection(q.Selection))
	if err != nil {
		return r, n.asError(err)
	}
	origin := func(net int32) activity.Origin { return v.s.Origin(t, net) }
	var all int64
	for i := range t.Nets {
		all += t.Nets[i].Glitch
	}
	nets = slices.DeleteFunc(slices.Clone(nets), func(net int32) bool { return t.Nets[net].Glitch <= 0 })
	key := func(net int32) int64 { return t.Nets[net].Glitch }
	if q.By == "source" {
		born := map[int32]int64{}
		for i, net := range nets {
			if i&255 == 0 && ctx.Err() != nil {
				return r, ctx.Err()
			}
			if b := origin(net).Born; b > 0 {
				born[net] = b
			}
		}
		nets = slices.DeleteFunc(nets, func(net int32) bool { return born[net] == 0 })
		key = func(net int32) int64 { return born[net] }
	}
	total := len(nets)
	begin, end, cursor := pg.cut(v, total)
	nets = workspace.First(nets, end, func(a, b int32) int {
		if x, y := key(a), key(b); x != y { // names cost more
			return cmp.Compare(y, x)
		}
		return v.s.Compare(a, b)
	})
	r.From, r.To = t.From, t.To
	r.Nets = api.Table[api.GlitchRow]{Rows: make([]api.GlitchRow, 0, end-begin), Total: int64(total), Cursor: cursor}
	name := func(net int32) string {
		if net < 0 {
			return ""
		}
		return v.s.NetName(net)
	}
	for i, net := range nets[begin:end] {
		if i&255 == 0 && ctx.Err() != nil {
			return r, ctx.Err()
		}
		x, o := &t.Nets[net], origin(net)
		row := api.GlitchRow{Net: name(net), TC: x.TC, Glitch: x.Glitch, Share: float64(x.Glitch) / float64(max(all, 1)), Born: o.Born, Early: name(o.Early), Late: name(o.Late)}
		if o.Skew >= 0 {
			row.Skew = &o.Skew
		}
		row.Instance, row.Cell = v.s.Driver(net)
		r.Nets.Rows = append(r.Nets.Rows, row)
	}
	r.Meta = v.meta()
	return r, nil
}
