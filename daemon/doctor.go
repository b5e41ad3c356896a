package daemon

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/wattd/wattd/rpc"
	"github.com/wattd/wattd/rpc/api"
)

// Finding is what a check of the surroundings found.
type Finding struct {
	Check string `json:"check"`
	OK    bool   `json:"ok"`
	Text  string `json:"text"`
}

// Doctor checks what a server needs: its folder and socket, the server that runs, its version, the limits for watching, and space for
// its log. It starts nothing.
func Doctor(ctx context.Context, version string) (all []Finding) {
	add := func(check string, err error, format string, args ...any) {
		f := Finding{check, err == nil, fmt.Sprintf(format, args...)}
		if err != nil {
			f.Text = err.Error()
		}
		all = append(all, f)
	}
	e, err := Find()
	add("socket", err, "%s (%d of %d bytes)", e.Socket, len(e.Socket), maxSocket)
	if err != nil {
		return all
	}
	switch err = e.check(); {
	case errors.Is(err, os.ErrNotExist):
		add("folder", nil, "%s will be made when a server starts", e.Dir)
	default:
		add("folder", err, "%s is ours alone", e.Dir)
	}
	cl, hello, err := (&Client{Endpoint: e, Version: version}).Connect(ctx)
	switch {
	case errors.Is(err, ErrNone):
		text := "none runs; clients start one"
		if may, why := MayStart(); !may {
			text = "none runs, and none is started, because " + why + " is set: verbs do their work themselves"
		}
		add("server", nil, "%s", text)
	case err != nil:
		add("server", err, "")
	default:
		st, err := rpc.Do(ctx, cl, api.ServerStatus, api.Empty{})
		cl.Close()
		add("server", err, "process %d answers; %d designs, log %s", st.Pid, len(st.Designs.Rows), st.Log)
		if st.Admin != "" { // an older server has none
			add("admin", private(st.Admin), "profiles at %s", st.Admin)
		}
		if st.TCP != "" {
			add("tcp", private(st.Token), "%s, token in %s", st.TCP, st.Token)
		}
		err = nil
		if hello.ServerInfo.Version != version {
			err = fmt.Errorf("the server is %s, this program %s; wattd stop ends it", hello.ServerInfo.Version, version)
		}
		add("version", err, "%s, protocol %d.%d", version, hello.Protocol.Major, hello.Protocol.Minor)
	}
	for _, l := range []struct {
		name  string
		least int64
	}{{"max_user_watches", 8192}, {"max_user_instances", 16}, {"max_queued_events", 1024}} {
		b, err := os.ReadFile("/proc/sys/fs/inotify/" + l.name)
		if err != nil {
			continue // not Linux: files are polled
		}
		n, _ := strconv.ParseInt(strings.TrimSpace(string(b)), 10, 64)
		err = nil
		if n < l.least {
			err = fmt.Errorf("%s is %d; below %d files may have to be polled: sysctl fs.inotify.%s", l.name, n, l.least, l.name)
		}
		add("inotify", err, "%s is %d", l.name, n)
	}
	if free, ok := free(existing(e)); ok {
		err = nil
		if free < 16<<20 {
			err = fmt.Errorf("%d bytes are free in %s; the log needs some", free, e.Dir)
		}
		add("disk", err, "%d MB are free for the log in %s", free>>20, e.Dir)
	}
	return all
}

// private is an error when a file may be used by others.
func private(path string) error {
	st, err := os.Lstat(path)
	switch {
	case err != nil:
		return err
	case !ownedByUs(st):
		return fmt.Errorf("%s belongs to another user", path)
	case st.Mode().Perm()&0o077 != 0:
		return fmt.Errorf("%s is open to others (mode %04o); chmod 600 it", path, st.Mode().Perm())
	}
	return nil
}

// existing is the folder of an endpoint, or the one in which it will be made.
func existing(e Endpoint) string {
	if _, err := os.Stat(e.Dir); err == nil {
		return e.Dir
	}
	return os.TempDir()
}
