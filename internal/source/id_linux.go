package source

import (
	"errors"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// IDs come from statx with FORCE_SYNC: a client of a network file system, FUSE among them, then asks the server, where
// fstat answers from what the client remembers, for a second or a minute.
const statFlags = unix.AT_STATX_FORCE_SYNC

// fineTimes are the local file systems whose times are as fine as the clock of the kernel, by the magic number of statfs; old volumes
// of ext have whole seconds.
var fineTimes = map[uint32]bool{
	0xEF53: true, 0x58465342: true, 0x9123683E: true, 0x01021994: true, 0x2FC12FC1: true, 0xF2F52010: true, // ext, XFS, Btrfs, tmpfs, ZFS, F2FS
}

// staleFor bounds the wait for a client to notice that a name leads to another file now.
const staleFor, staleStep = 2 * time.Second, 20 * time.Millisecond

var errReplaced = errors.New("source: the name still leads to a file that was removed")

func idOfFile(f *os.File) (ID, error) {
	id, links, err := statx(int(f.Fd()), "", statFlags|unix.AT_EMPTY_PATH)
	if err == nil {
		var fs unix.Statfs_t
		id.Fine = id.Ctime%1e9 != 0 && unix.Fstatfs(int(f.Fd()), &fs) == nil && fineTimes[uint32(fs.Type)]
	}
	if err == nil && links == 0 {
		err = errReplaced
	}
	return id, err
}

// idOfPath is for what cannot be opened.
func idOfPath(path string) (ID, error) {
	id, _, err := statx(unix.AT_FDCWD, path, statFlags)
	return id, err
}

func statx(fd int, path string, flags int) (id ID, links uint32, err error) {
	var st unix.Statx_t
	for {
		err = unix.Statx(fd, path, flags, unix.STATX_BASIC_STATS, &st)
		if !errors.Is(err, unix.EINTR) {
			break
		}
	}
	if err != nil {
		return ID{}, 0, os.NewSyscallError("statx", err)
	}
	return ID{
		Exists: true, Device: unix.Mkdev(st.Dev_major, st.Dev_minor), Inode: st.Ino, Size: int64(st.Size),
		Mtime: st.Mtime.Sec*1e9 + int64(st.Mtime.Nsec), Ctime: st.Ctime.Sec*1e9 + int64(st.Ctime.Nsec),
	}, st.Nlink, nil
}

// stale says that the client's memory of a name is to be asked again: the file behind it is gone.
func stale(err error) bool { return errors.Is(err, errReplaced) || errors.Is(err, unix.ESTALE) }
