package design

// targetOf is the list under which statements on an output pin are filed, None when it is not simulated.
func (b *builder) targetOf(inst, pin int32) int32 {
	at := b.nl.Insts[inst].Pin0 + pin
	if b.sub == nil {
		return b.target[at]
	}
	if t, ok := b.sub.target[at]; ok {
		return t
	}
	return None
}

// primTarget is that of a primitive. Patch leaves them alone.
func (b *builder) primTarget(prim int32) int32 {
	if b.sub == nil {
		return b.primAt[prim]
	}
	return None
}
