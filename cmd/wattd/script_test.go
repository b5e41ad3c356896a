package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"go.uber.org/goleak"

	"github.com/wattd/wattd/daemon"
)

var update = flag.Bool("update", false, "rewrite the golden files and the files that scripts compare with")

// TestMain lets the test program be started as wattd, by scripts and by tests that need a process.
func TestMain(m *testing.M) {
	testscript.Main(checked{m}, map[string]func(){"wattd": main})
}

// checked runs tests and then looks for goroutines that they left.
type checked struct{ m *testing.M }

func (c checked) Run() int {
	code := c.m.Run()
	if err := goleak.Find(); err != nil && code == 0 {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	return code
}

// TestScripts runs the command line as people do. Scripts find a small design of ours in $TINY and the example in $MAC.
func TestScripts(t *testing.T) {
	mac, err := filepath.Abs(filepath.Join("..", "..", "examples", "mac"))
	if err != nil {
		t.Fatal(err)
	}
	tiny, err := filepath.Abs(filepath.Join("testdata", "tiny"))
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:                filepath.Join("testdata", "script"),
		UpdateScripts:      *update,
		RequireUniqueNames: true,
		Setup: func(e *testscript.Env) error {
			e.Setenv("MAC", mac)
			e.Setenv("TINY", tiny)
			return runtimeDir(e)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"cli":   cliCmd,
			"tiny":  tinyCmd,
			"mask":  maskCmd,
			"holds": holdsCmd,
			"waves": wavesCmd,
		},
	})
}

// runtimeDir gives a script a server of its own, in a folder whose name is short enough for a socket, and ends it after the script.
func runtimeDir(e *testscript.Env) error {
	dir, err := os.MkdirTemp("/tmp", "wd")
	if err != nil {
		return err
	}
	e.Setenv("WATTD_RUNTIME_DIR", dir)
	for _, name := range []string{"WATTD_NO_DAEMON", "LSB_JOBID", "SLURM_JOB_ID", "PBS_JOBID", "JOB_ID"} {
		e.Setenv(name, "")
	}
	e.Defer(func() {
		host, _ := os.Hostname()
		host, _, _ = strings.Cut(host, ".")
		base := filepath.Join(dir, "p1-"+host)
		_ = daemon.Stop(context.Background(), daemon.Endpoint{Dir: dir, Socket: base + ".sock", Lock: base + ".lock", Log: base + ".log"})
		_ = os.RemoveAll(dir)
	})
	return nil
}

// cliCmd is `cli CODE ARGS...`: the program must exit with that code.
func cliCmd(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: cli CODE ARGS...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	err = ts.Exec("wattd", args[1:]...)
	var ee *exec.ExitError
	if errors.As(err, &ee) {
		got = ee.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("wattd exits with %d, not %d", got, want)
	}
}

// tinyCmd is `tiny CODE VERB ARGS...`: wattd on the small design, with the arguments added.
func tinyCmd(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 2 {
		ts.Fatalf("usage: tiny CODE VERB ARGS...")
	}
	dir := ts.Getenv("TINY")
	in := []string{args[0], args[1], "--netlist", dir + "/top.v", "--lib", dir + "/cells.lib", "--sdf", dir + "/top.sdf", "--stim", dir + "/stim.vcd"}
	cliCmd(ts, neg, append(in, args[2:]...))
}

var volatile = []struct {
	re *regexp.Regexp
	by string
}{
	{regexp.MustCompile(`("(?:seconds|events_per_second|peak_rss|waves|bytes_per_[a-z_]+|[a-z]+_bytes)": )[0-9.e+-]+`), "${1}0"},
	{regexp.MustCompile(`("path": ").*/`), "${1}"},
	{regexp.MustCompile(`("file": ").*/`), "${1}"},
	{regexp.MustCompile(`("blake3": ")[0-9a-f]{64}"`), `${1}HASH"`},
}

// maskCmd is `mask FILE`: it replaces what differs from run to run.
func maskCmd(ts *testscript.TestScript, _ bool, args []string) {
	for _, a := range args {
		b := []byte(ts.ReadFile(a))
		for _, v := range volatile {
			b = v.re.ReplaceAll(b, []byte(v.by))
		}
		ts.Check(os.WriteFile(ts.MkAbs(a), b, 0o644))
	}
}

// holdsCmd is `holds DIR FILE...`: the folder holds these files and no others, hidden ones included.
func holdsCmd(ts *testscript.TestScript, _ bool, args []string) {
	es, err := os.ReadDir(ts.MkAbs(args[0]))
	ts.Check(err)
	if len(es) != len(args)-1 {
		ts.Fatalf("%s holds %v, want %v", args[0], es, args[1:])
	}
	for i, e := range es {
		if e.Name() != args[1+i] {
			ts.Fatalf("%s holds %v, want %v", args[0], es, args[1:])
		}
	}
}

// wavesCmd is `waves DUMP WANT`: each line of WANT is a net of the dump and all its values, as `y 0@0 1@110`. A vector is
// one value, its highest index first.
func wavesCmd(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: waves DUMP WANT")
	}
	got := dumped(ts.ReadFile(args[0]))
	for line := range strings.Lines(ts.ReadFile(args[1])) {
		net, want, _ := strings.Cut(strings.TrimSpace(line), " ")
		if have := strings.Join(got[net], " "); net != "" && have != want {
			ts.Logf("%s:\n  have %s\n  want %s", net, have, want)
			defer ts.Fatalf("waves of %s differ", net)
		}
	}
}

// dumped returns the values of the nets of a dump that wattd wrote: bits alone, every token between blanks.
func dumped(dump string) map[string][]string {
	type bit struct {
		net   string
		index int
		value byte
	}
	var scope []string
	bits := map[string][]*bit{} // by identifier code
	nets := map[string][]*bit{} // by name
	got := map[string][]string{}
	now, changed := "", map[string]bool{}
	flush := func() {
		for n := range changed {
			v := make([]byte, len(nets[n]))
			for i, b := range nets[n] {
				v[i] = b.value
			}
			got[n] = append(got[n], string(v)+"@"+now)
		}
		clear(changed)
	}
	header, body, _ := strings.Cut(dump, "$enddefinitions $end")
	for line := range strings.Lines(header) {
		switch f := strings.Fields(line); {
		case len(f) > 2 && f[0] == "$scope":
			scope = append(scope, f[2])
		case len(f) > 0 && f[0] == "$upscope":
			scope = scope[:len(scope)-1]
		case len(f) > 5 && f[0] == "$var":
			b := &bit{net: strings.Join(append(slices.Clone(scope[1:]), f[4]), ".")}
			if f[5] != "$end" {
				b.index, _ = strconv.Atoi(strings.Trim(f[5], "[]"))
			}
			bits[f[3]] = append(bits[f[3]], b)
			nets[b.net] = append(nets[b.net], b)
		}
	}
	for _, bs := range nets {
		slices.SortStableFunc(bs, func(x, y *bit) int { return y.index - x.index })
	}
	for _, f := range strings.Fields(body) {
		switch {
		case f[0] == '#':
			flush()
			now = f[1:]
		case f[0] != '$':
			for _, b := range bits[f[1:]] {
				b.value = f[0]
				changed[b.net] = true
			}
		}
	}
	flush()
	return got
}
