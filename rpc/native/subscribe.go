package native

import (
	"context"
	"slices"
	"strconv"

	"github.com/wattd/wattd/internal/workspace"
	"github.com/wattd/wattd/rpc/api"
)

// topics are those of subscribe that this server has.
var topics = []string{"design"}

// subscription is a client that wants to be told.
type subscription struct {
	id      string
	session *session
	design  string // "" for all
}

func (n *Native) subscribe(ctx context.Context, q api.SubscribeParams) (r api.SubscribeResult, err error) {
	switch {
	case !slices.Contains(api.Topics, q.Topic):
		return r, api.Errorf(api.BadRequest, "topic %q does not exist", q.Topic).WithCandidates(topics...)
	case !slices.Contains(topics, q.Topic):
		return r, api.Errorf(api.BadRequest, "this server has no topic %q", q.Topic).WithCandidates(topics...)
	case q.Stimulus != "" || len(q.Names) > 0 || q.Regexp || q.Scope != "":
		return r, api.Errorf(api.BadRequest, "topic %s takes no nets and no stimulus", q.Topic)
	}
	v, err := n.take(ctx, q.Target)
	if err != nil {
		return r, err
	}
	n.mu.Lock()
	n.nextSub++
	r.Subscription = "s" + strconv.FormatInt(n.nextSub, 10)
	n.subs[r.Subscription] = &subscription{r.Subscription, sessionOf(ctx), v.p.Name()}
	n.mu.Unlock()
	r.Meta = v.meta()
	return r, nil
}

func (n *Native) unsubscribe(ctx context.Context, q api.UnsubscribeParams) (api.Empty, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	s := n.subs[q.Subscription]
	if s == nil || s.session != sessionOf(ctx) {
		return api.Empty{}, api.Errorf(api.BadRequest, "there is no subscription %q", q.Subscription)
	}
	delete(n.subs, q.Subscription)
	return api.Empty{}, nil
}

// updated tells the subscribers of a design about its new snapshot.
func (n *Native) updated(p *workspace.Project, before, s *workspace.Snapshot) {
	n.filesChanged()
	var to []*subscription
	n.mu.Lock()
	for _, sub := range n.subs {
		if sub.design == p.Name() {
			to = append(to, sub)
		}
	}
	n.mu.Unlock()
	if len(to) == 0 {
		return
	}
	u := api.DesignUpdate{Meta: snapshotMeta(s)}
	u.Meta.Work = work(s)
	u.Design, u.Snapshot = p.Name(), s.N
	if w := &s.Session.Work; w.PairsTotal > 0 {
		u.Dirty = float64(w.PairsRun) / float64(w.PairsTotal)
	}
	if before != nil {
		u.Cause = s.Cause(before)
		u.Delta = api.DesignDelta(s.Delta(before))
		if t, ok := s.Totals(before); ok {
			x := diffTotals(&t)
			u.Totals = &x
		}
	}
	for _, sub := range to {
		u.Subscription = sub.id
		_ = sub.session.conn.Publish(sub.id, api.DesignDidUpdate.Name(), u) // a lost peer shows in reading
	}
}
