package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/wattd/wattd/internal/diag"
	"github.com/wattd/wattd/internal/project"
)

func newInit() *cobra.Command {
	var force bool
	c := &cobra.Command{
		Use:   "init [FOLDER]",
		Short: "Write a wattd.toml from the files of a folder",
		Long: `Looks at the files of the folder (default: the current one), recognises netlists, libraries, delays and dumps by their
content, chooses a tick and a corner that fit the delays, writes wattd.toml there, and checks it.`,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) > 1 {
				return &exitError{exitUsage, fmt.Errorf("wattd init takes one folder, not %d", len(args))}
			}
			dir := "."
			if len(args) == 1 {
				dir = args[0]
			}
			return initFolder(c, dir, force)
		},
	}
	c.Flags().BoolVar(&force, "force", false, "replace an existing wattd.toml")
	return c
}

func initFolder(c *cobra.Command, dir string, force bool) error {
	path := filepath.Join(dir, "wattd.toml")
	if _, err := os.Stat(path); err == nil && !force {
		return &exitError{exitUsage, fmt.Errorf("%s exists; add --force to replace it", path)}
	}
	cfg, notes, err := project.Guess(c.Context(), dir)
	if err != nil {
		if os.IsNotExist(err) || os.IsPermission(err) {
			return &exitError{exitInput, withoutOp(err)}
		}
		return err
	}
	if len(cfg.Netlist) == 0 {
		for _, n := range notes {
			fmt.Fprintln(c.ErrOrStderr(), "note:", n)
		}
		return &exitError{exitInput, fmt.Errorf("no gate netlist found in %s", dir)}
	}
	b, err := cfg.TOML()
	if err != nil {
		return err
	}
	if err := os.WriteFile(path, b, 0o644); err != nil {
		return &project.OutputError{Path: path, Err: err}
	}
	out := c.OutOrStdout()
	fmt.Fprintf(out, "wrote %s:\n%s", path, b)
	for _, n := range notes {
		fmt.Fprintln(out, "note:", n)
	}
	if len(cfg.Lib) == 0 { // nothing can be checked without
		fmt.Fprintf(out, "\nnext: add the Liberty files to lib in %s, then wattd check %s\n", path, path)
		return &exitError{exitInput, fmt.Errorf("no Liberty library found in %s", dir)}
	}
	bag := &diag.Bag{}
	loaded, err := project.LoadConfig(path, bag)
	if err != nil {
		return err
	}
	s, err := project.NewSession(*loaded, bag, nil)
	if err != nil {
		return err
	}
	if err := checkSteps(s, c.Context()); err != nil {
		return err
	}
	bag.Write(c.ErrOrStderr(), diag.Warning, 3)
	if err := s.Report(version).WriteText(out); err != nil {
		return err
	}
	verb := "run"
	if s.Failed() || cfg.Stim == "" {
		verb = "check"
	}
	if path != "wattd.toml" { // which is found by itself
		verb += " " + path
	}
	fmt.Fprintf(out, "\nnext: wattd %s\n", verb)
	if s.Failed() {
		return &exitError{exitInput, nil}
	}
	return nil
}
