package workspace

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/wattd/wattd/internal/activity"
	"github.com/wattd/wattd/internal/design"
)

// Difference is what is not the same in two snapshots, which may be of different designs: a net is the same when it has the same name.
type Difference struct {
	Before, After *Snapshot
	Nets          []NetChange // that differ in any count, by name
	Totals        Totals      // of the nets chosen

	counts  [2]*activity.Table
	numbers *numbering
	gates   *design.Comparison
}

// NetChange is a net with other counts: its numbers on both sides, None where it is not there.
type NetChange struct {
	Before, After int32
}

// numbering finds the nets of one snapshot in another.
type numbering struct {
	same        bool            // as numbers, but for nets that went and came again
	moved, home map[int32]int32 // of those: by net of the one before, and of the one after

	there []int32 // by net of the one before: its number in the other, or None
	back  []int32 // by net of the one after
}

// number matches the nets of two snapshots.
func number(a, b *Snapshot) *numbering {
	if a.memo.line == b.memo.line {
		return again(a.memo.index, b.memo.index)
	}
	x, y := a.memo.index.sorted(), b.memo.index.sorted()
	n := &numbering{there: make([]int32, len(x.nl.Nets)), back: make([]int32, len(y.nl.Nets))}
	for _, to := range [][]int32{n.there, n.back} {
		for i := range to {
			to[i] = None
		}
	}
	for i := range min(2, len(n.there), len(n.back)) { // the constants
		n.there[i], n.back[i] = int32(i), int32(i)
	}
	s, t := x.nl.PrintNames(), y.nl.PrintNames()
	var p, q []byte
	for i, j := 0, 0; i < len(x.nets) && j < len(y.nets); {
		p, q = s.Append(p[:0], x.nets[i]), t.Append(q[:0], y.nets[j])
		switch strings.Compare(string(p), string(q)) {
		case -1:
			i++
		case 1:
			j++
		default:
			n.there[x.nets[i]], n.back[y.nets[j]] = y.nets[j], x.nets[i]
			i, j = i+1, j+1
		}
	}
	return n
}

// again matches by name the nets of one line that have no number in common: those that went and came again.
func again(a, b *index) *numbering {
	n := &numbering{same: true}
	if a == b {
		return n
	}
	left := func(in, other *index) (nets []int32) {
		for _, net := range in.nets() {
			if int(net) >= len(other.nl.Nets) || other.nl.IsHidden(net) {
				nets = append(nets, net)
			}
		}
		return nets
	}
	came := left(b, a)
	if len(came) == 0 {
		return n
	}
	gone := map[string]int32{}
	for _, m := range left(a, b) {
		gone[a.nl.NetName(m)] = m
	}
	n.moved, n.home = map[int32]int32{}, map[int32]int32{}
	for _, net := range came {
		if m, ok := gone[b.nl.NetName(net)]; ok {
			n.moved[m], n.home[net] = net, m
		}
	}
	return n
}

func (n *numbering) forth(net int32, in *index) int32 { return n.find(n.there, n.moved, net, in) }
func (n *numbering) from(net int32, in *index) int32  { return n.find(n.back, n.home, net, in) }

func (n *numbering) find(to []int32, moved map[int32]int32, net int32, in *index) int32 {
	switch {
	case n.same && !in.named(net):
		if m, ok := moved[net]; ok {
			return m
		}
		return None
	case n.same:
		return net
	}
	return to[net]
}

// Diff compares the counts of two snapshots, in the tables given, for the nets chosen. A name must mean a net in one of them.
func Diff(ctx context.Context, before, after *Snapshot, a, b *activity.Table, c Selection) (*Difference, error) {
	d := &Difference{Before: before, After: after, counts: [2]*activity.Table{a, b}}
	d.Totals.Split = a.Split && b.Split
	x, y := before.memo.index, after.memo.index
	d.numbers = number(before, after)
	chosen, err := either(ctx, before, after, c)
	if err != nil {
		return nil, err
	}
	in := make([]bool, len(y.nl.Nets))
	for _, n := range chosen[1] {
		in[n] = true
		d.add(NetChange{d.numbers.from(n, x), n})
	}
	for _, n := range chosen[0] {
		if m := d.numbers.forth(n, y); m == None {
			d.add(NetChange{n, None})
		} else if !in[m] { // by a name that it has on one side only
			d.add(NetChange{n, m})
		}
	}
	names := make([]string, len(d.Nets))
	order := make([]int, len(d.Nets))
	for i := range d.Nets {
		names[i], order[i] = d.printed(&d.Nets[i]), i
	}
	slices.SortFunc(order, func(i, j int) int { return strings.Compare(names[i], names[j]) })
	sorted := make([]NetChange, len(order))
	for i, k := range order {
		sorted[i] = d.Nets[k]
	}
	d.Nets = sorted
	return d, ctx.Err()
}

// either finds the nets chosen on each side.
func either(ctx context.Context, a, b *Snapshot, c Selection) (nets [2][]int32, err error) {
	sides := [2]*Snapshot{a, b}
	if c.All() { // their order is nobody's business here
		return [2][]int32{a.memo.index.nets(), b.memo.index.nets()}, nil
	}
	var absent *NameError
	if len(c.Names) <= 1 {
		found := false
		for i, s := range sides {
			nets[i], err = s.Nets(ctx, c)
			if found = found || err == nil; err != nil && !errors.As(err, &absent) {
				return nets, err
			}
		}
		if !found {
			return nets, err
		}
		return nets, nil
	}
	for _, name := range c.Names {
		one, err := either(ctx, a, b, Selection{[]string{name}, c.Regexp, c.Scope})
		if err != nil {
			return nets, err
		}
		for i := range one {
			nets[i] = append(nets[i], one[i]...)
		}
	}
	for i, s := range sides {
		slices.SortFunc(nets[i], s.Compare)
		nets[i] = slices.Compact(nets[i])
	}
	return nets, nil
}

// Counts are those of a net before and after, nil on a side where it is not there.
func (d *Difference) Counts(c *NetChange) (before, after *activity.Net) {
	if c.Before >= 0 {
		before = &d.counts[0].Nets[c.Before]
	}
	if c.After >= 0 {
		after = &d.counts[1].Nets[c.After]
	}
	return before, after
}

// Split says whether the counts before (0) or after (1) tell glitches apart.
func (d *Difference) Split(side int) bool { return d.counts[side].Split }

func (d *Difference) add(c NetChange) {
	x, y := d.Counts(&c)
	for i, n := range [...]*activity.Net{x, y} {
		if n != nil {
			d.Totals.TC[i] += n.TC
			d.Totals.Glitch[i] += n.Glitch
		}
	}
	if x == nil || y == nil || *x != *y {
		d.Nets = append(d.Nets, c)
		d.Totals.Nets++
	}
}

// printed is the name by which nets are ordered, whatever the style of the answer.
func (d *Difference) printed(c *NetChange) string {
	if c.After >= 0 {
		return d.After.Session.Netlist.NetName(c.After)
	}
	return d.Before.Session.Netlist.NetName(c.Before)
}

// Name is the name of a net, in the style of the snapshots.
func (d *Difference) Name(c *NetChange) string {
	if c.After >= 0 {
		return d.After.NetName(c.After)
	}
	return d.Before.NetName(c.Before)
}

// Sort orders the nets by what by tells of the counts, the largest change first; a net that is not there counts as 0. Ties keep their
// order, which is by name.
func (d *Difference) Sort(by func(*activity.Net) int64) {
	size := func(c *NetChange) int64 {
		x, y := d.Counts(c)
		var v int64
		if x != nil {
			v = by(x)
		}
		if y != nil {
			v -= by(y)
		}
		return max(v, -v)
	}
	slices.SortStableFunc(d.Nets, func(a, b NetChange) int { return cmp.Compare(size(&b), size(&a)) })
}
