package cache

import (
	"bytes"
	"encoding/binary"
	"errors"

	"github.com/zeebo/blake3"
)

// A value is stored in chunks, because the database bounds a value by its table and log sizes and writes large ones badly.
// Every chunk begins with the same header but for its index; the hash covers the whole value, its key and the schema, so
// chunks of two values never join and an entry of another key or schema never passes.
const (
	chunkSize  = 256 << 10
	headerSize = 4 + 4 + 4 + 4 + 8 + 32
	// MaxValue is the largest value Put takes.
	MaxValue = 64 << 20
)

var recordMagic = [4]byte{'W', 'D', 'c', '1'}

var errCorrupt = errors.New("cache: entry fails its check")

type header struct {
	schema, index, count uint32
	length               uint64
	sum                  [32]byte
}

func sumOf(k Key, schema uint32, v []byte) (sum [32]byte) {
	h := blake3.New()
	var fixed [12]byte
	binary.LittleEndian.PutUint32(fixed[:], schema)
	binary.LittleEndian.PutUint64(fixed[4:], uint64(len(v)))
	_, _ = h.Write(recordMagic[:]) // a hash does not fail
	_, _ = h.Write(fixed[:])
	_, _ = h.Write(k[:])
	_, _ = h.Write(v)
	h.Sum(sum[:0])
	return sum
}

func newHeader(k Key, schema uint32, v []byte) header {
	return header{schema: schema, count: chunksOf(uint64(len(v))), length: uint64(len(v)), sum: sumOf(k, schema, v)}
}

// chunksOf is at least 1, so that an empty value is an entry too.
func chunksOf(length uint64) uint32 { return uint32(max(1, (length+chunkSize-1)/chunkSize)) }

// chunk returns chunk i of v with its header.
func (h header) chunk(i uint32, v []byte) []byte {
	lo := int(i) * chunkSize
	hi := min(len(v), lo+chunkSize)
	b := make([]byte, headerSize+hi-lo)
	copy(b, recordMagic[:])
	binary.LittleEndian.PutUint32(b[4:], h.schema)
	binary.LittleEndian.PutUint32(b[8:], i)
	binary.LittleEndian.PutUint32(b[12:], h.count)
	binary.LittleEndian.PutUint64(b[16:], h.length)
	copy(b[24:], h.sum[:])
	copy(b[headerSize:], v[lo:hi])
	return b
}

// parseChunk checks all that can be checked before the value is whole.
func parseChunk(b []byte, schema, index uint32) (header, []byte, error) {
	if len(b) < headerSize || !bytes.Equal(b[:4], recordMagic[:]) {
		return header{}, nil, errCorrupt
	}
	h := header{
		schema: binary.LittleEndian.Uint32(b[4:]), index: binary.LittleEndian.Uint32(b[8:]), count: binary.LittleEndian.Uint32(b[12:]),
		length: binary.LittleEndian.Uint64(b[16:]), sum: [32]byte(b[24:headerSize]),
	}
	if h.schema != schema || h.index != index || h.length > MaxValue || h.count != chunksOf(h.length) || index >= h.count {
		return header{}, nil, errCorrupt
	}
	if want := min(chunkSize, h.length-uint64(index)*chunkSize); uint64(len(b)-headerSize) != want {
		return header{}, nil, errCorrupt
	}
	return h, b[headerSize:], nil
}

// join reads a value chunk by chunk. read passes a chunk to its function while the bytes are valid.
func join(k Key, schema uint32, read func(index uint32, use func([]byte) error) error) ([]byte, error) {
	var first header
	var v []byte
	err := read(0, func(b []byte) error {
		h, body, err := parseChunk(b, schema, 0)
		if err != nil {
			return err
		}
		first = h
		v = append(make([]byte, 0, h.length), body...)
		return nil
	})
	if err != nil {
		return nil, err
	}
	for i := uint32(1); i < first.count; i++ {
		err := read(i, func(b []byte) error {
			h, body, err := parseChunk(b, schema, i)
			if err != nil || h.length != first.length || h.sum != first.sum {
				return errCorrupt
			}
			v = append(v, body...)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	if sumOf(k, schema, v) != first.sum {
		return nil, errCorrupt
	}
	return v, nil
}
