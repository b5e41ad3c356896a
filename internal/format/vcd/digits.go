package vcd

// Kinds of the first byte of a token in the body.
const (
	tokBad = iota
	tokSpace
	tokBit
	tokVector
	tokReal
	tokString
	tokTime
	tokKeyword
	tokPort
)

// first tells a token by its first byte.
var first = func() (t [256]uint8) {
	for c := range 256 {
		if isSpace(byte(c)) {
			t[c] = tokSpace
		}
	}
	for _, c := range []byte("01xXzZhHlLuUwW-") {
		t[c] = tokBit
	}
	t['b'], t['B'] = tokVector, tokVector
	t['r'], t['R'] = tokReal, tokReal
	t['s'], t['S'] = tokString, tokString
	t['#'] = tokTime
	t['$'] = tokKeyword
	t['p'], t['P'] = tokPort, tokPort
	return t
}()

// digit normalises the digits of all dumpers to 0 1 x z; 0 marks what is none.
var digit = func() (t [256]byte) {
	for in, out := range map[string]byte{"0lL": '0', "1hH": '1', "xXuUwW-": 'x', "zZ": 'z'} {
		for _, c := range []byte(in) {
			t[c] = out
		}
	}
	return t
}()

// portState does the same for the states of $dumpports (IEEE 1364 18.4.3.2). Two drivers that disagree are x.
var portState = func() (t [256]byte) {
	for in, out := range map[string]byte{"DdLl0": '0', "UuHh1": '1', "NX?AaBbCcf": 'x', "ZTF": 'z'} {
		for _, c := range []byte(in) {
			t[c] = out
		}
	}
	return t
}()

// bit[c] is the normalised digit as a value of one bit.
var bit = func() (t [256][]byte) {
	for c, d := range digit {
		t[c] = []byte{d}
	}
	return t
}()
