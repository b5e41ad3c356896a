// Command wattd re-simulates gate-level netlists with full SDF delays and counts switching activity and glitches.
//
// Contract: results go to files and standard output, everything about the run to standard error; the exit code tells which of the
// cases in exit.go happened. Interrupts stop a run cleanly: output files are whole or absent.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// version is stamped by the build.
var version = "devel"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second interrupt ends the program at once
	code := execute(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}
