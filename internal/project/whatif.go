package project

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/wattd/wattd/internal/design"
	"github.com/wattd/wattd/internal/diag"
	"github.com/wattd/wattd/internal/format/liberty"
	"github.com/wattd/wattd/internal/netlist"
	"github.com/wattd/wattd/internal/wave"
)

// WhatIf is a change that no file has.
type WhatIf struct {
	Netlist *netlist.Netlist  // what patches made of that of the session (PatchNetlist); nil: it stays
	Touched *netlist.Patched  // by all of them
	Delays  []design.Override // behind those that the session has already
	Sources []wave.Replacement
}

// PatchNetlist applies an edit to the netlist of the session, or to what earlier edits made of it. Names of the edit must be those of nl or
// extend them.
func (s *Session) PatchNetlist(ctx context.Context, nl *netlist.Netlist, e *netlist.Edit) (*netlist.Netlist, *netlist.Patched, error) {
	e.Libs, e.Free = s.libs, s.Design.Program.NNet
	return nl.Patch(ctx, e)
}

// StaleError says that a file is no longer what the session was made of, so that nothing can be compiled on top of it.
type StaleError struct{ Path string }

func (e *StaleError) Error() string {
	return fmt.Sprintf("%s has changed since the design was compiled", e.Path)
}

// WhatIf makes the session that the files would give with the change in them. s stays as it is and must be complete; nets, gates and
// instances keep their numbers. The error is of ctx, a *StaleError or a *wave.NoSourceError; faults
// of the changed design are in the Bag of the result.
func (s *Session) WhatIf(ctx context.Context, w *WhatIf, progress Progress) (*Session, error) {
	n := &Session{
		Config: s.Config, Bag: &diag.Bag{}, opt: s.opt, progress: progress, Files: s.Files, Netlist: s.Netlist, Design: s.Design,
		prev: s, first: s.first, keep: true, triNamed: s.triNamed, stages: map[string]*stage{},
		libs: s.libs, names: s.names, verilogFiles: s.verilogFiles, over: append(slices.Clip(s.over), w.Delays...), whatIf: true,
	}
	for _, name := range []string{"libraries", "netlist"} {
		if st := s.stages[name]; st != nil {
			n.stages[name] = st
			n.Bag.Merge(st.bag)
		}
	}
	if w.Netlist != nil {
		n.Netlist = w.Netlist
	}
	if w.Netlist == nil && len(w.Delays) == 0 {
		if st := s.stages["design"]; st != nil {
			n.stages["design"] = st
			n.Bag.Merge(st.bag)
		}
	} else if err := n.recompile(ctx, w.Touched); err != nil || n.Failed() {
		return n, err
	}
	n.sources = append(slices.Clip(s.sources), w.Sources...)
	if s.Stim == nil {
		n.Detach()
		return n, nil
	}
	if err := n.rebind(ctx, w.Sources); err != nil || n.Failed() {
		return n, err
	}
	if err := n.Simulate(ctx); err != nil {
		return n, err
	}
	n.Detach()
	return n, ctx.Err()
}

// rebind takes over the stimulus of the session before, with its replacements, and makes the new ones. Where the sources are others, the
// dump is read again and all replacements are made again. No file is looked at when that need not be: edits rest on what was read.
func (n *Session) rebind(ctx context.Context, news []wave.Replacement) error {
	base := n.prev
	if st := base.stages["stimulus"]; st != nil && sameSources(base.Design, n.Design) {
		n.Stim, n.first = base.Stim, base.first
		n.stages["stimulus"] = st
		n.Bag.Merge(st.bag)
	} else {
		n.Files = slices.DeleteFunc(slices.Clone(n.Files), func(f FileInfo) bool { return f.Role == "stim" })
		from := len(n.Files)
		if err := n.Bind(ctx); err != nil || n.Failed() {
			return err
		}
		if err := n.asBefore(from); err != nil {
			return err
		}
		news = n.sources
	}
	for _, r := range news {
		st, err := n.Stim.Replace(n.Design, r, n.opt.wave)
		if err != nil {
			return err
		}
		n.Stim = st
	}
	return nil
}

// asBefore holds that the files read again, those from an index on, are what the session before was made of.
func (n *Session) asBefore(from int) error {
	seen := n.Files[:from:from]
	for _, f := range n.Files[from:] {
		same := func(o FileInfo) bool { return o.Role == f.Role && o.Path == f.Path }
		k := slices.IndexFunc(n.prev.Files, same)
		if k < 0 || n.prev.Files[k].Hash != f.Hash {
			return &StaleError{f.Path}
		}
		if !slices.ContainsFunc(seen, same) {
			seen = append(seen, n.prev.Files[k])
		}
	}
	n.Files = seen
	return nil
}

// recompile makes the design of the netlist of n, in which instances were touched.
func (n *Session) recompile(ctx context.Context, touched *netlist.Patched) error {
	base := n.prev
	n.Files = base.Files
	all := n.Bag
	n.Bag = &diag.Bag{}
	if n.Netlist != base.Netlist {
		n.touched = touched
	}
	err := n.phase("patch", func() (int64, error) {
		done, err := n.patchDesign(ctx)
		if done || err != nil {
			return 0, err
		}
		return 0, n.compileAgain(ctx)
	})
	n.stages["design"] = &stage{bag: n.Bag, above: n.stages["netlist"]}
	all.Merge(n.Bag)
	n.Bag = all
	return err
}

// compileAgain compiles in full from the files, which must still be those of the earlier version.
func (n *Session) compileAgain(ctx context.Context) error {
	base := n.prev
	n.Files = slices.DeleteFunc(slices.Clone(base.Files), func(f FileInfo) bool { return f.Role == "sdf" })
	var named func(int32) bool
	if base.triNamed && base.Stim != nil {
		named = func(net int32) bool { return slices.Contains(base.Stim.Net, net) }
	}
	if err := n.compile(ctx, named); err != nil {
		return err
	}
	for i := range n.Files {
		f := &n.Files[i]
		k := slices.IndexFunc(base.Files, func(o FileInfo) bool { return o.Role == f.Role && o.Path == f.Path })
		if k < 0 || base.Files[k].Hash != f.Hash {
			return &StaleError{f.Path}
		}
		n.Work.BytesParsed += f.parsed
	}
	return nil
}

// LibCell finds a cell of the libraries.
func (s *Session) LibCell(name string) *liberty.Cell {
	for _, l := range s.libs {
		for _, c := range l.Cells {
			if c.Name == name {
				return c
			}
		}
	}
	return nil
}

// SimilarCells lists some cells of the libraries whose names begin like another one.
func (s *Session) SimilarCells(name string) (similar []string) {
	const most = 5
	for n := len(name); n > 0 && len(similar) == 0; n-- {
		for _, l := range s.libs {
			for _, c := range l.Cells {
				if len(similar) < most && strings.HasPrefix(c.Name, name[:n]) {
					similar = append(similar, c.Name)
				}
			}
		}
	}
	return similar
}
