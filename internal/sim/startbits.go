package sim

// StartBits are the state bits of the gates at the start of the run, by gate; nil when none has state.
func (r *Result) StartBits() []uint32 {
	if r.start == nil {
		return nil
	}
	return r.start.Bits
}
