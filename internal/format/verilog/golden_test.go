package verilog

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wattd/wattd/internal/diag"
	"github.com/wattd/wattd/internal/format/scan"
)

var update = flag.Bool("update", false, "rewrite the goldens")

// included stands for a folder of files to include.
var included = map[string]string{
	"sub.vh":  "INV from_sub (.A(a));\n`include \"sub2.vh\"\n  `DEF d (.A(`INSIDE));\n",
	"sub2.vh": "`define INSIDE n[2]\n`define DEF deep\n",
}

func testOption() Option {
	count := uint16(0)
	return Option{
		Include: func(name string) (io.ReadCloser, string, error) {
			s, ok := included[name]
			if !ok {
				return nil, "", os.ErrNotExist
			}
			return io.NopCloser(strings.NewReader(s)), "inc/" + name, nil
		},
		AddFile: func(string) uint16 { count++; return count },
	}
}

// render reads text and returns the dump and all messages.
func render(t testing.TB, r io.Reader, file string) string {
	var bag diag.Bag
	var out bytes.Buffer
	names := scan.NewNames()
	ms, err := Read(context.Background(), r, file, 0, names, testOption(), &bag)
	if err != nil {
		t.Fatal(err)
	}
	dump(&out, names, ms)
	for _, total := range bag.Totals() {
		for _, d := range bag.Kept(total.Code) {
			fmt.Fprintf(&out, "%s: %s: %s [%s]\n", d.Pos, d.Severity, d.Msg, d.Code)
		}
		if total.N > diag.Keep {
			fmt.Fprintf(&out, "%d of %s\n", total.N, total.Code)
		}
	}
	return out.String()
}

// TestGolden compares the dump of testdata/*.v with the files beside them, whole and one byte a read.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.v")
	if err != nil || len(files) == 0 {
		t.Fatal("no testdata", err)
	}
	for _, file := range files {
		base := filepath.Base(file)
		t.Run(strings.TrimSuffix(base, ".v"), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got := render(t, bytes.NewReader(text), base)
			golden := strings.TrimSuffix(file, ".v") + ".golden"
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(string(want), got); d != "" {
				t.Errorf("(-want +got)\n%s", d)
			}
			if d := cmp.Diff(got, render(t, oneByte{bytes.NewReader(text)}, base)); d != "" {
				t.Errorf("read bytewise (-whole +bytewise)\n%s", d)
			}
			crlf := bytes.ReplaceAll(text, []byte("\n"), []byte("\r\n"))
			if d := cmp.Diff(got, render(t, bytes.NewReader(crlf), base)); d != "" {
				t.Errorf("with CRLF (-LF +CRLF)\n%s", d)
			}
		})
	}
}

// oneByte returns a byte a read, so that every token meets the end of the buffer.
type oneByte struct{ r io.Reader }

func (o oneByte) Read(b []byte) (int, error) { return o.r.Read(b[:1]) }
