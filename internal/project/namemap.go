package project

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"github.com/wattd/wattd/internal/design"
	"github.com/wattd/wattd/internal/diag"
	"github.com/wattd/wattd/internal/format/sdf"
	"github.com/wattd/wattd/internal/names"
	"github.com/wattd/wattd/internal/source"
	"github.com/wattd/wattd/internal/wave"
)

// NameMap says how the names of a file were bound.
type NameMap struct {
	Rules   map[string]int64 // uses of names by rule
	Unbound []UnboundName    // by name
	More    int64            // uses of unbound names beyond those that are listed

	at map[string]int
}

// UnboundName is a name that the design does not have.
type UnboundName struct {
	Name string
	Line int // of its first use
	N    int64
}

// mostUnbound bounds the names that a NameMap lists.
const mostUnbound = 1_000_000

func (m *NameMap) add(text []byte, line int, rule names.Rule) {
	m.Rules[rule.String()]++
	if rule != names.Unbound {
		return
	}
	if i, ok := m.at[string(text)]; ok {
		m.Unbound[i].N++
		return
	}
	if len(m.Unbound) == mostUnbound {
		m.More++
		return
	}
	name := string(text)
	m.at[name] = len(m.Unbound)
	m.Unbound = append(m.Unbound, UnboundName{name, line, 1})
}

// ErrReread: a file that was read before cannot be read again. Look after the file.
var ErrReread = errors.New("project: a file cannot be read again")

// MapNames reads an SDF file or the dump of a finished session again and tells how its names are bound: those of the instances of an
// SDF file, those of the variables of a dump, bit by bit. It is a *UsageError when the session has no such file.
func (s *Session) MapNames(ctx context.Context, path string) (*NameMap, error) {
	s = s.aside()
	m := &NameMap{Rules: map[string]int64{}, at: map[string]int{}}
	found := false
	for _, arg := range s.Config.SDF {
		file, mount := splitMount(arg)
		if !samePath(file, path) {
			continue
		}
		found = true
		if err := s.mapSDF(ctx, file, mount, m); err != nil {
			return nil, err
		}
	}
	if stim := s.Config.Stim; stim != "" && samePath(stim, path) {
		found = true
		if err := s.mapDump(ctx, m); err != nil {
			return nil, err
		}
	}
	if !found {
		return nil, &UsageError{Flag: path, Msg: fmt.Sprintf(" is no SDF file and no dump of the design; it has %q and %q", s.Config.SDF, s.Config.Stim)}
	}
	if s.Failed() {
		return nil, fmt.Errorf("%w: %s", ErrReread, path)
	}
	m.at = nil
	slices.SortFunc(m.Unbound, func(a, b UnboundName) int { return cmp.Compare(a.Name, b.Name) })
	return m, ctx.Err()
}

func samePath(a, b string) bool { return filepath.Clean(a) == filepath.Clean(b) }

func (s *Session) mapSDF(ctx context.Context, file, mount string, m *NameMap) error {
	f, err := s.openSDF(ctx, file)
	if err != nil {
		return err
	}
	defer f.Close()
	x := &sdfMapper{names: design.NewSDFNames(s.Netlist, mountScope(s.Netlist, mount)), m: m}
	_, err = sdf.Read(ctx, f, file, x, &diag.Bag{})
	return err
}

func (s *Session) mapDump(ctx context.Context, m *NameMap) error {
	return s.read(ctx, "stim", s.Config.Stim, source.VCD, func(r io.Reader) error {
		opt := s.opt.wave
		if s.Stim != nil {
			opt.Scope = s.Stim.Coverage.Scope
		}
		d, err := wave.OpenDump(ctx, s.Design, wave.Input{Name: s.Config.Stim, R: r}, opt, &diag.Bag{})
		if err != nil {
			return err
		}
		d.EachName(s.Netlist, func(text []byte, line int, rule names.Rule) bool {
			m.add(text, line, rule)
			return ctx.Err() == nil
		})
		return nil
	})
}

// sdfMapper is an sdf.Handler that looks at the instances only.
type sdfMapper struct {
	names *design.SDFNames
	m     *NameMap
	div   byte
}

// Header implements sdf.Handler.
func (x *sdfMapper) Header(h *sdf.Header) bool { x.div = h.Divider; return true }

// Cell implements sdf.Handler. Entries without a name, and those of all instances of a type, have none to bind.
func (x *sdfMapper) Cell(_, inst []byte, _ bool, pos diag.Pos) bool {
	if len(inst) > 0 && string(inst) != "*" {
		x.m.add(inst, pos.Line, x.names.Find(inst, x.div))
	}
	return true
}

// IOPath implements sdf.Handler.
func (x *sdfMapper) IOPath(*sdf.IOPath) bool { return true }

// Device implements sdf.Handler.
func (x *sdfMapper) Device(sdf.Mode, []byte, []sdf.Value, diag.Pos) bool { return true }

// Interconnect implements sdf.Handler.
func (x *sdfMapper) Interconnect(sdf.Mode, []byte, []byte, []sdf.Value, diag.Pos) bool { return true }

// Port implements sdf.Handler.
func (x *sdfMapper) Port(sdf.Mode, []byte, []sdf.Value, diag.Pos) bool { return true }

// NetDelay implements sdf.Handler.
func (x *sdfMapper) NetDelay(sdf.Mode, []byte, []sdf.Value, diag.Pos) bool { return true }

// PathPulse implements sdf.Handler.
func (x *sdfMapper) PathPulse(bool, []byte, []byte, []sdf.Triple, diag.Pos) bool { return true }
