package watch

import (
	"os"

	"github.com/wattd/wattd/internal/source"
)

// ID tells one state of a file from another.
type ID = source.ID

// IDOf returns the ID of an open file.
func IDOf(f *os.File) (ID, error) { return source.IDOf(f) }
