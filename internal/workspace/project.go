package workspace

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"time"
	"weak"

	"github.com/wattd/wattd/internal/diag"
	"github.com/wattd/wattd/internal/project"
)

// keepRecent is how many snapshots before the newest are kept for clients that page through them, pin or compare them.
const keepRecent = 3

// Project is an open design.
type Project struct {
	w        *Workspace
	name     string
	wanted   string // name that it was opened under, or ""
	progress project.Progress
	opened   chan struct{} // closed once the first snapshot is there, or failed
	failed   bool

	building chan struct{} // holds an element while files are compared and a snapshot is made: one at a time, in order
	recipe   recipe        // of whoever is building

	mu        sync.Mutex
	cur       *Snapshot
	recent    []*Snapshot // before it, oldest first
	fault     *InputError // of the last attempt, nil when it succeeded
	held      map[int64]weak.Pointer[Snapshot]
	next      int64
	checked   time.Time
	left      map[string]bool // files of the set that have not followed a change of the others
	confirmed map[string]bool // files that were said to be complete
	waiting   int             // requests that wait for whoever is building
	supersede context.CancelCauseFunc
	resident  resident
}

// lock makes the caller the one who builds.
func (p *Project) lock(ctx context.Context) error {
	select {
	case p.building <- struct{}{}:
		return nil
	default:
	}
	p.wait(1)
	defer p.wait(-1)
	select {
	case p.building <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (p *Project) wait(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.waiting += n
}

func (p *Project) unlock() { <-p.building }

// Name is the name under which the design is open.
func (p *Project) Name() string { return p.name }

// File is the path of the wattd.toml that the design was opened with, or "".
func (p *Project) File() string { return p.recipe.choice.File }

// Paths lists the files that the newest snapshot rests on.
func (p *Project) Paths() (paths []string) {
	if f := p.File(); f != "" {
		paths = append(paths, f)
	}
	if s := p.Newest(); s != nil {
		for i := range s.Session.Files {
			paths = append(paths, s.Session.Files[i].Path)
		}
	}
	return paths
}

// Watched says whether somebody is to look after the files between queries.
func (p *Project) Watched() bool { return !p.recipe.choice.Unwatched }

// Current is the newest complete snapshot without a look at the files; nil before the first one and when it was let go, see Newest.
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
func (p *Project) Refresh(ctx context.Context, stale time.Duration) (s *Snapshot, made bool, err error) {
	p.use()
	if s := p.young(stale); s != nil { // without waiting for whoever is building
		return s, false, nil
	}
	arrived := time.Now()
	if err := p.lock(ctx); err != nil {
		return nil, false, err
	}
	defer p.unlock()
	// what whoever was building began to compare after we came is as good as if we did, so that many requests at once cost one look
	if s := p.young(max(stale, time.Since(arrived))); s != nil {
		return p.settle(s), false, nil
	}
	cur, fault := p.Current(), p.Fault()
	now := time.Now()
	_, changed, err := p.recipe.config()
	if err != nil {
		return nil, false, p.faulty(err)
	}
	if cur != nil && fault == nil && !changed && cur.Session.Fresh(ctx) {
		p.mu.Lock()
		p.checked = now
		p.mu.Unlock()
		return p.settle(cur), false, nil
	}
	if err := ctx.Err(); err != nil {
		return nil, false, err
	}
	if cur == nil {
		cur, _ = p.base()
	}
	prev := cur.session()
	if prev == nil {
		prev = p.w.store.load(ctx, &p.recipe)
	}
	if s, err = p.make(ctx, now, cur, prev); err != nil {
		return nil, false, err
	}
	return s, true, nil
}

// young is the newest snapshot when its files were compared within the last stale.
func (p *Project) young(stale time.Duration) *Snapshot {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cur == nil || p.fault != nil || stale <= 0 || time.Since(p.checked) >= stale {
		return nil
	}
	return p.cur
}

// Rerun makes a snapshot of the files as they are now, as if nothing had been kept.
func (p *Project) Rerun(ctx context.Context) (*Snapshot, error) {
	if err := p.lock(ctx); err != nil {
		return nil, err
	}
	defer p.unlock()
	now := time.Now()
	if _, _, err := p.recipe.config(); err != nil {
		return nil, p.faulty(err)
	}
	return p.make(ctx, now, nil, nil)
}

// faulty remembers that the inputs are wrong.
func (p *Project) faulty(err error) error {
	var f *InputError
	if errors.As(err, &f) {
		p.mu.Lock()
		p.fault = f
		p.mu.Unlock()
		if p.w.hooks.Faulty != nil {
			p.w.hooks.Faulty(p, f.Bag)
		}
	}
	return err
}

// both makes one of two, each of which may be nil.
func both(a, b project.Progress) project.Progress {
	if a == nil || b == nil {
		if a == nil {
			return b
		}
		return a
	}
	return func(step string, done, total int64) {
		a(step, done, total)
		b(step, done, total)
	}
}

// session is that of a snapshot, nil of none.
func (s *Snapshot) session() *project.Session {
	if s == nil {
		return nil
	}
	return s.Session
}

// make builds the next snapshot. It continues a session when there is one: that of the snapshot before, or one that was kept. began is from before the first look at a file.
func (p *Project) make(ctx context.Context, began time.Time, from *Snapshot, prev *project.Session) (s *Snapshot, err error) {
	progress := p.progress
	if p.w.hooks.Making != nil {
		more, ended := p.w.hooks.Making(p)
		defer func() { ended(err) }()
		progress = both(progress, more)
	}
	bag := &diag.Bag{}
	if p.w.building != nil {
		p.w.building(ctx)
	}
	sess, err := project.NewSession(p.recipe.cfg, bag, progress)
	if err != nil {
		return nil, err
	}
	sess.KeepState()
	if prev != nil {
		sess.Continue(prev)
	}
	start := time.Now()
	for _, step := range []func(context.Context) error{sess.Compile, bind(sess), sess.Simulate} {
		if err := step(ctx); err != nil {
			return nil, err
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if sess.Failed() {
		return nil, p.faulty(&InputError{bag})
	}
	if _, of := p.base(); of != Resident {
		sess.Work.Reloaded = of.reloaded()
	}
	sess.Detach()
	p.w.store.keep(&p.recipe, sess, time.Since(start))
	s = &Snapshot{Session: sess, Made: began, checked: p.lastCheck, memo: newMemo(sess, from)}
	before := p.enter(s, began)
	p.fit()
	if p.w.notify != nil {
		p.w.notify(p, before, s)
	}
	return s, nil
}

// enter makes a snapshot the newest one.
func (p *Project) enter(s *Snapshot, checked time.Time) (before *Snapshot) {
	p.mu.Lock()
	defer p.mu.Unlock()
	before = p.cur
	p.fault = nil
	p.checked = checked
	p.next++
	s.N = p.next
	if was := cmp.Or(before, p.resident.outline); was != nil {
		p.mix(was.Session.Files, s.Session.Files)
	}
	p.resident.outline, p.resident.without = nil, nil
	if before != nil {
		p.recent = append(p.recent, before)
		if len(p.recent) > keepRecent {
			p.recent = slices.Delete(p.recent, 0, 1)
		}
	}
	s.Mixed = p.mixed()
	p.cur = s
	p.held[s.N] = weak.Make(s)
	for n, w := range p.held {
		if w.Value() == nil {
			delete(p.held, n)
		}
	}
	return before
}

func (p *Project) lastCheck() time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.checked
}

// bind binds the stimulus when there is one: a design may be opened without.
func bind(s *project.Session) func(context.Context) error {
	if s.Config.Stim == "" {
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
	s := cmp.Or(p.cur, p.resident.outline)
	if s == nil {
		return false
	}
	used := false
	for i := range s.Session.Files {
		f := &s.Session.Files[i]
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
	if p.cur == s { // not let go meanwhile
		p.cur = &c
	}
	p.held[c.N] = weak.Make(&c)
	return &c
}
