package native

import (
	"cmp"
	"context"
	"math/bits"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/wattd/wattd/rpc/api"
)

// callCounts counts requests by method. Its size is bounded by the methods and kinds of the protocol.
type callCounts struct {
	mu      sync.Mutex
	methods map[string]*callCount // "" for those that the server does not have
}

type callCount struct {
	n, errors, expired, cancelled int64
	kinds                         map[api.Kind]int64
	longest                       time.Duration
	buckets                       [bucketCount]int64
}

// Times fall into buckets of microseconds: one each below 16, then sixteen for every power of two.
const bucketCount = 16 + 16*36

func bucket(d time.Duration) int {
	us := uint64(max(d.Microseconds(), 0))
	if us < 16 {
		return int(us)
	}
	e := bits.Len64(us) - 5 // us>>e is in 16..31
	return min(16*e+int(us>>e), bucketCount-1)
}

// bucketTop is the longest time of a bucket, in milliseconds.
func bucketTop(b int) float64 {
	if b < 16 {
		return float64(b) / 1000
	}
	e := b/16 - 1
	return float64((uint64(b%16)+17)<<e-1) / 1000
}

// Answered counts a request; it is an rpc.Options.Answered.
func (n *Native) Answered(method string, took time.Duration, kind api.Kind) {
	if kind == api.MethodNotFound {
		method = ""
	} else if in, ok := api.Lookup(method); !ok || in.Shape != api.Request {
		method = ""
	}
	c := n.calls
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.methods == nil {
		c.methods = map[string]*callCount{}
	}
	m := c.methods[method]
	if m == nil {
		m = &callCount{kinds: map[api.Kind]int64{}}
		c.methods[method] = m
	}
	m.n++
	m.longest = max(m.longest, took)
	m.buckets[bucket(took)]++
	if kind == "" {
		return
	}
	m.errors++
	m.kinds[kind]++
	switch kind {
	case api.TimedOut:
		m.expired++
	case api.Cancelled:
		m.cancelled++
	}
}

// quantile is a time that a share of the requests did not exceed.
func (m *callCount) quantile(share float64) float64 {
	want := max(int64(float64(m.n)*share+0.999999), 1)
	for b, n := range m.buckets {
		if want -= n; want <= 0 {
			return min(bucketTop(b), ms(m.longest))
		}
	}
	return ms(m.longest)
}

// tables lists the counts by method and kind.
func (c *callCounts) tables() (calls api.Table[api.CallRow], failures api.Table[api.FailureRow]) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for method, m := range c.methods {
		calls.Rows = append(calls.Rows, api.CallRow{
			Method: method, N: m.n, Errors: m.errors, Expired: m.expired, Cancelled: m.cancelled,
			P50Ms: m.quantile(0.5), P90Ms: m.quantile(0.9), P99Ms: m.quantile(0.99), MaxMs: ms(m.longest),
		})
		for kind, k := range m.kinds {
			failures.Rows = append(failures.Rows, api.FailureRow{Method: method, Kind: string(kind), N: k})
		}
	}
	slices.SortFunc(calls.Rows, func(a, b api.CallRow) int { return cmp.Compare(a.Method, b.Method) })
	slices.SortFunc(failures.Rows, func(a, b api.FailureRow) int {
		return cmp.Or(cmp.Compare(a.Method, b.Method), cmp.Compare(a.Kind, b.Kind))
	})
	calls.Total, failures.Total = int64(len(calls.Rows)), int64(len(failures.Rows))
	return calls, failures
}

func (n *Native) serverMetrics(context.Context, api.Empty) (r api.ServerMetricsResult, err error) {
	r.Requests, r.Errors = n.calls.tables()
	put := func(name string, v float64) {
		r.Metrics.Rows = append(r.Metrics.Rows, api.MetricRow{Name: name, Value: v})
	}
	var running, waiting int
	var in, out, dropped int64
	n.mu.Lock()
	sessions, subscriptions := len(n.sessions), len(n.subs)
	for s := range n.sessions {
		st := s.conn.Stats()
		running, waiting = running+st.Running, waiting+st.Waiting
		in, out, dropped = in+st.BytesIn, out+st.BytesOut, dropped+st.Dropped
	}
	n.mu.Unlock()
	var accounted, snapshots int64
	designs := n.designs()
	for i := range designs.Rows {
		accounted += designs.Rows[i].Memory
		snapshots += designs.Rows[i].Snapshot
	}
	put("accounted_bytes", float64(accounted))
	put("designs", float64(len(designs.Rows)))
	put("goroutines", float64(runtime.NumGoroutine()))
	put("open_sessions_dropped_updates", float64(dropped))
	put("open_sessions_in_bytes", float64(in))
	put("open_sessions_out_bytes", float64(out))
	put("requests_running", float64(running))
	put("requests_waiting", float64(waiting))
	put("resident_bytes", float64(rss()))
	put("sessions", float64(sessions))
	put("snapshots_made", float64(snapshots))
	put("subscriptions", float64(subscriptions))
	put("uptime_seconds", time.Since(n.server.Started).Seconds())
	r.Metrics.Total = int64(len(r.Metrics.Rows))
	return r, nil
}
