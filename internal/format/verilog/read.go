package verilog

import (
	"context"
	"io"

	"github.com/wattd/wattd/internal/diag"
	"github.com/wattd/wattd/internal/format/scan"
)

// Option adjusts Read. The zero value reads a file that stands alone.
type Option struct {
	// Defines are macros that are defined from the start, as by +define+NAME=text.
	Defines map[string]string
	// Include opens the file of an `include and returns it with its path. Without it `include is an error.
	Include func(name string) (io.ReadCloser, string, error)
	// AddFile returns the index under which positions name an included file; without it they name the including one.
	AddFile func(name string) uint16
	// Track, where given, notes where the file can be entered again.
	Track *Track
}

// Read reads one file. Names are interned in names, positions carry fileIndex, faults of the text go to bag (which
// then has errors, and the modules are not to be used). The error is an I/O fault or a cancellation.
func Read(ctx context.Context, r io.Reader, file string, fileIndex uint16, names *scan.Names, opt Option, bag *diag.Bag) ([]*Module, error) {
	p := &parser{}
	p.lexer = lexer{
		ctx: ctx, names: names, bag: bag, opt: opt,
		files: map[uint16]string{fileIndex: file}, unitExp: defaultUnit, track: opt.Track,
	}
	if len(opt.Defines) > 0 {
		p.macros = map[string]*macro{}
		for k, v := range opt.Defines {
			p.macros[k] = &macro{name: k, body: []byte(v)}
		}
	}
	p.push(input{s: scan.New(&reader{ctx, r, opt.Track}, file), file: file, index: fileIndex})
	defer p.closeAll()
	p.next()
	p.source()
	if p.fault != nil {
		return nil, p.fault
	}
	if opt.Track != nil {
		opt.Track.end()
	}
	if len(p.modules) == 0 && p.errors == 0 {
		bag.Add(diag.VerilogEmpty, diag.Pos{File: file}, "no module in this file")
	}
	return p.modules, nil
}

// reader ends the input when the context is done.
type reader struct {
	ctx   context.Context
	r     io.Reader
	track *Track
}

func (r *reader) Read(b []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := r.r.Read(b)
	if r.track != nil {
		r.track.add(b[:n])
	}
	return n, err
}

// parser is a recursive descent parser over the tokens of the lexer.
type parser struct {
	lexer
	modules  []*Module
	m        *Module
	netOf    []int32 // name -> index in m.Nets, where that entry has the name
	params   map[int32]param
	operands []int32        // of the concatenations in hand
	inner    bool           // the brace in hand begins an operand of a concatenation
	reals    []scan.Decimal // operands of opReal
	digits   []byte         // the number in hand
	depth    int            // nesting of the expression in hand
	failed   bool           // m had a syntax error
}

// expect consumes a token or reports what stands in its place.
func (p *parser) expect(k token, where string) bool {
	if p.kind == k {
		p.next()
		return true
	}
	p.unexpected("'" + string(rune(k)) + "' " + where)
	return false
}

// unexpected reports the current token.
func (p *parser) unexpected(want string) {
	p.failed = true
	switch p.kind {
	case tEOF:
		p.report(diag.VerilogUnterminated, p.pos(), "the file ends where %s should be", want)
	case tBad: // reported when it was read
	case tString:
		p.report(diag.VerilogSyntax, p.pos(), "%s expected, not a string", want)
	default:
		t := p.text
		if len(t) > 60 {
			t = t[:60]
		}
		p.report(diag.VerilogSyntax, p.pos(), "%s expected, not %q", want, t)
	}
}

// word is the keyword in hand, or kwNone.
func (p *parser) word() keyword {
	if p.kind == tIdent {
		return lookup(p.text)
	}
	return kwNone
}

// name interns the identifier in hand and goes on.
func (p *parser) name(what string) (int32, bool) {
	if p.kind != tEscaped && (p.kind != tIdent || lookup(p.text).reserved()) {
		p.unexpected(what)
		return 0, false
	}
	id := p.names.Intern(p.text)
	p.next()
	return id, true
}

// endItem consumes the semicolon of an item; what attributes stood inside the item is forgotten.
func (p *parser) endItem(what string) bool {
	if p.kind != ';' {
		p.unexpected("';' after " + what)
		return false
	}
	p.src = 0
	p.next()
	return true
}

// source reads the top level.
func (p *parser) source() {
	for p.kind != tEOF {
		switch w := p.word(); w {
		case kwModule:
			p.module()
		case kwPrimitive, kwConfig, kwPackage, kwInterface:
			p.foreign(w)
		default:
			if p.kind == ';' {
				p.next()
				continue
			}
			p.unexpected("'module'")
			for p.kind != tEOF && p.kind != ';' && p.word() != kwModule && p.word() != kwPrimitive {
				p.next()
			}
		}
	}
}

// begin starts a module with the name in hand.
func (p *parser) begin() bool {
	at := p.pos()
	id, ok := p.name("a module name")
	p.m = &Module{
		Name: id, Pos: at, Celldefine: p.celldefine, UnitExp: p.unitExp, NoImplicit: p.noImplicit,
	}
	p.params, p.reals, p.failed, p.src = nil, nil, false, 0
	if ok {
		p.modules = append(p.modules, p.m)
	}
	if p.track != nil {
		p.track.open(id)
	}
	return ok
}

// foreign skips a design element that is no module. A primitive is known by name, so that its use can be diagnosed.
func (p *parser) foreign(w keyword) {
	at, start := p.pos(), string(p.text)
	p.next()
	if w == kwPrimitive && p.begin() {
		p.behavioural(at, start)
	}
	for p.kind != tEOF {
		if p.word() == w.end() {
			p.next()
			return
		}
		p.next()
	}
	p.report(diag.VerilogUnterminated, at, "%s without its end", start)
}

// module reads a module from its keyword to endmodule.
func (p *parser) module() {
	start := p.pos()
	p.next()
	if p.word() == kwAutomatic || p.word() == kwStatic {
		p.next()
	}
	if !p.begin() {
		p.resync()
	} else if !p.header() {
		p.resync()
	}
	for p.kind != tEOF {
		var was counts
		empty := p.kind == ';'
		if p.track != nil {
			p.border()
			was = p.counts()
		}
		switch p.word() {
		case kwEndmodule:
			p.finish()
			p.next()
			p.label()
			return
		case kwModule:
			p.failed = true
			p.report(diag.VerilogSyntax, p.pos(), "module inside module %s, which has no endmodule", p.names.Bytes(p.m.Name))
			p.finish()
			return
		}
		if !p.item() {
			p.failed = true
			p.resync()
		} else if p.track != nil {
			p.note(was, empty)
		}
	}
	p.report(diag.VerilogUnterminated, start, "module %s without endmodule", p.names.Bytes(p.m.Name))
}

// label skips `: name` after an end.
func (p *parser) label() {
	if p.kind == ':' {
		p.next()
		if p.kind == tIdent || p.kind == tEscaped {
			p.next()
		}
	}
}

// item reads one item of a module. It is false after a syntax error.
func (p *parser) item() bool {
	at := p.pos()
	w := p.word()
	switch w.class() {
	case isName:
		switch p.kind {
		case tIdent, tEscaped:
			return p.instances()
		case ';':
			return p.endItem("")
		case tSystem:
			p.behavioural(at, string(p.text))
			return p.skipStatement()
		}
		p.unexpected("an item of a module")
		return false
	case isDir, isNet:
		return p.declaration()
	case isGate:
		return p.primitives(w)
	case isParam:
		return p.parameters()
	case isStatement:
		p.behavioural(at, string(p.text))
		return p.skipStatement()
	case isBlock:
		if w != kwSpecify {
			p.behavioural(at, string(p.text))
		}
		return p.skipBlock(w)
	case isVariable:
		return p.skipItem()
	}
	switch w {
	case kwAssign:
		return p.assigns()
	case kwDefparam:
		p.report(diag.VerilogDefparam, at, "defparam in module %s is ignored", p.names.Bytes(p.m.Name))
		p.m.Overrides = true
		return p.skipItem()
	case kwGenerate, kwEndgenerate:
		p.next()
		return true
	case kwOther:
		p.behavioural(at, string(p.text))
		return p.skipItem()
	}
	p.unexpected("an item of a module")
	return false
}

// behavioural marks the module as not structural.
func (p *parser) behavioural(at Pos, what string) {
	if p.m.Behavioural {
		return
	}
	p.m.Behavioural, p.m.BehavPos, p.m.BehavWhat = true, at, what
	p.report(diag.VerilogBehavioural, at, "module %s is not structural: %s", p.names.Bytes(p.m.Name), what)
}

// finish checks the ports of a complete module.
func (p *parser) finish() {
	m := p.m
	if m.Behavioural || p.failed {
		return
	}
	declared := map[int32]bool{}
	for i := range m.Ports {
		port := &m.Ports[i]
		if port.Expr != None {
			p.portNets(port.Expr, declared)
			continue
		}
		declared[port.Name] = true
		if n := p.net(port.Name); n == None || m.Nets[n].Dir == DirNone {
			p.report(diag.VerilogPort, m.Pos, "port %s of module %s has no direction", p.names.Bytes(port.Name), p.names.Bytes(m.Name))
		}
	}
	for i := range m.Nets {
		n := &m.Nets[i]
		if n.Dir != DirNone && !declared[n.Name] {
			p.report(diag.VerilogPort, n.Pos, "%s has a direction and is not in the header of module %s", p.names.Bytes(n.Name), p.names.Bytes(m.Name))
		}
	}
}

// portNets collects the nets of a port expression.
func (p *parser) portNets(e int32, set map[int32]bool) {
	x := p.m.Exprs[e]
	switch x.Op {
	case Ref, Select, Part:
		set[x.A] = true
	case Concat:
		for _, o := range p.m.Lists[x.A : x.A+x.B] {
			p.portNets(o, set)
		}
	}
}
