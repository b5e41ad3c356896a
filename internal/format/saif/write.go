package saif

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
)

// Dialect is how names and bits are spelled and which counters are written.
type Dialect uint8

// The dialects.
const (
	// Generic leaves all bytes of a name as they are that need no escape: a[3].
	Generic Dialect = iota
	// OpenSTA escapes every byte of a name but letters, digits and underscores: a\[3\]. TZ, TB and IG are written
	// where they are not zero. OpenSTA reads no name that begins with a digit, whatever the escape.
	OpenSTA
	// Synopsys escapes like OpenSTA and writes every counter always.
	Synopsys
)

// ParseDialect reads the name of a dialect.
func ParseDialect(s string) (Dialect, error) {
	switch s {
	case "generic":
		return Generic, nil
	case "opensta":
		return OpenSTA, nil
	case "synopsys":
		return Synopsys, nil
	}
	return 0, fmt.Errorf("unknown SAIF dialect %q: use opensta, synopsys or generic", s)
}

// Header is what a Writer writes before the hierarchy.
type Header struct {
	Design           string
	Duration         int64
	Timescale        string // such as "1 ps"
	Divider          byte   // '/' or '.'
	Dialect          Dialect
	Program, Version string
}

// Counts are the counters of one net.
type Counts struct {
	T0, T1, TX, TZ, TB, TC, IG int64
	HasIG                      bool
}

// NoBit is the bit of an entry that is no bit of a bus.
const NoBit = math.MinInt32

// Writer writes backward SAIF 2.0 in the order of the calls. The first fault of the output sticks and is what Close
// returns; so does a call out of order, which is a fault of the caller.
type Writer struct {
	w       *bufio.Writer
	dialect Dialect
	divider byte
	depth   int
	group   string // PORT or NET: the one asked for
	open    bool   // whether it is written; readers do not like empty groups
	buf     []byte
	err     error
}

// NewWriter writes the header.
func NewWriter(w io.Writer, h Header) *Writer {
	wr := &Writer{w: bufio.NewWriterSize(w, 256<<10), dialect: h.Dialect, divider: h.Divider}
	if h.Divider == 0 {
		wr.divider = '/'
	}
	b := append(wr.buf, "(SAIFILE\n(SAIFVERSION \"2.0\")\n(DIRECTION \"backward\")\n"...)
	for _, s := range [...][2]string{{"DESIGN", h.Design}, {"PROGRAM_NAME", h.Program}, {"VERSION", h.Version}} {
		if s[1] != "" {
			b = append(append(append(b, '('), s[0]...), ' ')
			b = append(quote(b, s[1]), ")\n"...)
		}
	}
	b = append(append(append(b, "(DIVIDER "...), wr.divider), " )\n(TIMESCALE "...)
	b = append(append(b, h.Timescale...), ")\n(DURATION "...)
	b = append(strconv.AppendInt(b, h.Duration, 10), ")\n"...)
	wr.flush(b)
	return wr
}

func quote(b []byte, s string) []byte {
	b = append(b, '"')
	for i := range len(s) {
		if s[i] == '"' {
			b = append(b, '\\')
		}
		b = append(b, s[i])
	}
	return append(b, '"')
}

func (w *Writer) flush(b []byte) {
	w.buf = b[:0]
	if _, err := w.w.Write(b); err != nil && w.err == nil {
		w.err = err
	}
}

// name appends an unescaped name of one component. The format has no escape for white space, and names have none.
func (w *Writer) name(b []byte, s string) []byte {
	if s == "" {
		w.misuse("empty name")
	}
	for i := range len(s) {
		c := s[i]
		if c <= ' ' {
			w.misuse("white space in the name " + strconv.Quote(s))
		}
		plain := c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !plain && (w.dialect != Generic || c == w.divider || c == '(' || c == ')' || c == '"' || c == '\\' || c == '/' && i == 0) {
			b = append(b, '\\')
		}
		b = append(b, c)
	}
	return b
}

func (w *Writer) closeGroup(b []byte) []byte {
	if w.open {
		b = append(b, ")\n"...)
	}
	w.open = false
	return b
}

// BeginInstance opens a level of the hierarchy; module may be empty.
func (w *Writer) BeginInstance(module, name string) {
	b := append(w.closeGroup(w.buf), "(INSTANCE "...)
	if module != "" {
		b = append(quote(b, module), ' ')
	}
	w.flush(append(w.name(b, name), '\n'))
	w.depth++
	w.group = ""
}

// BeginPorts says that the entries to come are ports of the instance.
func (w *Writer) BeginPorts() { w.begin("PORT") }

// BeginNets says that the entries to come are nets of the instance.
func (w *Writer) BeginNets() { w.begin("NET") }

func (w *Writer) begin(group string) {
	w.flush(w.closeGroup(w.buf))
	w.group = group
}

// Entry writes a net or port, or a bit of one.
func (w *Writer) Entry(name string, bit int32, c Counts) {
	if w.depth == 0 || w.group == "" {
		w.misuse("Entry outside BeginPorts and BeginNets")
		return
	}
	b := w.buf
	if !w.open {
		w.open = true
		b = append(append(append(b, '('), w.group...), '\n')
	}
	b = w.name(append(b, '('), name)
	if bit != NoBit {
		esc := w.dialect != Generic
		if esc {
			b = append(b, '\\')
		}
		b = strconv.AppendInt(append(b, '['), int64(bit), 10)
		if esc {
			b = append(b, '\\')
		}
		b = append(b, ']')
	}
	all := w.dialect == Synopsys
	b = count(b, " (T0 ", c.T0)
	b = count(b, " (T1 ", c.T1)
	b = count(b, " (TX ", c.TX)
	if all || c.TZ != 0 {
		b = count(b, " (TZ ", c.TZ)
	}
	if all || c.TB != 0 {
		b = count(b, " (TB ", c.TB)
	}
	b = count(b, " (TC ", c.TC)
	if all || c.HasIG {
		b = count(b, " (IG ", c.IG)
	}
	w.flush(append(b, ")\n"...))
}

func count(b []byte, label string, n int64) []byte {
	return append(strconv.AppendInt(append(b, label...), n, 10), ')')
}

// EndInstance closes the level opened last.
func (w *Writer) EndInstance() {
	if w.depth == 0 {
		w.misuse("EndInstance without BeginInstance")
		return
	}
	w.depth--
	w.flush(append(w.closeGroup(w.buf), ")\n"...))
	w.group = ""
}

func (w *Writer) misuse(what string) {
	if w.err == nil {
		w.err = errors.New("saif: " + what)
	}
}

// Close ends the file. It does not close the io.Writer.
func (w *Writer) Close() error {
	if w.depth != 0 {
		w.misuse("Close inside an instance")
	}
	w.flush(append(w.buf, ")\n"...))
	if err := w.w.Flush(); err != nil && w.err == nil {
		w.err = err
	}
	return w.err
}
