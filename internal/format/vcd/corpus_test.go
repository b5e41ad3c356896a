package vcd

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wattd/wattd/internal/diag"
	"github.com/wattd/wattd/internal/testenv"
)

// Every dump of the corpus is read without an error and hands on changes. The files are decompressed by the programs
// that made them: this package must not import package source.
func TestCorpus(t *testing.T) {
	root := testenv.Corpus(t)
	n := 0
	filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.Contains(d.Name(), ".vcd") {
			return nil
		}
		n++
		in, done := unpack(t, path)
		var bag diag.Bag
		r := NewReader(in, path, &bag)
		h, err := r.Header(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var c count
		st, err := r.Body(t.Context(), nil, &c)
		done()
		if err != nil || bag.Errors() != 0 || bag.Count(diag.VCDCutShort) != 0 {
			t.Errorf("%s: %v, %v", path, err, bag.Totals())
		}
		if h.NumIDs == 0 || h.UnitCoef == 0 || st.Changes == 0 || st.Changes != c.changes || !st.HasTime {
			t.Errorf("%s: %d ids, %+v", path, h.NumIDs, st)
		}
		return nil
	})
	if n < 10 {
		t.Errorf("only %d dumps", n)
	}
}

func unpack(t *testing.T, path string) (io.Reader, func()) {
	tool := map[string]string{".xz": "xz", ".gz": "gzip"}[filepath.Ext(path)]
	if tool == "" {
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		return f, func() { f.Close() }
	}
	cmd := exec.Command(testenv.Require(t, tool), "-dc", path)
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	return out, func() {
		if err := cmd.Wait(); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
}
