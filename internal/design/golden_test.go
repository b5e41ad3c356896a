package design_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wattd/wattd/internal/design"
	"github.com/wattd/wattd/internal/design/designtest"
)

var update = flag.Bool("update", false, "rewrite golden files")

// Each archive of testdata holds inputs and, as file "want", the text of the design that they make. An archive may hold several cases
// that share the files before them: a file "case NAME" of SDF statements compiles the rest with these.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no test data", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) { golden(t, file) })
	}
}

func golden(t *testing.T, file string) {
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	all := designtest.Parse(string(text))
	base := designtest.Archive{}
	out := designtest.Archive{Comment: all.Comment}
	cases := false
	for i := 0; i < len(all.Files); i++ {
		f := all.Files[i]
		if strings.HasPrefix(f.Name, "want") {
			continue
		}
		out.Files = append(out.Files, f)
		name, ok := strings.CutPrefix(f.Name, "case ")
		if !ok {
			base.Files = append(base.Files, f)
			continue
		}
		cases = true
		x := designtest.Archive{Files: append(base.Files[:len(base.Files):len(base.Files)], designtest.File{Name: "case.sdf", Text: f.Text})}
		check(t, &all, &out, "want "+name, x)
	}
	if !cases {
		check(t, &all, &out, "want", base)
	}
	if *update {
		if err := os.WriteFile(file, []byte(out.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func check(t *testing.T, all, out *designtest.Archive, name string, x designtest.Archive) {
	d, bag := designtest.Compile(t, x)
	if d != nil && bag.Errors() == 0 {
		if err := d.Program.Validate(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		same(t, x, d)
	}
	var b bytes.Buffer
	designtest.Dump(&b, d, bag)
	want, _ := all.Get(name)
	if got := b.String(); got != want && !*update {
		t.Errorf("%s:\n--- got\n%s--- want\n%s", name, got, want)
	}
	out.Set(name, b.String())
}

// same compiles once more: equal inputs, equal bytes.
func same(t *testing.T, x designtest.Archive, d *design.Design) {
	e, _ := designtest.Compile(t, x)
	if !bytes.Equal(d.Program.Image(), e.Program.Image()) {
		t.Errorf("a second compile differs")
	}
}
