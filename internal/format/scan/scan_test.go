package scan

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

var word = NewClass("abcdefghijklmnopqrstuvwxyz")

// TestPositions compares line and column of every word with a count over the whole text, for readers that hand out
// pieces of all kinds, and for a text longer than the buffer.
func TestPositions(t *testing.T) {
	var b strings.Builder
	for i := range 60_000 {
		b.WriteString([]string{"ab ", "c\n", "\r\n", "defg\t", "\n\n", "  h"}[i*7%6])
	}
	text := b.String()
	for name, r := range map[string]io.Reader{
		"whole": strings.NewReader(text), "half": iotest.HalfReader(strings.NewReader(text)),
		"byte": iotest.OneByteReader(strings.NewReader(text)), "data with EOF": iotest.DataErrReader(strings.NewReader(text)),
		"bom": io.MultiReader(strings.NewReader("\xef\xbb\xbf"), strings.NewReader(text)),
	} {
		s := New(r, "f")
		line, col, n := 1, 1, 0
		for i := 0; i < len(text); {
			c := text[i]
			if word[c] {
				p := s.Pos()
				if l, k := s.LineCol(); p.Line != line || p.Col != col || l != line || k != col {
					t.Fatalf("%s: word %d at %v, want %d:%d", name, n, p, line, col)
				}
				w := s.Take(word)
				if !strings.HasPrefix(text[i:], string(w)) {
					t.Fatalf("%s: %q at %d", name, w, i)
				}
				i, col, n = i+len(w), col+len(w), n+1
				continue
			}
			if got := s.Next(); got != int(c) {
				t.Fatalf("%s: byte %d is %d, want %d", name, i, got, c)
			}
			if i, col = i+1, col+1; c == '\n' {
				line, col = line+1, 1
			}
		}
		if s.Next() != -1 || s.Err() != nil || s.More() {
			t.Errorf("%s: no proper end: %v", name, s.Err())
		}
	}
}

// TestByteOrderMark checks that the mark takes no column and is skipped at the start only.
func TestByteOrderMark(t *testing.T) {
	s := New(strings.NewReader("\xef\xbb\xbfab"), "f")
	if p := s.Pos(); p.Col != 1 || s.Peek() != 'a' {
		t.Errorf("at %v, next %d", p, s.Peek())
	}
	for _, text := range []string{"", "\xef", "\xef\xbb", "\xef\xbbx"} {
		s := New(strings.NewReader(text), "f")
		if got := len(s.Window()); got != len(text) {
			t.Errorf("%q: %d bytes left", text, got)
		}
	}
}

// TestTokenTooLong checks that a token over the bound ends the input.
func TestTokenTooLong(t *testing.T) {
	s := New(io.MultiReader(bytes.NewReader(bytes.Repeat([]byte("a"), 3*MaxToken)), strings.NewReader(" b")), "f")
	s.Take(word)
	for s.Next() >= 0 {
	}
	if !errors.Is(s.Err(), ErrTokenTooLong) {
		t.Errorf("error is %v", s.Err())
	}
	s = New(io.MultiReader(bytes.NewReader(bytes.Repeat([]byte("a"), MaxToken-1)), strings.NewReader(" b")), "f")
	if n := len(s.Take(word)); n != MaxToken-1 || s.Err() != nil {
		t.Errorf("%d bytes, %v", n, s.Err())
	}
}

// TestFaults checks that faults of the reader are kept and that a reader without progress is left.
func TestFaults(t *testing.T) {
	s := New(io.MultiReader(strings.NewReader("ab"), iotest.ErrReader(io.ErrUnexpectedEOF)), "f")
	if string(s.Take(word)) != "ab" || s.Peek() != -1 || s.Err() != io.ErrUnexpectedEOF {
		t.Errorf("error is %v", s.Err())
	}
	s = New(stuck{}, "f")
	if s.Next() != -1 || s.Err() != io.ErrNoProgress {
		t.Errorf("error is %v", s.Err())
	}
}

type stuck struct{}

func (stuck) Read([]byte) (int, error) { return 0, nil }

// TestBytes checks the scanner over memory.
func TestBytes(t *testing.T) {
	s := NewBytes([]byte("ab\ncd"), "m")
	if string(s.Window()) != "ab\ncd" || !s.SkipPast('\n') || string(s.Take(word)) != "cd" || s.More() || s.Err() != nil {
		t.Error("text in memory is not read as it stands")
	}
	if p := s.Pos(); p.Line != 2 || p.Col != 3 || p.File != "m" {
		t.Errorf("at %v", p)
	}
}

func TestParseDecimal(t *testing.T) {
	for _, c := range []struct {
		in   string
		want Decimal
		ok   bool
	}{
		{"0", Decimal{}, true},
		{"1.50", Decimal{150, -2}, true},
		{"-0.003", Decimal{-3, -3}, true},
		{"+12", Decimal{12, 0}, true},
		{"2e3", Decimal{2, 3}, true},
		{"2.5E-4", Decimal{25, -5}, true},
		{".5", Decimal{5, -1}, true},
		{"5.", Decimal{5, 0}, true},
		{"999999999999999999", Decimal{999999999999999999, 0}, true},
		{"0000000000000000000001", Decimal{1, 0}, true},
		{"1000000000000000000", Decimal{}, false},
		{"1e100", Decimal{}, false},
		{"", Decimal{}, false},
		{".", Decimal{}, false},
		{"1e", Decimal{}, false},
		{"1.2.3", Decimal{}, false},
		{"1x", Decimal{}, false},
		{"--1", Decimal{}, false},
	} {
		if d, ok := ParseDecimal([]byte(c.in)); ok != c.ok || ok && d != c.want {
			t.Errorf("%q is %v %v", c.in, d, ok)
		}
	}
}

func TestScale(t *testing.T) {
	for _, c := range []struct {
		d         Decimal
		unit      int32
		v         int64
		exact, ok bool
	}{
		{Decimal{15, -1}, -3, 1500, true, true},
		{Decimal{15, -1}, 0, 1, false, true},
		{Decimal{25, -1}, 0, 3, false, true},
		{Decimal{-25, -1}, 0, -3, false, true},
		{Decimal{0, 50}, -99, 0, true, true},
		{Decimal{1, -5}, 0, 1, false, true},
		{Decimal{1, 18}, 0, 1e18, true, true},
		{Decimal{1, 19}, 0, 0, false, false},
		{Decimal{100, -2}, 0, 1, true, true},
	} {
		if v, exact, ok := c.d.Scale(c.unit); v != c.v || exact != c.exact || ok != c.ok {
			t.Errorf("%v in 10^%d is %d %v %v", c.d, c.unit, v, exact, ok)
		}
	}
}

// TestNames checks ids, order and growth, with names of all lengths that the hash treats differently.
func TestNames(t *testing.T) {
	n := NewNames()
	if n.Intern(nil) != 0 || n.Find(nil) != 0 || n.Len() != 1 {
		t.Error("the empty string is not 0")
	}
	var all []string
	for i := range 20_000 {
		s := fmt.Sprint(i)
		all = append(all, s, "n"+s+"_"+s, strings.Repeat("x", i%40)+"\\"+s)
	}
	for i, s := range all {
		if n.Find([]byte(s)) != -1 {
			t.Fatalf("%q is there before it was added", s)
		}
		if id := n.InternString(s); id != int32(i+1) {
			t.Fatalf("%q is %d", s, id)
		}
	}
	for i, s := range all {
		if id := n.InternString(s); id != int32(i+1) || n.Find([]byte(s)) != id || n.String(id) != s {
			t.Fatalf("%q is %d", s, id)
		}
	}
	if n.Len() != len(all)+1 {
		t.Errorf("%d names", n.Len())
	}
}
