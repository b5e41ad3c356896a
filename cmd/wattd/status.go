package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/spf13/cobra"

	"github.com/wattd/wattd/rpc"
	"github.com/wattd/wattd/rpc/api"
)

func newStatus() *cobra.Command {
	var json bool
	c := &cobra.Command{
		Use:   "status [DESIGN]",
		Short: "Show what the server, or one of its designs, is and holds",
		Long: `Without an argument it tells of the server: version, memory, designs, clients, how files are watched. With the name of a design it tells
what that is made of, after a look at its files. It starts no server.

Exit codes: 0 told, 1 no server runs or the design is not open, 2 usage.`,
		Args:              oneDesign,
		ValidArgsFunction: completeDesign,
		RunE: func(c *cobra.Command, args []string) error {
			return withRunning(c, func(ctx context.Context, cl *rpc.Client) error {
				out := c.OutOrStdout()
				if len(args) == 1 {
					r, err := rpc.Do(ctx, cl, api.DesignStatus, api.DesignParams{Target: api.Target{Design: args[0]}})
					if err == nil && json {
						return writeJSON(out, r)
					}
					if err == nil {
						describe(out, &r)
					}
					return err
				}
				r, err := rpc.Do(ctx, cl, api.ServerStatus, api.Empty{})
				if err != nil {
					return err
				}
				if json {
					return writeJSON(out, r)
				}
				describeServer(out, &r)
				return nil
			})
		},
	}
	jsonFlag(c, &json)
	return c
}

func newList() *cobra.Command {
	var json bool
	c := &cobra.Command{
		Use:   "list",
		Short: "List the open designs",
		Long:  "Lists the designs that the server holds. It starts no server.\n\nExit codes: 0 listed, 1 no server runs, 2 usage.",
		Args:  noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return withRunning(c, func(ctx context.Context, cl *rpc.Client) error {
				r, err := rpc.Do(ctx, cl, api.DesignList, api.Empty{})
				if err != nil {
					return err
				}
				if json {
					return writeJSON(c.OutOrStdout(), r)
				}
				listDesigns(c.OutOrStdout(), r.Designs.Rows)
				return nil
			})
		},
	}
	jsonFlag(c, &json)
	return c
}

func oneDesign(c *cobra.Command, args []string) error {
	if len(args) > 1 {
		return &exitError{exitUsage, fmt.Errorf("wattd %s takes the name of one design at most", c.Name())}
	}
	return nil
}

func listDesigns(w io.Writer, ds []api.DesignRow) {
	if len(ds) == 0 {
		fmt.Fprintln(w, "no design is open")
		return
	}
	t := newTable("design", "state", "snapshot", "gates", "nets", "stimuli", "memory", "project")
	for _, d := range ds {
		t.AppendRow(table.Row{d.Name, d.State, d.Snapshot, d.Gates, d.Nets, d.Stimuli, mega(d.Memory), d.Project})
	}
	fmt.Fprintln(w, t.Render())
}

func mega(n int64) string { return fmt.Sprintf("%.1f MB", float64(n)/(1<<20)) }

// describe prints a design for people.
func describe(w io.Writer, r *api.DesignStatusResult) {
	d := &r.Design
	fmt.Fprintf(w, "%s: %s, top %s, %d instances in %d scopes, %d nets, %d gates on %d levels; %d of %d arcs annotated\n",
		d.Name, d.State, d.Top, r.Instances, r.Scopes, d.Nets, d.Gates, r.Levels, r.Annotated, r.Arcs)
	for _, f := range r.Files.Rows {
		fmt.Fprintf(w, "  %-8s %s  %d bytes, blake3 %.16s, %s\n", f.Format, f.Path, f.Bytes, f.Blake3, f.State)
	}
	var cs []string
	for _, c := range r.Meta.Coverage {
		cs = append(cs, fmt.Sprintf("%s %d of %d", c.Class, c.Stimulus+c.Complement, c.Total))
	}
	if len(cs) > 0 {
		fmt.Fprintf(w, "sources with a stimulus: %s\n", strings.Join(cs, ", "))
	}
	footing(w, &r.Meta)
}

func describeServer(w io.Writer, r *api.ServerStatusResult) {
	idle := "never"
	if r.IdleExit > 0 {
		idle = "after " + (time.Duration(r.IdleExit) * time.Millisecond).String() + " idle"
	}
	fmt.Fprintf(w, "wattd %s, protocol %d.%d, process %d, up %s, leaves %s\n", r.Version, r.Protocol.Major, r.Protocol.Minor, r.Pid,
		(time.Duration(r.UptimeMs) * time.Millisecond).Round(time.Second), idle)
	fmt.Fprintf(w, "socket %s\nlog    %s\nadmin  %s\n", r.Socket, cmp.Or(r.Log, "standard error of the server"), r.Admin)
	if r.TCP != "" {
		fmt.Fprintf(w, "tcp    %s, token in %s\n", r.TCP, r.Token)
	}
	m := &r.Memory
	bound := "no budget"
	switch {
	case m.Budget > 0 && m.Accounted > m.Budget:
		bound = "over the budget of " + mega(m.Budget) + ", as the design asked last and what readers hold stay"
	case m.Budget > 0:
		bound = "budget " + mega(m.Budget)
	}
	fmt.Fprintf(w, "memory %s accounted, %s; %s resident; %d times waves or designs were let go\n", mega(m.Accounted), bound, mega(m.RSS), m.Evictions)
	fmt.Fprintf(w, "watch  %d folders by events, %d files polled, %d overflows\n", r.Watch.Events, r.Watch.Polled, r.Watch.Overflows)
	for _, n := range r.Watch.Notes {
		fmt.Fprintf(w, "       %s\n", n)
	}
	fmt.Fprintf(w, "%d clients\n", len(r.Sessions))
	listDesigns(w, r.Designs.Rows)
}
