package daemon

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/wattd/wattd/rpc"
	"github.com/wattd/wattd/rpc/api"
)

// ErrNone: no server runs, and none was started.
var ErrNone = errors.New("daemon: no server runs")

// Client says how a client finds its server.
type Client struct {
	Endpoint Endpoint
	Version  string
	// Start is the command that starts a server, which tells on descriptor 3 that it serves; nil: none is started.
	Start []string
	// TCP is an address of the loopback to connect to instead of the socket, and Token the file with the token for it.
	TCP, Token string
	// Patience bounds the finding; 20 s.
	Patience time.Duration
}

// MayStart says whether a client may start a server here: not in a batch job, nor where WATTD_NO_DAEMON is set.
func MayStart() (bool, string) {
	for _, name := range []string{"WATTD_NO_DAEMON", "LSB_JOBID", "SLURM_JOB_ID", "PBS_JOBID", "JOB_ID"} {
		if os.Getenv(name) != "" {
			return false, name
		}
	}
	return true, ""
}

// Dial connects to the server, which it starts when there is none and it may.
func (c *Client) Dial(ctx context.Context) (net.Conn, error) {
	patience := c.Patience
	if patience == 0 {
		patience = 20 * time.Second
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if c.TCP != "" {
		return dialTCP(ctx, c.TCP, c.Token)
	}
	conn, err := c.try()
	for err != nil {
		if !errors.Is(err, ErrNone) {
			return nil, err
		}
		if len(c.Start) == 0 {
			return nil, err
		}
		if e := c.start(ctx); e != nil && !errors.Is(e, ErrRunning) {
			return nil, e
		}
		// the server that another client started may not listen yet, and one that ends holds the lock for a moment
		for pause := 5 * time.Millisecond; pause < 500*time.Millisecond; pause *= 2 {
			if conn, err = c.try(); err == nil {
				return conn, nil
			}
			select {
			case <-time.After(pause):
			case <-ctx.Done():
				return nil, fmt.Errorf("%w, and none could be started: %w", ErrNone, context.Cause(ctx))
			}
		}
	}
	return conn, nil
}

// try connects to a server that is there.
func (c *Client) try() (*net.UnixConn, error) {
	if err := c.Endpoint.check(); err != nil {
		if errors.Is(err, os.ErrNotExist) {
			return nil, ErrNone
		}
		return nil, err
	}
	conn, err := net.DialUnix("unix", nil, &net.UnixAddr{Name: c.Endpoint.Socket, Net: "unix"})
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNone, err)
	}
	if err := trusted(conn); err != nil {
		conn.Close()
		return nil, err
	}
	return conn, nil
}

// start starts a server and waits until it serves. ErrRunning: another one does.
func (c *Client) start(ctx context.Context) error {
	if err := c.Endpoint.prepare(); err != nil {
		return err
	}
	log, err := os.OpenFile(c.Endpoint.Log, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return fmt.Errorf("daemon: %w", err)
	}
	defer log.Close()
	begin, _ := log.Seek(0, io.SeekEnd)
	r, w, err := os.Pipe()
	if err != nil {
		return fmt.Errorf("daemon: %w", err)
	}
	defer r.Close()
	cmd := exec.Command(c.Start[0], c.Start[1:]...)
	cmd.Dir, cmd.Stderr, cmd.ExtraFiles, cmd.SysProcAttr = "/", log, []*os.File{w}, detached()
	if err := cmd.Start(); err != nil {
		w.Close()
		return fmt.Errorf("daemon: cannot start the server: %w", err)
	}
	w.Close()
	if deadline, ok := ctx.Deadline(); ok {
		_ = r.SetReadDeadline(deadline)
	}
	said, err := io.ReadAll(io.LimitReader(r, 64))
	if string(said) == ready {
		return cmd.Process.Release()
	}
	if err != nil {
		_ = cmd.Process.Release()
		return fmt.Errorf("daemon: the server does not come up; its log is %s", c.Endpoint.Log)
	}
	_ = cmd.Wait() // it closed the pipe without a word: it is gone, or about to be
	if string(said) == taken {
		return ErrRunning
	}
	return fmt.Errorf("daemon: the server ended at once%s", tail(c.Endpoint.Log, begin))
}

// What a server that was started by a client says on descriptor 3.
const (
	ready = "ready\n"
	taken = "running\n"
)

// Announce tells the client that started this process how it went. It is called once: with nil when clients are served, else with
// what Serve returned.
func Announce(f *os.File, err error) {
	switch {
	case err == nil:
		_, _ = io.WriteString(f, ready)
	case errors.Is(err, ErrRunning):
		_, _ = io.WriteString(f, taken)
	}
	_ = f.Close()
}

// tail is what a log says from begin on, at most its last lines.
func tail(path string, begin int64) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	b, _ := io.ReadAll(io.NewSectionReader(f, begin, 64<<10))
	lines := bytes.Split(bytes.TrimSpace(b), []byte("\n"))
	lines = lines[max(0, len(lines)-5):]
	if len(b) == 0 {
		return "; its log is " + path
	}
	return ":\n" + string(bytes.Join(lines, []byte("\n")))
}

// Connect connects and opens the session. A server of an older version that holds nothing is asked to leave first.
func (c *Client) Connect(ctx context.Context) (*rpc.Client, api.InitializeResult, error) {
	cl, hello, err := c.connect(ctx)
	if err != nil || len(c.Start) == 0 || !newer(c.Version, hello.ServerInfo.Version) {
		return cl, hello, err
	}
	st, err := rpc.Do(ctx, cl, api.ServerStatus, api.Empty{})
	if err != nil || len(st.Sessions) > 1 || len(st.Designs.Rows) > 0 {
		return cl, hello, nil // it works as well, and the caller can see which it is
	}
	cl.Close()
	if err := Stop(ctx, c.Endpoint); err != nil && !errors.Is(err, ErrNone) {
		return nil, hello, err
	}
	return c.connect(ctx)
}

// connect dials and greets, again when the server that was there ended in between: nothing was asked of it yet.
func (c *Client) connect(ctx context.Context) (cl *rpc.Client, hello api.InitializeResult, err error) {
	for range 10 {
		var conn net.Conn
		if conn, err = c.Dial(ctx); err != nil {
			return nil, hello, err
		}
		cl, hello, err = greet(ctx, rpc.NewClient(conn, rpc.Options{}), c.Version)
		if !errors.Is(err, api.Errorf(api.ConnectionLost, "")) && !errors.Is(err, api.Errorf(api.ShuttingDown, "")) || c.TCP != "" || ctx.Err() != nil {
			break
		}
	}
	return cl, hello, err
}

// greet opens the session of a client.
func greet(ctx context.Context, cl *rpc.Client, version string) (*rpc.Client, api.InitializeResult, error) {
	cwd, _ := os.Getwd() // without one, relative paths are refused
	pid := int64(os.Getpid())
	hello, err := rpc.Do(ctx, cl, api.Initialize, api.InitializeParams{
		ClientInfo: api.Software{Name: "wattd", Version: version}, ProcessID: &pid, Protocol: &api.Protocol, Cwd: cwd,
	})
	if err != nil {
		cl.Close()
		return nil, hello, err
	}
	if err := agree(version, &hello); err != nil {
		cl.Close()
		return nil, hello, err
	}
	return cl, hello, nil
}

// Stop asks the server to end and waits until it has: until its lock is free. ErrNone when there is none.
func Stop(ctx context.Context, e Endpoint) error {
	pid, err := holder(e)
	if err != nil {
		return err
	}
	if err := terminate(pid); err != nil {
		return fmt.Errorf("daemon: process %d: %w", pid, err)
	}
	for {
		if _, err := holder(e); errors.Is(err, ErrNone) {
			return nil
		}
		select {
		case <-time.After(10 * time.Millisecond):
		case <-ctx.Done():
			return fmt.Errorf("daemon: process %d has not ended: %w", pid, context.Cause(ctx))
		}
	}
}

// holder is the process that holds the lock.
func holder(e Endpoint) (int, error) {
	if err := e.check(); err != nil {
		if errors.Is(err, os.ErrNotExist) {
			return 0, ErrNone
		}
		return 0, err
	}
	f, err := os.OpenFile(e.Lock, os.O_RDWR, 0)
	if errors.Is(err, os.ErrNotExist) {
		return 0, ErrNone
	}
	if err != nil {
		return 0, fmt.Errorf("daemon: %w", err)
	}
	defer f.Close()
	if ok, err := tryLock(f); ok {
		return 0, ErrNone
	} else if err != nil {
		return 0, fmt.Errorf("daemon: %w", err)
	}
	b := make([]byte, 32)
	n, _ := f.ReadAt(b, 0)
	if pid, err := strconv.Atoi(strings.TrimSpace(string(b[:n]))); err == nil && pid > 1 {
		return pid, nil
	}
	// there was no room for the number: the system knows who listens
	if c, err := net.DialUnix("unix", nil, &net.UnixAddr{Name: e.Socket, Net: "unix"}); err == nil {
		defer c.Close()
		if _, pid, known := peer(c); known && trusted(c) == nil {
			return pid, nil
		}
	}
	return 0, fmt.Errorf("daemon: %s is locked, but names no process", e.Lock)
}
