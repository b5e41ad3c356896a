package main

import (
	"context"
	"strings"
	"testing"
)

// TestQueriesRun: every query is answered, and has a row.
func TestQueriesRun(t *testing.T) {
	b := &bench{ctx: context.Background(), size: size{edits: []int{1_000}, cycles: 5}, tmp: t.TempDir()}
	if err := b.queries(); err != nil {
		t.Fatal(err)
	}
	for _, q := range queries {
		if !strings.Contains(b.text.String(), "| "+q.name+" |") {
			t.Errorf("no row of %s", q.name)
		}
	}
}
