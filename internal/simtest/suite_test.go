package simtest

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"go.uber.org/goleak"

	"github.com/wattd/wattd/internal/simtest/model"
	"github.com/wattd/wattd/kernel/host"
	"github.com/wattd/wattd/kernel/remote"
)

func TestMain(m *testing.M) {
	if os.Getenv(childEnv) == "" {
		goleak.VerifyTestMain(m)
		return
	}
	conn, err := remote.Inherited()
	if err == nil {
		err = remote.Serve(conn, host.NewIn)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// must lists what a full run has to meet: a rule that no case exercises is not tested.
var must = []string{
	"arc unannotated", "arc with limits", "black box", "child process", "clock stopped", "cond unknown name", "condition true", "default entry beside conditions",
	"dump unit other than the tick", "error pulse", "fallback", "fighting drivers", "filtered", "functional changes", "glitch changes", "loop opened", "negative delay",
	"negative wire", "observer compared", "parallel drivers", "plan too small", "pulse reject", "Q from QN or QN from Q", "race", "register output",
	"several conditions true", "start inside the dump", "state bit from the stimulus", "state bit not transparent at start", "three-state b", "three-state d",
	"three-state net", "three-state z", "tick other than 1ps", "two SDF files", "unconditional=default", "variant 0", "variant 1", "variant 2", "variant 3", "windows of single ticks",
	"windows shorter than delays", "wire error pulse", "wire filtered", "wire from a wrong source", "wire of segments",
	"wire with limits", "x replaced", "zero-delay run",
}

// TestRandom compares random circuits with the oracle and with themselves.
func TestRandom(t *testing.T) {
	cases, first := number(t, "WATTD_CASES", 10_000), uint64(number(t, "WATTD_SEED", 1))
	if testing.Short() {
		cases = min(cases, 500)
	}
	var tl tally
	var next, failed atomic.Int64
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for failed.Load() < 5 {
				i := next.Add(1) - 1
				if i >= int64(cases) {
					return
				}
				seed := first + uint64(i)
				c := model.Random(seed, model.SizeFor(seed))
				if err := checkCase(c, &tl); err != nil {
					failed.Add(1)
					report(t, c, err)
				}
			}
		})
	}
	wg.Wait()
	for _, k := range slices.Sorted(maps.Keys(tl.n)) {
		t.Logf("%10d  %s", tl.n[k], k)
	}
	if refused := tl.n["refused: tick too coarse"] + tl.n["refused: zero-delay dump"]; refused > int64(cases)/50 {
		t.Errorf("%d of %d cases were refused: the generator makes too many", refused, cases)
	}
	if cases < 10_000 || failed.Load() > 0 {
		return
	}
	for _, k := range must {
		if tl.n[k] == 0 && (k != "child process" || runtime.GOOS == "linux") {
			t.Errorf("no case met %q", k)
		}
	}
}

func number(t *testing.T, name string, def int) int {
	s := os.Getenv(name)
	if s == "" {
		return def
	}
	n, err := strconv.Atoi(s)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return n
}

// report names a failing case, makes it smaller, and leaves its files (kept with go test -artifacts).
func report(t *testing.T, c *model.Circuit, err error) {
	small, smallErr := shrink(c, err)
	dir := filepath.Join(t.ArtifactDir(), fmt.Sprint("seed-", c.Seed))
	if e := os.MkdirAll(dir, 0o755); e != nil {
		t.Error(e)
		return
	}
	x := textsOf(small)
	files := map[string]string{"netlist.v": x.verilog, "cells.lib": x.liberty, "stim.vcd": x.vcd}
	for i, s := range x.sdf {
		files[fmt.Sprintf("delays%d.sdf", i)] = s
	}
	for name, text := range files {
		if e := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); e != nil {
			t.Error(e)
		}
	}
	t.Errorf("WATTD_SEED=%d WATTD_CASES=1 (size %d): %v\nmade smaller (%d statements, run %d..%d ticks of %s, corner %s; files in %s): %v",
		c.Seed, c.Size, err, len(small.SDF), small.From, small.To, small.Unit(0), []string{"min", "typ", "max"}[small.Corner], dir, smallErr)
}

// shrink drops SDF statements and changes of sources as long as the case still fails in the same way.
func shrink(c *model.Circuit, err error) (*model.Circuit, error) {
	kind := func(err error) string { return strings.SplitN(err.Error(), ":", 2)[0] }
	best, bestErr := c, err
	var scratch tally
	try := func(change func(*model.Circuit)) bool {
		x := *best
		x.SDF = slices.Clone(best.SDF)
		x.Waves = slices.Clone(best.Waves)
		change(&x)
		e := checkCase(&x, &scratch)
		if e == nil || kind(e) != kind(err) {
			return false
		}
		best, bestErr = &x, e
		return true
	}
	for n := len(best.SDF) / 2; n > 0; n /= 2 {
		for at := 0; at+n <= len(best.SDF); {
			if !try(func(x *model.Circuit) { x.SDF = slices.Delete(x.SDF, at, at+n) }) {
				at += n
			}
		}
	}
	for w := range best.Waves {
		for n := len(best.Waves[w].Changes) / 2; n > 0; n /= 2 {
			for at := 1; at+n <= len(best.Waves[w].Changes); {
				if !try(func(x *model.Circuit) {
					x.Waves[w].Changes = slices.Delete(slices.Clone(x.Waves[w].Changes), at, at+n)
				}) {
					at += n
				}
			}
		}
	}
	return best, bestErr
}
