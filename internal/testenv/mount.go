//go:build linux

package testenv

import (
	"os/exec"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// Behind mounts a folder a second time through FUSE and returns where: what is written into the folder is not told to who looks at it
// through the mount, as behind NFS.
func Behind(t testing.TB, dir string) string {
	t.Helper()
	bindfs := Require(t, "bindfs")
	unmount := Require(t, "fusermount")
	mount := t.TempDir()
	if out, err := exec.Command(bindfs, dir, mount).CombinedOutput(); err != nil {
		missing(t, "FUSE does not work here: "+strings.TrimSpace(string(out)))
	}
	t.Cleanup(func() {
		if out, err := exec.Command(unmount, "-u", "-z", mount).CombinedOutput(); err != nil {
			t.Errorf("%s: %v", out, err)
		}
	})
	return mount
}

// SmallDisk mounts a file system of a size, as 1m, and returns where.
func SmallDisk(t testing.TB, size string) string {
	t.Helper()
	mount := t.TempDir()
	if err := unix.Mount("tmpfs", mount, "tmpfs", 0, "mode=0700,size="+size); err != nil {
		missing(t, "a file system cannot be mounted here: "+err.Error())
	}
	t.Cleanup(func() {
		if err := unix.Unmount(mount, unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return mount
}

// ReadOnlyDisk mounts an empty file system that nobody, root included, can write to.
func ReadOnlyDisk(t testing.TB) string {
	t.Helper()
	mount := SmallDisk(t, "1m")
	if err := unix.Mount("tmpfs", mount, "tmpfs", unix.MS_REMOUNT|unix.MS_RDONLY, ""); err != nil {
		missing(t, "a file system cannot be made read-only here: "+err.Error())
	}
	return mount
}
