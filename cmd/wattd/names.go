package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/wattd/wattd/internal/diag"
	"github.com/wattd/wattd/internal/project"
)

func newNames() *cobra.Command {
	c := &cobra.Command{
		Use:   "names",
		Short: "Ask how names bind",
		Args:  cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) > 0 {
				return &exitError{exitUsage, fmt.Errorf("unknown command %q (see wattd names --help)", args[0])}
			}
			return c.Help()
		},
	}
	e := newExplain()
	usageErrors(e)
	c.AddCommand(e)
	return c
}

func newExplain() *cobra.Command {
	var flags project.Config
	c := &cobra.Command{
		Use:   "explain NAME [wattd.toml]",
		Short: "Say where a name binds in each file, and why or why not",
		Long: `Resolves a name of any spelling (Verilog, VCD, SAIF, SDF, SPEF, SDC) in the design and says which rule bound it, what it is, which variable of
the dump drives it, and which statements of the delay files concern it; or which names come closest.

Exit codes: 0 the name is in the design, 1 it is not or the input is wrong, 2 usage.`,
		Example: "  wattd names explain 'u_core/acc_reg[3]' wattd.toml",
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) < 1 || len(args) > 2 {
				return &exitError{exitUsage, fmt.Errorf("wattd names explain takes a name and at most one wattd.toml")}
			}
			bag := &diag.Bag{}
			cfg, err := configure(c, args[1:], flags, bag)
			if err != nil {
				return err
			}
			s, err := project.NewSession(cfg, bag, nil)
			if err != nil {
				return err
			}
			if err := s.Compile(c.Context()); err != nil {
				return err
			}
			if s.Failed() {
				bag.Write(c.ErrOrStderr(), diag.Error, 3)
				return &exitError{exitInput, nil}
			}
			found, err := s.Explain(c.Context(), args[0], c.OutOrStdout())
			if err != nil {
				return err
			}
			if !found {
				return &exitError{exitInput, nil}
			}
			return nil
		},
	}
	inputFlags(c, &flags)
	return c
}
