//go:build !linux && !darwin

package source

import "os"

func idOf(info os.FileInfo) ID {
	return ID{Exists: true, Size: info.Size(), Mtime: info.ModTime().UnixNano()}
}
