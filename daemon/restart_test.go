package daemon

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wattd/wattd/internal/synth"
	"github.com/wattd/wattd/rpc"
	"github.com/wattd/wattd/rpc/api"
)

// large is a design that takes long enough to open for a server to keep it.
func large(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	d := synth.New(synth.Params{Gates: 20_000, Cycles: 20, Seed: 4})
	for name, write := range map[string]func(io.Writer) error{"netlist.v": d.WriteVerilog, "cells.lib": d.WriteLiberty, "delays.sdf": d.WriteSDF, "stim.vcd": d.WriteVCD} {
		f, err := os.Create(filepath.Join(dir, name))
		if err == nil {
			err = errors.Join(write(f), f.Close())
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	text := "format = 1\nnetlist = [\"netlist.v\"]\nlib = [\"cells.lib\"]\nsdf = [\"delays.sdf\"]\nstim = \"stim.vcd\"\ntop = \"synth\"\nscope = \"tb.dut\"\n"
	if err := os.WriteFile(filepath.Join(dir, "wattd.toml"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestWarmRestart: the server after one that ended opens its design without reading, compiling or running, unless the cache was cleared.
func TestWarmRestart(t *testing.T) {
	e := endpoint(t)
	dir := large(t)
	var first map[string]count
	for i := range 3 {
		stop := serve(t, e, Options{NoWatch: true})
		cl := connect(t, &Client{Endpoint: e})
		w := open(t, cl, dir).Meta.Work
		none := w.BytesParsed == 0 && w.GatesCompiled == 0 && w.PairsRun == 0
		if none != (i == 1) {
			t.Errorf("server %d did %+v", i, w)
		}
		got, _ := asked(t, cl)
		if i == 0 {
			first = got
		} else if d := cmp.Diff(first, got); d != "" {
			t.Error(d)
		}
		st, err := rpc.Do(soon(t), cl, api.CacheStats, api.Empty{})
		if err != nil || st.Mode != "disk" || st.Path == "" || i == 1 && (st.Entries != 2 || st.Hits < 3 || st.Bytes == 0) {
			t.Errorf("%+v %v", st, err)
		}
		if i == 1 {
			if st, err := rpc.Do(soon(t), cl, api.CacheClear, api.Empty{}); err != nil || st.Entries != 0 {
				t.Errorf("cleared: %+v %v", st, err)
			}
		}
		cl.Close()
		if err := stop(); err != nil {
			t.Fatal(err)
		}
	}
}
