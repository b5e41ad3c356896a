// Package archtest holds the rules of docs/architecture.md that a compiler does not check: who may import whom, that
// every package says what it is for, that readers do not panic, and that goroutines are watched by a leak check.
//
// Contract: the rules are data in this file; the tests apply them to what `go list` and the parser report. A new package
// needs a row here, which is the moment to decide what it may know. Nothing imports this package.
package archtest

import "strings"

const module = "github.com/wattd/wattd"

// any stands for every package of ours but test support.
const any = "*"

// layers says which packages of ours a package may import in its non-test files, by path below the module. A value
// ending in "/" stands for all packages below it. Rows cover the packages below them unless these have their own.
var layers = map[string][]string{
	"cmd/wattd": {any},
	"bench":     {any},
	"examples":  {"internal/example"},

	// Leaves: a message, a Boolean function, the scanner under the readers, the engines' contract.
	"internal/diag":        {},
	"internal/logic":       {},
	"internal/format/scan": {"internal/diag", "internal/footprint"},
	"internal/image":       {},
	"internal/footprint":   {},
	"kernel":               {},

	"internal/source": {"internal/diag"},
	"internal/format": {"internal/diag", "internal/footprint", "internal/format/scan", "internal/logic"},
	"internal/names":  {"internal/diag", "internal/format/scan"},

	// The pipeline, in the direction of the data.
	"internal/netlist":  {"internal/diag", "internal/footprint", "internal/format/", "internal/names", "internal/logic"},
	"internal/design":   {"internal/diag", "internal/footprint", "internal/format/", "internal/names", "internal/logic", "internal/netlist", "kernel"},
	"internal/wave":     {"internal/diag", "internal/footprint", "internal/format/", "internal/names", "internal/source", "internal/netlist", "internal/design", "kernel"},
	"internal/sim":      {"internal/diag", "internal/footprint", "internal/design", "internal/wave", "kernel"},
	"internal/activity": {"internal/diag", "internal/footprint", "internal/design", "internal/wave", "internal/sim", "internal/netlist", "internal/format/", "internal/names", "kernel"},
	"internal/trace":    {"kernel"},
	"internal/project": {
		"internal/diag", "internal/footprint", "internal/image", "internal/source", "internal/format/", "internal/names", "internal/logic", "internal/netlist", "internal/design",
		"internal/wave", "internal/sim", "internal/activity", "kernel", "kernel/host",
	},

	// Engines know numbers, never names. An engine in a child process runs one of the others there.
	"kernel/host":   {"kernel"},
	"kernel/remote": {"kernel", "kernel/host"},

	// Generators of the example and of the benchmark designs write files and read none of ours.
	"internal/example": {},
	"internal/synth":   {"internal/example"},

	// The daemon and what it stands on. The tables of the wire are a leaf from which documents and clients are made.
	"rpc/api":        {},
	"rpc":            {"rpc/api"},
	"rpc/tcl":        {},
	"rpc/connect":    {"rpc", "rpc/api", "rpc/tcl"},
	"rpc/native":     {"rpc", "rpc/api", "internal/workspace", "internal/activity", "internal/power", "internal/names", "internal/diag", "internal/lsp"},
	"rpc/lsp":        {"rpc", "rpc/api", "internal/workspace", "internal/activity", "internal/power", "internal/names", "internal/diag", "internal/lsp"},
	"internal/lsp":   {},
	"cache":          {},
	"watch":          {"internal/source"},
	"daemon":         {"rpc", "rpc/", "internal/workspace", "watch", "cache", "kernel", "kernel/"},
	"internal/incr":  {"internal/diag", "internal/design", "internal/wave", "internal/sim", "kernel"},
	"internal/power": {"internal/diag", "internal/activity", "internal/design", "internal/format/"},
	"internal/workspace": {
		"internal/diag", "internal/footprint", "internal/image", "internal/source", "internal/format/", "internal/names", "internal/logic", "internal/netlist", "internal/design",
		"internal/wave", "internal/sim", "internal/activity", "internal/power", "internal/incr", "internal/project", "internal/trace", "cache", "kernel", "kernel/",
	},
	"kernel/cuda": {"kernel"},

	// Test support. Only test files and the bench import it; simtest shares the contract with the engines, and no code.
	"internal/testenv":  {},
	"internal/simtest":  {"internal/simtest/", "kernel"},
	"internal/archtest": {},
	"kernel/kerneltest": {"kernel"},
	"internal/edittest": {"internal/activity", "internal/diag", "internal/netlist", "internal/project", "kernel"},

	"internal/design/designtest": {"internal/design", "internal/diag", "internal/format/", "internal/netlist", "kernel"},
}

// testSupport may be imported by test files only.
var testSupport = []string{"internal/testenv", "internal/simtest", "internal/archtest", "kernel/kerneltest", "internal/design/designtest", "internal/edittest"}

// owners names the one package (and those below it) that may import a library.
var owners = map[string]string{
	"github.com/dgraph-io/badger":     "cache",
	"github.com/fsnotify/fsnotify":    "watch",
	"github.com/sourcegraph/jsonrpc2": "rpc",
	"gorgonia.org/cu":                 "kernel/cuda",
	"C":                               "kernel/cuda",
}

// notLinked must not be part of the program, not even indirectly.
var notLinked = []string{"testing", "pgregory.net/rapid", "github.com/google/go-cmp/cmp", "go.uber.org/goleak"}

// readers work on what users give them: no input may end in a panic.
var readers = []string{"internal/source", "internal/format", "internal/names", "internal/logic", "internal/netlist", "internal/design", "internal/wave"}

// mayPanic lists the functions of readers that may, each with the reason. They are limits of a machine, not of an input
// that a person could mend.
var mayPanic = map[string]string{
	"internal/format/scan.Intern": "over 4 GiB of distinct names",
}

// badNames say nothing about what a package is for.
var badNames = []string{"util", "utils", "common", "helper", "helpers", "misc", "shared", "base", "lib"}

// row finds the rule of a package: its own, or that of the nearest folder above.
func row(rel string) ([]string, bool) {
	for at := rel; ; {
		if r, ok := layers[at]; ok {
			return r, true
		}
		i := strings.LastIndexByte(at, '/')
		if i < 0 {
			return nil, false
		}
		at = at[:i]
	}
}

// allowed says whether a package may import another, both by path below the module.
func allowed(rule []string, imported string) bool {
	for _, r := range rule {
		switch {
		case r == any && !within(imported, testSupport...), r == imported:
			return true
		case strings.HasSuffix(r, "/") && strings.HasPrefix(imported, r):
			return true
		}
	}
	return false
}

// within says whether a path is one of the folders or below one.
func within(path string, folders ...string) bool {
	for _, f := range folders {
		if path == f || strings.HasPrefix(path, f+"/") {
			return true
		}
	}
	return false
}
