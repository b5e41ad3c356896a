package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/wattd/wattd/rpc"
	"github.com/wattd/wattd/rpc/api"
)

func newOpen() *cobra.Command {
	var p api.DesignOpenParams
	var json, unwatched bool
	c := &cobra.Command{
		Use:   "open [wattd.toml]",
		Short: "Open a design in the server and keep it",
		Long: `Reads, compiles and simulates a design in the server, which it starts when there is none, and keeps it there: later queries answer
from memory, and simulate again only what an edit of a file touches. Without --netlist and -f it reads wattd.toml of the current
folder. A flag replaces the same key of the file.

Exit codes: 0 open, 1 the input is wrong, 2 usage, 4 our fault.`,
		Example: `  wattd open examples/mac/wattd.toml
  wattd query --sort glitch --limit 10`,
		Args: atMostOne,
		RunE: func(c *cobra.Command, args []string) error {
			if p.Project = projectArg(args, len(p.Netlist)+len(p.FileList) > 0); p.Project == "" && len(p.Netlist)+len(p.FileList) == 0 {
				return &exitError{exitInput, fmt.Errorf("there is no wattd.toml here; name one, or give --netlist and --lib")}
			}
			if unwatched {
				watch := false
				p.Watch = &watch
			}
			return withServer(c, func(ctx context.Context, cl *rpc.Client) error {
				r, err := openWithBar(ctx, c, cl, p)
				if err != nil {
					return err
				}
				if json {
					return writeJSON(c.OutOrStdout(), r)
				}
				describe(c.OutOrStdout(), &r)
				return nil
			})
		},
	}
	fl := c.Flags()
	fl.StringVar(&p.Name, "name", "", "`NAME` of the design in the server (default: its top module)")
	fl.StringArrayVar(&p.Netlist, "netlist", nil, "Verilog netlist `FILE` (repeat for more)")
	fl.StringArrayVarP(&p.FileList, "filelist", "f", nil, "`FILE` that lists netlists, as Verilog tools read it with -f")
	fl.StringArrayVar(&p.Lib, "lib", nil, "Liberty library `FILE` (repeat for more)")
	fl.StringArrayVar(&p.SDF, "sdf", nil, "delay `FILE[@INSTANCE]`, in order (repeat for more)")
	fl.StringVar(&p.Top, "top", "", "top `MODULE` (default: the one that nothing instantiates)")
	fl.StringVar(&p.Corner, "corner", "", "column of SDF triples: `min|typ|max` (default typ)")
	fl.StringVar(&p.Tick, "tick", "", "unit of time, `TIME` as 1ps or 100fs (default 1ps)")
	fl.BoolVar(&unwatched, "no-watch", false, "look at the files only when something is asked")
	jsonFlag(c, &json)
	return c
}

// environment is that of this process, for the files that name variables: those of the server are not ours.
func environment() map[string]string {
	env := map[string]string{}
	for _, e := range os.Environ() {
		if name, value, ok := strings.Cut(e, "="); ok {
			env[name] = value
		}
	}
	return env
}

// projectArg is the wattd.toml that is meant: the one named, else that of the current folder unless files are named.
func projectArg(args []string, files bool) string {
	path := ""
	if len(args) == 1 {
		path = args[0]
	} else if _, err := os.Stat("wattd.toml"); err == nil && !files {
		path = "wattd.toml"
	}
	if path == "" {
		return ""
	}
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

// openWithBar opens a design and shows how far it is.
func openWithBar(ctx context.Context, c *cobra.Command, cl *rpc.Client, p api.DesignOpenParams) (r api.DesignStatusResult, err error) {
	p.Env = environment()
	bar := newBar(c.ErrOrStderr())
	defer bar.stop()
	show := bar.progress()
	err = cl.CallWithProgress(ctx, api.DesignOpen.Name(), p, &r, func(v api.ProgressValue) {
		if show != nil && v.Kind == "report" && v.Percentage != nil {
			show(v.Message, int64(*v.Percentage), 100)
		}
	})
	return r, err
}
