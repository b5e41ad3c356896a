// Package kernel is the contract between executors and engines: programs, jobs, waves, status, variants and keys.
// Numbers only, never names.
//
// Contract: everything that crosses the boundary is a byte range (offset, count, type) of one relocatable allocation,
// so an engine may live in a child process or on a device. The rules that an engine must follow are those of the
// semantics (docs/semantics.md): events equal bit for bit, whatever the windows, workers, variant or engine.
package kernel

// FnForm tells how the functions of a Fn are stored.
type FnForm uint8

// The forms: Table while pins and state bits together are at most TableVars, Code above.
const (
	FormTable FnForm = iota
	FormCode
)

// Limits of a gate.
const (
	TableVars = 12 // pins + state bits of a Table function
	DenseVars = 9  // pins + state bits + observed outputs of a dense arc map
	MaxVars   = 64 // all variables of a gate
)

// Fn is a function class, shared by all gates of equal function. Its variables are numbered pins first
// [0,NPin), then state bits [NPin,NPin+NBit), then observed nets [NPin+NBit,NPin+NBit+NObs). A state is the word with bit i =
// variable i. Functions see pins and bits only; conditions of arcs see all.
//
// Table form: a function of n = NPin+NBit variables is max(1, 2^n/64) words of Program.Words; bit s of them is the
// value in state s. At Out lies the output; at Next the NBit next-state functions one behind the other (new value of
// bit k from the pins after the tick and the bits before it; a bit that keeps returns itself); at Trans the NBit transparency functions
// (1 where the bit follows its pins whatever it was).
// Code form: Out, Next and Trans are offsets in Program.Code (see CodeOp), Next and Trans of NBit consecutive offsets kept in Program.Code
// itself: Code[Next+k] is where the code of bit k starts.
//
// State bits: at a tick the bits are computed in order, each from the pins after the tick and the bits as they then stand, and again until none changes, at most
// NBit+1 times (master and slave in one cell). The output sees the new bits.
type Fn struct {
	NPin, NBit, NObs uint8
	Form             FnForm
	Out, Next, Trans int32
}

// CodeOp is an instruction of the Code form in the high 8 bits of a word; the low 24 are its argument. Code works on a stack
// of at most 64 bits and ends with CodeEnd, the value on top.
type CodeOp uint32

// The instructions.
const (
	CodeEnd   CodeOp = iota
	CodeConst        // push argument (0 or 1)
	CodeVar          // push variable
	CodeNot
	CodeAnd
	CodeOr
	CodeXor
)

// Shape is an arc map, shared by all gates whose entries have the same shape. Slots are numbered from 0 within a gate: slot s of gate
// g has delay ArcDelay[GateArc[g]+s].
//
// Dense (List false): SlotMap[Map + (pin<<vars | state)] is the slot for that pin having switched with the gate in that state after
// the tick, or NoSlot; vars = NPin+NBit+NObs. Input and output edge follow from the state.
// List: for (pin, input edge, output edge) the candidates are Cands[ListOff[Map + 4*pin + 2*in + out] ..
// ListOff[that + 1]), edges 0 fall, 1 rise: the smallest delay of those whose condition is true; Cond -1 is the default entry, which counts only when no
// conditional candidate was true.
// Fallback: SlotMap[Fall + 2*pin + out] is the slot with the smallest value of any entry of the pin with that output
// edge, or NoSlot (used when no switched pin has a delay).
type Shape struct {
	NSlot int32
	Map   int32
	Fall  int32
	List  bool
	_     [3]uint8
}

// NoSlot marks a hole in an arc map.
const NoSlot = int16(-1)

// Cand is a candidate of a List shape. Cond is an offset in Code (all variables), or -1.
type Cand struct {
	Cond int32
	Slot int32
}

// Wire is the delay of a wire in ticks with its reject and error limits; limits equal to the delays are the plain inertial rule.
type Wire struct {
	Rise, Fall       int32
	RejRise, RejFall int32
	ErrRise, ErrFall int32
}

// Plain says whether the limits are the delays.
func (w *Wire) Plain() bool { return w.RejRise == w.Rise && w.RejFall == w.Fall }

// Program is a compiled design: flat arrays, no names. Net and gate numbers are stable slots; the order of
// evaluation is Order, cut into levels. A hole in the gate slots has GateOut -1.
type Program struct {
	NNet int32

	// Per gate slot.
	GateOut   []int32 // net
	GateFn    []int32 // index in Fns
	GateShape []int32 // index in Shapes; -1: all delays are 0
	GatePin   []int32 // first of its NPin+NObs entries in PinNet and PinWire (observed nets last, without wire)
	GateArc   []int32 // first of its arcs in ArcDelay
	GateLimit []int32 // -1: reject and error limits equal the delays; else first of NSlot entries in ArcReject and ArcError

	// Per pin.
	PinNet  []int32
	PinWire []int32 // index in Wires; 0 is the wire without delay

	Wires []Wire // 0 is all zeros

	ArcDelay  []int32 // ticks, >= 0
	ArcReject []int32
	ArcError  []int32

	Fns     []Fn
	Words   []uint64
	Code    []uint32
	Shapes  []Shape
	SlotMap []int16
	ListOff []int32
	Cands   []Cand

	Order      []int32 // gate slots in level order
	LevelStart []int32 // Order[LevelStart[l]:LevelStart[l+1]] is level l; a gate reads nets of sources and lower levels only
}
