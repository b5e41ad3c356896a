package project

import (
	"bufio"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/wattd/wattd/internal/diag"
)

// fileList is a list of netlist files as Verilog tools read it with -f.
type fileList struct {
	files   []string
	incdirs []string
	defines map[string]string
	bag     *diag.Bag
}

// maxFileList bounds the nesting of file lists, so that one that names itself ends.
const maxFileList = 16

func (l *fileList) read(path string, depth int) {
	if depth > maxFileList {
		l.bag.Add(diag.ProjFileList, diag.Pos{File: path}, "file lists nested more than %d deep", maxFileList)
		return
	}
	f, err := os.Open(path)
	if err != nil {
		l.bag.Add(diag.ProjFile, diag.Pos{File: path}, "file list: %v", errors.Unwrap(err))
		return
	}
	defer f.Close()
	sc := bufio.NewScanner(f)
	sc.Buffer(nil, 1<<20)
	comment := false
	var pending string // option that waits for its argument
	for line := 1; sc.Scan(); line++ {
		pos := diag.Pos{File: path, Line: line}
		for _, w := range strings.Fields(stripComments(sc.Text(), &comment)) {
			if pending == "" && (w == "-f" || w == "-F" || w == "-v" || w == "-y") {
				pending = w
				continue
			}
			l.word(pending, w, pos, depth)
			pending = ""
		}
	}
	if err := sc.Err(); err != nil {
		l.bag.Add(diag.ProjFileList, diag.Pos{File: path}, "%v", err)
	}
	if pending != "" {
		l.bag.Add(diag.ProjFileList, diag.Pos{File: path}, "%s at the end has no argument", pending)
	}
}

// word takes one word of the list, which may be the argument of an option.
func (l *fileList) word(option, w string, pos diag.Pos, depth int) {
	switch {
	case option == "-f" || option == "-F":
		l.read(l.resolve(w, pos), depth+1)
	case option == "-y":
		l.library(l.resolve(w, pos), pos)
	case option == "-v":
		l.files = append(l.files, l.resolve(w, pos))
	case strings.HasPrefix(w, "+incdir+"):
		for _, d := range strings.Split(w[len("+incdir+"):], "+") {
			l.incdirs = append(l.incdirs, l.resolve(d, pos))
		}
	case strings.HasPrefix(w, "+define+"):
		for _, d := range strings.Split(w[len("+define+"):], "+") {
			name, v, _ := strings.Cut(d, "=")
			l.defines[name] = v
		}
	case strings.HasPrefix(w, "+libext+"), w == "-sv":
		// nothing that a netlist depends on
	case strings.HasPrefix(w, "-") || strings.HasPrefix(w, "+"):
		l.bag.Add(diag.ProjFileList, pos, "%q is not understood", w)
	default:
		l.files = append(l.files, l.resolve(w, pos))
	}
}

// resolve finds a path of the list: as tools do from the working folder, else beside the list, so that a list can be moved
// with its files.
func (l *fileList) resolve(p string, pos diag.Pos) string {
	p = expand(p, func(name string) {
		l.bag.Add(diag.ProjFileList, pos, "$%s is not set in the environment", name)
	})
	if filepath.IsAbs(p) {
		return p
	}
	if _, err := os.Stat(p); err == nil {
		return p
	}
	return filepath.Join(filepath.Dir(pos.File), p)
}

// library adds the Verilog files of a folder.
func (l *fileList) library(dir string, pos diag.Pos) {
	es, err := os.ReadDir(dir)
	if err != nil {
		l.bag.Add(diag.ProjFileList, pos, "-y: %v", err)
		return
	}
	for _, e := range es {
		if n := e.Name(); strings.HasSuffix(n, ".v") || strings.HasSuffix(n, ".vg") || strings.HasSuffix(n, ".gv") {
			l.files = append(l.files, filepath.Join(dir, n))
		}
	}
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
