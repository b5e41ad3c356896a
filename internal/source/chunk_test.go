package source

import (
	"bytes"
	"testing"

	"github.com/zeebo/blake3"
)

func checkChunks(t *testing.T, chunks []Chunk, in []byte) {
	t.Helper()
	var at int64
	for i, c := range chunks {
		end := c.Offset + int64(c.Len)
		if c.Offset != at || end > int64(len(in)) {
			t.Fatalf("chunk %d at %d length %d, want offset %d", i, c.Offset, c.Len, at)
		}
		b := in[c.Offset:end]
		if sum := blake3.Sum256(b); [16]byte(sum[:16]) != c.Hash {
			t.Fatalf("chunk %d: wrong hash", i)
		}
		last := i == len(chunks)-1
		if c.Len > maxChunk || !last && (c.Len < minChunk || c.Len != maxChunk && b[len(b)-1] != '\n') {
			t.Errorf("chunk %d: length %d, last byte %q", i, c.Len, b[len(b)-1])
		}
		at = end
	}
	if at != int64(len(in)) {
		t.Errorf("chunks cover %d of %d bytes", at, len(in))
	}
}

func chunksOf(t *testing.T, in []byte) []Chunk {
	f := OpenBytes("a", in)
	defer f.Close()
	s, err := f.Sum()
	if err != nil {
		t.Fatal(err)
	}
	checkChunks(t, s.Chunks, in)
	return s.Chunks
}

// Borders must not depend on how the bytes arrive.
func TestChunksOfAnySplit(t *testing.T) {
	in := text(2 << 20)
	want := chunksOf(t, in)
	for _, step := range []int{1, 63, 4096, 100_003} {
		var c chunker
		for b := range splits(in, step) {
			c.write(b)
		}
		got := c.finish()
		if len(got) != len(want) {
			t.Fatalf("step %d: %d chunks, want %d", step, len(got), len(want))
		}
		for i := range got {
			if got[i] != want[i] {
				t.Fatalf("step %d: chunk %d is %+v, want %+v", step, i, got[i], want[i])
			}
		}
	}
}

func splits(b []byte, n int) func(func([]byte) bool) {
	return func(yield func([]byte) bool) {
		for len(b) > 0 {
			k := min(n, len(b))
			if !yield(b[:k]) {
				return
			}
			b = b[k:]
		}
	}
}

func TestEditsChangeFewChunks(t *testing.T) {
	in := text(16 << 20)
	old := map[[16]byte]bool{}
	was := chunksOf(t, in)
	for _, c := range was {
		old[c.Hash] = true
	}
	if mean := len(in) / len(was); mean < 40<<10 || mean > 90<<10 {
		t.Errorf("mean chunk %d", mean)
	}
	nl := bytes.IndexByte(in, '\n') + 1
	for name, edited := range map[string][]byte{
		"insert a line near the front": bytes.Join([][]byte{in[:nl], []byte("  sky130_fd_sc_hd__buf_1 new (.A(a), .X(b));\n"), in[nl:]}, nil),
		"remove the first line":        in[nl:],
		"insert one byte":              bytes.Join([][]byte{in[:5000], {'x'}, in[5000:]}, nil),
		"change a byte in the middle":  bytes.Join([][]byte{in[:8<<20], {'x'}, in[8<<20+1:]}, nil),
		"append a line":                append(bytes.Clone(in), "endmodule\n"...),
	} {
		changed := 0
		for _, c := range chunksOf(t, edited) {
			if !old[c.Hash] {
				changed++
			}
		}
		if changed == 0 || changed > 4 {
			t.Errorf("%s: %d of %d chunks changed", name, changed, len(was))
		}
	}
}

func TestChunksWithoutNewlines(t *testing.T) {
	chunksOf(t, bytes.Repeat([]byte("x"), 1<<20+7))
	chunksOf(t, bytes.ReplaceAll(text(1<<20), []byte("\n"), []byte(" ")))
	chunksOf(t, bytes.Repeat([]byte("\n"), 1<<20))
}

func TestChunkListIsBounded(t *testing.T) {
	c := chunker{chunks: make([]Chunk, MaxChunks)}
	c.write([]byte("x"))
	if got := c.finish(); got != nil {
		t.Errorf("%d chunks", len(got))
	}
}
