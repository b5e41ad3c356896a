package verilog

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/wattd/wattd/internal/diag"
	"github.com/wattd/wattd/internal/format/scan"
	"github.com/wattd/wattd/internal/testenv"
)

// TestCorpus reads every Verilog file of the corpus, benches and RTL included, without an error.
func TestCorpus(t *testing.T) {
	root := testenv.Corpus(t)
	var files []string
	for _, p := range []string{"designs/*/*.v", "micro/*/*.v"} {
		m, err := filepath.Glob(filepath.Join(root, p))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, m...)
	}
	if len(files) == 0 {
		t.Fatal("no Verilog in the corpus")
	}
	for _, file := range files {
		f, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		var bag diag.Bag
		names := scan.NewNames()
		ms, err := Read(context.Background(), f, file, 0, names, Option{Defines: map[string]string{"SDF": `"x.sdf"`}}, &bag)
		f.Close()
		if err != nil || len(ms) == 0 {
			t.Errorf("%s: %d modules, %v", file, len(ms), err)
		}
		if bag.Errors() > 0 {
			var out testWriter
			bag.Write(&out, diag.Error, 5)
			t.Errorf("%s:\n%s", file, out)
		}
		if base := filepath.Base(file); base == "netlist.v" || base == "pe.v" {
			for _, m := range ms {
				if m.Behavioural {
					t.Errorf("%s: %s is behavioural: %s", file, names.Bytes(m.Name), m.BehavWhat)
				}
			}
		}
	}
}

type testWriter string

func (w *testWriter) Write(b []byte) (int, error) { *w += testWriter(b); return len(b), nil }
