package kernel

// Value computes the function at an offset of fn (its output, a next state or a transparency) in a state. It is for single questions;
// engines have loops of their own.
func (p *Program) Value(fn *Fn, at int32, state uint64) bool {
	if fn.Form == FormTable {
		state &= 1<<(fn.NPin+fn.NBit) - 1
		return p.Words[uint64(at)+state>>6]>>(state&63)&1 != 0
	}
	return p.Holds(at, state)
}

// Holds runs the code at an offset, such as the condition of an arc, in a state.
func (p *Program) Holds(at int32, state uint64) bool {
	var stack [MaxVars]bool
	n := 0
	for pc := at; ; pc++ {
		arg := p.Code[pc] & (1<<24 - 1)
		switch CodeOp(p.Code[pc] >> 24) {
		case CodeConst:
			stack[n] = arg != 0
			n++
		case CodeVar:
			stack[n] = state>>arg&1 != 0
			n++
		case CodeNot:
			stack[n-1] = !stack[n-1]
		case CodeAnd:
			n--
			stack[n-1] = stack[n-1] && stack[n]
		case CodeOr:
			n--
			stack[n-1] = stack[n-1] || stack[n]
		case CodeXor:
			n--
			stack[n-1] = stack[n-1] != stack[n]
		default: // CodeEnd
			return stack[n-1]
		}
	}
}
