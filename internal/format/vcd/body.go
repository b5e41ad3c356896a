package vcd

import (
	"bytes"
	"math"
	"strconv"

	"github.com/wattd/wattd/internal/diag"
)

// body reads the value changes.
//
// Tokens are taken by position: an identifier code follows its value and may look like anything. run is one loop over
// whole tokens in the buffer with everything it needs in local variables; a construct that reaches beyond the buffer
// is left where it begins and read again when there is more.
type body struct {
	*Reader
	Stats
	v      Visitor
	ids    *idTable
	widths []int32
	val    []byte // value of a vector

	now  int64
	gap  bool // between $dumpoff and $dumpon
	list bool // in the list of values of $dumpoff
	cut  bool // the end was reported
	stop bool
}

func newBody(r *Reader, want []bool, v Visitor) *body {
	entries := make([]uint32, r.h.NumIDs)
	for id := range entries {
		act := uint32(actSkip)
		switch {
		case r.noBits[id] || want != nil && (id >= len(want) || !want[id]):
		case r.h.Widths[id] == 1:
			act = actBit
		default:
			act = actVector
		}
		entries[id] = uint32(id)<<2 | act
	}
	return &body{Reader: r, v: v, ids: newIDTable(r.codes, entries), widths: r.h.Widths}
}

func (b *body) run() {
	for !b.stop {
		if b.scan() {
			continue
		}
		if !b.in.more() {
			b.end()
			return
		}
	}
}

// scan reads the constructs that are whole in the buffer. It returns true when the buffer may have changed under it.
func (b *body) scan() bool {
	in := &b.in
	buf := in.buf[:in.lim]
	i := in.pos
	var changes, skipped int64
	v, ids := b.v, b.ids
	dense, lsb := ids.dense, ids.lsb
	quiet := b.gap // changes are not handed on
	defer func() {
		b.Changes += changes
		b.Skipped += skipped
	}()
	for i < len(buf) {
		c := buf[i]
		switch first[c] {
		case tokSpace:
			i++

		case tokBit:
			j := i + 1
			var e uint32
			if dense != nil {
				n := uint64(0)
				if lsb {
					m := uint64(1)
					for ; j < len(buf) && buf[j]-'!' <= '~'-'!'; j++ {
						n += uint64(buf[j]-' ') * m
						m *= 94
					}
				} else {
					for ; j < len(buf) && buf[j]-'!' <= '~'-'!'; j++ {
						n = n*94 + uint64(buf[j]-' ')
					}
				}
				if n < uint64(len(dense)) && j-i <= 9 && isSpace(buf[j]) {
					e = dense[n]
				} else {
					j = tokenEnd(buf, j)
				}
			} else {
				j = tokenEnd(buf, j)
				e = ids.find(buf[i+1 : j])
			}
			switch {
			case e&actMask == actSkip:
				skipped++
			case e == 0:
				b.undeclared(i, j, buf[i+1:j])
			case quiet:
				b.inGap(i)
			case e&actMask == actBit:
				changes++
				if !v.Change(int32(e>>2), bit[c]) {
					b.stop = true
					in.pos = j
					return true
				}
			default:
				changes++
				if !v.Change(int32(e>>2), b.extend(bit[c], b.widths[e>>2])) {
					b.stop = true
					in.pos = j
					return true
				}
			}
			i = j

		case tokTime:
			j := tokenEnd(buf, i)
			if !b.time(i, buf[i+1:j]) {
				in.pos = j
				return true
			}
			quiet = b.gap
			i = j

		case tokVector, tokReal, tokString:
			j := tokenEnd(buf, i) // of the value
			k := j
			for k < len(buf) && isSpace(buf[k]) {
				k++
			}
			if k == len(buf) { // the code is not here yet
				in.pos = i
				return false
			}
			l := tokenEnd(buf, k)
			e := ids.find(buf[k:l])
			switch {
			case e&actMask == actSkip:
				skipped++
			case first[c] == tokString && e == 0:
				// A string with blanks: the code is the last word of the line.
				nl := bytes.IndexByte(buf[i:], '\n')
				if nl < 0 {
					in.pos = i
					return false
				}
				l = i + nl
				w := bytes.TrimRight(buf[i:l], " \t\r")
				if e = ids.find(w[bytes.LastIndexAny(w, " \t")+1:]); e&actMask != actSkip {
					b.undeclared(i, l, buf[k:l])
				}
				skipped++
			case e == 0:
				b.undeclared(i, l, buf[k:l])
			case first[c] != tokVector:
				b.add(diag.VCDNotLogic, in.place(i), "value %s of %s", clip(buf[i:j]), b.name(e))
				skipped++
			case quiet:
				b.inGap(i)
			default:
				val, ok := b.vector(i, buf[i+1:j], &digit, e)
				if ok {
					changes++
					if !v.Change(int32(e>>2), val) {
						b.stop = true
						in.pos = l
						return true
					}
				}
			}
			i = l

		case tokKeyword:
			j := tokenEnd(buf, i)
			in.pos = j
			b.keyword(i, buf[i:j])
			return true

		case tokPort:
			in.pos = i
			return b.port(buf, i, quiet)

		default:
			j := tokenEnd(buf, i)
			b.add(diag.VCDSyntax, in.place(i), "%q is not a value change", clip(buf[i:j]))
			i = j
		}
	}
	in.pos = i
	return false
}

// tokenEnd is the index of the white space behind the token at i.
func tokenEnd(b []byte, i int) int {
	for i < len(b) && !isSpace(b[i]) {
		i++
	}
	return i
}

// time takes a time stamp; false when reading ends here.
func (b *body) time(at int, digits []byte) bool {
	t := int64(0)
	for _, d := range digits {
		d -= '0'
		if d > 9 || t > (math.MaxInt64-9)/10 {
			b.add(diag.VCDSyntax, b.in.place(at), "time stamp #%s is not a number below 2^63", clip(digits))
			b.stop = true
			return false
		}
		t = t*10 + int64(d)
	}
	if len(digits) == 0 {
		b.add(diag.VCDSyntax, b.in.place(at), "time stamp without digits")
		b.stop = true
		return false
	}
	if b.HasTime && t < b.now {
		if b.lastWord(at + 1 + len(digits)) {
			b.cutShort(at, "time stamp")
		} else {
			b.add(diag.VCDTimeBackwards, b.in.place(at), "time goes back from %d to %d", b.now, t)
		}
		b.stop = true
		return false
	}
	if !b.HasTime {
		b.HasTime, b.FirstTime = true, t
	}
	b.list = false // the list of a $dumpoff without $end
	b.now, b.LastTime = t, t
	if !b.v.Time(t) {
		b.stop = true
		return false
	}
	return true
}

// keyword takes a $ command in the body.
func (b *body) keyword(at int, t []byte) {
	switch string(t) {
	case "$dumpvars", "$dumpall", "$dumpports", "$dumpportsall":
	case "$end":
		b.list = false
	case "$dumpoff", "$dumpportsoff":
		b.list = true
		if !b.gap {
			b.gap = true
			b.Gaps++
			b.stop = !b.v.DumpOff()
		}
	case "$dumpon", "$dumpportson":
		b.list = false
		if b.gap {
			b.gap = false
			b.stop = !b.v.DumpOn()
		}
	case "$vcdclose": // its time stamp and $end follow
	default:
		pos, name := b.in.place(at), clip(t)
		if string(t) != "$comment" {
			b.add(diag.VCDUnknownKeyword, pos, "%s is skipped", name)
		}
		if !b.in.skipToEnd() && b.in.fault() == nil && b.in.err != errTokenTooLong {
			b.add(diag.VCDUnterminated, pos, "%s without $end", name)
		}
	}
}

// inGap judges a change between $dumpoff and $dumpon: the list of $dumpoff says only that values are not known.
func (b *body) inGap(at int) {
	if !b.list {
		b.add(diag.VCDChangeInGap, b.in.place(at), "value change after $dumpoff")
	}
}

// undeclared reports the change at buf[at:end], whose code is not in the table.
func (b *body) undeclared(at, end int, code []byte) {
	switch {
	case b.lastWord(end):
		b.cutShort(at, "value change")
	case len(code) == 0:
		b.add(diag.VCDSyntax, b.in.place(at), "value %q without an identifier code", b.in.buf[at])
	default:
		b.add(diag.VCDUndeclared, b.in.place(at), "identifier code %q is not declared", clip(code))
	}
}

// lastWord says whether the token that ends at j is cut by the end of the file.
func (b *body) lastWord(j int) bool { return b.in.unterminated && j == b.in.end-1 }

func (b *body) cutShort(at int, what string) {
	b.cut = true
	b.add(diag.VCDCutShort, b.in.place(at), "the file ends within a %s, which is dropped", what)
}

// end judges how the stream ended.
func (b *body) end() {
	in := &b.in
	switch {
	case in.fault() != nil:
	case in.err == errTokenTooLong:
		b.add(diag.VCDTokenTooLong, in.place(in.pos), "a word of more than %d bytes", maxToken)
	case in.pos < in.lim && len(bytes.TrimSpace(in.buf[in.pos:in.lim])) > 0: // a value whose code did not come
		b.cutShort(in.pos, "value change")
	case in.unterminated && !b.cut:
		b.add(diag.VCDCutShort, in.place(in.lim-1), "the last line has no newline")
	}
}

func (b *body) name(e uint32) string {
	return strconv.Quote(string(b.codes.Bytes(int32(e>>2) + 1)))
}

// vector normalises and extends a value; false if it has a digit that is none.
func (b *body) vector(at int, digits []byte, table *[256]byte, e uint32) ([]byte, bool) {
	w := int(b.widths[e>>2])
	if cap(b.val) < w {
		b.val = make([]byte, w)
	}
	val := b.val[:w]
	if len(digits) > w {
		b.tooLong(at, digits, table, w, e)
		for _, d := range digits[:len(digits)-w] {
			if table[d] == 0 {
				return nil, b.badDigit(at, d, e)
			}
		}
		digits = digits[len(digits)-w:]
	}
	pad := val[:w-len(digits)]
	for i, d := range digits {
		n := table[d]
		if n == 0 {
			return nil, b.badDigit(at, d, e)
		}
		val[len(pad)+i] = n
	}
	if len(digits) == 0 {
		b.add(diag.VCDSyntax, b.in.place(at), "value of %s without digits", b.name(e))
		return nil, false
	}
	if len(pad) > 0 {
		fill(pad, val[len(pad)])
	}
	return val, true
}

func (b *body) badDigit(at int, d byte, e uint32) bool {
	b.add(diag.VCDSyntax, b.in.place(at), "%q in the value of %s is not a digit", d, b.name(e))
	return false
}

// tooLong warns unless the surplus digits say nothing that extension would not say.
func (b *body) tooLong(at int, digits []byte, table *[256]byte, w int, e uint32) {
	surplus, top := digits[:len(digits)-w], table[digits[len(digits)-w]]
	if top == '1' {
		top = '0'
	}
	for _, d := range surplus {
		if table[d] != top {
			b.add(diag.VCDVectorTooLong, b.in.place(at), "%d digits for %s of %d bits", len(digits), b.name(e), w)
			return
		}
	}
}

// extend makes one digit a value of w bits.
func (b *body) extend(d []byte, w int32) []byte {
	if cap(b.val) < int(w) {
		b.val = make([]byte, w)
	}
	val := b.val[:w]
	val[w-1] = d[0]
	fill(val[:w-1], d[0])
	return val
}

// fill extends to the left: 0 by 0, 1 by 0, x by x, z by z.
func fill(pad []byte, top byte) {
	if top == '1' {
		top = '0'
	}
	for i := range pad {
		pad[i] = top
	}
}
