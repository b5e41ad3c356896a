package project

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/wattd/wattd/internal/activity"
	"github.com/wattd/wattd/internal/design"
	"github.com/wattd/wattd/internal/diag"
	"github.com/wattd/wattd/internal/format/liberty"
	"github.com/wattd/wattd/internal/format/scan"
	"github.com/wattd/wattd/internal/format/verilog"
	"github.com/wattd/wattd/internal/netlist"
	"github.com/wattd/wattd/internal/sim"
	"github.com/wattd/wattd/internal/source"
	"github.com/wattd/wattd/internal/wave"
	"github.com/wattd/wattd/kernel"
	"github.com/wattd/wattd/kernel/host"
)

// Session is one run in the making. Steps are taken in order; each returns an error only for cancellation, I/O of outputs and
// faults of ours. After a step the caller asks Failed.
type Session struct {
	Config Config
	Bag    *diag.Bag
	Files  []FileInfo
	Phases []Phase
	Wrote  []string

	Netlist *netlist.Netlist
	Design  *design.Design
	Stim    *wave.Stimulus
	Result  *sim.Result
	Table   *activity.Table

	// Work is what was done; for a session that continues another, beyond taking over.
	Work Work

	opt      *choices       `image:"-"` // from Config
	progress Progress       `image:"-"`
	only     map[int32]bool `image:"-"` // nets that are written; nil: all
	cut      bool           // Table is of a part whose filtered pulses are not known

	parts   []*wave.Stimulus // Stim and what follows gaps of the dump
	results []*sim.Result    // of the parts
	said    *diag.Bag        // what simulating and counting had to say

	prev     *Session `image:"-"` // the version before
	first    []int32  // sources of the version that the dump was made for; nil: none yet
	keep     bool     // another session may continue this one
	triNamed bool     // compiled with the three-state nets that the stimulus names as sources
	stages   map[string]*stage

	over    []design.Override  // delays that no file has
	sources []wave.Replacement // of source values, that no file has
	whatIf  bool               // changed by edits that no file has
	touched *netlist.Patched   // by what made Netlist of that of prev; nil: it was linked, or is the same
	changed *design.Changed    // by what made Design of that of prev; nil: it was compiled, or is the same
	tracks  []*VerilogState    // of the netlist files, in order
	patches int                // of the netlist since it was linked

	libs         []*liberty.Library
	libBytes     int64             // of libs, where keep
	top          string            // of an Outline
	modules      []*verilog.Module `image:"-"` // until they are linked
	names        *scan.Names
	verilogFiles []string
	sdfFault     func() error `image:"-"` // tells the fault that ended the reading of an SDF file
}

// Phase is a step with its time. Bytes or Events tell what went through.
type Phase struct {
	Name  string        `json:"name"`
	Time  time.Duration `json:"-"`
	Secs  float64       `json:"seconds"`
	Bytes int64         `json:"bytes,omitempty"`
}

// engine is one for the process, because it remembers what it worked out of programs that edits start from.
var engine = host.New()

// NewSession checks the choices. A *UsageError tells of a value that no run can have; where it stands in a wattd.toml it is a
// diagnostic instead.
func NewSession(c Config, bag *diag.Bag, p Progress) (*Session, error) {
	x, err := c.choices()
	var u *UsageError
	if errors.As(err, &u) {
		key := strings.ReplaceAll(u.Flag, "-", "_")
		if pos, ok := c.places[key]; ok {
			bag.Add(diag.ProjConfig, pos, "%s%s", key, u.Msg)
			x, err = (&Config{}).choices()
		}
	}
	if err != nil {
		return nil, err
	}
	return &Session{Config: c, Bag: bag, opt: x, progress: p}, nil
}

// Failed says whether an error was diagnosed: no number may follow.
func (s *Session) Failed() bool { return s.Bag.Errors() > 0 }

// phase runs f as a measured step unless an earlier one failed.
func (s *Session) phase(name string, f func() (int64, error)) error {
	if s.Failed() {
		return nil
	}
	start := time.Now()
	n, err := f()
	d := time.Since(start)
	s.Phases = append(s.Phases, Phase{Name: name, Time: d, Secs: d.Seconds(), Bytes: n})
	return err
}

func (s *Session) bytesOf(role string) (n int64) {
	for _, f := range s.Files {
		if f.Role == role {
			n += f.Bytes
		}
	}
	return n
}

// Compile reads netlist, libraries and delays and compiles the design.
func (s *Session) Compile(ctx context.Context) error {
	if len(s.Config.Netlist)+len(s.Config.FileList) == 0 {
		s.Bag.Add(diag.ProjNoInput, diag.Pos{}, "no netlist: add --netlist FILE or -f FILELIST")
	}
	if len(s.Config.Lib) == 0 {
		s.Bag.Add(diag.ProjNoInput, diag.Pos{}, "no library: add --lib FILE")
	}
	if len(s.Config.SDF) == 0 {
		s.Bag.Add(diag.ProjNoSDF, diag.Pos{}, "no SDF file")
	}
	if s.Failed() {
		return nil
	}
	err := s.staged(ctx, "libraries", fmt.Sprintf("%q", s.Config.Lib), nil, func() error {
		return s.phase("liberty", func() (int64, error) {
			err := s.readLibraries(ctx)
			return s.bytesOf("lib"), err
		})
	}, func(p *Session) { s.libs, s.libBytes = p.libs, p.libBytes })
	if err != nil || s.Failed() {
		return err
	}
	s.weighLibraries()
	err = s.staged(ctx, "netlist", s.netlistChoices(), s.stages["libraries"], func() error {
		if done, err := s.patchNetlist(ctx); done || err != nil {
			return err
		}
		return s.link(ctx)
	}, func(p *Session) {
		s.Netlist, s.names, s.verilogFiles, s.tracks, s.patches = p.Netlist, p.names, p.verilogFiles, p.tracks, p.patches
	})
	if err != nil || s.Netlist == nil || s.Failed() {
		return err
	}
	return s.staged(ctx, "design", s.designChoices(), s.stages["netlist"], func() error {
		return s.phase("sdf and compile", func() (int64, error) {
			if done, err := s.patchDesign(ctx); done || err != nil {
				return 0, err
			}
			err := s.compile(ctx, nil)
			return s.bytesOf("sdf"), err
		})
	}, func(p *Session) { s.Design, s.triNamed = p.Design, p.triNamed })
}

// netlistChoices is what decides a netlist beside the libraries and the contents of its files.
func (s *Session) netlistChoices() string {
	return fmt.Sprintf("%q", []any{s.Config.Netlist, s.Config.FileList, s.Config.Top})
}

// designChoices is what decides a design beside its netlist and the contents of its files.
func (s *Session) designChoices() string { return fmt.Sprintf("%q %+v", s.Config.SDF, s.opt.design) }

// link reads the netlists and links them.
func (s *Session) link(ctx context.Context) error {
	err := s.phase("netlist", func() (int64, error) {
		err := s.readNetlists(ctx)
		return s.bytesOf("netlist") + s.bytesOf("include"), err
	})
	if err != nil {
		return err
	}
	return s.phase("link", func() (int64, error) {
		var err error
		s.Netlist, err = netlist.Link(ctx, netlist.Input{Modules: s.modules, Names: s.names, Files: s.verilogFiles, Libs: s.libs, Top: s.Config.Top}, s.Bag)
		s.modules = nil
		s.names.Trim()
		if p := s.prev; p != nil && s.Netlist != nil && err == nil {
			s.Netlist.Stabilize(p.Netlist, p.Design.Program.NNet)
		}
		return 0, err
	})
}

// compile reads the SDF files into a design. named tells the nets that the stimulus names.
func (s *Session) compile(ctx context.Context, named func(int32) bool) error {
	opt := s.opt.design
	opt.Named = named
	opt.Overrides, opt.Keep = s.over, s.keep
	s.triNamed, s.changed = named != nil, nil
	if s.prev != nil {
		opt.Prev = s.prev.Design
	}
	var sdfs []design.SDF
	for _, arg := range s.Config.SDF {
		path, mount := splitMount(arg)
		var open *sdfFile
		f := design.SDF{Name: path, Mount: mount, Open: func() (io.ReadCloser, error) {
			r, err := s.openSDF(ctx, path)
			open, _ = r.(*sdfFile)
			return r, err
		}}
		if s.keep {
			f.Chunks = func() ([]design.Chunk, error) { return open.designChunks() }
		}
		sdfs = append(sdfs, f)
	}
	var err error
	s.sdfFault = nil
	s.Design, err = design.Compile(ctx, s.Netlist, opt, sdfs, s.Bag)
	if err != nil && s.sdfFault != nil {
		return s.sdfFault()
	}
	return err
}

// sdfFile is an SDF file whose progress is watched until it is closed.
type sdfFile struct {
	included
	stop func()
}

// Read implements io.Reader. It remembers a fault of the file, to tell it from one of the compiler.
func (f *sdfFile) Read(p []byte) (int, error) {
	n, err := f.included.Read(p)
	if err != nil && err != io.EOF {
		f.s.sdfFault = func() error { return f.s.unreadable("sdf", f.Name(), err) }
	}
	return n, err
}

func (s *Session) openSDF(ctx context.Context, path string) (io.ReadCloser, error) {
	if st, err := os.Stat(path); err == nil && !st.Mode().IsRegular() && !st.IsDir() && s.wasRead("sdf", path) {
		s.Bag.Add(diag.ProjFile, diag.Pos{File: path}, "sdf file: a design with three-state nets reads it twice, and a pipe can be read once")
		return io.NopCloser(empty{}), nil
	}
	f, err := source.Open(ctx, path, s.Bag)
	if err != nil {
		return io.NopCloser(empty{}), s.unreadable("sdf", path, err)
	}
	if !f.Expect(source.SDF, s.Bag) {
		f.Close()
		return io.NopCloser(empty{}), nil
	}
	return &sdfFile{included{f, s, "sdf", time.Now(), s.stampOf(path)}, s.watch("read "+filepath.Base(path), f.Progress)}, nil
}

// empty stands for a file that was refused; the bag has the error already.
type empty struct{}

func (empty) Read([]byte) (int, error) { return 0, io.EOF }

// Close implements io.Closer.
func (f *sdfFile) Close() error {
	f.stop()
	return f.included.Close()
}

// Bind reads the stimulus.
func (s *Session) Bind(ctx context.Context) error {
	if s.Failed() || s.Design == nil {
		return nil
	}
	if s.Config.Stim == "" {
		s.Bag.Add(diag.ProjNoInput, diag.Pos{}, "no stimulus: add --stim FILE")
		return nil
	}
	above := s.stages["design"]
	if p := s.prev; p != nil && p.stages["stimulus"] != nil && sameSources(p.Design, s.Design) {
		above = p.stages["stimulus"].above // what it was bound to has not changed, though the design has
	}
	return s.staged(ctx, "stimulus", fmt.Sprintf("%q %+v", s.Config.Stim, s.opt.wave), above, func() error {
		return s.phase("stimulus", func() (int64, error) {
			err := s.bind(ctx)
			return s.bytesOf("stim"), err
		})
	}, func(p *Session) { s.Stim, s.first = p.Stim, p.first })
}

func (s *Session) bind(ctx context.Context) error {
	return s.read(ctx, "stim", s.Config.Stim, source.VCD, func(r io.Reader) error {
		opt := s.opt.wave
		opt.New = s.madeByEdit()
		if p := s.prev; p != nil && p.Stim != nil && p.Config.Stim == s.Config.Stim && opt.Scope == "" {
			opt.Scope = p.Stim.Coverage.Scope // found for the first version; an edit does not move it
		}
		d, err := wave.OpenDump(ctx, s.Design, wave.Input{Name: s.Config.Stim, R: r}, opt, s.Bag)
		if err != nil || s.Failed() {
			return err
		}
		if err := s.compileFor(ctx, d); err != nil || s.Failed() {
			return err
		}
		s.Stim, err = d.Load(ctx, s.Design, opt, s.Bag)
		return err
	})
}

// compileFor compiles again when the dump names three-state nets: such nets are sources.
func (s *Session) compileFor(ctx context.Context, d *wave.Dump) error {
	if len(s.Design.Floating) > 0 {
		if named := d.Named(); slices.ContainsFunc(s.Design.Floating, named) {
			return s.compile(ctx, named)
		}
	}
	if !s.triNamed {
		return nil
	}
	all := s.Bag // the design was taken over, as it was compiled for another dump; what there is to say of it has been said
	s.Bag = &diag.Bag{}
	err := s.compile(ctx, nil)
	if s.Failed() {
		all.Merge(s.Bag)
	}
	s.Bag = all
	return err
}

// Simulate runs the stimulus and counts.
func (s *Session) Simulate(ctx context.Context) error {
	if s.Failed() || s.Stim == nil {
		return nil
	}
	if p := s.prev; p != nil && p.Table != nil && p.Result.Waves != nil && p.Design == s.Design && p.Stim == s.Stim && p.opt.sameRun(s.opt) {
		s.Result, s.Table, s.parts, s.results, s.said = p.Result, p.Table, p.parts, p.results, p.said
		s.Bag.Merge(s.said)
		s.Work.PairsTotal = p.Work.PairsTotal
		return nil
	}
	all := s.Bag
	s.Bag = &diag.Bag{}
	s.said = s.Bag
	defer func() {
		all.Merge(s.said)
		s.Bag = all
	}()
	opt := sim.Options{Engine: engine, Windows: s.opt.windows, Keep: s.keep}
	s.parts = s.Stim.Parts()
	s.Work.NewSources = s.Stim.Coverage.New
	if len(s.parts) > 1 { // what is kept of a run holds for one part
		opt.Keep = false
	}
	if p := s.prev; p != nil && p.Result != nil && p.Result.Waves != nil && opt.Keep {
		var delta *design.Delta
		if s.changed != nil {
			delta, opt.Patched = &s.changed.Delta, true
		} else {
			delta = design.Diff(p.Design, s.Design)
		}
		opt.Prev, opt.Changed = p.Result, delta.Gates
		opt.SameLogic = delta.Added+delta.Removed+delta.NewFunction+delta.NewInputs == 0 && p.Stim == s.Stim && p.Netlist == s.Netlist
		s.Work.GatesCompiled = int64(len(delta.Gates))
	}
	if s.progress != nil {
		opt.Progress = func(done, total int64) { s.progress("simulate", done, total) }
	}
	for i, st := range s.parts {
		if err := s.simulate(ctx, i, st, opt); err != nil || s.Failed() {
			return err
		}
	}
	return nil
}

// simulate runs and counts one part of the run.
func (s *Session) simulate(ctx context.Context, i int, st *wave.Stimulus, opt sim.Options) error {
	bag := s.Bag
	if i > 0 { // what is said of the first part holds for all
		bag = &diag.Bag{}
	}
	var res *sim.Result
	err := s.phase("simulate", func() (n int64, err error) {
		res, err = sim.Run(ctx, s.Design, st, opt, bag)
		return 0, err
	})
	if err == nil {
		err = ctx.Err()
	}
	if err != nil || s.Failed() {
		return err
	}
	s.results = append(s.results, res)
	if i == 0 {
		s.Result = res
		s.noteWork(opt.Prev != nil)
	}
	return s.phase("count", func() (int64, error) {
		copt := activity.Options{From: st.From, To: st.To, Cycle: s.opt.cycle}
		if s.opt.zero {
			z, err := s.zeroDelay(ctx, st, opt)
			if err != nil {
				return 0, err
			}
			copt.ZeroDelay = z
		}
		if p := s.prev; p != nil && p.Stim == st && p.opt.sameRun(s.opt) && opt.Prev != nil && res.Work.PairsTotal > 0 {
			copt.Prev = &activity.Prev{Table: p.Table, Design: p.Design, Nets: res.Work.Nets, SameLogic: opt.SameLogic}
		}
		t := activity.Count(s.Design, st, res.Waves, copt, bag)
		if s.Table == nil {
			s.Table = t
		} else {
			s.Table.Add(t)
		}
		return 0, nil
	})
}

// noteWork counts what the simulation did.
func (s *Session) noteWork(again bool) {
	w := &s.Result.Work
	s.Work.PairsTotal = int64(len(s.Design.Program.Order)) * int64(s.Result.Waves.Windows())
	if s.Work.PairsRun = w.PairsRun; !again || w.PairsTotal == 0 {
		s.Work.PairsRun = s.Work.PairsTotal
	}
	s.Work.CutOffs, s.Work.RowsCompared = w.CutOffs, w.RowsCompared
	if !again {
		s.Work.GatesCompiled = int64(len(s.Design.Program.Order))
	}
}

// zeroDelay runs the design without delays from sources that change on the edges of their clocks.
func (s *Session) zeroDelay(ctx context.Context, part *wave.Stimulus, opt sim.Options) (*activity.Table, error) {
	opt.Kind, opt.Progress, opt.Keep, opt.Prev = kernel.Cycle, nil, false, nil
	st := activity.Snap(s.Design, part, s.opt.cycle)
	r, err := sim.Run(ctx, s.Design, st, opt, &diag.Bag{})
	if err != nil {
		return nil, err
	}
	return activity.Count(s.Design, st, r.Waves, activity.Options{From: st.From, To: st.To}, nil), nil
}

// Write writes the output files.
func (s *Session) Write(ctx context.Context) error {
	if s.Failed() || s.Table == nil {
		return nil
	}
	return s.phase("write", func() (int64, error) { return s.write(ctx) })
}

// Run takes all steps. Whether the outputs can be written is asked first: a long run must not end in a missing folder.
func (s *Session) Run(ctx context.Context) error {
	s.checkOutputs()
	for _, step := range []func(context.Context) error{s.Compile, s.Bind, s.Simulate, s.Write} {
		if err := step(ctx); err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}
