package oracle_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/wattd/wattd/internal/simtest/oracle"
	"github.com/wattd/wattd/internal/testenv"
)

// TestMicro holds the oracle to the answers that were derived by hand.
func TestMicro(t *testing.T) {
	dirs, err := filepath.Glob(filepath.Join(testenv.Corpus(t), "micro", "[0-9]*"))
	if err != nil || len(dirs) == 0 {
		t.Fatalf("no micro cases: %v", err)
	}
	for _, dir := range dirs {
		t.Run(filepath.Base(dir), func(t *testing.T) { microCase(t, dir) })
	}
}

func microCase(t *testing.T, dir string) {
	text := func(name string) string {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	corner := 1
	if strings.Contains(text("README"), "corner: max") {
		corner = 2
	}
	r := readCaseNames(text("netlist.v"), text("delays.sdf"), text("stim.vcd"), corner)
	m := regexp.MustCompile(`(\d+)\.\.(\d+)`).FindStringSubmatch(text("golden_tc.txt"))
	r.c.From, _ = strconv.ParseInt(m[1], 10, 64)
	r.c.To, _ = strconv.ParseInt(m[2], 10, 64)
	res := oracle.Run(r.c, oracle.Options{})
	for _, line := range strings.Split(text("golden.txt"), "\n") {
		f := strings.Fields(line)
		if len(f) == 0 || f[0] == "#" {
			continue
		}
		want, xEnd := golden(f[1:])
		got := ours(res, r.net[f[0]], xEnd)
		if got != want {
			t.Errorf("%s: got %s, want %s", f[0], got, want)
		}
	}
	for _, line := range strings.Split(text("golden_tc.txt"), "\n") {
		f := strings.Fields(line)
		if len(f) == 0 || f[0] == "#" || f[3] != "0" {
			continue
		}
		n := r.net[f[0]]
		if n < 0 {
			continue // a constant
		}
		o := res.Nets[n]
		if got := fmt.Sprint(o.T0, o.T1, o.TC); got != f[1]+" "+f[2]+" "+f[4] {
			t.Errorf("%s: T0 T1 TC %s, want %s", f[0], got, line)
		}
	}
}

// golden gives the events behind an X span at the start, whose events are not compared.
func golden(evs []string) (string, int64) {
	if !strings.HasPrefix(evs[0], "x@") {
		return strings.Join(evs, " "), -1
	}
	at, _ := strconv.ParseInt(evs[1][2:], 10, 64)
	return strings.Join(evs[2:], " "), at
}

func ours(res *oracle.Result, net int, xEnd int64) string {
	if net < 0 {
		return fmt.Sprintf("%d@0", net&1)
	}
	o := res.Nets[net]
	v := 0
	if o.Start {
		v = 1
	}
	var evs []string
	if xEnd < 0 {
		evs = append(evs, fmt.Sprintf("%d@0", v))
	}
	for _, at := range o.Ticks {
		v = 1 - v
		if at > xEnd {
			evs = append(evs, fmt.Sprintf("%d@%d", v, at))
		}
	}
	return strings.Join(evs, " ")
}
