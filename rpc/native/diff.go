package native

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/wattd/wattd/internal/activity"
	"github.com/wattd/wattd/internal/workspace"
	"github.com/wattd/wattd/rpc"
	"github.com/wattd/wattd/rpc/api"
)

func (n *Native) registerDiff() { rpc.Register(n.mux, api.DiffRun, n.diffRun) }

// side finds the snapshot of one side of a comparison.
func (n *Native) side(ctx context.Context, t api.Target, x api.Side) (*view, error) {
	t.Design, t.Overlay, t.Snapshot = x.Design, x.Overlay, x.Snapshot
	return n.take(ctx, t)
}

// sides finds both. Cursors name the snapshots of both, because pages come from the same ones.
func (n *Native) sides(ctx context.Context, q *api.DiffRunParams) (a, b *view, pg *pager, err error) {
	if q.Snapshot != 0 || q.Overlay != "" {
		return nil, nil, nil, api.Errorf(api.BadRequest, "diff/run takes snapshot and overlay in before and after")
	}
	before, after := q.Before, q.After
	before.Design = cmp.Or(before.Design, q.Design, after.Design)
	after.Design = cmp.Or(after.Design, q.Design, before.Design)
	pg = &pager{limit: q.Rows(), query: digest([]any{q.Selection, q.Sort, before, after, q.Stimulus, deref(q.From), deref(q.To)})}
	if q.Cursor != "" {
		first, rest, _ := strings.Cut(q.Cursor, ".")
		if _, err := fmt.Sscanf(first, "%d", &before.Snapshot); err != nil || before.Snapshot <= 0 {
			return nil, nil, nil, api.Errorf(api.BadRequest, "%.40q is no cursor", q.Cursor)
		}
		if after.Snapshot, err = pg.parse(rest); err != nil {
			return nil, nil, nil, err
		}
	}
	if a, err = n.side(ctx, q.Target, before); err != nil {
		return nil, nil, nil, err
	}
	if b, err = n.side(ctx, q.Target, after); err != nil {
		return nil, nil, nil, err
	}
	return a, b, pg, nil
}

// diffRun compares two sides net by net.
func (n *Native) diffRun(ctx context.Context, q api.DiffRunParams) (r api.DiffRunResult, err error) {
	a, b, pg, err := n.sides(ctx, &q)
	if err != nil {
		return r, err
	}
	return n.comparePage(ctx, &q, a, b, pg)
}

// compare compares two views, of which the pages must be those of the same edits.
func (n *Native) compare(ctx context.Context, q *api.DiffRunParams, a, b *view) (r api.DiffRunResult, err error) {
	pg := &pager{limit: q.Rows(), query: digest([]any{q.Selection, q.Sort, q.After, q.Stimulus, b.overlay.o.Version()})}
	if q.Cursor != "" {
		_, rest, _ := strings.Cut(q.Cursor, ".")
		if _, err := pg.parse(rest); err != nil {
			return r, err
		}
	}
	return n.comparePage(ctx, q, a, b, pg)
}

func (n *Native) comparePage(ctx context.Context, q *api.DiffRunParams, a, b *view, pg *pager) (r api.DiffRunResult, err error) {
	by, err := diffOrder(q.Sort)
	if err != nil {
		return r, err
	}
	var tables [2]*activity.Table
	for i, v := range []*view{a, b} {
		src := q.Source
		if src.Stimulus = cmp.Or([]api.Side{q.Before, q.After}[i].Stimulus, q.Stimulus); src.Stimulus == "" && v.p != a.p {
			src.Stimulus = v.s.StimulusName()
		}
		if tables[i], _, err = counts(ctx, v, &src); err != nil {
			return r, n.asError(err)
		}
	}
	if err := sameTick(a, b); err != nil {
		return r, err
	}
	d, err := workspace.Diff(ctx, a.s, b.s, tables[0], tables[1], selection(q.Selection))
	if err != nil {
		return r, n.asError(err)
	}
	if q.Sort == "glitch" && !d.Totals.Split {
		return r, api.Errorf(api.NotReady, "there are no glitches to sort by on both sides")
	}
	if by != nil {
		d.Sort(by)
	}
	begin, end, cursor := pg.cut(b, len(d.Nets))
	if cursor != "" {
		cursor = fmt.Sprintf("%d.%s", a.s.N, cursor)
	}
	r.Nets = diffRows(d, begin, end)
	r.Nets.Cursor = cursor
	r.Design, r.Totals = api.DesignDelta(d.Design()), diffTotals(&d.Totals)
	r.Before, r.Meta = a.meta(), b.meta()
	return r, ctx.Err()
}

// sameTick refuses to compare times of different units.
func sameTick(a, b *view) error {
	if x, y := a.s.Session.Design.Tick, b.s.Session.Design.Tick; x != y {
		return api.Errorf(api.BadRequest, "the ticks differ, %s and %s: open both designs with the same one", x, y)
	}
	return nil
}

// diffOrder is what a table of differences is sorted by; nil: by name.
func diffOrder(sort string) (func(*activity.Net) int64, error) {
	switch sort {
	case "name":
		return nil, nil
	case "", "change":
		return orders["tc"], nil
	case "glitch":
		return orders["glitch"], nil
	}
	return nil, api.Errorf(api.BadRequest, "sort %q: use change, name or glitch", sort)
}

// diffRows makes the rows from begin to end.
func diffRows(d *workspace.Difference, begin, end int) (t api.Table[api.DiffRow]) {
	t.Rows = make([]api.DiffRow, 0, end-begin)
	for i := begin; i < end; i++ {
		c := &d.Nets[i]
		row := api.DiffRow{Net: d.Name(c), Cause: d.Cause(c)}
		x, y := d.Counts(c)
		if x != nil {
			row.TCBefore, row.T1Before = &x.TC, &x.T1
			if d.Split(0) {
				row.GlitchBefore = &x.Glitch
			}
		}
		if y != nil {
			row.TCAfter, row.T1After = &y.TC, &y.T1
			if d.Split(1) {
				row.GlitchAfter = &y.Glitch
			}
		}
		t.Rows = append(t.Rows, row)
	}
	t.Total = int64(len(d.Nets))
	return t
}

func diffTotals(t *workspace.Totals) api.DiffTotals {
	x := api.DiffTotals{NetsChanged: t.Nets, TCBefore: t.TC[0], TCAfter: t.TC[1]}
	if t.Split {
		x.GlitchBefore, x.GlitchAfter = &t.Glitch[0], &t.Glitch[1]
	}
	return x
}
