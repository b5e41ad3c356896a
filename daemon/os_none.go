//go:build !unix

package daemon

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"syscall"
)

// supported: without locks that die with a process and without the owners of files nobody can be served safely.
const supported = false

var errNone = errors.ErrUnsupported

func ownedByUs(fs.FileInfo) bool                    { return false }
func inode(fs.FileInfo) uint64                      { return 0 }
func tryLock(*os.File) (bool, error)                { return false, errNone }
func detached() *syscall.SysProcAttr                { return nil }
func terminate(int) error                           { return errNone }
func asStderr(*os.File)                             {}
func free(string) (int64, bool)                     { return 0, false }
func network(string) string                         { return "" }
func peer(*net.UnixConn) (uid, pid int, known bool) { return 0, 0, false }

const credentials = true
