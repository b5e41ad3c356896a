package source

import (
	"bytes"
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wattd/wattd/internal/diag"
	"github.com/wattd/wattd/internal/testenv"
)

func fstHeader() string {
	b := append([]byte{0}, make([]byte, 329)...)
	binary.BigEndian.PutUint64(b[1:], 329)
	binary.LittleEndian.PutUint64(b[25:], math.Float64bits(math.E))
	return string(b)
}

func TestKind(t *testing.T) {
	for _, tc := range []struct {
		name, in string
		want     Kind
	}{
		{"a", "module top (a);\n", Verilog},
		{"a", "// a comment with library ( in it\n/* more\n * lines */\n`timescale 1ns/1ps\nmodule m;", Verilog},
		{"a", "\xef\xbb\xbfmodule m;", Verilog},
		{"a", "(* src = \"a.v:1\" *)\nmodule m;", Verilog},
		{"a", "`celldefine\nmodule m;", Verilog},
		{"a", "(DELAYFILE\n (SDFVERSION \"3.0\")", SDF},
		{"a", "// c\n( delayfile", SDF},
		{"a", "(SAIFILE (SAIFVERSION \"2.0\")", SAIF},
		{"a", "/* c */\nlibrary (sky) {\n", Liberty},
		{"a", "library(\"x\") {", Liberty},
		{"a", "$date\n today\n$end\n", VCD},
		{"a", "\n  $timescale 1ps $end", VCD},
		{"a", "*SPEF \"IEEE 1481-1998\"\n", SPEF},
		{"a", "# made by x\ncreate_clock -name clk -period 1 [get_ports clk]\n", SDC},
		{"a", "set sdc_version 2.0\n", SDC},
		{"a", fstHeader(), FST},
		{"a", "# project\n[design]\ntop = \"x\"\n", TOML},
		{"a", "tick = \"1ps\"\n", TOML},
		{"a", "rtl,gate,inverted\na,b,0\n", CSV},
		{"a", "", Empty},
		{"a.db", "\x01\x02\x00\x00", SynopsysDB},
		{"a.fsdb", "FS\x00\x00", FSDB},
		{"a.trn", "x\x00", SHM},
		{"a.wlf", "x\x00", WLF},
		{"a.vpd", "x\x00", VPD},
		{"a.fsdb", "$date\n", VCD}, // the content decides
		{"a.bin", "x\x00", Unknown},
		{"a", "`pragma protect begin_protected\n`pragma protect version = 1\n", Encrypted},
		{"a", "module m;\n`protected\nabcd\n`endprotected\nendmodule\n", Encrypted},
		{"a", "module m; // not `protected\nendmodule\n", Verilog},
		{"a", "version https://git-lfs.github.com/spec/v1\noid sha256:0\n", LFSPointer},
		{"a", "<!DOCTYPE html>\n<html>", HTML},
		{"a", "  <HTML><head>", HTML},
		{"a", "<?xml version=\"1.0\"?>", HTML},
		{"a", "\xff\xfem\x00o\x00d\x00", UTF16},
		{"a", "\x7fELF\x02\x01", ELF},
		{"a", "PK\x03\x04xx", Zip},
		{"a", "%PDF-1.7", PDF},
		{"a", "BZh91AY", Bzip2},
		{"a", "\x04\x22\x4d\x18", Lz4},
		{"a", string(gz([]byte("x"))), CompressedTwice},
		{"a", "something else altogether\n", Unknown},
		{"a", "set_rtl_to_gate_name -rtl {a} -gate {b}\n", Unknown},
		{"a", "a sentence, with a comma\n", Unknown},
		{"a", "// only a comment", Unknown},
		{"a", "/* never closed", Unknown},
	} {
		for _, p := range packers[:3] {
			f := open(t, write(t, tc.name, p.pack([]byte(tc.in))), nil)
			want := tc.want
			if p.name == "plain" && (want == CompressedTwice) {
				continue
			}
			if got := f.Kind(); got != want {
				t.Errorf("%s %.30q: got %v, want %v", p.name, tc.in, got, want)
			}
		}
	}
}

func TestExpect(t *testing.T) {
	sdf := "(DELAYFILE)"
	for _, tc := range []struct {
		name, in string
		want     Kind
		code     diag.Code
		says     string
	}{
		{"a.v", "module m;", Verilog, "", ""},
		{"a.v", "whatever", Verilog, "", ""},
		{"a.v", sdf, Verilog, diag.SourceWrongKind, "a Verilog file is wanted here, but this is an SDF file; the arguments look swapped"},
		{"a.fsdb", "x\x00", VCD, diag.SourceForeign, "fsdb2vcd"},
		{"a.db", "x\x00", Liberty, diag.SourceForeign, "write_lib"},
		{"a.v", "", Verilog, diag.SourceEmpty, "empty"},
		{"a.v", "`protected\n", Verilog, diag.SourceEncrypted, "encrypted"},
		{"a.v", "version https://git-lfs.github.com/spec/v1\n", Verilog, diag.SourceLFSPointer, "git lfs pull"},
		{"a.lib", "<html>", Liberty, diag.SourceForeign, "download"},
		{"a.lib", "\xff\xfel\x00", Liberty, diag.SourceEncoding, "iconv"},
	} {
		var bag diag.Bag
		f := open(t, write(t, tc.name, []byte(tc.in)), &bag)
		if ok := f.Expect(tc.want, &bag); ok != (tc.code == "") {
			t.Errorf("%q as %v: %v", tc.in, tc.want, ok)
		}
		if tc.code == "" {
			continue
		}
		d := bag.Kept(tc.code)
		if len(d) != 1 || !strings.Contains(d[0].Msg, tc.says) || filepath.Base(d[0].Pos.File) != tc.name {
			t.Errorf("%q as %v: %v", tc.in, tc.want, d)
		}
	}
}

func TestEveryKindHasItsTexts(t *testing.T) {
	for k := Unknown; int(k) < len(kindNames); k++ {
		if k.String() == "" {
			t.Errorf("kind %d has no name", k)
		}
		if _, refused := refusals[k]; refused == (k.Supported() || k == Unknown) {
			t.Errorf("%v: supported %v, refused %v", k, k.Supported(), refused)
		}
	}
}

func TestDirectory(t *testing.T) {
	dir := t.TempDir()
	shm := filepath.Join(dir, "waves.shm")
	os.Mkdir(shm, 0o777)
	var bag diag.Bag
	if f := open(t, dir, &bag); f.Kind() != Directory || f.Expect(VCD, &bag) || bag.Count(diag.SourceNotAFile) != 1 {
		t.Error("directory passes")
	} else if _, err := f.Read(make([]byte, 1)); err == nil {
		t.Error("directory can be read")
	} else if _, err := f.Sum(); err == nil {
		t.Error("directory has a sum")
	}
	if f := open(t, shm, &bag); f.Kind() != SHM {
		t.Error(f.Kind())
	}
}

// A wrong guess on a good file would refuse it: every corpus file is what its name says.
func TestKindOfCorpus(t *testing.T) {
	root := testenv.Corpus(t)
	bySuffix := map[string]Kind{".v": Verilog, ".sdf": SDF, ".vcd": VCD, ".saif": SAIF, ".spef": SPEF, ".lib": Liberty, ".sdc": SDC}
	n := 0
	filepath.WalkDir(root, func(p string, d os.DirEntry, err error) error {
		name := p
		for _, s := range []string{".xz", ".gz", ".zst"} {
			name = strings.TrimSuffix(name, s)
		}
		want, ok := bySuffix[filepath.Ext(name)]
		if err != nil || d.IsDir() || !ok {
			return nil
		}
		f := open(t, p, nil)
		if got := f.Kind(); got != want && !(want == SDC && got == Unknown) {
			t.Errorf("%s: %v", p, got)
		}
		f.Close()
		n++
		return nil
	})
	if n < 20 {
		t.Errorf("only %d files", n)
	}
}

func FuzzSniff(f *testing.F) {
	f.Add([]byte("module m;"))
	f.Add([]byte("a,b\n1,2\n"))
	f.Add([]byte("[x]\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if k := sniff(b, "x.wlf"); int(k) >= len(kindNames) {
			t.Error(k)
		}
		sniff(bytes.ToUpper(b), "")
	})
}
