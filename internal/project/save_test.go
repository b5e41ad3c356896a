package project_test

import (
	"math/rand/v2"
	"testing"

	"github.com/wattd/wattd/internal/image"
	"github.com/wattd/wattd/internal/project"
)

// again is a session that went through its images.
func again(t *testing.T, s *project.Session, withWaves bool) *project.Session {
	t.Helper()
	a, b, err := s.Save()
	if err != nil {
		t.Fatal(err)
	}
	var waves *image.Block
	if withWaves {
		waves = image.NewBlock(b.Bytes())
	}
	l, err := project.LoadSession(image.NewBlock(a.Bytes()), waves)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestLoadedSessionsGoOn(t *testing.T) {
	for seed := range uint64(4) {
		f := newFiles(t, seed)
		r := rand.New(rand.NewPCG(seed, 5))
		s := f.run(t, nil)
		for step := range 5 {
			l := again(t, s, step != 3)
			if !l.Fresh(t.Context()) {
				t.Fatal("the files are not taken as those that were read")
			}
			if step != 3 { // else the waves are gone: all runs again
				same(t, l, s)
			}
			what := f.edit(t, r)
			got := f.run(t, l)
			same(t, got, f.run(t, nil))
			if w := got.Work; what == "comment" && step != 3 && w.PairsRun != 0 {
				t.Errorf("step %d: %d pairs run for a comment", step, w.PairsRun)
			}
			s = got
		}
	}
}

// same compares the counts and waves of all nets.
func same(t *testing.T, a, b *project.Session) {
	t.Helper()
	got, want := events(a), events(b)
	for name, x := range want {
		if got[name] != x {
			t.Fatalf("net %s\n got %s\nwant %s", name, got[name], x)
		}
	}
	if len(got) != len(want) {
		t.Fatalf("%d nets, want %d", len(got), len(want))
	}
}
