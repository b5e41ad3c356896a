package daemon

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/wattd/wattd/rpc/api"
)

// Endpoint is where the server of a user on a host is found.
type Endpoint struct {
	Dir    string
	Socket string
	Lock   string
	Log    string
	Admin  string // socket of the profiles
	Token  string // of the server, where it listens on TCP
}

// maxSocket is the longest path of a socket that every system takes.
const maxSocket = 104

// ErrForeign: the folder of the socket cannot be trusted. The message says what to do.
var ErrForeign = errors.New("daemon: the folder of the socket is not safe")

// Find tells the endpoint: in $WATTD_RUNTIME_DIR, else $XDG_RUNTIME_DIR/wattd, else /tmp/wattd-UID. It makes nothing.
func Find() (Endpoint, error) {
	if !supported {
		return Endpoint{}, fmt.Errorf("daemon: this system has no server: %w", errors.ErrUnsupported)
	}
	return find(os.Getenv, os.Getuid(), os.Hostname)
}

func find(getenv func(string) string, uid int, hostname func() (string, error)) (Endpoint, error) {
	dir, from := getenv("WATTD_RUNTIME_DIR"), "WATTD_RUNTIME_DIR"
	if dir == "" {
		if dir, from = getenv("XDG_RUNTIME_DIR"), "XDG_RUNTIME_DIR"; dir != "" {
			dir = filepath.Join(dir, "wattd")
		}
	}
	if dir == "" {
		dir, from = "/tmp/wattd-"+strconv.Itoa(uid), ""
	}
	if !filepath.IsAbs(dir) {
		return Endpoint{}, fmt.Errorf("daemon: %s=%s is not an absolute path", from, dir)
	}
	host, err := hostname() // in the name, because the folder may be shared between hosts
	if err != nil {
		return Endpoint{}, fmt.Errorf("daemon: the name of this host: %w", err)
	}
	host, _, _ = strings.Cut(host, ".")
	base := filepath.Join(dir, fmt.Sprintf("p%d-%.24s", api.Protocol.Major, strings.ReplaceAll(host, "/", "_")))
	e := Endpoint{Dir: dir, Socket: base + ".sock", Lock: base + ".lock", Log: base + ".log", Admin: base + ".admin", Token: base + ".token"}
	if n := max(len(e.Socket), len(e.Admin)); n > maxSocket {
		return e, fmt.Errorf("daemon: the path of the socket has %d bytes, and the system takes %d: %s; set WATTD_RUNTIME_DIR to a shorter folder on a local disk", n, maxSocket, e.Socket)
	}
	return e, nil
}

// prepare makes the folder, or checks the one that is there: ours alone, and on a local disk.
func (e *Endpoint) prepare() error {
	if err := os.MkdirAll(filepath.Dir(e.Dir), 0o755); err != nil {
		return fmt.Errorf("daemon: %w", err)
	}
	if err := os.Mkdir(e.Dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("daemon: %w", err)
	}
	return e.check()
}

// check refuses a folder that others could have put a socket in.
func (e *Endpoint) check() error {
	st, err := os.Lstat(e.Dir)
	if err != nil {
		return fmt.Errorf("daemon: %w", err)
	}
	switch {
	case !st.IsDir():
		return fmt.Errorf("%w: %s is not a folder; remove it or set WATTD_RUNTIME_DIR", ErrForeign, e.Dir)
	case !ownedByUs(st):
		return fmt.Errorf("%w: %s belongs to another user; set WATTD_RUNTIME_DIR to a folder of your own", ErrForeign, e.Dir)
	case st.Mode().Perm()&0o077 != 0:
		return fmt.Errorf("%w: %s is open to others (mode %04o); chmod 700 it or set WATTD_RUNTIME_DIR", ErrForeign, e.Dir, st.Mode().Perm())
	}
	if fstype := network(e.Dir); fstype != "" {
		return fmt.Errorf("%w: %s is on %s, where locks do not hold between hosts; set WATTD_RUNTIME_DIR to a folder on a local disk", ErrForeign, e.Dir, fstype)
	}
	return nil
}
