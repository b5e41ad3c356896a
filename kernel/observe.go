package kernel

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
)

// Observer asks an engine for something beyond the events: an id with parameters.
type Observer struct {
	ID     ObserverID
	Params []int64
}

// ObserverID names an observer. Its output is one byte range of values in the machine's byte order; "nets" below
// is the list of nets at the end of the parameters, without repetition; all nets in order when it is empty.
type ObserverID uint16

// The observers. An interval [from, to) holds the events with from <= tick < to; it is cut to the time of the run.
const (
	// ObserveCounts: parameters from, to; none for the whole run.
	// Output: CountsSize bytes for every net of the program: int64 changes, rises, falls, ticks at 1, filtered pulses.
	ObserveCounts ObserverID = 1 + iota
	// ObserveBins: parameters from, ticks of a bin (> 0), number of bins, nets. Bin b is [from + b*ticks, from + (b+1)*ticks).
	// Output: for each net one uint32 a bin, its number of changes.
	ObserveBins
	// ObserveTrace: parameters nets (at least one).
	// Output: for each net TraceHead bytes: int64 index of its first event, int64 count << 1 | start value; then
	// the events of all, int64 absolute ticks.
	ObserveTrace
	// ObserveGlitch: parameters number of borders (>= 2), the borders in absolute ticks, strictly increasing, nets.
	// The value at a border is the one just before it. A cycle between two borders is one functional change when its
	// values at the borders differ; the other changes are glitches.
	// Output: for each net GlitchSize bytes: int64 functional, glitch.
	ObserveGlitch
)

// Sizes of the outputs of observers.
const (
	CountsSize = 40
	TraceHead  = 16
	GlitchSize = 16
)

// Nets is the list of nets of an observer, nil for all.
func (o *Observer) Nets() []int64 {
	skip := 0
	switch o.ID {
	case ObserveCounts:
		return nil
	case ObserveBins:
		skip = 3
	case ObserveGlitch:
		skip = 1 + int(o.Params[0])
	}
	if len(o.Params) == skip {
		return nil
	}
	return o.Params[skip:]
}

// OutputSize checks the parameters against a program and job and gives the size of the output, for ObserveTrace that of
// its heads. The error wraps ErrJob.
func (o *Observer) OutputSize(p *Program, j *Job) (int64, error) {
	n := len(o.Params)
	bad := func(format string, args ...any) (int64, error) {
		return 0, fmt.Errorf("%w: observer %d: %s", ErrJob, o.ID, fmt.Sprintf(format, args...))
	}
	size := int64(0)
	switch o.ID {
	case ObserveCounts:
		if n != 0 && (n != 2 || o.Params[0] > o.Params[1]) {
			return bad("no interval")
		}
		return CountsSize * int64(p.NNet), nil
	case ObserveBins:
		if n < 3 || o.Params[1] < 1 || o.Params[2] < 0 || o.Params[2] > 1<<32 {
			return bad("no bins")
		}
		size = 4 * o.Params[2]
	case ObserveTrace:
		if n == 0 {
			return bad("no nets")
		}
		size = TraceHead
	case ObserveGlitch:
		if n < 1 || o.Params[0] < 2 || o.Params[0] > int64(n-1) {
			return bad("no borders")
		}
		for i := int64(2); i <= o.Params[0]; i++ {
			if o.Params[i] <= o.Params[i-1] {
				return bad("borders do not rise")
			}
		}
		size = GlitchSize
	default:
		return bad("unknown")
	}
	count := int64(p.NNet)
	if nets := o.Nets(); nets != nil {
		count = int64(len(nets))
		for _, net := range nets {
			if net < 0 || net >= int64(p.NNet) {
				return bad("net %d of %d", net, p.NNet)
			}
		}
	}
	if count > 0 && size > 1<<40/count {
		return bad("output too large")
	}
	return size * count, nil
}

// Signature is the stable name, 16 hexadecimal digits, of an ordered set of observers. Parameters are data of a run and not
// part of it: a runner built for a set serves any parameters.
func Signature(set []Observer) string {
	h := sha256.New()
	for i := range set {
		var b [2]byte
		binary.LittleEndian.PutUint16(b[:], uint16(set[i].ID))
		h.Write(b[:])
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}
