// Package project is a run as a person asks for it: the files and choices of a wattd.toml or a command line, taken through
// reading, linking, compiling, binding, simulating, counting and writing.
//
// Contract: one function a step, each measured; what was read, assumed and written ends in a Report. Output files are whole or
// not there. The package decides nothing about meaning: that is netlist, design, wave, sim and activity.
package project

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"github.com/wattd/wattd/internal/design"
	"github.com/wattd/wattd/internal/diag"
	"github.com/wattd/wattd/internal/format/saif"
	"github.com/wattd/wattd/internal/wave"
)

// Format is the version of wattd.toml that this program reads.
const Format = 1

// Config is everything that a run can be told. Field tags are the keys of wattd.toml; the flags have the same names with dashes.
type Config struct {
	Format int `toml:"format"`

	Netlist  []string `toml:"netlist,omitempty"`
	FileList []string `toml:"filelist,omitempty"`
	Lib      []string `toml:"lib,omitempty"`
	SDF      []string `toml:"sdf,omitempty"` // FILE or FILE@INSTANCE
	Stim     string   `toml:"stim,omitempty"`

	Top            string `toml:"top,omitempty"`
	Scope          string `toml:"scope,omitempty"`
	Corner         string `toml:"corner,omitempty"`
	CornerFallback bool   `toml:"corner_fallback,omitempty"`
	Unconditional  string `toml:"sdf_unconditional,omitempty"` // all (default) or default
	PulseReject    string `toml:"pulse_reject,omitempty"`      // percent
	From           string `toml:"from,omitempty"`
	To             string `toml:"to,omitempty"`
	Tick           string `toml:"tick,omitempty"`
	Cycle          string `toml:"cycle,omitempty"`
	X              string `toml:"x,omitempty"`
	Unmapped       string `toml:"unmapped,omitempty"`
	Launch         string `toml:"launch,omitempty"`
	Glitch         string `toml:"glitch,omitempty"` // cycle (default) or zero-delay
	Windows        string `toml:"windows,omitempty"`
	Engine         string `toml:"engine,omitempty"`

	SAIF        string `toml:"saif,omitempty"`
	SAIFDialect string `toml:"saif_dialect,omitempty"`
	SAIFIG      string `toml:"saif_ig,omitempty"` // edges (default) or pulses
	Counts      string `toml:"counts,omitempty"`
	VCD         string `toml:"vcd,omitempty"`
	Nets        int    `toml:"nets,omitempty"` // how many of the glitchiest nets the report lists

	RequireCoverage string `toml:"require_coverage,omitempty"` // percent
}

// LoadConfig reads a wattd.toml. Paths in it are relative to its folder, $VAR is expanded. Faults go to bag, with their lines.
func LoadConfig(path string, bag *diag.Bag) (*Config, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return parseConfig(path, b, bag), nil
}

func parseConfig(path string, b []byte, bag *diag.Bag) *Config {
	c := &Config{}
	// the version first: a newer file is refused by name, not by its unknown keys
	var v struct {
		Format *int `toml:"format"`
	}
	_ = toml.Unmarshal(b, &v)
	if v.Format != nil && *v.Format > Format {
		bag.Add(diag.ProjConfig, diag.Pos{File: path, Line: lineOf(b, "format")}, "format = %d is newer than this wattd, which reads format %d", *v.Format, Format)
		return c
	}
	dec := toml.NewDecoder(bytes.NewReader(b)).DisallowUnknownFields()
	if err := dec.Decode(c); err != nil {
		var strict *toml.StrictMissingError
		var de *toml.DecodeError
		switch {
		case errors.As(err, &strict):
			for _, e := range strict.Errors {
				line, col := e.Position()
				bag.Add(diag.ProjConfig, diag.Pos{File: path, Line: line, Col: col}, "unknown key %q", strings.Join(e.Key(), "."))
			}
		case errors.As(err, &de):
			line, col := de.Position()
			bag.Add(diag.ProjConfig, diag.Pos{File: path, Line: line, Col: col}, "%s", strings.TrimPrefix(de.Error(), "toml: "))
		default:
			bag.Add(diag.ProjConfig, diag.Pos{File: path}, "%v", err)
		}
		return c
	}
	if v.Format == nil {
		bag.Add(diag.ProjConfig, diag.Pos{File: path, Line: 1}, "format = %d is missing", Format)
		return c
	}
	if c.Format < 1 {
		bag.Add(diag.ProjConfig, diag.Pos{File: path, Line: lineOf(b, "format")}, "format = %d does not exist", c.Format)
	}
	dir := filepath.Dir(path)
	fix := func(key string, s *string) {
		if *s == "" {
			return
		}
		*s = expand(*s, func(name string) {
			bag.Add(diag.ProjConfig, diag.Pos{File: path, Line: lineOf(b, key)}, "$%s in %s is not set in the environment", name, key)
		})
		if !filepath.IsAbs(*s) {
			*s = filepath.Join(dir, *s)
		}
	}
	for _, l := range []struct {
		key string
		v   []string
	}{{"netlist", c.Netlist}, {"filelist", c.FileList}, {"lib", c.Lib}, {"sdf", c.SDF}} {
		for i := range l.v {
			fix(l.key, &l.v[i])
		}
	}
	fix("stim", &c.Stim)
	fix("saif", &c.SAIF)
	fix("counts", &c.Counts)
	fix("vcd", &c.VCD)
	return c
}

// expand replaces $NAME and ${NAME}.
func expand(s string, unset func(string)) string {
	return os.Expand(s, func(name string) string {
		v, ok := os.LookupEnv(name)
		if !ok {
			unset(name)
		}
		return v
	})
}

// lineOf finds the line on which a key stands.
func lineOf(b []byte, key string) int {
	for i, l := range strings.Split(string(b), "\n") {
		rest, ok := strings.CutPrefix(strings.TrimSpace(l), key)
		if ok && strings.HasPrefix(strings.TrimSpace(rest), "=") {
			return i + 1
		}
	}
	return 0
}

// choices is a Config with its words understood.
type choices struct {
	tick    design.Tick
	corner  design.Corner
	design  design.Options
	wave    wave.Options
	windows int
	cycle   int64
	zero    bool
	dialect saif.Dialect
	pulses  bool
	require float64 // percent, -1 none
}

// UsageError is a value that no run can have; the caller prints it and exits with the usage code.
type UsageError struct{ Msg string }

func (e *UsageError) Error() string { return e.Msg }

func usage(format string, args ...any) error { return &UsageError{fmt.Sprintf(format, args...)} }

// choices reads the words of a Config.
func (c *Config) choices() (*choices, error) {
	x := &choices{tick: design.Picosecond, require: -1}
	var err error
	if c.Tick != "" {
		if x.tick, err = design.ParseTick(c.Tick); err != nil {
			return nil, usage("--tick: %v", err)
		}
	}
	switch c.Corner {
	case "", "typ":
	case "min":
		x.corner = design.Min
	case "max":
		x.corner = design.Max
	default:
		return nil, usage("--corner %q: use min, typ or max", c.Corner)
	}
	x.design = design.Options{Tick: x.tick, Corner: x.corner, CornerFallback: c.CornerFallback}
	switch c.Unconditional {
	case "", "all":
	case "default":
		x.design.KeepConditions = true
	default:
		return nil, usage("--sdf-unconditional %q: use all or default", c.Unconditional)
	}
	if c.PulseReject != "" {
		p, err := strconv.Atoi(strings.TrimSpace(strings.TrimSuffix(c.PulseReject, "%")))
		if err != nil || p < 0 || p > 100 {
			return nil, usage("--pulse-reject %q: use a whole percentage from 0%% to 100%%", c.PulseReject)
		}
		x.design.PulseReject, x.design.HasPulseReject = p, true
	}
	for _, t := range []struct {
		flag, s string
		v       *int64
		has     *bool
	}{{"--from", c.From, &x.wave.From, &x.wave.HasFrom}, {"--to", c.To, &x.wave.To, &x.wave.HasTo}, {"--cycle", c.Cycle, &x.cycle, nil}} {
		if t.s == "" {
			continue
		}
		if *t.v, err = parseTicks(t.s, x.tick); err != nil {
			return nil, usage("%s: %v", t.flag, err)
		}
		if t.has != nil {
			*t.has = true
		} else if *t.v <= 0 {
			return nil, usage("%s %s: must be positive", t.flag, t.s)
		}
	}
	x.wave.Scope, x.wave.Cycle = c.Scope, x.cycle
	if err := x.policies(c); err != nil {
		return nil, err
	}
	switch c.Glitch {
	case "", "cycle":
	case "zero-delay":
		x.zero = true
	default:
		return nil, usage("--glitch %q: use cycle or zero-delay", c.Glitch)
	}
	if c.Windows != "" && c.Windows != "auto" {
		if x.windows, err = strconv.Atoi(c.Windows); err != nil || x.windows < 1 || x.windows > 1<<24 {
			return nil, usage("--windows %q: use auto or a number from 1", c.Windows)
		}
	}
	switch c.Engine {
	case "", "auto", "host":
	default:
		return nil, usage("--engine %q: use auto or host", c.Engine)
	}
	if x.dialect, err = saif.ParseDialect(or(c.SAIFDialect, "generic")); err != nil {
		return nil, usage("--saif-dialect: %v", err)
	}
	switch c.SAIFIG {
	case "", "edges":
	case "pulses":
		x.pulses = true
	default:
		return nil, usage("--saif-ig %q: use edges or pulses", c.SAIFIG)
	}
	if c.Nets < 0 {
		return nil, usage("--nets %d: must not be negative", c.Nets)
	}
	if c.RequireCoverage != "" {
		if x.require, err = strconv.ParseFloat(strings.TrimSuffix(c.RequireCoverage, "%"), 64); err != nil || !(x.require >= 0 && x.require <= 100) {
			return nil, usage("--require-coverage %q: use a percentage from 0 to 100", c.RequireCoverage)
		}
	}
	return x, nil
}

// policies reads --x, --unmapped and --launch.
func (x *choices) policies(c *Config) error {
	switch name, seed, _ := strings.Cut(c.X, ":"); name {
	case "", "hold":
	case "0":
		x.wave.X = wave.XZero
	case "1":
		x.wave.X = wave.XOne
	case "random":
		s, err := strconv.ParseUint(seed, 10, 64)
		if err != nil {
			return usage("--x %q: use random:SEED with a whole number", c.X)
		}
		x.wave.X, x.wave.XSeed = wave.XRandom, s
	default:
		return usage("--x %q: use hold, 0, 1 or random:SEED", c.X)
	}
	switch name, p, _ := strings.Cut(c.Unmapped, ":"); name {
	case "", "error":
	case "hold":
		x.wave.Unmapped = wave.UnmappedHold
	case "toggle":
		v, err := strconv.ParseFloat(p, 64)
		if err != nil || !(v >= 0 && v <= 1) {
			return usage("--unmapped %q: use toggle:P with a probability from 0 to 1", c.Unmapped)
		}
		x.wave.Unmapped, x.wave.Toggle = wave.UnmappedToggle, v
	default:
		return usage("--unmapped %q: use error, hold or toggle:P", c.Unmapped)
	}
	if c.Launch != "" && c.Launch != "as-dumped" {
		return usage("--launch %q: use as-dumped", c.Launch)
	}
	return nil
}

func or(s, def string) string {
	if s == "" {
		return def
	}
	return s
}

// parseTicks reads a time with a unit, or a bare number of ticks.
func parseTicks(s string, tick design.Tick) (int64, error) {
	if n, err := strconv.ParseInt(strings.TrimSpace(s), 10, 64); err == nil {
		if n > 1<<62 || n < -1<<62 {
			return 0, fmt.Errorf("%s ticks are too many", s)
		}
		return n, nil
	}
	d, err := design.ParseSeconds(s)
	if err != nil {
		return 0, err
	}
	t, ok := tick.FromDecimal(d)
	if !ok {
		return 0, fmt.Errorf("%s is not a whole number of ticks of %s", s, tick)
	}
	return t, nil
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
