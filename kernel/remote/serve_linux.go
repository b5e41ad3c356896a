package remote

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/wattd/wattd/kernel"
	"github.com/wattd/wattd/kernel/host"
)

// inheritedFD is where a child finds its connection.
const inheritedFD = 3

// Inherited is the connection that a child process was started with.
func Inherited() (*net.UnixConn, error) {
	return connOf(os.NewFile(inheritedFD, "wattd-parent"))
}

func connOf(f *os.File) (*net.UnixConn, error) {
	defer f.Close()
	c, err := net.FileConn(f)
	if err != nil {
		return nil, fmt.Errorf("%w: no connection: %w", kernel.ErrFault, err)
	}
	u, ok := c.(*net.UnixConn)
	if !ok {
		c.Close()
		return nil, fmt.Errorf("%w: the connection is no socket pair", kernel.ErrFault)
	}
	return u, nil
}

// Serve answers one parent until it goes away. It is all that a child does.
func Serve(conn *net.UnixConn, build Build) error {
	s := &server{conn: conn, build: build, arenas: map[int64]*arena{}}
	defer s.close()
	defer conn.Close()
	buf := make([]byte, packet)
	for {
		m, fd, err := receive(conn, buf)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := s.take(m, fd); err != nil {
			return err
		}
	}
}

type server struct {
	conn   *net.UnixConn
	build  Build
	runner kernel.Runner

	image    []byte
	nextID   int64
	arenas   map[int64]*arena
	kept     int64 // arena of the last presized run, 0: none
	presized bool  // the run at hand

	mu     sync.Mutex
	cancel context.CancelFunc // of the run at hand
	run    int64
	busy   sync.WaitGroup
}

func (s *server) close() {
	s.stop(-1)
	s.busy.Wait()
	if s.runner != nil {
		s.runner.Close()
		unix.Munmap(s.image)
	}
	for _, a := range s.arenas {
		a.free()
	}
}

// stop cancels run id, -1 for any.
func (s *server) stop(id int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cancel != nil && (id < 0 || id == s.run) {
		s.cancel()
	}
}

// take handles a message. An error ends the child.
func (s *server) take(m *message, fd int) error {
	if m.Op == opCancel {
		s.stop(m.Run)
		return nil
	}
	if fd < 0 {
		return fmt.Errorf("%w: message %q without memory", kernel.ErrFault, m.Op)
	}
	image, err := mapped(fd, m.Size, unix.PROT_READ)
	unix.Close(fd)
	if err != nil {
		return s.fail(m.Run, err)
	}
	switch {
	case m.Op == opLoad && s.runner == nil:
		return s.load(image)
	case m.Op == opRun && s.runner != nil:
		s.busy.Wait()
		ctx, cancel := context.WithCancel(context.Background())
		s.mu.Lock()
		s.run, s.cancel = m.Run, cancel
		s.mu.Unlock()
		s.busy.Go(func() {
			defer cancel()
			defer unix.Munmap(image)
			s.answer(ctx, m, image)
		})
		return nil
	}
	return fmt.Errorf("%w: message %q", kernel.ErrFault, m.Op)
}

func (s *server) fail(run int64, err error) error {
	return send(s.conn, &message{Op: opFailed, Run: run, Error: err.Error(), Class: classOf(err)}, -1)
}

func (s *server) load(image []byte) error {
	e := s.build(func() (host.Memory, error) {
		fd, err := shared(0)
		if err != nil {
			return nil, err
		}
		s.nextID++
		a := &arena{id: s.nextID, fd: fd}
		s.arenas[a.id] = a
		return a, nil
	})
	p, err := kernel.OpenProgram(image)
	if err == nil {
		s.runner, err = e.Load(p)
	}
	if err != nil {
		return s.fail(0, err)
	}
	s.image = image
	return send(s.conn, &message{Op: opLoaded, Name: e.Name()}, -1)
}

// answer runs a job. Errors of the connection end in the reader.
func (s *server) answer(ctx context.Context, m *message, image []byte) {
	last := s.nextID
	s.presized = false
	l, a, err := s.simulate(ctx, m, image)
	if err == nil {
		err = send(s.conn, &message{Op: opDone, Run: m.Run, Size: a.size, Result: l}, a.fd)
	}
	if err != nil {
		s.fail(m.Run, err)
	}
	s.sweep(last, err != nil, !m.Batch)
}

// sweep frees the memory that the engine no longer uses after a run: all but that of the last presized run. A run that
// failed on new memory has given up the old one too, if it was a presized one.
func (s *server) sweep(last int64, failed, single bool) {
	if failed && single && s.nextID > last && s.presized {
		s.kept = 0
	}
	for id, a := range s.arenas {
		if id != s.kept {
			a.free()
			delete(s.arenas, id)
		}
	}
}

func (s *server) simulate(ctx context.Context, m *message, image []byte) (*layout, *arena, error) {
	j, err := kernel.OpenJob(image)
	if err != nil {
		return nil, nil, err
	}
	if m.Progress {
		j.Progress = func(done, total int64) {
			send(s.conn, &message{Op: opProgress, Run: m.Run, Done: done, Total: total}, -1)
		}
	}
	var res *kernel.Result
	s.presized = j.Variant.Presized()
	kept := s.presized && !m.Batch
	if m.Batch {
		var all []*kernel.Result
		if all, err = s.runner.RunBatch(ctx, []*kernel.Job{j}); err == nil {
			res = all[0]
		}
	} else {
		res, err = s.runner.Run(ctx, j)
	}
	if err != nil {
		return nil, nil, err
	}
	a, err := s.arenaOf(res)
	if err != nil {
		return nil, nil, err
	}
	if kept {
		s.kept = a.id
	}
	l, err := describe(a, res)
	if err != nil {
		return nil, nil, err
	}
	l.Kept = kept
	return l, a, nil
}

// arenaOf finds the memory of a result by its directory.
func (s *server) arenaOf(res *kernel.Result) (*arena, error) {
	if len(res.Waves.Rows) == 0 {
		if a := s.arenas[s.nextID]; a != nil {
			return a, nil
		}
	}
	for _, a := range s.arenas {
		if _, err := a.span(unsafe.Pointer(unsafe.SliceData(res.Waves.Rows)), 1); err == nil {
			return a, nil
		}
	}
	return nil, fmt.Errorf("%w: a result without memory", kernel.ErrFault)
}

// describe finds the ranges of a result; what the engine keeps on its heap is copied to the arena.
func describe(a *arena, res *kernel.Result) (*layout, error) {
	l := &layout{Memory: a.id, Stats: res.Stats}
	if n := len(res.Waves.Over); n > 0 {
		b, err := a.Alloc(int64(n) * int64(unsafe.Sizeof(kernel.Over{})))
		if err != nil {
			return nil, err
		}
		copy(unsafe.Slice((*kernel.Over)(unsafe.Pointer(&b[0])), n), res.Waves.Over)
		if l.Over, err = spanOf(a, b); err != nil {
			return nil, err
		}
	}
	var errs [3]error
	l.Rows, errs[0] = spanOf(a, res.Waves.Rows)
	l.Gates, errs[1] = spanOf(a, res.GateCounts)
	l.WireFiltered, errs[2] = spanOf(a, res.WireCounts)
	if err := errors.Join(errs[:]...); err != nil {
		return nil, err
	}
	for _, x := range res.Waves.Slabs {
		at, err := spanOf(a, x)
		if err != nil {
			return nil, err
		}
		l.Slabs = append(l.Slabs, at)
	}
	for _, x := range res.Observed {
		at, err := spanOf(a, x)
		if err != nil {
			return nil, err
		}
		l.Observed = append(l.Observed, at)
	}
	return l, nil
}
