package scan

import (
	"strings"
	"testing"
)

func TestSplitPath(t *testing.T) {
	for _, c := range []struct {
		path    string
		divider byte
		want    string // components joined by |
		idx     Index
	}{
		{"", '/', "", Index{}},
		{"a", '/', "a", Index{}},
		{"u1/u2/A", '/', "u1|u2|A", Index{}},
		{"u1.u2.A", '.', "u1|u2|A", Index{}},
		{"u1.u2/A", '/', "u1.u2|A", Index{}},
		{"/u1/A", '/', "u1|A", Index{}},
		{"u1//A", '/', "u1||A", Index{}},
		{`u1\/x\[3\]`, '/', "u1/x[3]", Index{}},
		{`g\$2\.k`, '.', "g$2.k", Index{}},
		{`counter/\_1_\$x/Y`, '/', "counter|_1_$x|Y", Index{}},
		{`g_r\[0\]\.g_c\[1\]\.u_pe/u_cg0\.u_icg/CLK`, '/', "g_r[0].g_c[1].u_pe|u_cg0.u_icg|CLK", Index{}},
		{"req_msg[31]", '/', "req_msg[31]", Index{31, 4}},
		{"u1/I[0]", '/', "u1|I[0]", Index{0, 3}},
		{"port_a[-2]", '/', "port_a[-2]", Index{-2, 4}},
		{`mem\[3\][7]`, '/', "mem[3][7]", Index{7, 3}},
		{`mem[3]\[7\]`, '/', "mem[3][7]", Index{}},
		{`a\[7]`, '/', "a[7]", Index{}},
		{`a\\[7]`, '/', `a\[7]`, Index{7, 3}},
		{`u[2]/A`, '/', "u[2]|A", Index{}},
		{`a[]`, '/', "a[]", Index{}},
		{`a[x]`, '/', "a[x]", Index{}},
		{`[3]`, '/', "[3]", Index{}},
		{`a[99999999999]`, '/', "a[99999999999]", Index{}},
		{`a[3:0]`, '/', "a[3:0]", Index{}},
		{`a\`, '/', "a", Index{}},
	} {
		got, _, idx := SplitPath([]byte(c.path), c.divider, nil, nil)
		var s []string
		for _, g := range got {
			s = append(s, string(g))
		}
		if strings.Join(s, "|") != c.want || idx != c.idx {
			t.Errorf("%s: %q %+v, want %q %+v", c.path, s, idx, c.want, c.idx)
		}
	}
}

func TestSplitPathDoesNotAllocate(t *testing.T) {
	dst, buf := make([][]byte, 0, 8), make([]byte, 0, 128)
	path := []byte(`g_r\[0\]\.g_c\[1\]\.u_pe/u_cg0\.u_icg/CLK`)
	if n := testing.AllocsPerRun(100, func() { dst, buf, _ = SplitPath(path, '/', dst, buf) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func FuzzSplitPath(f *testing.F) {
	f.Add([]byte(`u1\/x\[3\]/A[2]`), byte('/'))
	f.Fuzz(func(t *testing.T, path []byte, divider byte) {
		comps, _, idx := SplitPath(path, divider, nil, nil)
		if idx.Len > 0 {
			last := comps[len(comps)-1]
			if divider == '[' || divider == ']' || divider == '\\' || divider >= '0' && divider <= '9' || divider == '-' {
				return // no divider of the format
			}
			if idx.Len >= len(last)+1 || last[len(last)-idx.Len] != '[' {
				t.Fatalf("%q: index %+v outside the last component %q", path, idx, last)
			}
		}
	})
}
