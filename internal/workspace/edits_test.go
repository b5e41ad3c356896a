package workspace_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/wattd/wattd/internal/diag"
	"github.com/wattd/wattd/internal/edittest"
	"github.com/wattd/wattd/internal/project"
	"github.com/wattd/wattd/internal/workspace"
)

// sequences is how many random sequences of edits are run: WATTD_SEQUENCES, from WATTD_SEED on.
func sequences(t *testing.T, usual int) (from, n uint64) {
	t.Helper()
	number := func(name string, usual uint64) uint64 {
		s := os.Getenv(name)
		if s == "" {
			return usual
		}
		n, err := strconv.ParseUint(s, 10, 64)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		return n
	}
	return number("WATTD_SEED", 1), number("WATTD_SEQUENCES", uint64(usual))
}

// stepsOf is how many edits a sequence has.
const stepsOf = 6

// tally counts what the sequences did.
type tally struct {
	mu                        sync.Mutex
	kinds                     map[string]int
	paths                     map[string]int
	whole                     map[string]int // why steps were no patches
	run, marked, total, bytes int64
	compared, wrong           int
}

func newTally() *tally {
	return &tally{kinds: map[string]int{}, paths: map[string]int{}, whole: map[string]int{}}
}

// note counts a step and how it was done.
func (y *tally) note(e edittest.Edit, w *project.Work, files bool) {
	y.mu.Lock()
	defer y.mu.Unlock()
	y.kinds[e.Kind]++
	y.compared++
	if w == nil {
		y.wrong++
		y.paths["wrong"]++
		return
	}
	for _, why := range w.Whole {
		y.whole[why]++
	}
	y.run += w.PairsRun
	y.total += w.PairsTotal
	y.bytes += w.BytesParsed
	switch {
	case w.Reloaded != "":
		y.paths["reloaded "+w.Reloaded]++
	case !files:
		y.paths["nothing to do"]++
	case w.Patched > 0:
		y.paths["patched"]++
	case w.GatesCompiled == 0 && w.PairsRun == 0:
		y.paths["taken over"]++
	case w.PairsRun < w.PairsTotal:
		y.paths["rerun in part"]++
	default:
		y.paths["run whole"]++
	}
}

// edited is a sequence at work.
type edited struct {
	t      *testing.T
	seed   uint64
	r      *rand.Rand
	seq    *edittest.Sequence
	dir    edittest.Folder
	ws     *workspace.Workspace // made when nil
	name   string               // of the design there
	p      *workspace.Project
	cold   *project.Session // of the last good files
	cost   int64            // pairs run in the last step
	same   bool             // that step kept gates and windows
	watch  *watchers
	tally  *tally
	lately []string
}

func (e *edited) fail(format string, args ...any) bool {
	e.t.Errorf("seed %d, edits %q: %s", e.seed, e.lately, fmt.Sprintf(format, args...))
	return false
}

// open opens the design and compares its first version.
func (e *edited) open() bool {
	if _, err := e.dir.Write(e.seq.Files(), 0); err != nil {
		return e.fail("%v", err)
	}
	ctx := e.t.Context()
	if e.ws == nil {
		e.ws = workspace.New(nil)
	}
	p, s, _, err := e.ws.Open(ctx, e.name, workspace.Choice{File: e.dir.Config()}, nil)
	if err != nil {
		return e.fail("open: %v", err)
	}
	e.p = p
	cold, bag, err := edittest.Cold(ctx, e.dir.Config())
	if err != nil || bag.Errors() > 0 {
		return e.fail("cold: %v, %d errors", err, bag.Errors())
	}
	e.cold = cold
	if d := edittest.Equal(s.Session, cold); d != "" {
		return e.fail("opened: %s", d)
	}
	return true
}

// step makes an edit and compares with a cold run.
func (e *edited) step() bool {
	x := e.seq.Step()
	e.lately = append(e.lately, x.Kind+": "+x.What)
	changed, err := e.dir.Write(e.seq.Files(), e.r.IntN(3))
	if err != nil {
		return e.fail("%v", err)
	}
	return e.compare(x, len(changed) > 0)
}

func (e *edited) compare(x edittest.Edit, files bool) bool {
	ctx := e.t.Context()
	snap, made, err := e.p.Refresh(ctx, 0)
	cold, bag, coldErr := edittest.Cold(ctx, e.dir.Config())
	var wrong *workspace.InputError
	if errors.As(err, &wrong) {
		e.tally.note(x, nil, files)
		if coldErr != nil {
			return e.fail("cold: %v", coldErr)
		}
		if d := edittest.SameErrors(wrong.Bag, bag); d != "" {
			return e.fail("%s", d)
		}
		e.same = false
		return true
	}
	if err != nil || coldErr != nil {
		return e.fail("%v, cold %v", err, coldErr)
	}
	if bag.Errors() > 0 {
		bag.Write(e.t.Output(), diag.Error, 3)
		return e.fail("no error, cold has %d", bag.Errors())
	}
	if d := edittest.Equal(snap.Session, cold); d != "" {
		return e.fail("%s", d)
	}
	if e.r.IntN(4) == 0 {
		end := cold.Stim.End()
		a := e.r.Int64N(end)
		if d := edittest.SameOutputs(ctx, e.dir.Dir, snap.Session, cold, a, a+1+e.r.Int64N(end)); d != "" {
			return e.fail("%s", d)
		}
	}
	w := project.Work{}
	if made {
		w = snap.Session.Work
	}
	e.tally.note(x, &w, files)
	ok := w.Reloaded != "" || e.bounds(x, &w, cold)
	if w.Reloaded != "" {
		e.same = false
	}
	e.cold = cold
	if e.watch != nil {
		e.watch.add(snap)
	}
	return ok
}

// bounds checks that no more was done than the edit asks for.
func (e *edited) bounds(x edittest.Edit, w *project.Work, cold *project.Session) bool {
	marked, same := edittest.Marked(e.cold, cold)
	if same {
		e.tally.mu.Lock()
		e.tally.marked += marked
		e.tally.mu.Unlock()
		if w.PairsRun > marked {
			return e.fail("%d pairs of %d were run, %d are dirty", w.PairsRun, w.PairsTotal, marked)
		}
		if x.Text && (w.GatesCompiled != 0 || w.PairsRun != 0) {
			return e.fail("%d gates compiled, %d pairs run", w.GatesCompiled, w.PairsRun)
		}
		if x.Undo && e.same && w.PairsRun > e.cost {
			return e.fail("undo ran %d pairs, the edit %d", w.PairsRun, e.cost)
		}
	}
	e.cost, e.same = w.PairsRun, same && !x.Grows && !x.Text
	return true
}

// watchers hold older snapshots and see that nothing of them changes.
type watchers struct {
	mu   sync.Mutex
	held []held
	wg   sync.WaitGroup
	stop atomic.Bool
	bad  atomic.Pointer[string]
	seen atomic.Int64
}

type held struct {
	s      *workspace.Snapshot
	digest string
}

func (w *watchers) add(s *workspace.Snapshot) {
	h := held{s, edittest.Digest(s.Session)}
	w.mu.Lock()
	w.held = append(w.held, h)
	w.mu.Unlock()
}

func (w *watchers) start(n int) {
	for i := range n {
		w.wg.Go(func() {
			r := rand.New(rand.NewPCG(uint64(i), 3))
			for !w.stop.Load() {
				w.mu.Lock()
				h := held{}
				if len(w.held) > 0 {
					h = w.held[r.IntN(len(w.held))]
				}
				w.mu.Unlock()
				if h.s == nil {
					runtime.Gosched()
					continue
				}
				if d := edittest.Digest(h.s.Session); d != h.digest {
					text := fmt.Sprintf("snapshot %d changed", h.s.N)
					w.bad.Store(&text)
				}
				w.seen.Add(1)
			}
		})
	}
}

func (w *watchers) end() string {
	w.stop.Store(true)
	w.wg.Wait()
	if b := w.bad.Load(); b != nil {
		return *b
	}
	return ""
}

// TestEdits is the proof of incremental work: after each edit of a random sequence the snapshot equals a cold run, and no more was
// run than the semantics mark dirty.
func TestEdits(t *testing.T) {
	usual := 200
	switch {
	case os.Getenv("WATTD_REQUIRE") == "all": // what lands: four minutes of two processors
		usual = 2000
	case testing.Short():
		usual = 60
	}
	from, n := sequences(t, usual)
	y := newTally()
	each(t, from, n, func(seed uint64) bool { return sequence(t, seed, y) })
	for _, k := range edittest.Kinds() {
		if n >= 100 && y.kinds[k] == 0 {
			t.Errorf("no edit was a %q", k)
		}
		t.Logf("%5d %s", y.kinds[k], k)
	}
	t.Logf("%d sequences, %d steps: %d pairs run of %d, %d dirty; %v; %d bytes parsed; no patches: %v", n, y.compared, y.run, y.total, y.marked, y.paths, y.bytes, y.whole)
}

// each calls f with n seeds, as many at a time as there are processors, until some have failed.
func each(t *testing.T, from, n uint64, f func(seed uint64) bool) {
	var next atomic.Uint64
	next.Store(from)
	var bad atomic.Int64
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for bad.Load() < 4 {
				seed := next.Add(1) - 1
				if seed >= from+n {
					return
				}
				if !f(seed) {
					bad.Add(1)
				}
			}
		})
	}
	wg.Wait()
}

// begin opens the design of a seed in a folder that done removes.
func begin(t *testing.T, seed uint64, y *tally) (e *edited, done func()) {
	dir, err := os.MkdirTemp(t.TempDir(), "")
	if err != nil {
		t.Error(err)
		return nil, func() {}
	}
	done = func() { os.RemoveAll(dir) }
	e = &edited{t: t, seed: seed, r: rand.New(rand.NewPCG(seed, 79)), seq: edittest.New(seed), dir: edittest.Folder{Dir: dir}, tally: y}
	if !e.open() {
		return nil, done
	}
	return e, done
}

func sequence(t *testing.T, seed uint64, y *tally) bool {
	e, done := begin(t, seed, y)
	defer done()
	if e == nil {
		return false
	}
	if seed%50 == 0 {
		e.watch = &watchers{}
		e.watch.start(2)
	}
	ok := true
	for range stepsOf {
		if seed%8 == 3 && e.r.IntN(2) == 0 { // as if memory were short
			e.p.Evict(workspace.Level(e.r.IntN(3)) + workspace.Older)
		}
		if ok = e.step(); !ok {
			break
		}
	}
	if e.watch != nil {
		if b := e.watch.end(); b != "" {
			return e.fail("%s", b)
		}
	}
	return ok
}

// TestBytes edits netlists and delays of an open design at the level of bytes: what comes out, a result or errors, is what a cold run says.
func TestBytes(t *testing.T) {
	usual := 60
	if testing.Short() {
		usual = 20
	}
	from, n := sequences(t, usual)
	y := newTally()
	each(t, from, n, func(seed uint64) bool {
		e, done := begin(t, seed, y)
		defer done()
		if e == nil {
			return false
		}
		files := e.seq.Files()
		for range 2 * stepsOf {
			name := []string{"top.v", "top.v", "delays0.sdf"}[e.r.IntN(3)]
			was := files[name]
			text, what := edittest.Garble(e.r, was)
			files[name] = text
			e.lately = append(e.lately, name+": "+what)
			changed, err := e.dir.Write(files, e.r.IntN(3))
			if err != nil {
				return e.fail("%v", err)
			}
			if !e.compare(edittest.Edit{Kind: "bytes"}, len(changed) > 0) {
				return false
			}
			if e.p.Fault() != nil || e.r.IntN(3) == 0 {
				files[name] = was
			}
		}
		return true
	})
	t.Logf("%d steps, %d with errors; %v", y.compared, y.wrong, y.paths)
}
