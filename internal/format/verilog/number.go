package verilog

import (
	"bytes"
	"math/big"

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
			bits, ok := decimalBits(p.digits, 32)
			if !ok {
				return None, p.badNumber(at, "a decimal number of more than 1000 digits")
			}
			return p.constantNode(bits, false), true
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
	bits := p.m.Bits[from:]
	p.next()
	if cut := len(bits) - int(size); size > 0 && cut > 0 {
		if bytes.ContainsAny(bits[:cut], "1xz") {
			p.report(diag.VerilogConstCut, at, "the constant needs more than the %d bits it is given", size)
		}
		copy(bits, bits[cut:])
		p.m.Bits = p.m.Bits[:from+int(size)]
		bits = bits[:size]
	}
	c := int32(0)
	if size > 0 {
		c = 1
	}
	e := p.node(Const, int32(from), int32(len(bits)), c)
	if signed && bits[0] == '1' {
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
		bits, ok := decimalBits(p.digits, int(least))
		m.Bits = append(m.Bits, bits...)
		return ok
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

// decimalBits is a decimal number in binary with at least n bits.
func decimalBits(digits []byte, n int) ([]byte, bool) {
	if len(digits) > 1000 {
		return nil, false
	}
	v, ok := new(big.Int).SetString(string(digits), 10)
	if !ok {
		return nil, false
	}
	t := v.Append(nil, 2)
	return append(bytes.Repeat([]byte{'0'}, max(0, n-len(t))), t...), true
}
