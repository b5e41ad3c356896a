package tcl_test

import (
	"encoding/json"
	"errors"
	"os/exec"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wattd/wattd/internal/testenv"
	"github.com/wattd/wattd/rpc/api"
	"github.com/wattd/wattd/rpc/tcl"
)

// nasty are texts that quoting gets wrong easily.
var nasty = []string{
	"", "a", "a b", "u1/n[3]", `\esc$ape `, "{", "}", "{}", "}{", "a{b", "a}b", `\`, `\\`, `a\`, `a\{b`, `\}`, "\n", "a\nb", `a\n`, "\\\n", "a\\\nb",
	"\t", "\r", "\v\f\x00\x01\x1f\x7f", `"`, `a"b`, `"a`, "#", "#a", "a#", "$x", "[exec false]", ";", "ä", "日本", "😀", "  ", " a", "{a} b", `{a}b`,
	"\u2028", "\\u0041", `\x41`, "-", "*", "~", "{\\}", "\\{\\", "a {b", strings.Repeat("{", 50), strings.Repeat(`\`, 7),
}

func TestSplitUndoesList(t *testing.T) {
	got, err := tcl.Split(tcl.List(nasty...))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(nasty, got); diff != "" {
		t.Error(diff)
	}
	nested := tcl.List("x", tcl.List(tcl.List(nasty...), "y"))
	if strings.ContainsAny(nested, "\n\r") {
		t.Error("a list is one line")
	}
}

func TestSplit(t *testing.T) {
	for _, tc := range []struct {
		in   string
		want []string
		err  string
	}{
		{"", nil, ""},
		{" \t\n ", nil, ""},
		{"a  b\n c ", []string{"a", "b", "c"}, ""},
		{`{a b} "c d" e\ f`, []string{"a b", "c d", "e f"}, ""},
		{`a{b}c a"b`, []string{"a{b}c", `a"b`}, ""},
		{`{a {b c} \} \{}`, []string{`a {b c} \} \{`}, ""},
		{`\x41\u00e4\101\U1F600 \q\n`, []string{"AäA😀", "q\n"}, ""},
		{`\ud83d\ude00 \ud83d`, []string{"😀", "\ufffd"}, ""},
		{`\xg \u`, []string{"xg", "u"}, ""},
		{"a\\\n   b", []string{"a b"}, ""},
		{`a\`, []string{`a\`}, ""},
		{`{a`, nil, "ends inside"},
		{`{a\}`, nil, "ends inside"},
		{`"a`, nil, "ends inside"},
		{`{a}b`, nil, "instead of a space"},
		{`"a"b`, nil, "instead of a space"},
	} {
		got, err := tcl.Split(tc.in)
		if tc.err != "" {
			if err == nil || !strings.Contains(err.Error(), tc.err) || errors.Is(err, tcl.ErrIncomplete) != (tc.err == "ends inside") {
				t.Errorf("%q: %q, %v", tc.in, got, err)
			}
			continue
		}
		if err != nil || !slices.Equal(got, tc.want) {
			t.Errorf("%q: %q, %v", tc.in, got, err)
		}
	}
}

// tclsh runs a script with text on its standard input.
func tclsh(t *testing.T, script, in string) string {
	t.Helper()
	cmd := exec.Command(testenv.Require(t, "tclsh"))
	cmd.Stdin = strings.NewReader("fconfigure stdin -encoding utf-8 -translation lf; fconfigure stdout -encoding utf-8 -translation lf\nproc main {} {\n" + script + "\n}\nmain\n" + in)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return string(out)
}

// TestTclReads: Tcl's own commands find in our lists what was put there, and we in Tcl's.
func TestTclReads(t *testing.T) {
	// each element comes back as the numbers of its characters, so that nothing depends on output
	out := tclsh(t, `proc codes s { set o {}; foreach c [split $s {}] { lappend o [scan $c %c] }; return $o }
gets stdin line; puts [llength $line]; foreach e $line { puts [codes $e] }; puts [list back $line]`, tcl.List(nasty...)+"\n")
	lines := strings.SplitN(out, "\n", len(nasty)+2)
	if len(lines) < len(nasty)+2 {
		t.Fatalf("%q", out)
	}
	for i, want := range nasty {
		var codes []string
		for _, r := range want {
			codes = append(codes, num(r))
		}
		if want == "😀" && lines[i+1] == "55357 56832" { // how a Tcl of 16-bit characters sees it
			continue
		}
		if got := lines[i+1]; got != strings.Join(codes, " ") {
			t.Errorf("%q: Tcl reads %s, want %s", want, got, codes)
		}
	}
	back, err := tcl.Split(lines[len(nasty)+1])
	if err != nil || len(back) != 2 {
		t.Fatalf("%q: %v", lines[len(nasty)+1], err)
	}
	if back, err = tcl.Split(back[1]); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(nasty, back); diff != "" {
		t.Error(diff)
	}
	// and by way of Tcl's own quoting
	out = tclsh(t, `gets stdin line; set o {}; foreach e $line { lappend o $e }; puts -nonewline $o`, tcl.List(nasty...)+"\n")
	if back, err = tcl.Split(out); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(nasty, back); diff != "" {
		t.Error(diff)
	}
}

func num(r rune) string { b, _ := json.Marshal(int32(r)); return string(b) }

func TestTclReadsDicts(t *testing.T) {
	v, err := tcl.FromJSON([]byte(`{"meta":{"snapshot":41,"ms":{}},"nets":{"cols":{"net":["u1/n[3]","\\a b "],"tc":[3,null]},"rows":2},"ok":true,"no":false,"f":1.5e-3,"text":"two\nlines"}`))
	if err != nil {
		t.Fatal(err)
	}
	out := tclsh(t, `gets stdin d
puts [dict get $d meta snapshot]
foreach n [dict get $d nets cols net] c [dict get $d nets cols tc] { puts "<$n> <$c>" }
if {[dict get $d ok] && ![dict get $d no]} { puts yes }
puts [expr {[dict get $d f] * 2}]
puts [string length [dict get $d text]]
puts [dict keys $d]`, v+"\n")
	want := "41\n<u1/n[3]> <3>\n<\\a b > <>\nyes\n0.003\n9\nmeta nets ok no f text\n"
	if diff := cmp.Diff(want, out); diff != "" {
		t.Error(diff)
	}
}

func TestFromJSONRefuses(t *testing.T) {
	for _, in := range []string{"", "{", "1 2", strings.Repeat("[", 100) + strings.Repeat("]", 100), "nul"} {
		if v, err := tcl.FromJSON([]byte(in)); err == nil {
			t.Errorf("%.40q gives %q", in, v)
		}
	}
}

func TestToJSON(t *testing.T) {
	type inner struct {
		F float64 `json:"f"`
	}
	type params struct {
		api.Page
		Names []string          `json:"names"`
		At    *int64            `json:"at"`
		B     bool              `json:"b"`
		In    []inner           `json:"in"`
		M     map[string]int    `json:"m"`
		Raw   json.RawMessage   `json:"raw"`
		Ch    chan int          `json:"ch"`
		Sub   map[string]inner  `json:"sub"`
		Skip  int               `json:"-"`
		S     string            `json:"s"`
		P     *string           `json:"p"`
		L     map[string]string `json:"l"`
	}
	for _, tc := range []struct{ in, want, err string }{
		{"", "{}", ""},
		{"limit 5 cursor {a b}", `{"limit":5,"cursor":"a b"}`, ""},
		{"names {u1/n[3] {a b} {}} at 7", `{"names":["u1/n[3]","a b",""],"at":7}`, ""},
		{"at {} names {}", `{"at":null,"names":[]}`, ""},
		{"b yes in {{f 1.5} {f -2}}", `{"b":true,"in":[{"f":1.5},{"f":-2}]}`, ""},
		{"m {x 1 y 2} raw 5", `{"m":{"x":1,"y":2},"raw":5}`, ""},
		{"raw abc s 007 p {}", `{"raw":"abc","s":"007","p":""}`, ""},
		{"limit", "", "even number"},
		{"limit x", "", "limit: \"x\" is not an integer"},
		{"limit 0x10", "", "not an integer"},
		{"limit 99999999999999999999", "", "not an integer"},
		{"nothing 1", "", `there is no "nothing"`},
		{"- 1", "", `there is no "-"`},
		{"b maybe", "", "not a boolean"},
		{"in {{f Inf}}", "", "in: element 0: f: \"Inf\" is not a number"},
		{"limit 1 limit 2", "", "twice"},
		{"names {a", "", "ends inside"},
		{"ch 1", "", "cannot be written"},
		{"s \xff", "", "not UTF-8"},
	} {
		got, err := tcl.ToJSON(tc.in, reflect.TypeFor[params]())
		if tc.err != "" {
			if err == nil || !strings.Contains(err.Error(), tc.err) {
				t.Errorf("%q: %s, %v, want %s", tc.in, got, err, tc.err)
			}
			continue
		}
		if err != nil || string(got) != tc.want {
			t.Errorf("%q: %s, %v", tc.in, got, err)
		}
	}
}

// TestAllParams: what any method takes can be written in Tcl.
func TestAllParams(t *testing.T) {
	for _, in := range api.Messages() {
		walk(t, in.Params, 0)
	}
}

func walk(t *testing.T, typ reflect.Type, depth int) {
	if depth > 10 {
		t.Fatalf("%s has no end", typ)
	}
	switch typ.Kind() {
	case reflect.Struct:
		if strings.HasPrefix(typ.Name(), "Table[") { // of updates to the client
			return
		}
		for i := range typ.NumField() {
			walk(t, typ.Field(i).Type, depth+1)
		}
	case reflect.Slice, reflect.Pointer, reflect.Map:
		if typ != reflect.TypeFor[json.RawMessage]() {
			walk(t, typ.Elem(), depth+1)
		}
	default:
		if _, err := tcl.ToJSON("1", typ); err != nil {
			t.Errorf("%s: %v", typ, err)
		}
	}
}

// FuzzList: List and Split are inverse for any text, and Split ends on any input.
func FuzzList(f *testing.F) {
	for _, s := range nasty {
		f.Add(s, "x")
	}
	f.Add(`{a "b" c\`, `"`)
	f.Fuzz(func(t *testing.T, a, b string) {
		l := tcl.List(a, tcl.List(b, a))
		if strings.ContainsAny(l, "\n\r\x00") {
			t.Fatalf("%q is not one line", l)
		}
		outer, err := tcl.Split(l)
		if err != nil || len(outer) != 2 || outer[0] != a {
			t.Fatalf("%q: %q, %v", l, outer, err)
		}
		inner, err := tcl.Split(outer[1])
		if err != nil || len(inner) != 2 || inner[0] != b || inner[1] != a {
			t.Fatalf("%q: %q, %v", outer[1], inner, err)
		}
		if parts, err := tcl.Split(a); err == nil {
			again, err := tcl.Split(tcl.List(parts...))
			if err != nil || !slices.Equal(again, parts) {
				t.Fatalf("%q: %q, then %q, %v", a, parts, again, err)
			}
		}
		if v, err := tcl.FromJSON([]byte(a)); err == nil && strings.ContainsAny(tcl.List(v), "\n\r") {
			t.Fatalf("%q gives %q", a, v)
		}
		_, _ = tcl.ToJSON(a, reflect.TypeFor[api.WhatIfApplyParams]())
	})
}
