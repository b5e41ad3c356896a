package remote

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"github.com/wattd/wattd/kernel"
)

// patience is how long a child may take to answer a cancellation before it is killed.
const patience = 10 * time.Second

// New makes an engine whose programs run in children, each started by the command that the function returns; the child must
// call Serve on Inherited. The command must not pass files of its own (ExtraFiles).
func New(command func() *exec.Cmd) (kernel.Engine, error) { return &engine{command}, nil }

type engine struct{ command func() *exec.Cmd }

func (e *engine) Name() string     { return "remote" }
func (e *engine) Template() uint32 { return 1 }

// Load starts a child and hands it the program.
func (e *engine) Load(p *kernel.Program) (kernel.Runner, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("%w: socketpair: %w", kernel.ErrFault, err)
	}
	theirs := os.NewFile(uintptr(pair[1]), "wattd-child")
	conn, err := connOf(os.NewFile(uintptr(pair[0]), "wattd-child"))
	if err != nil {
		theirs.Close()
		return nil, err
	}
	cmd := e.command()
	cmd.ExtraFiles = []*os.File{theirs}
	err = cmd.Start()
	theirs.Close() // else the end of the child would not show
	if err != nil {
		conn.Close()
		return nil, fmt.Errorf("%w: child not started: %w", kernel.ErrFault, err)
	}
	r := &runner{p: p, cmd: cmd, conn: conn, check: kernel.NewJobChecker(p), replies: make(chan reply, 1), gone: make(chan struct{})}
	r.ended.Go(r.read)
	image := p.Image()
	if err = r.hand(&message{Op: opLoad, Size: int64(len(image))}, image); err == nil {
		_, err = r.await(context.Background(), 0, nil)
	}
	if err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}

type reply struct {
	m  *message
	fd int
}

type runner struct {
	p     *kernel.Program
	cmd   *exec.Cmd
	conn  *net.UnixConn
	check *kernel.JobChecker

	replies chan reply
	gone    chan struct{} // closed when the child's end was seen
	why     error         // then
	ended   sync.WaitGroup

	mu     sync.Mutex
	closed bool
	last   int64 // run
	kept   *mapping
}

// mapping is the memory of a result, or of all that a presized plan gave. It is unmapped when its results were released and the
// runner does not keep it.
type mapping struct {
	id    int64
	b     []byte
	users atomic.Int64
}

func (m *mapping) release() {
	if m.users.Add(-1) == 0 {
		unix.Munmap(m.b)
	}
}

// read takes messages until the connection ends, then waits for the child.
func (r *runner) read() {
	defer close(r.gone)
	buf := make([]byte, packet)
	for {
		m, fd, err := receive(r.conn, buf)
		if err != nil {
			// Killing a dead child does nothing; one that talks nonsense must go.
			r.cmd.Process.Kill()
			state := "exit status unknown"
			r.cmd.Wait()
			if r.cmd.ProcessState != nil {
				state = r.cmd.ProcessState.String()
			}
			r.why = fmt.Errorf("%w: child ended (%s): %w", kernel.ErrFault, state, err)
			return
		}
		r.replies <- reply{m, fd}
	}
}

// hand sends a message with an image in shared memory.
func (r *runner) hand(m *message, image []byte) error {
	fd, err := sharedBytes(image)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	if err := send(r.conn, m, fd); err != nil {
		select {
		case <-r.gone:
			return r.why
		case <-time.After(patience):
			return fmt.Errorf("%w: %w", kernel.ErrFault, err)
		}
	}
	return nil
}

// await returns the answer to a run, 0 for the loading.
func (r *runner) await(ctx context.Context, run int64, progress func(done, total int64)) (reply, error) {
	done := ctx.Done()
	var late <-chan time.Time
	for {
		select {
		case x := <-r.replies:
			switch {
			case x.m.Run != run:
				if x.fd >= 0 {
					unix.Close(x.fd)
				}
			case x.m.Op == opProgress:
				if progress != nil {
					progress(x.m.Done, x.m.Total)
				}
			case x.m.Op == opFailed:
				class := classes[0]
				if x.m.Class >= 0 && x.m.Class < len(classes) {
					class = classes[x.m.Class]
				}
				var err error = &failure{text: x.m.Error, class: class}
				if class == kernel.ErrInterrupted && ctx.Err() != nil {
					err = fmt.Errorf("%w: %w", err, context.Cause(ctx))
				}
				return reply{}, err
			default:
				return x, nil
			}
		case <-r.gone:
			if ctx.Err() != nil {
				return reply{}, fmt.Errorf("%w: %w: %w", kernel.ErrInterrupted, context.Cause(ctx), r.why)
			}
			return reply{}, r.why
		case <-done:
			done = nil
			late = time.After(patience)
			send(r.conn, &message{Op: opCancel, Run: run}, -1) // a dead child shows itself
		case <-late:
			r.cmd.Process.Kill()
			late = nil
		}
	}
}

// Run implements kernel.Runner.
func (r *runner) Run(ctx context.Context, j *kernel.Job) (*kernel.Result, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.run(ctx, j, false)
}

// RunBatch implements kernel.Runner.
func (r *runner) RunBatch(ctx context.Context, jobs []*kernel.Job) ([]*kernel.Result, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	var all []*kernel.Result
	for i, j := range jobs {
		res, err := r.run(ctx, j, true)
		if err != nil {
			for _, x := range all {
				x.Release()
			}
			return nil, fmt.Errorf("job %d of %d: %w", i, len(jobs), err)
		}
		all = append(all, res)
	}
	return all, nil
}

// Rerun implements kernel.Runner: results of children cannot be kept, as each is memory of its own.
func (r *runner) Rerun(context.Context, *kernel.Job, *kernel.Result, *kernel.Dirty) (*kernel.Result, error) {
	return nil, fmt.Errorf("%w: this engine cannot rerun", kernel.ErrJob)
}

func (r *runner) run(ctx context.Context, j *kernel.Job, batch bool) (*kernel.Result, error) {
	if r.closed {
		return nil, kernel.ErrClosed
	}
	if err := r.check.Check(j); err != nil {
		return nil, err
	}
	if j.Keep {
		return nil, fmt.Errorf("%w: this engine makes no kept results", kernel.ErrJob)
	}
	if ctx.Err() != nil {
		return nil, fmt.Errorf("%w: %w", kernel.ErrInterrupted, context.Cause(ctx))
	}
	r.last++
	image := j.Image()
	if err := r.hand(&message{Op: opRun, Run: r.last, Size: int64(len(image)), Batch: batch, Progress: j.Progress != nil}, image); err != nil {
		return nil, err
	}
	x, err := r.await(ctx, r.last, j.Progress)
	if err != nil {
		return nil, err
	}
	if x.fd < 0 || x.m.Result == nil {
		return nil, fmt.Errorf("%w: an answer without result", kernel.ErrFault)
	}
	defer unix.Close(x.fd)
	return r.open(j, x)
}

// open maps a result.
func (r *runner) open(j *kernel.Job, x reply) (*kernel.Result, error) {
	l := x.m.Result
	m := r.kept
	if !l.Kept || m == nil || m.id != l.Memory || int64(len(m.b)) != x.m.Size {
		b, err := mapped(x.fd, x.m.Size, unix.PROT_READ|unix.PROT_WRITE)
		if err != nil {
			return nil, err
		}
		m = &mapping{id: l.Memory, b: b}
	}
	m.users.Add(1)
	res, err := l.open(m.b, j, r.p)
	if err != nil {
		m.release()
		return nil, err
	}
	res.OnRelease(m.release)
	if l.Kept && m != r.kept {
		m.users.Add(1)
		r.drop()
		r.kept = m
	}
	return res, nil
}

// drop lets the memory of the last presized run go.
func (r *runner) drop() {
	if r.kept != nil {
		r.kept.release()
		r.kept = nil
	}
}

func (l *layout) open(b []byte, j *kernel.Job, p *kernel.Program) (*kernel.Result, error) {
	res := &kernel.Result{Waves: &kernel.Waves{Cuts: append([]int64(nil), j.Cuts...)}, Stats: l.Stats}
	var errs [4]error
	res.Waves.Rows, errs[0] = viewOf[kernel.Row](b, l.Rows)
	res.Waves.Over, errs[1] = viewOf[kernel.Over](b, l.Over)
	res.GateCounts, errs[2] = viewOf[kernel.GateCount](b, l.Gates)
	res.WireCounts, errs[3] = viewOf[uint32](b, l.WireFiltered)
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	if len(res.Waves.Rows) != int(p.NNet)*res.Waves.Windows() || len(res.GateCounts) != len(p.GateOut) || len(res.WireCounts) != len(p.PinNet) || len(l.Observed) != len(j.Observers) {
		return nil, fmt.Errorf("%w: the result of another job", kernel.ErrFault)
	}
	for _, s := range l.Slabs {
		slab, err := viewOf[int32](b, s)
		if err != nil {
			return nil, err
		}
		res.Waves.Slabs = append(res.Waves.Slabs, slab)
	}
	for i := range res.Waves.Rows {
		if row := &res.Waves.Rows[i]; row.N>>1 > 0 {
			slab, end := row.Off>>32, int64(uint32(row.Off))+int64(row.N>>1)
			if slab >= uint64(len(res.Waves.Slabs)) || end > int64(len(res.Waves.Slabs[slab])) {
				return nil, fmt.Errorf("%w: row %d lies outside of its memory", kernel.ErrFault, i)
			}
		}
	}
	for _, s := range l.Observed {
		out, err := viewOf[byte](b, s)
		if err != nil {
			return nil, err
		}
		res.Observed = append(res.Observed, out)
	}
	return res, nil
}

// Close ends the child. Results that were not released stay valid.
func (r *runner) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil
	}
	r.closed = true
	r.conn.CloseWrite() // the child sees the end and leaves
	deadline := time.NewTimer(patience)
	defer deadline.Stop()
	for {
		select {
		case x := <-r.replies:
			if x.fd >= 0 {
				unix.Close(x.fd)
			}
		case <-deadline.C:
			r.cmd.Process.Kill()
		case <-r.gone:
			r.ended.Wait()
			r.drop()
			return r.conn.Close()
		}
	}
}
