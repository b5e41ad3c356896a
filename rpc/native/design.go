package native

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/wattd/wattd/internal/diag"
	"github.com/wattd/wattd/internal/workspace"
	"github.com/wattd/wattd/rpc"
	"github.com/wattd/wattd/rpc/api"
)

func (n *Native) registerDesign() {
	rpc.Register(n.mux, api.DesignOpen, n.open)
	rpc.Register(n.mux, api.DesignClose, n.close)
	rpc.Register(n.mux, api.DesignList, n.list)
	rpc.Register(n.mux, api.DesignStatus, n.status)
	rpc.Register(n.mux, api.DesignDiagnostics, n.diagnostics)
	rpc.Register(n.mux, api.WorkspaceChanged, n.changed)
}

func (n *Native) open(ctx context.Context, p api.DesignOpenParams) (r api.DesignStatusResult, err error) {
	s := sessionOf(ctx)
	if p.Snapshot != 0 {
		return r, api.Errorf(api.BadRequest, "design/open takes no snapshot")
	}
	c := workspace.Choice{Given: map[string]bool{}, Around: workspace.Around{Dir: s.folder(), Env: p.Env}}
	if c.File, err = s.path(p.Project); err != nil {
		return r, err
	}
	give := func(flag string, given bool) bool {
		if given {
			c.Given[flag] = true
		}
		return given
	}
	for _, l := range []struct {
		flag string
		from []string
		to   *[]string
	}{{"netlist", p.Netlist, &c.Over.Netlist}, {"filelist", p.FileList, &c.Over.FileList}, {"lib", p.Lib, &c.Over.Lib}, {"sdf", p.SDF, &c.Over.SDF}} {
		if !give(l.flag, len(l.from) > 0) {
			continue
		}
		for _, f := range l.from {
			if f, err = s.path(f); err != nil {
				return r, err
			}
			*l.to = append(*l.to, f)
		}
	}
	for _, v := range []struct {
		flag, from string
		to         *string
	}{
		{"top", p.Top, &c.Over.Top},
		{"corner", p.Corner, &c.Over.Corner},
		{"sdf-unconditional", p.Unconditional, &c.Over.Unconditional},
		{"pulse-reject", p.PulseReject, &c.Over.PulseReject},
		{"tick", p.Tick, &c.Over.Tick},
		{"engine", p.Engine, &c.Over.Engine},
	} {
		if give(v.flag, v.from != "") {
			*v.to = v.from
		}
	}
	if give("corner-fallback", p.CornerFallback) {
		c.Over.CornerFallback = true
	}
	c.Unwatched = p.Watch != nil && !*p.Watch
	pr := rpc.StartProgress(ctx, "open")
	defer pr.End("")
	progress := func(step string, done, total int64) {
		percent := -1
		if total > 0 {
			percent = int(100 * done / total)
		}
		pr.Report(percent, step)
	}
	v := &view{start: time.Now()}
	if v.p, v.s, v.made, err = n.ws.Open(ctx, p.Name, c, progress); err != nil {
		return r, n.asError(err)
	}
	s.mu.Lock()
	s.opened[v.p.Name()] = true
	s.mu.Unlock()
	n.filesChanged()
	return n.describe(v), nil
}

func (n *Native) close(ctx context.Context, t api.DesignParams) (api.Empty, error) {
	p, err := n.ws.Get(t.Design)
	if err != nil {
		return api.Empty{}, n.asError(err)
	}
	me := sessionOf(ctx)
	others := false
	n.mu.Lock()
	for s := range n.sessions {
		s.mu.Lock()
		if s == me {
			delete(s.opened, p.Name())
		} else {
			others = others || s.opened[p.Name()]
		}
		s.mu.Unlock()
	}
	n.mu.Unlock()
	if others {
		return api.Empty{}, nil
	}
	err = n.ws.Close(p.Name())
	n.filesChanged()
	return api.Empty{}, n.asError(err)
}

func (n *Native) list(context.Context, api.Empty) (api.DesignListResult, error) {
	var r api.DesignListResult
	r.Designs = n.designs()
	return r, nil
}

func (n *Native) designs() (t api.Table[api.DesignRow]) {
	for _, p := range n.ws.List() {
		t.Rows = append(t.Rows, row(p, p.Newest()))
	}
	t.Total = int64(len(t.Rows))
	return t
}

func row(p *workspace.Project, s *workspace.Snapshot) api.DesignRow {
	rep := s.Report()
	d := api.DesignRow{
		Name: p.Name(), Top: s.Session.Top(), State: p.Evicted().String(), Snapshot: s.N, Gates: rep.Design.Gates, Nets: int64(rep.Design.Nets),
		Memory:  p.Bytes(),
		Watched: p.Watched(), Project: p.File(),
	}
	if s.Session.Config.Stim != "" {
		d.Stimuli = 1
	}
	if p.Fault() != nil {
		d.State = "failed"
	}
	return d
}

func (n *Native) status(ctx context.Context, t api.DesignParams) (r api.DesignStatusResult, err error) {
	v, err := n.take(ctx, t.Target)
	if err != nil {
		return r, err
	}
	return n.describe(v), nil
}

var formats = map[string]string{"netlist": "verilog", "include": "verilog", "lib": "liberty", "sdf": "sdf", "stim": "vcd"}

func (n *Native) describe(v *view) api.DesignStatusResult {
	rep := v.s.Report()
	r := api.DesignStatusResult{
		Meta: v.meta(), Design: row(v.p, v.s),
		Instances: int64(rep.Design.Instances), Scopes: int64(rep.Design.Scopes), Levels: int64(rep.Design.Levels), Pins: int64(rep.Design.Pins),
		Arcs: rep.Delays.Arcs, Annotated: rep.Delays.Annotated, Wires: rep.Delays.WiresDelayed, Loops: rep.Design.Loops,
	}
	for _, c := range rep.Design.Classes {
		r.Classes = append(r.Classes, api.Count{Name: c.Name, N: c.N})
	}
	for _, c := range rep.Design.BlackBoxes {
		r.BlackBox = append(r.BlackBox, api.Count{Name: c.Name, N: c.N})
	}
	missing := v.s.Session.Missing()
	for i := range v.s.Session.Files {
		f := &v.s.Session.Files[i]
		x := api.FileRow{Path: f.Path, Format: formats[f.Role], Blake3: f.Hash, Bytes: f.Bytes, State: "used"}
		if slices.Contains(missing, f.Path) {
			x.State = "missing"
		}
		if n.server.Watched != nil && v.p.Watched() {
			x.Watch = n.server.Watched(f.Path)
		}
		r.Files.Rows = append(r.Files.Rows, x)
	}
	r.Files.Total = int64(len(r.Files.Rows))
	return r
}

var severities = []string{"note", "warning", "error"}

// diagnostics lists the messages held, errors first, of at least a severity.
func diagnostics(b *diag.Bag, least string) (ds []api.Diagnostic) {
	for _, t := range b.Totals() {
		if int(t.Severity) < slices.Index(severities, least) {
			continue
		}
		for _, d := range b.Kept(t.Code) {
			ds = append(ds, api.Diagnostic{
				Code: string(d.Code), Severity: d.Severity.String(), Message: d.Msg, Hint: d.Hint,
				Path: d.Pos.File, Line: d.Pos.Line, Col: d.Pos.Col, N: d.N,
			})
		}
	}
	return ds
}

// diagnostics tells the messages of the newest files, also when they are wrong.
func (n *Native) diagnostics(ctx context.Context, q api.DiagnosticsParams) (r api.DiagnosticsResult, err error) {
	if q.Severity == "" {
		q.Severity = "note"
	}
	if !slices.Contains(severities, q.Severity) {
		return r, api.Errorf(api.BadRequest, "severity %q: use note, warning or error", q.Severity)
	}
	v, pg, err := n.takePage(ctx, q.Target, q.Page, q.Severity, q.Codes)
	var bag *diag.Bag
	switch {
	case err == nil:
		bag, r.Meta = v.s.Session.Bag, v.meta()
	default:
		p, e := n.ws.Get(q.Design)
		if e != nil || p.Fault() == nil || q.Snapshot != 0 || q.Cursor != "" {
			return r, err
		}
		bag = p.Fault().Bag
		v = &view{p: p, s: p.Newest()}
		r.Meta = snapshotMeta(v.s)
	}
	want := func(code string) bool { return len(q.Codes) == 0 || slices.Contains(q.Codes, code) }
	for _, t := range bag.Totals() {
		if int(t.Severity) >= slices.Index(severities, q.Severity) && want(string(t.Code)) {
			r.Totals.Rows = append(r.Totals.Rows, api.CodeTotal{Code: string(t.Code), Severity: t.Severity.String(), N: t.N})
		}
	}
	r.Totals.Total = int64(len(r.Totals.Rows))
	ds := slices.DeleteFunc(diagnostics(bag, q.Severity), func(d api.Diagnostic) bool { return !want(d.Code) })
	begin, end, cursor := pg.cut(v, len(ds))
	r.Messages = api.Table[api.Diagnostic]{Rows: ds[begin:end], Total: int64(len(ds)), Cursor: cursor}
	return r, nil
}

type confirmedKey struct{}

// confirmed is what workspace/changed meant when it arrived.
type confirmed struct {
	used   []*workspace.Project
	unused []string
	err    error
}

// confirm notes that files are complete. It runs on the reading goroutine, so that a query that follows knows.
func (n *Native) confirm(s *session, req *rpc.Request) confirmed {
	var p api.ChangedParams
	if err := json.Unmarshal(req.Params, &p); err != nil {
		return confirmed{} // the handler tells
	}
	abs := make([]string, 0, len(p.Paths))
	for _, path := range p.Paths {
		a, err := s.path(path)
		if err != nil {
			return confirmed{err: err}
		}
		abs = append(abs, a)
	}
	var c confirmed
	c.used, c.unused = n.ws.Confirm(abs)
	return c
}

func (n *Native) changed(ctx context.Context, p api.ChangedParams) (r api.ChangedResult, err error) {
	if len(p.Paths) == 0 {
		return r, api.Errorf(api.BadRequest, "workspace/changed: paths is empty")
	}
	c, _ := ctx.Value(confirmedKey{}).(confirmed)
	if c.err != nil {
		return r, c.err
	}
	r.Changed, r.Designs, r.Unused = []string{}, []string{}, append([]string{}, c.unused...)
	for _, p := range c.used {
		r.Designs = append(r.Designs, p.Name())
	}
	slices.Sort(r.Designs)
	s := sessionOf(ctx)
	for _, project := range c.used {
		before := project.Newest()
		var v *view
		if p.Wait {
			if v, err = n.take(ctx, api.Target{Design: project.Name()}); err != nil {
				return r, err
			}
			r.Meta = v.meta()
		} else {
			r.Meta = snapshotMeta(before)
		}
		for _, path := range p.Paths {
			abs, err := s.path(path)
			if err != nil {
				return r, err
			}
			if differs(ctx, before, v, abs) && !slices.Contains(r.Changed, abs) {
				r.Changed = append(r.Changed, abs)
			}
		}
	}
	slices.Sort(r.Changed)
	return r, nil
}

// differs says whether a file, or one in a folder, has other content than in a snapshot: by the snapshot after, else by a look at it.
func differs(ctx context.Context, before *workspace.Snapshot, after *view, path string) bool {
	for i := range before.Session.Files {
		f := &before.Session.Files[i]
		if f.Path != path && !strings.HasPrefix(f.Path, path+"/") {
			continue
		}
		if after == nil {
			if before.Changed(ctx, f.Path) {
				return true
			}
			continue
		}
		for j := range after.s.Session.Files {
			if g := &after.s.Session.Files[j]; g.Path == f.Path && g.Hash != f.Hash {
				return true
			}
		}
	}
	return false
}
