package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/wattd/wattd/rpc"
	"github.com/wattd/wattd/rpc/api"
)

// editFlags collects edits in the order of the command line, whatever flag each came by.
type editFlags []api.Edit

// editFlag is a flag that adds an edit to those of the command line.
type editFlag struct {
	to    *editFlags
	parse func(key, value string) (api.Edit, error)
}

func (f *editFlag) String() string { return "" }

// Type implements pflag.Value.
func (f *editFlag) Type() string { return "string" }

// Set implements pflag.Value. Names may have = in them, values have none.
func (f *editFlag) Set(s string) error {
	at := strings.LastIndexByte(s, '=')
	if at <= 0 || at == len(s)-1 {
		return errors.New("want NAME=VALUE")
	}
	e, err := f.parse(s[:at], s[at+1:])
	if err == nil {
		*f.to = append(*f.to, e)
	}
	return err
}

// arcOf reads INSTANCE or INSTANCE/INPUT:OUTPUT.
func arcOf(e *api.Edit, s string) {
	e.Instance = s
	if at := strings.LastIndexByte(s, ':'); at > 0 {
		if slash := strings.LastIndexByte(s[:at], '/'); slash > 0 {
			e.Instance, e.Pin, e.Output = s[:slash], s[slash+1:at], s[at+1:]
		}
	}
}

// editVerbs are the edits that a flag can say.
var editVerbs = []struct {
	flag, usage string
	parse       func(key, value string) (api.Edit, error)
}{
	{"swap", "`INST=CELL` another library cell for an instance", func(k, v string) (api.Edit, error) {
		return api.Edit{Do: "swapCell", Instance: k, Cell: v}, nil
	}},
	{"set-delay", "`ARC=RISE,FALL` delays in ticks; ARC is INST/IN:OUT, or INST for all arcs", func(k, v string) (e api.Edit, err error) {
		e.Do = "setDelay"
		arcOf(&e, k)
		a, b, both := strings.Cut(v, ",")
		if !both {
			b = a
		}
		rise, err := strconv.ParseInt(a, 10, 64)
		if err != nil {
			return e, fmt.Errorf("%q is no number of ticks", a)
		}
		fall, err := strconv.ParseInt(b, 10, 64)
		if err != nil {
			return e, fmt.Errorf("%q is no number of ticks", b)
		}
		e.Rise, e.Fall = &rise, &fall
		return e, nil
	}},
	{"scale-delay", "`ARC=FACTOR` delays times a factor", func(k, v string) (e api.Edit, err error) {
		e.Do = "scaleDelay"
		arcOf(&e, k)
		if e.Factor, err = strconv.ParseFloat(v, 64); err != nil {
			err = fmt.Errorf("%q is no factor", v)
		}
		return e, err
	}},
	{"insert-buffer", "`NET=CELL` a buffer before all loads of a net", func(k, v string) (api.Edit, error) {
		return api.Edit{Do: "insertBuffer", Net: k, Cell: v}, nil
	}},
	{"reconnect", "`INST/PIN=NET` another net, or 1'b0 or 1'b1, for an input", func(k, v string) (api.Edit, error) {
		at := strings.LastIndexByte(k, '/')
		if at <= 0 {
			return api.Edit{}, errors.New("want INST/PIN=NET")
		}
		return api.Edit{Do: "reconnect", Instance: k[:at], Pin: k[at+1:], Net: v}, nil
	}},
	{"stimulus", "`NET=POLICY` hold, 0, 1, toggle:P or like:NET for a source", func(k, v string) (api.Edit, error) {
		return api.Edit{Do: "setStimulus", Net: k, Policy: v}, nil
	}},
}

func newWhatIf() *cobra.Command {
	var edits editFlags
	var remove []string
	var p api.WhatIfReportParams
	var target api.Target
	var project, commit, dialect, from string
	var overwrite, asJSON bool
	c := &cobra.Command{
		Use:   "whatif EDITS",
		Short: "Show what edits would change, without making them",
		Long: `Makes edits on the newest state of an open design that no file and no other client sees, simulates what they touch, shows the nets whose
counts differ, and drops the edits. They are made in the order of the command line, all or none: those of --remove-buffer come last.
With --edits a file has them, one JSON object of the protocol a line (- is the standard input), before those of flags. --commit writes
the changes of the netlist as an ECO script in Tcl; delays and stimuli are listed in it as comments.

Exit codes: 0 shown, 1 an edit cannot be made or the input is wrong, 2 usage, 4 our fault.`,
		Example: `  wattd whatif --swap u_par_16=XNOR2_1
  wattd whatif --scale-delay 'u_par_16/A:Y=1.1' --insert-buffer par_15=BUF_2 --commit eco.tcl --dialect openroad`,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) > 0 {
				return &exitError{exitUsage, fmt.Errorf("wattd whatif takes edits as flags, not %q", args)}
			}
			all, err := readEdits(c.InOrStdin(), from)
			if err != nil {
				return err
			}
			all = append(all, edits...)
			for _, inst := range remove {
				all = append(all, api.Edit{Do: "removeBuffer", Instance: inst})
			}
			if len(all) == 0 {
				return &exitError{exitUsage, errors.New("wattd whatif needs an edit, such as --swap INST=CELL")}
			}
			if commit == "" && (overwrite || dialect != "") {
				return &exitError{exitUsage, errors.New("--dialect and --overwrite are for --commit")}
			}
			return withServer(c, func(ctx context.Context, cl *rpc.Client) error {
				if project != "" {
					r, err := openWithBar(ctx, c, cl, api.DesignOpenParams{Project: projectArg([]string{project}, false)})
					if err != nil {
						return err
					}
					target.Design = r.Design.Name
				}
				w, err := rpc.Do(ctx, cl, api.WhatIfBegin, api.WhatIfBeginParams{Target: target})
				if err != nil {
					return err
				}
				p.ID = w.ID
				if w, err = rpc.Do(ctx, cl, api.WhatIfApply, api.WhatIfApplyParams{WhatIfParams: p.WhatIfParams, Edits: all}); err != nil {
					return err
				}
				r, err := rpc.Do(ctx, cl, api.WhatIfReport, p)
				if err != nil {
					return err
				}
				r.Meta.Work, r.Meta.Ms = w.Meta.Work, w.Meta.Ms
				var script api.WhatIfCommitResult
				if commit != "" {
					script, err = rpc.Do(ctx, cl, api.WhatIfCommit, api.WhatIfCommitParams{WhatIfParams: p.WhatIfParams, Path: commit, Dialect: dialect, Overwrite: overwrite})
					if err != nil {
						return err
					}
				}
				if _, err := rpc.Do(ctx, cl, api.WhatIfDiscard, p.WhatIfParams); err != nil {
					return err
				}
				out := c.OutOrStdout()
				if asJSON {
					return writeJSON(out, r)
				}
				showDiff(out, &r)
				if commit != "" {
					fmt.Fprintf(out, "%s: %d commands, %d edits left out\n", script.Path, script.Commands, len(script.Left))
				}
				return nil
			})
		},
	}
	fl := c.Flags()
	designFlag(c, &target.Design)
	fl.StringVar(&project, "project", "", "open this wattd.toml `FILE` first (default: the design is open)")
	for _, v := range editVerbs {
		fl.Var(&editFlag{&edits, v.parse}, v.flag, v.usage+" (repeat for more; default: none)")
	}
	fl.StringArrayVar(&remove, "remove-buffer", nil, "`INST` to take out, its loads move to its input (repeat for more; default: none)")
	fl.StringVar(&from, "edits", "", "`FILE` of edits, one JSON object a line (default: none)")
	fl.StringVar(&commit, "commit", "", "write an ECO script to `FILE` (default: none)")
	fl.StringVar(&dialect, "dialect", "", "of the script, `openroad|generic` (default generic)")
	fl.BoolVar(&overwrite, "overwrite", false, "replace a script that is there")
	fl.StringArrayVar(&p.Names, "net", nil, "show a `NET` or glob only (repeat for more; default: all nets)")
	fl.StringVar(&p.Sort, "sort", "", "`change|name|glitch`, largest change first (default change)")
	fl.IntVar(&p.Limit, "limit", 20, "show `N` nets at most (default 20)")
	jsonFlag(c, &asJSON)
	completeNets(c, "net", &target.Design)
	return c
}

// readEdits reads edits, one JSON object a line.
func readEdits(stdin io.Reader, path string) (edits []api.Edit, err error) {
	in := stdin
	switch path {
	case "":
		return nil, nil
	case "-":
	default:
		f, err := os.Open(path)
		if err != nil {
			return nil, &exitError{exitInput, err}
		}
		defer f.Close()
		in = f
	}
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<20)
	for n := 1; lines.Scan(); n++ {
		text := strings.TrimSpace(lines.Text())
		if text == "" || strings.HasPrefix(text, "#") {
			continue
		}
		var e api.Edit
		d := json.NewDecoder(strings.NewReader(text))
		d.DisallowUnknownFields()
		if err := d.Decode(&e); err != nil {
			return nil, &exitError{exitInput, fmt.Errorf("%s:%d: %w", path, n, err)}
		}
		edits = append(edits, e)
	}
	if err := lines.Err(); err != nil {
		return nil, &exitError{exitInput, fmt.Errorf("%s: %w", path, err)}
	}
	return edits, nil
}
