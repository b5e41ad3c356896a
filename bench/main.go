// Command bench measures wattd against other programs and against its own size, and writes bench/results.md.
//
// Contract: a figure stands beside the command and the machine that made it; a ratio is of two measurements of the same run.
// A peer that is not on PATH (or in WATTD_PEERS, a list of folders) prints "absent" with the last recorded ratio and its
// date, never a pass. Inputs come from package synth and, where it is there, from the corpus.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
)

// size says how much is measured.
type size struct {
	readers int   // gates of the design for the readers
	event   int   // gates of the synthetic design that Icarus runs too
	cycles  int   // of the growth table
	growth  []int // gates
	edits   []int // gates
	m1      bool  // the base case of the performance goals, with 100 cycles
}

var sizes = map[string]size{
	"small":   {readers: 10_000, event: 1_000, cycles: 50, growth: []int{1_000, 10_000}, edits: []int{1_000, 10_000}},
	"default": {readers: 100_000, event: 10_000, cycles: 50, growth: []int{1_000, 10_000, 100_000}, edits: []int{10_000, 100_000}},
	"large":   {readers: 1_000_000, event: 10_000, cycles: 50, growth: []int{1_000, 10_000, 100_000, 1_000_000, 5_000_000}, edits: []int{10_000, 100_000, 1_000_000}, m1: true},
}

func main() {
	which := flag.String("size", "default", "small, default or large")
	corpus := flag.String("corpus", "../shared/corpus", "folder of the corpus; absent parts are left out")
	out := flag.String("o", "bench/results.md", "file for the results")
	only := flag.String("only", "", "measure this part only and write no file: readers, engines, growth, edits, queries, restart")
	child := flag.String("child", "", "measure one whole run of the design in this folder and print it as JSON")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var err error
	if *child != "" {
		err = runChild(ctx, *child)
	} else {
		err = run(ctx, *which, *corpus, *out, *only)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, which, corpus, out, only string) error {
	sz, ok := sizes[which]
	if !ok {
		return fmt.Errorf("-size %q: use small, default or large", which)
	}
	tmp, err := os.MkdirTemp("", "wattd-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	past := loadPeers(filepath.Join("bench", "peers.json"))
	b := &bench{ctx: ctx, size: sz, corpus: corpus, tmp: tmp, peers: past}
	b.printf("# Benchmark results\n\nMade by `make bench BENCH=%s`. %s\n", which, machine())
	if only != "" {
		part, ok := map[string]func() error{"readers": b.readers, "engines": b.engines, "growth": b.growth, "edits": b.edits, "shares": b.shares, "queries": b.queries, "restart": b.restart}[only]
		if !ok {
			return fmt.Errorf("-only %q: there is no such part", only)
		}
		return part()
	}
	for _, part := range []func() error{b.readers, b.engines, b.growth, b.edits, b.shares, b.queries, b.restart} {
		if err := part(); err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	if err := past.save(filepath.Join(filepath.Dir(out), "peers.json")); err != nil {
		return err
	}
	return os.WriteFile(out, []byte(b.text.String()), 0o644)
}

// bench is one run of all measurements; text is what it has to say so far.
type bench struct {
	ctx    context.Context
	size   size
	corpus string
	tmp    string
	peers  *peers
	text   strings.Builder
}

// printf adds to the results and shows them as they come.
func (b *bench) printf(format string, args ...any) {
	s := fmt.Sprintf(format, args...)
	b.text.WriteString(s)
	fmt.Print(s)
}

func git(args ...string) string {
	out, err := exec.Command("git", args...).Output()
	if err != nil {
		return "unknown"
	}
	return strings.TrimSpace(string(out))
}
