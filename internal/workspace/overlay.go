package workspace

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"
	"weak"

	"github.com/wattd/wattd/internal/design"
	"github.com/wattd/wattd/internal/netlist"
	"github.com/wattd/wattd/internal/project"
	"github.com/wattd/wattd/internal/wave"
)

// Edit is one what-if edit. Which fields count depends on Do.
type Edit struct {
	Do        string   // swapCell, setDelay, scaleDelay, insertBuffer, removeBuffer, reconnect, setStimulus
	Instance  string   // all but insertBuffer and setStimulus
	Cell      string   // swapCell, insertBuffer
	Net       string   // insertBuffer, reconnect, setStimulus
	Pin       string   // reconnect: the pin; setDelay, scaleDelay: input of the arc, "" for all
	Output    string   // setDelay, scaleDelay: output of the arc, "" for all
	Sinks     []string // insertBuffer: INSTANCE/PIN that move behind it; none: all
	Name      string   // insertBuffer: of the new instance; "": made
	NewNet    string   // insertBuffer: net behind it, filled in
	Rise      *int64   // setDelay: ticks
	Fall      *int64   // setDelay: ticks
	Wire      bool     // setDelay, scaleDelay: the wire to Pin
	Factor    float64  // scaleDelay
	Condition string   // setDelay, scaleDelay: only the arc with this condition
	Policy    string   // setStimulus: hold, 0, 1, toggle:P, like:NET

	moves []move // pins that the edit moves from net to net, for the script
}

// move takes a pin from one net to another; "" is none.
type move struct{ pin, from, to string }

// EditError says why an edit cannot be made. Index is its place among those of one Apply.
type EditError struct {
	Index int
	Err   error
}

func (e *EditError) Error() string { return fmt.Sprintf("edit %d: %v", e.Index+1, e.Err) }

func (e *EditError) Unwrap() error { return e.Err }

// ErrNothing: there is no edit to take back.
var ErrNothing = errors.New("workspace: fewer edits than that are on the stack")

// Overlay is a stack of edits on a snapshot that no file has. The snapshot is held as long as the overlay is; what happens to the
// files later does not touch it. It is safe for concurrent use.
type Overlay struct {
	p    *Project
	base *Snapshot

	building chan struct{} // as Project.building

	mu      sync.Mutex
	stack   []layer
	version int64 // counts changes of the stack
}

// Version tells states of the stack apart.
func (o *Overlay) Version() int64 {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.version
}

// layer is an edit with the snapshot in which it holds. Edits of one Apply share the snapshot of the last of them.
type layer struct {
	edit  Edit
	snap  *Snapshot
	apply int // number of the Apply
}

// NewOverlay begins an overlay without edits.
func (p *Project) NewOverlay(base *Snapshot) *Overlay {
	o := &Overlay{p: p, base: base, building: make(chan struct{}, 1)}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.resident.overlays = append(p.resident.overlays, weak.Make(o))
	return o
}

// Base is the snapshot below the edits.
func (o *Overlay) Base() *Snapshot { return o.base }

// Project is that of the base.
func (o *Overlay) Project() *Project { return o.p }

// Top is the snapshot with all edits: one of its own that never changes, with the number of the base.
func (o *Overlay) Top() *Snapshot {
	o.mu.Lock()
	defer o.mu.Unlock()
	if n := len(o.stack); n > 0 {
		return o.stack[n-1].snap
	}
	return o.base
}

// Edits lists the stack, oldest first.
func (o *Overlay) Edits() []Edit {
	o.mu.Lock()
	defer o.mu.Unlock()
	es := make([]Edit, len(o.stack))
	for i := range o.stack {
		es[i] = o.stack[i].edit
	}
	return es
}

// Apply puts edits on the stack, all or none of them. Each sees those before it. An edit that cannot be made is an *EditError; a design
// that is wrong with them an *InputError.
func (o *Overlay) Apply(ctx context.Context, edits []Edit) (*Snapshot, error) {
	select {
	case o.building <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { <-o.building }()
	defer o.p.fit()
	return o.push(ctx, edits)
}

// push is Apply for whoever is building.
func (o *Overlay) push(ctx context.Context, edits []Edit) (*Snapshot, error) {
	top := o.Top()
	if len(edits) == 0 {
		return top, nil
	}
	if top.Session.Design == nil {
		return nil, errors.New("workspace: the snapshot has no design")
	}
	m := &editor{ctx: ctx, s: top, nl: top.Session.Netlist, touched: &netlist.Patched{}}
	edits = slices.Clone(edits)
	for i := range edits {
		if err := m.edit(&edits[i]); err != nil {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			return nil, &EditError{i, err}
		}
	}
	m.touched.Insts, m.touched.Nets = ascending(m.touched.Insts), ascending(m.touched.Nets)
	w := &project.WhatIf{Touched: m.touched, Delays: m.delays, Sources: m.sources}
	if m.nl != top.Session.Netlist {
		w.Netlist = m.nl
	}
	now := time.Now()
	sess, err := top.Session.WhatIf(ctx, w, nil)
	if err != nil {
		return nil, err
	}
	if sess.Failed() {
		return nil, &InputError{sess.Bag}
	}
	s := &Snapshot{N: o.base.N, Session: sess, Made: now, Mixed: o.base.Mixed, checked: o.base.checked, memo: newMemo(sess, top)}
	o.mu.Lock()
	defer o.mu.Unlock()
	apply := 0
	if n := len(o.stack); n > 0 {
		apply = o.stack[n-1].apply + 1
	}
	o.version++
	for _, e := range edits {
		o.stack = append(o.stack, layer{e, s, apply})
	}
	return s, nil
}

// Undo takes the last n edits off the stack. Edits that were applied together go together only when all of them are taken: else what
// is left of them is applied again.
func (o *Overlay) Undo(ctx context.Context, n int) (*Snapshot, error) {
	select {
	case o.building <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { <-o.building }()
	defer o.p.fit()
	o.mu.Lock()
	if n < 1 || n > len(o.stack) {
		o.mu.Unlock()
		return nil, ErrNothing
	}
	cut := len(o.stack) - n
	old := o.stack
	keep := cut
	for keep > 0 && cut < len(old) && old[keep-1].apply == old[cut].apply {
		keep--
	}
	var again []Edit
	for _, l := range old[keep:cut] {
		again = append(again, l.edit)
	}
	o.stack = slices.Clip(old[:keep])
	o.version++
	o.mu.Unlock()
	if len(again) == 0 {
		return o.Top(), nil
	}
	s, err := o.push(ctx, again)
	if err != nil { // all or nothing here too
		o.mu.Lock()
		o.stack = old
		o.mu.Unlock()
	}
	return s, err
}

// editor turns edits into changes of a session.
type editor struct {
	ctx     context.Context
	s       *Snapshot
	nl      *netlist.Netlist // with the edits so far
	touched *netlist.Patched
	delays  []design.Override
	sources []wave.Replacement
	index   *index // of nl
}

// names finds objects of the netlist as edited so far.
func (m *editor) names() *index {
	if m.index == nil || m.index.nl != m.nl {
		if m.nl == m.s.Session.Netlist {
			m.index = m.s.memo.index
		} else {
			m.index = &index{nl: m.nl}
		}
	}
	return m.index
}

func (m *editor) patch(e *netlist.Edit) error {
	if e.Names == nil {
		e.Names = m.nl.Names
	}
	nl, p, err := m.s.Session.PatchNetlist(m.ctx, m.nl, e)
	if err != nil {
		return err
	}
	m.nl = nl
	m.touched.Insts = append(m.touched.Insts, p.Insts...)
	m.touched.Nets = append(m.touched.Nets, p.Nets...)
	return nil
}

func ascending(s []int32) []int32 {
	slices.Sort(s)
	return slices.Compact(s)
}
