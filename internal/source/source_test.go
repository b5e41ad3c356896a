package source

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/ulikunitz/xz"
	"github.com/zeebo/blake3"
	"go.uber.org/goleak"

	"github.com/wattd/wattd/internal/diag"
	"github.com/wattd/wattd/internal/testenv"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// text makes n bytes of lines that look like a netlist.
func text(n int) []byte {
	r := rand.New(rand.NewPCG(1, 2))
	var b bytes.Buffer
	for i := 0; b.Len() < n; i++ {
		fmt.Fprintf(&b, "  sky130_fd_sc_hd__nand2_%d _%05d_ (.A(n%d), .B(n%d), .Y(n%d));\n", r.IntN(4), i, r.IntN(1e6), r.IntN(1e6), i)
	}
	return b.Bytes()[:n]
}

func gz(parts ...[]byte) []byte {
	var b bytes.Buffer
	for _, p := range parts {
		w := gzip.NewWriter(&b)
		w.Write(p)
		w.Close()
	}
	return b.Bytes()
}

func zst(parts ...[]byte) []byte {
	var b bytes.Buffer
	for _, p := range parts {
		w, _ := zstd.NewWriter(&b)
		w.Write(p)
		w.Close()
	}
	return b.Bytes()
}

func xzip(parts ...[]byte) []byte {
	var b bytes.Buffer
	for _, p := range parts {
		w, err := xz.NewWriter(&b)
		if err != nil {
			panic(err)
		}
		w.Write(p)
		w.Close()
	}
	return b.Bytes()
}

var packers = []struct {
	name string
	pack func(...[]byte) []byte
}{
	{"plain", func(p ...[]byte) []byte { return bytes.Join(p, nil) }}, {"gzip", gz}, {"zstd", zst}, {"xz", xzip},
}

func write(t testing.TB, name string, b []byte) string {
	p := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(p, b, 0o666); err != nil {
		t.Fatal(err)
	}
	return p
}

func open(t testing.TB, path string, bag *diag.Bag) *File {
	f, err := Open(t.Context(), path, bag)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func TestReadAndSum(t *testing.T) {
	for _, size := range []int{0, 1, 100, blockSize - 1, blockSize, blockSize + 1, 3 << 20} {
		in := text(size)
		for _, p := range packers {
			t.Run(fmt.Sprintf("%s/%d", p.name, size), func(t *testing.T) {
				raw := p.pack(in[:size/3], in[size/3:]) // two streams in one file
				f := open(t, write(t, "a.txt", raw), nil)
				got, err := io.ReadAll(f)
				if err != nil || !bytes.Equal(got, in) {
					t.Fatalf("read %d bytes, %v", len(got), err)
				}
				s, err := f.Sum()
				if err != nil {
					t.Fatal(err)
				}
				if s.Hash != blake3.Sum256(in) || s.Size != int64(size) || s.RawSize != int64(len(raw)) {
					t.Errorf("sum %x size %d raw %d", s.Hash, s.Size, s.RawSize)
				}
				checkChunks(t, s.Chunks, in)
				if done, total := f.Progress(); done != int64(len(raw)) || total != done {
					t.Errorf("progress %d of %d", done, total)
				}
			})
		}
	}
}

func TestXzWithoutTheProgram(t *testing.T) {
	t.Setenv("PATH", "")
	in := text(100_000)
	raw := xzip(in)
	got, err := io.ReadAll(open(t, write(t, "a.xz", raw), nil))
	if err != nil || !bytes.Equal(got, in) {
		t.Fatalf("read %d bytes, %v", len(got), err)
	}
	var bag diag.Bag
	if _, err := io.ReadAll(open(t, write(t, "b.xz", raw[:len(raw)/2]), &bag)); !errors.Is(err, ErrDamaged) {
		t.Errorf("cut file: %v", err)
	}
}

func TestSmallReads(t *testing.T) {
	in := text(600_000)
	f := OpenBytes("a", gz(in))
	defer f.Close()
	if err := iotest.TestReader(f, in); err != nil {
		t.Error(err)
	}
}

func TestSumDrains(t *testing.T) {
	in := text(2 << 20)
	f := OpenBytes("a", zst(in))
	defer f.Close()
	io.CopyN(io.Discard, f, 1000)
	s, err := f.Sum()
	if err != nil || s.Hash != blake3.Sum256(in) {
		t.Errorf("%x, %v", s.Hash, err)
	}
	if n, err := f.Read(make([]byte, 10)); n != 0 || err != io.EOF {
		t.Errorf("after the end: %d, %v", n, err)
	}
	f.Close()
	if s2, err := f.Sum(); err != nil || s2.Hash != s.Hash {
		t.Errorf("after Close: %v", err)
	}
}

func TestSumAfterEarlyClose(t *testing.T) {
	for _, p := range packers {
		f := OpenBytes("a", p.pack(text(4<<20)))
		io.CopyN(io.Discard, f, 1000)
		f.Close()
		f.Close()
		if _, err := f.Sum(); !errors.Is(err, ErrIncomplete) {
			t.Errorf("%s: %v", p.name, err)
		}
		if _, err := io.ReadAll(f); !errors.Is(err, os.ErrClosed) {
			t.Errorf("%s: read after Close: %v", p.name, err)
		}
	}
}

func TestDamage(t *testing.T) {
	in := text(1 << 20)
	for _, p := range packers[1:] {
		raw := p.pack(in)
		flip := bytes.Clone(raw)
		flip[len(flip)/2] ^= 0xff
		for _, tc := range []struct {
			name string
			b    []byte
		}{
			{"half", raw[:len(raw)/2]},
			{"last byte", raw[:len(raw)-1]},
			{"magic only", raw[:6]},
			{"flipped", flip},
			{"garbage behind", append(bytes.Clone(raw), "garbage behind the stream"...)},
		} {
			t.Run(p.name+"/"+tc.name, func(t *testing.T) {
				var bag diag.Bag
				f := open(t, write(t, "a.sdf", tc.b), &bag)
				_, err := io.ReadAll(f)
				if !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), "a.sdf") || !strings.Contains(err.Error(), "near byte") {
					t.Errorf("error %v", err)
				}
				if d := bag.Kept(diag.SourceDamaged); len(d) != 1 || d[0].Pos.Line < 1 {
					t.Errorf("diagnostics %v", d)
				}
				if _, err := f.Sum(); !errors.Is(err, ErrDamaged) {
					t.Errorf("Sum: %v", err)
				}
			})
		}
	}
}

func TestCancel(t *testing.T) {
	for _, p := range packers {
		ctx, cancel := context.WithCancel(t.Context())
		f, err := Open(ctx, write(t, "a", p.pack(text(4<<20))), nil)
		if err != nil {
			t.Fatal(err)
		}
		io.CopyN(io.Discard, f, 10)
		cancel()
		if _, err := io.ReadAll(f); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", p.name, err)
		}
		if _, err := f.Sum(); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: Sum: %v", p.name, err)
		}
		f.Close()
	}
}

// A pipe that nobody writes to must not hold Close up.
func TestCloseWhileWaiting(t *testing.T) {
	fifo := filepath.Join(t.TempDir(), "fifo")
	if err := exec.Command(testenv.Require(t, "mkfifo"), fifo).Run(); err != nil {
		t.Skip(err)
	}
	w, err := os.OpenFile(fifo, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	for _, head := range []string{"", "plain text", string(xzip(text(1000))[:200])} {
		f, err := Open(t.Context(), fifo, nil)
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(w, head)
		f.Close()
		// What was not read stays in the pipe; take it out for the next round.
		w.Close()
		if w, err = os.OpenFile(fifo, os.O_RDWR, 0); err != nil {
			t.Fatal(err)
		}
	}
}

func TestReadFault(t *testing.T) {
	fault := errors.New("disk on fire")
	f := start(t.Context(), "a", io.NopCloser(io.MultiReader(bytes.NewReader(gz(text(1 << 20))[:5000]), iotest.ErrReader(fault))), 0, nil)
	defer f.Close()
	if _, err := io.ReadAll(f); !errors.Is(err, fault) || errors.Is(err, ErrDamaged) {
		t.Errorf("got %v", err)
	}
}

func TestOpenMissing(t *testing.T) {
	if _, err := Open(t.Context(), filepath.Join(t.TempDir(), "none"), nil); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}

func FuzzDecompress(f *testing.F) {
	for _, p := range packers {
		f.Add(p.pack(text(3000)))
	}
	f.Setenv("PATH", "") // the decoder in this process, not one process for each input
	f.Fuzz(func(t *testing.T, b []byte) {
		file := OpenBytes("f", b)
		defer file.Close()
		file.Kind()
		// A bomb may hold more than is worth reading here.
		if _, err := io.CopyN(io.Discard, file, 2<<20); err == io.EOF {
			if s, err := file.Sum(); err != nil || s.RawSize != int64(len(b)) {
				t.Errorf("sum %+v, %v", s, err)
			}
		}
	})
}

func benchmark(b *testing.B, raw []byte, size int) {
	b.SetBytes(int64(size))
	for b.Loop() {
		f := OpenBytes("b", raw)
		if _, err := io.Copy(io.Discard, f); err != nil {
			b.Fatal(err)
		}
		f.Close()
	}
}

func BenchmarkRead(b *testing.B) {
	in := text(64 << 20)
	for _, p := range packers[:3] {
		raw := p.pack(in)
		b.Run(p.name, func(b *testing.B) { benchmark(b, raw, len(in)) })
	}
}
