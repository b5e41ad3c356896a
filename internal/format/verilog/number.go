package verilog

import (
	"bytes"
	"math/big"
	"math/bits"

	"github.com/wattd/wattd/internal/diag"
)

// number reads an integer or real constant: digits, digits with a base after them, or a base alone.
func (p *parser) number() (int32, bool) {
	at := p.pos()
	size := int64(-1)
	if p.kind == tNumber {
		p.digits = p.digits[:0]
		for _, c := range p.text {
			if c != '_' {
				p.digits = append(p.digits, c)
			}
		}
		p.next()
		if p.kind != tBased {
			if bytes.ContainsAny(p.digits, ".eE") {
				return p.real(p.digits)
			}
			from := len(p.m.Bits)
			if !p.decimalBits(32) {
				return None, p.badNumber(at, "a decimal number of more than 1000 digits")
			}
			return p.node(Const, int32(from), int32(len(p.m.Bits)-from), 0), true
		}
		if size = decimalValue(p.digits); size < 1 || size > maxWidth {
			return None, p.badNumber(at, "a constant of 0 or more than 2^24 bits")
		}
	}
	base, signed, digits := p.text[0], false, p.text[1:]
	if len(digits) > 0 && digits[0] == 's' {
		signed, digits = true, digits[1:]
	}
	p.digits = p.digits[:0]
	for _, c := range digits {
		if c != '_' {
			p.digits = append(p.digits, c|0x20)
		}
	}
	if len(p.digits) == 0 {
		return None, p.badNumber(at, "a base without digits")
	}
	from := len(p.m.Bits)
	if !p.basedBits(base, size) {
		return None, p.badNumber(at, "a digit that base '"+string(base)+" does not have")
	}
	digs := p.m.Bits[from:]
	p.next()
	if cut := len(digs) - int(size); size > 0 && cut > 0 {
		if bytes.ContainsAny(digs[:cut], "1xz") {
			p.report(diag.VerilogConstCut, at, "the constant needs more than the %d bits it is given", size)
		}
		copy(digs, digs[cut:])
		p.m.Bits = p.m.Bits[:from+int(size)]
		digs = digs[:size]
	}
	c := int32(0)
	if size > 0 {
		c = 1
	}
	e := p.node(Const, int32(from), int32(len(digs)), c)
	if signed && digs[0] == '1' {
		p.report(diag.VerilogSigned, at, "a negative signed constant: it is extended by zeros")
	}
	return e, true
}

// badNumber reports it and is false.
func (p *parser) badNumber(at Pos, what string) bool {
	p.failed = true
	p.report(diag.VerilogSyntax, at, "%s", what)
	return false
}

// basedBits appends the bits of digits, extended to size or to 32.
func (p *parser) basedBits(base byte, size int64) bool {
	m := p.m
	least := size
	if size < 0 {
		least = 32
	}
	per := map[byte]int{'b': 1, 'o': 3, 'h': 4}[base]
	if base == 'd' {
		switch c := p.digits[0]; {
		case len(p.digits) == 1 && (c == 'x' || c == 'z' || c == '?'):
			m.Bits = appendRun(m.Bits, xz(c), int(least))
			return true
		}
		return p.decimalBits(int(least))
	}
	if n := int(least) - per*len(p.digits); n > 0 {
		fill := byte('0')
		if c := xz(p.digits[0]); c != 0 {
			fill = c
		}
		m.Bits = appendRun(m.Bits, fill, n)
	}
	for _, c := range p.digits {
		if v := xz(c); v != 0 {
			m.Bits = appendRun(m.Bits, v, per)
			continue
		}
		v := int(c - '0')
		if c >= 'a' {
			v = int(c-'a') + 10
		}
		if v >= 1<<per {
			return false
		}
		for i := per - 1; i >= 0; i-- {
			m.Bits = append(m.Bits, byte('0'+v>>i&1))
		}
	}
	return true
}

// xz is the value of an x or z digit, else 0. Digits are lower case; '?' has become 0x3f, which has the bit set.
func xz(c byte) byte {
	switch c {
	case 'x', 'z':
		return c
	case '?':
		return 'z'
	}
	return 0
}

func appendRun(b []byte, c byte, n int) []byte {
	for range n {
		b = append(b, c)
	}
	return b
}

// decimalValue is the value of digits, or -1 when it is too large to be a size.
func decimalValue(digits []byte) int64 {
	v := int64(0)
	for _, c := range digits {
		if c < '0' || c > '9' || v > maxWidth {
			return -1
		}
		v = 10*v + int64(c-'0')
	}
	return v
}

// decimalBits appends the decimal number in hand in binary with at least n bits.
func (p *parser) decimalBits(n int) bool {
	m := p.m
	if len(p.digits) > 18 {
		if len(p.digits) > 1000 {
			return false
		}
		v, ok := new(big.Int).SetString(string(p.digits), 10)
		if !ok {
			return false
		}
		t := v.Append(nil, 2)
		m.Bits = append(appendRun(m.Bits, '0', n-len(t)), t...)
		return true
	}
	v := uint64(0)
	for _, c := range p.digits {
		if c < '0' || c > '9' {
			return false
		}
		v = 10*v + uint64(c-'0')
	}
	k := bits.Len64(v)
	m.Bits = appendRun(m.Bits, '0', n-k)
	for k--; k >= 0; k-- {
		m.Bits = append(m.Bits, byte('0'+v>>k&1))
	}
	return true
}
