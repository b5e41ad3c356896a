package project

import (
	"bufio"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/wattd/wattd/internal/diag"
	"github.com/wattd/wattd/internal/format/verilog"
	"github.com/wattd/wattd/internal/source"
)

// fileList is a list of netlist files as Verilog tools read it with -f.
type fileList struct {
	around  Around
	files   []listed
	incdirs []string
	defines map[string]string
	open    func(path string) (*source.File, error)
	bag     *diag.Bag
}

// listed is a netlist to read.
type listed struct {
	path    string
	library bool // of -v or -y: its modules count only where something instantiates them
}

// Bounds of file lists: of the nesting, so that one that names itself ends, and of a line.
const (
	maxFileList = 16
	maxListLine = 1 << 20
	// after so many errors the file is something else
	maxListErrors = 100
)

// read reads one list; the error is that of a cancelled context.
func (l *fileList) read(path string, depth int) error {
	if depth > maxFileList {
		l.bag.Add(diag.ProjFileList, diag.Pos{File: path}, "file lists nested more than %d deep", maxFileList)
		return nil
	}
	f, err := l.open(path)
	if err != nil {
		l.bag.Add(diag.ProjFile, diag.Pos{File: path}, "file list: %v", plain(err))
		return nil
	}
	defer f.Close()
	switch k := f.Kind(); {
	case k == source.Unknown, k == source.SDC, k == source.CSV: // words can look like these
	case k == source.Verilog:
		l.bag.Add(diag.SourceWrongKind, diag.Pos{File: path}, "a file list is wanted here, but this is a Verilog file; give it with --netlist")
		return nil
	case k.Supported():
		l.bag.Add(diag.SourceWrongKind, diag.Pos{File: path}, "a file list is wanted here, but this is another kind: %s", k)
		return nil
	default:
		f.Expect(source.Verilog, l.bag) // says what it is
		return nil
	}
	sc := bufio.NewScanner(f)
	sc.Buffer(nil, maxListLine)
	comment := false
	var pending string // option that waits for its argument
	line := 0
	for sc.Scan() {
		line++
		pos := diag.Pos{File: path, Line: line}
		text := sc.Text()
		if line == 1 {
			text = strings.TrimPrefix(text, "\ufeff")
		}
		if strings.IndexByte(text, 0) >= 0 {
			l.bag.Add(diag.ProjFileList, pos, "binary data: this is no file list")
			return nil
		}
		for _, w := range strings.Fields(stripComments(text, &comment)) {
			if pending == "" && (w == "-f" || w == "-F" || w == "-v" || w == "-y") {
				pending = w
				continue
			}
			if err := l.word(pending, w, pos, depth); err != nil {
				return err
			}
			pending = ""
		}
		if l.bag.Errors() > maxListErrors {
			return nil
		}
	}
	switch err := sc.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		l.bag.Add(diag.ProjFileList, diag.Pos{File: path, Line: line + 1}, "a line of over %d bytes: this is no file list", maxListLine)
	case errors.Is(err, source.ErrDamaged): // told by the source
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case err != nil:
		l.bag.Add(diag.ProjFileList, diag.Pos{File: path, Line: line}, "%v", plain(err))
	}
	if pending != "" {
		l.bag.Add(diag.ProjFileList, diag.Pos{File: path, Line: line}, "%s at the end has no argument", pending)
	}
	return nil
}

// word takes one word of the list, which may be the argument of an option.
func (l *fileList) word(option, w string, pos diag.Pos, depth int) error {
	switch {
	case option == "-f" || option == "-F":
		if p, ok := l.resolve(w, pos); ok {
			return l.read(p, depth+1)
		}
	case option == "-y":
		if p, ok := l.resolve(w, pos); ok {
			l.folder(p, pos)
		}
	case option == "-v":
		l.file(w, pos, true)
	case strings.HasPrefix(w, "+incdir+"):
		for _, d := range strings.Split(w[len("+incdir+"):], "+") {
			if p, ok := l.resolve(d, pos); ok {
				l.incdirs = append(l.incdirs, p)
			}
		}
	case strings.HasPrefix(w, "+define+"):
		for _, d := range strings.Split(w[len("+define+"):], "+") {
			name, v, _ := strings.Cut(d, "=")
			l.defines[name] = v
		}
	case strings.HasPrefix(w, "+libext+"), w == "-sv":
		// nothing that a netlist depends on
	case strings.HasPrefix(w, "-") || strings.HasPrefix(w, "+"):
		l.bag.Add(diag.ProjFileList, pos, "option %q is not understood", w)
	default:
		l.file(w, pos, false)
	}
	return nil
}

// file adds a netlist. One that is missing is told here, where the line is known that names it.
func (l *fileList) file(w string, pos diag.Pos, library bool) {
	p, ok := l.resolve(w, pos)
	if !ok {
		return
	}
	if _, err := os.Stat(p); err != nil {
		l.bag.Add(diag.ProjFileList, pos, "%s: %v", w, plain(err))
		return
	}
	l.files = append(l.files, listed{p, library})
}

// resolve finds a path of the list: as tools do from the working folder, else beside the list, so that a list can be moved
// with its files. It fails when a variable is not set.
func (l *fileList) resolve(p string, pos diag.Pos) (string, bool) {
	ok := true
	p = l.around.expand(p, func(name string) {
		l.bag.Add(diag.ProjFileList, pos, "$%s is not set in the environment", name)
		ok = false
	})
	if filepath.IsAbs(p) {
		return p, ok
	}
	here := p
	if l.around.Dir != "" {
		here = filepath.Join(l.around.Dir, p)
	}
	if _, err := os.Stat(here); err == nil {
		return here, ok
	}
	return filepath.Join(filepath.Dir(pos.File), p), ok
}

// folder adds the Verilog files of a folder.
func (l *fileList) folder(dir string, pos diag.Pos) {
	es, err := os.ReadDir(dir)
	if err != nil {
		l.bag.Add(diag.ProjFileList, pos, "-y %s: %v", dir, plain(err))
		return
	}
	for _, e := range es {
		if n := e.Name(); strings.HasSuffix(n, ".v") || strings.HasSuffix(n, ".vg") || strings.HasSuffix(n, ".gv") {
			l.files = append(l.files, listed{filepath.Join(dir, n), true})
		}
	}
}

// wanted picks the modules of libraries that the design instantiates, directly or through one another; of several with one
// name the first.
func wanted(design, library []*verilog.Module) []*verilog.Module {
	offered := map[int32]*verilog.Module{}
	for _, m := range library {
		if offered[m.Name] == nil {
			offered[m.Name] = m
		}
	}
	for _, m := range design {
		delete(offered, m.Name)
	}
	var out []*verilog.Module
	for todo := design; len(todo) > 0 && len(offered) > 0; {
		m := todo[0]
		todo = todo[1:]
		for i := range m.Insts {
			if lib := offered[m.Insts[i].Cell]; lib != nil {
				delete(offered, lib.Name)
				out, todo = append(out, lib), append(todo, lib)
			}
		}
	}
	return out
}

// stripComments removes // and /* */ comments and lines that begin with #; inside carries an open comment from line to line.
func stripComments(s string, inside *bool) string {
	var b strings.Builder
	for len(s) > 0 {
		if *inside {
			_, rest, ok := strings.Cut(s, "*/")
			if !ok {
				return b.String()
			}
			s, *inside = rest, false
			continue
		}
		if strings.HasPrefix(strings.TrimSpace(s), "#") && strings.TrimSpace(b.String()) == "" {
			return ""
		}
		i, j := strings.Index(s, "/*"), strings.Index(s, "//")
		switch {
		case j >= 0 && (i < 0 || j < i):
			return b.String() + s[:j]
		case i >= 0:
			b.WriteString(s[:i] + " ")
			s, *inside = s[i+2:], true
		default:
			return b.String() + s
		}
	}
	return b.String()
}
