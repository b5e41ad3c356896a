package watch

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Looks run in goroutines, because a file server may not answer; so many at once, and apart, so that a dead server does
// not hold up local files.
const (
	localSlots  = 8
	remoteSlots = 16
)

// loop owns all state of a watcher but what hints and Watcher.state share. It makes no system call but to add and remove
// watches of local directories.
type loop struct {
	w      *Watcher
	events notifier // nil: none
	noWhy  string   // why there are none

	files   map[string]*file
	byRoute map[string]map[*file]bool
	dirs    map[string]*dir
	pace    int // counts looks and watches, to know which came first

	found   chan result
	running [2]int // looks under way, of local and of remote files
	waiting []*file
	sets    []setting

	pollEvery          time.Duration
	nextPoll, nextSafe time.Time

	ready, unready map[string]bool // gathered for the next report
	rescan         bool
	readySince     time.Time
	out            Change
	overflows      uint64
}

type file struct {
	path    string
	s       settling
	route   []string
	kind    kind
	where   string
	why     string // its directories cannot all be watched
	busy    bool   // a look is under way
	queued  bool   // a look is waiting for a slot, or for the one under way
	missed  bool   // a sign came while a look was under way, which may have been too early for it
	removed bool
}

func (f *file) slot() int {
	if f.s.known && f.kind != poll {
		return 0
	}
	return 1
}

func (f *file) polled() bool { return f.kind != events || f.why != "" }

// dir is a watched directory, or one that could not be.
type dir struct {
	added int // by pace
	err   error
}

type result struct {
	f        *file
	l        look
	began    time.Time
	pace     int
	slot     int
	complete bool
}

func newLoop(w *Watcher) *loop {
	l := &loop{
		w: w, files: map[string]*file{}, byRoute: map[string]map[*file]bool{}, dirs: map[string]*dir{}, found: make(chan result),
		pollEvery: w.opt.PollMin, ready: map[string]bool{}, unready: map[string]bool{},
	}
	var err error
	if l.events, err = w.opt.system.notify(w.hints); err != nil {
		l.events, l.noWhy = nil, err.Error()
		w.opt.Log.Warn("watch: files are polled", "why", err)
	}
	now := time.Now()
	l.nextPoll, l.nextSafe = now.Add(l.pollEvery), now.Add(w.opt.PollMax)
	return l
}

func (l *loop) run() {
	defer close(l.w.done)
	defer close(l.w.events)
	if l.events != nil {
		defer l.events.close()
	}
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		now := time.Now()
		l.dueNow(now)
		l.report(now)
		l.start(now)
		timer.Reset(max(0, l.next().Sub(now)))
		var out chan<- Change
		if !l.out.empty() {
			out = l.w.events
		}
		select {
		case out <- l.out:
			l.out = Change{}
		case <-timer.C:
		case <-l.w.hints.wake:
			l.take()
		case s := <-l.w.sets:
			l.set(s)
		case r := <-l.found:
			l.take() // signs that came before the result count as such
			l.saw(r)
		case ask := <-l.w.asks:
			ask <- l.status()
		case <-l.w.quit:
			return
		}
	}
}

// next is when something is to be done without a cause from outside.
func (l *loop) next() time.Time {
	at := l.nextSafe
	sooner := func(t time.Time) {
		if !t.IsZero() && t.Before(at) {
			at = t
		}
	}
	for _, f := range l.files {
		if f.polled() {
			sooner(l.nextPoll)
		}
		if !f.queued && !f.busy {
			sooner(f.s.due())
		}
	}
	if l.gathered() {
		sooner(l.readySince.Add(l.w.opt.MaxSettle))
	}
	return at
}

// dueNow queues the looks whose time has come.
func (l *loop) dueNow(now time.Time) {
	safe, polls := !now.Before(l.nextSafe), !now.Before(l.nextPoll)
	for _, f := range l.files {
		due := f.s.due()
		if safe || polls && f.polled() || !f.busy && !due.IsZero() && !now.Before(due) {
			l.queue(f)
		}
	}
	if safe {
		l.nextSafe = now.Add(l.w.opt.PollMax)
	}
	if polls {
		l.pollEvery = min(2*l.pollEvery, l.w.opt.PollMax)
		l.nextPoll = now.Add(l.pollEvery)
	}
}

// hurry makes polling quick again.
func (l *loop) hurry(now time.Time) {
	l.pollEvery = l.w.opt.PollMin
	if soon := now.Add(l.pollEvery); soon.Before(l.nextPoll) {
		l.nextPoll = soon
	}
}

func (l *loop) queue(f *file) {
	if !f.queued {
		f.queued = true
		l.waiting = append(l.waiting, f)
	}
}

// start begins the looks for which there are slots.
func (l *loop) start(now time.Time) {
	limit := [2]int{localSlots, remoteSlots}
	rest := l.waiting[:0]
	for _, f := range l.waiting {
		slot := f.slot()
		switch {
		case f.removed:
			continue
		case f.busy || l.running[slot] >= limit[slot]:
			rest = append(rest, f)
			continue
		}
		f.queued, f.busy = false, true
		l.running[slot]++
		l.pace++
		r := result{f: f, began: now, pace: l.pace, slot: slot, complete: true}
		ending := f.s.ending(now)
		l.w.looks.Go(func() {
			r.l = l.w.opt.system.look(f.path)
			if ending && r.l.id.Exists {
				r.complete = l.complete(f.path, r.l.id)
			}
			select {
			case l.found <- r:
			case <-l.w.done:
			}
		})
	}
	clear(l.waiting[len(rest):])
	l.waiting = rest
}

func (l *loop) complete(path string, id ID) bool {
	if l.w.opt.Complete == nil {
		return id.Size > 0
	}
	return l.w.opt.Complete(path)
}

// take turns hints into looks.
func (l *loop) take() {
	now := time.Now()
	pending, lost := l.w.hints.take()
	for path, moved := range pending {
		if moved {
			l.forget(path)
		}
		for f := range l.byRoute[path] {
			l.touch(f, now)
		}
		if f := l.files[path]; f != nil && !l.byRoute[path][f] { // a question about it found a change
			l.touch(f, now)
		}
	}
	if lost {
		l.overflows++
		if !l.gathered() {
			l.readySince = now
		}
		l.rescan = true
		l.w.opt.Log.Info("watch: events were lost, all files are looked at")
		// Watches may be gone with the events that said so.
		for d := range l.dirs {
			l.unwatch(d)
		}
		for _, f := range l.files {
			l.touch(f, now)
			l.queue(f)
		}
	}
}

func (l *loop) touch(f *file, now time.Time) {
	if f.polled() {
		l.hurry(now)
	}
	f.s.touch(now)
	f.missed = f.busy
	l.publish(f)
}

// forget ends the watches of a directory that was moved or removed, and of those below: they follow the old one.
func (l *loop) forget(path string) {
	below := path + string(filepath.Separator)
	for d := range l.dirs {
		if d == path || strings.HasPrefix(d, below) {
			l.unwatch(d)
		}
	}
}

func (l *loop) unwatch(d string) {
	if l.events != nil && l.dirs[d].err == nil {
		l.events.remove(d)
	}
	delete(l.dirs, d)
}

// set replaces the watched files.
func (l *loop) set(s setting) {
	keep := map[string]bool{}
	for _, p := range s.paths {
		keep[p] = true
		if l.files[p] == nil {
			f := &file{path: p, kind: poll, s: settling{settle: l.w.opt.Settle, max: l.w.opt.MaxSettle}}
			l.files[p] = f
			l.queue(f)
		}
	}
	for p, f := range l.files {
		if keep[p] {
			continue
		}
		f.removed = true
		delete(l.files, p)
		delete(l.ready, p)
		delete(l.unready, p)
		l.reroute(f, nil)
		l.w.mu.Lock()
		delete(l.w.state, p)
		l.w.mu.Unlock()
	}
	l.tidy()
	l.hurry(time.Now())
	for _, p := range s.paths {
		l.publish(l.files[p])
	}
	l.sets = append(l.sets, s)
	l.answerSets()
}

// answerSets tells those that wait in Set.
func (l *loop) answerSets() {
	l.sets = slices.DeleteFunc(l.sets, func(s setting) bool {
		for _, p := range s.paths {
			if f := l.files[p]; f != nil && !f.s.known { // one that was taken out meanwhile is waited for no longer
				return false
			}
		}
		close(s.ready)
		return true
	})
}

// saw takes the result of a look.
func (l *loop) saw(r result) {
	f := r.f
	f.busy = false
	l.running[r.slot]--
	if f.removed {
		return
	}
	f.kind, f.where = r.l.kind, r.l.where
	l.reroute(f, r.l.route)
	again := l.watch(f, r.pace)
	was := f.s.dirty
	o := f.s.seen(r.began, r.l.id, r.complete)
	again = again || f.missed
	f.missed = false
	if f.polled() && (f.s.dirty && !was || o == changed) {
		l.hurry(r.began)
	}
	switch o {
	case changed:
		l.gather(l.ready, f.path, r.began)
		delete(l.unready, f.path)
	case incomplete:
		l.gather(l.unready, f.path, r.began)
	}
	if again {
		l.queue(f) // something may have happened that this look did not see
	}
	l.publish(f)
	l.answerSets()
}

func (l *loop) gather(into map[string]bool, path string, now time.Time) {
	if !l.gathered() {
		l.readySince = now
	}
	into[path] = true
}

func (l *loop) gathered() bool { return len(l.ready) > 0 || len(l.unready) > 0 || l.rescan }

// report hands over what has gathered, once no other file is about to join it.
func (l *loop) report(now time.Time) {
	if !l.gathered() {
		return
	}
	if now.Sub(l.readySince) < l.w.opt.MaxSettle {
		for _, f := range l.files {
			if f.s.holdsUp() {
				return
			}
		}
	}
	join := func(to []string, from map[string]bool) []string {
		to = slices.AppendSeq(to, maps.Keys(from))
		slices.Sort(to)
		return slices.Compact(to)
	}
	l.out.Paths = join(l.out.Paths, l.ready)
	l.out.Incomplete = slices.DeleteFunc(join(l.out.Incomplete, l.unready), func(p string) bool { return l.ready[p] })
	l.out.Rescan = l.out.Rescan || l.rescan
	clear(l.ready)
	clear(l.unready)
	l.rescan = false
}

// publish lets Barrier know the state of a file.
func (l *loop) publish(f *file) {
	l.w.mu.Lock()
	defer l.w.mu.Unlock()
	l.w.state[f.path] = state{id: f.s.reported, local: f.s.known && f.kind != poll, settling: f.s.dirty}
}

func (l *loop) status() Status {
	st := Status{
		Files: len(l.files), Events: l.w.hints.count(), Overflows: l.overflows, NoEvents: l.noWhy, PollEvery: l.pollEvery,
		Looking: l.running[0] + l.running[1],
	}
	for _, d := range slices.Sorted(maps.Keys(l.dirs)) {
		if l.dirs[d].err == nil {
			st.Watched = append(st.Watched, d)
		}
	}
	for _, p := range slices.Sorted(maps.Keys(l.files)) {
		if f := l.files[p]; f.polled() {
			why := f.why
			if f.kind != events {
				why = "it is on " + f.where
			}
			st.Polled = append(st.Polled, Polled{p, why})
		}
	}
	return st
}
