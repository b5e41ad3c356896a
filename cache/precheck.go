package cache

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/dgraph-io/badger/v4/pb"
	"github.com/dgraph-io/badger/v4/y"
	"google.golang.org/protobuf/proto"
)

// precheck reads what badger will trust without a check when it opens dir. Badger opens tables in goroutines of its own, and
// a footer that points outside the file ends the process there, beyond the reach of recover. Blocks need no check here: they
// are verified when they are read.
func precheck(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		name := filepath.Join(dir, e.Name())
		var err error
		switch info, infoErr := e.Info(); {
		case infoErr != nil:
			err = infoErr
		case !info.Mode().IsRegular():
			err = errors.New("not a regular file")
		case filepath.Ext(name) == ".sst":
			err = checkTable(name, info.Size())
		}
		if err != nil {
			return fmt.Errorf("%w: %s: %w", errCorrupt, e.Name(), err)
		}
	}
	return nil
}

var errFooter = errors.New("the footer does not fit the file")

// checkTable verifies the index of a table. From the end backwards: length of the checksum, checksum, length of the index,
// index.
func checkTable(name string, end int64) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	back := func(n int64) ([]byte, error) {
		if n < 0 || n > end {
			return nil, errFooter
		}
		end -= n
		b := make([]byte, n)
		_, err := io.ReadFull(io.NewSectionReader(f, end, n), b)
		return b, err
	}
	sized := func() ([]byte, error) {
		n, err := back(4)
		if err != nil {
			return nil, err
		}
		return back(int64(binary.BigEndian.Uint32(n)))
	}
	sum, err := sized()
	if err != nil {
		return err
	}
	var expected pb.Checksum
	if err := proto.Unmarshal(sum, &expected); err != nil {
		return err
	}
	if expected.Algo != pb.Checksum_CRC32C { // the other would let a wrong length through
		return errFooter
	}
	index, err := sized()
	if err != nil {
		return err
	}
	if len(index) == 0 {
		return errFooter
	}
	return y.VerifyChecksum(index, &expected)
}
