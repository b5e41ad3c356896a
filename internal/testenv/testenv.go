// Package testenv finds what a test needs from outside the module: the corpus of real inputs and external programs.
//
// Contract: something missing skips the test, or fails it when WATTD_REQUIRE=all, so that a run that must be complete
// cannot pass by skipping. Only tests import it.
package testenv

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Corpus returns the folder of the corpus: WATTD_CORPUS, else ../shared/corpus seen from the module root.
func Corpus(t testing.TB) string {
	t.Helper()
	dir := os.Getenv("WATTD_CORPUS")
	if dir == "" {
		root, ok := moduleRoot()
		if !ok {
			missing(t, "no go.mod above the working directory")
		}
		dir = filepath.Join(root, "..", "shared", "corpus")
	}
	if st, err := os.Stat(dir); err != nil || !st.IsDir() {
		missing(t, "corpus not found (set WATTD_CORPUS)")
	}
	return dir
}

// Require returns the path of an external program.
func Require(t testing.TB, tool string) string {
	t.Helper()
	p, err := exec.LookPath(tool)
	if err != nil {
		missing(t, tool+" is not on PATH")
	}
	return p
}

func missing(t testing.TB, why string) {
	t.Helper()
	if os.Getenv("WATTD_REQUIRE") == "all" {
		t.Fatalf("%s, and WATTD_REQUIRE=all", why)
	}
	t.Skip(why)
}

// moduleRoot walks up from the working directory, which for a test is its package folder.
func moduleRoot() (string, bool) {
	dir, err := os.Getwd()
	if err != nil {
		return "", false
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, true
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", false
		}
		dir = up
	}
}
