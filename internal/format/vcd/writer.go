package vcd

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// WriterOptions describe the dump as a whole.
type WriterOptions struct {
	UnitCoef, UnitExp int32  // one time unit is UnitCoef x 10^UnitExp seconds; 0 and 0 are 1 ps
	Version, Comment  string // left out when empty; there is no date, so that equal input gives equal bytes
}

func (o *WriterOptions) ensureDefaults() {
	if o.UnitCoef == 0 {
		o.UnitCoef = 1
		if o.UnitExp == 0 {
			o.UnitExp = -12
		}
	}
}

// Writer writes a dump: first Scope, Var and Alias, then Begin, then Time, Bit, Vector, Gap and Resume in order of
// time, then Close. Errors are sticky; Close returns the first. It is for one goroutine.
type Writer struct {
	w   io.Writer
	opt WriterOptions
	buf []byte
	err error

	scopes []outScope
	vars   []outVar
	widths []int32

	codes   []byte  // identifier codes, one behind the other
	codeEnd []int32 // of ID i, in codes

	now   int64
	begun bool
}

type outScope struct {
	typ, name string
	kids      []int32 // scopes
	vars      []int32
}

type outVar struct {
	typ, name string
	id        int32
	width     int32
	rng       string // " [7:0]" or ""
}

// Range is the declared range of a vector, or the index of one bit of it (Msb == Lsb).
type Range struct{ Msb, Lsb int32 }

// NewWriter returns a writer to w.
func NewWriter(w io.Writer, opt WriterOptions) *Writer {
	opt.ensureDefaults()
	return &Writer{w: w, opt: opt, buf: make([]byte, 0, 64<<10+1<<10), scopes: []outScope{{}}, codeEnd: []int32{0}}
}

// Scope declares a scope below parent (0 is the root) and returns its number. name is one component, unescaped.
func (w *Writer) Scope(parent int32, typ, name string) int32 {
	n := int32(len(w.scopes))
	w.scopes = append(w.scopes, outScope{typ: typ, name: w.name(name)})
	w.scopes[parent].kids = append(w.scopes[parent].kids, n)
	return n
}

// Var declares a variable and returns its ID. rng is nil when it has no range. name is unescaped.
func (w *Writer) Var(scope int32, typ, name string, width int32, rng *Range) int32 {
	id := int32(len(w.widths))
	if width < 1 {
		w.fail(fmt.Errorf("vcd: variable %q has width %d", name, width))
	}
	w.widths = append(w.widths, width)
	for n := id + 1; n > 0; n /= 94 { // bijective, least significant first
		n--
		w.codes = append(w.codes, byte('!'+n%94))
	}
	w.codeEnd = append(w.codeEnd, int32(len(w.codes)))
	w.declare(scope, typ, name, id, rng)
	return id
}

// Alias declares another name of the variable id.
func (w *Writer) Alias(scope int32, typ, name string, id int32, rng *Range) {
	w.declare(scope, typ, name, id, rng)
}

func (w *Writer) declare(scope int32, typ, name string, id int32, rng *Range) {
	v := outVar{typ: typ, name: w.name(name), id: id, width: w.widths[id]}
	switch {
	case rng == nil:
	case rng.Msb == rng.Lsb:
		v.rng = fmt.Sprintf(" [%d]", rng.Msb)
	default:
		v.rng = fmt.Sprintf(" [%d:%d]", rng.Msb, rng.Lsb)
	}
	w.scopes[scope].vars = append(w.scopes[scope].vars, int32(len(w.vars)))
	w.vars = append(w.vars, v)
}

// name escapes a name where it is no simple identifier. An escaped name ends at white space, so it cannot have any.
func (w *Writer) name(s string) string {
	simple := s != ""
	for i := range len(s) {
		c := s[i]
		if c <= ' ' || c > '~' {
			w.fail(fmt.Errorf("vcd: name %q has bytes that a dump cannot hold", s))
			return s
		}
		if !(c == '_' || c|0x20 >= 'a' && c|0x20 <= 'z' || i > 0 && (c == '$' || c >= '0' && c <= '9')) {
			simple = false
		}
	}
	if s == "" {
		w.fail(errors.New("vcd: empty name"))
	}
	if simple {
		return s
	}
	return `\` + s
}

// Begin writes the declarations and the values at time t. initial returns the value of each ID (digits 0 1 x z).
func (w *Writer) Begin(t int64, initial func(id int32) []byte) {
	if w.opt.Version != "" {
		w.text("$version", w.opt.Version)
	}
	if w.opt.Comment != "" {
		w.text("$comment", w.opt.Comment)
	}
	unit := map[int32]string{0: "s", -3: "ms", -6: "us", -9: "ns", -12: "ps", -15: "fs", -18: "as"}[w.opt.UnitExp]
	if c := w.opt.UnitCoef; unit == "" || c != 1 && c != 10 && c != 100 {
		w.fail(fmt.Errorf("vcd: no time unit is %d x 10^%d s", c, w.opt.UnitExp))
	}
	w.put("$timescale " + strconv.Itoa(int(w.opt.UnitCoef)) + unit + " $end\n")
	w.scope(0)
	w.put("$enddefinitions $end\n")
	w.now, w.begun = t, true
	w.put("#" + strconv.FormatInt(t, 10) + "\n$dumpvars\n")
	w.values(initial)
	w.put("$end\n")
}

func (w *Writer) values(value func(id int32) []byte) {
	for id, width := range w.widths {
		if v := value(int32(id)); width == 1 && len(v) == 1 {
			w.Bit(int32(id), v[0])
		} else {
			w.Vector(int32(id), v)
		}
	}
}

// scope writes the variables of a scope, then the scopes in it, in the order of their declaration.
func (w *Writer) scope(n int32) {
	s := &w.scopes[n]
	for _, i := range s.vars {
		v := &w.vars[i]
		w.put("$var " + v.typ + " " + strconv.Itoa(int(v.width)) + " " + string(w.code(v.id)) + " " + v.name + v.rng + " $end\n")
	}
	for _, k := range s.kids {
		w.put("$scope " + w.scopes[k].typ + " " + w.scopes[k].name + " $end\n")
		w.scope(k)
		w.put("$upscope $end\n")
	}
}

func (w *Writer) code(id int32) []byte { return w.codes[w.codeEnd[id]:w.codeEnd[id+1]] }

// text writes free text, which must not contain the word that would end it.
func (w *Writer) text(keyword, s string) {
	for _, f := range strings.Fields(s) {
		if f == "$end" {
			w.fail(fmt.Errorf("vcd: %s contains $end", keyword))
		}
	}
	w.put(keyword + " " + s + " $end\n")
}

// Time starts the changes at t, which is not before the last time. Calling it again with the same t writes nothing.
func (w *Writer) Time(t int64) {
	if t <= w.now {
		if t < w.now {
			w.fail(fmt.Errorf("vcd: time goes back from %d to %d", w.now, t))
		}
		return
	}
	w.now = t
	w.room(24)
	w.buf = append(w.buf, '#')
	w.buf = strconv.AppendInt(w.buf, t, 10)
	w.buf = append(w.buf, '\n')
}

// Bit writes a change of a one-bit variable to v: '0' '1' 'x' 'z'.
func (w *Writer) Bit(id int32, v byte) {
	w.room(16)
	w.buf = append(w.buf, v)
	w.buf = append(w.buf, w.code(id)...)
	w.buf = append(w.buf, '\n')
}

// Vector writes a change to the digits of v, most significant first, one for each bit. Leading digits that readers put
// back by extension are left out.
func (w *Writer) Vector(id int32, v []byte) {
	if len(v) != int(w.widths[id]) {
		w.fail(fmt.Errorf("vcd: value of %d digits for a variable of %d bits", len(v), w.widths[id]))
		return
	}
	for len(v) > 1 && (v[0] == v[1] && v[0] != '1' || v[0] == '0' && v[1] == '1') {
		v = v[1:]
	}
	w.room(len(v) + 16)
	w.buf = append(w.buf, 'b')
	w.buf = append(w.buf, v...)
	w.buf = append(w.buf, ' ')
	w.buf = append(w.buf, w.code(id)...)
	w.buf = append(w.buf, '\n')
}

// Gap says that from the current time on nothing is known, until Resume gives the values.
func (w *Writer) Gap() {
	w.put("$dumpoff\n")
	for id, width := range w.widths {
		if width == 1 {
			w.Bit(int32(id), 'x')
			continue
		}
		w.put("bx " + string(w.code(int32(id))) + "\n")
	}
	w.put("$end\n")
}

// Resume ends a gap at the current time.
func (w *Writer) Resume(value func(id int32) []byte) {
	w.put("$dumpon\n")
	w.values(value)
	w.put("$end\n")
}

// Close writes the end time, if it is after the last change, and what is buffered. It does not close the io.Writer.
func (w *Writer) Close(end int64) error {
	if !w.begun {
		w.fail(errors.New("vcd: closed before Begin"))
	}
	w.Time(max(end, w.now))
	w.flush()
	return w.err
}

func (w *Writer) put(s string) {
	w.room(len(s))
	w.buf = append(w.buf, s...)
}

// room flushes when the buffer has less than n bytes left.
func (w *Writer) room(n int) {
	if cap(w.buf)-len(w.buf) < n {
		w.flush()
	}
}

func (w *Writer) flush() {
	if w.err == nil && len(w.buf) > 0 {
		_, w.err = w.w.Write(w.buf)
	}
	w.buf = w.buf[:0]
}

func (w *Writer) fail(err error) {
	if w.err == nil {
		w.err = err
	}
}
