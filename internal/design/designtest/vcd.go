package designtest

import (
	"fmt"
	"strings"
)

// VCD writes a dump with a unit of 1 ps. decl lists lines "scope.path: a b bus[3:0] \esc[1]"; body is lines of the form
// "#10 a=1 bus=10x0", with $dumpoff, $dumpon and the like as they are. Equal names of two scopes are told apart as "scope.path/a".
func VCD(decl, body string) string {
	var b strings.Builder
	b.WriteString("$timescale 1ps $end\n")
	ids := map[string]string{}
	wide := map[string]bool{}
	var at []string // open scopes
	n := 0
	for line := range strings.Lines(decl) {
		path, vars, ok := strings.Cut(strings.TrimSpace(line), ":")
		if !ok {
			continue
		}
		want := strings.Split(path, ".")
		same := 0
		for same < len(at) && same < len(want) && at[same] == want[same] {
			same++
		}
		for range at[same:] {
			b.WriteString("$upscope $end\n")
		}
		for _, s := range want[same:] {
			fmt.Fprintf(&b, "$scope module %s $end\n", s)
		}
		at = want
		for _, v := range strings.Fields(vars) {
			id := fmt.Sprintf("i%d", n)
			n++
			name, width := v, 1
			if i := strings.IndexByte(v, '['); i > 0 && v[0] != '\\' {
				name = v[:i]
				var msb, lsb int
				if k, _ := fmt.Sscanf(v[i:], "[%d:%d]", &msb, &lsb); k == 2 {
					width = max(msb-lsb, lsb-msb) + 1
				} else {
					name = v
				}
			}
			if i := strings.IndexByte(name, '*'); i > 0 { // a width without a range: bus*4
				fmt.Sscanf(name[i:], "*%d", &width)
				name, v = name[:i], name[:i]
			}
			for _, key := range []string{name, path + "/" + name} {
				if _, dup := ids[key]; !dup {
					ids[key], wide[key] = id, width > 1
				}
			}
			fmt.Fprintf(&b, "$var wire %d %s %s $end\n", width, id, strings.Replace(v, "[", " [", 1))
		}
	}
	for range at {
		b.WriteString("$upscope $end\n")
	}
	b.WriteString("$enddefinitions $end\n")
	for _, f := range strings.Fields(body) {
		name, val, ok := strings.Cut(f, "=")
		switch {
		case !ok:
			b.WriteString(f)
		case ids[name] == "":
			panic("designtest: no variable " + name)
		case wide[name]:
			fmt.Fprintf(&b, "b%s %s", val, ids[name])
		default:
			b.WriteString(val + ids[name])
		}
		b.WriteByte('\n')
	}
	return b.String()
}
