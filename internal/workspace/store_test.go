package workspace

import (
	"bytes"
	"context"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wattd/wattd/internal/synth"
)

// process opens a design as a process of its own does, and ends when f did.
func process(t *testing.T, cacheDir string, c Choice, f func(p *Project, s *Snapshot)) {
	t.Helper()
	store := OpenStore(StoreOptions{Dir: cacheDir, Least: 1, Log: slog.New(slog.NewTextHandler(t.Output(), nil))})
	defer func() {
		if err := store.Close(context.Background()); err != nil {
			t.Error(err)
		}
	}()
	ws := New(nil)
	ws.SetStore(store)
	p, s, _, err := ws.Open(t.Context(), "", c, nil)
	if err != nil {
		t.Fatal(err)
	}
	f(p, s)
}

func warm(s *Snapshot) bool {
	w := &s.Session.Work
	return w.BytesParsed == 0 && w.GatesCompiled == 0 && w.PairsRun == 0
}

// slower changes the last delay of an SDF file.
func slower(t *testing.T, path, to string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	at := bytes.LastIndex(text, []byte("(IOPATH"))
	at += bytes.IndexByte(text[at+1:], '(') + 2
	end := at + bytes.IndexByte(text[at:], ')')
	text = append(append(append([]byte{}, text[:at]...), to+":"+to+":"+to...), text[end:]...)
	if err := os.WriteFile(path, text, 0o644); err != nil {
		t.Fatal(err)
	}
}

func sameAsCold(t *testing.T, c Config, s *Snapshot) {
	t.Helper()
	if d := cmp.Diff(counts(cold(t, c)), counts(s.Session)); d != "" {
		t.Fatalf("(-cold +snapshot)\n%s", d)
	}
}

func TestRestart(t *testing.T) {
	_, c := designFiles(t, synth.Params{Gates: 400, Levels: 12, Cycles: 12, Seed: 3})
	dir := t.TempDir()
	process(t, dir, Choice{Over: c}, func(_ *Project, s *Snapshot) {
		if warm(s) {
			t.Error("warm without a cache")
		}
	})
	process(t, dir, Choice{Over: c}, func(p *Project, s *Snapshot) {
		if !warm(s) {
			t.Errorf("the restart did %+v", s.Session.Work)
		}
		sameAsCold(t, c, s)
		slower(t, c.SDF[0], "77")
		s, made, err := p.Refresh(t.Context(), 0)
		if err != nil || !made {
			t.Fatal(made, err)
		}
		if w := &s.Session.Work; w.PairsRun == 0 || w.PairsRun > w.PairsTotal/2 {
			t.Errorf("the edit ran %d of %d pairs", w.PairsRun, w.PairsTotal)
		}
		sameAsCold(t, c, s)
	})
	slower(t, c.SDF[0], "99") // while nobody looks
	process(t, dir, Choice{Over: c}, func(p *Project, s *Snapshot) {
		if w := &s.Session.Work; w.PairsRun == 0 || w.PairsRun > w.PairsTotal/2 {
			t.Errorf("the edit between the processes ran %d of %d pairs", w.PairsRun, w.PairsTotal)
		}
		sameAsCold(t, c, s)
		if s, err := p.Rerun(t.Context()); err != nil || warm(s) {
			t.Error("a full rerun took over what was kept", err)
		}
	})
	other := c
	other.Windows = "7"
	process(t, dir, Choice{Over: other}, func(_ *Project, s *Snapshot) {
		if warm(s) {
			t.Error("the design of another configuration was taken")
		}
	})
}

// blobs lists the files of the images.
func blobs(t *testing.T, dir string) (paths []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".blob") {
			paths = append(paths, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return paths
}

func TestRestartWithoutTheCache(t *testing.T) {
	_, c := designFiles(t, synth.Params{Gates: 200, Levels: 8, Cycles: 8, Seed: 5})
	rewrite := func(change func(b []byte) []byte) func(string) {
		return func(path string) {
			b, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, change(b), 0o400); err != nil {
				t.Fatal(err)
			}
		}
	}
	for name, damage := range map[string]func(path string){
		"deleted":   func(path string) { _ = os.Remove(path) },
		"truncated": rewrite(func(b []byte) []byte { return b[:len(b)*2/3] }),
		"flipped":   rewrite(func(b []byte) []byte { b[len(b)/2] ^= 4; return b }),
		"empty":     rewrite(func([]byte) []byte { return nil }),
		"foreign":   rewrite(func([]byte) []byte { return bytes.Repeat([]byte("other"), 4000) }),
	} {
		for which := range 2 {
			dir := t.TempDir()
			process(t, dir, Choice{Over: c}, func(*Project, *Snapshot) {})
			all := blobs(t, dir)
			if len(all) != 2 {
				t.Fatalf("%d images", len(all))
			}
			damage(all[which])
			process(t, dir, Choice{Over: c}, func(_ *Project, s *Snapshot) {
				if warm(s) {
					t.Errorf("%s: taken all the same", name)
				}
				sameAsCold(t, c, s)
			})
			process(t, dir, Choice{Over: c}, func(_ *Project, s *Snapshot) {
				if !warm(s) {
					t.Errorf("%s: not written again", name)
				}
			})
		}
	}
	dir := t.TempDir()
	process(t, dir, Choice{Over: c}, func(*Project, *Snapshot) {
		if err := os.RemoveAll(dir); err != nil {
			t.Log(err)
		}
	})
	file := filepath.Join(t.TempDir(), "no-folder")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{dir, file, ""} {
		process(t, dir, Choice{Over: c}, func(_ *Project, s *Snapshot) { sameAsCold(t, c, s) })
	}
}

func TestOtherProgram(t *testing.T) {
	_, c := designFiles(t, synth.Params{Gates: 200, Levels: 8, Cycles: 8, Seed: 6})
	dir := t.TempDir()
	process(t, dir, Choice{Over: c}, func(*Project, *Snapshot) {})
	was := program
	defer func() { program = was }()
	program = func() ([]byte, error) { return []byte("another"), nil }
	process(t, dir, Choice{Over: c}, func(_ *Project, s *Snapshot) {
		if warm(s) {
			t.Error("what another program left was taken")
		}
	})
}

// TestRestartSeesVariables: what files mean by their variables is part of what is opened.
func TestRestartSeesVariables(t *testing.T) {
	_, c := designFiles(t, synth.Params{Gates: 200, Levels: 8, Cycles: 8, Seed: 7})
	list := filepath.Join(t.TempDir(), "all.f")
	if err := os.WriteFile(list, []byte("$WHERE/netlist.v\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	_, d := designFiles(t, synth.Params{Gates: 200, Levels: 8, Cycles: 8, Seed: 8})
	dir := t.TempDir()
	for i, from := range []Config{c, c, d, d} {
		in := c
		in.Netlist, in.FileList = nil, []string{list}
		around := Around{Dir: "/", Env: map[string]string{"WHERE": filepath.Dir(from.Netlist[0])}}
		want := in
		want.FileList, want.Netlist = nil, from.Netlist
		process(t, dir, Choice{Over: in, Around: around}, func(_ *Project, s *Snapshot) {
			if warm(s) != (i%2 == 1) {
				t.Errorf("opened %d times: %+v", i, s.Session.Work)
			}
			sameAsCold(t, want, s)
		})
	}
}
