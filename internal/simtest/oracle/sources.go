package oracle

import "github.com/wattd/wattd/internal/simtest/model"

// record is what the stimulus says of a net: one value a tick, the last one given.
type record []model.Change

// recordOf is the record of a net, or nil.
func (b *builder) recordOf(net int) record {
	for _, w := range b.c.Waves {
		if w.Net != net {
			continue
		}
		var r record
		for _, ch := range w.Changes {
			if n := len(r); n > 0 && r[n-1].T == ch.T {
				r[n-1].V = ch.V
			} else {
				r = append(r, ch)
			}
		}
		return r
	}
	return nil
}

// replaced replaces x and z by the policy.
func (b *builder) replaced(r record, i int) bool {
	switch v := r[i].V; v {
	case '0', '1':
		return v == '1'
	}
	b.stat("x replaced")
	switch b.c.X {
	case model.XZero, model.XOne:
		return b.c.X == model.XOne
	}
	for j := i - 1; j >= 0; j-- {
		if v := r[j].V; v == '0' || v == '1' {
			return v == '1'
		}
	}
	for j := i + 1; j < len(r); j++ {
		if v := r[j].V; v == '0' || v == '1' {
			return v == '1'
		}
	}
	return false
}

// startValue is the recorded value at the start of the run; ok is false when it is not known then or not recorded.
func (b *builder) startValue(net int) (v, ok bool) {
	r := b.recordOf(net)
	for i := len(r) - 1; i >= 0; i-- {
		if r[i].T <= b.c.From {
			return r[i].V == '1', r[i].V == '0' || r[i].V == '1'
		}
	}
	return false, false
}

// sources sets the start value and the events of every source.
func (s *sim) sources() {
	for net := range s.c.Nets {
		if !s.isSrc[net] {
			continue
		}
		s.res.Nets[net].Source = true
		s.res.Nets[net].Collapsed = s.collapsed(net)
		r := s.recordOf(net)
		if r == nil {
			r = s.complement(net)
		}
		for i, ch := range r {
			v := s.replaced(r, i)
			switch {
			case ch.T <= s.c.From:
				s.val[net] = v
			case ch.T < s.c.To:
				s.src[net] = append(s.src[net], event{t: ch.T, v: v})
			}
		}
		s.rec[net] = r
	}
}

// collapsed counts the recorded changes of a net that another one at the same tick overwrote.
func (s *sim) collapsed(net int) (n int64) {
	for _, w := range s.c.Waves {
		if w.Net != net {
			continue
		}
		var last model.Change
		for i, ch := range w.Changes {
			if i > 0 && ch.V == last.V {
				continue
			}
			if i > 0 && ch.T == last.T && ch.T > s.c.From && ch.T < s.c.To {
				n++
			}
			last = ch
		}
	}
	return n
}

// complement makes the record of the Q or QN that the stimulus does not name out of that of the other.
func (s *sim) complement(net int) record {
	other := s.otherOutput(net)
	if other < 0 {
		return nil
	}
	s.stat("Q from QN or QN from Q")
	s.res.Nets[net].Collapsed = s.collapsed(other)
	var c record
	for _, ch := range s.recordOf(other) {
		switch ch.V {
		case '0':
			ch.V = '1'
		case '1':
			ch.V = '0'
		}
		c = append(c, ch)
	}
	return c
}

// otherOutput is a recorded net on another output of the register that drives a net, or -1.
func (s *sim) otherOutput(net int) int {
	for _, in := range s.c.Insts {
		if in.Cell.FF == nil {
			continue
		}
		outs := in.Cell.Out()
		for _, o := range outs {
			if in.Conn[o] != net {
				continue
			}
			for _, x := range outs {
				if x != o && in.Conn[x] >= 0 && s.recordOf(in.Conn[x]) != nil {
					return in.Conn[x]
				}
			}
		}
	}
	return -1
}
