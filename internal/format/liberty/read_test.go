package liberty

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/wattd/wattd/internal/diag"
)

var update = flag.Bool("update", false, "write the golden files")

// read reads a text and returns the library with its messages, one a line.
func read(t testing.TB, text string) (*Library, string) {
	t.Helper()
	var bag diag.Bag
	l, err := Read(context.Background(), strings.NewReader(text), "t.lib", &bag)
	if err != nil {
		t.Fatal(err)
	}
	return l, messages(&bag)
}

func messages(bag *diag.Bag) string {
	var b strings.Builder
	for _, tot := range bag.Totals() {
		for _, d := range bag.Kept(tot.Code) {
			d.Hint = ""
			b.WriteString(d.String() + "\n")
		}
	}
	return b.String()
}

// clean reads a text that must give no message.
func clean(t testing.TB, text string) *Library {
	t.Helper()
	l, msg := read(t, text)
	if msg != "" {
		t.Fatalf("unexpected messages:\n%s", msg)
	}
	return l
}

// inCell wraps the body of cell C of library l.
func inCell(body string) string {
	return "library (l) { leakage_power_unit : 1nW; cell (C) {\n" + body + "\n} }"
}

func TestGolden(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("testdata", "mini.lib"))
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	dump(&b, clean(t, string(text)))
	golden := filepath.Join("testdata", "mini.golden")
	if *update {
		if err := os.WriteFile(golden, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), b.String()); d != "" {
		t.Error(d)
	}
}
