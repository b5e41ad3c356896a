package main

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/wattd/wattd/rpc"
	"github.com/wattd/wattd/rpc/api"
)

// TestTop: an edit draws the table again, with how far the counts moved.
func TestTop(t *testing.T) {
	x := topView{p: api.NetActivityParams{Sort: "glitch", Page: api.Page{Limit: 3}}}
	save, next, end := live(t, func(ctx context.Context, cl *rpc.Client, out io.Writer) error {
		x.out = out
		return x.show(ctx, cl)
	})
	table := func() string {
		t.Helper()
		var all []string
		for {
			s := next()
			all = append(all, s)
			if strings.HasPrefix(s, "snapshot ") {
				return strings.Join(all, "\n")
			}
		}
	}
	first := table()
	if !strings.Contains(first, "│ par_16 │ computed │     332 │ ") || strings.Contains(first, "new here") {
		t.Error(first)
	}
	save(":0.0", ":0.2")
	if s := table(); !strings.Contains(s, "snapshot 2") || !strings.Contains(s, "new here") || strings.Contains(s, "par_16 ") {
		t.Error(s)
	}
	save(":0.2", ":0.0")
	for {
		if s := table(); strings.Contains(s, "snapshot 3") {
			if !strings.Contains(s, "│ par_16 │ computed │     332 │ ") {
				t.Error(s)
			}
			break
		}
	}
	if err := end(); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
