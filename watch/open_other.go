//go:build !unix

package watch

const openFlags = 0

func notDirectory(error) bool { return false }
