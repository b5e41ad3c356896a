//go:build !linux

package rpc

import "io"

// canTellHangUp: elsewhere a peer that stopped sending looks like one that is gone.
func canTellHangUp(io.ReadWriteCloser) bool { return false }

func hungUp(io.ReadWriteCloser) bool { return false }
