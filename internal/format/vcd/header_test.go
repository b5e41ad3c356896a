package vcd

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTimescale(t *testing.T) {
	for _, tc := range []struct {
		in        string
		coef, exp int32
	}{
		{"1ps", 1, -12},
		{"1 ps", 1, -12},
		{"10 ns", 10, -9},
		{"100fs", 100, -15},
		{"1s", 1, 0},
		{"1 ms", 1, -3},
		{"100 us", 100, -6},
		{"1as", 1, -18},
		{"1 NS", 1, -9},
		{"\n\t1\n ps\n", 1, -12},
		{"0ps", 0, 0},
		{"2ns", 0, 0},
		{"1", 0, 0},
		{"ps", 0, 0},
		{"", 0, 0},
		{"1.0ns", 0, 0},
		{"1 xs", 0, 0},
		{"1000ns", 0, 0},
	} {
		in := "$timescale " + tc.in + " $end\n$enddefinitions $end\n"
		h, _, _, msgs := read(t, strings.NewReader(in), nil)
		if h.UnitCoef != tc.coef || h.UnitExp != tc.exp || (len(msgs) == 0) != (tc.coef > 0) {
			t.Errorf("%q: %d e%d, %v", tc.in, h.UnitCoef, h.UnitExp, msgs)
		}
	}
}

func TestTimescaleOverride(t *testing.T) {
	for _, in := range []string{"", "$timescale 0ps $end", "$timescale 1ns $end"} {
		r := NewReader(strings.NewReader(in+" $enddefinitions $end\n"), "t", nil) // no bag: no message
		r.SetTimescale(10, -12)
		h, err := r.Header(t.Context())
		if err != nil || h.UnitCoef != 10 || h.UnitExp != -12 {
			t.Errorf("%q: %+v, %v", in, h, err)
		}
	}
}

// vars prints the variables of a header, one a line: scope path, name, range, width, ID.
func vars(h *Header) string {
	var b strings.Builder
	for _, v := range h.Vars {
		path := v.Name
		for s := v.Scope; s > 0; s = h.Scopes[s].Parent {
			path = h.Scopes[s].Name + "|" + path
		}
		rng := ""
		if v.HasRange {
			rng = fmt.Sprintf(" [%d:%d]", v.Msb, v.Lsb)
		}
		fmt.Fprintf(&b, "%s%s %d %s #%d\n", path, rng, v.Width, v.Type, v.ID)
	}
	return b.String()
}

func TestDeclarations(t *testing.T) {
	for _, tc := range []struct {
		name, in, want string
		msgs           []string
	}{
		{"range apart", "$var wire 4 ! a [3:0] $end", "a [3:0] 4 wire #0\n", nil},
		{"range attached", "$var wire 4 ! a[3:0] $end", "a [3:0] 4 wire #0\n", nil},
		{"range with blanks", "$var wire 4 ! a [ 3 : 0 ] $end", "a [3:0] 4 wire #0\n", nil},
		{"ascending", "$var reg 8 ! a [0:7] $end", "a [0:7] 8 reg #0\n", nil},
		{"negative", "$var reg 4 ! a [1:-2] $end", "a [1:-2] 4 reg #0\n", nil},
		{"bit select", "$var wire 1 ! a [3] $end", "a [3:3] 1 wire #0\n", nil},
		{"bit select attached", "$var wire 1 ! a[3] $end", "a [3:3] 1 wire #0\n", nil},
		{"one bit vector", "$var wire 1 ! a [0:0] $end", "a [0:0] 1 wire #0\n", nil},
		{"no range", "$var wire 64 ! io_outs_right_5 $end", "io_outs_right_5 64 wire #0\n", nil},
		{"word of an array", "$var reg 8 ! mem[3] [7:0] $end", "mem[3] [7:0] 8 reg #0\n", nil},
		{"word of an array without range", "$var reg 8 ! mem[3] $end", "mem[3] 8 reg #0\n", nil},
		{"two indices", "$var wire 1 ! a[3][2] $end", "a[3] [2:2] 1 wire #0\n", nil},
		{"escaped", `$var wire 1 ! \ctrl.state.out[1]  $end`, `\ctrl.state.out[1] 1 wire #0` + "\n", nil},
		{"escaped with range", `$var wire 16 ! \dpath.a_lt_b$in1[9] [15:0] $end`, `\dpath.a_lt_b$in1[9] [15:0] 16 wire #0` + "\n", nil},
		{"escaped attached range", `$var wire 4 ! \a[3:0] $end`, `\a[3:0] 4 wire #0` + "\n", nil},
		{"trailing backslash", `$var wire 1 ! \<const0>\  $end`, `\<const0>\ 1 wire #0` + "\n", nil},
		{"blanks in a name", "$var wire 1 ! u 1 a $end", "u 1 a 1 wire #0\n", nil},
		{"range that is none", "$var wire 4 ! a [x:0] $end", "a [x:0] 4 wire #0\n", nil},
		{"only a range", "$var wire 4 ! [3:0] $end", "[3:0] 4 wire #0\n", nil},
		{"over lines", "$var\nwire\n4\n!\na\n[3:0]\n$end", "a [3:0] 4 wire #0\n", nil},
		{"aliases", "$var wire 1 ! a $end $scope module u $end $var wire 1 ! b $end $upscope $end", "a 1 wire #0\nu|b 1 wire #0\n", nil},
		{"duplicates", "$var wire 1 ! a $end $var wire 1 ! a $end $var wire 1 ! b $end $var wire 1 ! b $end", "a 1 wire #0\nb 1 wire #0\n", nil},
		{"same name, other bits", "$var wire 1 ! a [0] $end $var wire 1 ! a [1] $end", "a [0:0] 1 wire #0\na [1:1] 1 wire #0\n", nil},
		{"scope again", "$scope module u $end $var wire 1 ! a $end $upscope $end $scope module u $end $var wire 1 \" b $end $var wire 1 ! a $end $upscope $end", "u|a 1 wire #0\nu|b 1 wire #1\n", nil},
		{"odd scopes", "$scope module g[0] $end $scope begin u(1) $end $scope struct a:b $end $scope interface two words $end $var wire 1 ! a $end", "g[0]|u(1)|a:b|two words|a 1 wire #0\n", nil},
		{"codes that look like commands", "$var wire 1 $var a $end $var wire 1 #1 b $end $var wire 1 b1 c $end", "a 1 wire #0\nb 1 wire #1\nc 1 wire #2\n", nil},
		{"other types", "$var real 64 ! r $end $var event 1 \" e $end $var string 0 # s $end $var parameter 32 $ P [31:0] $end", "r 64 real #0\ne 1 event #1\ns 0 string #2\nP [31:0] 32 parameter #3\n", nil},
		{"ports", "$var port 1 <0 clk $end $var port [3:0] <1 d $end", "clk 1 port #0\nd [3:0] 4 port #1\n", nil},
		{"comment", "$comment $var wire 1 ! a $end $var wire 1 ! b $end", "b 1 wire #0\n", nil},
		{"attributes", "$attrbegin pack packed members 2 $end $attrbegin misc 07 e 2 A B 0 1 1 $end $var wire 1 ! b $end $attrend $end", "b 1 wire #0\n", nil},
		{"unknown keyword", "$newthing 1 $end $var wire 1 ! b $end", "b 1 wire #0\n", []string{"vcd-unknown-keyword:2"}},
		{"stray end", "$end $var wire 1 ! b $end $end", "b 1 wire #0\n", nil},
		{"alias of another width", "$var wire 1 ! a $end\n$var wire 4 ! b $end", "a 1 wire #0\nb 4 wire #0\n", []string{"vcd-alias-width:3"}},
		{"too many upscopes", "$upscope $end $var wire 1 ! b $end", "b 1 wire #0\n", []string{"vcd-upscope:2"}},
		{"bad width", "$var wire x ! b $end $var wire 1 ! a $end", "a 1 wire #0\n", []string{"vcd-syntax:2"}},
		{"negative width", "$var wire -1 ! b $end", "", []string{"vcd-syntax:2"}},
		{"huge width", "$var wire 99999999999 ! b $end", "", []string{"vcd-syntax:2"}},
		{"huge range", "$var port [2147483647:-2147483648] ! b $end", "", []string{"vcd-syntax:2"}},
		{"no width", "$var wire $end $var wire 1 ! a $end", "a 1 wire #0\n", []string{"vcd-syntax:2"}},
		{"no type", "$var $end $var wire 1 ! a $end", "a 1 wire #0\n", []string{"vcd-syntax:2"}},
		{"no code", "$var wire 1 $end $var wire 1 ! a $end", "a 1 wire #0\n", []string{"vcd-syntax:2"}},
		{"no name", "$var wire 1 ! $end", " 1 wire #0\n", []string{"vcd-syntax:2"}},
		{"code of other bytes", "$var wire 1 \xc3\xa9 a $end $var wire 1 ! b $end", "b 1 wire #0\n", []string{"vcd-syntax:2"}},
		{"junk", "junk\n$var wire 1 ! a $end", "a 1 wire #0\n", []string{"vcd-syntax:2"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			h, _, _, msgs := read(t, strings.NewReader("$timescale 1ns $end\n"+tc.in+"\n$enddefinitions $end\n"), nil)
			if d := cmp.Diff(tc.want, vars(h)); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
			if d := cmp.Diff(tc.msgs, msgs); d != "" {
				t.Errorf("messages (-want +got):\n%s", d)
			}
		})
	}
}

func TestHeaderText(t *testing.T) {
	h, _, _, _ := read(t, strings.NewReader("$date\n  Mon\tNov 30\n$end $version wattd  1 $end\n$timescale 1ns $end $enddefinitions $end\n"), nil)
	if h.Date != "Mon Nov 30" || h.Version != "wattd 1" {
		t.Errorf("%q, %q", h.Date, h.Version)
	}
}

func TestWidestAlias(t *testing.T) {
	in := "$timescale 1ns $end $var wire 2 ! a $end $var wire 4 ! b $end $enddefinitions $end\n#1\nb101 !\n"
	h, got, _, _ := read(t, strings.NewReader(in), nil)
	if got != "@1 0=0101" || h.Widths[0] != 4 {
		t.Errorf("%s, widths %v", got, h.Widths)
	}
}

func TestBrokenHeaders(t *testing.T) {
	const ok = "$timescale 1ns $end\n$var wire 1 ! a $end\n"
	for _, tc := range []struct{ name, in, body, msg string }{
		{"empty", "", "", "vcd-no-enddefinitions:1"},
		{"cut between", ok, "", "vcd-no-enddefinitions:3"},
		{"cut in a variable", ok + "$var wire 1", "", "vcd-unterminated:3"},
		{"cut in a comment", ok + "$comment x", "", "vcd-unterminated:3"},
		{"time", ok + "#0\n1!\n", "", "vcd-no-enddefinitions:3"},
		{"dumpvars", ok + "$dumpvars\n1!\n", "", "vcd-no-enddefinitions:3"},
		{"no timescale", "$var wire 1 ! a $end\n$enddefinitions $end\n#1\n1!\n", "@1 0=1", "vcd-timescale:2"},
		{"two timescales", "$timescale 1ns $end\n$timescale 1ps $end\n$enddefinitions $end\n", "", "vcd-timescale:2"},
		{"no end", ok + "$enddefinitions\n#1\n1!\n", "@1 0=1", "vcd-unterminated:3"},
		{"binary", "\x00\x01\x02\xff", "", "vcd-syntax:1"},
	} {
		_, got, _, msgs := read(t, strings.NewReader(tc.in), nil)
		if got != tc.body || len(msgs) == 0 || !strings.Contains(strings.Join(msgs, " "), tc.msg) {
			t.Errorf("%s: %q, %v", tc.name, got, msgs)
		}
	}
}

func TestByteOrderMark(t *testing.T) {
	h, got, _, msgs := read(t, strings.NewReader("\xef\xbb\xbf"+head+"#1\n1!\n"), nil)
	if h.NumIDs != 6 || got != "@1 0=1" || msgs != nil {
		t.Error(got, msgs)
	}
}
