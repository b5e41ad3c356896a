package rpc

import (
	"context"
	"io"
	"sync"

	"github.com/wattd/wattd/rpc/api"
)

// Server answers on any number of connections, within limits that they share.
type Server struct {
	handler Handler
	opt     *Options
	limit   chan struct{}

	mu       sync.Mutex
	conns    map[*Conn]bool
	draining bool
}

// NewServer makes a server; it starts nothing.
func NewServer(h Handler, opt Options) *Server {
	o := opt.withDefaults()
	return &Server{handler: h, opt: o, limit: make(chan struct{}, o.Total), conns: map[*Conn]bool{}}
}

// Serve answers on one connection until it ends, and closes it. When ctx ends, what runs is cancelled and the connection closed
// at once. It returns after the last handler has, with what ended the connection: nil for the peer's own wish.
func (s *Server) Serve(ctx context.Context, conn io.ReadWriteCloser) error {
	c := newConn(ctx, conn, s.handler, s.opt, true)
	c.limit = s.limit
	s.mu.Lock()
	if s.draining {
		s.mu.Unlock()
		_ = c.stream.Close()
		c.cancel(nil)
		return api.Errorf(api.ShuttingDown, "the server is going down")
	}
	s.conns[c] = true
	c.start()
	s.mu.Unlock()
	stop := context.AfterFunc(ctx, c.Close)
	c.wait()
	stop()
	s.mu.Lock()
	delete(s.conns, c)
	s.mu.Unlock()
	return c.failure()
}

// Serve is Server.Serve for a single connection.
func Serve(ctx context.Context, conn io.ReadWriteCloser, h Handler, opt Options) error {
	return NewServer(h, opt).Serve(ctx, conn)
}

// Shutdown refuses new requests, waits for those that are there, sends their answers and closes all connections. When ctx ends
// it cancels what is left. Serve returns after it for each connection.
func (s *Server) Shutdown(ctx context.Context) {
	s.mu.Lock()
	s.draining = true
	var wg sync.WaitGroup
	for c := range s.conns {
		wg.Go(func() { c.drain(ctx) })
	}
	s.mu.Unlock()
	wg.Wait()
}

// Conns lists the open connections, in no order.
func (s *Server) Conns() []*Conn {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]*Conn, 0, len(s.conns))
	for c := range s.conns {
		out = append(out, c)
	}
	return out
}
