package kernel

import (
	"fmt"
	"slices"
)

// Row is the directory entry of one (net, window): where its events lie, how many, the value at the start of the window
// (before the changes stamped at it) and the pulses that were filtered there.
type Row struct {
	Off  uint64 // slab << 32 | first event
	N    uint32 // count << 1 | start value
	Filt uint16 // pulses filtered in the window, or FiltEscape
	Eval uint16 // kept results: evaluations of the net's gate in the window, or FiltEscape; else 0
}

// FiltEscape in Row.Filt says that the number is in Waves.Over, of a kept result in the Side of the row; so for Row.Eval.
const FiltEscape = 1<<16 - 1

// Over is a number of filtered pulses that does not fit in a Row.
type Over struct {
	Row   int64 // net * windows + window
	Count int64
}

// Waves are the waveforms of all nets, net by net and window by window. An event is a tick relative to the start of its
// window; the value toggles there. Ticks of a row are strictly increasing; a row lies in one slab.
//
// The rows of a plain result are one table, Rows. Those of a kept result (Job.Keep) are found through Dir, so that a later
// result shares what did not change: it has a Dir of its own, the slabs of the earlier one and some more. Slabs never change
// once a result is out.
type Waves struct {
	Cuts  []int64
	Rows  []Row     // net * windows + window; nil when kept
	Over  []Over    // by Row; nil when kept
	Slabs [][]int32 // event memory

	Dir        []uint64  // per net, slab of BlockSlabs << 32 | first of its Blocks() blocks; nil unless kept
	BlockSlabs [][]Block // by window / BlockRows
	RowSlabs   [][]Row
	Sides      [][]uint32 // see Side

	added int64 // bytes of slabs that reruns added since the last run or Compact
}

// Windows is the number of windows.
func (w *Waves) Windows() int { return len(w.Cuts) - 1 }

// Nets is the number of nets.
func (w *Waves) Nets() int {
	if w.Dir != nil {
		return len(w.Dir)
	}
	return len(w.Rows) / w.Windows()
}

// At is the row of a net and window.
func (w *Waves) At(net int32, window int) *Row {
	if w.Dir == nil {
		return &w.Rows[int(net)*w.Windows()+window]
	}
	at := w.block(net, window/BlockRows).Row
	return &w.RowSlabs[at>>32][int(uint32(at))+window%BlockRows]
}

// Row gives the value of a net at the start of a window and its events there, relative to Cuts[window].
func (w *Waves) Row(net int32, window int) (start bool, ticks []int32) {
	r := w.At(net, window)
	return r.N&1 != 0, w.Events(r)
}

// Events are the events of a row.
func (w *Waves) Events(r *Row) []int32 {
	n := r.N >> 1
	if n == 0 {
		return nil
	}
	at := uint32(r.Off)
	return w.Slabs[r.Off>>32][at : at+n : at+n]
}

// StartValue is the value of a net at the start of the run.
func (w *Waves) StartValue(net int32) bool { return w.At(net, 0).N&1 != 0 }

// Count is the number of events of a net.
func (w *Waves) Count(net int32) int64 {
	n := int64(0)
	for k := range w.Windows() {
		n += int64(w.At(net, k).N >> 1)
	}
	return n
}

// Filtered is the number of pulses of a net that were filtered in a window.
func (w *Waves) Filtered(net int32, window int) int64 {
	if n := w.At(net, window).Filt; n != FiltEscape {
		return int64(n)
	}
	if w.Dir != nil {
		s := w.Side(net, window)
		return int64(s.Filtered)
	}
	i := int64(net)*int64(w.Windows()) + int64(window)
	k, ok := slices.BinarySearchFunc(w.Over, i, func(o Over, row int64) int { return int(min(1, max(-1, o.Row-row))) })
	if !ok {
		return FiltEscape
	}
	return w.Over[k].Count
}

// Each calls f with every event of a net, in absolute ticks, and the value from there on.
func (w *Waves) Each(net int32, f func(tick int64, value bool)) {
	v := w.StartValue(net)
	for k := range w.Windows() {
		_, ticks := w.Row(net, k)
		for _, t := range ticks {
			v = !v
			f(w.Cuts[k]+int64(t), v)
		}
	}
}

// Size is the number of bytes that the waves hold.
func (w *Waves) Size() int64 {
	n := int64(8*len(w.Cuts) + 16*len(w.Rows) + 16*len(w.Over) + 8*len(w.Dir))
	for _, s := range w.Slabs {
		n += 4 * int64(cap(s))
	}
	for _, s := range w.BlockSlabs {
		n += 16 * int64(cap(s))
	}
	for _, s := range w.RowSlabs {
		n += 16 * int64(cap(s))
	}
	for _, s := range w.Sides {
		n += 4 * int64(cap(s))
	}
	return n
}

// Diff describes the first net whose start value, events or number of filtered pulses differ between two runs over the same
// time, whatever their windows; "" when there is none.
func Diff(a, b *Waves) string {
	if a.Nets() != b.Nets() || a.Cuts[0] != b.Cuts[0] || a.Cuts[a.Windows()] != b.Cuts[b.Windows()] {
		return "other nets or another time"
	}
	var ta, tb []int64
	for n := range int32(a.Nets()) {
		if a.StartValue(n) != b.StartValue(n) {
			return fmt.Sprintf("net %d starts at %v and %v", n, a.StartValue(n), b.StartValue(n))
		}
		ta, tb = ta[:0], tb[:0]
		a.Each(n, func(t int64, _ bool) { ta = append(ta, t) })
		b.Each(n, func(t int64, _ bool) { tb = append(tb, t) })
		for i := range max(len(ta), len(tb)) {
			if i >= len(ta) || i >= len(tb) || ta[i] != tb[i] {
				return fmt.Sprintf("net %d differs from event %d on: %v and %v", n, i, head(ta[min(i, len(ta)):]), head(tb[min(i, len(tb)):]))
			}
		}
		fa, fb := int64(0), int64(0)
		for k := range a.Windows() {
			fa += a.Filtered(n, k)
		}
		for k := range b.Windows() {
			fb += b.Filtered(n, k)
		}
		if fa != fb {
			return fmt.Sprintf("net %d has %d and %d filtered pulses", n, fa, fb)
		}
	}
	return ""
}

func head(t []int64) []int64 { return t[:min(len(t), 5)] }
