package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// verbs lists the commands that people see, by their words.
func verbs(c *cobra.Command, words []string, f func(c *cobra.Command, words []string)) {
	f(c, words)
	for _, k := range c.Commands() {
		if k.IsAvailableCommand() {
			verbs(k, append(words[:len(words):len(words)], k.Name()), f)
		}
	}
}

func TestHelp(t *testing.T) {
	verbs(newRoot(), nil, func(_ *cobra.Command, words []string) {
		name := strings.Join(append([]string{"wattd"}, words...), "-")
		t.Run(name, func(t *testing.T) {
			var out, errs bytes.Buffer
			if code := execute(context.Background(), append(words, "--help"), &out, &errs); code != exitDone || errs.Len() > 0 {
				t.Fatalf("exit %d: %s", code, errs.String())
			}
			file := filepath.Join("testdata", "help", name+".txt")
			if *update {
				if err := os.WriteFile(file, out.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(string(want), out.String()); d != "" {
				t.Errorf("help differs (-update rewrites it):\n%s", d)
			}
		})
	})
}

// TestFlagsAreExplained holds that a flag says what it does, and its default where it has a value.
func TestFlagsAreExplained(t *testing.T) {
	optional := map[string]bool{ // flags without which something is not given, not chosen, or not written
		"netlist": true, "filelist": true, "lib": true, "sdf": true, "stim": true, "cycle": true, "saif": true, "counts": true, "vcd": true,
		"require-coverage": true,
	}
	verbs(newRoot(), nil, func(c *cobra.Command, words []string) {
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if f.Usage == "" {
				t.Errorf("%v --%s is not explained", words, f.Name)
			}
			said := strings.Contains(f.Usage, "default") || f.DefValue != "" && f.DefValue != "[]"
			if f.Value.Type() != "bool" && !optional[f.Name] && !said {
				t.Errorf("%v --%s does not tell its default", words, f.Name)
			}
		})
	})
}
