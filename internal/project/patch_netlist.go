package project

import (
	"context"
	"errors"
	"slices"
	"sort"
	"time"

	"github.com/wattd/wattd/internal/diag"
	"github.com/wattd/wattd/internal/netlist"
	"github.com/wattd/wattd/internal/source"
)

// maxPatches is how many edits of the netlist follow each other before it is linked anew, which does away with the holes they left.
const maxPatches = 2000

// patchNetlist makes the netlist from that of the session before by reading what changed in its files; false where that cannot be
// done exactly.
func (s *Session) patchNetlist(ctx context.Context) (done bool, err error) {
	p := s.prev
	if p == nil || p.Netlist == nil || p.Design == nil || !s.keep || p.patches >= maxPatches || s.stages["libraries"] != p.stages["libraries"] ||
		s.netlistChoices() != p.netlistChoices() {
		return false, nil
	}
	old := p.stages["netlist"]
	if old == nil {
		return false, nil
	}
	bag := old.bag
	nl, tracks, files := p.Netlist, slices.Clone(p.tracks), slices.Clone(old.files)
	touched := &netlist.Patched{}
	parsed := int64(0)
	for i := range files {
		one := files[i : i+1]
		if unchanged(ctx, one) {
			one[0].parsed = 0
			continue
		}
		k := slices.IndexFunc(tracks, func(t *VerilogState) bool { return t.Path == one[0].Path })
		if k < 0 || one[0].Role != "netlist" {
			return false, ctx.Err()
		}
		start, stamp := time.Now(), s.stampOf(one[0].Path)
		e, state, n, err := Reread(ctx, tracks[k], nl, s.libs, bag)
		if err != nil {
			return false, s.whole(ctx, err)
		}
		e.Free = max(p.Design.Program.NNet, int32(len(nl.Nets)))
		now, t, err := nl.Patch(ctx, e)
		if err != nil {
			return false, s.whole(ctx, err)
		}
		nl, tracks[k], parsed = now, state, parsed+n
		touched.Insts, touched.Nets = append(touched.Insts, t.Insts...), append(touched.Nets, t.Nets...)
		bag = bag.Moved(shifted(one[0].Path, tracks[k].File, e.Shift))
		one[0] = fileInfo("netlist", one[0].Path, state.Sum, start, stamp)
		one[0].parsed = 0
	}
	if !unchanged(ctx, files) { // while they were read
		return false, ctx.Err()
	}
	slices.Sort(touched.Insts)
	slices.Sort(touched.Nets)
	touched.Insts, touched.Nets = slices.Compact(touched.Insts), slices.Compact(touched.Nets)
	s.Netlist, s.names, s.verilogFiles, s.tracks, s.patches, s.touched = nl, nl.Names, p.verilogFiles, tracks, p.patches+1, touched
	s.Bag.Merge(bag)
	s.Files = append(s.Files, files...)
	s.Work.BytesParsed += parsed
	s.Work.Patched++
	return true, nil
}

// whole notes why a step is taken whole. Faults of the system are told by who reads the files then.
func (s *Session) whole(ctx context.Context, err error) error {
	if r := (*netlist.Refusal)(nil); errors.As(err, &r) {
		s.Work.Whole = append(s.Work.Whole, r.Error())
	}
	return ctx.Err()
}

// shifted moves places in a file as an edit moved its lines.
func shifted(path string, file uint16, shift []netlist.Shift) func(diag.Pos) diag.Pos {
	mine := slices.DeleteFunc(slices.Clone(shift), func(x netlist.Shift) bool { return x.File != file })
	slices.SortStableFunc(mine, func(a, b netlist.Shift) int { return int(a.From) - int(b.From) })
	return func(p diag.Pos) diag.Pos {
		if p.File != path {
			return p
		}
		n := sort.Search(len(mine), func(i int) bool { return int(mine[i].From) > p.Line })
		for _, x := range mine[:n] {
			p.Line += int(x.By)
		}
		return p
	}
}

// fileInfo is what is known of a file that was read.
func fileInfo(role, path string, sum source.Sum, start time.Time, before fileStamp) FileInfo {
	return FileInfo{
		Role: role, Path: path, Hash: hex(sum.Hash[:]), Bytes: sum.Size, Chunks: len(sum.Chunks), Time: time.Since(start), stamp: before,
		sum: sum, parsed: sum.Size,
	}
}
