package workspace

// Evict lets go of a design what the budget would.
func (p *Project) Evict(level Level) bool {
	p.w.budget.mu.Lock()
	defer p.w.budget.mu.Unlock()
	return p.w.evict(p, level)
}

// HostMemoryBelow is hostMemory.
func HostMemoryBelow(root string) int64 { return hostMemory(root) }
