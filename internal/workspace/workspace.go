// Package workspace holds open designs as immutable snapshots and makes a new one when their files change.
//
// Contract: a Snapshot never changes and may be read from any goroutine for as long as it is referenced; an explicit query goes
// through Refresh, which compares every input with what was read before it answers, so an answer never rests on old files. What a
// change did not touch is taken over from the snapshot before (package project). A snapshot whose files are wrong does not replace the
// last complete one: Refresh then returns an *InputError. Nothing is printed and no file is written here.
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

// Errors of a workspace.
var (
	// ErrUnknown: no design of that name is open. List tells which are.
	ErrUnknown = errors.New("workspace: no such design")
	// ErrAmbiguous: several designs are open and none was named.
	ErrAmbiguous = errors.New("workspace: several designs are open; name one")
	// ErrTaken: the name is in use for a design of other files.
	ErrTaken = errors.New("workspace: the name is taken by another design")
	// ErrGone: the snapshot is no longer held. Ask for the newest.
	ErrGone = errors.New("workspace: the snapshot is no longer held")
)

// InputError says that the files of a design are wrong; Bag has the messages.
type InputError struct {
	Bag *diag.Bag
}

func (e *InputError) Error() string {
	for _, t := range e.Bag.Totals() {
		if k := e.Bag.Kept(t.Code); t.Severity == diag.Error && len(k) > 0 {
			return fmt.Sprintf("%d errors in the inputs; the first: %s", e.Bag.Errors(), k[0].Msg)
		}
	}
	return "the inputs have errors"
}

// Workspace is a set of open designs.
type Workspace struct {
	notify   func(p *Project, before, s *Snapshot)
	building func(context.Context) // tests wait in it; nil
	hooks    Hooks
	budget   budget
	store    *Store // nil: designs end with the process

	mu       sync.Mutex
	projects map[string]*Project
	opening  []*Project
}

// New makes an empty workspace. notify, when not nil, is called after each new snapshot, from the goroutine that made it, with the
// one that it replaced, nil for the first. It must not ask the project for a newer one.
func New(notify func(p *Project, before, s *Snapshot)) *Workspace {
	return &Workspace{projects: map[string]*Project{}, notify: notify}
}

// Progress tells how far a step is; done and total are in units of the step's own.
type Progress = project.Progress

// Hooks tell of more than snapshots. Each may be nil; none may ask the project for a newer snapshot.
type Hooks struct {
	// Faulty is called when the newest files of a design are wrong, from the goroutine that found it.
	Faulty func(p *Project, bag *diag.Bag)
	// Making is called when a snapshot begins to be made, and gives what is called as it goes on, nil for nothing, and when it ended.
	Making func(p *Project) (progress Progress, ended func(error))
	// Evicted is called when memory was let go for the budget, and Followed to ask whether somebody waits to hear of a design: such
	// ones are let go last. Neither may ask the workspace for anything.
	Evicted  func(Eviction)
	Followed func(p *Project) bool
}

// SetHooks must be called before a design is opened.
func (w *Workspace) SetHooks(h Hooks) { w.hooks = h }

// SetStore must be called before a design is opened. Whoever opened the store closes it, after the last request.
func (w *Workspace) SetStore(s *Store) { w.store = s }

// Open reads and compiles a design and simulates its stimulus when it has one. name "" takes that of the top module. Opening the same
// choice under the same name again returns the design that is open, refreshed; made tells whether work was done.
func (w *Workspace) Open(ctx context.Context, name string, c Choice, progress project.Progress) (p *Project, s *Snapshot, made bool, err error) {
	if c.File != "" {
		if c.File, err = filepath.Abs(c.File); err != nil {
			return nil, nil, false, err
		}
	}
	if err := absolute(&c.Over); err != nil {
		return nil, nil, false, err
	}
	for {
		p, mine := w.claim(name, c)
		if mine {
			s, err := w.first(ctx, p, name, progress)
			return p, s, true, err
		}
		select {
		case <-p.opened:
		case <-ctx.Done():
			return nil, nil, false, ctx.Err()
		}
		if p.failed { // of another client, whose request may have been cancelled: try ourselves
			continue
		}
		p.recipe.env.adopt(c.Around)
		s, made, err := p.Refresh(ctx, 0)
		return p, s, made, err
	}
}

// claim finds the design of a choice, open or being opened, or enters a new one that the caller opens.
func (w *Workspace) claim(name string, c Choice) (p *Project, mine bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if p := w.same(name, &c); p != nil {
		return p, false
	}
	p = &Project{w: w, wanted: name, recipe: newRecipe(c), building: make(chan struct{}, 1), opened: make(chan struct{}), held: map[int64]weak.Pointer[Snapshot]{}, left: map[string]bool{}}
	w.opening = append(w.opening, p)
	return p, true
}

// first makes the first snapshot of a design and enters it under its name.
func (w *Workspace) first(ctx context.Context, p *Project, name string, progress project.Progress) (s *Snapshot, err error) {
	defer func() {
		w.mu.Lock()
		w.opening = slices.DeleteFunc(w.opening, func(o *Project) bool { return o == p })
		p.failed = err != nil
		w.mu.Unlock()
		close(p.opened)
	}()
	p.progress = progress
	s, _, err = p.Refresh(ctx, 0)
	p.progress = nil
	if err != nil {
		return nil, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if name == "" {
		name = s.Session.Top()
	}
	if w.projects[name] != nil {
		return nil, fmt.Errorf("%w: %s", ErrTaken, name)
	}
	p.name = name
	w.projects[name] = p
	return s, nil
}

// same finds a design of the same choice, under that name if one is given.
func (w *Workspace) same(name string, c *Choice) *Project {
	for _, p := range w.opening {
		if name == p.wanted && p.recipe.fits(c) {
			return p
		}
	}
	for n, p := range w.projects {
		if (name == "" || name == n) && p.recipe.fits(c) {
			return p
		}
	}
	return nil
}

// Get finds a design; the name may be empty when only one is open.
func (w *Workspace) Get(name string) (*Project, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if name == "" {
		switch len(w.projects) {
		case 0:
			return nil, ErrUnknown
		case 1:
			for _, p := range w.projects {
				return p, nil
			}
		}
		return nil, ErrAmbiguous
	}
	if p := w.projects[name]; p != nil {
		return p, nil
	}
	return nil, fmt.Errorf("%w: %s", ErrUnknown, name)
}

// List returns the open designs by name.
func (w *Workspace) List() []*Project {
	w.mu.Lock()
	defer w.mu.Unlock()
	var ps []*Project
	for _, p := range w.projects {
		ps = append(ps, p)
	}
	slices.SortFunc(ps, func(a, b *Project) int { return cmp.Compare(a.name, b.name) })
	return ps
}

// Close lets a design go. Snapshots that are referenced stay readable.
func (w *Workspace) Close(name string) error {
	p, err := w.Get(name)
	if err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.projects, p.name)
	return nil
}

// Confirm says that files were written and that those which belong together are complete now. It returns the designs that use one of
// them and the paths that none uses.
func (w *Workspace) Confirm(paths []string) (used []*Project, unused []string) {
	for _, path := range paths {
		abs, err := filepath.Abs(path)
		if err != nil {
			abs = path
		}
		found := false
		for _, p := range w.List() {
			if p.confirm(abs) {
				found = true
				if !slices.Contains(used, p) {
					used = append(used, p)
				}
			}
		}
		if !found {
			unused = append(unused, path)
		}
	}
	return used, unused
}

// Snapshot is a version of a design with its simulation. It never changes.
type Snapshot struct {
	N       int64            // counts from 1
	Session *project.Session // read only
	Made    time.Time
	// Mixed lists the files that did not change although others of their set (netlists and delays) did.
	Mixed []string

	checked func() time.Time
	memo    *memo
	style   Style // of names in answers
}

// Checked is when the files were last compared with the snapshot.
func (s *Snapshot) Checked() time.Time { return s.checked() }
