package vcd

import (
	"math/bits"

	"github.com/wattd/wattd/internal/format/scan"
)

// What the body does with an identifier, in the two low bits of an entry; the rest of the entry is the identifier.
// 0 is an identifier that was not declared.
const (
	actSkip   = 1
	actBit    = 2 // wanted, one bit wide
	actVector = 3 // wanted
	actMask   = 3
)

// idTable maps the identifier codes of the body to entries. Most dumpers number their variables in base 94, from
// either end; then it is an array. Codes of any other kind are hashed.
type idTable struct {
	dense []uint32
	lsb   bool // the first character is the least significant

	keys  []uint64 // codes of up to 8 bytes, open addressing
	vals  []uint32
	shift uint8

	long     *scan.Names // longer codes
	longVals []uint32
}

// denseSlack is how many unused places of the array are worth its speed, beyond eight for each identifier.
const denseSlack = 1 << 18

// newIDTable builds the table; entries[id] belongs to the code codes.Bytes(id+1).
func newIDTable(codes *scan.Names, entries []uint32) *idTable {
	t := new(idTable)
	limit := uint64(8*len(entries) + denseSlack)
	maxLSB, maxMSB := uint64(0), uint64(0)
	for id := range entries {
		c := codes.Bytes(int32(id + 1))
		if len(c) > 8 {
			maxLSB, maxMSB = ^uint64(0), ^uint64(0)
			break
		}
		maxLSB, maxMSB = max(maxLSB, lsbCode(c)), max(maxMSB, msbCode(c))
	}
	if min(maxLSB, maxMSB) <= limit {
		t.lsb = maxLSB < maxMSB
		t.dense = make([]uint32, min(maxLSB, maxMSB)+1)
		for id, e := range entries {
			c := codes.Bytes(int32(id + 1))
			if t.lsb {
				t.dense[lsbCode(c)] = e
			} else {
				t.dense[msbCode(c)] = e
			}
		}
		return t
	}
	size := 1 << bits.Len(uint(2*len(entries)+1))
	t.keys, t.vals = make([]uint64, size), make([]uint32, size)
	t.shift = uint8(64 - bits.Len(uint(size-1)))
	for id, e := range entries {
		c := codes.Bytes(int32(id + 1))
		if len(c) > 8 {
			if t.long == nil {
				t.long, t.longVals = scan.NewNames(), []uint32{0}
			}
			t.long.Intern(c)
			t.longVals = append(t.longVals, e)
			continue
		}
		k := packed(c)
		h := t.slot(k)
		t.keys[h], t.vals[h] = k, e
	}
	return t
}

// The two numberings are bijective: no code is 0. Codes over 8 bytes do not get here; bytes below '!' do not occur.

func lsbCode(c []byte) uint64 { return base94(packed(c), len(c)) }

func msbCode(c []byte) uint64 { return base94(reversed(packed(c), len(c)), len(c)) }

func reversed(key uint64, n int) uint64 { return bits.ReverseBytes64(key) >> (uint(64-8*n) & 63) }

// base94 is the number of a packed code of n bytes, first character least significant. It works on all characters at
// once: single digits, then pairs, then fours. For n = 0 it is a number that no code has.
func base94(key uint64, n int) uint64 {
	d := key - ' '*ones>>(uint(64-8*n)&63)
	d = d&0x00ff00ff00ff00ff + 94*(d>>8&0x00ff00ff00ff00ff)
	d = d&0x0000ffff0000ffff + 94*94*(d>>16&0x0000ffff0000ffff)
	return d&0xffffffff + 94*94*94*94*(d>>32)
}

// packed puts a code of up to 8 bytes into a word, the first character lowest.
func packed(c []byte) uint64 {
	n := uint64(0)
	for i, d := range c {
		n |= uint64(d) << (8 * i)
	}
	return n
}

// slot finds the place of key k, or the free one where it belongs.
func (t *idTable) slot(k uint64) int {
	mask := len(t.keys) - 1
	h := int(k * 0x9e3779b97f4a7c15 >> t.shift)
	for t.keys[h] != 0 && t.keys[h] != k {
		h = (h + 1) & mask
	}
	return h
}

// find returns the entry of a code.
func (t *idTable) find(c []byte) uint32 {
	if len(c) <= 8 {
		if !printable(c) {
			return 0
		}
		return t.short(packed(c), len(c))
	}
	if t.long != nil {
		if i := t.long.Find(c); i > 0 {
			return t.longVals[i]
		}
	}
	return 0
}

// short returns the entry of a packed code of n <= 8 bytes, none of which is below '!'.
func (t *idTable) short(key uint64, n int) uint32 {
	if t.dense == nil {
		return t.vals[t.slot(key)]
	}
	if (key|(key+ones))&(0x80*ones) != 0 { // bytes beyond '~' would alias others
		return 0
	}
	if !t.lsb {
		key = reversed(key, n)
	}
	if i := base94(key, n); i < uint64(len(t.dense)) {
		return t.dense[i]
	}
	return 0
}

// printable says whether all bytes are '!'..'~'. Others would alias codes in base 94.
func printable(c []byte) bool {
	for _, d := range c {
		if d-'!' > '~'-'!' {
			return false
		}
	}
	return true
}
