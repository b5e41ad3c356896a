package source

import (
	"os"
	"syscall"
)

func idOf(info os.FileInfo) ID {
	id := ID{Exists: true, Size: info.Size(), Mtime: info.ModTime().UnixNano()}
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		id.Device, id.Inode = uint64(st.Dev), st.Ino
		id.Ctime = st.Ctimespec.Nano()
	}
	return id
}
