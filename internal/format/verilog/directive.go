package verilog

import (
	"fmt"
	"strings"

	"github.com/wattd/wattd/internal/diag"
	"github.com/wattd/wattd/internal/format/scan"
)

// maxInclude bounds the depth of included files, which may include themselves.
const maxInclude = 32

// cond is an open `ifdef. A branch that is not taken is skipped at once, so the current branch is always a taken one.
type cond struct {
	pos     Pos
	word    string // ifdef or ifndef
	hadElse bool
}

// vendor lists directives of tools that say nothing about the function of a netlist; their line is skipped.
var vendor = map[string]bool{}

func init() {
	for _, w := range strings.Fields(`accelerate noaccelerate autoexpand_vectornets expand_vectornets noexpand_vectornets
		begin_keywords end_keywords default_decay_time default_trireg_strength delay_mode_distributed delay_mode_path
		delay_mode_unit delay_mode_zero disable_portfaults enable_portfaults suppress_faults nosuppress_faults inline
		noinline portcoerce noportcoerce protect endprotect psl remove_gatename remove_gatenames noremove_gatename
		noremove_gatenames remove_netname remove_netnames noremove_netname noremove_netnames signed unsigned switch
		uselib verilator_config translate_off translate_on`) {
		vendor[w] = true
	}
}

// directive handles what begins with a backquote: a compiler directive or the use of a macro.
func (l *lexer) directive() {
	if l.track != nil {
		l.track.run.Opaque++
	}
	l.width = 0
	at := l.pos()
	l.s.Skip(1)
	word := l.s.Take(identSet)
	switch string(word) {
	case "celldefine":
		l.celldefine = true
	case "endcelldefine":
		l.celldefine = false
	case "timescale":
		l.timescale(at)
	case "define":
		l.define(at)
	case "undef":
		l.blanks()
		delete(l.macros, string(l.s.Take(identSet)))
	case "undefineall":
		clear(l.macros)
	case "ifdef", "ifndef":
		c := cond{pos: at, word: string(word)}
		l.conds = append(l.conds, c)
		if l.defined() != (c.word == "ifdef") {
			l.skipBranches(true)
		}
	case "else", "elsif":
		w := string(word)
		if len(l.conds) <= l.stack[len(l.stack)-1].conds || l.conds[len(l.conds)-1].hadElse {
			l.report(diag.VerilogDirective, at, "`%s without `ifdef", w)
			return
		}
		l.skipBranches(false)
	case "endif":
		if len(l.conds) <= l.stack[len(l.stack)-1].conds {
			l.report(diag.VerilogDirective, at, "`endif without `ifdef")
			return
		}
		l.conds = l.conds[:len(l.conds)-1]
	case "include":
		l.include(at)
	case "default_nettype":
		l.blanks()
		switch w := string(l.s.Take(identSet)); w {
		case "none":
			l.noImplicit = true
		case "wire", "tri":
			l.noImplicit = false
		default:
			l.report(diag.VerilogDirective, at, "`default_nettype %s: only wire, tri and none are supported", w)
		}
	case "resetall":
		l.celldefine, l.noImplicit, l.unitExp = false, false, defaultUnit
	case "line":
		l.s.SkipPast('\n')
	case "unconnected_drive":
		l.blanks()
		if w := string(l.s.Take(identSet)); w != "pull0" {
			l.report(diag.VerilogDirective, at, "`unconnected_drive %s: open inputs are always 0 here", w)
		}
	case "nounconnected_drive":
	case "pragma":
		l.pragma(at)
	case "protected":
		l.encrypted(at, "`protected", "endprotected", "")
	default:
		if m := l.macros[string(word)]; m != nil {
			l.expand(m, at)
			return
		}
		w := string(word)
		if vendor[w] {
			l.s.SkipPast('\n')
			l.report(diag.VerilogDirectiveSkipped, at, "`%s", w)
			return
		}
		l.report(diag.VerilogMacroUndefined, at, "`%s is neither a directive nor a defined macro", w)
	}
}

// blanks skips spaces and tabs.
func (l *lexer) blanks() {
	for c := l.s.Peek(); c == ' ' || c == '\t'; c = l.s.Peek() {
		l.s.Skip(1)
	}
}

// defined reads a macro name and says whether it is defined.
func (l *lexer) defined() bool {
	l.s.SkipClass(scan.Space)
	return l.macros[string(l.s.Take(identSet))] != nil
}

// skipBranches skips to the `endif, or, when no branch was taken yet, to the branch that is.
func (l *lexer) skipBranches(may bool) {
	cur := &l.conds[len(l.conds)-1]
	for depth := 0; ; {
		switch c := l.s.Next(); c {
		case -1:
			return
		case '"':
			for c = l.s.Next(); c >= 0 && c != '"' && c != '\n'; c = l.s.Next() {
				if c == '\\' {
					l.s.Next()
				}
			}
		case '\\':
			l.s.SkipClass(notSpace)
		case '/':
			switch l.s.Peek() {
			case '/':
				l.s.SkipPast('\n')
			case '*':
				l.s.Skip(1)
				for l.s.SkipPast('*') && l.s.Peek() != '/' {
				}
				l.s.Skip(1)
			}
		case '`':
			switch string(l.s.Take(identSet)) {
			case "ifdef", "ifndef":
				depth++
			case "endif":
				if depth == 0 {
					l.conds = l.conds[:len(l.conds)-1]
					return
				}
				depth--
			case "else":
				if depth == 0 {
					cur.hadElse = true
					if may {
						return
					}
				}
			case "elsif":
				if depth == 0 && may && l.defined() {
					return
				}
			}
		}
	}
}

const defaultUnit = -9

// timescale reads `1ns / 1ps`; only the unit matters.
func (l *lexer) timescale(at Pos) {
	unit, ok := l.timeValue()
	l.s.SkipClass(scan.Space)
	if ok && l.s.Peek() == '/' {
		l.s.Skip(1)
		if _, ok := l.timeValue(); ok {
			l.unitExp = unit
			return
		}
	}
	l.report(diag.VerilogDirective, at, "`timescale is not of the form 1ns / 1ps")
}

func (l *lexer) timeValue() (exp int32, ok bool) {
	l.s.SkipClass(scan.Space)
	switch string(l.s.Take(digitSet)) {
	case "1":
	case "10":
		exp = 1
	case "100":
		exp = 2
	default:
		return 0, false
	}
	l.s.SkipClass(scan.Space)
	switch string(l.s.Take(identSet)) {
	case "s":
	case "ms":
		exp -= 3
	case "us":
		exp -= 6
	case "ns":
		exp -= 9
	case "ps":
		exp -= 12
	case "fs":
		exp -= 15
	default:
		return 0, false
	}
	return exp, true
}

// include pushes the named file.
func (l *lexer) include(at Pos) {
	l.blanks()
	end := byte('"')
	switch l.s.Peek() {
	case '<':
		end = '>'
	case '"':
	default:
		l.report(diag.VerilogDirective, at, "`include without a file name in quotes")
		return
	}
	l.s.Skip(1)
	var b []byte
	for c := l.s.Next(); c != int(end); c = l.s.Next() {
		if c < 0 || c == '\n' || len(b) > 4096 {
			l.report(diag.VerilogDirective, at, "`include with an unfinished file name")
			return
		}
		b = append(b, byte(c))
	}
	name := string(b)
	depth := 0
	for i := range l.stack {
		if l.stack[i].close != nil {
			depth++
		}
	}
	if l.opt.Include == nil {
		l.report(diag.VerilogInclude, at, "`include %q: no folder to include from is known", name)
		return
	}
	if depth >= maxInclude {
		l.report(diag.VerilogInclude, at, "`include %q: more than %d files deep, does it include itself?", name, maxInclude)
		return
	}
	r, path, err := l.opt.Include(name)
	if err != nil {
		l.report(diag.VerilogInclude, at, "`include %q: %v", name, err)
		return
	}
	in := input{close: r, index: at.File}
	if l.opt.AddFile != nil {
		in.index = l.opt.AddFile(path)
		l.files[in.index] = path
	}
	in.s = scan.New(&reader{l.ctx, r, nil}, path)
	l.push(in)
}

// pragma skips its line, except in front of an encrypted region.
func (l *lexer) pragma(at Pos) {
	l.blanks()
	protect := string(l.s.Take(identSet)) == "protect"
	l.blanks()
	if protect && string(l.s.Take(identSet)) == "begin_protected" {
		l.encrypted(at, "`pragma protect", "pragma", "end_protected")
		return
	}
	l.s.SkipPast('\n')
}

// encrypted reports and skips an encrypted region, up to the directive `end and, where given, its last word.
func (l *lexer) encrypted(at Pos, what, end, last string) {
	l.report(diag.VerilogEncrypted, at, "encrypted text (%s): its modules cannot be read", what)
	for l.s.SkipPast('`') {
		if string(l.s.Take(identSet)) != end {
			continue
		}
		if last == "" {
			return
		}
		l.blanks()
		l.s.Take(identSet)
		l.blanks()
		if string(l.s.Take(identSet)) == last {
			return
		}
	}
	l.report(diag.VerilogUnterminated, at, "%s", fmt.Sprintf("%s without its end", what))
}
