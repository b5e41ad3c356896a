package project

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/wattd/wattd/internal/design"
	"github.com/wattd/wattd/internal/diag"
	"github.com/wattd/wattd/internal/format/sdf"
	"github.com/wattd/wattd/internal/names"
	"github.com/wattd/wattd/internal/source"
	"github.com/wattd/wattd/internal/wave"
)

// Explain tells where a name binds in each file and why, or why not. Compile must have succeeded.
func (s *Session) Explain(ctx context.Context, name string, w io.Writer) (found bool, err error) {
	r := names.New(s.Netlist, names.Options{})
	e := r.Explain(name)
	p := &printer{w: w}
	p.printf("%s", e)
	if len(e.Findings) == 0 {
		return false, p.err
	}
	net, _ := r.Net(names.Spelling{Format: names.Plain}, []byte(name))
	if net < 0 {
		net, _ = r.Net(names.Spelling{Format: names.Verilog}, []byte(name))
	}
	inst, _ := r.Inst(names.Spelling{Format: names.Plain}, []byte(name))
	if inst < 0 {
		inst, _ = r.Inst(names.Spelling{Format: names.Verilog}, []byte(name))
	}
	if net < 0 && inst < 0 {
		net, inst = s.explainPin(p, r, name)
	}
	if net >= 0 {
		s.explainNet(p, net)
		if g := s.Design.NetGate[net]; g >= 0 && inst < 0 {
			inst = s.Design.Gates[g].Inst
		}
		if err := s.explainDump(ctx, p, net); err != nil {
			return true, err
		}
	} else if inst >= 0 {
		in := &s.Netlist.Insts[inst]
		p.line("netlist", "instance of %s at %s", s.Netlist.Names.String(s.Netlist.Cells[in.Cell].Name), s.place(in.Pos.File, in.Pos.Line, in.Pos.Col))
	}
	return true, s.explainSDF(ctx, p, net, inst)
}

// explainPin says where the pin of a cell is, and returns its net and its instance; none where the name is no pin.
func (s *Session) explainPin(p *printer, r *names.Resolver, name string) (net, inst int32) {
	at, b := r.Pin(names.Spelling{Format: names.Plain}, []byte(name))
	if b.Rule == names.Unbound || at.Inst < 0 {
		return design.None, design.None
	}
	nl := s.Netlist
	in := &nl.Insts[at.Inst]
	net = nl.PinNet[in.Pin0+at.Pin]
	on := "is open"
	if net >= 0 {
		on = "on net " + nl.NetName(net)
	}
	p.line("netlist", "pin of %s (%s) at %s, %s", nl.InstPath(at.Inst, '/'), nl.Names.String(nl.Cells[in.Cell].Name), s.place(in.Pos.File, in.Pos.Line, in.Pos.Col), on)
	return net, at.Inst
}

func (s *Session) place(file uint16, line int32, col uint16) string {
	d := diag.Pos{Line: int(line), Col: int(col)}
	if int(file) < len(s.verilogFiles) {
		d.File = s.verilogFiles[file]
	}
	return d.String()
}

func (s *Session) explainNet(p *printer, net int32) {
	nl, d := s.Netlist, s.Design
	n := &nl.Nets[net]
	p.line("netlist", "net %s at %s: %s", nl.NetName(net), s.place(n.Pos.File, n.Pos.Line, n.Pos.Col), d.NetClass[net])
	var also []string
	for r := range nl.Aliases(net) {
		if name := nl.RefPath(r, '/'); name != nl.NetName(net) {
			also = append(also, name)
		}
	}
	if len(also) > 0 {
		p.line("", "also named %s", strings.Join(also[:min(len(also), 10)], ", "))
	}
	for _, r := range d.Registers {
		if r.Net == net {
			p.line("", "output of register %s (%s)", nl.InstPath(r.Inst, '/'), nl.Names.String(nl.Cells[nl.Insts[r.Inst].Cell].Name))
		}
	}
	if g := d.NetGate[net]; g >= 0 {
		driver := "a primitive or an assign"
		if in := d.Gates[g].Inst; in >= 0 {
			driver = fmt.Sprintf("%s pin %s (%s)", nl.InstPath(in, '/'), nl.PinName(nl.Insts[in].Cell, d.Gates[g].Pin), nl.Names.String(nl.Cells[nl.Insts[in].Cell].Name))
		}
		p.line("", "computed by %s", driver)
	}
}

// explainDump says which variable of the dump has the values of the net.
func (s *Session) explainDump(ctx context.Context, p *printer, net int32) error {
	if s.Config.Stim == "" {
		p.line("stimulus", "no dump was given")
		return nil
	}
	return s.read(ctx, "stim", s.Config.Stim, source.VCD, func(r io.Reader) error {
		bag := &diag.Bag{}
		d, err := wave.OpenDump(ctx, s.Design, wave.Input{Name: s.Config.Stim, R: r}, s.opt.wave, bag)
		if err != nil {
			return err
		}
		name, rule, ok := d.Find(s.Netlist, net)
		class := s.Design.NetClass[net]
		switch {
		case ok && class.Source():
			p.line("stimulus", "driven by %s (rule: %s)", name, rule)
		case ok:
			p.line("stimulus", "%s has its name (rule: %s); the net is %s, so the values of the dump are not used", name, rule, class)
		case class.Source():
			p.line("stimulus", "no variable of the dump means it by any rule; it needs --unmapped")
		default:
			p.line("stimulus", "not in the dump, and not needed: the net is %s", class)
		}
		return nil
	})
}

// explainSDF lists the statements of the delay files that concern a net's wires or an instance.
func (s *Session) explainSDF(ctx context.Context, p *printer, net, inst int32) error {
	if len(s.Config.SDF) == 0 {
		p.line("sdf", "no delay file was given")
	}
	for _, arg := range s.Config.SDF {
		path, mount := splitMount(arg)
		f, err := s.openSDF(ctx, path)
		if err != nil {
			return err
		}
		x := &sdfExplainer{s: s, r: names.New(s.Netlist, names.Options{}), net: net, inst: inst, mount: mountScope(s.Netlist, mount)}
		_, err = sdf.Read(ctx, f, path, x, &diag.Bag{})
		f.Close()
		if err != nil {
			return err
		}
		if x.n == 0 {
			p.line("sdf", "%s says nothing about it", path)
		}
		for _, l := range x.lines {
			p.line("sdf", "%s", l)
		}
		if more := x.n - len(x.lines); more > 0 {
			p.line("", "and %d more statements", more)
		}
	}
	return p.err
}

// mountScope is the scope at which the root of an SDF file lies; a bad mount was diagnosed when compiling.
func mountScope(nl interface {
	ChildScope(scope int32, name []byte) int32
}, mount string,
) int32 {
	scope := int32(0)
	if mount != "" {
		for _, c := range strings.Split(mount, "/") {
			scope = max(nl.ChildScope(scope, []byte(c)), 0)
		}
	}
	return scope
}

// sdfExplainer is an sdf.Handler that keeps the statements about one net or instance.
type sdfExplainer struct {
	s         *Session
	r         *names.Resolver
	net, inst int32
	mount     int32
	div       byte
	scope     int32
	cell      int32
	lines     []string
	n         int
}

// explainLines bounds the statements that are listed.
const explainLines = 12

func (x *sdfExplainer) add(pos diag.Pos, format string, args ...any) {
	if x.n++; len(x.lines) < explainLines {
		x.lines = append(x.lines, fmt.Sprintf("%s: ", pos)+fmt.Sprintf(format, args...))
	}
}

func (x *sdfExplainer) spelling(scope int32) names.Spelling {
	return names.Spelling{Format: names.SDF, Divider: x.div, Scope: scope}
}

// Header implements sdf.Handler.
func (x *sdfExplainer) Header(h *sdf.Header) bool { x.div = h.Divider; return true }

// Cell implements sdf.Handler.
func (x *sdfExplainer) Cell(cellType, inst []byte, _ bool, pos diag.Pos) bool {
	x.scope, x.cell = x.mount, design.None
	if string(inst) == "*" {
		if x.starred(cellType) {
			x.cell, x.scope = x.inst, design.None
			x.add(pos, "CELL %s *", cellType)
		}
		return true
	}
	if len(inst) == 0 {
		return true
	}
	i, b := x.r.Inst(x.spelling(x.mount), inst)
	if b.Rule != names.Unbound {
		x.cell, x.scope = i, design.None
		if i == x.inst && i >= 0 {
			x.add(pos, "CELL %s %s (rule: %s)", cellType, inst, b.Rule)
		}
		return true
	}
	if sc, b := x.r.Scope(x.spelling(x.mount), inst); b.Rule != names.Unbound {
		x.scope = sc
	}
	return true
}

// starred says that the instance is one of all those of a type below the mount.
func (x *sdfExplainer) starred(cellType []byte) bool {
	if x.inst < 0 {
		return false
	}
	nl := x.s.Netlist
	in := &nl.Insts[x.inst]
	sc := in.Scope
	for sc >= 0 && sc != x.mount {
		sc = nl.Scopes[sc].Parent
	}
	return sc == x.mount && string(nl.Names.Bytes(nl.Cells[in.Cell].Name)) == string(cellType)
}

// IOPath implements sdf.Handler.
func (x *sdfExplainer) IOPath(p *sdf.IOPath) bool {
	if x.cell == x.inst && x.cell >= 0 {
		cond := ""
		if p.Kind != sdf.Uncond {
			cond = fmt.Sprintf(" under COND %s", p.Cond)
		}
		x.add(p.Pos, "IOPATH %s %s%s", p.In, p.Out, cond)
	}
	return true
}

// Device implements sdf.Handler.
func (x *sdfExplainer) Device(_ sdf.Mode, out []byte, _ []sdf.Value, pos diag.Pos) bool {
	if x.cell == x.inst && x.cell >= 0 {
		x.add(pos, "DEVICE %s", out)
	}
	return true
}

func (x *sdfExplainer) touches(end []byte) bool {
	if x.net < 0 {
		return false
	}
	if x.scope < 0 && x.cell >= 0 { // a pin of the cell itself
		in := &x.s.Netlist.Insts[x.cell]
		k := x.s.Netlist.PinIndex(x.cell, end)
		return k >= 0 && x.s.Netlist.PinNet[in.Pin0+k] == x.net
	}
	p, b := x.r.Pin(x.spelling(max(x.scope, 0)), end)
	if b.Rule != names.Unbound && p.Inst >= 0 {
		p.Net = x.s.Netlist.PinNet[x.s.Netlist.Insts[p.Inst].Pin0+p.Pin]
	}
	return b.Rule != names.Unbound && p.Net == x.net
}

// Interconnect implements sdf.Handler.
func (x *sdfExplainer) Interconnect(_ sdf.Mode, src, dst []byte, _ []sdf.Value, pos diag.Pos) bool {
	if x.touches(src) {
		x.add(pos, "INTERCONNECT %s %s", src, dst)
	}
	return true
}

// Port implements sdf.Handler.
func (x *sdfExplainer) Port(_ sdf.Mode, dst []byte, _ []sdf.Value, pos diag.Pos) bool {
	if x.touches(dst) {
		x.add(pos, "PORT %s", dst)
	}
	return true
}

// NetDelay implements sdf.Handler.
func (x *sdfExplainer) NetDelay(_ sdf.Mode, net []byte, _ []sdf.Value, pos diag.Pos) bool {
	n, b := x.r.Net(x.spelling(max(x.scope, 0)), net)
	if b.Rule != names.Unbound && n == x.net && x.net >= 0 || x.touches(net) {
		x.add(pos, "NETDELAY %s", net)
	}
	return true
}

// PathPulse implements sdf.Handler.
func (x *sdfExplainer) PathPulse(_ bool, in, out []byte, _ []sdf.Triple, pos diag.Pos) bool {
	if x.cell == x.inst && x.cell >= 0 {
		x.add(pos, "PATHPULSE %s %s", in, out)
	}
	return true
}
