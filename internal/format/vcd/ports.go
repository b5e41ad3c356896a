package vcd

import (
	"bytes"

	"github.com/wattd/wattd/internal/diag"
)

// port reads a change of extended VCD, `p<states> <strength0> <strength1> <code>`. The strengths are not kept: the
// state letters say the value, and conflicts of two drivers are x. It returns what scan returns.
func (b *body) port(buf []byte, at int) bool {
	var word [4][]byte
	i := at
	for n := range word {
		for i < len(buf) && isSpace(buf[i]) {
			i++
		}
		if i == len(buf) {
			return false // not all here yet
		}
		j := b.in.tokenEnd(i)
		word[n] = buf[i:j]
		i = j
	}
	b.in.pos = i
	e := b.ids.find(word[3])
	switch {
	case e == 0:
		b.undeclared(at, i, word[3])
	case e&actMask == actSkip:
		b.Skipped++
	case !isStrength(word[1]) || !isStrength(word[2]):
		b.add(diag.VCDSyntax, b.in.place(at), "%q is not a port value with two strengths and a code", clip(bytes.TrimSpace(buf[at:i])))
	case b.gap:
		b.inGap(at)
	default:
		if val, ok := b.vector(at, word[0][1:], &portState, e); ok {
			b.Changes++
			b.stop = !b.v.Change(int32(e>>2), val)
		}
	}
	return true
}

func isStrength(w []byte) bool {
	for _, c := range w {
		if c < '0' || c > '7' {
			return false
		}
	}
	return len(w) > 0
}
