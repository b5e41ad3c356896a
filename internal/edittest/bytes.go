package edittest

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Garble edits a text at a random place as somebody who does not know its language would.
func Garble(r *rand.Rand, text string) (edited, what string) {
	at := r.IntN(len(text) + 1)
	end := min(len(text), at+1+r.IntN(12))
	switch r.IntN(8) {
	case 0:
		return text[:at] + text[end:], fmt.Sprintf("%q cut at %d", text[at:end], at)
	case 1:
		s := string(rune(32 + r.IntN(95)))
		return text[:at] + s + text[at:], fmt.Sprintf("%q put in at %d", s, at)
	case 2:
		s := pick(r, []string{"\"", "/*", "*/", "//", "\\", "(", ")", ";", "\n", "`", "endmodule", "\x00", "\xff", "(* a *)", "1'b1", "[0]", "{", "}", "(CELL", "0.5", ":"})
		return text[:at] + s + text[at:], fmt.Sprintf("%q put in at %d", s, at)
	case 3:
		from := r.IntN(len(text) + 1)
		s := text[from:min(len(text), from+r.IntN(200))]
		return text[:at] + s + text[at:], fmt.Sprintf("%d bytes copied from %d to %d", len(s), from, at)
	case 4:
		return text[:at] + " \n" + text[at:], fmt.Sprintf("white space at %d", at)
	}
	// lines are what most edits move
	lines := strings.SplitAfter(text, "\n")
	i, k := r.IntN(len(lines)), r.IntN(len(lines))
	switch r.IntN(3) {
	case 0:
		what = fmt.Sprintf("line %d removed", i+1)
		lines[i] = ""
	case 1:
		what = fmt.Sprintf("line %d repeated at %d", i+1, k+1)
		lines[k] = lines[i] + lines[k]
	default:
		what = fmt.Sprintf("lines %d and %d exchanged", i+1, k+1)
		lines[i], lines[k] = lines[k], lines[i]
	}
	return strings.Join(lines, ""), what
}
