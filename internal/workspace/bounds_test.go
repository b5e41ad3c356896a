package workspace

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wattd/wattd/internal/synth"
)

// What an edit of a flat design costs does not grow with the design: the text around it is read, what it names is compiled, and what it
// can reach is run.
func TestEditsCostTheirOwnSize(t *testing.T) {
	_, c := designFiles(t, synth.Params{Gates: 20_000, Levels: 40, Cycles: 10, Seed: 4})
	ws := New(nil)
	p, s, _, err := ws.Open(t.Context(), "", Choice{Over: c}, nil)
	if err != nil {
		t.Fatal(err)
	}
	at := func(b []byte, from int, what string) int {
		i := bytes.Index(b[from:], []byte(what))
		if i < 0 {
			t.Fatalf("no %q", what)
		}
		return from + i
	}
	put := func(b []byte, from, to int, text string) []byte {
		return append(append(append([]byte(nil), b[:from]...), text...), b[to:]...)
	}
	netlist, sdf := c.Netlist[0], c.SDF[0]
	for _, e := range []struct {
		name, file      string
		edit            func(b []byte) []byte
		gates, patches  int // compiled at most; steps that were patched
		parsed, percent int64
	}{
		{"a comment", netlist, func(b []byte) []byte { i := at(b, len(b)/2, "  INV_1 "); return put(b, i, i, "  // seen\n") }, 0, 2, 64 << 10, 0},
		{"a blank line in front", netlist, func(b []byte) []byte { return put(b, 0, 0, "\n") }, 0, 0, 64 << 20, 0},
		{"a cell swapped", netlist, func(b []byte) []byte {
			i := at(b, len(b)*2/3, "  NAND2_1 ")
			return put(b, i+3, i+9, "OR2_1")
		}, 1, 2, 512 << 10, 50},
		{"an instance in front", netlist, func(b []byte) []byte {
			i := at(b, 0, "  CLKBUF_4 ")
			return put(b, i, i, "  INV_1 spare (.A(in[0]), .Y(spare_y));\n")
		}, 1, 2, 256 << 10, 1},
		{"the delay of an arc", sdf, func(b []byte) []byte {
			i := bytes.LastIndex(b, []byte("(IOPATH"))
			i += bytes.IndexByte(b[i+1:], '(') + 2
			return put(b, i, i, "1")
		}, 1, 1, 256 << 10, 1},
		{"the delay of a wire", sdf, func(b []byte) []byte {
			i := bytes.LastIndex(b, []byte("(INTERCONNECT"))
			i += bytes.IndexByte(b[i+1:], '(') + 2
			return put(b, i, i, "1")
		}, 1, 1, 1 << 20, 50},
	} {
		b, err := os.ReadFile(e.file)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(e.file, e.edit(b), 0o644); err != nil {
			t.Fatal(err)
		}
		made := false
		if s, made, err = p.Refresh(t.Context(), 0); err != nil || !made {
			t.Fatalf("%s: %v, made %v", e.name, err, made)
		}
		w := &s.Session.Work
		t.Logf("%s: %d bytes parsed, %d gates compiled, %d of %d pairs run, %d patches, %q", e.name, w.BytesParsed, w.GatesCompiled, w.PairsRun, w.PairsTotal, w.Patched, w.Whole)
		if w.BytesParsed > e.parsed || w.GatesCompiled > int64(e.gates) || w.PairsRun*100 > w.PairsTotal*e.percent || w.Patched < e.patches {
			t.Errorf("%s costs too much", e.name)
		}
	}
	if d := cmp.Diff(counts(cold(t, c)), counts(s.Session)); d != "" {
		t.Errorf("(-cold +edited)\n%s", d)
	}
	if rest, _ := filepath.Glob(filepath.Join(filepath.Dir(netlist), ".*")); len(rest) > 0 {
		t.Errorf("left over: %v", rest)
	}
}
