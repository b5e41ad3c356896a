package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/wattd/wattd/internal/diag"
	"github.com/wattd/wattd/internal/project"
)

func newRun() *cobra.Command {
	var flags project.Config
	var report string
	c := &cobra.Command{
		Use:   "run [wattd.toml]",
		Short: "Simulate and count",
		Long: `Reads the netlist, its libraries and delays, drives it with the recorded waveforms of its sources (inputs and outputs of
registers, memories and black boxes), and counts what every net did.

Without --netlist and -f it reads wattd.toml of the current folder, if there is one. A flag replaces the whole value of the same key
of the file. Times carry a unit (10ns); a bare number is ticks.

Exit codes: 0 done, 1 the input is wrong or an output cannot be written, 2 usage, 3 done but --require-coverage is not met, 4 our
fault, 130 interrupted.`,
		Example: `  wattd run --netlist top.v --lib cells.lib --sdf top.sdf --stim dump.vcd --counts counts.csv
  wattd run wattd.toml --saif top.saif --nets 20`,
		Args: atMostOne,
		RunE: func(c *cobra.Command, args []string) error {
			return runSession(c, args, flags, report, (*project.Session).Run)
		},
	}
	inputFlags(c, &flags)
	outputFlags(c, &flags)
	c.Flags().StringVar(&report, "report", "text", "form of the report: `text|json`")
	return c
}

// runSession takes a session through steps and prints its report.
func runSession(c *cobra.Command, args []string, flags project.Config, form string, steps func(*project.Session, context.Context) error) error {
	if form != "text" && form != "json" {
		return &project.UsageError{Msg: fmt.Sprintf("--report %q: use text or json", form)}
	}
	bag := &diag.Bag{}
	cfg, err := configure(c, args, flags, bag)
	if err != nil {
		return err
	}
	bar := newBar(c.ErrOrStderr())
	s, err := project.NewSession(cfg, bag, bar.progress())
	if err != nil {
		return err
	}
	if !s.Failed() {
		err = steps(s, c.Context())
	}
	bar.stop()
	if err != nil {
		return err
	}
	r := s.Report(version)
	if form == "json" {
		err = r.WriteJSON(c.OutOrStdout())
	} else {
		bag.Write(c.ErrOrStderr(), diag.Warning, 3)
		out := c.OutOrStdout()
		if cfg.Counts == "-" || cfg.SAIF == "-" || cfg.VCD == "-" {
			out = c.ErrOrStderr()
		}
		err = r.WriteText(out)
	}
	switch {
	case err != nil:
		return err
	case s.Failed():
		return &exitError{exitInput, nil}
	case !r.RequirementMet:
		return &exitError{exitRequirement, fmt.Errorf("coverage %.2f %% is below the required %s", r.Coverage.Percent, cfg.RequireCoverage)}
	}
	return nil
}
