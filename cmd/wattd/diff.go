package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/spf13/cobra"

	"github.com/wattd/wattd/daemon"
	"github.com/wattd/wattd/rpc"
	"github.com/wattd/wattd/rpc/api"
)

func newDiff() *cobra.Command {
	var p api.DiffRunParams
	var from, to int64
	var json bool
	c := &cobra.Command{
		Use:   "diff [BEFORE [AFTER]]",
		Short: "Show what changed between two snapshots or two designs",
		Long: `Compares the counts of all nets, by name, and says of each that differs what is not the same at its driver: added, removed, cell,
connection, delay, stimulus; activity when only what comes in changed. BEFORE and AFTER are numbers of snapshots of an open design, of
which the server keeps the last few; AFTER is the newest and BEFORE the one before it when they are left out. Or they are two
wattd.toml files, which are read, simulated and compared here, without a server.

Exit codes: 0 compared, 1 no such snapshot or design, or the input is wrong, 2 usage, 4 our fault.`,
		Example: `  wattd diff --limit 5
  wattd diff 3 7 --net 'u_acc/*' --sort glitch
  wattd diff before/wattd.toml after/wattd.toml`,
		RunE: func(c *cobra.Command, args []string) error {
			if c.Flags().Changed("from") {
				p.From = &from
			}
			if c.Flags().Changed("to") {
				p.To = &to
			}
			call, err := diffOf(c, args, &p)
			if err != nil {
				return err
			}
			r, err := call(c)
			if err != nil {
				return err
			}
			if json {
				return writeJSON(c.OutOrStdout(), r)
			}
			showDiff(c.OutOrStdout(), &r)
			return nil
		},
	}
	fl := c.Flags()
	designFlag(c, &p.Design)
	fl.StringArrayVar(&p.Names, "net", nil, "a `NET` or glob (repeat for more; default: all nets)")
	fl.StringVar(&p.Scope, "scope", "", "only nets at or below this `INSTANCE` (default: all)")
	fl.BoolVar(&p.Regexp, "regexp", false, "nets are regular expressions over whole names")
	fl.StringVar(&p.Sort, "sort", "", "`change|name|glitch`, largest change first (default change)")
	fl.IntVar(&p.Limit, "limit", 20, "show `N` nets at most (default 20)")
	fl.Int64Var(&from, "from", 0, "begin of the interval in `TICKS` (default: that of the run)")
	fl.Int64Var(&to, "to", 0, "end of the interval in `TICKS` (default: that of the run)")
	jsonFlag(c, &json)
	completeNets(c, "net", &p.Design)
	completeScopes(c, "scope", &p.Design)
	return c
}

// diffOf says how the arguments are compared.
func diffOf(c *cobra.Command, args []string, p *api.DiffRunParams) (func(*cobra.Command) (api.DiffRunResult, error), error) {
	if len(args) > 2 {
		return nil, &exitError{exitUsage, fmt.Errorf("wattd diff takes two snapshots or two wattd.toml files, not %d arguments", len(args))}
	}
	var numbers []int64
	for _, a := range args {
		if n, err := strconv.ParseInt(a, 10, 64); err == nil {
			if n <= 0 {
				return nil, &exitError{exitUsage, fmt.Errorf("%s is no number of a snapshot: they count from 1", a)}
			}
			numbers = append(numbers, n)
		}
	}
	switch {
	case len(numbers) == len(args):
		return func(c *cobra.Command) (api.DiffRunResult, error) { return diffSnapshots(c, numbers, p) }, nil
	case len(numbers) > 0 || len(args) < 2:
		return nil, &exitError{exitUsage, fmt.Errorf("wattd diff takes two snapshots or two wattd.toml files, not %q", args)}
	case c.Flags().Changed("design"):
		return nil, &exitError{exitUsage, errors.New("--design is for snapshots, not for files")}
	}
	return func(c *cobra.Command) (api.DiffRunResult, error) { return diffFiles(c, args, p) }, nil
}

// diffSnapshots compares what the server keeps.
func diffSnapshots(c *cobra.Command, numbers []int64, p *api.DiffRunParams) (r api.DiffRunResult, err error) {
	err = withRunning(c, func(ctx context.Context, cl *rpc.Client) error {
		switch len(numbers) {
		case 2:
			p.After.Snapshot = numbers[1]
			fallthrough
		case 1:
			p.Before.Snapshot = numbers[0]
		default:
			s, err := rpc.Do(ctx, cl, api.DesignStatus, api.DesignParams{Target: p.Target})
			if err != nil {
				return err
			}
			if s.Meta.Snapshot == 1 {
				return &exitError{exitInput, errors.New("there is one snapshot only: nothing has changed since the design was opened")}
			}
			p.Before.Snapshot, p.After.Snapshot = s.Meta.Snapshot-1, s.Meta.Snapshot
		}
		r, err = rpc.Do(ctx, cl, api.DiffRun, *p)
		return err
	})
	return r, err
}

// diffFiles reads and compares two projects within this process.
func diffFiles(c *cobra.Command, files []string, p *api.DiffRunParams) (r api.DiffRunResult, err error) {
	ctx := c.Context()
	cl, _, err := daemon.InProcess(ctx, daemon.Options{Version: version})
	if err != nil {
		return r, serverError(err)
	}
	defer cl.Close()
	for i, name := range []string{"before", "after"} {
		if _, err = openWithBar(ctx, c, cl, api.DesignOpenParams{Name: name, Project: projectArg(files[i:i+1], false)}); err != nil {
			return r, err
		}
	}
	p.Before.Design, p.After.Design = "before", "after"
	return rpc.Do(ctx, cl, api.DiffRun, *p)
}

func showDiff(w io.Writer, r *api.DiffRunResult) {
	t := newTable("net", "toggles", "->", "glitches", "->", "ticks at 1", "->", "differs")
	for _, n := range r.Nets.Rows {
		t.AppendRow(table.Row{n.Net, number(n.TCBefore), number(n.TCAfter), number(n.GlitchBefore), number(n.GlitchAfter), number(n.T1Before), number(n.T1After), n.Cause})
	}
	if len(r.Nets.Rows) > 0 {
		fmt.Fprintln(w, t.Render())
	}
	if rest := r.Nets.Total - int64(len(r.Nets.Rows)); rest > 0 && len(r.Nets.Rows) > 0 {
		fmt.Fprintf(w, "and %d more nets\n", rest)
	}
	x := &r.Totals
	fmt.Fprintf(w, "%d nets differ: toggles %d -> %d, glitches %v -> %v\n", x.NetsChanged, x.TCBefore, x.TCAfter, number(x.GlitchBefore), number(x.GlitchAfter))
	d := &r.Design
	fmt.Fprintf(w, "gates: %d added, %d removed, %d of another function, %d with other inputs, %d with other delays; sources with other values: %d\n",
		d.GatesAdded, d.GatesRemoved, d.Functions, d.Inputs, d.Delays, d.SourceWaves)
	fmt.Fprint(w, "before: ")
	footing(w, &r.Before)
	fmt.Fprint(w, "after:  ")
	footing(w, &r.Meta)
}
