package wave

import (
	"encoding/binary"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"

	"github.com/wattd/wattd/internal/design"
	"github.com/wattd/wattd/internal/diag"
)

func itoa(n int64) string { return strconv.FormatInt(n, 10) }

// maker turns changes into a Stimulus.
type maker struct {
	s      *Stimulus
	d      *design.Design
	opt    Options
	bag    *diag.Bag
	name   string
	wanted []int32
	index  []int32
	bound  []bool

	off []int64 // events of wanted net i: ev[off[i]:off[i+1]]
	ev  []event
}

func (m *maker) make(events []event) {
	m.sort(events)
	classes := map[design.Class]*ClassCoverage{}
	partner := m.partners()
	var missing []int32
	for _, n := range m.d.Sources {
		c := classes[m.d.NetClass[n]]
		if c == nil {
			c = &ClassCoverage{Class: m.d.NetClass[n].String()}
			classes[m.d.NetClass[n]] = c
		}
		c.Total++
		i := m.index[n]
		invert := false
		switch {
		case i < 0: // a hidden net
			missing = append(missing, n)
			continue
		case m.bound[i]:
			c.Stimulus++
		case partner[n].net != None:
			c.Complement++
			i, invert = m.index[partner[n].net], partner[n].inverted
			m.bag.Add(diag.StimComplement, diag.Pos{File: m.name}, "net %s is taken from net %s", m.d.Netlist.NetName(n), m.d.Netlist.NetName(partner[n].net))
		default:
			missing = append(missing, n)
			continue
		}
		m.source(n, m.ev[m.off[i]:m.off[i+1]], invert)
	}
	for _, n := range m.d.Spare {
		if i := m.index[n]; m.bound[i] {
			m.source(n, m.ev[m.off[i]:m.off[i+1]], false)
		}
	}
	var states []int32
	for _, st := range m.d.States {
		states = append(states, m.d.Program.GateOut[st.Gate])
	}
	for _, c := range m.d.Cut {
		states = append(states, c.Net)
	}
	for _, n := range states {
		if n < 0 || int(n) >= len(m.index) || m.index[n] < 0 || !m.bound[m.index[n]] {
			continue
		}
		v := byte(0)
		for _, e := range m.ev[m.off[m.index[n]]:m.off[m.index[n]+1]] {
			if e.tick > m.s.From {
				break
			}
			v = e.val
		}
		if v == '0' || v == '1' {
			m.s.Initial[n] = v == '1'
		}
	}
	m.missing(missing, classes)
	m.s.Off = append(m.s.Off, int64(len(m.s.Tick)))
	if m.s.RecOff != nil {
		m.s.RecOff = append(m.s.RecOff, int64(len(m.s.RecTick)))
	}
	for c := design.ClassInput; c <= design.ClassLoop; c++ {
		if x := classes[c]; x != nil {
			m.s.Coverage.Classes = append(m.s.Coverage.Classes, *x)
		}
	}
	m.s.Coverage.Changes = int64(len(m.s.Tick))
	if m.bag.Errors() == 0 {
		m.zeroDelay()
	}
}

// sort groups events by net, keeping their order.
func (m *maker) sort(events []event) {
	m.off = make([]int64, len(m.wanted)+1)
	for _, e := range events {
		m.off[e.net+1]++
	}
	for i := range m.wanted {
		m.off[i+1] += m.off[i]
	}
	at := slices.Clone(m.off)
	m.ev = make([]event, len(events))
	for _, e := range events {
		m.ev[at[e.net]] = e
		at[e.net]++
	}
}

type partnerOf struct {
	net      int32
	inverted bool
}

// partners finds, for register outputs that are not dumped, another output of the same state that is.
func (m *maker) partners() map[int32]partnerOf {
	p := map[int32]partnerOf{}
	for _, n := range m.d.Sources {
		p[n] = partnerOf{net: None}
		if m.d.NetClass[n] != design.ClassRegister {
			delete(p, n)
		}
	}
	rs := m.d.Registers // in order of instances
	for i := 0; i < len(rs); {
		j := i
		for j < len(rs) && rs[j].Inst == rs[i].Inst {
			j++
		}
		for a := i; a < j; a++ {
			for b := i; b < j; b++ {
				x, y := &rs[a], &rs[b]
				if a == b || x.State < 0 || x.State != y.State || m.index[y.Net] < 0 || !m.bound[m.index[y.Net]] || x.Net == y.Net {
					continue
				}
				if q, ok := p[x.Net]; ok && q.net == None {
					p[x.Net] = partnerOf{y.Net, x.Inverted != y.Inverted}
				}
			}
		}
		i = j
	}
	for _, n := range m.d.Sources {
		if _, ok := p[n]; !ok {
			p[n] = partnerOf{net: None}
		}
	}
	return p
}

// source makes the wave of one source from its recorded values.
func (m *maker) source(net int32, ev []event, invert bool) {
	s := m.s
	src := int32(len(s.Net))
	var collapsed []int64
	// the last change of a tick counts
	start, hold := byte('x'), byte('x') // hold is the last known value up to the start
	var cs []change
	for i := 0; i < len(ev); i++ {
		if i+1 < len(ev) && ev[i+1].tick == ev[i].tick {
			if ev[i].tick > s.From && ev[i].tick < s.To {
				collapsed = append(collapsed, ev[i].tick)
			}
			continue
		}
		v := ev[i].val
		if invert {
			v = [256]byte{'0': '1', '1': '0', 'x': 'x', 'z': 'z'}[v]
		}
		switch {
		case ev[i].tick <= s.From:
			if start = v; known(v) {
				hold = v
			}
		case ev[i].tick < s.To:
			last := start
			if len(cs) > 0 {
				last = cs[len(cs)-1].val
			}
			if v != last {
				cs = append(cs, change{ev[i].tick, v})
			}
		}
	}
	if len(collapsed) > 0 {
		s.Collapsed = append(s.Collapsed, Collapsed{net, collapsed})
		s.Coverage.Collapsed += int64(len(collapsed))
	}
	if !known(hold) {
		hold = '0'
		i := slices.IndexFunc(cs, func(c change) bool { return known(c.val) })
		if i >= 0 {
			hold = cs[i].val
		} else {
			s.Coverage.NeverKnown++
			m.bag.Add(diag.StimNeverKnown, diag.Pos{File: m.name}, "source %s is unknown throughout", m.d.Netlist.NetName(net))
		}
	}
	unknown := false
	span := func(v byte, from, to int64) {
		if known(v) {
			return
		}
		unknown = true
		s.Unknown = append(s.Unknown, Span{src, from, to, v == 'z'})
		s.Coverage.UnknownSum += to - from
	}
	at, v := s.From, start
	for _, c := range cs {
		span(v, at, c.tick)
		at, v = c.tick, c.val
	}
	span(v, at, s.To)
	if unknown {
		s.Coverage.UnknownNet++
		m.bag.Add(diag.StimX, diag.Pos{File: m.name}, "source %s is unknown for a part of the run", m.d.Netlist.NetName(net))
	}
	m.put(net, start, hold, cs)
}

// change is the value of a source from a tick on.
type change struct {
	tick int64
	val  byte
}

func known(v byte) bool { return v == '0' || v == '1' }

// put appends the waves of a source: that of the simulation, and that of the counters where they can differ.
func (m *maker) put(net int32, start, hold byte, cs []change) {
	s := m.s
	s.Net = append(s.Net, net)
	s.Off = append(s.Off, int64(len(s.Tick)))
	policy := func(int) byte { return 0 }
	switch m.opt.X {
	case XZero:
		policy = func(int) byte { return '0' }
	case XOne:
		policy = func(int) byte { return '1' }
	case XRandom:
		policy = func(n int) byte { return '0' + byte(hashBit(m.opt.XSeed, m.d.Netlist.NetName(net), int64(n))&1) }
	}
	var v byte
	v, s.Tick = replace(s.Tick, start, hold, cs, policy)
	s.Start = append(s.Start, v == '1')
	if m.opt.X != XHold {
		s.RecOff = append(s.RecOff, int64(len(s.RecTick)))
		v, s.RecTick = replace(s.RecTick, start, hold, cs, func(int) byte { return 0 })
		s.RecStart = append(s.RecStart, v == '1')
	}
}

// replace appends the ticks at which a source toggles once its unknown spans are replaced: policy gives the value for span
// n, or 0 to hold the last known one (hold before the first). It returns the value at the start.
func replace(dst []int64, start, hold byte, cs []change, policy func(n int) byte) (byte, []int64) {
	spans, unknown := 0, false
	cur := start
	if !known(start) {
		unknown, spans = true, 1
		if cur = policy(0); cur == 0 {
			cur = hold
		}
	}
	first := cur
	for _, c := range cs {
		v := c.val
		if !known(v) {
			if unknown {
				continue
			}
			unknown = true
			v = policy(spans)
			spans++
			if v == 0 {
				continue
			}
		} else {
			unknown = false
		}
		if v != cur {
			cur = v
			dst = append(dst, c.tick)
		}
	}
	return first, dst
}

// hashBit is a stable hash of a seed, a name and a number.
func hashBit(seed uint64, name string, n int64) uint64 {
	h := fnv.New64a()
	var b [16]byte
	binary.LittleEndian.PutUint64(b[:], seed)
	binary.LittleEndian.PutUint64(b[8:], uint64(n))
	h.Write(b[:])
	h.Write([]byte(name))
	x := h.Sum64()
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	return x ^ x>>31
}

// missing gives the sources without values their policy.
func (m *maker) missing(nets []int32, classes map[design.Class]*ClassCoverage) {
	if len(nets) == 0 {
		return
	}
	slices.SortFunc(nets, m.d.Netlist.CompareNetNames)
	if m.opt.New != nil {
		var left []int32
		for _, n := range nets {
			if !m.opt.New(n) {
				left = append(left, n)
				continue
			}
			m.hold(n)
			classes[m.d.NetClass[n]].Held++
			m.s.Coverage.New = append(m.s.Coverage.New, n)
			m.bag.Add(diag.StimNew, diag.Pos{File: m.name}, "net %s", m.d.Netlist.NetName(n))
		}
		if nets = left; len(nets) == 0 {
			return
		}
	}
	for _, n := range nets[:min(len(nets), 20)] {
		m.s.Coverage.Missing = append(m.s.Coverage.Missing, m.d.Netlist.NetName(n))
	}
	code := diag.StimUnmapped
	if m.opt.Unmapped == UnmappedError {
		code = diag.StimMissing
	}
	for c := design.ClassInput; c <= design.ClassLoop; c++ {
		var names []string
		k := 0
		for _, n := range nets {
			if m.d.NetClass[n] == c {
				if k++; k <= 5 {
					names = append(names, m.d.Netlist.NetName(n))
				}
			}
		}
		if k > 0 {
			if k > 5 {
				names = append(names, "...")
			}
			m.bag.AddN(code, int64(k), diag.Pos{File: m.name}, "%d of %d sources of class %s: %s", k, classes[c].Total, c, strings.Join(names, ", "))
		}
	}
	var borders []int64
	if m.opt.Unmapped == UnmappedToggle {
		if borders = m.cycles(); borders == nil {
			m.bag.Add(diag.StimNoClock, diag.Pos{File: m.name}, "no clock among the sources with stimulus")
			return
		}
	}
	for _, n := range nets {
		c := classes[m.d.NetClass[n]]
		m.s.Net = append(m.s.Net, n)
		m.s.Start = append(m.s.Start, false)
		m.s.Off = append(m.s.Off, int64(len(m.s.Tick)))
		if m.opt.Unmapped == UnmappedToggle {
			c.Toggled++
			name := m.d.Netlist.NetName(n)
			for k, t := range borders {
				if float64(hashBit(m.opt.XSeed, name, int64(k))>>11)/(1<<53) < m.opt.Toggle {
					m.s.Tick = append(m.s.Tick, t)
				}
			}
		} else {
			c.Held++
		}
		if m.s.RecOff != nil {
			m.s.RecStart = append(m.s.RecStart, false)
			m.s.RecOff = append(m.s.RecOff, int64(len(m.s.RecTick)))
			m.s.RecTick = append(m.s.RecTick, m.s.Tick[m.s.Off[len(m.s.Off)-1]:]...)
		}
	}
}

// hold makes a source 0 throughout.
func (m *maker) hold(n int32) {
	s := m.s
	s.Net, s.Start, s.Off = append(s.Net, n), append(s.Start, false), append(s.Off, int64(len(s.Tick)))
	if s.RecOff != nil {
		s.RecStart, s.RecOff = append(s.RecStart, false), append(s.RecOff, int64(len(s.RecTick)))
	}
}

// cycles lists the ticks within the run at which a cycle begins: multiples of --cycle, or rising edges of the fastest clock.
func (m *maker) cycles() []int64 {
	s := m.s
	var b []int64
	if m.opt.Cycle > 0 {
		for t := s.From + m.opt.Cycle; t < s.To; t += m.opt.Cycle {
			b = append(b, t)
		}
		return b
	}
	place := s.places()
	for _, c := range Clocks(m.d) {
		if i, ok := place[c]; ok {
			end := int64(len(s.Tick))
			if i+1 < len(s.Off) {
				end = s.Off[i+1]
			}
			var e []int64
			v := s.Start[i]
			for _, t := range s.Tick[s.Off[i]:end] {
				if v = !v; v {
					e = append(e, t)
				}
			}
			if len(e) > len(b) {
				b = e
			}
		}
	}
	return b
}

// Clocks lists the source nets that reach clock pins, ascending.
func Clocks(d *design.Design) []int32 {
	return d.ClockSources(d.ClockPins)
}

// places maps the nets of a stimulus to their places in it.
func (s *Stimulus) places() map[int32]int {
	m := make(map[int32]int, len(s.Net))
	for i, n := range s.Net {
		m[n] = i
	}
	return m
}

// zeroDelay refuses a dump whose registers change on clock edges when the design computes clock gates with delays.
func (m *maker) zeroDelay() {
	gates := slices.ContainsFunc(m.d.States, func(s design.State) bool { return s.ClockGate })
	if !gates || allZero(m.d) {
		return
	}
	s := m.s
	edges := map[int64]bool{}
	isReg := map[int32]bool{}
	for _, r := range m.d.Registers {
		isReg[r.Net] = true
	}
	place := s.places()
	for _, c := range Clocks(m.d) {
		if i, ok := place[c]; ok && !isReg[c] {
			for _, t := range s.Tick[s.Off[i]:s.Off[i+1]] {
				edges[t] = true
			}
		}
	}
	var total, on int64
	for i, n := range s.Net {
		if !isReg[n] {
			continue
		}
		for _, t := range s.Tick[s.Off[i]:s.Off[i+1]] {
			total++
			if edges[t] {
				on++
			}
		}
	}
	if total > 0 && on*10 >= total*9 {
		m.bag.Add(diag.StimZeroDelay, diag.Pos{File: m.name}, "%d of %d changes of registers fall on an edge of a clock", on, total)
	}
}

func allZero(d *design.Design) bool {
	p := d.Program
	return len(p.Wires) <= 1 && !slices.ContainsFunc(p.ArcDelay, func(v int32) bool { return v != 0 })
}
