package cache

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// What a child process may do to a directory: the parent kills it, or must not die with it.
const (
	childWrite = "write" // for ever: values and blobs, a line for each
	childCheck = "check" // look up everything, print what was found; a wrong answer fails
	childFull  = "full"  // fill a small disk up to the margin, then entirely
)

const childEntries = 40

func childSize(i int) int { return []int{500, 40 << 10, 300 << 10}[i%3] }

func child(job string) int {
	verb, dir, _ := strings.Cut(job, " ")
	if verb == childFull {
		if err := fillDisk(dir); err != nil {
			fmt.Println(err)
			return 1
		}
		return 0
	}
	s, err := Open(context.Background(), dir, Options{Schema: 3, MinFree: 1, Budget: 6 << 20, BlobBudget: 2 << 20})
	if err != nil {
		fmt.Println("open:", err)
		return 1
	}
	if verb == childWrite {
		for i := 0; ; i++ {
			s.Put(key(i), value(i, childSize(i)))
			_ = s.PutBlob(key(-1-i%childEntries), bytes.NewReader(value(-1-i%childEntries, 100<<10)))
			if i%3 == 0 {
				_ = s.Flush(context.Background())
			}
			fmt.Println(i)
		}
	}
	found, err := checkAll(s, 200)
	if err != nil {
		fmt.Println(err)
		return 1
	}
	// It must also take new entries.
	s.Put(KeyOf("new"), []byte("new"))
	_ = s.Flush(context.Background())
	if v, ok := s.Get(KeyOf("new")); !ok || string(v) != "new" {
		fmt.Printf("a new entry is not stored: %+v\n", s.Stats())
		return 1
	}
	st := s.Stats()
	_ = s.Close()
	fmt.Printf("found %d disk %v\n", found, st.MemoryOnly == "")
	return 0
}

// checkAll looks up what a writer puts, and fails on any wrong answer.
func checkAll(s *Store, n int) (found int, err error) {
	for i := range n {
		if v, ok := s.Get(key(i)); ok {
			found++
			if !bytes.Equal(v, value(i, childSize(i))) {
				return 0, fmt.Errorf("wrong value %d", i)
			}
		}
		if v, release, ok := s.MapBlob(key(-1 - i)); ok {
			found++
			good := bytes.Equal(v, value(-1-i, 100<<10))
			release()
			if !good {
				return 0, fmt.Errorf("wrong blob %d", i)
			}
		}
	}
	return found, nil
}

func childCommand(t *testing.T, verb, dir string) *exec.Cmd {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), "WATTD_CACHE_CHILD="+verb+" "+dir)
	return cmd
}

// checkInChild fails when the directory makes a process die or answer wrongly.
func checkInChild(t *testing.T, dir string) (found int, onDisk bool) {
	t.Helper()
	out, err := childCommand(t, childCheck, dir).CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%.3000s", err, out)
		return 0, false
	}
	if _, err := fmt.Sscanf(string(out), "found %d disk %t", &found, &onDisk); err != nil {
		t.Errorf("%v: %.1000s", err, out)
	}
	return found, onDisk
}
