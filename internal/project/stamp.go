package project

import (
	"os"
	"time"

	"github.com/wattd/wattd/internal/source"
)

// fileStamp tells versions of a file apart without reading it.
type fileStamp struct {
	id source.ID
	at time.Time // when it was taken
}

// stamp stamps a file; pipes and devices, whose contents come but once, have none.
func stamp(path string) (fileStamp, bool) {
	at := time.Now()
	if st, err := os.Stat(path); err != nil || !st.Mode().IsRegular() {
		return fileStamp{}, false
	}
	id, err := source.Probe(path, true)
	return fileStamp{id, at}, err == nil && id.Exists
}

// same says that the contents are those of an earlier stamp. Of a file that was written within the step of its own times nobody knows.
func (s fileStamp) same(before fileStamp) bool {
	return s.id == before.id && before.id.Settled(before.at)
}
