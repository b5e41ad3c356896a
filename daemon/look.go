package daemon

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
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
			l = newLooking(w, opt.Log)
			s.Watch, s.Watched, s.Files = l.status, l.how, l.changed
		}
	}
	s.Budget = max(0, cmp.Or(opt.Memory, workspace.DefaultBudget()))
	s.Evicted = func(e workspace.Eviction) {
		opt.Log.Info("memory let go", "design", e.Project.Name(), "what", e.Level.String(), "bytes", e.Freed, "accounted", e.Accounted, "budget", s.Budget)
	}
	n := native.New(s)
	if l != nil {
		l.list = func() (ds []design) {
			for _, p := range n.Workspace().List() {
				ds = append(ds, p)
			}
			return ds
		}
	}
	return n, l
}

// looking makes new snapshots when files change, so that subscribers hear of them and queries find them made. Answers do not depend
// on it.
//
// When files change again while a snapshot of theirs is being made, that is given up for one of the newest files, unless a request waits
// for it. It is given up maxSuperseded times in a row at most, then one is finished: a file that is written all the time delays updates by
// so many snapshots, and does not keep them away.
type looking struct {
	w     *watch.Watcher
	list  func() []design
	log   *slog.Logger
	again chan struct{} // the set of files may be another
	tasks map[design]*task
	ended chan *task
	work  sync.WaitGroup
}

// design is a *workspace.Project; one at a time of Look runs.
type design interface {
	Name() string
	Paths() []string
	Watched() bool
	Look(ctx context.Context) (s *workspace.Snapshot, made bool, err error)
	Supersede() bool
}

// task is a snapshot that is being made in the background.
type task struct {
	d          design
	again      bool // the files changed since it began
	givenUp    bool // for that
	superseded int  // how many before it, in a row, were
}

const maxSuperseded = 3

func newLooking(w *watch.Watcher, log *slog.Logger) *looking {
	return &looking{w: w, log: log, again: make(chan struct{}, 1), tasks: map[design]*task{}, ended: make(chan *task)}
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
	defer l.work.Wait()
	var set []string
	for {
		select {
		case <-ctx.Done():
			return
		case <-l.again:
		case t := <-l.ended:
			l.end(ctx, t)
		case c := <-l.w.Events():
			l.heard(ctx, c)
		}
		now := l.paths()
		if slices.Equal(now, set) {
			continue
		}
		if err := l.w.Set(ctx, now); err != nil {
			l.log.Warn("watch", "err", err)
			continue
		}
		set = now
		l.heard(ctx, watch.Change{Rescan: true}) // what changed between the reading and the watching
	}
}

// paths are the files of the designs that are watched.
func (l *looking) paths() (all []string) {
	for _, d := range l.list() {
		if d.Watched() {
			all = append(all, d.Paths()...)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// heard looks at the designs whose files may have changed.
func (l *looking) heard(ctx context.Context, c watch.Change) {
	for _, d := range l.list() {
		if d.Watched() && (c.Rescan || uses(d, c.Paths)) {
			l.refresh(ctx, d)
		}
	}
}

func uses(d design, paths []string) bool {
	mine := d.Paths()
	return slices.ContainsFunc(paths, func(path string) bool { return slices.Contains(mine, path) })
}

// refresh begins to make a snapshot, or sees to it that the one being made is followed by another.
func (l *looking) refresh(ctx context.Context, d design) {
	t := l.tasks[d]
	if t == nil {
		l.begin(ctx, &task{d: d})
		return
	}
	t.again = true
	if !t.givenUp && t.superseded < maxSuperseded {
		t.givenUp = d.Supersede()
	}
}

func (l *looking) begin(ctx context.Context, t *task) {
	l.tasks[t.d] = t
	l.work.Go(func() {
		l.look(ctx, t.d)
		select {
		case l.ended <- t:
		case <-ctx.Done():
		}
	})
}

// end begins the next task of a design where one is due.
func (l *looking) end(ctx context.Context, t *task) {
	delete(l.tasks, t.d)
	if !t.again || !slices.Contains(l.list(), t.d) {
		return
	}
	next := &task{d: t.d}
	if t.givenUp {
		next.superseded = t.superseded + 1
	}
	l.begin(ctx, next)
}

func (l *looking) look(ctx context.Context, d design) {
	start := time.Now()
	s, made, err := d.Look(ctx)
	switch {
	case errors.Is(err, context.Canceled):
		l.log.Debug("superseded", "design", d.Name(), "ms", time.Since(start).Milliseconds())
	case err != nil:
		l.log.Warn("refresh", "design", d.Name(), "err", err)
	case made:
		l.log.Info("refreshed", "design", d.Name(), "snapshot", s.N, "ms", time.Since(start).Milliseconds())
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
