package rpc

import (
	"io"
	"net"

	"golang.org/x/sys/unix"
)

// canTellHangUp says whether hungUp knows.
func canTellHangUp(c io.ReadWriteCloser) bool {
	_, ok := c.(*net.UnixConn)
	return ok
}

// hungUp says that the peer of a Unix socket has closed both directions, so that nobody will read an answer.
func hungUp(c io.ReadWriteCloser) bool {
	u, ok := c.(*net.UnixConn)
	if !ok {
		return false
	}
	raw, err := u.SyscallConn()
	if err != nil {
		return true
	}
	gone := false
	err = raw.Control(func(fd uintptr) {
		p := []unix.PollFd{{Fd: int32(fd)}}
		n, err := unix.Poll(p, 0)
		gone = err == nil && n > 0 && p[0].Revents&(unix.POLLHUP|unix.POLLERR) != 0
	})
	return err != nil || gone
}
