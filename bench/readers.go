package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"github.com/wattd/wattd/internal/diag"
	"github.com/wattd/wattd/internal/format/liberty"
	"github.com/wattd/wattd/internal/format/scan"
	"github.com/wattd/wattd/internal/format/sdf"
	"github.com/wattd/wattd/internal/format/vcd"
	"github.com/wattd/wattd/internal/format/verilog"
	"github.com/wattd/wattd/internal/source"
	"github.com/wattd/wattd/internal/synth"
)

// readers measures every reader on one core: from the page cache, nothing kept but what the reader keeps.
func (b *bench) readers() error {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	b.printf("\n## Readers, one core\n\nProcessor time, garbage collection included. `cat` is reading the same file and doing nothing. OpenSTA reads the same files in one process.\n\n")
	d := synth.New(synth.Params{Gates: b.size.readers, Cycles: 2000, Cond: true, Seed: 1})
	dir := filepath.Join(b.tmp, "readers")
	if err := writeDesign(dir, d); err != nil {
		return err
	}
	lib := filepath.Join(dir, "cells.lib")
	if p, err := b.unpack("liberty/sky130hd_tt.lib.gz"); err == nil {
		lib = p
	}
	rows := []reader{
		{"liberty", lib, func(r io.Reader, name string, bag *diag.Bag) error {
			_, err := liberty.Read(b.ctx, r, name, bag)
			return err
		}},
		{"verilog", filepath.Join(dir, "netlist.v"), func(r io.Reader, name string, bag *diag.Bag) error {
			_, err := verilog.Read(b.ctx, r, name, 0, scan.NewNames(), verilog.Option{}, bag)
			return err
		}},
		{"sdf", filepath.Join(dir, "delays.sdf"), func(r io.Reader, name string, bag *diag.Bag) error {
			_, err := sdf.Read(b.ctx, r, name, ignore{}, bag)
			return err
		}},
		{"vcd, all ids", filepath.Join(dir, "stim.vcd"), func(r io.Reader, name string, bag *diag.Bag) error {
			return b.readVCD(r, name, 1, bag)
		}},
		{"vcd, 1 id in 20", filepath.Join(dir, "stim.vcd"), func(r io.Reader, name string, bag *diag.Bag) error {
			return b.readVCD(r, name, 20, bag)
		}},
	}
	sta := b.openSTA(lib, filepath.Join(dir, "netlist.v"), filepath.Join(dir, "delays.sdf"))
	b.printf("| reader | file | MB | s | MB/s | cat MB/s | OpenSTA |\n|---|---|---|---|---|---|---|\n")
	for _, x := range rows {
		if err := b.row(x, sta); err != nil {
			return err
		}
	}
	return os.RemoveAll(dir)
}

type reader struct {
	name, path string
	read       func(r io.Reader, name string, bag *diag.Bag) error
}

func (b *bench) row(x reader, sta map[string]float64) error {
	st, err := os.Stat(x.path)
	if err != nil {
		return err
	}
	mb := float64(st.Size()) / 1e6
	open := func(f func(io.Reader) error) func() error {
		return func() error {
			in, err := os.Open(x.path)
			if err != nil {
				return err
			}
			defer in.Close()
			return f(in)
		}
	}
	cat, err := best(3, cpuTime, open(func(r io.Reader) error {
		_, err := io.CopyBuffer(onlyWriter{io.Discard}, r, make([]byte, 1<<17))
		return err
	}))
	if err != nil {
		return err
	}
	secs, err := best(3, cpuTime, open(func(r io.Reader) error {
		bag := &diag.Bag{}
		if err := x.read(r, filepath.Base(x.path), bag); err != nil {
			return err
		}
		if bag.Errors() > 0 {
			var text bytes.Buffer
			bag.Write(&text, diag.Error, 1)
			return fmt.Errorf("%s: %s", x.name, text.String())
		}
		return nil
	}))
	if err != nil {
		return err
	}
	peer := "-"
	if !strings.HasPrefix(x.name, "vcd") {
		what := "OpenSTA reading " + x.name
		if t, ok := sta[x.name]; ok {
			peer = b.peers.ratio(what, t/secs)
		} else {
			peer = b.peers.absent(what)
		}
	}
	b.printf("| %s | %s | %.1f | %.3f | %.0f | %.0f | %s |\n", x.name, filepath.Base(x.path), mb, secs, mb/secs, mb/cat, peer)
	return nil
}

// onlyWriter hides ReadFrom, so that a copy really passes the bytes through a buffer.
type onlyWriter struct{ io.Writer }

func (b *bench) readVCD(r io.Reader, name string, every int, bag *diag.Bag) error {
	v := vcd.NewReader(r, name, bag)
	h, err := v.Header(b.ctx)
	if err != nil {
		return err
	}
	want := make([]bool, h.NumIDs)
	for i := range want {
		want[i] = i%every == 0
	}
	_, err = v.Body(b.ctx, want, ignore{})
	return err
}

// ignore receives what readers hand on and does nothing.
type ignore struct{}

func (ignore) Time(int64) bool           { return true }
func (ignore) Change(int32, []byte) bool { return true }
func (ignore) DumpOff() bool             { return true }
func (ignore) DumpOn() bool              { return true }

// The other half of ignore: the methods of an SDF handler.
func (ignore) Header(*sdf.Header) bool                               { return true }
func (ignore) Cell([]byte, []byte, bool, diag.Pos) bool              { return true }
func (ignore) IOPath(*sdf.IOPath) bool                               { return true }
func (ignore) Device(sdf.Mode, []byte, []sdf.Value, diag.Pos) bool   { return true }
func (ignore) Port(sdf.Mode, []byte, []sdf.Value, diag.Pos) bool     { return true }
func (ignore) NetDelay(sdf.Mode, []byte, []sdf.Value, diag.Pos) bool { return true }
func (ignore) Interconnect(sdf.Mode, []byte, []byte, []sdf.Value, diag.Pos) bool {
	return true
}
func (ignore) PathPulse(bool, []byte, []byte, []sdf.Triple, diag.Pos) bool { return true }

// unpack writes a file of the corpus, decompressed, into the work folder.
func (b *bench) unpack(rel string) (string, error) {
	in, err := source.Open(b.ctx, filepath.Join(b.corpus, filepath.FromSlash(rel)), nil)
	if err != nil {
		return "", err
	}
	defer in.Close()
	name := strings.NewReplacer("/", "_", ".xz", "", ".gz", "").Replace(rel)
	path := filepath.Join(b.tmp, name)
	out, err := os.Create(path)
	if err != nil {
		return "", err
	}
	_, err = io.Copy(out, in)
	return path, errors.Join(err, out.Close())
}

// openSTA times OpenSTA reading the same files, by reader; nil when it is not there.
func (b *bench) openSTA(lib, netlist, delays string) map[string]float64 {
	sta, ok := b.peers.find("sta")
	if !ok {
		return nil
	}
	script := filepath.Join(b.tmp, "read.tcl")
	text := fmt.Sprintf(`proc timed {what script} {
  set t [clock microseconds]
  uplevel $script
  puts "timed $what [expr {[clock microseconds] - $t}]"
}
timed liberty {read_liberty %s}
read_liberty %s
timed verilog {read_verilog %s}
link_design synth
timed sdf {read_sdf %s}
exit
`, lib, filepath.Join(filepath.Dir(netlist), "cells.lib"), netlist, delays)
	if os.WriteFile(script, []byte(text), 0o644) != nil {
		return nil
	}
	out, err := exec.CommandContext(b.ctx, sta, "-no_splash", "-exit", script).Output()
	if err != nil {
		return nil
	}
	times := map[string]float64{}
	for line := range strings.Lines(string(out)) {
		if f := strings.Fields(line); len(f) == 3 && f[0] == "timed" {
			if us, err := strconv.ParseFloat(f[2], 64); err == nil {
				times[f[1]] = us / 1e6
			}
		}
	}
	return times
}
