package sdf

import (
	"bytes"

	"github.com/wattd/wattd/internal/diag"
)

// cell reads one CELL entry. The handler learns of it at its first timing statement, when type and instance are known.
func (p *parser) cell() {
	p.st.Cells++
	pos := p.At
	p.cellType, p.inst = p.cellType[:0], p.inst[:0]
	p.cellPos, p.instances, p.announced = pos, 0, false
	p.cellItems()
}

// announce tells the handler of the CELL once.
func (p *parser) announce() bool {
	if p.announced {
		return !p.Stop
	}
	p.announced = true
	if string(p.inst) == "*" && len(p.cellType) == 0 {
		p.Bag.Add(diag.SDFSyntax, p.cellPos, "INSTANCE * in a CELL without CELLTYPE")
		return false
	}
	p.Stop = !p.h.Cell(p.cellType, p.inst, p.instances > 0, p.cellPos)
	return !p.Stop
}

// cellItems reads what is in a CELL.
func (p *parser) cellItems() {
	for p.Stmt() {
		d := p.Depth - 1
		switch string(p.Kw) {
		case "CELLTYPE":
			if p.announced {
				p.Bad("CELLTYPE after a timing statement of its CELL")
				return
			}
			p.cellType = p.Text(p.cellType[:0], " ")
		case "INSTANCE":
			if p.announced {
				p.Bad("INSTANCE after a timing statement of its CELL")
				return
			}
			if !p.instance(p.instances) {
				return // whose delays these are is not known
			}
			p.instances++
		case "DELAY":
			if !p.announce() {
				return
			}
			p.delay()
		case "TIMINGCHECK":
			p.st.TimingChecks += p.Leave(d)
		case "TIMINGENV":
			p.st.TimingEnvs += p.Leave(d)
		case "LABEL":
			p.st.Labels += p.Leave(d)
		default:
			p.unknown()
		}
		p.Leave(d)
	}
	if !p.Stop {
		p.announce()
	}
}

// instance reads the path of INSTANCE. Old writers give one INSTANCE for each level of the hierarchy; these are joined.
func (p *parser) instance(n int) bool {
	p.tmp = p.Text(p.tmp[:0], " ")
	if i := bytes.IndexByte(p.tmp, ' '); i >= 0 {
		// A Verilog escaped name inside a path ends at a blank, and the divider follows.
		if i+1 == len(p.tmp) || p.tmp[i+1] != p.head.Divider || bytes.IndexByte(p.tmp[i+1:], ' ') >= 0 {
			p.Bad("INSTANCE takes one path")
			return false
		}
		p.tmp = append(p.tmp[:i], p.tmp[i+1:]...)
	}
	if p.Token() != ')' {
		p.Bad("INSTANCE takes one path")
		return false
	}
	if n == 0 {
		p.inst = append(p.inst, p.tmp...)
		return true
	}
	p.Bag.Add(diag.SDFSeveralInstances, p.At, "a second INSTANCE is read as the next level of the path")
	if string(p.inst) == "*" || string(p.tmp) == "*" {
		p.Bad("INSTANCE * beside another INSTANCE")
		return false
	}
	if len(p.inst) > 0 && len(p.tmp) > 0 {
		p.inst = append(p.inst, p.head.Divider)
	}
	p.inst = append(p.inst, p.tmp...)
	return !p.Long(p.inst)
}

// delay reads the entries of DELAY.
func (p *parser) delay() {
	for p.Stmt() {
		d := p.Depth - 1
		switch string(p.Kw) {
		case "ABSOLUTE":
			p.entries(Absolute)
		case "INCREMENT", "INCREMENTAL":
			p.entries(Increment)
		default:
			if !p.pulse() {
				p.unknown()
			}
		}
		p.Leave(d)
	}
}

// entries reads the statements of ABSOLUTE or INCREMENT. A statement that fails has been reported and is left by its
// parentheses.
func (p *parser) entries(mode Mode) {
	depth := p.Depth
	for {
		p.mark(AtEntry, mode)
		if !p.Stmt() {
			break
		}
		d := p.Depth - 1
		switch string(p.Kw) {
		case "IOPATH":
			p.io.Mode, p.io.Kind, p.io.Cond, p.io.Label = mode, Uncond, nil, nil
			p.iopath()
		case "INTERCONNECT":
			if p.a, p.b = p.Name(p.a[:0]), p.Name(p.b[:0]); len(p.b) == 0 {
				p.Bad("INTERCONNECT needs a source and a load")
			} else if at := p.At; p.values(nil) {
				p.st.Interconnects++
				p.Stop = !p.h.Interconnect(mode, p.a, p.b, p.val, at)
			}
		case "COND":
			p.cond(mode)
		case "CONDELSE":
			p.condelse(mode)
		case "PORT":
			if p.named() {
				p.st.Ports++
				p.Stop = !p.h.Port(mode, p.a, p.val, p.At)
			}
		case "NETDELAY":
			if p.named() {
				p.st.NetDelays++
				p.Stop = !p.h.NetDelay(mode, p.a, p.val, p.At)
			}
		case "DEVICE":
			if p.a = p.Name(p.a[:0]); p.values(nil) {
				p.st.Devices++
				p.Stop = !p.h.Device(mode, p.a, p.val, p.At)
			}
		default:
			if !p.pulse() {
				p.unknown()
			}
		}
		p.Leave(d)
	}
	if p.ended(depth) {
		p.end = p.entryPlace(mode)
	}
}

// named reads one name and values.
func (p *parser) named() bool {
	if p.a = p.Name(p.a[:0]); len(p.a) == 0 {
		p.Bad("%s needs a name", p.Kw)
		return false
	}
	return p.values(nil)
}

// iopath reads an IOPATH behind its keyword into p.io and hands it over.
func (p *parser) iopath() bool {
	io := &p.io
	io.Pos, io.Edge, io.Retained = p.At, AnyEdge, false
	if p.Token() == '(' {
		p.Open()
		p.Space()
		p.Word()
		switch string(p.Kw) {
		case "POSEDGE", "01":
			io.Edge = Posedge
		case "NEGEDGE", "10":
			io.Edge = Negedge
		case "0Z", "Z1", "1Z", "Z0":
			io.Edge = ZEdge
		default:
			p.Bad("%q is not an edge", p.Kw)
			return false
		}
		if p.a = p.Name(p.a[:0]); len(p.a) == 0 || !p.Close() {
			p.Bad("an edge is written (posedge PIN)")
			return false
		}
	} else {
		p.a = p.Name(p.a[:0])
	}
	if p.b = p.Name(p.b[:0]); len(p.b) == 0 {
		p.Bad("IOPATH needs an input and an output")
		return false
	}
	if !p.values(&io.Retained) {
		return false
	}
	p.st.IOPaths++
	if io.Edge == ZEdge {
		p.st.ZEdges++
	}
	io.In, io.Out, io.Val = p.a, p.b, p.val
	p.Stop = !p.h.IOPath(io)
	return !p.Stop
}

// pulse reads PATHPULSE and PATHPULSEPERCENT (once called GLOBALPATHPULSE); false when the statement is another.
func (p *parser) pulse() bool {
	percent := true
	switch string(p.Kw) {
	case "PATHPULSE":
		percent = false
	case "PATHPULSEPERCENT", "GLOBALPATHPULSE":
	default:
		return false
	}
	p.a, p.b = p.Name(p.a[:0]), p.Name(p.b[:0])
	if len(p.a) > 0 && len(p.b) == 0 {
		p.Bad("%s takes an input and an output, or no port", p.Kw)
	} else if p.limits() {
		p.st.PathPulses++
		p.Stop = !p.h.PathPulse(percent, p.a, p.b, p.lim, p.At)
	}
	return true
}
