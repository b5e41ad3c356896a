package source

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
)

// lines is text whose lines all differ.
func lines(n int) [][]byte {
	var l [][]byte
	for i := range n {
		l = append(l, fmt.Appendf(nil, "  NAND2 u%d (.A(n%d), .B(n%d), .Y(n%d));\n", i, i*7919%n, i*104729%n, i))
	}
	return l
}

// checkChanged applies the changes. Where chunks come several times a change may have no text.
func checkChanged(t *testing.T, c *Changed, old, now []byte, repeats bool) {
	t.Helper()
	var i, j int64
	for _, x := range append(c.Changes, Change{Range{int64(len(old)), int64(len(old))}, Range{int64(len(now)), int64(len(now))}}) {
		if x.Old.From < i || x.New.From < j || !bytes.Equal(old[i:x.Old.From], now[j:x.New.From]) {
			t.Fatalf("the text before %+v differs", x)
		}
		if got := c.Text(x.New); x.New.From < x.New.To && !bytes.Equal(got, now[x.New.From:x.New.To]) && (!repeats || got != nil) {
			t.Fatalf("the text of %+v is not kept", x)
		}
		i, j = x.Old.To, x.New.To
	}
	for _, p := range c.parts {
		if !bytes.Equal(p.text, now[p.from:p.from+int64(len(p.text))]) {
			t.Fatalf("the text kept at %d is another", p.from)
		}
	}
}

func TestCompare(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	was := lines(30_000)
	old := bytes.Join(was, nil)
	chunks := chunksOf(t, old)
	dir := t.TempDir()
	for range 12 {
		now := append([][]byte(nil), was...)
		edits := r.IntN(4)
		for range edits {
			k := r.IntN(len(now))
			switch r.IntN(3) {
			case 0:
				now[k] = append([]byte("  // swapped\n"), now[k]...)
			case 1:
				now = append(now[:k:k], now[k+1:]...)
			case 2:
				k = 0
				now = append([][]byte{[]byte("// first\n")}, now...)
			}
		}
		text := bytes.Join(now, nil)
		c, err := CompareBytes("t.v", text, chunks)
		if err != nil {
			t.Fatal(err)
		}
		checkChanged(t, c, old, text, false)
		if len(c.Changes) > edits || edits > 0 && len(c.Changes) == 0 || c.Kept() > int64(edits*4*maxChunk) {
			t.Fatalf("%d edits are %d changes, %d bytes kept", edits, len(c.Changes), c.Kept())
		}
		var z bytes.Buffer
		w := gzip.NewWriter(&z)
		w.Write(text)
		w.Close()
		path := filepath.Join(dir, "t.v.gz")
		if err := os.WriteFile(path, z.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		if c, err = Compare(context.Background(), path, chunks, nil); err != nil {
			t.Fatal(err)
		}
		checkChanged(t, c, old, text, false)
	}
}

func TestCompareOdd(t *testing.T) {
	text := bytes.Join(lines(20_000), nil)
	twice := append(bytes.Clone(text), text...) // chunks that come several times
	for _, x := range []struct{ old, now []byte }{
		{text, twice},
		{twice, text},
		{text, nil},
		{text, text[:100]},
		{text[:100], text},
		{twice, twice[1:]},
		{bytes.Repeat([]byte("a\n"), 1<<19), bytes.Repeat([]byte("a\n"), 1<<18)},
	} {
		c, err := CompareBytes("t", x.now, chunksOf(t, x.old))
		if errors.Is(err, ErrManyChanges) && len(x.now) == 0 {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		checkChanged(t, c, x.old, x.now, true)
	}
	if _, err := CompareBytes("t", text, nil); !errors.Is(err, ErrManyChanges) {
		t.Errorf("no chunks: %v", err)
	}
}

func BenchmarkCompare(b *testing.B) {
	was := lines(1_000_000)
	old := bytes.Join(was, nil)
	f := OpenBytes("t.v", old)
	sum, err := f.Sum()
	f.Close()
	if err != nil {
		b.Fatal(err)
	}
	was[500_000] = []byte("// gone\n")
	now := bytes.Join(was, nil)
	b.SetBytes(int64(len(now)))
	for b.Loop() {
		c, err := CompareBytes("t.v", now, sum.Chunks)
		if err != nil || len(c.Changes) != 1 {
			b.Fatal(c.Changes, err)
		}
	}
}
