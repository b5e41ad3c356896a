package vcd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/wattd/wattd/internal/diag"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// trace is a Visitor that writes down what it is told: "@t", "id=value", "off", "on".
type trace struct {
	out  []string
	left int // visits before it stops; 0 is no limit
}

func (t *trace) put(s string) bool {
	t.out = append(t.out, s)
	t.left--
	return t.left != 0
}
func (t *trace) Time(n int64) bool                { return t.put(fmt.Sprintf("@%d", n)) }
func (t *trace) Change(id int32, val []byte) bool { return t.put(fmt.Sprintf("%d=%s", id, val)) }
func (t *trace) DumpOff() bool                    { return t.put("off") }
func (t *trace) DumpOn() bool                     { return t.put("on") }

// read reads a whole dump and returns the header, the trace and the codes of all messages with their line.
func read(t testing.TB, in io.Reader, want func(*Header) []bool) (*Header, string, Stats, []string) {
	t.Helper()
	var bag diag.Bag
	r := NewReader(in, "t.vcd", &bag)
	h, err := r.Header(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var w []bool
	if want != nil {
		w = want(h)
	}
	var tr trace
	st, err := r.Body(t.Context(), w, &tr)
	if err != nil {
		t.Fatal(err)
	}
	var msgs []string
	for _, tot := range bag.Totals() {
		for _, d := range bag.Kept(tot.Code) {
			msgs = append(msgs, fmt.Sprintf("%s:%d", d.Code, d.Pos.Line))
		}
	}
	return h, strings.Join(tr.out, " "), st, msgs
}

// head declares ! " (one bit), # (4 bits), $ (a real), % (an event), & (a string).
const head = `$timescale 1ps $end
$scope module t $end
$var wire 1 ! a $end
$var wire 1 " b $end
$var wire 4 # v [3:0] $end
$var real 64 $ r $end
$var event 1 % e $end
$var string 1 & s $end
$upscope $end
$enddefinitions $end
`

const headLines = 10

func TestBody(t *testing.T) {
	for _, tc := range []struct {
		name, in, want string
		msgs           []string // lines count from the body
	}{
		{"plain", "#0\n$dumpvars\n0!\n1\"\nbx #\n$end\n#10\n1!\n#20\n", "@0 0=0 1=1 2=xxxx @10 0=1 @20", nil},
		{"nothing", "", "", nil},
		{"upper case and VHDL digits", "#1\nX!\nZ!\nH!\nL!\nU!\nW!\n-!\nh!\nl!\nB1HLZ #\nbUW-x #\n", "@1 0=x 0=z 0=1 0=0 0=x 0=x 0=x 0=1 0=0 2=110z 2=xxxx", nil},
		{"values before the first time", "0!\n1\"\n#5\n1!\n", "0=0 1=1 @5 0=1", nil},
		{"several on a line", "#5 1! 0\" b101 # #7 0!\n", "@5 0=1 1=0 2=0101 @7 0=0", nil},
		{"codes that look like tokens", "#1\nb1 #\n1#\nr1.5 $\nr-1e9 $\n1%\nsIDLE &\ns &\n", "@1 2=0001 2=0001", nil},
		{"short vectors", "#1\nb0 #\nb1 #\nb10 #\nbx #\nbz #\nbx1 #\nbz0 #\nbX #\n", "@1 2=0000 2=0001 2=0010 2=xxxx 2=zzzz 2=xxx1 2=zzz0 2=xxxx", nil},
		{"bit of a vector", "#1\n1#\nx#\n", "@1 2=0001 2=xxxx", nil},
		{"base in front of the digits", "#1\nb0b1010 #\nb0bx1 #\nb0b1 !\nb0b11010 #\nb0b #\nb1b0 #\n", "@1 2=1010 2=xxx1 0=1 2=1010", []string{"vcd-syntax:6", "vcd-syntax:7", "vcd-vector-too-long:5"}},
		{"vector of a bit", "#1\nb1 !\nb0 \"\n", "@1 0=1 1=0", nil},
		{"long vector", "#1\nb00001010 #\nbxxxxx #\n", "@1 2=1010 2=xxxx", nil},
		{"long vector with more to say", "#1\nb11010 #\nb01010 #\n", "@1 2=1010 2=1010", []string{"vcd-vector-too-long:2"}},
		{"equal times", "#5\n1!\n#5\n0!\n", "@5 0=1 @5 0=0", nil},
		{"backwards", "#5\n1!\n#4\n0!\n#9\n1!\n", "@5 0=1", []string{"vcd-time-backwards:3"}},
		{"gap", "#0\n1!\n#5\n$dumpoff\nx!\nx\"\nbx #\n$end\n#9\n$dumpon\n0!\n1\"\n$end\n#10\n1!\n", "@0 0=1 @5 off @9 on 0=0 1=1 @10 0=1", nil},
		{"gap without $end", "#5\n$dumpoff\nx!\n#9\n$dumpon\n0!\n", "@5 off @9 on 0=0", nil},
		{"gap twice", "$dumpoff x! $end $dumpoff x! $end #3 $dumpon 1! $end $dumpon 0! $end\n", "off @3 on 0=1 0=0", nil},
		{"change in a gap", "#5\n$dumpoff\nx!\n$end\n#6\n1!\n#7\n$dumpon\n1!\n$end\n", "@5 off @6 @7 on 0=1", []string{"vcd-change-in-gap:6"}},
		{"open gap at the end", "#5\n$dumpoff\nx!\n$end\n#6\n", "@5 off @6", nil},
		{"dumpall anywhere", "#5\n$dumpall\n1!\n$end\n#6\n0!\n$dumpall 1! $end\n", "@5 0=1 @6 0=0 0=1", nil},
		{"stray end", "#5\n$end\n1!\n$end $end\n", "@5 0=1", nil},
		{"comment", "#5\n$comment any #7 text 1! $end\n1!\n$comment\n$end\n", "@5 0=1", nil},
		{"unknown keyword", "#5\n$newthing 1! $end\n1!\n", "@5 0=1", []string{"vcd-unknown-keyword:2"}},
		{"unterminated comment", "#5\n1!\n$comment 1!\n0!\n", "@5 0=1", []string{"vcd-unterminated:3"}},
		{"undeclared code", "#5\n1~\nb1 ~~\n1!\nr1 ~\ns1 ~\n", "@5 0=1", []string{"vcd-undeclared-id:2", "vcd-undeclared-id:3", "vcd-undeclared-id:5", "vcd-undeclared-id:6"}},
		{"no code", "#5\n1\n0!\n", "@5 0=0", []string{"vcd-syntax:2"}},
		{"bad digit", "#5\nb1021 #\n0!\n", "@5 0=0", []string{"vcd-syntax:2"}},
		{"no digits", "#5\nb #\n0!\n", "@5 0=0", []string{"vcd-syntax:2"}},
		{"junk", "#5\nhello\n?!\nknown\n0!\n", "@5 0=0", []string{"vcd-syntax:3", "vcd-syntax:4", "vcd-undeclared-id:2"}},
		{"holes of zeros", "#5\n1!\n\x00\x00\x00\x000!\n#6\n", "@5 0=1 @6", []string{"vcd-syntax:3"}},
		{"high bytes", "#5\n1!\xff\n1\xff\n0!\n", "@5 0=0", []string{"vcd-undeclared-id:2", "vcd-undeclared-id:3"}},
		{"bad time", "#5\n#1x\n0!\n", "@5", []string{"vcd-syntax:2"}},
		{"time without digits", "#\n0!\n", "", []string{"vcd-syntax:1"}},
		{"huge time", "#99999999999999999999\n0!\n", "", []string{"vcd-syntax:1"}},
		{"largest time", "#999999999999999999\n0!\n", "@999999999999999999 0=0", nil},
		{"real for bits", "#5\nr1.5 !\nsabc #\n0!\n", "@5 0=0", []string{"vcd-not-logic:2", "vcd-not-logic:3"}},
		{"string with blanks", "#5\nsnot idle yet &\n0!\n", "@5 0=0", nil},
		{"string with blanks, no code", "#5\nsnot idle yet\n0!\n", "@5 0=0", []string{"vcd-undeclared-id:2"}},
		{"value and code on two lines", "#5\nb101\n#\n0!\n", "@5 2=0101 0=0", nil},
		{"white space of all kinds", "\r\n#5\r\n\t1!\r\n \v\fb1\t#\r\n", "@5 0=1 2=0001", nil},
		{"no last newline", "#5\n1!", "@5 0=1", []string{"vcd-cut-short:2"}},
		{"cut in a code", "#5\n1!\n1", "@5 0=1", []string{"vcd-cut-short:3"}},
		{"cut in a vector", "#5\n1!\nb10", "@5 0=1", []string{"vcd-cut-short:3"}},
		{"cut behind a vector", "#5\n1!\nb10 ", "@5 0=1", []string{"vcd-cut-short:3"}},
		{"cut in a time", "#1000\n1!\n#10", "@1000 0=1", []string{"vcd-cut-short:3"}},
		{"ports", "#5\n$dumpports\npD 6 0 !\npH 0 6 \"\npDULH 0000 6666 #\n$end\n#6\npF 0 0 !\npA 6 6 !\n$vcdclose #13 $end\n", "@5 0=0 1=1 2=0101 @6 0=z 0=x @13", nil},
		{"bad ports", "#5\npQ 6 0 !\npD 6 !\n1!\npD 9 0 !\n1!\n", "@5 0=1", []string{"vcd-syntax:2", "vcd-syntax:5", "vcd-undeclared-id:3"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			for _, r := range []io.Reader{strings.NewReader(head + tc.in), iotest.OneByteReader(strings.NewReader(head + tc.in))} {
				_, got, _, msgs := read(t, r, nil)
				var want []string
				for _, m := range tc.msgs {
					code, line, _ := strings.Cut(m, ":")
					var n int
					fmt.Sscan(line, &n)
					want = append(want, fmt.Sprintf("%s:%d", code, n+headLines))
				}
				if got != tc.want {
					t.Errorf("got  %s\nwant %s", got, tc.want)
				}
				if d := cmp.Diff(want, msgs); d != "" {
					t.Errorf("messages (-want +got):\n%s", d)
				}
			}
		})
	}
}

func TestWantAndStats(t *testing.T) {
	body := "#3\n1!\n0\"\nb1 #\nr1 $\n#7\n0!\n$dumpoff\nx!\n$end\n#9\n$dumpon\n1!\n1\"\n$end\n#11\n"
	_, got, st, msgs := read(t, strings.NewReader(head+body), func(*Header) []bool { return []bool{false, true} })
	if got != "@3 1=0 @7 off @9 on 1=1 @11" || msgs != nil {
		t.Error(got, msgs)
	}
	if want := (Stats{FirstTime: 3, LastTime: 11, HasTime: true, Changes: 2, Skipped: 6, Gaps: 1}); st != want {
		t.Errorf("got %+v, want %+v", st, want)
	}
}

func TestVisitorStops(t *testing.T) {
	in := head + "#1\n1!\nb1 #\n1#\npD 6 0 !\n$dumpoff\n$end\n$dumpon\n$end\n#2\n"
	for n := 1; n <= 8; n++ {
		var bag diag.Bag
		r := NewReader(strings.NewReader(in), "t", &bag)
		if _, err := r.Header(t.Context()); err != nil {
			t.Fatal(err)
		}
		tr := trace{left: n}
		if _, err := r.Body(t.Context(), nil, &tr); err != nil || len(tr.out) != n {
			t.Errorf("stop after %d: %v, %v", n, tr.out, err)
		}
	}
}

func TestFaultAndCancel(t *testing.T) {
	fault := errors.New("disk on fire")
	var bag diag.Bag
	r := NewReader(io.MultiReader(strings.NewReader(head[:50]), iotest.ErrReader(fault)), "t", &bag)
	if _, err := r.Header(t.Context()); err != fault || bag.Errors() != 0 {
		t.Errorf("%v, %v", err, bag.Totals())
	}
	if _, err := r.Body(t.Context(), nil, &trace{}); err != fault {
		t.Error(err)
	}
	r = NewReader(io.MultiReader(strings.NewReader(head+"#1\n1!\n"), iotest.ErrReader(fault)), "t", &bag)
	if _, err := r.Header(t.Context()); err != nil {
		t.Error(err)
	}
	var tr trace
	if _, err := r.Body(t.Context(), nil, &tr); err != fault || len(tr.out) != 2 {
		t.Error(err, tr.out)
	}
	ctx, cancel := context.WithCancel(t.Context())
	r = NewReader(iotest.OneByteReader(strings.NewReader(head+"#1\n1!\n")), "t", &bag)
	if _, err := r.Header(ctx); err != nil {
		t.Error(err)
	}
	cancel()
	if _, err := r.Body(ctx, nil, &tr); err != context.Canceled {
		t.Error(err)
	}
}

// code is identifier code n in base 94, from either end.
func code(n int, lsb bool) string {
	var b []byte
	for n++; n > 0; n /= 94 {
		n--
		b = append(b, byte('!'+n%94))
	}
	if !lsb {
		for i, j := 0, len(b)-1; i < j; i, j = i+1, j-1 {
			b[i], b[j] = b[j], b[i]
		}
	}
	return string(b)
}

// Every numbering of identifiers must lead to the same changes.
func TestNumberings(t *testing.T) {
	const n = 20_000
	for name, id := range map[string]func(int) string{
		"least significant first": func(i int) string { return code(i, true) },
		"most significant first":  func(i int) string { return code(i, false) },
		"words":                   func(i int) string { return fmt.Sprintf("n%d", i) },
		"long words":              func(i int) string { return fmt.Sprintf("top.block.net_%d", i) },
		"mixed":                   func(i int) string { return strings.Repeat("~", 1+i%8) + fmt.Sprint(i) },
	} {
		t.Run(name, func(t *testing.T) {
			var b strings.Builder
			b.WriteString("$timescale 1ns $end\n")
			for i := range n {
				fmt.Fprintf(&b, "$var wire %d %s n%d $end\n", 1+i%2, id(i), i)
			}
			b.WriteString("$enddefinitions $end\n#1\n")
			var want []string
			r := rand.New(rand.NewPCG(1, 2))
			for range n {
				i := r.IntN(n)
				if i%2 == 0 {
					fmt.Fprintf(&b, "1%s\n", id(i))
					want = append(want, fmt.Sprintf("%d=1", i))
				} else {
					fmt.Fprintf(&b, "b10 %s\n", id(i))
					want = append(want, fmt.Sprintf("%d=10", i))
				}
			}
			h, got, _, msgs := read(t, strings.NewReader(b.String()), nil)
			if h.NumIDs != n || msgs != nil || got != "@1 "+strings.Join(want, " ") {
				t.Errorf("%d ids, %v", h.NumIDs, msgs)
			}
		})
	}
}
