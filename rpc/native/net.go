package native

import (
	"cmp"
	"context"
	"slices"

	"github.com/wattd/wattd/internal/activity"
	"github.com/wattd/wattd/internal/workspace"
	"github.com/wattd/wattd/rpc"
	"github.com/wattd/wattd/rpc/api"
)

func (n *Native) registerNet() {
	rpc.Register(n.mux, api.SimRun, n.simRun)
	rpc.Register(n.mux, api.NetActivity, n.netActivity)
	rpc.Register(n.mux, api.NetWaveform, n.netWaveform)
	rpc.Register(n.mux, api.NetDrivers, n.netDrivers)
	rpc.Register(n.mux, api.NetLoads, n.netLoads)
	rpc.Register(n.mux, api.GlitchTop, n.glitchTop)
	rpc.Register(n.mux, api.NetTrace, n.netTrace)
	rpc.Register(n.mux, api.NamesResolve, n.namesResolve)
	rpc.Register(n.mux, api.NamesExplain, n.namesExplain)
	rpc.Register(n.mux, api.NamesMap, n.namesMap)
	rpc.Register(n.mux, api.StimulusLoad, n.stimulusLoad)
	rpc.Register(n.mux, api.StimulusList, n.stimulusList)
	rpc.Register(n.mux, api.StimulusDrop, n.stimulusDrop)
	rpc.Register(n.mux, api.ExportCSV, n.exportCSV)
	rpc.Register(n.mux, api.ExportSAIF, n.exportSAIF)
	rpc.Register(n.mux, api.ExportVCD, n.exportVCD)
}

// interval checks the interval of a request against the run.
func interval(s *workspace.Snapshot, from, to *int64) (a, b int64, whole bool, err error) {
	a, b = s.Session.Stim.From, s.End()
	if from != nil {
		a = *from
	}
	if to != nil {
		b = *to
	}
	if a >= b || a < s.Session.Stim.From || b > s.End() {
		return a, b, false, api.Errorf(api.EmptyWindow, "from %d to %d is not an interval of the run, which is from %d to %d ticks", a, b, s.Session.Stim.From, s.End())
	}
	return a, b, a == s.Session.Stim.From && b == s.End(), nil
}

// counts are those of the interval of a request.
func counts(ctx context.Context, v *view, q *api.Source) (t *activity.Table, cut bool, err error) {
	if err := v.stimulus(q.Stimulus); err != nil {
		return nil, false, err
	}
	a, b, whole, err := interval(v.s, q.From, q.To)
	if err != nil {
		return nil, false, err
	}
	if whole {
		return v.s.Session.Table, false, nil
	}
	if t, cut, err = v.s.CountsOf(ctx, a, b); err == nil && t == nil {
		err = api.Errorf(api.EmptyWindow, "from %d to %d the dump records nothing", a, b)
	}
	return t, cut, err
}

func selection(s api.Selection) workspace.Selection {
	return workspace.Selection{Names: s.Names, Regexp: s.Regexp, Scope: s.Scope}
}

// orders are those of net/activity.
var orders = map[string]func(*activity.Net) int64{
	"tc":       func(x *activity.Net) int64 { return x.TC },
	"density":  func(x *activity.Net) int64 { return x.TC },
	"glitch":   func(x *activity.Net) int64 { return x.Glitch },
	"filtered": func(x *activity.Net) int64 { return x.Filtered },
}

func (n *Native) netActivity(ctx context.Context, q api.NetActivityParams) (r api.NetActivityResult, err error) {
	if q.Sort != "" && q.Sort != "name" && orders[q.Sort] == nil {
		return r, api.Errorf(api.BadRequest, "sort %q: use name, tc, glitch, filtered or density", q.Sort)
	}
	v, pg, err := n.takePage(ctx, q.Target, q.Page, q.Selection, q.Sort, deref(q.From), deref(q.To))
	if err != nil {
		return r, err
	}
	t, cut, err := counts(ctx, v, &q.Source)
	if err != nil {
		return r, n.asError(err)
	}
	if q.Sort == "filtered" && cut {
		return r, api.Errorf(api.BadRequest, "the interval cuts windows of the run, by which filtered pulses are counted; they cannot be sorted by")
	}
	if q.Sort == "glitch" && !t.Split {
		return r, api.Errorf(api.NotReady, "there are no glitches to sort by: %s", t.NoSplit)
	}
	by := orders[q.Sort]
	choose := v.s.Nets
	if by != nil {
		choose = v.s.Chosen
	}
	nets, err := choose(ctx, selection(q.Selection))
	if err != nil {
		return r, n.asError(err)
	}
	total := len(nets)
	begin, end, cursor := pg.cut(v, total)
	if by != nil {
		nets = workspace.First(slices.Clone(nets), end, func(a, b int32) int {
			if x, y := by(&t.Nets[a]), by(&t.Nets[b]); x != y { // names cost more
				return cmp.Compare(y, x)
			}
			return v.s.Compare(a, b)
		})
	}
	r.From, r.To = t.From, t.To
	r.Nets = api.Table[api.ActivityRow]{Rows: make([]api.ActivityRow, 0, end-begin), Total: int64(total), Cursor: cursor}
	seconds := float64(t.Duration()) * float64(v.s.Session.Design.Tick) * 1e-18
	for _, net := range nets[begin:end] {
		x := &t.Nets[net]
		row := api.ActivityRow{
			Net: v.s.NetName(net), TC: x.TC, Rise: x.Rise, Fall: x.Fall, T0: x.T0, T1: x.T1, TX: x.TX, TZ: x.TZ, TB: x.TB,
			Density: float64(x.TC) / seconds, Class: v.s.Session.Design.NetClass[net].String(),
		}
		if !cut {
			row.Filtered = &x.Filtered
		}
		if t.Split {
			row.Functional, row.Glitch = &x.Functional, &x.Glitch
		}
		r.Nets.Rows = append(r.Nets.Rows, row)
	}
	r.Meta = v.meta()
	return r, nil
}

func deref(p *int64) any {
	if p == nil {
		return nil
	}
	return *p
}

func (n *Native) simRun(ctx context.Context, q api.SimRunParams) (r api.SimRunResult, err error) {
	if q.From != nil || q.To != nil {
		return r, api.Errorf(api.BadRequest, "sim/run sums up the whole run; net/activity takes an interval")
	}
	if q.Force && q.Overlay != "" {
		return r, api.Errorf(api.BadRequest, "force reads the files again, and an overlay rests on what was read")
	}
	if q.Force && q.Snapshot != 0 {
		return r, api.Errorf(api.BadRequest, "force makes a new snapshot, so snapshot cannot be given")
	}
	v, err := n.take(ctx, q.Target)
	if err != nil {
		return r, err
	}
	if err := v.stimulus(q.Stimulus); err != nil {
		return r, err
	}
	if q.Force {
		if v.s, err = v.p.Rerun(ctx); err != nil {
			return r, n.asError(err)
		}
		v.made = true
	}
	x := v.s.Report().Run
	r = api.SimRunResult{
		Meta: v.meta(), From: x.From, To: x.To, Windows: int64(x.Windows), Events: x.Events - x.SourceEvents, SourceEvents: x.SourceEvents,
		Toggles: x.Toggles, Functional: x.Functional, Glitch: x.Glitch, NoSplit: x.NoSplit, Filtered: x.Filtered,
		WireFiltered: x.WireFiltered, Races: x.Races, ErrorPulses: x.ErrorPulses, Unannotated: x.Unannotated,
	}
	for i := range v.s.Session.Table.Clocks.List {
		c := &v.s.Session.Table.Clocks.List[i]
		r.Clocks = append(r.Clocks, api.ClockRow{Net: c.Name, Period: c.Period(), Edges: c.Edges})
	}
	return r, nil
}
