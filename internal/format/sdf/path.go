package sdf

import "github.com/wattd/wattd/internal/format/scan"

// Index is the unescaped index at the end of a path.
type Index = scan.Index

// SplitPath cuts a path into its unescaped components; see scan.SplitPath.
func SplitPath(path []byte, divider byte, dst [][]byte, buf []byte) ([][]byte, []byte, Index) {
	return scan.SplitPath(path, divider, dst, buf)
}
