package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/wattd/wattd/daemon"
	"github.com/wattd/wattd/rpc"
	"github.com/wattd/wattd/rpc/api"
)

func newStop() *cobra.Command {
	var json bool
	c := &cobra.Command{
		Use:   "stop",
		Short: "End the server",
		Long: `Ends the server, after the requests that it has begun. The designs that it holds are let go; their files are untouched.

Exit codes: 0 none runs any more, 1 it does not end, 2 usage.`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			e, err := daemon.Find()
			if err != nil {
				return &exitError{exitInput, err}
			}
			ctx, cancel := context.WithTimeout(c.Context(), 20*time.Second)
			defer cancel()
			err = daemon.Stop(ctx, e)
			none := errors.Is(err, daemon.ErrNone)
			if err != nil && !none {
				return &exitError{exitInput, err}
			}
			if json {
				return writeJSON(c.OutOrStdout(), map[string]bool{"stopped": !none})
			}
			said := "stopped"
			if none {
				said = "no server runs"
			}
			_, err = fmt.Fprintln(c.OutOrStdout(), said)
			return err
		},
	}
	jsonFlag(c, &json)
	return c
}

func newClose() *cobra.Command {
	var json bool
	c := &cobra.Command{
		Use:   "close [DESIGN]",
		Short: "Let a design go",
		Long: `Closes a design in the server, unless a client that is connected has it open too. It starts no server.

Exit codes: 0 closed, 1 no server runs or the design is not open, 2 usage.`,
		Args:              oneDesign,
		ValidArgsFunction: completeDesign,
		RunE: func(c *cobra.Command, args []string) error {
			return withRunning(c, func(ctx context.Context, cl *rpc.Client) error {
				var t api.Target
				if len(args) == 1 {
					t.Design = args[0]
				}
				r, err := rpc.Do(ctx, cl, api.DesignClose, api.DesignParams{Target: t})
				if err == nil && json {
					return writeJSON(c.OutOrStdout(), r)
				}
				return err
			})
		},
	}
	jsonFlag(c, &json)
	return c
}
