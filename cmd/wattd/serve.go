package main

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/wattd/wattd/daemon"
)

func newServe() *cobra.Command {
	var idle time.Duration
	var background, debug bool
	var tcp string
	c := &cobra.Command{
		Use:   "serve",
		Short: "Run the server that holds open designs",
		Long: `Serves the clients of this user on this host until it is stopped or idle. Verbs that need a server start it by themselves, so this one is
for supervisors and for looking at the log.

The socket is in $WATTD_RUNTIME_DIR, else in $XDG_RUNTIME_DIR/wattd, else in /tmp/wattd-UID. With --tcp the address is in wattd status, and
the token, which every server makes anew, in the file .token beside the socket.

The socket .admin beside it has the profiles of the process:
    curl --unix-socket SOCKET -o heap.pb.gz http://wattd/debug/pprof/heap; go tool pprof heap.pb.gz

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
			level := slog.LevelInfo
			if debug {
				level = slog.LevelDebug
			}
			opt := daemon.Options{Version: version, IdleExit: idle, TCP: tcp}
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
	c.Flags().StringVar(&tcp, "tcp", "", "listen at `ADDRESS` of the loopback too, for clients that know the token (default: none; 127.0.0.1:0: any port)")
	c.Flags().BoolVar(&debug, "debug", false, "log more")
	c.Flags().BoolVar(&background, "background", false, "tell on descriptor 3 when clients are served")
	_ = c.Flags().MarkHidden("background") // the flag is there
	return c
}
