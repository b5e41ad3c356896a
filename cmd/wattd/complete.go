package main

import (
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/wattd/wattd/rpc"
	"github.com/wattd/wattd/rpc/api"
)

// A shell waits for its completions: they come from a server that runs, as it stands, within this time, and no more than this many.
const (
	completeTime  = time.Second
	completeNames = 200
)

// completeNets completes a flag with names of nets, completeArgs the arguments.
func completeNets(c *cobra.Command, flag string, design *string) {
	_ = c.RegisterFlagCompletionFunc(flag, completer("net", design)) // the flag is there
}

// completeScopes completes a flag with instances that have something below them.
func completeScopes(c *cobra.Command, flag string, design *string) {
	_ = c.RegisterFlagCompletionFunc(flag, completer("scope", design))
}

// completer lists names that begin with what is typed. It starts no server, prints nothing, and answers with nothing when it cannot.
func completer(kind string, design *string) func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return func(c *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		ctx := c.Context()
		if ctx == nil {
			ctx = context.Background()
		}
		ctx, cancel := context.WithTimeout(ctx, completeTime)
		defer cancel()
		c.SetContext(ctx)
		var names []string
		stale := int64(1) << 40 // no look at the files
		_ = withRunning(c, func(ctx context.Context, cl *rpc.Client) error {
			r, err := rpc.Do(ctx, cl, api.NamesResolve, api.NamesResolveParams{
				Target: api.Target{Call: api.Call{MaxStaleMs: &stale, TimeoutMs: completeTime.Milliseconds()}, Design: *design},
				Page:   api.Page{Limit: completeNames}, Selection: api.Selection{Names: []string{globText(typed) + "*"}}, Kind: kind,
			})
			for _, o := range r.Objects.Rows {
				names = append(names, o.Name)
			}
			return err
		})
		return names, cobra.ShellCompDirectiveNoFileComp
	}
}

// globText drops what a glob would take for a wildcard: what is typed then matches more, and the shell filters.
func globText(s string) string {
	if i := strings.IndexAny(s, "*?"); i >= 0 {
		return s[:i]
	}
	return s
}
