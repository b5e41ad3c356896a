package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/spf13/cobra"

	"github.com/wattd/wattd/daemon"
	"github.com/wattd/wattd/rpc"
	"github.com/wattd/wattd/rpc/api"
)

// clientOf says how this program finds its server.
func clientOf() (*daemon.Client, error) {
	e, err := daemon.Find()
	if err != nil {
		return nil, &exitError{exitInput, err}
	}
	c := &daemon.Client{Endpoint: e, Version: version}
	if may, _ := daemon.MayStart(); may {
		exe, err := os.Executable()
		if err != nil {
			return nil, err
		}
		c.Start = []string{exe, "serve", "--background"}
	}
	return c, nil
}

// withServer calls f with a session: of the server, which is started when there is none; where none may be started, of this process.
func withServer(c *cobra.Command, f func(ctx context.Context, cl *rpc.Client) error) error {
	d, err := clientOf()
	if err != nil {
		return err
	}
	ctx := c.Context()
	cl, hello, err := d.Connect(ctx)
	if errors.Is(err, daemon.ErrNone) && len(d.Start) == 0 {
		cl, hello, err = daemon.InProcess(ctx, daemon.Options{Version: version})
	}
	if err != nil {
		return serverError(err)
	}
	defer cl.Close()
	if v := hello.ServerInfo.Version; v != version {
		fmt.Fprintf(c.ErrOrStderr(), "wattd: the server is version %s, this is %s; wattd stop ends it\n", v, version)
	}
	return f(ctx, cl)
}

// withRunning is withServer for verbs that start nothing.
func withRunning(c *cobra.Command, f func(ctx context.Context, cl *rpc.Client) error) error {
	d, err := clientOf()
	if err != nil {
		return err
	}
	d.Start = nil
	cl, _, err := d.Connect(c.Context())
	if err != nil {
		return serverError(err)
	}
	defer cl.Close()
	return f(c.Context(), cl)
}

// serverError gives an error of the server its exit code.
func serverError(err error) error {
	var e *api.Error
	switch {
	case errors.Is(err, daemon.ErrNone):
		return &exitError{exitInput, errors.New("no server runs; wattd open starts one")}
	case errors.As(err, &e):
		return e
	case errors.Is(err, context.Canceled):
		return err
	}
	return &exitError{exitInput, err}
}

// printError prints an error of the server as other faults of the input are printed, and tells the exit code.
func printError(w io.Writer, e *api.Error) int {
	for _, d := range e.Data.Diagnostics {
		at := d.Path
		if d.Line > 0 {
			at = fmt.Sprintf("%s:%d", at, d.Line)
			if d.Col > 0 {
				at = fmt.Sprintf("%s:%d", at, d.Col)
			}
			at += ": "
		} else if at != "" {
			at += ": "
		}
		fmt.Fprintf(w, "%s%s: %s [%s]\n", at, d.Severity, d.Message, d.Code)
	}
	fmt.Fprintf(w, "wattd: %s [%s]\n", e.Message, e.Kind())
	if len(e.Data.Candidates) > 0 {
		fmt.Fprintf(w, "    closest: %s\n", strings.Join(e.Data.Candidates, ", "))
	}
	if e.Data.Hint != "" {
		fmt.Fprintf(w, "    hint: %s\n", e.Data.Hint)
	}
	switch e.Kind() {
	case api.BadRequest, api.MethodNotFound, api.InvalidRequest, api.ParseError:
		return exitUsage
	case api.Internal, api.NotInitialized:
		return exitFault
	case api.Cancelled:
		return exitInterrupted
	}
	return exitInput
}

// writeJSON prints a result for programs.
func writeJSON(w io.Writer, v any) error {
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s\n", b)
	return err
}

// writeJSONLine prints a result as one line among others.
func writeJSONLine(w io.Writer, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s\n", b)
	return err
}

// jsonFlag adds --json.
func jsonFlag(c *cobra.Command, v *bool) {
	c.Flags().BoolVar(v, "json", false, "print the result of the protocol as JSON")
}

// designFlag adds --design, whose values the shell can complete.
func designFlag(c *cobra.Command, v *string) {
	c.Flags().StringVar(v, "design", "", "`NAME` of an open design (default: the one that is open)")
	_ = c.RegisterFlagCompletionFunc("design", completeDesign) // the flag is there
}

// completeDesign lists the open designs. It starts no server.
func completeDesign(c *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
	var names []string
	_ = withRunning(c, func(ctx context.Context, cl *rpc.Client) error {
		r, err := rpc.Do(ctx, cl, api.DesignList, api.Empty{})
		for _, d := range r.Designs.Rows {
			names = append(names, d.Name)
		}
		return err
	})
	return names, cobra.ShellCompDirectiveNoFileComp
}

// newTable makes a table in the style of reports.
func newTable(header ...any) table.Writer {
	t := table.NewWriter()
	style := table.StyleLight
	style.Format.Header = text.FormatDefault
	t.SetStyle(style)
	t.AppendHeader(table.Row(header))
	return t
}

// footing says in a line or two on what an answer rests.
func footing(w io.Writer, m *api.Meta) {
	fmt.Fprintf(w, "snapshot %d, tick %s, corner %s", m.Snapshot, m.Tick, m.Corner)
	if m.Stimulus != "" {
		fmt.Fprintf(w, ", stimulus %s in %s", m.Stimulus, m.Scope)
	}
	if m.Warnings > 0 {
		fmt.Fprintf(w, ", %d warnings (wattd call design/diagnostics)", m.Warnings)
	}
	fmt.Fprintln(w)
	if x := &m.Work; x.PairsTotal > 0 {
		fmt.Fprintf(w, "done for this answer: bytes read %d, gates compiled %d, windows of gates run %d of %d, cut off %d; %.1f ms\n",
			x.BytesParsed, x.GatesCompiled, x.PairsRun, x.PairsTotal, x.CutOffs, m.Ms["total"])
	}
	if m.Work.Reloaded != "" {
		fmt.Fprintf(w, "the %s had been let go for the memory budget (wattd serve --memory), so more was done than was edited\n", m.Work.Reloaded)
	}
	if len(m.Mixed) > 0 {
		fmt.Fprintf(w, "MIXED: %s did not change although others of the set did; wattd changed FILES confirms them\n", strings.Join(m.Mixed, ", "))
	}
	if m.NewSources != nil {
		fmt.Fprintf(w, "%d new sources hold their value: %s\n", m.NewSources.N, strings.Join(m.NewSources.First, ", "))
	}
}
