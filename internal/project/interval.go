package project

import (
	"context"
	"fmt"
	"io"
	"iter"
	"os"
	"slices"

	"github.com/wattd/wattd/internal/activity"
	"github.com/wattd/wattd/internal/diag"
	"github.com/wattd/wattd/internal/format/saif"
)

// What a finished session is asked for afterwards. These functions change nothing in it, so any number of them may run at a time.

// aside is a copy that has its own messages.
func (s *Session) aside() *Session {
	c := *s
	c.Bag = &diag.Bag{}
	c.Files = s.Files[:len(s.Files):len(s.Files)]
	return &c
}

// CountInterval counts a part of the run; nil when nothing of the run lies in it. Pulses that gates removed are counted by window: cut
// tells that the borders cut windows, whose pulses are left out.
func (s *Session) CountInterval(ctx context.Context, from, to int64) (t *activity.Table, cut bool, err error) {
	if s.opt.zero {
		return nil, false, &UsageError{Flag: "glitch", Msg: " zero-delay: the glitches of a part of the run are not known; count the whole run"}
	}
	for i, st := range s.parts {
		a, b := max(from, st.From), min(to, st.To)
		if a >= b {
			continue
		}
		w := s.results[i].Waves
		cut = cut || !slices.Contains(w.Cuts, a) || !slices.Contains(w.Cuts, b)
		x := activity.Count(s.Design, st, w, activity.Options{From: a, To: b, Cycle: s.opt.cycle}, &diag.Bag{})
		if t == nil {
			t = x
		} else {
			t.Add(x)
		}
		if ctx.Err() != nil {
			return nil, false, ctx.Err()
		}
	}
	return t, cut, nil
}

// Values goes through the values of a net as a dump has them: that at the start of the run, and each change. Between the parts of a
// run the value is x.
func (s *Session) Values(net int32) iter.Seq2[int64, byte] {
	return func(yield func(int64, byte) bool) {
		for i, st := range s.parts {
			d := &dumper{s: s, st: st, waves: s.results[i].Waves, unknown: unknownChanges(st), recorded: recorded(st)}
			last := d.first(net)
			if i > 0 && !yield(s.parts[i-1].To, 'x') || !yield(st.From, last) {
				return
			}
			if c, ok := d.unknown[net]; ok {
				for _, x := range c[1:] {
					if !yield(x.tick, x.val) {
						return
					}
				}
				continue
			}
			if r, ok := d.recorded[net]; ok {
				v := r.start
				for _, t := range r.ticks {
					if v = !v; !yield(t, digit(v)) {
						return
					}
				}
				continue
			}
			v := d.waves.StartValue(net)
			for k := range d.waves.Windows() {
				_, ticks := d.waves.Row(net, k)
				for _, t := range ticks {
					if v = !v; !yield(d.waves.Cuts[k]+int64(t), digit(v)) {
						return
					}
				}
			}
		}
	}
}

// Export says what is written to a file. Zero values are those of the configuration.
type Export struct {
	Form    string // counts, saif, vcd
	Dialect string // of SAIF
	IG      string // of SAIF: edges, pulses
	Nets    []int32
	All     bool // all nets; else those of Nets

	// Table, when not nil, is written instead of the counts of the whole run: that of a part, from CountInterval. Cut says that its
	// filtered pulses are not those of all of it; they are left out then.
	Table *activity.Table
	Cut   bool
}

// WriteFile writes one output of a finished session, whole or not at all, unless the file is an input of it. A *UsageError is a wrong
// choice, an *OutputError a fault of the file.
func (s *Session) WriteFile(ctx context.Context, path string, x Export) (int64, error) {
	c := s.aside()
	if st, err := os.Stat(path); err == nil {
		for i := range s.Files {
			if in, err := os.Stat(s.Files[i].Path); err == nil && os.SameFile(in, st) {
				return 0, &OutputError{path, fmt.Errorf("it is an input of the design")}
			}
		}
	}
	o := *s.opt
	c.opt = &o
	var err error
	if x.Dialect != "" {
		if o.dialect, err = saif.ParseDialect(x.Dialect); err != nil {
			return 0, usage("dialect", ": %v", err)
		}
	}
	switch x.IG {
	case "":
	case "edges", "pulses":
		o.pulses = x.IG == "pulses"
	default:
		return 0, usage("ig", " %q: use edges or pulses", x.IG)
	}
	if !x.All {
		c.only = map[int32]bool{}
		for _, n := range x.Nets {
			c.only[n] = true
		}
	}
	if x.Table != nil {
		c.Table, c.cut = x.Table, x.Cut
	}
	f := map[string]func(context.Context, io.Writer) error{"counts": c.writeCounts, "saif": c.writeSAIF, "vcd": c.writeVCD}[x.Form]
	n, err := writeFile(path, func(w io.Writer) error { return f(ctx, w) })
	if err != nil && ctx.Err() == nil {
		err = &OutputError{path, err}
	}
	return n, err
}

// ExplainAside is Explain for a session that others read.
func (s *Session) ExplainAside(ctx context.Context, name string, w io.Writer) (found bool, err error) {
	return s.aside().Explain(ctx, name, w)
}

// Origin says where the glitches of a net come from, in a table of the whole run or of a part of it.
func (s *Session) Origin(t *activity.Table, net int32) activity.Origin {
	o := activity.Origin{Skew: -1, Early: activity.None, Late: activity.None}
	for i, st := range s.parts {
		if st.To <= t.From || st.From >= t.To {
			continue
		}
		x := t.Origin(s.Design, s.results[i].Waves, net)
		o.Born += x.Born
		if x.Skew > o.Skew {
			o.Skew, o.Early, o.Late = x.Skew, x.Early, x.Late
		}
	}
	return o
}
