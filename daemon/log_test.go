package daemon

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestLogIsBounded: a log that is full is begun anew, and the one before is kept. It runs in a process of its own, because the log takes
// standard error over.
func TestLogIsBounded(t *testing.T) {
	e := endpoint(t)
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(soon(t), exe, "log-for-test")
	if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
		t.Fatalf("%s, %v", out, err)
	}
	now, err := os.ReadFile(e.Log)
	if err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(e.Log + ".old")
	if err != nil {
		t.Fatal(err)
	}
	if len(now) > 330 || len(before) > 300 {
		t.Errorf("%d and %d bytes", len(now), len(before))
	}
	if !bytes.Contains(now, []byte("line 99\n")) || !bytes.Contains(now, []byte("last words\n")) {
		t.Errorf("the log ends with %q", now[max(0, len(now)-40):])
	}
	lines := strings.Split(strings.TrimSpace(string(before)+string(now)), "\n")
	if len(lines) < 50 {
		t.Errorf("%d lines are kept", len(lines))
	}
}

// logForTest fills a log of 300 bytes.
func logForTest() error {
	e, err := Find()
	if err != nil {
		return err
	}
	l, err := OpenLog(e)
	if err != nil {
		return err
	}
	l.max = 300
	for i := range 100 {
		if _, err := l.Write([]byte("line " + string(rune('0'+i/10)) + string(rune('0'+i%10)) + "\n")); err != nil {
			return err
		}
	}
	_, _ = os.Stderr.WriteString("last words\n")
	return l.Close()
}
