package main

import (
	"io"
	"os"
	"time"

	"github.com/jedib0t/go-pretty/v6/progress"
	"golang.org/x/term"

	"github.com/wattd/wattd/internal/project"
)

// bar shows the progress of steps on a terminal.
type bar struct {
	w    progress.Writer
	done chan struct{}
	last *progress.Tracker
	name string
}

// newBar returns a bar that shows nothing unless out is a terminal.
func newBar(out io.Writer) *bar {
	f, ok := out.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return &bar{}
	}
	w := progress.NewWriter()
	w.SetOutputWriter(f)
	w.SetUpdateFrequency(100 * time.Millisecond)
	w.SetTrackerLength(30)
	w.SetMessageLength(28)
	w.Style().Visibility.Value = false
	w.Style().Visibility.Speed = false
	b := &bar{w: w, done: make(chan struct{})}
	go func() { w.Render(); close(b.done) }()
	return b
}

func (b *bar) progress() project.Progress {
	if b.w == nil {
		return nil
	}
	return func(step string, done, total int64) {
		if step != b.name {
			b.finish()
			b.name = step
			b.last = &progress.Tracker{Message: step, Total: max(total, 1)}
			b.w.AppendTracker(b.last)
		}
		b.last.SetValue(min(done, max(total, 1)-1))
	}
}

func (b *bar) finish() {
	if b.last != nil {
		b.last.MarkAsDone()
	}
}

func (b *bar) stop() {
	if b.w == nil {
		return
	}
	b.finish()
	b.w.Stop()
	<-b.done
}
