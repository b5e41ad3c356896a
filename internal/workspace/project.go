package workspace

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"time"
	"weak"

	"github.com/wattd/wattd/internal/diag"
	"github.com/wattd/wattd/internal/project"
)

// Project is an open design.
type Project struct {
	w        *Workspace
	name     string
	cfg      project.Config
	progress project.Progress

	build sync.Mutex // held while files are compared and a snapshot is made: one at a time, in order

	mu        sync.Mutex
	cur       *Snapshot
	fault     *InputError // of the last attempt, nil when it succeeded
	held      map[int64]weak.Pointer[Snapshot]
	next      int64
	checked   time.Time
	left      map[string]bool // files of the set that have not followed a change of the others
	confirmed map[string]bool // files that were said to be complete
}

// Name is the name under which the design is open.
func (p *Project) Name() string { return p.name }

// Config is what the design was opened with, paths absolute.
func (p *Project) Config() project.Config { return p.cfg }

// Current is the newest complete snapshot without a look at the files; nil before the first one.
func (p *Project) Current() *Snapshot {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.cur
}

// Fault is the error of the newest files when they are wrong, nil when Current is what they say.
func (p *Project) Fault() *InputError {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.fault
}

// Pinned returns an older snapshot that is still held.
func (p *Project) Pinned(n int64) (*Snapshot, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if w, ok := p.held[n]; ok {
		if s := w.Value(); s != nil {
			return s, nil
		}
		delete(p.held, n)
	}
	return nil, fmt.Errorf("%w: %d", ErrGone, n)
}

// Refresh returns the snapshot of the files as they are now, making it when they changed. Files that were compared within the last
// stale are taken as they were. The error is an *InputError when the files are wrong, else of ctx or ours.
func (p *Project) Refresh(ctx context.Context, stale time.Duration) (*Snapshot, error) {
	p.build.Lock()
	defer p.build.Unlock()
	p.mu.Lock()
	cur, checked, fault := p.cur, p.checked, p.fault
	p.mu.Unlock()
	if cur != nil && fault == nil && stale > 0 && time.Since(checked) < stale {
		return cur, nil
	}
	now := time.Now()
	if cur != nil && fault == nil && cur.Session.Fresh(ctx) {
		p.mu.Lock()
		p.checked = now
		p.mu.Unlock()
		return p.settle(cur), nil
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s, err := p.make(ctx, cur)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	p.checked = now
	p.mu.Unlock()
	if p.w.notify != nil {
		p.w.notify(p, s)
	}
	return s, nil
}

// make builds the next snapshot from the one before.
func (p *Project) make(ctx context.Context, cur *Snapshot) (*Snapshot, error) {
	bag := &diag.Bag{}
	sess, err := project.NewSession(p.cfg, bag, p.progress)
	if err != nil {
		return nil, err
	}
	sess.KeepState()
	if cur != nil {
		sess.Continue(cur.Session)
	}
	for _, step := range []func(context.Context) error{sess.Compile, p.bind(sess), sess.Simulate} {
		if err := step(ctx); err != nil {
			return nil, err
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if sess.Failed() {
		f := &InputError{bag}
		p.mu.Lock()
		p.fault = f
		p.mu.Unlock()
		return nil, f
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.fault = nil
	p.next++
	s := &Snapshot{N: p.next, Session: sess, Made: time.Now(), checked: p.lastCheck}
	if cur != nil {
		p.mix(cur.Session.Files, sess.Files)
	}
	s.Mixed = p.mixed()
	sess.Detach()
	p.cur = s
	p.held[s.N] = weak.Make(s)
	for n, w := range p.held {
		if w.Value() == nil {
			delete(p.held, n)
		}
	}
	return s, nil
}

func (p *Project) lastCheck() time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.checked
}

// bind binds the stimulus when there is one: a design may be opened without.
func (p *Project) bind(s *project.Session) func(context.Context) error {
	if p.cfg.Stim == "" {
		return func(context.Context) error { return nil }
	}
	return s.Bind
}

// set says whether a file belongs to those that a tool writes together.
func set(f *project.FileInfo) bool { return f.Role == "netlist" || f.Role == "sdf" }

// mix notes which files of the set followed a change of others.
func (p *Project) mix(old, now []project.FileInfo) {
	was := map[string]string{}
	for i := range old {
		was[old[i].Path] = old[i].Hash
	}
	var changed, same []string
	for i := range now {
		f := &now[i]
		if !set(f) {
			continue
		}
		if was[f.Path] != f.Hash || p.confirmed[f.Path] {
			changed = append(changed, f.Path)
		} else {
			same = append(same, f.Path)
		}
	}
	if len(changed) == 0 {
		return
	}
	if len(p.left) == 0 {
		for _, path := range same {
			p.left[path] = true
		}
	}
	for _, path := range changed {
		delete(p.left, path)
	}
	clear(p.confirmed)
}

func (p *Project) mixed() []string {
	var m []string
	for path := range p.left {
		m = append(m, path)
	}
	slices.Sort(m)
	return m
}

// confirm notes that a file, or all files of a folder, are complete; false when the design uses none of them.
func (p *Project) confirm(path string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cur == nil {
		return false
	}
	used := false
	for i := range p.cur.Session.Files {
		f := &p.cur.Session.Files[i]
		if f.Path != path && filepath.Dir(f.Path) != path {
			continue
		}
		used = true
		if p.confirmed == nil {
			p.confirmed = map[string]bool{}
		}
		p.confirmed[f.Path] = true
		delete(p.left, f.Path)
	}
	return used
}

// settle returns the snapshot with the files that were confirmed since it was made no longer mixed.
func (p *Project) settle(s *Snapshot) *Snapshot {
	p.mu.Lock()
	defer p.mu.Unlock()
	clear(p.confirmed)
	m := p.mixed()
	if slices.Equal(m, s.Mixed) {
		return s
	}
	c := *s
	c.Mixed = m
	p.cur = &c
	p.held[c.N] = weak.Make(&c)
	return &c
}
