package wave

import (
	"fmt"
	"slices"

	"github.com/wattd/wattd/internal/design"
)

// Replacement is what a source does instead of what the dump says of it.
type Replacement struct {
	Net    int32
	Do     Do
	Toggle float64 // DoToggle: chance to change at the beginning of a cycle
	Like   int32   // DoLike: the source whose values are taken
}

// Do is a kind of replacement.
type Do uint8

// The kinds.
const (
	DoHold   Do = iota // the value at the start of the run throughout
	DoZero             // 0
	DoOne              // 1
	DoToggle           // starts with its value, then as Options.Unmapped toggles sources
	DoLike             // the values of another source
)

// NoSourceError says that a net has no values of its own.
type NoSourceError struct{ Net int32 }

func (e *NoSourceError) Error() string {
	return fmt.Sprintf("net %d is not a source with values", e.Net)
}

// Replace gives a stimulus in which one source does something else; s stays as it is. opt are the options that s was made with.
func (s *Stimulus) Replace(d *design.Design, r Replacement, opt Options) (*Stimulus, error) {
	at := s.place(r.Net)
	if at < 0 {
		return nil, &NoSourceError{r.Net}
	}
	start := s.Start[at]
	var ticks []int64
	switch r.Do {
	case DoZero, DoOne:
		start = r.Do == DoOne
	case DoToggle:
		m := maker{s: s, d: d, opt: opt}
		for k, t := range m.cycles() {
			if float64(hashBit(opt.XSeed, d.Netlist.NetName(r.Net), int64(k))>>11)/(1<<53) < r.Toggle {
				ticks = append(ticks, t)
			}
		}
	case DoLike:
		like := s.place(r.Like)
		if like < 0 {
			return nil, &NoSourceError{r.Like}
		}
		start, ticks = s.Start[like], s.Tick[s.Off[like]:s.Off[like+1]]
	}
	n := *s
	n.Start, n.Off, n.Tick = with(s.Start, s.Off, s.Tick, at, start, ticks)
	if s.RecOff != nil {
		n.RecStart, n.RecOff, n.RecTick = with(s.RecStart, s.RecOff, s.RecTick, at, start, ticks)
	}
	n.Unknown = slices.DeleteFunc(slices.Clone(s.Unknown), func(x Span) bool { return x.Src == int32(at) })
	n.Collapsed = slices.DeleteFunc(slices.Clone(s.Collapsed), func(c Collapsed) bool { return c.Net == r.Net })
	if s.Next != nil {
		var err error
		if n.Next, err = s.Next.Replace(d, r, opt); err != nil {
			return nil, err
		}
	}
	return &n, nil
}

func (s *Stimulus) place(net int32) int { return slices.Index(s.Net, net) }

// with replaces the changes of source at.
func with(start []bool, off, tick []int64, at int, v bool, ticks []int64) ([]bool, []int64, []int64) {
	start, off = slices.Clone(start), slices.Clone(off)
	start[at] = v
	from, to := off[at], off[at+1]
	out := make([]int64, 0, int64(len(tick))-(to-from)+int64(len(ticks)))
	out = append(append(append(out, tick[:from]...), ticks...), tick[to:]...)
	by := int64(len(ticks)) - (to - from)
	for i := at + 1; i < len(off); i++ {
		off[i] += by
	}
	return start, off, out
}
