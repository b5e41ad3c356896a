package vcd

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/bits"
	"strconv"

	"github.com/wattd/wattd/internal/diag"
)

// body reads the value changes.
//
// Tokens are taken by position: an identifier code follows its value and may look like anything. A construct that
// reaches beyond the window of the input is left where it begins and read again when there is more.
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

// scan reads the constructs that are whole in the buffer, up to one that ends the reading or moves the buffer: then it
// returns true.
func (b *body) scan() bool {
	in := &b.in
	buf := in.buf[:in.lim]
	dense, lsb := b.ids.dense, b.ids.lsb
	for i := in.pos; i < len(buf); {
		c := buf[i]
		switch first[c] {
		case tokSpace:
			i++

		case tokBit:
			// The code, by the fast half of code.
			x := binary.LittleEndian.Uint64(in.buf[i+1:])
			n := bits.TrailingZeros64(below21(x)) >> 3
			j := i + 1 + n
			key := x & (1<<(uint(8*n)&63) - 1)
			var e uint32
			if n < 8 && dense != nil && isSpace(in.buf[j]) && (key|(key+ones))&(0x80*ones) == 0 {
				if !lsb {
					key = reversed(key, n)
				}
				if k := base94(key, n); k < uint64(len(dense)) {
					e = dense[k]
				}
			} else {
				e, j = b.code(i + 1)
			}
			switch {
			case e&actMask == actSkip:
				b.Skipped++
			case e&actMask == actBit && !b.gap:
				b.Changes++
				if !b.v.Change(int32(e>>2), bit[c]) {
					return b.halt(j)
				}
			case e == 0:
				b.undeclared(i, j, buf[i+1:j])
			case b.gap:
				b.inGap(i)
			default:
				b.Changes++
				if !b.v.Change(int32(e>>2), b.extend(bit[c], b.widths[e>>2])) {
					return b.halt(j)
				}
			}
			i = j + 1 // past the white space

		case tokVector, tokReal, tokString:
			j, whole := b.valueAndCode(buf, i)
			if !whole {
				in.pos = i
				return false
			}
			if b.stop {
				return b.halt(j)
			}
			i = j

		case tokTime:
			j := in.tokenEnd(i)
			if !b.time(i, buf[i+1:j]) {
				return b.halt(j)
			}
			i = j + 1

		case tokKeyword:
			j := in.tokenEnd(i)
			in.pos = j
			b.keyword(i, buf[i:j])
			return true

		case tokPort:
			in.pos = i
			return b.port(buf, i)

		default:
			j := in.tokenEnd(i)
			b.add(diag.VCDSyntax, in.place(i), "%q is not a value change", clip(buf[i:j]))
			i = j
		}
	}
	in.pos = len(buf)
	return false
}

// halt ends the reading at j.
func (b *body) halt(j int) bool {
	b.in.pos, b.stop = j, true
	return true
}

// code looks up the identifier code at i and returns its entry and its end.
func (b *body) code(i int) (uint32, int) {
	x := binary.LittleEndian.Uint64(b.in.buf[i:])
	if t := below21(x); t != 0 {
		n := bits.TrailingZeros64(t) >> 3
		if j := i + n; isSpace(b.in.buf[j]) {
			return b.ids.short(x&(1<<(8*n)-1), n), j
		}
	}
	j := b.in.tokenEnd(i)
	return b.ids.find(b.in.buf[i:j]), j
}

// valueAndCode reads a vector, real or string at buf[i]; it returns the end, and false when the buffer ends before.
func (b *body) valueAndCode(buf []byte, i int) (int, bool) {
	in := &b.in
	j := in.tokenEnd(i) // of the value
	k := j
	for k < len(buf) && isSpace(buf[k]) {
		k++
	}
	if k == len(buf) { // the code is not here yet
		return 0, false
	}
	kind := first[buf[i]]
	e, l := b.code(k)
	switch {
	case e&actMask == actSkip:
		b.Skipped++
	case kind == tokString && e == 0:
		// A string with blanks: the code is the last word of the line.
		nl := bytes.IndexByte(buf[i:], '\n')
		if nl < 0 {
			return 0, false
		}
		w := bytes.TrimRight(buf[i:i+nl], " \t\r")
		if b.ids.find(w[bytes.LastIndexAny(w, " \t")+1:])&actMask != actSkip {
			b.undeclared(i, l, buf[k:l])
		}
		b.Skipped++
		return i + nl, true
	case e == 0:
		b.undeclared(i, l, buf[k:l])
	case kind != tokVector:
		b.add(diag.VCDNotLogic, in.place(i), "value %s of %s", clip(buf[i:j]), b.name(e))
		b.Skipped++
	case b.gap:
		b.inGap(i)
	default:
		if val, ok := b.vector(i, buf[i+1:j], &digit, e); ok {
			b.Changes++
			b.stop = !b.v.Change(int32(e>>2), val)
		}
	}
	return l, true
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
	if len(digits) == w && isBinary(digits) {
		return digits[:w:w], true
	}
	if len(digits) > 2 && digits[0] == '0' && digits[1] == 'b' { // PyMTL3 writes b0b101
		digits = digits[2:]
	}
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

// isBinary says whether all digits are 0 or 1, of any table. Such a value needs no copy.
func isBinary(d []byte) bool {
	for len(d) >= 8 {
		if binary.LittleEndian.Uint64(d)&^ones != '0'*ones {
			return false
		}
		d = d[8:]
	}
	for _, c := range d {
		if c&^1 != '0' {
			return false
		}
	}
	return true
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
