package host

import (
	"fmt"

	"github.com/wattd/wattd/kernel"
)

// recorder collects what a kept run holds of the pairs of a block beside their rows.
type recorder struct {
	sides []uint32 // of the block at hand, see kernel.Side
	held  []uint32 // of the pair at hand
	out   bump[uint32]
}

func (c *recorder) reset() { c.out = bump[uint32]{next: 1 << 10} }

// keep makes the directory of a kept result.
func (res *result) keep(p *kernel.Program, j *kernel.Job) error {
	w := &res.waves
	if int64(len(w.Rows)) >= 1<<32 {
		return fmt.Errorf("%w: %d rows are too many to keep", kernel.ErrMemory, len(w.Rows))
	}
	res.Kept = keptOf(p, j, kernel.NewReaders(p))
	w.RowSlabs, w.Sides = [][]kernel.Row{w.Rows}, [][]uint32{{0}}
	blocks := w.Blocks()
	w.Dir = make([]uint64, p.NNet)
	all := make([]kernel.Block, int(p.NNet)*blocks)
	w.BlockSlabs = [][]kernel.Block{all}
	for n := range w.Dir {
		w.Dir[n] = uint64(n * blocks)
		for b := range blocks {
			all[n*blocks+b].Row = uint64(n*w.Windows() + b*kernel.BlockRows)
		}
	}
	return nil
}

func keptOf(p *kernel.Program, j *kernel.Job, readers *kernel.Readers) *kernel.Kept {
	job := *j
	job.Progress = nil
	return &kernel.Kept{Program: p, Job: &job, Readers: readers}
}

// keep records the pair just committed; at the end of a block, the block.
func (k *worker) keep() {
	k.describe()
	c := &k.record
	c.sides = k.pair.Append(c.sides, k.window)
	k.clearPair()
	if k.window%kernel.BlockRows == kernel.BlockRows-1 || k.window == k.run.windows-1 {
		if len(c.sides) > 0 {
			w := &k.run.res.waves
			w.BlockSlabs[0][w.Dir[k.net]+uint64(k.window/kernel.BlockRows)].Side = k.file(c.sides)
			c.sides = c.sides[:0]
		}
	}
}

// file stores the sides of a block.
func (k *worker) file(sides []uint32) uint64 {
	words, at := take(k.run, &k.record.out, &k.run.res.waves.Sides, 1+len(sides))
	words[0] = uint32(len(sides))
	copy(words[1:], sides)
	return at
}

// describe completes the side of the pair at hand by what exceeds its row and by the hand-over state at its end.
func (k *worker) describe() {
	s := &k.pair
	s.Filtered, s.Evaluations, s.Bits = 0, 0, 0
	if k.nDrop >= kernel.FiltEscape {
		s.Filtered = uint32(k.nDrop)
	}
	if k.evals >= kernel.FiltEscape {
		s.Evaluations = uint32(k.evals)
	}
	if n := k.fn.NBit; n > 0 {
		s.Bits = uint32(k.state >> k.nIn & (1<<n - 1))
	}
	held := k.record.held[:0]
	for i, n := range k.held[:k.nIn] {
		if n > 0 {
			held = pendingOf(held, i, k.list[i][1:1+n])
		}
	}
	if k.heldOut > 0 {
		held = pendingOf(held, kernel.HeldOut, k.out[1:1+k.heldOut])
	}
	k.record.held, s.Held = held, held
}

func pendingOf(held []uint32, list int, ticks []int32) []uint32 {
	held = append(held, uint32(list), uint32(len(ticks)))
	for _, t := range ticks {
		held = append(held, uint32(t))
	}
	return held
}

func (k *worker) clearPair() { k.pair = kernel.Side{Wire: k.pair.Wire[:0]} }

// bump hands out pieces of slabs that all workers of a run list together; a piece is named slab<<32 | first.
type bump[T any] struct {
	slab []T
	off  uint64
	pos  int
	next int // size of the next slab
}

const maxBump = 1 << 20 // entries of a slab, if a piece needs no more

func take[T any](r *run, b *bump[T], slabs *[][]T, n int) ([]T, uint64) {
	if n > len(b.slab)-b.pos {
		size := max(b.next, n)
		b.next = min(2*b.next, maxBump)
		b.slab, b.pos = make([]T, size), 0
		r.mu.Lock()
		b.off = uint64(len(*slabs)) << 32
		*slabs = append(*slabs, b.slab)
		r.added += int64(len(viewBytes(b.slab)))
		r.mu.Unlock()
	}
	at := b.pos
	b.pos += n
	return b.slab[at:b.pos:b.pos], b.off + uint64(at)
}
