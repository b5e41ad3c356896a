package sdf

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ulikunitz/xz"

	"github.com/wattd/wattd/internal/diag"
	"github.com/wattd/wattd/internal/testenv"
)

// counter counts what it is told.
type counter struct{ st Stats }

func (c *counter) Header(*Header) bool                           { return true }
func (c *counter) Cell(_, _ []byte, _ bool, _ diag.Pos) bool     { c.st.Cells++; return true }
func (c *counter) IOPath(*IOPath) bool                           { c.st.IOPaths++; return true }
func (c *counter) Device(Mode, []byte, []Value, diag.Pos) bool   { c.st.Devices++; return true }
func (c *counter) Port(Mode, []byte, []Value, diag.Pos) bool     { c.st.Ports++; return true }
func (c *counter) NetDelay(Mode, []byte, []Value, diag.Pos) bool { c.st.NetDelays++; return true }
func (c *counter) Interconnect(Mode, []byte, []byte, []Value, diag.Pos) bool {
	c.st.Interconnects++
	return true
}

func (c *counter) PathPulse(bool, []byte, []byte, []Triple, diag.Pos) bool {
	c.st.PathPulses++
	return true
}

func corpusFile(t testing.TB, path string) []byte {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var r io.Reader = f
	if strings.HasSuffix(path, ".xz") {
		if r, err = xz.NewReader(f); err != nil {
			t.Fatal(err)
		}
	}
	b, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Every SDF of the corpus reads without an error or a warning, and every statement reaches the handler: the words of
// the file are counted in another way.
func TestCorpus(t *testing.T) {
	dir := testenv.Corpus(t)
	var files []string
	for _, glob := range []string{"designs/*/delays.sdf.xz", "micro/*/delays.sdf"} {
		m, err := filepath.Glob(filepath.Join(dir, glob))
		if err != nil || len(m) == 0 {
			t.Fatal("no files: ", glob)
		}
		files = append(files, m...)
	}
	for _, f := range files {
		text := corpusFile(t, f)
		var bag diag.Bag
		var c counter
		st, err := Read(context.Background(), bytes.NewReader(text), filepath.Base(f), &c, &bag)
		if err != nil {
			t.Fatal(err)
		}
		for _, tot := range bag.Totals() {
			if tot.Severity != diag.Note {
				t.Errorf("%s: %v", f, bag.Kept(tot.Code))
			}
		}
		got := [...]int64{c.st.Cells, c.st.IOPaths, st.Conds, c.st.Interconnects}
		var want [4]int64
		for i, w := range []string{"(CELL ", "(IOPATH ", "(COND ", "(INTERCONNECT "} {
			flat := bytes.ReplaceAll(text, []byte("(CELL\n"), []byte("(CELL "))
			want[i] = int64(bytes.Count(flat, []byte(w)))
		}
		if got != want {
			t.Errorf("%s: cells, iopaths, conds, interconnects %v, want %v", f, got, want)
		}
	}
}
