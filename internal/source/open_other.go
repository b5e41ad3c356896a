//go:build !unix

package source

const openFlags = 0

func notDirectory(error) bool { return false }
