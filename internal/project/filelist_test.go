package project

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wattd/wattd/internal/diag"
	"github.com/wattd/wattd/internal/format/verilog"
	"github.com/wattd/wattd/internal/source"
)

func TestFileList(t *testing.T) {
	for _, tc := range []struct {
		name, text string
		files      string
		defines    map[string]string
		msgs       []string
	}{
		{name: "words and comments", text: "a.v /* b.v\n b.v */ lib/b.v // c.v\n# c.v\n", files: "a.v lib/b.v"},
		{name: "libraries", text: "a.v -v lib/b.v -y lib +libext+.v+.vg -sv", files: "a.v (lib/b.v) (lib/b.v) (lib/c.vg)"},
		{name: "defines", text: "+define+A+B=1+C=x=y a.v", files: "a.v", defines: map[string]string{"A": "", "B": "1", "C": "x=y"}},
		{name: "option and argument on two lines", text: "-v\n\nlib/b.v\n", files: "(lib/b.v)"},
		{name: "nested", text: "-f more.f\n-F more.f", files: "lib/b.v lib/b.v"},
		{name: "variable", text: "$WATTD_TEST_LIB/b.v", files: "lib/b.v"},
		{name: "byte order mark", text: "\xef\xbb\xbfa.v\r\n", files: "a.v"},
		{name: "not understood", text: "a.v\n-timescale 1ns\n", files: "a.v", msgs: []string{`list.f:2: error: option "-timescale" is not understood [filelist-invalid]`, "list.f:2: error: 1ns: no such file or directory [filelist-invalid]"}},
		{name: "no argument", text: "a.v\n-v", files: "a.v", msgs: []string{"list.f:2: error: -v at the end has no argument [filelist-invalid]"}},
		{name: "no folder", text: "-y none", msgs: []string{"list.f:1: error: -y none: no such file or directory [filelist-invalid]"}},
		{name: "itself", text: "-f list.f", msgs: []string{"list.f: error: file lists nested more than 16 deep [filelist-invalid]"}},
		{name: "long line", text: "a.v\n" + strings.Repeat("x", maxListLine+1), files: "a.v", msgs: []string{"list.f:2: error: a line of over 1048576 bytes: this is no file list [filelist-invalid]"}},
		{name: "junk", text: "a.v\n\x00\x01", files: "a.v", msgs: []string{"list.f:2: error: binary data: this is no file list [filelist-invalid]"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := t.TempDir()
			t.Chdir(dir)
			t.Setenv("WATTD_TEST_LIB", "lib")
			for n, s := range map[string]string{"a.v": "x", "lib/b.v": "x", "lib/c.vg": "x", "lib/d.txt": "x", "more.f": "lib/b.v", "list.f": tc.text} {
				if err := os.MkdirAll(filepath.Dir(n), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(n, []byte(s), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			bag := &diag.Bag{}
			l := fileList{defines: map[string]string{}, bag: bag, open: func(p string) (*source.File, error) {
				return source.Open(context.Background(), p, bag)
			}}
			if err := l.read("list.f", 0); err != nil {
				t.Fatal(err)
			}
			var files []string
			for _, f := range l.files {
				if f.library {
					f.path = "(" + f.path + ")"
				}
				files = append(files, f.path)
			}
			if got := strings.Join(files, " "); got != tc.files {
				t.Errorf("files %s, want %s", got, tc.files)
			}
			if tc.defines == nil {
				tc.defines = map[string]string{}
			}
			if d := cmp.Diff(tc.defines, l.defines); d != "" {
				t.Error(d)
			}
			if d := cmp.Diff(tc.msgs, messages(bag)); d != "" {
				t.Error(d)
			}
		})
	}
}

// TestFileListBesideItself holds that a list can be moved with its files.
func TestFileListBesideItself(t *testing.T) {
	dir := t.TempDir()
	for n, s := range map[string]string{"a.v": "x", "list.f": "a.v"} {
		if err := os.WriteFile(filepath.Join(dir, n), []byte(s), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	bag := &diag.Bag{}
	l := fileList{bag: bag, open: func(p string) (*source.File, error) { return source.Open(context.Background(), p, bag) }}
	if err := l.read(filepath.Join(dir, "list.f"), 0); err != nil || bag.Errors() > 0 {
		t.Fatal(err, messages(bag))
	}
	if len(l.files) != 1 || l.files[0].path != filepath.Join(dir, "a.v") {
		t.Errorf("%v", l.files)
	}
}

func TestWanted(t *testing.T) {
	mod := func(name int32, cells ...int32) *verilog.Module {
		m := &verilog.Module{Name: name}
		for _, c := range cells {
			m.Insts = append(m.Insts, verilog.Inst{Cell: c})
		}
		return m
	}
	top := []*verilog.Module{mod(1, 2, 0, 9), mod(2)}
	lib := []*verilog.Module{mod(2, 5), mod(9, 3, 3), mod(9, 4), mod(3, 9), mod(4), mod(5)}
	got := wanted(top, lib)
	if len(got) != 2 || got[0] != lib[1] || got[1] != lib[3] {
		t.Errorf("%v", got)
	}
}
