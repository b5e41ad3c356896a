package scan

import "bytes"

// ParseSeconds reads a number directly followed by a unit of time (s ms us ns ps fs), in seconds; it must be positive. Trailing zeros move into the exponent, so
// that equal scales are equal values.
func ParseSeconds(b []byte) (Decimal, bool) {
	n := len(b)
	for n > 0 && (b[n-1]|0x20 >= 'a' && b[n-1]|0x20 <= 'z') {
		n--
	}
	d, ok := ParseDecimal(b[:n])
	if !ok || d.Coef <= 0 {
		return d, false
	}
	for d.Coef%10 == 0 {
		d.Coef /= 10
		d.Exp++
	}
	switch string(bytes.ToLower(b[n:])) {
	case "s":
	case "ms":
		d.Exp -= 3
	case "us":
		d.Exp -= 6
	case "ns":
		d.Exp -= 9
	case "ps":
		d.Exp -= 12
	case "fs":
		d.Exp -= 15
	default:
		return d, false
	}
	return d, true
}
