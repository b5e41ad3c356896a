package verilog

import "github.com/wattd/wattd/internal/format/scan"

// link is a connection of the plain form in the bytes at hand: .PORT(), .PORT(net), .PORT(net[3]).
type link struct {
	open, bit bool
	index     int32
}

// maxLinks is how many connections are taken at a time.
const maxLinks = 16

// plainLinks takes as many plain connections as lie whole in the buffer, from behind the first dot on. It stops in front of
// anything else, behind the dot of the next connection or at the closing parenthesis, which makes it done. What it
// takes is what connections would have taken token by token.
func (p *parser) plainLinks() (done bool) {
	if len(p.params) > 0 {
		return false // a name may be a constant
	}
	w := p.s.Window()
	var spans [2 * maxLinks]scan.Span
	var links [maxLinks]link
	n, taken := 0, 0
	for i := 0; n < maxLinks && !done; {
		port, net := &spans[2*n], &spans[2*n+1]
		l := &links[n]
		*l = link{}
		if i = ident(w, i, port); i < 0 {
			break
		}
		if i = blank(w, i); i >= len(w) || w[i] != '(' {
			break
		}
		if i = blank(w, i+1); i >= len(w) {
			break
		}
		if w[i] == ')' {
			l.open = true
			*net = scan.Span{}
		} else {
			if i = ident(w, i, net); i < 0 {
				break
			}
			if i = blank(w, i); i < len(w) && w[i] == '[' {
				if i = bitIndex(w, i+1, l); i < 0 {
					break
				}
				i = blank(w, i)
			}
			if i >= len(w) || w[i] != ')' {
				break
			}
		}
		if i = blank(w, i+1); i >= len(w) {
			break
		}
		switch w[i] {
		case ')':
			done = true
		case ',':
			if i = blank(w, i+1); i >= len(w) || w[i] != '.' {
				i = -1
			}
		default:
			i = -1
		}
		if i < 0 {
			break
		}
		i++
		n, taken = n+1, i
	}
	if n == 0 {
		return false
	}
	p.names.InternAll(w, spans[:2*n])
	m := p.m
	for k := range n {
		c := Conn{Port: spans[2*k].ID, Expr: None}
		if l := &links[k]; l.bit {
			c.Expr = p.node(Select, spans[2*k+1].ID, l.index, 0)
		} else if !l.open {
			c.Expr = p.node(Ref, spans[2*k+1].ID, 0, 0)
		}
		m.Conns = append(m.Conns, c)
	}
	p.s.Skip(taken)
	return done
}

func blank(w []byte, i int) int {
	for i < len(w) && first[w[i]] == cSpace {
		i++
	}
	return i
}

// ident finds the name at i and returns the place behind it; -1 when it is none, reserved, or may go on beyond w.
func ident(w []byte, i int, s *scan.Span) int {
	i = blank(w, i)
	if i >= len(w) {
		return -1
	}
	j := i + 1
	switch {
	case w[i] == '\\':
		i++
		for j < len(w) && first[w[j]] != cSpace {
			j++
		}
		if j == i {
			return -1
		}
	case first[w[i]] == cIdent:
		for j < len(w) && identSet[w[j]] {
			j++
		}
		if lookup(w[i:j]).reserved() {
			return -1
		}
	default:
		return -1
	}
	if j >= len(w) {
		return -1
	}
	s.From, s.To = int32(i), int32(j)
	return j
}

// bitIndex reads `3]`.
func bitIndex(w []byte, i int, l *link) int {
	from := i
	for i < len(w) && w[i]-'0' < 10 && i-from < 9 {
		l.index = 10*l.index + int32(w[i]-'0')
		i++
	}
	if i == from || i >= len(w) || w[i] != ']' {
		return -1
	}
	l.bit = true
	return i + 1
}
