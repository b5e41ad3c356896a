package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/spf13/cobra"

	"github.com/wattd/wattd/rpc"
	"github.com/wattd/wattd/rpc/api"
)

func newWatch() *cobra.Command {
	w := watcher{}
	c := &cobra.Command{
		Use:   "watch",
		Short: "Show what each save of a file changes",
		Long: `Waits for edits of the files of an open design and shows after each what it changed: the sums, the nets whose changes or glitches differ most
from what was shown before, and what had to be done. With --json it prints an object a line, with the update of the protocol and the
nets. It ends on an interrupt (Ctrl-C), or with the server. It starts no server.

Exit codes: 0 interrupted, 1 no such design or no server runs, or the server ended, 2 usage, 4 our fault.`,
		Example: "  wattd watch --limit 5",
		Args:    noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if w.limit < 0 {
				return &exitError{exitUsage, fmt.Errorf("--limit is %d", w.limit)}
			}
			w.out, w.errs = c.OutOrStdout(), c.ErrOrStderr()
			return withRunning(c, func(ctx context.Context, cl *rpc.Client) error {
				err := w.watch(ctx, cl)
				if ctx.Err() != nil { // the way to end it
					return nil
				}
				return err
			})
		},
	}
	designFlag(c, &w.design)
	c.Flags().IntVar(&w.limit, "limit", 10, "show `N` nets at most (default 10)")
	c.Flags().BoolVar(&w.json, "json", false, "print a JSON object a line")
	return c
}

// watcher shows what changes against what it has shown before, so that updates that were lost change nothing but the number of reports.
type watcher struct {
	design    string
	limit     int
	json      bool
	out, errs io.Writer

	shown int64 // snapshot
	nets  map[string]netCounts
}

type netCounts struct {
	tc     int64
	glitch *int64 // nil: no clock to split by
}

// netChange is a net with other counts. Those of a side on which it is not there are null.
type netChange struct {
	Net          string `json:"net"`
	TCBefore     *int64 `json:"tcBefore"`
	TCAfter      *int64 `json:"tcAfter"`
	GlitchBefore *int64 `json:"glitchBefore"`
	GlitchAfter  *int64 `json:"glitchAfter"`
}

func (w *watcher) watch(ctx context.Context, cl *rpc.Client) error {
	target := api.Target{Design: w.design}
	if _, err := rpc.Do(ctx, cl, api.Keep, api.KeepParams{Keep: true}); err != nil {
		return err
	}
	sub, err := rpc.Do(ctx, cl, api.Subscribe, api.SubscribeParams{Target: target, Topic: "design"})
	if err != nil {
		return err
	}
	if w.nets, w.shown, err = counts(ctx, cl, target); err != nil {
		return err
	}
	fmt.Fprintf(w.errs, "watching from snapshot %d; an interrupt ends it\n", w.shown)
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
			var u api.DesignUpdate
			if err := json.Unmarshal(n.Params, &u); err != nil {
				return err
			}
			if u.Subscription != sub.Subscription || u.Snapshot <= w.shown {
				continue
			}
			if err := w.update(ctx, cl, &u); err != nil {
				return err
			}
		}
	}
}

// update shows a snapshot.
func (w *watcher) update(ctx context.Context, cl *rpc.Client, u *api.DesignUpdate) error {
	now, n, err := counts(ctx, cl, api.Target{Design: u.Design, Call: api.Call{Snapshot: u.Snapshot}})
	if errors.Is(err, api.Errorf(api.StaleSnapshot, "")) {
		return nil // newer ones have come since, and the last of them shows all
	}
	if err != nil {
		return err
	}
	changed := changes(w.nets, now)
	w.nets, w.shown = now, n
	if w.json {
		b, err := json.Marshal(struct {
			Update  *api.DesignUpdate `json:"update"`
			Changed int               `json:"changed"` // nets whose changes or glitches differ
			Nets    []netChange       `json:"nets"`    // the first of them
		}{u, len(changed), changed[:min(w.limit, len(changed))]})
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(w.out, "%s\n", b)
		return err
	}
	return w.show(u, changed)
}

func (w *watcher) show(u *api.DesignUpdate, changed []netChange) error {
	var b strings.Builder
	var files []string
	for _, f := range u.Cause {
		files = append(files, filepath.Base(f))
	}
	fmt.Fprintf(&b, "snapshot %d after %s", u.Snapshot, cmp.Or(strings.Join(files, ", "), "an edit"))
	if t := u.Totals; t != nil {
		fmt.Fprintf(&b, ": toggles %d -> %d", t.TCBefore, t.TCAfter)
		if t.GlitchBefore != nil && t.GlitchAfter != nil {
			fmt.Fprintf(&b, ", glitches %d -> %d", *t.GlitchBefore, *t.GlitchAfter)
		}
	}
	b.WriteByte('\n')
	if shown := changed[:min(w.limit, len(changed))]; len(shown) > 0 {
		t := newTable("net", "toggles", "-> toggles", "glitches", "-> glitches")
		for _, n := range shown {
			t.AppendRow(table.Row{n.Net, number(n.TCBefore), number(n.TCAfter), number(n.GlitchBefore), number(n.GlitchAfter)})
		}
		fmt.Fprintln(&b, t.Render())
	}
	if rest := len(changed) - w.limit; rest > 0 {
		fmt.Fprintf(&b, "and %d more nets\n", rest)
	} else if len(changed) == 0 {
		b.WriteString("no net has other toggles or glitches\n")
	}
	x := &u.Meta.Work
	fmt.Fprintf(&b, "done: bytes read %d, gates compiled %d, windows of gates run %d of %d, cut off %d\n",
		x.BytesParsed, x.GatesCompiled, x.PairsRun, x.PairsTotal, x.CutOffs)
	m := u.Meta
	m.Work = api.Work{}
	footing(&b, &m)
	_, err := fmt.Fprintln(w.out, b.String())
	return err
}

// counts reads the counts of all nets; none when there is no stimulus.
func counts(ctx context.Context, cl *rpc.Client, t api.Target) (nets map[string]netCounts, snapshot int64, err error) {
	nets = map[string]netCounts{}
	q := api.NetActivityParams{Source: api.Source{Target: t}, Page: api.Page{Limit: api.MaxLimit}}
	for {
		r, err := rpc.Do(ctx, cl, api.NetActivity, q)
		if errors.Is(err, api.Errorf(api.NotReady, "")) {
			s, err := rpc.Do(ctx, cl, api.DesignStatus, api.DesignParams{Target: t})
			return nets, s.Meta.Snapshot, err
		}
		if err != nil {
			return nil, 0, err
		}
		for i := range r.Nets.Rows {
			x := &r.Nets.Rows[i]
			nets[x.Net] = netCounts{x.TC, x.Glitch}
		}
		if q.Cursor = r.Nets.Cursor; q.Cursor == "" {
			return nets, r.Meta.Snapshot, nil
		}
	}
}

// changes lists the nets whose changes or glitches differ, the largest difference first.
func changes(before, after map[string]netCounts) []netChange {
	cs := []netChange{}
	size := func(c *netChange) int64 {
		return max(apart(c.TCBefore, c.TCAfter), apart(c.GlitchBefore, c.GlitchAfter))
	}
	for net, a := range after {
		b, was := before[net]
		switch {
		case !was:
			cs = append(cs, netChange{Net: net, TCAfter: &a.tc, GlitchAfter: a.glitch})
		case a.tc != b.tc || apart(a.glitch, b.glitch) != 0:
			cs = append(cs, netChange{net, &b.tc, &a.tc, b.glitch, a.glitch})
		}
	}
	for net, b := range before {
		if _, is := after[net]; !is {
			cs = append(cs, netChange{Net: net, TCBefore: &b.tc, GlitchBefore: b.glitch})
		}
	}
	slices.SortFunc(cs, func(a, b netChange) int {
		return cmp.Or(cmp.Compare(size(&b), size(&a)), cmp.Compare(a.Net, b.Net))
	})
	return cs
}

// apart is how far two counts are from each other; one that is not there is 0.
func apart(a, b *int64) int64 {
	var d int64
	if a != nil {
		d = *a
	}
	if b != nil {
		d -= *b
	}
	return max(d, -d)
}
