package native

import (
	"context"
	"fmt"
	"hash/fnv"
	"strings"
	"time"

	"github.com/wattd/wattd/internal/diag"
	"github.com/wattd/wattd/internal/workspace"
	"github.com/wattd/wattd/rpc"
	"github.com/wattd/wattd/rpc/api"
)

// view is the snapshot that a request reads.
type view struct {
	p    *workspace.Project
	s    *workspace.Snapshot
	made bool // for this request

	overlay *overlay // nil: a snapshot of the files
	start   time.Time
}

// take finds the snapshot of a request: the pinned one, else the newest, for which the files are compared.
func (n *Native) take(ctx context.Context, t api.Target) (*view, error) {
	start := time.Now()
	if t.Snapshot < 0 {
		return nil, api.Errorf(api.BadRequest, "snapshot is %d", t.Snapshot)
	}
	style, ok := styles[t.NameStyle]
	if !ok {
		return nil, api.Errorf(api.BadRequest, "nameStyle %q: use verilog, sdc or saif", t.NameStyle)
	}
	if t.Overlay != "" {
		o, err := n.overlayOf(ctx, t.Overlay)
		if err != nil {
			return nil, err
		}
		if t.Snapshot > 0 && t.Snapshot != o.o.Base().N {
			return nil, api.Errorf(api.BadRequest, "overlay %s lies on snapshot %d, not %d", o.id, o.o.Base().N, t.Snapshot)
		}
		v := o.view(start)
		v.s = v.s.In(style)
		return v, nil
	}
	p, err := n.ws.Get(t.Design)
	if err != nil {
		return nil, n.asError(err)
	}
	v := &view{p: p, start: start}
	if t.Snapshot > 0 {
		if v.s, err = p.Pinned(t.Snapshot); err != nil {
			return nil, n.asError(err)
		}
		v.s = v.s.In(style)
		return v, nil
	}
	stale := time.Duration(0)
	if t.MaxStaleMs != nil {
		if *t.MaxStaleMs < 0 {
			return nil, api.Errorf(api.BadRequest, "maxStaleMs is %d", *t.MaxStaleMs)
		}
		stale = time.Duration(min(*t.MaxStaleMs, 1<<40)) * time.Millisecond
	}
	pr := rpc.StartProgress(ctx, "refresh "+p.Name())
	defer pr.End("")
	if v.s, v.made, err = p.Refresh(ctx, stale); err != nil {
		return nil, n.asError(err)
	}
	v.s = v.s.In(style)
	return v, nil
}

// styles are those of nameStyle.
var styles = map[string]workspace.Style{"": workspace.Verilog, "verilog": workspace.Verilog, "sdc": workspace.SDC, "saif": workspace.SAIF}

// takePage is take for a request with pages: they come from the snapshot of the first one.
func (n *Native) takePage(ctx context.Context, t api.Target, p api.Page, query ...any) (*view, *pager, error) {
	if t.Overlay != "" { // pages are of the same edits
		o, err := n.overlayOf(ctx, t.Overlay)
		if err != nil {
			return nil, nil, err
		}
		query = append(query, t.Overlay, o.o.Version())
	}
	pg := &pager{limit: p.Rows(), query: digest(query)}
	if p.Cursor != "" {
		snapshot, err := pg.parse(p.Cursor)
		if err != nil {
			return nil, nil, err
		}
		if t.Snapshot != 0 && t.Snapshot != snapshot {
			return nil, nil, api.Errorf(api.BadRequest, "the cursor is of snapshot %d, not %d", snapshot, t.Snapshot)
		}
		t.Snapshot = snapshot
	}
	v, err := n.take(ctx, t)
	return v, pg, err
}

// pager cuts pages. A cursor names the snapshot, the first row, and the query, so that it is not used for another one.
type pager struct {
	limit, from int
	query       uint32
}

func digest(query []any) uint32 {
	h := fnv.New32a()
	fmt.Fprintf(h, "%v", query)
	return h.Sum32()
}

func (p *pager) parse(cursor string) (snapshot int64, err error) {
	var query uint32
	if _, err := fmt.Sscanf(cursor, "%d-%d-%x", &snapshot, &p.from, &query); err != nil || snapshot <= 0 || p.from < 0 || strings.ContainsAny(cursor, " \n") {
		return 0, api.Errorf(api.BadRequest, "%.40q is no cursor", cursor)
	}
	if query != p.query {
		return 0, api.Errorf(api.BadRequest, "the cursor is of another query")
	}
	return snapshot, nil
}

// cut gives the rows from begin to end of n, and the cursor of the next page.
func (p *pager) cut(v *view, n int) (begin, end int, cursor string) {
	begin = min(p.from, n)
	end = min(begin+p.limit, n)
	if end < n {
		cursor = fmt.Sprintf("%d-%d-%x", v.s.N, end, p.query)
	}
	return begin, end, cursor
}

// stimulus checks that the stimulus of a request is there and simulated.
func (v *view) stimulus(name string) error {
	have := v.s.StimulusName()
	switch {
	case have == "":
		return api.Errorf(api.NotReady, "design %s has no stimulus; load one with stimulus/load", v.p.Name())
	case name != "" && name != have:
		return api.Errorf(api.StimulusNotFound, "design %s has no stimulus %q", v.p.Name(), name).WithCandidates(have)
	}
	return nil
}

// meta says on what an answer rests.
func (v *view) meta() api.Meta {
	m := snapshotMeta(v.s)
	m.CheckedMs = max(time.Since(v.s.Checked()).Milliseconds(), 0)
	m.Ms = map[string]float64{"total": ms(time.Since(v.start))}
	if v.overlay != nil {
		m.Overlay, m.Edits = v.overlay.id, int64(len(v.overlay.o.Edits()))
	}
	if v.made {
		m.Work = work(v.s)
		for _, p := range v.s.Session.Phases {
			m.Ms[p.Name] = ms(p.Time)
		}
	}
	return m
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// work is what the making of a snapshot took.
func work(s *workspace.Snapshot) api.Work {
	w := &s.Session.Work
	return api.Work{
		BytesParsed: w.BytesParsed, GatesCompiled: w.GatesCompiled, PairsRun: w.PairsRun, PairsTotal: w.PairsTotal,
		CutOffs: w.CutOffs, RowsCompared: w.RowsCompared, Reloaded: w.Reloaded,
	}
}

// snapshotMeta is what the meta of all answers from a snapshot has in common.
func snapshotMeta(s *workspace.Snapshot) api.Meta {
	x := s.Session
	m := api.Meta{Snapshot: s.N, Corner: x.Config.Corner, Mixed: s.Mixed}
	if m.Corner == "" {
		m.Corner = "typ"
	}
	for i := range x.Files {
		m.Inputs = append(m.Inputs, api.Input{Path: x.Files[i].Path, Blake3: x.Files[i].Hash})
	}
	m.Tick = x.Design.Tick.String()
	for _, t := range x.Bag.Totals() {
		if t.Severity == diag.Warning {
			m.Warnings += t.N
		}
	}
	if st := x.Stim; st != nil {
		m.Scope, m.Stimulus = st.Coverage.Scope, s.StimulusName()
		for _, c := range st.Coverage.Classes {
			m.Coverage = append(m.Coverage, api.Coverage{Class: c.Class, Total: c.Total, Stimulus: c.Stimulus, Complement: c.Complement, Held: c.Held, Toggled: c.Toggled})
		}
	}
	if x.Result != nil {
		m.Engine = x.Result.Engine
	}
	if news := x.Work.NewSources; len(news) > 0 {
		m.NewSources = &api.NewSources{N: int64(len(news))}
		for _, net := range news[:min(10, len(news))] {
			m.NewSources.First = append(m.NewSources.First, s.NetName(net))
		}
	}
	return m
}
