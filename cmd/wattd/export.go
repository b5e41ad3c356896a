package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/wattd/wattd/rpc"
	"github.com/wattd/wattd/rpc/api"
)

func newExport() *cobra.Command {
	var x api.Export
	var sel api.Selection
	var dialect, ig, project string
	var json bool
	c := &cobra.Command{
		Use:   "export csv|saif|vcd FILE",
		Short: "Write counts or waves of an open design to a file",
		Long: `Writes, from the newest state of the files, the counts as a table (csv) or as SAIF, or the changes of nets (vcd). The file is written whole or
not at all; one that is there is replaced only with --overwrite, an input of the design never.

Exit codes: 0 written, 1 it cannot be written or the input is wrong, 2 usage, 4 our fault.`,
		Example: `  wattd export saif out.saif
  wattd export vcd cone.vcd --net 'u_acc/next_*' --net clk`,
		ValidArgs: []string{"csv", "saif", "vcd"},
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) != 2 {
				return &exitError{exitUsage, fmt.Errorf("wattd export takes csv, saif or vcd, and a file")}
			}
			form := args[0]
			for _, f := range []struct {
				flag string
				saif bool
			}{{"net", false}, {"scope", false}, {"regexp", false}, {"dialect", true}, {"ig", true}} {
				if c.Flags().Changed(f.flag) && f.saif != (form == "saif") {
					return &exitError{exitUsage, fmt.Errorf("--%s is not for %s", f.flag, form)}
				}
			}
			x.Path = args[1]
			var call func(ctx context.Context, cl *rpc.Client) (api.ExportResult, error)
			switch form {
			case "csv":
				call = func(ctx context.Context, cl *rpc.Client) (api.ExportResult, error) {
					return rpc.Do(ctx, cl, api.ExportCSV, api.ExportCSVParams{Export: x, Selection: sel})
				}
			case "vcd":
				call = func(ctx context.Context, cl *rpc.Client) (api.ExportResult, error) {
					return rpc.Do(ctx, cl, api.ExportVCD, api.ExportVCDParams{Export: x, Selection: sel})
				}
			case "saif":
				call = func(ctx context.Context, cl *rpc.Client) (api.ExportResult, error) {
					return rpc.Do(ctx, cl, api.ExportSAIF, api.ExportSAIFParams{Export: x, Dialect: dialect, IG: ig})
				}
			default:
				return &exitError{exitUsage, fmt.Errorf("%q is no form of export: use csv, saif or vcd", form)}
			}
			return withServer(c, func(ctx context.Context, cl *rpc.Client) error {
				if project != "" {
					r, err := openWithBar(ctx, c, cl, api.DesignOpenParams{Project: projectArg([]string{project}, false)})
					if err != nil {
						return err
					}
					x.Design = r.Design.Name
				}
				r, err := call(ctx, cl)
				if err != nil {
					return err
				}
				out := c.OutOrStdout()
				if json {
					return writeJSON(out, r)
				}
				fmt.Fprintf(out, "%s: %d nets, %d bytes\n", r.Path, r.Nets, r.Bytes)
				footing(out, &r.Meta)
				return nil
			})
		},
	}
	fl := c.Flags()
	designFlag(c, &x.Design)
	fl.StringVar(&project, "project", "", "open this wattd.toml `FILE` first (default: the design is open)")
	fl.BoolVar(&x.Overwrite, "overwrite", false, "replace a file that is there")
	fl.StringArrayVar(&sel.Names, "net", nil, "csv, vcd: a `NET` or glob, repeatable (default: all nets)")
	fl.StringVar(&sel.Scope, "scope", "", "csv, vcd: only nets at or below this `INSTANCE` (default: all)")
	fl.BoolVar(&sel.Regexp, "regexp", false, "csv, vcd: nets are regular expressions over whole names")
	fl.StringVar(&dialect, "dialect", "", "saif: spelling of names, `opensta|synopsys|generic` (default: as the design says)")
	fl.StringVar(&ig, "ig", "", "saif: what IG counts of filtered pulses, their `edges|pulses` (default edges)")
	jsonFlag(c, &json)
	completeNets(c, "net", &x.Design)
	completeScopes(c, "scope", &x.Design)
	return c
}
