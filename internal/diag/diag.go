// Package diag holds what wattd tells a person about an input: a message with a stable code, a place, a
// severity and a hint.
//
// Contract: readers and compilers never return a Go error for a fault of the input; they add a Diag to a Bag and go
// on where that cannot change a result. A Bag counts every message by code and keeps the first few of each, so a
// million equal warnings cost a counter. Codes are kebab-case, stable, and listed once in the tables of this package
// (docs/diagnostics.md is generated from them). The package prints nothing and imports nothing of ours.
package diag

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"sync"
)

// Severity orders messages. An Error means that the run must not produce a number.
type Severity uint8

// The severities.
const (
	Note Severity = iota
	Warning
	Error
)

func (s Severity) String() string { return [...]string{"note", "warning", "error"}[s] }

// MarshalText writes the severity as a word.
func (s Severity) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Pos is a place in a file. Line and Col count from 1, Col in bytes; 0 means that the place is not known.
type Pos struct {
	File string `json:"file,omitempty"`
	Line int    `json:"line,omitempty"`
	Col  int    `json:"col,omitempty"`
}

func (p Pos) String() string {
	switch {
	case p.File == "":
		return "-"
	case p.Line == 0:
		return p.File
	case p.Col == 0:
		return fmt.Sprintf("%s:%d", p.File, p.Line)
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Col)
}

// Code names a kind of message, for example "sdf-empty-corner".
type Code string

// Info describes a code: one row of the table that docs/diagnostics.md is generated from.
type Info struct {
	Code     Code
	Severity Severity
	Cause    string // what in the input leads to it
	Cure     string // what the user can do; also the hint of a Diag that has none
}

// Diag is one message.
type Diag struct {
	Code     Code     `json:"code"`
	Severity Severity `json:"severity"`
	Pos      Pos      `json:"pos"`
	Msg      string   `json:"msg"`
	Hint     string   `json:"hint,omitempty"`
	N        int64    `json:"n"` // occurrences that the message stands for

	repeated bool // N comes from equal messages, so the text does not tell it
}

// String is the message in the form of compilers: place, severity, text, code, and the hint on a line of its own.
func (d Diag) String() string {
	s := fmt.Sprintf("%s: %s", d.Severity, d.Msg)
	if d.Pos.File != "" {
		s = d.Pos.String() + ": " + s
	}
	if d.repeated {
		s += fmt.Sprintf(" (%d times)", d.N)
	}
	s += fmt.Sprintf(" [%s]", d.Code)
	if d.Hint != "" {
		s += "\n    hint: " + d.Hint
	}
	return s
}

// Keep is how many different messages of one code a Bag holds; the rest are counted.
const Keep = 10

// compareWithin is how many messages of a code are compared with those held, so that equal ones are shown once. After that
// they are only counted: a million of them must not cost a million texts.
const compareWithin = 100_000

// Bag collects messages. The zero value is ready; it is safe for concurrent use.
type Bag struct {
	mu    sync.Mutex `image:"-"`
	count map[Code]int64
	kept  map[Code][]Diag
	nErr  int64
}

// Add records a message under its code's severity. An unknown code is a bug of ours and panics in tests through the
// table test; here it is recorded as an error.
func (b *Bag) Add(code Code, pos Pos, format string, args ...any) {
	b.AddN(code, 1, pos, format, args...)
}

// AddN records n equal occurrences with one message.
func (b *Bag) AddN(code Code, n int64, pos Pos, format string, args ...any) {
	if n <= 0 {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	in := Lookup(code)
	if b.count == nil {
		b.count, b.kept = map[Code]int64{}, map[Code][]Diag{}
	}
	before := b.count[code]
	b.count[code] += n
	if in.Severity == Error {
		b.nErr += n
	}
	kept := b.kept[code]
	at := slices.IndexFunc(kept, func(d Diag) bool { return d.Pos == pos })
	if len(kept) == Keep && at < 0 || before > compareWithin {
		return
	}
	msg := fmt.Sprintf(format, args...)
	for i := max(at, 0); at >= 0 && i < len(kept); i++ {
		if d := &kept[i]; d.Pos == pos && d.Msg == msg {
			d.N, d.repeated = d.N+n, true
			return
		}
	}
	if len(kept) < Keep {
		b.kept[code] = append(kept, Diag{Code: code, Severity: in.Severity, Pos: pos, Msg: msg, Hint: in.Cure, N: n})
	}
}

// Errors is the number of messages of severity Error.
func (b *Bag) Errors() int64 { b.mu.Lock(); defer b.mu.Unlock(); return b.nErr }

// Count is the number of messages with a code, kept or not.
func (b *Bag) Count(code Code) int64 { b.mu.Lock(); defer b.mu.Unlock(); return b.count[code] }

// Total is the total of one code.
type Total struct {
	Code     Code     `json:"code"`
	Severity Severity `json:"severity"`
	N        int64    `json:"n"`
}

// Totals lists the counts of all codes seen, errors first, then by code.
func (b *Bag) Totals() []Total {
	b.mu.Lock()
	defer b.mu.Unlock()
	var t []Total
	for c, n := range b.count {
		t = append(t, Total{c, Lookup(c).Severity, n})
	}
	slices.SortFunc(t, func(x, y Total) int {
		return cmp.Or(-cmp.Compare(x.Severity, y.Severity), cmp.Compare(x.Code, y.Code))
	})
	return t
}

// Kept returns the messages held for a code, in order of arrival.
func (b *Bag) Kept(code Code) []Diag {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.kept[code])
}

// Write prints the first max messages of each code of at least the given severity, all that are kept of errors, the hint once,
// and how many more there are.
func (b *Bag) Write(w io.Writer, min Severity, max int) {
	for _, t := range b.Totals() {
		if t.Severity < min {
			continue
		}
		ds := b.Kept(t.Code)
		if len(ds) > max && t.Severity < Error {
			ds = ds[:max]
		}
		left := t.N
		for i, d := range ds {
			left -= d.N
			if i > 0 && d.Hint == ds[0].Hint {
				d.Hint = ""
			}
			fmt.Fprintln(w, d)
		}
		if left > 0 {
			fmt.Fprintf(w, "%s: %d more [%s]\n", t.Severity, left, t.Code)
		}
	}
}

var index = func() map[Code]Info {
	m := map[Code]Info{}
	for _, in := range Table() {
		if _, dup := m[in.Code]; dup {
			panic("diag: code listed twice: " + string(in.Code))
		}
		m[in.Code] = in
	}
	return m
}()

// Lookup returns the row of a code; an unknown code reads as an Error without text.
func Lookup(code Code) Info {
	if in, ok := index[code]; ok {
		return in
	}
	return Info{Code: code, Severity: Error}
}

// Table returns all codes, sorted.
func Table() []Info {
	t := slices.Concat(sourceCodes, verilogCodes, sdfCodes, libertyCodes, vcdCodes, saifCodes, netlistCodes, designCodes, waveCodes, simCodes, activityCodes, projectCodes)
	slices.SortFunc(t, func(a, b Info) int { return cmp.Compare(a.Code, b.Code) })
	return t
}
