package workspace

import (
	"context"
	"errors"
)

// errSuperseded ends work in the background for files that changed again.
var errSuperseded = errors.New("workspace: the files changed again")

// Look is Refresh in the background, for nobody who waits: Supersede may end it, with the error of a cancelled context. One at a time
// is under way for a design. A design that was let go for the budget is left to the next query.
func (p *Project) Look(ctx context.Context) (s *Snapshot, made bool, err error) {
	if p.Evicted() == Whole {
		return nil, false, nil
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	p.mu.Lock()
	p.supersede = cancel
	p.mu.Unlock()
	defer func() {
		p.mu.Lock()
		p.supersede = nil
		p.mu.Unlock()
	}()
	return p.Refresh(ctx, 0)
}

// Supersede cancels the Look that is under way, because the files are others by now; false when there is none, or when a request waits
// to go on from what it makes.
func (p *Project) Supersede() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.supersede == nil || p.waiting > 0 {
		return false
	}
	p.supersede(errSuperseded)
	return true
}
