package rpc

import (
	"context"
	"sync"
	"time"

	"github.com/wattd/wattd/rpc/api"
)

// reportEvery is the least time between two reports: people cannot read faster, and a loop may report each step.
const reportEvery = 100 * time.Millisecond

// Progress tells a client how far its request is. Without a token in the request all methods do nothing.
type Progress struct {
	req *Request

	mu      sync.Mutex
	last    time.Time
	percent int
	ended   bool
}

// StartProgress begins to report on the request of ctx. End must be called.
func StartProgress(ctx context.Context, title string) *Progress {
	p := &Progress{req: RequestOf(ctx)}
	if p.req != nil && p.req.token == nil {
		p.req = nil
	}
	if p.req != nil {
		_ = p.req.Conn.Notify(api.Progress.Name(), p.value(api.ProgressValue{Kind: "begin", Title: title}))
	}
	return p
}

// Report tells the step and how much is done, in percent, -1 when that is not known. It never waits; reports that come fast are
// left out.
func (p *Progress) Report(percent int, message string) {
	if p.req == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	if p.ended || now.Sub(p.last) < reportEvery {
		return
	}
	p.last = now
	v := api.ProgressValue{Kind: "report", Message: message}
	if percent >= 0 {
		p.percent = min(max(p.percent, percent), 100)
		v.Percentage = &p.percent
	}
	_ = p.req.Conn.Publish("progress "+string(p.req.token), api.Progress.Name(), p.value(v))
}

// End ends the reports.
func (p *Progress) End(message string) {
	if p.req == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.ended {
		p.ended = true
		_ = p.req.Conn.Notify(api.Progress.Name(), p.value(api.ProgressValue{Kind: "end", Message: message}))
	}
}

func (p *Progress) value(v api.ProgressValue) api.ProgressParams {
	return api.ProgressParams{Token: p.req.token, Value: v}
}
