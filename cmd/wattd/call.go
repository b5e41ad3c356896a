package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/wattd/wattd/rpc"
)

func newCall() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "call METHOD [JSON]",
		Short: "Call a method of the protocol",
		Long: `Sends one request of docs/protocol.md and prints its result as JSON.

Exit codes: 0 answered, 1 the request failed, 2 usage or a request that the protocol does not know, 4 our fault.`,
		Example: `  wattd call net/activity '{"names": ["clk"]}'`,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) < 1 || len(args) > 2 {
				return &exitError{exitUsage, fmt.Errorf("wattd call takes a method and at most one JSON object")}
			}
			params := json.RawMessage("{}")
			if len(args) == 2 {
				if params = json.RawMessage(args[1]); !json.Valid(params) || bytes.TrimSpace(params)[0] != '{' {
					return &exitError{exitUsage, fmt.Errorf("%.60q is no JSON object", args[1])}
				}
			}
			return withServer(c, func(ctx context.Context, cl *rpc.Client) error {
				var r json.RawMessage
				if err := cl.Call(ctx, args[0], params, &r); err != nil {
					return err
				}
				if asJSON {
					_, err := fmt.Fprintf(c.OutOrStdout(), "%s\n", r)
					return err
				}
				return writeJSON(c.OutOrStdout(), r)
			})
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print the result on one line")
	return c
}
