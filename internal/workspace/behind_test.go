package workspace

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// gate lets a test hold whoever makes a snapshot.
type gate struct {
	begun, goOn chan struct{}
}

func held(t *testing.T) (p *Project, g *gate, edit func(delay string)) {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("..", "..", "examples", "mac"))); err != nil {
		t.Fatal(err)
	}
	g = &gate{begun: make(chan struct{}), goOn: make(chan struct{})}
	w := New(nil)
	p, _, _, err := w.Open(t.Context(), "", Choice{File: filepath.Join(dir, "wattd.toml")}, nil)
	if err != nil {
		t.Fatal(err)
	}
	w.building = func(ctx context.Context) {
		g.begun <- struct{}{}
		select {
		case <-g.goOn:
		case <-ctx.Done():
		}
	}
	sdf := filepath.Join(dir, "delays.sdf")
	b, err := os.ReadFile(sdf)
	if err != nil {
		t.Fatal(err)
	}
	return p, g, func(delay string) {
		s := strings.Replace(string(b), ":0.0", ":0."+delay, 40)
		if err := os.WriteFile(sdf+".new", []byte(s), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(sdf+".new", sdf); err != nil {
			t.Fatal(err)
		}
	}
}

type made struct {
	s   *Snapshot
	new bool
	err error
}

func async(f func(context.Context) (*Snapshot, bool, error), ctx context.Context) <-chan made {
	c := make(chan made, 1)
	go func() { s, n, err := f(ctx); c <- made{s, n, err} }()
	return c
}

func refresh(p *Project) func(context.Context) (*Snapshot, bool, error) {
	return func(ctx context.Context) (*Snapshot, bool, error) { return p.Refresh(ctx, 0) }
}

// TestSupersede: work in the background ends when it is superseded, and nothing of it is seen; a snapshot that is pinned stays.
func TestSupersede(t *testing.T) {
	p, g, edit := held(t)
	if p.Supersede() {
		t.Error("superseded though nothing is under way")
	}
	edit("1")
	look := async(p.Look, t.Context())
	<-g.begun
	if !p.Supersede() {
		t.Error("not superseded")
	}
	if m := <-look; !errors.Is(m.err, context.Canceled) {
		t.Errorf("%+v", m)
	}
	if s := p.Current(); s.N != 1 {
		t.Errorf("snapshot %d", s.N)
	}
	if s, err := p.Pinned(1); err != nil || s.N != 1 {
		t.Error(err)
	}
	edit("2")
	look = async(p.Look, t.Context())
	<-g.begun
	g.goOn <- struct{}{}
	if m := <-look; m.err != nil || !m.new || m.s.N != 2 || p.Supersede() {
		t.Errorf("%+v", m)
	}
}

// TestExplicitIsNotSuperseded: neither a request that makes a snapshot, nor the work in the background that one waits for.
func TestExplicitIsNotSuperseded(t *testing.T) {
	p, g, edit := held(t)
	edit("1")
	look := async(p.Look, t.Context())
	<-g.begun
	query := async(refresh(p), t.Context())
	for waiting := 0; waiting == 0; {
		p.mu.Lock()
		waiting = p.waiting
		p.mu.Unlock()
	}
	if p.Supersede() {
		t.Error("superseded though a request waits")
	}
	g.goOn <- struct{}{}
	if m := <-look; m.err != nil || m.s.N != 2 {
		t.Errorf("%+v", m)
	}
	if m := <-query; m.err != nil || m.new || m.s.N != 2 {
		t.Errorf("the request: %+v", m)
	}
	edit("2")
	query = async(refresh(p), t.Context())
	<-g.begun
	if p.Supersede() {
		t.Error("superseded a request")
	}
	g.goOn <- struct{}{}
	if m := <-query; m.err != nil || !m.new || m.s.N != 3 {
		t.Errorf("%+v", m)
	}
}
