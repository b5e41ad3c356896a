package diag_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/wattd/wattd/internal/diag"
)

//go:generate go test -run TestDocumentIsCurrent . -update

var update = flag.Bool("update", false, "rewrite docs/diagnostics.md")

func TestTableIsComplete(t *testing.T) {
	kebab := regexp.MustCompile(`^[a-z][a-z0-9]*(-[a-z0-9]+)+$`)
	for _, in := range diag.Table() {
		if !kebab.MatchString(string(in.Code)) {
			t.Errorf("code %q is not kebab-case with an area first", in.Code)
		}
		if in.Cause == "" {
			t.Errorf("%s has no cause", in.Code)
		}
		if in.Cure == "" && in.Severity != diag.Note {
			t.Errorf("%s has no cure", in.Code)
		}
	}
}

func TestDocumentIsCurrent(t *testing.T) {
	file := filepath.Join("..", "..", "docs", "diagnostics.md")
	want := document(diag.Table())
	if *update {
		if err := os.WriteFile(file, want, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("docs/diagnostics.md is not what the table of codes says; run `make generate`")
	}
}

// document renders the table of codes for people.
func document(table []diag.Info) []byte {
	var b bytes.Buffer
	b.WriteString(`# Diagnostics

Generated from the tables in internal/diag by ` + "`make generate`" + `; do not edit.

Every message has a code that stays the same between versions, a place (file:line:column where there is one), and one of
three severities. An **error** means that the run would give wrong numbers, or none, so there is no run. A **warning** says
that the result stands but that something of the input was not used, or used in a way that should be known. A **note** is a
count worth knowing. Equal messages are counted; the first few are shown with a total.

`)
	area := ""
	for _, in := range table {
		a, _, _ := strings.Cut(string(in.Code), "-")
		if a != area {
			area = a
			fmt.Fprintf(&b, "## %s\n\n", area)
		}
		fmt.Fprintf(&b, "### %s\n\n*%s.* %s\n\n", in.Code, in.Severity, sentence(in.Cause))
		if in.Cure != "" {
			fmt.Fprintf(&b, "Cure: %s\n\n", sentence(in.Cure))
		}
	}
	return append(bytes.TrimRight(b.Bytes(), "\n"), '\n')
}

func sentence(s string) string {
	if s == "" {
		return s
	}
	if !strings.ContainsAny(s[len(s)-1:], ".!?") {
		s += "."
	}
	return strings.ToUpper(s[:1]) + s[1:]
}
