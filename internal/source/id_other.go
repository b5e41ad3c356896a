//go:build !linux

package source

import (
	"os"
	"time"
)

const staleFor, staleStep = 0, time.Millisecond

func idOfFile(f *os.File) (ID, error) {
	info, err := f.Stat()
	if err != nil {
		return ID{}, err
	}
	return idOf(info), nil
}

func idOfPath(path string) (ID, error) {
	info, err := os.Stat(path)
	if err != nil {
		return ID{}, err
	}
	return idOf(info), nil
}

func stale(error) bool { return false }
