package main

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/wattd/wattd/daemon"
	"github.com/wattd/wattd/internal/workspace"
)

func newServe() *cobra.Command {
	var idle time.Duration
	var background, debug bool
	var tcp, memory string
	c := &cobra.Command{
		Use:   "serve",
		Short: "Run the server that holds open designs",
		Long: `Serves the clients of this user on this host until it is stopped or idle. Verbs that need a server start it by themselves, so this one is
for supervisors and for looking at the log.

The socket is in $WATTD_RUNTIME_DIR, else in $XDG_RUNTIME_DIR/wattd, else in /tmp/wattd-UID. With --tcp the address is in wattd status, and
the token, which every server makes anew, in the file .token beside the socket.

The socket .admin beside it has the profiles of the process:
    curl --unix-socket SOCKET -o heap.pb.gz http://wattd/debug/pprof/heap; go tool pprof heap.pb.gz

With --memory open designs take that much: a number of bytes, with K, M, G or T for powers of 1024, a percentage of the memory of the machine
or of its control group, or none for no bound. Over it older snapshots go first, then waves, then whole designs, each time those of the
design that was asked least recently; the next query makes them again, and its answer is the same. The design that was asked last stays,
also when it alone takes more. wattd status shows what is taken.

Exit codes: 0 stopped, 1 a server runs already or the socket cannot be opened, 2 usage.`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			e, err := daemon.Find()
			if err != nil {
				return &exitError{exitInput, err}
			}
			if idle < 0 {
				return &exitError{exitUsage, fmt.Errorf("--idle %s: must not be negative", idle)}
			}
			budget, err := parseMemory(memory, workspace.HostMemory())
			if err != nil {
				return &exitError{exitUsage, fmt.Errorf("--memory %s: %w", memory, err)}
			}
			level := slog.LevelInfo
			if debug {
				level = slog.LevelDebug
			}
			opt := daemon.Options{Version: version, IdleExit: idle, TCP: tcp, Memory: budget}
			out := c.ErrOrStderr()
			if background {
				f, err := daemon.OpenLog(e)
				if err != nil {
					return &exitError{exitInput, err}
				}
				defer f.Close()
				out, opt.LogFile = f, e.Log
			}
			opt.Log = slog.New(slog.NewTextHandler(out, &slog.HandlerOptions{Level: level}))
			if !background {
				err = daemon.Serve(c.Context(), e, opt)
			} else {
				said := os.NewFile(3, "starter")
				told := false
				tell := func(err error) {
					if !told {
						told = true
						daemon.Announce(said, err)
					}
				}
				opt.Ready = func() { tell(nil) }
				if err = daemon.Serve(c.Context(), e, opt); err != nil {
					tell(err)
				}
			}
			if errors.Is(err, daemon.ErrRunning) {
				return &exitError{exitInput, fmt.Errorf("a server runs already at %s", e.Socket)}
			}
			if err != nil {
				return &exitError{exitInput, err}
			}
			return nil
		},
	}
	c.Flags().DurationVar(&idle, "idle", 30*time.Minute, "end after `TIME` without a request, 0 for never (default 30m)")
	c.Flags().StringVar(&memory, "memory", "40%", "let designs go that were used least recently when all take more than `SIZE`")
	c.Flags().StringVar(&tcp, "tcp", "", "listen at `ADDRESS` of the loopback too, for clients that know the token (default: none; 127.0.0.1:0: any port)")
	c.Flags().BoolVar(&debug, "debug", false, "log more")
	c.Flags().BoolVar(&background, "background", false, "tell on descriptor 3 when clients are served")
	_ = c.Flags().MarkHidden("background") // the flag is there
	return c
}

// parseMemory reads a size of memory, of the host where it is a percentage; -1: no bound, also when the host does not tell its size.
func parseMemory(text string, host int64) (int64, error) {
	if text == "none" {
		return -1, nil
	}
	digits, shift := text, 0
	if t, ok := strings.CutSuffix(text, "%"); ok {
		n, err := strconv.ParseInt(t, 10, 64)
		if err != nil || n < 1 || n > 100 {
			return 0, errors.New("use 1% to 100%")
		}
		if host == 0 {
			return -1, nil
		}
		return host / 100 * n, nil
	}
	for i, unit := range []string{"K", "M", "G", "T"} {
		if t, ok := strings.CutSuffix(strings.ToUpper(text), unit); ok {
			digits, shift = t, 10*(i+1)
		}
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || n < 1 || n > 1<<62>>shift {
		return 0, errors.New("use bytes like 8G or 512M, a percentage like 40%, or none")
	}
	return n << shift, nil
}
