package remote

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/wattd/wattd/kernel"
)

// shared makes anonymous memory that can be handed to another process and never shrinks under it.
func shared(size int64) (int, error) {
	fd, err := unix.MemfdCreate("wattd", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if err != nil {
		return -1, fmt.Errorf("%w: memfd: %w", kernel.ErrMemory, err)
	}
	if _, err = unix.FcntlInt(uintptr(fd), unix.F_ADD_SEALS, unix.F_SEAL_SHRINK); err == nil && size > 0 {
		err = unix.Ftruncate(fd, size)
	}
	if err != nil {
		unix.Close(fd)
		return -1, fmt.Errorf("%w: memfd: %w", kernel.ErrMemory, err)
	}
	return fd, nil
}

// sharedBytes is shared memory that holds a copy of b.
func sharedBytes(b []byte) (int, error) {
	fd, err := shared(int64(len(b)))
	if err != nil {
		return -1, err
	}
	for off := 0; off < len(b); {
		n, err := unix.Pwrite(fd, b[off:min(len(b), off+1<<30)], int64(off))
		if err != nil && err != unix.EINTR {
			unix.Close(fd)
			return -1, fmt.Errorf("%w: memfd: %w", kernel.ErrMemory, err)
		}
		off += max(n, 0)
	}
	return fd, nil
}

// mapped maps the first size bytes of shared memory.
func mapped(fd int, size int64, prot int) ([]byte, error) {
	if size == 0 {
		return nil, nil
	}
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil || size < 0 || size > st.Size {
		return nil, fmt.Errorf("%w: shared memory of %d bytes, %d are said to be there (%v)", kernel.ErrFault, st.Size, size, err)
	}
	b, err := unix.Mmap(fd, 0, int(size), prot, unix.MAP_SHARED)
	if err != nil {
		return nil, fmt.Errorf("%w: mmap of %d bytes: %w", kernel.ErrMemory, size, err)
	}
	return b, nil
}

// arena is the memory of one result in the child: pieces of one memfd.
type arena struct {
	id     int64
	fd     int
	size   int64
	pieces [][]byte
	offs   []int64
}

func (a *arena) Alloc(bytes int64) ([]byte, error) {
	if bytes == 0 {
		return nil, nil
	}
	page := int64(os.Getpagesize())
	if bytes < 0 || bytes > 1<<46 {
		return nil, fmt.Errorf("%w: %d bytes", kernel.ErrMemory, bytes)
	}
	room := (bytes + page - 1) / page * page
	if err := unix.Ftruncate(a.fd, a.size+room); err != nil {
		return nil, fmt.Errorf("%w: %w", kernel.ErrMemory, err)
	}
	b, err := unix.Mmap(a.fd, a.size, int(room), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return nil, fmt.Errorf("%w: mmap of %d bytes: %w", kernel.ErrMemory, room, err)
	}
	a.pieces, a.offs = append(a.pieces, b), append(a.offs, a.size)
	a.size += room
	return b[:bytes:bytes], nil
}

func (a *arena) free() {
	for _, b := range a.pieces {
		unix.Munmap(b)
	}
	a.pieces = nil
	unix.Close(a.fd)
}

// span finds n bytes at p in the arena.
func (a *arena) span(p unsafe.Pointer, n int64) (span, error) {
	if n == 0 {
		return span{}, nil
	}
	for i, b := range a.pieces {
		from := uintptr(unsafe.Pointer(unsafe.SliceData(b)))
		if at := uintptr(p); at >= from && at < from+uintptr(len(b)) {
			return span{a.offs[i] + int64(at-from), n}, nil
		}
	}
	return span{}, fmt.Errorf("%w: a result outside of its memory", kernel.ErrFault)
}

func spanOf[T any](a *arena, s []T) (span, error) {
	var zero T
	return a.span(unsafe.Pointer(unsafe.SliceData(s)), int64(len(s))*int64(unsafe.Sizeof(zero)))
}

// viewOf is the range of a mapping as values.
func viewOf[T any](b []byte, s span) ([]T, error) {
	var zero T
	size := int64(unsafe.Sizeof(zero))
	if s.Len == 0 {
		return nil, nil
	}
	if s.Off < 0 || s.Len < 0 || s.Off > int64(len(b)) || s.Len > int64(len(b))-s.Off || s.Len%size != 0 || s.Off%8 != 0 {
		return nil, fmt.Errorf("%w: range %v outside of %d bytes", kernel.ErrFault, s, len(b))
	}
	return unsafe.Slice((*T)(unsafe.Pointer(&b[s.Off])), s.Len/size), nil
}

// packet is the longest message.
const packet = 160 << 10

// send writes one message, with a descriptor when fd >= 0.
func send(c *net.UnixConn, m *message, fd int) error {
	b, err := json.Marshal(m)
	if err != nil {
		return err
	}
	if len(b) > packet {
		return fmt.Errorf("%w: message of %d bytes", kernel.ErrFault, len(b))
	}
	var oob []byte
	if fd >= 0 {
		oob = unix.UnixRights(fd)
	}
	_, _, err = c.WriteMsgUnix(b, oob, nil)
	return err
}

// receive reads one message; fd is -1 or belongs to the caller.
func receive(c *net.UnixConn, buf []byte) (m *message, fd int, err error) {
	oob := make([]byte, unix.CmsgSpace(4*4))
	n, on, flags, _, err := c.ReadMsgUnix(buf, oob)
	fd = -1
	if on > 0 {
		// Whatever came is owned now; keep one, close the rest.
		if scms, e := unix.ParseSocketControlMessage(oob[:on]); e == nil {
			for i := range scms {
				fds, _ := unix.ParseUnixRights(&scms[i])
				for _, x := range fds {
					if fd < 0 {
						fd = x
						unix.CloseOnExec(fd)
					} else {
						unix.Close(x)
					}
				}
			}
		}
	}
	if err == nil && n == 0 {
		err = io.EOF
	}
	if err == nil && flags&(unix.MSG_TRUNC|unix.MSG_CTRUNC) != 0 {
		err = errors.New("message too long")
	}
	m = &message{}
	if err == nil {
		err = json.Unmarshal(buf[:n], m)
	}
	if err != nil && fd >= 0 {
		unix.Close(fd)
		fd = -1
	}
	return m, fd, err
}
