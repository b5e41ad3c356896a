package daemon

import (
	"sync"
	"time"
)

// idle ends a server that nobody has asked anything for a time.
type idle struct {
	after time.Duration // 0: never
	held  func() bool   // something keeps the server from leaving
	leave func()

	mu      sync.Mutex
	running int
	timer   *time.Timer
	stopped bool
}

func newIdle(after time.Duration, held func() bool, leave func()) *idle {
	return &idle{after: after, held: held, leave: leave}
}

// start begins to wait.
func (i *idle) start() {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.after > 0 && !i.stopped {
		i.timer = time.AfterFunc(i.after, i.expired)
	}
}

// began notes a request; what it returns, that it is answered.
func (i *idle) began() (ended func()) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.running++
	if i.timer != nil {
		i.timer.Stop()
	}
	return func() {
		i.mu.Lock()
		defer i.mu.Unlock()
		i.running--
		i.again()
	}
}

// again begins to wait anew. The caller holds mu.
func (i *idle) again() {
	if i.timer != nil && i.running == 0 && !i.stopped {
		i.timer.Reset(i.after)
	}
}

func (i *idle) expired() {
	i.mu.Lock()
	defer i.mu.Unlock()
	switch {
	case i.stopped || i.running > 0:
	case i.held():
		i.again()
	default:
		i.stopped = true
		i.leave()
	}
}

func (i *idle) stop() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.stopped = true
	if i.timer != nil {
		i.timer.Stop()
	}
}
