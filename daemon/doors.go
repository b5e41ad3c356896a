package daemon

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"os"
	"sync"
)

// doors are where a server listens.
type doors struct {
	endpoint Endpoint
	main     *net.UnixListener
	ino      uint64
	admin    *admin
	tcp      *tcp // nil: not asked for
	log      *slog.Logger
	shut     sync.Once
}

// openDoors listens wherever the options say. The caller holds the lock.
func openDoors(e Endpoint, opt *Options) (_ *doors, err error) {
	d := &doors{endpoint: e, log: opt.Log}
	defer func() {
		if err != nil {
			d.close()
		}
	}()
	if d.main, d.ino, err = listen(e.Socket); err != nil {
		return nil, err
	}
	if d.admin, err = newAdmin(e.Admin, opt.Log); err != nil {
		return nil, err
	}
	if opt.TCP == "" {
		return d, os.RemoveAll(e.Token) // of a server that was killed
	}
	d.tcp, err = listenTCP(opt.TCP, e.Token, opt.Log)
	return d, err
}

// open lets clients in until close: serve is called for each, on a goroutine of wg.
func (d *doors) open(ctx context.Context, wg *sync.WaitGroup, serve func(net.Conn)) error {
	wg.Go(d.admin.run)
	failed := make(chan error, 1)
	if d.tcp == nil {
		failed <- nil
	} else {
		go func() {
			err := accepting(d.tcp.l, d.log, func(c net.Conn) {
				wg.Go(func() {
					if d.tcp.knock(ctx, c) {
						serve(c)
					}
				})
			})
			if !errors.Is(err, net.ErrClosed) {
				d.close()
			}
			failed <- err
		}()
	}
	err := accepting(d.main, d.log, func(c net.Conn) {
		if err := trusted(c.(*net.UnixConn)); err != nil {
			d.log.Warn("refused", "err", err)
			c.Close()
			return
		}
		wg.Go(func() { serve(c) })
	})
	d.close()
	if e := <-failed; e != nil && !errors.Is(e, net.ErrClosed) {
		return e
	}
	return err
}

// close lets nobody else in, and removes what clients find the server by.
func (d *doors) close() {
	d.shut.Do(func() {
		if d.main != nil {
			d.main.Close()
			removeOurs(d.endpoint.Socket, d.ino)
		}
		if d.admin != nil {
			d.admin.close()
		}
		if d.tcp != nil {
			d.tcp.close()
		}
	})
}

// address is that of TCP, or "".
func (d *doors) address() string {
	if d.tcp == nil {
		return ""
	}
	return d.tcp.l.Addr().String()
}

func (d *doors) tokenFile() string {
	if d.tcp == nil {
		return ""
	}
	return d.endpoint.Token
}
