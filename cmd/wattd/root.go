package main

import (
	"fmt"

	"github.com/spf13/cobra"
)

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:           "wattd",
		Short:         "Gate-level re-simulation with SDF delays: activity and glitches",
		Long:          "wattd re-simulates a gate-level netlist from the recorded waveforms of its inputs and registers,\nwith full SDF delays, and counts what every net did: changes, glitches, time at 0 and 1.",
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) > 0 {
				return &exitError{exitUsage, fmt.Errorf("unknown command %q (see wattd --help)", args[0])}
			}
			return c.Help()
		},
	}
	root.AddCommand(newRun(), newCheck(), newInit(), newNames(), newVersion(),
		newServe(), newOpen(), newClose(), newList(), newStatus(), newQuery(), newDiff(), newWhatIf(), newCall(), newChanged(), newExport(), newWatch(), newTop(), newStop(), newConnect(), newDoctor())
	root.CompletionOptions.HiddenDefaultCmd = true
	for _, c := range append(root.Commands(), root) {
		usageErrors(c)
	}
	return root
}

func newVersion() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			_, err := fmt.Fprintln(c.OutOrStdout(), "wattd", version)
			return err
		},
	}
}

// noArgs refuses arguments as a fault of usage.
func noArgs(c *cobra.Command, args []string) error {
	if len(args) > 0 {
		return &exitError{exitUsage, fmt.Errorf("wattd %s takes no argument %q", c.Name(), args[0])}
	}
	return nil
}

// atMostOne refuses more than one argument.
func atMostOne(c *cobra.Command, args []string) error {
	if len(args) > 1 {
		return &exitError{exitUsage, fmt.Errorf("wattd %s takes one wattd.toml at most, not %d arguments", c.Name(), len(args))}
	}
	return nil
}
