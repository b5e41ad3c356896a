package vcd

import (
	"bytes"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/wattd/wattd/internal/diag"
)

// checker fails when the reader breaks its contract.
type checker struct {
	t    *testing.T
	h    *Header
	want []bool
	now  int64
	gap  bool
	n    int64
	sum  uint64
}

func (c *checker) Time(t int64) bool {
	if t < c.now {
		c.t.Errorf("time %d after %d", t, c.now)
	}
	c.now = t
	c.sum = c.sum*31 + uint64(t)
	return true
}

func (c *checker) Change(id int32, val []byte) bool {
	other := bytes.ContainsFunc(val, func(r rune) bool { return !strings.ContainsRune("01xz", r) })
	if !c.want[id] || c.gap || len(val) != int(c.h.Widths[id]) || other {
		c.t.Errorf("change of %d to %q (wanted %v, gap %v)", id, val, c.want[id], c.gap)
	}
	c.n++
	for _, v := range val {
		c.sum = c.sum*31 + uint64(v)
	}
	c.sum = c.sum*31 + uint64(id)
	return true
}

func (c *checker) DumpOff() bool { c.flip(true); return true }
func (c *checker) DumpOn() bool  { c.flip(false); return true }

func (c *checker) flip(gap bool) {
	if c.gap == gap {
		c.t.Error("gaps do not alternate")
	}
	c.gap = gap
}

func FuzzReader(f *testing.F) {
	f.Add([]byte(head + "#0\n$dumpvars\n0!\n1\"\nbx #\n$end\n#10\n1!\n"))
	f.Add([]byte(head + "#5\n$dumpoff\nx!\n$end\n#6\n$dumpon\n1!\n$end\nr1.5 $\nsx y &\n"))
	f.Add([]byte(head + "pD 6 0 !\npDULH 0000 6666 #\n#99999999999999999999\n"))
	f.Add([]byte("$timescale 1 ns $end $var port [3:0] <1 d $end $var wire 4 ab a[3:0] $end $enddefinitions $end b1 ab"))
	f.Add([]byte("$scope module a b $end $upscope $end $upscope $end $var wire 16777216 \xff a $end"))
	f.Fuzz(func(t *testing.T, in []byte) {
		var first checker
		for i, r := range []*Reader{
			NewReader(bytes.NewReader(in), "f", new(diag.Bag)),
			NewReader(iotest.OneByteReader(bytes.NewReader(in)), "f", new(diag.Bag)),
		} {
			h, err := r.Header(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			c := checker{t: t, h: h, want: make([]bool, h.NumIDs)}
			for id := range c.want {
				c.want[id] = id%3 != 2
			}
			for _, v := range h.Vars {
				if v.ID < 0 || v.ID >= h.NumIDs || v.Scope < 0 || int(v.Scope) >= len(h.Scopes) || v.Width > h.Widths[v.ID] {
					t.Fatalf("%+v", v)
				}
			}
			st, err := r.Body(t.Context(), c.want, &c)
			if err != nil || st.Changes != c.n || st.LastTime != c.now {
				t.Fatalf("%+v, %d changes, time %d, %v", st, c.n, c.now, err)
			}
			if i == 0 {
				first = c
			} else if first.n != c.n || first.sum != c.sum {
				t.Errorf("%d changes, byte by byte %d", first.n, c.n)
			}
		}
	})
}
