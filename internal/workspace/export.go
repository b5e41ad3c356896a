package workspace

import (
	"context"
	"encoding/hex"
	"errors"
	"slices"
	"strings"

	"github.com/wattd/wattd/internal/diag"
	"github.com/wattd/wattd/internal/project"
	"github.com/wattd/wattd/internal/source"
)

// Export says what is written to a file.
type Export = project.Export

// Compressed says whether the name of a file is that of a compressed one.
func Compressed(path string) bool {
	return slices.ContainsFunc([]string{".gz", ".zst", ".xz"}, func(ext string) bool { return strings.HasSuffix(path, ext) })
}

// Write writes a file from the counts or waves of a snapshot, whole or not at all, and tells its size and hash.
func (s *Snapshot) Write(ctx context.Context, path string, x Export) (bytes int64, blake3 string, err error) {
	bytes, err = s.Session.WriteFile(ctx, path, x)
	var out *project.OutputError
	if errors.As(err, &out) {
		return 0, "", &FileError{Path: out.Path, Err: out.Err, Write: true}
	}
	if err != nil {
		return 0, "", err
	}
	f, err := source.Open(ctx, path, &diag.Bag{})
	if err != nil {
		return 0, "", &FileError{Path: path, Err: withoutPath(err)}
	}
	defer f.Close()
	sum, err := f.Sum()
	if err != nil {
		return 0, "", &FileError{Path: path, Err: withoutPath(err)}
	}
	return bytes, hex.EncodeToString(sum.Hash[:]), nil
}
