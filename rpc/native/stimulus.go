package native

import (
	"context"
	"slices"

	"github.com/wattd/wattd/internal/workspace"
	"github.com/wattd/wattd/rpc/api"
)

// stimulusLoad replaces the stimulus of a design.
func (n *Native) stimulusLoad(ctx context.Context, q api.StimulusLoadParams) (r api.StimulusResult, err error) {
	if q.Snapshot != 0 || q.Overlay != "" || q.Path == "" {
		return r, api.Errorf(api.BadRequest, "stimulus/load takes a path, and no snapshot and no overlay")
	}
	path, err := sessionOf(ctx).path(q.Path)
	if err != nil {
		return r, err
	}
	v, err := n.take(ctx, q.Target)
	if err != nil {
		return r, err
	}
	x := workspace.Stimulus{Path: path, Scope: q.Scope, From: q.From, To: q.To, Cycle: q.Cycle, X: q.X, Unmapped: q.Unmapped, Launch: q.Launch}
	if name := x.Name(); q.Name != "" && q.Name != name {
		return r, api.Errorf(api.BadRequest, "a stimulus has the name of its file here, %s; leave name out", name)
	}
	if v.s, err = v.p.Load(ctx, x); err != nil {
		return r, n.asError(err)
	}
	v.made = true
	n.filesChanged()
	r.Stimulus, r.Meta = stimulusRow(v.s), v.meta()
	return r, nil
}

// stimulusDrop leaves the design open without a stimulus.
func (n *Native) stimulusDrop(ctx context.Context, q api.StimulusParams) (r api.Empty, err error) {
	if q.Snapshot != 0 || q.Overlay != "" {
		return r, api.Errorf(api.BadRequest, "stimulus/drop takes no snapshot and no overlay")
	}
	v, err := n.take(ctx, q.Target)
	if err != nil {
		return r, err
	}
	if err := v.stimulus(q.Stimulus); err != nil {
		return r, err
	}
	if _, err = v.p.Drop(ctx); err != nil {
		return r, n.asError(err)
	}
	n.filesChanged()
	return r, nil
}

func stimulusRow(s *workspace.Snapshot) api.StimulusRow {
	c, run := s.Report().Coverage, s.Report().Run
	return api.StimulusRow{
		Name: s.StimulusName(), Path: s.Session.Config.Stim, Scope: c.Scope, From: run.From, To: run.To, Launch: c.Launch, SourceEvents: run.SourceEvents,
		Covered: c.Percent, UnknownTime: c.UnknownPct, Simulated: true,
	}
}

func (n *Native) stimulusList(ctx context.Context, q api.StimulusListParams) (r api.StimulusListResult, err error) {
	v, pg, err := n.takePage(ctx, q.Target, q.Page, q.Missing)
	if err != nil {
		return r, err
	}
	if have := v.s.StimulusName(); have != "" && (q.Stimulus == "" || q.Stimulus == have) {
		r.Stimuli.Rows = append(r.Stimuli.Rows, stimulusRow(v.s))
	} else if q.Stimulus != "" {
		return r, v.stimulus(q.Stimulus)
	}
	r.Stimuli.Total = int64(len(r.Stimuli.Rows))
	if q.Missing {
		if err := v.stimulus(q.Stimulus); err != nil {
			return r, err
		}
		c := &v.s.Session.Stim.Coverage
		t := &api.Table[api.SourceRow]{}
		for _, x := range c.Classes {
			t.Total += x.Total - x.Stimulus - x.Complement
		}
		begin, end, cursor := pg.cut(v, len(c.Missing)) // the first names; the total counts all
		t.Cursor = cursor
		for _, name := range c.Missing[begin:end] {
			row := api.SourceRow{Net: name}
			if net, _, err := v.s.Net(name); err == nil {
				row.Class, row.New = v.s.Session.Design.NetClass[net].String(), slices.Contains(c.New, net)
			}
			t.Rows = append(t.Rows, row)
		}
		r.Missing = t
	}
	r.Meta = v.meta()
	return r, nil
}
