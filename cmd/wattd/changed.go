package main

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/wattd/wattd/rpc"
	"github.com/wattd/wattd/rpc/api"
)

func newChanged() *cobra.Command {
	var json, now bool
	c := &cobra.Command{
		Use:   "changed FILE...",
		Short: "Tell the server that files were written",
		Long: `Says that these files, or all of a folder, are complete, so that answers are not called mixed because others of their set changed and they did
not. It waits until the designs that use them are read again. It starts no server.

Exit codes: 0 told, 1 no server runs or the input is wrong, 2 usage.`,
		Example: "  wattd changed top.v top.sdf",
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return &exitError{exitUsage, fmt.Errorf("wattd changed takes the files that were written")}
			}
			p := api.ChangedParams{Wait: !now}
			for _, a := range args {
				abs, err := filepath.Abs(a)
				if err != nil {
					return err
				}
				p.Paths = append(p.Paths, abs)
			}
			return withRunning(c, func(ctx context.Context, cl *rpc.Client) error {
				r, err := rpc.Do(ctx, cl, api.WorkspaceChanged, p)
				if err != nil {
					return err
				}
				out := c.OutOrStdout()
				if json {
					return writeJSON(out, r)
				}
				for _, f := range r.Changed {
					fmt.Fprintln(out, "changed", f)
				}
				for _, d := range r.Designs {
					fmt.Fprintln(out, "used by", d)
				}
				for _, f := range r.Unused {
					fmt.Fprintln(out, "unused ", f)
				}
				if len(r.Designs) > 0 {
					footing(out, &r.Meta)
				}
				return nil
			})
		},
	}
	c.Flags().BoolVar(&now, "no-wait", false, "do not wait until the files are read")
	jsonFlag(c, &json)
	return c
}
