package kernel

import (
	"container/list"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"runtime"
	"sync"
)

// Engine runs programs. Engines may be used from several goroutines.
type Engine interface {
	Name() string
	// Template is the version of the engine's loops: it changes whenever compiled runners of before must not be used.
	Template() uint32
	// Load makes a program resident. The program must be valid and stay unchanged until the runner is closed.
	Load(p *Program) (Runner, error)
}

// Reloader is an engine that makes an edited program resident at the price of the edit.
type Reloader interface {
	Engine
	// Reload is Load for a program that came from an earlier one, which some engine of the process has loaded, by an edit. gates lists
	// the gates that differ, as for Rerun. Arrays that are still the memory of the earlier program are not looked at again.
	Reload(p, earlier *Program, gates []int32) (Runner, error)
}

// Runner is a resident program. Runs of one runner are serialised; Close waits for them.
type Runner interface {
	Run(ctx context.Context, j *Job) (*Result, error)
	// RunBatch runs jobs as if one after the other and stops at the first error. Presized jobs of a batch have memory of their own.
	RunBatch(ctx context.Context, jobs []*Job) ([]*Result, error)
	// Rerun gives the kept result that Run would give for a job with Keep, but runs only what differs from a kept result of an
	// earlier program (or of this one), from whatever runner; see Dirty. The earlier result stays valid; both share what did not
	// change. Variant Base only: who counts, counts anew the rows that Result.Work lists. ErrJob where an engine keeps no results
	// (package remote does not: the memory of each of its results is one of its own).
	Rerun(ctx context.Context, j *Job, prev *Result, d *Dirty) (*Result, error)
	Close() error
}

// TimeType is how an engine stores ticks.
type TimeType uint8

// The time types.
const (
	Time32 TimeType = iota
	Time16
)

// Key names a runner: equal keys, equal runners.
type Key struct {
	Program   string // Program.Hash
	Engine    string
	Kind      Kind
	Variant   Variant
	Observers string // Signature
	Time      TimeType
	Arch      string
	Template  uint32
}

// KeyFor is the key of the runner that a job needs.
func KeyFor(e Engine, program string, j *Job) Key {
	return Key{Program: program, Engine: e.Name(), Kind: j.Kind, Variant: j.Variant, Observers: Signature(j.Observers), Arch: runtime.GOARCH, Template: e.Template()}
}

// Hash is the hash of the program's image.
func (p *Program) Hash() string {
	h := sha256.Sum256(p.Image())
	return hex.EncodeToString(h[:])
}

// Registry keeps the most recently used runners by key. A runner in use is never closed.
type Registry struct {
	mu   sync.Mutex
	room int
	byK  map[Key]*entry
	lru  *list.List // of *entry, most recent first
}

type entry struct {
	key    Key
	elem   *list.Element // nil: dropped
	users  int
	built  chan struct{}
	runner Runner
	err    error
}

// NewRegistry makes a registry that keeps room unused runners beside those in use.
func NewRegistry(room int) *Registry {
	return &Registry{room: room, byK: map[Key]*entry{}, lru: list.New()}
}

// Get returns the runner of a key, building it when there is none; concurrent calls build once. The caller must call release
// when it no longer uses the runner, and must not close it.
func (r *Registry) Get(k Key, build func() (Runner, error)) (runner Runner, release func(), err error) {
	r.mu.Lock()
	e := r.byK[k]
	if e == nil {
		e = &entry{key: k, users: 1, built: make(chan struct{})}
		e.elem = r.lru.PushFront(e)
		r.byK[k] = e
		r.mu.Unlock()
		e.runner, e.err = build()
		close(e.built)
	} else {
		e.users++
		r.lru.MoveToFront(e.elem)
		r.mu.Unlock()
		<-e.built
	}
	if e.err != nil {
		r.release(e)
		return nil, nil, e.err
	}
	return e.runner, sync.OnceFunc(func() { r.release(e) }), nil
}

func (r *Registry) release(e *entry) {
	r.mu.Lock()
	e.users--
	if e.err != nil && e.elem != nil {
		r.drop(e)
	}
	r.trim(r.room, e)
}

// trim drops the oldest unused runners until no more than room are left, and unlocks. The entry last released may be
// dropped already, with its runner still to be closed.
func (r *Registry) trim(room int, last *entry) {
	var old []Runner
	if last != nil && last.elem == nil && last.users == 0 && last.runner != nil {
		old = append(old, last.runner)
		last.runner = nil
	}
	idle := 0
	for el := r.lru.Front(); el != nil; {
		e := el.Value.(*entry)
		el = el.Next()
		if e.users > 0 {
			continue
		}
		if idle++; idle > room {
			r.drop(e)
			old = append(old, e.runner)
			e.runner = nil
		}
	}
	r.mu.Unlock()
	for _, x := range old {
		x.Close()
	}
}

func (r *Registry) drop(e *entry) {
	r.lru.Remove(e.elem)
	e.elem = nil
	delete(r.byK, e.key)
}

// Close closes all unused runners now and those in use at their release.
func (r *Registry) Close() {
	r.mu.Lock()
	for el := r.lru.Front(); el != nil; {
		e := el.Value.(*entry)
		el = el.Next()
		if e.users > 0 {
			r.drop(e)
		}
	}
	r.trim(0, nil)
}
