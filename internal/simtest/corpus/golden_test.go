package corpus

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/wattd/wattd/internal/diag"
	"github.com/wattd/wattd/internal/source"
)

// wave is the golden values of a net: each holds from its tick on.
type wave []change

type change struct {
	t int64
	v byte // '0', '1' or 'x'
}

// counts is a line of golden_tc.txt.
type counts struct {
	t0, t1, tx, tc int64
}

// open reads a file of the corpus, packed or not.
func open(t testing.TB, path string) io.Reader {
	t.Helper()
	for _, p := range []string{path, path + ".xz"} {
		if _, err := os.Stat(p); err != nil {
			continue
		}
		f, err := source.Open(context.Background(), p, &diag.Bag{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		return f
	}
	t.Fatalf("no %s", path)
	return nil
}

func lines(t testing.TB, r io.Reader, f func(line string)) {
	t.Helper()
	s := bufio.NewScanner(r)
	s.Buffer(nil, 1<<24)
	for s.Scan() {
		f(s.Text())
	}
	if err := s.Err(); err != nil {
		t.Fatal(err)
	}
}

// readCounts reads golden_tc.txt: the interval of the run and a line a net.
func readCounts(t testing.TB, path string) (from, to int64, byName map[string]counts) {
	byName = map[string]counts{}
	window := regexp.MustCompile(`^# window (\d+)\.\.(\d+)`)
	lines(t, open(t, path), func(line string) {
		if m := window.FindStringSubmatch(line); m != nil {
			from, _ = strconv.ParseInt(m[1], 10, 64)
			to, _ = strconv.ParseInt(m[2], 10, 64)
		}
		if line == "" || line[0] == '#' {
			return
		}
		var c counts
		name, rest, _ := strings.Cut(line, " ")
		if _, err := fmt.Sscan(rest, &c.t0, &c.t1, &c.tx, &c.tc); err != nil {
			t.Fatalf("%s: %q: %v", path, line, err)
		}
		byName[name] = c
	})
	return from, to, byName
}

// readEvents reads golden.txt of a small case: "net value@tick ...".
func readEvents(t testing.TB, path string) map[string]wave {
	ws := map[string]wave{}
	lines(t, open(t, path), func(line string) {
		f := strings.Fields(line)
		if len(f) == 0 || f[0] == "#" {
			return
		}
		for _, e := range f[1:] {
			at, err := strconv.ParseInt(e[2:], 10, 64)
			if err != nil {
				t.Fatalf("%s: %q: %v", path, e, err)
			}
			ws[f[0]] = append(ws[f[0]], change{at, e[0]})
		}
	})
	return ws
}

// readVCD reads a golden dump with nothing of the product: names are dotted below tb.dut, bits in brackets.
func readVCD(t testing.TB, path string) map[string]wave {
	ws := map[string]wave{}
	names := map[string][][]string{} // by code: for every variable the names of its bits, most significant first
	var scopes []string
	now := int64(0)
	wide := regexp.MustCompile(`\[(-?\d+):(-?\d+)\]$`)
	set := func(code, val string) {
		for _, bits := range names[code] {
			for len(val) < len(bits) {
				ext := "0"
				if val[0] == 'x' || val[0] == 'z' {
					ext = "x"
				}
				val = ext + val
			}
			for i, n := range bits {
				v := val[i]
				if v != '0' && v != '1' {
					v = 'x'
				}
				w := ws[n]
				switch {
				case len(w) > 0 && w[len(w)-1].v == v:
				case len(w) > 0 && w[len(w)-1].t == now:
					w[len(w)-1].v = v
				default:
					w = append(w, change{now, v})
				}
				ws[n] = w
			}
		}
	}
	lines(t, open(t, path), func(line string) {
		switch {
		case line == "":
		case strings.HasPrefix(line, "$var"):
			f := strings.Fields(line)
			name := strings.Join(f[4:len(f)-1], "")
			if i := strings.Index(name, `\`); i == 0 {
				name = name[1:]
			}
			prefix := strings.Join(append(append([]string(nil), scopes[2:]...), ""), ".")
			var bits []string
			if m := wide.FindStringSubmatch(name); m != nil {
				hi, _ := strconv.Atoi(m[1])
				lo, _ := strconv.Atoi(m[2])
				base := prefix + name[:len(name)-len(m[0])]
				for i := hi; ; {
					bits = append(bits, fmt.Sprintf("%s[%d]", base, i))
					if i == lo {
						break
					}
					if hi > lo {
						i--
					} else {
						i++
					}
				}
			} else {
				bits = []string{prefix + name}
			}
			names[f[3]] = append(names[f[3]], bits)
		case strings.HasPrefix(line, "$scope"):
			s := strings.Fields(line)[2]
			scopes = append(scopes, strings.TrimPrefix(s, `\`))
		case strings.HasPrefix(line, "$upscope"):
			scopes = scopes[:len(scopes)-1]
		case line[0] == '#':
			now, _ = strconv.ParseInt(line[1:], 10, 64)
		case line[0] == 'b':
			val, code, _ := strings.Cut(line[1:], " ")
			set(code, val)
		case strings.IndexByte("01xz", line[0]) >= 0:
			set(line[1:], line[:1])
		}
	})
	return ws
}
