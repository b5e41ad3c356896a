package workspace

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"time"
	"weak"

	"github.com/wattd/wattd/internal/diag"
	"github.com/wattd/wattd/internal/project"
)

// Config is what a wattd.toml or the flags of a run say.
type Config = project.Config

// UsageError is a value that no design can be opened with.
type UsageError = project.UsageError

// Choice says what to open: a wattd.toml, or values that one would have, or both.
type Choice struct {
	File  string          // path of a wattd.toml, or ""
	Over  Config          // values that replace those of File
	Given map[string]bool // which of them do, by flag: key with dashes

	Unwatched bool // nobody looks after the files between queries

	Around Around // what surrounds who opens it
}

// FileError says that a file could not be read, or written.
type FileError struct {
	Path  string
	Err   error
	Write bool
}

func (e *FileError) Error() string {
	verb := "read"
	if e.Write {
		verb = "write"
	}
	return fmt.Sprintf("cannot %s %s: %v", verb, e.Path, e.Err)
}

func (e *FileError) Unwrap() error { return e.Err }

// maxConfig bounds what is compared of a wattd.toml; LoadConfig refuses larger ones.
const maxConfig = 1 << 20

// recipe makes the configuration of a project, again whenever its wattd.toml changed.
type recipe struct {
	choice Choice
	env    *environment
	lists  *atomic.Bool    // the file has file lists
	text   []byte          // of the file when it was read last
	cfg    Config          // made from it
	then   []func(*Config) // what was asked for since the design was opened
}

func newRecipe(c Choice) recipe {
	r := recipe{choice: c, env: newEnvironment(c.Around), lists: new(atomic.Bool)}
	r.choice.Around = Around{}
	return r
}

// fits says whether a choice means what the recipe makes.
func (r *recipe) fits(c *Choice) bool {
	bare := *c
	bare.Around = Around{}
	return reflect.DeepEqual(r.choice, bare) && r.env.fits(c.Around, len(c.Over.FileList) > 0 || r.lists.Load())
}

// config is the configuration that the file says now. changed tells that it is not the one before.
func (r *recipe) config() (cfg Config, changed bool, err error) {
	if r.choice.File == "" {
		if r.text == nil {
			r.text = []byte{}
			r.cfg = r.choice.Over
			r.cfg.Around = r.env.forProject()
			return r.finish()
		}
		return r.cfg, false, nil
	}
	text, err := readBounded(r.choice.File)
	if err != nil {
		return r.cfg, false, &FileError{Path: r.choice.File, Err: withoutPath(err)}
	}
	if r.text != nil && bytes.Equal(text, r.text) {
		return r.cfg, false, nil
	}
	bag := &diag.Bag{}
	c, err := project.LoadConfigAround(r.choice.File, r.env.forProject(), bag)
	if err != nil {
		return r.cfg, false, &FileError{Path: r.choice.File, Err: withoutPath(err)}
	}
	if bag.Errors() > 0 {
		return r.cfg, false, &InputError{bag}
	}
	over := r.choice.Over
	c.Override(&over, func(flag string) bool { return r.choice.Given[flag] })
	r.text, r.cfg = text, *c
	r.lists.Store(len(c.FileList) > 0)
	return r.finish()
}

func (r *recipe) finish() (Config, bool, error) {
	if err := absolute(&r.cfg); err != nil {
		return r.cfg, false, err
	}
	for _, f := range r.then {
		f(&r.cfg)
	}
	return r.cfg, true, nil
}

func readBounded(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b := make([]byte, maxConfig+1)
	n := 0
	for n < len(b) {
		k, err := f.Read(b[n:])
		if n += k; err != nil {
			break
		}
	}
	return b[:n:n], nil
}

func withoutPath(err error) error {
	var pe *os.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}

// absolute makes the paths of a configuration independent of the working folder.
func absolute(c *Config) error {
	var err error
	abs := func(p *string) {
		if *p != "" && *p != "-" && err == nil {
			*p, err = filepath.Abs(*p)
		}
	}
	for _, l := range []*[]string{&c.Netlist, &c.FileList, &c.Lib, &c.SDF} {
		*l = slices.Clone(*l)
		for i := range *l {
			abs(&(*l)[i])
		}
	}
	abs(&c.Stim)
	c.SAIF, c.Counts, c.VCD = "", "", "" // written on request only
	return err
}

// Stimulus is a dump and how it is bound, in the words of wattd.toml; what is "" is left to the defaults.
type Stimulus struct {
	Path, Scope, From, To, Cycle, X, Unmapped, Launch string
}

// Name is the name of the file without what tells its format.
func (x Stimulus) Name() string {
	name := filepath.Base(x.Path)
	for _, ext := range []string{".gz", ".zst", ".xz", ".vcd"} {
		name = strings.TrimSuffix(name, ext)
	}
	return name
}

// Load replaces the stimulus of a design. On an error the design keeps the one it had.
func (p *Project) Load(ctx context.Context, x Stimulus) (*Snapshot, error) {
	return p.stimulate(ctx, x)
}

// Drop leaves a design without a stimulus, and lets go of the older snapshots that hold waves of the one it had.
func (p *Project) Drop(ctx context.Context) (*Snapshot, error) {
	s, err := p.stimulate(ctx, Stimulus{})
	if err == nil {
		p.mu.Lock()
		p.recent = nil
		maps.DeleteFunc(p.held, func(n int64, _ weak.Pointer[Snapshot]) bool { return n != s.N })
		p.mu.Unlock()
	}
	return s, err
}

func (p *Project) stimulate(ctx context.Context, x Stimulus) (*Snapshot, error) {
	if err := p.lock(ctx); err != nil {
		return nil, err
	}
	defer p.unlock()
	now := time.Now()
	if _, _, err := p.recipe.config(); err != nil {
		return nil, err
	}
	set := func(c *Config) {
		c.Stim, c.Scope, c.From, c.To, c.Cycle, c.X, c.Unmapped, c.Launch = x.Path, x.Scope, x.From, x.To, x.Cycle, x.X, x.Unmapped, x.Launch
	}
	old, fault := p.recipe.cfg, p.Fault()
	set(&p.recipe.cfg)
	from, _ := p.base()
	s, err := p.make(ctx, now, from, from.session())
	if err != nil {
		p.recipe.cfg = old
		p.mu.Lock()
		p.fault = fault
		p.mu.Unlock()
		return nil, err
	}
	p.recipe.then = []func(*Config){set}
	return s, nil
}
