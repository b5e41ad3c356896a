package testenv

import (
	"path/filepath"
	"testing"
)

// recorder stands for a test: it keeps which of Skip and Fatalf was called, and stops like they do.
type recorder struct {
	testing.TB
	outcome string
}

func (r *recorder) Helper()               {}
func (r *recorder) Skip(...any)           { r.outcome = "skip"; panic(r) }
func (r *recorder) Fatalf(string, ...any) { r.outcome = "fail"; panic(r) }

func outcome(f func(testing.TB)) string {
	r := &recorder{outcome: "ok"}
	func() {
		defer func() {
			if p := recover(); p != nil && p != any(r) {
				panic(p)
			}
		}()
		f(r)
	}()
	return r.outcome
}

func TestMissingSkipsOrFails(t *testing.T) {
	dir := t.TempDir()
	for _, tc := range []struct {
		name, require, corpus, want string
		f                           func(testing.TB)
	}{
		{"corpus there", "", dir, "ok", func(t testing.TB) { Corpus(t) }},
		{"corpus absent", "", filepath.Join(dir, "none"), "skip", func(t testing.TB) { Corpus(t) }},
		{"corpus absent, required", "all", filepath.Join(dir, "none"), "fail", func(t testing.TB) { Corpus(t) }},
		{"tool absent", "", dir, "skip", func(t testing.TB) { Require(t, "no-such-program-here") }},
		{"tool absent, required", "all", dir, "fail", func(t testing.TB) { Require(t, "no-such-program-here") }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Setenv("WATTD_REQUIRE", tc.require)
			t.Setenv("WATTD_CORPUS", tc.corpus)
			if got := outcome(tc.f); got != tc.want {
				t.Errorf("got %s, want %s", got, tc.want)
			}
		})
	}
}

func TestRootIsFound(t *testing.T) {
	root, ok := moduleRoot()
	if !ok || filepath.Base(filepath.Dir(filepath.Dir(mustAbs(t)))) != filepath.Base(root) {
		t.Errorf("module root %q, found %v", root, ok)
	}
}

func mustAbs(t *testing.T) string {
	p, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	return p
}
