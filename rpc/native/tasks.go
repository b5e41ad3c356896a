package native

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/wattd/wattd/internal/workspace"
	"github.com/wattd/wattd/rpc/api"
)

// reportEvery is the least time between two updates of a task.
const reportEvery = 100 * time.Millisecond

// task is the making of a snapshot.
type task struct {
	n int64

	mu   sync.Mutex
	u    api.TaskUpdate
	last time.Time
}

// making follows the making of a snapshot.
func (n *Native) making(p *workspace.Project) (progress workspace.Progress, ended func(error)) {
	n.mu.Lock()
	n.nextTask++
	t := &task{n: n.nextTask}
	t.u = api.TaskUpdate{Task: "t" + strconv.FormatInt(t.n, 10), Title: "read", State: "running"}
	t.u.Design = p.Name()
	if s := p.Newest(); s != nil {
		t.u.Snapshot = s.N
	}
	n.tasks[t.u.Task] = t
	n.mu.Unlock()
	n.tell(t)
	if len(n.listeners("tasks", p.Name())) > 0 { // else nobody reads how far it is
		progress = func(step string, done, total int64) { n.progress(t, step, done, total) }
	}
	return progress, func(err error) {
		t.mu.Lock()
		t.u.State, t.u.Percent = "done", nil
		switch {
		case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
			t.u.State = "cancelled"
		case err != nil:
			t.u.State = "failed"
		default:
			t.u.Snapshot, t.u.Design = p.Newest().N, p.Name()
		}
		t.mu.Unlock()
		n.mu.Lock()
		delete(n.tasks, t.u.Task)
		n.mu.Unlock()
		n.tell(t)
	}
}

// progress tells of a step, and how far it is, from time to time.
func (n *Native) progress(t *task, step string, done, total int64) {
	t.mu.Lock()
	now := time.Now()
	if step == t.u.Title && now.Sub(t.last) < reportEvery {
		t.mu.Unlock()
		return
	}
	t.last, t.u.Title, t.u.Percent = now, step, nil
	if total > 0 {
		share := 100 * float64(done) / float64(total)
		t.u.Percent = &share
	}
	t.mu.Unlock()
	n.tell(t)
}

func (n *Native) tell(t *task) {
	t.mu.Lock()
	u := t.u
	t.mu.Unlock()
	for _, sub := range n.listeners("tasks", u.Design) {
		u.Subscription = sub.id
		sub.publish(u)
	}
}

// running lists the tasks under way, oldest first.
func (n *Native) running() []api.TaskUpdate {
	n.mu.Lock()
	var ts []*task
	for _, t := range n.tasks {
		ts = append(ts, t)
	}
	n.mu.Unlock()
	slices.SortFunc(ts, func(a, b *task) int { return cmp.Compare(a.n, b.n) })
	us := []api.TaskUpdate{}
	for _, t := range ts {
		t.mu.Lock()
		us = append(us, t.u)
		t.mu.Unlock()
	}
	return us
}
