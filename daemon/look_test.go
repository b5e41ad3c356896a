package daemon

import (
	"context"
	"io"
	"log/slog"
	"testing"

	"github.com/wattd/wattd/internal/workspace"
	"github.com/wattd/wattd/watch"
)

// slow is a design whose snapshots are made when the test says so.
type slow struct {
	name    string
	needed  bool       // a request waits for what is being made
	begun   chan error // what ends the making: nil, or that it was superseded
	results chan error
	stop    func()
}

func newSlow(name string) *slow {
	return &slow{name: name, begun: make(chan error), results: make(chan error, 1), stop: func() {}}
}

func (s *slow) Name() string    { return s.name }
func (s *slow) Paths() []string { return []string{"/" + s.name} }
func (s *slow) Watched() bool   { return true }

func (s *slow) Look(ctx context.Context) (*workspace.Snapshot, bool, error) {
	ctx, s.stop = context.WithCancel(ctx)
	defer s.stop()
	s.begun <- nil
	select {
	case err := <-s.results:
		return nil, false, err
	case <-ctx.Done():
		return nil, false, ctx.Err()
	}
}

func (s *slow) Supersede() bool {
	if s.needed {
		return false
	}
	s.stop()
	return true
}

// TestSuperseded: files that change again while a snapshot is being made end that, a bounded number of times, and only for their design.
func TestSuperseded(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	a, b := newSlow("a"), newSlow("b")
	l := newLooking(nil, slog.New(slog.NewTextHandler(io.Discard, nil)))
	open := []design{a, b}
	l.list = func() []design { return open }
	change := func(paths ...string) { l.heard(ctx, watch.Change{Paths: paths}) }
	ended := func() *task { tk := <-l.ended; l.end(ctx, tk); return tk }

	change("/a", "/b")
	<-a.begun
	<-b.begun
	for i := range maxSuperseded {
		change("/a")
		change("/a") // once more before it has ended
		if tk := ended(); tk.d != design(a) || !tk.givenUp || tk.superseded != i {
			t.Fatalf("%d: %+v", i, tk)
		}
		<-a.begun
	}
	change("/a") // the fourth is let finish
	if tk := l.tasks[design(a)]; tk.givenUp || !tk.again {
		t.Fatalf("%+v", tk)
	}
	a.results <- nil
	ended()
	<-a.begun // and followed by one of the newest files, which may be superseded again
	change("/a")
	if tk := ended(); !tk.givenUp || tk.superseded != 0 {
		t.Errorf("%+v", tk)
	}
	<-a.begun
	a.needed = true
	change("/a") // not while a request waits for it
	if tk := l.tasks[design(a)]; tk.givenUp || !tk.again {
		t.Errorf("%+v", tk)
	}
	a.results <- nil
	ended()
	<-a.begun
	a.results <- nil
	if tk := ended(); tk.again || l.tasks[design(a)] != nil {
		t.Errorf("%+v", tk)
	}
	if tk := l.tasks[design(b)]; tk == nil || tk.givenUp || tk.again {
		t.Errorf("the other design: %+v", tk)
	}
	change("/b")
	open = nil // closed
	ended()
	if len(l.tasks) != 0 {
		t.Errorf("%d tasks of closed designs", len(l.tasks))
	}
	cancel()
	l.work.Wait()
}
