// Package project is a run as a person asks for it: the files and choices of a wattd.toml or a command line, taken through
// reading, linking, compiling, binding, simulating, counting and writing.
//
// Contract: one function a step, each measured; what was read, assumed and written ends in a Report. Output files are whole or
// not there. The package decides nothing about meaning: that is netlist, design, wave, sim and activity.
package project

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"github.com/wattd/wattd/internal/diag"
	"github.com/wattd/wattd/internal/source"
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

	Around Around `toml:"-" json:"-"`

	places map[string]diag.Pos // of the keys that came from a wattd.toml and still hold
}

// Around is where a wattd.toml and file lists find what they do not say themselves. A server has that of its client, not its own.
type Around struct {
	Dir    string                           // working folder; "": that of the process
	Lookup func(name string) (string, bool) `image:"-"` // environment; nil: that of the process
}

// maxConfig bounds what is read as a wattd.toml, so that a dump given by mistake is not loaded whole.
const maxConfig = 1 << 20

// LoadConfig reads a wattd.toml. Paths in it are relative to its folder, $VAR is expanded. Faults go to bag, with their lines.
func LoadConfig(path string, bag *diag.Bag) (*Config, error) {
	return LoadConfigAround(path, Around{}, bag)
}

// LoadConfigAround is LoadConfig with the environment of somebody else.
func LoadConfigAround(path string, around Around, bag *diag.Bag) (*Config, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxConfig+1))
	if err != nil {
		return nil, err
	}
	if len(b) > maxConfig {
		if recognised(path, b, bag) {
			bag.Add(diag.ProjConfig, diag.Pos{File: path}, "over %d bytes: this is no wattd.toml", maxConfig)
		}
		return &Config{Around: around}, nil
	}
	return parseConfig(path, b, around, bag), nil
}

// recognised tells the user when the bytes are those of another format; it returns whether they may be TOML.
func recognised(path string, b []byte, bag *diag.Bag) bool {
	f := source.OpenBytes(path, b)
	defer f.Close()
	k := f.Kind()
	flag, input := map[source.Kind]string{source.Verilog: "--netlist", source.Liberty: "--lib", source.SDF: "--sdf", source.VCD: "--stim"}[k]
	if input {
		bag.Add(diag.SourceWrongKind, diag.Pos{File: path}, "a wattd.toml is wanted here, but this is a %s; give it with %s", k, flag)
		return false
	}
	return f.Expect(source.TOML, bag)
}

func parseConfig(path string, b []byte, around Around, bag *diag.Bag) *Config {
	c := &Config{Around: around, places: map[string]diag.Pos{}}
	b = bytes.TrimPrefix(b, []byte("\xef\xbb\xbf"))
	t := reflect.TypeFor[Config]()
	for i := range t.NumField() {
		if key := keyOf(t.Field(i)); key != "" {
			if line := lineOf(b, key); line > 0 {
				c.places[key] = diag.Pos{File: path, Line: line}
			}
		}
	}
	// the version first: a newer file is refused by name, not by its unknown keys
	var v struct {
		Format *int `toml:"format"`
	}
	_ = toml.Unmarshal(b, &v)
	if v.Format != nil && *v.Format > Format {
		bag.Add(diag.ProjConfig, c.places["format"], "format = %d is newer than this wattd, which reads format %d", *v.Format, Format)
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
		case !recognised(path, b, bag): // told already
		case errors.As(err, &de):
			line, col := de.Position()
			msg := strings.TrimPrefix(de.Error(), "toml: ")
			if want := takes(b, line); want != "" && strings.HasPrefix(msg, "cannot decode") {
				msg = want
			}
			bag.Add(diag.ProjConfig, diag.Pos{File: path, Line: line, Col: col}, "%s", msg)
		default:
			bag.Add(diag.ProjConfig, diag.Pos{File: path}, "%v", err)
		}
		return c
	}
	if v.Format == nil {
		if recognised(path, b, bag) {
			bag.Add(diag.ProjConfig, diag.Pos{File: path, Line: 1}, "format = %d is missing", Format)
		}
		return c
	}
	if c.Format < 1 {
		bag.Add(diag.ProjConfig, c.places["format"], "format = %d does not exist", c.Format)
	}
	dir := filepath.Dir(path)
	fix := func(key string, s *string) {
		if *s == "" || *s == "-" {
			return
		}
		*s = around.expand(*s, func(name string) {
			bag.Add(diag.ProjConfig, c.places[key], "$%s in %s is not set in the environment", name, key)
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

// takes says what kind of value the key on a line takes; empty if there is no known key.
func takes(b []byte, line int) string {
	t := reflect.TypeFor[Config]()
	for i := range t.NumField() {
		key := keyOf(t.Field(i))
		if key == "" || lineOf(b, key) != line {
			continue
		}
		switch t.Field(i).Type.Kind() {
		case reflect.String:
			return key + " takes a text in quotes"
		case reflect.Slice:
			return key + " takes a list of texts in quotes, in brackets"
		case reflect.Bool:
			return key + " takes true or false"
		default:
			return key + " takes a number"
		}
	}
	return ""
}

// expand replaces $NAME and ${NAME}.
func (a *Around) expand(s string, unset func(string)) string {
	lookup := a.Lookup
	if lookup == nil {
		lookup = os.LookupEnv
	}
	return os.Expand(s, func(name string) string {
		v, ok := lookup(name)
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
