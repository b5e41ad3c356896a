package project

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/wattd/wattd/internal/design"
	"github.com/wattd/wattd/internal/format/saif"
	"github.com/wattd/wattd/internal/wave"
)

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

// sameRun says whether simulating and counting come out the same on the same design and stimulus.
func (x *choices) sameRun(o *choices) bool {
	return x.windows == o.windows && x.cycle == o.cycle && x.zero == o.zero
}

// maxWindows keeps the state between windows in proportion; no run is shorter for more.
const maxWindows = 1 << 24

// UsageError is a value that no run can have; the caller prints it and exits with the usage code.
type UsageError struct {
	Flag string // without dashes
	Msg  string
}

func (e *UsageError) Error() string { return "--" + e.Flag + e.Msg }

// usage makes an error about a flag; the text goes on after the flag's name.
func usage(flag, format string, args ...any) error {
	return &UsageError{flag, fmt.Sprintf(format, args...)}
}

// choices reads the words of a Config.
func (c *Config) choices() (*choices, error) {
	x := &choices{tick: design.Picosecond, require: -1}
	var err error
	if c.Tick != "" {
		if x.tick, err = design.ParseTick(c.Tick); err != nil {
			return nil, usage("tick", ": %v", err)
		}
	}
	switch c.Corner {
	case "", "typ":
	case "min":
		x.corner = design.Min
	case "max":
		x.corner = design.Max
	default:
		return nil, usage("corner", " %q: use min, typ or max", c.Corner)
	}
	x.design = design.Options{Tick: x.tick, Corner: x.corner, CornerFallback: c.CornerFallback}
	switch c.Unconditional {
	case "", "all":
	case "default":
		x.design.KeepConditions = true
	default:
		return nil, usage("sdf-unconditional", " %q: use all or default", c.Unconditional)
	}
	if c.PulseReject != "" {
		p, err := strconv.Atoi(strings.TrimSpace(strings.TrimSuffix(c.PulseReject, "%")))
		if err != nil || p < 0 || p > 100 {
			return nil, usage("pulse-reject", " %q: use a whole percentage from 0%% to 100%%", c.PulseReject)
		}
		x.design.PulseReject, x.design.HasPulseReject = p, true
	}
	for _, t := range []struct {
		flag, s string
		v       *int64
		has     *bool
	}{{"from", c.From, &x.wave.From, &x.wave.HasFrom}, {"to", c.To, &x.wave.To, &x.wave.HasTo}, {"cycle", c.Cycle, &x.cycle, nil}} {
		if t.s == "" {
			continue
		}
		if *t.v, err = parseTicks(t.s, x.tick); err != nil {
			return nil, usage(t.flag, ": %v", err)
		}
		if t.has != nil {
			*t.has = true
		} else if *t.v <= 0 {
			return nil, usage(t.flag, " %s: must be positive", t.s)
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
		return nil, usage("glitch", " %q: use cycle or zero-delay", c.Glitch)
	}
	if c.Windows != "" && c.Windows != "auto" {
		if x.windows, err = strconv.Atoi(c.Windows); err != nil || x.windows < 1 || x.windows > maxWindows {
			return nil, usage("windows", " %q: use auto or a number from 1 to %d", c.Windows, maxWindows)
		}
	}
	switch c.Engine {
	case "", "auto", "host":
	default:
		return nil, usage("engine", " %q: use auto or host", c.Engine)
	}
	if x.dialect, err = saif.ParseDialect(or(c.SAIFDialect, "generic")); err != nil {
		return nil, usage("saif-dialect", ": %v", err)
	}
	switch c.SAIFIG {
	case "", "edges":
	case "pulses":
		x.pulses = true
	default:
		return nil, usage("saif-ig", " %q: use edges or pulses", c.SAIFIG)
	}
	if c.Nets < 0 {
		return nil, usage("nets", " %d: must not be negative", c.Nets)
	}
	if c.RequireCoverage != "" {
		if x.require, err = strconv.ParseFloat(strings.TrimSuffix(c.RequireCoverage, "%"), 64); err != nil || !(x.require >= 0 && x.require <= 100) {
			return nil, usage("require-coverage", " %q: use a percentage from 0 to 100", c.RequireCoverage)
		}
	}
	return x, nil
}

// policies reads --x, --unmapped and --launch.
func (x *choices) policies(c *Config) error {
	switch seed, random := strings.CutPrefix(c.X, "random:"); {
	case c.X == "", c.X == "hold":
	case c.X == "0":
		x.wave.X = wave.XZero
	case c.X == "1":
		x.wave.X = wave.XOne
	case random:
		s, err := strconv.ParseUint(seed, 10, 64)
		if err != nil {
			return usage("x", " %q: use random:SEED with a whole number", c.X)
		}
		x.wave.X, x.wave.XSeed = wave.XRandom, s
	default:
		return usage("x", " %q: use hold, 0, 1 or random:SEED", c.X)
	}
	switch p, toggle := strings.CutPrefix(c.Unmapped, "toggle:"); {
	case c.Unmapped == "", c.Unmapped == "error":
	case c.Unmapped == "hold":
		x.wave.Unmapped = wave.UnmappedHold
	case toggle:
		v, err := strconv.ParseFloat(p, 64)
		if err != nil || !(v >= 0 && v <= 1) {
			return usage("unmapped", " %q: use toggle:P with a probability from 0 to 1", c.Unmapped)
		}
		x.wave.Unmapped, x.wave.Toggle = wave.UnmappedToggle, v
	default:
		return usage("unmapped", " %q: use error, hold or toggle:P", c.Unmapped)
	}
	if c.Launch != "" && c.Launch != "as-dumped" {
		return usage("launch", " %q: use as-dumped", c.Launch)
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
