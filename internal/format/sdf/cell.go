package sdf

import (
	"bytes"

	"github.com/wattd/wattd/internal/diag"
)

// cell reads one CELL entry. The handler learns of it at its first timing statement, when type and instance are known.
func (p *parser) cell() {
	p.st.Cells++
	pos := p.at
	p.cellType, p.inst = p.cellType[:0], p.inst[:0]
	instances, announced := 0, false
	announce := func() bool {
		if announced {
			return !p.stop
		}
		announced = true
		if string(p.inst) == "*" && len(p.cellType) == 0 {
			p.bag.Add(diag.SDFSyntax, pos, "INSTANCE * in a CELL without CELLTYPE")
			return false
		}
		p.stop = !p.h.Cell(p.cellType, p.inst, instances > 0, pos)
		return !p.stop
	}
	for p.stmt() {
		d := p.depth - 1
		switch string(p.kw) {
		case "CELLTYPE":
			if announced {
				p.bad("CELLTYPE after a timing statement of its CELL")
				return
			}
			p.cellType = p.text(p.cellType[:0], " ")
		case "INSTANCE":
			if announced {
				p.bad("INSTANCE after a timing statement of its CELL")
				return
			}
			if !p.instance(instances) {
				return // whose delays these are is not known
			}
			instances++
		case "DELAY":
			if !announce() {
				return
			}
			p.delay()
		case "TIMINGCHECK":
			p.st.TimingChecks += p.leave(d)
		case "TIMINGENV":
			p.st.TimingEnvs += p.leave(d)
		case "LABEL":
			p.st.Labels += p.leave(d)
		default:
			p.unknown()
		}
		p.leave(d)
	}
	if !p.stop {
		announce()
	}
}

// instance reads the path of INSTANCE. Old writers give one INSTANCE for each level of the hierarchy; these are joined.
func (p *parser) instance(n int) bool {
	p.tmp = p.text(p.tmp[:0], " ")
	if i := bytes.IndexByte(p.tmp, ' '); i >= 0 {
		// A Verilog escaped name inside a path ends at a blank, and the divider follows.
		if i+1 == len(p.tmp) || p.tmp[i+1] != p.head.Divider || bytes.IndexByte(p.tmp[i+1:], ' ') >= 0 {
			p.bad("INSTANCE takes one path")
			return false
		}
		p.tmp = append(p.tmp[:i], p.tmp[i+1:]...)
	}
	if p.peek() != ')' {
		p.bad("INSTANCE takes one path")
		return false
	}
	if n == 0 {
		p.inst = append(p.inst, p.tmp...)
		return true
	}
	p.bag.Add(diag.SDFSeveralInstances, p.at, "a second INSTANCE is read as the next level of the path")
	if string(p.inst) == "*" || string(p.tmp) == "*" {
		p.bad("INSTANCE * beside another INSTANCE")
		return false
	}
	if len(p.inst) > 0 && len(p.tmp) > 0 {
		p.inst = append(p.inst, p.head.Divider)
	}
	p.inst = append(p.inst, p.tmp...)
	return !p.long(p.inst)
}

// delay reads the entries of DELAY.
func (p *parser) delay() {
	for p.stmt() {
		d := p.depth - 1
		switch string(p.kw) {
		case "ABSOLUTE":
			p.entries(Absolute)
		case "INCREMENT", "INCREMENTAL":
			p.entries(Increment)
		default:
			if !p.pulse() {
				p.unknown()
			}
		}
		p.leave(d)
	}
}

// entries reads the statements of ABSOLUTE or INCREMENT. A statement that fails has been reported and is left by its
// parentheses.
func (p *parser) entries(mode Mode) {
	for p.stmt() {
		d := p.depth - 1
		switch string(p.kw) {
		case "IOPATH":
			p.io.Mode, p.io.Kind, p.io.Cond, p.io.Label = mode, Uncond, nil, nil
			p.iopath()
		case "INTERCONNECT":
			if p.a, p.b = p.name(p.a[:0]), p.name(p.b[:0]); len(p.b) == 0 {
				p.bad("INTERCONNECT needs a source and a load")
			} else if at := p.at; p.values(nil) {
				p.st.Interconnects++
				p.stop = !p.h.Interconnect(mode, p.a, p.b, p.val, at)
			}
		case "COND":
			p.cond(mode)
		case "CONDELSE":
			p.condelse(mode)
		case "PORT":
			if p.named() {
				p.st.Ports++
				p.stop = !p.h.Port(mode, p.a, p.val, p.at)
			}
		case "NETDELAY":
			if p.named() {
				p.st.NetDelays++
				p.stop = !p.h.NetDelay(mode, p.a, p.val, p.at)
			}
		case "DEVICE":
			if p.a = p.name(p.a[:0]); p.values(nil) {
				p.st.Devices++
				p.stop = !p.h.Device(mode, p.a, p.val, p.at)
			}
		default:
			if !p.pulse() {
				p.unknown()
			}
		}
		p.leave(d)
	}
}

// named reads one name and values.
func (p *parser) named() bool {
	if p.a = p.name(p.a[:0]); len(p.a) == 0 {
		p.bad("%s needs a name", p.kw)
		return false
	}
	return p.values(nil)
}

// iopath reads an IOPATH behind its keyword into p.io and hands it over.
func (p *parser) iopath() bool {
	io := &p.io
	io.Pos, io.Edge, io.Retained = p.at, AnyEdge, false
	if p.peek() == '(' {
		p.open()
		p.space()
		p.word()
		switch string(p.kw) {
		case "POSEDGE", "01":
			io.Edge = Posedge
		case "NEGEDGE", "10":
			io.Edge = Negedge
		case "0Z", "Z1", "1Z", "Z0":
			io.Edge = ZEdge
		default:
			p.bad("%q is not an edge", p.kw)
			return false
		}
		if p.a = p.name(p.a[:0]); len(p.a) == 0 || !p.close() {
			p.bad("an edge is written (posedge PIN)")
			return false
		}
	} else {
		p.a = p.name(p.a[:0])
	}
	if p.b = p.name(p.b[:0]); len(p.b) == 0 {
		p.bad("IOPATH needs an input and an output")
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
	p.stop = !p.h.IOPath(io)
	return !p.stop
}

// pulse reads PATHPULSE and PATHPULSEPERCENT (once called GLOBALPATHPULSE); false when the statement is another.
func (p *parser) pulse() bool {
	percent := true
	switch string(p.kw) {
	case "PATHPULSE":
		percent = false
	case "PATHPULSEPERCENT", "GLOBALPATHPULSE":
	default:
		return false
	}
	p.a, p.b = p.name(p.a[:0]), p.name(p.b[:0])
	if len(p.a) > 0 && len(p.b) == 0 {
		p.bad("%s takes an input and an output, or no port", p.kw)
	} else if p.limits() {
		p.st.PathPulses++
		p.stop = !p.h.PathPulse(percent, p.a, p.b, p.lim, p.at)
	}
	return true
}
