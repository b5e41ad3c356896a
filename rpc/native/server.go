package native

import (
	"cmp"
	"context"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/wattd/wattd/rpc"
	"github.com/wattd/wattd/rpc/api"
)

func (n *Native) registerServer() {
	rpc.Register(n.mux, api.ServerStatus, n.serverStatus)
	rpc.Register(n.mux, api.ServerMetrics, n.serverMetrics)
	rpc.Register(n.mux, api.Subscribe, n.subscribe)
	rpc.Register(n.mux, api.Unsubscribe, n.unsubscribe)
}

func (n *Native) serverStatus(context.Context, api.Empty) (api.ServerStatusResult, error) {
	s := &n.server
	r := api.ServerStatusResult{
		Version: s.Version, Protocol: api.Protocol, Pid: s.Pid, UptimeMs: time.Since(s.Started).Milliseconds(), IdleExit: s.IdleExit.Milliseconds(),
		Socket: s.Socket, Log: s.Log, Admin: s.Admin, TCP: s.TCP, Token: s.TokenFile, Sessions: []api.SessionRow{}, Designs: n.designs(), Devices: devices(), Tasks: n.running(),
	}
	n.mu.Lock()
	for c := range n.sessions {
		st := c.conn.Stats()
		c.mu.Lock()
		r.Sessions = append(r.Sessions, api.SessionRow{
			Client: c.client, Pid: c.pid, SinceMs: time.Since(c.since).Milliseconds(), Running: int64(st.Running), Waiting: int64(st.Waiting),
			BytesIn: st.BytesIn, BytesOut: st.BytesOut, Dropped: st.Dropped, Keep: c.keep.Load(),
		})
		c.mu.Unlock()
	}
	n.mu.Unlock()
	slices.SortFunc(r.Sessions, func(a, b api.SessionRow) int {
		return cmp.Or(-cmp.Compare(a.SinceMs, b.SinceMs), cmp.Compare(a.Pid, b.Pid))
	})
	u := n.ws.Usage()
	r.Memory.Budget, r.Memory.Accounted, r.Memory.Evictions = u.Budget, u.Accounted, u.Evictions
	r.Memory.RSS = rss()
	if s.Watch != nil {
		r.Watch = s.Watch()
	}
	return r, nil
}

// rss is the resident memory of the process in bytes, 0 where the system does not tell.
func rss() int64 {
	b, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	f := strings.Fields(string(b))
	if len(f) < 2 {
		return 0
	}
	pages, _ := strconv.ParseInt(f[1], 10, 64)
	return pages * int64(os.Getpagesize())
}
