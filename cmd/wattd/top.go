package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/wattd/wattd/rpc"
	"github.com/wattd/wattd/rpc/api"
)

func newTop() *cobra.Command {
	x := topView{}
	c := &cobra.Command{
		Use:   "top",
		Short: "Show the busiest nets, and what edits do to them",
		Long: `Shows the nets of an open design that change most, or glitch most, with their share of all, and again whenever an edit of a file changed
something. On a terminal the table is drawn in place; else a table follows the other. It ends on an interrupt (Ctrl-C), or with the
server. With --once it shows one table and ends. It starts no server.

Exit codes: 0 interrupted or shown, 1 no such design or no server runs, or the server ended, 2 usage, 4 our fault.`,
		Example: `  wattd top
  wattd top --sort glitch --scope u_acc --once --json`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if x.p.Limit <= 0 {
				return &exitError{exitUsage, fmt.Errorf("--limit is %d", x.p.Limit)}
			}
			if x.p.Sort != "tc" && x.p.Sort != "glitch" {
				return &exitError{exitUsage, fmt.Errorf("--sort %q: use tc or glitch", x.p.Sort)}
			}
			x.out = c.OutOrStdout()
			f, isFile := x.out.(*os.File)
			x.inPlace = isFile && term.IsTerminal(int(f.Fd())) && !x.json && !x.once
			return withRunning(c, func(ctx context.Context, cl *rpc.Client) error {
				err := x.show(ctx, cl)
				if ctx.Err() != nil && !x.once { // the way to end it
					return nil
				}
				return err
			})
		},
	}
	fl := c.Flags()
	designFlag(c, &x.p.Design)
	fl.StringVar(&x.p.Sort, "sort", "tc", "`tc|glitch`: most changes or most glitches first (default tc)")
	fl.StringVar(&x.p.Scope, "scope", "", "only nets at or below this `INSTANCE` (default: all)")
	fl.IntVar(&x.p.Limit, "limit", 20, "show `N` nets at most (default 20)")
	fl.BoolVar(&x.once, "once", false, "show one table and end")
	fl.BoolVar(&x.json, "json", false, "print the result of the protocol as JSON, an object a line unless --once")
	return c
}

// topView shows the busiest nets.
type topView struct {
	p          api.NetActivityParams
	once, json bool
	inPlace    bool
	out        io.Writer
	before     map[string]int64 // what was shown last, by net
}

func (x *topView) show(ctx context.Context, cl *rpc.Client) error {
	if x.once {
		return x.refresh(ctx, cl)
	}
	if _, err := rpc.Do(ctx, cl, api.Keep, api.KeepParams{Keep: true}); err != nil {
		return err
	}
	if _, err := rpc.Do(ctx, cl, api.Subscribe, api.SubscribeParams{Target: x.p.Target, Topic: "design"}); err != nil {
		return err
	}
	if err := x.refresh(ctx, cl); err != nil {
		return err
	}
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-cl.Done():
			return &exitError{exitInput, errors.New("the server ended")}
		case n := <-cl.Notifications():
			if n.Method != api.DesignDidUpdate.Name() {
				continue
			}
			err := x.refresh(ctx, cl)
			var e *api.Error
			if errors.As(err, &e) && e.Kind() == api.InputError { // the files are wrong just now; the next save tells
				continue
			}
			if err != nil {
				return err
			}
		}
	}
}

// refresh shows the newest snapshot.
func (x *topView) refresh(ctx context.Context, cl *rpc.Client) error {
	r, err := rpc.Do(ctx, cl, api.NetActivity, x.p)
	if err != nil {
		return err
	}
	total, err := rpc.Do(ctx, cl, api.SimRun, api.SimRunParams{Source: api.Source{Target: api.Target{Design: x.p.Design, Call: api.Call{Snapshot: r.Meta.Snapshot}}}})
	if err != nil {
		return err
	}
	if x.json {
		if x.once {
			return writeJSON(x.out, r)
		}
		return writeJSONLine(x.out, r)
	}
	var b bytes.Buffer
	if x.inPlace {
		b.WriteString("\x1b[H\x1b[2J")
	}
	x.table(&b, &r, &total)
	_, err = x.out.Write(b.Bytes())
	return err
}

func (x *topView) table(w io.Writer, r *api.NetActivityResult, total *api.SimRunResult) {
	fmt.Fprintf(w, "toggles %d, glitches %v in %d ticks of %s\n", total.Toggles, number(total.Glitch), r.To-r.From, r.Meta.Tick)
	t := newTable("net", "class", "toggles", "of all", "glitches", "change")
	now := map[string]int64{}
	for i := range r.Nets.Rows {
		n := &r.Nets.Rows[i]
		key := n.TC
		if x.p.Sort == "glitch" && n.Glitch != nil {
			key = *n.Glitch
		}
		change := ""
		if was, ok := x.before[n.Net]; ok && was != key {
			change = fmt.Sprintf("%+d", key-was)
		} else if !ok && x.before != nil {
			change = "new here"
		}
		now[n.Net] = key
		t.AppendRow(table.Row{n.Net, n.Class, n.TC, share(n.TC, total.Toggles), number(n.Glitch), change})
	}
	x.before = now
	fmt.Fprintln(w, t.Render())
	footing(w, &r.Meta)
}

// share is a part of a whole in percent.
func share(part, whole int64) string {
	if whole == 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f %%", 100*float64(part)/float64(whole))
}
