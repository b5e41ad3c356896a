package daemon

import (
	"log/slog"
	"net"
	"net/http"
	"net/http/pprof"
	"time"
)

// admin serves the profiles of the Go runtime, over HTTP, on a socket of its own beside the main one: what it tells is for who
// looks after the server, and none of it is part of the protocol.
type admin struct {
	l    *net.UnixListener
	ino  uint64
	path string
	http http.Server
}

func newAdmin(path string, log *slog.Logger) (*admin, error) {
	l, ino, err := listen(path)
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/cmdline", pprof.Cmdline)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	return &admin{l: l, ino: ino, path: path, http: http.Server{
		Handler: mux, ReadHeaderTimeout: 5 * time.Second, IdleTimeout: time.Minute, MaxHeaderBytes: 16 << 10,
		ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}}, nil
}

// run serves until close.
func (a *admin) run() { _ = a.http.Serve(ours{a.l}) } // ends with close alone

// close ends it, a profile that is being taken included.
func (a *admin) close() {
	_ = a.http.Close()
	_ = a.l.Close()
	removeOurs(a.path, a.ino)
}

// ours lets through the connections of the same user alone.
type ours struct{ *net.UnixListener }

func (o ours) Accept() (net.Conn, error) {
	for {
		c, err := o.AcceptUnix()
		if err != nil {
			return nil, err
		}
		if trusted(c) == nil {
			return c, nil
		}
		c.Close()
	}
}
