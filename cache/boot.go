package cache

import (
	"fmt"
	"os"
	"path/filepath"
)

// A process may be killed by what is on its disk, at open or soon after, and no error is returned then. So it leaves a note
// before it opens values, another once they are open, and none after a clean end. The next process reads it.
const (
	bootName    = "boot"
	bootOpening = "opening"
	bootRunning = "running"
	// maxCrashes in a row, each within wellAfter of its start, condemn the values. Some are allowed: a user may kill too.
	maxCrashes = 5
)

func writeBoot(home, phase string, count int) error {
	return os.WriteFile(filepath.Join(home, bootName), fmt.Appendf(nil, "%s %d\n", phase, count), 0o600)
}

func readBoot(home string) (phase string, count int) {
	b, err := os.ReadFile(filepath.Join(home, bootName))
	if err != nil {
		return "", 0
	}
	if n, err := fmt.Sscanf(string(b), "%s %d", &phase, &count); n != 2 || err != nil {
		return bootOpening, 0 // cut off: written at the moment of a crash
	}
	return phase, count
}

// bootCount is the number of ends in a row that were not clean.
func bootCount(home string) int {
	_, n := readBoot(home)
	return n
}

// crashed says why the values should not be opened, and starts the count anew.
func crashed(home string) (why string) {
	phase, n := readBoot(home)
	switch {
	case phase == bootOpening:
		why = "the last process died while it opened them"
	case n >= maxCrashes:
		why = fmt.Sprintf("the last %d processes died soon after they opened them", n)
	default:
		return ""
	}
	_ = os.Remove(filepath.Join(home, bootName)) // it is written again at once
	return why
}
