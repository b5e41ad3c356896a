// Package logic holds Boolean functions as Liberty and SDF write them: parsed to a small tree, evaluated, and
// tabulated.
//
// Contract: text in, tree or positioned error out; no names are resolved here, the caller maps them to variables.
package logic

// Op is the operator of a node.
type Op uint8

// The operators. Const has Value, Var has Name, Not one kid, the others two or more.
const (
	Const Op = iota
	Var
	Not
	And
	Or
	Xor
)

// Expr is a node of a Boolean function.
type Expr struct {
	Op    Op
	Value bool
	Name  string // unescaped; a bus bit keeps its index: "A[1]"
	Kids  []*Expr
}

// Vars returns the distinct names in order of first use.
func (e *Expr) Vars() []string {
	var vs []string
	seen := map[string]bool{}
	var walk func(*Expr)
	walk = func(x *Expr) {
		if x.Op == Var && !seen[x.Name] {
			seen[x.Name] = true
			vs = append(vs, x.Name)
		}
		for _, k := range x.Kids {
			walk(k)
		}
	}
	walk(e)
	return vs
}

// Eval evaluates e; value is asked for every variable met.
func (e *Expr) Eval(value func(name string) bool) bool {
	switch e.Op {
	case Const:
		return e.Value
	case Var:
		return value(e.Name)
	case Not:
		return !e.Kids[0].Eval(value)
	case And:
		for _, k := range e.Kids {
			if !k.Eval(value) {
				return false
			}
		}
		return true
	case Or:
		for _, k := range e.Kids {
			if k.Eval(value) {
				return true
			}
		}
		return false
	}
	r := false
	for _, k := range e.Kids {
		r = r != k.Eval(value)
	}
	return r
}
