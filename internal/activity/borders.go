package activity

// Cycle tells the cycle of a net in which a tick lies: from its border on, before the next one. The ends of the run count as borders.
// ok is false when there is no clock to split by.
func (t *Table) Cycle(net int32, tick int64) (from, to int64, ok bool) {
	if !t.Split || t.Clocks == nil || len(t.Clocks.List) == 0 || int(net) >= len(t.Clocks.OfNet) {
		return 0, 0, false
	}
	from, to = t.From, t.To
	for _, b := range t.Clocks.borders(net) {
		if b > tick {
			return from, b, true
		}
		from = b
	}
	return from, to, true
}
