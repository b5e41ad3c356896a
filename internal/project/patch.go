package project

import (
	"context"
	"errors"
	"io"
	"os"
	"slices"
	"time"

	"github.com/wattd/wattd/internal/design"
	"github.com/wattd/wattd/internal/diag"
	"github.com/wattd/wattd/internal/source"
)

// patchDesign makes the design from that of the session before by compiling only what changed of netlist and SDF files; false where
// that cannot be done exactly.
func (s *Session) patchDesign(ctx context.Context) (done bool, err error) {
	p := s.prev
	switch {
	case p == nil || p.Design == nil || !s.keep:
		return false, nil
	case s.Netlist != p.Netlist && s.touched == nil:
		return false, nil // linked anew
	case p.triNamed && !s.whatIf: // it is compiled twice, and the messages are those of the first time
		s.Work.Whole = append(s.Work.Whole, "design: not a local edit: the stimulus names three-state nets")
		return false, nil
	case s.designChoices() != p.designChoices() || s.stages["libraries"] != p.stages["libraries"]:
		return false, nil
	}
	var files []FileInfo
	patch := design.Patch{Overrides: s.over}
	if s.touched != nil {
		patch.Netlist, patch.Touched = s.Netlist, s.touched
	}
	for _, arg := range s.Config.SDF {
		path, _ := splitMount(arg)
		k := slices.IndexFunc(p.Files, func(f FileInfo) bool { return f.Role == "sdf" && f.Path == path })
		if k < 0 {
			return false, nil
		}
		f, text, err := s.textNow(ctx, p.Files[k])
		if err != nil || text == nil {
			return false, ctx.Err()
		}
		if s.whatIf && f.Hash != p.Files[k].Hash { // edits rest on what was read
			return false, &StaleError{path}
		}
		files = append(files, f)
		patch.SDF = append(patch.SDF, *text)
	}
	bag := &diag.Bag{}
	d, changed, err := p.Design.Patch(ctx, patch, bag)
	if r := (*design.Refusal)(nil); errors.As(err, &r) {
		s.Work.Whole = append(s.Work.Whole, r.Error())
		return false, nil
	}
	if err != nil {
		if ctx.Err() == nil { // a file that cannot be read is diagnosed by who reads it whole
			return false, nil
		}
		return false, ctx.Err()
	}
	if !unchanged(ctx, files) { // while it was read in pieces
		return false, ctx.Err()
	}
	s.Design, s.changed, s.triNamed = d, changed, p.triNamed
	s.Bag.Merge(bag)
	s.Work.BytesParsed += changed.BytesParsed
	s.Work.Patched++
	for _, f := range files {
		if !s.wasRead(f.Role, f.Path) {
			s.Files = append(s.Files, f)
		}
	}
	return true, nil
}

// textNow is a file that the session before has read, as it is now. The text is nil where too much of it changed.
func (s *Session) textNow(ctx context.Context, was FileInfo) (FileInfo, *design.SDFText, error) {
	f := was
	f.parsed = 0
	text := &design.SDFText{Read: func(ctx context.Context, offset int64, n int) ([]byte, error) {
		return readPiece(ctx, f.Path, f.Bytes, offset, n)
	}}
	one := []FileInfo{f}
	if unchanged(ctx, one) {
		return one[0], text, nil
	}
	start := time.Now()
	f.stamp = s.stampOf(f.Path)
	c, err := source.Compare(ctx, f.Path, was.sum.Chunks, &diag.Bag{})
	if err != nil {
		return f, nil, err
	}
	f = fileInfo(f.Role, f.Path, c.Sum, start, f.stamp)
	f.parsed = 0
	text.Chunks = designChunks(f.sum.Chunks)
	text.Read = func(ctx context.Context, offset int64, n int) ([]byte, error) {
		if b := c.Text(source.Range{From: offset, To: offset + int64(n)}); b != nil {
			return b, nil
		}
		return readPiece(ctx, f.Path, f.Bytes, offset, n)
	}
	return f, text, nil
}

func designChunks(chunks []source.Chunk) []design.Chunk {
	out := make([]design.Chunk, len(chunks))
	for i := range chunks {
		out[i] = design.Chunk{Len: chunks[i].Len, Hash: chunks[i].Hash}
	}
	return out
}

// designChunks are the chunks of a file that was read; none where it could not be.
func (f *sdfFile) designChunks() ([]design.Chunk, error) {
	if f == nil {
		return nil, nil
	}
	sum, err := f.Sum()
	if err != nil {
		return nil, err
	}
	return designChunks(sum.Chunks), nil
}

// readPiece reads a piece of the text of a file. size is that of the whole text: a file of another size is compressed.
func readPiece(ctx context.Context, path string, size, offset int64, n int) ([]byte, error) {
	b := make([]byte, n)
	if st, err := os.Stat(path); err == nil && st.Size() == size {
		f, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		_, err = f.ReadAt(b, offset)
		return b, err
	}
	f, err := source.Open(ctx, path, &diag.Bag{})
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if _, err := io.CopyN(io.Discard, f, offset); err != nil {
		return nil, err
	}
	_, err = io.ReadFull(f, b)
	return b, err
}
