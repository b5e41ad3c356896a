package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/wattd/wattd/internal/synth"
	"github.com/wattd/wattd/rpc"
	"github.com/wattd/wattd/rpc/api"
	"github.com/wattd/wattd/rpc/native"
)

// A query is asked again and again, of other nets where it is about one. First is what the first one took, when whatever it needs had to be
// made; goals are of p99, those of the base case.
type query struct {
	name string
	must float64 // ms
	rest float64 // ms, stretch
	n    int
	edit bool // there is a delay to edit first, so that there are two snapshots
	ask  func(ctx context.Context, cl *rpc.Client, net string) error
}

func one[P, R any](m api.Method[P, R], p func(net string) P) func(context.Context, *rpc.Client, string) error {
	return func(ctx context.Context, cl *rpc.Client, net string) error {
		_, err := rpc.Do(ctx, cl, m, p(net))
		return err
	}
}

var queries = []query{
	{"net/activity of a net", 50, 5, 1000, false, one(api.NetActivity, func(n string) api.NetActivityParams {
		return api.NetActivityParams{Selection: api.Selection{Names: []string{n}}}
	})},
	{"net/drivers", 50, 5, 1000, false, one(api.NetDrivers, func(n string) api.NetParams { return api.NetParams{Net: n} })},
	{"net/loads", 50, 5, 1000, false, one(api.NetLoads, func(n string) api.NetParams { return api.NetParams{Net: n} })},
	{"design/status", 5, 1, 1000, false, one(api.DesignStatus, func(string) api.DesignParams { return api.DesignParams{} })},
	{"top 20 by toggles", 200, 20, 100, false, one(api.NetActivity, func(string) api.NetActivityParams {
		return api.NetActivityParams{Sort: "tc", Page: api.Page{Limit: 20}}
	})},
	{"top 20 by glitches", 200, 20, 100, false, one(api.GlitchTop, func(string) api.GlitchTopParams {
		return api.GlitchTopParams{Page: api.Page{Limit: 20}}
	})},
	{"net/waveform of a net", 50, 5, 1000, false, one(api.NetWaveform, func(n string) api.NetWaveformParams {
		return api.NetWaveformParams{Selection: api.Selection{Names: []string{n}}}
	})},
	{"net/trace of a net's last event", 50, 5, 300, false, lastEvent},
	{"names/resolve", 50, 5, 300, false, one(api.NamesResolve, func(n string) api.NamesResolveParams {
		return api.NamesResolveParams{Selection: api.Selection{Names: []string{n}}}
	})},
	{"net/activity of a glob, 100 rows", 200, 20, 100, false, one(api.NetActivity, func(n string) api.NetActivityParams {
		return api.NetActivityParams{Page: api.Page{Limit: 100}, Selection: api.Selection{Names: []string{n[:len(n)/2] + "*"}}}
	})},
	{"server/status", 5, 1, 1000, false, one(api.ServerStatus, func(string) api.Empty { return api.Empty{} })},
	{"diff/run of an edited delay, 100 rows", 200, 20, 100, true, one(api.DiffRun, func(string) api.DiffRunParams {
		return api.DiffRunParams{Page: api.Page{Limit: 100}, Before: api.Side{Snapshot: 2}} // that of the stimulus
	})},
}

// lastEvent asks why the last event of a net happened, in two requests.
func lastEvent(ctx context.Context, cl *rpc.Client, net string) error {
	s, err := rpc.Do(ctx, cl, api.StimulusList, api.StimulusListParams{})
	if err != nil {
		return err
	}
	_, err = rpc.Do(ctx, cl, api.NetTrace, api.NetTraceParams{Net: net, At: s.Stimuli.Rows[0].To - 1})
	if errors.Is(err, api.Errorf(api.EmptyWindow, "")) { // it has none
		return nil
	}
	return err
}

// editDelay changes the delay of an arc, and has the server look.
func (b *bench) editDelay(cl *rpc.Client, dir string) error {
	e := edits[slices.IndexFunc(edits, func(e edit) bool { return e.name == "delay of an arc" })]
	path := filepath.Join(dir, e.file)
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := os.WriteFile(path, e.change(text), 0o644); err != nil {
		return err
	}
	_, err = rpc.Do(b.ctx, cl, api.DesignStatus, api.DesignParams{})
	return err
}

// queries measures answers from an open design through a socket, files compared before each.
func (b *bench) queries() error {
	b.printf("\n## Queries\n\nOf an open design, through a Unix socket, one after another, each with a look at the files: ms at the first, and at the 50th and 99th percent.\n\n")
	b.printf("| gates | query | first | p50 | p99 | must | stretch |\n|---|---|---|---|---|---|---|\n")
	for _, gates := range b.size.edits {
		if err := b.queriesOf(gates); err != nil {
			return err
		}
	}
	return nil
}

func (b *bench) queriesOf(gates int) error {
	dir := filepath.Join(b.tmp, fmt.Sprintf("queries-%d", gates))
	defer os.RemoveAll(dir)
	if err := writeDesign(dir, synth.New(synth.Params{Gates: gates, Cycles: b.size.cycles, Seed: 1})); err != nil {
		return err
	}
	return serving(b.ctx, filepath.Join(b.tmp, "q.sock"), func(cl *rpc.Client) error {
		c := designConfig(dir)
		open := api.DesignOpenParams{Netlist: c.Netlist, Lib: c.Lib, SDF: c.SDF, Top: c.Top}
		if _, err := rpc.Do(b.ctx, cl, api.DesignOpen, open); err != nil {
			return err
		}
		load := api.StimulusLoadParams{Path: c.Stim, Scope: c.Scope, From: c.From, To: c.To, Cycle: c.Cycle, X: c.X, Unmapped: c.Unmapped, Launch: c.Launch}
		if _, err := rpc.Do(b.ctx, cl, api.StimulusLoad, load); err != nil {
			return err
		}
		runtime.GC()
		var nets []string
		for i, q := range queries {
			net := ""
			if q.edit {
				if err := b.editDelay(cl, dir); err != nil {
					return err
				}
			}
			if i > 0 && nets == nil { // after the first query, which nothing is to prepare
				r, err := rpc.Do(b.ctx, cl, api.NetActivity, api.NetActivityParams{Page: api.Page{Limit: 1000}, Sort: "tc"})
				if err != nil {
					return err
				}
				for _, x := range r.Nets.Rows {
					nets = append(nets, x.Net)
				}
			}
			if net = "clk"; len(nets) > 0 {
				net = nets[0]
			}
			first, err := took(func() error { return q.ask(b.ctx, cl, net) })
			if err != nil {
				return fmt.Errorf("%s: %w", q.name, err)
			}
			ms := make([]float64, q.n)
			for k := range ms {
				if len(nets) > 0 {
					net = nets[k*7%len(nets)]
				}
				if ms[k], err = took(func() error { return q.ask(b.ctx, cl, net) }); err != nil {
					return fmt.Errorf("%s: %w", q.name, err)
				}
			}
			slices.Sort(ms)
			b.printf("| %d | %s | %.2f | %.2f | %.2f | %.0f | %.0f |\n", gates, q.name, first, ms[len(ms)/2], ms[len(ms)*99/100], q.must, q.rest)
		}
		return nil
	})
}

func took(f func() error) (ms float64, err error) {
	start := time.Now()
	err = f()
	return time.Since(start).Seconds() * 1e3, err
}

// serving calls f with a client of a server behind a socket.
func serving(ctx context.Context, socket string, f func(cl *rpc.Client) error) error {
	ctx, cancel := context.WithCancel(ctx)
	n := native.New(native.Server{Version: "bench"})
	opt := rpc.Options{Log: slog.New(slog.NewTextHandler(io.Discard, nil)), Opened: n.Opened, Admit: n.Admit}
	l, err := net.Listen("unix", socket)
	if err != nil {
		cancel()
		return err
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		if c, err := l.Accept(); err == nil {
			_ = rpc.NewServer(n.Handler(), opt).Serve(ctx, c) // ends with the client
		}
	})
	defer wg.Wait()
	defer l.Close()
	defer cancel()
	c, err := net.Dial("unix", socket)
	if err != nil {
		return err
	}
	cl := rpc.NewClient(c, opt)
	defer cl.Close()
	if _, err := rpc.Do(ctx, cl, api.Initialize, api.InitializeParams{Protocol: &api.Protocol}); err != nil {
		return err
	}
	return f(cl)
}
