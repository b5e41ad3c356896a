//go:build unix

package project

import (
	"os"
	"syscall"
)

// fileStamp tells versions of a file apart without reading it: any write or rename over it changes the change time or the inode.
type fileStamp struct {
	size, mtime, ctime int64
	dev, ino           uint64
}

func stamp(path string) (fileStamp, bool) {
	f, err := os.Open(path) // an open makes network file systems ask the server
	if err != nil {
		return fileStamp{}, false
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return fileStamp{}, false
	}
	x := fileStamp{size: st.Size(), mtime: st.ModTime().UnixNano()}
	if sys, ok := st.Sys().(*syscall.Stat_t); ok {
		x.dev, x.ino = uint64(sys.Dev), sys.Ino
		x.ctime = ctime(sys)
	}
	return x, true
}
