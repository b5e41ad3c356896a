package project

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/wattd/wattd/internal/diag"
	"github.com/wattd/wattd/internal/format/scan"
	"github.com/wattd/wattd/internal/format/verilog"
	"github.com/wattd/wattd/internal/source"
)

// Guess makes a Config from the files of a folder: each is recognised by its content. Tick and corner are chosen so that
// the SDF files fit. notes says what was chosen and why.
func Guess(ctx context.Context, dir string) (c *Config, notes []string, err error) {
	es, err := os.ReadDir(dir)
	if err != nil {
		return nil, nil, err
	}
	c = &Config{Format: Format}
	var stims []string
	for _, e := range es {
		if e.IsDir() || strings.HasPrefix(e.Name(), ".") {
			continue
		}
		path := filepath.Join(dir, e.Name())
		switch kindOf(ctx, path) {
		case source.Verilog:
			if structural(ctx, path) {
				c.Netlist = append(c.Netlist, e.Name())
			} else {
				notes = append(notes, e.Name()+": Verilog without a netlist (cell models or a test bench), left out")
			}
		case source.Liberty:
			c.Lib = append(c.Lib, e.Name())
		case source.SDF:
			c.SDF = append(c.SDF, e.Name())
		case source.VCD:
			stims = append(stims, e.Name())
		}
	}
	if len(stims) > 0 {
		c.Stim = stims[0]
		for _, s := range stims {
			if strings.Contains(strings.ToLower(s), "stim") {
				c.Stim = s
				break
			}
		}
		if len(stims) > 1 {
			notes = append(notes, fmt.Sprintf("%d dumps found; %s was taken", len(stims), c.Stim))
		}
	}
	fit, err := fitDelays(ctx, dir, c)
	return c, append(notes, fit...), err
}

func kindOf(ctx context.Context, path string) source.Kind {
	f, err := source.Open(ctx, path, &diag.Bag{})
	if err != nil {
		return source.Unknown
	}
	defer f.Close()
	return f.Kind()
}

// structural says whether a Verilog file has a module that is made of instances of cells: not cell models, not a test bench.
func structural(ctx context.Context, path string) bool {
	f, err := source.Open(ctx, path, &diag.Bag{})
	if err != nil {
		return false
	}
	defer f.Close()
	ms, err := verilog.Read(ctx, f, path, 0, scan.NewNames(), verilog.Option{}, &diag.Bag{})
	return err == nil && slices.ContainsFunc(ms, func(m *verilog.Module) bool {
		return !m.Behavioural && !m.Celldefine && slices.ContainsFunc(m.Insts, func(i verilog.Inst) bool { return i.Cell != 0 })
	})
}

// fitDelays tries the SDF files with each corner until their columns are filled, then takes a tick that holds the values.
func fitDelays(ctx context.Context, dir string, c *Config) ([]string, error) {
	if len(c.SDF) == 0 || len(c.Netlist) == 0 || len(c.Lib) == 0 {
		return nil, nil
	}
	var notes []string
	abs := *c
	for _, l := range []*[]string{&abs.Netlist, &abs.Lib, &abs.SDF} {
		*l = slices.Clone(*l)
		for i := range *l {
			(*l)[i] = filepath.Join(dir, (*l)[i])
		}
	}
	for _, corner := range []string{"typ", "max", "min"} {
		abs.Corner = corner
		bag := &diag.Bag{}
		s, err := NewSession(abs, bag, nil)
		if err != nil {
			return notes, err
		}
		if err := s.Compile(ctx); err != nil {
			return notes, err
		}
		if bag.Count(diag.SDFEmptyCorner) > 0 {
			continue
		}
		if corner != "typ" {
			c.Corner = corner
			notes = append(notes, "corner "+corner+": the typ column of the SDF is empty")
		}
		if s.Design != nil {
			if h := s.Design.Report.HoldingTick; h > 0 && h < s.opt.tick {
				c.Tick = max(h, 1000).String()
				notes = append(notes, "tick "+c.Tick+": holds every delay of the SDF")
			}
		}
		break
	}
	return notes, nil
}
