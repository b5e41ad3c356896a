package watch

import (
	"path/filepath"
	"slices"
)

// reroute makes the loop listen to the names on the route of a file, and no longer to those of its old one.
func (l *loop) reroute(f *file, route []string) {
	if slices.Equal(f.route, route) {
		return
	}
	for _, p := range f.route {
		delete(l.byRoute[p], f)
		if len(l.byRoute[p]) == 0 {
			delete(l.byRoute, p)
			if !slices.Contains(route, p) {
				l.w.hints.want(p, false)
			}
		}
	}
	for _, p := range route {
		if l.byRoute[p] == nil {
			l.byRoute[p] = map[*file]bool{}
			l.w.hints.want(p, true)
		}
		l.byRoute[p][f] = true
	}
	f.route = route
	if !f.removed {
		l.tidy()
	}
}

// watch adds the watches that the file needs and says whether it is to be looked at again, because one of them is younger
// than the look.
func (l *loop) watch(f *file, looked int) (again bool) {
	f.why = ""
	if l.events == nil {
		f.why = "there are no events: " + l.noWhy
		return false
	}
	if f.kind == poll {
		return false // a call may hang, and events would not tell all
	}
	for _, p := range f.route {
		name := filepath.Dir(p)
		d := l.dirs[name]
		if d == nil || d.err != nil { // limits may have been raised, the directory may be there again
			l.pace++
			d = &dir{added: l.pace, err: l.events.add(name)}
			l.dirs[name] = d
		}
		if d.err != nil {
			f.why = "its directory cannot be watched: " + d.err.Error()
			continue
		}
		again = again || d.added > looked
	}
	return again
}

// tidy ends the watches that no file needs.
func (l *loop) tidy() {
	needed := map[string]bool{}
	for p := range l.byRoute {
		needed[filepath.Dir(p)] = true
	}
	for d := range l.dirs {
		if !needed[d] {
			l.unwatch(d)
		}
	}
}
