package project

import (
	"context"

	"github.com/wattd/wattd/internal/activity"
	"github.com/wattd/wattd/internal/diag"
)

// CountInterval counts a part of the run, which must be done. Pulses that gates removed are counted by window: those of windows that
// the part cuts are left out.
func (s *Session) CountInterval(ctx context.Context, from, to int64) (*activity.Table, error) {
	if s.opt.zero {
		return nil, &UsageError{Flag: "glitch", Msg: " zero-delay: the glitches of a part of the run are not known; count the whole run"}
	}
	t := activity.Count(s.Design, s.Stim, s.Result.Waves, activity.Options{From: from, To: to, Cycle: s.opt.cycle}, &diag.Bag{})
	return t, ctx.Err()
}
