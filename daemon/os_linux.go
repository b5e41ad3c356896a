package daemon

import (
	"net"
	"os"

	"golang.org/x/sys/unix"
)

// networks are file systems that other hosts write to, by the magic number of statfs.
var networks = map[int64]string{0x6969: "nfs", 0xFF534D42: "cifs", 0xFE534D42: "smb", 0x65735546: "fuse", 0x47504653: "gpfs", 0x0BD00BD0: "lustre", 0x5346414F: "afs"}

func network(dir string) string {
	var st unix.Statfs_t
	if unix.Statfs(dir, &st) != nil {
		return ""
	}
	return networks[int64(uint32(st.Type))]
}

// peer tells who is at the other end of a connection.
func peer(c *net.UnixConn) (uid, pid int, known bool) {
	raw, err := c.SyscallConn()
	if err != nil {
		return 0, 0, false
	}
	var cred *unix.Ucred
	if raw.Control(func(fd uintptr) { cred, err = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED) }) != nil || err != nil {
		return 0, 0, false
	}
	return int(cred.Uid), int(cred.Pid), true
}

// credentials says that peer knows, so that a peer that it does not know is refused.
const credentials = true

// asStderr makes a file what the process writes its last words to.
func asStderr(f *os.File) { _ = unix.Dup3(int(f.Fd()), 2, 0) }
