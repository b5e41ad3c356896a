package main

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	"github.com/wattd/wattd/internal/synth"
	"github.com/wattd/wattd/internal/workspace"
)

// edit is a change of one file of a synthetic design, in the middle where nothing else is said.
type edit struct {
	name, file string
	change     func(text []byte) []byte
}

var edits = []edit{
	{"comment in the netlist", "netlist.v", func(t []byte) []byte {
		at := line(t, len(t)/2, "  INV_1 ")
		return splice(t, at, at, "  // looked at\n")
	}},
	{"cell swapped", "netlist.v", func(t []byte) []byte {
		at := line(t, len(t)*2/3, "  NAND2_1 ") + len("  N")
		return splice(t, at, at+len("AND2_1"), "OR2_1")
	}},
	{"instance inserted at the front", "netlist.v", func(t []byte) []byte {
		at := line(t, 0, "  CLKBUF_4 ")
		return splice(t, at, at, "  INV_1 spare_of_the_bench (.A(in[0]), .Y(spare_of_the_bench_y));\n")
	}},
	{"delay of an arc", "delays.sdf", func(t []byte) []byte {
		at := bytes.LastIndex(t, []byte("(IOPATH"))
		at += bytes.IndexByte(t[at+1:], '(') + 2
		return splice(t, at, at, "1")
	}},
	{"delay of a wire", "delays.sdf", func(t []byte) []byte {
		at := bytes.LastIndex(t, []byte("(INTERCONNECT"))
		at += bytes.IndexByte(t[at+1:], '(') + 2
		return splice(t, at, at, "1")
	}},
}

// shares measures edits without files, of 1, 16, 256 gates and so on, against a full re-run: at a share s of the (gate, window) pairs
// an edit should be 0.5/s times as fast.
func (b *bench) shares() error {
	b.printf("\n## Edits of the resident design\n\nDelays of some gates scaled by a what-if edit: from the edit to the new counts. A full re-run simulates and counts the resident design.\n\n")
	b.printf("| gates | edited | ms | share of pairs | full re-run ms | faster | of 1/share |\n|---|---|---|---|---|---|---|\n")
	for _, gates := range b.size.edits {
		if err := b.sharesOf(gates); err != nil {
			return err
		}
	}
	return nil
}

// resident opens a synthetic design and tells how long a full re-run of it takes, in seconds.
func (b *bench) resident(dir string, gates int) (p *workspace.Project, s *workspace.Snapshot, full float64, err error) {
	if err := writeDesign(dir, synth.New(synth.Params{Gates: gates, Cycles: b.size.cycles, Seed: 1})); err != nil {
		return nil, nil, 0, err
	}
	if p, s, _, err = workspace.New(nil).Open(b.ctx, "", workspace.Choice{Over: designConfig(dir)}, nil); err != nil {
		return nil, nil, 0, err
	}
	for _, ph := range s.Session.Phases {
		if ph.Name == "simulate" || ph.Name == "count" {
			full += ph.Secs
		}
	}
	return p, s, full, nil
}

func (b *bench) sharesOf(gates int) error {
	dir := filepath.Join(b.tmp, fmt.Sprintf("shares-%d", gates))
	defer os.RemoveAll(dir)
	p, s, full, err := b.resident(dir, gates)
	if err != nil {
		return err
	}
	order := s.Session.Design.Program.Order
	r := rand.New(rand.NewPCG(1, 1))
	for n := 1; n <= len(order)/16; n *= 16 {
		var edits []workspace.Edit
		for range n {
			g := s.Session.Design.Gates[order[r.IntN(len(order))]]
			edits = append(edits, workspace.Edit{Do: "scaleDelay", Instance: s.Session.Netlist.InstPath(g.Inst, '/'), Factor: 1.5})
		}
		start := time.Now()
		t, err := p.NewOverlay(s).Apply(b.ctx, edits)
		if err != nil {
			return err
		}
		took := time.Since(start).Seconds()
		w := &t.Session.Work
		share := float64(w.PairsRun) / float64(w.PairsTotal)
		b.printf("| %d | %d | %.1f | %.3f %% | %.0f | %.1fx | %.2f |\n", gates, n, took*1e3, 100*share, full*1e3, full/took, full/took*share)
	}
	return nil
}

// line finds the first line at or behind an offset that begins with a text.
func line(t []byte, from int, begin string) int {
	i := bytes.Index(t[from:], []byte("\n"+begin))
	if i < 0 {
		return len(t)
	}
	return from + i + 1
}

func splice(t []byte, from, to int, put string) []byte {
	return append(append(append(make([]byte, 0, len(t)+len(put)), t[:from]...), put...), t[to:]...)
}

// edits measures what an edit of a file costs an open design, from the look at the files to the new counts.
func (b *bench) edits() error {
	b.printf("\n## Edits of files\n\nOf an open design: the time from the look at the files to the new counts, with what was parsed, compiled and run. A full\nre-run simulates and counts the resident design.\n\n")
	b.printf("| gates | edit | ms | parsed kB | gates compiled | pairs run | of | full re-run ms |\n|---|---|---|---|---|---|---|---|\n")
	for _, gates := range b.size.edits {
		if err := b.editsOf(gates); err != nil {
			return err
		}
	}
	return nil
}

func (b *bench) editsOf(gates int) error {
	dir := filepath.Join(b.tmp, fmt.Sprintf("edits-%d", gates))
	defer os.RemoveAll(dir)
	p, _, full, err := b.resident(dir, gates)
	if err != nil {
		return err
	}
	for _, e := range edits {
		path := filepath.Join(dir, e.file)
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		now := e.change(text)
		if err := os.WriteFile(path, now, 0o644); err != nil {
			return err
		}
		start := time.Now()
		s, made, err := p.Refresh(b.ctx, 0)
		if err == nil && !made {
			err = errors.New("the edit was not seen")
		}
		if err != nil {
			return fmt.Errorf("edit %s: %w", e.name, err)
		}
		w := &s.Session.Work
		b.printf("| %d | %s | %.1f | %.1f | %d | %d | %d | %.0f |\n", gates, e.name, time.Since(start).Seconds()*1e3, float64(w.BytesParsed)/1e3,
			w.GatesCompiled, w.PairsRun, w.PairsTotal, full*1e3)
	}
	return nil
}
