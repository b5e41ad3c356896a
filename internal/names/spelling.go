package names

import (
	"bytes"
	"slices"
)

// path is a parsed spelling. index is the length of the text of an unescaped index at the end of the last component,
// brackets included, or 0; the text stays in the component, because only the design tells whether it selects a bit.
type path struct {
	comp  [][]byte
	index int
}

func (p path) clone() path {
	q := path{make([][]byte, len(p.comp)), p.index}
	for i, c := range p.comp {
		q.comp[i] = slices.Clone(c)
	}
	return q
}

// parse takes a spelling apart. The result is valid until the next call.
func (r *Resolver) parse(s Spelling, text []byte) path {
	if cap(r.buf) < len(text) {
		r.buf = make([]byte, 0, 2*len(text)) // components must not move once they are cut
	}
	r.buf, r.comp = r.buf[:0], r.comp[:0]
	if s.Format == Verilog || s.Format == VCD {
		return r.parseVerilog(s, bytes.TrimRight(text, " \t\r\n"))
	}
	return r.parseEscaped(s, text)
}

// parseEscaped reads the formats in which a backslash takes the meaning from the byte behind it.
func (r *Resolver) parseEscaped(s Spelling, b []byte) path {
	b = bytes.TrimSpace(b)
	if s.Format == SDC && len(b) > 1 && b[0] == '{' && b[len(b)-1] == '}' {
		b = b[1 : len(b)-1]
	}
	if s.Format == SAIF && bytes.HasPrefix(b, []byte(`\\`)) {
		b = b[2:]
	}
	div := s.divider()
	if len(b) > 0 && b[0] == div {
		b = b[1:]
	}
	if len(b) == 0 {
		return path{}
	}
	from, open, end := 0, -1, -1 // unescaped brackets of this component
	for i := 0; i < len(b); i++ {
		switch c := b[i]; {
		case c == '\\':
			if i++; i < len(b) {
				r.buf = append(r.buf, b[i])
			}
		case c == div:
			r.comp = append(r.comp, r.buf[from:len(r.buf):len(r.buf)])
			from, open, end = len(r.buf), -1, -1
		default:
			if c == '[' {
				open = len(r.buf)
			} else if c == ']' {
				end = len(r.buf)
			}
			r.buf = append(r.buf, c)
		}
	}
	r.comp = append(r.comp, r.buf[from:len(r.buf):len(r.buf)])
	p := path{comp: r.comp}
	if open > from && end == len(r.buf)-1 {
		if _, _, ok := bracketIndex(r.buf[from:]); ok {
			p.index = len(r.buf) - open
		}
	}
	return p
}

// parseVerilog reads names in which a leading backslash escapes everything up to white space. What follows the white
// space is a bit select. A dump may leave the backslash out, or have another at the end; a range is dropped.
func (r *Resolver) parseVerilog(s Spelling, b []byte) path {
	div, p := s.divider(), path{}
	for len(b) > 0 {
		from := len(r.buf)
		if b[0] == '\\' {
			b = b[1:]
			n := bytes.IndexAny(b, " \t\r\n")
			if n < 0 {
				n = len(b)
			}
			name := b[:n]
			if s.Format == VCD {
				name = bytes.TrimSuffix(name, []byte{'\\'})
			}
			r.buf = append(r.buf, name...)
			b = bytes.TrimLeft(b[n:], " \t\r\n")
			p.index = 0
			if len(b) > 0 && b[0] == '[' {
				n := bytes.IndexByte(b, ']') + 1
				if n > 0 && bytes.IndexByte(b[:n], ':') < 0 {
					r.buf = append(r.buf, b[:n]...)
					p.index = n
				}
				if n == 0 {
					n = len(b)
				}
				b = b[n:]
			}
		} else {
			n := bytes.IndexByte(b, div)
			if n < 0 {
				n = len(b)
			}
			name := b[:n]
			if i := bytes.IndexAny(name, " \t"); i >= 0 { // name [3] or name [7:0]
				rest := bytes.TrimSpace(name[i:])
				r.buf = append(r.buf, name[:i]...)
				if bytes.IndexByte(rest, ':') < 0 {
					r.buf = append(r.buf, rest...)
				}
			} else {
				r.buf = append(r.buf, name...)
			}
			p.index = 0
			if base, _, ok := bracketIndex(r.buf[from:]); ok {
				p.index = len(r.buf) - from - len(base)
			}
			b = b[n:]
		}
		r.comp = append(r.comp, r.buf[from:len(r.buf):len(r.buf)])
		if len(b) > 0 && b[0] == div {
			b = b[1:]
		}
	}
	p.comp = r.comp
	return p
}

// bracketIndex takes [n] off the end of a name.
func bracketIndex(c []byte) (base []byte, n int32, ok bool) { return indexAt(c, '[', ']') }

// indexAt takes an integer between two bytes off the end of a name; what is left is not empty.
func indexAt(c []byte, open, end byte) (base []byte, n int32, ok bool) {
	if len(c) < 4 || c[len(c)-1] != end {
		return nil, 0, false
	}
	i := bytes.LastIndexByte(c[:len(c)-1], open)
	if i < 1 {
		return nil, 0, false
	}
	n, ok = integer(c[i+1 : len(c)-1])
	return c[:i], n, ok
}

func integer(b []byte) (int32, bool) {
	neg := len(b) > 1 && b[0] == '-'
	if neg {
		b = b[1:]
	}
	if len(b) == 0 || len(b) > 9 {
		return 0, false
	}
	v := int32(0)
	for _, c := range b {
		if c < '0' || c > '9' {
			return 0, false
		}
		v = v*10 + int32(c-'0')
	}
	if neg {
		v = -v
	}
	return v, true
}

// demangle undoes what Verilator does to names that C++ would not allow.
func demangle(p path) (path, bool) {
	q := path{comp: make([][]byte, 0, len(p.comp))}
	changed := false
	for _, c := range p.comp {
		var out []byte
		for i := 0; i < len(c); {
			rest := c[i:]
			skip, put := 1, rest[:1]
			switch {
			case bytes.HasPrefix(rest, []byte("__BRA__")):
				skip, put = 7, []byte("[")
			case bytes.HasPrefix(rest, []byte("__KET__")):
				skip, put = 7, []byte("]")
			case bytes.HasPrefix(rest, []byte("__DOT__")):
				skip, put = 7, []byte(".")
			case bytes.HasPrefix(rest, []byte("__PVT__")):
				skip, put = 7, nil
			case len(rest) >= 5 && rest[0] == '_' && rest[1] == '_' && rest[2] == '0' && hex(rest[3]) < 8 && hex(rest[4]) < 16:
				skip, put = 5, []byte{hex(rest[3])<<4 | hex(rest[4])}
			}
			changed = changed || skip > 1
			out = append(out, put...)
			i += skip
		}
		q.comp = append(q.comp, out)
	}
	if n := len(q.comp); n > 0 {
		if base, _, ok := bracketIndex(q.comp[n-1]); ok {
			q.index = len(q.comp[n-1]) - len(base)
		}
	}
	return q, changed
}

// hex is the value of an upper-case hexadecimal digit, or 255.
func hex(c byte) byte {
	switch {
	case c >= '0' && c <= '9':
		return c - '0'
	case c >= 'A' && c <= 'F':
		return c - 'A' + 10
	}
	return 255
}
