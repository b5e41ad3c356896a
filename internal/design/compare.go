package design

// Comparison compares gates of two designs whose numbers need not be the same.
type Comparison struct{ c *comparer }

// Compare prepares a comparison. same tells whether a net of a and one of b are the same net; nil: by number.
func Compare(a, b *Design, same func(x, y int32) bool) *Comparison {
	c := newComparer(a, b)
	c.same = same
	return &Comparison{c}
}

// Difference is the first respect in which two gates differ.
type Difference uint8

// The differences.
const (
	Equal Difference = iota
	NewFunction
	NewInputs
	NewDelays
)

// Gates compares gate g of the one design with gate h of the other, as Diff does.
func (c *Comparison) Gates(g, h int32) Difference {
	switch {
	case !c.c.function(g, h):
		return NewFunction
	case !c.c.inputs(g, h):
		return NewInputs
	case !c.c.delays(g, h):
		return NewDelays
	}
	return Equal
}
