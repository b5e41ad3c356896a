package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/wattd/wattd/internal/diag"
	"github.com/wattd/wattd/internal/project"
)

func newCheck() *cobra.Command {
	var flags project.Config
	var report string
	c := &cobra.Command{
		Use:   "check [wattd.toml]",
		Short: "Read, link and bind everything, simulate nothing",
		Long: `Does everything that run does up to the simulation, and prints coverage and diagnostics. What a wattd.toml says about outputs is
left aside.

Exit codes: as of run.`,
		Example: `  wattd check
  wattd check --netlist top.v --lib cells.lib --sdf top.sdf`,
		Args: atMostOne,
		RunE: func(c *cobra.Command, args []string) error {
			return runSession(c, args, flags, report, checkSteps)
		},
	}
	inputFlags(c, &flags)
	c.Flags().StringVar(&report, "report", "text", "form of the report: `text|json`")
	return c
}

// checkSteps reads and binds; a stimulus is not needed.
func checkSteps(s *project.Session, ctx context.Context) error {
	if err := s.Compile(ctx); err != nil {
		return err
	}
	if s.Config.Stim == "" {
		s.Bag.Add(diag.ProjNoStim, diag.Pos{}, "no stimulus to check")
		return ctx.Err()
	}
	if err := s.Bind(ctx); err != nil {
		return err
	}
	return ctx.Err()
}
