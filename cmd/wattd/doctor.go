package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/wattd/wattd/daemon"
)

func newDoctor() *cobra.Command {
	var json bool
	c := &cobra.Command{
		Use:   "doctor",
		Short: "Check what the server needs",
		Long: `Checks the folder and the socket of the server, the server that runs and its version, the limits of the system for watching files, and the
disk. It starts nothing and mends nothing.

Exit codes: 0 all is well, 1 something is not, 2 usage.`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			all := daemon.Doctor(c.Context(), version)
			well := true
			for _, f := range all {
				well = well && f.OK
			}
			if json {
				if err := writeJSON(c.OutOrStdout(), all); err != nil {
					return err
				}
			} else {
				for _, f := range all {
					mark := "ok  "
					if !f.OK {
						mark = "FAIL"
					}
					fmt.Fprintf(c.OutOrStdout(), "%s %-8s %s\n", mark, f.Check, f.Text)
				}
			}
			if !well {
				return &exitError{exitInput, nil}
			}
			return nil
		},
	}
	jsonFlag(c, &json)
	return c
}
