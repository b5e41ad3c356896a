package watch

import "time"

// settling decides when a file that showed signs of change is to be reported. It knows no clock and no file: the loop tells
// it what happened, and when.
type settling struct {
	settle, max time.Duration

	known      bool      // there was a first look
	reported   ID        // as the caller knows it
	reportedAt time.Time // when that look began

	dirty  bool
	since  time.Time // first sign
	quiet  time.Time // quiet from here on, unless there is another sign
	last   ID        // as last seen, since when
	lastAt time.Time
	looked time.Time // when the last look began
	check  time.Time // when a sign is to be looked into; zero: no sign since the last look
	parked bool      // quiet, but incomplete: waits for a sign
	hinted bool      // MaxSettle has passed, the caller was told that it is incomplete
}

// outcome of a look.
type outcome int

const (
	nothing outcome = iota
	changed
	incomplete
)

// touch takes a sign of change. It asks for a look soon: at once after the first sign, not for every sign of many.
func (s *settling) touch(now time.Time) {
	soon := now
	if !s.dirty {
		s.begin(now)
	} else if next := s.looked.Add(s.settle / 4); next.After(now) {
		soon = next
	}
	if s.check.IsZero() {
		s.check = soon
	}
	s.quiet = now.Add(s.settle)
	s.parked = false
}

func (s *settling) begin(now time.Time) {
	s.dirty, s.since, s.quiet, s.parked, s.hinted = true, now, now.Add(s.settle), false, false
	s.lastAt = now
}

// ending says that a look that begins now ends the wait, if the ID is still the same. Signs without a change of the ID put
// that off for max at most.
func (s *settling) ending(now time.Time) bool {
	return s.dirty && now.Sub(s.lastAt) >= s.settle && (!now.Before(s.quiet) || now.Sub(s.since) >= s.max)
}

// seen takes what a look found that began at the time now. complete matters when the wait was ending then.
func (s *settling) seen(now time.Time, id ID, complete bool) outcome {
	s.looked, s.check = now, time.Time{}
	if !s.known {
		s.known, s.reported, s.reportedAt, s.last = true, id, now, id
		return nothing
	}
	if !s.dirty {
		if id == s.reported {
			return nothing
		}
		s.begin(now)
	}
	switch {
	case id != s.last:
		s.last, s.lastAt, s.parked = id, now, false
		if quiet := now.Add(s.settle); quiet.After(s.quiet) {
			s.quiet = quiet
		}
		return s.hint(now)
	case !s.ending(now):
		return s.hint(now)
	case !complete:
		s.parked = true
		return s.hint(now)
	}
	s.dirty = false
	// A change within the step of the file's times does not show in the ID.
	if id == s.reported && (!id.Exists || id.Settled(s.reportedAt)) {
		return nothing
	}
	s.reported, s.reportedAt = id, now
	return changed
}

// hint tells once that the file takes long.
func (s *settling) hint(now time.Time) outcome {
	if s.hinted || now.Sub(s.since) < s.max {
		return nothing
	}
	s.hinted = true
	return incomplete
}

// due is when the file is to be looked at without a further sign; zero for never.
func (s *settling) due() time.Time {
	switch {
	case !s.dirty || s.parked && s.hinted:
		return time.Time{}
	case !s.check.IsZero():
		return s.check
	case s.parked:
		return s.since.Add(s.max)
	}
	capped := s.since.Add(s.max)
	if still := s.lastAt.Add(s.settle); still.After(capped) {
		capped = still
	}
	if capped.Before(s.quiet) {
		return capped
	}
	return s.quiet
}

// holdsUp says that a report of other files should wait for this one.
func (s *settling) holdsUp() bool { return s.dirty && !s.parked && !s.hinted }
