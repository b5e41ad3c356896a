package netlist

import (
	"context"
	"slices"
	"strings"

	"github.com/wattd/wattd/internal/diag"
	"github.com/wattd/wattd/internal/format/liberty"
	"github.com/wattd/wattd/internal/format/scan"
	"github.com/wattd/wattd/internal/format/verilog"
)

// Input is what Link works on. Modules are in the order of the files and of the text; all of them were read with
// Names and without errors, and their positions index Files.
type Input struct {
	Modules []*verilog.Module
	Names   *scan.Names
	Files   []string
	Libs    []*liberty.Library
	Top     string // empty: the only module with instances that nobody instantiates

	// MaxObjects bounds net names plus pins of the expanded hierarchy; 0 means 2^28.
	MaxObjects int64
}

const (
	defaultMaxObjects = 1 << 28
	maxDepth          = 4096    // levels of hierarchy
	maxWidth          = 1 << 24 // bits of a vector or an expression, instances of an array
)

// Link elaborates the design below the top module. Faults of the input go to bag; the error is that of ctx alone.
// The netlist is nil only when bag has an error that leaves nothing to show (no top, recursion, too large); with other
// errors it is complete but for what they name. Link adds names (array elements, pins of libraries) to in.Names.
func Link(ctx context.Context, in Input, bag *diag.Bag) (*Netlist, error) {
	if in.MaxObjects <= 0 || in.MaxObjects > defaultMaxObjects {
		in.MaxObjects = defaultMaxObjects
	}
	l := &linker{in: in, names: in.Names, bag: bag, ctx: ctx, nl: &Netlist{Names: in.Names, Files: in.Files}}
	l.collect()
	top := l.chooseTop()
	if top == nil {
		return nil, nil
	}
	if err := l.declareAll(top); err != nil {
		return nil, err
	}
	l.shapeCells()
	for _, m := range l.mods {
		if err := l.bind(m); err != nil {
			return nil, err
		}
	}
	if !l.measure() {
		return nil, nil
	}
	if err := l.elaborate(); err != nil {
		return nil, err
	}
	return l.nl, nil
}

// typKind says what a cell name stands for.
type typKind uint8

const (
	typModule typKind = iota
	typCell           // a library cell or a black box
)

// typ is the meaning of a cell name. idx is in linker.mods or Netlist.Cells.
type typ struct {
	kind typKind
	idx  int32
}

type linker struct {
	in    Input
	names *scan.Names
	bag   *diag.Bag
	ctx   context.Context
	nl    *Netlist

	modOf []int32 // name id -> index in in.Modules, or None; ids that the modules use
	typOf []int32 // name id -> index in typs + 1
	typs  []typ
	libOf map[int32]*liberty.Cell

	mods  []*module
	cells []cellShape // parallel to nl.Cells

	overrides bool // a module below the top has a defparam

	// direct answers find for the module being worked on with one memory access: name id -> index in decls + 1.
	direct []int32
	owner  *module
	pins   pairTab // (cell, pin name) -> pin code
	power  map[int32]bool
}

func (l *linker) pos(p verilog.Pos) diag.Pos {
	d := diag.Pos{Line: int(p.Line), Col: int(p.Col)}
	if int(p.File) < len(l.in.Files) {
		d.File = l.in.Files[p.File]
	}
	return d
}

func (l *linker) str(id int32) string { return l.names.String(id) }

// collect indexes modules and library cells by name.
func (l *linker) collect() {
	l.modOf = make([]int32, l.names.Len())
	for i := range l.modOf {
		l.modOf[i] = None
	}
	for i, m := range l.in.Modules {
		if old := l.modOf[m.Name]; old != None {
			l.bag.Add(diag.NetlistDuplicateModule, l.pos(m.Pos), "module %s is defined again (before: %s); this definition is used", l.str(m.Name), l.pos(l.in.Modules[old].Pos))
		}
		l.modOf[m.Name] = int32(i)
	}
	l.typOf = make([]int32, l.names.Len())
	l.direct = make([]int32, l.names.Len())
	l.libOf = map[int32]*liberty.Cell{}
	for _, lib := range l.in.Libs {
		for _, c := range lib.Cells {
			// Cells that no module names cannot be instantiated.
			id := l.names.Find([]byte(c.Name))
			if id <= 0 || int(id) >= len(l.modOf) {
				continue
			}
			if old, ok := l.libOf[id]; !ok {
				l.libOf[id] = c
			} else if old.Lib != c.Lib {
				l.bag.Add(diag.NetlistDuplicateCell, c.Pos, "cell %s is also in library %s (%s), which is used", c.Name, old.Lib.Name, old.Pos)
			}
		}
	}
}

// cellModel says that a module only models a library cell for event simulators, so that the library wins: it is
// behavioural, marked by `celldefine, or a stub without content.
func cellModel(m *verilog.Module) bool { return m.Behavioural || m.Celldefine || stub(m) }

// stub says that a module has outputs and nothing that could drive them: the declaration of a black box.
func stub(m *verilog.Module) bool {
	if len(m.Insts) > 0 || len(m.Assigns) > 0 {
		return false
	}
	for _, p := range m.Ports {
		if p.Expr != None {
			return false
		}
	}
	out := false
	for i := range m.Nets {
		n := &m.Nets[i]
		if n.Kind == verilog.Supply0 || n.Kind == verilog.Supply1 {
			return false
		}
		out = out || n.Dir == verilog.Output || n.Dir == verilog.Inout
	}
	return out
}

// chooseTop returns the module to elaborate from, or nil after an error.
func (l *linker) chooseTop() *verilog.Module {
	if l.in.Top != "" {
		id := l.names.Find([]byte(l.in.Top))
		if id <= 0 || int(id) >= len(l.modOf) || l.modOf[id] == None {
			l.bag.Add(diag.NetlistTopMissing, diag.Pos{}, "top module %s is not defined", l.in.Top)
			return nil
		}
		return l.checkTop(l.in.Modules[l.modOf[id]])
	}
	used := make([]bool, len(l.modOf))
	for i, m := range l.in.Modules {
		if m.Behavioural || l.modOf[m.Name] != int32(i) {
			continue // a test bench instantiates the design, but is no part of it
		}
		for k := range m.Insts {
			used[m.Insts[k].Cell] = true
		}
	}
	var tops, models []*verilog.Module
	for i, m := range l.in.Modules {
		if l.modOf[m.Name] != int32(i) || used[m.Name] || m.Behavioural || l.libOf[m.Name] != nil || len(m.Insts)+len(m.Assigns) == 0 {
			continue
		}
		if m.Celldefine {
			models = append(models, m)
		} else {
			tops = append(tops, m)
		}
	}
	if len(tops) == 0 { // `celldefine left on, or a block that is delivered as a cell
		tops = models
	}
	// A module of assigns alone is a candidate only when there is no better one.
	if withInst := slices.DeleteFunc(slices.Clone(tops), func(m *verilog.Module) bool { return len(m.Insts) == 0 }); len(withInst) > 0 {
		tops = withInst
	}
	switch len(tops) {
	case 0:
		l.noTop()
		return nil
	case 1:
		return l.checkTop(tops[0])
	}
	names := make([]string, len(tops))
	for i, m := range tops {
		names[i] = l.str(m.Name)
	}
	slices.Sort(names)
	more := ""
	if len(names) > 20 {
		names, more = names[:20], " ..."
	}
	l.bag.Add(diag.NetlistManyTops, l.pos(tops[0].Pos), "%d modules could be the top: %s%s", len(tops), strings.Join(names, " "), more)
	return nil
}

// noTop reports that no module can be the top. Where code that is not structural is the reason, it says which.
func (l *linker) noTop() {
	for _, m := range l.in.Modules {
		if m.Behavioural {
			l.bag.Add(diag.NetlistNoTop, l.pos(m.BehavPos), "none of %d modules can be the top; module %s is not structural (%s)", len(l.in.Modules), l.str(m.Name), m.BehavWhat)
			return
		}
	}
	l.bag.Add(diag.NetlistNoTop, diag.Pos{}, "none of %d modules can be the top", len(l.in.Modules))
}

func (l *linker) checkTop(m *verilog.Module) *verilog.Module {
	if m.Behavioural {
		l.bag.Add(diag.NetlistTopBehavioural, l.pos(m.BehavPos), "top module %s has a behavioural part (%s)", l.str(m.Name), m.BehavWhat)
	}
	return m
}

// typeOf decides what a cell name stands for: a library cell before a module that only models it, a structural module
// before a library cell, else a black box.
func (l *linker) typeOf(name int32) *typ {
	if i := l.typOf[name]; i > 0 {
		return &l.typs[i-1]
	}
	var m *verilog.Module
	if i := l.modOf[name]; i != None {
		m = l.in.Modules[i]
	}
	lib := l.libOf[name]
	var t typ
	switch {
	case lib != nil && (m == nil || cellModel(m)):
		t = typ{typCell, l.addCell(Cell{Name: name, Lib: lib}, nil)}
	case m != nil && !m.Behavioural && !stub(m):
		if lib != nil {
			l.bag.Add(diag.NetlistModuleAndCell, l.pos(m.Pos), "module %s hides the cell of library %s", l.str(name), lib.Lib.Name)
		}
		t = typ{typModule, l.addModule(m)}
	default:
		var decl *module
		if m != nil {
			decl = &module{src: m}
			l.declare(decl)
		}
		t = typ{typCell, l.addCell(Cell{Name: name}, decl)}
	}
	l.typs = append(l.typs, t)
	l.typOf[name] = int32(len(l.typs))
	return &l.typs[len(l.typs)-1]
}

func (l *linker) addModule(m *verilog.Module) int32 {
	l.mods = append(l.mods, &module{src: m})
	return int32(len(l.mods) - 1)
}

func (l *linker) addCell(c Cell, decl *module) int32 {
	l.nl.Cells = append(l.nl.Cells, c)
	l.cells = append(l.cells, cellShape{decl: decl})
	return int32(len(l.nl.Cells) - 1)
}

// declareAll finds all modules and cells below the top and declares their nets and ports. It also notes what black
// boxes are connected to, because that is all that is known of their pins.
func (l *linker) declareAll(top *verilog.Module) error {
	l.addModule(top)
	l.typs = append(l.typs, typ{typModule, 0})
	l.typOf[top.Name] = int32(len(l.typs))
	for i := 0; i < len(l.mods); i++ {
		m := l.mods[i]
		l.own(m)
		l.declare(m)
		l.overrides = l.overrides || m.src.Overrides
		for k := range m.src.Insts {
			if k&0xffff == 0 && l.ctx.Err() != nil {
				return l.ctx.Err()
			}
			in := &m.src.Insts[k]
			if in.Prim != verilog.PrimNone {
				continue
			}
			t := l.typeOf(in.Cell)
			if t.kind == typModule {
				continue
			}
			if s := &l.cells[t.idx]; l.nl.Cells[t.idx].Lib == nil {
				if s.n == 0 {
					s.pos = in.Pos
				}
				s.n++
				if s.decl == nil {
					l.seePins(s, m, in)
				}
			}
		}
	}
	return nil
}
