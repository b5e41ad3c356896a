package project

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wattd/wattd/internal/format/saif"
)

func put(s string) func(io.Writer) error {
	return func(w io.Writer) error { _, err := io.WriteString(w, s); return err }
}

// entries lists a folder, hidden files included.
func entries(t *testing.T, dir string) string {
	t.Helper()
	es, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var s []string
	for _, e := range es {
		s = append(s, e.Name())
	}
	return strings.Join(s, " ")
}

func TestWriteFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "out.csv")
	content := func() string {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	if n, err := writeFile(path, put("first")); err != nil || n != 5 || content() != "first" {
		t.Fatalf("%d, %v, %q", n, err, content())
	}
	// a failure in the middle, past every buffer, leaves what was there
	broken := errors.New("broken")
	_, err := writeFile(path, func(w io.Writer) error {
		if err := put(strings.Repeat("x", 1<<20))(w); err != nil {
			return err
		}
		return broken
	})
	if !errors.Is(err, broken) || content() != "first" || entries(t, dir) != "out.csv" {
		t.Errorf("%v, %q, %s", err, content(), entries(t, dir))
	}
	// so does a panic
	func() {
		defer func() { _ = recover() }()
		_, _ = writeFile(path, func(io.Writer) error { panic("fault") })
	}()
	if content() != "first" || entries(t, dir) != "out.csv" {
		t.Errorf("%q, %s", content(), entries(t, dir))
	}
	if err := os.Chmod(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := writeFile(path, put("second")); err != nil || content() != "second" {
		t.Errorf("%v, %q", err, content())
	}
	if st, err := os.Stat(path); err != nil || st.Mode().Perm() != 0o600 {
		t.Errorf("permissions %v", st.Mode())
	}
	if _, err := writeFile(filepath.Join(dir, "none", "x"), put("")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v", err)
	}
	if _, err := writeFile(dir, put("")); err == nil {
		t.Error("wrote a directory")
	}
}

func TestOutputError(t *testing.T) {
	err := error(&OutputError{"a.csv", &os.PathError{Op: "write", Path: "a.csv", Err: errors.New("no space left on device")}})
	if s := err.Error(); s != "cannot write a.csv: no space left on device" {
		t.Error(s)
	}
	var pe *os.PathError
	if !errors.As(err, &pe) {
		t.Error("the cause is lost")
	}
}

func TestAppendCSV(t *testing.T) {
	for in, want := range map[string]string{
		"a[3]": "a[3]", `a\/b`: `a\/b`, "a,b": `"a,b"`, `a"b`: `"a""b"`, "a\nb": "\"a\nb\"", "a b": "a b", "é": "é",
	} {
		if got := string(appendCSV(nil, in)); got != want {
			t.Errorf("%q: %s, want %s", in, got, want)
		}
	}
}

func TestSplitBit(t *testing.T) {
	for in, want := range map[string]string{"A[3]": "A 3", "A": "A -", "[3]": "[3] -", "A[x]": "A[x] -", "A[-1]": "A -1", "A[1][2]": "A[1] 2"} {
		name, bit := splitBit(in)
		got := fmt.Sprintf("%s %d", name, bit)
		if bit == saif.NoBit {
			got = name + " -"
		}
		if got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
}

func TestSize(t *testing.T) {
	for n, want := range map[int64]string{0: "0 B", 1023: "1023 B", 1024: "1.0 KB", 3 << 20: "3.0 MB", 5 << 29: "2.50 GB"} {
		if got := size(n); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
}
