package native

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/wattd/wattd/internal/workspace"
	"github.com/wattd/wattd/rpc/api"
)

func (n *Native) namesResolve(ctx context.Context, q api.NamesResolveParams) (r api.NamesResolveResult, err error) {
	v, pg, err := n.takePage(ctx, q.Target, q.Page, q.Selection, q.Kind)
	if err != nil {
		return r, err
	}
	kind := cmp.Or(q.Kind, "net")
	if !slices.Contains(workspace.Kinds, kind) {
		return r, api.Errorf(api.BadRequest, "kind %q: use net, instance, scope or pin", kind)
	}
	objects, err := v.s.Objects(ctx, kind, selection(q.Selection))
	if err != nil {
		return r, n.asError(err)
	}
	begin, end, cursor := pg.cut(v, len(objects))
	for _, o := range objects[begin:end] {
		r.Objects.Rows = append(r.Objects.Rows, api.NameRow{Name: o.Name, Kind: kind, Rule: o.Rule, Path: o.File, Line: o.Line})
	}
	r.Objects.Total, r.Objects.Cursor = int64(len(objects)), cursor
	r.Meta = v.meta()
	return r, nil
}

func (n *Native) namesExplain(ctx context.Context, q api.NamesExplainParams) (r api.NamesExplainResult, err error) {
	if q.Name == "" {
		return r, api.Errorf(api.BadRequest, "names/explain: name is empty")
	}
	v, err := n.take(ctx, q.Target)
	if err != nil {
		return r, err
	}
	x, err := v.s.Explain(ctx, q.Name)
	if err != nil {
		return r, n.asError(err)
	}
	for _, f := range x.Findings {
		r.Findings.Rows = append(r.Findings.Rows, api.NameRow{Name: f.Name, Kind: f.Kind, Rule: f.Rule, Path: f.File, Line: f.Line})
	}
	r.Findings.Total = int64(len(r.Findings.Rows))
	r.Ambiguous, r.Candidates, r.Also, r.Class = x.Ambiguous, x.Candidates, x.Also, x.Class
	for _, f := range x.Said {
		r.Files = append(r.Files, api.NameInFile{Path: f.File, Line: f.Line, Text: f.Text})
	}
	r.Meta = v.meta()
	return r, nil
}

func (n *Native) netDrivers(ctx context.Context, q api.NetParams) (api.NetPinsResult, error) {
	return n.pins(ctx, q, true)
}

func (n *Native) netLoads(ctx context.Context, q api.NetParams) (api.NetPinsResult, error) {
	return n.pins(ctx, q, false)
}

func (n *Native) pins(ctx context.Context, q api.NetParams, drivers bool) (r api.NetPinsResult, err error) {
	v, pg, err := n.takePage(ctx, q.Target, q.Page, q.Net, drivers)
	if err != nil {
		return r, err
	}
	net, _, err := v.s.Net(q.Net)
	if err != nil {
		return r, n.asError(err)
	}
	name := v.s.NetName
	pins := v.s.Pins(net, drivers)
	begin, end, cursor := pg.cut(v, len(pins))
	for _, p := range pins[begin:end] {
		row := api.PinRow{Instance: p.Instance, Pin: p.Pin, Cell: p.Cell, Path: p.File, Line: p.Line}
		if p.Other >= 0 {
			row.Other = name(p.Other)
		}
		if p.Wire {
			rise, fall := int64(p.Rise), int64(p.Fall)
			row.WireRise, row.WireFall = &rise, &fall
		}
		r.Pins.Rows = append(r.Pins.Rows, row)
	}
	r.Pins.Total, r.Pins.Cursor = int64(len(pins)), cursor
	r.Net, r.Meta = name(net), v.meta()
	return r, nil
}

// closestFor bounds the names of a page for which the nearest one of the design is looked up, each of which costs a look at all.
const closestFor = 20

func (n *Native) namesMap(ctx context.Context, q api.NamesMapParams) (r api.NamesMapResult, err error) {
	if q.Path == "" {
		return r, api.Errorf(api.BadRequest, "names/map: path is empty")
	}
	path, err := sessionOf(ctx).path(q.Path)
	if err != nil {
		return r, err
	}
	v, pg, err := n.takePage(ctx, q.Target, q.Page, path)
	if err != nil {
		return r, err
	}
	rules, unbound, err := v.s.MapNames(ctx, path)
	if err != nil {
		return r, n.asError(err)
	}
	r.Rules = []api.Count{}
	for _, rule := range slices.Sorted(maps.Keys(rules)) {
		r.Rules = append(r.Rules, api.Count{Name: rule, N: rules[rule]})
	}
	begin, end, cursor := pg.cut(v, len(unbound))
	for i, u := range unbound[begin:end] {
		row := api.UnboundRow{Name: u.Name, Line: u.Line, N: u.N}
		if i < closestFor {
			if c := v.s.Closest(u.Name); len(c) > 0 {
				row.Closest = c[0]
			}
		}
		r.Unbound.Rows = append(r.Unbound.Rows, row)
	}
	r.Unbound.Total, r.Unbound.Cursor = int64(len(unbound)), cursor
	r.Meta = v.meta()
	return r, ctx.Err()
}
