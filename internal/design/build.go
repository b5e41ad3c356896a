package design

import (
	"cmp"
	"context"
	"io"
	"slices"

	"github.com/wattd/wattd/internal/diag"
	"github.com/wattd/wattd/internal/format/verilog"
	"github.com/wattd/wattd/internal/netlist"
	"github.com/wattd/wattd/kernel"
)

// Options are the choices that change a compiled design.
type Options struct {
	Tick           Tick   // 0: 1 ps
	Corner         Corner // default Typ
	CornerFallback bool
	KeepConditions bool // an unconditional IOPATH sets the default entry only
	PulseReject    int  // percent for arcs that nothing else set, with HasPulseReject; else 100
	HasPulseReject bool
	// Prev is an earlier version of the design whose net numbers the netlist keeps (netlist.Stabilize): gates that compute the same
	// net keep their slots. nil: none.
	Prev *Design
	// Named says whether the stimulus names a net: three-state nets then are sources. nil: none.
	Named func(net int32) bool
	// Overrides are edits of delays behind those of all files.
	Overrides []Override
	// Keep makes the design one that can be patched (Design.Patch).
	Keep bool
}

// Corner is the column of a triple.
type Corner uint8

// The columns. The zero value is Typ.
const (
	Typ Corner = iota
	Min
	Max
)

func (c Corner) String() string { return [...]string{"typ", "min", "max"}[c] }

func (c Corner) column() int { return [...]int{1, 0, 2}[c] }

// SDF is a file of delays and where its root lies.
type SDF struct {
	Name  string
	Open  func() (io.ReadCloser, error)
	Mount string // hierarchical instance path, "" for the top
	// Chunks gives, once the file was read, the pieces by which a newer text of it is compared. nil: it cannot be patched.
	Chunks func() ([]Chunk, error)
}

// driver is one output pin or primitive on a net.
type driver struct {
	net  int32
	inst int32 // or ^prim
	pin  int32
}

// builder is the state of one Compile.
type builder struct {
	nl     *netlist.Netlist
	opt    Options
	bag    *diag.Bag
	d      *Design
	prog   *kernel.Program
	fns    *fnTable
	models []*cellModel // by netlist cell
	order  *nameOrder
	tree   scopeTree

	driverStart []int32 // CSR by net
	drivers     []driver
	loads       []bool // net is read by something

	gates    []buildGate
	cur      int32 // the gate to which pins are added
	pinNet   []int32
	pinSink  []int32 // where the wire of a pin is kept in builder.wires: index in PinNet, or len(PinNet) + index in PrimIn; None for inner nodes
	gateOf   []int32 // by net
	replaced int64
	sinkOf   []int32 // by pin of the program: where its wire is kept
	target   []int32 // by pin of PinNet: arcs target of an output pin, None
	arcs     arcStore
	wires    wireStore
	primAt   []int32 // by prim: gate, None
	tris     []*tristate
	merged   []mergedDriver
	sccNum   []int32 // see components

	keep *keeper // what later patches need, nil where none follow
	sub  *subset // nil where the whole design is compiled
}

// mergedDriver is a driver for which another one stands.
type mergedDriver struct {
	kept, gone driver
}

// buildGate is a gate before its arcs are known.
type buildGate struct {
	out  int32
	inst int32 // or ^prim
	pin  int32
	kind gateKind
	fn   int32 // standard function
	tri  int32 // index in builder.tris
	pin0 int32 // pins: builder.pinNet and pinSink
	npin int32
	open int32 // pins that read 0 because nothing is connected
}

type gateKind uint8

const (
	gateCell gateKind = iota
	gatePrim
	gateTri
	gateHelper // inner node of a wide primitive, or the Z and B of a three-state net
)

// Compile builds a design. Faults of the input go to bag; the design must not be used when bag has errors.
func Compile(ctx context.Context, nl *netlist.Netlist, opt Options, sdfs []SDF, bag *diag.Bag) (*Design, error) {
	if opt.Tick == 0 {
		opt.Tick = Picosecond
	}
	if !opt.HasPulseReject {
		opt.PulseReject = 100
	}
	b := &builder{nl: nl, opt: opt, bag: &diag.Bag{}, prog: &kernel.Program{Wires: make([]kernel.Wire, 1)}}
	defer func() { bag.Merge(b.bag) }()
	if opt.Keep {
		b.keep = newKeeper(nl, &opt)
	}
	b.fns = newFnTable(b.prog)
	b.d = &Design{Netlist: nl, Program: b.prog, Tick: opt.Tick}
	b.order = &nameOrder{nl: nl}
	b.tree = newScopeTree(nl.Scopes)
	b.model()
	b.reserveSlots()
	b.collectDrivers()
	b.classify()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	b.openLoops()
	for _, s := range sdfs {
		if err := b.annotate(ctx, s); err != nil {
			return nil, err
		}
	}
	b.override()
	if err := b.emit(ctx); err != nil {
		return nil, err
	}
	b.findClocks()
	b.account()
	if b.keep != nil && b.bag.Errors() == 0 {
		b.d.kept = b.keep.finish(b)
	}
	return b.d, nil
}

// modelOf is the model of a cell; those of a patch are made when they are needed.
func (b *builder) modelOf(cell int32) *cellModel {
	if m := b.models[cell]; m != nil {
		return m
	}
	m := &modeler{nl: b.nl, bag: &diag.Bag{}} // said where it is counted, see patcher.cells
	b.models[cell] = m.model(&b.nl.Cells[cell])
	return b.models[cell]
}

// model makes the models of the cells in use.
func (b *builder) model() {
	use := make([]int32, len(b.nl.Cells))
	for i := range b.nl.Insts {
		if !b.nl.IsHoleInst(int32(i)) {
			use[b.nl.Insts[i].Cell]++
		}
	}
	b.models = make([]*cellModel, len(b.nl.Cells))
	for i := range b.nl.Cells {
		if use[i] == 0 {
			continue // left by a patch of the netlist
		}
		m := &modeler{nl: b.nl, bag: &diag.Bag{}}
		b.models[i] = m.model(&b.nl.Cells[i])
		b.bag.Merge(m.bag)
		if b.keep != nil {
			b.keep.cellSaid(int32(i), m.bag)
		}
	}
	if b.keep != nil {
		b.keep.cellUse = use
	}
}

func (b *builder) pos(p verilog.Pos) diag.Pos {
	f := ""
	if int(p.File) < len(b.nl.Files) {
		f = b.nl.Files[p.File]
	}
	return diag.Pos{File: f, Line: int(p.Line), Col: int(p.Col)}
}

// collectDrivers lists the drivers of every net and marks nets that are read.
func (b *builder) collectDrivers() {
	nl := b.nl
	b.loads = make([]bool, len(nl.Nets))
	var ds []driver
	var undirected []driver // pins of black boxes without directions
	for i := range nl.Insts {
		in := &nl.Insts[i]
		cm := b.modelOf(in.Cell)
		if cm.blackBox {
			for k := range nl.Cells[in.Cell].NPin() {
				if n := nl.PinNet[in.Pin0+int32(k)]; n > netlist.Const1 {
					switch nl.Cells[in.Cell].Dirs[k] {
					case verilog.Input:
						b.loads[n] = true
					case verilog.Output:
						ds = append(ds, driver{n, int32(i), int32(k)})
					default:
						undirected = append(undirected, driver{n, int32(i), int32(k)})
					}
				}
			}
			continue
		}
		for k := range cm.byPin {
			n := nl.PinNet[in.Pin0+int32(k)]
			if n <= netlist.Const1 {
				continue
			}
			if cm.byPin[k] != None {
				ds = append(ds, driver{n, int32(i), int32(k)})
			}
		}
		for _, k := range cm.loads {
			if n := nl.PinNet[in.Pin0+k]; n >= 0 {
				b.loads[n] = true
			}
		}
	}
	for i := range nl.Prims {
		p := &nl.Prims[i]
		if p.Out > netlist.Const1 {
			ds = append(ds, driver{p.Out, ^int32(i), 0})
		}
		for _, n := range nl.PrimIn[p.In0 : p.In0+p.NIn] {
			if n >= 0 {
				b.loads[n] = true
			}
		}
	}
	driven := make([]bool, len(nl.Nets))
	for _, x := range ds {
		driven[x.net] = true
	}
	for _, p := range nl.Ports {
		if p.Dir == verilog.Input && p.Net >= 0 {
			driven[p.Net] = true
		}
		if p.Dir != verilog.Input && p.Net >= 0 {
			b.loads[p.Net] = true
		}
	}
	// A pin of unknown direction is an output where nothing else drives its net; one such pin a net is enough.
	for _, x := range undirected {
		if driven[x.net] {
			b.loads[x.net] = true
		} else {
			driven[x.net] = true
			ds = append(ds, x)
		}
	}
	b.driverStart = make([]int32, len(nl.Nets)+1)
	for _, x := range ds {
		b.driverStart[x.net+1]++
	}
	for i := range nl.Nets {
		b.driverStart[i+1] += b.driverStart[i]
	}
	b.drivers = make([]driver, len(ds))
	at := slices.Clone(b.driverStart)
	for _, x := range ds {
		b.drivers[at[x.net]] = x
		at[x.net]++
	}
	for i := range nl.Nets {
		if of := b.netDrivers(int32(i)); len(of) > 1 {
			slices.SortFunc(of, b.order.cmp)
		}
	}
}

func (b *builder) netDrivers(n int32) []driver {
	if b.sub != nil {
		return b.sub.driversOf(n)
	}
	return b.drivers[b.driverStart[n]:b.driverStart[n+1]]
}

// output returns the model of a driver's pin; nil for primitives and black boxes.
func (b *builder) output(x driver) *output {
	if x.inst < 0 {
		return nil
	}
	cm := b.modelOf(b.nl.Insts[x.inst].Cell)
	if cm.blackBox || cm.byPin[x.pin] == None {
		return nil
	}
	return &cm.outs[cm.byPin[x.pin]]
}

// nameOrder compares drivers by the name of their instance: bytewise by component, then primitives without name by place.
type nameOrder struct {
	nl *netlist.Netlist
}

func (o *nameOrder) cmp(a, c driver) int {
	if a.inst == c.inst {
		return cmp.Compare(a.pin, c.pin)
	}
	sa, na := o.of(a.inst)
	sc, nc := o.of(c.inst)
	if sa == sc && na == nc {
		return cmp.Compare(c.inst, a.inst) // unnamed primitives: ^index, smaller index first
	}
	pa, pc := o.path(sa), o.path(sc)
	pa, pc = append(pa, na), append(pc, nc)
	for i := 0; i < len(pa) && i < len(pc); i++ {
		if pa[i] != pc[i] {
			if r := slices.Compare(o.nl.Names.Bytes(pa[i]), o.nl.Names.Bytes(pc[i])); r != 0 {
				return r
			}
		}
	}
	return cmp.Compare(len(pa), len(pc))
}

func (o *nameOrder) of(inst int32) (scope, name int32) {
	if inst < 0 {
		p := &o.nl.Prims[^inst]
		return p.Scope, p.Name
	}
	return o.nl.Insts[inst].Scope, o.nl.Insts[inst].Name
}

func (o *nameOrder) path(scope int32) []int32 {
	var p []int32
	for s := scope; s > 0; s = o.nl.Scopes[s].Parent {
		p = append(p, o.nl.Scopes[s].Name)
	}
	slices.Reverse(p)
	return p
}
