package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/wattd/wattd/daemon"
	"github.com/wattd/wattd/rpc"
	"github.com/wattd/wattd/rpc/api"
)

// watched runs a watcher over the example design.
func watched(t *testing.T, w watcher) (save func(from, to string), next func() string, end func() error) {
	return live(t, func(ctx context.Context, cl *rpc.Client, out io.Writer) error {
		w.out, w.errs = out, out
		return w.watch(ctx, cl)
	})
}

// live runs what follows the example design. save edits the delays of par_16 and has the server look; next reads a line.
func live(t *testing.T, follow func(ctx context.Context, cl *rpc.Client, out io.Writer) error) (save func(from, to string), next func() string, end func() error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 60*time.Second)
	t.Cleanup(cancel)
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("..", "..", "examples", "mac"))); err != nil {
		t.Fatal(err)
	}
	cl, _, err := daemon.InProcess(ctx, daemon.Options{Version: "test"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cl.Close)
	if _, err := rpc.Do(ctx, cl, api.DesignOpen, api.DesignOpenParams{Project: filepath.Join(dir, "wattd.toml")}); err != nil {
		t.Fatal(err)
	}
	r, o := io.Pipe()
	watching, stop := context.WithCancel(ctx)
	done := make(chan error, 1)
	go func() {
		err := follow(watching, cl, o)
		o.Close()
		done <- err
	}()
	t.Cleanup(func() { stop(); r.Close() })
	lines := bufio.NewReader(r)
	next = func() string {
		t.Helper()
		s, err := lines.ReadString('\n')
		if err != nil {
			t.Fatalf("%q, %v", s, err)
		}
		return strings.TrimSuffix(s, "\n")
	}
	save = func(from, to string) {
		t.Helper()
		sdf := filepath.Join(dir, "delays.sdf")
		b, err := os.ReadFile(sdf)
		if err != nil {
			t.Fatal(err)
		}
		i := bytes.Index(b, []byte("(INSTANCE u_par_16)"))
		n := bytes.Index(b[i:], []byte("\n    ))"))
		cell := bytes.ReplaceAll(b[i:i+n], []byte(from), []byte(to))
		if err := os.WriteFile(sdf, bytes.Join([][]byte{b[:i], cell, b[i+n:]}, nil), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := rpc.Do(ctx, cl, api.DesignStatus, api.DesignParams{}); err != nil {
			t.Fatal(err)
		}
	}
	end = func() error { stop(); return <-done }
	return save, next, end
}

func TestWatch(t *testing.T) {
	save, next, end := watched(t, watcher{limit: 2})
	if s := next(); !strings.HasPrefix(s, "watching from snapshot 1;") {
		t.Error(s)
	}
	report := func() string {
		t.Helper()
		var all []string
		for s := next(); s != ""; s = next() {
			all = append(all, s)
		}
		return strings.Join(all, "\n")
	}
	save(":0.0", ":0.2")
	first := report()
	for _, want := range []string{"snapshot 2 after delays.sdf: toggles ", "│ par_16 │     332 │         78 │      294 │          40 │", "more nets", "windows of gates run 12 of 1023", "MIXED: "} {
		if !strings.Contains(first, want) {
			t.Errorf("no %q in\n%s", want, first)
		}
	}
	save(":0.2", ":0.0")
	if s := report(); !strings.Contains(s, "│ par_16 │      78 │        332 │       40 │         294 │") {
		t.Error(s)
	}
	if err := end(); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestWatchJSON(t *testing.T) {
	save, next, end := watched(t, watcher{limit: 1, json: true})
	next()
	save(":0.0", ":0.2")
	var got struct {
		Update  api.DesignUpdate
		Changed int
		Nets    []netChange
	}
	if err := json.Unmarshal([]byte(next()), &got); err != nil {
		t.Fatal(err)
	}
	if u := &got.Update; u.Snapshot != 2 || u.Meta.Work.PairsRun != 12 || len(u.Meta.Mixed) != 1 || u.Totals == nil || got.Changed < 2 || len(got.Nets) != 1 || got.Nets[0].TCBefore == nil {
		t.Errorf("%+v", got)
	}
	_ = end()
}

func TestChanges(t *testing.T) {
	n := func(v int64) *int64 { return &v }
	before := map[string]netCounts{"same": {5, n(1)}, "gone": {2, n(0)}, "more": {1, n(0)}, "split": {9, nil}}
	after := map[string]netCounts{"same": {5, n(1)}, "new": {2, n(0)}, "more": {8, n(3)}, "split": {9, n(4)}}
	var got []string
	for _, c := range changes(before, after) {
		got = append(got, c.Net)
	}
	if s := strings.Join(got, " "); s != "more split gone new" {
		t.Error(s)
	}
}
