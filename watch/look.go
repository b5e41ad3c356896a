package watch

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/wattd/wattd/internal/source"
)

// system is what a watcher asks of the operating system.
type system struct {
	look  func(path string) look
	probe func(path string, remote bool) (ID, error)
	// notify starts events into h. An error means there are none.
	notify func(h *hints) (notifier, error)
}

// notifier watches directories, not what is below them.
type notifier interface {
	add(dir string) error
	remove(dir string)
	close()
}

func realSystem() system { return system{look: lookAt, probe: source.Probe, notify: notify} }

// look is all that is found out about a path at one time.
type look struct {
	id    ID
	err   error
	route []string // every path whose change may lead elsewhere: directories, symlinks, their targets, the file
	kind  kind     // the least trusted file system on the route
	where string   // its name
}

// maxLinks is what the kernel follows, too.
const maxLinks = 40

// lookAt follows the path step by step, as the kernel does, and then opens it. A step that does not exist ends the route:
// when it appears, the look is repeated.
func lookAt(path string) look {
	var l look
	steps, at, links := split(path), filepath.VolumeName(path)+string(filepath.Separator), 0
	l.kind, l.where = fileSystem(at)
	seen := map[string]bool{}
	for len(steps) > 0 {
		step := steps[0]
		steps = steps[1:]
		switch step {
		case "", ".":
			continue
		case "..":
			at = filepath.Dir(at)
			continue
		}
		next := filepath.Join(at, step)
		if !seen[next] {
			seen[next] = true
			l.route = append(l.route, next)
		}
		info, err := os.Lstat(next)
		if err != nil {
			break // the probe below says why
		}
		switch {
		case info.Mode()&fs.ModeSymlink != 0:
			target, err := os.Readlink(next)
			if links++; err != nil || links > maxLinks {
				steps = nil
				continue
			}
			if filepath.IsAbs(target) {
				at = filepath.VolumeName(target) + string(filepath.Separator)
			}
			steps = append(split(target), steps...)
		case info.IsDir():
			at = next
			if kind, where := fileSystem(at); kind > l.kind {
				l.kind, l.where = kind, where
			}
		default:
			steps = nil // a file; steps beyond it lead nowhere
		}
	}
	l.id, l.err = source.Probe(path, l.kind == poll)
	return l
}

func split(path string) []string {
	return strings.Split(strings.TrimPrefix(filepath.ToSlash(path), filepath.ToSlash(filepath.VolumeName(path))), "/")
}
