// Package daemon starts the server once per user and host, listens, lets the right clients in, and leaves when nobody needs it.
//
// Contract: one server at a time holds the lock of an endpoint, which dies with the process; a socket that nobody listens at is
// removed under that lock only. Who is not the same user is not served. A client finds the server, starts it when there is none
// and it may, and knows its version. A server that ends does so after the requests that it has begun, or cancels them when they take
// too long. The package opens no connection to the outside; it listens on Unix sockets and, only when asked, on the loopback, to
// those who know a token.
package daemon

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"strconv"
	"sync"
	"time"

	"github.com/wattd/wattd/cache"
	"github.com/wattd/wattd/internal/workspace"
	"github.com/wattd/wattd/rpc"
	"github.com/wattd/wattd/rpc/api"
	"github.com/wattd/wattd/rpc/native"
)

// ErrRunning: another server has the endpoint. Connect to it.
var ErrRunning = errors.New("daemon: a server is running already")

// drainTime is how long a server that ends waits for the requests that it has begun, and cancelTime how long for them to end when they
// are cancelled then. What still runs after that ends with the process.
const (
	drainTime  = 10 * time.Second
	cancelTime = 3 * time.Second
	// keepTime is how long it goes on writing designs for the one after it.
	keepTime = 5 * time.Second
)

// Options of a server. The zero value works.
type Options struct {
	Version  string
	IdleExit time.Duration // leave after so long without a request; 0: never
	Log      *slog.Logger  // slog.Default()
	LogFile  string        // where Log goes, for clients to tell; "": to no file
	Ready    func()        // called once clients are served
	NoWatch  bool          // look after no files between queries
	Memory   int64         // bytes that open designs may take before the least recently used are let go; 0: workspace.DefaultBudget; below: no bound
	TCP      string        // loopback address to listen at too, for those who know the token; "": none

	// for tests
	drain, cancel time.Duration                 // drainTime, cancelTime
	between       func(rpc.Handler) rpc.Handler // what stands between clients and answers; nothing
}

// Serve serves until ctx ends, or for being idle. It returns ErrRunning when another server does.
func Serve(ctx context.Context, e Endpoint, opt Options) error {
	if opt.Log == nil {
		opt.Log = slog.Default()
	}
	opt.drain, opt.cancel = cmp.Or(opt.drain, drainTime), cmp.Or(opt.cancel, cancelTime)
	if err := e.prepare(); err != nil {
		return err
	}
	lock, err := acquire(e.Lock)
	if err != nil {
		return err
	}
	defer lock.Close()
	d, err := openDoors(e, &opt)
	if err != nil {
		return err
	}
	defer d.close()
	ctx, leave := context.WithCancelCause(ctx)
	defer leave(nil)

	var n *native.Native
	idle := newIdle(opt.IdleExit, func() bool { _, keep := n.Sessions(); return keep > 0 }, func() { leave(errIdle) })
	defer idle.stop()
	store := workspace.OpenStore(workspace.StoreOptions{Dir: cache.DefaultDir(), Log: opt.Log})
	defer func() {
		limit, cancel := context.WithTimeout(context.WithoutCancel(ctx), keepTime)
		defer cancel()
		if err := store.Close(limit); err != nil {
			opt.Log.Warn("cache", "err", err)
		}
	}()
	n, looking := assemble(opt, native.Server{
		Store:   store,
		Version: opt.Version, Pid: int64(os.Getpid()), Started: time.Now(), IdleExit: opt.IdleExit, Log: opt.LogFile, Began: idle.began,
		Socket: e.Socket, Admin: e.Admin, TCP: d.address(), TokenFile: d.tokenFile(),
	})
	idle.start()
	var wg sync.WaitGroup
	if looking != nil {
		wg.Go(func() { looking.run(ctx) })
	}
	srv := newServer(n, &opt)
	stop := context.AfterFunc(ctx, d.close)
	defer stop()
	opt.Log.Info("serving", "version", opt.Version, "pid", os.Getpid(), "socket", e.Socket, "tcp", d.address())
	if opt.Ready != nil {
		opt.Ready()
	}
	err = d.open(ctx, &wg, func(c net.Conn) {
		if err := srv.Serve(context.WithoutCancel(ctx), c); err != nil {
			opt.Log.Debug("connection ended", "err", err)
		}
	})
	if ctx.Err() == nil {
		leave(err)
	}
	d.close()
	if !end(ctx, srv, &wg, &opt) {
		opt.Log.Error("requests that were cancelled do not end")
	}
	opt.Log.Info("ended", "why", context.Cause(ctx))
	if ctx.Err() != nil && (err == nil || errors.Is(err, net.ErrClosed)) {
		return nil
	}
	return err
}

// end waits for what was begun, a bounded time; false when something still runs.
func end(ctx context.Context, srv *rpc.Server, wg *sync.WaitGroup, opt *Options) bool {
	drain, cancel := context.WithTimeout(context.WithoutCancel(ctx), opt.drain)
	defer cancel()
	srv.Shutdown(drain)
	all := make(chan struct{})
	go func() { wg.Wait(); close(all) }()
	limit := time.NewTimer(opt.cancel)
	defer limit.Stop()
	select {
	case <-all:
		return true
	case <-limit.C:
		return false
	}
}

var errIdle = errors.New("nobody asked anything")

// newServer makes the server of what answers.
func newServer(n *native.Native, opt *Options) *rpc.Server {
	h := n.Handler()
	if opt.between != nil {
		h = opt.between(h)
	}
	return rpc.NewServer(h, rpc.Options{Log: opt.Log, Opened: n.Opened, Admit: n.Admit, Answered: n.Answered})
}

// InProcess serves one client within this process, for batch jobs, where no server is started.
func InProcess(ctx context.Context, opt Options) (*rpc.Client, api.InitializeResult, error) {
	if opt.Log == nil {
		opt.Log = slog.New(slog.DiscardHandler)
	}
	opt.NoWatch = true
	n, _ := assemble(opt, native.Server{Version: opt.Version, Pid: int64(os.Getpid()), Started: time.Now()})
	a, b := net.Pipe()
	go func() { // ends with the client
		_ = newServer(n, &opt).Serve(context.WithoutCancel(ctx), b)
	}()
	return greet(ctx, rpc.NewClient(a, rpc.Options{Log: opt.Log}), opt.Version)
}

// acquire takes the lock of an endpoint.
func acquire(path string) (*os.File, error) {
	for range 10 {
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			return nil, fmt.Errorf("daemon: %w", err)
		}
		ok, err := tryLock(f)
		if err != nil || !ok {
			f.Close()
			if err != nil {
				return nil, fmt.Errorf("daemon: %s: %w", path, err)
			}
			return nil, ErrRunning
		}
		held, err := f.Stat()
		now, e := os.Stat(path)
		if err != nil || e != nil || !os.SameFile(held, now) { // removed in between: others would lock another file
			f.Close()
			continue
		}
		_ = f.Truncate(0) // the number is for people and for stop; the lock decides
		_, _ = f.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0)
		return f, nil
	}
	return nil, fmt.Errorf("daemon: %s is removed again and again", path)
}

// listen opens the socket. The caller holds the lock, so one that is there is left over.
func listen(path string) (*net.UnixListener, uint64, error) {
	if st, err := os.Lstat(path); err == nil {
		if st.Mode().Type() != fs.ModeSocket {
			return nil, 0, fmt.Errorf("daemon: %s is there and is no socket; remove it", path)
		}
		if err := os.Remove(path); err != nil {
			return nil, 0, fmt.Errorf("daemon: %w", err)
		}
	}
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		return nil, 0, fmt.Errorf("daemon: %w", err)
	}
	l.SetUnlinkOnClose(false)
	if err := os.Chmod(path, 0o600); err != nil {
		l.Close()
		return nil, 0, fmt.Errorf("daemon: %w", err)
	}
	st, err := os.Lstat(path)
	if err != nil {
		l.Close()
		return nil, 0, fmt.Errorf("daemon: %w", err)
	}
	return l, inode(st), nil
}

// removeOurs removes the socket unless it is that of another server, whose folder replaced ours.
func removeOurs(path string, ino uint64) {
	if st, err := os.Lstat(path); err == nil && inode(st) == ino {
		_ = os.Remove(path)
	}
}

// accepting hands over connections until the listener is closed.
func accepting(l net.Listener, log *slog.Logger, take func(net.Conn)) error {
	pause := time.Duration(0)
	for {
		c, err := l.Accept()
		if errors.Is(err, net.ErrClosed) {
			return err
		}
		if err != nil { // out of descriptors: it may pass
			if pause = min(2*pause+5*time.Millisecond, time.Second); pause == time.Second {
				return fmt.Errorf("daemon: %w", err)
			}
			log.Warn("accept", "err", err)
			time.Sleep(pause)
			continue
		}
		pause = 0
		take(c)
	}
}

// trusted refuses the other end of a connection when it is of another user.
func trusted(c *net.UnixConn) error {
	uid, pid, known := peer(c)
	switch {
	case !known && credentials:
		return errors.New("daemon: the system does not tell who is at the other end")
	case known && uid != os.Geteuid():
		return fmt.Errorf("daemon: the other end is user %d (process %d), not %d", uid, pid, os.Geteuid())
	}
	return nil
}
