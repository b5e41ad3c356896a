package kernel

// A kept result (Job.Keep) is one that Runner.Rerun can start from. Beside its rows it holds, per (gate, window), the counters
// of the pair and the hand-over state at its end, so that a pair can be run alone and replaced alone. All that is filed under
// the net of the gate's output: a Block has the rows of up to BlockRows windows of a net, and their Sides.

// BlockRows is the number of windows of a full Block. The last of a net may have fewer.
const BlockRows = 16

// Block is a directory entry of kept waves.
type Block struct {
	Row  uint64 // row slab << 32 | first row
	Side uint64 // slab of Waves.Sides << 32 | first word: the number of words that follow, then the sides; 0: none
}

// Blocks is the number of blocks of a net in kept waves.
func (w *Waves) Blocks() int { return (w.Windows() + BlockRows - 1) / BlockRows }

func (w *Waves) block(net int32, b int) *Block {
	at := w.Dir[net]
	return &w.BlockSlabs[at>>32][int(uint32(at))+b]
}

// BlockLen is the number of rows in block b of a net.
func (w *Waves) BlockLen(b int) int { return min(BlockRows, w.Windows()-b*BlockRows) }

// Side is what a kept result holds of a pair beside its row. Most pairs have none: all zero.
//
// The hand-over state at the end of a pair is told by what differs from the guess: a pin has the value of its net just before the
// cut, once for every pending event of its wire the other; the last scheduled value is that of the output just before
// the cut, toggled likewise. So only pending events are listed, and state bits that are set.
type Side struct {
	Filtered    uint32 // only when Row.Filt is FiltEscape
	Evaluations uint32 // only when Row.Eval is FiltEscape
	Races       uint32
	ErrorPulses uint32 // of the gate and of the wires at its pins
	Unannotated uint32
	Bits        uint32   // state bits at the end
	Wire        []uint32 // pulses filtered by wires: pin, count, pin, count ...
	Held        []uint32 // pending events: list (pin, or HeldOut), count, ticks after the cut; by list
}

// HeldOut is the list of the pending events of the output in Side.Held.
const HeldOut = MaxVars

// A side in memory is a word window | flags<<6 | words<<14, the length in words (this one included) or 0, then it is the
// next word; then the numbers whose flags are set; Wire and Held begin with their length.
const (
	sideFiltered = 1 << iota
	sideEvaluations
	sideRaces
	sideErrors
	sideUnannotated
	sideBits
	sideWire
	sideHeld
)

const sideLong = 1 << 18

// Append adds the side of a window to those of its block; nothing when all is zero.
func (s *Side) Append(dst []uint32, window int) []uint32 {
	at := len(dst)
	dst = append(dst, 0)
	flags := uint32(0)
	for i, v := range [...]uint32{s.Filtered, s.Evaluations, s.Races, s.ErrorPulses, s.Unannotated, s.Bits} {
		if v != 0 {
			flags |= 1 << i
			dst = append(dst, v)
		}
	}
	for i, l := range [...][]uint32{s.Wire, s.Held} {
		if len(l) > 0 {
			flags |= sideWire << i
			dst = append(append(dst, uint32(len(l))), l...)
		}
	}
	if flags == 0 {
		return dst[:at]
	}
	n := uint32(len(dst) - at)
	dst[at] = uint32(window%BlockRows) | flags<<6
	if n < sideLong {
		dst[at] |= n << 14
		return dst
	}
	dst = append(dst, 0)
	copy(dst[at+2:], dst[at+1:])
	dst[at+1] = n + 1
	return dst
}

// SideHead tells the first side of a list: its window within the block and its length in words.
func SideHead(words []uint32) (window, length int) {
	if length = int(words[0] >> 14); length == 0 {
		length = int(words[1])
	}
	return int(words[0] & (BlockRows - 1)), length
}

// Read sets s to the first side of a list. Wire and Held are views.
func (s *Side) Read(words []uint32) {
	flags := words[0] >> 6
	if words[0]>>14 == 0 {
		words = words[1:]
	}
	words = words[1:]
	for i, v := range [...]*uint32{&s.Filtered, &s.Evaluations, &s.Races, &s.ErrorPulses, &s.Unannotated, &s.Bits} {
		*v = 0
		if flags>>i&1 != 0 {
			*v, words = words[0], words[1:]
		}
	}
	for i, l := range [...]*[]uint32{&s.Wire, &s.Held} {
		*l = nil
		if flags>>i&sideWire != 0 {
			n := words[0]
			*l, words = words[1:1+n], words[1+n:]
		}
	}
}

// SideWords are the sides of a block, by window.
func (w *Waves) SideWords(net int32, block int) []uint32 {
	at := w.block(net, block).Side
	words := w.Sides[at>>32][uint32(at):]
	return words[1 : 1+words[0]]
}

// Side is the side of one pair.
func (w *Waves) Side(net int32, window int) Side {
	var s Side
	for words := w.SideWords(net, window/BlockRows); len(words) > 0; {
		at, n := SideHead(words)
		if at == window%BlockRows {
			s.Read(words)
			break
		}
		words = words[n:]
	}
	return s
}

// eachSide calls f with all sides of a net; window is that of the run.
func (w *Waves) eachSide(net int32, f func(window int, s *Side)) {
	var s Side
	for b := range w.Blocks() {
		for words := w.SideWords(net, b); len(words) > 0; {
			at, n := SideHead(words)
			s.Read(words[:n])
			f(b*BlockRows+at, &s)
			words = words[n:]
		}
	}
}
