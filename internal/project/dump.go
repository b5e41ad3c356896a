package project

import (
	"cmp"
	"context"
	"io"
	"slices"
	"strings"

	"github.com/wattd/wattd/internal/design"
	"github.com/wattd/wattd/internal/format/vcd"
	"github.com/wattd/wattd/internal/netlist"
	"github.com/wattd/wattd/internal/wave"
	"github.com/wattd/wattd/kernel"
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

// dumper writes the waves of all nets, sources as recorded.
type dumper struct {
	s     *Session
	w     *vcd.Writer
	scale int64   // units of the file in a tick
	nets  []int32 // with a name
	ids   []int32 // by net
	netOf []int32 // by identifier

	// of the part being written
	st       *wave.Stimulus
	waves    *kernel.Waves
	unknown  map[int32][]change
	recorded map[int32]recordedWave
	value    []byte  // by net
	cursor   []int64 // by net: changes written so far, within the window where there are windows
	window   []int32 // by net: window of the cursor
}

// writeVCD writes all parts of the run; between them nothing is known.
func (s *Session) writeVCD(ctx context.Context, out io.Writer) error {
	// one unit of the file is a power of ten of seconds; a tick is scale of them
	exp, scale := int32(-18), int64(s.opt.tick)
	for scale%10 == 0 {
		scale /= 10
		exp++
	}
	d := &dumper{s: s, w: vcd.NewWriter(out, vcd.WriterOptions{UnitExp: exp, Version: "wattd"}), scale: scale}
	d.ids = s.declare(d.w)
	for n := range int32(len(d.ids)) {
		if d.ids[n] >= 0 {
			d.nets = append(d.nets, n)
		}
	}
	d.netOf = make([]int32, len(d.nets))
	for _, n := range d.nets {
		d.netOf[d.ids[n]] = n
	}
	var one [1]byte
	start := func(id int32) []byte { one[0] = d.first(d.netOf[id]); return one[:] }
	for i, st := range s.parts {
		d.part(st, s.results[i].Waves)
		if i == 0 {
			d.w.Begin(st.From*scale, start)
		} else {
			d.w.Time(s.parts[i-1].To * scale)
			d.w.Gap()
			d.w.Time(st.From * scale)
			d.w.Resume(start)
		}
		if err := d.changes(ctx, 1+s.results[i].Stats.Events/sliceEvents); err != nil {
			return err
		}
	}
	return d.w.Close(s.Stim.End() * scale)
}

// part begins a part.
func (d *dumper) part(st *wave.Stimulus, waves *kernel.Waves) {
	d.st, d.waves = st, waves
	d.unknown, d.recorded = unknownChanges(st), recorded(st)
	n := len(d.ids)
	d.value, d.cursor, d.window = make([]byte, n), make([]int64, n), make([]int32, n)
	for _, n := range d.nets {
		d.value[n] = d.first(n)
	}
}

// first is the value of a net at the start of the part.
func (d *dumper) first(n int32) byte {
	if c, ok := d.unknown[n]; ok {
		return c[0].val
	}
	if r, ok := d.recorded[n]; ok {
		return digit(r.start)
	}
	return digit(d.waves.StartValue(n) || d.s.Design.NetClass[n] == design.ClassConst1)
}

// changes writes the changes of the part in so many slices of time, each sorted by itself.
func (d *dumper) changes(ctx context.Context, count int64) error {
	span := d.st.To - d.st.From
	var cs []change
	for k := range count {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		end := d.st.From + span/count*(k+1) + span%count*(k+1)/count
		cs = cs[:0]
		for _, n := range d.nets {
			cs = d.collect(cs, n, end)
		}
		slices.SortFunc(cs, func(a, b change) int {
			return cmp.Or(cmp.Compare(a.tick, b.tick), cmp.Compare(a.id, b.id))
		})
		for _, c := range cs {
			d.w.Time(c.tick * d.scale)
			d.w.Bit(c.id, c.val)
		}
	}
	return nil
}

// collect appends the changes of a net before end.
func (d *dumper) collect(cs []change, n int32, end int64) []change {
	at := &d.cursor[n]
	toggle := func(tick int64) {
		d.value[n] ^= 1
		cs = append(cs, change{tick, d.ids[n], d.value[n]})
		*at++
	}
	if c, ok := d.unknown[n]; ok {
		for *at+1 < int64(len(c)) && c[*at+1].tick < end {
			*at++
			cs = append(cs, change{c[*at].tick, d.ids[n], c[*at].val})
		}
		return cs
	}
	if r, ok := d.recorded[n]; ok {
		for *at < int64(len(r.ticks)) && r.ticks[*at] < end {
			toggle(r.ticks[*at])
		}
		return cs
	}
	for int(d.window[n]) < d.waves.Windows() && d.waves.Cuts[d.window[n]] < end {
		from := d.waves.Cuts[d.window[n]]
		_, ticks := d.waves.Row(n, int(d.window[n]))
		for *at < int64(len(ticks)) && from+int64(ticks[*at]) < end {
			toggle(from + int64(ticks[*at]))
		}
		if *at < int64(len(ticks)) || d.waves.Cuts[d.window[n]+1] > end {
			break
		}
		d.window[n]++
		*at = 0
	}
	return cs
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
func recorded(st *wave.Stimulus) map[int32]recordedWave {
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
func unknownChanges(st *wave.Stimulus) map[int32][]change {
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
