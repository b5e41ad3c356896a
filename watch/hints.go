package watch

import "sync"

// hints gathers what events say until the loop takes it. Only paths of interest are kept, each once, so that no storm of
// events takes memory or time beyond the storm itself.
type hints struct {
	mu       sync.Mutex
	interest map[string]bool
	pending  map[string]bool // true: the path may now lead elsewhere
	lost     bool
	events   uint64
	wake     chan struct{}
}

func newHints() *hints {
	return &hints{interest: map[string]bool{}, pending: map[string]bool{}, wake: make(chan struct{}, 1)}
}

// add notes a sign of change; moved means that the name was created, removed or renamed.
func (h *hints) add(path string, moved bool) {
	h.mu.Lock()
	ok := h.interest[path]
	if ok {
		h.events++
		h.pending[path] = h.pending[path] || moved
	}
	h.mu.Unlock()
	if ok {
		h.signal()
	}
}

// poke notes a sign that did not come from an event, of a watched file as it was given to Set.
func (h *hints) poke(path string) {
	h.mu.Lock()
	if !h.pending[path] {
		h.pending[path] = false
	}
	h.mu.Unlock()
	h.signal()
}

// overflow notes that events were lost.
func (h *hints) overflow() {
	h.mu.Lock()
	h.lost = true
	h.mu.Unlock()
	h.signal()
}

func (h *hints) signal() {
	select {
	case h.wake <- struct{}{}:
	default:
	}
}

func (h *hints) take() (pending map[string]bool, lost bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	pending, lost = h.pending, h.lost
	h.pending, h.lost = map[string]bool{}, false
	return pending, lost
}

func (h *hints) count() uint64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.events
}

func (h *hints) want(path string, yes bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if yes {
		h.interest[path] = true
	} else {
		delete(h.interest, path)
	}
}
