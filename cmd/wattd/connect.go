package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/wattd/wattd/rpc"
	"github.com/wattd/wattd/rpc/connect"
)

func newConnect() *cobra.Command {
	var stdio bool
	var format, tcp, token string
	c := &cobra.Command{
		Use:   "connect --stdio",
		Short: "Join standard input and output to the server",
		Long: `Passes messages between standard input and output and the server, which it starts when there is none: for clients that cannot open a Unix
socket. With --format tcl a request is one Tcl list, METHOD PARAMS, and its answer one line: ok RESULT or error DETAILS.

With --tcp it connects to a server that was started with it, or to a tunnel that ends there, and starts none; --token is the file beside
the socket of that server.

Exit codes: 0 the input ended, 1 there is no server, 2 usage.`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if !stdio {
				return &exitError{exitUsage, fmt.Errorf("wattd connect needs --stdio")}
			}
			if (tcp == "") != (token == "") {
				return &exitError{exitUsage, fmt.Errorf("--tcp ADDRESS and --token FILE go together")}
			}
			d, err := clientOf()
			if err != nil {
				return err
			}
			if tcp != "" {
				d.Start, d.TCP, d.Token = nil, tcp, token
			}
			switch format {
			case "json":
				conn, err := d.Dial(c.Context())
				if err != nil {
					return serverError(err)
				}
				return connect.JSON(c.InOrStdin(), c.OutOrStdout(), conn)
			case "tcl":
				return connect.Tcl(c.Context(), c.InOrStdin(), c.OutOrStdout(), func(ctx context.Context) (*rpc.Client, error) {
					cl, _, err := d.Connect(ctx)
					return cl, err
				})
			}
			return &exitError{exitUsage, fmt.Errorf("--format %q: use json or tcl", format)}
		},
	}
	c.Flags().BoolVar(&stdio, "stdio", false, "use standard input and output")
	c.Flags().StringVar(&tcp, "tcp", "", "connect to `ADDRESS` of the loopback (default: to the socket)")
	c.Flags().StringVar(&token, "token", "", "`FILE` with the token for --tcp (default: none)")
	c.Flags().StringVar(&format, "format", "json", "form of messages: `json|tcl` (default json)")
	return c
}
