package project

import (
	"context"
	"io"
	"slices"
	"strings"

	"github.com/wattd/wattd/internal/design"
	"github.com/wattd/wattd/internal/format/vcd"
	"github.com/wattd/wattd/internal/netlist"
)

// unitOf writes a tick as a number and a unit of time.
func unitOf(t design.Tick) (int64, string) {
	s := t.String()
	i := strings.IndexFunc(s, func(r rune) bool { return r < '0' || r > '9' })
	n := int64(0)
	for _, c := range s[:i] {
		n = n*10 + int64(c-'0')
	}
	return n, s[i:]
}

// change is one change of a dump.
type change struct {
	tick int64
	id   int32
	val  byte
}

// sliceEvents is how many changes are sorted at a time.
const sliceEvents = 4 << 20

// writeVCD writes the waves of all nets, sources as recorded.
func (s *Session) writeVCD(ctx context.Context, out io.Writer) error {
	nl, waves := s.Netlist, s.Result.Waves
	// one unit of the file is a power of ten of seconds; a tick is scale of them
	exp, scale := int32(-18), int64(s.opt.tick)
	for scale%10 == 0 {
		scale /= 10
		exp++
	}
	w := vcd.NewWriter(out, vcd.WriterOptions{UnitExp: exp, Version: "wattd"})
	ids := s.declare(w)
	nets := make([]int32, 0, len(ids))
	for n := range int32(len(nl.Nets)) {
		if ids[n] >= 0 {
			nets = append(nets, n)
		}
	}
	netOf := make([]int32, len(nets))
	for _, n := range nets {
		netOf[ids[n]] = n
	}
	unknown := s.unknownChanges()
	recorded := s.recorded()
	first := func(n int32) byte {
		if c, ok := unknown[n]; ok {
			return c[0].val
		}
		if r, ok := recorded[n]; ok {
			return digit(r.start)
		}
		return digit(waves.StartValue(n) || s.Design.NetClass[n] == design.ClassConst1)
	}
	var one [1]byte
	w.Begin(s.Stim.From*scale, func(id int32) []byte { one[0] = first(netOf[id]); return one[:] })
	slicesN := 1 + s.Result.Stats.Events/sliceEvents
	span := s.Stim.To - s.Stim.From
	cursor := make([]int64, len(nl.Nets)) // per net: changes written so far
	value := make([]byte, len(nl.Nets))
	for _, n := range nets {
		value[n] = first(n)
	}
	window := make([]int32, len(nl.Nets)) // per net: window of the cursor
	var cs []change
	for k := range slicesN {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		end := s.Stim.From + span/slicesN*(k+1) + span%slicesN*(k+1)/slicesN
		cs = cs[:0]
		for _, n := range nets {
			if c, ok := unknown[n]; ok {
				for i := cursor[n] + 1; i < int64(len(c)) && c[i].tick < end; i++ {
					cs = append(cs, change{c[i].tick, ids[n], c[i].val})
					cursor[n] = i
				}
				continue
			}
			if r, ok := recorded[n]; ok {
				for cursor[n] < int64(len(r.ticks)) && r.ticks[cursor[n]] < end {
					value[n] ^= 1
					cs = append(cs, change{r.ticks[cursor[n]], ids[n], value[n]})
					cursor[n]++
				}
				continue
			}
			for int(window[n]) < waves.Windows() && waves.Cuts[window[n]] < end {
				_, ticks := waves.Row(n, int(window[n]))
				for cursor[n] < int64(len(ticks)) && waves.Cuts[window[n]]+int64(ticks[cursor[n]]) < end {
					value[n] ^= 1
					cs = append(cs, change{waves.Cuts[window[n]] + int64(ticks[cursor[n]]), ids[n], value[n]})
					cursor[n]++
				}
				if cursor[n] < int64(len(ticks)) {
					break
				}
				if waves.Cuts[window[n]+1] > end {
					break
				}
				window[n]++
				cursor[n] = 0
			}
		}
		slices.SortFunc(cs, func(a, b change) int {
			if a.tick != b.tick {
				if a.tick < b.tick {
					return -1
				}
				return 1
			}
			return int(a.id) - int(b.id)
		})
		for _, c := range cs {
			w.Time(c.tick * scale)
			w.Bit(c.id, c.val)
		}
	}
	return w.Close(s.Stim.To * scale)
}

func digit(v bool) byte {
	if v {
		return '1'
	}
	return '0'
}

// declare writes scopes and names; the result is the identifier of each net, -1 for those without a name.
func (s *Session) declare(w *vcd.Writer) []int32 {
	nl := s.Netlist
	ids := make([]int32, len(nl.Nets))
	for i := range ids {
		ids[i] = -1
	}
	g := s.scopes()
	out := make([]int32, len(nl.Scopes))
	for k := range int32(len(nl.Scopes)) {
		sc := &nl.Scopes[k]
		parent := int32(0)
		if k > 0 {
			parent = out[sc.Parent]
		}
		out[k] = w.Scope(parent, "module", nl.Names.String(sc.Name))
		for i := g.start[k]; i < g.start[k+1]; i++ {
			r, n := g.refs[i], g.nets[i]
			var rng *vcd.Range
			if r.Bit != netlist.NoBit {
				rng = &vcd.Range{Msb: r.Bit, Lsb: r.Bit}
			}
			if ids[n] < 0 {
				ids[n] = w.Var(out[k], "wire", nl.Names.String(r.Name), 1, rng)
			} else {
				w.Alias(out[k], "wire", nl.Names.String(r.Name), ids[n], rng)
			}
		}
	}
	return ids
}

// wave is a recorded source.
type recordedWave struct {
	start bool
	ticks []int64
}

// recorded gives the sources whose recorded wave is not that of the simulation.
func (s *Session) recorded() map[int32]recordedWave {
	st := s.Stim
	m := map[int32]recordedWave{}
	if st.RecOff == nil {
		return m
	}
	for i, n := range st.Net {
		m[n] = recordedWave{st.RecStart[i], st.RecTick[st.RecOff[i]:st.RecOff[i+1]]}
	}
	return m
}

// unknownChanges lists, for the sources that are unknown for a time, all values: the first is that at the start.
func (s *Session) unknownChanges() map[int32][]change {
	st := s.Stim
	m := map[int32][]change{}
	for i := 0; i < len(st.Unknown); {
		src := st.Unknown[i].Src
		j := i
		for j < len(st.Unknown) && st.Unknown[j].Src == src {
			j++
		}
		start, off, tick := st.Start[src], st.Off, st.Tick
		if st.RecOff != nil {
			start, off, tick = st.RecStart[src], st.RecOff, st.RecTick
		}
		ticks := tick[off[src]:off[src+1]]
		spans := st.Unknown[i:j]
		v := start
		cs := []change{{tick: st.From, val: digit(v)}}
		put := func(t int64, val byte) {
			if last := &cs[len(cs)-1]; last.tick == t {
				last.val = val
			} else if last.val != val {
				cs = append(cs, change{tick: t, val: val})
			}
		}
		k := 0
		for _, sp := range spans {
			for k < len(ticks) && ticks[k] < sp.From {
				v = !v
				put(ticks[k], digit(v))
				k++
			}
			x := byte('x')
			if sp.Z {
				x = 'z'
			}
			put(sp.From, x)
			for k < len(ticks) && ticks[k] <= sp.To {
				v = !v
				k++
			}
			if sp.To < st.To {
				put(sp.To, digit(v))
			}
		}
		for ; k < len(ticks); k++ {
			v = !v
			put(ticks[k], digit(v))
		}
		m[st.Net[src]] = cs
		i = j
	}
	return m
}
