package workspace

import (
	"cmp"
	"maps"
	"sync"

	"github.com/wattd/wattd/internal/project"
)

// Around is what surrounds a client: what a wattd.toml and file lists say is meant by who opens them. Nothing is taken from the process
// that holds the design.
type Around struct {
	Dir string            // working folder, absolute; file lists may be relative to it
	Env map[string]string // variables that files may name
}

// environment is that of a design. It remembers which variables the files have named, because only these tell two clients apart.
type environment struct {
	Around
	mu    sync.Mutex
	named map[string]bool
}

// newEnvironment copies what it is given. Without a working folder it is the root, never that of the server.
func newEnvironment(a Around) *environment {
	e := &environment{Around: Around{Dir: cmp.Or(a.Dir, "/"), Env: map[string]string{}}, named: map[string]bool{}}
	maps.Copy(e.Env, a.Env)
	return e
}

func (e *environment) lookup(name string) (string, bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.named[name] = true
	v, ok := e.Env[name]
	return v, ok
}

// fits says whether the files mean the same to another client. lists: there are file lists.
func (e *environment) fits(a Around, lists bool) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	for name := range e.named {
		v, ok := e.Env[name]
		if w, have := a.Env[name]; ok && (!have || v != w) {
			return false
		}
	}
	return !lists || cmp.Or(a.Dir, "/") == e.Dir
}

// values are those of the variables that the files have named; nil for one that is not set.
func (e *environment) values() map[string]*string {
	e.mu.Lock()
	defer e.mu.Unlock()
	named := map[string]*string{}
	for name := range e.named {
		named[name] = nil
		if v, ok := e.Env[name]; ok {
			named[name] = &v
		}
	}
	return named
}

// agrees says whether variables have these values.
func (e *environment) agrees(named map[string]*string) bool {
	for name, want := range named {
		if v, ok := e.lookup(name); ok != (want != nil) || ok && v != *want {
			return false
		}
	}
	return true
}

func (e *environment) forProject() project.Around {
	return project.Around{Dir: e.Dir, Lookup: e.lookup}
}

// adopt takes the values of variables that no file has named so far, or that were not set, from who opens the design again.
func (e *environment) adopt(a Around) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for name, v := range a.Env {
		if _, ok := e.Env[name]; !ok || !e.named[name] {
			e.Env[name] = v
		}
	}
}
