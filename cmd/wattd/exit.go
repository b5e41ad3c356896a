package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/wattd/wattd/internal/project"
	"github.com/wattd/wattd/rpc/api"
)

// Exit codes.
const (
	exitDone        = 0
	exitInput       = 1 // the input is wrong, or an output cannot be written
	exitUsage       = 2
	exitRequirement = 3 // done, but a stated requirement is not met
	exitFault       = 4 // our fault
	exitInterrupted = 130
)

// exitError carries an exit code up to execute.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string {
	if e.err == nil {
		return ""
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

// execute runs the command line and returns the exit code.
func execute(ctx context.Context, args []string, stdout, stderr io.Writer) (code int) {
	defer func() {
		if p := recover(); p != nil {
			fmt.Fprintf(stderr, "wattd: internal fault: %v\n%s\nwattd: this is a bug; please report it with the lines above\n", p, debug.Stack())
			code = exitFault
		}
	}()
	root := newRoot()
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return exitDone
	}
	var ee *exitError
	var ue *project.UsageError
	var oe *project.OutputError
	var ae *api.Error
	switch {
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(stderr, "wattd: interrupted; output files are whole or were not touched")
		return exitInterrupted
	case errors.As(err, &ee):
		if ee.err != nil {
			fmt.Fprintln(stderr, "wattd:", ee.err)
		}
		return ee.code
	case errors.As(err, &ae):
		return printError(stderr, ae)
	case errors.As(err, &ue):
		fmt.Fprintln(stderr, "wattd:", ue)
		return exitUsage
	case errors.As(err, &oe):
		fmt.Fprintln(stderr, "wattd:", oe)
		return exitInput
	}
	fmt.Fprintln(stderr, "wattd:", err)
	return exitFault
}

// usageErrors makes faults of the command line exit with the usage code.
func usageErrors(c *cobra.Command) {
	c.SetFlagErrorFunc(func(_ *cobra.Command, err error) error {
		return &exitError{exitUsage, fmt.Errorf("%w (see wattd %s --help)", err, c.Name())}
	})
}
