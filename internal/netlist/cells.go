package netlist

import (
	"strconv"
	"strings"

	"github.com/wattd/wattd/internal/diag"
	"github.com/wattd/wattd/internal/format/liberty"
	"github.com/wattd/wattd/internal/format/verilog"
)

// A pin code says what a pin name of a cell is: >= 0 the pin, <= codeBus bus number codeBus-code, or one of these.
const (
	codePower   = -2 // a power pin: the connection is ignored
	codeUnknown = -3
	codeBus     = -10
)

// cellShape is how connections of a leaf cell bind.
type cellShape struct {
	order []int32   // positional connections: pin codes
	buses [][]int32 // pins of each bus, most significant first

	// Black boxes only.
	decl  *module // its module, if there is one
	seen  nameTab // else the pin names seen in connections
	width []int32 // and the widest connection of each
	n     int64   // instances
	pos   verilog.Pos
}

// powerNames are the usual names of power pins in libraries. A connection to one that is no pin of the cell is
// ignored: netlists carry power pins whether or not the library does.
var powerNames = func() map[string]bool {
	m := map[string]bool{}
	for _, s := range strings.Fields(`vpwr vgnd vpb vnb vdd vss vcc gnd vee vbb vdda vssa vddd vssd vdda1 vdda2 vssa1 vssa2 vddio vssio
		vccd vccd1 vccd2 vssd1 vssd2 vdd1 vdd2 vss1 vss2 vddg vssg vddc vssc vddl vddh vddp vddm vddpe vddce vddx vsse vssx vssp vnw vpw nwell pwell
		vbp vbn vbbp vbbn vddbias vssbias kapwr lowlvpwr vpwrin vswitch avdd avss dvdd dvss tvdd vdd! vss! gnd! vcc! vpp vneg`) {
		m[s] = true
	}
	return m
}()

func (l *linker) isPower(name int32) bool {
	p, ok := l.power[name]
	if !ok {
		if l.power == nil {
			l.power = map[int32]bool{}
		}
		p = powerNames[strings.ToLower(l.str(name))]
		l.power[name] = p
	}
	return p
}

// seePins notes the pins of a black box without a module that an instance connects.
func (l *linker) seePins(s *cellShape, m *module, in *verilog.Inst) {
	b := binder{l: l, m: m, pos: in.Pos}
	n := copies(in)
	for i := range in.NConn {
		c := m.src.Conns[in.Conn+i]
		port := c.Port
		if port == 0 {
			if c.Expr == None && in.NConn == 1 {
				continue // u ()
			}
			port = l.positional(i)
		} else if l.isPower(port) {
			continue
		}
		w := int64(1)
		if c.Expr != None {
			w = b.width(c.Expr)
		}
		if n > 1 && w%n == 0 {
			w /= n
		}
		k, isNew := s.seen.add(port)
		if isNew {
			s.width = append(s.width, 1)
		}
		s.width[k] = max(s.width[k], int32(w))
	}
}

// positional is the name of pin i of a black box without port names.
func (l *linker) positional(i int32) int32 {
	return l.names.Intern(strconv.AppendInt([]byte{'$'}, int64(i)+1, 10))
}

// shapeCells fixes the pins of all cell types and how connections bind to them.
func (l *linker) shapeCells() {
	for i := range l.nl.Cells {
		c, s := &l.nl.Cells[i], &l.cells[i]
		if c.Lib != nil {
			l.shapeLib(int32(i), c.Lib, s)
			continue
		}
		if s.decl != nil {
			for _, p := range s.decl.ports {
				l.addBoxPort(int32(i), p.name, s.decl.portRange(p), p.dir)
			}
		} else {
			for k, name := range s.seen.key {
				d := scalar
				if w := s.width[k]; w > 1 {
					d = decl{msb: w - 1, lsb: 0}
				}
				l.addBoxPort(int32(i), name, d, verilog.DirNone)
			}
		}
		if len(c.Pins) > 0 {
			l.bag.AddN(diag.NetlistBlackBox, s.n, l.pos(s.pos), "cell %s: no library cell and no structural module; %d instances are black boxes", l.str(c.Name), s.n)
		}
	}
}

func (l *linker) shapeLib(cell int32, c *liberty.Cell, s *cellShape) {
	for _, p := range c.PG {
		l.pins.put(cell, l.names.InternString(p.Name), codePower)
	}
	for _, b := range c.Buses {
		l.pins.put(cell, l.names.InternString(b.Name), codeBus-int32(len(s.buses)))
		s.buses = append(s.buses, b.Pins)
	}
	last := int32(-1)
	for i, p := range c.Pins {
		// The pins of a bus follow each other; the first one stands for its place in the order.
		if p.Bus < 0 {
			s.order = append(s.order, int32(i))
		} else if p.Bus != last {
			s.order = append(s.order, codeBus-p.Bus)
		}
		last = p.Bus
		l.pins.put(cell, l.names.InternString(p.Name), int32(i))
	}
}

// addBoxPort adds the pins of one port of a black box.
func (l *linker) addBoxPort(cell, name int32, d decl, dir verilog.Dir) {
	c, s := &l.nl.Cells[cell], &l.cells[cell]
	if s.decl != nil && l.isPower(name) {
		l.pins.put(cell, name, codePower)
		s.order = append(s.order, codePower)
		return
	}
	if !d.vector() {
		p := int32(len(c.Pins))
		l.pins.put(cell, name, p)
		s.order = append(s.order, p)
		c.Pins, c.Dirs = append(c.Pins, name), append(c.Dirs, dir)
		return
	}
	code := codeBus - int32(len(s.buses))
	l.pins.put(cell, name, code)
	s.order = append(s.order, code)
	var bus []int32
	for k := range d.width() {
		bit := l.elem(name, d.index(k))
		bus = append(bus, int32(len(c.Pins)))
		l.pins.put(cell, bit, int32(len(c.Pins)))
		c.Pins, c.Dirs = append(c.Pins, bit), append(c.Dirs, dir)
	}
	s.buses = append(s.buses, bus)
}

// elem interns the name of an element, "name[i]".
func (l *linker) elem(name, i int32) int32 {
	b := append([]byte(nil), l.names.Bytes(name)...)
	b = append(b, '[')
	b = strconv.AppendInt(b, int64(i), 10)
	return l.names.Intern(append(b, ']'))
}

// pinCode returns the code of a pin name.
func (l *linker) pinCode(cell, name int32) int32 {
	if c, ok := l.pins.get(cell, name); ok {
		return c
	}
	c := int32(codeUnknown)
	if l.isPower(name) {
		c = codePower
	}
	l.pins.put(cell, name, c)
	return c
}
