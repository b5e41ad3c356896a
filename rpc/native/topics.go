package native

import (
	"cmp"
	"context"
	"slices"

	"github.com/wattd/wattd/internal/diag"
	"github.com/wattd/wattd/internal/workspace"
	"github.com/wattd/wattd/rpc/api"
)

// Updates are published and never waited for: the queue of a connection is bounded, and who does not read loses the oldest.

// maxFollowed is how many nets a subscription may follow.
const maxFollowed = 1000

// followed are the nets of a subscription.
type followed struct {
	sel      workspace.Selection
	style    workspace.Style
	stimulus string
}

// following checks the nets that a subscription chooses.
func (n *Native) following(ctx context.Context, v *view, q *api.SubscribeParams) (f followed, err error) {
	if err := v.stimulus(q.Stimulus); err != nil {
		return f, err
	}
	f = followed{selection(q.Selection), styles[q.NameStyle], v.s.StimulusName()}
	nets, err := v.s.Nets(ctx, f.sel)
	if err != nil {
		return f, n.asError(err)
	}
	if len(nets) > maxFollowed {
		return f, api.Errorf(api.TooLarge, "%d nets are chosen; at most %d are followed", len(nets), maxFollowed)
	}
	return f, nil
}

// listeners are the subscriptions of a topic and a design, in the order in which they were made.
func (n *Native) listeners(topic, design string) (to []*subscription) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, sub := range n.subs {
		if sub.topic == topic && (sub.design == design || sub.design == "") {
			to = append(to, sub)
		}
	}
	slices.SortFunc(to, func(a, b *subscription) int {
		return cmp.Or(cmp.Compare(len(a.id), len(b.id)), cmp.Compare(a.id, b.id))
	})
	return to
}

// publish sends an update. A lost peer shows in reading.
func (sub *subscription) publish(update any) {
	_ = sub.session.conn.Publish(sub.id, sub.topic+"/didUpdate", update)
}

// isFollowed says whether a subscription waits to hear of a design.
func (n *Native) isFollowed(p *workspace.Project) bool {
	return len(n.listeners("design", p.Name()))+len(n.listeners("nets", p.Name())) > 0
}

// updated tells the subscribers of a design about its new snapshot.
func (n *Native) updated(p *workspace.Project, before, s *workspace.Snapshot) {
	n.filesChanged()
	if before == nil {
		return
	}
	n.messages(p, before, s, s.Session.Bag, false)
	common := api.Update{Design: p.Name(), Snapshot: s.N}
	designs, nets := n.listeners("design", p.Name()), n.listeners("nets", p.Name())
	if len(designs)+len(nets) > 0 {
		common.Cause = s.Cause(before)
	}
	if len(designs) > 0 {
		u := designUpdate(before, s)
		for _, sub := range designs {
			u.Update = common
			u.Subscription = sub.id
			sub.publish(u)
		}
	}
	for _, sub := range nets {
		if d := sub.difference(before, s); d != nil && len(d.Nets) > 0 {
			u := api.NetsUpdate{Update: common, Nets: diffRows(d, 0, len(d.Nets))}
			u.Subscription = sub.id
			sub.publish(u)
		}
	}
}

func designUpdate(before, s *workspace.Snapshot) api.DesignUpdate {
	u := api.DesignUpdate{Meta: snapshotMeta(s), Delta: api.DesignDelta(s.Delta(before))}
	u.Meta.Work = work(s)
	if w := &s.Session.Work; w.PairsTotal > 0 {
		u.Dirty = float64(w.PairsRun) / float64(w.PairsTotal)
	}
	if t, ok := s.Totals(before); ok {
		x := diffTotals(&t)
		u.Totals = &x
	}
	return u
}

// difference compares the nets that a subscription follows; nil when one of the snapshots does not have its stimulus, or none of its nets.
func (sub *subscription) difference(before, s *workspace.Snapshot) *workspace.Difference {
	f := &sub.follow
	a, b := before.Session.Table, s.Session.Table
	if a == nil || b == nil || before.StimulusName() != f.stimulus || s.StimulusName() != f.stimulus {
		return nil
	}
	sel := f.sel
	if len(sel.Names) > 1 { // those that an edit removed on both sides are no reason to be silent about the others
		sel.Names = slices.DeleteFunc(slices.Clone(sel.Names), func(name string) bool {
			one := workspace.Selection{Names: []string{name}, Regexp: sel.Regexp, Scope: sel.Scope}
			_, was := before.Nets(context.Background(), one)
			_, is := s.Nets(context.Background(), one)
			return was != nil && is != nil
		})
		if len(sel.Names) == 0 {
			return nil
		}
	}
	d, err := workspace.Diff(context.Background(), before.In(f.style), s.In(f.style), a, b, sel)
	if err != nil || len(d.Nets) > maxFollowed {
		return nil
	}
	return d
}

// message is what two messages have in common that are the same.
type message struct {
	code, text, path string
	line, col        int
}

// messageSet are the messages about the files of a design.
type messageSet map[message]bool

func messagesOf(bag *diag.Bag) (list []api.Diagnostic, set messageSet) {
	list, set = diagnostics(bag, "note"), messageSet{}
	for i := range list {
		set[key(&list[i])] = true
	}
	return list, set
}

func key(d *api.Diagnostic) message { return message{d.Code, d.Message, d.Path, d.Line, d.Col} }

// faulty tells that the newest files of a design are wrong.
func (n *Native) faulty(p *workspace.Project, bag *diag.Bag) {
	if s := p.Current(); s != nil {
		n.messages(p, s, s, bag, true)
	}
}

// messages tells what is new among the messages about a design, and what is gone, against those of the snapshot before and what was told
// while the files were wrong. Of wrong files the messages are not complete: nothing of the snapshot is gone for them.
func (n *Native) messages(p *workspace.Project, before, s *workspace.Snapshot, bag *diag.Bag, wrong bool) {
	list, now := messagesOf(bag)
	n.mu.Lock()
	told := n.said[p.Name()]
	if delete(n.said, p.Name()); wrong {
		n.said[p.Name()] = now
	}
	n.mu.Unlock()
	_, was := messagesOf(before.Session.Bag)
	if wrong {
		for k := range was {
			now[k] = true
		}
	}
	for k := range told {
		was[k] = true
	}
	codes := map[string]bool{}
	for k := range now {
		codes[k.code] = true
	}
	u := api.DiagnosticsUpdate{Update: api.Update{Design: p.Name(), Snapshot: s.N}}
	for i := range list {
		if !was[key(&list[i])] {
			u.New = append(u.New, list[i])
		}
	}
	for k := range was {
		if !now[k] && !codes[k.code] && !slices.Contains(u.Gone, k.code) {
			u.Gone = append(u.Gone, k.code)
		}
	}
	if slices.Sort(u.Gone); len(u.New)+len(u.Gone) == 0 {
		return
	}
	for _, sub := range n.listeners("diagnostics", p.Name()) {
		u.Subscription = sub.id
		sub.publish(u)
	}
}
