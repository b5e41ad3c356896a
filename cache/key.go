package cache

import (
	"encoding/binary"
	"encoding/hex"

	"github.com/zeebo/blake3"
)

// Key names an entry by everything its bytes depend on.
type Key [32]byte

// KeyOf hashes the kind of an entry and its ingredients: versions, options, content hashes of all inputs. Lengths are hashed
// too, so that no two lists of parts run together.
func KeyOf(kind string, parts ...[]byte) Key {
	h := blake3.New()
	var n [8]byte
	add := func(p []byte) {
		binary.LittleEndian.PutUint64(n[:], uint64(len(p)))
		_, _ = h.Write(n[:]) // a hash does not fail
		_, _ = h.Write(p)
	}
	add([]byte(kind))
	for _, p := range parts {
		add(p)
	}
	var k Key
	h.Sum(k[:0])
	return k
}

// String is the key in hex.
func (k Key) String() string { return hex.EncodeToString(k[:]) }
