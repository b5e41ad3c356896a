package oracle

// count makes times and changes of the events.
func (s *sim) count() {
	for net := range s.c.Nets {
		r := &s.res.Nets[net]
		if rec := s.rec[net]; s.isSrc[net] && rec != nil {
			s.countRecord(net, rec)
			continue
		}
		v, last := r.Start, s.c.From
		add := func(t int64) {
			if v {
				r.T1 += t - last
			} else {
				r.T0 += t - last
			}
			last = t
		}
		for _, t := range r.Ticks {
			add(t)
			v = !v
			r.TC++
			if v {
				r.Rise++
			} else {
				r.Fall++
			}
		}
		add(s.c.To)
	}
	for _, g := range s.gate {
		if g.tri {
			s.countTri(g)
		}
	}
}

// countRecord counts a source from its recorded values: 0->X->1 is one change, 1->X->1 none.
func (s *sim) countRecord(net int, rec record) {
	r := &s.res.Nets[net]
	cur, last := byte('x'), s.c.From
	known := byte(0)
	add := func(t int64) {
		switch cur {
		case '0':
			r.T0 += t - last
		case '1':
			r.T1 += t - last
		case 'z':
			r.TZ += t - last
		default:
			r.TX += t - last
		}
		last = t
	}
	for _, ch := range rec {
		if ch.T >= s.c.To {
			break
		}
		if ch.T > s.c.From {
			add(ch.T)
		}
		cur = ch.V
		if cur != '0' && cur != '1' {
			continue
		}
		if ch.T > s.c.From && known != 0 && known != cur {
			r.TC++
			if cur == '1' {
				r.Rise++
			} else {
				r.Fall++
			}
		}
		known = cur
	}
	add(s.c.To)
}

// countTri takes the time in which no driver, or drivers that differ, were enabled out of T0 and T1.
func (s *sim) countTri(g *gate) {
	r := &s.res.Nets[g.out]
	r.T0, r.T1, r.TZ, r.TB = 0, 0, 0, 0
	v, last := r.Start, s.c.From
	si, ei := 0, 0
	for last < s.c.To {
		next := s.c.To
		if si+1 < len(g.status) {
			next = min(next, g.status[si+1].t)
		}
		if ei < len(r.Ticks) {
			next = min(next, r.Ticks[ei])
		}
		switch d := next - last; {
		case g.status[si].s == 'z':
			r.TZ += d
		case g.status[si].s == 'b':
			r.TB += d
		case v:
			r.T1 += d
		default:
			r.T0 += d
		}
		if si+1 < len(g.status) && g.status[si+1].t == next {
			si++
		}
		if ei < len(r.Ticks) && r.Ticks[ei] == next {
			v = !v
			ei++
		}
		last = next
	}
}
