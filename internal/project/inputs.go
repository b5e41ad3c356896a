package project

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/wattd/wattd/internal/diag"
	"github.com/wattd/wattd/internal/format/liberty"
	"github.com/wattd/wattd/internal/format/scan"
	"github.com/wattd/wattd/internal/format/verilog"
	"github.com/wattd/wattd/internal/source"
)

// FileInfo is an input as it was read.
type FileInfo struct {
	Role   string        `json:"role"`
	Path   string        `json:"path"`
	Hash   string        `json:"blake3"`
	Bytes  int64         `json:"bytes"` // decompressed
	Chunks int           `json:"chunks"`
	Time   time.Duration `json:"-"`

	stamp  fileStamp // of before it was read
	sum    source.Sum
	parsed int64 // bytes, by the session that has the file from the disk
}

// Progress tells how far a step is; done and total are in units of the step's own.
type Progress func(step string, done, total int64)

// read opens a file, checks what it is, and hands it to f; what was read goes into the report.
func (s *Session) read(ctx context.Context, role, path string, kind source.Kind, f func(r io.Reader) error) error {
	start := time.Now()
	before := s.stampOf(path)
	file, err := source.Open(ctx, path, s.Bag)
	if err != nil {
		return s.unreadable(role, path, err)
	}
	defer file.Close()
	stop := s.watch("read "+filepath.Base(path), file.Progress)
	defer stop()
	if !file.Expect(kind, s.Bag) {
		return nil
	}
	if err := f(file); err != nil {
		return s.unreadable(role, path, err)
	}
	sum, err := file.Sum()
	if err != nil {
		return s.unreadable(role, path, err)
	}
	s.note(role, path, sum, start, before)
	return nil
}

// unreadable turns a fault of the file into a diagnostic; cancellation stays an error.
func (s *Session) unreadable(role, path string, err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	if errors.Is(err, source.ErrDamaged) {
		return nil // told by the source
	}
	s.Bag.Add(diag.ProjFile, diag.Pos{File: path}, "%s file: %v", role, plain(err))
	return nil
}

// plain is an error of the operating system without the path, which the message names already.
func plain(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}

// splitMount splits FILE@INSTANCE at the last @ whose left side is an existing file.
func splitMount(s string) (file, mount string) {
	if _, err := os.Stat(s); err == nil {
		return s, ""
	}
	for i := strings.LastIndexByte(s, '@'); i > 0; i = strings.LastIndexByte(s[:i], '@') {
		if st, err := os.Stat(s[:i]); err == nil && !st.IsDir() {
			return s[:i], s[i+1:]
		}
	}
	return s, ""
}

// watch reports a file's progress a few times a second until the returned function is called.
func (s *Session) watch(step string, p func() (done, total int64)) (stop func()) {
	if s.progress == nil {
		return func() {}
	}
	quit, gone := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(gone)
		t := time.NewTicker(200 * time.Millisecond)
		defer t.Stop()
		for {
			select {
			case <-quit:
				return
			case <-t.C:
				done, total := p()
				s.progress(step, done, total)
			}
		}
	}()
	return func() { close(quit); <-gone }
}

// note records an input in the report, once however often it is read.
func (s *Session) note(role, path string, sum source.Sum, start time.Time, before fileStamp) {
	if s.wasRead(role, path) {
		return
	}
	f := fileInfo(role, path, sum, start, before)
	if !s.keep { // nobody compares later versions with it
		f.sum = source.Sum{}
	}
	s.Files = append(s.Files, f)
}

// stampOf stamps a file for a session that others may continue; a pipe must not be opened twice, so others do not ask.
func (s *Session) stampOf(path string) fileStamp {
	if !s.keep {
		return fileStamp{}
	}
	st, _ := stamp(path)
	return st
}

func (s *Session) wasRead(role, path string) bool {
	return slices.ContainsFunc(s.Files, func(f FileInfo) bool { return f.Role == role && f.Path == path })
}

// readLibraries reads every library.
func (s *Session) readLibraries(ctx context.Context) error {
	for _, path := range s.Config.Lib {
		err := s.read(ctx, "lib", path, source.Liberty, func(r io.Reader) error {
			l, err := liberty.Read(ctx, r, path, s.Bag)
			if l != nil {
				s.libs = append(s.libs, l)
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// readNetlists reads the netlists of the command line and the file lists.
func (s *Session) readNetlists(ctx context.Context) error {
	s.names = scan.NewNames()
	list := fileList{around: s.Config.Around, defines: map[string]string{}, open: func(path string) (*source.File, error) { return source.Open(ctx, path, s.Bag) }, bag: s.Bag}
	for _, p := range s.Config.Netlist {
		list.files = append(list.files, listed{path: p})
	}
	for _, p := range s.Config.FileList {
		if err := list.read(p, 0); err != nil {
			return err
		}
	}
	if len(list.files) == 0 && !s.Failed() {
		s.Bag.Add(diag.ProjNoInput, diag.Pos{File: s.Config.FileList[0]}, "the file list names no netlist")
	}
	if s.Failed() {
		return nil
	}
	add := func(name string) uint16 {
		s.verilogFiles = append(s.verilogFiles, name)
		return uint16(min(len(s.verilogFiles)-1, 1<<16-1))
	}
	var library []*verilog.Module
	cells := CellNames(s.libs)
	for _, file := range list.files {
		path := file.path
		include := func(name string) (io.ReadCloser, string, error) {
			for _, dir := range append([]string{filepath.Dir(path)}, list.incdirs...) {
				p := filepath.Join(dir, name)
				if filepath.IsAbs(name) {
					p = name
				}
				if f, err := source.Open(ctx, p, s.Bag); err == nil {
					return &included{f, s, "include", time.Now(), s.stampOf(p)}, p, nil
				}
			}
			return nil, "", fmt.Errorf("include file %q not found beside %s or in +incdir+", name, path)
		}
		err := s.read(ctx, "netlist", path, source.Verilog, func(r io.Reader) error {
			opt := verilog.Option{Defines: list.defines, AddFile: add, Include: include}
			index := add(path)
			if s.keep {
				opt.Track = &verilog.Track{Cells: cells}
				s.tracks = append(s.tracks, &VerilogState{Path: path, File: index, Track: opt.Track})
			}
			ms, err := verilog.Read(ctx, r, path, index, s.names, opt, s.Bag)
			if file.library {
				library = append(library, ms...)
			} else {
				s.modules = append(s.modules, ms...)
			}
			return err
		})
		if err != nil {
			return err
		}
		if n := len(s.tracks); s.keep && n > 0 && s.tracks[n-1].Path == path && s.Files[len(s.Files)-1].Path == path {
			s.tracks[n-1].Sum = s.Files[len(s.Files)-1].sum
		}
	}
	s.modules = append(s.modules, wanted(s.modules, library)...)
	return nil
}

// included is a file that a reader closes by itself; closing it notes what was read.
type included struct {
	*source.File
	s     *Session
	role  string
	start time.Time
	stamp fileStamp
}

// Close implements io.Closer.
func (f *included) Close() error {
	if sum, err := f.Sum(); err == nil {
		f.s.note(f.role, f.Name(), sum, f.start, f.stamp)
	}
	return f.File.Close()
}
