package sdf

import (
	"fmt"
	"strings"

	"github.com/wattd/wattd/internal/diag"
	"github.com/wattd/wattd/internal/format/scan"
)

// recorder writes what it is told as lines of text. stopAfter > 0 makes it refuse that statement.
type recorder struct {
	strings.Builder
	n, stopAfter int
}

func (r *recorder) line(format string, args ...any) bool {
	fmt.Fprintf(r, format+"\n", args...)
	r.n++
	return r.n != r.stopAfter
}

func dec(d scan.Decimal) string {
	if d.Exp == 0 {
		return fmt.Sprint(d.Coef)
	}
	return fmt.Sprintf("%de%d", d.Coef, d.Exp)
}

func triple(t Triple) string {
	if t.Single {
		return dec(t.V[0])
	}
	if t.Has == 0 {
		return "()"
	}
	var s [3]string
	for i := range s {
		if d, ok := t.Pick(i); ok {
			s[i] = dec(d)
		}
	}
	return strings.Join(s[:], ":")
}

func values(v []Value) string {
	var s []string
	for _, v := range v {
		x := triple(v.D)
		if v.Limits >= 2 {
			x += " reject " + triple(v.Reject)
		}
		if v.Limits == 3 {
			x += " error " + triple(v.Error)
		}
		s = append(s, x)
	}
	return "(" + strings.Join(s, ", ") + ")"
}

func lc(p diag.Pos) string { return fmt.Sprintf("%d:%d", p.Line, p.Col) }

func mode(m Mode) string { return [...]string{"", "+"}[m] }

func (r *recorder) Header(h *Header) bool {
	return r.line("header %q %q %q %q %q %q %c %s %v", h.Version, h.Design, h.Date, h.Vendor, h.Program, h.ProgVersion,
		h.Divider, dec(h.Timescale), h.TimescaleGiven)
}

func (r *recorder) Cell(cellType, inst []byte, hasInstance bool, pos diag.Pos) bool {
	return r.line("%s cell %q %q %v", lc(pos), cellType, inst, hasInstance)
}

func (r *recorder) IOPath(p *IOPath) bool {
	s := [...]string{"", " posedge", " negedge", " zedge"}[p.Edge]
	switch p.Kind {
	case Cond:
		s += fmt.Sprintf(" cond %s %q", lc(p.CondPos), p.Cond)
		if len(p.Label) > 0 {
			s += fmt.Sprintf(" label %q", p.Label)
		}
	case Condelse:
		s += " condelse"
	}
	if p.Retained {
		s += " retain"
	}
	return r.line("%s iopath%s%s %s %s %s", lc(p.Pos), mode(p.Mode), s, p.In, p.Out, values(p.Val))
}

func (r *recorder) Device(m Mode, out []byte, val []Value, pos diag.Pos) bool {
	return r.line("%s device%s %q %s", lc(pos), mode(m), out, values(val))
}

func (r *recorder) Interconnect(m Mode, src, dst []byte, val []Value, pos diag.Pos) bool {
	return r.line("%s interconnect%s %s %s %s", lc(pos), mode(m), src, dst, values(val))
}

func (r *recorder) Port(m Mode, dst []byte, val []Value, pos diag.Pos) bool {
	return r.line("%s port%s %s %s", lc(pos), mode(m), dst, values(val))
}

func (r *recorder) NetDelay(m Mode, net []byte, val []Value, pos diag.Pos) bool {
	return r.line("%s netdelay%s %s %s", lc(pos), mode(m), net, values(val))
}

func (r *recorder) PathPulse(percent bool, in, out []byte, lim []Triple, pos diag.Pos) bool {
	var s []string
	for _, t := range lim {
		s = append(s, triple(t))
	}
	return r.line("%s pathpulse percent=%v %q %q (%s)", lc(pos), percent, in, out, strings.Join(s, ", "))
}
