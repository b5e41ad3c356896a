//go:build unix

package source

import (
	"errors"
	"syscall"
)

// openFlags keep an open from waiting for the other end of a pipe, and from taking a terminal.
const openFlags = syscall.O_NONBLOCK | syscall.O_NOCTTY

// notDirectory says that a step of the path is a file: the path leads nowhere.
func notDirectory(err error) bool { return errors.Is(err, syscall.ENOTDIR) }
