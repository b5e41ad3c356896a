package rpc

import (
	"cmp"
	"context"
	"log/slog"
	"time"

	"github.com/wattd/wattd/rpc/api"
)

// Options bound a connection. The zero value is ready.
type Options struct {
	Framing Framing // of a client; a server takes that of its peer

	MaxMessage    int64 // bytes of a message; 256 MiB
	MaxBatch      int   // requests in a batch; 1000
	Concurrent    int   // requests of a connection that run at a time; 8
	Waiting       int   // requests of a connection that may wait to run; 1024
	Total         int   // requests of all connections of a Server that run at a time; 64
	QueueBytes    int64 // answers that may wait for the peer to read them; 64 MiB
	Notifications int   // messages that may wait before the oldest is dropped; 1024

	DefaultTimeout time.Duration // of requests that name none; none
	MaxTimeout     time.Duration // of any request; none
	WriteTimeout   time.Duration // without any byte read by the peer; 30 s
	ReadTimeout    time.Duration // without any byte of a message that has begun; 60 s
	Linger         time.Duration // how long requests may run on when the peer has stopped sending and may be gone; 5 s

	Log *slog.Logger // slog.Default()

	// Opened makes the context of a connection: the place for what belongs to a session. It must not use the connection yet.
	Opened func(ctx context.Context, c *Conn) context.Context

	// Admit is called for every request, on the reading goroutine, in the order of arrival; it must be cheap. It applies what
	// later requests have to see and takes the snapshot that the request will read. The context that it returns is that of the
	// handler, release is called when the request is answered. An error is the answer.
	Admit func(ctx context.Context, req *Request) (_ context.Context, release func(), _ error)

	// Answered is called after each request with the time from its arrival to its answer and the error that it was answered with. It
	// must be cheap. kind is "" when there was none.
	Answered func(method string, took time.Duration, kind api.Kind)
}

func (o Options) withDefaults() *Options {
	o.MaxMessage = cmp.Or(o.MaxMessage, 256<<20)
	o.MaxBatch = cmp.Or(o.MaxBatch, 1000)
	o.Concurrent = cmp.Or(o.Concurrent, 8)
	o.Waiting = cmp.Or(o.Waiting, 1024)
	o.Total = cmp.Or(o.Total, 64)
	o.QueueBytes = cmp.Or(o.QueueBytes, 64<<20)
	o.Notifications = cmp.Or(o.Notifications, 1024)
	o.WriteTimeout = cmp.Or(o.WriteTimeout, 30*time.Second)
	o.ReadTimeout = cmp.Or(o.ReadTimeout, time.Minute)
	o.Linger = cmp.Or(o.Linger, 5*time.Second)
	if o.Log == nil {
		o.Log = slog.Default()
	}
	return &o
}

// Limits are the ones that a client should know.
func (o Options) Limits() api.Limits {
	d := o.withDefaults()
	return api.Limits{MessageBytes: d.MaxMessage, Batch: d.MaxBatch, Concurrent: d.Concurrent, Waiting: d.Waiting, PageRows: api.MaxLimit}
}
