// Command testsum reads `go test -json` on standard input and prints what a person wants to know: one line a package,
// the whole output of what failed, and every skipped test with its reason. It exits 1 when something failed, and with WATTD_REQUIRE=all also when something was skipped.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
)

// event is the part of cmd/test2json's output that is used.
type event struct {
	Action     string
	Package    string
	ImportPath string
	Test       string
	Output     string
	Elapsed    float64
}

type key struct{ pkg, test string }

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "testsum:", err)
		os.Exit(1)
	}
}

func run() error {
	output := map[key][]string{}
	var passed, failed, empty int
	var skips []string
	in := bufio.NewReader(os.Stdin)
	dec := json.NewDecoder(in)
	for dec.More() {
		var e event
		if err := dec.Decode(&e); err != nil {
			return fmt.Errorf("reading test events: %w", err)
		}
		k := key{e.Package, e.Test}
		switch e.Action {
		case "output":
			output[k] = append(output[k], e.Output)
		case "build-output":
			fmt.Print(e.Output)
		case "pass":
			if e.Test == "" {
				fmt.Printf("ok    %-60s %7.1f s\n", e.Package, e.Elapsed)
			} else {
				passed++
			}
			delete(output, k)
		case "skip":
			if e.Test == "" {
				empty++
			} else {
				skips = append(skips, fmt.Sprintf("%s.%s: %s", e.Package, e.Test, reason(output[k])))
			}
			delete(output, k)
		case "fail":
			failed++
			fmt.Printf("FAIL  %s %s (%.1f s)\n", e.Package, e.Test, e.Elapsed)
			for _, line := range output[k] {
				fmt.Print("      ", line)
			}
		}
	}
	fmt.Printf("%d tests passed, %d skipped, %d failed; %d packages without tests\n", passed, len(skips), failed, empty)
	slices.Sort(skips)
	for _, s := range skips {
		fmt.Println("skipped:", s)
	}
	if failed > 0 {
		return fmt.Errorf("%d failures", failed)
	}
	if len(skips) > 0 && os.Getenv("WATTD_REQUIRE") == "all" {
		return fmt.Errorf("%d tests were skipped, and WATTD_REQUIRE=all allows none", len(skips))
	}
	return nil
}

// reason is what the test said when it skipped: its last line that is not a frame of the test runner.
func reason(lines []string) string {
	for _, l := range slices.Backward(lines) {
		l = strings.TrimSpace(l)
		if l == "" || strings.HasPrefix(l, "=== ") || strings.HasPrefix(l, "--- ") {
			continue
		}
		return l
	}
	return "no reason given"
}
