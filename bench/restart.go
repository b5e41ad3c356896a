package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/wattd/wattd/internal/synth"
	"github.com/wattd/wattd/internal/workspace"
)

// restart measures a cold open against one of what another process has left in the cache.
func (b *bench) restart() error {
	b.printf("\n## Warm restart\n\nThe time to open a design with its stimulus until its counts are there, without a cache and with the images of an earlier process\nin it, hashes checked. The goal is a ratio of 10 at 1 M gates.\n\n")
	b.printf("| gates | cold open ms | warm restart ms | ratio | images MB | written in ms |\n|---|---|---|---|---|---|\n")
	for _, gates := range b.size.edits {
		if err := b.restartOf(gates); err != nil {
			return err
		}
	}
	return nil
}

func (b *bench) restartOf(gates int) error {
	dir := filepath.Join(b.tmp, fmt.Sprintf("restart-%d", gates))
	defer os.RemoveAll(dir)
	if err := writeDesign(dir, synth.New(synth.Params{Gates: gates, Cycles: b.size.cycles, Seed: 1})); err != nil {
		return err
	}
	var open [2]float64
	var written float64
	var size int64
	for i := range open {
		runtime.GC()
		store := workspace.OpenStore(workspace.StoreOptions{Dir: filepath.Join(dir, "cache"), Least: 1})
		if _, ok := store.Stats(b.ctx); !ok { // waits until it is open, as the first client of a server hardly has to
			return fmt.Errorf("the cache does not open")
		}
		ws := workspace.New(nil)
		ws.SetStore(store)
		var s *workspace.Snapshot
		var err error
		open[i], err = took(func() error {
			_, s, _, err = ws.Open(b.ctx, "", workspace.Choice{Over: designConfig(dir)}, nil)
			return err
		})
		if err != nil {
			return err
		}
		if (i == 1) != (s.Session.Work.PairsRun == 0) {
			return fmt.Errorf("open %d of %d gates ran %d pairs", i, gates, s.Session.Work.PairsRun)
		}
		start := time.Now()
		if err := store.Close(context.WithoutCancel(b.ctx)); err != nil {
			return err
		}
		if i == 0 {
			written = time.Since(start).Seconds() * 1e3
			size = bytesUnder(filepath.Join(dir, "cache"), ".blob")
		}
	}
	b.printf("| %d | %.0f | %.1f | %.1f | %.1f | %.0f |\n", gates, open[0], open[1], open[0]/open[1], float64(size)/1e6, written)
	return nil
}

// bytesUnder sums the files below a folder whose names end so.
func bytesUnder(dir, end string) (n int64) {
	_ = filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err == nil && filepath.Ext(path) == end {
			if st, err := e.Info(); err == nil {
				n += st.Size()
			}
		}
		return nil
	})
	return n
}
