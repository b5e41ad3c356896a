package source

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/ulikunitz/xz"
)

// errTool marks a failure to run the external decompressor at all.
var errTool = errors.New("cannot run xz")

// decompress returns the text of raw, which is raw itself if no compression is recognised.
func decompress(ctx context.Context, raw io.Reader) (rc io.ReadCloser, err error) {
	defer recoverDecoder(&err)
	b := bufio.NewReaderSize(raw, 128<<10)
	head, err := b.Peek(6)
	if err != nil && err != io.EOF {
		return nil, err
	}
	switch compression(head) {
	case "gzip":
		return gzip.NewReader(b) // reads all members of a file
	case "zstd":
		// Default window limit: 512 MiB. Synchronous decoding of blocks: we are in a goroutine of our own already.
		z, err := zstd.NewReader(b, zstd.WithDecoderConcurrency(1), zstd.WithDecodeBuffersBelow(0))
		if err != nil {
			return nil, err
		}
		return z.IOReadCloser(), nil
	case "xz":
		if path, err := exec.LookPath("xz"); err == nil {
			return startXz(ctx, path, b)
		}
		x, err := xz.NewReader(b) // an order of magnitude slower
		return io.NopCloser(x), err
	}
	return io.NopCloser(b), nil
}

// recoverDecoder makes a panic an error. Decoders are other people's code that meets hostile bytes: a panic in one is
// a damaged file and must not end the process.
func recoverDecoder(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("decoder failed: %v", p)
	}
}

// compression tells the compressed formats that are read.
func compression(head []byte) string {
	switch {
	case bytes.HasPrefix(head, []byte{0x1f, 0x8b}):
		return "gzip"
	case bytes.HasPrefix(head, []byte{0x28, 0xb5, 0x2f, 0xfd}),
		len(head) >= 4 && head[0]&0xf0 == 0x50 && bytes.Equal(head[1:4], []byte{0x2a, 0x4d, 0x18}): // skippable frame first
		return "zstd"
	case bytes.HasPrefix(head, []byte("\xfd7zXZ\x00")):
		return "xz"
	}
	return ""
}

// xzProcess is the output of `xz -dc`; its exit status decides how the stream ends.
type xzProcess struct {
	ctx    context.Context
	cmd    *exec.Cmd
	out    io.ReadCloser
	stderr bytes.Buffer
	kill   context.CancelFunc
	done   bool
	err    error
}

func startXz(ctx context.Context, path string, in io.Reader) (io.ReadCloser, error) {
	ctx, kill := context.WithCancel(ctx)
	x := &xzProcess{ctx: ctx, cmd: exec.CommandContext(ctx, path, "-dc", "-T0"), kill: kill}
	x.cmd.Stdin = in
	x.cmd.Stderr = &x.stderr
	out, err := x.cmd.StdoutPipe()
	if err == nil {
		err = x.cmd.Start()
	}
	if err != nil {
		kill()
		return nil, fmt.Errorf("%w: %w", errTool, err)
	}
	x.out = out
	return x, nil
}

func (x *xzProcess) Read(p []byte) (int, error) {
	n, err := x.out.Read(p)
	if err == io.EOF {
		err = x.wait()
	}
	return n, err
}

// wait turns the exit status into io.EOF or a fault.
func (x *xzProcess) wait() error {
	if !x.done {
		x.done = true
		x.err = io.EOF
		if err := x.cmd.Wait(); err != nil {
			x.err = err
			if x.ctx.Err() != nil { // killed by us
				x.err = x.ctx.Err()
			} else if msg := strings.TrimSpace(x.stderr.String()); msg != "" {
				x.err = errors.New(msg)
			}
		}
	}
	return x.err
}

func (x *xzProcess) Close() error {
	x.kill()
	x.wait()
	return nil
}
