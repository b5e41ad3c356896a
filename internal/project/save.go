package project

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"sync"

	"github.com/wattd/wattd/internal/image"
	"github.com/wattd/wattd/internal/sim"
	"github.com/wattd/wattd/kernel"
)

// Images of a complete session: all but its waves, which are large and which few questions need, and these by themselves.

// kept is the image of the waves of the parts of a run.
type kept struct {
	Waves []*kernel.Waves
}

var schemas = sync.OnceValues(func() ([2]*image.Schema, error) {
	a, err := image.NewSchema(reflect.TypeFor[Session]())
	b, err2 := image.NewSchema(reflect.TypeFor[kept]())
	return [2]*image.Schema{a, b}, errors.Join(err, err2)
})

// Layout stands for the types that images are made of: an image of another layout is not read.
func Layout() ([32]byte, error) {
	s, err := schemas()
	if err != nil {
		return [32]byte{}, err
	}
	h := s[0].Hash()
	for i, b := range s[1].Hash() {
		h[i] ^= b
	}
	return h, nil
}

// Still is what Save takes of a session that is complete and detached. It shares all that is large with it, and comparing the files
// of the session, which changes them, does not disturb it.
func (s *Session) Still() *Session {
	c := *s
	c.Files, c.touched, c.changed = slices.Clone(s.Files), nil, nil
	c.stages = map[string]*stage{}
	same := map[*stage]*stage{}
	var copyOf func(st *stage) *stage
	copyOf = func(st *stage) *stage {
		if st == nil {
			return nil
		}
		if same[st] == nil {
			x := *st
			x.files = slices.Clone(st.files)
			same[st] = &x
			x.above = copyOf(st.above)
		}
		return same[st]
	}
	for name, st := range s.stages {
		c.stages[name] = copyOf(st)
	}
	return &c
}

// Save makes the images of a complete session, which must not change until they are written: of a Still one where others look at its
// files. waves is nil for a session that ran nothing.
func (s *Session) Save() (session, waves *image.Image, err error) {
	schema, err := schemas()
	if err != nil {
		return nil, nil, err
	}
	c := s.Still()
	var w kept
	c.results = nil
	for _, r := range s.results {
		c.results = append(c.results, bare(r))
		w.Waves = append(w.Waves, r.Waves)
	}
	if c.Result != nil {
		c.Result = c.results[0]
	}
	if session, err = schema[0].New(c); err == nil && len(w.Waves) > 0 {
		waves, err = schema[1].New(&w)
	}
	return session, waves, err
}

// bare is a result without its waves.
func bare(r *sim.Result) *sim.Result {
	x, k := *r, *r.Result
	k.Waves = nil
	x.Result = &k
	return &x
}

// LoadSession reads a session from its images. Without those of its waves it can be asked for what does not need them, and one that
// continues it simulates everything.
func LoadSession(session, waves *image.Block) (*Session, error) {
	schema, err := schemas()
	if err != nil {
		return nil, err
	}
	s := &Session{}
	if err := schema[0].Read(session, s); err != nil {
		return nil, err
	}
	if s.names == nil || s.Netlist == nil || s.Design == nil || s.Bag == nil {
		return nil, fmt.Errorf("%w: the session is not complete", image.ErrImage)
	}
	if s.opt, err = s.Config.choices(); err != nil {
		return nil, err
	}
	s.names.Rehash()
	if s.Netlist.Names != s.names {
		s.Netlist.Names.Rehash()
	}
	if waves != nil {
		if err := s.loadWaves(schema[1], waves); err != nil {
			return nil, err
		}
	}
	return s, nil
}

func (s *Session) loadWaves(schema *image.Schema, b *image.Block) error {
	var w kept
	if err := schema.Read(b, &w); err != nil {
		return err
	}
	if len(w.Waves) != len(s.results) {
		return fmt.Errorf("%w: waves of %d parts, not %d", image.ErrImage, len(w.Waves), len(s.results))
	}
	for i, r := range s.results {
		r.Waves = w.Waves[i]
	}
	return nil
}
