//go:build !unix

package cache

import (
	"errors"
	"os"
)

// The store lives in memory where statVolume refuses; nothing below is reached there.
var errUnsupported = errors.New("cache: files are used on Linux only")

func lockFile(string) (*os.File, error)       { return nil, errUnsupported }
func checkOwner(string) error                 { return errUnsupported }
func allocated(info os.FileInfo) int64        { return info.Size() }
func mapFile(*os.File, int64) ([]byte, error) { return nil, errUnsupported }
func unmapFile([]byte) error                  { return errUnsupported }
