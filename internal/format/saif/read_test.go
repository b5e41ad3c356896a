package saif

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/gzip"
	"github.com/ulikunitz/xz"

	"github.com/wattd/wattd/internal/diag"
	"github.com/wattd/wattd/internal/testenv"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func read(t testing.TB, text string) (*File, *diag.Bag) {
	t.Helper()
	return readAny(t, text)
}

func readAny(t interface{ Fatal(...any) }, text string) (*File, *diag.Bag) {
	var bag diag.Bag
	f, err := Read(context.Background(), strings.NewReader(text), "f.saif", &bag)
	if err != nil {
		t.Fatal(err)
	}
	return f, &bag
}

func messages(bag *diag.Bag) string {
	var s []string
	for _, tot := range bag.Totals() {
		for _, d := range bag.Kept(tot.Code) {
			s = append(s, fmt.Sprintf("%d:%d %s", d.Pos.Line, d.Pos.Col, d.Code))
		}
	}
	return strings.Join(s, "; ")
}

// dump writes a file as lines of text.
func dump(f *File) string {
	var b strings.Builder
	i := f.Info
	fmt.Fprintf(&b, "%q %q %q %q %q %q %q divider %q timescale %de%d %v duration %v\n", i.Version, i.Direction, i.Design,
		i.Date, i.Vendor, i.Program, i.ProgVersion, i.Divider, i.Timescale.Coef, i.Timescale.Exp, i.TimescaleGiven, i.Duration.Float())
	path := func(inst int32) string {
		var s []string
		for _, n := range f.Path(inst, nil) {
			s = append(s, f.Names.String(n))
		}
		return strings.Join(s, "|")
	}
	for i, in := range f.Insts {
		fmt.Fprintf(&b, "%d instance %s %q virtual=%v\n", in.Line, path(int32(i)), f.Names.String(in.Module), in.Virtual)
	}
	for i, e := range f.Entries {
		fmt.Fprintf(&b, "%d %s %s|%s", e.Line, [...]string{"net", "port"}[e.Kind], path(e.Inst), f.Names.String(e.Name))
		if e.Form != NoIndex {
			fmt.Fprintf(&b, " %s %d", [...]string{"", "plain", "escaped", "round"}[e.Form], e.Index)
		}
		for c := range NumCounters {
			if v, ok := f.Value(int32(i), c); ok {
				fmt.Fprintf(&b, " %s=%v", c, v.Float())
			}
		}
		if e.Summed {
			b.WriteString(" summed")
		}
		b.WriteByte('\n')
	}
	fmt.Fprintf(&b, "%+v\n", f.Stats)
	return b.String()
}

func TestGolden(t *testing.T) {
	text, err := os.ReadFile("testdata/all.saif")
	if err != nil {
		t.Fatal(err)
	}
	f, bag := read(t, string(text))
	var b strings.Builder
	b.WriteString(dump(f))
	bag.Write(&b, diag.Note, 10)
	const golden = "testdata/all.golden"
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
	f2, err := Read(context.Background(), iotest.OneByteReader(bytes.NewReader(text)), "f.saif", new(diag.Bag))
	if err != nil || dump(f2) != dump(f) {
		t.Error("the size of the reads matters", err)
	}
}

func TestBadFiles(t *testing.T) {
	const head = "(SAIFILE (DIVIDER /) (TIMESCALE 1 ps) (DURATION 10)\n"
	const net = head + "(INSTANCE t (NET\n"
	const after = "\n(after (T0 10) (T1 0)))))"
	for _, c := range []struct{ text, want string }{
		{"", "1:1 saif-not-saif"},
		{"(DELAYFILE)", "1:1 saif-not-saif"},
		{"\xff\xfe(\x00", "1:1 saif-not-saif"},
		{"(SAIFILE (DIRECTION \"Forward\") (LIBRARY \"x\"))", "1:10 saif-forward"},
		{"(SAIFILE (TIMESCALE 1 ps))", "0:0 saif-no-duration"},
		{"(SAIFILE (TIMESCALE 1 ps) (DURATION 0.0))", "0:0 saif-no-duration"},
		{"(SAIFILE (DURATION 10))", "0:0 saif-no-timescale"},
		{"(SAIFILE (TIMESCALE 1 ps) (DURATION -1))", "1:27 saif-bad-header; 0:0 saif-no-duration"},
		{"(SAIFILE (TIMESCALE 1) (DURATION 1))", "1:10 saif-bad-header; 0:0 saif-no-timescale"},
		{head + "(DURATION 11))", "2:1 saif-bad-header"},
		{head + "(TIMESCALE 1 ns))", "2:1 saif-bad-header"},
		{head + "(DIVIDER ab))", "2:1 saif-bad-header"},
		{head + "(INSTANCE t)(DIVIDER .))", "2:13 saif-bad-header"},
		{head + ")\n\x00", ""},
		{head + "))", "2:2 saif-trailing-text"},
		{head + "(INSTANCE t (NET", "2:17 saif-truncated"},
		{head + "(INSTANCE))", "2:10 saif-syntax"},
		{head + "(INSTANCE (NET)))", "2:11 saif-syntax"},
		{head + "(INSTANCE t (INSTANCE /) (FOO)))", "2:24 saif-syntax; 2:26 saif-unknown-construct"},
		{net + "(a (T0 1)" + after, "4:26 saif-truncated; 3:1 saif-unknown-construct"},
		{net + "(a (T0))" + after, "3:7 saif-syntax"},
		{net + "(a (T0 x))" + after, "3:8 saif-syntax"},
		{net + "(a (T0 -1))" + after, "3:10 saif-syntax"},
		{net + "(a (T0 1 2))" + after, "3:10 saif-syntax"},
		{net + "(a (T0 1) (T0 1))" + after, "3:17 saif-syntax"},
		{net + "(a T0 1)" + after, "3:4 saif-syntax"},
		{net + "((T0 1))" + after, "3:2 saif-syntax"},
		{net + "()" + after, "3:2 saif-syntax"},
		{net + "(a(3 (T0 1)))" + after, "3:6 saif-syntax"},
		{net + "(a (T0 1234567890123456789))" + after, "3:27 saif-syntax"},
		{net + "stray" + after, "3:1 saif-syntax"},
		{net + "(a (TP 1) (T0 10) (T1 0))" + after, "3:1 saif-unknown-construct"},
		{net + "(a (T0 9) (T1 0))\n(b (T0 3) (T1 0) (TX 3) (TZ 3) (TB 1)) (c (T0 1))" + after, "3:0 saif-duration-mismatch"},
	} {
		f, bag := read(t, c.text)
		if got := messages(bag); got != c.want {
			t.Errorf("%s: %s, want %s", c.text, got, c.want)
		}
		if strings.HasSuffix(c.text, after) && bag.Count(diag.SAIFTruncated) == 0 {
			if last := f.Entries[len(f.Entries)-1]; f.Names.String(last.Name) != "after" {
				t.Errorf("%s: what follows is not read", c.text)
			}
		}
	}
}

// A file cut anywhere is an error of one kind.
func TestTruncatedAnywhere(t *testing.T) {
	text, err := os.ReadFile("testdata/all.saif")
	if err != nil {
		t.Fatal(err)
	}
	end := bytes.LastIndexByte(text, ')')
	for i := range end {
		if i > 0 && text[i-1] == '/' {
			continue // half a comment is a stray byte
		}
		_, bag := read(t, string(text[:i]))
		if bag.Errors() != 1 || bag.Count(diag.SAIFTruncated)+bag.Count(diag.SAIFNotSAIF) != 1 {
			t.Fatalf("cut at %d: %s", i, messages(bag))
		}
	}
}

func TestIOFaultAndCancel(t *testing.T) {
	fault := errors.New("disk")
	r := io.MultiReader(strings.NewReader("(SAIFILE (INSTANCE a"), iotest.ErrReader(fault))
	if _, err := Read(context.Background(), r, "f", new(diag.Bag)); !errors.Is(err, fault) {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Read(ctx, strings.NewReader("(SAIFILE)"), "f", new(diag.Bag)); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestHuge(t *testing.T) {
	const net = "(SAIFILE (INSTANCE t (NET "
	for _, c := range []struct{ name, head, text string }{
		{"one name", net + "(", "a"},
		{"one number", net + "(a (T0 ", "1"},
		{"open", "(SAIFILE ", "("},
		{"nested", "(SAIFILE ", "(INSTANCE a "},
		{"divided", net + "(", "a/"},
		{"groups", "(SAIFILE (INSTANCE t ", "(NET)"},
		{"dependent", net + "(a ", "(COND "},
		{"sums", net + "(a (COND ", "(TC 999999999999999999) "},
		{"string", "(SAIFILE (DESIGN \"", "x"},
		{"stray words", net, "x "},
		{"one line", net, "(a (T0 1) (T1 2) (TX 0) (TC 5))"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var bag diag.Bag
			text := strings.Repeat(c.text, (4<<20)/len(c.text))
			if _, err := Read(context.Background(), io.MultiReader(strings.NewReader(c.head), strings.NewReader(text)), "f", &bag); err != nil {
				t.Error(err)
			}
			if bag.Errors() == 0 {
				t.Error("no error")
			}
		})
	}
}

func corpusFile(t testing.TB, path string) []byte {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var r io.Reader
	if strings.HasSuffix(path, ".xz") {
		r, err = xz.NewReader(f)
	} else {
		r, err = gzip.NewReader(f)
	}
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Every SAIF of the corpus reads without error or warning; entries and changes are counted in another way.
func TestCorpus(t *testing.T) {
	dir := testenv.Corpus(t)
	var files []string
	for _, glob := range []string{"designs/*/golden.saif.xz", "designs/*/opensta_example/*.saif.gz"} {
		m, err := filepath.Glob(filepath.Join(dir, glob))
		if err != nil || len(m) == 0 {
			t.Fatal("no files: ", glob)
		}
		files = append(files, m...)
	}
	for _, path := range files {
		text := corpusFile(t, path)
		f, bag := read(t, string(text))
		if messages(bag) != "" {
			t.Errorf("%s: %s", path, messages(bag))
		}
		if n := bytes.Count(text, []byte("(T0 ")); len(f.Entries) != n {
			t.Errorf("%s: %d entries, want %d", path, len(f.Entries), n)
		}
		if n := bytes.Count(text, []byte("(INSTANCE ")); len(f.Insts) != n {
			t.Errorf("%s: %d instances, want %d", path, len(f.Insts), n)
		}
		var tc, want int64
		for e := range f.Entries {
			v, _ := f.Value(int32(e), TC)
			tc += v.Int
		}
		for rest := text; ; {
			i := bytes.Index(rest, []byte("(TC "))
			if i < 0 {
				break
			}
			rest = rest[i+4:]
			var n int64
			fmt.Sscan(string(rest[:bytes.IndexByte(rest, ')')]), &n)
			want += n
		}
		if tc != want {
			t.Errorf("%s: %d changes, want %d", path, tc, want)
		}
	}
}

func FuzzRead(f *testing.F) {
	text, err := os.ReadFile("testdata/all.saif")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add([]byte("(SAIFILE(DURATION 1.5)(INSTANCE a(NET(b(T0 .00001e-50)(T1 0)(TC 1e17)(COND(T0 1e99))))))"))
	f.Fuzz(func(t *testing.T, text []byte) {
		var a, b diag.Bag
		f1, err := Read(context.Background(), bytes.NewReader(text), "f", &a)
		if err != nil {
			t.Fatal(err)
		}
		f2, err := Read(context.Background(), iotest.HalfReader(bytes.NewReader(text)), "f", &b)
		if err != nil || dump(f1) != dump(f2) || messages(&a) != messages(&b) {
			t.Fatal("the size of the reads matters")
		}
	})
}

func BenchmarkRead(b *testing.B) {
	var text bytes.Buffer
	w := NewWriter(&text, Header{Duration: 1000000, Timescale: "1 ps", Dialect: OpenSTA})
	w.BeginInstance("", "tb")
	for i := range 100000 {
		w.BeginInstance("", fmt.Sprintf("_%06d_", i))
		w.BeginPorts()
		n := int64(i % 1000)
		w.Entry("A", NoBit, Counts{T0: 1000000 - n, T1: n, TC: n, HasIG: true})
		w.Entry("Y", NoBit, Counts{T1: 1000000 - n, T0: n, TC: n, HasIG: true})
		w.EndInstance()
	}
	w.EndInstance()
	if err := w.Close(); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(text.Len()))
	b.ReportAllocs()
	for b.Loop() {
		var bag diag.Bag
		if _, err := Read(context.Background(), bytes.NewReader(text.Bytes()), "f", &bag); err != nil || bag.Errors() > 0 {
			b.Fatal(err)
		}
	}
}
