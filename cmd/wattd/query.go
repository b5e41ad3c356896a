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
	var json bool
	c := &cobra.Command{
		Use:   "query [NET...]",
		Short: "Show the activity of nets",
		Long: `Shows what nets did, from the newest state of the files: they are compared first, and what an edit touched is simulated again. Nets are
names of any spelling or globs, in which * and ? also stand for a slash; none are all.

Exit codes: 0 shown, 1 no such net or design, or the input is wrong, 2 usage, 4 our fault.`,
		Example: `  wattd query --sort glitch --limit 10
  wattd query 'u_acc/next_*' clk`,
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
	fl.StringVar(&p.Sort, "sort", "", "`name|tc|glitch|filtered|density`, largest first (default name)")
	fl.IntVar(&p.Limit, "limit", 20, "show `N` nets at most (default 20)")
	fl.Int64Var(&from, "from", 0, "begin of the interval in `TICKS` (default: that of the run)")
	fl.Int64Var(&to, "to", 0, "end of the interval in `TICKS` (default: that of the run)")
	jsonFlag(c, &json)
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
		t.AppendRow(table.Row{n.Net, n.Class, n.TC, number(n.Functional), number(n.Glitch), n.Filtered, fmt.Sprintf("%.1f %%", 100*float64(n.T1)/float64(r.To-r.From))})
	}
	fmt.Fprintln(w, t.Render())
	if rest := r.Nets.Total - int64(len(r.Nets.Rows)); rest > 0 {
		fmt.Fprintf(w, "and %d more nets\n", rest)
	}
	footing(w, &r.Meta)
}
