package project

import "os"

// fileStamp tells versions of a file apart without reading it.
type fileStamp struct {
	size, mtime int64
}

func stamp(path string) (fileStamp, bool) {
	st, err := os.Stat(path)
	if err != nil {
		return fileStamp{}, false
	}
	return fileStamp{st.Size(), st.ModTime().UnixNano()}, true
}
