package liberty

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/wattd/wattd/internal/diag"
	"github.com/wattd/wattd/internal/format/scan"
	"github.com/wattd/wattd/internal/logic"
)

// Read reads one library, which must not be compressed. The result is never nil unless there is an error, and an error is
// an I/O fault or the end of ctx; faults of the text go to bag. What was read before a fault stays in the result.
//
// Of two cells with one name the last one counts.
func Read(ctx context.Context, r io.Reader, file string, bag *diag.Bag) (*Library, error) {
	lib := &Library{
		File:     file,
		TimeUnit: scan.Decimal{Coef: 1, Exp: -9}, CapUnit: 1e-12, VoltUnit: 1, CurrentUnit: 1e-3, LeakUnit: 1, ResUnit: 1e3,
		NomProc: 1, NomTemp: 25,
		SlewLowerRise: 20, SlewUpperRise: 80, SlewLowerFall: 20, SlewUpperFall: 80,
		InThreshRise: 50, InThreshFall: 50, OutThreshRise: 50, OutThreshFall: 50, SlewDerate: 1,
		Voltages: map[string]float64{}, Conditions: map[string]map[string]string{}, Templates: map[string]*Template{},
		Types: map[string]BusType{}, WireLoads: map[string]*Group{}, WireLoadSelections: map[string]*Group{},
		Attrs: map[string]string{}, byName: map[string]*Cell{},
	}
	p := &parser{
		lexer:  lexer{s: scan.New(cancelReader{ctx, r}, file), bag: bag, names: map[string]string{}},
		lib:    lib,
		exprs:  map[string]*logic.Expr{},
		index:  map[string][]float64{},
		lu:     map[string]*Template{},
		power:  map[string]*Template{},
		groups: map[string]bool{},
		style:  busStyle{"[", "]"},
	}
	p.file()
	switch err := p.s.Err(); {
	case errors.Is(err, scan.ErrTokenTooLong):
		bag.Add(diag.LibertyTooLong, p.s.Pos(), "%v", err)
	case err != nil:
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return lib, nil
}

type cancelReader struct {
	ctx context.Context
	r   io.Reader
}

func (c cancelReader) Read(b []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(b)
}

// parser turns statements into a Library.
type parser struct {
	lexer
	lib       *Library
	exprs     map[string]*logic.Expr // by text; trees are shared and never changed
	index     map[string][]float64   // table indices by text
	floats    []float64              // free part of the slab that values are cut from
	lu, power map[string]*Template   // the two name spaces of templates
	groups    map[string]bool        // declared by define_group
	style     busStyle
	work      int      // spent on buses
	hasLeak   diag.Pos // of the first leakage value that is not 0
	leakUnit  bool
}

func (p *parser) file() {
	var st stmt
	seen := false
	for p.next(&st) {
		switch {
		case st.kind == group && st.name == "library" && !seen:
			seen = true
			p.lib.Name = p.str(0)
			p.library()
		case st.kind == group && st.name == "library":
			p.bag.Add(diag.LibertySecondLibrary, st.pos, "library %s behind library %s", p.str(0), p.lib.Name)
			p.skipGroup()
		case st.kind == group:
			p.errorf(st.pos, "group %s outside of the library", st.name)
			p.skipGroup()
		case st.name == "include_file":
			p.include(&st)
		default:
			p.errorf(st.pos, "attribute %s outside of the library", st.name)
		}
	}
	if !seen && p.s.Err() == nil {
		p.bag.Add(diag.LibertyNoLibrary, diag.Pos{File: p.lib.File}, "no library group in the file")
	}
}

func (p *parser) include(st *stmt) {
	p.bag.Add(diag.LibertyIncludeFile, st.pos, "include_file %s", p.arg(0))
}

func (p *parser) library() {
	var st stmt
	for p.next(&st) {
		switch st.kind {
		case simple:
			p.libraryAttr(&st)
		case complex:
			p.libraryComplex(&st)
		default:
			p.libraryGroup(&st)
		}
	}
	p.finish()
}

func (p *parser) libraryAttr(st *stmt) {
	l := p.lib
	switch st.name {
	case "time_unit":
		if d, ok := parseUnit(p.arg(0), "s"); ok {
			l.TimeUnit = d
		} else {
			p.badValue(st)
		}
	case "voltage_unit":
		p.unit(st, "V", &l.VoltUnit)
	case "current_unit":
		p.unit(st, "A", &l.CurrentUnit)
	case "leakage_power_unit":
		p.leakUnit = true
		p.unit(st, "W", &l.LeakUnit)
	case "pulling_resistance_unit":
		p.unit(st, "ohm", &l.ResUnit)
	case "nom_voltage":
		p.number(st, &l.NomVoltage)
	case "nom_temperature":
		p.number(st, &l.NomTemp)
	case "nom_process":
		p.number(st, &l.NomProc)
	case "slew_lower_threshold_pct_rise":
		p.number(st, &l.SlewLowerRise)
	case "slew_upper_threshold_pct_rise":
		p.number(st, &l.SlewUpperRise)
	case "slew_lower_threshold_pct_fall":
		p.number(st, &l.SlewLowerFall)
	case "slew_upper_threshold_pct_fall":
		p.number(st, &l.SlewUpperFall)
	case "input_threshold_pct_rise":
		p.number(st, &l.InThreshRise)
	case "input_threshold_pct_fall":
		p.number(st, &l.InThreshFall)
	case "output_threshold_pct_rise":
		p.number(st, &l.OutThreshRise)
	case "output_threshold_pct_fall":
		p.number(st, &l.OutThreshFall)
	case "slew_derate_from_library":
		p.number(st, &l.SlewDerate)
	case "default_operating_conditions":
		l.DefaultOC = p.str(0)
	case "default_wire_load":
		l.DefaultWL = p.str(0)
	case "bus_naming_style":
		if s, ok := parseStyle(p.str(0)); ok {
			p.style = s
		} else {
			p.badValue(st)
		}
	default:
		l.Attrs[st.name] = p.str(0)
	}
}

func (p *parser) libraryComplex(st *stmt) {
	switch st.name {
	case "capacitive_load_unit":
		d, ok := parseDecimalUnit(p.arg(0), p.arg(1))
		if !ok {
			p.badValue(st)
			return
		}
		p.lib.CapUnit = d
	case "voltage_map":
		v, ok := parseFloat(p.arg(1))
		if !ok {
			p.bag.Add(diag.LibertyBadNumber, st.pos, "voltage_map of %s is %q", p.arg(0), p.arg(1))
			return
		}
		p.lib.Voltages[p.str(0)] = v
	case "define_group":
		p.groups[p.str(0)] = true
	case "include_file":
		p.include(st)
	}
}

func (p *parser) libraryGroup(st *stmt) {
	switch st.name {
	case "cell":
		p.cell(st)
	case "operating_conditions":
		name := p.str(0)
		g := p.raw(st, 0)
		m := map[string]string{}
		for _, a := range g.Attrs {
			m[a.Name] = strings.Join(a.Values, " ")
		}
		p.lib.Conditions[name] = m
	case "wire_load":
		name := p.str(0)
		p.lib.WireLoads[name] = p.raw(st, 0)
	case "wire_load_selection":
		name := p.str(0)
		p.lib.WireLoadSelections[name] = p.raw(st, 0)
	case "lu_table_template":
		p.template(p.lu)
	case "power_lut_template":
		p.template(p.power)
	case "type":
		name := p.str(0)
		if b, ok := p.busType(st); ok {
			p.lib.Types[name] = b
		}
	default:
		p.skip(st)
	}
}

// template reads a template into the name space it belongs to. The one map of the Library shows the first of a name.
func (p *parser) template(space map[string]*Template) {
	t := &Template{Name: p.str(0)}
	var st stmt
	for p.nextAttr(&st) {
		switch st.name {
		case "variable_1", "variable_2", "variable_3":
			for k := int(st.name[9] - '0'); len(t.Vars) < k; {
				t.Vars = append(t.Vars, "")
			}
			t.Vars[st.name[9]-'1'] = p.str(0)
		case "index_1", "index_2", "index_3":
			x, ok := p.indices()
			if !ok {
				p.bag.Add(diag.LibertyBadTable, st.pos, "template %s: %s is not a list of numbers", t.Name, st.name)
				continue
			}
			for k := int(st.name[6] - '0'); len(t.Index) < k; {
				t.Index = append(t.Index, nil)
			}
			t.Index[st.name[6]-'1'] = x
		}
	}
	space[t.Name] = t
	if p.lib.Templates[t.Name] == nil {
		p.lib.Templates[t.Name] = t
	}
}

// maxRaw bounds the nesting of groups that are kept as read.
const maxRaw = 16

// raw keeps a group as read.
func (p *parser) raw(st *stmt, depth int) *Group {
	g := &Group{Name: st.name, Pos: st.pos}
	for i := range p.args {
		g.Args = append(g.Args, p.str(i))
	}
	var s stmt
	for p.next(&s) {
		switch {
		case s.kind != group:
			a := Attr{Name: s.name, Pos: s.pos}
			for i := range p.args {
				a.Values = append(a.Values, p.str(i))
			}
			g.Attrs = append(g.Attrs, a)
		case depth == maxRaw:
			p.errorf(s.pos, "groups nested deeper than %d", maxRaw)
			p.skipGroup()
		default:
			g.Groups = append(g.Groups, p.raw(&s, depth+1))
		}
	}
	return g
}

// skip passes over a statement that nothing uses. Groups outside of the standard are noted.
func (p *parser) skip(st *stmt) {
	if st.kind != group {
		return
	}
	if !unusedGroup(st.name) && !p.groups[st.name] {
		p.bag.Add(diag.LibertyUnknownGroup, st.pos, "group %s", st.name)
	}
	p.skipGroup()
}

// nextAttr is next without groups, which it skips.
func (p *parser) nextAttr(st *stmt) bool {
	for p.next(st) {
		if st.kind != group {
			return true
		}
		p.skip(st)
	}
	return false
}

// finish applies what may stand behind the cells in the file: defaults of the library.
func (p *parser) finish() {
	l := p.lib
	var pinCap [Internal + 1]float64
	for dir, name := range map[Dir]string{Input: "default_input_pin_cap", Output: "default_output_pin_cap", Inout: "default_inout_pin_cap"} {
		if v, ok := l.Attrs[name]; ok {
			pinCap[dir], _ = strconv.ParseFloat(v, 64)
		}
	}
	leak, hasLeak := 0.0, false
	if v, ok := l.Attrs["default_cell_leakage_power"]; ok {
		f, err := strconv.ParseFloat(v, 64)
		leak, hasLeak = f, err == nil
	}
	if hasLeak && leak != 0 && p.hasLeak.Line == 0 {
		p.hasLeak = diag.Pos{File: l.File}
	}
	for _, c := range l.Cells {
		if !c.HasLeakDefault && len(c.Leakage) == 0 && hasLeak {
			c.LeakDefault, c.HasLeakDefault = leak, true
		}
		for _, pin := range c.Pins {
			if !pin.HasCap {
				pin.Cap = pinCap[pin.Dir]
			}
			if !pin.HasCapRise {
				pin.CapRise, pin.CapFall = pin.Cap, pin.Cap
			}
		}
	}
	if p.hasLeak.File != "" && !p.leakUnit {
		p.bag.Add(diag.LibertyNoLeakageUnit, p.hasLeak, "leakage without leakage_power_unit")
	}
}

func (p *parser) addCell(c *Cell) {
	l := p.lib
	if old := l.byName[c.Name]; old != nil {
		p.bag.Add(diag.LibertyDuplicateCell, c.Pos, "cell %s again; it replaces the one at %v", c.Name, old.Pos)
		i := slices.Index(l.Cells, old)
		l.Cells = slices.Delete(l.Cells, i, i+1)
	}
	l.byName[c.Name] = c
	l.Cells = append(l.Cells, c)
}
