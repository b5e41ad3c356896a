//go:build unix

package host

import (
	"syscall"
	"time"
)

// cpuTime is the processor time of the process so far: benchmarks quote it beside the clock, which others share.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
