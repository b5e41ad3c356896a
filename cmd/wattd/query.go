package main

import (
	"context"
	"fmt"
	"io"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/spf13/cobra"

	"github.com/wattd/wattd/rpc"
	"github.com/wattd/wattd/rpc/api"
)

func newQuery() *cobra.Command {
	var p api.NetActivityParams
	var project string
	var from, to int64
	var json, origins bool
	c := &cobra.Command{
		Use:   "query [NET...]",
		Short: "Show the activity of nets",
		Long: `Shows what nets did, from the newest state of the files: they are compared first, and what an edit touched is simulated again. Nets are
names of any spelling or globs, in which * and ? also stand for a slash; none are all. With --glitches it ranks nets by their
glitches and says how many are born at the gate of each, none of whose inputs has one in the same cycle, and how far the inputs are
apart there; --sort source ranks by these.

Exit codes: 0 shown, 1 no such net or design, or the input is wrong, 2 usage, 4 our fault.`,
		Example: `  wattd query --sort glitch --limit 10
  wattd query 'u_acc/next_*' clk
  wattd query --glitches --sort source`,
		RunE: func(c *cobra.Command, args []string) error {
			p.Names = args
			if c.Flags().Changed("from") {
				p.From = &from
			}
			if c.Flags().Changed("to") {
				p.To = &to
			}
			return withServer(c, func(ctx context.Context, cl *rpc.Client) error {
				if project != "" {
					r, err := openWithBar(ctx, c, cl, api.DesignOpenParams{Project: projectArg([]string{project}, false)})
					if err != nil {
						return err
					}
					p.Design = r.Design.Name
				}
				if origins {
					return queryGlitches(ctx, c, cl, &p, json)
				}
				r, err := rpc.Do(ctx, cl, api.NetActivity, p)
				if err != nil {
					return err
				}
				if json {
					return writeJSON(c.OutOrStdout(), r)
				}
				showActivity(c.OutOrStdout(), &r)
				return nil
			})
		},
	}
	fl := c.Flags()
	designFlag(c, &p.Design)
	fl.StringVar(&project, "project", "", "open this wattd.toml `FILE` first (default: the design is open)")
	fl.StringVar(&p.Scope, "scope", "", "only nets at or below this `INSTANCE` (default: all)")
	fl.BoolVar(&p.Regexp, "regexp", false, "nets are regular expressions over whole names")
	fl.StringVar(&p.Sort, "sort", "", "`name|tc|glitch|filtered|density`, largest first (default name); with --glitches net or source (default net)")
	fl.IntVar(&p.Limit, "limit", 20, "show `N` nets at most (default 20)")
	fl.Int64Var(&from, "from", 0, "begin of the interval in `TICKS` (default: that of the run)")
	fl.Int64Var(&to, "to", 0, "end of the interval in `TICKS` (default: that of the run)")
	fl.BoolVar(&origins, "glitches", false, "show glitches and where they are born")
	jsonFlag(c, &json)
	c.ValidArgsFunction = completer("net", &p.Design)
	completeScopes(c, "scope", &p.Design)
	return c
}

func number(v *int64) any {
	if v == nil {
		return "-"
	}
	return *v
}

func showActivity(w io.Writer, r *api.NetActivityResult) {
	t := newTable("net", "class", "toggles", "functional", "glitches", "filtered", "at 1")
	for _, n := range r.Nets.Rows {
		t.AppendRow(table.Row{n.Net, n.Class, n.TC, number(n.Functional), number(n.Glitch), number(n.Filtered), fmt.Sprintf("%.1f %%", 100*float64(n.T1)/float64(r.To-r.From))})
	}
	fmt.Fprintln(w, t.Render())
	if rest := r.Nets.Total - int64(len(r.Nets.Rows)); rest > 0 {
		fmt.Fprintf(w, "and %d more nets\n", rest)
	}
	footing(w, &r.Meta)
}

// queryGlitches ranks nets by glitches.
func queryGlitches(ctx context.Context, c *cobra.Command, cl *rpc.Client, p *api.NetActivityParams, json bool) error {
	r, err := rpc.Do(ctx, cl, api.GlitchTop, api.GlitchTopParams{Source: p.Source, Page: p.Page, Selection: p.Selection, By: p.Sort})
	if err != nil {
		return err
	}
	out := c.OutOrStdout()
	if json {
		return writeJSON(out, r)
	}
	t := newTable("net", "toggles", "glitches", "of all", "born here", "skew", "first", "last", "driver")
	for _, n := range r.Nets.Rows {
		driver := n.Instance
		if n.Cell != "" {
			driver += " (" + n.Cell + ")"
		}
		t.AppendRow(table.Row{n.Net, n.TC, n.Glitch, fmt.Sprintf("%.1f %%", 100*n.Share), n.Born, number(n.Skew), n.Early, n.Late, driver})
	}
	fmt.Fprintln(out, t.Render())
	if rest := r.Nets.Total - int64(len(r.Nets.Rows)); rest > 0 {
		fmt.Fprintf(out, "and %d more nets\n", rest)
	}
	footing(out, &r.Meta)
	return nil
}
