//go:build unix

package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/wattd/wattd/internal/diag"
	"github.com/wattd/wattd/internal/project"
	"github.com/wattd/wattd/internal/synth"
)

// writeSynth writes a generated design and returns the flags that name it.
func writeSynth(t *testing.T, p synth.Params) (dir string, flags []string) {
	t.Helper()
	dir = t.TempDir()
	d := synth.New(p)
	for _, f := range []struct {
		flag, name string
		write      func(io.Writer) error
	}{{"--netlist", "top.v", d.WriteVerilog}, {"--lib", "cells.lib", d.WriteLiberty}, {"--sdf", "top.sdf", d.WriteSDF}, {"--stim", "stim.vcd", d.WriteVCD}} {
		path := filepath.Join(dir, f.name)
		o, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(f.write(o), o.Close()); err != nil {
			t.Fatal(err)
		}
		flags = append(flags, f.flag, path)
	}
	return dir, flags
}

// interrupted starts a run, interrupts it when ready says so, and checks that it ends as it should: with the code of an
// interrupt, soon, and without any file.
func interrupted(t *testing.T, out string, args []string, ready func(p *os.Process)) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 60*time.Second)
	defer cancel()
	c := exec.CommandContext(ctx, "wattd", args...)
	var stderr bytes.Buffer
	c.Stderr = &stderr
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	ready(c.Process)
	sent := time.Now()
	if err := c.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	var ee *exec.ExitError
	if err := c.Wait(); !errors.As(err, &ee) || ee.ExitCode() != exitInterrupted {
		t.Fatalf("ended with %v, want exit code %d: %s", err, exitInterrupted, stderr.String())
	}
	if d := time.Since(sent); d > 20*time.Second {
		t.Errorf("took %v to stop", d)
	}
	if !strings.Contains(stderr.String(), "wattd: interrupted") {
		t.Errorf("standard error: %s", stderr.String())
	}
	es, err := os.ReadDir(out)
	if err != nil {
		t.Fatal(err)
	}
	if len(es) > 0 {
		t.Errorf("files left: %v", es)
	}
}

func TestInterrupt(t *testing.T) {
	dir, in := writeSynth(t, synth.Params{Gates: 4000, Cycles: 150, Seed: 3})
	out := filepath.Join(dir, "out")
	if err := os.Mkdir(out, 0o755); err != nil {
		t.Fatal(err)
	}
	args := append([]string{"run"}, in...)
	args = append(args, "--counts", filepath.Join(out, "c.csv"), "--saif", filepath.Join(out, "a.saif"))

	t.Run("while reading", func(t *testing.T) {
		// the stimulus is a pipe that delivers half of the dump and then waits
		b, err := os.ReadFile(filepath.Join(dir, "stim.vcd"))
		if err != nil {
			t.Fatal(err)
		}
		pipe := filepath.Join(dir, "pipe.vcd")
		if err := syscall.Mkfifo(pipe, 0o600); err != nil {
			t.Fatal(err)
		}
		interrupted(t, out, append(args, "--stim", pipe), func(*os.Process) {
			w, err := os.OpenFile(pipe, os.O_WRONLY, 0)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { w.Close() })
			if _, err := w.Write(b[:len(b)/2]); err != nil {
				t.Fatal(err)
			}
		})
	})

	t.Run("while writing", func(t *testing.T) {
		// the dump of all nets goes into a pipe that nobody empties: the counts before it are whole, nothing else is there
		pipe := filepath.Join(dir, "out.vcd")
		if err := syscall.Mkfifo(pipe, 0o600); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(context.Background(), 60*time.Second)
		defer cancel()
		c := exec.CommandContext(ctx, "wattd", append(args, "--vcd", pipe)...)
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		r, err := os.OpenFile(pipe, os.O_RDONLY, 0) // the run has come to the dump
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(r, make([]byte, 1<<16)); err != nil {
			t.Fatal(err)
		}
		if err := c.Process.Signal(syscall.SIGINT); err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, r); err != nil {
			t.Fatal(err)
		}
		r.Close()
		var ee *exec.ExitError
		if err := c.Wait(); !errors.As(err, &ee) || ee.ExitCode() != exitInterrupted {
			t.Fatalf("ended with %v", err)
		}
		for _, n := range []string{"c.csv", "a.saif"} {
			if err := os.Remove(filepath.Join(out, n)); err != nil {
				t.Error(err)
			}
		}
		if es, _ := os.ReadDir(out); len(es) > 0 {
			t.Errorf("files left: %v", es)
		}
	})

	t.Run("twice", func(t *testing.T) {
		// a pipe that nobody opens cannot be waited for politely: the second interrupt ends the program
		pipe := filepath.Join(dir, "never.v")
		if err := syscall.Mkfifo(pipe, 0o600); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(context.Background(), 60*time.Second)
		defer cancel()
		c := exec.CommandContext(ctx, "wattd", append(args, "--netlist", pipe)...)
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		done := make(chan error, 1)
		go func() { done <- c.Wait() }()
		tick := time.NewTicker(50 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case err := <-done:
				if c.ProcessState.Success() {
					t.Errorf("ended with %v", err)
				}
				return
			case <-tick.C:
				_ = c.Process.Signal(syscall.SIGINT)
			}
		}
	})
}

// TestInterruptSimulation stops the simulation itself, in this process, where the moment is known.
func TestInterruptSimulation(t *testing.T) {
	dir, in := writeSynth(t, synth.Params{Gates: 4000, Cycles: 150, Seed: 3})
	out := filepath.Join(dir, "out")
	if err := os.Mkdir(out, 0o755); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	during := false
	cfg := project.Config{Netlist: in[1:2], Lib: in[3:4], SDF: in[5:6], Stim: in[7], Counts: filepath.Join(out, "c.csv")}
	s, err := project.NewSession(cfg, &diag.Bag{}, func(step string, _, _ int64) {
		if step == "simulate" {
			during = true
			cancel()
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Run(ctx); !errors.Is(err, context.Canceled) || !during {
		t.Fatalf("ended with %v, simulating %v", err, during)
	}
	if s.Table != nil {
		t.Error("counts of half a run")
	}
	if es, _ := os.ReadDir(out); len(es) > 0 {
		t.Errorf("files left: %v", es)
	}
}
