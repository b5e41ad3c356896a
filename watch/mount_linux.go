package watch

import "golang.org/x/sys/unix"

// kind is how far the events of a file system can be trusted.
type kind int

const (
	events kind = iota // every change is told
	both               // unknown: events are taken, and files are polled too
	poll               // what other hosts write is not told, and a call may hang
)

// fileSystems by the magic number of statfs. Those not named are of kind both, overlayfs among them: a write to its lower
// layer is not told.
var fileSystems = map[uint32]struct {
	kind kind
	name string
}{
	0xEF53:     {events, "ext"},
	0x58465342: {events, "xfs"},
	0x9123683E: {events, "btrfs"},
	0x01021994: {events, "tmpfs"},
	0x858458F6: {events, "ramfs"},
	0x2FC12FC1: {events, "zfs"},
	0xF2F52010: {events, "f2fs"},

	0x6969:     {poll, "NFS"},
	0x517B:     {poll, "SMB"},
	0xFF534D42: {poll, "CIFS"},
	0xFE534D42: {poll, "SMB2"},
	0x65735546: {poll, "FUSE"},
	0x01021997: {poll, "9P"},
	0x00C36400: {poll, "Ceph"},
	0x0BD00BD0: {poll, "Lustre"},
	0x47504653: {poll, "GPFS"},
	0x19830326: {poll, "BeeGFS"},
	0x5346414F: {poll, "AFS"},
	0x73757245: {poll, "Coda"},
	0xAAD7AAEA: {poll, "PanFS"},
	0x7461636F: {poll, "OCFS2"},
	0x01161970: {poll, "GFS2"},
}

func fileSystem(dir string) (kind, string) {
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return both, "a file system that does not say what it is"
	}
	if fs, ok := fileSystems[uint32(st.Type)]; ok {
		return fs.kind, fs.name
	}
	return both, "an unknown file system"
}
