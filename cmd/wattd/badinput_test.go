//go:build linux

package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode/utf16"
)

// role is a way to give a file, with what a good one holds.
type role struct {
	name string
	good []byte
	args func(in map[string]string, file string) []string
}

// roles lists all, on the small design.
func roles(t *testing.T) []role {
	t.Helper()
	read := func(name string) []byte {
		b, err := os.ReadFile(filepath.Join("testdata", "tiny", name))
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	by := func(key string) func(map[string]string, string) []string {
		return func(in map[string]string, file string) []string {
			args := []string{"run"}
			for _, k := range []string{"netlist", "lib", "sdf", "stim"} {
				if k == key {
					args = append(args, "--"+k, file)
				} else {
					args = append(args, "--"+k, in[k])
				}
			}
			return args
		}
	}
	return []role{
		{"verilog", read("top.v"), by("netlist")},
		{"liberty", read("cells.lib"), by("lib")},
		{"sdf", read("top.sdf"), by("sdf")},
		{"vcd", read("stim.vcd"), by("stim")},
		{
			"toml", []byte("format = 1\nnetlist = [\"top.v\"]\nlib = [\"cells.lib\"]\nsdf = [\"top.sdf\"]\nstim = \"stim.vcd\"\n"),
			func(_ map[string]string, file string) []string { return []string{"run", file} },
		},
		{"filelist", []byte("// the design\n+define+X=1\ntop.v\n"), func(in map[string]string, file string) []string {
			return []string{"run", "-f", file, "--lib", in["lib"], "--sdf", in["sdf"], "--stim", in["stim"]}
		}},
	}
}

// tinyFiles copies the small design and returns its files by flag.
func tinyFiles(t *testing.T) (dir string, in map[string]string) {
	t.Helper()
	dir = t.TempDir()
	in = map[string]string{"netlist": "top.v", "lib": "cells.lib", "sdf": "top.sdf", "stim": "stim.vcd"}
	for k, name := range in {
		b, err := os.ReadFile(filepath.Join("testdata", "tiny", name))
		if err != nil {
			t.Fatal(err)
		}
		in[k] = filepath.Join(dir, name)
		if err := os.WriteFile(in[k], b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir, in
}

// outcome of a run in this process.
type outcome struct {
	code           int
	stdout, stderr string
}

func inProcess(args []string) outcome {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	var out, errs bytes.Buffer
	code := execute(ctx, args, &out, &errs)
	return outcome{code, out.String(), errs.String()}
}

// placed is an error that begins with a place, or that of something that is missing altogether.
var placed = regexp.MustCompile(`(?m)^(\S.*: )?error: .+ \[[a-z0-9-]+\](\n    hint: .+)?$`)

// refused checks that a run failed as bad input should: code 1, an error that names the file, and a hint.
func refused(t *testing.T, o outcome, file string) {
	t.Helper()
	switch {
	case o.code != exitInput:
		t.Errorf("exit code %d, want %d\n%s", o.code, exitInput, o.stderr)
	case !placed.MatchString(o.stderr) || !strings.Contains(o.stderr, filepath.Base(file)):
		t.Errorf("no error that names %s:\n%s", filepath.Base(file), o.stderr)
	case !strings.Contains(o.stderr, "\n    hint: "):
		t.Errorf("no hint:\n%s", o.stderr)
	case strings.Contains(o.stderr, "goroutine"):
		t.Errorf("a panic:\n%s", o.stderr)
	}
}

// TestBadFiles gives every role files that are something else altogether.
func TestBadFiles(t *testing.T) {
	dir, in := tinyFiles(t)
	rs := roles(t)
	zip := func(b []byte) []byte {
		var o bytes.Buffer
		z := gzip.NewWriter(&o)
		_, _ = z.Write(b)
		_ = z.Close()
		return o.Bytes()
	}
	junk := make([]byte, 1<<16)
	r := rand.New(rand.NewPCG(1, 2))
	for i := range junk {
		junk[i] = byte(r.Uint32())
	}
	utf := func(s string, order byte) []byte {
		b := []byte{0xff, 0xfe}
		if order == 'B' {
			b = []byte{0xfe, 0xff}
		}
		for _, u := range utf16.Encode([]rune(s)) {
			if order == 'B' {
				b = append(b, byte(u>>8), byte(u))
			} else {
				b = append(b, byte(u), byte(u>>8))
			}
		}
		return b
	}
	db := append([]byte("\x0bSynopsys db "), junk...)
	for _, ro := range rs {
		bad := []struct {
			name string
			data []byte
			says string
		}{
			{"empty", nil, "empty"},
			{"spaces", []byte("  \n\n \t\n"), ""},
			{"zeros", make([]byte, 1<<14), ""},
			{"binary junk", junk, ""},
			{"UTF-16 LE", utf(string(ro.good), 'L'), "UTF-16"},
			{"UTF-16 BE", utf(string(ro.good), 'B'), "UTF-16"},
			{"Git LFS pointer", []byte("version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 12345\n"), "git lfs pull"},
			{"HTML page", []byte("<!DOCTYPE html>\n<html><head><title>404 Not Found</title></head></html>\n"), "HTML"},
			{"encrypted Verilog", []byte("`pragma protect begin_protected\n`pragma protect version = 1\n`pragma protect data_block\nabc\n`pragma protect end_protected\n"), "encrypted"},
			{"FSDB", append([]byte("FSDB File Format\x00\x00"), junk...), ""},
			{"db", db, ""},
			{"zip", append([]byte("PK\x03\x04"), junk...), ""},
			{"ELF", append([]byte("\x7fELF\x02\x01\x01"), junk...), ""},
			{"PDF", []byte("%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n"), ""},
			{"empty in gzip", zip(nil), "empty"},
			{"page in gzip", zip([]byte("<html><body>moved</body></html>")), "HTML"},
			{"gzip in gzip", zip(zip(ro.good)), ""},
			{"gzip cut short", zip(append(ro.good, junk...))[:5000], ""},
		}
		if ro.name == "toml" {
			bad = bad[:13] // it is not read from compressed files
		}
		for _, b := range bad {
			t.Run(ro.name+"/"+b.name, func(t *testing.T) {
				file := filepath.Join(dir, "bad.input")
				if err := os.WriteFile(file, b.data, 0o644); err != nil {
					t.Fatal(err)
				}
				o := inProcess(ro.args(in, file))
				refused(t, o, file)
				if !strings.Contains(o.stderr, b.says) {
					t.Errorf("does not speak of %q:\n%s", b.says, o.stderr)
				}
			})
		}
		for _, other := range rs {
			if other.name == ro.name {
				continue
			}
			t.Run(ro.name+"/given "+other.name, func(t *testing.T) {
				file := filepath.Join(dir, "swapped.input")
				if err := os.WriteFile(file, other.good, 0o644); err != nil {
					t.Fatal(err)
				}
				refused(t, inProcess(ro.args(in, file)), file)
			})
		}
		t.Run(ro.name+"/directory", func(t *testing.T) {
			o := inProcess(ro.args(in, dir))
			if o.code != exitInput || !strings.Contains(o.stderr, "directory") {
				t.Errorf("exit %d: %s", o.code, o.stderr)
			}
		})
		t.Run(ro.name+"/missing", func(t *testing.T) {
			o := inProcess(ro.args(in, filepath.Join(dir, "missing.input")))
			if o.code != exitInput || !strings.Contains(o.stderr, "missing.input: ") || !strings.Contains(o.stderr, "no such file") {
				t.Errorf("exit %d: %s", o.code, o.stderr)
			}
		})
		t.Run(ro.name+"/unreadable", func(t *testing.T) {
			file := "/proc/self/mem" // reading its first byte fails for everybody
			o := inProcess(ro.args(in, file))
			if o.code != exitInput || !strings.Contains(o.stderr, file) {
				t.Errorf("exit %d: %s", o.code, o.stderr)
			}
		})
	}
}

// TestCutAndGarbled cuts and garbles good files at many places. What is left may still be right; it never ends in a panic, in a
// fault of ours, or in an error without a place.
func TestCutAndGarbled(t *testing.T) {
	dir, in := tinyFiles(t)
	for _, ro := range roles(t) {
		t.Run(ro.name, func(t *testing.T) {
			file := filepath.Join(dir, "bad."+ro.name)
			r := rand.New(rand.NewPCG(7, uint64(len(ro.good))))
			failed := 0
			try := func(what string, b []byte) {
				if err := os.WriteFile(file, b, 0o644); err != nil {
					t.Fatal(err)
				}
				o := inProcess(ro.args(in, file))
				switch {
				case o.code == exitInput:
					failed++
					if !placed.MatchString(o.stderr) {
						t.Errorf("%s: no error with a place:\n%s", what, o.stderr)
					}
				case o.code != exitDone:
					t.Errorf("%s: exit code %d\n%s\n%s", what, o.code, o.stderr, b)
				}
			}
			step := max(1, len(ro.good)/60)
			for i := 0; i < len(ro.good); i += step {
				try(fmt.Sprintf("cut at %d", i), ro.good[:i])
			}
			for k := range 60 {
				b := bytes.Clone(ro.good)
				for range 1 + k%4 {
					b[r.IntN(len(b))] = byte(r.Uint32())
				}
				try(fmt.Sprintf("garbled %d", k), b)
			}
			if failed < 20 {
				t.Errorf("only %d of the files were refused", failed)
			}
		})
	}
}

// TestHugeLine feeds each role 100 MB without a line end through a pipe, to a process of its own, whose memory and time are
// bounded.
func TestHugeLine(t *testing.T) {
	const (
		size      = 100 << 20
		memory    = 200 << 20 // resident, at most
		fill      = 1 << 20
		tooLong   = 60 * time.Second
		addresses = 3 << 30 // of the process, so that a fault of ours cannot take the machine along
	)
	dir, in := tinyFiles(t)
	fills := []struct{ role, start, repeat string }{ // what comes first, and what is repeated
		{"verilog", "module top (a); input a; wire ", "abcdefgh"},
		{"verilog", "module top (a); input a; /* ", "abcdefgh"},
		{"liberty", "library (x) { cell (", "abcdefgh"},
		{"liberty", "library (x) { /* ", "abcdefgh"},
		{"liberty", "library (x) { a : \"", "abcdefgh"},
		{"sdf", "(DELAYFILE (SDFVERSION \"", "3.0 abcd"},
		{"sdf", "(DELAYFILE (CELL (CELLTYPE \"INV\") (INSTANCE ", "abcdefgh"},
		{"sdf", "(DELAYFILE (CELL (", "(((((((("},
		{"vcd", "$timescale 1ps $end $scope module tb $end $var wire 1 ! ", "abcdefgh"},
		{"vcd", "$comment ", "abcd efg"},
		{"vcd", "$timescale 1ps $end $scope module dut $end $var wire 1 ! clk $end $upscope $end $enddefinitions $end #0 b", "01010101"},
		{"toml", "format = 1 # ", "abcdefgh"},
		{"filelist", "top", "abcdefgh"},
	}
	by := map[string]role{}
	for _, ro := range roles(t) {
		by[ro.name] = ro
	}
	for i, f := range fills {
		ro := by[f.role]
		t.Run(fmt.Sprintf("%s %d", f.role, i), func(t *testing.T) {
			pipe := filepath.Join(dir, fmt.Sprintf("pipe%d.%s", i, ro.name))
			if err := syscall.Mkfifo(pipe, 0o600); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(context.Background(), tooLong)
			defer cancel()
			args := ro.args(in, pipe)
			c := exec.CommandContext(ctx, "sh", append([]string{"-c", "ulimit -v " + strconv.Itoa(addresses>>10) + "; exec wattd \"$@\"", "sh"}, args...)...)
			c.Env = append(os.Environ(), "GOMEMLIMIT=off")
			var stdout, stderr bytes.Buffer
			c.Stdout, c.Stderr = &stdout, &stderr
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			fed := make(chan error, 1)
			go func() {
				w, err := os.OpenFile(pipe, os.O_WRONLY, 0)
				if err != nil {
					fed <- err
					return
				}
				defer w.Close()
				block := bytes.Repeat([]byte(f.repeat), fill/len(f.repeat))
				_, err = io.WriteString(w, f.start)
				for n := 0; n < size && err == nil; n += len(block) {
					_, err = w.Write(block)
				}
				fed <- err
			}()
			err := c.Wait()
			// a run that ended without opening the pipe leaves the writer waiting for a reader
			if r, e := os.OpenFile(pipe, os.O_RDONLY|syscall.O_NONBLOCK, 0); e == nil {
				defer r.Close()
				if e := <-fed; e != nil && !errors.Is(e, syscall.EPIPE) && !errors.Is(e, syscall.EAGAIN) {
					t.Error(e)
				}
			}
			var ee *exec.ExitError
			if !errors.As(err, &ee) || ee.ExitCode() != exitInput {
				t.Fatalf("ended with %v: %.2000s", err, stderr.String())
			}
			refused(t, outcome{ee.ExitCode(), stdout.String(), stderr.String()}, pipe)
			if n := stderr.Len(); n > 64<<10 {
				t.Errorf("%d bytes of messages", n)
			}
			rss := c.ProcessState.SysUsage().(*syscall.Rusage).Maxrss << 10
			if rss > memory {
				t.Errorf("took %d MB", rss>>20)
			}
			t.Logf("%d MB, %v", rss>>20, c.ProcessState.UserTime()+c.ProcessState.SystemTime())
		})
	}
}
