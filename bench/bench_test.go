package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/wattd/wattd/internal/diag"
	"github.com/wattd/wattd/internal/sim"
	"github.com/wattd/wattd/internal/synth"
	"github.com/wattd/wattd/internal/testenv"
	"github.com/wattd/wattd/kernel"
)

// TestEventFormRuns holds the peer's side of the measurement: what is written for Icarus compiles and runs to its end.
func TestEventFormRuns(t *testing.T) {
	iverilog, vvp := testenv.Require(t, "iverilog"), testenv.Require(t, "vvp")
	dir := t.TempDir()
	if err := writeDesign(dir, synth.New(synth.Params{Gates: 300, Levels: 8, Cycles: 5, Cond: true})); err != nil {
		t.Fatal(err)
	}
	s, err := load(context.Background(), designConfig(dir))
	if err != nil {
		t.Fatal(err)
	}
	start := sim.Settle(s.Design, s.Stim, &diag.Bag{})
	job := &kernel.Job{
		Cuts: sim.Cuts(s.Design, s.Stim, sim.Options{}), Start: start.Nets,
		SrcNet: s.Stim.Net, SrcOff: s.Stim.Off, SrcTick: s.Stim.Tick,
	}
	text, program := filepath.Join(dir, "event.v"), filepath.Join(dir, "event.vvp")
	out, err := os.Create(text)
	if err != nil {
		t.Fatal(err)
	}
	if err := writeEventForm(out, s.Design, job); err != nil {
		t.Fatal(err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	if msg, err := exec.Command(iverilog, "-g2005", "-gspecify", "-s", "tb", "-o", program, text).CombinedOutput(); err != nil || len(msg) > 0 {
		t.Fatalf("iverilog: %v\n%.500s", err, msg)
	}
	if secs, err := vvpTime(exec.Command(vvp, "-n", "-v", program)); err != nil || secs < 0 {
		t.Fatalf("%v s, %v", secs, err)
	}
}

func TestAbsentPeerSaysSo(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	t.Setenv("WATTD_PEERS", "")
	p := loadPeers(filepath.Join(t.TempDir(), "peers.json"))
	if _, ok := p.find("vvp"); ok {
		t.Fatal("found a program on an empty PATH")
	}
	if got := p.absent("x"); got != "absent" {
		t.Errorf("without a record: %q", got)
	}
	p.last["x"] = record{Ratio: 21.04, Date: "2026-01-02"}
	if got := p.absent("x"); got != "absent (last: 21.0x on 2026-01-02)" {
		t.Errorf("with a record: %q", got)
	}
}
