package native

import (
	"context"
	"slices"
	"strconv"

	"github.com/wattd/wattd/rpc/api"
)

// topics are those of subscribe that this server has.
var topics = []string{"design", "nets", "diagnostics", "tasks"}

// subscription is a client that wants to be told.
type subscription struct {
	id      string
	session *session
	topic   string
	design  string // "" for all
	follow  followed
}

func (n *Native) subscribe(ctx context.Context, q api.SubscribeParams) (r api.SubscribeResult, err error) {
	switch {
	case !slices.Contains(api.Topics, q.Topic):
		return r, api.Errorf(api.BadRequest, "topic %q does not exist", q.Topic).WithCandidates(topics...)
	case !slices.Contains(topics, q.Topic):
		return r, api.Errorf(api.BadRequest, "this server has no topic %q", q.Topic).WithCandidates(topics...)
	case q.Topic != "nets" && (q.Stimulus != "" || len(q.Names) > 0 || q.Regexp || q.Scope != ""):
		return r, api.Errorf(api.BadRequest, "topic %s takes no nets and no stimulus", q.Topic)
	}
	if q.Overlay != "" {
		return r, api.Errorf(api.BadRequest, "an overlay changes by its own requests only; there is nothing to subscribe to")
	}
	sub := &subscription{session: sessionOf(ctx), topic: q.Topic}
	if q.Topic != "tasks" || q.Design != "" {
		v, err := n.take(ctx, q.Target)
		if err != nil {
			return r, err
		}
		sub.design = v.p.Name()
		if q.Topic == "nets" {
			if sub.follow, err = n.following(ctx, v, &q); err != nil {
				return r, err
			}
		}
		r.Meta = v.meta()
	}
	n.mu.Lock()
	n.nextSub++
	sub.id = "s" + strconv.FormatInt(n.nextSub, 10)
	n.subs[sub.id] = sub
	n.mu.Unlock()
	r.Subscription = sub.id
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
