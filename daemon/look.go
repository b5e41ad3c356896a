package daemon

import (
	"context"
	"log/slog"
	"slices"
	"time"

	"github.com/wattd/wattd/internal/workspace"
	"github.com/wattd/wattd/rpc/api"
	"github.com/wattd/wattd/rpc/native"
	"github.com/wattd/wattd/watch"
)

// assemble makes what answers, and what looks after the files between queries, nil for nobody.
func assemble(opt Options, s native.Server) (*native.Native, *looking) {
	var l *looking
	if !opt.NoWatch {
		w, err := watch.New(watch.Options{Log: opt.Log})
		if err != nil {
			opt.Log.Error("nobody looks after the files between queries", "err", err)
		} else {
			l = &looking{w: w, log: opt.Log, again: make(chan struct{}, 1)}
			s.Watch, s.Watched, s.Files = l.status, l.how, l.changed
		}
	}
	n := native.New(s)
	if l != nil {
		l.ws = n.Workspace()
	}
	return n, l
}

// looking makes new snapshots when files change, so that subscribers hear of them and queries find them made. Answers do not depend
// on it.
type looking struct {
	w     *watch.Watcher
	ws    *workspace.Workspace
	log   *slog.Logger
	again chan struct{} // the set of files may be another
}

// changed asks for the files of the open designs to be collected again.
func (l *looking) changed() {
	select {
	case l.again <- struct{}{}:
	default:
	}
}

// run looks until ctx ends.
func (l *looking) run(ctx context.Context) {
	defer l.w.Close()
	var set []string
	for {
		var c watch.Change
		select {
		case <-ctx.Done():
			return
		case <-l.again:
		case c = <-l.w.Events():
			for _, p := range l.ws.List() {
				if p.Watched() && (c.Rescan || uses(p, c.Paths)) {
					l.refresh(ctx, p)
				}
			}
		}
		var now []string
		for _, p := range l.ws.List() {
			if p.Watched() {
				now = append(now, p.Paths()...)
			}
		}
		slices.Sort(now)
		now = slices.Compact(now)
		if slices.Equal(now, set) {
			continue
		}
		if err := l.w.Set(ctx, now); err != nil {
			l.log.Warn("watch", "err", err)
			continue
		}
		set = now
		for _, p := range l.ws.List() { // what changed between the reading and the watching
			if p.Watched() {
				l.refresh(ctx, p)
			}
		}
	}
}

func uses(p *workspace.Project, paths []string) bool {
	mine := p.Paths()
	return slices.ContainsFunc(paths, func(path string) bool { return slices.Contains(mine, path) })
}

func (l *looking) refresh(ctx context.Context, p *workspace.Project) {
	start := time.Now()
	s, made, err := p.Refresh(ctx, 0)
	switch {
	case err != nil && ctx.Err() == nil:
		l.log.Warn("refresh", "design", p.Name(), "err", err)
	case made:
		l.log.Info("refreshed", "design", p.Name(), "snapshot", s.N, "ms", time.Since(start).Milliseconds())
	}
}

func (l *looking) status() api.WatchStatus {
	st := l.w.Status()
	r := api.WatchStatus{Events: int64(len(st.Watched)), Polled: int64(len(st.Polled)), Overflows: int64(st.Overflows)}
	if st.NoEvents != "" {
		r.Notes = append(r.Notes, st.NoEvents)
	}
	for _, p := range st.Polled[:min(10, len(st.Polled))] {
		r.Notes = append(r.Notes, p.Path+": "+p.Why)
	}
	return r
}

// how tells how a file is watched.
func (l *looking) how(path string) string {
	for _, p := range l.w.Status().Polled {
		if p.Path == path {
			return "poll"
		}
	}
	return "events"
}
