package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// machine says in a sentence where the figures come from.
func machine() string {
	model := "unknown processor"
	if b, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		for line := range strings.Lines(string(b)) {
			if k, v, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(k) == "model name" {
				model = strings.TrimSpace(v)
				break
			}
		}
	}
	return fmt.Sprintf("%s, %d cores, %s, commit %s, %s.", model, runtime.NumCPU(), runtime.Version(), git("rev-parse", "--short", "HEAD"), time.Now().Format(time.DateOnly))
}

// peakMemory is the most memory this process ever had resident, in bytes.
func peakMemory() int64 {
	b, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(b)) {
		if v, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			kb, _ := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(v), "kB")), 10, 64)
			return kb << 10
		}
	}
	return 0
}

// peers finds other programs and remembers the last ratio against each.
type peers struct {
	last map[string]record
}

type record struct {
	Ratio   float64 `json:"ratio"`
	Date    string  `json:"date"`
	Machine string  `json:"machine"`
}

func loadPeers(file string) *peers {
	p := &peers{last: map[string]record{}}
	if b, err := os.ReadFile(file); err == nil {
		if json.Unmarshal(b, &p.last) != nil {
			p.last = map[string]record{}
		}
	}
	return p
}

func (p *peers) save(file string) error {
	b, err := json.MarshalIndent(p.last, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(b, '\n'), 0o644)
}

// find looks a program up in WATTD_PEERS, then in PATH.
func (p *peers) find(program string) (string, bool) {
	for _, dir := range filepath.SplitList(os.Getenv("WATTD_PEERS")) {
		if path, err := exec.LookPath(filepath.Join(dir, program)); err == nil {
			return path, true
		}
	}
	path, err := exec.LookPath(program)
	return path, err == nil
}

// ratio records a ratio and prints it.
func (p *peers) ratio(what string, r float64) string {
	p.last[what] = record{r, time.Now().Format(time.DateOnly), machine()}
	return fmt.Sprintf("%.1fx", r)
}

// absent says that a peer is not there.
func (p *peers) absent(what string) string {
	if l, ok := p.last[what]; ok {
		return fmt.Sprintf("absent (last: %.1fx on %s)", l.Ratio, l.Date)
	}
	return "absent"
}

// best is the shortest of n timings of f, in seconds, by the given clock.
func best(n int, clock func() float64, f func() error) (float64, error) {
	shortest := 0.0
	for i := range n {
		start := clock()
		if err := f(); err != nil {
			return 0, err
		}
		if s := clock() - start; i == 0 || s < shortest {
			shortest = s
		}
	}
	return shortest, nil
}

var began = time.Now()

// wallTime is the time since the program began, in seconds.
func wallTime() float64 { return time.Since(began).Seconds() }

// cpuTime is the processor time of this process so far, in seconds.
func cpuTime() float64 {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}
