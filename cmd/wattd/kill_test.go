//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/wattd/wattd/daemon"
	"github.com/wattd/wattd/internal/edittest"
	"github.com/wattd/wattd/internal/netlist"
	"github.com/wattd/wattd/internal/project"
	"github.com/wattd/wattd/rpc"
	"github.com/wattd/wattd/rpc/api"
)

// killed is a server process that dies again and again, with the client that starts it.
type killed struct {
	t      *testing.T
	ctx    context.Context
	client *daemon.Client
	cl     *rpc.Client
	dir    edittest.Folder
	lately []string
}

func (k *killed) fatal(format string, args ...any) {
	k.t.Helper()
	k.t.Fatalf("edits %q: %s", k.lately, fmt.Sprintf(format, args...))
}

// connect connects to the server, which is started when there is none, and opens the design. It says whether the inputs are right.
func (k *killed) connect() bool {
	k.t.Helper()
	cl, _, err := k.client.Connect(k.ctx)
	if err != nil {
		k.fatal("%v", err)
	}
	k.cl = cl
	_, err = rpc.Do(k.ctx, cl, api.DesignOpen, api.DesignOpenParams{Project: k.dir.Config()})
	if err != nil && !errors.Is(err, api.Errorf(api.InputError, "")) {
		k.fatal("open: %v", err)
	}
	return err == nil
}

// kill ends the server in the middle of what it does.
func (k *killed) kill(pid int64) {
	k.t.Helper()
	if err := syscall.Kill(int(pid), syscall.SIGKILL); err != nil {
		k.fatal("%v", err)
	}
	<-k.cl.Done()
	k.cl.Close()
}

func (k *killed) pid() int64 {
	k.t.Helper()
	r, err := rpc.Do(k.ctx, k.cl, api.ServerStatus, api.Empty{})
	if err != nil {
		k.fatal("%v", err)
	}
	return r.Pid
}

// rows are the counts that a server answers, or a session has, by net.
type rows map[string]api.ActivityRow

func (k *killed) compare() {
	k.t.Helper()
	s, bag, err := edittest.Cold(k.ctx, k.dir.Config())
	if err != nil {
		k.fatal("cold: %v", err)
	}
	r, err := rpc.Do(k.ctx, k.cl, api.NetActivity, api.NetActivityParams{})
	if bag.Errors() > 0 {
		if !errors.Is(err, api.Errorf(api.InputError, "")) && !errors.Is(err, api.Errorf(api.DesignNotFound, "")) {
			k.fatal("%v, cold has %d errors", err, bag.Errors())
		}
		return
	}
	if err != nil {
		k.fatal("%v", err)
	}
	got := rows{}
	for _, x := range r.Nets.Rows {
		x.Density = 0
		got[x.Net] = x
	}
	if d := cmp.Diff(rowsOf(s), got); d != "" {
		k.fatal("%s", d)
	}
}

func rowsOf(s *project.Session) rows {
	m := rows{}
	for n := int32(2); int(n) < len(s.Netlist.Nets); n++ {
		if s.Netlist.Nets[n].Flags&netlist.NetHidden != 0 {
			continue
		}
		x := &s.Table.Nets[n]
		r := api.ActivityRow{
			Net: s.Netlist.NetName(n), TC: x.TC, Rise: x.Rise, Fall: x.Fall, T0: x.T0, T1: x.T1, TX: x.TX, TZ: x.TZ, TB: x.TB,
			Filtered: &x.Filtered, Class: s.Design.NetClass[n].String(),
		}
		if s.Table.Split {
			r.Functional, r.Glitch = &x.Functional, &x.Glitch
		}
		m[r.Net] = r
	}
	return m
}

// TestKilledWhileEditing kills the server while it answers, while it writes a file, and while its inputs are written: the next one
// answers as a cold run does, and a file is whole or not there.
func TestKilledWhileEditing(t *testing.T) {
	if testing.Short() {
		t.Skip("starts some hundred processes")
	}
	exe, err := exec.LookPath("wattd")
	if err != nil {
		t.Fatal(err)
	}
	run, err := os.MkdirTemp("/tmp", "wd") // TMPDIR may be too long for a socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(run) })
	t.Setenv("WATTD_RUNTIME_DIR", run)
	t.Setenv("WATTD_CACHE_DIR", filepath.Join(run, "cache"))
	e, err := daemon.Find()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	client := &daemon.Client{Endpoint: e, Version: version, Start: []string{exe, "serve", "--background", "--idle", "1m"}}
	t.Cleanup(func() {
		if err := daemon.Stop(context.Background(), e); err != nil && !errors.Is(err, daemon.ErrNone) {
			t.Error(err)
		}
	})
	kills, answers := 0, 0
	for seed := range uint64(50) {
		r := rand.New(rand.NewPCG(seed, 80))
		seq := edittest.New(seed + 1<<32)
		k := &killed{t: t, ctx: ctx, client: client, dir: edittest.Folder{Dir: t.TempDir()}}
		write := func(files map[string]string) {
			if _, err := k.dir.Write(files, r.IntN(3)); err != nil {
				t.Fatal(err)
			}
		}
		write(seq.Files())
		k.connect()
		k.compare()
		for range 3 {
			x := seq.Step()
			k.lately = append(k.lately, fmt.Sprintf("seed %d: %s: %s", seed, x.Kind, x.What))
			pid := k.pid()
			files := seq.Files()
			out := filepath.Join(k.dir.Dir, "out.vcd")
			if r.IntN(3) == 0 { // only some of the files are there when it dies
				some := map[string]string{}
				for name, text := range files {
					some[name] = text
				}
				some["top.v"] = files["top.v"][:r.IntN(len(files["top.v"]))]
				write(some)
			} else {
				write(files)
			}
			answered := make(chan error, 1)
			cl := k.cl
			go func() {
				_, err := rpc.Do(ctx, cl, api.ExportVCD, api.ExportVCDParams{Export: api.Export{Path: out, Overwrite: true}})
				answered <- err
			}()
			select { // anywhere between the arrival of the request and its answer
			case err := <-answered:
				if err == nil {
					answers++
				}
			case <-time.After(time.Duration(r.IntN(12000)) * time.Microsecond):
			}
			k.kill(pid)
			kills++
			write(files)
			ok := k.connect()
			if k.compare(); ok {
				k.whole(out)
			}
		}
		if _, err := rpc.Do(ctx, k.cl, api.DesignClose, api.DesignParams{}); err != nil && !errors.Is(err, api.Errorf(api.DesignNotFound, "")) {
			k.fatal("%v", err)
		}
		k.cl.Close()
	}
	t.Logf("killed %d times, %d of them behind the answer", kills, answers)
}

// whole checks that a file that a killed server wrote is there whole, or not at all.
func (k *killed) whole(path string) {
	k.t.Helper()
	b, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return
	}
	if err != nil {
		k.fatal("%v", err)
	}
	if len(b) == 0 || b[len(b)-1] != '\n' {
		k.fatal("%d bytes of a dump were left", len(b))
	}
}
