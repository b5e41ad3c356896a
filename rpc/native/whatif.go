package native

import (
	"context"
	"errors"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/wattd/wattd/internal/workspace"
	"github.com/wattd/wattd/rpc"
	"github.com/wattd/wattd/rpc/api"
)

// maxOverlays is how many overlays a connection may have at a time, and maxEdits how many edits one of them.
const (
	maxOverlays = 16
	maxEdits    = 10_000
)

// overlay is a what-if overlay of a connection.
type overlay struct {
	id      string
	session *session
	o       *workspace.Overlay
}

func (n *Native) registerWhatIf() {
	rpc.Register(n.mux, api.WhatIfBegin, n.whatIfBegin)
	rpc.Register(n.mux, api.WhatIfApply, n.whatIfApply)
	rpc.Register(n.mux, api.WhatIfUndo, n.whatIfUndo)
	rpc.Register(n.mux, api.WhatIfReport, n.whatIfReport)
	rpc.Register(n.mux, api.WhatIfCommit, n.whatIfCommit)
	rpc.Register(n.mux, api.WhatIfDiscard, n.whatIfDiscard)
}

func (n *Native) whatIfBegin(ctx context.Context, q api.WhatIfBeginParams) (r api.WhatIfResult, err error) {
	if q.Overlay != "" {
		return r, api.Errorf(api.BadRequest, "an overlay lies on a snapshot; apply further edits to %q", q.Overlay)
	}
	v, err := n.take(ctx, q.Target)
	if err != nil {
		return r, err
	}
	s := sessionOf(ctx)
	n.mu.Lock()
	defer n.mu.Unlock()
	have := 0
	for _, o := range n.overlays {
		if o.session == s {
			have++
		}
	}
	if have >= maxOverlays {
		return r, api.Errorf(api.BudgetExceeded, "the connection has %d overlays; discard one", have)
	}
	n.nextOverlay++
	o := &overlay{"w" + strconv.FormatInt(n.nextOverlay, 10), s, v.p.NewOverlay(v.s)}
	n.overlays[o.id] = o
	return o.result(v), nil
}

// overlayOf finds an overlay of the connection.
func (n *Native) overlayOf(ctx context.Context, id string) (*overlay, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if o := n.overlays[id]; o != nil && o.session == sessionOf(ctx) {
		return o, nil
	}
	return nil, api.Errorf(api.OverlayNotFound, "there is no overlay %q", id)
}

// view is an overlay as a request reads it.
func (o *overlay) view(start time.Time) *view {
	return &view{p: o.o.Project(), s: o.o.Top(), overlay: o, start: start}
}

func (o *overlay) result(v *view) api.WhatIfResult {
	r := api.WhatIfResult{Meta: v.meta(), ID: o.id, Base: o.o.Base().N, Edits: []api.Edit{}}
	for _, e := range o.o.Edits() {
		r.Edits = append(r.Edits, editOut(&e))
	}
	return r
}

func editIn(e *api.Edit) workspace.Edit {
	return workspace.Edit{
		Do: e.Do, Instance: e.Instance, Cell: e.Cell, Net: e.Net, Pin: e.Pin, Output: e.Output, Sinks: e.Sinks, Name: e.Name, Rise: e.Rise, Fall: e.Fall,
		Wire: e.Wire, Factor: e.Factor, Condition: e.Condition, Policy: e.Policy,
	}
}

func editOut(e *workspace.Edit) api.Edit {
	return api.Edit{
		Do: e.Do, Instance: e.Instance, Cell: e.Cell, Net: e.Net, Pin: e.Pin, Output: e.Output, Sinks: e.Sinks, Name: e.Name, NewNet: e.NewNet, Rise: e.Rise, Fall: e.Fall,
		Wire: e.Wire, Factor: e.Factor, Condition: e.Condition, Policy: e.Policy,
	}
}

func (n *Native) whatIfApply(ctx context.Context, q api.WhatIfApplyParams) (r api.WhatIfResult, err error) {
	start := time.Now()
	o, err := n.overlayOf(ctx, q.ID)
	if err != nil {
		return r, err
	}
	if len(o.o.Edits())+len(q.Edits) > maxEdits {
		return r, api.Errorf(api.BudgetExceeded, "an overlay holds %d edits at most", maxEdits)
	}
	edits := make([]workspace.Edit, len(q.Edits))
	for i := range q.Edits {
		edits[i] = editIn(&q.Edits[i])
	}
	pr := rpc.StartProgress(ctx, "what-if on "+o.o.Project().Name())
	defer pr.End("")
	if _, err := o.o.Apply(ctx, edits); err != nil {
		return r, n.editError(err)
	}
	v := o.view(start)
	v.made = len(edits) > 0
	return o.result(v), nil
}

// editError puts the errors of edits in the words of the protocol.
func (n *Native) editError(err error) error {
	var edit *workspace.EditError
	var name *workspace.NameError
	var stale *workspace.StaleError
	switch {
	case errors.As(err, &name):
		e, ok := errors.AsType[*api.Error](n.asError(err))
		if ok {
			e.Message = err.Error()
			return e
		}
	case errors.As(err, &edit):
		e := api.Errorf(api.BadRequest, "%v", err)
		e.Data.Hint = "none of the edits was made"
		return e
	case errors.As(err, &stale):
		e := api.Errorf(api.StaleSnapshot, "%v", stale)
		e.Data.Path, e.Data.Hint = stale.Path, "begin an overlay on the newest snapshot"
		return e
	}
	return n.asError(err)
}

func (n *Native) whatIfUndo(ctx context.Context, q api.WhatIfUndoParams) (r api.WhatIfResult, err error) {
	start := time.Now()
	o, err := n.overlayOf(ctx, q.ID)
	if err != nil {
		return r, err
	}
	if q.N < 0 {
		return r, api.Errorf(api.BadRequest, "n is %d", q.N)
	}
	if _, err := o.o.Undo(ctx, max(q.N, 1)); errors.Is(err, workspace.ErrNothing) {
		return r, api.Errorf(api.BadRequest, "there are %d edits, not %d", len(o.o.Edits()), max(q.N, 1))
	} else if err != nil {
		return r, n.editError(err)
	}
	return o.result(o.view(start)), nil
}

// whatIfReport compares the overlay with its base.
func (n *Native) whatIfReport(ctx context.Context, q api.WhatIfReportParams) (r api.DiffRunResult, err error) {
	o, err := n.overlayOf(ctx, q.ID)
	if err != nil {
		return r, err
	}
	d := api.DiffRunParams{Page: q.Page, Selection: q.Selection, Sort: q.Sort}
	d.Call, d.Design, d.Stimulus = q.Call, o.o.Project().Name(), q.Stimulus
	d.Snapshot = 0
	d.After.Overlay = q.ID
	return n.compare(ctx, &d, &view{p: o.o.Project(), s: o.o.Base(), start: time.Now()}, o.view(time.Now()))
}

func (n *Native) whatIfCommit(ctx context.Context, q api.WhatIfCommitParams) (r api.WhatIfCommitResult, err error) {
	start := time.Now()
	o, err := n.overlayOf(ctx, q.ID)
	if err != nil {
		return r, err
	}
	if q.Path == "" || q.Path == "-" {
		return r, api.Errorf(api.BadRequest, "whatif/commit needs the path of a file")
	}
	x, ok := o.o.Script(q.Dialect)
	if !ok {
		return r, api.Errorf(api.BadRequest, "dialect %q: use %s", q.Dialect, strings.Join(workspace.Dialects(), " or "))
	}
	if r.Path, err = sessionOf(ctx).path(q.Path); err != nil {
		return r, err
	}
	st, err := os.Stat(r.Path)
	input := slices.ContainsFunc(o.o.Base().Session.Files, func(f workspace.FileInfo) bool {
		in, e := os.Stat(f.Path)
		return e == nil && err == nil && os.SameFile(in, st)
	})
	if err == nil && (input || !q.Overwrite || !st.Mode().IsRegular()) {
		e := api.Errorf(api.FileError, "%s is there already", r.Path)
		e.Data.Path, e.Data.Hint = r.Path, "choose another path, or set overwrite for a file that is no input of the design"
		return r, e
	}
	if err := workspace.WriteWhole(r.Path, x.Text); err != nil {
		return r, n.asError(err)
	}
	r.Commands = x.Commands
	for i := range x.Left {
		r.Left = append(r.Left, editOut(&x.Left[i]))
	}
	r.Meta = o.view(start).meta()
	return r, nil
}

func (n *Native) whatIfDiscard(ctx context.Context, q api.WhatIfParams) (r api.Answer, err error) {
	start := time.Now()
	o, err := n.overlayOf(ctx, q.ID)
	if err != nil {
		return r, err
	}
	n.mu.Lock()
	delete(n.overlays, q.ID)
	n.mu.Unlock()
	o.o.Discard()
	v := &view{p: o.o.Project(), s: o.o.Base(), start: start}
	r.Meta = v.meta()
	return r, nil
}
