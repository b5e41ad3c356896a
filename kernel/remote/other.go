//go:build !linux

package remote

import (
	"fmt"
	"net"
	"os/exec"
	"runtime"

	"github.com/wattd/wattd/kernel"
)

// New fails on this system.
func New(command func() *exec.Cmd) (kernel.Engine, error) {
	return nil, fmt.Errorf("%w: no shared memory with a child on %s", kernel.ErrFault, runtime.GOOS)
}

// Inherited fails on this system.
func Inherited() (*net.UnixConn, error) {
	return nil, fmt.Errorf("%w: no connection to a parent on %s", kernel.ErrFault, runtime.GOOS)
}

// Serve fails on this system.
func Serve(conn *net.UnixConn, build Build) error {
	return fmt.Errorf("%w: no shared memory with a parent on %s", kernel.ErrFault, runtime.GOOS)
}
