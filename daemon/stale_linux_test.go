package daemon

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wattd/wattd/internal/testenv"
	"github.com/wattd/wattd/rpc"
)

// place is a design as the server sees it, and the folder in which others change its files.
type place struct {
	seen string // the server opens this
	dir  func() string
	// instead replaces the whole folder by one with these delays, where that can be done; nil where not
	instead func(sdf []byte) error
}

// places are the ways to a design.
func places(t *testing.T) map[string]func(t *testing.T) place {
	t.Helper()
	fill := func(dir string, sdf []byte) error {
		if err := os.CopyFS(dir, os.DirFS(filepath.Join("..", "examples", "mac"))); err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(dir, "delays.sdf"), sdf, 0o644)
	}
	return map[string]func(t *testing.T) place{
		"folder": func(t *testing.T) place {
			dir := mac(t)
			return place{seen: dir, dir: func() string { return dir }}
		},
		"behind a mount": func(t *testing.T) place {
			dir := mac(t)
			return place{seen: testenv.Behind(t, dir), dir: func() string { return dir }}
		},
		"folder that is made anew": func(t *testing.T) place {
			dir := filepath.Join(t.TempDir(), "out")
			if err := fill(dir, slower(t, 0)); err != nil {
				t.Fatal(err)
			}
			return place{dir, func() string { return dir }, func(sdf []byte) error {
				if err := os.RemoveAll(dir); err != nil {
					return err
				}
				return fill(dir, sdf)
			}}
		},
		"link that is turned to another": func(t *testing.T) place {
			top := t.TempDir()
			n := 0
			run := func() string { return filepath.Join(top, fmt.Sprint("run", n)) }
			current := filepath.Join(top, "current")
			turn := func(sdf []byte) error {
				n++
				if err := fill(run(), sdf); err != nil {
					return err
				}
				if err := os.Symlink(filepath.Base(run()), current+".new"); err != nil {
					return err
				}
				return os.Rename(current+".new", current)
			}
			if err := turn(slower(t, 0)); err != nil {
				t.Fatal(err)
			}
			return place{current, run, turn}
		},
	}
}

// otherProcess lets another program write the file.
func otherProcess(script string) func(path string, b []byte) error {
	return func(path string, b []byte) error {
		cmd := exec.Command("/bin/sh", "-c", script, "sh", path)
		cmd.Stdin = strings.NewReader(string(b))
		out, err := cmd.CombinedOutput()
		if err != nil {
			return fmt.Errorf("%w: %s", err, out)
		}
		return nil
	}
}

// TestNeverStale: wherever the files are and however they are written, the query that follows answers from what was written.
func TestNeverStale(t *testing.T) {
	ways := map[string]func(path string, b []byte) error{
		"another process, rename":    otherProcess(`cat >"$1.tmp" && mv "$1.tmp" "$1"`),
		"another process, copy":      otherProcess(`cat >"$1.tmp" && cp "$1.tmp" "$1" && rm "$1.tmp"`),
		"another process, in place":  otherProcess(`dd of="$1" conv=notrunc status=none`),
		"another process, time kept": otherProcess(`cp -p "$1" "$1.old" && dd of="$1" conv=notrunc status=none && touch -r "$1.old" "$1"`),
		"removed, made again":        otherProcess(`rm "$1" && cat >"$1"`),
	}
	for name, f := range writers {
		ways[name] = f
	}
	e := endpoint(t)
	c := starter(t, e, "1")
	for where, at := range places(t) {
		t.Run(where, func(t *testing.T) {
			p := at(t)
			cl := connect(t, c)
			open(t, cl, p.seen)
			defer shut(t, cl)
			before, meta := asked(t, cl)
			step := 0
			check := func(what string) {
				t.Helper()
				got, now := asked(t, cl)
				if diff := cmp.Diff(cold(t, p.dir()), got); diff != "" {
					t.Errorf("%s: the answer is not that of a run: %s", what, diff)
				}
				if cmp.Equal(got, before) || now.Snapshot <= meta.Snapshot {
					t.Errorf("%s: nothing changed; snapshot %d", what, now.Snapshot)
				}
				before, meta = got, now
			}
			delays := func() []byte { step = step%8 + 1; return slower(t, step) }
			for what, write := range ways {
				if err := write(filepath.Join(p.dir(), "delays.sdf"), delays()); err != nil {
					t.Fatal(what, err)
				}
				check(what)
			}
			for i := 0; i < 3 && p.instead != nil; i++ {
				if err := p.instead(delays()); err != nil {
					t.Fatal(err)
				}
				check("replaced as a whole")
			}
		})
	}
}

// TestManyWrites: a folder in which more is written than the system tells of, and a file that is written faster than its times step.
func TestManyWrites(t *testing.T) {
	e := endpoint(t)
	c := starter(t, e, "1")
	dir := mac(t)
	cl := connect(t, c)
	open(t, cl, dir)
	sdf := filepath.Join(dir, "delays.sdf")
	want := map[int]map[string]count{}
	for step := range 3 {
		if err := os.WriteFile(sdf, slower(t, step), 0o644); err != nil {
			t.Fatal(err)
		}
		want[step] = cold(t, dir)
	}
	texts := [][]byte{slower(t, 0), slower(t, 1), slower(t, 2)}
	f, err := os.OpenFile(sdf, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for i := range 300 { // within a step of the times, and of the same length
		if _, err := f.WriteAt(texts[i%3], 0); err != nil {
			t.Fatal(err)
		}
		if got, _ := asked(t, cl); !cmp.Equal(got, want[i%3]) {
			t.Fatalf("write %d: an old answer", i)
		}
	}
	for i := range 20_000 {
		path := filepath.Join(dir, fmt.Sprint("other", i))
		if err := os.WriteFile(path, nil, 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		if i%1000 == 999 {
			if _, err := f.WriteAt(texts[i/1000%3], 0); err != nil {
				t.Fatal(err)
			}
			if got, _ := asked(t, cl); !cmp.Equal(got, want[i/1000%3]) {
				t.Fatalf("after %d writes: an old answer", i+1)
			}
		}
	}
	t.Logf("overflows: %d", statusOf(t, cl).Watch.Overflows)
}

// shut closes the design that is open.
func shut(t *testing.T, cl *rpc.Client) {
	t.Helper()
	if err := cl.Call(soon(t), "design/close", nil, nil); err != nil {
		t.Error(err)
	}
}
