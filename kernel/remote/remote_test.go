//go:build linux

package remote

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/wattd/wattd/kernel"
	"github.com/wattd/wattd/kernel/host"
	"github.com/wattd/wattd/kernel/kerneltest"
)

const childEnv = "WATTD_TEST_CHILD"

func TestMain(m *testing.M) {
	switch os.Getenv(childEnv) {
	case "":
		goleak.VerifyTestMain(m)
	case "serve":
		conn, err := Inherited()
		if err == nil {
			err = Serve(conn, host.NewIn)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	case "exit":
		os.Exit(3)
	case "garble":
		conn, _ := Inherited()
		conn.Write([]byte("{ no message"))
		conn.Read(make([]byte, 100))
	}
}

func child(mode string) func() *exec.Cmd {
	return func() *exec.Cmd {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), childEnv+"="+mode)
		cmd.Stderr = os.Stderr
		return cmd
	}
}

func load(t *testing.T, p *kernel.Program) kernel.Runner {
	t.Helper()
	e, err := New(child("serve"))
	if err != nil {
		t.Fatal(err)
	}
	r, err := e.Load(p)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
	return r
}

func run(t *testing.T, r kernel.Runner, j *kernel.Job) *kernel.Result {
	t.Helper()
	res, err := r.Run(t.Context(), j)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func random(seed uint64) (*kernel.Program, *kernel.Job) {
	return kerneltest.Random(kerneltest.Config{Seed: seed, Sources: 8, Gates: 60, Length: 4000, Changes: 40, Delay: 60})
}

// big runs for a second or more.
func big() (*kernel.Program, *kernel.Job) {
	return kerneltest.Random(kerneltest.Config{Seed: 1, Sources: 200, Gates: 8000, Reach: 300, Cells: true, Length: 1_000_000, Changes: 400, Delay: 60})
}

func same(t *testing.T, what string, want, got *kernel.Result) {
	t.Helper()
	if d := kernel.Diff(want.Waves, got.Waves); d != "" {
		t.Fatalf("%s: %s", what, d)
	}
	if !slices.Equal(want.Gates(), got.Gates()) || !slices.Equal(want.WireFiltered(), got.WireFiltered()) || want.Stats.Evaluations != got.Stats.Evaluations {
		t.Fatalf("%s: other totals", what)
	}
	if !slices.EqualFunc(want.Observed, got.Observed, bytes.Equal) {
		t.Fatalf("%s: observers saw something else", what)
	}
}

func descriptors(t *testing.T) int {
	d, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skip(err)
	}
	return len(d)
}

// Across the border every variant gives what it gives in process.
func TestEqualsInProcess(t *testing.T) {
	before := descriptors(t)
	for seed := range uint64(6) {
		p, j := random(seed)
		local, err := host.New().Load(p)
		if err != nil {
			t.Fatal(err)
		}
		defer local.Close()
		r := load(t, p)
		plan := kernel.PlanFrom(run(t, local, j).Waves)
		set := []kernel.Observer{{ID: kernel.ObserveCounts}, {ID: kernel.ObserveTrace, Params: []int64{1, 2, 3}}}
		var batch []*kernel.Job
		var want []*kernel.Result
		for _, n := range []int{1, -6, 40} {
			for v := kernel.Base; v <= kernel.FastObserved; v++ {
				c := kerneltest.Cut(j, n, seed)
				c.Variant, c.Workers, c.Plan = v, 1+int(v)%2, plan
				if v.Observes() {
					c.Observers = set
				}
				results, err := local.RunBatch(t.Context(), []*kernel.Job{c})
				if err != nil {
					t.Fatal(err)
				}
				batch, want = append(batch, c), append(want, results[0])
				for range 2 {
					res := run(t, r, c)
					same(t, fmt.Sprintf("seed %d, cut %d, variant %d", seed, n, v), results[0], res)
					res.Release()
				}
			}
		}
		all, err := r.RunBatch(t.Context(), batch)
		if err != nil {
			t.Fatal(err)
		}
		for i := range all {
			same(t, fmt.Sprintf("seed %d, job %d of a batch", seed, i), want[i], all[i])
		}
		keep, kept := run(t, r, j), run(t, r, batch[2])
		r.Close()
		same(t, "after the end of the child", want[0], keep)
		same(t, "after the end of the child, presized", want[2], kept)
		kept.Release()
		keep.Release()
		keep.Release()
	}
	if after := descriptors(t); after > before+2 {
		t.Errorf("%d open files before, %d after", before, after)
	}
}

func TestErrorsKeepTheirClass(t *testing.T) {
	p, j := random(1)
	r := load(t, p)
	want := run(t, r, j)
	short := &kernel.Plan{Off: make([]int64, p.NNet+1)}
	f := kerneltest.Cut(j, 2, 0)
	f.Variant, f.Plan = kernel.Fast, short
	for range 2 {
		if _, err := r.Run(t.Context(), f); !errors.Is(err, kernel.ErrCapacity) {
			t.Error(err)
		}
	}
	f.Plan = kernel.PlanFrom(want.Waves)
	same(t, "after a plan too small", want, run(t, r, f))
	f.Plan = short
	if _, err := r.Run(t.Context(), f); !errors.Is(err, kernel.ErrCapacity) {
		t.Error(err)
	}
	f.Plan = kernel.PlanFrom(want.Waves)
	same(t, "again", want, run(t, r, f))
	if _, err := r.Run(t.Context(), &kernel.Job{}); !errors.Is(err, kernel.ErrJob) {
		t.Error(err)
	}
	kept := *j
	kept.Keep = true
	if _, err := r.Run(t.Context(), &kept); !errors.Is(err, kernel.ErrJob) {
		t.Error(err)
	}
	if _, err := r.Rerun(t.Context(), j, want, &kernel.Dirty{}); !errors.Is(err, kernel.ErrJob) {
		t.Error(err)
	}
	r.Close()
	if _, err := r.Run(t.Context(), j); !errors.Is(err, kernel.ErrClosed) {
		t.Error(err)
	}
}

func TestCancel(t *testing.T) {
	p, j := big()
	r := load(t, p)
	ctx, cancel := context.WithTimeoutCause(t.Context(), 50*time.Millisecond, errors.New("enough"))
	defer cancel()
	begin := time.Now()
	_, err := r.Run(ctx, j)
	if !errors.Is(err, kernel.ErrInterrupted) || errors.Is(err, kernel.ErrFault) {
		t.Errorf("after %v: %v", time.Since(begin), err)
	}
	_, j = random(1) // the job of another program: an error, not a crash
	if _, err := r.Run(t.Context(), j); err == nil {
		t.Error("no error")
	}
}

// The child is killed in the middle of a run.
func TestKilled(t *testing.T) {
	p, j := big()
	var r kernel.Runner
	var err error
	reported := false
	j.Progress = func(done, total int64) {
		if !reported && done < total {
			reported = true
			r.(*runner).cmd.Process.Kill()
		}
	}
	for range 20 { // a run may be over before its first report
		if r = load(t, p); reported {
			break
		}
		if _, err = r.Run(t.Context(), j); reported {
			break
		}
	}
	if !reported {
		t.Fatal("no run reported before it was over")
	}
	if !errors.Is(err, kernel.ErrFault) {
		t.Errorf("killed: %v", err)
	}
	j.Progress = nil
	if _, err := r.Run(t.Context(), j); !errors.Is(err, kernel.ErrFault) {
		t.Errorf("after that: %v", err)
	}
}

func TestBadChildren(t *testing.T) {
	p, _ := random(1)
	for _, mode := range []string{"exit", "garble"} {
		e, err := New(child(mode))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := e.Load(p); !errors.Is(err, kernel.ErrFault) {
			t.Errorf("%s: %v", mode, err)
		}
	}
	e, err := New(func() *exec.Cmd { return exec.Command("/nonexistent/wattd") })
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.Load(p); !errors.Is(err, kernel.ErrFault) {
		t.Error(err)
	}
}
