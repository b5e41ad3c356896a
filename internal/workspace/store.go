package workspace

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"io"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/wattd/wattd/cache"
	"github.com/wattd/wattd/internal/image"
	"github.com/wattd/wattd/internal/project"
)

const (
	// leastWork is what must have been done for a snapshot for it to be written.
	leastWork = 20 * time.Millisecond
	// restAfter is how many times as long as it wrote the writer rests, so that one edit after another does not keep the disk busy.
	restAfter = 4
)

// StoreOptions of a Store. The zero value keeps nothing.
type StoreOptions struct {
	Dir   string        // of the cache; "": nothing is kept
	Least time.Duration // work below which a snapshot is not worth writing; 0: 20 ms
	Log   *slog.Logger  // nil: nothing is logged
}

// Store keeps the newest snapshot of each configuration on disk, so that another process opens the design without compiling it. What it
// finds is only what the first snapshot continues: files and choices are compared with it like with any earlier snapshot, so a
// design may have changed in between, and whatever is damaged, of another program or not there only means a cold start.
type Store struct {
	opt    StoreOptions
	opened chan struct{}
	cache  *cache.Store       // once opened; nil: none
	cancel context.CancelFunc // of what is written
	ctx    context.Context
	hurry  chan struct{} // closed when the store is being closed
	wg     sync.WaitGroup

	mu      sync.Mutex
	waiting map[cache.Key]*written
	order   []cache.Key // of those waiting
	writing bool
	closed  bool
	rest    time.Time // the writer rests until then
}

// written is a snapshot to be written.
type written struct {
	session *project.Session
	env     map[string]*string
}

// place is the entry of a configuration: where the images are, and the variables that its files named.
type place struct {
	Session, Waves cache.Key
	HasWaves       bool
	Env            map[string]*string // nil: not set
}

// OpenStore opens a store in the background; who needs it before it is open waits.
func OpenStore(opt StoreOptions) *Store {
	if opt.Least == 0 {
		opt.Least = leastWork
	}
	if opt.Log == nil {
		opt.Log = slog.New(slog.DiscardHandler)
	}
	s := &Store{opt: opt, opened: make(chan struct{}), hurry: make(chan struct{}), waiting: map[cache.Key]*written{}}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	s.wg.Go(func() {
		defer close(s.opened)
		c, err := cache.Open(s.ctx, opt.Dir, cache.Options{Log: opt.Log})
		if err != nil {
			opt.Log.Warn("no cache", "err", err)
			return
		}
		s.cache = c
		if c.Stats().MemoryOnly == "" {
			program() // read here, before a request needs it
		}
	})
	return s
}

// Close writes what waits, until ctx ends, and closes the store. Nothing of it runs afterwards.
func (s *Store) Close(ctx context.Context) error {
	s.mu.Lock()
	if !s.closed {
		s.closed = true
		close(s.hurry)
	}
	s.mu.Unlock()
	stop := context.AfterFunc(ctx, s.cancel)
	s.wg.Wait()
	stop()
	s.cancel()
	if s.cache == nil {
		return nil
	}
	return s.cache.Close()
}

// disk is the cache when it is open and on disk.
func (s *Store) disk(ctx context.Context) *cache.Store {
	select {
	case <-s.opened:
	case <-ctx.Done():
		return nil
	}
	if s.cache == nil || s.cache.Stats().MemoryOnly != "" {
		return nil
	}
	return s.cache
}

// Stats tells what the cache holds; ok is false when there is none.
func (s *Store) Stats(ctx context.Context) (st cache.Stats, ok bool) {
	select {
	case <-s.opened:
	case <-ctx.Done():
		return st, false
	}
	if s.cache == nil {
		return st, false
	}
	return s.cache.Stats(), true
}

// Clear removes what is kept.
func (s *Store) Clear(ctx context.Context) error {
	select {
	case <-s.opened:
	case <-ctx.Done():
		return ctx.Err()
	}
	if s.cache == nil {
		return nil
	}
	return s.cache.Clear(ctx)
}

// program stands for the running program: one that computes otherwise must not find what this one left.
var program = sync.OnceValues(func() ([]byte, error) {
	f, err := os.Open("/proc/self/exe") // the one that runs, even when it was replaced
	if err != nil {
		path, err := os.Executable()
		if err != nil {
			return nil, err
		}
		if f, err = os.Open(path); err != nil {
			return nil, err
		}
	}
	defer f.Close()
	text, err := io.ReadAll(f)
	k := cache.KeyOf("program", text)
	return k[:], err
})

// key names what is kept for the configuration of a recipe.
func (r *recipe) key() (cache.Key, error) {
	prog, err := program()
	if err != nil {
		return cache.Key{}, err
	}
	layout, err := project.Layout()
	if err != nil {
		return cache.Key{}, err
	}
	text, err := json.Marshal(&r.cfg) // but what surrounds it
	if err != nil {
		return cache.Key{}, err
	}
	return cache.KeyOf("session", prog, layout[:], text, []byte(r.env.Dir)), nil
}

// load returns the session that was kept for a recipe, nil when there is none that can be used.
func (s *Store) load(ctx context.Context, r *recipe) *project.Session {
	if s == nil {
		return nil
	}
	c := s.disk(ctx)
	if c == nil {
		return nil
	}
	key, err := r.key()
	if err != nil {
		s.opt.Log.Warn("no warm start", "err", err)
		return nil
	}
	at, ok := placeOf(c, key)
	if !ok || !r.env.agrees(at.Env) {
		return nil
	}
	var session, waves *image.Block
	var wg sync.WaitGroup
	wg.Go(func() { session = block(c, at.Session) })
	if at.HasWaves {
		wg.Go(func() { waves = block(c, at.Waves) })
	}
	wg.Wait()
	if session == nil || at.HasWaves && waves == nil {
		return nil
	}
	sess, err := project.LoadSession(session, waves)
	if err != nil {
		s.opt.Log.Warn("an image of a design cannot be read", "err", err)
		return nil
	}
	return sess
}

func placeOf(c *cache.Store, key cache.Key) (at place, ok bool) {
	text, ok := c.Get(key)
	return at, ok && json.Unmarshal(text, &at) == nil
}

func block(c *cache.Store, key cache.Key) *image.Block {
	data, release, ok := c.MapBlob(key)
	if !ok {
		return nil
	}
	defer release()
	return image.NewBlock(data)
}

// keep has a session written that took a while to make. It must be called by who builds, and does not wait.
func (s *Store) keep(r *recipe, sess *project.Session, took time.Duration) {
	if s == nil || took < s.opt.Least {
		return
	}
	if w := &sess.Work; w.BytesParsed == 0 && w.GatesCompiled == 0 && w.PairsRun == 0 {
		return // as it was read
	}
	key, err := r.key()
	if err != nil {
		s.opt.Log.Warn("a design is not kept", "err", err)
		return
	}
	x := &written{session: sess.Still(), env: r.env.values()}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return
	}
	if s.waiting[key] == nil {
		s.order = append(s.order, key)
	}
	s.waiting[key] = x
	if !s.writing {
		s.writing = true
		s.wg.Go(s.write)
	}
}

// write writes what waits, one after another.
func (s *Store) write() {
	for {
		s.mu.Lock()
		rest := time.NewTimer(time.Until(s.rest))
		s.mu.Unlock()
		select {
		case <-rest.C:
		case <-s.hurry:
			rest.Stop()
		}
		s.mu.Lock()
		if len(s.order) == 0 || s.ctx.Err() != nil {
			s.writing = false
			s.mu.Unlock()
			return
		}
		key := s.order[0]
		x := s.waiting[key]
		s.order = s.order[1:]
		delete(s.waiting, key)
		s.mu.Unlock()

		began := time.Now()
		if err := s.put(key, x); err != nil {
			s.opt.Log.Warn("a design is not kept", "err", err)
		}
		s.mu.Lock()
		s.rest = time.Now().Add(restAfter * time.Since(began))
		if len(s.order) == 0 {
			s.writing = false
			s.mu.Unlock()
			return
		}
		s.mu.Unlock()
	}
}

// put writes the images of a session, then where they are, and removes those that were there before.
func (s *Store) put(key cache.Key, x *written) error {
	c := s.disk(s.ctx)
	if c == nil {
		return s.ctx.Err()
	}
	session, waves, err := x.session.Save()
	if err != nil {
		return err
	}
	var id [16]byte
	_, _ = rand.Read(id[:]) // never fails
	at := place{Session: cache.KeyOf("session image", id[:]), Waves: cache.KeyOf("waves image", id[:]), HasWaves: waves != nil, Env: x.env}
	if err := c.PutBlob(at.Session, &until{s.ctx, session}); err != nil {
		return err
	}
	if waves != nil {
		if err := c.PutBlob(at.Waves, &until{s.ctx, waves}); err != nil {
			c.Delete(at.Session)
			return err
		}
	}
	text, err := json.Marshal(&at)
	if err != nil {
		return err
	}
	old, had := placeOf(c, key)
	c.Delete(key)
	c.Put(key, text)
	if had {
		c.Delete(old.Session)
		c.Delete(old.Waves)
	}
	return nil
}

// until is an image that is written until a context ends.
type until struct {
	ctx context.Context
	to  io.WriterTo
}

func (u *until) WriteTo(w io.Writer) (int64, error) { return u.to.WriteTo(&untilWriter{u.ctx, w}) }

type untilWriter struct {
	ctx context.Context
	w   io.Writer
}

func (u *untilWriter) Write(p []byte) (int, error) {
	if err := u.ctx.Err(); err != nil {
		return 0, err
	}
	return u.w.Write(p)
}
