package kernel_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/wattd/wattd/kernel"
	"github.com/wattd/wattd/kernel/host"
	"github.com/wattd/wattd/kernel/kerneltest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func random(seed uint64) (*kernel.Program, *kernel.Job) {
	return kerneltest.Random(kerneltest.Config{Seed: seed, Sources: 5, Gates: 30, Length: 2000, Changes: 20, Delay: 40})
}

func TestProgramImage(t *testing.T) {
	for seed := range uint64(20) {
		p, _ := random(seed)
		image := p.Image()
		q, err := kernel.OpenProgram(image)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(image, q.Image()) || p.Hash() != q.Hash() {
			t.Fatalf("seed %d: the image of the image differs", seed)
		}
		if &q.PinNet[0] == &p.PinNet[0] {
			t.Fatal("shared with the program, not with the image")
		}
	}
}

func TestJobImage(t *testing.T) {
	_, j := random(1)
	j.Kind, j.Variant, j.Workers, j.Keep = kernel.Cycle, kernel.FastObserved, 3, true
	j.Plan = &kernel.Plan{Off: []int64{0, 1, 2}}
	j.Observers = []kernel.Observer{{ID: kernel.ObserveCounts}, {ID: kernel.ObserveTrace, Params: []int64{3, 4}}}
	got, err := kernel.OpenJob(j.Image())
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, j) {
		t.Errorf("%+v\nwant %+v", got, j)
	}
	image := j.Image()
	for n := range len(image) {
		if _, err := kernel.OpenJob(image[:n:n]); n < len(image)-64 && err == nil {
			t.Fatalf("no error for %d of %d bytes", n, len(image))
		}
	}
}

func TestTruncatedImage(t *testing.T) {
	p, _ := random(1)
	image := p.Image()
	for n := range len(image) {
		if _, err := kernel.OpenProgram(image[:n:n]); !errors.Is(err, kernel.ErrImage) && !errors.Is(err, kernel.ErrProgram) {
			t.Fatalf("%d of %d bytes: %v", n, len(image), err)
		}
	}
	if _, err := kernel.OpenProgram(image[1:]); !errors.Is(err, kernel.ErrImage) {
		t.Errorf("off its alignment: %v", err)
	}
}

// tryImage opens a broken image; when it is valid all the same, an engine must survive it.
func tryImage(t *testing.T, image []byte) {
	p, err := kernel.OpenProgram(image)
	if err != nil {
		if !errors.Is(err, kernel.ErrImage) && !errors.Is(err, kernel.ErrProgram) {
			t.Fatal(err)
		}
		return
	}
	if p.NNet > 1000 || len(p.GateOut) > 1000 {
		return
	}
	j := &kernel.Job{Cuts: []int64{0, 500, 1000}, Start: make([]uint64, (p.NNet+63)/64), StartBits: make([]uint32, len(p.GateOut)), SrcOff: []int64{0}, Workers: 1}
	driven := make([]bool, p.NNet)
	for _, n := range p.GateOut {
		if n >= 0 {
			driven[n] = true
		}
	}
	for n := range p.NNet {
		if !driven[n] {
			j.SrcNet = append(j.SrcNet, n)
			for k := range int64(10) {
				j.SrcTick = append(j.SrcTick, 1+90*k+int64(n)%7)
			}
			j.SrcOff = append(j.SrcOff, int64(len(j.SrcTick)))
		}
	}
	r, err := host.New().Load(p)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if _, err := r.Run(t.Context(), j); err != nil {
		t.Fatal(err)
	}
}

// Words of an image replaced by values that lead outside: all of the tables in front, a sample of the rest.
func TestBrokenImage(t *testing.T) {
	for seed := range uint64(4) {
		p, _ := random(seed)
		image := p.Image()
		r := rand.New(rand.NewPCG(seed, 1))
		for at := 8; at+4 <= len(image); at += 4 {
			if at > 400 {
				at += 4 * r.IntN(len(image)/500)
			}
			if at+4 > len(image) {
				break
			}
			for _, v := range []uint32{1, 0x7fffffff, 0xffffffff, 0x00ff00ff, 40, 0x80000000} {
				was := binary.NativeEndian.Uint32(image[at:])
				binary.NativeEndian.PutUint32(image[at:], v)
				tryImage(t, image)
				binary.NativeEndian.PutUint32(image[at:], was)
			}
		}
	}
}

func FuzzOpenProgram(f *testing.F) {
	p, _ := random(1)
	f.Add(p.Image())
	f.Add([]byte("WATTDPG1"))
	f.Fuzz(func(t *testing.T, b []byte) {
		image := make([]uint64, (len(b)+7)/8+1) // aligned
		a := kernelBytes(image)[:len(b)]
		copy(a, b)
		tryImage(t, a)
	})
}

func kernelBytes(w []uint64) []byte {
	b := make([]byte, 0, 8*len(w))
	return b[:cap(b)]
}

func TestJobChecker(t *testing.T) {
	p, good := random(1)
	var driven int32
	for _, n := range p.GateOut {
		if n >= 0 {
			driven = n
		}
	}
	for name, spoil := range map[string]func(j *kernel.Job){
		"no cuts":         func(j *kernel.Job) { j.Cuts = nil },
		"one cut":         func(j *kernel.Job) { j.Cuts = j.Cuts[:1] },
		"falling cuts":    func(j *kernel.Job) { j.Cuts = []int64{5, 5} },
		"long window":     func(j *kernel.Job) { j.Cuts = []int64{0, kernel.MaxWindow} },
		"overflow":        func(j *kernel.Job) { j.Cuts = []int64{math.MinInt64, math.MaxInt64} },
		"kind":            func(j *kernel.Job) { j.Kind = 7 },
		"variant":         func(j *kernel.Job) { j.Variant = 7 },
		"start":           func(j *kernel.Job) { j.Start = nil },
		"start bits":      func(j *kernel.Job) { j.StartBits = nil },
		"source net":      func(j *kernel.Job) { j.SrcNet[0] = p.NNet },
		"negative net":    func(j *kernel.Job) { j.SrcNet[0] = -1 },
		"computed net":    func(j *kernel.Job) { j.SrcNet[0] = driven },
		"twice":           func(j *kernel.Job) { j.SrcNet[0] = j.SrcNet[1] },
		"offsets":         func(j *kernel.Job) { j.SrcOff = j.SrcOff[1:] },
		"falling offsets": func(j *kernel.Job) { j.SrcOff[1] = math.MaxInt64 },
		"too few ticks":   func(j *kernel.Job) { j.SrcTick = j.SrcTick[:3] },
		"tick at start":   func(j *kernel.Job) { j.SrcTick[0] = j.Cuts[0] },
		"tick at end":     func(j *kernel.Job) { j.SrcTick[len(j.SrcTick)-1] = j.Cuts[1] },
		"equal ticks":     func(j *kernel.Job) { j.SrcTick[1] = j.SrcTick[0] },
		"no plan":         func(j *kernel.Job) { j.Variant = kernel.Fast },
		"short plan":      func(j *kernel.Job) { j.Variant, j.Plan = kernel.Fast, &kernel.Plan{Off: []int64{0}} },
		"observers":       func(j *kernel.Job) { j.Observers = []kernel.Observer{{ID: kernel.ObserveCounts}} },
		"observer":        func(j *kernel.Job) { observed(j, 99) },
		"bins":            func(j *kernel.Job) { observed(j, kernel.ObserveBins, 0, 0, 1) },
		"many bins":       func(j *kernel.Job) { observed(j, kernel.ObserveBins, 0, 1, math.MaxInt64) },
		"bins net":        func(j *kernel.Job) { observed(j, kernel.ObserveBins, 0, 1, 1, int64(p.NNet)) },
		"net twice":       func(j *kernel.Job) { observed(j, kernel.ObserveBins, 0, 1, 1, 2, 2) },
		"trace of none":   func(j *kernel.Job) { observed(j, kernel.ObserveTrace) },
		"borders":         func(j *kernel.Job) { observed(j, kernel.ObserveGlitch, 2, 5, 5) },
		"few borders":     func(j *kernel.Job) { observed(j, kernel.ObserveGlitch, 3, 5, 6) },
		"many borders":    func(j *kernel.Job) { observed(j, kernel.ObserveGlitch, math.MaxInt64, 5, 6) },
		"no borders":      func(j *kernel.Job) { observed(j, kernel.ObserveGlitch) },
		"interval":        func(j *kernel.Job) { observed(j, kernel.ObserveCounts, 6, 5) },
	} {
		j, err := kernel.OpenJob(good.Image())
		if err != nil {
			t.Fatal(err)
		}
		spoil(j)
		r, err := host.New().Load(p)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := r.Run(t.Context(), j); !errors.Is(err, kernel.ErrJob) {
			t.Errorf("%s: %v", name, err)
		}
		r.Close()
	}
}

func observed(j *kernel.Job, id kernel.ObserverID, params ...int64) {
	j.Variant, j.Observers = kernel.Observed, []kernel.Observer{{ID: id, Params: params}}
}

func TestSignature(t *testing.T) {
	a := []kernel.Observer{{ID: 1, Params: []int64{1, 2}}, {ID: 2}}
	if s := kernel.Signature(a); len(s) != 16 || s != kernel.Signature([]kernel.Observer{{ID: 1}, {ID: 2}}) || s == kernel.Signature(a[:1]) {
		t.Error(s)
	}
	// Stable: runners compiled for it are kept on disk.
	if s := kernel.Signature(nil); s != "e3b0c44298fc1c14" {
		t.Error(s)
	}
}

type fakeRunner struct{ closed int }

func (f *fakeRunner) Run(context.Context, *kernel.Job) (*kernel.Result, error) { return nil, nil }
func (f *fakeRunner) RunBatch(context.Context, []*kernel.Job) ([]*kernel.Result, error) {
	return nil, nil
}

func (f *fakeRunner) Rerun(context.Context, *kernel.Job, *kernel.Result, *kernel.Dirty) (*kernel.Result, error) {
	return nil, nil
}
func (f *fakeRunner) Close() error { f.closed++; return nil }

func TestRegistry(t *testing.T) {
	r := kernel.NewRegistry(1)
	built := map[string]int{}
	all := map[string]*fakeRunner{}
	var mu sync.Mutex
	get := func(name string) func() {
		got, release, err := r.Get(kernel.Key{Program: name}, func() (kernel.Runner, error) {
			mu.Lock()
			defer mu.Unlock()
			built[name]++
			all[name] = &fakeRunner{}
			return all[name], nil
		})
		if err != nil || got != kernel.Runner(all[name]) {
			t.Fatal(got, err)
		}
		return release
	}
	a := get("a")
	b := get("b")
	a()
	a() // again: nothing
	b() // room for one: a goes, as the older
	if all["a"].closed != 1 || all["b"].closed != 0 {
		t.Error("a should be closed, b kept")
	}
	old := all["b"]
	b = get("b")
	if built["b"] != 1 || all["b"] != old {
		t.Error("b was built again")
	}
	if _, _, err := r.Get(kernel.Key{Program: "c"}, func() (kernel.Runner, error) { return nil, kernel.ErrFault }); !errors.Is(err, kernel.ErrFault) {
		t.Error(err)
	}
	c := get("c") // a failure is not kept
	r.Close()
	if all["b"].closed != 0 || all["c"].closed != 0 {
		t.Error("closed in use")
	}
	b()
	c()
	if all["b"].closed != 1 || all["c"].closed != 1 {
		t.Error("not closed at the release")
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 100 {
				get("d")()
			}
		})
	}
	wg.Wait()
	r.Close()
}

func TestPlan(t *testing.T) {
	p, j := random(2)
	r, err := host.New().Load(p)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	res, err := r.Run(t.Context(), j)
	if err != nil {
		t.Fatal(err)
	}
	plan := kernel.PlanFrom(res.Waves)
	if plan.Events() != res.Stats.Events {
		t.Errorf("plan of %d events, there are %d", plan.Events(), res.Stats.Events)
	}
	bound, err := kernel.PlanBound(p, j, 1<<30)
	if err != nil {
		t.Fatal(err)
	}
	for n := range p.NNet {
		if bound.Room(n) < plan.Room(n) {
			t.Errorf("net %d: bound of %d, %d needed", n, bound.Room(n), plan.Room(n))
		}
	}
	if _, err := kernel.PlanBound(p, j, bound.Events()-1); !errors.Is(err, kernel.ErrCapacity) {
		t.Error(err)
	}
}
