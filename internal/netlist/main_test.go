package netlist

import (
	"bufio"
	"context"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/ulikunitz/xz"
	"go.uber.org/goleak"

	"github.com/wattd/wattd/internal/diag"
	"github.com/wattd/wattd/internal/format/liberty"
	"github.com/wattd/wattd/internal/format/scan"
	"github.com/wattd/wattd/internal/format/verilog"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// readLib reads a small library of the usual gates, a register, a macro with buses, and a tie cell.
func readLib(t testing.TB) *liberty.Library {
	t.Helper()
	var bag diag.Bag
	f, err := os.Open("testdata/cells.lib")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lib, err := liberty.Read(context.Background(), f, "cells.lib", &bag)
	if err != nil {
		t.Fatal(err)
	}
	if bag.Errors() > 0 {
		bag.Write(os.Stderr, diag.Warning, 10)
		t.Fatal("cells.lib has errors")
	}
	return lib
}

// readInput reads Verilog text and the test library.
func readInput(t testing.TB, text string) (Input, *diag.Bag) {
	t.Helper()
	bag := &diag.Bag{}
	names := scan.NewNames()
	mods, err := verilog.Read(context.Background(), strings.NewReader(text), "t.v", 0, names, verilog.Option{}, bag)
	if err != nil {
		t.Fatal(err)
	}
	return Input{Modules: mods, Names: names, Files: []string{"t.v"}, Libs: []*liberty.Library{readLib(t)}}, bag
}

func link(t testing.TB, text string) (*Netlist, *diag.Bag) {
	t.Helper()
	in, bag := readInput(t, text)
	nl, err := Link(context.Background(), in, bag)
	if err != nil {
		t.Fatal(err)
	}
	return nl, bag
}

// open opens a file of the corpus and takes its compression off.
func open(t testing.TB, path string) io.Reader {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	var r io.Reader = bufio.NewReaderSize(f, 1<<16)
	switch filepath.Ext(path) {
	case ".gz":
		r, err = gzip.NewReader(r)
	case ".xz":
		r, err = xz.NewReader(r)
	}
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func readFiles(t testing.TB, libs []string, netlists ...string) (Input, *diag.Bag) {
	t.Helper()
	bag := &diag.Bag{}
	in := Input{Names: scan.NewNames()}
	for _, p := range libs {
		lib, err := liberty.Read(context.Background(), open(t, p), filepath.Base(p), bag)
		if err != nil {
			t.Fatal(err)
		}
		in.Libs = append(in.Libs, lib)
	}
	for i, p := range netlists {
		in.Files = append(in.Files, filepath.Base(p))
		mods, err := verilog.Read(context.Background(), open(t, p), filepath.Base(p), uint16(i), in.Names, verilog.Option{}, bag)
		if err != nil {
			t.Fatal(err)
		}
		in.Modules = append(in.Modules, mods...)
	}
	return in, bag
}
