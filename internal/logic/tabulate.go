package logic

import "fmt"

// MaxTabulated is the largest number of variables that Tabulate takes.
const MaxTabulated = 16

// UnknownNameError is a name in a function that the caller's index does not know.
type UnknownNameError struct{ Name string }

func (e *UnknownNameError) Error() string { return fmt.Sprintf("unknown name %q", e.Name) }

// Tabulate returns the truth table of e over variables 0..n-1: bit s of the words is the value in state s, and bit i
// of s is variable i. There are max(1, 2^n/64) words; with n < 6 the bits above 2^n are 0. index maps a name to its
// variable; a negative result makes an *UnknownNameError, one of n or more an error too. n over MaxTabulated is an error.
func Tabulate(e *Expr, n int, index func(name string) int) ([]uint64, error) {
	if n < 0 || n > MaxTabulated {
		return nil, fmt.Errorf("a table over %d variables: at most %d", n, MaxTabulated)
	}
	p := program{n: n, index: index}
	if err := p.compile(e, 1); err != nil {
		return nil, err
	}
	if n < 6 {
		return []uint64{p.word(0) & (1<<(1<<n) - 1)}, nil
	}
	t := make([]uint64, 1<<(n-6))
	for w := range t {
		t[w] = p.word(w)
	}
	return t, nil
}

// program is a function in postfix order, with names resolved. It computes 64 states at a time.
type program struct {
	n     int
	index func(string) int
	code  []instr
	deep  int // greatest stack height
	stack []uint64
}

// instr pushes (Var arg; Const arg 0 or 1), or combines the top of the stack.
type instr struct {
	op  Op
	arg int
}

func (p *program) compile(e *Expr, height int) error {
	p.deep = max(p.deep, height)
	switch e.Op {
	case Const:
		c := instr{op: Const}
		if e.Value {
			c.arg = 1
		}
		p.code = append(p.code, c)
	case Var:
		i := p.index(e.Name)
		if i < 0 {
			return &UnknownNameError{e.Name}
		}
		if i >= p.n {
			return fmt.Errorf("name %q is variable %d of %d", e.Name, i, p.n)
		}
		p.code = append(p.code, instr{Var, i})
	case Not:
		if err := p.compile(e.Kids[0], height); err != nil {
			return err
		}
		p.code = append(p.code, instr{op: Not})
	default:
		for k, kid := range e.Kids {
			if err := p.compile(kid, height+min(k, 1)); err != nil {
				return err
			}
			if k > 0 {
				p.code = append(p.code, instr{op: e.Op})
			}
		}
	}
	return nil
}

// lowVar[i] has bit s set where bit i of s is.
var lowVar = [6]uint64{
	0xaaaaaaaaaaaaaaaa, 0xcccccccccccccccc, 0xf0f0f0f0f0f0f0f0,
	0xff00ff00ff00ff00, 0xffff0000ffff0000, 0xffffffff00000000,
}

// word computes states 64w to 64w+63.
func (p *program) word(w int) uint64 {
	if p.stack == nil {
		p.stack = make([]uint64, p.deep)
	}
	st, top := p.stack, -1
	for _, c := range p.code {
		switch c.op {
		case Const:
			top++
			st[top] = -uint64(c.arg)
		case Var:
			top++
			if c.arg < 6 {
				st[top] = lowVar[c.arg]
			} else {
				st[top] = -uint64(w >> (c.arg - 6) & 1)
			}
		case Not:
			st[top] = ^st[top]
		case And:
			top--
			st[top] &= st[top+1]
		case Or:
			top--
			st[top] |= st[top+1]
		case Xor:
			top--
			st[top] ^= st[top+1]
		}
	}
	return st[0]
}
