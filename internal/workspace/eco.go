package workspace

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/wattd/wattd/internal/project"
)

// ECO is a stack of edits as a script for the tool that owns the netlist.
type ECO struct {
	Text     []byte
	Commands int64
	Left     []Edit // what no command on a netlist expresses: delays, stimuli, constants on pins
}

// dialect says the commands of a tool. Each takes words that are Tcl words already.
type dialect struct {
	name, about                                 string
	swap, instance, net, remove, connect, leave string // formats
}

// The dialects. Generic scripts call procedures that a site writes once for its tool.
var dialects = []dialect{
	{
		name: "openroad", about: "for OpenROAD and OpenSTA: network editing commands",
		swap: "replace_cell %s %s", instance: "make_instance %s %s", net: "make_net %s", remove: "delete_instance %s",
		connect: "connect_pin %s %s", leave: "disconnect_pin %s %s",
	},
	{
		name:  "generic",
		about: "define these procedures for your tool: eco_swap_cell INST CELL, eco_make_instance INST CELL, eco_make_net NET, eco_delete_instance INST, eco_connect_pin NET PIN, eco_disconnect_pin NET PIN",
		swap:  "eco_swap_cell %s %s", instance: "eco_make_instance %s %s", net: "eco_make_net %s", remove: "eco_delete_instance %s",
		connect: "eco_connect_pin %s %s", leave: "eco_disconnect_pin %s %s",
	},
}

// Dialects names the dialects of scripts.
func Dialects() (names []string) {
	for i := range dialects {
		names = append(names, dialects[i].name)
	}
	return names
}

// Script writes the edits of an overlay in a dialect, "" for generic. ok is false for one that does not exist.
func (o *Overlay) Script(name string) (x ECO, ok bool) {
	if name == "" {
		name = "generic"
	}
	var d *dialect
	for i := range dialects {
		if dialects[i].name == name {
			d = &dialects[i]
		}
	}
	if d == nil {
		return x, false
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "# Engineering change order written by wattd, %s.\n# Design %s, snapshot %d, made of\n", d.about, comment(o.p.Name()), o.base.N)
	for i := range o.base.Session.Files {
		f := &o.base.Session.Files[i]
		fmt.Fprintf(&b, "#   %-8s %s  blake3 %s\n", f.Role, comment(f.Path), f.Hash)
	}
	s := script{d: d, b: &b}
	for _, e := range o.Edits() {
		if !s.edit(&e) {
			x.Left = append(x.Left, e)
		}
	}
	x.Text, x.Commands = b.Bytes(), s.n
	return x, true
}

type script struct {
	d *dialect
	b *bytes.Buffer
	n int64
}

func (s *script) say(format string, words ...string) {
	quoted := make([]any, len(words))
	for i, w := range words {
		quoted[i] = tclWord(w)
	}
	fmt.Fprintf(s.b, format+"\n", quoted...)
	s.n++
}

// edit writes one edit; false when it is no change of the netlist.
func (s *script) edit(e *Edit) bool {
	switch e.Do {
	case "swapCell":
		s.say(s.d.swap, e.Instance, e.Cell)
	case "reconnect":
		if to := e.moves[0].to; to == "1'b0" || to == "1'b1" {
			fmt.Fprintf(s.b, "# left: pin %s gets the constant %s\n", comment(e.moves[0].pin), to)
			return false
		}
		s.moves(e)
	case "insertBuffer":
		s.say(s.d.net, e.NewNet)
		s.say(s.d.instance, e.Name, e.Cell)
		s.moves(e)
	case "removeBuffer":
		s.moves(e)
		s.say(s.d.remove, e.Instance)
	case "setStimulus":
		fmt.Fprintf(s.b, "# left: stimulus of net %s is %s\n", comment(e.Net), comment(e.Policy))
		return false
	default:
		what := "arcs"
		if e.Wire {
			what = "wire"
		}
		fmt.Fprintf(s.b, "# left: %s of %s %s of instance %s\n", e.Do, what, comment(e.Pin+" "+e.Output), comment(e.Instance))
		return false
	}
	return true
}

func (s *script) moves(e *Edit) {
	for _, m := range e.moves {
		if m.from != "" {
			s.say(s.d.leave, m.from, m.pin)
		}
		if m.to != "" {
			s.say(s.d.connect, m.to, m.pin)
		}
	}
}

// comment keeps a text within one line of a comment.
func comment(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return '?'
		}
		return r
	}, s)
	return strings.TrimRight(s, `\`)
}

// tclWord quotes a name so that Tcl reads it as one word without substitution.
func tclWord(s string) string {
	if s == "" {
		return "{}"
	}
	var b strings.Builder
	for i := range len(s) {
		switch c := s[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', strings.IndexByte("_/.:-+@%", c) >= 0, c >= 0x80:
			b.WriteByte(c)
		case c < ' ' || c == 0x7f:
			fmt.Fprintf(&b, "\\u%04x", c)
		default:
			b.WriteByte('\\')
			b.WriteByte(c)
		}
	}
	return b.String()
}

// WriteWhole writes a file whole or not at all.
func WriteWhole(path string, text []byte) error {
	if err := project.WriteWhole(path, text); err != nil {
		return &FileError{Path: path, Err: withoutPath(err), Write: true}
	}
	return nil
}

// FileInfo is an input as it was read.
type FileInfo = project.FileInfo

// StaleError says that a file is no longer what the snapshot below an overlay was made of.
type StaleError = project.StaleError
