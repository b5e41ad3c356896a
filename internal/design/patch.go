package design

import (
	"context"
	"maps"
	"slices"

	"github.com/wattd/wattd/internal/diag"
	"github.com/wattd/wattd/internal/netlist"
	"github.com/wattd/wattd/kernel"
)

// Patch is a local edit of the inputs of a design.
type Patch struct {
	// Netlist and Touched are what netlist.Patch made of the netlist of the design; nil: it has not changed.
	Netlist *netlist.Netlist
	Touched *netlist.Patched
	// SDF are the files of the design, in the same order.
	SDF []SDFText
	// Overrides are all that hold now.
	Overrides []Override
}

// SDFText is the text of an SDF file as it is now.
type SDFText struct {
	Chunks []Chunk // nil: it has not changed
	// Read returns a piece of the text.
	Read func(ctx context.Context, offset int64, n int) ([]byte, error)
}

// Chunk is a piece of a text: pieces follow one another and are cut by content, so that most are the same in two versions.
type Chunk struct {
	Len  int32
	Hash [16]byte
}

// Refusal says why a Patch needs the whole design to be compiled again. It is no fault of the input.
type Refusal struct{ Why string }

func (r *Refusal) Error() string { return "design: not a local edit: " + r.Why }

// Changed is what a Patch changed, and what it took.
type Changed struct {
	Delta
	BytesParsed   int64 // of SDF files
	GatesCompiled int64
}

// Patch gives the version of the design that a full Compile would make of the edited inputs with Options.Prev, at the price of the edit
// and of copies of the arrays that it changes. The design stays as it is; both versions can be read at the same time, and several
// patches of one version made. An edit that it cannot follow exactly, and one that makes an error of the input, is a *Refusal: then the
// caller compiles in full. The messages of the whole design go to bag.
func (d *Design) Patch(ctx context.Context, p Patch, bag *diag.Bag) (*Design, *Changed, error) {
	if d.kept == nil {
		return nil, nil, &Refusal{"the design was not kept for it"}
	}
	x := newPatcher(ctx, d, &p)
	for _, step := range []func() error{x.structure, x.compareTexts, x.gather, x.readParts, x.emit, x.graft, x.order, x.lists} {
		if err := step(); err != nil {
			return nil, nil, err
		}
		if x.b.bag.Errors() > 0 {
			return nil, nil, &Refusal{"the edit makes an error"}
		}
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
	}
	said := &diag.Bag{}
	x.say(said)
	if said.Errors() > 0 {
		return nil, nil, &Refusal{"the edit makes an error"}
	}
	bag.Merge(said)
	return x.d, x.changed, nil
}

// patcher is the state of one Patch.
type patcher struct {
	ctx   context.Context
	old   *Design
	patch *Patch
	nl    *netlist.Netlist
	b     *builder // of the gates to compile: they are numbered from 0
	k     *kept    // of the new version
	sub   *subset
	owned map[any]bool // arrays of the new version that are its own

	touched  []int32        // instances, ascending
	isTouch  map[int32]bool // the same
	rewired  map[int32]bool // nets with another driver
	classed  map[int32]Class
	lostLoad bool           // loads of nets changed
	clocks   bool           // lists of registers and clock pins change
	slots    []int32        // of the gates to compile
	holes    []int32        // gate slots that nothing has now
	gone     map[int32]bool // parts whose text changed, or that are taken as such
	regions  []region
	read     map[int32]bool // parts to read
	newPart  map[int32]bool // of these, those whose text is new
	was, now *mentions      // of the texts that changed
	em       *emitter
	fixed    []int32 // output pins of parallel and three-state drivers, whose statements must stay
	tallies  []tally
	states   []State
	d        *Design // the new version
	dirty    []int32 // gate slots compiled, or with other wires
	changed  *Changed
	relevel  bool
	moved    []int32 // gates that are new or have other pins
}

// mentions are the parts that mention targets.
type mentions struct {
	inst, sink, net map[int32][]int32
}

func newMentions() *mentions {
	return &mentions{map[int32][]int32{}, map[int32][]int32{}, map[int32][]int32{}}
}

func newPatcher(ctx context.Context, d *Design, p *Patch) *patcher {
	nl := p.Netlist
	if nl == nil {
		nl = d.Netlist
	}
	x := &patcher{
		ctx: ctx, old: d, patch: p, nl: nl, owned: map[any]bool{}, isTouch: map[int32]bool{}, rewired: map[int32]bool{}, classed: map[int32]Class{},
		read: map[int32]bool{}, gone: map[int32]bool{}, newPart: map[int32]bool{}, was: newMentions(), now: newMentions(), changed: &Changed{},
	}
	k := *d.kept
	x.k = &k
	k.overrides = p.Overrides
	k.noteCount = maps.Clone(k.noteCount)
	nd := *d
	nd.Netlist, nd.kept = nl, x.k
	r := &nd.Report
	for _, c := range []*[]Count{&r.Unannotated, &r.ZeroIOPath, &r.CondReplaced, &r.BlackBoxes} {
		*c = slices.Clone(*c)
	}
	r.SDF = slices.Clone(r.SDF)
	prog := *d.Program
	nd.Program = &prog
	local := &kernel.Program{Fns: slices.Clip(prog.Fns), Words: slices.Clip(prog.Words), Code: slices.Clip(prog.Code), Shapes: slices.Clip(prog.Shapes), SlotMap: slices.Clip(prog.SlotMap), ListOff: slices.Clone(prog.ListOff), Cands: slices.Clip(prog.Cands)}
	opt := Options{Tick: d.Tick, Corner: k.corner, CornerFallback: k.fallback, KeepConditions: k.keepConditions, PulseReject: k.pulseReject, HasPulseReject: true, Overrides: p.Overrides}
	b := &builder{nl: nl, opt: opt, bag: &diag.Bag{}, d: &nd, prog: local, models: make([]*cellModel, len(nl.Cells)), order: &nameOrder{nl: nl}, tree: newScopeTree(nl.Scopes)}
	b.fns = &fnTable{prog: local, info: slices.Clip(k.fnInfo)}
	b.fns.seen.base = k.fnSeen
	b.arcs.conds, b.arcs.condText.base, b.arcs.condTable.base = slices.Clip(k.conds), k.condText, k.condTable
	b.keep = &keeper{kept: x.k, collect: x.now}
	x.sub = &subset{b: b, k: x.k, target: map[int32]int32{}, sink: map[int32]int32{}, drivers: map[int32][]driver{}, sinks: map[int32][]int32{}, inst: map[int32]int32{}, wanted: map[int32]bool{}}
	b.sub, x.b, x.d = x.sub, b, &nd
	return x
}

// own makes an array of the new version its own, with room for n more.
func own[T any](x *patcher, s *[]T, n int) []T {
	if !x.owned[s] {
		x.owned[s] = true
		*s = append(make([]T, 0, len(*s)+n+1<<10), *s...)
	}
	return *s
}

// grown is own with the array made longer by copies of v.
func grown[T any](x *patcher, s *[]T, size int, v T) {
	if len(*s) >= size {
		return
	}
	own(x, s, size-len(*s))
	for len(*s) < size {
		*s = append(*s, v)
	}
}

// subset stands for the parts of a builder that a patch has for some instances and nets only.
type subset struct {
	b       *builder
	k       *kept
	target  map[int32]int32    // by output pin: gate
	sink    map[int32]int32    // pins whose wires are made again: place in wireStore
	drivers map[int32][]driver // as they are now, of nets asked for
	sinks   map[int32][]int32  // of nets asked for
	inst    map[int32]int32    // of pins in sinks
	wanted  map[int32]bool     // nets whose sinks were asked for and are not known
}

func (s *subset) hasWire(sink int32) bool { _, ok := s.sink[sink]; return ok }

func (s *subset) sinksOf(n int32) []int32 {
	if l, ok := s.sinks[n]; ok {
		return l
	}
	s.wanted[n] = true
	return nil
}

// driversOf lists the drivers of a net.
func (s *subset) driversOf(n int32) []driver {
	if n < 0 {
		return nil
	}
	if ds, ok := s.drivers[n]; ok {
		return ds
	}
	var ds []driver
	switch i := s.k.netInst[n]; {
	case i == noDriver:
	case i == severalDrivers:
		ds = s.k.multi[n]
	case i < 0:
		ds = []driver{{n, i, 0}}
	default:
		s.b.eachDriver(i, func(k, net int32) {
			if net == n {
				ds = append(ds, driver{n, i, k})
			}
		})
	}
	s.drivers[n] = ds
	return ds
}
