package project

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestStamp: a file that was read within the step of its own times is read again, because a second write in that step shows in none of them.
func TestStamp(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.v")
	if err := os.WriteFile(path, []byte("module"), 0o644); err != nil {
		t.Fatal(err)
	}
	st, ok := stamp(path)
	if !ok {
		t.Fatal("no stamp")
	}
	written := time.Unix(0, max(st.id.Mtime, st.id.Ctime))
	for after, want := range map[time.Duration]bool{0: false, time.Millisecond: false, time.Minute: true} {
		before := fileStamp{st.id, written.Add(after)}
		if got := st.same(before); got != want {
			t.Errorf("stamped %s after it was written: the same %v", after, got)
		}
	}
	if _, ok := stamp(filepath.Dir(path)); ok {
		t.Error("a folder has a stamp")
	}
	if _, ok := stamp(path + ".none"); ok {
		t.Error("a file that does not exist has a stamp")
	}
}
