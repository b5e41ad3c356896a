package workspace

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"
	"weak"

	"github.com/wattd/wattd/internal/footprint"
	"github.com/wattd/wattd/internal/project"
)

// A budget bounds the bytes that open designs take. When they take more, the following is let go, each from the design that was asked
// least recently on, until it fits: the snapshots before the newest; then the waves of the newest one, so that the next query
// simulates it in full; then all of it, so that the next query reads and compiles it again. Designs that somebody waits to hear of go after
// all others. The design that was asked last keeps its
// newest snapshot, also when that alone is over the budget. Answers do not depend on the budget: it costs work, and the numbers of
// snapshots go on rising. What a reader holds stays readable, and an overlay keeps the snapshot below it; neither can be let go.
type budget struct {
	clock     atomic.Int64 // counts uses of designs
	mu        sync.Mutex   // one fits at a time
	limit     atomic.Int64
	evictions atomic.Int64
}

// Level says what was let go of a design.
type Level uint8

// The levels.
const (
	Resident Level = iota
	Older          // snapshots before the newest; never the level of a design, as they are no part of an answer
	Waves          // the simulation of the newest snapshot
	Whole          // all but what to make it of
)

// String is how states of designs and messages name a level.
func (l Level) String() string {
	return [...]string{"ready", "older snapshots evicted", "waves evicted", "evicted"}[l]
}

// Eviction tells that memory was let go for the budget.
type Eviction struct {
	Project   *Project
	Level     Level
	Freed     int64 // bytes
	Accounted int64 // bytes of all designs after it
}

// Usage is the budget and what there is to it. All in bytes.
type Usage struct {
	Budget    int64 // 0: none
	Accounted int64
	Evictions int64 // of waves and of whole designs
}

// Over says that what may not be let go is more than the budget.
func (u *Usage) Over() bool { return u.Budget > 0 && u.Accounted > u.Budget }

// resident is what a design has in memory, as the budget sees it. Guarded by Project.mu but for the atomics.
type resident struct {
	used     atomic.Int64 // clock of the last use
	bytes    atomic.Int64 // accounted
	outline  *Snapshot    // of the newest snapshot when that was let go: no netlist, no design, no waves
	without  *Snapshot    // the newest snapshot without its waves, when those alone were let go; nobody is shown it
	overlays []weak.Pointer[Overlay]
}

// SetBudget bounds the bytes of all designs, 0 for no bound, and lets go what is over it.
func (w *Workspace) SetBudget(bytes int64) {
	w.budget.limit.Store(max(0, bytes))
	w.fit(nil)
}

// Usage tells how much of the budget is taken.
func (w *Workspace) Usage() Usage {
	u := Usage{Budget: w.budget.limit.Load(), Evictions: w.budget.evictions.Load()}
	for _, p := range w.all() {
		u.Accounted += p.resident.bytes.Load()
	}
	return u
}

// all lists the designs that are open, and those that are being opened.
func (w *Workspace) all() []*Project {
	w.mu.Lock()
	defer w.mu.Unlock()
	ps := slices.Clone(w.opening)
	for _, p := range w.projects {
		if !slices.Contains(ps, p) {
			ps = append(ps, p)
		}
	}
	return ps
}

// use notes that somebody asked for the design.
func (p *Project) use() { p.resident.used.Store(p.w.budget.clock.Add(1)) }

// fit is that of the workspace for a design that was asked last.
func (p *Project) fit() {
	p.use()
	p.w.fit(p)
}

// Bytes is what is accounted for the design.
func (p *Project) Bytes() int64 { return p.resident.bytes.Load() }

// Evicted tells what was let go of the design.
func (p *Project) Evicted() Level {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.level()
}

func (p *Project) level() Level {
	switch {
	case p.cur != nil || p.resident.outline == nil:
		return Resident
	case p.resident.without != nil:
		return Waves
	}
	return Whole
}

// Newest is the newest complete snapshot, or what is to be told of it when it was let go: its number, report, files and messages. nil
// before the first one.
func (p *Project) Newest() *Snapshot {
	p.mu.Lock()
	defer p.mu.Unlock()
	return cmp.Or(p.cur, p.resident.outline)
}

// base is what the next snapshot goes on from, nil when there is nothing; of lets be known what was let go of it.
func (p *Project) base() (from *Snapshot, of Level) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return cmp.Or(p.cur, p.resident.without), p.level()
}

// reloaded is how a level is told in project.Work.
func (l Level) reloaded() string {
	switch l {
	case Waves:
		return "waves"
	case Whole:
		return "design"
	}
	return ""
}

// account counts what the design holds.
func (p *Project) account() {
	p.mu.Lock()
	held := append([]*Snapshot{p.cur, p.resident.without}, p.recent...)
	p.resident.overlays = slices.DeleteFunc(p.resident.overlays, func(w weak.Pointer[Overlay]) bool {
		o := w.Value()
		if o != nil {
			held = append(held, o.snapshots()...)
		}
		return o == nil
	})
	p.mu.Unlock()
	var t footprint.Tally
	for _, s := range held {
		if s != nil {
			s.footprint(&t)
		}
	}
	p.resident.bytes.Store(t.Bytes())
}

func (s *Snapshot) footprint(t *footprint.Tally) {
	s.Session.Footprint(t)
	if o := s.memo.index.order.Load(); o != nil {
		footprint.Slice(t, o.nets)
		footprint.Slice(t, o.rank)
	}
}

// fit counts a design, nil for none, and lets go what is over the budget: last of designs that somebody follows, and nothing but older
// snapshots of the one that was asked last.
func (w *Workspace) fit(p *Project) {
	b := &w.budget
	b.mu.Lock()
	defer b.mu.Unlock()
	if p != nil {
		p.account()
	}
	limit := b.limit.Load()
	if limit == 0 || w.sum() <= limit {
		return
	}
	ps := w.all()
	used := make(map[*Project]int64, len(ps)) // as of now
	for _, p := range ps {
		used[p] = p.resident.used.Load()
	}
	slices.SortFunc(ps, func(x, y *Project) int { return cmp.Compare(used[x], used[y]) })
	for _, p := range ps {
		for w.sum() > limit && w.evict(p, Older) {
		}
	}
	var others, followed []*Project
	for _, p := range ps[:max(0, len(ps)-1)] {
		if w.hooks.Followed != nil && w.hooks.Followed(p) {
			followed = append(followed, p)
		} else {
			others = append(others, p)
		}
	}
	for _, ps := range [][]*Project{others, followed} {
		for level := Waves; level <= Whole; level++ {
			for _, p := range ps {
				if w.sum() > limit {
					w.evict(p, level)
				}
			}
		}
	}
}

func (w *Workspace) sum() (n int64) {
	for _, p := range w.all() {
		n += p.resident.bytes.Load()
	}
	return n
}

// evict lets something of a design go; false when there is nothing to let go.
func (w *Workspace) evict(p *Project, level Level) bool {
	if !p.letGo(level) {
		return false
	}
	before := p.resident.bytes.Load()
	p.account()
	if level != Older {
		w.budget.evictions.Add(1)
	}
	if w.hooks.Evicted != nil {
		w.hooks.Evicted(Eviction{p, level, before - p.resident.bytes.Load(), w.sum()})
	}
	return true
}

func (p *Project) letGo(level Level) bool {
	if s := p.Current(); s != nil && level != Older {
		s.Report() // of what there is; it stays
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	r := &p.resident
	switch level {
	case Older:
		if len(p.recent) == 0 {
			return false
		}
		p.recent = slices.Delete(p.recent, 0, 1)
		return true
	case Waves:
		if p.cur == nil || p.cur.Session.Result == nil || p.pinned(p.cur) {
			return false
		}
		r.outline = p.cur.outline()
		r.without = p.cur.with(p.cur.Session.WithoutWaves())
		r.without.memo = &memo{index: p.cur.memo.index, line: p.cur.memo.line}
		p.cur = nil
		return true
	default:
		if p.cur == nil && r.without == nil || p.cur != nil && p.pinned(p.cur) {
			return false
		}
		if p.cur != nil {
			r.outline = p.cur.outline()
		}
		p.cur, r.without = nil, nil
		return true
	}
}

// pinned says whether an overlay lies on a snapshot, so that nothing would be free without it.
func (p *Project) pinned(s *Snapshot) bool {
	for _, w := range p.resident.overlays {
		if o := w.Value(); o != nil && o.base.Session == s.Session {
			return true
		}
	}
	return false
}

// outline is what Newest tells of a snapshot that was let go. Its report is made.
func (s *Snapshot) outline() *Snapshot {
	o := s.with(s.Session.Outline())
	o.memo = &memo{line: s.memo.line, reportMade: s.Report()}
	o.memo.report.Do(func() {})
	return o
}

func (s *Snapshot) with(x *project.Session) *Snapshot {
	c := *s
	c.Session = x
	return &c
}

// snapshots lists what an overlay holds.
func (o *Overlay) snapshots() []*Snapshot {
	o.mu.Lock()
	defer o.mu.Unlock()
	list := []*Snapshot{o.base}
	for i := range o.stack {
		list = append(list, o.stack[i].snap)
	}
	return list
}

// Discard says that nobody asks for the overlay any more, so that the budget need not count it.
func (o *Overlay) Discard() {
	p := o.p
	p.mu.Lock()
	p.resident.overlays = slices.DeleteFunc(p.resident.overlays, func(w weak.Pointer[Overlay]) bool { return w.Value() == o })
	p.mu.Unlock()
	p.w.fit(p)
}
