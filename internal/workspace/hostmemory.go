package workspace

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// HostMemory is how many bytes the process may use: the memory of the machine or the limit of its control group, whichever is less. 0
// where the system does not tell.
func HostMemory() int64 { return hostMemory("/") }

// DefaultBudget is 40 % of HostMemory.
func DefaultBudget() int64 { return HostMemory() / 100 * 40 }

// hostMemory reads the system below a root.
func hostMemory(root string) int64 {
	least := int64(0)
	take := func(n int64) {
		if n > 0 && (least == 0 || n < least) {
			least = n
		}
	}
	info, _ := os.ReadFile(filepath.Join(root, "proc/meminfo"))
	for line := range bytes.Lines(info) {
		if f := strings.Fields(string(line)); len(f) >= 2 && f[0] == "MemTotal:" {
			kib, _ := strconv.ParseInt(f[1], 10, 64)
			take(kib << 10)
		}
	}
	groups, _ := os.ReadFile(filepath.Join(root, "proc/self/cgroup"))
	for line := range bytes.Lines(groups) { // hierarchy:controllers:path
		f := strings.SplitN(strings.TrimSpace(string(line)), ":", 3)
		if len(f) < 3 {
			continue
		}
		switch {
		case f[1] == "": // version 2
			limits(filepath.Join(root, "sys/fs/cgroup"), f[2], "memory.max", take)
		case strings.Contains(","+f[1]+",", ",memory,"):
			limits(filepath.Join(root, "sys/fs/cgroup/memory"), f[2], "memory.limit_in_bytes", take)
		}
	}
	return least
}

// limits takes the limits of a control group and of those around it; "max", and the largest number of version 1, are none.
func limits(mount, group, name string, take func(int64)) {
	for dir := filepath.Clean("/" + group); ; dir = filepath.Dir(dir) {
		if b, err := os.ReadFile(filepath.Join(mount, dir, name)); err == nil {
			if n, err := strconv.ParseInt(strings.TrimSpace(string(b)), 10, 64); err == nil && n < 1<<60 {
				take(n)
			}
		}
		if dir == "/" {
			return
		}
	}
}
