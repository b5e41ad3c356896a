package scan

import (
	"bytes"
)

// Index is the unescaped index at the end of a path: [3] or [-2]. Whether it selects a bit of a bus or belongs to a
// name with brackets in it only the netlist can tell, so the text stays in the component; its last Len bytes are it.
type Index struct {
	N   int32
	Len int // of the text with both brackets, 0 where there is no unescaped index
}

// SplitPath cuts a path at its unescaped dividers and takes the escapes away. A leading divider is dropped. The
// components go to dst[:0] and are parts of path, or of buf where something was escaped; both slices are returned for
// the next call, which overwrites what they hold. It allocates only to let dst and buf grow.
func SplitPath(path []byte, divider byte, dst [][]byte, buf []byte) ([][]byte, []byte, Index) {
	dst, buf = dst[:0], buf[:0]
	if len(path) > 0 && path[0] == divider {
		path = path[1:]
	}
	if len(path) == 0 {
		return dst, buf, Index{}
	}
	idx := TrailingIndex(path)
	if bytes.IndexByte(path, '\\') < 0 {
		for {
			i := bytes.IndexByte(path, divider)
			if i < 0 {
				return append(dst, path), buf, idx
			}
			dst = append(dst, path[:i:i])
			path = path[i+1:]
		}
	}
	// The components must not move once they are cut.
	if cap(buf) < len(path) {
		buf = make([]byte, 0, 2*len(path))
	}
	from := 0
	for i := 0; i < len(path); i++ {
		switch c := path[i]; {
		case c == '\\' && i+1 < len(path):
			i++
			buf = append(buf, path[i])
		case c == '\\': // a last backslash escapes nothing
		case c == divider:
			dst = append(dst, buf[from:len(buf):len(buf)])
			from = len(buf)
		default:
			buf = append(buf, c)
		}
	}
	return append(dst, buf[from:len(buf):len(buf)]), buf, idx
}

// TrailingIndex looks for [n] at the end of a path whose brackets are both unescaped and follow a name.
func TrailingIndex(b []byte) Index {
	n := len(b)
	if n < 4 || b[n-1] != ']' {
		return Index{}
	}
	i, v, scale := n-2, int64(0), int64(1)
	for ; i > 0 && b[i] >= '0' && b[i] <= '9'; i-- {
		if scale > 1e9 {
			return Index{}
		}
		v += int64(b[i]-'0') * scale
		scale *= 10
	}
	if scale == 1 || v > 1<<31-1 {
		return Index{}
	}
	if i > 0 && b[i] == '-' {
		v = -v
		i--
	}
	if i < 1 || b[i] != '[' {
		return Index{}
	}
	slashes := 0
	for j := i - 1; j >= 0 && b[j] == '\\'; j-- {
		slashes++
	}
	if slashes%2 == 1 {
		return Index{}
	}
	return Index{N: int32(v), Len: n - i}
}
