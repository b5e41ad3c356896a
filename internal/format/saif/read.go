package saif

import (
	"context"
	"fmt"
	"io"
	"math"

	"github.com/wattd/wattd/internal/diag"
	"github.com/wattd/wattd/internal/format/scan"
)

type parser struct {
	scan.Parens
	f *File

	durationGiven bool
	stack         []int32          // instances that are open
	implied       map[uint64]int32 // parent and name to the instances that only divided names mention
	raw, buf      []byte
	comps         [][]byte
	// Sums of the dependent counters of the entry: by state and by path, which count the same changes twice.
	byState, byPath sums
}

// Read reads one file. Faults of the file go to bag, and what could be read is returned with them; the error is an I/O
// fault or the end of ctx.
func Read(ctx context.Context, r io.Reader, file string, bag *diag.Bag) (*File, error) {
	p := &parser{
		Parens: scan.NewParens(ctx, r, file, bag, diag.SAIFSyntax, diag.SAIFTokenTooLong),
		f:      &File{Names: scan.NewNames(), Info: Info{Timescale: scan.Decimal{Coef: 1, Exp: -9}}},
	}
	ok := p.file()
	if err := p.Fault(); err != nil {
		return nil, err
	}
	if ok {
		p.finish(file)
	}
	return p.f, nil
}

// file returns whether the end was reached, so that the whole can be judged.
func (p *parser) file() bool {
	if p.Token() != '(' {
		p.Bag.Add(diag.SAIFNotSAIF, p.Pos(), "the file does not begin with (SAIFILE")
		return false
	}
	if p.Stmt(); string(p.Kw) != "SAIFILE" {
		p.Bag.Add(diag.SAIFNotSAIF, p.At, "the file does not begin with (SAIFILE")
		return false
	}
	for p.Stmt() {
		d := p.Depth - 1
		switch string(p.Kw) {
		case "INSTANCE", "VIRTUAL_INSTANCE":
			p.instances()
		default:
			p.header()
		}
		p.Leave(d)
	}
	if p.Stop || p.Err() != nil {
		return false
	}
	if p.Depth > 0 {
		p.Bag.Add(diag.SAIFTruncated, p.Pos(), "the file ends with %d parentheses open", p.Depth)
		return false
	}
	// Some editors leave a NUL or a Ctrl-Z at the end.
	for c := p.Token(); c == 0 || c == 0x1a; c = p.Token() {
		p.Skip(1)
	}
	if p.Peek() >= 0 {
		p.Bag.Add(diag.SAIFTrailing, p.Pos(), "text after the parenthesis that closes SAIFILE")
	}
	return true
}

func (p *parser) header() {
	var dst *string
	switch string(p.Kw) {
	case "SAIFVERSION":
		dst = &p.f.Version
	case "DIRECTION":
		dst = &p.f.Direction
	case "DESIGN":
		dst = &p.f.Design
	case "DATE":
		dst = &p.f.Date
	case "VENDOR":
		dst = &p.f.Vendor
	case "PROGRAM_NAME":
		dst = &p.f.Program
	case "VERSION", "PROGRAM_VERSION":
		dst = &p.f.ProgVersion
	case "DIVIDER":
		p.divider()
		return
	case "TIMESCALE":
		p.timescale()
		return
	case "DURATION":
		p.duration()
		return
	default:
		p.skipped()
		return
	}
	p.buf = p.Text(p.buf[:0], " ")
	*dst = string(p.buf)
	if dst == &p.f.Direction && equalFold(p.buf, "FORWARD") {
		p.Bag.Add(diag.SAIFForward, p.At, "a forward SAIF holds directives, no activity")
		p.Stop = true
	}
}

func equalFold(b []byte, upper string) bool {
	if len(b) != len(upper) {
		return false
	}
	for i, c := range b {
		if c != upper[i] && c != upper[i]+'a'-'A' {
			return false
		}
	}
	return true
}

// badHeader reports an entry that was read whole; where the input ended inside it, the truncation is what is reported.
func (p *parser) badHeader(at diag.Pos, format string, args ...any) {
	if !p.Stop && p.Token() >= 0 {
		p.Bag.Add(diag.SAIFBadHeader, at, format, args...)
	}
}

func (p *parser) divider() {
	at := p.At
	p.buf = p.Text(p.buf[:0], "")
	if len(p.buf) == 0 {
		return // an empty DIVIDER is none
	}
	c := p.buf[0]
	switch {
	case len(p.buf) > 1 || scan.WordBytes[c] || c == '[' || c == ']':
		p.badHeader(at, "DIVIDER is %q; it is one character such as / or .", p.buf)
	case len(p.f.Insts) > 0 && c != p.f.Divider:
		p.badHeader(at, "DIVIDER after the first INSTANCE, whose names it would have cut")
	default:
		p.f.Divider = c
	}
}

func (p *parser) timescale() {
	at := p.At
	p.buf = p.Text(p.buf[:0], "")
	if len(p.buf) == 0 {
		return
	}
	d, ok := scan.ParseSeconds(p.buf)
	switch {
	case !ok:
		p.badHeader(at, "TIMESCALE %q is not a number and a unit such as 1 ps", p.buf)
	case p.f.TimescaleGiven && d != p.f.Timescale:
		p.badHeader(at, "a second TIMESCALE differs from the first")
	default:
		p.f.Timescale, p.f.TimescaleGiven = d, true
	}
}

func (p *parser) duration() {
	at := p.At
	p.Space()
	v, ok := p.number()
	switch {
	case !ok:
		p.badHeader(at, "DURATION is not a number")
	case p.durationGiven && v != p.f.Duration:
		p.badHeader(at, "a second DURATION differs from the first")
	default:
		p.f.Duration, p.durationGiven = v, true
	}
}

// skipped counts a group that is not read: known ones without counts of nets quietly.
func (p *parser) skipped() {
	switch string(p.Kw) {
	case "LEAKAGE", "IGNORE", "LEVEL", "LIBRARY", "MODULE":
		p.f.Stats.Skipped++
	default:
		p.f.Stats.Unknown++
		p.Bag.Add(diag.SAIFUnknown, p.At, "%q is skipped", p.Kw)
	}
}

// finish checks the whole file against its duration.
func (p *parser) finish(file string) {
	f, pos := p.f, diag.Pos{File: file}
	if f.Duration.Int == 0 && f.Duration.Frac == 0 {
		p.Bag.Add(diag.SAIFNoDuration, pos, "DURATION is missing or zero")
	}
	if !f.TimescaleGiven {
		p.Bag.Add(diag.SAIFNoTimescale, pos, "no TIMESCALE: times are read as nanoseconds")
	}
	if f.Stats.Dependent > 0 {
		p.Bag.AddN(diag.SAIFDependent, f.Stats.Dependent, pos, "%d groups of state or path dependent counters are used as sums only", f.Stats.Dependent)
	}
	if f.Stats.Skipped > 0 {
		p.Bag.AddN(diag.SAIFSkipped, f.Stats.Skipped, pos, "%d groups such as LEAKAGE and IGNORE are not used", f.Stats.Skipped)
	}
	for e := range f.Entries {
		if f.has[e]&(1<<T0|1<<T1) != 1<<T0|1<<T1 {
			continue
		}
		// Whole numbers are summed apart, so that their comparison is exact.
		whole, part := -f.Duration.Int, -f.Duration.Frac
		for c := T0; c <= TB; c++ {
			v, _ := f.Value(int32(e), c)
			whole += v.Int
			part += v.Frac
		}
		if off := math.Abs(float64(whole) + part); off >= 0.5 {
			f.Stats.Wrong++
			if off > f.Stats.Worst {
				f.Stats.Worst, f.Stats.WorstEntry = off, int32(e)
			}
		}
	}
	if n := f.Stats.Wrong; n > 0 {
		w := f.Entries[f.Stats.WorstEntry]
		pos.Line = int(w.Line)
		p.Bag.AddN(diag.SAIFDurationMismatch, n, pos, "the times of %d entries do not sum to DURATION; %s is off most, by %g",
			n, f.text(f.Stats.WorstEntry), f.Stats.Worst)
	}
}

// text is the local name of an entry for a message.
func (f *File) text(e int32) string {
	n := f.Entries[e]
	if n.Form == NoIndex {
		return f.Names.String(n.Name)
	}
	return fmt.Sprintf("%s[%d]", f.Names.Bytes(n.Name), n.Index)
}
