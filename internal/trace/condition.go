package trace

import (
	"math/bits"
	"strings"

	"github.com/wattd/wattd/kernel"
)

// Condition says what of the state selected the arc of a hop: as an expression over variables, "" when the arc has no condition that
// matters there. name tells the name of a variable of the gate: pins first, then state bits, then observed outputs. Where the arcs are
// stored by state it is the smallest part of the state that leaves no other arc, else the condition of the statement.
func (r *Run) Condition(h *Hop, name func(v int) string) string {
	if h.Gate < 0 || h.Slot < 0 || h.fallback {
		return ""
	}
	p := r.Program
	shape, fn := &p.Shapes[p.GateShape[h.Gate]], &p.Fns[p.GateFn[h.Gate]]
	if shape.List {
		for _, c := range candidates(p, shape, h.Pin, h.State, h.Value) {
			if int(c.Slot) == h.Slot && c.Cond >= 0 && p.Holds(c.Cond, h.State) {
				return expression(p.Code, c.Cond, name)
			}
		}
		return ""
	}
	var terms []string
	for rest := dense(p, shape, fn, h); rest != 0; rest &= rest - 1 {
		v := bits.TrailingZeros64(rest)
		term := name(v)
		if h.State>>v&1 == 0 {
			term = "!" + term
		}
		terms = append(terms, term)
	}
	return strings.Join(terms, " && ")
}

// dense finds the variables on which the arc depends, the others being free: those that may be dropped, from the last on, without any
// state of this output value and this edge of the pin having another arc.
func dense(p *kernel.Program, shape *kernel.Shape, fn *kernel.Fn, h *Hop) (fixed uint64) {
	n := vars(fn)
	fixed = (1<<n - 1) &^ (1 << h.Pin)
	free := uint64(0)
	for v := n - 1; v >= 0; v-- {
		bit := uint64(1) << v
		if fixed&bit == 0 {
			continue
		}
		same := true
		for sub := free | bit; ; sub = (sub - 1) & (free | bit) {
			state := h.State ^ sub
			if p.Value(fn, fn.Out, state) == h.Value && int(p.SlotMap[uint64(shape.Map)+(uint64(h.Pin)<<n|state)]) != h.Slot {
				same = false
				break
			}
			if sub == 0 {
				break
			}
		}
		if same {
			fixed, free = fixed&^bit, free|bit
		}
	}
	return fixed
}

// expression writes code as a Verilog expression.
func expression(code []uint32, at int32, name func(v int) string) string {
	type part struct {
		text string
		atom bool
	}
	var stack []part
	wrap := func(x part) string {
		if x.atom {
			return x.text
		}
		return "(" + x.text + ")"
	}
	binary := func(op string) {
		n := len(stack)
		stack = append(stack[:n-2], part{text: wrap(stack[n-2]) + op + wrap(stack[n-1])})
	}
	for pc := at; ; pc++ {
		arg := code[pc] & (1<<24 - 1)
		switch kernel.CodeOp(code[pc] >> 24) {
		case kernel.CodeConst:
			stack = append(stack, part{[]string{"1'b0", "1'b1"}[arg&1], true})
		case kernel.CodeVar:
			stack = append(stack, part{name(int(arg)), true})
		case kernel.CodeNot:
			n := len(stack) - 1
			stack[n] = part{"!" + wrap(stack[n]), true}
		case kernel.CodeAnd:
			binary(" && ")
		case kernel.CodeOr:
			binary(" || ")
		case kernel.CodeXor:
			binary(" ^ ")
		default: // CodeEnd
			return stack[len(stack)-1].text
		}
	}
}
