package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"github.com/wattd/wattd/internal/diag"
	"github.com/wattd/wattd/internal/project"
)

// inputFlags adds the flags that choose inputs and how they are read.
func inputFlags(c *cobra.Command, f *project.Config) {
	fl := c.Flags()
	fl.StringArrayVar(&f.Netlist, "netlist", nil, "Verilog netlist `FILE` (repeat for more)")
	fl.StringArrayVarP(&f.FileList, "filelist", "f", nil, "`FILE` that lists netlists, as Verilog tools read it with -f")
	fl.StringArrayVar(&f.Lib, "lib", nil, "Liberty library `FILE` (repeat for more)")
	fl.StringArrayVar(&f.SDF, "sdf", nil, "delay `FILE[@INSTANCE]`, in order (repeat for more)")
	fl.StringVar(&f.Stim, "stim", "", "VCD `FILE` with the waveforms of inputs and registers")
	fl.StringVar(&f.Top, "top", "", "top `MODULE` (default: the one that nothing instantiates)")
	fl.StringVar(&f.Scope, "scope", "", "`SCOPE` of the dump that is the top, such as tb.dut (default: found)")
	fl.StringVar(&f.Corner, "corner", "", "column of SDF triples: `min|typ|max` (default typ)")
	fl.BoolVar(&f.CornerFallback, "corner-fallback", false, "where the column is empty take the mean of min and max, or the nearest there is")
	fl.StringVar(&f.Unconditional, "sdf-unconditional", "", "what an IOPATH without condition sets: `all|default` entries (default all)")
	fl.StringVar(&f.PulseReject, "pulse-reject", "", "reject limit `N%` of arcs without limits of their own (default 100%)")
	fl.StringVar(&f.From, "from", "", "start of the run: `TIME` as 10ns, or ticks (default: first time of the dump)")
	fl.StringVar(&f.To, "to", "", "end of the run, exclusive: `TIME` (default: last time of the dump)")
	fl.StringVar(&f.Tick, "tick", "", "unit of time, `TIME` as 1ps or 100fs (default 1ps)")
	fl.StringVar(&f.Cycle, "cycle", "", "split changes by a fixed cycle of `TIME` rather than by clocks")
	fl.StringVar(&f.X, "x", "", "unknown values of sources: `hold|0|1|random:SEED` (default hold)")
	fl.StringVar(&f.Unmapped, "unmapped", "", "sources that the dump lacks: `error|hold|toggle:P` (default error)")
	fl.StringVar(&f.RequireCoverage, "require-coverage", "", "exit with 3 when fewer than `PERCENT` of the sources have a stimulus")
	fl.StringVar(&f.Launch, "launch", "", "when sources change: `as-dumped` (default)")
}

// outputFlags adds the flags that choose how is simulated and what is written.
func outputFlags(c *cobra.Command, f *project.Config) {
	fl := c.Flags()
	fl.StringVar(&f.Glitch, "glitch", "", "`cycle|zero-delay`: glitches are changes beyond one a cycle, or beyond those of a zero-delay run (default cycle)")
	fl.StringVar(&f.Windows, "windows", "", "cut the time into `auto|N` windows; never changes the result (default auto)")
	fl.StringVar(&f.Engine, "engine", "", "`auto|host` (default auto)")
	fl.StringVar(&f.SAIF, "saif", "", "write SAIF 2.0 to `FILE`")
	fl.StringVar(&f.SAIFDialect, "saif-dialect", "", "spelling of names: `opensta|synopsys|generic` (default generic)")
	fl.StringVar(&f.SAIFIG, "saif-ig", "", "what IG counts of filtered pulses: their `edges|pulses` (default edges)")
	fl.StringVar(&f.Counts, "counts", "", "write counts per net as CSV to `FILE`, - for standard output")
	fl.StringVar(&f.VCD, "vcd", "", "write all waveforms to `FILE`")
	fl.IntVar(&f.Nets, "nets", 0, "list the `N` glitchiest nets in the report (default 0)")
}

// configure merges a wattd.toml with the flags that were given: flags win.
func configure(c *cobra.Command, args []string, flags project.Config, bag *diag.Bag) (project.Config, error) {
	path := ""
	if len(args) == 1 {
		path = args[0]
	} else if len(flags.Netlist)+len(flags.FileList) == 0 {
		if _, err := os.Stat("wattd.toml"); err == nil {
			path = "wattd.toml"
		}
	}
	if path == "" {
		return flags, nil
	}
	cfg, err := project.LoadConfig(path, bag)
	if err != nil {
		return flags, &exitError{exitInput, fmt.Errorf("cannot read %w", withoutOp(err))}
	}
	cfg.Override(&flags, func(flag string) bool { return c.Flags().Changed(flag) })
	return *cfg, nil
}

// withoutOp is an error of the operating system as people say it: the path and what is wrong.
func withoutOp(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return fmt.Errorf("%s: %w", pe.Path, pe.Err)
	}
	return err
}
